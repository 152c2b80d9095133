# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Clocks: what a run reports follows the monotonic clock, whatever the TSC is said to be.

The arithmetic, with a rate that is put in, is tested in tests/unit/test_clock.c.
"""

import math
import pathlib
import re
import signal
import statistics
import subprocess
import time
import unittest

import runner

runner.need_pool()

PERF = runner.POINTS
CPUINFO = pathlib.Path('/proc/cpuinfo')
DOUBT = 'TSC'


def flags():
    """Of the first CPU."""
    found = re.search(r'^flags\s*:(.*)$', CPUINFO.read_text(), re.M)
    return found[1].split() if found else []


needs_reliable_tsc = unittest.skipUnless(
    runner.may_mount() and {'constant_tsc', 'nonstop_tsc'} <= set(flags()),
    'needs root, mount namespaces and a CPU with constant_tsc and nonstop_tsc')


class Clock(runner.Case):
    def test_F01_times_follow_the_monotonic_clock(self):
        """Times that come from the TSC agree with the kernel's own of the same thread."""
        path, _ = self.measured(f'-l 0 -- --quiet --budget 500ms {PERF}')
        ratios = []
        for sample in runner.records(path, 'sample'):
            taint = sample['taint']
            if not sample['disturbed'] and taint['switches'] == 0:
                ratios.append(taint['cpu_ns'] / taint['window_ns'])
        if not ratios:
            self.skipTest('no sample was undisturbed')
        # a frequency that was cut off (2.9 GHz to 2) is off by a third
        self.assertAlmostEqual(statistics.median(ratios), 1, delta=0.1)

    def test_F02_rate_is_no_rounded_one(self):
        """The rate in the run file is measured, and the same in each run to a thousandth."""
        rates = []
        for _ in range(3):
            path, _ = self.measured(f'-l 0 -- --quiet --budget 300ms {PERF}')
            rates.append(runner.records(path, 'end')[0]['tsc_hz'])
        self.assertLess(max(rates) / min(rates), 1.001)
        for rate in rates:
            self.assertTrue(math.isfinite(rate) and rate > 1e6)
        # measured ones differ, if by little
        self.assertGreater(len(set(rates)), 1)

    @needs_reliable_tsc
    def test_F04_tsc_that_may_stop(self):
        """The result is marked where the CPU does not promise a steady TSC, and no failure."""
        text = CPUINFO.read_text()
        changes = [('as it is', lambda text: text, False),
                   ('nonstop', lambda text: text.replace(' nonstop_tsc', ''), True),
                   ('constant', lambda text: text.replace(' constant_tsc', ''), True),
                   ('both', lambda text: re.sub(r' (constant|nonstop)_tsc', '', text), True),
                   # CPUs of other kinds have no such flags, and a steady counter
                   ('no flags', lambda text: re.sub(r'(?m)^flags\s*:.*\n', '', text), False),
                   ('empty', lambda text: '', False)]
        for name, change, doubtful in changes:
            with self.subTest(cpuinfo=name):
                fake = self.folder / name.replace(' ', '-')
                fake.write_text(change(text))
                path, result = self.measured(
                    f'-l 0 -- --quiet --budget 100ms {PERF}',
                    prefix=('unshare', '--mount', 'sh', '-c',
                            'mount --bind "$1" /proc/cpuinfo && shift && exec "$@"', 'sh',
                            str(fake)))
                self.assertEqual(runner.records(path, 'run')[0]['tsc_reliable'], not doubtful)
                self.assertEqual(DOUBT in result.stdout, doubtful, result.stdout)
                self.assertEqual(runner.show(path).stdout, result.stdout)
                self.assertIn(f'{PERF}: pass', result.stdout)

    def test_F08_budget_is_on_the_monotonic_clock(self):
        """The time that is reported is the one that a watch outside shows."""
        for budget_s in (0.3, 1, 3):
            with self.subTest(budget_s=budget_s):
                path = self.folder / f'{budget_s}.ndjson'
                process = runner.started(f'-l 0 -- --budget {budget_s * 1000:.0f}ms '
                                         f'--results {path} {PERF}', stdout=subprocess.PIPE)
                begin = time.monotonic()
                process.stdout.readline()
                process.communicate(timeout=runner.LIMIT_S)
                took = time.monotonic() - begin
                self.assertEqual(process.returncode, 0)
                elapsed = runner.records(path, 'result')[0]['elapsed_ns'] / 1e9
                self.assertLess(elapsed, took)
                # no point is begun that does not fit
                self.assertGreater(elapsed, budget_s * 0.9)
                samples = runner.records(path, 'sample')
                at = [sample['at_ns'] for sample in samples]
                self.assertEqual(at, sorted(at))
                self.assertLess((at[-1] - at[0]) / 1e9, elapsed)

    def test_F08_time_that_the_run_is_stopped_counts(self):
        """As on a watch: a run that was stopped for half of its budget is not longer for that."""
        longest = []
        for i in range(3):
            path = self.folder / f'{i}.ndjson'
            process = runner.started(f'-l 0 -- --budget 2s --results {path} {PERF}')
            runner.await_true(lambda: path.exists() and '"type":"sample"' in path.read_text(),
                              'no sample')
            process.send_signal(signal.SIGSTOP)
            time.sleep(1)
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=runner.LIMIT_S)
            self.assertEqual(process.returncode, 0)
            longest.append(runner.records(path, 'result')[0]['elapsed_ns'] / 1e9)
            self.assertGreater(longest[-1], 1.8)
            if longest[-1] < 2.5:
                return
        self.fail(f'{longest} s instead of 2')


if __name__ == '__main__':
    runner.main()
