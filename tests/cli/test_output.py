# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""What a run prints: in which order, when, how much, and that the numbers agree."""

import json
import re
import select
import time
import unittest

import runner
from terminal import Terminal

runner.need_pool()

PERF, FAST = runner.POINTS, runner.FAST
GRID = 'mempool_perf_autotest_1core'

BEGINS = re.compile(r'^(\w+): begins')
ROUND = re.compile(r'^(\w+): round (\d+) begins')
POINT = re.compile(r'^  (\d+)/(\d+) (\w+=\S+(?: \w+=\S+)*) (\S.*)$')


class Lines(runner.Case):
    def test_order(self):
        path, result = self.measured(f'-l 0 -- --budget 200ms {PERF}')
        lines = result.stdout.splitlines()
        planned, = runner.records(path, 'plan')
        count = planned['points']
        self.assertEqual(BEGINS.match(lines[0])[1], PERF)
        self.assertEqual(ROUND.match(lines[1])[2], '1')
        points = [POINT.match(line) for line in lines[2:2 + count]]
        self.assertEqual([(int(point[1]), int(point[2])) for point in points],
                         [(i + 1, count) for i in range(count)])
        # the same points in the same order as in the run file, each once
        first = dict.fromkeys(' '.join(f'{name}={value}' for name, value in
                                       sample['point'].items())
                              for sample in runner.records(path, 'sample')
                              if sample['round'] == 0)
        self.assertEqual([point[3] for point in points], list(first))
        rest = lines[2 + count:]
        summary = next(i for i, line in enumerate(rest) if not ROUND.match(line))
        rounds = [int(ROUND.match(line)[2]) for line in rest[:summary]]
        self.assertEqual(rounds, sorted(set(rounds)))
        self.assertTrue(all(number > 1 for number in rounds))
        self.assertIn(f'{PERF}: {count} points', rest[summary])
        self.assertTrue(rest[-1].startswith(f'{PERF}: pass, {count} of {count} points'))
        self.assertEqual(result.stderr, '')

    def test_first_line_tells_of_lcores(self):
        """Only where nobody said which."""
        result = runner.stint(f'-- {FAST}')
        machine = json.loads(runner.stint(f'-- --plan --json {PERF}').stdout)[0]
        self.assertGreaterEqual(int(re.match(r'stint: (\d+) lcores? of \d+ CPUs?\n',
                                             result.stdout)[1]), len(machine['lcores']))
        self.assertTrue(runner.stint(f'-l 0 -- {FAST}').stdout.startswith(f'{FAST}: begins\n'))

    def test_quiet(self):
        path, result = self.measured(f'-l 0 -- --quiet --budget 100ms {PERF} {FAST}')
        self.assertNotRegex(result.stdout, r'(?m)begins|^ +\d+/\d+ |s left')
        self.assertEqual(result.stdout, runner.show(path).stdout)
        self.assertIn(f'{PERF}: pass', result.stdout)

    def test_killed_run_shows_where_it_was(self):
        """Each line comes out before the next point begins, as one piece."""
        for wanted in (1, 2, 4, 9, 40):
            with self.subTest(lines=wanted):
                process = runner.started(f'-l 0 --no-huge -m 256 -- --budget 1h {GRID}')
                lines = []
                while len(lines) < wanted:
                    if not select.select([process.stdout], [], [], runner.LIMIT_S)[0]:
                        break
                    lines.append(process.stdout.readline())
                process.kill()
                # communicate() would pass over what readline() has read ahead
                lines += process.stdout.readlines()
                process.communicate()
                self.assertGreaterEqual(len(lines), wanted)
                self.assertRegex(lines[0], BEGINS)
                points = [POINT.match(line) for line in lines[2:] if line.endswith('\n')]
                points = [int(point[1]) for point in points if point]
                self.assertEqual(points, list(range(1, len(points) + 1)))
                # the point it was at has been named, if without a value yet
                if not lines[-1].endswith('\n'):
                    self.assertRegex(lines[-1], rf'^  {len(points) + 1}/1140 cores=1 ')

    def test_plain(self):
        for own in ('', '--quiet', '--verbose'):
            with self.subTest(own=own):
                result = runner.stint(f'-l 0 -- {own} --budget 50ms {PERF} {FAST}', TERM='xterm')
                self.assert_exit(result, 0)
                self.assertNotRegex(result.stdout + result.stderr, '[\x00-\x08\x0b-\x1f\x7f]')

    def test_terminal(self):
        t = Terminal(f'-l 0 -- --budget 300ms {PERF}')
        self.addCleanup(t.close)
        progress = t.expect('left')
        self.assertIn('\r', progress)
        self.assertRegex(progress, r'round 1, point \d+ of \d+, \d+ s $')
        end = t.expect(f'{PERF}: pass')
        self.assertNotRegex(end, POINT)
        # the progress line is wiped away before the summary
        self.assertRegex(end, rf'\r\x1b\[K{PERF}: \d+ points')
        self.assertEqual(t.end(), (0, True))
        t = Terminal(f'-l 0 -- --quiet --budget 100ms {PERF}')
        self.addCleanup(t.close)
        self.assertEqual(t.end(), (0, True))
        self.assertNotIn('s left', t.text)
        self.assertNotIn('\x1b', t.text)


class Grid(runner.Case):
    """380 points for each of three kinds of pool: pairs, a diagonal, and random bulks."""

    def test_planned(self):
        planned, = runner.plan(f'-l 0 -- {GRID}')
        self.assertEqual((planned['points'], planned['points_skipped']), (1140, 0))
        # bulks up to the keep: 4 of 32; 6 of 128; 8 of 512 and above
        pairs = 4 ** 2 + 6 ** 2 + 4 * 8 ** 2
        diagonal = 4 + 6 + 4 * 8
        # bulks up to 8, 32, 64, 128, 256, 512, as far as the keep
        random = 2 + 4 + 4 * 6
        self.assertEqual(pairs + diagonal + random, 380)
        for points, count in [('pool=cache', 380), ('pool=no_cache', 380),
                              ('pool=user_cache', 380), ('sizes=variable', 3 * pairs),
                              ('sizes=constant', 3 * diagonal), ('sizes=random', 3 * random),
                              ('keep=32', 3 * (16 + 4 + 2)), ('keep=512', 3 * (64 + 8 + 6)),
                              ('get=64,put=64,sizes=constant', 3 * 5),
                              ('get=256,put=512,sizes=variable', 3 * 4)]:
            with self.subTest(points=points):
                planned, = runner.plan(f'-l 0 -- --points {points} {GRID}')
                self.assertEqual(planned['points'], count)

    @runner.needs_hugepages
    def test_counts(self):
        """`done of all` on the last line is what the run file holds, whole grid or not."""
        whole = 0
        for budget in ('300ms', '3s', '9s'):
            path, result = self.measured(f'-l 0 -- --budget {budget} {GRID}')
            points = {json.dumps(sample['point']) for sample in runner.records(path, 'sample')}
            done, total = map(int, re.search(rf'{GRID}: pass, (\d+) of (\d+) points',
                                             result.stdout).groups())
            self.assertEqual((done, total), (len(points), 1140))
            record, = runner.records(path, 'result')
            self.assertEqual((record['points'], record['points_done']), (total, done))
            table = re.findall(r'^  cores=1 pool=.* rounds?\b.*$', result.stdout, re.M)
            self.assertEqual(len(table), done)
            self.assertEqual(done < total, bool(record['message']), record)
            whole += done == total
            if whole:
                break
        self.assertEqual(whole, 1)


class Budget(runner.Case):
    @runner.needs_hugepages
    def test_smallest(self):
        """Too little is a skip that names what would do; that does, or a few times as much."""
        skips = 0
        for eal, test in [('-l 0', GRID), ("--lcores '(0-7)@0'", 'mempool_perf_autotest_allcores'),
                          ('-l 0', PERF)]:
            with self.subTest(eal=eal, test=test):
                result = runner.stint(f'{eal} -- --budget 1ms {test}')
                if result.returncode == 0:
                    continue
                self.assert_exit(result, 77)
                skips += 1
                named = re.search(r'budget .*?(\d+(?:\.\d+)?) ?(ms|s)\b',
                                  result.stdout.splitlines()[-1])
                self.assertIsNotNone(named, result.stdout)
                budget_ms = float(named[1]) * (1000 if named[2] == 's' else 1)
                self.assertGreater(budget_ms, 1)
                codes = []
                while 0 not in codes and len(codes) < 6:
                    path, result = self.tried(eal, int(budget_ms * 2 ** len(codes)), test)
                    codes.append(result.returncode)
                self.assertEqual(codes[-1], 0, codes)
                self.assertTrue(runner.records(path, 'sample'))
        if skips == 0:
            raise unittest.SkipTest('1 ms was enough for all')

    def tried(self, eal, budget_ms, test):
        path = self.folder / f'{test}-{budget_ms}.ndjson'
        return path, runner.stint(f'{eal} -- --budget {budget_ms}ms --results {path} {test}')

    def test_kept(self):
        """The recorded time is that of the budget, and the clock on the wall agrees."""
        for budget_ms in (100, 500, 1500):
            with self.subTest(budget_ms=budget_ms):
                begin = time.monotonic()
                path, _ = self.measured(f'-l 0 -- --budget {budget_ms}ms {PERF}')
                took_s = time.monotonic() - begin
                record, = runner.records(path, 'result')
                self.assertLess(record['elapsed_ns'] / 1e9, took_s)
                # within a slice of the last point at the low end
                self.assertGreater(record['elapsed_ns'] / 1e6, budget_ms * 0.9)


if __name__ == '__main__':
    runner.main()
