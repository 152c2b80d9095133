# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Theme C: run-time budgets, contention, timeouts, and tests that go wrong."""

import contextlib
import json
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import faulty
import runner
import spaces

runner.need_pool()

POINTS, POOL = runner.POINTS, 'mempool_perf_autotest'
TWO, ALL = f'{POOL}_2cores', f'{POOL}_allcores'
FAST_TESTS = 'mempool_autotest', runner.FAST
ONE_CORE = '-l 0'
TWO_CORES = '-l 0-1'
MANY = "--lcores '(0-31)@(0-1)'"
SMALL_GRID = 'keep=32,get=8,put=8'

# what ends the process, and the signal by which it ends
CRASHES = {
    'abort': signal.SIGABRT, 'panic': signal.SIGABRT, 'fpe': signal.SIGFPE,
    'ill': signal.SIGILL, 'segv': signal.SIGSEGV, 'stack': signal.SIGSEGV,
    'file': signal.SIGBUS,
    # the crash finds streams or the heap locked
    'lock': signal.SIGABRT, 'heap': signal.SIGABRT,
}
IN_ASAN = set(CRASHES) - {'heap', 'stack'}
if spaces.ASAN:
    CRASHES = {what: signum for what, signum in CRASHES.items() if what in IN_ASAN}


def planned(options, test=''):
    """Plans by name."""
    output = runner.stint(f'{options} -- --plan --json {test}').stdout
    return {plan['test']: plan for plan in json.loads(output)}


def best_of_three(measure, limit_s):
    """Seconds; others may disturb one or two."""
    taken = []
    while len(taken) < 3 and min(taken, default=limit_s) >= limit_s:
        begin = time.monotonic()
        measure()
        taken.append(time.monotonic() - begin)
    return min(taken)


@contextlib.contextmanager
def busy_cpus(*cpus):
    loops = [subprocess.Popen(['taskset', '-c', str(cpu), sys.executable, '-c',
                               'while True: pass']) for cpu in cpus]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@runner.needs_two_cpus
class Budget(faulty.Case):
    def test_C01_never_longer(self):
        """Measuring takes its budget and no tenth more, however lcores contend for CPUs."""
        for lcores in (ONE_CORE, TWO_CORES, "--lcores '(0-1)@0'", MANY):
            for test in (POINTS, f'--points {SMALL_GRID} {ALL}'):
                with self.subTest(lcores=lcores, test=test):
                    self.assert_in_budget(runner.stint, lcores, test)

    def test_C01_slow_operations(self):
        """Nor if a single operation takes as long as many slices."""
        for lcores in (ONE_CORE, TWO_CORES, MANY):
            with self.subTest(lcores=lcores):
                self.assert_in_budget(faulty.run, lcores, f'--set op_us=20000 {faulty.PERF}')

    def test_C01_busy_neighbours(self):
        """Nor if others keep an lcore off its CPU for most of the time: one run of six may."""
        for test in (POINTS, f'--points {SMALL_GRID} {TWO}'):
            with self.subTest(test=test), busy_cpus(1, 1, 1, 1):
                taken = []
                while len(taken) < 6 and sum(ns > 500e6 for ns in taken) < 2:
                    path = self.folder / f'{len(taken)}{len(test)}.ndjson'
                    result = runner.stint(f'{TWO_CORES} -- --quiet --budget 200ms '
                                          f'--results {path} {test}')
                    self.assertIn(result.returncode, (0, 77), result.stdout + result.stderr)
                    taken += [one['elapsed_ns'] for one in runner.records(path, 'result')]
                self.assertLess(sum(ns > 500e6 for ns in taken), 2, taken)

    def assert_in_budget(self, run, lcores, test):
        budget_ms = 400
        # beside other work an lcore may be off its CPU for so long when the budget ends
        limit_ns = (1.1 * budget_ms + 100) * 1e6
        for _ in range(3):
            path = self.folder / f'{time.monotonic_ns()}.ndjson'
            begin = time.monotonic()
            ended = run(f'{lcores} -- --quiet --budget {budget_ms}ms --results {path} {test}')
            took = time.monotonic() - begin
            # a budget may be too small for slow operations, or beside much other work
            self.assertIn(ended.returncode, (0, 77), ended.stdout + ended.stderr)
            result, = runner.records(path, 'result')
            if result['elapsed_ns'] <= limit_ns and took < 3:
                break
        self.assertLessEqual(result['elapsed_ns'], limit_ns)
        # EAL start, set-up and end: nothing in them grows with the work
        self.assertLess(took, 3)

    def test_C02_work_follows_lcores(self):
        """Four times the lcores on the same CPUs take less than four times as long."""
        few, many = planned(TWO_CORES), planned("--lcores '(0-7)@(0-1)'")
        for test, plan in few.items():
            with self.subTest(test=test):
                self.assertLess(many[test]['budget_ns'], 4 * max(plan['budget_ns'], 1))
        for test in FAST_TESTS:
            with self.subTest(test=test):
                for _ in range(3):
                    elapsed = [self.elapsed(lcores, test)
                               for lcores in (TWO_CORES, "--lcores '(0-7)@(0-1)'")]
                    if elapsed[1] < 4 * elapsed[0]:
                        break
                self.assertLess(elapsed[1], 4 * elapsed[0])

    def elapsed(self, lcores, test):
        path, _ = self.measured(f'{lcores} -- --quiet {test}')
        return runner.records(path, 'result')[0]['elapsed_ns']

    def test_C12_default_budgets(self):
        """Known before, the same for any machine of so many lcores, and short."""
        for plan in planned(TWO_CORES).values():
            with self.subTest(test=plan['test']):
                self.assertLessEqual(plan['budget_ns'], 40e9)
        for test, limit_s in ((runner.FAST, 10), ('reciprocal_division_perf_autotest', 5)):
            with self.subTest(test=test):
                took = best_of_three(
                    lambda: self.assert_exit(runner.stint(f'{TWO_CORES} -- --quiet {test}'), 0),
                    limit_s)
                self.assertLess(took, limit_s)


@runner.needs_two_cpus
class Failures(faulty.Case):
    # where, number of the worker, calls before it
    WORKERS = [
        ('init', 0, 0), ('init', 1, 0), ('init', 1, 30),
        ('run', 0, 0), ('run', 1, 0), ('run', 0, 500),
        # the others wait for the one that fails
        ('wait', 0, 0), ('wait', 1, 0),
        ('finish', 0, 0), ('finish', 1, 10),
        ('check', 0, 0), ('check', 0, 30),
    ]

    def test_C05_one_fails(self):
        """One worker that fails ends all others, at once and with a word of it."""
        self.check_workers(TWO_CORES, 2, self.WORKERS)

    def test_C05_one_of_many_fails(self):
        """As well where all but two of them are off their CPU."""
        self.check_workers(MANY, 32, [('init', 31, 0), ('run', 17, 0), ('wait', 31, 0),
                                      ('finish', 31, 0)])

    def check_workers(self, lcores, cores, workers):
        for where, worker, after in workers:
            with self.subTest(where=where, worker=worker, after=after):
                fault = f'what=error where={where} worker={worker} after={after}'
                path = self.folder / f'{where}{worker}-{after}.ndjson'
                result = self.run_fault(f'{lcores} -- --points cores={cores}', fault, path, 1)
                self.assertEqual(result.stderr, '')
                last = result.stdout.splitlines()[-1]
                self.assertRegex(last, rf'^{faulty.PERF}: fail, ')
                self.assertRegex(last, r'wrong after cores=' if where == 'check' else
                                 rf'lcore {worker}\b.*(fails in {where}|worker_init)')
                found, = runner.records(path, 'result')
                self.assertEqual(found['status'], 'fail')

    def run_fault(self, options, fault, path, code, limit_s=2):
        """With an endless budget."""
        settings = ' '.join(f'--set {word}' for word in fault.split())

        def run():
            nonlocal result
            path.unlink(missing_ok=True)
            result = faulty.run(f'{options} --budget 1h --results {path} {settings} '
                                f'{faulty.PERF}')
            self.assert_exit(result, code)

        result = None
        self.assertLess(best_of_three(run, limit_s), limit_s)
        end = runner.records(path)[-1]
        self.assertEqual((end['type'], end['exit'], end['signal']), ('end', code, 0))
        return result

    def test_C05_others_go_on(self):
        """The tests after the one that fails are run, by the same lcores."""
        result = faulty.run(f'{TWO_CORES} -- --quiet --budget 1h --set {faulty.PERF}.what=error '
                            f'--set worker=1 {faulty.PERF} {faulty.FAST} {faulty.PERF}')
        self.assert_exit(result, 1)
        self.assertEqual(result.stdout.splitlines()[-1], '1 passed, 2 failed, 0 skipped')

    def test_C05_set_up_fails(self):
        """What is no lack of memory is no skip; a lack of memory ends the test, not its budget."""
        # EINVAL: ring operations are missing, ENODEV, EEXIST, EIO
        for number in (22, 19, 17, 5):
            with self.subTest(errno=number):
                path = self.folder / f'{number}.ndjson'
                result = self.run_fault(f'{TWO_CORES} --', f'what=error where=setup errno={number}',
                                        path, 1)
                self.assertRegex(result.stdout.splitlines()[-1], 'fail, .*set-up')
                self.assertNotIn('too little memory', result.stdout)
        result = self.run_fault(f'{TWO_CORES} --', 'what=error where=setup errno=12',
                                self.folder / 'memory.ndjson', 77)
        self.assertRegex(result.stdout, r'skip.*\d+ MiB')

    def test_C05_set_up_fails_in_the_middle(self):
        """A fixture that can no longer be had: what was measured before stays."""
        for number, code in ((12, 0), (22, 1)):
            with self.subTest(errno=number):
                path = self.folder / f'{number}.ndjson'
                self.run_fault(f'{TWO_CORES} --', f'what=error where=setup errno={number} after=4',
                               path, code, limit_s=faulty.LIMIT_S)
                self.assertTrue(runner.records(path, 'sample'))


@runner.needs_two_cpus
class Crashes(faulty.Case):
    def crash(self, command, name):
        """Run file and what was printed."""
        path = self.folder / f'{name}.ndjson'
        path.unlink(missing_ok=True)
        before, dashes, after = command.partition('-- ')
        return path, faulty.run(f'{before}{dashes}--results {path} {after}')

    def assert_named(self, path, result, signum, *words):
        """Ended by the signal, after one line of what and where; the run file is closed."""
        told = f'{result.args}\n{result.stdout[-1000:]}\n{result.stderr[-2000:]}'
        self.assertEqual(result.returncode, -signum, told)
        lines = [line for line in result.stderr.splitlines() if line.startswith('stint: ')]
        self.assertEqual(len(lines), 1, told)
        for word in (signum.name, *words):
            self.assertIn(word, lines[0])
        end = runner.records(path)[-1]
        self.assertEqual((end['type'], end.get('signal')), ('end', signum), told)
        shown = runner.show(path)
        self.assert_exit(shown, 0)
        self.assertIn(signum.name, shown.stdout)

    def test_D08_fast_test_crashes(self):
        """Signal and test are named."""
        for what, signum in CRASHES.items():
            with self.subTest(what=what):
                path, result = self.crash(f'{ONE_CORE} -- --set what={what} {faulty.FAST}', what)
                self.assert_named(path, result, signum, faulty.FAST)

    def test_D08_worker_crashes(self):
        """Signal, test and point are named."""
        for what, signum in CRASHES.items():
            with self.subTest(what=what):
                path, result = self.crash(
                    f'{TWO_CORES} -- --budget 1h --points cores=2,half=second '
                    f'--set what={what} --set worker=1 --set after=100 {faulty.PERF}', what)
                self.assert_named(path, result, signum, faulty.PERF, 'cores=2 half=second')

    def test_D08_crash_elsewhere(self):
        """In whatever function of the test, on whichever lcore; what was measured is kept."""
        # each is called at least once in a visit of one of the two points
        for where, after in (('setup', 0), ('init', 20), ('finish', 20), ('check', 20),
                             ('teardown', 0), ('job', 30)):
            with self.subTest(where=where):
                path, result = self.crash(
                    f'{TWO_CORES} -- --budget 1h --points half=second --set what=segv '
                    f'--set where={where} --set after={after} {faulty.PERF}', where)
                point = () if where == 'teardown' else ('half=second',)
                self.assert_named(path, result, signal.SIGSEGV, faulty.PERF, *point)
                self.assertEqual(bool(runner.records(path, 'sample')), where != 'setup')

    def test_D08_tests_before(self):
        """Their results are in the file."""
        path, result = self.crash(f'{ONE_CORE} -- --set {faulty.FAST}.what=abort --budget 1s '
                                  f'{faulty.PERF} {faulty.FAST}', 'two')
        self.assert_named(path, result, signal.SIGABRT, faulty.FAST)
        found, = runner.records(path, 'result')
        self.assertEqual((found['test'], found['status']), (faulty.PERF, 'pass'))
        self.assertIn(f'{faulty.PERF}: pass', result.stdout)

    def test_A08_no_page_for_hugepage_memory(self):
        """SIGBUS in memory of EAL's: the limit of hugepages is below what was promised."""
        for test, more in ((faulty.PERF, '--set where=setup'), (faulty.FAST, '')):
            with self.subTest(test=test, more=more):
                path, result = self.crash(f'{TWO_CORES} -- --budget 1h --set what=page {more} '
                                          f'{test}', test)
                self.assert_exit(result, 77)
                self.assertIn('hugepage limit', result.stdout + result.stderr)
                self.assertIn(test, result.stdout + result.stderr)
                end = runner.records(path)[-1]
                self.assertEqual((end['type'], end['exit']), ('end', 77))


@runner.needs_two_cpus
class Ends(faulty.Case):
    def test_C09_stuck_for_ever(self):
        """SIGTERM ends a test that never returns, from wherever; the run file is closed."""
        for what, where in [('spin', where) for where in ('setup', 'init', 'run', 'wait', 'finish',
                                                          'check', 'teardown', 'job')] + \
                           [('sleep', where) for where in ('setup', 'run', 'check')]:
            with self.subTest(what=what, where=where):
                path = self.folder / 'stuck.ndjson'
                path.unlink(missing_ok=True)
                # fixtures are torn down every few rounds, to be placed anew
                self.assert_ends_at_once(
                    f'{TWO_CORES} -- --budget 1h --set what={what} --set where={where} '
                    f'--results {path} {faulty.PERF}', forget=path)
                self.assert_closed(path, signal.SIGTERM)

    def test_C09_fast_test_stuck(self):
        for what, signum in (('spin', signal.SIGTERM), ('sleep', signal.SIGTERM),
                             ('spin', signal.SIGINT), ('sleep', signal.SIGHUP)):
            with self.subTest(what=what, signal=signum):
                path = self.folder / f'{what}{signum}.ndjson'
                self.assert_ends_at_once(f'{ONE_CORE} -- --results {path} --set what={what} '
                                         f'{faulty.FAST}', signum, forget=path)
                self.assert_closed(path, signum)

    def test_C09_many_lcores(self):
        """Most of which are off their CPU."""
        path = self.folder / 'many.ndjson'
        self.assert_ends_at_once(f'{MANY} -- --budget 1h --set what=spin --set worker=20 '
                                 f'--results {path} {faulty.PERF}', forget=path)
        self.assert_closed(path, signal.SIGTERM)

    def assert_closed(self, path, signum):
        end = runner.records(path)[-1]
        self.assertEqual((end['type'], end['signal'], end['exit']), ('end', signum, 128 + signum))
        self.assert_exit(runner.show(path), 0)

    def test_C09_nobody_reads(self):
        """The end does not wait for a reader of a pipe that is full."""
        taken = []
        while len(taken) < 3 and min(taken, default=1) >= faulty.END_S:
            process = runner.started(f'{ONE_CORE} -- --budget 1h {POOL}_1core', text=False)
            try:
                with open(f'/proc/{process.pid}/wchan', encoding='ascii') as wchan:
                    runner.await_true(
                        lambda: 'pipe' in (wchan.seek(0) or 'x') + wchan.read() or
                        process.poll() is not None, 'the pipe is never full')
                self.assertIsNone(process.poll())
                begin = time.monotonic()
                process.terminate()
                process.wait(timeout=runner.LIMIT_S)
                taken.append(time.monotonic() - begin)
            finally:
                process.kill()
                process.communicate()
            self.assertEqual(process.returncode, 143)
        self.assertLess(min(taken), faulty.END_S)

    @unittest.skipUnless(shutil.which('meson'), 'needs meson')
    def test_C09_time_limit_of_meson(self):
        """SIGTERM, half a second, SIGKILL: that is enough to close the file and sum up."""
        path = self.folder / 'limit.ndjson'
        arguments = ['-l', '0', '--', '--budget', '1h', '--set', 'what=spin', '--set',
                     'after=2000', '--results', str(path), faulty.PERF]
        (self.folder / 'meson.build').write_text(
            f"project('x')\ntest('x', find_program({faulty.FAULTS!r}), args: {arguments}, "
            'timeout: 1)\n')
        for command in (['meson', 'setup', 'build'], ['meson', 'test', '-C', 'build']):
            result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                                    timeout=runner.LIMIT_S, check=False)
        self.assertRegex(result.stdout, r'TIMEOUT|Timeout: +1')
        self.assert_closed(path, signal.SIGTERM)
        log = (self.folder / 'build' / 'meson-logs' / 'testlog.txt').read_text()
        self.assertRegex(log, r'cores=1 half=\w+ +[0-9.]+ \S+ pauses/s')
        self.assertRegex(log, rf'{faulty.PERF}: no result')

    def test_C08_killed_in_the_first_round(self):
        """The last line is the point under way; those before it have their value."""
        # a round asks 6 times for a job: for one worker or two of four points
        for after in (0, 2, 5):
            with self.subTest(after=after):
                with self.output_of_stuck(f'--set where=job --set after={after}',
                                          signal.SIGKILL) as (at, lines):
                    points = [line for line in lines if re.match(r' +\d+/\d+ cores=', line)]
                    self.assertEqual(points[-1].split(maxsplit=1)[1].strip(), at)
                    self.assertEqual(points[-1], lines[-1])
                    for line in points[:-1]:
                        self.assertRegex(line, r'pauses/s\n\Z')

    def test_C08_ended_in_a_later_round(self):
        """What is printed in the end names the point under way."""
        for after in (60, 62, 64, 65):
            with self.subTest(after=after):
                with self.output_of_stuck(f'--seed 1 --set where=job --set after={after}',
                                          signal.SIGTERM) as (at, lines):
                    last = next(i for i, line in enumerate(lines) if 'no result' in line)
                    self.assertIn(at, ''.join(lines[last:]))

    def test_C08_fast_test(self):
        for signum in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(signal=signum):
                with self.output_of_stuck('', signum, faulty.FAST) as (_, lines):
                    self.assertIn(faulty.FAST, lines[-1])

    @contextlib.contextmanager
    def output_of_stuck(self, options, signum, test=faulty.PERF):
        """Labels of the point, and the lines of the file that took standard output."""
        path = self.folder / 'output'
        with open(path, 'w', encoding='utf-8') as file:
            with self.stuck(f'{TWO_CORES} -- --budget 1h --set what=spin {options} {test}',
                            stdout=file) as process:
                process.send_signal(signum)
                process.wait(timeout=runner.LIMIT_S)
                yield self.marked().strip(), path.read_text().splitlines(keepends=True)


@runner.needs_two_cpus
class Contention(spaces.Case):
    def test_C06_busy_cpus(self):
        """Fast tests wait for conditions, not for times: 20 runs beside busy loops."""
        with busy_cpus(0, 1):
            for i in range(20):
                with self.subTest(i=i):
                    result = runner.stint(f'{TWO_CORES} -- --quiet', *FAST_TESTS)
                    self.assert_exit(result, 0)


class Skips(faulty.Case):
    LIMIT_S = 1

    def assert_at_once(self, command, prefix=(), run=runner.stint):
        def skip():
            result = run(command, prefix=prefix)
            self.assert_exit(result, 77)
            self.assertIn('skip', result.stdout)

        self.assertLess(best_of_three(skip, self.LIMIT_S), self.LIMIT_S)

    def test_C11_too_few_lcores(self):
        for test in (TWO, f'--points cores=2 {POOL}', f'{TWO} {TWO}'):
            with self.subTest(test=test):
                self.assert_at_once(f'-l 0 -- {test}')

    @runner.needs_mounts
    def test_C11_no_hugepages(self):
        for test in planned(ONE_CORE):
            if 'perf' in test:
                with self.subTest(test=test):
                    self.assert_at_once(f'-l 0 -- {test}', runner.fake_pages(0))

    @runner.needs_two_cpus
    def test_C11_memory_cannot_be_had(self):
        """That shows only when it is taken: then it is no reason to go on trying."""
        self.assert_at_once(f'-l 0-1 -- --set what=error --set where=setup --set errno=12 '
                            f'{faulty.PERF}', run=faulty.run)


if __name__ == '__main__':
    runner.main()
