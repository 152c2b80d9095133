# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Raise the pools of hugepages for the time of a run, and put them back.

A process of its own raises them and lowers them again when its standard input ends, which it does
even when the parent is killed: `hugepages.py '[[NODE, PATH OF nr_hugepages, PAGES], ...]'`.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys

ORDINARY_BYTES = os.sysconf('SC_PAGE_SIZE')


def missing_pages(plan):
    """{(node, page_bytes): pages}: what the test that is shortest of memory lacks on each node."""
    missing = {}
    for test in plan:
        page_bytes = test.get('page_bytes')
        have_bytes = test.get('have_bytes') or {}
        for node, need_bytes in (test.get('need_all_bytes') or {}).items():
            lacking = need_bytes - have_bytes.get(node, 0)
            # memory in ordinary pages (--no-huge) comes from no pool
            if page_bytes and page_bytes > ORDINARY_BYTES and lacking > 0:
                key = int(node), page_bytes
                missing[key] = max(missing.get(key, 0), -(-lacking // page_bytes))
    return missing


def pool_path(node, page_bytes, sysfs):
    return (f'{sysfs}/devices/system/node/node{node}/hugepages/'
            f'hugepages-{page_bytes // 1024}kB/nr_hugepages')


def read_pool(path):
    with open(path, encoding='ascii') as file:
        return int(file.read())


def write_pool(path, pages):
    """Returns what the kernel made of it."""
    with open(path, 'w', encoding='ascii') as file:
        file.write(str(pages))
    return read_pool(path)


def say(text):
    """The parent may be gone, which must not keep a pool from being put back."""
    with contextlib.suppress(BrokenPipeError):
        print(text, flush=True)


def raise_pool(node, path, pages):
    """Returns how many pages the kernel added."""
    try:
        old = read_pool(path)
        got = write_pool(path, old + pages)
    except (OSError, ValueError) as error:
        say(f'hugepages: node {node}: cannot be raised by {pages}: {error}')
        return 0
    say(f'hugepages: node {node}: {old} -> {got} (asked {old + pages})')
    return got - old


def lower_pool(node, path, added):
    """Takes away what was added, whatever others did to the number meanwhile."""
    try:
        now = read_pool(path)
        got = write_pool(path, max(0, now - added))
    except (OSError, ValueError) as error:
        say(f'hugepages: node {node}: cannot be lowered by {added}: {error}')
        return
    say(f'hugepages: node {node}: {now} -> {got} (put back)')


def keep(pools):
    """The process of its own. An empty line tells the parent that the pools are raised."""
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_IGN)
    added = [(node, path, raise_pool(node, path, pages)) for node, path, pages in pools]
    say('')
    sys.stdin.read()
    for node, path, pages in added:
        if pages:
            lower_pool(node, path, pages)


def advise(pools):
    """For those who may not raise a pool: what to run."""
    for node, path, pages in pools:
        try:
            total = read_pool(path) + pages
        except (OSError, ValueError):
            total = pages
        print(f'hugepages: node {node}: {pages} too few; to have them: '
              f'echo {total} | sudo tee {path}', flush=True)


@contextlib.contextmanager
def raised(missing, sysfs='/sys', may_raise=None):
    """The pools are larger by what is missing, as long as the context lasts."""
    pools = [(node, pool_path(node, page_bytes, sysfs), pages)
             for (node, page_bytes), pages in sorted(missing.items())]
    if not (os.geteuid() == 0 if may_raise is None else may_raise):
        advise(pools)
        pools = []
    if not pools:
        yield
        return
    keeper = subprocess.Popen([sys.executable, '-B', __file__, json.dumps(pools)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              start_new_session=True)
    try:
        for line in iter(keeper.stdout.readline, ''):
            if line == '\n':
                break
            print(line, end='', flush=True)
        yield
    finally:
        print(keeper.communicate()[0], end='', flush=True)


if __name__ == '__main__':
    keep(json.loads(sys.argv[1]))
