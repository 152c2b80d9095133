# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Round trips: what may be asked for, what comes of it, and where samples go."""

import csv
import re
import unittest

import runner

PERF = 'pingpong_perf_autotest'
MEMORY = '--no-huge -m 256'
# lcores that share a CPU do as well, but say less
LCORES = "--lcores '(0-1)@0'"

# what is asked for, what of it is named, the range that is named
REFUSED = [
    ('count=0', 'count=0', '1..100000000'),
    ('count=-1', 'count=-1', '1..100000000'),
    ('count=5x', 'count=5x', '1..100000000'),
    ('warmup=1.5', 'warmup=1.5', '0..100000000'),
    ('sizes=0:64:0', 'sizes=0:64:0', '0..'),
    ('sizes=64:0:8', 'sizes=64:0:8', '0..'),
    ('sizes=64:0:-8', 'sizes=64:0:-8', '0..'),
    ('sizes=64,', 'sizes=64,', '0..'),
    ('sizes=99999', 'sizes=99999', '0..'),
    ('sizes=1473', '1473 bytes', '0..1472'),
    ('sizes=0:1500:100', '1500 bytes', '0..1472'),
    ('vid=0', 'vid=0', '1..4094'),
    ('vid=4095', 'vid=4095', '1..4094'),
    ('vid=1,2', 'vid=1,2', '1..4094'),
    ('outer_vid=4095', 'outer_vid=4095', '1..4094'),
    ('outer_vid=7', 'outer_vid=7', '1..4094'),
    ('pcp=8', 'pcp=8', '0..7'),
    ('pcp=3', 'pcp=3 without a vid', '1..4094'),
    ('ports=7', 'port 7', 'there are: none'),
    ('ports=0,0', 'ports=0,0', '0..'),
    ('ports=0,1,2', '3 are named', 'none, one or two'),
    ('timeout=0', 'timeout=0', '100us..60s'),
    ('timeout=5', 'timeout=5', '100us..60s'),
    ('interval=2s', 'interval=2s', '0..1s'),
    ('interval=10', 'interval=10', 'us, ms, s'),
    ('role=pung', 'role=pung', 'both'),
    ('echo=x', 'echo=x', 'static|reflect|copy'),
    ('validate=1', 'validate=1', 'yes|no'),
    ('samples=/nosuch/x%s.csv', '/nosuch/x', 'No such file'),
    ('samples=/tmp/nosuch.csv', 'sizes', '%s'),
]


class Case(runner.Case):
    def play(self, *settings, lcores=LCORES, eal='', budget='20s', points='', code=0, **options):
        """A run of as many samples as are asked for: its run file, and the result."""
        words = ' '.join(f'--set {setting}' for setting in settings)
        if points:
            words += f' --points {points}'
        return self.measured(f'{MEMORY} {lcores} {eal} -- --quiet --budget {budget} {words} {PERF}',
                             code=code, **options)

    def trips(self, path):
        """{size: number of samples}"""
        counts = {}
        for record in runner.records(path, 'histogram'):
            size = record['point']['sizes']
            counts[size] = counts.get(size, 0) + record['count']
        return counts


class Usage(Case):
    def test_refused(self):
        """One line that names what was asked for and what may be, and nothing is sent."""
        for setting, named, allowed in REFUSED:
            with self.subTest(setting=setting):
                result = runner.stint(f'{MEMORY} {LCORES} -- --budget 100ms', '--set', setting, PERF)
                self.assert_exit(result, 2)
                self.assertEqual(result.stderr.count('\n'), 1, result.stderr)
                self.assertIn(named, result.stderr)
                self.assertIn(allowed, result.stderr)

    def test_no_pong(self):
        """A port that sends to itself answers in no way of its own."""
        result = runner.stint(f'{MEMORY} -l 0 --vdev=net_ring0 -- --set ports=0 --set echo=copy {PERF}')
        self.assert_exit(result, 2)
        self.assertIn('echo=copy: one port that sends to itself has no pong; it takes reflect',
                      result.stderr)
        self.play('ports=0', 'validate=yes', 'sizes=64', 'count=100', eal='--vdev=net_ring0',
                  lcores='-l 0')

    def test_one_lcore(self):
        """Ping and pong each have one."""
        result = runner.stint(f'{MEMORY} -l 0 -- {PERF}')
        self.assert_exit(result, 77)
        self.assertIn('need 2 lcores, have 1', result.stdout)


class Samples(Case):
    def test_count(self):
        """As many as were asked for, of each size, and the run is over then."""
        for more in ((), ('interval=20us',), ('interval=1us',), ('echo=copy', 'validate=yes'),
                     ('vid=4094', 'outer_vid=1', 'pcp=7', 'echo=static')):
            with self.subTest(more=more):
                path, result = self.play('sizes=0:1472:736', 'count=700', 'warmup=10', *more)
                self.assertEqual(self.trips(path), {0: 700, 736: 700, 1472: 700}, result.stdout)
                # where others use the CPU a reply may take longer than 10 ms
                self.assertNotRegex(result.stdout, 'duplicate|corrupt|foreign|refused')

    def test_file(self):
        """One a line, in the order in which they were taken: the same ones as in the run file."""
        path, _ = self.play(f'samples={self.folder}/of%s.csv', 'sizes=1,64', 'count=500')
        for size in (1, 64):
            with open(self.folder / f'of{size}.csv', encoding='ascii', newline='') as file:
                rows = list(csv.DictReader(file))
            cycles = [int(row['round_trip_cycles']) for row in rows]
            records = [record for record in runner.records(path, 'histogram')
                       if record['point']['sizes'] == size]
            self.assertEqual(len(cycles), 500)
            self.assertEqual(sum(cycles), sum(record['sum_cycles'] for record in records))
            self.assertEqual(max(cycles), max(record['max_cycles'] for record in records))
            hz = records[-1]['tsc_hz']
            for row in rows:
                self.assertAlmostEqual(float(row['round_trip_ns']),
                                       int(row['round_trip_cycles']) / hz * 1e9,
                                       delta=0.1 + 1e-3 * float(row['round_trip_ns']))

    def test_no_file_without_samples(self):
        """A run that measures nothing leaves none behind, and the next one may write there."""
        path = self.folder / 'of64.csv'
        runner.stint(f'{MEMORY} -l 0 --vdev=net_null0 -- --set ports=0 --set sizes=64 '
                     f'--set samples={path} {PERF}')
        self.assertFalse(path.exists())
        path.touch()
        result = runner.stint(f'{MEMORY} {LCORES} -- --set sizes=1,64 '
                              f'--set samples={self.folder}/of%s.csv {PERF}')
        self.assert_exit(result, 2)
        self.assertIn('of64.csv: File exists', result.stderr)
        self.assertFalse((self.folder / 'of1.csv').exists())
        path.unlink()
        self.play(f'samples={self.folder}/of%s.csv', 'sizes=1,64', 'count=9', points='sizes=64')
        self.assertTrue(path.exists())
        self.assertFalse((self.folder / 'of1.csv').exists())

    @runner.needs_mounts
    def test_full_disk(self):
        """Samples that are cut off make a failure."""
        small = self.folder / 'small'
        small.mkdir()
        result = runner.stint(f'{MEMORY} {LCORES} -- --set sizes=64 --set count=5000 '
                              f'--set samples={small}/raw.csv {PERF}',
                              prefix=runner.mounted('tmpfs', small, 'size=8k'))
        self.assert_exit(result, 1)
        self.assertIn('samples of 64 bytes are not complete', result.stdout)
        self.assertIn('No space left on device', result.stdout)

    def test_what_is_said(self):
        """Round trip and half of it, the mean by the wall clock, and what lies below."""
        path, result = self.play('sizes=64', 'count=1000')
        for text in ('round trip', 'half of it', 'wall-clock mean of slices', 'two time stamps',
                     'coordinated omission'):
            self.assertIn(text, result.stdout)
        self.assertEqual(len(runner.records(path, 'stamp')), 1)
        rows = {name: re.search(rf'{name} +([\d. ]+)', result.stdout)[1].split()
                for name in ('round trip', 'half of it')}
        for whole, half in zip(rows['round trip'][:3], rows['half of it'][:3]):
            self.assertAlmostEqual(float(half), float(whole) / 2, delta=0.002 * float(whole))
        _, paced = self.play('sizes=64', 'count=100', 'interval=20us')
        self.assertIn('timed from when a frame was to be sent', paced.stdout)


if __name__ == '__main__':
    runner.main()
