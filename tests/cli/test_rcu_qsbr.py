# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""rcu_qsbr_autotest on one lcore and on many, with any ids, and what it says of what it left out."""

import runner

FAST = 'rcu_qsbr_autotest'
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


if __name__ == '__main__':
    runner.main()
