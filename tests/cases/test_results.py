# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Pass, skip or fail: what a harness, a shell and a reader of the output see of a run."""

import functools
import itertools
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import time
import unittest

import leavings
import runner

ASAN = os.environ.get('STINT_ASAN') == '1'
OUTCOMES = os.environ['STINT_OUTCOMES_EXE']
START_FAULT = os.environ['STINT_START_FAULT']

FAST, PERF = runner.FAST, runner.POINTS
ONE, TWO = 'mempool_perf_autotest_1core', 'mempool_perf_autotest_2cores'
PASS, FAIL, SKIP = 'pass_autotest', 'fail_autotest', 'skip_autotest'
STATUS = {PASS: 'pass', FAIL: 'fail', SKIP: 'skip'}

# an answer that needs no measuring; the best of three
AT_ONCE_S = 2


def outcomes(command, *more, **options):
    """The program that has a test for each outcome."""
    env = runner.environment(**options.pop('variables', {}))
    return subprocess.run([OUTCOMES, *shlex.split(command), *map(str, more)], env=env,
                          capture_output=True, text=True, timeout=runner.LIMIT_S, check=False,
                          **{'input': '', **options})


def code_of(tests):
    """Exit code of a run of all these."""
    if FAIL in tests:
        return 1
    return 77 if set(tests) == {SKIP} else 0


@functools.cache
def driver_folder():
    """Where EAL finds its drivers, or None."""
    found = subprocess.run(['pkg-config', '--variable=libdir', 'libdpdk'], capture_output=True,
                           text=True, check=False).stdout.strip()
    folders = [path for path in pathlib.Path(found or '/nonexistent').glob('dpdk/pmds-*')
               if list(path.glob('librte_mempool_ring.so*'))]
    return folders[0] if folders else None


# DIR PATTERN command: drivers of that name are not there
HIDE = '''
dir=$1 hidden=$2 all=/mnt/drivers
shift 2
# EAL loads nothing from where anyone may write
mount -t tmpfs -o mode=755 none /mnt && mkdir "$all" && mount --bind "$dir" "$all" &&
    mount -t tmpfs -o mode=755 none "$dir" || exit 98
for file in "$all"/*; do
    case ${file##*/} in $hidden) ;; *) ln -s "$file" "$dir" ;; esac
done
exec "$@"
'''


def without_drivers(pattern):
    return ('unshare', '--mount', 'sh', '-c', HIDE, 'sh', str(driver_folder()), pattern)


needs_drivers = unittest.skipUnless(
    runner.may_mount() and driver_folder(),
    'needs root, mount namespaces and a folder of drivers that pkg-config tells of')


class Meson(runner.Case):
    """meson itself runs the programs."""

    def results(self, tests, **variables):
        """What meson makes of each of (name, program, arguments)."""
        lines = ["project('x')"]
        for name, program, arguments in tests:
            lines.append(f'test({name!r}, find_program({program!r}), args: {arguments!r}, '
                         "suite: 'x', is_parallel: false)")
        (self.folder / 'meson.build').write_text('\n'.join(lines) + '\n')
        build = self.folder / 'build'
        env = runner.environment(**variables)
        subprocess.run(['meson', 'setup', build, self.folder], check=True, timeout=runner.LIMIT_S,
                       stdout=subprocess.DEVNULL, env=env)
        subprocess.run(['meson', 'test', '-C', build], check=False, timeout=runner.LIMIT_S,
                       stdout=subprocess.DEVNULL, env=env)
        log = (build / 'meson-logs' / 'testlog.json').read_text().splitlines()
        found = [json.loads(line) for line in log]
        return {entry['name'].rpartition(':')[2].strip().rpartition(' ')[2]: entry['result']
                for entry in found}

    def test_D02_a_skip_is_a_skip(self):
        """Whatever the cause, a skipped test is no OK, and one that fails is no skip."""
        stint, no = runner.STINT, ['--no-huge', '-l', '0', '--']
        tests = [
            ('lcores', stint, ['-l', '0', '--', TWO], 'SKIP'),
            # one turn of 32 lcores takes longer than that
            ('budget', stint, ['--no-huge', '--lcores', '(0-31)@0', '--', '--budget', '1ms',
                               '--points', 'cores=32', PERF], 'SKIP'),
            ('memory', stint, ['-l', '0', '-m', '99999999', '--', FAST], 'SKIP'),
            ('all', stint, ['-l', '0', '--', TWO, TWO], 'SKIP'),
            ('own', OUTCOMES, [*no, SKIP], 'SKIP'),
            ('some', OUTCOMES, [*no, SKIP, PASS], 'OK'),
            ('pass', OUTCOMES, [*no, PASS], 'OK'),
            ('fast', stint, [*no, FAST], 'OK'),
            ('fail', OUTCOMES, [*no, FAIL], 'FAIL'),
            ('mixed', OUTCOMES, [*no, SKIP, FAIL, PASS], 'FAIL'),
            ('usage', stint, [*no, 'nosuch_autotest'], 'FAIL'),
        ]
        if runner.may_mount():
            tests.append(('pages', 'unshare', [*runner.fake_pages(0)[1:], stint, '-l', '0', '--',
                                               PERF], 'SKIP'))
            tests.append(('start', 'unshare', [*runner.mounted('tmpfs', '/sys', 'ro')[1:], stint,
                                               '-l', '0', '--', FAST], 'ERROR'))
        self.assertEqual(self.results([test[:3] for test in tests]),
                         {name: result for name, _, _, result in tests})

    def test_D14_meson_shows_tests_that_a_user_skips(self):
        """The variable alone decides: nothing is built or configured anew."""
        no = ['--no-huge', '-l', '0', '--']
        tests = [(name, OUTCOMES, [*no, *words]) for name, words in
                 (('one', [PASS]), ('other', [SKIP, PASS]), ('bad', [FAIL]), ('both',
                                                                            [PASS, FAIL]))]
        self.assertEqual(self.results(tests, DPDK_TEST_SKIP=f'{FAIL},{SKIP}'),
                         {'one': 'OK', 'other': 'OK', 'bad': 'SKIP', 'both': 'OK'})


class Lists(runner.Case):
    EAL = '--no-huge -l 0'

    def named(self, result):
        """Tests that a run tells of, with their outcome, in order."""
        return re.findall(r'^(\w+_autotest\w*): (pass|fail|skip)\b', result.stdout, re.M)

    def test_D03_a_skip_stops_nothing(self):
        """All tests of a list are run wherever the one stands that skips, or fails."""
        for tests in ([SKIP, PASS], [PASS, SKIP], [SKIP, SKIP, PASS], [PASS, SKIP, PASS],
                      [FAIL, PASS, SKIP], [SKIP, FAIL, PASS], [SKIP, SKIP]):
            right = [(test, STATUS[test]) for test in tests]
            for how, result in (
                    ('argv', outcomes(f'{self.EAL} --', *tests)),
                    ('variable', outcomes(f'{self.EAL} --', tests[-1],
                                          variables={'DPDK_TEST': ','.join(tests[:-1])})),
                    ('prompt', outcomes(self.EAL, input='\n'.join(tests) + '\n'))):
                with self.subTest(tests=tests, how=how):
                    self.assertEqual(self.named(result), right)
                    self.assert_exit(result, code_of(tests))

    def test_D03_a_shortfall_stops_nothing(self):
        """The same with tests that cannot run here for want of lcores or drivers."""
        result = runner.stint(f'{self.EAL} -- --budget 100ms {TWO} {FAST} {TWO} {PERF}')
        self.assert_exit(result, 0)
        self.assertEqual([status for _, status in self.named(result)],
                         ['skip', 'pass', 'skip', 'pass'])

    def test_D04_totals_add_up(self):
        """Passed, failed and skipped ones make up all, on the last line and in the run file."""
        for number in (2, 3):
            for tests in itertools.combinations_with_replacement((PASS, FAIL, SKIP), number):
                with self.subTest(tests=tests):
                    counts = [tests.count(test) for test in (PASS, FAIL, SKIP)]
                    path = self.folder / ('-'.join(tests) + '.ndjson')
                    result = outcomes(f'{self.EAL} -- --results {path}', *tests)
                    self.assert_exit(result, code_of(tests))
                    self.assert_totals(result.stdout.splitlines()[-1], counts)
                    shown = runner.show(path)
                    self.assert_totals(shown.stdout.splitlines()[-1], counts)
                    found = [record['status'] for record in runner.records(path, 'result')]
                    self.assertEqual([found.count(status) for status in STATUS.values()], counts)

    def test_D03_points_that_a_fixture_cannot_measure(self):
        """Known once it is set up: skipped by the reason that it gives, and not visited."""
        path = self.folder / 'able.ndjson'
        command = f'{self.EAL} -- --results {path} --budget 200ms able_perf_autotest'
        self.assert_exit(outcomes(command), 0)
        skip, = runner.records(path, 'skip')
        self.assertEqual((skip['point'], skip['reason']),
                         ({'side': 'unable'}, 'the fixture has no such side'))
        self.assertEqual({sample['point']['side'] for sample in runner.records(path, 'sample')},
                         {'able'})
        result, = runner.records(path, 'result')
        self.assertEqual([result[name] for name in ('points', 'points_done', 'points_skipped')],
                         [2, 1, 1])
        result = outcomes(f'{self.EAL} -- --budget 60s --points side=unable able_perf_autotest')
        self.assert_exit(result, 77)
        self.assertIn('skip: the fixture has no such side', result.stdout)

    def test_D04_totals_of_skips_that_a_user_asked_for(self):
        """They count as skipped, also in the run file."""
        path = self.folder / 'a.ndjson'
        result = outcomes(f'{self.EAL} -- --results {path} {PASS} {FAIL} {PASS}',
                          variables={'DPDK_TEST_SKIP': FAIL})
        self.assert_exit(result, 0)
        self.assert_totals(result.stdout.splitlines()[-1], [2, 0, 1])
        self.assert_totals(runner.show(path).stdout.splitlines()[-1], [2, 0, 1])

    def test_D04_totals_of_points(self):
        """Points that were measured, skipped and left make up all, too."""
        path, _ = self.measured(f'{self.EAL} -- --budget 100ms mempool_perf_autotest')
        result, = runner.records(path, 'result')
        self.assertGreater(result['points_skipped'], 0)
        measured = {json.dumps(sample['point']) for sample in runner.records(path, 'sample')}
        self.assertEqual(result['points_done'], len(measured))
        self.assertLessEqual(result['points_done'] + result['points_skipped'], result['points'])
        plan, = runner.records(path, 'plan')
        self.assertEqual(plan['points'], result['points'])
        skipped = {json.dumps(skip['point']) for skip in runner.records(path, 'skip')}
        self.assertEqual(len(skipped), result['points_skipped'])
        self.assertFalse(skipped & measured)

    def assert_totals(self, line, counts):
        self.assertEqual(line, '{} passed, {} failed, {} skipped'.format(*counts))

    def test_D06_wrong_name(self):
        """Exit code 2 at once with near matches: no prompt, no test is run, wherever it stands."""
        near = 'reciprocal_division_autotest'
        for argv, variables, word in [
                ('reciprocal_division_autotes', {}, near),
                (f'{FAST} reciprocal_divison_autotest', {}, near),
                ('', {'DPDK_TEST': 'nosuch'}, 'nosuch'),
                ('', {'DPDK_TEST': 'reciprocal_divisio_autotest'}, near),
                ('', {'DPDK_TEST': f'{FAST},nosuch'}, 'nosuch'),
                (FAST, {'DPDK_TEST': 'nosuch'}, 'nosuch'),
                (FAST, {'DPDK_TEST_SKIP': 'nosuch'}, 'nosuch'),
                ('', {'DPDK_TEST': FAST.upper()}, FAST.upper()),
                ('', {'DPDK_TEST': f'"{FAST}"'}, 'DPDK_TEST')]:
            with self.subTest(argv=argv, variables=variables):
                took = []
                while len(took) < 3 and (not took or min(took) >= AT_ONCE_S):
                    begin = time.monotonic()
                    result = runner.stint(f'-l 0 -- {argv}', **variables)
                    took.append(time.monotonic() - begin)
                self.assert_exit(result, 2)
                self.assertEqual(result.stdout, '')
                self.assertRegex(result.stderr, r'\Astint: [^\n]+\n\Z')
                self.assertIn(word, result.stderr)
                self.assertLess(min(took), AT_ONCE_S)

    def test_D06_wrong_name_from_a_pipe(self):
        """A command that is none ends the run; that stays to be seen after tests that pass."""
        for lines in ('nosuch\n', f'{FAST}\nnosuch\n{FAST}\n', f'{FAST} {FAST}\n'):
            with self.subTest(lines=lines):
                result = runner.stint('--no-huge -l 0', stdin=lines)
                self.assertNotIn(result.returncode, (0, 77))
                self.assertRegex(result.stderr, r'\Astint: [^\n]+\n\Z')

    def test_D14_tests_that_a_user_skips(self):
        """Named in a variable: reported as skipped, with the reason; the others run."""
        for tests, skip in [([PASS], PASS), ([FAIL], FAIL), ([FAIL, PASS], FAIL),
                            ([PASS, FAIL, PASS], f'{FAIL},{SKIP}'), ([PASS], f' {PASS} '),
                            ([PASS, FAIL], f'{FAIL},,{PASS},')]:
            with self.subTest(tests=tests, skip=skip):
                result = outcomes(f'{self.EAL} --', *tests, variables={'DPDK_TEST_SKIP': skip})
                skipped = [test for test in tests if test in re.split('[ ,]+', skip)]
                self.assert_exit(result, 77 if skipped == tests else 0)
                lines = re.findall(r'^(\w+): skip: (.*)$', result.stdout, re.M)
                self.assertEqual([test for test, _ in lines], skipped)
                for _, reason in lines:
                    self.assertIn('DPDK_TEST_SKIP', reason)
        result = outcomes(f'{self.EAL} -- {PASS}', variables={'DPDK_TEST_SKIP': 'nosuch'})
        self.assert_exit(result, 2)


class Start(leavings.Case):
    """EAL does not start: that is never the fault of a test."""

    def refused(self, result, code, *words):
        self.assert_exit(result, code)
        self.assertEqual(result.stdout, '')
        self.assertRegex(result.stderr, r'\Astint: [^\n]+\n\Z')
        for word in words:
            self.assertRegex(result.stderr, word)

    def test_D08_few_descriptors(self):
        """A skip that names the limit, or enough to run: for no number a panic."""
        codes = []
        for limit in (4, 6, 8, 12, 16, 24, 32, 48, 64, 256):
            with self.subTest(limit=limit):
                result = runner.stint(f'--no-huge -l 0 -- {FAST}',
                                      prefix=('prlimit', f'--nofile={limit}'))
                codes.append(result.returncode)
                self.assertIn(result.returncode, (0, 77))
                if result.returncode == 77:
                    self.assertRegex(result.stderr, r'\Astint: skip: [^\n]*descriptors[^\n]*\n\Z')
        # too few up to some number, enough from there on
        self.assertEqual(codes, sorted(codes, reverse=True))
        self.assertEqual((codes[0], codes[-1]), (77, 0))

    def test_D08_abort_inside_the_start(self):
        """Whatever ends the process there is told apart from a test that fails."""
        kinds = ['abort', f'signal {signal.SIGABRT:d}']
        if not ASAN:
            # the sanitizer takes these itself
            kinds += [f'signal {signum:d}' for signum in (signal.SIGBUS, signal.SIGSEGV,
                                                         signal.SIGFPE, signal.SIGILL)]
        self.each_fault(kinds)

    def test_D08_exit_inside_the_start(self):
        """A driver may call exit(): its code is not that of a test."""
        self.each_fault(['exit 0', 'exit 1', 'exit 77'])

    def each_fault(self, kinds):
        for kind in kinds:
            with self.subTest(kind=kind):
                path = self.folder / f'{kind}.ndjson'
                result = self.run_with_fault(f'-l 0 -- --results "{path}" {FAST}',
                                             FAULT_PROBING=kind)
                self.refused(result, 99, 'EAL')
                end = runner.records(path)[-1]
                self.assertEqual((end['type'], end['exit'], end['signal']), ('end', 99, 0))
        self.assert_nothing_left()

    def test_D08_panic_of_a_driver(self):
        """A driver that aborts when it is loaded."""
        if not self.room:
            self.skipTest('needs root and mount namespaces')
        # EAL loads nothing from where anyone may write
        folder = self.room.look('/run/driver')
        folder.mkdir()
        (folder / 'driver.so').write_bytes(pathlib.Path(START_FAULT).read_bytes())
        for kind in ('abort', 'exit 1', 'exit 0'):
            with self.subTest(kind=kind):
                result = self.run_with_fault(f'-l 0 -d /run/driver/driver.so -- {FAST}',
                                             preload=False, FAULT_LOADED=kind)
                self.refused(result, 99, r'driver\.so|EAL')

    def run_with_fault(self, command, preload=True, **variables):
        # a start that is broken off gives nothing back
        variables['ASAN_OPTIONS'] = 'verify_asan_link_order=0:detect_leaks=0'
        if preload:
            variables['LD_PRELOAD'] = START_FAULT
        words = [f'{name}={value}' for name, value in variables.items()]
        return runner.stint(command, prefix=(*self.prefix(), 'env', *words))

    @needs_drivers
    def test_D10_drivers_that_are_not_there(self):
        """A skip that names driver and folder, no failure, and nothing about memory."""
        for pattern, test, eal in (('*', 'mempool_autotest', '-l 0'),
                                   ('*', 'mempool_perf_autotest', '--no-huge -m 256 -l 0'),
                                   ('librte_mempool_ring*', 'mempool_autotest', '--no-huge -l 0'),
                                   ('librte_mempool_ring*', ONE, '-l 0')):
            with self.subTest(hidden=pattern, test=test, eal=eal):
                result = runner.stint(f'{eal} -- --quiet --budget 100ms {test}',
                                      prefix=without_drivers(pattern))
                self.assert_exit(result, 77)
                self.assertRegex(result.stdout, rf'^{test}: skip: .*librte_mempool_ring')
                self.assertIn(str(driver_folder()), result.stdout)
                self.assertNotRegex(result.stdout + result.stderr, r'MiB|hugepage')

    @needs_drivers
    def test_D10_one_of_several_drivers(self):
        """A driver that only a part of a test wants: never a failure."""
        for test in ('mempool_autotest', ONE):
            with self.subTest(test=test):
                result = runner.stint(f'--no-huge -m 256 -l 0 -- --quiet --budget 100ms {test}',
                                      prefix=without_drivers('librte_mempool_stack*'))
                self.assertIn(result.returncode, (0, 77), result.stdout)

    @needs_drivers
    def test_D10_a_driver_that_cannot_be_loaded(self):
        """EAL does not start with a broken one in its folder: that was not what was asked."""
        spoil = ('sh', '-c', 'echo >"$1/librte_net_broken.so"; shift; exec "$@"', 'sh',
                 str(driver_folder()))
        result = runner.stint(f'--no-huge -l 0 -- {FAST}',
                              prefix=(*without_drivers('nothing'), *spoil))
        self.refused(result, 99, 'librte_net_broken|plugin')
        self.assertNotIn('-d', result.stderr)

    @needs_drivers
    def test_D10_what_needs_no_driver_runs(self):
        """Tests that do not use the missing one pass in the same run."""
        result = runner.stint(f'--no-huge -l 0 -- --quiet --budget 100ms mempool_autotest {FAST} '
                              f'{PERF}', prefix=without_drivers('*'))
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout.splitlines()[-1], '2 passed, 0 failed, 1 skipped')

    def test_D11_a_named_device_that_does_not_probe(self):
        """Wrong usage that names it, though EAL would start without it."""
        for option, word in [('--vdev=net_af_packet0,iface=nosuch', 'net_af_packet0'),
                             ('--vdev=net_null0,nosuch=1', 'net_null0'),
                             ('--vdev=net_memif0,role=nosuch', 'net_memif0'),
                             ('--vdev=net_nosuch0', 'net_nosuch0'),
                             ('--vdev=net_null0 --vdev=net_null1,nosuch=1', 'net_null1'),
                             ('-a 0000:ff:1f.7', '0000:ff:1f.7'), ('-a xyz', 'xyz')]:
            with self.subTest(option=option):
                result = runner.stint(f'--no-huge -l 0 {option} -- {FAST}')
                self.refused(result, 2, re.escape(word))
        for option in ('--vdev=net_null0', '--vdev=net_ring0 --vdev=net_ring1', '-b 0000:ff:1f.7'):
            with self.subTest(option=option):
                self.assert_exit(runner.stint(f'--no-huge -l 0 {option} -- {FAST}'), 0)

    def test_D13_a_wrong_list_of_lcores(self):
        """Wrong usage in one line that names what was typed: no panic, no pages of help."""
        beyond = os.cpu_count()
        for option, word in [(f'-l 0-{beyond + 1}', f'0-{beyond + 1}|{beyond}'),
                             (f'-l {beyond}', beyond), (f'-l 0,{beyond + 5}', beyond + 5),
                             ('-l 0-', '0-'), ('-l ""', '-l'), ('-l x', 'x'), ('-l 0,,0x', '0x'),
                             ('-l 1-0', '1-0'), ('-l -1', '-1'), ('-l 99999999999', '99999999999'),
                             ('-c 0', '-c'), ('-c 0xg', '0xg'), (f'-c {1 << beyond:#x}', beyond),
                             (f"--lcores '0@{beyond + 3}'", beyond + 3),
                             ("--lcores '(0-1)@'", r'\(0-1\)@'), ("--lcores '(0'", r'\(0'),
                             ('-l 0 --main-lcore 7', 'main'), ('-l 0 -c 1', '-l|-c')]:
            with self.subTest(option=option):
                self.refused(runner.stint(f'--no-huge {option} -- {FAST}'), 2, str(word))


if __name__ == '__main__':
    runner.main()
