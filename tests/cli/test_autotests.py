# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""buildtools/autotests.py: what it reads from C sources, and what it refuses."""

import unittest

import autotests

# source, then (name, suite, limit_s, budget_s, flags) of each test
READ = [
    # 2 x (20 x 3) + 60 = 180
    ('STINT_PERF_TEST(ring_perf_autotest, 20,\n\t.summary = "x", .job = job);',
     [('ring_perf_autotest', 'perf-tests', 180, 20, '0')]),
    # 2 x (2 x 3) + 60 = 72
    ('STINT_PERF_TEST(ring_perf_autotest_2cores, 2, .job = job);',
     [('ring_perf_autotest_2cores', 'perf-tests', 72, 2, '0')]),
    ('STINT_FAST_TEST(ring_autotest, STINT_NO_HUGE | STINT_ASAN, .run = run);',
     [('ring_autotest', 'fast-tests', 60, 0, 'STINT_NO_HUGE|STINT_ASAN')]),
    ('STINT_FAST_TEST(ring_autotest, STINT_ASAN|STINT_NO_HUGE, .run = run);',
     [('ring_autotest', 'fast-tests', 60, 0, 'STINT_NO_HUGE|STINT_ASAN')]),
    ('STINT_FAST_TEST(\n\tring_autotest,\n\t0, .run = run);',
     [('ring_autotest', 'fast-tests', 60, 0, '0')]),
    ('STINT_FAST_TEST(a_autotest /* , 1 */, 0, );\nSTINT_FAST_TEST(b_autotest, 0, );',
     [('a_autotest', 'fast-tests', 60, 0, '0'), ('b_autotest', 'fast-tests', 60, 0, '0')]),
    # comments, strings and other names are no registrations
    ('/* STINT_FAST_TEST(a_autotest, 0, ) */', []),
    ('/*\n * STINT_FAST_TEST(a_autotest,\n */', []),
    ('// STINT_FAST_TEST(a_autotest, 0, )', []),
    ('// goes on \\\nSTINT_FAST_TEST(a_autotest, 0, )', []),
    ('char *s = "STINT_FAST_TEST(a_autotest, 0, )";', []),
    ('MY_STINT_FAST_TEST(a_autotest, 0, ); STINT_FAST_TESTS(b_autotest, 0, );', []),
    # what looks like a comment or the end of a string and is none
    ('char *s = "/*"; STINT_FAST_TEST(a_autotest, 0, ); char *t = "*/";',
     [('a_autotest', 'fast-tests', 60, 0, '0')]),
    ('char *s = "\\"/*"; char c = \'"\'; STINT_FAST_TEST(a_autotest, 0, );',
     [('a_autotest', 'fast-tests', 60, 0, '0')]),
    ('/* a " */ STINT_FAST_TEST(a_autotest, 0, ); /* " */',
     [('a_autotest', 'fast-tests', 60, 0, '0')]),
]

# source, line of the complaint, a word of it
REFUSED = [
    ('STINT_FAST_TEST(ring, 0, );', 1, 'ring'),
    ('STINT_FAST_TEST(ring_autotest_x, 0, );', 1, 'ring_autotest_x'),
    ('\n\nSTINT_PERF_TEST(ring_autotest, 2, );', 3, 'ring_autotest'),
    ('STINT_PERF_TEST(ring_perf_autotests, 2, );', 1, 'ring_perf_autotests'),
    ('STINT_PERF_TEST(ring_perf_autotest, BUDGET, );', 1, 'BUDGET'),
    ('STINT_PERF_TEST(ring_perf_autotest, 0, );', 1, "'0'"),
    ('STINT_PERF_TEST(ring_perf_autotest, 010, );', 1, "'010'"),
    ('STINT_PERF_TEST(ring_perf_autotest, 2.5, );', 1, "'2.5'"),
    ('STINT_FAST_TEST(ring_autotest, FLAGS, );', 1, 'FLAGS'),
    ('STINT_FAST_TEST(ring_autotest, 1, );', 1, "'1'"),
    ('STINT_FAST_TEST(ring_autotest, STINT_ASAN |, );', 1, 'STINT_ASAN |'),
    ('STINT_FAST_TEST(ring_autotest, , );', 1, 'STINT_NO_HUGE'),
    ('/*\n*/ STINT_FAST_TEST("ring_autotest", 0, );', 2, 'literal'),
    ('STINT_FAST_TEST(NAME(ring), 0, );', 1, 'literal'),
    ('STINT_FAST_TEST;', 1, 'literal'),
    ('\n#define VARIANT(name) \\\n\tSTINT_PERF_TEST(name, 20, )', 3, 'directive'),
    ('#ifdef STINT_PERF_TEST', 1, 'directive'),
    ('STINT_FAST_TEST(a_autotest, 0, );\nSTINT_FAST_TEST(a_autotest, 0, );', 2,
     'registered at f.c:1'),
]


class Autotests(unittest.TestCase):
    def test_read(self):
        for source, tests in READ:
            with self.subTest(source=source):
                found = autotests.collect([('f.c', source)])
                fields = ('name', 'suite', 'limit_s', 'budget_s', 'flags')
                self.assertEqual([tuple(test[field] for field in fields) for test in found],
                                 tests)

    def test_refused(self):
        for source, line, word in REFUSED:
            with self.subTest(source=source):
                with self.assertRaises(autotests.Refused) as refusal:
                    autotests.collect([('f.c', source)])
                self.assertTrue(str(refusal.exception).startswith(f'f.c:{line}: '),
                                refusal.exception)
                self.assertIn(word, str(refusal.exception))

    def test_name_in_two_files(self):
        sources = [('a.c', 'STINT_FAST_TEST(a_autotest, 0, );'),
                   ('b.c', '\nSTINT_FAST_TEST(a_autotest, 0, );')]
        with self.assertRaisesRegex(autotests.Refused, r'^b\.c:2: .*a\.c:1'):
            autotests.collect(sources)


if __name__ == '__main__':
    unittest.main()
