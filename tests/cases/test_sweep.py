# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""A11: every autotest with every amount of memory, from too little to all that it can use.

Too little is a skip that names both amounts, enough is a pass, and nothing else comes of it.
"""

import os

import places
import runner

runner.need_pool()

# what fails at once can be tried in small steps; above it, fewer amounts differ
STEP_MIB = 2
COARSE_MIB = 8
BETWEEN = 4
# hugepages that one command may take
MOST_MIB = 2 * runner.POOL_PAGES

EAL = '-l 0-1' if {0, 1} <= os.sched_getaffinity(0) else '-l 0'
# without a device it is skipped, whatever memory there is
DEVICES = {'pmd_perf_autotest': '--vdev=net_null0'}
MANY = "--lcores '(0-15)@(0-1)'"


def interesting(plan, step_mib):
    """Amounts below, at and above each that the plan names; every small one; some between."""
    least, most, all_at_once = (places.mib_of(plan, key) for key in
                                ('need_least_bytes', 'need_bytes', 'need_all_bytes'))
    around = {mib + more for mib in (least, most, all_at_once)
              for more in (-step_mib, 0, step_mib)}
    # EAL takes whole pages: an odd amount is less than it looks
    odd = {least - 1, least + 1}
    steps = set(range(step_mib, min(least, 8), step_mib))
    # whole pages
    apart = max(COARSE_MIB, (all_at_once - least) // BETWEEN // STEP_MIB * STEP_MIB)
    between = set(range(least, all_at_once, apart))
    return least, most, sorted(mib for mib in around | odd | steps | between
                               if 0 < mib <= MOST_MIB)


class Sweep(places.Case):
    def try_amount(self, eal, test, mib, least, most):
        if mib < least:
            result = self.run_tests(eal, test)
            self.assertEqual(self.assert_short(result, mib).split(':')[0], test)
            return
        path = self.recorded(eal, test)
        outcome, = runner.records(path, 'result')
        skips = runner.records(path, 'skip')
        self.assertEqual(outcome['points_skipped'], len(skips))
        # others are skipped for what they are, whatever memory there is
        skips = [skip for skip in skips if 'need' in skip]
        for skip in skips:
            self.assertRegex(skip['need'], r'^\d+ MiB')
            self.assertRegex(skip['have'], rf'^{mib} MiB')
        # the largest fixture fits, if not all at once
        self.assertEqual(bool(skips), mib < most)

    def sweep(self, eal, option, planned_with='', step_mib=STEP_MIB):
        for test in places.names():
            words = f'{eal} {DEVICES.get(test, "")}'
            plan = places.planned(f'{words} {planned_with}', test)[test]
            least, most, amounts = interesting(plan, step_mib)
            for mib in amounts:
                with self.subTest(test=test, mib=mib):
                    self.try_amount(f'{words} {option} {mib}', test, mib, least, most)

    def test_A11_socket_limit(self):
        """Hugepages up to a limit."""
        self.sweep(f'{EAL} --in-memory', '--socket-limit')

    @runner.needs_two_cpus
    def test_A11_many_lcores(self):
        """The same for all of many lcores, of which most tests use few."""
        for test in ('mempool_perf_autotest_allcores', 'mempool_perf_autotest'):
            plan = places.planned(f'{MANY} --in-memory', test)[test]
            least = places.least_mib(plan)
            for mib in (least - STEP_MIB, least):
                with self.subTest(test=test, mib=mib):
                    result = self.run_tests(f'{MANY} --in-memory --socket-limit {mib}', test)
                    self.assert_exit(result, 77 if mib < least else 0)
                    self.assert_shortages(result)

    def test_A11_no_huge(self):
        """Ordinary pages, all of them taken at the start."""
        self.sweep(f'{EAL} --no-huge', '-m', '-m 512', 1)


if __name__ == '__main__':
    runner.main()
