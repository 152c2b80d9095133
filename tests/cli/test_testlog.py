# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""buildtools/testlog.py: counting what `meson test` logged."""

import json
import os
import pathlib
import tempfile
import unittest

import testlog

# results, (passed, failed, skipped)
COUNTS = [
    ('', (0, 0, 0)),
    ('OK OK', (2, 0, 0)),
    ('OK SKIP FAIL', (1, 1, 1)),
    ('TIMEOUT ERROR INTERRUPT UNEXPECTEDPASS', (0, 4, 0)),
    ('EXPECTEDFAIL SKIP SKIP', (1, 0, 2)),
    ('SOMETHING_NEW', (0, 1, 0)),
]

SKIP = 'x_autotest: skip: no hugepages; need 64 MiB, have 0 MiB; reserve them'

REASONS = [
    ({'stdout': f'EAL: up\n{SKIP}\nend\n'}, SKIP),
    ({'name': 'x', 'stdout': 'one\nlast\n\n'}, 'x: last'),
    ({'name': 'x', 'stdout': 'one\n', 'stderr': 'why\n'}, 'x: why'),
    ({'name': 'x'}, 'x: no reason given'),
]


class Testlog(unittest.TestCase):
    def test_count(self):
        for results, counts in COUNTS:
            with self.subTest(results=results):
                self.assertEqual(
                    testlog.count([{'result': result} for result in results.split()]), counts)

    def test_closing_line(self):
        self.assertEqual(testlog.closing_line(12, 0, 3), '12 passed, 0 failed, 3 skipped')

    def test_skip_reason(self):
        for result, reason in REASONS:
            with self.subTest(result=result):
                self.assertEqual(testlog.skip_reason(result), reason)

    def test_nothing_ran(self):
        text = testlog.nothing_ran([{'stdout': SKIP}] * 2)
        self.assertEqual(text, f'NOTHING RAN: all 2 tests were skipped:\n  {SKIP}')
        self.assertIn('NOTHING RAN', testlog.nothing_ran([]))


class Log(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='[a] ')
        self.addCleanup(folder.cleanup)
        self.build = folder.name
        self.logs = pathlib.Path(folder.name, 'meson-logs')
        self.logs.mkdir()

    def write(self, name, text, mtime_s):
        path = self.logs / name
        path.write_text(text)
        os.utime(path, (mtime_s, mtime_s))

    def test_only_what_is_new(self):
        line = json.dumps({'name': 'a', 'result': 'OK'}) + '\n'
        self.write('testlog.json', line * 3, 1000)
        self.write('other.json', line * 5, 1000)
        before = testlog.log_state(self.build)
        self.assertEqual(testlog.read_results(self.build, before), [])
        self.write('testlog.json', line * 2, 2000)
        self.assertEqual(testlog.count(testlog.read_results(self.build, before)), (2, 0, 0))
        self.write('testlog.json', line * 3, 1000)
        self.write('mine.json', line, 2000)
        self.assertEqual(testlog.count(testlog.read_results(self.build, before)), (1, 0, 0))

    def test_cut_off(self):
        line = json.dumps({'name': 'a', 'result': 'FAIL'})
        self.write('testlog.json', f'{line}\n{line[:20]}', 1000)
        self.assertEqual(testlog.count(testlog.read_results(self.build, {})), (0, 1, 0))


if __name__ == '__main__':
    unittest.main()
