# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Hugepages that are not mounted, not free, limited, left behind: A02 to A08, A19, A20."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import places
import runner
from places import PAGE_MIB, SIZE

FAST, PERF = 'mempool_autotest', runner.POINTS
ONE, TWO = 'mempool_perf_autotest_1core', 'mempool_perf_autotest_2cores'

UNMOUNT = '''
for dir in $(awk '$3 == "hugetlbfs" { print $2 }' /proc/mounts); do umount -l "$dir"; done
mount -t tmpfs none /run || exit 98
'''

# memory options that are to run although no hugetlbfs is mounted
NEED_NO_MOUNT = ['', '--in-memory', '-m 32', '--socket-mem 32', '--socket-limit 64',
                 '--in-memory --file-prefix a', '-n 2']

# those that cannot, and what the line names
NEED_MOUNT = [
    ('--huge-dir /nonexistent', '/nonexistent'),
    ('--huge-dir /nonexistent --in-memory', '/nonexistent'),
    ('--huge-dir=/run', '/run'),
    ('--huge-dir /proc', '/proc'),
    ('--huge-dir /dev/null', '/dev/null'),
    ('--huge-dir ""', '--huge-dir'),
    ('--legacy-mem', '--legacy-mem'),
    ('--legacy-mem -m 32', '--legacy-mem'),
    ('--single-file-segments', '--single-file-segments'),
    ('--huge-unlink', '--huge-unlink'),
    ('--file-prefix a', '--file-prefix'),
    ('--proc-type primary', '--proc-type'),
    ('--proc-type=auto', '--proc-type'),
]

# total, free, reserved by others: nothing to be had
NONE_FREE = [(0, 0, 0), (4, 0, 0), (512, 0, 0), (512, 512, 512), (512, 8, 8)]

# how EAL holds its pages in a hugetlbfs, and whether their files outlive a killed process
KEPT = [
    ('-m 32', None),
    ('-m 32 --single-file-segments', True),
    ('-m 32 --file-prefix a', True),
    ('--legacy-mem -m 32', None),
    ('-m 32 --huge-unlink=never', True),
    ('-m 32 --huge-unlink', False),
]

# more than a hugetlbfs of 16 MiB can give
TOO_MUCH = ['-m 32', '--socket-mem 32', '-m 32 --single-file-segments', '--legacy-mem -m 32',
            '--legacy-mem --socket-mem 32', '-m 32 --file-prefix a']


@runner.needs_mounts
class Mounts(places.Case):
    def test_A02_what_looks_like_a_mount(self):
        """Something else over it, and a path that EAL cannot read from the list of mounts."""
        cover = 'mount -t hugetlbfs none "$1" && mount -t tmpfs none "$1" || exit 98'
        blank = 'mount -t hugetlbfs none "$1" || exit 98'
        for name, script, text in (('covered', cover, 'mounted over it'),
                                   ('with blank', blank, 'blanks')):
            with self.subTest(name=name):
                folder = self.folder / name
                folder.mkdir()
                place = self.enterContext(places.Place(script, folder))
                result = runner.stint('-l 0 --huge-dir', folder, '--', FAST, prefix=place.prefix)
                self.assert_exit(result, 2)
                self.assertRegex(result.stderr, rf'\Astint: --huge-dir.*{text}.*\n\Z')

    @runner.needs_hugepages
    def test_A02_no_mount(self):
        """Pages without a mount are enough, unless something that takes a mount is asked for."""
        place = self.enterContext(places.Place(UNMOUNT))
        for user in ((), places.other_user()):
            for options in NEED_NO_MOUNT:
                with self.subTest(user=user, options=options):
                    self.assert_exit(self.run_tests(f'-l 0 {options}', PERF,
                                                    prefix=(*place.prefix, *user)), 0)
        for options, name in NEED_MOUNT:
            with self.subTest(options=options):
                result = self.run_tests(f'-l 0 {options}', PERF, prefix=place.prefix)
                self.assert_exit(result, 2)
                self.assertEqual(result.stdout, '')
                self.assertRegex(result.stderr, r'\Astint: [^\n]*hugetlbfs[^\n]*\n\Z')
                self.assertIn(name, result.stderr)
                self.assertNotIn('Permission denied', result.stderr)

    def test_A03_none_free(self):
        """Perf tests skip with "0 MiB free of N"; what can do without hugepages still runs."""
        for pool in NONE_FREE:
            place = self.enterContext(places.fake_pool(self.folder / str(pool), *pool))
            text = f'0 MiB free of {pool[0] * PAGE_MIB}'
            for options in ('', '--in-memory', '-m 32', '--socket-mem 32'):
                with self.subTest(pool=pool, options=options):
                    result = self.run_tests(f'-l 0 {options}', PERF, prefix=place.prefix)
                    self.assert_short(result, 0, '' if 'm ' in options else text)
            with self.subTest(pool=pool):
                both = self.run_tests('-l 0', PERF, FAST, prefix=place.prefix)
                self.assert_exit(both, 0)
                self.assertIn(text, both.stdout)
                self.assertIn('1 passed, 0 failed, 1 skipped', both.stdout)
                for test in (FAST, runner.FAST):
                    self.assert_exit(self.run_tests('', test, prefix=place.prefix), 0)
                for test in (FAST, PERF):
                    self.assert_exit(self.run_tests('--no-huge', test, prefix=place.prefix), 0)

    @runner.needs_hugepages
    def test_A03_overcommit(self):
        """Pages that the kernel makes when they are asked for are pages."""
        for pages, code in ((64, 0), (1, 77)):
            with self.subTest(pages=pages):
                place = self.enterContext(places.fake_pool(self.folder / str(pages), 0,
                                                           overcommit=pages))
                self.assert_exit(self.run_tests('-l 0', PERF, prefix=place.prefix), code)

    @runner.needs_hugepages
    def test_A03_mounted(self):
        """A hugetlbfs without a free page: the same skip."""
        place = self.enterContext(places.Hugetlbfs(self.folder, 'size=0'))
        for test in (FAST, PERF):
            with self.subTest(test=test):
                self.assert_short(self.run_tests(f'-l 0 {place.option}', test,
                                                 prefix=place.prefix), 0, test)


@runner.needs_mounts
@runner.needs_hugepages
class Leftovers(places.Case):
    def killed(self, options, prefix):
        """Ends without a chance to clean up, while it measures."""
        path = self.folder / f'{len(os.listdir(self.folder))}.ndjson'
        process = runner.started(f'-l 0 {options} -- --budget 1h --results', path, PERF,
                                 prefix=prefix)
        try:
            runner.await_true(lambda: process.poll() is not None or
                              path.exists() and '"type":"sample"' in path.read_text(),
                              'no sample')
        finally:
            process.kill()
            _, errors = process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL, errors)

    def test_A04_page_files(self):
        """The next run on a hugetlbfs takes what a killed one left there, and leaves nothing."""
        place = self.enterContext(places.Hugetlbfs(self.folder, 'size=40M'))
        tests = [FAST, PERF, ONE, runner.FAST, ONE, PERF]
        for (options, stay), test in zip(KEPT, tests, strict=True):
            with self.subTest(options=options, test=test):
                self.killed(f'{place.option} {options}', place.prefix)
                if stay is not None:
                    self.assertEqual(bool(place.page_files()), stay)
                # beside them a run without files has all that it needs
                self.assert_exit(self.run_tests('-l 0', test, prefix=place.prefix), 0)
                # 8 MiB of 40 are left if what stays counts as taken
                self.assert_exit(self.run_tests(f'-l 0 {place.option} -m 32', test,
                                                prefix=place.prefix), 0)
                self.assertEqual(place.page_files(), [])

    def test_A04_live_run_keeps_its_files(self):
        """What a live run holds is neither removed nor counted as free."""
        place = self.enterContext(places.Hugetlbfs(self.folder, 'size=40M'))
        path = self.folder / 'live.ndjson'
        with runner.started(f'-l 0 {place.option} -m 32 -- --budget 1h --results', path, PERF,
                            prefix=place.prefix) as live:
            try:
                runner.await_true(lambda: live.poll() is not None or
                                  path.exists() and '"type":"sample"' in path.read_text(),
                                  'no sample')
                files = place.page_files()
                # 8 MiB are left: not enough for all points
                for test in (PERF, ONE):
                    result = self.run_tests(f'-l 0 {place.option}', test, prefix=place.prefix)
                    self.assertIn(result.returncode, (0, 77), result)
                    self.assert_shortages(result)
                    self.assertEqual(place.page_files(), files)
            finally:
                live.kill()
                live.communicate()

    def test_A04_default_leaves_nothing(self):
        """Without memory options there are no page files: a killed run gives all pages back."""
        group = self.enterContext(places.HugetlbGroup(self.folder))
        for options in ('', '--in-memory', '-m 32'):
            with self.subTest(options=options):
                self.killed(options, group.joined())
                runner.await_true(lambda: group.used_bytes() == 0, 'pages are not given back')

    def test_A20_failed_start(self):
        """More is asked for than the mount gives: a skip with both numbers, nothing stays."""
        place = self.enterContext(places.Hugetlbfs(self.folder, 'size=16M'))
        for options in TOO_MUCH:
            with self.subTest(options=options):
                folders = place.run_folders()
                result = self.run_tests(f'-l 0 {place.option} {options}', FAST,
                                        prefix=place.prefix)
                self.assertEqual(place.page_files(), [])
                if '--file-prefix' not in options:
                    self.assertEqual(place.run_folders(), folders)
                line = self.assert_short(result, 16)
                self.assertIn(32, places.amounts(line))


class Limits(places.Case):
    """The hugetlb controller of version 1 gives fewer pages than are free."""

    def setUp(self):
        super().setUp()
        if not runner.may_mount():
            self.skipTest('needs root and mount namespaces')
        if runner.free_mib() < 128:
            self.skipTest('needs 128 MiB of hugepages')
        self.group = self.enterContext(places.HugetlbGroup(self.folder))

    def for_each_limit(self, amounts, check):
        """Limits of what is touched, then of what is mapped."""
        for kind in ('limit', 'rsvd.limit'):
            for mib in amounts:
                with self.subTest(kind=kind, mib=mib):
                    self.group.limit(mib, kind)
                    check(mib)
            self.group.limit(None, kind)

    def test_A08_limit(self):
        """A skip that says what is left below the limit, and that the limit is to be raised."""
        def check(mib):
            for inner in (False, True):
                prefix = self.group.joined(inner)
                # nobody asked for hugepages
                self.assert_exit(self.run_tests('-l 0', FAST, prefix=prefix), 0)
                self.assert_short(self.run_tests('-l 0 -m 8', FAST, prefix=prefix), mib)
                line = self.assert_short(self.run_tests('-l 0', PERF, prefix=prefix), mib)
                self.assertRegex(line, 'limit.*hugetlb|hugetlb.*limit')
                self.assertNotIn('nr_hugepages', line)
        self.for_each_limit((0, 4), check)

    def test_A08_fits(self):
        """What fits below the limit runs; asking EAL for more than the limit is a skip."""
        def check(mib):
            prefix = self.group.joined()
            self.assert_exit(self.run_tests('-l 0', PERF, FAST, prefix=prefix), 0)
            more = f'-l 0 -m {mib + 8}'
            self.assert_short(self.run_tests(more, PERF, prefix=prefix), mib)
        self.for_each_limit((8, 40), check)

    def test_A08_limit_is_not_seen(self):
        """Pages are free, no limit is in sight, and touching them fails: a skip, no crash."""
        def check(mib):
            prefix = self.group.joined_unseen()
            self.assertIn(self.run_tests('-l 0', FAST, prefix=prefix).returncode, (0, 77))
            for options, test in [('', ONE), ('-m 32', FAST), ('--in-memory -m 32', ONE)]:
                result = self.run_tests(f'-l 0 {options}', test, prefix=prefix)
                self.assert_exit(result, 77)
                self.assertRegex(result.stdout + result.stderr, 'limit.*(container|cgroup)')
        self.for_each_limit((0, 4), check)


class Lists(places.Case):
    def names(self, build, prefix=()):
        result = subprocess.run([*prefix, 'meson', 'test', '--list', '-C', build],
                                capture_output=True, text=True, check=True)
        return [line for line in result.stdout.splitlines() if ' / ' in line]

    @runner.needs_mounts
    def test_A19_same_list_everywhere(self):
        """Which tests there are does not hang on the hugepages of the machine that is built on."""
        if shutil.which('meson') is None:
            self.skipTest('needs meson')
        source = pathlib.Path(__file__).resolve().parents[2]
        found = {}
        for pages in (0, 512):
            place = self.enterContext(places.fake_pool(self.folder / str(pages), pages))
            build = self.folder / f'build{pages}'
            subprocess.run([*place.prefix, 'meson', 'setup', '-Dtests=false', build, source],
                           capture_output=True, text=True, check=True)
            # configured here, listed there
            found[pages] = self.names(build), self.names(build, place.prefix)
            result = runner.stint('-- --list --json', prefix=place.prefix)
            self.assertEqual(json.loads(result.stdout), places.autotests())
        listed = {line.split(' / ')[1] for line in found[0][0]}
        self.assertEqual(listed, set(places.names()))
        self.assertEqual(len({tuple(lines) for pair in found.values() for lines in pair}), 1)


@runner.needs_mounts
class SkipLine(places.Case):
    def test_A20_line(self):
        """One line: test, MiB needed and free, page size, lcores used, and what would do."""
        place = self.enterContext(places.fake_pool(self.folder / 'few', 4, 1))
        tests = [PERF, ONE] + ([TWO] if len(os.sched_getaffinity(0)) > 1 else [])
        for test in tests:
            with self.subTest(test=test):
                used = 2 if test == TWO else 1
                result = self.run_tests(f'-l 0-{used - 1}', test, prefix=place.prefix)
                line = self.assert_short(result, PAGE_MIB, f'{test}: skip: ')
                self.assertEqual((result.stdout, result.stderr), (line + '\n', ''))
                need = places.least_mib(places.planned(f'-l 0-{used - 1}', test)[test])
                self.assertIn(f'need {need} MiB', line)
                self.assertIn(f'have {PAGE_MIB} MiB free of {4 * PAGE_MIB}', line)
                self.assertIn(f'pages of {SIZE} KiB', line)
                self.assertRegex(line, rf'for {used} (of {used} )?lcores?\b')

    @runner.needs_hugepages
    def test_A20_remedy(self):
        """With what the line says it runs, with a page less it does not."""
        for total, free, test in [(4, 4, PERF), (1, 0, PERF), (4, 1, ONE), (0, 0, ONE)]:
            if free * PAGE_MIB >= places.least_mib(places.planned('-l 0', test)[test]):
                free = 0
            with self.subTest(total=total, free=free, test=test):
                place = self.enterContext(places.fake_pool(
                    self.folder / f'{total} {free} {test}', total, free))
                line = self.assert_short(self.run_tests('-l 0', test, prefix=place.prefix))
                pages, path = re.search(r'echo (\d+) > (\S+/nr_hugepages)', line).groups()
                self.assertTrue(os.path.exists(path), path)
                for more, code in ((int(pages) - total, 0), (int(pages) - total - 1, 77)):
                    place = self.enterContext(places.fake_pool(
                        self.folder / f'{total} {free} {test} {more}', total + more, free + more))
                    result = self.run_tests('-l 0', test, prefix=place.prefix)
                    self.assert_exit(result, code)


if __name__ == '__main__':
    runner.main()
