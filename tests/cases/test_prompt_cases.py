# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""The terminal, the end of input, words of the environment, and output that cannot be written."""

import collections
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

import leavings
import runner
from terminal import PROMPT, Terminal

runner.need_pool()

FAST, PERF = runner.FAST, runner.POINTS
TWO = 'mempool_perf_autotest_2cores'

# an end that waits for nothing; the best of three
AT_ONCE_S = 2


class OnTerminal(runner.Case):
    """Settings of the terminal as `stty -g` prints them: the old ones when the run has ended."""

    def on_terminal(self, command):
        terminal = Terminal(command)
        self.addCleanup(terminal.close)
        return terminal

    def at_prompt(self, command='-l 0 -- --budget 1h'):
        terminal = self.on_terminal(command)
        terminal.expect(PROMPT)
        runner.await_true(terminal.changed, 'the terminal is as before')
        return terminal

    def test_J01_without_a_prompt(self):
        """Whatever comes of a run."""
        for command, code in [(f'--no-huge -l 0 -- {FAST}', 0), (f'-l 0 -- {TWO}', 77),
                              (f'-l 0 -- --budget 100ms {FAST} {PERF}', 0),
                              ('-l 0 -- nosuch', 2), ('-l 999', 2), ('-l 0 -- --nosuch', 2),
                              (f'--vdev=net_nosuch0 -l 0 -- {FAST}', 2), ('-- --list', 0),
                              ('--help', 0), ('-- --plan', 0),
                              (f'-l 0 -- --results /dev/full {FAST}', 1)]:
            with self.subTest(command=command):
                self.assertEqual(self.on_terminal(command).end(), (code, True))

    def test_J01_at_the_prompt(self):
        """However it is left."""
        for keys, code in [('quit\n', 0), ('\x04', 0), (f'{FAST}\nquit\n', 0),
                           ('nosuch\nquit\n', 0), (f'{TWO}\n\x04', 77),
                           ('list\nplan\nhelp\nquit\n', 0),
                           (f'{FAST[:12]}\t\x03quit\n', 0), ('x' * 300 + '\nquit\n', 0)]:
            with self.subTest(keys=keys):
                terminal = self.at_prompt('-l 0')
                terminal.type(keys)
                self.assertEqual(terminal.end(), (code, True))

    def test_J01_after_a_signal(self):
        """At the prompt, and in a test that was begun there."""
        for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for line in ('', f'{PERF}\n'):
                with self.subTest(signal=signum.name, line=line):
                    terminal = self.at_prompt()
                    terminal.type(line)
                    if line:
                        terminal.expect('left')
                    terminal.process.send_signal(signum)
                    self.assertEqual(terminal.end(), (128 + signum, True))


class EndOfInput(runner.Case):
    """Nothing more to read is the same as `quit`."""

    def stdin(self, kind):
        """A new standard input that is at its end."""
        if kind == 'empty file':
            path = self.folder / 'empty'
            path.touch()
            return os.open(path, os.O_RDONLY)
        if kind in ('empty pipe', 'comment'):
            reader, writer = os.pipe()
            os.write(writer, b'' if kind == 'empty pipe' else b'# nothing')
            os.close(writer)
            return reader
        if kind == 'directory':
            return os.open(self.folder, os.O_RDONLY)
        if kind == 'write only':
            return os.open(os.devnull, os.O_WRONLY)
        return os.open(os.devnull, os.O_RDONLY)

    def test_J02_ends_at_once(self):
        """An empty or a closed standard input, or one that cannot be read, is no prompt."""
        for kind in ('null', 'empty file', 'empty pipe', 'comment', 'directory', 'write only',
                     'closed'):
            with self.subTest(kind=kind):
                took = []
                while len(took) < 3 and (not took or min(took) >= AT_ONCE_S):
                    prefix = ('sh', '-c', 'exec "$@" <&-', 'sh') if kind == 'closed' else ()
                    stdin = self.stdin(kind)
                    begin = time.monotonic()
                    process = runner.started('--no-huge -l 0', prefix=prefix, stdin=stdin)
                    os.close(stdin)
                    texts = process.communicate(timeout=runner.LIMIT_S)
                    took.append(time.monotonic() - begin)
                    self.assertEqual(process.returncode, 0, texts)
                    self.assertEqual(texts[1], '')
                self.assertLess(min(took), AT_ONCE_S)

    def test_J02_tests_do_not_wait_for_input(self):
        """A run without a prompt reads nothing: what stands there is for the next program."""
        reader, writer = os.pipe()
        os.write(writer, b'nosuch\n')
        process = runner.started(f'--no-huge -l 0 -- {FAST}', stdin=reader)
        process.communicate(timeout=runner.LIMIT_S)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(os.read(reader, 100), b'nosuch\n')
        os.close(reader)
        os.close(writer)

    def test_J02_waiting_takes_no_cpu(self):
        """At the prompt, or on a pipe that gives nothing yet."""
        terminal = Terminal('--no-huge -l 0')
        self.addCleanup(terminal.close)
        terminal.expect(PROMPT)
        process = runner.started('--no-huge -l 0', stdin=subprocess.PIPE)
        process.stdin.write('list\n')
        process.stdin.flush()
        process.stdout.readline()
        try:
            for waiting in (terminal.process, process):
                parts = [self.cpu_part(waiting.pid) for _ in range(3)]
                self.assertLess(min(parts), 0.2)
        finally:
            process.communicate(timeout=runner.LIMIT_S)

    def cpu_part(self, pid):
        """Of one CPU, in a quarter of a second."""
        def cpu_s():
            words = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
            return (int(words[11]) + int(words[12])) / os.sysconf('SC_CLK_TCK')
        before, begin = cpu_s(), time.monotonic()
        time.sleep(0.25)
        return (cpu_s() - before) / (time.monotonic() - begin)

    def test_J02_terminal_that_has_gone(self):
        """Its end of input is seen, too: the program does not stay behind."""
        terminal = Terminal('--no-huge -l 0')
        self.addCleanup(terminal.close)
        terminal.expect(PROMPT)
        os.close(terminal.master)
        terminal.master = os.open(os.devnull, os.O_RDWR)
        terminal.process.wait(timeout=runner.LIMIT_S)
        self.assertIn(terminal.process.returncode, (0, 128 + signal.SIGHUP))


class Words(runner.Case):
    """EAL options in a variable."""

    def lcores(self, params, command='-- --plan --json'):
        """Ids of the lcores that the plan finds."""
        result = runner.stint(f'{command} {PERF}', DPDK_TEST_PARAMS=params)
        self.assert_exit(result, 0)
        return json.loads(result.stdout)[0]['lcores']

    @runner.needs_two_cpus
    def test_J03_quoting_of_a_shell(self):
        """Commas, brackets and quotes mean what they mean to a shell."""
        for params, right in [("--lcores='(0-1)@(0-1)' --file-prefix=a", [0, 1]),
                              ("--lcores '(0-3)@0'", [0, 1, 2, 3]),
                              ('--lcores "(0-1)@0,5@1"', [0, 1, 5]),
                              (r'--lcores=\(0-1\)@0', [0, 1]), ("--lcores='0@0','7@1'", [0, 7]),
                              ('-l 0,1', [0, 1]), ('  -l   1  ', [1]), ('-l\t1', [1]),
                              ('-l "1"', [1]), ("'-l' '1'", [1]), ("-l '0'\\,'1'", [0, 1]),
                              ("-l 1 --log-level='lib.eal:debug'", [1]), ('-l1', [1])]:
            with self.subTest(params=params):
                self.assertEqual(sorted(self.lcores(params)), right)
        # after those of the command line
        self.assertEqual(self.lcores('-l 1', '--no-huge -- --plan --json'), [1])

    def test_J03_plain_refusal(self):
        """What a shell would not take, or would run, is wrong usage in one line."""
        marker = self.folder / 'marker'
        for params in ("--lcores='(0-1", '-l "0', '-l 0 \\', f'-l 0; touch {marker}',
                       f'$(touch {marker})', f'`touch {marker}`', f'-l 0 | touch {marker}',
                       f'-l 0 > {marker}', f'-l 0 & touch {marker}', '--lcores=(0-1)@(0-1)',
                       f'-l 0 -- {FAST}', '-l 0\n-m 64', '-l $NOSUCH_VARIABLE_OF_STINT',
                       '-l {0,1}', "-l '0 1'", '"--no-huge -l 0"', "--nosuch='a b'"):
            with self.subTest(params=params):
                result = runner.stint(f'-- {FAST}', DPDK_TEST_PARAMS=params)
                self.assert_exit(result, 2)
                self.assertEqual(result.stdout, '')
                self.assertRegex(result.stderr, r'\Astint: [^\n]+\n\Z')
                self.assertFalse(marker.exists())

    def test_J03_nothing_in_the_variable(self):
        """Empty or blank is the same as none."""
        for params in ('', ' ', '\t '):
            with self.subTest(params=params):
                result = runner.stint(f'--no-huge -l 0 -- {FAST}', DPDK_TEST_PARAMS=params)
                self.assert_exit(result, 0)


class FullDisk(runner.Case):
    """Output that is lost is no success."""

    def assert_lost(self, result, *words):
        self.assertIn(result.returncode, (1, 2), result.stderr)
        self.assertRegex(result.stderr, r'\A[^\n]*stint(stat)?: [^\n]+\n\Z')
        for word in words:
            self.assertIn(word, result.stderr)

    def into(self, target, command, **options):
        """With standard output there."""
        with open(target, 'w', encoding='utf-8') as file:
            return subprocess.run(runner.words(command), env=runner.environment(), input='',
                                  stdout=file, stderr=subprocess.PIPE, text=True, check=False,
                                  timeout=runner.LIMIT_S, **options)

    def test_J05_standard_output(self):
        """A message and a code that is not 0, for all that is printed."""
        for command in (f'--no-huge -l 0 -- {FAST}', f'-l 0 -- --quiet --budget 100ms {PERF}',
                        f'-l 0 -- --budget 100ms {PERF} {FAST}', f'-l 0 -- {TWO}', '-- --list',
                        '-- --list --json', '-- --plan', '--help', f'-- --help {PERF}'):
            with self.subTest(command=command):
                self.assert_lost(self.into('/dev/full', command), 'No space left')

    def test_J05_standard_output_of_stintstat(self):
        """The same."""
        path, _ = self.measured(f'-l 0 -- --budget 100ms {PERF}')
        with open('/dev/full', 'w', encoding='utf-8') as full:
            result = subprocess.run([runner.STINTSTAT, 'show', path], stdout=full, text=True,
                                    stderr=subprocess.PIPE, check=False, timeout=runner.LIMIT_S)
        self.assert_lost(result, 'No space left')

    @runner.needs_mounts
    def test_J05_run_file(self):
        """On a disk that is full at once, or after a while, and with a quota on files."""
        path = self.folder / 'disk' / 'a.ndjson'
        path.parent.mkdir()
        for size in ('4k', '64k'):
            disk = runner.mounted('tmpfs', str(path.parent), f'size={size}')
            for test in (PERF, f'{PERF} {FAST}', f'{FAST} {PERF}'):
                with self.subTest(size=size, test=test):
                    result = runner.stint(
                        f'-l 0 -- --quiet --budget 1s --results {path} {test}', prefix=disk)
                    self.assert_exit(result, 1)
                    self.assertIn('No space left', result.stdout + result.stderr)
        for limit in (100, 3000, 50000):
            with self.subTest(limit=limit):
                own = self.folder / f'{limit}.ndjson'
                result = runner.stint(f'--no-huge -l 0 -- --budget 1s --results {own} {PERF}',
                                      prefix=('prlimit', f'--fsize={limit}'))
                self.assert_exit(result, 1)
                self.assertIn('File too large', result.stdout + result.stderr)
                self.assertLessEqual(own.stat().st_size, limit)
                self.assert_exit(runner.show(own), 0)

    def test_J05_file_size_limit_of_output(self):
        """Standard output in a file that may not grow."""
        result = self.into(self.folder / 'out', f'-l 0 -- --budget 100ms {PERF}',
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50)))
        self.assert_lost(result, 'File too large')

    def test_J05_closed_standard_output(self):
        """Nowhere to print to: said on the other one, and nothing else gets those words."""
        for command in (f'--no-huge -l 0 -- {FAST}', f'-l 0 -- --budget 100ms {PERF}', '-- --list'):
            with self.subTest(command=command):
                self.assert_lost(self.closed('>&-', command))

    def test_J05_nothing_else_gets_into_the_run_file(self):
        """With closed descriptors its number may be that of a standard stream."""
        for closed in ('>&-', '2>&-', '<&-', '<&- >&-', '<&- 2>&-', '>&- 2>&-', '<&- >&- 2>&-'):
            for own in ('', '--verbose'):
                with self.subTest(closed=closed, own=own):
                    path = self.folder / f'{len(list(self.folder.iterdir()))}.ndjson'
                    self.closed(closed, f'-l 0 -- {own} --budget 100ms --results {path} {PERF}')
                    for line in path.read_text().splitlines():
                        json.loads(line)
                    self.assert_exit(runner.show(path), 0)

    def closed(self, how, command):
        return subprocess.run(['sh', '-c', f'exec "$@" {how}', 'sh', *runner.words(command)],
                              env=runner.environment(), stdin=subprocess.DEVNULL, check=False,
                              capture_output=True, text=True, timeout=runner.LIMIT_S)


class Once(leavings.Case):
    """Each line comes once, whatever processes a run is made of."""

    def lines(self, command, code, how, **options):
        """What arrives of both outputs in one file, or through a pipe."""
        path = self.folder / 'out'
        words = [*self.prefix(), *runner.words(command)]
        options = {'input': '', **options}
        if how == 'file':
            with path.open('w') as file:
                result = subprocess.run(words, env=runner.environment(), stdout=file, text=True,
                                        stderr=subprocess.STDOUT, timeout=runner.LIMIT_S,
                                        check=False, **options)
            text = path.read_text()
        else:
            result = subprocess.run(words, env=runner.environment(), stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, check=False,
                                    timeout=runner.LIMIT_S, **options)
            text = result.stdout
        self.assertEqual(result.returncode, code, text)
        self.assertTrue(text.endswith('\n'))
        return text.splitlines()

    def test_J07_each_line_once(self):
        """To a file and to a pipe, of runs that pass, skip, and do not start."""
        runs = [
            (f'-l 0 -- --budget 100ms {FAST} {PERF}', 0,
             [f'{FAST}: begins', f'{FAST}: pass', f'{PERF}: begins', f'{PERF}: round 1 begins',
              '  1/5 ', '  5/5 ', f'{PERF}: pass', '2 passed']),
            (f'-- {FAST}', 0, ['stint: ', f'{FAST}: begins', f'{FAST}: pass']),
            (f'-l 0 -- {TWO} {FAST}', 0, [f'{TWO}: skip', f'{FAST}: begins', f'{FAST}: pass']),
            (f'-l 0 -- {TWO}', 77, [f'{TWO}: skip']),
            (f'-l 0 --vdev=net_nosuch0 -- {FAST}', 2, ['stint: ']),
            ('-l 0 -- nosuch', 2, ['stint: ']),
            (f'-l 0 -- --verbose {FAST}', 0, [f'{FAST}: begins', f'{FAST}: pass',
                                              'EAL: Detected CPU lcores']),
        ]
        for command, code, beginnings in runs:
            for how in ('file', 'pipe'):
                with self.subTest(command=command, how=how):
                    lines = self.lines(command, code, how)
                    for beginning in beginnings:
                        found = [line for line in lines if line.startswith(beginning)]
                        self.assertEqual(len(found), 1, lines)
                    self.assert_no_repeats(lines)

    def test_J07_commands_from_a_pipe(self):
        """Each answer once, before the next command is run."""
        for how in ('file', 'pipe'):
            with self.subTest(how=how):
                lines = self.lines('-l 0', 0, how, input=f'{FAST}\nhelp\n{FAST}\n')
                order = [line.split()[0] for line in lines if line.split()[0] in (
                    f'{FAST}:', 'quit')]
                self.assertEqual(order, [f'{FAST}:'] * 2 + ['quit'] + [f'{FAST}:'] * 2)

    def test_J07_records_once(self):
        """In the run file as well."""
        path, _ = self.measured(f'-l 0 -- --budget 100ms {FAST} {PERF}')
        kinds = collections.Counter(record['type'] for record in runner.records(path))
        self.assertEqual([kinds[kind] for kind in ('run', 'plan', 'result', 'end')], [1, 2, 2, 1])
        samples = [(record['round'], json.dumps(record['point']), record['metric'])
                   for record in runner.records(path, 'sample')]
        self.assertEqual(len(samples), len(set(samples)))

    def assert_no_repeats(self, lines):
        """Lines that hold a number of their own are never the same twice."""
        told = [line for line in lines if re.search(r'begins|pass|skip|: ', line)]
        self.assertEqual(len(told), len(set(told)), lines)


if __name__ == '__main__':
    runner.main()
