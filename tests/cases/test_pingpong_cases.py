# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Round trips: frames that are lost, invented, or others'; options that cost nothing; the mean."""

import csv
import os
import re
import shutil
import statistics
import subprocess
import unittest

import runner

PERF = 'pingpong_perf_autotest'
LOOPS, FAULT = os.environ['STINT_PINGPONG_LOOPS'], os.environ['STINT_PORT_FAULT']
ASAN = os.environ.get('STINT_ASAN') == '1'
MEMORY = '--no-huge -m 256'
RINGS = '--vdev=net_ring0'


class Case(runner.Case):
    def play(self, *settings, eal='', lcores="--lcores '(0-1)@0'", fault=None, code=0,
             budget='20s'):
        options = {}
        if fault:
            options = {'LD_PRELOAD': FAULT, 'PORT_FAULT': fault,
                       'ASAN_OPTIONS': 'verify_asan_link_order=0:detect_leaks=0'}
        words = ' '.join(f'--set {setting}' for setting in settings)
        return self.measured(f'{MEMORY} {lcores} {eal} -- --quiet --budget {budget} {words} {PERF}',
                             code=code, **options)

    def counted(self, result):
        line = re.search(r'(?m)^  counted: (.*)$', result.stdout)
        return {what: int(n) for n, what in re.findall(r'(\d+) ([a-z ]+?)(?:, |$)',
                                                       line[1] if line else '')}


class Ports(Case):
    def test_G01_lost_frames(self):
        """The run goes on and counts them; it ends if none comes back."""
        ways = {'two ports': {}, 'one port': {'eal': RINGS, 'lcores': '-l 0'}}
        for way, where in ways.items():
            with self.subTest(way=way):
                asked = ('ports=0',) if where else ()
                # samples: on the same ports from begin to end
                path, result = self.play('sizes=0,64', 'count=10000', 'timeout=1ms', 'warmup=50',
                                         f'samples={self.folder}/{way[:3]}%s.csv', *asked,
                                         fault='drop=1000', **where)
                counted = self.counted(result)
                dropped = int(re.search(r'(\d+) dropped', result.stderr)[1])
                self.assertGreaterEqual(dropped, 20)
                # one that was not dropped may be lost: it comes late
                self.assertEqual(counted['frames lost'],
                                 dropped + counted.get('late replies', 0), result.stdout)
                self.assertEqual(sum(record['count'] for record in
                                     runner.records(path, 'histogram')), 20000)
        _, result = self.play('sizes=64', fault='drop=1', code=1)
        self.assertIn('no frame of 106 bytes', result.stdout)

    def test_G01_doubled_frames(self):
        _, result = self.play('sizes=64', 'count=1000', fault='double=1')
        self.assertGreater(self.counted(result)['duplicate replies'], 500)

    def test_G03_link_that_comes_up_late(self):
        """It is waited for, and its first frames are no samples."""
        path, _ = self.play('sizes=64', 'count=500', 'ports=0', eal=RINGS, lcores='-l 0',
                            fault='link_up_ms=700')
        self.assertEqual(sum(record['count'] for record in runner.records(path, 'histogram')), 500)
        _, result = self.play('sizes=64', 'ports=0', eal=RINGS, lcores='-l 0',
                              fault='link_up_ms=60000', code=77)
        self.assertIn('link down after 3000 ms', result.stdout)

    def test_G06_invented_frames(self):
        """Whatever a driver invents is no reply: not even our own frame in a buffer used again."""
        for asked in (('sizes=0', 'ports=0'), ('sizes=64', 'ports=0'), ('role=ping', 'ports=0'),
                      ('role=pong', 'ports=0')):
            with self.subTest(asked=asked):
                _, result = self.play(*asked, eal='--vdev=net_null0,size=106', lcores='-l 0', code=1)
                self.assertIn('port 0 (net_null0, net_null): frames come in without end before any '
                              'was sent', result.stdout)
        _, result = self.play('ports=0,1', eal='--vdev=net_ring0 --vdev=net_null0', code=1)
        self.assertIn('port 1 (net_null0, net_null): frames come in without end', result.stdout)

    def test_G18_port_that_does_not_start(self):
        """Nothing is sent at it."""
        for fault in ('rte_eth_dev_start=-5', 'rte_eth_dev_configure=-16',
                      'rte_eth_rx_queue_setup=-95'):
            with self.subTest(fault=fault):
                _, result = self.play('ports=0', eal=RINGS, lcores='-l 0', fault=fault, code=1)
                self.assertIn(f'port 0 (net_ring0, net_ring): {fault.split("=")[0]}',
                              result.stdout)


class Numbers(Case):
    def least(self, fault=None):
        """The smallest round trip and the median, in cycles, of one port that sends to itself."""
        times = self.folder / f'{fault}.csv'
        self.play('sizes=64', 'count=20001', 'ports=0', f'samples={times}', eal=RINGS,
                  lcores='-l 0', fault=fault)
        with open(times, encoding='ascii', newline='') as file:
            cycles = [int(row['round_trip_cycles']) for row in csv.DictReader(file)]
        return min(cycles), statistics.median(cycles)

    def test_slower_way(self):
        """What makes the way longer by so many cycles makes the round trip longer by as many."""
        more = 10000
        for plain, slow in zip(self.least(), self.least(f'tx_cycles={more}')):
            self.assertGreater(slow - plain, 0.95 * more)
            self.assertLess(slow - plain, 1.5 * more)

    def test_D16_no_sample(self):
        """On a machine that is too slow for one: a skip that names the budget that would do."""
        for budget in ('1ms', '2ms', '5ms'):
            result = runner.stint(f"{MEMORY} --lcores '(0-1)@0' -- --quiet --budget {budget} "
                                  f'{PERF}')
            self.assertIn(result.returncode, (0, 77), result.stdout)
            if result.returncode == 77:
                self.assertIn('the smallest budget that would do', result.stdout)

    def test_H01_mean_of_samples(self):
        """Whatever lies outside of the stamps: the pace of 100 us is no part of the mean."""
        path, result = self.play('sizes=64', 'count=300', 'interval=100us',
                                 f'samples={self.folder}/raw.csv')
        with open(self.folder / 'raw.csv', encoding='ascii', newline='') as file:
            samples = [float(row['round_trip_ns']) for row in csv.DictReader(file)]
        shown = re.search(r'round trip +([\d. -]+)', result.stdout)[1].split()
        titles = re.search(r'in ns +(.*)', result.stdout)[1].split()
        mean = float(shown[titles.index('mean')])
        self.assertAlmostEqual(mean, statistics.mean(samples), delta=0.002 * mean + 0.1)
        walls = [record['value'] for record in runner.records(path, 'sample')
                 if record['metric'] == 'wall-clock mean of slices']
        self.assertGreater(statistics.median(walls), 50000)

    @runner.needs_two_cpus
    def test_H10_most_sends_of_a_pace_are_samples(self):
        """Few are outside of what counts, so that stalls are not all that is seen."""
        path, _ = self.play('sizes=64', 'interval=1ms', 'warmup=10', 'count=1000000', budget='2s',
                            lcores='-l 0-1')
        result, = runner.records(path, 'result')
        samples = sum(record['count'] for record in runner.records(path, 'histogram'))
        self.assertGreater(samples, 0.1 * result['elapsed_ns'] / 1e6)

    def test_latencies_of_the_last_slice(self):
        """Those that the end of the budget cuts are in the table and the run file as in the CSV."""
        for run in range(3):
            raw = self.folder / f'{run}.csv'
            path, _ = self.play('sizes=64', 'count=100000000', f'samples={raw}', budget='1s')
            self.assertEqual(sum(record['count'] for record in runner.records(path, 'histogram')),
                             len(raw.read_text(encoding='ascii').splitlines()) - 1)

    def test_H02_nearest_rank(self):
        """p99 of 99 samples would be the largest: it is not shown; of 100 it is, and is right."""
        shares = {'p50': (50, 100), 'p90': (90, 100), 'p95': (95, 100), 'p99': (99, 100),
                  'p99.9': (999, 1000)}
        for count in (1, 2, 19, 50, 99, 100):
            with self.subTest(count=count):
                times = self.folder / f'{count}.csv'
                _, result = self.play('sizes=64', f'count={count}', 'ports=0', f'samples={times}',
                                      eal=RINGS, lcores='-l 0')
                with open(times, encoding='ascii', newline='') as file:
                    ns = sorted(float(row['round_trip_ns']) for row in csv.DictReader(file))
                titles = re.search(r'in ns +(.*)', result.stdout)[1].split()
                values = re.search(r'round trip +([\d. -]+)', result.stdout)[1].split()
                shown = dict(zip(titles, values))
                for name, (part, whole) in shares.items():
                    rank = -(-part * count // whole)
                    self.assertEqual(name in shown, rank < count, result.stdout)
                    if rank < count:
                        self.assertAlmostEqual(float(shown[name]), ns[rank - 1],
                                               delta=0.002 * ns[rank - 1])

    def test_H07_no_samples(self):
        """No point has a value: a skip, and nothing that is no number."""
        _, result = self.play('sizes=64', budget='1ms', code=None)
        self.assertIn(result.returncode, (0, 77))
        self.assertNotRegex(result.stdout.lower(), r'\b(nan|inf)\b')

    def test_H10_file_and_text_agree(self):
        path, result = self.play('sizes=0,64', 'count=500')
        shown = runner.show(path)
        for line in shown.stdout.splitlines()[1:]:
            self.assertIn(line, result.stdout)


    def measured(self, command, *more, code=0, **options):
        if code is not None:
            return super().measured(command, *more, code=code, **options)
        return None, runner.stint(command, *more, **options)


@unittest.skipIf(ASAN, 'checks are inlined')
class Loops(Case):
    def loops(self, mode, prefix=(), lcores='0'):
        return subprocess.run([*prefix, LOOPS, *f'{MEMORY} -l {lcores} --no-pci --no-shconf '
                               '--no-telemetry --log-level=lib.*:error --'.split(), mode],
                              capture_output=True, text=True, check=False, timeout=200)

    @unittest.skipUnless(shutil.which('valgrind'), 'needs valgrind')
    def test_G15_options_that_are_off_cost_nothing(self):
        """Instructions of the plain variant are those of a body without options."""
        counts = {}
        for mode in ('table', 'own'):
            output = self.folder / f'{mode}.out'
            result = self.loops(mode, ('valgrind', '--tool=callgrind', '--toggle-collect=counted',
                                       f'--callgrind-out-file={output}'))
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertIn('2000 trips', result.stdout)
            counts[mode] = int(re.search(r'(?m)^(?:summary|totals): (\d+)',
                                         output.read_text(encoding='utf-8'))[1])
        self.assertGreater(counts['table'], 2000 * 50)
        self.assertEqual(counts['table'], counts['own'])

    @runner.needs_two_cpus
    def test_G15_beside_a_bare_loop(self):
        """What is timed is the way there and back, and next to nothing else; nor do options that
        are off take time."""
        result = self.loops('ratio', lcores='0-1')
        self.assertEqual(result.returncode, 0, result.stderr)
        values = {name: [int(value) for value in re.findall(rf'(?m)^{name} (\d+)$', result.stdout)]
                  for name in ('ours', 'own', 'bare')}
        for other in ('own', 'bare'):
            ratio = min(values['ours']) / min(values[other])
            self.assertLess(ratio, 1.5, f'{other} {result.stdout}')


if __name__ == '__main__':
    runner.main()
