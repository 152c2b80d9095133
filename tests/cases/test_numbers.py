# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Numbers: of what they are made, and that all outputs of a run agree on them.

The arithmetic itself is tested in tests/unit: test_quantile.c, test_sample.c, test_summary.c.
"""

import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import time
import unittest

import runner

runner.need_pool()

OUTCOMES = os.environ['STINT_OUTCOMES_EXE']
SOURCES = pathlib.Path(__file__).resolve().parents[2] / 'app' / 'autotests'
FAST, PERF = runner.FAST, runner.POINTS
POOLS = 'mempool_perf_autotest_1core'
# what no output may hold
NO_NUMBER = re.compile(r'(?i)(?<![a-z])[-+]?(?:nan|inf|infinity)(?![a-z])')
PREFIXES = {'': 1, 'k': 1e3, 'M': 1e6, 'G': 1e9}
ROW = re.compile(r'^  (\w+=\S+(?: +\w+=\S+)*)  +(\S.*)$')


def strict(text):
    """JSON has no such numbers, though many readers take them."""
    def refuse(word):
        raise ValueError(word)
    return json.loads(text, parse_constant=refuse)


def label_text(point):
    return ' '.join(f'{name}={value}' for name, value in point.items())


def rows(text):
    """The table: of each (labels, words that follow) the rest of the line."""
    found = []
    for line in text.splitlines():
        row = ROW.match(line)
        if row:
            found.append((' '.join(row[1].split()), row[2]))
    return found


def number(text):
    """Value and distance to the next that would be printed: '71.30 M objects/s'."""
    found = re.match(r'([\d.]+) ([kMG]?) ?\w+/\w+', text) or re.match(r'([\d.]+)()', text)
    decimals = len(found[1].partition('.')[2])
    factor = PREFIXES[found[2]]
    return float(found[1]) * factor, 10 ** -decimals * factor


class Samples(runner.Case):
    def test_H01_work_outside_the_timed_part(self):
        """A value is that of the samples: what a test does around them changes nothing."""
        path = self.folder / 'a.ndjson'
        command = f'-l 0 -- --quiet --budget 2s --results {path} outside_perf_autotest'
        result = subprocess.run([OUTCOMES, *shlex.split(command)], env=runner.environment(),
                                capture_output=True, text=True, timeout=runner.LIMIT_S,
                                check=False)
        self.assert_exit(result, 0)
        values, times = collections.defaultdict(list), collections.defaultdict(list)
        for sample in runner.records(path, 'sample'):
            outside = sample['point']['outside_us']
            values[outside].append(sample['value'])
            times[outside].append(sample['ns'])
        self.assertEqual(set(values), {0, 500})
        # 2 x 500 us beside slices of 300 us: the wall clock would give four times as much
        least = {outside: min(found) for outside, found in values.items()}
        self.assertAlmostEqual(least[500] / least[0], 1, delta=0.3)
        self.assertLess(statistics.median(times[500]), 2 * statistics.median(times[0]))

    @runner.needs_two_cpus
    def test_H05_each_sample_starts_at_nothing(self):
        """No count of the point before is left in one: lcores make up the sum, each time anew."""
        for eal, test in (('-l 0-1', PERF), ("--lcores '(0-3)@(0-1)'", PERF),
                          ('-l 0', POOLS)):
            with self.subTest(eal=eal, test=test):
                path, _ = self.measured(f'{eal} -- --quiet --budget 500ms {test}')
                samples = runner.records(path, 'sample')
                self.assertGreater(len({json.dumps(sample['point']) for sample in samples}), 1)
                for sample in samples:
                    for key in ('ops', 'cycles'):
                        self.assertEqual(sum(lane[key] for lane in sample['by_lcore']),
                                         sample[key])
                # samples stand one after the other within the time of the test
                result, = runner.records(path, 'result')
                metric = samples[0]['metric']
                spans = [sample['ns'] for sample in samples if sample['metric'] == metric]
                self.assertLess(sum(spans), result['elapsed_ns'])

    def test_H08_rate_of_a_stretched_point(self):
        """Divided by the time it took: a point that was stopped has a lower rate, and a mark."""
        for i in range(10):
            path = self.folder / f'{i}.ndjson'
            process = runner.started(f'-l 0 -- --budget 1200ms --results {path} '
                                     '--set elt_size=64 --points keep=512,get=32,put=32 '
                                     f'{POOLS}')
            runner.await_true(lambda: path.exists() and
                              path.read_text().count('"type":"sample"') > 20, 'no samples')
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.5)
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=runner.LIMIT_S)
            self.assert_ended_well(process)
            samples = runner.records(path, 'sample')
            stretched = [sample for sample in samples if sample['ns'] > 400e6]
            if stretched:
                break
        # it was never within a slice: that takes some luck, but not that much
        self.assertTrue(stretched)
        for sample in stretched:
            self.assertTrue(sample['disturbed'])
            self.assertGreater(sample['taint']['gap_ns'], 400e6)
            others = [other['value'] for other in samples
                      if other['point'] == sample['point'] and other['ns'] < 10e6]
            self.assertLess(sample['value'], min(others))
            self.assertLess(sample['value'], statistics.median(others) / 100)

    def assert_ended_well(self, process):
        self.assertEqual(process.returncode, 0)

    def test_H11_quotient_that_was_off_by_one(self):
        """The operands that found the fault are among those of the fast test, which passes."""
        dividend, divisor, quotient = 16983222950483802557, 819, 20736535959076681
        self.assertEqual(dividend // divisor, quotient)
        source = (SOURCES / 'reciprocal_division.c').read_text()
        for value in (dividend, divisor, quotient):
            self.assertIn(str(value), source)
        for seed in (0, 1, 7):
            self.assert_exit(runner.stint(f'--no-huge -l 0 -- --seed {seed} {FAST}'), 0)


class Nothing(runner.Case):
    """No samples, no time, no operations."""

    def shown(self, path, code=0):
        result = runner.show(path)
        self.assert_exit(result, code)
        self.assertNotRegex(result.stdout + result.stderr, NO_NUMBER)
        return result.stdout

    def test_H07_no_samples(self):
        """A budget for none is a skip, without numbers that are none."""
        for test in (PERF, POOLS, 'mempool_perf_autotest'):
            with self.subTest(test=test):
                path = self.folder / f'{test}.ndjson'
                result = runner.stint(f"--lcores '(0-7)@0' -- --budget 1ms --results {path} "
                                      f'{test}')
                self.assertIn(result.returncode, (0, 77))
                self.assertNotRegex(result.stdout + result.stderr, NO_NUMBER)
                for line in path.read_text().splitlines():
                    strict(line)
                self.shown(path)

    def test_H07_a_run_of_any_length(self):
        """Cut off after any of its lines, a run file gives no such numbers."""
        path, _ = self.measured(f'-l 0 -- --quiet --budget 100ms {PERF}')
        lines = path.read_text().splitlines(True)
        for n in range(len(lines)):
            cut = self.folder / 'cut.ndjson'
            cut.write_text(''.join(lines[:n]))
            with self.subTest(lines=n):
                self.shown(cut)

    def test_H07_samples_of_nothing(self):
        """Operations, cycles or time of 0, no value, or one beyond all others."""
        path, _ = self.measured(f'-l 0 -- --quiet --budget 100ms {PERF}')
        found = [strict(line) for line in path.read_text().splitlines()]
        for change in ({'ops': 0}, {'cycles': 0}, {'ns': 0}, {'value': 0}, {'value': None},
                       {'ops': 0, 'cycles': 0, 'ns': 0, 'value': None, 'by_lcore': []},
                       {'ops': 2 ** 63 - 1, 'cycles': 1, 'ns': 1, 'value': 1.7e308}):
            for kind in ('rate', 'cost'):
                with self.subTest(change=change, kind=kind):
                    changed = self.folder / 'changed.ndjson'
                    changed.write_text(''.join(
                        json.dumps({**record, **change, 'kind': kind}) + '\n'
                        if record['type'] == 'sample' else json.dumps(record) + '\n'
                        for record in found))
                    self.shown(changed)

    def test_H07_run_without_time(self):
        """A clock rate of 0 and rounds without a floor."""
        path, _ = self.measured(f'-l 0 -- --quiet --budget 100ms {PERF}')
        for change in ({'tsc_hz': 0}, {'budget_ns': 0}, {'elapsed_ns': 0, 'rounds': 0},
                       {'floor': [{'lcores': [0, 1], 'ns': 0}]},
                       {'floor': [{'lcores': [0, 1], 'ns': None}]}):
            with self.subTest(change=change):
                changed = self.folder / 'changed.ndjson'
                with changed.open('w') as file:
                    for line in path.read_text().splitlines():
                        record = strict(line)
                        # a histogram is nothing without its own rate
                        if record['type'] != 'histogram':
                            record.update({key: value for key, value in change.items()
                                           if key in record})
                        file.write(json.dumps(record) + '\n')
                self.shown(changed)


class Outputs(runner.Case):
    """What is printed, what is shown again, and what another program computes."""

    def check(self, path, printed):
        self.assertEqual(runner.show(path).stdout, printed)
        found = [strict(line) for line in path.read_text().splitlines()]
        values = collections.defaultdict(list)
        for sample in found:
            if sample['type'] == 'sample':
                key = label_text(sample['point']), sample['metric']
                values[key].append((sample['value'], sample['disturbed']))
        metrics = sorted({metric for _, metric in values})
        # latencies have a table of their own, of histograms
        latencies = {record['metric'] for record in found if record['type'] == 'histogram'}
        table = [(labels, rest) for labels, rest in rows(printed)
                 if rest.split()[0] not in latencies]
        self.assertEqual(len(table), len(values))
        seen = set()
        for labels, rest in table:
            metric = next((m for m in metrics if rest.startswith(m + ' ')), metrics[0])
            text = rest[len(metric):].strip() if rest.startswith(metric + ' ') else rest
            self.compare(values[labels, metric], text)
            seen.add((labels, metric))
        self.assertEqual(seen, set(values))
        return found

    def compare(self, samples, text):
        """The median of those that were not disturbed, or of all where these are too few."""
        calm = [value for value, disturbed in samples if not disturbed]
        if 'disturbed' in text:
            self.assertLess(len(calm), len(samples) / 2)
            calm = [value for value, _ in samples]
        used = calm
        value, step = number(text)
        self.assertAlmostEqual(value, statistics.median(used), delta=0.51 * step)
        self.assertIn(f'  {len(used)} round', text)

    def test_H10_table_is_of_the_samples(self):
        """Each value can be computed again from the run file, to the last digit printed."""
        for test, options in ((PERF, ''), (POOLS, '--points keep=512'),
                              ('reciprocal_division_perf_autotest', '')):
            with self.subTest(test=test):
                path, result = self.measured(f'-l 0 -- --quiet --budget 500ms {options} {test}')
                found = self.check(path, result.stdout)
                self.check_counts(found, result.stdout, test)

    def check_counts(self, found, printed, test):
        result = next(record for record in found if record['type'] == 'result')
        last = re.search(rf'^{test}: pass, (\d+) of (\d+) points', printed, re.M)
        samples = [record for record in found if record['type'] == 'sample']
        self.assertEqual((int(last[1]), int(last[2])), (result['points_done'], result['points']))
        self.assertEqual(len({json.dumps(sample['point']) for sample in samples}), int(last[1]))
        disturbed = sum(sample['disturbed'] for sample in samples)
        told = re.search(r'^  (\d+) of (\d+) samples disturbed', printed, re.M)
        if told:
            self.assertEqual((int(told[1]), int(told[2])), (disturbed, len(samples)))
        else:
            self.assertEqual(disturbed, 0)

    def test_H10_verbose_quiet_and_none_agree(self):
        """The end of the output is the same text, whatever comes before it."""
        for own in ('', '--quiet', '--verbose'):
            with self.subTest(own=own):
                path, result = self.measured(f'-l 0 -- {own} --budget 100ms {PERF}')
                self.assertTrue(result.stdout.endswith(runner.show(path).stdout))

    def test_H10_tests_that_were_not_run_are_in_both(self):
        """A test that is skipped is in the run file as it is in the output."""
        for variables, tests in (({}, ['mempool_perf_autotest_2cores', FAST]),
                                 ({'DPDK_TEST_SKIP': FAST}, [FAST, PERF]),
                                 ({'DPDK_TEST_SKIP': PERF}, [FAST, PERF])):
            with self.subTest(variables=variables, tests=tests):
                path, result = self.measured('-l 0 -- --quiet --budget 100ms', *tests, **variables)
                self.assertEqual(runner.show(path).stdout, result.stdout)

    @unittest.skipUnless(shutil.which('localedef') and
                         os.path.exists('/usr/share/i18n/locales/de_DE'),
                         'needs localedef and its sources')
    def test_H10_decimal_comma(self):
        """In a locale that writes 1,5 all outputs still agree, and the run file has points."""
        subprocess.run(['localedef', '-i', 'de_DE', '-f', 'UTF-8', self.folder / 'de_DE.UTF-8'],
                       check=True, timeout=runner.LIMIT_S)
        folder = self.folder / 'runs'
        folder.mkdir()
        path = folder / 'a.ndjson'
        result = runner.stint(f'-l 0 -- --quiet --budget 100ms --results {path} {PERF}',
                              LOCPATH=str(self.folder), LC_ALL='de_DE.UTF-8')
        self.assert_exit(result, 0)
        self.check(path, result.stdout)

    def test_H10_plans_agree(self):
        """The plan that is printed, its JSON and the record of the run."""
        text = runner.stint(f'-l 0 -- --plan {POOLS}').stdout
        planned, = strict(runner.stint(f'-l 0 -- --plan --json {POOLS}').stdout)
        path, _ = self.measured(f'-l 0 -- --quiet --budget 100ms {POOLS}')
        record, = runner.records(path, 'plan')
        for key in ('points', 'lcores', 'need_bytes', 'need_all_bytes'):
            self.assertEqual(planned[key], record[key], key)
        self.assertIn(f'{planned["points"]} points', text)
        self.assertIn(f'needs {planned["need_bytes"]["0"] >> 20} MiB '
                      f'({planned["need_all_bytes"]["0"] >> 20} at once)', text)


if __name__ == '__main__':
    runner.main()
