# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""The table of README.md names tests that exist, for each case once, and no test is forgotten.

test_table.py --fill writes the functions that the files have into it.
"""

import pathlib
import re
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
README = FOLDER / 'README.md'
UNIT = FOLDER.parent / 'unit'

THEMES = 'ABCDEFGHIJKL'
ID = re.compile(r'[A-L]\d\d')
# | id | what holds | file | function |
ROW = re.compile(r'^\| *([A-L]\d\d) *\|([^|]*)\|([^|]*)\|([^|]*)\|$')


def rows():
    found = []
    for line in README.read_text().splitlines():
        row = ROW.match(line)
        if row:
            found.append([cell.strip() for cell in row.groups()])
    return found


def words(cell):
    """File or function names of a cell."""
    return re.findall(r'[\w./]+', cell)


def path_of(name):
    return (UNIT if name.endswith('.c') else FOLDER) / name


def methods_of(name):
    """Of a file, in the order of the alphabet: test methods, or the functions of a unit test."""
    path = path_of(name)
    if not path.exists():
        return []
    pattern = r'cmocka_unit_test\((\w+)\)' if name.endswith('.c') else r'^    def (test_\w+)\('
    return sorted(set(re.findall(pattern, path.read_text(), re.M)))


def case_methods(name, case):
    return [method for method in methods_of(name) if method.startswith(f'test_{case}_')]


def filled(line):
    """The row with the functions that its Python files have; those of C stay as they are."""
    row = ROW.match(line)
    if not row:
        return line
    case, what, files, functions = (cell.strip() for cell in row.groups())
    names = [method for name in words(files) if name.endswith('.py')
             for method in case_methods(name, case)]
    names += [name for name in words(functions) if not name.startswith(f'test_{case}_')]
    return f'| {case} | {what} | {files} | {", ".join(names)} |'


def fill():
    lines = README.read_text().splitlines()
    README.write_text('\n'.join(map(filled, lines)) + '\n')


class Table(unittest.TestCase):
    maxDiff = None

    def test_rows_are_real(self):
        """Each file exists, each function is in one of the files, each file has one."""
        for case, what, files, functions in rows():
            with self.subTest(case=case):
                self.assertTrue(what)
                self.assertTrue(words(files))
                self.assertTrue(words(functions))
                known = {name: methods_of(name) for name in words(files)}
                for name, methods in known.items():
                    self.assertTrue(path_of(name).exists(), name)
                    self.assertTrue(set(methods) & set(words(functions)), name)
                everywhere = [method for methods in known.values() for method in methods]
                for function in words(functions):
                    self.assertIn(function, everywhere)

    def test_python_files_have_a_method_of_the_case(self):
        """Named test_<ID>_...; and the table has all of those."""
        for case, _, files, functions in rows():
            with self.subTest(case=case):
                for name in words(files):
                    if name.endswith('.py'):
                        self.assertTrue(case_methods(name, case), name)
                        self.assertLessEqual(set(case_methods(name, case)),
                                             set(words(functions)), 'try --fill')

    def test_each_case_once(self):
        """No case stands twice in the table, and none of the themes is forgotten."""
        cases = [row[0] for row in rows()]
        self.assertEqual(cases, sorted(set(cases)))
        self.assertEqual({case[0] for case in cases}, set(THEMES))

    def test_no_method_is_forgotten(self):
        """A test that is named after a case is in the row of that case."""
        table = {case: words(files) for case, _, files, _ in rows()}
        for path in sorted(FOLDER.glob('test_*.py')):
            for method in methods_of(path.name):
                case = ID.match(method[5:])
                if case:
                    self.assertIn(path.name, table.get(case[0], []), method)


if __name__ == '__main__':
    if sys.argv[1:] == ['--fill']:
        fill()
    else:
        unittest.main()
