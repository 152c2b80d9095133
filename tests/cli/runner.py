# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Runs the built programs as a user does, for the tests of this folder."""

import functools
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
import unittest

STINT = os.environ['STINT_EXE']
STINTSTAT = os.environ['STINTSTAT_EXE']

# catches hangs only
LIMIT_S = 60

# four points, no memory to speak of
POINTS = 'harness_perf_autotest'
FAST = 'reciprocal_division_autotest'

# EAL sees any number of pages of 2 MiB: FREE, then a command
FAKE_PAGES = '''
pages=$1 dir=$(mktemp -d) pool=$dir/hugepages-2048kB
shift
mkdir $pool
for file in nr free resv surplus; do echo 0 >$pool/${file}_hugepages; done
echo $pages >$pool/nr_hugepages
echo $pages >$pool/free_hugepages
echo 0 >$pool/nr_overcommit_hugepages
mount --bind $dir /sys/kernel/mm/hugepages
for node in /sys/devices/system/node/node*/hugepages; do mount --bind $dir $node; done
exec "$@"
'''


# 32 lcores of the mempool tests take 346 MiB
POOL_PAGES = 200


# most commands name it
if 0 not in os.sched_getaffinity(0):
    print('skip: needs CPU 0; the allowed ones are', *sorted(os.sched_getaffinity(0)))
    sys.exit(77)


def need_pool():
    """Without a pool of hugepages there is nothing to measure: the whole file is skipped."""
    try:
        with open('/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages',
                  encoding='ascii') as file:
            free = int(file.read())
    except OSError:
        free = 0
    if free < POOL_PAGES:
        print(f'skip: needs {POOL_PAGES} hugepages of 2 MiB, have {free}; '
              f'sysctl vm.nr_hugepages={POOL_PAGES}')
        sys.exit(77)


def words(command, *more):
    """`command` is split as a shell would, `more` is taken as it is."""
    return [STINT, *shlex.split(command), *map(str, more)]


def environment(**variables):
    """The caller's, without what the runner reads from it."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(('DPDK_TEST', 'STINT_'))}
    return {**env, **variables}


def stint(command='', *more, prefix=(), limit_s=LIMIT_S, stdin='', **variables):
    return subprocess.run([*prefix, *words(command, *more)], env=environment(**variables),
                          input=stdin, capture_output=True, text=True, timeout=limit_s,
                          check=False)


def started(command, *more, prefix=(), **options):
    """Goes on by itself; ended by the caller, who waits for a condition."""
    options = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE,
               'stderr': subprocess.PIPE, 'text': True, **options}
    return subprocess.Popen([*prefix, *words(command, *more)], env=environment(), **options)


def stintstat(*arguments):
    return subprocess.run([STINTSTAT, *map(str, arguments)], capture_output=True, text=True,
                          timeout=LIMIT_S, check=False)


def show(path):
    return stintstat('show', path)


def records(path, kind=None):
    with open(path, encoding='utf-8') as file:
        lines = [json.loads(line) for line in file]
    return [record for record in lines if kind in (None, record['type'])]


def plan(command):
    return json.loads(stint(command.replace('-- ', '-- --plan --json ')).stdout)


def await_true(condition, what):
    end = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.002)


@functools.cache
def may_mount():
    return os.geteuid() == 0 and subprocess.run(
        ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none /mnt'], check=False,
        stderr=subprocess.DEVNULL).returncode == 0


@functools.cache
def free_mib():
    pools = pathlib.Path('/sys/kernel/mm/hugepages').glob('hugepages-*kB/free_hugepages')
    return sum(int(pool.read_text()) * int(pool.parent.name[10:-2]) for pool in pools) >> 10


def fake_pages(pages):
    return ('unshare', '--mount', 'sh', '-c', FAKE_PAGES, 'sh', str(pages))


def mounted(kind, where, options='mode=755'):
    """Prefix of a command that has a file system of its own there."""
    return ('unshare', '--mount', 'sh', '-c',
            'mount -t $1 -o "$2" none "$3" && shift 3 && exec "$@"', 'sh', kind, options, where)


needs_mounts = unittest.skipUnless(may_mount(), 'needs root and mount namespaces')
needs_hugepages = unittest.skipUnless(free_mib() >= 128,
                                      f'needs 128 MiB of hugepages, have {free_mib()}')
needs_two_cpus = unittest.skipUnless({0, 1} <= os.sched_getaffinity(0), 'needs CPUs 0 and 1')


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='stint-test-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_exit(self, result, code):
        self.assertEqual(result.returncode, code, f'{result.args}\n{result.stdout[-2000:]}\n'
                         f'{result.stderr[-2000:]}')

    def measured(self, command, *more, code=0, **options):
        """Runs with a new run file; gives its path and the result."""
        path = self.folder / f'{len(list(self.folder.iterdir()))}.ndjson'
        before, dashes, after = command.partition('-- ')
        result = stint(f'{before}{dashes}--results {path} {after}', *more, **options)
        self.assert_exit(result, code)
        return path, result


def main():
    result = unittest.main(exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if len(result.skipped) == result.testsRun else 0)
