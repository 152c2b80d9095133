# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Read the JSON log that `meson test` leaves, and count."""

import glob
import json
import os
import re

PASSED = ('OK', 'EXPECTEDFAIL')
SKIPPED = ('SKIP', 'IGNORED')
REASON = re.compile(r'^\S+: skip: .*', re.MULTILINE)


def log_state(build):
    """{path: time of change} of the logs; --logbase and --setup give them other names."""
    paths = glob.glob(os.path.join(glob.escape(build), 'meson-logs', '*.json'))
    return {path: os.stat(path).st_mtime_ns for path in paths}


def read_results(build, before):
    """The results that were logged since log_state() gave `before`; a torn line is none."""
    results = []
    for path, changed in log_state(build).items():
        if before.get(path) == changed:
            continue
        with open(path, encoding='utf-8', errors='replace') as file:
            for line in file:
                try:
                    results.append(json.loads(line))
                except ValueError:
                    continue
    return [result for result in results if 'result' in result]


def count(results):
    """(passed, failed, skipped); what neither passed nor was skipped has failed."""
    passed = sum(result['result'] in PASSED for result in results)
    skipped = sum(result['result'] in SKIPPED for result in results)
    return passed, len(results) - passed - skipped, skipped


def closing_line(passed, failed, skipped):
    return f'{passed} passed, {failed} failed, {skipped} skipped'


def skip_reason(result):
    """The line in which the runner says why, else the last line of the test."""
    output = result.get('stdout') or ''
    reason = REASON.search(output)
    if reason:
        return reason.group()
    lines = output.split('\n') + (result.get('stderr') or '').split('\n')
    lines = [line for line in lines if line.strip()]
    return f"{result.get('name', 'test')}: {lines[-1].strip() if lines else 'no reason given'}"


def nothing_ran(results):
    """What to print when no test ran."""
    if not results:
        return 'NOTHING RAN: meson ran no test'
    reasons = dict.fromkeys(skip_reason(result) for result in results)
    return '\n'.join([f'NOTHING RAN: all {len(results)} tests were skipped:'] +
                     [f'  {reason}' for reason in reasons])
