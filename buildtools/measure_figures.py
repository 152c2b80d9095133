# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Figures, what they are to reach, and how they are shown."""

import collections
import statistics

# How a number is written, by unit: factor and form.
FORMS = {
    '': (1, '{:.0f}'),
    'MiB': (1 / (1 << 20), '{:.1f} MiB'),
    '%': (100, '{:.2f} %'),
    '+%': (100, '{:+.2f} %'),
    's': (1, '{:.2f} s'),
    'ms': (1e3, '{:.1f} ms'),
    'us': (1e6, '{:.2f} us'),
}
HOLDS = {
    '<=': lambda value, limit: value <= limit,
    '<': lambda value, limit: value < limit,
    '>=': lambda value, limit: value >= limit,
    # on both sides of 0
    '+-': lambda value, limit: abs(value) <= limit,
}


def form(value, unit):
    factor, text = FORMS[unit]
    return text.format(value * factor)


class Figure:
    """
    One number, as often as it was measured. `limit` is an operator of HOLDS and a number; it is
    for the median, or for the worst of all. Without a limit the figure is there to be known.
    """

    def __init__(self, label, unit, values, limit=None, judge='median'):
        self.label, self.unit, self.values = label, unit, list(values)
        self.operator, self.limit = limit or (None, None)
        self.judge = judge

    def judged(self):
        """The values that have to hold."""
        return [statistics.median(self.values)] if self.judge == 'median' else self.values

    def reached(self):
        """None if nothing is asked of it."""
        if self.operator is None:
            return None
        return all(HOLDS[self.operator](value, self.limit) for value in self.judged())

    def reach(self):
        if self.operator is None:
            return ''
        unit = '%' if self.unit == '+%' else self.unit
        return f'{self.operator} {form(self.limit, unit)}'

    def measured(self):
        text = form(statistics.median(self.values), self.unit)
        if len(self.values) == 1:
            return text
        low, high = (form(end(self.values), self.unit) for end in (min, max))
        return f'{text} [{low}, {high}] of {len(self.values)}'

    def verdict(self):
        return {True: 'reached', False: 'missed', None: ''}[self.reached()]


# What came of a row: figures, or why there are none ('not tried' or 'failed', and the reason).
Outcome = collections.namedtuple('Outcome', 'name what figures problem', defaults=[None])


def cells(outcome):
    """The lines of a row: what, reach, measured, verdict."""
    if outcome.problem:
        return [(f'{outcome.name}: {outcome.what}', '', '', outcome.problem)]
    heading = [(f'{outcome.name}: {outcome.what}', '', '', '')]
    return heading + [(f'  {figure.label}', figure.reach(), figure.measured(), figure.verdict())
                      for figure in outcome.figures]


def table(lines):
    """Columns as wide as what stands in them; a heading may run on over empty cells."""
    lines = [('what', 'reach', 'measured', 'verdict'), *lines]
    widths = [max((len(line[i]) for line in lines if i or line[1] or line[2]), default=0)
              for i in range(3)]
    texts = []
    for line in lines:
        padded = [cell.ljust(width) for cell, width in zip(line, widths)]
        if not line[1] and not line[2] and line[3]:
            padded = [line[0]]
        texts.append('  '.join([*padded, line[3]]).rstrip())
    return '\n'.join(texts)


def record(outcome):
    """For --json."""
    figures = [{'label': figure.label, 'unit': figure.unit.lstrip('+'), 'operator': figure.operator,
                'limit': scaled(figure.limit, figure.unit),
                'values': [scaled(value, figure.unit) for value in figure.values],
                'judge': figure.judge, 'reached': figure.reached()} for figure in outcome.figures]
    return {'name': outcome.name, 'what': outcome.what, 'figures': figures,
            'problem': outcome.problem}


def scaled(value, unit):
    return None if value is None else value * FORMS[unit][0]


def exit_code(outcomes):
    """0 reached, 1 missed or failed, 77 nothing was tried."""
    if any(outcome.problem and not outcome.problem.startswith('not tried') for outcome in outcomes):
        return 1
    tried = [outcome for outcome in outcomes if not outcome.problem]
    if any(figure.reached() is False for outcome in tried for figure in outcome.figures):
        return 1
    return 0 if tried else 77
