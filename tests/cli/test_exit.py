# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Exit codes of one test and of many, and what a shortfall says: what is needed, what there is."""

import re

import runner

runner.need_pool()

ONE, TWO = 'mempool_perf_autotest_1core', 'mempool_perf_autotest_2cores'
ALL = 'mempool_perf_autotest_allcores'
FAST, PERF = runner.FAST, runner.POINTS
MIB = 1 << 20
MANY = "--lcores '(0-31)@(0-1)'"

# tests on one lcore, exit code, (passed, failed, skipped)
LISTS = [
    ([FAST], 0, (1, 0, 0)),
    ([TWO], 77, (0, 0, 1)),
    ([FAST, FAST], 0, (2, 0, 0)),
    ([TWO, FAST], 0, (1, 0, 1)),
    ([FAST, TWO], 0, (1, 0, 1)),
    ([TWO, PERF, TWO, FAST], 0, (2, 0, 2)),
    ([TWO, TWO], 77, (0, 0, 2)),
]

# DPDK_TEST, DPDK_TEST_SKIP, argv; (test, is it run?) in order
ORDERS = [
    (FAST, '', PERF, [(FAST, True), (PERF, True)]),
    (f'{PERF} {FAST}', '', '', [(PERF, True), (FAST, True)]),
    (f' {PERF},,{FAST}, ', '', FAST, [(PERF, True), (FAST, True), (FAST, True)]),
    (f'{PERF},{FAST}', FAST, '', [(PERF, True), (FAST, False)]),
    (FAST, f'{PERF},{TWO}', PERF, [(FAST, True), (PERF, False)]),
    ('', f',{FAST},', FAST, [(FAST, False)]),
]


class Exit(runner.Case):
    def test_lists(self):
        for tests, code, counts in LISTS:
            with self.subTest(tests=tests):
                path, result = self.measured('-l 0 -- --budget 50ms', *tests, code=code)
                passed, failed, skipped = counts
                if len(tests) > 1:
                    self.assertEqual(result.stdout.splitlines()[-1],
                                     f'{passed} passed, {failed} failed, {skipped} skipped')
                results = runner.records(path, 'result')
                self.assertEqual([record['test'] for record in results], tests)
                self.assertEqual(
                    tuple(sum(record['status'] == status for record in results)
                          for status in ('pass', 'fail', 'skip')), counts)
                self.assertEqual(runner.records(path)[-1]['exit'], code)

    def test_order(self):
        for first, skip, argv, expected in ORDERS:
            with self.subTest(first=first, skip=skip, argv=argv):
                result = runner.stint(f'-l 0 -- --budget 50ms {argv}', DPDK_TEST=first,
                                      DPDK_TEST_SKIP=skip)
                run = any(is_run for _, is_run in expected)
                self.assert_exit(result, 0 if run else 77)
                lines = re.findall(r'^(\w+): (begins|skip:)', result.stdout, re.M)
                self.assertEqual([(name, word == 'begins') for name, word in lines], expected)

    @runner.needs_mounts
    def test_fail(self):
        """A disk that is full after some samples: 1, and the tests after it count as well."""
        disk = runner.mounted('tmpfs', str(self.folder), 'size=64k')
        for tests in ([PERF], [FAST, PERF], [PERF, FAST], [TWO, PERF]):
            with self.subTest(tests=tests):
                result = runner.stint(f'-l 0 -- --budget 500ms --results {self.folder}/a.ndjson',
                                      *tests, prefix=disk)
                self.assert_exit(result, 1)
                self.assertIn('No space left', result.stdout + result.stderr)

    @runner.needs_mounts
    def test_no_start(self):
        """EAL cannot start, for no fault of the request: 99 with one line."""
        result = runner.stint(f'--no-huge --file-prefix=a -l 0 -- {FAST}',
                              prefix=runner.mounted('tmpfs', '/run', 'ro'))
        self.assert_exit(result, 99)
        self.assertEqual(result.stdout, '')
        self.assertRegex(result.stderr, r'\Astint: [^\n]*read-only file system[^\n]*\n\Z')
        result = runner.stint(f'--no-huge -l 0 -- {FAST}',
                              prefix=runner.mounted('tmpfs', '/run', 'ro'))
        self.assert_exit(result, 0)


class Cores(runner.Case):
    def test_one_lcore_for_two(self):
        path, result = self.measured(f'-l 0 -- --verbose {TWO}', code=77)
        self.assertEqual(result.stdout.count('\n'), 1, result.stdout)
        self.assertRegex(result.stdout, rf'^{TWO}: skip: .*\b2\b.*\b1\b.*-l')
        skip, = runner.records(path, 'skip')
        self.assertEqual(re.findall(r'\d+', skip['need']), ['2'])
        self.assertEqual(re.findall(r'\d+', skip['have']), ['1'])
        self.assertIn('-l', skip['remedy'])

    def test_skip_takes_no_eal_start(self):
        for tests, starts in ((TWO, False), (f'{TWO} {TWO}', False), (f'{TWO} {FAST}', True)):
            with self.subTest(tests=tests):
                result = runner.stint(f'-l 0 -- --verbose {tests}')
                self.assertEqual('EAL: ' in result.stderr, starts, result.stderr)
        result = runner.stint(f'-l 0 -- --verbose {FAST}', DPDK_TEST_SKIP=FAST)
        self.assert_exit(result, 77)
        self.assertNotIn('EAL: ', result.stderr)


@runner.needs_mounts
class NoPages(runner.Case):
    prefix = runner.fake_pages(0)

    def test_perf_skips(self):
        for test in (ONE, PERF, 'mempool_perf_autotest', 'reciprocal_division_perf_autotest'):
            with self.subTest(test=test):
                path, result = self.measured(f'-l 0 -- {test}', code=77, prefix=self.prefix)
                skip, = runner.records(path, 'skip')
                need, have = int(re.search(r'\d+', skip['need'])[0]), re.search(r'\d+',
                                                                                skip['have'])[0]
                self.assertGreater(need, 0)
                self.assertEqual(have, '0')
                # pages of 2 MiB
                self.assertRegex(skip['remedy'], rf'\b{(need + 1) // 2}\b.*nr_hugepages')
                line = result.stdout.splitlines()[-1]
                for text in (f'{need} MiB', '0 MiB', skip['remedy']):
                    self.assertIn(text, line)

    def test_fast_passes(self):
        for test in (FAST, 'mempool_autotest'):
            with self.subTest(test=test):
                self.assert_exit(runner.stint(f'-- {test}', prefix=self.prefix), 0)
        self.assert_exit(runner.stint(f'-- {ONE} mempool_autotest {PERF}', prefix=self.prefix), 0)
        self.assert_exit(runner.stint('', prefix=self.prefix, stdin=f'{PERF}\n'), 77)

    def test_explicit_no_huge(self):
        for test in (PERF, ONE):
            with self.subTest(test=test):
                path, result = self.measured(f'--no-huge -l 0 -- --budget 200ms {test}',
                                             prefix=self.prefix)
                samples = runner.records(path, 'sample')
                self.assertTrue(samples)
                self.assertEqual({sample.get('pages') for sample in samples}, {'4K'})
                self.assertEqual(runner.records(path)[0]['pages'], '4K')
                self.assertIn('4K pages', result.stdout)


@runner.needs_hugepages
@runner.needs_two_cpus
class Limits(runner.Case):
    def limited(self, mib, eal, test):
        return runner.stint(f'--in-memory --socket-limit {mib} {eal} -- --budget 100ms {test}')

    def test_unused_lcores_take_nothing(self):
        self.assert_exit(self.limited(64, MANY, ONE), 0)
        result = self.limited(96, MANY, ALL)
        self.assert_exit(result, 77)
        need, have = map(int, re.findall(r'(\d+) MiB', result.stdout)[:2])
        self.assertGreater(need, 96)
        self.assertEqual(have, 96)

    def test_half_of_the_smallest(self):
        for test in (ONE, TWO, 'mempool_perf_autotest', 'mempool_autotest', PERF):
            with self.subTest(test=test):
                planned, = runner.plan(f'-l 0-1 -- {test}')
                half = planned['need_least_bytes']['0'] // MIB // 2
                self.assertGreater(half, 0)
                result = self.limited(half, '-l 0-1', test)
                self.assert_exit(result, 77)
                self.assertIn(f'{half} MiB', result.stdout)

    def test_need_grows_by_lcores_used(self):
        smallest = next(mib for mib in range(2, 66, 2)
                        if self.limited(mib, '-l 0', ONE).returncode == 0)
        self.assert_exit(self.limited(smallest, '-l 0-1', ONE), 0)
        self.assert_exit(self.limited(smallest, '-l 0-1', TWO), 77)


if __name__ == '__main__':
    runner.main()
