# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Machines that are short of memory: each is a mount namespace that goes with what was made in it.

Commands run there with the `prefix` of a place, which they replace: the process that a test starts
is the one that it kills.
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import unittest

import runner

MIB = 1 << 20
PAGE_MIB = 2
SIZE = 2048
NOBODY = 65534

# mounts, says so, and lasts as long as its standard input
HOLDER = '''
cleanup=:
{script}
echo
cat
$cleanup
'''

# sees each SOURCE at its TARGET
BIND = '''
while [ $# -gt 0 ]; do mount --bind "$1" "$2" || exit 98; shift 2; done
'''

# a group of its own below the root of a hierarchy that is mounted nowhere else
CGROUP = '''
mount -t cgroup -o hugetlb none "$1" || exit 98
mkdir -p "$1/$2/inner" || exit 98
cleanup="rmdir $1/$2/inner $1/$2"
'''
JOIN = 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"'
# the limit counts, but the process cannot see it
JOIN_UNSEEN = 'echo $$ >"$1/cgroup.procs" && umount "$2" && shift 2 && exec "$@"'


class Place:
    def __init__(self, script, *arguments):
        self.holder = subprocess.Popen(
            ['unshare', '--mount', 'sh', '-c', HOLDER.format(script=script), 'sh',
             *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.prefix = ('nsenter', f'--mount=/proc/{self.holder.pid}/ns/mnt')
        if self.holder.stdout.readline() != '\n':
            raise unittest.SkipTest(f'cannot be mounted: {self.close().strip()}')

    def path(self, path):
        """A path of the place, for everybody."""
        return pathlib.Path(f'/proc/{self.holder.pid}/root{path}')

    def close(self):
        return self.holder.communicate()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def pool_files(folder, total, free, reserved=0, overcommit=0):
    folder.mkdir(parents=True)
    for name, pages in [('nr', total), ('free', free), ('resv', reserved), ('surplus', 0),
                        ('nr_overcommit', overcommit)]:
        (folder / f'{name}_hugepages').write_text(f'{pages}\n')


def make_node(folder, node, cpus, pools):
    """Like /sys/devices/system/node/nodeN, with pools {KiB: (total, free, reserved)}."""
    home = folder / f'node{node}'
    home.mkdir(parents=True)
    (home / 'cpulist').write_text(','.join(map(str, cpus)) + '\n')
    (home / 'meminfo').write_text(f'Node {node} MemTotal: 8000000 kB\n'
                                  f'Node {node} MemFree: 4000000 kB\n')
    for cpu in cpus:
        (home / f'cpu{cpu}').mkdir()
    for size, pool in pools.items():
        pool_files(home / 'hugepages' / f'hugepages-{size}kB', *pool)


def fake_nodes(folder, nodes, overcommit=0):
    """Place with nodes {id: (cpus, {KiB: (total, free, reserved)})} and their pages, none else."""
    totals = {}
    for node, (cpus, pools) in nodes.items():
        make_node(folder / 'nodes', node, cpus, pools)
        for size, pool in pools.items():
            totals[size] = [sum(pair) for pair in zip(totals.get(size, (0, 0, 0)), pool)]
    for size, pool in totals.items():
        pool_files(folder / 'pools' / f'hugepages-{size}kB', *pool, overcommit)
    return Place(BIND, folder / 'nodes', '/sys/devices/system/node', folder / 'pools',
                 '/sys/kernel/mm/hugepages')


def fake_pool(folder, total, free=None, reserved=0, overcommit=0):
    """One node with pages of 2 MiB."""
    free = total if free is None else free
    return fake_nodes(folder, {0: (range(os.cpu_count()), {SIZE: (total, free, reserved)})},
                      overcommit)


class Hugetlbfs(Place):
    """A hugetlbfs of its own; what is made in /run is gone with it."""

    def __init__(self, folder, options):
        self.folder = folder / 'huge'
        self.folder.mkdir()
        super().__init__('mount -t tmpfs none /run && mount -t hugetlbfs -o "$1" none "$2" || '
                         'exit 98', options, self.folder)
        self.option = f'--huge-dir {self.folder}'

    def page_files(self):
        return sorted(os.listdir(self.path(self.folder)))

    def run_folders(self):
        dpdk = self.path('/run/dpdk')
        return sorted(os.listdir(dpdk)) if dpdk.is_dir() else []


class HugetlbGroup(Place):
    """A hugetlb cgroup of version 1, with one inside it."""

    def __init__(self, folder):
        self.mount = folder / 'cgroup'
        self.mount.mkdir()
        self.name = f'stint-{os.getpid()}'
        try:
            super().__init__(CGROUP, self.mount, self.name)
        except unittest.SkipTest as reason:
            raise unittest.SkipTest(f'hugetlb controller {reason}') from None

    def limit(self, mib, kind='limit'):
        """`kind` is rsvd.limit for what is mapped, limit for what is touched."""
        self.path(f'{self.mount}/{self.name}/hugetlb.2MB.{kind}_in_bytes').write_text(
            f'{mib * MIB if mib is not None else -1}\n')

    def used_bytes(self):
        return int(self.path(f'{self.mount}/{self.name}/hugetlb.2MB.usage_in_bytes').read_text())

    def joined(self, inner=False):
        group = f'{self.mount}/{self.name}' + ('/inner' if inner else '')
        return (*self.prefix, 'sh', '-c', JOIN, 'sh', group)

    def joined_unseen(self):
        return (*self.prefix, 'unshare', '--mount', 'sh', '-c', JOIN_UNSEEN, 'sh',
                f'{self.mount}/{self.name}', str(self.mount))


@functools.cache
def other_user():
    """Prefix of a command that somebody without rights runs, of this user if that is no root."""
    if os.geteuid() != 0:
        return ()
    prefix = ('setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups',
              '--inh-caps=-all')
    if subprocess.run([*prefix, runner.STINT, '--', '--list'], check=False,
                      capture_output=True).returncode != 0:
        raise unittest.SkipTest('the build is not for other users to read')
    return prefix


@functools.cache
def autotests():
    return json.loads(runner.stint('-- --list --json').stdout)


def names(suite=''):
    return [test['name'] for test in autotests() if suite in test['suite']]


@functools.cache
def planned(eal, *tests):
    """{test: its plan}"""
    return {plan['test']: plan for plan in runner.plan(f'{eal} -- {" ".join(tests)}')}


def least_mib(plan):
    """From this amount on something can be measured."""
    return mib_of(plan, 'need_least_bytes')


def mib_of(plan, key):
    return -(-sum(plan[key].values()) // MIB)


def amounts(text):
    return [int(amount) for amount in re.findall(r'(\d+) ?Mi?B', text)]


class Case(runner.Case):
    def run_tests(self, eal, *tests, **options):
        """Briefly; on a busy machine so short a time may run out before the first point."""
        for budget in ('20ms', '500ms', '10s'):
            result = runner.stint(f'{eal} -- --quiet --budget {budget} {" ".join(tests)}',
                                  **options)
            if 'no point was measured' not in result.stdout:
                break
        return result

    def recorded(self, eal, *tests, **options):
        """The same, which is to pass, with the path of what it recorded."""
        folder = self.folder / f'results{len(os.listdir(self.folder))}'
        self.assert_exit(self.run_tests(eal, *tests, STINT_RESULTS=str(folder), **options), 0)
        return max(folder.iterdir(), key=os.path.getmtime)

    def assert_shortages(self, result):
        """Lines that name what is needed and what there is, which is less: [(line, haves)]."""
        found = []
        for line in (result.stdout + result.stderr).splitlines():
            # EAL's own words are as good
            needs, *haves = re.split(' have | available: ', line, maxsplit=1)
            if haves and amounts(needs):
                needs, haves = amounts(needs), amounts(haves[0])
                # a limit that nobody announces: there seems to be enough
                if 'memory was refused' not in line:
                    self.assertTrue(any(map(int.__gt__, needs, haves)), line)
                found.append((line, haves))
        return found

    def assert_short(self, result, have=None, text=''):
        """A skip that names what is needed and what there is, and `text`; gives its line."""
        self.assert_exit(result, 77)
        found = self.assert_shortages(result)
        self.assertTrue(found, result)
        for line, haves in found:
            self.assertIn(text, line)
            if have is not None:
                self.assertIn(have, haves, line)
        return found[-1][0]
