# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""What was met in other benchmarks: crashes, days, levels, lost lines, files, starved runs."""

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import unittest

import leavings
import runner

runner.need_pool()

ASAN = os.environ.get('STINT_ASAN') == '1'
OUTCOMES = os.environ['STINT_OUTCOMES_EXE']
FAST, PERF = runner.FAST, runner.POINTS
GRID = 'mempool_perf_autotest_1core'
MANY = "--lcores '(0-31)@(0-1)'"

# busy for a while again and again, in a class of its own: nothing else runs on that CPU meanwhile
STARVE = '''
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
print(flush=True)
while os.getppid() == int(sys.argv[2]):
    end = time.monotonic() + 0.004
    while time.monotonic() < end:
        pass
    time.sleep(0.004)
'''


def may_starve():
    if os.geteuid() != 0:
        return False
    probe = 'import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))'
    return subprocess.run([sys.executable, '-c', probe], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def all_tests():
    return [test['name'] for test in json.loads(runner.stint('-- --list --json').stdout)]


class Operands(runner.Case):
    def test_L01_no_operand_faults(self):
        """Whatever the seed, division tests end well, and never by a signal."""
        for seed in (0, 1, 2, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 62, 2 ** 63 - 1):
            with self.subTest(seed=seed):
                result = runner.stint(f'--no-huge -l 0 -- --quiet --budget 20ms --seed {seed} '
                                      f'{FAST} reciprocal_division_perf_autotest')
                self.assert_exit(result, 0)

    def test_L01_a_run_can_be_repeated(self):
        """The seed is printed with what fails and with what is measured, and is in the run file."""
        path = self.folder / 'a.ndjson'
        words = ['--no-huge', '-l', '0', '--', '--seed', '4242', '--results', path]
        result = subprocess.run([OUTCOMES, *words, 'fail_autotest'], env=runner.environment(),
                                capture_output=True, text=True, timeout=runner.LIMIT_S,
                                check=False)
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, r'fail_autotest: fail.*\bseed 4242\b')
        self.assertEqual(runner.records(path)[0]['seed'], 4242)
        # one that was drawn will do it again
        path, result = self.measured(f'-l 0 -- --budget 100ms {PERF}')
        seed = int(re.search(r'\bseed (\d+)', result.stdout)[1])
        self.assertEqual(runner.records(path)[0]['seed'], seed)
        again, _ = self.measured(f'-l 0 -- --budget 100ms --seed {seed} {PERF}')
        first = [[sample['point'] for sample in runner.records(run, 'sample')
                  if sample['round'] == 0] for run in (path, again)]
        self.assertEqual(*first)


@runner.needs_two_cpus
class ManyLcores(runner.Case):
    def test_L02_ends_in_its_budget(self):
        """32 lcores on 2 CPUs: what was measured, and that the lcores share CPUs."""
        for test in (PERF, 'mempool_perf_autotest_allcores'):
            with self.subTest(test=test):
                took = []
                # a sanitizer makes the turns of 32 lcores long
                budget_s, limit_s = (5, 15) if ASAN else (1, 1.25)
                while len(took) < 6 and (not took or min(took) > limit_s):
                    path, result = self.measured(f'{MANY} --no-huge -m 512 -- '
                                                 f'--budget {budget_s}s {test}')
                    took.append(runner.records(path, 'result')[0]['elapsed_ns'] / 1e9)
                self.assertLess(min(took), limit_s)
                plan, = runner.records(path, 'plan')
                self.assertTrue(plan['shares_cpus'])
                self.assertIn('sharing CPUs', result.stdout)
                self.assertIn('share CPUs', runner.show(path).stdout)
                samples = runner.records(path, 'sample')
                self.assertIn(32, {len(sample['lcores']) for sample in samples})
                self.assertTrue(all(sample['ops'] > 0 for sample in samples))

    def test_L02_lcores_of_their_own_do_not_share(self):
        """The mark tells runs apart."""
        path, result = self.measured(f'-l 0-1 -- --budget 300ms {PERF}')
        self.assertFalse(runner.records(path, 'plan')[0]['shares_cpus'])
        self.assertNotIn('CPUs', re.sub(r'^stint: .*', '', result.stdout, flags=re.M))


class Levels(runner.Case):
    @runner.needs_two_cpus
    def test_L03_round_trip_between_lcores_is_recorded(self):
        """With every round, for each pair, beside the values."""
        path, _ = self.measured('-l 0-1 -- --quiet --budget 2s --points keep=512,get=32 '
                                'mempool_perf_autotest_2cores')
        rounds = runner.records(path, 'round')
        self.assertGreater(len(rounds), 1)
        for record in rounds:
            pair, = record['floor']
            self.assertEqual(sorted(pair['lcores']), [0, 1])
            self.assertGreater(pair['ns'], 0)
        numbers = [record['round'] for record in rounds]
        self.assertLessEqual({sample['round'] for sample in runner.records(path, 'sample')},
                             set(numbers))

    def test_L03_one_lcore_has_none(self):
        """Nor have lcores that share CPUs, between which there is no such time."""
        for eal in ('-l 0', "--lcores '(0-3)@0'"):
            with self.subTest(eal=eal):
                path, _ = self.measured(f'{eal} -- --quiet --budget 100ms {PERF}')
                self.assertEqual([record['floor'] for record in runner.records(path, 'round')],
                                 [[]] * len(runner.records(path, 'round')))

    @runner.needs_two_cpus
    def test_L03_change_of_level_marks_the_round(self):
        """Rounds with another round trip are counted, and left out of values of several lcores."""
        path, _ = self.measured(f'-l 0-1 -- --quiet --budget 300ms {PERF}')
        found = runner.records(path)
        last = max(record['round'] for record in found if record['type'] == 'round')
        self.assertGreater(last, 2)
        changed = self.folder / 'changed.ndjson'
        other = 0
        with changed.open('w') as file:
            for record in found:
                # every third round is on a level four times as high, and measured 10 times as fast
                if record.get('round', 1) % 3 == 0:
                    if record['type'] == 'round':
                        other += 1
                        record['floor'][0]['ns'] = 400
                    elif record['type'] == 'sample' and len(record['lcores']) > 1:
                        record['value'] *= 10
                elif record['type'] == 'round':
                    record['floor'][0]['ns'] = 100
                file.write(json.dumps(record) + '\n')
        shown = runner.show(changed)
        self.assert_exit(shown, 0)
        self.assertRegex(shown.stdout, rf'(?m)^  {other} of {last + 1} rounds on another level')
        # 10 times as much would show
        before = self.value_of('cores=2', runner.show(path).stdout)
        self.assertLess(self.value_of('cores=2', shown.stdout), 3 * before)

    def value_of(self, label, text):
        return float(re.search(rf'(?m)^  {label} .*? cost +([\d.]+) cycles/op', text)[1])


class Skipped(runner.Case):
    def test_L04_points_that_do_not_fit_are_told(self):
        """A test of which some points fit passes, and says how many do not, and why."""
        cases = [('-l 0', 'mempool_perf_autotest', 'lcores'),
                 ('--no-huge -m 128 -l 0', 'mempool_perf_autotest', 'lcores')]
        if {0, 1} <= os.sched_getaffinity(0) and runner.free_mib() >= 128:
            cases.append((f'--in-memory --socket-limit 64 {MANY}', 'mempool_perf_autotest', 'MiB'))
        for eal, test, reason in cases:
            with self.subTest(eal=eal, test=test):
                path, result = self.measured(f'{eal} -- --quiet --budget 200ms {test}')
                record, = runner.records(path, 'result')
                self.assertEqual(record['status'], 'pass')
                skipped = record['points_skipped']
                self.assertGreater(skipped, 0)
                self.assertGreater(record['points_done'], 0)
                told = re.findall(r'^  skipped (\d+) points?: (.*)$', result.stdout, re.M)
                self.assertEqual(sum(int(number) for number, _ in told), skipped)
                self.assertTrue(all(re.search(r'need.*have', text) for _, text in told), told)
                self.assertIn(reason, ' '.join(text for _, text in told))
                skips = runner.records(path, 'skip')
                self.assertEqual(len(skips), skipped)
                for skip in skips:
                    for key in ('reason', 'need', 'have', 'remedy'):
                        self.assertTrue(skip[key], key)

    def test_L04_all_points_skipped_is_no_pass(self):
        """Of a test none of whose points fit."""
        result = runner.stint('-l 0 -- --budget 100ms --points cores=2 mempool_perf_autotest')
        self.assert_exit(result, 77)
        self.assertRegex(result.stdout, r'mempool_perf_autotest: skip: .*lcore')


class KilledRuns(runner.Case):
    def test_L05_lines_arrive_in_a_file(self):
        """Whatever ends a run: all finished lines are in the file, as many as there are samples."""
        for signum in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(signal=signum.name):
                out, path = self.folder / signum.name, self.folder / f'{signum.name}.ndjson'
                with out.open('w') as file:
                    process = runner.started(f'-l 0 -- --budget 1h --results {path} {GRID}',
                                             stdout=file)
                runner.await_true(lambda: out.read_text().count('\n') > 200, 'no lines')
                process.send_signal(signum)
                process.communicate(timeout=runner.LIMIT_S)
                text = out.read_text()
                lines = re.findall(r'^  \d+/1140 (\w+=\S+(?: \w+=\S+)*) [\d.]+ .*objects/s\n', text,
                                   re.M)
                samples = []
                for line in path.read_text().splitlines(True):
                    record = json.loads(line) if line.endswith('\n') else {}
                    if record.get('type') == 'sample' and record['round'] == 0:
                        samples.append(' '.join(f'{name}={value}' for name, value in
                                                record['point'].items()))
                # the record is written before the line is; one of them may be under way
                self.assertGreater(len(lines), 190)
                self.assertEqual(samples[:len(lines)], lines)
                self.assertLessEqual(len(samples) - len(lines), 1)

    def test_L05_output_of_timeout(self):
        """The same as `timeout` does it."""
        out, path = self.folder / 'out', self.folder / 'a.ndjson'
        with out.open('w') as file:
            process = runner.started(f'-l 0 -- --budget 1h --results {path} {PERF}', stdout=file,
                                     prefix=('timeout', '1.5'))
            process.communicate(timeout=runner.LIMIT_S)
        self.assertEqual(process.returncode, 124)
        self.assertEqual(runner.records(path)[-1]['signal'], signal.SIGTERM)
        shown = runner.show(path).stdout
        for line in re.findall(r'(?m)^  cores=.*$', shown):
            self.assertIn(line, out.read_text())


@runner.needs_mounts
@runner.needs_hugepages
class PageFiles(leavings.Case):
    """Files of a hugetlbfs, before and after."""

    def eals(self):
        """How memory may be held, with files and without."""
        return ['-l 0', f'--huge-dir {self.room.pages} -l 0', '--legacy-mem -m 128 -l 0',
                '--file-prefix=stint-case -l 0', '--huge-unlink -l 0',
                '--single-file-segments -l 0', '--no-huge -m 128 -l 0']

    def run_to_the_end(self, eal, test):
        result = runner.stint(f'{eal} -- --quiet --budget 20ms {test}', prefix=self.room.prefix)
        self.assertIn(result.returncode, (0, 77), result.stdout + result.stderr)

    def run_and_terminate(self, eal, test):
        path = self.folder / f'{len(list(self.folder.iterdir()))}.ndjson'
        process = runner.started(f'{eal} -- --quiet --budget 1h --results {path} {test}',
                                 prefix=self.room.prefix)
        runner.await_true(lambda: process.poll() is not None or path.exists() and
                          re.search('"type":"(sample|skip|result)"', path.read_text()), 'no record')
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=runner.LIMIT_S)
        self.assertIn(process.returncode, (0, 77, 128 + signal.SIGTERM))

    def each(self, run, eals, tests):
        for eal in eals:
            for test in tests:
                with self.subTest(eal=eal, test=test):
                    run(eal, test)
                    self.assertEqual(self.room.leavings(), self.room.empty)
        self.assert_nothing_left()

    def test_L06_no_page_file_of_any_test(self):
        """Ended well: each autotest, as it is started by default and in a hugetlbfs."""
        self.each(self.run_to_the_end, self.eals()[:2], all_tests())

    def test_L06_no_page_file_of_a_terminated_test(self):
        """Ended by SIGTERM in the middle."""
        self.each(self.run_and_terminate, self.eals()[:2], all_tests())

    def test_L06_no_page_file_with_any_option(self):
        """All options that make EAL keep files."""
        self.each(self.run_to_the_end, self.eals()[2:], [GRID])
        self.each(self.run_and_terminate, self.eals()[2:], [GRID])


class Starved(runner.Case):
    @unittest.skipUnless(may_starve(), 'needs root and real-time priorities')
    def test_L07_disturbed_samples_are_marked(self):
        """Half of the CPU goes to a process of higher priority: it shows, and no value is wrong."""
        calm_path, _ = self.measured(f'-l 0 -- --quiet --budget 500ms {PERF}')
        with subprocess.Popen([sys.executable, '-c', STARVE, '0', str(os.getpid())], text=True,
                              stdout=subprocess.PIPE) as other:
            try:
                other.stdout.readline()
                path, result = self.measured(f'-l 0 -- --quiet --budget 2s {PERF}')
            finally:
                other.kill()
        samples = runner.records(path, 'sample')
        hit = [sample for sample in samples if sample['taint']['gap_ns'] > 3e6]
        self.assertGreater(len(hit), 5)
        for sample in hit:
            self.assertTrue(sample['disturbed'])
            # CPU time beside the time on the wall
            self.assertLess(sample['taint']['cpu_ns'], 0.8 * sample['taint']['window_ns'])
        self.assert_counted(samples, result.stdout)
        self.assert_values(calm_path, samples, result.stdout)
        self.assertEqual(runner.show(path).stdout, result.stdout)

    def assert_counted(self, samples, text):
        told = re.search(r'^  (\d+) of (\d+) samples disturbed .*switches.*longest gap', text, re.M)
        disturbed = sum(sample['disturbed'] for sample in samples)
        self.assertEqual((int(told[1]), int(told[2])), (disturbed, len(samples)))

    def assert_values(self, calm_path, samples, text):
        """The median of what was not starved: as on a calm machine, not half of it."""
        calm = [sample['value'] for sample in runner.records(calm_path, 'sample')
                if sample['point']['body'] == 'bare_loop' and sample['metric'] == 'cost']
        own = [sample['value'] for sample in samples if not sample['disturbed'] and
               sample['point']['body'] == 'bare_loop' and sample['metric'] == 'cost']
        if len(own) < 5:
            self.assertIn('disturbed', re.search(r'(?m)^.*body=bare_loop +cost.*$', text)[0])
            return
        printed = float(re.search(r'body=bare_loop +cost +([\d.]+)', text)[1])
        self.assertAlmostEqual(printed, statistics.median(own), delta=0.01 * printed + 0.001)
        self.assertLess(printed, 1.5 * statistics.median(calm))

    def test_L07_times_stand_side_by_side(self):
        """CPU time and the time on the wall of each sample; one that lacks the CPU is marked."""
        path, _ = self.measured(f'-l 0 -- --quiet --budget 300ms {PERF}')
        for sample in runner.records(path, 'sample'):
            taint = sample['taint']
            for key in ('cpu_ns', 'window_ns', 'gap_ns'):
                self.assertGreater(taint[key], 0)
            if taint['cpu_ns'] < 0.9 * taint['window_ns']:
                self.assertTrue(sample['disturbed'])


if __name__ == '__main__':
    runner.main()
