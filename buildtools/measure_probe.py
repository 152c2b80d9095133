# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Run stint as a user would, and watch its memory from outside."""

import collections
import glob
import os
import re
import subprocess
import tempfile
import threading
import time

import measure_runs

KIB = 1024
PERIOD_S = 0.02
SKIPPED = 77
# an extent in /proc/PID/smaps begins with its addresses; the heap of malloc's main arena has a name
EXTENT = re.compile(r'[0-9a-f]+-[0-9a-f]+ .*')
POOLS = '/sys/devices/system/node/node*/hugepages/hugepages-*kB/free_hugepages'
OWN_ENVIRONMENT = ('DPDK_TEST', 'DPDK_TEST_SKIP', 'DPDK_TEST_PARAMS', 'STINT_BUDGET',
                   'STINT_RESULTS', 'STINT_LIMIT')

# What a process was seen to hold at most, in bytes, by the names of /proc/PID/status; `heap` of
# smaps; `pool`, by how much the free hugepages of all nodes fell, whoever took them.
Finished = collections.namedtuple('Finished', 'code wall_s peaks run output')


class NotTried(Exception):
    """Why a row cannot be measured here."""


class Failed(Exception):
    """What went wrong in measuring a row."""


def status_bytes(text):
    """The fields of /proc/PID/status that are amounts of memory."""
    fields = re.findall(r'^(\w+):\s+(\d+) kB$', text, re.MULTILINE)
    return {name: int(amount) * KIB for name, amount in fields}


def heap_bytes(smaps):
    """What of the main arena is in memory."""
    total, inside = 0, False
    for line in smaps.splitlines():
        if EXTENT.fullmatch(line):
            inside = line.endswith('[heap]')
        elif inside and line.startswith('Rss:'):
            total += int(line.split()[1]) * KIB
    return total


def read_text(path):
    """Empty once the process is gone."""
    try:
        with open(path, encoding='ascii', errors='replace') as file:
            return file.read()
    except OSError:
        return ''


def free_bytes(pattern=POOLS):
    """Of the hugepages of all nodes and sizes."""
    total = 0
    for path in glob.glob(pattern):
        page_kib = int(re.search(r'hugepages-(\d+)kB', path)[1])
        total += int(read_text(path) or 0) * page_kib * KIB
    return total


class Watch(threading.Thread):
    """Keeps the largest of each amount while the process lives."""

    def __init__(self, pid, free_before):
        super().__init__(daemon=True)
        self.pid, self.free_before = pid, free_before
        self.peaks = collections.Counter()
        self.ended = threading.Event()

    def look(self):
        seen = status_bytes(read_text(f'/proc/{self.pid}/status'))
        seen['heap'] = heap_bytes(read_text(f'/proc/{self.pid}/smaps'))
        seen['pool'] = self.free_before - free_bytes()
        self.peaks |= collections.Counter(seen)

    def run(self):
        while not self.ended.wait(PERIOD_S):
            self.look()

    def end(self):
        self.ended.set()
        self.join()
        return self.peaks


class Machine:
    """Where the runner is, and what it may use."""

    def __init__(self, build):
        self.build = build
        self.stint = os.path.join(build, 'app', 'stint', 'stint')
        if not os.access(self.stint, os.X_OK):
            raise Failed(f'{self.stint}: not built; STINT_BUILD names the build folder')
        self.cpus = sorted(os.sched_getaffinity(0))

    def lcores(self, n):
        """The argument of -l for n lcores with own CPUs."""
        if len(self.cpus) < n:
            raise NotTried(f'needs {n} CPUs, {len(self.cpus)} allowed')
        return ','.join(str(cpu) for cpu in self.cpus[:n])

    def start(self, eal, options, results):
        command = [self.stint, *eal, '--', '--quiet', '--results', results, *options]
        environment = {name: value for name, value in os.environ.items()
                       if name not in OWN_ENVIRONMENT}
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors='replace',
                                env=environment)

    def attempt(self, eal, options, limit_s=300, watched=False):
        """One run, whatever it comes to; the results go to a folder that is gone afterwards."""
        with tempfile.TemporaryDirectory(prefix='stint-measure-') as results:
            free_before = free_bytes()
            begin = time.monotonic()
            with self.start(eal, options, results) as process:
                watch = Watch(process.pid, free_before)
                if watched:
                    watch.start()
                try:
                    output = process.communicate(timeout=limit_s)[0]
                except subprocess.TimeoutExpired:
                    raise Failed(f'no end after {limit_s} s: {" ".join(options)}') from None
                finally:
                    # a run that is given up, also by Ctrl-C, leaves no process behind
                    process.kill()
                wall_s = time.monotonic() - begin
                peaks = watch.end() if watched else {}
            return Finished(process.returncode, wall_s, peaks, read_results(results), output)

    def run(self, eal, options, **how):
        """A run that passes."""
        finished = self.attempt(eal, options, **how)
        if finished.code == SKIPPED:
            raise NotTried(skip_reason(finished))
        if finished.code != 0 or not finished.run.samples:
            raise Failed(f'stint ended with {finished.code}: {last_line(finished.output)}')
        return finished


def read_results(folder):
    """The run file of the only test, or a run without records."""
    paths = glob.glob(os.path.join(folder, '*.ndjson'))
    return measure_runs.read(paths[0]) if paths else measure_runs.Run([])


def last_line(text):
    return (text.strip().splitlines() or ['no output'])[-1].strip()


def skip_reason(finished):
    reasons = [skip['reason'] for skip in finished.run.skips]
    return reasons[0] if reasons else last_line(finished.output)
