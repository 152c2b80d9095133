# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""What a test needs follows the lcores that it uses, and a shortfall is known as one.

A11, any amount of memory, is test_sweep.py.
"""

import os

import places
import runner

runner.need_pool()

ONE, TWO = 'mempool_perf_autotest_1core', 'mempool_perf_autotest_2cores'
ALL, BOTH = 'mempool_perf_autotest_allcores', 'mempool_perf_autotest'
FAST, PERF = 'mempool_autotest', runner.POINTS


def lcores(count):
    return f"--lcores '(0-{count - 1})@(0-1)'"


# lcores, --socket-limit, test: what is used fits
USED_FIT = [
    (32, 64, ONE),
    (32, 64, TWO),
    (32, 64, FAST),
    (128, 64, ONE),
    (8, 64, 'reciprocal_division_perf_autotest'),
]

# bytes that a process may lock, -m; tests
LOCKED = [
    (65536, '', [FAST, runner.FAST, PERF, ONE, TWO, BOTH]),
    (65536, '-m 64', [FAST, runner.FAST, PERF, ONE, BOTH]),
    (65536, '-m 8', [FAST, ONE]),
    (0, '', [FAST, PERF, ONE]),
    (0, '-m 64', [FAST, ONE]),
]

# 32768 objects of 2 KiB and more
LARGE = '--set elt_size=2048 --set keep=32768'


@runner.needs_hugepages
class Used(places.Case):
    def limited(self, mib, eal, *tests, **options):
        return self.run_tests(f'--in-memory --socket-limit {mib} {eal}', *tests, **options)

    @runner.needs_two_cpus
    def test_A01_unused_lcores(self):
        """Lcores that a test does not use take no memory from it."""
        for count, mib, test in USED_FIT:
            with self.subTest(lcores=count, mib=mib, test=test):
                self.assert_exit(self.limited(mib, lcores(count), test), 0)
        line = self.assert_short(self.limited(96, lcores(32), ALL), 96, ALL)
        self.assertRegex(line, r'for 32 (of 32 )?lcores')

    @runner.needs_two_cpus
    def test_A01_all_lcores(self):
        """The variant on all lcores runs where its fixture fits, else it skips."""
        for count in (3, 8):
            least = places.least_mib(places.planned(lcores(count), ALL)[ALL])
            with self.subTest(lcores=count, least=least):
                self.assert_exit(self.limited(least, lcores(count), ALL), 0)
                self.assert_short(self.limited(least - 2, lcores(count), ALL), least - 2)

    @runner.needs_two_cpus
    def test_A01_some_points(self):
        """Of a test of 1, 2 and all lcores, the points that fit run and the others are counted."""
        path = self.recorded(f'--in-memory --socket-limit 96 {lcores(32)}', BOTH)
        skips, (result,) = runner.records(path, 'skip'), runner.records(path, 'result')
        self.assertEqual({skip['point']['cores'] for skip in skips}, {32})
        self.assertEqual(result['points_skipped'], len(skips))
        self.assertLessEqual({sample['point']['cores']
                              for sample in runner.records(path, 'sample')}, {1, 2})

    def smallest(self, eal, test):
        return next(mib for mib in range(2, 98, 2)
                    if self.limited(mib, eal, test).returncode == 0)

    @runner.needs_two_cpus
    def test_A10_need_by_lcore(self):
        """Where one lcore has just enough, one of two has, and two have not."""
        smallest = self.smallest('-l 0', ONE)
        self.assertEqual(smallest, places.least_mib(places.planned('-l 0', ONE)[ONE]))
        self.assert_exit(self.limited(smallest, '-l 0-1', ONE), 0)
        line = self.assert_short(self.limited(smallest, '-l 0-1', TWO), smallest)
        self.assertRegex(line, r'for 2 (of 2 )?lcores')
        needs = []
        for count in (2, 4, 16, 32):
            line = self.assert_short(self.limited(smallest, lcores(count), ALL), smallest)
            self.assertRegex(line, rf'for {count} (of {count} )?lcores')
            needs.append(places.amounts(line)[0])
            self.assertEqual(needs[-1],
                             places.least_mib(places.planned(lcores(count), ALL)[ALL]))
        self.assertEqual(needs, sorted(set(needs)))


class Shortfall(places.Case):
    def half(self, eal, test):
        return max(1, places.least_mib(places.planned(eal, test)[test]) // 2)

    @runner.needs_hugepages
    def test_A09_half_of_the_least(self):
        """Half of the smallest fixture is a skip, however EAL holds its memory."""
        for test in places.names():
            with self.subTest(test=test, memory='in memory'):
                half = self.half('-l 0-1', test)
                result = self.run_tests(f'-l 0-1 --in-memory --socket-limit {half}', test)
                self.assert_short(result, half, test)
            with self.subTest(test=test, memory='ordinary pages'):
                half = self.half('-l 0-1 --no-huge -m 512', test)
                result = self.run_tests(f'-l 0-1 --no-huge -m {half}', test)
                self.assert_short(result, half, test)

    @runner.needs_hugepages
    @runner.needs_mounts
    def test_A09_hugetlbfs(self):
        """The same with page files and with all memory taken at the start."""
        half = self.half('-l 0', ONE) & ~1
        place = self.enterContext(places.Hugetlbfs(self.folder, f'size={half}M'))
        for options in ('', '--legacy-mem', '--single-file-segments', '--file-prefix a'):
            for test in (ONE, BOTH):
                with self.subTest(options=options, test=test):
                    result = self.run_tests(f'-l 0 {place.option} {options}', test,
                                            prefix=place.prefix)
                    self.assert_short(result, half, test)
                    self.assertEqual(place.page_files(), [])

    @runner.needs_hugepages
    @runner.needs_mounts
    def test_A09_allocation_fails(self):
        """The plan says that it fits, and the allocation fails: a skip that says what there was."""
        group = self.enterContext(places.HugetlbGroup(self.folder))
        prefix = group.joined_unseen()
        for mib in (2, 4, 6):
            for options in ('', '--in-memory', '--socket-limit 64'):
                with self.subTest(mib=mib, options=options):
                    group.limit(mib)
                    result = self.run_tests(f'-l 0 {options}', ONE, prefix=prefix)
                    self.assertIn(result.returncode, (0, 77), result)
                    found = self.assert_shortages(result)
                    self.assertTrue(found, result)

    @runner.needs_two_cpus
    def test_A13_sized_to_fit(self):
        """Without hugepages and without -m there is as much memory as the test needs."""
        for test, more in [(ONE, ''), (ONE, LARGE), (BOTH, ''), (TWO, LARGE), (PERF, ''),
                           (FAST, '')]:
            with self.subTest(test=test, more=more):
                path = self.recorded('-l 0-1 --no-huge', more, test)
                result, = runner.records(path, 'result')
                self.assertEqual(result['points_skipped'], 0)

    def test_A13_more_than_the_machine_has(self):
        """Told at once, before EAL tries."""
        for mib in (10_000_000, 2_000_000_000):
            with self.subTest(mib=mib):
                result = self.run_tests(f'-l 0 --no-huge -m {mib}', FAST)
                self.assertIn(result.returncode, (2, 77), result)
                self.assertRegex(result.stderr, rf'\Astint: .*{mib}.*\n\Z')
                self.assertNotIn('hugepage', result.stderr)

    def test_A13_amount_asked_for(self):
        """With -m a skip says how much would do, and that is so."""
        for size in (64, 1024, 2048):
            more = f'--set elt_size={size} --set keep=32768'
            with self.subTest(size=size):
                line = self.assert_short(self.run_tests('-l 0 --no-huge -m 8', more, ONE), 8)
                need = int(line.rsplit('-m ', 1)[1])
                self.assert_short(self.run_tests(f'-l 0 --no-huge -m {need - 1}', more, ONE))
                path = self.recorded(f'-l 0 --no-huge -m {need}', more, ONE)
                self.assertEqual(runner.records(path, 'skip'), [])

    def test_A13_locked_memory(self):
        """A small limit of locked memory is no failure, for any user and kind of memory."""
        user = places.other_user()
        self.folder.chmod(0o777)
        for locked, options, tests in LOCKED:
            prefix = (*user, 'prlimit', f'--memlock={locked}')
            for test in tests:
                with self.subTest(locked=locked, options=options, test=test):
                    result = self.run_tests(f'-l 0-1 --no-huge {options}', test, prefix=prefix,
                                            XDG_RUNTIME_DIR=str(self.folder))
                    if options and result.returncode != 0:
                        self.assert_short(result)
                    else:
                        self.assert_exit(result, 0)
            with self.subTest(locked=locked, memory='hugepages'):
                result = self.run_tests('-l 0', FAST, PERF, prefix=prefix,
                                        XDG_RUNTIME_DIR=str(self.folder))
                self.assert_exit(result, 0)
        self.assertEqual(os.listdir(self.folder), ['dpdk'])


if __name__ == '__main__':
    runner.main()
