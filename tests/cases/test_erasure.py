# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Erasure codes: buffers, sizes, what is refused, what is counted."""

import functools
import json
import os
import pathlib
import re
import subprocess
import unittest

import runner
import spaces

PERF, FAST = 'ec_perf_autotest', 'ec_autotest'
EAL = '-l 0 --no-huge -m 160'
# with room for cold objects
EAL_COLD = '-l 0 --no-huge -m 600'
# for what ends before anything is measured
EAL_REFUSED = '-l 0 --no-huge -m 32'
MIB = 1 << 20
LOOPS = os.environ.get('STINT_ERASURE_LOOPS')


@functools.cache
def fast_test():
    return runner.stint(f'{EAL} -- --quiet {FAST}')


def has_codecs():
    return fast_test().returncode == 0 and 'left out' not in fast_test().stdout


needs_codecs = unittest.skipUnless(has_codecs(), 'built without libisal or libJerasure')


@needs_codecs
class Case(spaces.Case):
    def samples(self, *settings, select='', eal=EAL):
        """Of all metrics, of the points of one lcore with these labels; none is without a value."""
        words = ' '.join(f'--set {setting}' for setting in settings)
        path, _ = self.measured_all(f'{eal} -- --quiet --points cores=1{select} {words} {PERF}')
        return runner.records(path, 'sample')


def of_metric(samples, metric):
    return [sample for sample in samples if sample['metric'] == metric]


class Buffers(Case):
    ENCODE = ('codec=isal', 'technique=cauchy', 'k=4', 'm=2', 'workload=encode')

    def faults(self, *settings):
        samples = self.samples('technique=cauchy', *settings, select=',work=encode')
        return sorted(sample['taint']['faults'] / sample['ops']
                      for sample in of_metric(samples, 'data'))

    def test_I01_page_faults(self):
        """None with buffers that are there; with new ones each page of what is made is one."""
        found = self.faults('size=512K', 'k=4', 'm=2')
        self.assertEqual(found[len(found) // 2], 0)
        # up to 32 MiB libc may keep what is freed
        found = self.faults('size=40M', 'k=1', 'm=1', 'memory=malloc-per-op')
        self.assertGreater(found[len(found) // 2], 40 * MIB / 4096 / 2)

    def by_turns(self, budget):
        """Rates of all slices, and the best of bare loops: each {(work, place, size): rates}."""
        points = 'work=encode,work=decode,lost=-,lost=data2,cores=1'
        settings = '--set technique=vandermonde --set k=4 --set m=2 --set size=64K,1M'
        folder = self.folder / budget
        folder.mkdir()
        result = subprocess.run(
            [LOOPS, *f'{EAL_COLD} --no-pci --no-shconf --no-telemetry --log-level=lib.*:error -- 3 '
             f'--quiet --budget {budget} --results {folder} --points {points} {settings} '
             f'{PERF}'.split()], capture_output=True, text=True, check=False, timeout=200)
        self.assertIn(result.returncode, (0, 77), result.stderr)
        bare, measured = {}, {}
        for work, place, size, rate in re.findall(
                r'(?m)^bare (\w+) (\w+) (\d+) \d+ (\d+)$', result.stdout):
            bare.setdefault((work, place, int(size)), []).append(int(rate))
        for path in folder.iterdir():
            for sample in of_metric(runner.records(path, 'sample'), 'data'):
                key = tuple(sample['point'][label] for label in ('work', 'place', 'size'))
                measured.setdefault(key, []).append(sample['value'])
        return measured, bare

    @unittest.skipUnless(LOOPS, 'built without libisal')
    def test_I01_beside_a_bare_loop(self):
        """What is measured is coding: a loop of nothing else is as fast."""
        for budget in ('700ms', '7s'):
            measured, bare = self.by_turns(budget)
            if len(measured) == len(bare) == 6:
                break
        self.assertEqual((len(measured), len(bare)), (6, 6))
        for key, rates in bare.items():
            # the best are those that nobody disturbed, however busy the machine is
            ratio = max(measured[key]) / max(rates)
            self.assertGreater(ratio, 0.8, f'{key} {measured[key]} {rates}')

    def test_I02_cold(self):
        """Objects that are cold come out of four times the last cache; each size is shown."""
        caches = pathlib.Path('/sys/devices/system/cpu/cpu0/cache').glob('index*/size')
        largest = max((int(cache.read_text()[:-2]) << 10 for cache in caches), default=32 * MIB)
        plan, = runner.plan(f'{EAL} -- {PERF}')
        self.assertGreaterEqual(sum(plan['need_bytes'].values()), 4 * largest)
        places = {(sample['point']['place'], sample['point']['size'])
                  for sample in self.samples(*self.ENCODE, select=',work=encode', eal=EAL_COLD)}
        self.assertEqual(places, {('warm', 4096), ('warm', 65536), ('warm', MIB), ('cold', MIB),
                                  ('warm', 4 * MIB)})


class Sizes(Case):
    def test_I04_any_size(self):
        """No multiple of anything: results are checked, a wrong byte would fail."""
        sizes = {}
        for sample in self.samples('size=1,31,33,4095', 'k=4', 'm=2', 'workload=decode',
                                   select=',lost=-,lost=data2'):
            sizes.setdefault(sample['point']['code'], set()).add(sample['point']['size'])
        for code in ('vandermonde', 'cauchy', 'reed_sol_van', 'liberation', 'lrc'):
            self.assertEqual(sizes[code], {1, 31, 33, 4095}, code)

    def test_I12_bytes(self):
        """A size that is no multiple of 1024 counts as it is, but for what pads it."""
        samples = self.samples(*Buffers.ENCODE, 'size=1000,5000001', select=',work=encode')
        self.assertEqual({sample['point']['size'] for sample in samples}, {1000, 5000001})
        for sample in of_metric(samples, 'data'):
            # four chunks of 1250001
            size = {1000: 1000, 5000001: 5000004}[sample['point']['size']]
            rate = sample['ops'] * size / sample['ns'] * 1e9
            self.assertAlmostEqual(sample['value'] / rate, 1, delta=0.02)

    def test_sets_that_would_outlive_a_budget(self):
        """What cannot be interrupted is not begun: skipped, and why."""
        settings = '--set technique=cauchy_orig --set erasures=64'
        plan, = runner.plan(f'{EAL} -- {settings} --set k=64 --set m=64 {PERF}')
        path, _ = self.measured_all(f'{EAL} -- --quiet --points cores=1 {settings} --set k=64 '
                                    f'--set m=64 --set size=64K {PERF}')
        skips = runner.records(path, 'skip')
        self.assertEqual({skip['point']['work'] for skip in skips}, {'decode', 'decode+setup'})
        for skip in skips:
            self.assertIn('preparing one set of 64 erasures may take a second', skip['reason'])
        self.assertGreater(plan['points'], len(skips))

    def test_I12_padding_is_shown(self):
        """Chunks and what pads them; a chunk of liberation is a multiple of 7 * 8 bytes."""
        path, _ = self.measured_all(
            f'{EAL} -- --quiet --points cores=1 --set technique=liberation --set packetsize=8 '
            f'--set k=4 --set m=2 --set size=1000 --set workload=encode {PERF}')
        result, = runner.records(path, 'result')
        self.assertIn('liberation k=4: objects of 1000: chunks of 280, padding 120 bytes',
                      result['notes'])
        for sample in of_metric(runner.records(path, 'sample'), 'data'):
            size = 1000 if sample['point']['code'] == 'memory' else 4 * 280
            rate = sample['ops'] * size / sample['ns'] * 1e9
            self.assertAlmostEqual(sample['value'] / rate, 1, delta=0.02)

    def test_I11_output_is_poisoned(self):
        """What was in a buffer before is no result: the fast test begins with poison."""
        self.assert_exit(fast_test(), 0)


class Refused(Case):
    # all others are in tests/unit/test_ec_settings.c
    CASES = [
        ('codec=nosuch', r'codec=nosuch: .*all\|isal\|jerasure\|lrc'),
        ('k=0', r'k takes list of 1\.\.255'), ('size=x', 'size=x'), ('seed=-1', 'seed=-1'),
        ('k=255 m=2', 'k . m is at most 256'),
        ('technique=vandermonde k=22 m=4', 'technique=cauchy'),
        ('technique=liberation k=4 m=2 w=8', 'a prime from 3'),
        ('codec=isal l=3', 'l=3: isal has none'), ('workload=update codec=jerasure', 'isal only'),
        ('technique=lrc k=4 m=2 l=4', 'l=4: divides k . m = 6'),
    ]
    ERASURES = [
        ('erasures=0', 'erasures=0'), ('erasures=200 k=2 m=1', 'up to m=1'),
        ('erased=1000 k=4 m=2', 'erased=1000'), ('erased=0,0 k=4 m=2', 'erased=0,0'),
        ('exhaustive=1', 'with erasures'),
        ('technique=lrc k=4 m=4 mapping=DD__DD__ layers=DDc_DDc_,DDDc____,____DDDc erased=0,1,4,5',
         'are not repaired'),
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
                                   'workload=decode', 'size=4K', select=',lost=given')
            self.assertEqual({(s['point']['code'], s['point']['k'], s['point']['m'])
                              for s in samples}, {(code, k, m)})
            # k chunks of whole words of 8 bytes, or of bytes
            chunk = {3: 1368, 4: 1024, 5: 820}[k]
            for metric, chunks in (('data', k), ('made', e)):
                for sample in of_metric(samples, metric):
                    wanted = sample['ops'] * chunks * chunk / sample['ns'] * 1e9
                    self.assertAlmostEqual(sample['value'] / wanted, 1, delta=0.02)


class Labels(Case):
    def test_I07_layered_codes(self):
        """They are points of their own, and so is the repair of one chunk, of fewer than k."""
        path, _ = self.measured_all(f'{EAL} -- --quiet --points cores=1,work=encode,work=repair '
                                    f'--set technique=lrc --set k=4 --set m=2 --set size=64K {PERF}')
        self.assertEqual({(sample['point']['code'], sample['point']['work'])
                          for sample in runner.records(path, 'sample')},
                         {('lrc', 'encode'), ('lrc', 'repair')})
        result, = runner.records(path, 'result')
        self.assertIn('repair of a chunk of lrc isal k=4 m=2: 3 chunks are read', result['notes'])


class Libraries(runner.Case):
    """A runner that is built as it is where neither libisal nor libJerasure is."""

    def run_without(self, command):
        words = [os.environ['STINT_NO_CODECS_EXE'], *runner.words(command)[1:]]
        return subprocess.run(words, env=runner.environment(), input='', text=True,
                              capture_output=True, timeout=runner.LIMIT_S, check=False)

    def test_codecs_that_are_not_there(self):
        """They are skipped by the library's name; what is wrong stays so."""
        options = f'{EAL_REFUSED} -- --quiet --points cores=1'
        result = self.run_without(f'{EAL_REFUSED} -- --quiet {FAST}')
        self.assert_exit(result, 77)
        self.assertIn(f'{FAST}: skip: built without libisal and libJerasure', result.stdout)
        result = self.run_without(f'{options},code=lrc {PERF}')
        self.assert_exit(result, 77)
        self.assertIn('built without libisal', result.stdout)
        result = self.run_without(f'{options},code=liberation {PERF}')
        self.assert_exit(result, 77)
        self.assertIn('built without libJerasure', result.stdout)
        self.assert_exit(self.run_without(f'{options} --set technique=liberation --set m=3 {PERF}'),
                         2)


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
