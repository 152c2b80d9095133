# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Erasure codes: buffers, sizes, what is refused, what is counted."""

import json
import os
import pathlib
import re
import subprocess
import unittest

import runner
import spaces

PERF, FAST = 'ec_perf_autotest', 'ec_autotest'
EAL = '-l 0 --no-huge -m 600'
# for what ends before anything is measured
EAL_REFUSED = '-l 0 --no-huge -m 32'
MIB = 1 << 20


def has_codecs():
    result = runner.stint(f'{EAL} -- --quiet {FAST}')
    return result.returncode == 0 and 'left out' not in result.stdout


needs_codecs = unittest.skipUnless(has_codecs(), 'built without libisal or libJerasure')


@needs_codecs
class Case(spaces.Case):
    def samples(self, *settings, points='code', metric='data', select='cores=1'):
        """Of one metric, of the points with that in their labels."""
        path = self.folder / f'{len(list(self.folder.iterdir()))}.ndjson'
        words = [word for setting in settings for word in ('--set', setting)]
        result = self.enough(f'{EAL} -- --quiet --points {select} {PERF}', '--results', path,
                             *words)
        self.assert_exit(result, 0)
        return [sample for sample in runner.records(path, 'sample')
                if sample['metric'] == metric and points in str(sample['point'])]


class Buffers(Case):
    ENCODE = ('codec=isal', 'technique=cauchy', 'k=4', 'm=2', 'workload=encode')

    def faults(self, *settings):
        return sorted(sample['taint']['faults'] / sample['ops']
                      for sample in self.samples(*self.ENCODE, *settings, points="'encode'",
                                                 select='work=encode'))

    def test_I01_page_faults(self):
        """None with buffers that are there; with new ones each page of what is made is one."""
        found = self.faults('size=1M')
        self.assertEqual(found[len(found) // 2], 0)
        found = self.faults('size=32M', 'memory=malloc-per-op')
        self.assertGreater(found[len(found) // 2], 16 * MIB / 4096 / 2)

    def test_I02_cold(self):
        """Objects that are cold come out of four times the last cache; each size is shown."""
        caches = pathlib.Path('/sys/devices/system/cpu/cpu0/cache').glob('index*/size')
        largest = max((int(cache.read_text()[:-2]) << 10 for cache in caches), default=32 * MIB)
        plan, = runner.plan(f'{EAL} -- {PERF}')
        self.assertGreaterEqual(sum(plan['need_bytes'].values()), 4 * largest)
        places = {(sample['point']['place'], sample['point']['size'])
                  for sample in self.samples(*self.ENCODE)}
        self.assertEqual(places, {('warm', 4096), ('warm', 65536), ('warm', MIB), ('cold', MIB),
                                  ('warm', 4 * MIB)})


class Sizes(Case):
    def test_I04_any_size(self):
        """No multiple of anything: results are checked, a wrong byte would fail."""
        for technique in ('vandermonde', 'cauchy', 'reed_sol_van', 'liberation'):
            with self.subTest(technique=technique):
                samples = self.samples('size=1,31,33,4095', f'technique={technique}', 'k=4', 'm=2',
                                       points=technique)
                self.assertEqual({sample['point']['size'] for sample in samples},
                                 {1, 31, 33, 4095})

    def test_I12_bytes(self):
        """A size that is no multiple of 1024 counts as it is."""
        for size in (1000, 5_000_001):
            for sample in self.samples(*Buffers.ENCODE, f'size={size}', points="'encode'"):
                rate = sample['ops'] * size / sample['ns'] * 1e9
                self.assertAlmostEqual(sample['value'] / rate, 1, delta=0.02)

    def test_I11_output_is_poisoned(self):
        """What was in a buffer before is no result: the fast test begins with poison."""
        result = runner.stint(f'{EAL} -- --quiet {FAST}')
        self.assert_exit(result, 0)


class Refused(Case):
    CASES = [
        ('codec=nosuch', r'codec=nosuch: .*all\|isal\|jerasure\|lrc'),
        ('technique=nosuch', 'technique=nosuch'), ('workload=nosuch', r'encode\|decode'),
        ('technique=vandermonde codec=jerasure', 'of codec isal, not jerasure'),
        ('k=0', r'k takes list of 1\.\.255'), ('m=0', r'm takes list of 1\.\.255'),
        ('m=-1', 'm=-1'), ('k=4x', 'k=4x'), ('size=0', 'size=0'), ('size=x', 'size=x'),
        ('k=255 m=2', 'k . m is at most 256'),
        ('technique=vandermonde k=22 m=4', 'technique=cauchy'),
        ('technique=xor k=4 m=2', 'xor has m = 1'),
        ('technique=liberation k=4 m=2 w=8', 'a prime from 3'),
        ('technique=liberation m=3', 'm = 2'),
        ('technique=liber8tion k=9 m=2', 'k <= 8'),
        ('technique=blaum_roth k=4 m=2 w=7', 'one less than a prime'),
        ('technique=cauchy_good k=4 m=2 packetsize=12', 'a multiple of 8'),
        ('w=0', r'w takes list of 1\.\.32'), ('packetsize=0', 'packetsize=0'),
        ('seed=-1', r'seed takes list of 0\.\.9223372036854775807'), ('seed=x', 'seed=x'),
        ('seed=9223372036854775808', 'seed=9223372036854775808'), ('seed=1,2', 'seed: one value'),
        ('codec=isal l=3', 'l=3: isal has none'), ('technique=cauchy w=8', 'w=8: isal has none'),
        ('technique=reed_sol_van packetsize=64', 'packetsize=64: technique reed_sol_van has none'),
        ('technique=lrc k=4 m=2 w=8', 'w=8: layers of isal have none'),
        ('technique=cauchy k=2 m=1 mapping=DD_ layers=DDc', 'codec isal has none'),
        ('technique=lrc k=2 m=1 l=3 mapping=DD_ layers=DDc', 'no l'),
        ('workload=update codec=jerasure', 'of codec isal only'),
        ('workload=update memory=malloc-per-op', 'memory=reuse'),
        ('technique=lrc k=4 m=2 l=4', 'l=4: divides k . m = 6'),
        ('technique=lrc k=4 m=2 l=2', 'evenly'),
        ('technique=lrc k=2 m=1 mapping=DD_', 'none makes chunk 2'),
        ('technique=lrc k=2 m=1 mapping=DD_ layers=DcD', 'that is there'),
        ('technique=lrc k=2 m=1 mapping=DDx layers=DDc', '3 letters'),
    ]
    ERASURES = [
        ('erasures=0', 'erasures=0'), ('erasures=3 k=4 m=2', 'up to m=2'),
        ('erasures=4 k=2 m=1', 'up to m=1'), ('erasures=200 k=2 m=1', 'up to m=1'),
        ('erasures=2', 'with k and m'), ('erased=0 erasures=1 k=4 m=2', 'one of the two'),
        ('erased=6 k=4 m=2', 'chunks are 0 to 5'), ('erased=1000 k=4 m=2', 'erased=1000'),
        ('technique=lrc k=4 m=4 mapping=DD__DD__ layers=DDc_DDc_,DDDc____,____DDDc erased=0,1,4,5',
         'are not repaired'),
        ('exhaustive=1', 'with erasures'), ('exhaustive=1 erased=0 k=4 m=2', 'with erasures'),
        ('erased=0 k=4 m=2 workload=encode', 'workload=encode'),
        ('erased=0,0 k=4 m=2', 'erased=0,0'), ('erased=0,1,2 k=4 m=2', 'up to m=2'),
    ]

    def are_refused(self, cases):
        """One line that names the parameter and its limit, before anything is measured."""
        for settings, word in cases:
            with self.subTest(settings=settings):
                words = [word for setting in settings.split() for word in ('--set', setting)]
                result = runner.stint(f'{EAL_REFUSED} -- --quiet {PERF}', *words)
                self.assert_refused(result, 2, word)

    def test_I06_settings(self):
        self.are_refused(self.CASES)

    def test_I09_erasures(self):
        self.are_refused(self.ERASURES)

    def test_I06_what_is_run_is_what_was_asked_for(self):
        for code, k, m, e in (('cauchy', 5, 3, 2), ('reed_sol_r6_op', 3, 2, 1), ('lrc', 4, 4, 3)):
            samples = self.samples(f'technique={code}', f'k={k}', f'm={m}', f'erasures={e}',
                                   'workload=decode', 'size=4K', points=code)
            self.assertEqual({(s['point']['code'], s['point']['k'], s['point']['m'])
                              for s in samples}, {(code, k, m)})
            recovered = self.samples(f'technique={code}', f'k={k}', f'm={m}', f'erasures={e}',
                                     'workload=decode', 'size=4K', points=code, metric='made')
            for sample in recovered:
                wanted = sample['ops'] * 4096 / k * e / sample['ns'] * 1e9
                self.assertAlmostEqual(sample['value'] / wanted, 1, delta=0.02)


class Labels(Case):
    def test_I07_layered_codes(self):
        """They are points of their own, and so is the repair of one chunk."""
        for work in ('encode', 'repair'):
            samples = self.samples('technique=lrc', 'k=4', 'm=2', 'size=64K', f'workload={work}',
                                   points=f"'{work}'")
            self.assertTrue(samples)
            for sample in samples:
                self.assertEqual(sample['point']['code'], 'lrc')


class Meson(runner.Case):
    def test_I13_memory_is_not_filled(self):
        """meson has libc write over all memory that is allocated; not in perf tests."""
        tests = json.loads(subprocess.run(
            ['meson', 'introspect', '--tests', os.environ['STINT_BUILD_DIR']], check=True,
            capture_output=True, text=True).stdout)
        perf = [test for test in tests if any('perf-tests' in suite for suite in test['suite'])]
        self.assertIn(PERF, [test['name'] for test in perf])
        for test in perf:
            self.assertEqual(test['env'].get('MALLOC_PERTURB_'), '0', test['name'])
            self.assertFalse(re.search('MALLOC_PERTURB_', ' '.join(test['cmd'])))


if __name__ == '__main__':
    runner.main()
