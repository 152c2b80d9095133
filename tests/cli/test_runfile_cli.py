# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""The run file: where it goes, what it holds, and that all that is printed agrees with it."""

import collections
import fractions
import json
import math
import os
import re
import subprocess
import unittest

import runner

runner.need_pool()

FAST, PERF = runner.FAST, runner.POINTS
PHASED = 'mempool_perf_autotest_1core'

KEYS = {
    'run': 'schema started host cpu_model kernel dpdk build argv seed tsc_hz pages lcores',
    'plan': 'test points lcores need_bytes need_all_bytes have_bytes budget_ns',
    'round': 'test round floor fixture_draw',
    'sample': 'test point round metric unit lcores ops cycles ns by_lcore taint',
    'histogram': 'test point round metric unit lcores count ns min_cycles max_cycles sum_cycles '
                 'sum_squares tsc_hz bits buckets counts disturbed taint at_ns',
    'result': 'test status points points_done points_skipped rounds elapsed_ns message',
    'end': 'exit signal tsc_hz',
}
TAINT = {'steal_ns', 'switches', 'faults', 'cpu_ns', 'sys_ns', 'gap_ns',
         'window_ns', 'probe_cycles', 'slow'}


def orders(path):
    """Points of each round, in the order they were measured."""
    rounds = collections.defaultdict(dict)
    for sample in runner.records(path, 'sample'):
        rounds[sample['round']][json.dumps(sample['point'])] = None
    return [list(points) for _, points in sorted(rounds.items())]


def block(text):
    """What is printed at the end: from the header of the first test on."""
    lines = text.splitlines(True)
    first = next(i for i, line in enumerate(lines) if ' budget, lcore' in line)
    return ''.join(lines[first:])


class Files(runner.Case):
    def refused(self, path, code=2):
        result = runner.stint(f'-l 0 -- --budget 1s --results {path} {PERF}')
        self.assert_exit(result, code)
        self.assertEqual(result.stdout, '')
        self.assertRegex(result.stderr, r'\Astint: [^\n]+\n\Z')
        self.assertIn(str(path), result.stderr)

    def test_existing(self):
        for text in ('', 'mine\n', '{"type":"end"}'):
            path = self.folder / f'{len(text)}.ndjson'
            path.write_text(text)
            with self.subTest(text=text):
                self.refused(path)
                self.assertEqual(path.read_text(), text)
        link = self.folder / 'link.ndjson'
        link.symlink_to(self.folder / 'nowhere')
        self.refused(link)
        self.assertFalse((self.folder / 'nowhere').exists())

    def test_full_disk(self):
        self.refused('/dev/full', 1)

    @runner.needs_mounts
    def test_read_only(self):
        disk = runner.mounted('tmpfs', str(self.folder), 'ro')
        for path in (self.folder, self.folder / 'a.ndjson', self.folder / 'sub/'):
            with self.subTest(path=path):
                result = runner.stint(f'-l 0 -- --budget 1s --results {path} {PERF}', prefix=disk)
                self.assert_exit(result, 2)
                self.assertEqual(result.stdout, '')
                self.assertIn('Read-only', result.stderr)

    def test_two_tests(self):
        path, _ = self.measured(f'-l 0 -- --budget 50ms {PERF} {FAST}')
        self.assertEqual([record['test'] for record in runner.records(path, 'result')],
                         [PERF, FAST])
        folder = self.folder / 'folder'
        folder.mkdir()
        result = runner.stint(f'-l 0 -- --budget 50ms --results {folder} {PERF} {FAST}')
        self.assert_exit(result, 0)
        files = sorted(folder.iterdir())
        self.assertEqual(len(files), 2)
        for file, test in zip(files, (PERF, FAST)):
            self.assertRegex(file.name, rf'^{test}-\d{{8}}T\d{{6}}Z-\d+\.ndjson$')
            kinds = [record['type'] for record in runner.records(file)]
            self.assertEqual((kinds[0], kinds[-1]), ('run', 'end'))
            self.assertEqual(kinds.count('result'), 1)

    def test_nothing_is_overwritten(self):
        """The same test over and over in one process, and from processes at the same time."""
        folder = self.folder / 'new'
        runs = [runner.started(f'-l 0 -- --results {folder}/ {" ".join([FAST] * 4)}',
                               stdout=subprocess.DEVNULL) for _ in range(3)]
        for run in runs:
            self.assertEqual(run.communicate(timeout=runner.LIMIT_S)[1], '')
            self.assertEqual(run.returncode, 0)
        self.assertEqual(len(list(folder.iterdir())), 12)

    def test_variable(self):
        folder = self.folder / 'results'
        self.assert_exit(runner.stint(f'-l 0 -- {FAST}', STINT_RESULTS=str(folder)), 0)
        self.assertEqual(len(list(folder.iterdir())), 1)
        path = self.folder / 'a.ndjson'
        self.assert_exit(runner.stint(f'-l 0 -- {FAST}', STINT_RESULTS=str(path)), 0)
        self.assertEqual(runner.records(path)[-1]['type'], 'end')
        # argv goes before it
        other = self.folder / 'b.ndjson'
        self.assert_exit(runner.stint(f'-l 0 -- --results {other} {FAST}',
                                      STINT_RESULTS=str(folder)), 0)
        self.assertTrue(other.exists())
        self.assertEqual(len(list(folder.iterdir())), 1)


class Contents(runner.Case):
    def test_records(self):
        path, _ = self.measured(f'-l 0 -- --budget 100ms --seed 7 {PERF}')
        found = runner.records(path)
        kinds = [record['type'] for record in found]
        self.assertEqual(kinds[:4], ['run', 'plan', 'stamp', 'round'])
        self.assertEqual(kinds[-2:], ['result', 'end'])
        for record in found:
            keys = set(KEYS.get(record['type'], '').split())
            self.assertLessEqual(keys, record.keys(), record['type'])
        self.assertLessEqual(set(KEYS), set(kinds))
        self.assertEqual(found[0]['seed'], 7)
        self.assertEqual([set(lcore) for lcore in found[0]['lcores']], [{'id', 'cpus', 'socket'}])
        rounds = [record['round'] for record in found if record['type'] == 'round']
        self.assertEqual(rounds, list(range(len(rounds))))

    def check_sample(self, sample, hz):
        self.assertEqual(set(sample['taint']), TAINT)
        self.assertEqual([lane['lcore'] for lane in sample['by_lcore']], sample['lcores'])
        phases = sample.get('phase', [])
        parts = phases or [sample]
        self.assertEqual(sum(part['ops'] for part in parts), sample['ops'])
        self.assertEqual(sum(part['cycles'] for part in parts), sample['cycles'])
        # cycles are summed over the lcores, the time is theirs in common; the clock is measured
        # again while the run goes on
        expected_ns = sample['cycles'] / hz * 1e9 / len(sample['lcores'])
        self.assertAlmostEqual(sample['ns'] / expected_ns, 1, delta=0.002)
        cost = sum(part['cycles'] / part['ops'] for part in parts)
        if sample['unit'].endswith('/s'):
            # each lcore by its own window, where that is known
            lanes = sample['by_lcore']
            if phases or not all(lane['cycles'] for lane in lanes):
                rate = len(lanes) / cost
            else:
                rate = sum(lane['ops'] / lane['cycles'] for lane in lanes)
            self.assertAlmostEqual(sample['value'] / hz / rate, 1, delta=0.002)
        elif sample['metric'] == 'cost':
            self.assertAlmostEqual(sample['value'] / cost, 1, delta=1e-9)
        ops = sum(lane['ops'] for lane in sample['by_lcore'])
        cycles = sum(lane['cycles'] for lane in sample['by_lcore'])
        self.assertEqual((ops, cycles), (sample['ops'], sample['cycles']))
        return 'phases' if phases else 'whole'

    @runner.needs_hugepages
    def test_values(self):
        seen = collections.Counter()
        for lcores in ('0', '0-1'):
            for test in (PERF, PHASED, 'mempool_perf_autotest_allcores'):
                if lcores == '0-1' and not {0, 1} <= os.sched_getaffinity(0):
                    continue
                path, _ = self.measured(f'-l {lcores} -- --budget 1s {test}')
                hz = runner.records(path, 'end')[0]['tsc_hz']
                for sample in runner.records(path, 'sample'):
                    seen[self.check_sample(sample, hz)] += 1
        self.assertGreater(seen['phases'], 0)
        self.assertGreater(seen['whole'], 0)

    @runner.needs_hugepages
    def test_points_done(self):
        path, _ = self.measured(f'-l 0 -- --budget 300ms --points keep=512 {PHASED}')
        result, = runner.records(path, 'result')
        points = {json.dumps(sample['point']) for sample in runner.records(path, 'sample')}
        self.assertEqual(len(points), result['points_done'])


def bucket_middle(bucket):
    shift = max((bucket >> 10) - 1, 0)
    low = (1024 + bucket % 1024 << shift) if bucket >= 1024 else bucket
    return low + ((1 << shift) - 1) // 2


class Latencies(runner.Case):
    """A latency of nothing: two clock reads in a row, once for each operation."""

    def setUp(self):
        super().setUp()
        self.path, result = self.measured(f'-l 0 -- --budget 500ms --points body=stamps {PERF}')
        self.records = runner.records(self.path, 'histogram')
        lines = result.stdout.splitlines()
        at, = (i for i, line in enumerate(lines) if line.startswith('  in ns '))
        titles = re.split('  +', lines[at].strip())
        self.shown = dict(zip(titles[1:], re.split('  +', lines[at + 1].strip())[2:]))
        self.assertIn('body=stamps  nothing  ', lines[at + 1])

    def test_counted(self):
        """What is recorded is what is counted, no warm-up and no operation after the end."""
        ops = {sample['round']: sample['ops'] for sample in runner.records(self.path, 'sample')
               if sample['metric'] == 'cost'}
        self.assertEqual({record['round']: record['count'] for record in self.records}, ops)
        for record in self.records:
            self.assertEqual(sum(record['counts']), record['count'])
            self.assertEqual(set(record['taint']), TAINT)

    def test_shown(self):
        """What is printed follows from the run file."""
        counts = collections.Counter()
        for record in self.records:
            counts.update(dict(zip(record['buckets'], record['counts'])))
        n, least, most = (pick(record[key] for record in self.records) for pick, key in
                          ((sum, 'count'), (min, 'min_cycles'), (max, 'max_cycles')))
        total, squares = (sum(record[key] for record in self.records)
                          for key in ('sum_cycles', 'sum_squares'))
        expected = {'min': least, 'max': most, 'mean': total / n,
                    'sd': math.sqrt((squares - total ** 2 / n) / (n - 1))}
        for name in ('50', '90', '95', '99', '99.9', '99.99'):
            part = fractions.Fraction(name) / 100
            rank = math.ceil(part * n)
            if rank < n:
                ordered = iter(sorted(counts))
                while rank > 0:
                    bucket = next(ordered)
                    rank -= counts[bucket]
                expected[f'p{name}'] = min(max(bucket_middle(bucket), least), most)
        self.assertEqual(self.shown.keys() - {'disturbed'},
                         expected.keys() | {'samples', 'rounds'})
        hz = self.records[-1]['tsc_hz']
        for name, cycles in expected.items():
            self.assertAlmostEqual(float(self.shown[name]) / (cycles / hz * 1e9), 1, delta=0.0006,
                                   msg=name)
        self.assertEqual(int(self.shown['samples']), n)
        self.assertEqual(int(self.shown['rounds']), len(self.records))
        self.assertEqual(int(self.shown.get('disturbed', 0)),
                         sum(record['count'] for record in self.records if record['disturbed']))


class Seeds(runner.Case):
    def test_orders(self):
        runs = [orders(self.measured(f'-l 0 -- --budget 200ms --seed {seed} {PERF}')[0])[:-1]
                for seed in (1, 1, 2, 3, 4)]
        rounds = min(map(len, runs))
        self.assertGreater(rounds, 3)
        first, again, *others = (run[:rounds] for run in runs)
        self.assertEqual(first, again)
        for other in others:
            self.assertNotEqual(first, other)
        self.assertTrue(any(a != b for a, b in zip(first, first[1:])))


class Shown(runner.Case):
    def test_same_block(self):
        for own in ('', '--quiet'):
            for tests in (PERF, f'{PERF} {FAST}', f'{FAST} mempool_perf_autotest_2cores'):
                with self.subTest(own=own, tests=tests):
                    path, result = self.measured(f'-l 0 -- {own} --budget 100ms {tests}')
                    shown = runner.show(path)
                    self.assert_exit(shown, 0)
                    self.assertEqual(shown.stderr, '')
                    printed = result.stdout
                    if own == '--quiet':
                        self.assertEqual(shown.stdout, printed)
                    elif tests == PERF:
                        self.assertEqual(shown.stdout, block(printed))
                    for line in shown.stdout.splitlines():
                        self.assertIn(line, printed.splitlines())

    def test_decimal_comma(self):
        locales = self.folder / 'locales'
        locales.mkdir()
        made = subprocess.run(['localedef', '-i', 'de_DE', '-f', 'UTF-8',
                               str(locales / 'de_DE.UTF-8')], stderr=subprocess.DEVNULL,
                              check=False).returncode if os.path.exists(
                                  '/usr/share/i18n/locales/de_DE') else 1
        if made != 0:
            raise unittest.SkipTest('needs localedef and the sources of de_DE')
        path, result = self.measured(f'-l 0 -- --budget 50ms {PERF}', LOCPATH=str(locales),
                                     LC_ALL='de_DE.UTF-8')
        self.assertRegex(result.stdout, r'\d\.\d')
        self.assertNotRegex(result.stdout, r'\d,\d+ (cycles|ns|ms|s)\b')
        self.assertEqual(runner.records(path)[-1]['type'], 'end')
        self.assertEqual(runner.show(path).stdout, block(result.stdout))


if __name__ == '__main__':
    runner.main()
