# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""The prompt on a terminal, and commands that are read from a pipe."""

import os
import select
import signal
import subprocess

import runner
from terminal import PROMPT, Terminal

runner.need_pool()

FAST = runner.FAST


class OnTerminal(runner.Case):
    def at_prompt(self, command='-l 0'):
        terminal = Terminal(command)
        self.addCleanup(terminal.close)
        terminal.expect(PROMPT)
        # rte_cmdline prints it before it changes the terminal, which loses a Ctrl-D in between
        runner.await_true(terminal.changed, 'the terminal is as before')
        return terminal

    def test_commands(self):
        t = self.at_prompt('-l 0 -- --budget 50ms')
        listed = t.command('list')
        for name in (FAST, runner.POINTS):
            self.assertIn(name, listed)
        self.assertRegex(t.command('plan'), r'mempool_perf_autotest_1core +(1140 points|skip)')
        words = t.command('help')
        for word in ('list', 'plan', 'help', 'quit'):
            self.assertIn(word, words)
        self.assertIn('elt_size', t.command('help mempool_perf_autotest'))
        for _ in range(2):
            self.assertIn(f'{FAST}: pass', t.command(FAST))
            self.assertRegex(t.command(runner.POINTS), r': pass|: skip')
        for line in ('nosuch', f'{FAST} nosuch', 'help nosuch', 'x' * 200):
            with self.subTest(line=line):
                self.assertNotIn('pass', t.command(line))
        t.command('')
        t.type('quit\n')
        self.assertEqual(t.end(), (0, True))

    def test_unknown_word_is_named(self):
        t = self.at_prompt()
        self.assertRegex(t.command('nosuch'), r'nosuch|not found|unknown|Bad')

    def test_completion(self):
        t = self.at_prompt()
        t.type('reciprocal_division_a\t')
        t.expect(FAST)
        t.type('\n')
        self.assertIn(f'{FAST}: pass', t.expect(PROMPT))
        t.type('mempool_perf_autotest_\t\t')
        t.expect('mempool_perf_autotest_allcores')

    def test_end_of_input(self):
        t = self.at_prompt()
        t.type('\x04')
        self.assertEqual(t.end(), (0, True))
        t = self.at_prompt()
        t.command(FAST)
        t.type('\x04')
        self.assertEqual(t.end(), (0, True))

    def test_exit_code_is_that_of_the_tests(self):
        t = self.at_prompt()
        self.assertIn('skip', t.command('mempool_perf_autotest_2cores'))
        t.type('quit\n')
        self.assertEqual(t.end(), (77, True))

    def test_signals(self):
        for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=signum):
                t = self.at_prompt()
                t.process.send_signal(signum)
                self.assertEqual(t.end(), (128 + signum, True))
                t = self.at_prompt()
                t.type(f'{runner.POINTS}\n')
                t.expect('left')
                t.process.send_signal(signum)
                self.assertEqual(t.end(), (128 + signum, True))

    def test_hung_up(self):
        t = self.at_prompt()
        os.close(t.master)
        t.master = os.open(os.devnull, os.O_RDWR)
        t.process.wait(timeout=runner.LIMIT_S)
        self.assertIn(t.process.returncode, (0, 128 + signal.SIGHUP))

    def test_single_test(self):
        """The terminal is left as it was by a run without a prompt, too."""
        t = Terminal(f'-l 0 -- {FAST}')
        self.addCleanup(t.close)
        self.assertEqual(t.end(), (0, True))
        self.assertNotIn(PROMPT, t.text)


class FromPipe(runner.Case):
    def test_commands(self):
        for lines, code in [('', 0), ('\n\n', 0), ('# nothing\n', 0), ('quit\n', 0),
                            (f'{FAST}\n', 0), (f'{FAST}', 0), (f'{FAST}\r\n', 0),
                            (f'  {FAST}\t\n', 0), (f'{FAST} # why\n', 0),
                            (f'#x\n\n{FAST}\n  # y\n{FAST}\nquit\n', 0),
                            ('quit\nnosuch\n', 0), ('list\nplan\nhelp\n', 0),
                            ('mempool_perf_autotest_2cores\n', 77),
                            (f'mempool_perf_autotest_2cores\n{FAST}\n', 0),
                            ('nosuch\n', 2)]:
            with self.subTest(lines=lines):
                result = runner.stint('-l 0', stdin=lines)
                self.assert_exit(result, code)
                self.assertEqual(result.stdout.count(f'{FAST}: pass'),
                                 sum(line.split('#')[0].strip() == FAST
                                     for line in lines.splitlines()))
                self.assertEqual(result.stderr == '', code != 2)
                self.assertNotIn('\x1b', result.stdout)

    def test_unknown_after_tests(self):
        """What follows is not run; that something was wrong stays to be seen."""
        result = runner.stint('-l 0', stdin=f'{FAST}\nnosuch\n{FAST}\n')
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('nosuch', result.stderr)

    def test_no_input(self):
        with open(os.devnull, encoding='utf-8') as null:
            self.assertEqual(self.ended(null), 0)
        closed = subprocess.run(['sh', '-c', '"$@" <&-', 'sh', runner.STINT, '-l', '0'],
                                env=runner.environment(), timeout=runner.LIMIT_S,
                                capture_output=True, check=False)
        self.assert_exit(closed, 0)
        self.assertEqual(closed.stderr, b'')

    def ended(self, stdin):
        process = runner.started('-l 0', stdin=stdin)
        process.communicate(timeout=runner.LIMIT_S)
        return process.returncode

    def test_answers_come_at_once(self):
        """Another program may wait for the answer before it gives the next command."""
        with runner.started('-l 0', stdin=subprocess.PIPE) as process:
            for command, answer in (('list', 'fast-tests'), ('help', 'quit'), (FAST, 'pass')):
                process.stdin.write(f'{command}\n')
                process.stdin.flush()
                text = ''
                while answer not in text:
                    ready = select.select([process.stdout], [], [], 10)[0]
                    if not ready:
                        process.kill()
                        self.fail(f'no answer to {command}')
                    part = os.read(process.stdout.fileno(), 65536).decode()
                    self.assertNotEqual(part, '')
                    text += part
            process.stdin.close()
            process.wait(timeout=runner.LIMIT_S)
            self.assertEqual(process.returncode, 0)


if __name__ == '__main__':
    runner.main()
