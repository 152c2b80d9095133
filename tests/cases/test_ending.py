# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""A run may be ended at any moment: it says so, its run file is good, and nothing stays behind."""

import concurrent.futures
import fcntl
import json
import os
import pathlib
import pty
import random
import signal
import subprocess
import termios
import threading
import time

import leavings
import runner
from terminal import PROMPT, Terminal

runner.need_pool()

ASAN = os.environ.get('STINT_ASAN') == '1'
# EAL has all but its devices, and goes no further
HANG = ('LD_PRELOAD=' + os.environ['STINT_START_FAULT'], 'FAULT_PROBING=hang',
        'ASAN_OPTIONS=verify_asan_link_order=0')

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT]
POOLS = 'mempool_perf_autotest_1core'
# catches hangs only
LIMIT_S = 10
# what a user feels as at once; the best of several
AT_ONCE_S = 0.3

KILLS = 200
SLOW_KILLS = 16
# from the start of a process on
KILL_WITHIN_S = 0.4


class ControllingTerminal(Terminal):
    """Its keys send signals, and so does hanging up."""

    def __init__(self, command, **variables):
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.text = ''
        self.process = subprocess.Popen(
            runner.words(command), env=runner.environment(TERM='xterm', **variables),
            stdin=self.slave, stdout=self.slave, stderr=self.slave, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))


class Ending(leavings.Case):
    def start(self, command, *more, variables=(), **options):
        process = runner.started(command, *more, prefix=(*self.prefix(), 'env', *variables),
                                 start_new_session=True, **options)
        self.addCleanup(self.put_down, process)
        return process

    def new_path(self):
        return self.folder / f'{len(list(self.folder.iterdir()))}.ndjson'

    def hanging(self, path):
        """Is to start EAL, and sleeps there."""
        process = self.start(f'-l 0 -- --results {path} {runner.POINTS}', variables=HANG)

        def asleep():
            # EAL's thread that waits for interrupts is there
            try:
                tasks = list(pathlib.Path(f'/proc/{process.pid}/task').iterdir())
                names = [(task / 'comm').read_text().strip() for task in tasks]
            except OSError:
                names = []
            return process.poll() is not None or 'eal-intr-thread' in names
        runner.await_true(asleep, 'EAL does not start')
        self.assertIsNone(process.poll())
        return process

    def put_down(self, process):
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
            pipe.close()

    def await_record(self, process, path, kind):
        """The record is there, and the process goes on."""
        def seen():
            return process.poll() is not None or (
                path.exists() and f'"type":"{kind}"' in path.read_text())
        runner.await_true(seen, f'no {kind} record')
        self.assertIsNone(process.poll())

    def await_end(self, process, within=LIMIT_S):
        """Its input stays open: it is the signal that ends it."""
        stdin, process.stdin = process.stdin, None
        try:
            process.communicate(timeout=within)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail(f'goes on after {within} s')
        finally:
            if stdin:
                stdin.close()

    def assert_ended(self, process, signum, path=None):
        self.assertEqual(process.returncode, 128 + signum)
        self.assertTrue(leavings.await_grace(lambda: leavings.group_is_empty(process.pid)))
        if path is None:
            return
        last = runner.records(path)[-1]
        self.assertEqual((last['type'], last['signal'], last['exit']),
                         ('end', signum, 128 + signum))
        shown = runner.show(path)
        self.assert_exit(shown, 0)
        self.assertIn(f'ended by signal {signum:d} ({signum.name})', shown.stdout)


class Signals(Ending):
    """Sent by kill."""

    took = {signum: [] for signum in SIGNALS}

    def ended(self, process, signum, path=None):
        begin = time.monotonic()
        process.send_signal(signum)
        self.await_end(process)
        self.took[signum].append(time.monotonic() - begin)
        self.assert_ended(process, signum, path)

    def each(self, kind, test, eal='-l 0', signals=SIGNALS):
        """Each signal as soon as there is such a record, or for None a run file."""
        for signum in signals:
            with self.subTest(signal=signum.name):
                path = self.new_path()
                process = self.start(f'{eal} -- --budget 1h --results {path} {test}')
                if kind is None:
                    runner.await_true(path.exists, 'no run file')
                else:
                    self.await_record(process, path, kind)
                self.ended(process, signum, path)
        self.assert_nothing_left()

    def test_at_the_first_moment(self):
        """Nobody has heard of the program yet: it ends by the signal, and never well."""
        chance = random.Random(4)
        for i in range(20):
            signum = SIGNALS[i % len(SIGNALS)]
            with self.subTest(i=i, signal=signum.name):
                path = self.folder / f'{i}.ndjson'
                process = self.start(f'-l 0 -- --budget 1h --results {path} {runner.POINTS}')
                time.sleep(chance.uniform(0, 0.02))
                process.send_signal(signum)
                self.await_end(process)
                self.assertIn(process.returncode, (128 + signum, -signum))
                if path.exists():
                    self.assert_ended(process, signum, path)
        self.assert_nothing_left()

    def test_before_eal_is_up(self):
        """The run file is closed also where nothing was measured."""
        self.each(None, runner.POINTS)

    def test_while_eal_starts_and_never_will(self):
        """EAL hangs: the signal ends it, and what it may have started."""
        for signum in SIGNALS:
            with self.subTest(signal=signum.name):
                path = self.folder / f'{signum.name}.ndjson'
                process = self.hanging(path)
                self.ended(process, signum, path)
        self.assert_nothing_left()

    def test_in_set_up(self):
        """Pools are being made."""
        self.each('plan', POOLS)

    def test_in_the_middle_of_measuring(self):
        """The slice ends, and the summary of what was measured comes as well."""
        self.each('sample', runner.POINTS)
        self.each('sample', POOLS, signals=SIGNALS[:2])

    @runner.needs_two_cpus
    def test_on_several_lcores(self):
        """Workers end as well, whether each has a CPU or not."""
        self.each('sample', 'mempool_perf_autotest_2cores', '-l 0-1', SIGNALS[1:3])
        self.each('sample', runner.POINTS, "--lcores '(0-7)@(0-1)'", SIGNALS[3:])

    def test_without_hugepages(self):
        """Memory of ordinary pages, with a run folder of the process."""
        self.each('sample', POOLS, '--no-huge -l 0', SIGNALS[1:4])

    def test_with_page_files(self):
        """Memory of a hugetlbfs that the user names."""
        if not self.room:
            self.skipTest('needs root and mount namespaces')
        self.each('sample', POOLS, f'--huge-dir {self.room.pages} -l 0', SIGNALS[1:4])

    def test_waiting_for_a_command(self):
        """From a pipe that gives none."""
        for signum in SIGNALS:
            with self.subTest(signal=signum.name):
                path = self.folder / f'{signum.name}.ndjson'
                process = self.start(f'-l 0 -- --results {path}', stdin=subprocess.PIPE)
                process.stdin.write(f'{runner.FAST}\n')
                process.stdin.flush()
                self.await_record(process, path, 'result')
                self.ended(process, signum, path)
        self.assert_nothing_left()

    def test_several_at_a_time(self):
        """One of them is told, whatever comes after it."""
        for first, second in ((signal.SIGTERM, signal.SIGINT), (signal.SIGHUP, signal.SIGTERM),
                              (signal.SIGINT, signal.SIGPIPE), (signal.SIGPIPE, signal.SIGQUIT)):
            with self.subTest(first=first.name, second=second.name):
                path = self.folder / f'{first.name}{second.name}.ndjson'
                process = self.start(f'-l 0 -- --budget 1h --results {path} {runner.POINTS}')
                self.await_record(process, path, 'sample')
                process.send_signal(first)
                process.send_signal(second)
                self.await_end(process)
                told = [signum for signum in (first, second)
                        if process.returncode == 128 + signum]
                self.assertEqual(len(told), 1, process.returncode)
                self.assert_ended(process, told[0], path)
        self.assert_nothing_left()

    def test_zz_ends_at_once(self):
        """The best of what the other tests of this class have seen."""
        for signum, took in self.took.items():
            with self.subTest(signal=signum.name):
                if ASAN or len(took) < 3:
                    self.skipTest('under ASan' if ASAN else 'the other tests have not run')
                self.assertLess(min(took), AT_ONCE_S)

    def test_hang_up_that_is_ignored(self):
        """`nohup` is for runs that go on when the user has left."""
        path = self.folder / 'a.ndjson'
        process = self.start(f'-l 0 -- --budget 300ms --results {path} {runner.POINTS}',
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.await_record(process, path, 'sample')
        process.send_signal(signal.SIGHUP)
        self.await_end(process)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(runner.records(path)[-1]['signal'], 0)


class Readers(Ending):
    """What is printed goes into a pipe, and the reader leaves."""

    def test_reader_leaves(self):
        """After some lines, in whatever the run does then."""
        for own, test, lines in (('', runner.POINTS, 1), ('', runner.POINTS, 6), ('', POOLS, 3),
                                 ('', POOLS, 200)):
            with self.subTest(own=own, test=test, lines=lines):
                path = self.folder / f'{test}-{lines}.ndjson'
                process = self.start(f'-l 0 -- --budget 1h {own} --results {path} {test}')
                for _ in range(lines):
                    self.assertTrue(process.stdout.readline())
                process.stdout.close()
                process.wait(timeout=LIMIT_S)
                self.assert_ended(process, signal.SIGPIPE, path)
        self.assert_nothing_left()

    def test_reader_was_never_there(self):
        """For whatever would be printed."""
        for command in (f'-l 0 -- --budget 1h {runner.POINTS}',
                        f'-l 0 -- --quiet --budget 100ms {runner.POINTS}',
                        f'-l 0 -- {runner.FAST}', f'-l 0 -- {runner.FAST} {runner.POINTS}',
                        f'-l 0 -- --budget 100ms mempool_perf_autotest_2cores'):
            with self.subTest(command=command):
                path = self.new_path()
                process = self.start(command.replace('-- ', f'-- --results {path} '),
                                     stdout=self.no_reader())
                self.await_end(process)
                self.assert_ended(process, signal.SIGPIPE, path)
        for command in ('-- --list', '-- --list --json', '-- --plan', '--help',
                        f'-- --help {POOLS}'):
            with self.subTest(command=command):
                process = self.start(command, stdout=self.no_reader())
                self.await_end(process)
                # no run that is to be ended in order
                self.assertIn(process.returncode, (128 + signal.SIGPIPE, -signal.SIGPIPE))
        self.assert_nothing_left()

    def test_reader_of_answers_leaves(self):
        """Commands come from a pipe, answers go into another."""
        for command in ('list', 'help', runner.FAST):
            with self.subTest(command=command):
                path = self.folder / f'{command}.ndjson'
                process = self.start(f'-l 0 -- --results {path}', stdin=subprocess.PIPE,
                                     stdout=self.no_reader())
                process.stdin.write(f'{command}\n')
                process.stdin.flush()
                # the pipe stays open: it is the lost reader that ends the run
                process.wait(timeout=LIMIT_S)
                self.assert_ended(process, signal.SIGPIPE, path)

    def test_in_a_pipeline(self):
        """As a shell sees it."""
        path = self.folder / 'a.ndjson'
        result = subprocess.run(
            ['bash', '-c', '"$@" | head -n 2; echo "${PIPESTATUS[0]}"', 'bash',
             *runner.words(f'-l 0 -- --budget 1h --results {path} {runner.POINTS}')],
            env=runner.environment(), capture_output=True, text=True, timeout=LIMIT_S,
            check=False)
        self.assertEqual(result.stdout.splitlines()[2:], [str(128 + signal.SIGPIPE)])
        self.assertEqual(result.stderr, '')
        self.assertEqual(runner.records(path)[-1]['signal'], signal.SIGPIPE)

    def no_reader(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        return writer


class OnTerminal(Ending):
    """The settings of the terminal are the old ones, too."""

    def on_terminal(self, command):
        terminal = ControllingTerminal(command)
        self.addCleanup(terminal.close)
        return terminal

    def at_prompt(self, path):
        terminal = self.on_terminal(f'-l 0 -- --budget 1h --results {path}')
        terminal.expect(PROMPT)
        runner.await_true(terminal.changed, 'the terminal is as before')
        return terminal

    def assert_left(self, terminal, signum, path):
        self.assertEqual(terminal.end(), (128 + signum, True))
        self.assert_ended(terminal.process, signum, path)

    def each(self, begin):
        for signum in SIGNALS:
            with self.subTest(signal=signum.name):
                path = self.folder / f'{signum.name}.ndjson'
                terminal = begin(path)
                terminal.process.send_signal(signum)
                self.assert_left(terminal, signum, path)
        self.assert_nothing_left()

    def test_at_the_prompt(self):
        """Nothing is being run."""
        self.each(self.at_prompt)

    def test_in_a_test_of_the_prompt(self):
        """While a test runs the terminal has its old settings, for a while."""
        def begin(path):
            terminal = self.at_prompt(path)
            terminal.type(f'{runner.POINTS}\n')
            terminal.expect('left')
            return terminal
        self.each(begin)

    def test_without_a_prompt(self):
        """One test on a terminal."""
        def begin(path):
            terminal = self.on_terminal(
                f'-l 0 -- --budget 1h --results {path} {runner.POINTS}')
            terminal.expect('left')
            return terminal
        self.each(begin)

    def test_keys(self):
        """Ctrl-C and Ctrl-\\ while a test runs, from the prompt or not."""
        for key, signum in (('\x03', signal.SIGINT), ('\x1c', signal.SIGQUIT)):
            for prompt in (False, True):
                with self.subTest(signal=signum.name, prompt=prompt):
                    path = self.folder / f'{signum.name}{prompt}.ndjson'
                    if prompt:
                        terminal = self.at_prompt(path)
                        terminal.type(f'{runner.POINTS}\n')
                    else:
                        terminal = self.on_terminal(
                            f'-l 0 -- --budget 1h --results {path} {runner.POINTS}')
                    terminal.expect('left')
                    terminal.type(key)
                    self.assert_left(terminal, signum, path)
        self.assert_nothing_left()

    def test_hung_up(self):
        """The window is closed while a test runs."""
        for prompt in (False, True):
            with self.subTest(prompt=prompt):
                path = self.folder / f'{prompt}.ndjson'
                if prompt:
                    terminal = self.at_prompt(path)
                    terminal.type(f'{runner.POINTS}\n')
                else:
                    terminal = self.on_terminal(
                        f'-l 0 -- --budget 1h --results {path} {runner.POINTS}')
                terminal.expect('left')
                os.close(terminal.master)
                terminal.master = os.open(os.devnull, os.O_RDWR)
                terminal.process.wait(timeout=LIMIT_S)
                self.assert_ended(terminal.process, signal.SIGHUP, path)
        self.assert_nothing_left()


class Killed(Ending):
    """SIGKILL, which no program can handle."""

    def setUp(self):
        super().setUp()
        self.lock = threading.Lock()
        self.measuring = 0

    def within_s(self):
        """Long enough for a run to have begun to measure, also where all is slow."""
        path = self.folder / 'first.ndjson'
        begin = time.monotonic()
        process = self.start(f'-l 0 -- --budget 1h --results {path} {runner.POINTS}')
        self.await_record(process, path, 'sample')
        took = time.monotonic() - begin
        process.kill()
        process.communicate()
        return max(KILL_WITHIN_S, took + KILL_WITHIN_S / 2)

    def killed(self, eal, test, path, after_s):
        # two of these run at a time: a descriptor that the other inherits keeps no pipe open
        process = subprocess.Popen(
            [*self.prefix(), *runner.words(f'{eal} -- --budget 1s --results {path} {test}')],
            env=runner.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(after_s)
        process.kill()
        process.wait()
        self.assertTrue(leavings.await_grace(lambda: leavings.group_is_empty(process.pid)),
                        'processes of its group go on')
        if path.exists():
            self.assert_readable(path)

    def assert_readable(self, path):
        """To the last finished slice: that is the last whole line of its kind."""
        shown = runner.show(path)
        self.assert_exit(shown, 0)
        self.assertEqual(shown.stderr, '')
        whole = path.read_bytes().rpartition(b'\n')[0].splitlines()
        found = [json.loads(line) for line in whole]
        if found and found[-1]['type'] == 'end':
            return
        self.assertIn('the run was cut off', shown.stdout)
        samples = [record for record in found if record['type'] == 'sample']
        if samples and not any(record['type'] == 'result' for record in found):
            last = samples[-1]
            labels = ' '.join(f'{name}={value}' for name, value in last['point'].items())
            self.assertIn(f'last sample in round {last["round"] + 1}: {labels}\n', shown.stdout)
            with self.lock:
                self.measuring += 1

    def kill(self, jobs):
        """Two at a time, each (EAL options, test) on an lcore of its own."""
        within_s, chance = self.within_s(), random.Random(3)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            ends = [pool.submit(self.killed, *job, self.folder / f'{i}.ndjson',
                                chance.uniform(0, within_s)) for i, job in enumerate(jobs)]
        for i, end in enumerate(ends):
            with self.subTest(i=i, job=jobs[i]):
                end.result()
        # some were killed early, but not all
        self.assertGreater(self.measuring, len(jobs) // 20)

    def jobs(self, n, eal=''):
        cpus = sorted(os.sched_getaffinity(0))
        return [(f'{eal} -l {cpus[i % 2 % len(cpus)]}', (runner.POINTS, POOLS)[i // 2 % 2])
                for i in range(n)]

    def test_at_any_moment(self):
        """200 times: the run file is good, and pages, processes and memory are given back."""
        self.kill(self.jobs(KILLS))
        self.assert_nothing_left()

    def test_without_hugepages(self):
        """What such a run had to leave, the next one takes away."""
        self.kill(self.jobs(SLOW_KILLS, '--no-huge'))
        self.assert_taken_away('--no-huge')

    def test_with_page_files(self):
        """What such a run had to leave, the next one takes away."""
        if not self.room:
            self.skipTest('needs root and mount namespaces')
        self.kill(self.jobs(SLOW_KILLS, f'--huge-dir {self.room.pages}'))
        self.assert_taken_away(f'--huge-dir {self.room.pages}')

    def assert_taken_away(self, eal):
        result = runner.stint(f'{eal} -l 0 -- --quiet --budget 100ms {POOLS}',
                              prefix=self.prefix())
        self.assert_exit(result, 0)
        self.assert_nothing_left()

    def test_while_eal_starts(self):
        """EAL hangs: no process that tried to start EAL lives on."""
        for i in range(4):
            with self.subTest(i=i):
                path = self.folder / f'{i}.ndjson'
                process = self.hanging(path)
                process.kill()
                process.communicate()
                self.assertTrue(
                    leavings.await_grace(lambda: leavings.group_is_empty(process.pid)))
                self.assert_readable(path)
        self.assert_nothing_left()


if __name__ == '__main__':
    runner.main()
