#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""List the tests that C sources register, for meson.

Reads STINT_PERF_TEST(name, seconds, ...) and STINT_FAST_TEST(name, flags, ...) and prints a line
for each test: NAME SUITE LIMIT_S BUDGET_S FLAGS. With --json: an array of objects.
"""

import argparse
import json
import re
import sys

FAST_LIMIT_S = 60
FLAGS = ('STINT_NO_HUGE', 'STINT_ASAN', '0')

# a comment, or something in which a comment mark means nothing
TOKEN = re.compile(r'''
    (?P<comment> /\*.*?(?:\*/|\Z) | //(?:\\.|[^\\\n])* )
    | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
    ''', re.DOTALL | re.VERBOSE)
MACRO = re.compile(r'\bSTINT_(?P<kind>PERF|FAST)_TEST\b')
ARGUMENTS = re.compile(r'\s*\(\s*(?P<name>\w+)\s*,\s*(?P<value>[^,()]*?)\s*,')
DIRECTIVE = re.compile(r'^[ \t]*\#(?:\\\n|[^\n])*', re.MULTILINE)
NAMES = {
    'PERF': re.compile(r'[a-z]\w*_perf_autotest(?:_\w+)?'),
    'FAST': re.compile(r'[a-z]\w*_autotest'),
}


class Refused(Exception):
    """A registration that the build cannot take, with file:line."""


def blank(match):
    """What stands there, as blanks: the numbers of lines and characters stay."""
    return re.sub(r'[^\n]', ' ', match.group())


def flags_of(text):
    flags = [flag.strip() for flag in text.split('|')]
    if any(flag not in FLAGS for flag in flags):
        raise ValueError(f"'{text}' is not STINT_NO_HUGE | STINT_ASAN or 0")
    return '|'.join(flag for flag in FLAGS if flag in flags)


def budget_of(text):
    if not re.fullmatch(r'[1-9][0-9]*', text):
        raise ValueError(f"budget '{text}' is not a whole number of seconds above 0")
    return int(text)


def perf_limit_s(budget_s):
    """Three numbers of lcores (1, 2, all) get the budget each; twice that, and a minute."""
    return 2 * (budget_s * 3) + 60


def read_test(kind, text):
    """One registration, `text` beginning after the macro's name."""
    arguments = ARGUMENTS.match(text)
    if not arguments:
        raise ValueError(f'STINT_{kind}_TEST without a literal name and second argument')
    name, value = arguments['name'], arguments['value']
    if not NAMES[kind].fullmatch(name):
        form = '*_perf_autotest or *_perf_autotest_*' if kind == 'PERF' else '*_autotest'
        raise ValueError(f'{name} is not named {form}')
    if kind == 'FAST':
        return {'name': name, 'suite': 'fast-tests', 'limit_s': FAST_LIMIT_S, 'budget_s': 0,
                'flags': flags_of(value)}
    budget_s = budget_of(value)
    return {'name': name, 'suite': 'perf-tests', 'limit_s': perf_limit_s(budget_s),
            'budget_s': budget_s, 'flags': '0'}


def parse(path, source):
    """Yields each test of a source, with `where` it stands."""
    code = TOKEN.sub(blank, source)
    directives = [match.span() for match in DIRECTIVE.finditer(code)]
    for macro in MACRO.finditer(code):
        where = f'{path}:{code.count(chr(10), 0, macro.start()) + 1}'
        try:
            if any(begin <= macro.start() < end for begin, end in directives):
                raise ValueError('registration inside a preprocessor directive')
            yield dict(read_test(macro['kind'], code[macro.end():]), where=where)
        except ValueError as error:
            raise Refused(f'{where}: {error}') from None


def collect(sources):
    """The tests of (path, text) pairs, in their order; a name that stands twice is refused."""
    tests = {}
    for path, source in sources:
        for test in parse(path, source):
            first = tests.setdefault(test['name'], test)
            if first is not test:
                raise Refused(f"{test['where']}: {test['name']} is registered at "
                              f"{first['where']} already")
    return list(tests.values())


def read_sources(paths):
    for path in paths:
        with open(path, encoding='utf-8', errors='replace') as file:
            yield path, file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--json', action='store_true', help='an array of objects')
    parser.add_argument('sources', nargs='+', metavar='SOURCE')
    args = parser.parse_args()
    try:
        tests = collect(read_sources(args.sources))
    except (Refused, OSError) as error:
        sys.exit(str(error))
    for test in tests:
        del test['where']
    if args.json:
        print(json.dumps(tests, indent=1))
    else:
        for test in tests:
            print(test['name'], test['suite'], test['limit_s'], test['budget_s'], test['flags'])


if __name__ == '__main__':
    main()
