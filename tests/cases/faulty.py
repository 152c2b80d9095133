# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Runs the program whose autotests go wrong."""

import contextlib
import os
import shlex
import signal
import subprocess
import time

import runner
import spaces

FAULTS = os.environ['STINT_FAULTS_EXE']
FAST, PERF = 'fault_autotest', 'fault_perf_autotest'
# a run ends so soon after a signal
END_S = 0.3
# catches hangs only
LIMIT_S = 20


def words(command):
    return [FAULTS, *shlex.split(command)]


def environment(**variables):
    """AddressSanitizer reports signals too, and ends the process by another way."""
    if spaces.ASAN:
        options = [os.environ.get('ASAN_OPTIONS', ''), *(f'handle_{name}=0' for name in (
            'segv', 'sigbus', 'sigfpe', 'sigill', 'abort'))]
        variables['ASAN_OPTIONS'] = ':'.join(filter(None, options))
    return runner.environment(**variables)


def run(command, prefix=(), **variables):
    return subprocess.run([*prefix, *words(command)], env=environment(**variables),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=LIMIT_S, check=False)


class Case(spaces.Case):
    @contextlib.contextmanager
    def stuck(self, command, prefix=(), own=(), **options):
        """A run that has reached the place which it never leaves; killed in the end. `own`:
        variables of its environment."""
        self.mark = self.folder / f'{len(list(self.folder.iterdir()))}.mark'
        options = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'text': True, **options}
        process = subprocess.Popen([*prefix, *words(command)], stdin=subprocess.DEVNULL,
                                   env=environment(FAULTS_MARK=str(self.mark), **dict(own)),
                                   **options)
        try:
            runner.await_true(lambda: self.marked() or process.poll() is not None,
                              'it goes on')
            self.assertIsNone(process.poll())
            yield process
        finally:
            process.kill()
            process.communicate()

    def marked(self):
        """Labels of the point at which it stays."""
        return self.mark.read_text() if self.mark.exists() else ''

    def assert_ends_at_once(self, command, signum=signal.SIGTERM, forget=None, **options):
        """The best of three, each without the file `forget`."""
        taken = []
        while len(taken) < 3 and min(taken, default=END_S) >= END_S:
            if forget is not None:
                forget.unlink(missing_ok=True)
            with self.stuck(command, **options) as process:
                begin = time.monotonic()
                process.send_signal(signum)
                texts = process.communicate(timeout=LIMIT_S)
                taken.append(time.monotonic() - begin)
            self.assertEqual(process.returncode, 128 + signum, texts)
        self.assertLess(min(taken), END_S)
