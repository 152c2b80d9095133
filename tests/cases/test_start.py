# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Theme E: EAL start, processes, files, permissions, plugins; and each way in which EAL 22.11
fails to start, as a user of Stint meets it."""

import contextlib
import os
import pathlib
import re
import subprocess
import unittest

import faulty
import runner
import spaces

runner.need_pool()

FAST, POINTS = runner.FAST, runner.POINTS
POOL, POOL_FAST = 'mempool_perf_autotest_1core', 'mempool_autotest'
QUIET = f'-- --quiet {FAST}'
# options that make EAL keep its pages in files
FILES = ['--file-prefix=stint-test', '--legacy-mem -m 16', '--single-file-segments',
         '--proc-type=primary', '--huge-unlink']
# those that need a run directory
SHARED = ['--file-prefix=stint-test', '--proc-type=primary', '--telemetry']


def drivers():
    """Folders that EAL loads its drivers from."""
    libraries = subprocess.run(['ldd', runner.STINT], capture_output=True, text=True,
                               check=True).stdout
    eal = pathlib.Path(re.search(r'=> (\S+librte_eal\S+)', libraries)[1])
    return [path for start in (eal.parent, eal.resolve().parent, pathlib.Path('/usr/lib'),
                               pathlib.Path('/usr/lib64'))
            for path in start.glob('dpdk/pmds-*')]


def libraries_of_stint():
    """Without /proc nothing that is relative to the program is found."""
    output = subprocess.run(['ldd', runner.STINT], capture_output=True, text=True,
                            check=True).stdout
    return os.path.dirname(re.search(r'libstint\S+ => (\S+)', output)[1])


class Case(faulty.Case):
    """With a run directory of its own, which must be left as empty as it was."""

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        self.pages, self.run_dir = self.folder / 'pages', self.folder / 'run'
        for path in (self.pages, self.run_dir):
            path.mkdir()
        self.own = {'RUNTIME_DIRECTORY': str(self.run_dir)}

    def hugetlbfs(self, options='mode=755'):
        return spaces.hugetlbfs(self.pages, options)

    def left(self):
        """Beside the one empty folder that is the same for all runs without files."""
        return [str(path.relative_to(self.run_dir)) for path in self.run_dir.rglob('*')
                if str(path.relative_to(self.run_dir)) not in ('dpdk', 'dpdk/stint')]

    def stint(self, command, *more, **options):
        return runner.stint(command, *more, **{**self.own, **options})


@runner.needs_mounts
@runner.needs_two_cpus
class Table(Case):
    """Rows of "How EAL 22.11 behaves when it cannot start"."""

    def runs(self, command, prefix=()):
        self.assert_exit(self.enough(command, run=self.stint, prefix=prefix), 0)

    def test_01_no_hugetlbfs(self):
        """Without a mount it runs; what needs one is told so, and that is no permission."""
        self.runs(QUIET, spaces.no_hugetlbfs())
        self.runs(f'-- --quiet {POOL}', spaces.no_hugetlbfs())
        for option in FILES:
            with self.subTest(option=option):
                result = self.stint(f'{option} {QUIET}', prefix=spaces.no_hugetlbfs())
                self.assert_refused(result, 2, option.split('=')[0].split()[0], 'hugetlbfs',
                                    'mount')

    def test_02_in_memory(self):
        self.runs(f'--in-memory {QUIET}', spaces.no_hugetlbfs())
        if spaces.nobody_can_run():
            self.runs(f'--in-memory {QUIET}',
                      spaces.no_hugetlbfs() + spaces.user(spaces.NOBODY))

    def test_03_no_free_page(self):
        """A perf test skips with both numbers, a fast one that can do without runs."""
        prefix = runner.fake_pages(0)
        for option in ('', '--in-memory'):
            for test in (POOL, POINTS):
                with self.subTest(option=option, test=test):
                    self.assert_short(self.stint(f'{option} -- {test}', prefix=prefix),
                                      rf'\A{test}: skip', r'need \d+ MiB', '0 MiB free of 0',
                                      'nr_hugepages')
        self.runs(QUIET, prefix)
        # --in-memory excludes the way out
        self.assert_short(self.stint(f'--in-memory {QUIET}', prefix=prefix), '0 MiB')

    def test_04_more_memory_than_free(self):
        for option in ('-m 999999', '-m999999', '--socket-mem 999999', '--in-memory -m 999999',
                       '--socket-mem=999999'):
            with self.subTest(option=option):
                self.assert_short(self.stint(f'{option} {QUIET}'), '999999 MiB',
                                  r'have \d+ MiB')

    def test_05_absent_socket(self):
        absent = 1 + max(int(re.search(r'\d+$', str(path))[0]) for path in
                         pathlib.Path('/sys/devices/system/node').glob('node[0-9]*'))
        for option in ('--socket-mem', '--socket-limit'):
            with self.subTest(option=option):
                value = '0,' * absent + '64'
                self.assert_refused(self.stint(f'{option} {value} {QUIET}'), 2,
                                    f'{option} {value}', rf'node {absent}\b')

    @spaces.needs_users
    def test_06_hugetlbfs_not_writable(self):
        nobody = spaces.user(spaces.NOBODY)
        os.chown(self.run_dir, spaces.NOBODY, spaces.NOBODY)
        self.runs(QUIET, self.hugetlbfs() + nobody)
        for option in (f'--huge-dir {self.pages}', *FILES):
            with self.subTest(option=option):
                result = self.stint(f'{option} {QUIET}', prefix=self.hugetlbfs() + nobody)
                self.assert_refused(result, 2, re.escape(str(self.pages)), 'not writable',
                                    f'uid {spaces.NOBODY}', 'Permission|writable')

    @spaces.needs_users
    def test_07_run_directory_of_another_user(self):
        first, second = spaces.user(spaces.NOBODY), spaces.user(spaces.SECOND_USER)
        self.run_dir.chmod(0o1777)
        mounts = self.hugetlbfs('mode=1777')
        self.runs(f'--file-prefix=first {QUIET}', mounts + first)
        self.assertEqual((self.run_dir / 'dpdk').stat().st_uid, spaces.NOBODY)
        self.runs(QUIET, mounts + second)
        self.runs(f'--no-huge {QUIET}', mounts + second)
        for option in SHARED:
            with self.subTest(option=option):
                self.assert_refused(self.stint(f'{option} {QUIET}', prefix=mounts + second), 99,
                                    re.escape(str(self.run_dir)), 'Permission|owner|another user')

    def test_08_lcores_beyond_the_cpus(self):
        """Each is named as it was typed, with what there is."""
        last = max(os.sched_getaffinity(0)) + 1
        online = pathlib.Path('/sys/devices/system/cpu/online').read_text().strip()
        count = int(re.search(r'\d+$', online)[0]) + 1
        for option in (f'-l 0-{count + 1}', f'-l {count}', f'-c {(3 << count) | 1:x}',
                       f'--lcores 0@{count}', f'--lcores (0-1)@(0,{count})',
                       f'--lcores 1@0,2@{count}'):
            with self.subTest(option=option):
                name, value = option.split()
                result = self.stint(name, value, *QUIET.split())
                self.assert_refused(result, 2, re.escape(option), rf'\b{count}\b', online)
        self.assertGreaterEqual(count, last)

    def test_09_lcores_beyond_the_limit(self):
        for option in ('-l 0,200', '-l 200', '-l 0-500'):
            with self.subTest(option=option):
                self.assert_refused(self.stint(f'{option} {QUIET}'), 2, option, 'RTE_MAX_LCORE',
                                    '--lcores')

    @spaces.needs_cpuset
    def test_10_cpuset(self):
        self.assert_refused(self.stint(f'-l 0-1 {QUIET}', prefix=spaces.in_cpuset('1')), 2,
                            '-l 0-1', 'CPU 0 not in the allowed set 1')

    def test_11_taskset(self):
        self.runs(f'-l 0-1 {QUIET}', ('taskset', '-c', '0'))

    def test_12_same_prefix_twice(self):
        with self.holding('--file-prefix=stint-test'):
            self.assert_refused(self.stint(f'--file-prefix=stint-test {QUIET}',
                                           prefix=self.enter), 99,
                                'prefix', 'stint-test', rf'\b{self.holder.pid}\b')

    @contextlib.contextmanager
    def holding(self, options):
        """A process that keeps what it has, and the way into its mounts."""
        with self.stuck(f'{options} -l 0 -- --set what=sleep {faulty.FAST}',
                        prefix=self.hugetlbfs(), own=self.own) as self.holder:
            self.enter = ('nsenter', '--mount', '--target', str(self.holder.pid))
            yield

    def test_13_eal_started_by_the_program(self):
        result = faulty.run(f'--quiet {faulty.FAST}', FAULTS_EAL='-l 1 --in-memory --no-pci')
        self.assert_exit(result, 0)

    def test_14_in_memory_and_no_huge(self):
        for option in ('--in-memory --no-huge', '--no-huge --in-memory',
                       '--in-memory --legacy-mem'):
            with self.subTest(option=option):
                self.assert_refused(self.stint(f'{option} {QUIET}'), 2, '--in-memory',
                                    option.replace('--in-memory', '').strip())

    def test_15_read_only_run(self):
        self.check_run_directory(spaces.hidden('/run'), '/run', 'read-only|Read-only')

    def test_16_full_run(self):
        full = spaces.shell('mount -t tmpfs -o size=8k none /run; '
                            'cat /dev/zero >/run/x 2>/dev/null || true')
        self.check_run_directory(full, '/run', 'full|No space')
        no_inodes = spaces.shell('mount -t tmpfs -o nr_inodes=1 none /run')
        self.check_run_directory(no_inodes, '/run', 'full|No space')

    def check_run_directory(self, prefix, *words):
        """By default nothing needs it."""
        options = {'prefix': self.hugetlbfs() + prefix}
        for option in ('', '--in-memory', '--no-huge', '-l 0'):
            with self.subTest(option=option):
                self.assert_exit(runner.stint(f'{option} {QUIET}', **options), 0)
        for option in (*SHARED, '--no-huge --file-prefix=stint-test'):
            with self.subTest(option=option):
                self.assert_refused(runner.stint(f'{option} {QUIET}', **options), 99, *words)

    def test_17_no_sys(self):
        for where in ('/sys', '/sys/devices', '/sys/devices/system', '/sys/devices/system/cpu'):
            with self.subTest(where=where):
                self.assert_refused(self.stint(QUIET, prefix=spaces.hidden(where)), 99, '/sys')

    def test_18_few_descriptors(self):
        """Skip with both numbers, however few there are; enough is enough."""
        codes = []
        for most in (6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 64, 256):
            with self.subTest(most=most):
                result = self.stint(f'-l 0-1 {QUIET}', prefix=('prlimit', f'--nofile={most}'))
                codes.append(result.returncode)
                if result.returncode != 0:
                    self.assert_short(result, 'descriptors|open files', rf'\b{most}\b|MiB',
                                      'ulimit|limit')
        self.assertEqual(codes, sorted(codes, reverse=True))
        self.assertEqual({codes[0], codes[-1]}, {77, 0})

    def test_19_plugin_missing(self):
        text = self.folder / 'text.so'
        text.write_text('no library')
        for plugin in ('/nonexistent.so', 'nosuch.so', text, self.folder / 'none' / 'x.so'):
            with self.subTest(plugin=plugin):
                self.assert_refused(self.stint('-d', plugin, *QUIET.split()), 2,
                                    f'-d {re.escape(str(plugin))}')

    def test_20_unknown_driver(self):
        for device in ('nosuch0', 'net_nosuch0,iface=x', 'crypto_nosuch'):
            with self.subTest(device=device):
                self.assert_refused(self.stint(f'--vdev={device} {QUIET}'), 2,
                                    device.split(',')[0], 'driver|device')

    def test_21_device_that_does_not_probe(self):
        for option, name in (('--vdev=net_af_packet0,iface=nosuch', 'net_af_packet0'),
                             ('--vdev=net_tap0,iface=' + 'x' * 99, 'net_tap0'),
                             ('-a 0000:ff:1f.7', '0000:ff:1f.7'), ('-a ff:1f.7', 'ff:1f.7')):
            with self.subTest(option=option):
                self.assert_refused(self.stint(f'{option} {QUIET}'), 2, name)

    def test_22_drivers_hidden(self):
        """Tests that need one skip, with its name and where it is looked for: not as memory."""
        hidden = spaces.hidden(*drivers())
        for test in (POOL, POOL_FAST, 'mempool_perf_autotest'):
            with self.subTest(test=test):
                result = self.stint(f'-l 0-1 -- --quiet {test}', prefix=hidden)
                self.assert_short(result, 'driver', 'mempool_ring', 'pmds')
                self.assertNotRegex(result.stdout, 'MiB|memory')
        self.runs(QUIET, hidden)
        self.runs(f'-- --quiet {POINTS}', hidden)


@runner.needs_two_cpus
class Limits(Case):
    @unittest.skipIf(spaces.ASAN, 'the sanitizer needs an endless address space')
    def test_address_space(self):
        """Named as what it is, or enough."""
        for gib in (1, 4, 16, 64, 128):
            with self.subTest(gib=gib):
                result = self.stint(f'-l 0-1 {QUIET}', prefix=('prlimit', f'--as={gib << 30}'))
                if result.returncode != 0:
                    self.assert_refused(result, 99, 'address space|ulimit -v')

    @spaces.needs_users
    def test_threads(self):
        """A user may have only so many: skip with both numbers."""
        nobody = spaces.user(spaces.NOBODY)
        for most in (1, 2, 3, 4, 6):
            with self.subTest(most=most):
                result = self.stint(f'-l 0-1 {QUIET}', **spaces.NO_LEAK_CHECK,
                                    prefix=(*nobody, 'prlimit', f'--nproc={most}'))
                if result.returncode != 0:
                    self.assert_short(result, r'\d+ threads', 'ulimit -u|limit of processes')
        self.assert_short(self.stint(f"--lcores '(0-31)@(0-1)' {QUIET}", **spaces.NO_LEAK_CHECK,
                                     prefix=(*nobody, 'prlimit', '--nproc=8')), r'\d+ threads')

    @runner.needs_mounts
    def test_threads_of_a_cgroup(self):
        for most in (2, 3, 4):
            with self.subTest(most=most):
                prefix = ('unshare', '--mount', 'sh', '-c', PIDS, 'sh', str(most))
                result = self.stint(f"--lcores '(0-7)@(0-1)' {QUIET}", prefix=prefix,
                                    **spaces.NO_LEAK_CHECK)
                if result.returncode == 98:
                    self.skipTest('needs the pids controller in a hierarchy of its own')
                self.assert_short(result, r'\d+ threads', 'pids')

    def test_file_size(self):
        """Memory of EAL is a file to the kernel: its limit ends nothing by a signal."""
        for limit in (0, 1 << 16, 1 << 20, 1 << 22, 1 << 30):
            with self.subTest(limit=limit):
                result = self.stint(f'-l 0-1 {QUIET}', prefix=('prlimit', f'--fsize={limit}'))
                self.assertIn(result.returncode, (0, 77), result.stderr)
                if result.returncode == 77:
                    self.assert_short(result, 'ulimit -f')


# MOST command: a cgroup of so many threads, which is removed in the end
PIDS = '''
most=$1
shift
mount -t cgroup -o pids none /mnt || exit 98
group=/mnt/stint-test-$$
mkdir "$group" || exit 98
echo "$most" >"$group/pids.max"
sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
code=$?
rmdir "$group"
exit $code
'''


@runner.needs_mounts
@runner.needs_two_cpus
class Prefix(Case):
    def test_E01_own_prefix(self):
        """Runs at the same time do not meet, without a word about it."""
        for option in ('', '--in-memory', '--no-huge'):
            with self.subTest(option=option):
                with self.stuck(f'{option} -l 0 -- --set what=sleep {faulty.FAST}',
                                own=self.own):
                    self.assert_exit(self.stint(f'{option} -l 0-1 {QUIET}'), 0)
        self.assertEqual(self.left(), [])

    def test_E01_taken_prefix(self):
        """The second one is told which prefix, and which process has it; the first goes on."""
        for first, second, name in (
                ('--file-prefix=a', '--file-prefix=a', 'a'),
                ('--file-prefix a', '--file-prefix=a --legacy-mem -m 16', 'a'),
                ('--proc-type=primary', '--proc-type=primary', 'rte'),
                ('--proc-type=primary', '--file-prefix=rte', 'rte'),
                ('--no-huge --file-prefix=a', '--file-prefix=a', 'a')):
            with self.subTest(first=first, second=second):
                with self.stuck(f'{first} -l 0 -- --set what=sleep {faulty.FAST}',
                                prefix=self.hugetlbfs(), own=self.own) as process:
                    enter = ('nsenter', '--mount', '--target', str(process.pid))
                    self.assert_refused(self.stint(f'{second} -l 1 {QUIET}', prefix=enter), 99,
                                        rf'prefix\W+{name}\b', rf'\b{process.pid}\b')
                    self.assertIsNone(process.poll())
                    # another one, at the same time
                    self.assert_exit(self.stint(f'--file-prefix=b -l 1 {QUIET}', prefix=enter), 0)

    def test_E01_prefix_of_a_dead_process(self):
        """What a killed process leaves does not hold a prefix; nor does one that has ended."""
        for end in ('kill', 'terminate'):
            with self.subTest(end=end):
                with self.stuck(f'--no-huge --file-prefix=a -l 0 -- --set what=sleep '
                                f'{faulty.FAST}', own=self.own) as process:
                    getattr(process, end)()
                    process.wait(timeout=runner.LIMIT_S)
                    self.assert_exit(self.stint(f'--no-huge --file-prefix=a {QUIET}'), 0)

    def test_E01_no_primary(self):
        """A secondary process without a primary one ends at once."""
        for option in ('--proc-type=secondary', '--proc-type=secondary --file-prefix=a'):
            with self.subTest(option=option):
                result = self.stint(f'{option} {QUIET}', prefix=self.hugetlbfs(),
                                    limit_s=faulty.LIMIT_S)
                self.assert_refused(result, 2, 'secondary', 'primary')

    def test_E01_nothing_left(self):
        """No file stays in the run directory or the hugetlbfs, whatever comes of the start."""
        count = spaces.shell('mount -t hugetlbfs none "$1"; dir=$1; shift; '
                             '"$@" >/dev/null 2>&1 || true; ls -A "$dir" | wc -l; exit',
                             self.pages)
        for option in ('', '--in-memory', '--no-huge', f'--huge-dir {self.pages}',
                       '--legacy-mem -m 16', '--single-file-segments', '--huge-unlink',
                       '--vdev=nosuch0', f'--huge-dir {self.pages} --vdev=nosuch0',
                       f'--huge-dir {self.pages} -m 999999'):
            with self.subTest(option=option):
                self.assertEqual(self.stint(f'{option} {QUIET}', prefix=count).stdout, '0\n')
                self.assertEqual(self.left(), [])

    def test_E02_long_prefix(self):
        """Refused with the length that would do."""
        for length in (100, 300):
            with self.subTest(length=length):
                result = self.stint('--file-prefix', 'a' * length, *QUIET.split(),
                                    prefix=self.hugetlbfs())
                self.assertLess(len(result.stderr), 300)
                self.assert_refused(result, 2, '--file-prefix', rf'\b{length}\b')

    def test_E02_long_run_directory(self):
        """What needs no socket runs in any folder; else it is named, with the cause."""
        for name in ('XDG_RUNTIME_DIR', 'RUNTIME_DIRECTORY'):
            if name == 'XDG_RUNTIME_DIR' and not spaces.nobody_can_run():
                continue
            user = spaces.user(spaces.NOBODY) if name == 'XDG_RUNTIME_DIR' else ()
            for length in (90, 180):
                with self.subTest(name=name, length=length):
                    path = self.folder / name / ('x' * (length - 1 - len(str(self.folder))
                                                        - len(name)))
                    path.mkdir(parents=True)
                    os.chown(path, spaces.NOBODY if user else 0, -1)
                    options = {'prefix': self.hugetlbfs('mode=1777') + user, name: str(path)}
                    for option in ('', '--in-memory', '--no-huge'):
                        self.assert_exit(runner.stint(f'{option} {QUIET}', **options), 0)
                    for option in SHARED:
                        self.assert_refused(
                            runner.stint(f'{option} {QUIET}', **options), 99, 'long|room', 'x{30}')


@runner.needs_mounts
@spaces.needs_users
class Users(Case):
    def setUp(self):
        super().setUp()
        self.user = spaces.user(spaces.NOBODY)
        os.chown(self.run_dir, spaces.NOBODY, spaces.NOBODY)
        self.own = {'XDG_RUNTIME_DIR': str(self.run_dir)}

    def test_E03_ordinary_user(self):
        """Runs with hugepages and without; perf tests too."""
        for option in ('', '--in-memory', '--no-huge', '-l 0 --no-huge -m 64'):
            for test in (FAST, POOL_FAST, POINTS):
                with self.subTest(option=option, test=test):
                    prefix = spaces.no_hugetlbfs() + self.user
                    self.assert_exit(self.enough(f'{option} -- --quiet {test}', run=self.stint,
                                                 prefix=prefix), 0)
        self.assertEqual(self.left(), [])

    def test_E03_open_hugetlbfs(self):
        """One that all may write to will do for any option."""
        for option in (f'--huge-dir {self.pages}', '--file-prefix=a', '--single-file-segments'):
            with self.subTest(option=option):
                self.assert_exit(self.stint(f'{option} {QUIET}',
                                            prefix=self.hugetlbfs('mode=1777') + self.user), 0)

    def test_E03_hugetlbfs_of_root(self):
        """Says which folder and which user, before EAL says something else."""
        for options in ('mode=755', 'mode=700', 'mode=775,gid=0', 'ro,mode=1777'):
            with self.subTest(options=options):
                result = self.stint(f'--huge-dir {self.pages} {QUIET}',
                                    prefix=self.hugetlbfs(options) + self.user)
                self.assert_refused(result, 2, re.escape(str(self.pages)),
                                    f'uid {spaces.NOBODY}|[Rr]ead-only', 'Permission|writable')

    def test_E03_folder_of_root(self):
        """A run directory that is not this user's, when it is needed and when not."""
        os.chown(self.run_dir, 0, 0)
        prefix = self.hugetlbfs('mode=1777') + self.user
        for option in ('', '--no-huge', '--in-memory'):
            with self.subTest(option=option):
                self.assert_exit(self.stint(f'{option} {QUIET}', prefix=prefix), 0)
        for option in SHARED:
            with self.subTest(option=option):
                self.assert_refused(self.stint(f'{option} {QUIET}', prefix=prefix), 99,
                                    re.escape(str(self.run_dir)), 'Permission|writable|owner')

    def test_E03_results_in_a_folder_of_root(self):
        """That is a wrong request, whoever makes it."""
        self.assert_refused(runner.stint(f'-- --results {self.folder}/x.ndjson {FAST}',
                                         prefix=self.user), 2, 'x.ndjson', 'Permission denied')


@runner.needs_mounts
class Files(Case):
    def test_E05_run_directory(self):
        """Needed by few options; those name it, all others run."""
        (self.folder / 'file').write_text('')
        for run_dir, words in (('/nonexistent', 'nonexistent'), (self.folder / 'file', 'file')):
            with self.subTest(run_dir=run_dir):
                options = {'prefix': self.hugetlbfs(), 'RUNTIME_DIRECTORY': str(run_dir)}
                for option in ('', '--no-huge', '--in-memory'):
                    self.assert_exit(runner.stint(f'{option} {QUIET}', **options), 0)
                for option in SHARED:
                    self.assert_refused(runner.stint(f'{option} {QUIET}', **options), 99, words)

    def test_E05_everything_read_only(self):
        """A container whose whole root is read-only."""
        read_only = spaces.shell("for dir in $(awk '{ print $2 }' /proc/mounts); do mount -o "
                                 'remount,bind,ro "$dir" 2>/dev/null || true; done; '
                                 'mount -t tmpfs -o ro none /run')
        for option in ('', '--no-huge', '--in-memory'):
            for test in (FAST, POOL_FAST):
                with self.subTest(option=option, test=test):
                    self.assert_exit(runner.stint(f'{option} -- --quiet {test}',
                                                  prefix=read_only), 0)

    def test_E05_run_directory_of_any_size(self):
        """Too small is told before the kernel ends the process for it."""
        codes = []
        for kib in (4, 16, 64, 128, 256, 512, 1024, 4096):
            with self.subTest(kib=kib):
                small = spaces.shell(f'mount -t tmpfs -o size={kib}k none /run')
                result = runner.stint(f'--file-prefix=a -- --quiet {POOL_FAST}',
                                      prefix=self.hugetlbfs() + small)
                codes.append(result.returncode)
                if result.returncode != 0:
                    self.assert_refused(result, 99, '/run', 'full|No space|small|KiB|MiB')
        self.assertEqual(codes, sorted(codes, reverse=True))
        self.assertEqual({codes[0], codes[-1]}, {99, 0})

    @unittest.skipIf(spaces.ASAN, 'the sanitizer needs /proc')
    def test_E07_no_proc(self):
        """Runs, or names it."""
        libraries = {'LD_LIBRARY_PATH': libraries_of_stint()}
        for option in ('', '-l 0', '--no-huge', '--in-memory', '--file-prefix=a',
                       '--legacy-mem -m 16'):
            with self.subTest(option=option):
                result = runner.stint(f'{option} {QUIET}', **libraries,
                                      prefix=self.hugetlbfs() + spaces.hidden('/proc'))
                if result.returncode != 0:
                    self.assert_refused(result, 99, '/proc')

    def test_E07_some_missing(self):
        """What is not needed is not missed."""
        for where in ('/dev', '/dev/shm', '/sys/fs/cgroup', '/sys/bus', '/sys/kernel/mm'):
            with self.subTest(where=where):
                self.assert_exit(runner.stint(QUIET, prefix=spaces.hidden(where)), 0)

    def test_E07_no_sys(self):
        """Known before EAL starts, with any options; what needs no machine works."""
        prefix = spaces.hidden('/sys')
        for option in ('', '-l 0', '--no-huge', '--in-memory', '--lcores 0@0', '-m 64',
                       '--socket-mem 64', '--socket-limit 64'):
            with self.subTest(option=option):
                self.assert_refused(runner.stint(f'{option} {QUIET}', prefix=prefix), 99, '/sys')
        for option in ('--list', '--help', f'--help {POOL}'):
            with self.subTest(option=option):
                self.assert_exit(runner.stint(f'-- {option}', prefix=prefix), 0)


# DIR: what EAL loads its drivers from is another folder, of copies
COPY_DRIVERS = """
mount -t tmpfs -o mode=755 none /mnt
new=/mnt
cp -a "$1"/*.so* "$new"
"""
USE_DRIVERS = """
mount --bind "$new" "$1"
shift
"""


@runner.needs_mounts
class Plugins(Case):
    def test_E08_plugin(self):
        """A folder may be empty; a file must be a library that EAL would load."""
        empty, open_folder = self.folder / 'empty', self.folder / 'open'
        for path in (empty, open_folder):
            path.mkdir()
        self.assert_exit(runner.stint(f'-d {empty} {QUIET}'), 0)
        library = next(drivers()[0].glob('librte_mempool_ring.so*'))
        self.assert_exit(runner.stint(f'-d {library} {QUIET}'), 0)
        self.assert_exit(runner.stint(f'-d {library} -d {empty} {QUIET}'), 0)
        self.assert_refused(runner.stint(f'-d {library} -d /none.so {QUIET}'), 2, '/none.so')
        (open_folder / 'x.so').write_bytes(library.read_bytes())
        open_folder.chmod(0o777)
        self.assert_refused(runner.stint(f'-d {open_folder}/x.so {QUIET}'), 2, 'open')
        cut = self.folder / 'cut.so'
        cut.write_bytes(library.read_bytes()[:5000])
        self.assert_refused(runner.stint(f'-d {cut} {QUIET}'), 2, 'cut.so')

    def test_E09_driver_missing(self):
        """Told alike whether all drivers are gone or the one that is needed."""
        all_gone = spaces.hidden(*drivers())
        one_gone = spaces.shell(COPY_DRIVERS + 'rm "$new"/librte_mempool_ring.*' + USE_DRIVERS,
                                drivers()[0])
        lines = []
        for prefix in (all_gone, one_gone):
            result = self.stint(f'-l 0 -- --quiet {POOL}', prefix=prefix)
            self.assert_short(result, 'driver', 'ring_mp_mc', 'librte_mempool_ring',
                              re.escape(drivers()[0].name))
            lines.append(result.stdout)
        self.assertEqual(*lines)
        # one that the user names is a place that does not exist
        result = self.stint(f'-l 0 -- --quiet --set handler=nosuch {POOL}')
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)


    def test_E09_broken_driver(self):
        """What keeps EAL from loading those in its own folder is named: nobody said -d."""
        for script in (': >"$new"/librte_x.so', 'chmod 777 "$new"',
                       'head -c 5000 "$1"/librte_net_null.so >"$new"/librte_x.so'):
            with self.subTest(script=script):
                broken = spaces.shell(f'{COPY_DRIVERS}{script}{USE_DRIVERS}', drivers()[0])
                result = self.stint(QUIET, prefix=broken, **spaces.NO_LEAK_CHECK)
                self.assert_refused(result, 99, re.escape(drivers()[0].name))
                self.assertNotIn('-d', result.stderr)


@runner.needs_two_cpus
class Host(faulty.Case):
    """A program that has called rte_eal_init() by itself."""

    # of EAL, and the lcores in the order of their use
    STARTS = [('-l 0-1 --in-memory --no-pci', [0, 1]), ('-l 1 --in-memory --no-pci', [1]),
              ('--lcores 5@0,9@1 --main-lcore 9 --in-memory --no-pci', [9, 5]),
              ('-l 0-1 --no-huge -m 64 --no-pci --no-shconf', [0, 1])]

    def test_E11_started_by_the_program(self):
        """Tests use the lcores and the memory that the program has."""
        for eal, ids in self.STARTS:
            with self.subTest(eal=eal):
                path = self.folder / f'{len(eal)}.ndjson'
                result = faulty.run(f'--quiet --budget 1s --results {path} '
                                    f'--points half=first {faulty.PERF} {faulty.FAST}',
                                    FAULTS_EAL=eal)
                self.assert_exit(result, 0)
                self.assertEqual(max(self.measured_ids(path), key=len), ids)
                self.assertEqual(result.stdout.splitlines()[-1], '2 passed, 0 failed, 0 skipped')

    def test_E11_outcomes(self):
        """The program goes on and gets the code of what came of the tests."""
        for words, code, text in (
                (f'--points cores=2 {faulty.PERF}', 77, r'2 lcores.*have 1\b'),
                (f'--budget 1h --set what=error {faulty.PERF}', 1, 'lcore 1 fails in run'),
                (f'--budget 1h --set what=error --set where=check {faulty.PERF}', 1, 'wrong after'),
                (f'--set what=error {faulty.FAST}', 1, 'as asked for'),
                (f'-l 0 {faulty.FAST}', 2, '-l')):
            with self.subTest(words=words):
                result = faulty.run(words, FAULTS_EAL='-l 1 --in-memory --no-pci')
                self.assert_exit(result, code)
                self.assertRegex(result.stdout + result.stderr, text)

@runner.needs_two_cpus
class Again(faulty.Case):
    def test_E13_three_times(self):
        """Each autotest any number of times in one session: by arguments, variable, prompt."""
        tests = FAST, POOL_FAST, POINTS, 'reciprocal_division_perf_autotest'
        for test in tests:
            with self.subTest(test=test):
                result = self.enough('-l 0-1 -- --quiet', test, test, test)
                self.assert_exit(result, 0)
                self.assertEqual(result.stdout.count(f'{test}: pass'), 3)
        result = self.enough('-l 0-1 -- --quiet', DPDK_TEST=','.join(tests * 3))
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout.splitlines()[-1],
                         f'{3 * len(tests)} passed, 0 failed, 0 skipped')
        grid = '--points keep=32,get=8,put=8'
        result = self.enough(f'-l 0-1 -- --quiet {grid}', stdin=f'{POOL}\n' * 3)
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout.count(f'{POOL}: pass'), 3)

    def test_E13_after_a_failure(self):
        """A set-up that failed half-way leaves nothing in the way of the next one."""
        for number, code in ((12, 77), (22, 1)):
            with self.subTest(errno=number):
                result = faulty.run(f'-l 0-1 -- --quiet --budget 1s --set what=error '
                                    f'--set where=setup --set errno={number} '
                                    f'{faulty.PERF} {faulty.PERF} {faulty.PERF}')
                self.assert_exit(result, code)
                self.assertEqual(len(re.findall(rf'(?m)^{faulty.PERF}: (?:fail|skip)',
                                                result.stdout)), 3)


if __name__ == '__main__':
    runner.main()
