# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""buildtools/run-suite: usage, exit codes, build folders. A script stands in for meson."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import run_suite

BUILDTOOLS = os.path.dirname(os.path.abspath(run_suite.__file__))

# arguments, exit code, in the output
USAGE = [
    (['--help'], 0, 'usage: '),
    (['-h'], 0, 'perf-tests'),
    ([], 2, 'fast-tests perf-tests cases cases-brief'),
    (['--'], 2, 'fast-tests perf-tests cases cases-brief'),
    (['fast'], 2, "unknown suite 'fast', there are: fast-tests perf-tests cases cases-brief"),
    (['fast-tests', 'perf'], 2, "unknown suite 'perf'"),
    (['--nosuch'], 2, "unknown suite '--nosuch'"),
]

# results that meson logs, its exit code, exit code of the run, closing line
RUNS = [
    ('OK OK SKIP', 0, 0, '2 passed, 0 failed, 1 skipped'),
    ('OK FAIL', 1, 1, '1 passed, 1 failed, 0 skipped'),
    ('OK TIMEOUT ERROR ERROR', 3, 1, '1 passed, 3 failed, 0 skipped'),
    ('SKIP SKIP', 0, 77, '0 passed, 0 failed, 2 skipped'),
    ('', 0, 77, '0 passed, 0 failed, 0 skipped'),
    ('', 2, 2, '0 passed, 0 failed, 0 skipped'),
]

# logs what RESULTS says; with SIGNAL: sends that to its parent, and is to be ended by SIGTERM
MESON = f'''#!{sys.executable} -B
import json, os, signal, sys
def log(*results):
    with open(os.environ['BUILD'] + '/meson-logs/testlog.json', 'a') as file:
        for result in results:
            print(json.dumps({{'name': 'x', 'result': result}}), file=file)
def end(signum, frame):
    log('INTERRUPT')
    sys.exit(1)
signal.signal(signal.SIGTERM, end)
log(*os.environ['RESULTS'].split())
if os.environ['SIGNAL']:
    os.kill(os.getppid(), signal.Signals['SIG' + os.environ['SIGNAL']])
    signal.pause()
sys.exit(int(os.environ['CODE']))
'''

RUN = '''import sys, run_suite
run_suite.signals.install()
sys.exit(run_suite.run_tests(sys.argv[1], ['fast-tests'], []))
'''


class Usage(unittest.TestCase):
    def test_usage(self):
        for arguments, code, text in USAGE:
            with self.subTest(arguments=arguments):
                result = subprocess.run([os.path.join(BUILDTOOLS, 'run-suite'), *arguments],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, check=False)
                self.assertEqual(result.returncode, code)
                self.assertIn(text, result.stdout)
                if code:
                    self.assertEqual(result.stdout.count('\n'), 1)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='a b')
        self.addCleanup(folder.cleanup)
        self.build = folder.name

    def write(self, path, text):
        path = pathlib.Path(self.build, path)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path


class Runs(Folder):
    def run_with(self, results, code, signal=''):
        self.write('meson-logs/old.json', json.dumps({'result': 'FAIL'}))
        pathlib.Path(self.build, 'meson-logs/testlog.json').unlink(missing_ok=True)
        self.write('bin/meson', MESON).chmod(0o755)
        env = dict(os.environ, RESULTS=results, CODE=str(code), SIGNAL=signal, BUILD=self.build,
                   PATH=f"{self.build}/bin:{os.environ['PATH']}")
        return subprocess.run([sys.executable, '-B', '-c', RUN, self.build], cwd=BUILDTOOLS,
                              env=env, stdout=subprocess.PIPE, text=True, check=False)

    def test_exit_code_and_closing_line(self):
        for results, meson_code, code, closing in RUNS:
            with self.subTest(results=results):
                result = self.run_with(results, meson_code)
                self.assertEqual(result.returncode, code)
                self.assertEqual(result.stdout.rstrip('\n').split('\n')[-1], closing)
                self.assertEqual('NOTHING RAN' in result.stdout,
                                 'OK' not in results and 'FAIL' not in results)

    def test_signals(self):
        for signal, code in (('INT', 130), ('TERM', 143), ('HUP', 129)):
            with self.subTest(signal=signal):
                result = self.run_with('OK', 0, signal)
                self.assertEqual(result.returncode, code)
                self.assertEqual(result.stdout, '1 passed, 1 failed, 0 skipped\n')


class BuildFolder(Folder):
    def test_old_options(self):
        self.assertEqual(run_suite.old_options(self.build), [])
        path = 'meson-private/cmd_line.txt'
        for text, options in [('[options]\nbuildtype = debug\nc_args = -DX=1 -O%s\n',
                               ['-Dbuildtype=debug', '-Dc_args=-DX=1 -O%s']),
                              ('[properties]\n', []), ('buildtype = debug\n', []), ('', [])]:
            with self.subTest(text=text):
                self.write(path, text)
                self.assertEqual(run_suite.old_options(self.build), options)

    def test_source_of(self):
        self.assertIsNone(run_suite.source_of(self.build))
        for text, source in [('{"directories": {"source": "/x"}}', '/x'), ('{}', None),
                             ('{"directo', None), ('[]', None)]:
            with self.subTest(text=text):
                self.write('meson-info/meson-info.json', text)
                self.assertEqual(run_suite.source_of(self.build), source)


if __name__ == '__main__':
    unittest.main()
