# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""The list that meson reads from the sources is the runner's: test_list.py STINT SOURCE..."""

import json
import subprocess
import sys
import unittest

import autotests

STINT, *SOURCES = sys.argv[1:]


class List(unittest.TestCase):
    maxDiff = None

    def test_same(self):
        of_sources = autotests.collect(autotests.read_sources(SOURCES))
        listing = subprocess.run([STINT, '--', '--list', '--json'], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, check=True)
        of_runner = json.loads(listing.stdout)
        self.assertTrue(of_runner)
        self.assertEqual(
            sorted((test['name'], test['suite'], test['budget_ns']) for test in of_runner),
            sorted((test['name'], test['suite'], test['budget_s'] * 10**9)
                   for test in of_sources))
        self.assertEqual([test['name'] for test in of_runner if not test['summary']], [])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
