# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""A wrong request: exit code 2, one line that names it, nothing else, and at once."""

import os
import pathlib

import runner

PERF = 'mempool_perf_autotest_1core'
AFTER_LAST = os.cpu_count() + 1

# options and tests after "--", what the line names
OWN = [
    ('nosuch', 'nosuch'),
    ('mempool_autotes', 'mempool_autotest'),
    (f'{runner.FAST} nosuch', 'nosuch'),
    (f'{runner.FAST} ""', 'test'),
    ('-- nosuch', 'nosuch'),
    ('-', '-'),
    ('--nosuch', '--nosuch'),
    ('--nosuch=1', '--nosuch'),
    (f'{runner.FAST} --nosuch', '--nosuch'),
    ('--bugdet 1s', 'budget'),
    ('-q', '-q'),
    ('-l 0', '-l'),
    (f'--budg 1s {runner.FAST}', '--budg'),
    (f'--qui {runner.FAST}', '--qui'),
    ('--js --list', '--js'),
    ('--budget', '--budget'),
    ('--seed 1 --seed', '--seed'),
    ('--set', '--set'),
    ('--points', '--points'),
    ('--results', '--results'),
    ('--list=x', '--list'),
    ('--quiet=1', '--quiet'),
    ('--help=x', '--help'),
    ('--json', '--json'),
    (f'--json {runner.FAST}', '--json'),
]

# option, values that it refuses
VALUES = [
    ('--budget', ['', '0', '5', 'ms', '5x', ' 5s', '5 s', '-1s', '1.5s', '0ms', '1us', '25h',
                  '18446744073710s', '99999999999999999999s']),
    ('--seed', ['', '-1', 'x', '1x', '1.5', ' 1', '9223372036854775808',
                '99999999999999999999']),
    ('--set', ['', '=', '=1', 'x', 'x=1', 'keep', 'keep=', 'keep=0', 'keep=32769', 'keep=1,x',
               'keep=,', 'keep=1,', 'elt_size=x', 'elt_size=7', 'elt_size=65537', 'elt_size=-8',
               'elt_size=64.', 'elt_size=18446744073709551680', 'nosuch.keep=32',
               'mempool_perf_autotest.keep=32', f'{PERF}.nosuch=1', f'{PERF}.=1']),
    ('--points', ['', ',', '=', 'x', 'cores', 'cores=', 'cores=1,', 'cores=1,,keep=32',
                  'nosuch=1', 'cores=3', 'cores=x', 'cores=1x', 'sizes=var', 'get=33',
                  'keep=32,nosuch=1', 'keep=32,get=512']),
    ('--results', ['', '/nonexistent/run.ndjson', '/nonexistent/folder/', '/proc/run.ndjson',
                   '/dev/null/run.ndjson']),
]

# EAL options, what the line names
EAL = [
    (f'-l 0-{AFTER_LAST}', f'{AFTER_LAST}'),
    (f'-l {AFTER_LAST}', f'{AFTER_LAST}'),
    ('-l 0,200000', '200000'),
    ('-l x', 'x'),
    ('-l 0 -l 0', '-l'),
    ('-l', '-l'),
    ('-c 0', '-c'),
    (f"--lcores '0@{AFTER_LAST}'", f'{AFTER_LAST}'),
    ("--lcores '(0-1'", '(0-1'),
    ('-l 0 --main-lcore 7', '7'),
    ('--nosuch', '--nosuch'),
    ('-Z', '-Z'),
    ('--huge', '--huge-dir'),
    ('--no-huge=1', '--no-huge'),
    ('--in-memory --no-huge', '--in-memory'),
    ('-m x', '"x"'),
    ('-m 64x', '"64x"'),
    ('-m 0', '"0"'),
    ('-m -5', '"-5"'),
    ('-n 0', '"0"'),
    ('-r 99', '"99"'),
    ('--socket-mem 0,0,0,0,0,0,0,64', '7'),
    ('--socket-limit x', '"x"'),
    ('--huge-dir /nonexistent', '/nonexistent'),
    ('--huge-dir /', '"/"'),
    ('--proc-type x', '"x"'),
    ('--iova-mode x', '"x"'),
    ('--file-prefix a/b', 'a/b'),
    ('-d /nonexistent.so', '/nonexistent.so'),
    ('--vdev nosuch0', 'nosuch0'),
    ('-a nosuch', 'nosuch'),
    (runner.FAST, runner.FAST),
]

# names and values of variables, what the line names
VARIABLES = [
    ({'DPDK_TEST': 'nosuch'}, 'nosuch'),
    ({'DPDK_TEST': f'{runner.FAST},nosuch'}, 'nosuch'),
    ({'DPDK_TEST': f'{runner.FAST};nosuch'}, 'nosuch'),
    ({'DPDK_TEST_SKIP': 'nosuch'}, 'nosuch'),
    ({'DPDK_TEST_SKIP': f'{runner.FAST},mempool'}, 'mempool'),
    ({'DPDK_TEST_PARAMS': f'-l {AFTER_LAST}'}, f'{AFTER_LAST}'),
    ({'DPDK_TEST_PARAMS': '--nosuch'}, '--nosuch'),
    ({'DPDK_TEST_PARAMS': runner.FAST}, runner.FAST),
    ({'DPDK_TEST_PARAMS': "--lcores='(0-1"}, "'(0-1"),
    ({'DPDK_TEST_PARAMS': '--lcores=(0-1)@(0-1)'}, '(0-1)@(0-1)'),
    ({'DPDK_TEST_PARAMS': '-l $(echo 0)'}, '$(echo 0)'),
    ({'DPDK_TEST_PARAMS': f'-- {runner.FAST}'}, '--'),
    ({'STINT_BUDGET': '5'}, 'STINT_BUDGET'),
    ({'STINT_RESULTS': '/nonexistent/folder'}, '/nonexistent/folder'),
]


class Usage(runner.Case):
    def refused(self, name, result):
        self.assert_exit(result, 2)
        self.assertEqual(result.stdout, '')
        self.assertRegex(result.stderr, r'\Astint: [^\n]+\n\Z')
        self.assertIn(name, result.stderr)

    def test_own(self):
        for arguments, name in OWN:
            with self.subTest(arguments=arguments):
                self.refused(name, runner.stint(f'-l 0 -- {arguments}'))

    def test_values(self):
        for option, values in VALUES:
            for value in values:
                with self.subTest(option=option, value=value):
                    result = runner.stint('-l 0 -- --budget 1ms', option, value, PERF)
                    self.refused(value.split('keep=32,')[-1].strip(',='), result)
                    self.assertIn('results' if option == '--results' else option, result.stderr)

    def test_ranges(self):
        """What would do is said beside what does not."""
        for arguments, numbers in [('--set elt_size=7', ['8', '65536']),
                                   ('--set keep=0', ['1', '32768']),
                                   ('--seed -1', ['0', '63']),
                                   ('--budget 25h', ['1ms', '24h']),
                                   ('--points nosuch=1', ['cores', 'keep', 'get', 'put'])]:
            with self.subTest(arguments=arguments):
                result = runner.stint(f'-l 0 -- {arguments} {PERF}')
                self.assert_exit(result, 2)
                for number in numbers:
                    self.assertRegex(result.stderr, rf'\b{number}\b')

    def test_eal(self):
        for arguments, name in EAL:
            with self.subTest(arguments=arguments):
                self.refused(name, runner.stint(f'{arguments} -- {runner.FAST}'))

    def test_test_without_dashes(self):
        self.refused(runner.FAST, runner.stint(runner.FAST))
        self.refused('nosuch', runner.stint('nosuch'))

    def test_variables(self):
        for variables, name in VARIABLES:
            with self.subTest(variables=variables):
                self.refused(name, runner.stint(f'-- {runner.FAST}', **variables))

    def test_params_quoting(self):
        for params, lcores in [('-l 0', 1), ("'-l' \"0\"", 1), ('-l\\ 0', 1), ("-l' 0'", 1),
                               ("--lcores='(0-1)@(0)'", 2), ('--lcores="(0-1)@0"', 2),
                               ("--lcores='(0-1)'@0 --file-prefix=\"a b\" --in-memory", 2)]:
            with self.subTest(params=params):
                result = runner.stint(f'-- --plan --json {runner.POINTS}',
                                      DPDK_TEST_PARAMS=params)
                self.assert_exit(result, 0)
                self.assertEqual(result.stdout.count('"lcores":[' + ','.join(
                    map(str, range(lcores))) + ']'), 1, result.stdout)

    def test_from_pipe(self):
        for line, name in [('nosuch', 'nosuch'), (f'{runner.FAST} x', 'x'),
                           ('help nosuch', 'nosuch'), ('list list', 'list'),
                           ('mempool_autotes', 'mempool_autotest'), ('x' * 5000, 'long'),
                           ('help ' * 40, 'help'), ('\x01\x7f', '')]:
            with self.subTest(line=line[:20]):
                self.refused(name, runner.stint('-l 0', stdin=f'{line}\n'))

    def test_nothing_is_written(self):
        """What is refused after --results leaves no file."""
        path = pathlib.Path(self.folder, 'run.ndjson')
        for arguments in ('--points nosuch=1', '--set keep=0', '--budget 0', '--set x=1'):
            with self.subTest(arguments=arguments):
                self.assert_exit(runner.stint(f'-l 0 -- --results {path} {arguments} {PERF}'), 2)
                self.assertFalse(path.exists())

    def test_stintstat(self):
        for arguments in ([], ['show'], ['nosuch', 'x'], ['show', 'a', 'b'], ['--nosuch'],
                          ['show', str(self.folder / 'none')]):
            with self.subTest(arguments=arguments):
                result = runner.stintstat(*arguments)
                self.assert_exit(result, 2)
                self.assertEqual(result.stdout, '')
                self.assertRegex(result.stderr, r'\Astintstat: [^\n]+\n\Z')


if __name__ == '__main__':
    runner.main()
