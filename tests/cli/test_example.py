# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""The example of the guide, built against an installed Stint: test_example.py SOURCE_ROOT."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = sys.argv[1]
EXAMPLE = os.path.join(ROOT, 'doc', 'examples')
# most lines of C that a perf test takes, without comments and lone braces
LINES = 40


def run(command, **options):
    """Returns the output; a command that fails or hangs fails the test, and tells why."""
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
                            **options)
    if result.returncode != 0:
        raise AssertionError(f'{shlex.join(command)}: {result.returncode}\n{result.stdout}')
    return result.stdout


@unittest.skipUnless(0 in os.sched_getaffinity(0), 'needs CPU 0')
class Example(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix='stint-example')
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = os.path.join(cls.folder, 'prefix')
        build = os.path.join(cls.folder, 'build')
        run(['meson', 'setup', f'--prefix={cls.prefix}', '--libdir=lib', '-Dbuildtype=plain',
             '-Ddefault_library=both', '-Dtests=false', build, ROOT])
        run(['ninja', '-C', build, 'install'])
        cls.env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(cls.prefix, 'lib'),
                       PKG_CONFIG_PATH=os.path.join(cls.prefix, 'lib', 'pkgconfig'))
        for name in ('STINT_BUDGET', 'STINT_LIMIT', 'STINT_RESULTS', 'DPDK_TEST'):
            cls.env.pop(name, None)

    def flags(self, *options):
        return shlex.split(run(['pkg-config', *options, 'stint'], env=self.env))

    def check_program(self, program):
        listing = run([program, '--', '--list'], env=self.env)
        self.assertEqual([line.split()[0] for line in listing.splitlines()],
                         ['pause_perf_autotest', 'ring_perf_autotest'])
        about = run([program, '--', '--help', 'ring_perf_autotest'], env=self.env)
        self.assertRegex(about, r'\n  slots +slots of the ring; 128\.\.65536, default 1024\n')
        # bulks 1, 8 and 32 on one lcore: three points, of which each gets a value
        output = run([program, '--no-huge', '-l', '0', '--', '--budget', '100ms', '--points',
                      'cores=1', '--set', 'slots=256', 'ring_perf_autotest'],
                     env=self.env)
        self.assertRegex(output, r'\nring_perf_autotest: pass, 3 of 3 points, [1-9]')
        for bulk in (1, 8, 32):
            self.assertRegex(output, fr'\n  bulk={bulk} +cores=1 +[0-9.]+ [kMG] objects/s +\[')

    def test_meson_shared(self):
        build = os.path.join(self.folder, 'example')
        run(['meson', 'setup', '-Dwerror=true', build, EXAMPLE], env=self.env)
        run(['ninja', '-C', build], env=self.env)
        program = os.path.join(build, 'example')
        self.assertIn('libstint.so', run(['ldd', program], env=self.env))
        self.check_program(program)

    def test_static(self):
        """libstint.a; DPDK stays shared."""
        program = os.path.join(self.folder, 'static')
        archive = os.path.join(self.prefix, 'lib', 'libstint.a')
        sources = [os.path.join(EXAMPLE, name) for name in ('main.c', 'pause_perf.c',
                                                            'ring_perf.c')]
        run([*shlex.split(os.environ.get('CC', 'cc')), '-o', program, *self.flags('--cflags'),
             *sources, archive, *(flag for flag in self.flags('--libs') if flag != '-lstint'),
             *shlex.split(run(['pkg-config', '--libs', 'jansson'])), '-lm', '-pthread'])
        self.assertNotIn('libstint', run(['ldd', program], env=self.env))
        self.check_program(program)

    def test_short(self):
        for name in ('pause_perf.c', 'ring_perf.c'):
            with open(os.path.join(EXAMPLE, name), encoding='utf-8') as file:
                code = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.DOTALL)
            lines = [line for line in code.splitlines() if line.strip() not in ('', '{', '}')]
            self.assertLess(len(lines), LINES, name)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
