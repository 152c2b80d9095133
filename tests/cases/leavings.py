# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""What a run may leave behind: processes, hugepages, page files, shared memory, run folders."""

import ctypes
import os
import pathlib
import re
import subprocess
import time

import runner

PR_SET_CHILD_SUBREAPER = 36
# the kernel takes a process away after the parent was told
GRACE_S = 5
# others may hold page files for a while
PAGES_GRACE_S = 20

ROOM = '''
mount -t tmpfs -o mode=755 none /run &&
mount -t tmpfs -o mode=1777 none /dev/shm &&
mount -t hugetlbfs none "$1" && echo ready && read -r line
'''


def await_grace(condition, limit_s=GRACE_S):
    """Is it so, now or soon?"""
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


def adopt():
    """From now on descendants whose parent has ended are children of this process."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def child_states():
    """State of each child process by its id."""
    states = {}
    for path in pathlib.Path('/proc').glob('[0-9]*/stat'):
        try:
            state, parent = path.read_text().rpartition(')')[2].split()[:2]
        except OSError:
            continue
        if int(parent) == os.getpid():
            states[int(path.parent.name)] = state
    return states


def strays(known):
    """Children that go on, other than the known ones; those that have ended are taken away."""
    left = []
    for pid, state in child_states().items():
        if pid in known:
            continue
        if state == 'Z':
            os.waitpid(pid, os.WNOHANG)
        else:
            left.append(pid)
    return left


def group_is_empty(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def lost_kib():
    """Hugepages that are neither free nor in a process: what files and others hold."""
    lost = 0
    for pool in pathlib.Path('/sys/kernel/mm/hugepages').glob('hugepages-*kB'):
        total, free = (int((pool / f'{kind}_hugepages').read_text()) for kind in ('nr', 'free'))
        lost += (total - free) * int(pool.name[10:-2])
    for path in pathlib.Path('/proc').glob('[0-9]*/status'):
        try:
            used = re.search(r'^HugetlbPages:\s+(\d+) kB$', path.read_text(), re.M)
        except OSError:
            continue
        lost -= int(used[1]) if used else 0
    return lost


class Room:
    """A mount namespace with a /run, a /dev/shm and a hugetlbfs of its own, all empty."""

    def __init__(self, folder):
        self.pages = folder / 'pages'
        self.pages.mkdir()
        self.holder = subprocess.Popen(
            ['unshare', '--mount', 'sh', '-c', ROOM, 'sh', self.pages], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.holder.stdout.readline() != 'ready\n':
            self.close()
            raise OSError('no room of its own')
        self.prefix = ('nsenter', f'--mount=/proc/{self.holder.pid}/ns/mnt')
        # mount(8) itself keeps a folder there
        self.empty = self.leavings()

    def close(self):
        self.holder.communicate()

    def look(self, path):
        return pathlib.Path(f'/proc/{self.holder.pid}/root{path}')

    def names(self, path):
        folder = self.look(path)
        return sorted(os.listdir(folder)) if folder.is_dir() else []

    def page_files(self):
        """In any file system for hugepages that is mounted there."""
        mounts = pathlib.Path(f'/proc/{self.holder.pid}/mounts').read_text().splitlines()
        points = [line.split()[1] for line in mounts if line.split()[2] == 'hugetlbfs']
        return [f'{point}/{name}' for point in points for name in self.names(point)]

    def leavings(self):
        """All that is there and was not."""
        return {'page files': self.page_files(), 'shared memory': self.names('/dev/shm'),
                'run folders': [name for name in self.names('/run/dpdk') if name != 'stint'],
                'in /run': [name for name in self.names('/run') if name != 'dpdk']}


class Case(runner.Case):
    """With a room, if the user may have one; looks for leavings when a test has ended."""

    def setUp(self):
        super().setUp()
        adopt()
        # not read at one moment: a process that ends between the counts makes less than none
        self.lost_before = max(0, lost_kib())
        self.room = None
        if runner.may_mount():
            self.room = Room(self.folder)
            self.addCleanup(self.room.close)

    def prefix(self):
        return self.room.prefix if self.room else ()

    def known(self):
        return {self.room.holder.pid} if self.room else set()

    def assert_nothing_left(self):
        self.assertTrue(await_grace(lambda: not strays(self.known())),
                        f'processes {strays(self.known())}')
        self.assertTrue(await_grace(lambda: lost_kib() <= self.lost_before, PAGES_GRACE_S),
                        f'hugepages of nobody: {self.lost_before} KiB before, {lost_kib()} after')
        if self.room:
            self.assertEqual(self.room.leavings(), self.room.empty)
