# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""The rcu_qsbr tests on one lcore and on many, with any ids: what they leave out, and when they end."""

import runner

FAST, PERF = 'rcu_qsbr_autotest', 'rcu_qsbr_perf_autotest'
LEFT_OUT = 'readers on all lcores left out: needs 2 lcores, have 1'
MEMORY = '--no-huge -m 32'
# AddressSanitizer's own time comes on top of 130 threads on two CPUs
LIMIT_S = 120

ONE_CPU = [
    '-l 0',
    "--lcores '7@0'",
    "--lcores '(0-1)@0'",
    "--lcores '3@0,(60-90)@0' --main-lcore 71",
    "--lcores '(0-127)@0'",
]
TWO_CPUS = [
    '-l 0-1',
    "--lcores '5@0,9@1' --main-lcore 9",
    "--lcores '126@1,127@0' --main-lcore 126",
    "--lcores '(0-31)@(0-1)'",
    "--lcores '0@0,(8-127)@(0-1)' --main-lcore 100",
]

SECOND = 10**9
COSTS = {
    'report': {'report'},
    'lookup': {'lookup'},
    'check': {'check'},
    'online_offline': {'pair of calls'},
    'register_unregister': {'pair of calls'},
    'defer_queue': {'enqueue and reclaim'},
}
UNITS = {
    'lookup': 'cycles/lookup',
    'update': 'cycles/update',
    'grace period': 'ns',
    'report': 'cycles/report',
    'check': 'cycles/check',
    'pair of calls': 'cycles/pair',
    'enqueue and reclaim': 'cycles/resource',
}
# -m, lcores, numbers of them, do they share CPUs?
PERF_RUNS = [
    (32, '-l 0', [1], False),
    (32, '-l 0-1', [1, 2], False),
    (32, "--lcores '5@0,9@1' --main-lcore 9", [1, 2], False),
    (32, "--lcores '(0-1)@0'", [1, 2], True),
    (64, "--lcores '(0-31)@(0-1)'", [1, 2, 4, 8, 16, 32], True),
    (64, "--lcores '(0-127)@(0-1)'", [1, 2, 4, 8, 16, 32, 64, 128], True),
]


def metrics_of(point):
    """What a point is to yield."""
    if point['what'] == 'lookup' and point['writer'] != 'none':
        return {'lookup', 'update', 'grace period'}
    if point['what'] == 'report' and point['writer'] != 'none':
        return {'report', 'check', 'grace period'}
    if point['what'] == 'defer_queue' and point['cores'] > 1:
        return {'report', 'enqueue and reclaim'}
    return COSTS[point['what']]


class RcuQsbr(runner.Case):
    def passes(self, lcores, is_alone):
        path, _ = self.measured(f'{MEMORY} {lcores} -- {FAST}', limit_s=LIMIT_S)
        result, = runner.records(path, 'result')
        self.assertEqual((result['status'], result['message']),
                         ('pass', LEFT_OUT if is_alone else ''))

    def test_one_cpu(self):
        for lcores in ONE_CPU:
            with self.subTest(lcores=lcores):
                self.passes(lcores, lcores in ONE_CPU[:2])

    @runner.needs_two_cpus
    def test_two_cpus(self):
        for lcores in TWO_CPUS:
            with self.subTest(lcores=lcores):
                self.passes(lcores, False)

    def test_again(self):
        """No name, queue or lcore is left from the time before."""
        result = runner.stint(f'{MEMORY} -l 0 -- {FAST} {FAST} {FAST}')
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout.splitlines()[-1], '3 passed, 0 failed, 0 skipped')

    def measured_in_time(self, command, budgets_s):
        """On a busy machine so short a time may run out before all points, or the first one."""
        for budget_s in budgets_s:
            path = self.folder / f'{budget_s}s-{len(list(self.folder.iterdir()))}.ndjson'
            result = runner.stint(f'{command} {PERF}', '--results', path, '--budget',
                                  f'{budget_s}s', limit_s=LIMIT_S)
            record, = runner.records(path, 'result')
            self.assertLess(record['elapsed_ns'], (budget_s + 2) * SECOND)
            if 'budget' not in record['message']:
                break
        self.assert_exit(result, 0)
        return path

    @runner.needs_two_cpus
    def test_perf_ends(self):
        """In its time on any number of lcores; a check that waits is measured on CPUs of its own."""
        for mib, lcores, numbers, shares in PERF_RUNS:
            with self.subTest(lcores=lcores):
                command = f'--no-huge -m {mib} {lcores} --'
                self.assertEqual(runner.plan(f'{command} {PERF}')[0]['budget_ns'], 20 * SECOND)
                path = self.measured_in_time(command, (2,) if shares else (1, 10))
                skips = runner.records(path, 'skip')
                waits = [skip for skip in skips if 'share CPUs' in skip['reason']]
                self.assertTrue(all(skip['point']['writer'] == 'waits' for skip in waits))
                self.assertEqual(len(waits) > 0, shares and len(numbers) > 1)
                self.assertTrue(all(skip in waits or skip['point']['what'] == 'lock_unlock'
                                    for skip in skips))
                points = [sample['point'] for sample in runner.records(path, 'sample')]
                self.assertLessEqual({point['cores'] for point in points}, set(numbers))

    @runner.needs_two_cpus
    def test_perf_values(self):
        """Each point yields what it names, each in its unit."""
        path = self.measured_in_time(f'{MEMORY} -l 0-1 -- --set report_every=4', (2, 10, 40))
        yielded, plan = {}, runner.records(path, 'plan')[0]
        for kind in ('sample', 'histogram'):
            for record in runner.records(path, kind):
                self.assertEqual(record['unit'], UNITS[record['metric']])
                self.assertEqual(record['point']['report_every'], 4)
                yielded.setdefault(str(record['point']), (record['point'], set()))[1].add(
                    record['metric'])
        # two calls that are empty in the usual build
        locks = [skip for skip in runner.records(path, 'skip')
                 if 'RTE_LIBRTE_RCU_DEBUG' in skip['reason']]
        self.assertEqual([skip['point']['what'] for skip in locks], 2 * ['lock_unlock'])
        self.assertEqual(len(yielded) + len(locks), plan['points'])
        for point, metrics in yielded.values():
            self.assertEqual(metrics, metrics_of(point), point)


if __name__ == '__main__':
    runner.main()
