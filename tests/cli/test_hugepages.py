# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""buildtools/hugepages.py: what is missing, and that a pool is put back however a run ends."""

import contextlib
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import hugepages

MIB = 1 << 20
PAGE = 2 * MIB


def planned(need, have, page_bytes=PAGE):
    return {'test': 'x', 'need_all_bytes': need, 'have_bytes': have, 'page_bytes': page_bytes}


# plan, pages that are missing by (node, page size)
MISSING = [
    ([], {}),
    ([planned({'0': 144 * MIB}, {'0': 0})], {(0, PAGE): 72}),
    ([planned({'0': 144 * MIB}, {'0': 144 * MIB})], {}),
    ([planned({'0': 144 * MIB}, {'0': 1024 * MIB})], {}),
    # a part of a page is a page
    ([planned({'0': PAGE + 1}, {'0': 0})], {(0, PAGE): 2}),
    ([planned({'0': PAGE + 1}, {'0': PAGE})], {(0, PAGE): 1}),
    # the largest, not the sum: tests run one after the other
    ([planned({'0': 10 * MIB}, {'0': 0}), planned({'0': 30 * MIB}, {'0': 0}),
      planned({'0': 20 * MIB}, {'0': 0})], {(0, PAGE): 15}),
    # each node by itself; a node that the machine does not tell of has nothing
    ([planned({'0': 8 * MIB, '1': 4 * MIB}, {'0': 2 * MIB})], {(0, PAGE): 3, (1, PAGE): 2}),
    ([planned({'1': 3 << 30}, {'1': 1 << 30}, 1 << 30)], {(1, 1 << 30): 2}),
    # no hugepages are wanted
    ([planned({'0': 64 * MIB}, {'0': 0}, os.sysconf('SC_PAGE_SIZE'))], {}),
    # a test that has no need, or whose need could not be told
    ([{'test': 'x'}, planned(None, None), planned({}, {})], {}),
]


class Missing(unittest.TestCase):
    def test_missing_pages(self):
        for plan, missing in MISSING:
            with self.subTest(plan=plan):
                self.assertEqual(hugepages.missing_pages(plan), missing)


class Pool(unittest.TestCase):
    """Plain files stand in for the kernel's."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sysfs = folder.name
        self.pools = [self.make_pool(node, pages) for node, pages in ((0, 5), (1, 0))]
        self.missing = {(0, PAGE): 72, (1, PAGE): 3}

    def make_pool(self, node, pages):
        path = pathlib.Path(hugepages.pool_path(node, PAGE, self.sysfs))
        path.parent.mkdir(parents=True)
        path.write_text(f'{pages}\n')
        return path

    def numbers(self):
        return [int(path.read_text()) for path in self.pools]

    def test_path(self):
        self.assertEqual(hugepages.pool_path(1, PAGE, '/sys'),
                         '/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages')

    def raised(self, **options):
        return hugepages.raised(self.missing, self.sysfs, **options)

    def test_raised_and_put_back(self):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            with self.raised(may_raise=True):
                self.assertEqual(self.numbers(), [77, 3])
        self.assertEqual(self.numbers(), [5, 0])
        self.assertEqual(output.getvalue().split('\n'), [
            'hugepages: node 0: 5 -> 77 (asked 77)', 'hugepages: node 1: 0 -> 3 (asked 3)',
            'hugepages: node 0: 77 -> 5 (put back)', 'hugepages: node 1: 3 -> 0 (put back)', ''])

    def test_put_back_after_an_error(self):
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(KeyError):
            with self.raised(may_raise=True):
                raise KeyError
        self.assertEqual(self.numbers(), [5, 0])

    def test_only_what_was_added_is_taken_away(self):
        with contextlib.redirect_stdout(io.StringIO()):
            with self.raised(may_raise=True):
                self.pools[0].write_text('177')     # another added 100
                self.pools[1].write_text('1')       # another took 2 away
        self.assertEqual(self.numbers(), [105, 0])

    def test_a_pool_that_cannot_be_raised(self):
        self.missing[(7, PAGE)] = 1
        with contextlib.redirect_stdout(io.StringIO()) as output:
            with self.raised(may_raise=True):
                self.assertEqual(self.numbers(), [77, 3])
        self.assertIn('hugepages: node 7: cannot be raised by 1', output.getvalue())
        self.assertNotIn('node 7: cannot be lowered', output.getvalue())
        self.assertEqual(self.numbers(), [5, 0])

    def test_advice_for_users(self):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            with self.raised(may_raise=False):
                self.assertEqual(self.numbers(), [5, 0])
        self.assertIn(f'echo 77 | sudo tee {self.pools[0]}\n', output.getvalue())

    def test_killed(self):
        """The parent is killed without a chance to clean up."""
        script = ('import os, sys, hugepages\n'
                  f'with hugepages.raised({self.missing}, {self.sysfs!r}, True):\n'
                  ' print("raised", flush=True)\n'
                  ' sys.stdin.read()\n')
        # the process that puts back holds the error output, so that its end is seen there
        with subprocess.Popen([sys.executable, '-B', '-c', script], text=True,
                              cwd=os.path.dirname(hugepages.__file__), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as parent:
            while parent.stdout.readline() not in ('raised\n', ''):
                pass
            self.assertEqual(self.numbers(), [77, 3])
            parent.send_signal(signal.SIGKILL)
            parent.stderr.read()
        self.assertEqual(self.numbers(), [5, 0])


if __name__ == '__main__':
    unittest.main()
