# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Builds: optimised more or less, sanitized, and done when they are done."""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import runner

ASAN = os.environ.get('STINT_ASAN') == '1'
BUILD = pathlib.Path(os.environ['STINT_BUILD_DIR'])
SOURCE = pathlib.Path(__file__).resolve().parents[2]
PERF = runner.POINTS
# a build on a busy machine
BUILD_LIMIT_S = 280

# how memory may be held
EALS = ('--no-huge -m 128 -l 0', '--in-memory -l 0', '-l 0')


def tool(*command, **options):
    """Output of a command that has to succeed."""
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                            timeout=BUILD_LIMIT_S, **options)
    if result.returncode != 0:
        raise AssertionError(f'{result.args}: {result.returncode}\n{result.stdout[-3000:]}')
    return result.stdout


@functools.cache
def fast_tests():
    """Those that run under ASan, too."""
    listing = json.loads(runner.stint('-- --list --json').stdout)
    return [test['name'] for test in listing if test['suite'] == 'fast-tests' and test['asan']]


@functools.cache
def optimisation():
    """Of the build folder that is there."""
    options = json.loads(tool('meson', 'introspect', '--buildoptions', BUILD))
    return next(option['value'] for option in options if option['name'] == 'optimization')


def is_build_folder():
    return shutil.which('ninja') and (BUILD / 'build.ninja').exists()


needs_build = unittest.skipUnless(is_build_folder(), 'needs a build folder of ninja')


class Builds(runner.Case):
    def build(self, *options):
        """A build folder of its own with the runner in it."""
        folder = tempfile.TemporaryDirectory(prefix='stint-build-')
        self.addCleanup(folder.cleanup)
        tool('meson', 'setup', '-Dtests=false', *options, folder.name, SOURCE)
        tool('ninja', '-C', folder.name, 'app/stint/stint')
        return pathlib.Path(folder.name)

    def run_in(self, build, command, *more, **variables):
        """As runner.stint() does, with that runner."""
        words = [build / 'app' / 'stint' / 'stint', *runner.words(command, *more)[1:]]
        return subprocess.run(words, env=runner.environment(**variables), input='', text=True,
                              capture_output=True, timeout=runner.LIMIT_S, check=False)

    def outcomes(self, build, eal):
        """Of each fast test, and how many points a perf test has."""
        result = self.run_in(build, f'{eal} -- --quiet --budget 100ms --seed 1', *fast_tests(),
                             PERF)
        self.assert_exit(result, 0)
        self.assertEqual(result.stderr, '')
        return re.findall(r'^(\w+): (pass|fail|skip), (\d+) of (\d+) points', result.stdout, re.M)

    @needs_build
    @unittest.skipIf(ASAN, 'the sanitizer is for one optimisation')
    def test_K05_levels_of_optimisation_agree(self):
        """The fast tests give the same at -O0, -O2 and -O3."""
        found = {}
        for level in ('0', '2', '3'):
            with self.subTest(level=level):
                build = BUILD
                if level != optimisation():
                    build = self.build(f'-Doptimization={level}')
                found[level] = self.outcomes(build, '--no-huge -m 128 -l 0')
                self.assertEqual(len(found[level]), len(fast_tests()) + 1)
                # the same folder again: nothing to be done
                self.assertIn('no work to do', tool('ninja', '-C', build, 'app/stint/stint'))
        self.assertEqual(found['0'], found['2'])
        self.assertEqual(found['2'], found['3'])

    @needs_build
    @unittest.skipUnless(ASAN, 'is for a build with -Db_sanitize=address, as CI makes it')
    def test_K01_under_address_sanitizer(self):
        """Fast tests that say so, and measuring, with each kind of memory: no report."""
        build = BUILD
        for eal in EALS:
            with self.subTest(eal=eal):
                result = self.run_in(build, f'{eal} -- --quiet --budget 100ms', *fast_tests(), PERF)
                self.assertNotRegex(result.stdout + result.stderr, r'Sanitizer|runtime error')
                self.assertNotIn(result.returncode, (1, 99), result.stderr)
                short = runner.free_mib() < 64 and 'no-huge' not in eal
                self.assertIn(result.returncode, (0, 77) if short else (0,), result.stdout)
        for command, code in ((f'--no-huge -l 0 -- {fast_tests()[0]}x', 2), ('-- --list', 0),
                              ('-- --plan', 0), ('--help', 0), ('--no-huge -l 0', 0)):
            with self.subTest(command=command):
                result = self.run_in(build, command)
                self.assert_exit(result, code)
                self.assertNotIn('Sanitizer', result.stderr)

    @needs_build
    def test_K06_a_build_is_done(self):
        """Building again does nothing, whatever /sys and /proc say meanwhile."""
        tool('ninja', '-C', BUILD)
        self.assertIn('no work to do', tool('ninja', '-C', BUILD))
        self.assertIn('no work to do', tool('ninja', '-C', BUILD, 'build.ninja'))

    @needs_build
    def test_K06_no_build_depends_on_the_machine(self):
        """No file of /sys, /proc, /dev or /run is an input of any step."""
        names = json.loads(tool('meson', 'introspect', '--buildsystem-files', BUILD))
        names += tool('ninja', '-C', BUILD, '-t', 'deps').split()
        names += re.findall(r'\S+', (BUILD / 'build.ninja').read_text())
        found = [name for name in names if re.match(r'/(sys|proc|dev|run)/', name)]
        self.assertEqual([name for name in found if name != '/dev/null'], [])


class AddressesOfMemory(runner.Case):
    def test_K03_no_huge_with_physical_addresses(self):
        """They do not go together: one line says so, and nothing is run."""
        for eal in ('--no-huge --iova-mode=pa', '--iova-mode=pa --no-huge -m 64',
                    '--no-huge --iova-mode pa', '--iova-mode=nosuch', '--iova-mode='):
            with self.subTest(eal=eal):
                result = runner.stint(f'{eal} -l 0 -- {runner.FAST}')
                self.assert_exit(result, 2)
                self.assertEqual(result.stdout, '')
                self.assertRegex(result.stderr, r'\Astint: [^\n]*iova-mode[^\n]*\n\Z')

    def test_K03_virtual_addresses_without_hugepages(self):
        """What EAL has to be told on some machines, the user has not to know."""
        starts = [('--no-huge -l 0', ()), ('--no-huge -m 64 -l 0', ()),
                  ('--no-huge --iova-mode=va -l 0', ())]
        if runner.may_mount():
            starts.append(('-l 0', runner.fake_pages(0)))
        for eal, prefix in starts:
            with self.subTest(eal=eal, prefix=prefix):
                result = runner.stint(f'{eal} -- --verbose {runner.FAST}', prefix=prefix)
                self.assert_exit(result, 0)
                self.assertIn("IOVA mode 'VA'", result.stderr)


if __name__ == '__main__':
    runner.main()
