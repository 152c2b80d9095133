# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""buildtools/measure: values of run files, differences of runs, verdicts, memory of processes."""

import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

import measure_figures
import measure_probe
import measure_rows
import measure_runs
from measure_figures import Figure, Outcome

BUILDTOOLS = os.path.dirname(measure_runs.__file__)
MIB = 1 << 20


def sample(value, disturbed=False, metric='rate', **point):
    return {'type': 'sample', 'metric': metric, 'value': value, 'disturbed': disturbed,
            'point': point}


def run_of(*records, cut=''):
    return measure_runs.Run([json.dumps(record) + '\n' for record in records] + [cut])


class Values(unittest.TestCase):
    # samples as (value, is it disturbed), the point's value
    CASES = [
        ([(5, False)], 5),
        ([(1, False), (9, False)], 5),
        ([(9, False), (1, False), (2, False)], 2),
        # a disturbed sample does not count beside others, however many there are of it
        ([(9, False), (1, True), (1, True)], 9),
        # but it is better than nothing
        ([(4, True), (8, True)], 6),
    ]

    def test_value(self):
        for samples, value in self.CASES:
            with self.subTest(samples=samples):
                run = run_of(*(sample(number, disturbed, keep=1) for number, disturbed in samples))
                self.assertEqual(run.values('rate'), {(('keep', 1),): value})

    def test_points_and_metrics_are_apart(self):
        run = run_of(sample(1, keep=1), sample(2, keep=2), sample(7, metric='cost', keep=1))
        self.assertEqual(run.values('rate'), {(('keep', 1),): 1, (('keep', 2),): 2})
        self.assertEqual([found['value'] for found in run.of('rate', keep=2)], [2])
        self.assertEqual([found['value'] for found in run.of('cost')], [7])
        self.assertEqual(run.of('rate', pool='x'), [])

    def test_cut_file_and_unknown_types(self):
        run = run_of({'type': 'plan', 'points': 3}, {'type': 'novel'}, sample(1, keep=1),
                     {'type': 'result', 'elapsed_ns': 1200}, cut='{"type":"sam')
        self.assertEqual((run.plan['points'], len(run.samples)), (3, 1))
        self.assertEqual(run.visit_ns(), 1200)

    def test_disturbed_part(self):
        run = run_of(sample(1, True), sample(1), sample(1), sample(1))
        self.assertEqual(run.disturbed_part(), 0.25)


class Differences(unittest.TestCase):
    def test_quantile_is_of_nearest_rank(self):
        # rank = ceil(n * percent / 100)
        for values, percent, right in [(range(1, 101), 50, 50), (range(1, 101), 99, 99),
                                       ([10, 20, 30], 99, 30), ([10, 20, 30], 50, 20),
                                       ([30, 10, 20], 1, 10), ([7], 0, 7)]:
            with self.subTest(values=values, percent=percent):
                self.assertEqual(measure_runs.quantile(list(values), percent), right)

    def test_difference(self):
        # against 100: +10 %, -30 %, +20 %, 0; the fifth point is in one run only
        old = dict(a=100, b=100, c=100, d=100, e=100)
        new = dict(a=110, b=70, c=120, d=100, f=100)
        found = measure_runs.difference(old, new)
        # sizes 0, 0.1, 0.2, 0.3: median (0.1 + 0.2) / 2; rank ceil(4 * 0.99) = 4;
        # (1.1 x 0.7 x 1.2 x 1) ^ (1 / 4) - 1
        for name, right in dict(median=0.15, p99=0.3, worst=0.3,
                                mean=0.924 ** 0.25 - 1).items():
            self.assertAlmostEqual(getattr(found, name), right, msg=name)

    def test_alternated(self):
        across, same = measure_runs.alternated(['A1', 'B1', 'A2', 'B2'])
        self.assertEqual(across, [('A1', 'B1'), ('B1', 'A2'), ('A2', 'B2')])
        self.assertEqual(same, [('A1', 'A2'), ('B1', 'B2')])

    def test_mean_is_the_same_both_ways(self):
        # one point twice as fast, one half: no change in the mean
        self.assertAlmostEqual(measure_runs.signed_mean(dict(a=1, b=2), dict(a=2, b=1)), 0)

    def test_signed_change_is_that_from_a_to_b(self):
        runs = [dict(x=value) for value in (100, 110, 100, 110)]
        # half of +10 %, -9.0909 % the other way round, half of +10 %
        self.assertAlmostEqual(measure_runs.signed_change(runs), (0.1 + 1 / 11) / 2)

    def test_drift_is_no_change_from_a_to_b(self):
        for n in (4, 5, 6):
            runs = [dict(x=100 * 1.01 ** i) for i in range(n)]
            self.assertAlmostEqual(measure_runs.signed_change(runs), 0)

    def test_against_itself(self):
        def runs(*values):
            return [run_of(sample(value, metric='get+put', keep=1)) for value in values]
        for values, verdicts in [
                # B is 1 % above A
                ((100, 101, 100, 101), [None, False, None, False]),
                # only the machine changes, by 1 %
                ((100, 100, 101, 101), [None, True, None, True]),
                # so noisy that nothing can be told
                ((100, 130, 200, 130), [None, False, None, False])]:
            with self.subTest(values=values):
                figures = measure_rows.against_itself(runs(*values))
                self.assertEqual([figure.reached() for figure in figures], verdicts)


class Figures(unittest.TestCase):
    # unit, values, limit, judge, reached, reach, measured
    CASES = [
        ('', [1140], ('>=', 1140), 'median', True, '>= 1140', '1140'),
        ('', [1139], ('>=', 1140), 'median', False, '>= 1140', '1139'),
        ('', [3, 1, 2], None, 'median', None, '', '2 [1, 3] of 3'),
        ('MiB', [64 * MIB], ('<=', 64 * MIB), 'median', True, '<= 64.0 MiB', '64.0 MiB'),
        ('MiB', [64 * MIB], ('<', 64 * MIB), 'median', False, '< 64.0 MiB', '64.0 MiB'),
        # one bad repetition of three: seen by the worst, not by the median
        ('us', [4e-6, 9e-6, 4e-6], ('<', 5e-6), 'median', True, '< 5.00 us',
         '4.00 us [4.00 us, 9.00 us] of 3'),
        ('us', [4e-6, 9e-6, 4e-6], ('<', 5e-6), 'worst', False, '< 5.00 us',
         '4.00 us [4.00 us, 9.00 us] of 3'),
        # below as well as above
        ('ms', [-0.2], ('+-', 0.1), 'worst', False, '+- 100.0 ms', '-200.0 ms'),
        ('+%', [-0.004], ('+-', 0.004), 'median', True, '+- 0.40 %', '-0.40 %'),
    ]

    def test_figure(self):
        for unit, values, limit, judge, reached, reach, measured in self.CASES:
            with self.subTest(unit=unit, values=values, limit=limit, judge=judge):
                figure = Figure('x', unit, values, limit, judge)
                self.assertIs(figure.reached(), reached)
                self.assertEqual((figure.reach(), figure.measured()), (reach, measured))

    def test_allowed(self):
        # 5 % or 100 ms, whichever is more: they meet at 2 s
        for budget_s, right in [(0.1, 0.1), (1, 0.1), (2, 0.1), (20, 1), (300, 15)]:
            self.assertAlmostEqual(measure_rows.allowed_s(budget_s), right)

    def test_table(self):
        outcomes = [Outcome('one', 'what it is', [Figure('long label', '', [5], ('>=', 4)),
                                                  Figure('b', '', [3])]),
                    Outcome('two', 'never', [], 'not tried: why')]
        text = measure_figures.table([line for outcome in outcomes
                                      for line in measure_figures.cells(outcome)])
        self.assertEqual(text.split('\n'), [
            'what          reach  measured  verdict',
            'one: what it is',
            '  long label  >= 4   5         reached',
            '  b                  3',
            'two: never  not tried: why'])

    def test_record(self):
        found = measure_figures.record(
            Outcome('one', 'what', [Figure('x', '+%', [0.5], ('+-', 0.25)),
                                    Figure('y', 'MiB', [3 * MIB])]))
        self.assertEqual(found['figures'], [
            {'label': 'x', 'unit': '%', 'operator': '+-', 'limit': 25, 'values': [50],
             'judge': 'median', 'reached': False},
            {'label': 'y', 'unit': 'MiB', 'operator': None, 'limit': None, 'values': [3],
             'judge': 'median', 'reached': None}])

    def test_exit_code(self):
        good = Outcome('a', '', [Figure('x', '', [5], ('>=', 4)), Figure('y', '', [5])])
        bad = Outcome('b', '', [Figure('x', '', [3], ('>=', 4))])
        absent = Outcome('c', '', [], 'not tried: why')
        broken = Outcome('d', '', [], 'failed: why')
        for outcomes, code in [([good], 0), ([good, bad], 1), ([good, absent], 0), ([absent], 77),
                               ([good, broken], 1), ([absent, broken], 1)]:
            self.assertEqual(measure_figures.exit_code(outcomes), code)


class Probe(unittest.TestCase):
    def test_status(self):
        text = 'Name:\tstint\nVmHWM:\t   5120 kB\nRssAnon:\t  16 kB\nThreads:\t3\n'
        self.assertEqual(measure_probe.status_bytes(text),
                         {'VmHWM': 5 * MIB, 'RssAnon': 16 * 1024})

    def test_heap(self):
        smaps = ('1000-2000 r-xp 00000000 00:00 0   /bin/x\nRss:   8 kB\n'
                 '2000-3000 rw-p 00000000 00:00 0   [heap]\nSize: 9 kB\nRss:  40 kB\nPss: 1 kB\n'
                 '3000-4000 rw-p 00000000 00:00 0 \nRss: 400 kB\n')
        self.assertEqual(measure_probe.heap_bytes(smaps), 40 * 1024)
        self.assertEqual(measure_probe.heap_bytes(''), 0)

    def test_of_a_process(self):
        """The heap of a process that holds 32 MiB in small pieces is seen from outside."""
        hold = 'x = [str(i) * 100 for i in range(60000)]; print(flush=True); input()'
        with subprocess.Popen([sys.executable, '-c', hold], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            watch = measure_probe.Watch(process.pid, measure_probe.free_bytes())
            watch.look()
            process.communicate(b'\n')
            watch.look()
        self.assertGreater(watch.peaks['heap'], 16 * MIB)
        self.assertGreaterEqual(watch.peaks['RssAnon'], watch.peaks['heap'])

    def test_free_of_all_nodes_and_sizes(self):
        with tempfile.TemporaryDirectory() as folder:
            for node, size, pages in (('0', 2048, 3), ('1', 2048, 4), ('1', 1048576, 1)):
                path = pathlib.Path(folder, node, f'hugepages-{size}kB', 'free_hugepages')
                path.parent.mkdir(parents=True)
                path.write_text(f'{pages}\n', encoding='ascii')
            found = measure_probe.free_bytes(f'{folder}/*/hugepages-*kB/free_hugepages')
        # (3 + 4) x 2 MiB + 1 GiB
        self.assertEqual(found, 14 * MIB + 1024 * MIB)


STAND_IN = '''#!{python}
import os, sys
folder = sys.argv[sys.argv.index('--results') + 1]
code, text = {code}, {text!r}
if text:
    open(os.path.join(folder, 'x.ndjson'), 'w').write(text)
print('last words', os.environ.get('STINT_BUDGET'))
sys.exit(code)
'''


class Runner(unittest.TestCase):
    """A script stands in for stint."""

    def machine(self, code, *records):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        stint = pathlib.Path(folder.name, 'app', 'stint', 'stint')
        stint.parent.mkdir(parents=True)
        text = ''.join(json.dumps(record) + '\n' for record in records)
        stint.write_text(STAND_IN.format(python=sys.executable, code=code, text=text),
                         encoding='utf-8')
        stint.chmod(stint.stat().st_mode | stat.S_IXUSR)
        return measure_probe.Machine(folder.name)

    def test_passed(self):
        os.environ['STINT_BUDGET'] = '7s'
        self.addCleanup(os.environ.pop, 'STINT_BUDGET')
        finished = self.machine(0, sample(3, keep=1)).run(['-l', '0'], ['x'])
        self.assertEqual(finished.run.values('rate'), {(('keep', 1),): 3})
        # what the user's environment asks of stint is not what is measured
        self.assertEqual(finished.output, 'last words None\n')

    def test_skipped(self):
        machine = self.machine(77, {'type': 'skip', 'reason': 'no hugepages'})
        with self.assertRaisesRegex(measure_probe.NotTried, '^no hugepages$'):
            machine.run([], [])

    def test_failed(self):
        for machine in self.machine(1, sample(3)), self.machine(0):
            with self.assertRaisesRegex(measure_probe.Failed, 'last words'):
                machine.run([], [])

    def test_too_few_cpus(self):
        machine = self.machine(0)
        machine.cpus = [3, 5]
        self.assertEqual(machine.lcores(2), '3,5')
        with self.assertRaisesRegex(measure_probe.NotTried, 'needs 3 CPUs, 2 allowed'):
            machine.lcores(3)

    def test_not_built(self):
        with self.assertRaisesRegex(measure_probe.Failed, 'not built'):
            measure_probe.Machine('/nonexistent')


class Command(unittest.TestCase):
    def call(self, *args, **environment):
        return subprocess.run([sys.executable, os.path.join(BUILDTOOLS, 'measure'), *args],
                              env=dict(os.environ, **environment), capture_output=True, text=True,
                              check=False)

    def test_list(self):
        listing = self.call('--list')
        self.assertEqual((listing.returncode, listing.stderr), (0, ''))
        self.assertEqual([line.split()[0] for line in listing.stdout.splitlines()],
                         [row.name for row in measure_rows.ROWS])

    def test_wrong_usage(self):
        for args, named in [(['engin'], 'no row engin; there are: coverage, '),
                            (['-n', '0'], '-n 0: 1 or more')]:
            refused = self.call(*args)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(named, refused.stderr)

    def test_long_rows_are_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            stint = pathlib.Path(folder, 'app', 'stint', 'stint')
            stint.parent.mkdir(parents=True)
            stint.touch(mode=0o755)
            tried = self.call('--json', 'suite', STINT_BUILD=folder)
        self.assertEqual(tried.returncode, 77)
        self.assertEqual(json.loads(tried.stdout)[0]['problem'], 'not tried: takes minutes: --long')

    def test_no_runner(self):
        refused = self.call('suite', STINT_BUILD='/nonexistent')
        self.assertEqual(refused.returncode, 99)
        self.assertIn('not built', refused.stderr)


if __name__ == '__main__':
    unittest.main()
