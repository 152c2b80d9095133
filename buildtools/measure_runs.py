# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Read run files, and hold the values of one run against those of another."""

import collections
import json
import math
import statistics

Difference = collections.namedtuple('Difference', 'median p99 worst mean')


class Run:
    """The records of one test in a run file that may be cut off in its last line."""

    def __init__(self, lines):
        self.plan, self.result, self.end = {}, {}, {}
        self.samples, self.skips = [], []
        for line in lines:
            if line.endswith('\n'):
                self.add(json.loads(line))

    def add(self, record):
        kind = record['type']
        if kind in ('sample', 'skip'):
            getattr(self, kind + 's').append(record)
        elif kind in ('plan', 'result', 'end'):
            setattr(self, kind, record)

    def of(self, metric, **labels):
        """The samples of a metric at the points that have these labels."""
        return [sample for sample in self.samples if sample['metric'] == metric and
                all(sample['point'].get(name) == value for name, value in labels.items())]

    def values(self, metric):
        """{labels of a point: its value}."""
        points = collections.defaultdict(list)
        for sample in self.of(metric):
            points[tuple(sample['point'].items())].append(sample)
        return {point: value_of(samples) for point, samples in points.items()}

    def disturbed_part(self):
        return sum(sample['disturbed'] for sample in self.samples) / len(self.samples)

    def visit_ns(self):
        """What a point takes with all that goes with it: hand-over, set-up of a slice, records."""
        return self.result['elapsed_ns'] / len(self.samples)


def read(path):
    with open(path, encoding='utf-8') as file:
        return Run(file)


def undisturbed(samples):
    """Values as stintstat takes them: those of hardly an undisturbed sample where there are no others."""
    return ([sample['value'] for sample in samples if not sample['disturbed']] or
            [sample['value'] for sample in samples])


def value_of(samples):
    return statistics.median(undisturbed(samples))


def quantile(values, percent):
    """Nearest rank, in integers."""
    rank = -(-len(values) * percent // 100)
    return sorted(values)[max(rank, 1) - 1]


def differences(old, new):
    """{point: (new - old) / old} of the points that both have."""
    return {point: new[point] / old[point] - 1 for point in old.keys() & new.keys()}


def signed_mean(old, new):
    """Of the ratios, geometric: the same size both ways, whatever the noise of the points."""
    return math.expm1(statistics.fmean(math.log(new[point] / old[point])
                                       for point in old.keys() & new.keys()))


def difference(old, new):
    """How far the values of the points lie apart: absolute ones, but for the mean."""
    sizes = [abs(part) for part in differences(old, new).values()]
    return Difference(statistics.median(sizes), quantile(sizes, 99), max(sizes),
                      signed_mean(old, new))


def neighbours(runs):
    """Pairs of a run and the next one."""
    return list(zip(runs, runs[1:]))


def alternated(runs):
    """Pairs of A B A B ...: a run against the next one, and against the next of its own kind."""
    return neighbours(runs), list(zip(runs, runs[2:]))


def signed_change(runs):
    """
    The mean change from A to B in A B A B ...: the change from B to A counts against it. The
    changes at the ends count half, so that an even drift cancels.
    """
    changes = [signed_mean(old, new) * (-1) ** i for i, (old, new) in enumerate(neighbours(runs))]
    return (sum(changes) - (changes[0] + changes[-1]) / 2) / (len(changes) - 1)
