# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""A terminal to run the programs on."""

import os
import pty
import select
import subprocess
import termios
import time

import runner

PROMPT = 'stint> '


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, command):
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.text = ''
        self.process = subprocess.Popen(
            runner.words(command), env=runner.environment(TERM='xterm'), stdin=self.slave,
            stdout=self.slave, stderr=self.slave, start_new_session=True)

    def read(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        self.text += os.read(self.master, 65536).decode()
        return True

    def expect(self, word):
        """What is printed up to `word`, which is taken away."""
        end = time.monotonic() + runner.LIMIT_S
        while word not in self.text:
            if time.monotonic() > end or (not self.read(1) and self.process.poll() is not None):
                raise AssertionError(f'no {word!r} in {self.text!r}')
        before, _, self.text = self.text.partition(word)
        return before

    def type(self, text):
        os.write(self.master, text.encode())

    def command(self, line):
        """Types it at the prompt and gives what it prints, up to the next prompt."""
        self.type(line + '\n')
        return self.expect(PROMPT).partition('\n')[2]

    def changed(self):
        return termios.tcgetattr(self.slave) != self.before

    def end(self):
        """Exit code, and are the settings of the terminal the old ones?"""
        self.process.wait(timeout=runner.LIMIT_S)
        while self.read(0):
            pass
        return self.process.returncode, not self.changed()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)
