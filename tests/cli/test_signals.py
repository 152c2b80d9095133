# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""A signal at any moment: the exit code tells it, the run file is closed, nothing stays behind."""

import json
import os
import random
import re
import signal
import subprocess
import time

import runner

runner.need_pool()

LONG = f'--budget 1h {runner.POINTS}'
# meson allows 0.5 s; this only catches hangs on a busy machine
END_S = 3

# a file system of its own for page files; says how many there are after the command has ended
COUNT_PAGE_FILES = '''
mount -t hugetlbfs none "$1" || exit 98
dir=$1
shift
"$@" --huge-dir "$dir" -- --budget 1h --results "$dir.ndjson" mempool_perf_autotest_1core &
echo "stint is $!"
wait $!
echo "exit $?"
echo "files $(ls "$dir" | wc -l)"
'''


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Signals(runner.Case):
    slowest = 0.0

    @classmethod
    def tearDownClass(cls):
        print(f'slowest end after a signal: {cls.slowest:.3f} s')

    def ended(self, process, signum):
        """Sends the signal, waits; gives output and errors."""
        begin = time.monotonic()
        process.send_signal(signum)
        try:
            texts = process.communicate(timeout=runner.LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        took = time.monotonic() - begin
        type(self).slowest = max(self.slowest, took)
        self.assertLess(took, END_S)
        self.assertEqual(process.returncode, 128 + signum if signum != signal.SIGKILL
                         else -signum, texts)
        self.assertFalse(alive(process.pid))
        return texts

    def closed(self, path, signum):
        """The run file ends with what ended the run, and shows it."""
        found = runner.records(path)
        self.assertEqual((found[-1]['type'], found[-1]['signal'], found[-1]['exit']),
                         ('end', signum, 128 + signum))
        self.assertNotIn('result', [record['type'] for record in found])
        shown = runner.show(path)
        self.assert_exit(shown, 0)
        self.assertIn(signal.Signals(signum).name, shown.stdout)
        return shown.stdout

    def await_record(self, process, path, kind):
        runner.await_true(
            lambda: process.poll() is not None or
            path.exists() and f'"type":"{kind}"' in path.read_text(), f'no {kind} record')
        self.assertIsNone(process.poll())

    def test_while_measuring(self):
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for own in ('', '--quiet'):
                with self.subTest(signal=signum, own=own):
                    path = self.folder / f'{signum}{own}.ndjson'
                    process = runner.started(f'-l 0 -- {own} --results {path} {LONG}')
                    self.await_record(process, path, 'sample')
                    output, _ = self.ended(process, signum)
                    shown = self.closed(path, signum)
                    self.assertIn('no result (the run ended early)', shown)
                    # the summary of what was measured: the same points with the same values
                    points = re.findall(r'^  cores=.*$', shown, re.M)
                    self.assertTrue(points)
                    for line in points:
                        self.assertIn(line, output)

    def test_at_any_moment(self):
        """From before EAL starts until a third of a second later."""
        chance = random.Random(2)
        for i in range(18):
            signum = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[i % 3]
            path = self.folder / f'{i}.ndjson'
            with self.subTest(i=i, signal=signum):
                process = runner.started(f'-l 0 -- --results {path} {LONG}')
                # from the creation of the file on the signals are taken
                runner.await_true(path.exists, 'no run file')
                moment = time.monotonic() + chance.uniform(0, 0.3)
                while time.monotonic() < moment:
                    os.sched_yield()
                self.ended(process, signum)
                self.closed(path, signum)

    def test_second_signal(self):
        path = self.folder / 'a.ndjson'
        process = runner.started(f'-l 0 -- --results {path} {LONG}')
        self.await_record(process, path, 'sample')
        process.send_signal(signal.SIGTERM)
        self.ended(process, signal.SIGTERM)
        self.closed(path, signal.SIGTERM)

    def test_stopped_and_continued(self):
        path = self.folder / 'a.ndjson'
        process = runner.started(f'-l 0 -- --results {path} {LONG}')
        self.await_record(process, path, 'sample')
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=runner.LIMIT_S)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.closed(path, signal.SIGTERM)

    def test_many_lcores(self):
        path = self.folder / 'a.ndjson'
        process = runner.started("--lcores '(0-15)@0' -- --budget 1h --results", path,
                                 'mempool_perf_autotest_allcores')
        self.await_record(process, path, 'plan')
        runner.await_true(lambda: process.poll() is not None or
                          '"type":"sample"' in path.read_text(), 'no sample')
        if process.poll() is not None:
            process.communicate()
            self.skipTest('needs hugepages for 16 lcores')
        self.ended(process, signal.SIGTERM)
        self.closed(path, signal.SIGTERM)

    def test_at_the_pipe(self):
        """While it waits for a command."""
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=signum):
                path = self.folder / f'{signum}.ndjson'
                process = runner.started(f'-l 0 -- --results {path}', stdin=subprocess.PIPE)
                process.stdin.write(f'{runner.FAST}\n')
                process.stdin.flush()
                self.await_record(process, path, 'result')
                self.ended(process, signum)
                self.assertEqual(runner.records(path)[-1]['signal'], signum)

    def test_killed(self):
        """The run file is good to its last line."""
        chance = random.Random(1)
        for i in range(20):
            path = self.folder / f'{i}.ndjson'
            with self.subTest(i=i):
                process = runner.started(f'-l 0 -- --results {path} {LONG}')
                runner.await_true(path.exists, 'no run file')
                moment = time.monotonic() + chance.uniform(0, 0.3)
                while time.monotonic() < moment:
                    os.sched_yield()
                self.ended(process, signal.SIGKILL)
                shown = runner.show(path)
                self.assert_exit(shown, 0)
                self.assertEqual(shown.stderr, '')
                self.assertIn('cut off', shown.stdout)
                lines = path.read_text().splitlines()
                samples = [line for line in lines if '"type":"sample"' in line]
                if samples:
                    self.assertIn(f'round {json.loads(samples[-1])["round"] + 1}:',
                                  shown.stdout)

    @runner.needs_mounts
    @runner.needs_hugepages
    def test_page_files(self):
        # a shell's background ignores SIGINT
        for signum in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=signum):
                folder = self.folder / f'pages{signum}'
                folder.mkdir()
                with subprocess.Popen(
                        ['unshare', '--mount', 'bash', '-c', COUNT_PAGE_FILES, 'bash',
                         str(folder), runner.STINT, '-l', '0'], stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE, text=True,
                        env=runner.environment()) as shell:
                    pid = int(shell.stdout.readline().split()[-1])
                    self.await_record(shell, folder.with_suffix('.ndjson'), 'sample')
                    os.kill(pid, signum)
                    output, _ = shell.communicate(timeout=runner.LIMIT_S)
                self.assertEqual(output.splitlines()[-2:], [f'exit {128 + signum}', 'files 0'])
                self.assertEqual(
                    [name for name in os.listdir('/run/dpdk') if name == f'stint-{pid}']
                    if os.path.isdir('/run/dpdk') else [], [])


if __name__ == '__main__':
    runner.main()
