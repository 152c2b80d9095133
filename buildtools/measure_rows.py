# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""What Stint is to reach, a row each: how it is measured, and the figures that come of it."""

import collections
import statistics
import subprocess
import time

import measure_runs
from measure_figures import Figure
from measure_probe import SKIPPED, Failed, last_line

MIB = 1 << 20
ONE_CORE = 'mempool_perf_autotest_1core'
# Some points of each kind, so that a run takes seconds.
SOME_POINTS = ['--points', 'keep=512', '--budget', '4s']
# Two runs count as equal if they are no further apart than this times a run from itself.
NOISE_MARGIN = 1.25
# On a machine as quiet as can be a signed mean is allowed the least; on one where noise would hide
# any difference, nothing is allowed beyond the most.
SIGNED_NOISE, SIGNED_NOISE_MOST, NOISE_MOST = 0.004, 0.01, 0.02

# `measure` takes the machine and how often to measure (None: as often as suits the row).
Row = collections.namedtuple('Row', 'name what measure is_long', defaults=[False])


def mib(run, key):
    return sum(run.plan[key].values())


def coverage(machine, n):
    done = [machine.run(['-l', machine.lcores(2)], [ONE_CORE], watched=True)
            for _ in range(n or 1)]
    runs = [finished.run for finished in done]
    points = runs[0].result['points']
    return [
        Figure('points in the grid', '', [run.result['points'] for run in runs], ('>=', 1140)),
        Figure('points measured', '', [run.result['points_done'] for run in runs],
               ('>=', points), judge='worst'),
        Figure('rounds', '', [run.result['rounds'] for run in runs], ('>=', 5), judge='worst'),
        Figure('hugepages planned', 'MiB', [mib(run, 'need_all_bytes') for run in runs],
               ('<=', 64 * MIB), judge='worst'),
        Figure('hugepages used', 'MiB', [end.peaks['HugetlbPages'] for end in done],
               ('<=', 64 * MIB), judge='worst'),
        Figure('fall of free hugepages, others too', 'MiB', [end.peaks['pool'] for end in done]),
    ]


def many_lcores(machine, n):
    cpus = machine.lcores(2)
    done = [machine.run(['--lcores', f'(0-31)@({cpus})'], ['mempool_perf_autotest_allcores'],
                        watched=True) for _ in range(n or 1)]
    setups = [end.run.samples[0]['at_ns'] / 1e9 for end in done]
    over = [end.wall_s - end.run.plan['budget_ns'] / 1e9 - setup
            for end, setup in zip(done, setups)]
    return [
        Figure('hugepages planned', 'MiB', [mib(end.run, 'need_all_bytes') for end in done],
               ('<', 400 * MIB), judge='worst'),
        Figure('hugepages used', 'MiB', [end.peaks['HugetlbPages'] for end in done],
               ('<', 400 * MIB), judge='worst'),
        Figure('time beyond budget and set-up', 's', over, ('<=', 2), judge='worst'),
        Figure('set-up, to the first sample', 's', setups),
        Figure('points measured', '', [end.run.result['points_done'] for end in done]),
    ]


def suite(machine, n):
    walls = []
    command = ['meson', 'test', '-C', machine.build, '--no-rebuild', '--suite=perf-tests']
    for _ in range(n or 1):
        begin = time.monotonic()
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors='replace',
                                check=False)
        walls.append(time.monotonic() - begin)
        if result.returncode != 0:
            raise Failed(f'meson test ended with {result.returncode}: {last_line(result.stdout)}')
    return [Figure('wall time', 's', walls, ('<', 150), judge='worst')]


# budget, seconds, how often
SHORT_BUDGETS = (('100ms', 0.1, 5), ('300ms', 0.3, 5), ('1s', 1, 3), ('5s', 5, 1), ('20s', 20, 1))
LONG_BUDGETS = (('5m', 300, 1),)
BUDGET_TESTS = ('harness_perf_autotest', ONE_CORE, 'mempool_perf_autotest_2cores')


def allowed_s(budget_s):
    """5 % or 100 ms."""
    return max(0.05 * budget_s, 0.1)


def keeping(machine, n, budgets):
    eal = ['-l', machine.lcores(2)]
    figures = []
    for text, budget_s, often in budgets:
        for test in BUDGET_TESTS:
            runs = [machine.run(eal, ['--budget', text, test], limit_s=budget_s + 120).run
                    for _ in range(n or often)]
            figures.append(Figure(f'{text}, {test}', 'ms',
                                  [run.result['elapsed_ns'] / 1e9 - budget_s for run in runs],
                                  ('+-', allowed_s(budget_s)), judge='worst'))
    return figures


def budget(machine, n):
    return keeping(machine, n, SHORT_BUDGETS)


def long_budget(machine, n):
    return keeping(machine, n, LONG_BUDGETS)


def harness_runs(machine, n):
    return [machine.run(['-l', machine.lcores(2)], ['harness_perf_autotest']).run
            for _ in range(n or 5)]


def hand_over(machine, n):
    values = [measure_runs.undisturbed(run.of('hand-over', cores=2))
              for run in harness_runs(machine, n)]
    return [
        Figure('median', 'us', [statistics.median(ns) / 1e9 for ns in values], ('<', 5e-6)),
        Figure('p90', 'us', [measure_runs.quantile(ns, 90) / 1e9 for ns in values]),
    ]


def engine(machine, n):
    ratios = []
    for run in harness_runs(machine, n):
        loop, bare = (measure_runs.value_of(run.of('cost', cores=1, body=body))
                      for body in ('loop', 'bare_loop'))
        ratios.append(loop / bare - 1)
    return [Figure('cost of an operation', '+%', ratios, ('+-', 0.01))]


def heap(machine, n):
    done = [machine.run(['-l', machine.lcores(2)], ['--budget', '5s', 'mempool_perf_autotest'],
                        watched=True) for _ in range(n or 3)]
    limit = ('<', 64 * MIB)
    return [
        Figure('main arena of malloc (in RssAnon)', 'MiB', [end.peaks['heap'] for end in done],
               limit, judge='worst'),
        # beside all of malloc: stacks, data of libraries, EAL's tables (--in-memory)
        Figure('RssAnon', 'MiB', [end.peaks['RssAnon'] for end in done], limit, judge='worst'),
        Figure('VmHWM, programs and libraries too', 'MiB', [end.peaks['VmHWM'] for end in done]),
        Figure('hugepages, in none of these', 'MiB', [end.peaks['HugetlbPages'] for end in done]),
    ]


def reproducible(machine, n):
    runs = [machine.run(['-l', machine.lcores(2)], [ONE_CORE]).run for _ in range((n or 1) + 1)]
    values = [run.values('get+put') for run in runs]
    pairs = [measure_runs.difference(*pair) for pair in measure_runs.neighbours(values)]
    return [
        Figure('median point', '%', [pair.median for pair in pairs], ('<=', 0.01)),
        Figure('99th percentile', '%', [pair.p99 for pair in pairs], ('<=', 0.05)),
        Figure('worst point', '%', [pair.worst for pair in pairs]),
        Figure('signed mean', '+%', [pair.mean for pair in pairs]),
        Figure('disturbed samples', '%', [run.disturbed_part() for run in runs]),
    ]


def against_itself(runs):
    """Figures of A B A B ... that the values of A and B are the same."""
    values = [run.values('get+put') for run in runs]
    across, same = ([measure_runs.difference(*pair) for pair in pairs]
                    for pairs in measure_runs.alternated(values))
    noise = NOISE_MARGIN * statistics.median(pair.median for pair in same)
    signed_noise = NOISE_MARGIN * statistics.median(abs(pair.mean) for pair in same)
    signed_limit = min(max(SIGNED_NOISE, signed_noise), SIGNED_NOISE_MOST)
    return [
        Figure('median point, a run against itself', '%', [pair.median for pair in same]),
        Figure('median point, the one against the other', '%', [pair.median for pair in across],
               ('<=', min(noise, NOISE_MOST))),
        Figure('signed mean, a run against itself', '+%', [pair.mean for pair in same]),
        Figure('signed mean, the one against the other', '+%',
               [measure_runs.signed_change(values)], ('+-', signed_limit)),
    ]


def alternate(machine, n, first, second):
    """A B A B ...: n pairs, each an (EAL arguments, options)."""
    return [machine.run(eal, options).run for _ in range(max(n or 3, 2))
            for eal, options in (first, second)]


def unused_lcores(machine, n):
    one, two = (['-l', machine.lcores(count)] for count in (1, 2))
    runs = alternate(machine, n, (one, [*SOME_POINTS, ONE_CORE]), (two, [*SOME_POINTS, ONE_CORE]))
    needs = [mib(run, 'need_all_bytes') for run in runs]
    visits = [run.visit_ns() for run in runs]
    return [
        Figure('need with two lcores beyond that with one', 'MiB',
               [two - one for one, two in zip(needs[::2], needs[1::2])], ('+-', 0), judge='worst'),
        *against_itself(runs),
        Figure('time of a point, two against one', '+%',
               [two / one - 1 for one, two in zip(visits[::2], visits[1::2])], ('+-', 0.05)),
    ]


def element_size(machine, n):
    eal = ['-l', machine.lcores(2)]
    small, large = ((eal, [*SOME_POINTS, '--set', f'elt_size={size}', ONE_CORE])
                    for size in (64, 2048))
    return against_itself(alternate(machine, n, small, large))


def skip_time(machine, n):
    """Two lcores are needed where there is one."""
    walls = []
    for _ in range(n or 5):
        finished = machine.attempt(['-l', machine.lcores(1)], ['mempool_perf_autotest_2cores'])
        if finished.code != SKIPPED:
            raise Failed(f'not skipped: {finished.code}: {last_line(finished.output)}')
        walls.append(finished.wall_s)
    return [Figure('from start to exit', 'ms', walls)]



ROWS = (
    Row('coverage', f'{ONE_CORE}, its own budget', coverage),
    Row('many-lcores', '32 lcores on 2 CPUs, mempool_perf_autotest_allcores', many_lcores),
    Row('suite', 'meson test --suite=perf-tests', suite, True),
    Row('budget', 'measuring time beyond the budget', budget),
    Row('long-budget', 'measuring time beyond the budget, minutes', long_budget, True),
    Row('hand-over', 'between points, 2 lcores with own CPUs', hand_over),
    Row('engine', 'a loop under the engine against the bare loop', engine),
    Row('heap', 'memory outside hugepages, mempool_perf_autotest, 5 s', heap),
    Row('reproducible', f'two runs of {ONE_CORE}, medians of the points', reproducible),
    Row('unused-lcores', 'two lcores against one, where one is used', unused_lcores),
    Row('element-size', 'elements of 64 and of 2048 bytes', element_size),
    Row('skip-time', 'a test that is skipped', skip_time),
)
