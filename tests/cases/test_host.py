# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""libstint in a program that has started EAL itself, and many runs in one process."""

import json
import os
import subprocess
import unittest

import runner

HOST = os.environ['STINT_HOST_EXE']
EAL = '--in-memory --no-telemetry --no-pci --file-prefix=stint'

RUNS = 12
# takes its time; what one run leaves shows in a few, too
SLOW = {'ec_autotest': 8}
# what has to be there for a test to be run
DEVICES = {'pmd_perf_autotest': '--vdev=net_ring0 --vdev=net_null0'}
# not 128 MiB of random bytes each time
OPTIONS = {'ec_perf_autotest': ('--set', 'k=4', '--set', 'm=2', '--points', 'place=warm')}


def host(eal, *words, limit_s=200, **variables):
    """EAL's words, then those of stint_run()."""
    return subprocess.run([HOST, *EAL.split(), *eal.split(), '--', *map(str, words)],
                          env=runner.environment(GLIBC_TUNABLES='glibc.malloc.tcache_count=0',
                                                 **variables),
                          capture_output=True, text=True, timeout=limit_s, check=False,
                          stdin=subprocess.DEVNULL)


def all_tests():
    return [test['name'] for test in json.loads(runner.stint('-- --list --json').stdout)]


@runner.needs_hugepages
class Host(runner.Case):
    @runner.needs_two_cpus
    def test_E13_many_runs(self):
        """No autotest leaves anything behind in its process, however often it is run."""
        for test in all_tests():
            with self.subTest(test=test):
                runs = SLOW.get(test, RUNS)
                result = host(f'-l 0-1 {DEVICES.get(test, "")}', runs, '--quiet', '--budget',
                              '10ms', *OPTIONS.get(test, ()), test)
                self.assert_exit(result, 0)
                self.assertIn(f'of {runs} runs passed', result.stderr)

    def test_E11_already_initialised(self):
        """The program's EAL is used: its lcores, its memory, its prefix."""
        path = self.folder / 'r.ndjson'
        result = host('-l 0 --socket-limit 64', 6, '--quiet', '--budget', '100ms', '--results',
                      self.folder, runner.FAST, 'mempool_perf_autotest_1core')
        self.assert_exit(result, 0)
        files = sorted(self.folder.iterdir())
        self.assertEqual(len(files), 12)
        for path in files:
            kinds = [record['type'] for record in runner.records(path)]
            self.assertEqual((kinds[0], kinds[-1]), ('run', 'end'), path)
            run, = runner.records(path, 'run')
            self.assertEqual([lcore['id'] for lcore in run['lcores']], [0])

    def test_E11_without_hugepages(self):
        result = subprocess.run(
            [HOST, *'--no-huge -m 64 --no-shconf --no-telemetry --no-pci --file-prefix=stint '
             '-l 0 -- 6 --quiet mempool_autotest'.split()],
            env=runner.environment(GLIBC_TUNABLES='glibc.malloc.tcache_count=0'),
            capture_output=True, text=True, timeout=60, check=False)
        self.assert_exit(result, 0)

    def test_E11_shortage(self):
        """What the program's EAL cannot give is a skip, though its limits are not known."""
        result = host('-l 0 --socket-limit 4', 6, '--quiet', '--budget', '50ms',
                      'mempool_perf_autotest_1core')
        self.assert_exit(result, 1)
        self.assertIn('0 of 6 runs passed', result.stderr)
        self.assertIn('skip: memory was refused; need 16 MiB', result.stdout)
        self.assertNotIn('fail', result.stdout)

    def test_E11_wrong_words(self):
        for words, text in ((['nosuch_autotest'], 'nosuch_autotest'), (['--nosuch'], '--nosuch')):
            with self.subTest(words=words):
                result = host('-l 0', 6, *words, runner.FAST)
                self.assert_exit(result, 1)
                self.assertIn(text, result.stderr)


if __name__ == '__main__':
    runner.main()
