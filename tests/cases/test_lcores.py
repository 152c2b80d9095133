# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Theme B: cores, lcores, affinity and cgroups."""

import functools
import json
import os
import pathlib
import re
import subprocess

import faulty
import runner
import spaces

runner.need_pool()

FAST, POINTS = runner.FAST, runner.POINTS
POOL = 'mempool_perf_autotest'
TWO, ALL = f'{POOL}_2cores', f'{POOL}_allcores'
# tests by lcores that they need at least
NEEDS_TWO = [TWO, 'pingpong_perf_autotest']


@functools.cache
def max_lcore():
    """RTE_MAX_LCORE, as this DPDK has it."""
    result = runner.stint(f'--lcores 99999@0 -- {FAST}')
    return int(re.search(r'not below (\d+) \(RTE_MAX_LCORE\)', result.stderr)[1])


@functools.cache
def all_tests():
    return [test['name'] for test in json.loads(runner.stint('-- --list --json').stdout)]


@runner.needs_two_cpus
class Lcores(spaces.Case):
    def test_B01_high_cores(self):
        """A number that no lcore can have is refused, with the map that would do."""
        most = max_lcore()
        for option in (f'-l 0,{most + 72}', f'-l 0,{most}', f'-l {most}', f'-l 0-{most}',
                       f'-c 0x1{"0" * (most // 4)}'):
            with self.subTest(option=option):
                self.assert_refused(runner.stint(f'{option} -- {FAST}'), 2,
                                    re.escape(option), 'RTE_MAX_LCORE', r'--lcores 0@\d')
        for option in (f'--lcores {most}@0', f'--lcores 0@0,{most}@1', f'--lcores (0-{most})@0'):
            with self.subTest(option=option):
                self.assert_refused(runner.stint(option, '--', FAST), 2, re.escape(option),
                                    rf'\b{most}\b', 'RTE_MAX_LCORE')
        for ids in ((0, most - 1), (most - 2, most - 1)):
            with self.subTest(ids=ids):
                path, _ = self.measured_all(f'--lcores {ids[0]}@0,{ids[1]}@1 -- --quiet '
                                        f'--points body=loop {POINTS}')
                self.assertEqual({tuple(found) for found in self.measured_ids(path)},
                                 {ids[:1], ids})

    # CPUs that are all above the limit need such a machine: "none of the allowed CPUs" in
    # tests/unit/test_eal_args.c

    @runner.needs_mounts
    def test_B02_no_cpu_known(self):
        """Without /sys no CPU is known, whatever is asked for: said before EAL starts."""
        for option in ('', '-l 0', '-l 0-1', '--lcores 0@0', '--no-huge', '--in-memory'):
            with self.subTest(option=option):
                self.assert_refused(runner.stint(f'{option} -- {FAST}',
                                                 prefix=spaces.hidden('/sys')), 99, '/sys')

    def test_B05_allowed_cpus(self):
        """Without a core option the allowed CPUs are used; memory and time follow them."""
        plans = {}
        for cpus, ids in (('0', [0]), ('1', [1]), ('0-1', [0, 1])):
            with self.subTest(cpus=cpus):
                prefix = ('taskset', '-c', cpus)
                path, result = self.measured_all(f'-- {POINTS}', prefix=prefix)
                self.assertRegex(result.stdout, rf'\Astint: {len(ids)} lcores? of \d+ CPUs?\n')
                self.assertIn(f'lcore{"s" * (len(ids) > 1)} {cpus} (main {ids[0]})',
                              result.stdout)
                self.assertEqual(max(self.measured_ids(path), key=len), ids)
                output = runner.stint(f'-- --plan --json {POOL}', prefix=prefix).stdout
                plans[cpus], = json.loads(output)
                self.assertEqual(plans[cpus]['lcores'], ids)
        one, two = plans['0'], plans['0-1']
        self.assertEqual(two['budget_ns'], 2 * one['budget_ns'])
        self.assertGreater(two['need_bytes']['0'], one['need_bytes']['0'])
        self.assertLessEqual(two['need_bytes']['0'], 2 * one['need_bytes']['0'])

    def test_B06_lcores_share_a_cpu(self):
        """Ends within its budget, however many lcores wait for one another on a CPU."""
        for lcores in ('(0-1)@0', '0@1,1@1', '(0-7)@0', '(0-31)@(0-1)', '(3,9)@1'):
            with self.subTest(lcores=lcores):
                path, _ = self.measured_all(f"--lcores '{lcores}' -- --quiet --points body=loop "
                                            f'{POINTS}')
                plan, = runner.records(path, 'plan')
                result, = runner.records(path, 'result')
                # others may keep lcores off their CPUs when the budget ends
                self.assertLessEqual(result['elapsed_ns'], 1.1 * plan['budget_ns'] + 100e6)

    def test_B06_waits_yield(self):
        """Handing over to 32 lcores on two CPUs takes much less than a time slice of each."""
        for _ in range(3):
            path, _ = self.measured_all("--lcores '(0-31)@(0-1)' -- --quiet --points "
                                        f'body=loop,cores=32 {POINTS}')
            taken = [sample['value'] for sample in runner.records(path, 'sample')
                     if sample['metric'] == 'hand-over']
            self.assertTrue(taken)
            if sorted(taken)[len(taken) // 2] < 100e6:
                break
        # waits that spin: 918 ms
        self.assertLess(sorted(taken)[len(taken) // 2], 100e6)

    def test_B08_too_few_lcores(self):
        """Skip with both numbers, for a whole test and for some of its points."""
        for option in ('-l 0', '-l 1', '--lcores 5@1', "--lcores '7@(0-1)'", '-c 1', '-l 0-1 -S 1'):
            for test in NEEDS_TWO:
                with self.subTest(option=option, test=test):
                    self.assert_short(runner.stint(f'{option} -- {test}'), rf'\A{test}: skip',
                                      r'needs? 2 lcores', r'have 1\b', '-l')
        output = runner.stint('-l 0 -- --plan --json').stdout
        skipped = {plan['test'] for plan in json.loads(output) if plan['status'] == 'skip'}
        self.assertEqual(skipped, set(NEEDS_TWO))
        path, result = self.measured_all(f'-l 0 -- --quiet --points keep=32,get=8,put=8 {POOL}')
        found, = runner.records(path, 'result')
        self.assertGreater(found['points_skipped'], 0)
        self.assertGreater(found['points_done'], 0)
        self.assertRegex(result.stdout, rf'skipped {found["points_skipped"]} points?: .*lcores')

    def test_B09_more_lcores_than_eight_bits_hold(self):
        """As many as EAL takes: all of them work, none is counted twice."""
        most = max_lcore()
        lcores = f"--lcores '(0-{most - 1})@(0-1)'"
        path, _ = self.measured_all(f'{lcores} -- --quiet --points body=loop,cores={most} '
                                    f'{POINTS}')
        samples = runner.records(path, 'sample')
        self.assertTrue(samples)
        for sample in samples:
            self.assertEqual(sample['lcores'], list(range(most)))
        plan, = runner.records(path, 'plan')
        self.assertEqual(len(plan['lcores']), most)
        for test in all_tests():
            with self.subTest(test=test):
                # 2 MiB pages are shared with others: not all of them
                result = runner.stint(f'{lcores} --socket-limit 300 -- --quiet --budget 50ms '
                                      f'{test}')
                self.assertIn(result.returncode, (0, 77), result.stdout + result.stderr)
                self.assertNotRegex(result.stdout, r'\b(25[56]|-1) lcores')

    def test_B11_any_ids(self):
        """The same points with values, whatever the ids are and whichever is the main one."""
        tests = (f'--points keep=32,get=8,put=8 {TWO}', f'{POINTS}', 'mempool_autotest',
                 'rcu_qsbr_autotest', 'pmd_autotest', FAST)
        variants = [('--lcores 5@0,9@1 --main-lcore 9', [9, 5]),
                    ('--lcores 5@0,9@1', [5, 9]),
                    (f'--lcores {max_lcore() - 1}@0,3@1', [3, max_lcore() - 1]),
                    ('-l 0-1 --main-lcore 1', [1, 0]),
                    # a service lcore lies between the two
                    ('--lcores 0@0,3@1,7@0 -S 3', [0, 7])]
        for test in tests:
            wanted = self.results(f'-l 0-1 -- --quiet {test}', [0, 1])
            for option, ids in variants:
                with self.subTest(test=test, option=option):
                    self.assertEqual(self.results(f'{option} -- --quiet {test}', ids), wanted)

    def results(self, command, ids):
        """Points and metrics that have values; `ids`: the lcores in the order of their use."""
        path, _ = self.measured_all(command)
        found = set()
        for sample in runner.records(path, 'sample'):
            point = sample['point']
            self.assertEqual(sample['lcores'], ids[:len(sample['lcores'])])
            found.add((*point.items(), ('lcores', len(sample['lcores'])), sample['metric']))
        result, = runner.records(path, 'result')
        return found, result['status'], result['points'], result['points_done']


@spaces.needs_cpuset
class Cpuset(spaces.Case):
    # arguments, and the CPU that is shut out as they name it
    REFUSED = [
        ('-l 0-1', '0'), ('-l 0', '0'), ('-l 0,1', '0'), ('-c 0x3', '0'), ('-c 1', '0'),
        ('--lcores 3@0', '0'), ('--lcores 0@1,1@0', '0'), ("--lcores '(0-1)@0'", '0'),
    ]
    TAKEN = [
        ('', [1]), ('-l 1', [1]), ('-c 2', [1]), ('--lcores 0@1,1@1', [0, 1]),
        # of a set it is enough that one CPU is allowed
        ("--lcores '(0-1)@(0-1)'", [0, 1]), ("--lcores '4@(0-1)'", [4]),
    ]

    def test_B03_shut_out(self):
        """A CPU that the cpuset shuts out is named, with those that it allows."""
        self.check_refused(spaces.in_cpuset('1'))

    def test_B03_shut_out_by_a_group_that_cannot_be_seen(self):
        """As in a container: the limit holds, its cgroup is mounted nowhere."""
        unseen = ('for dir in $(tac /proc/mounts | awk \'$3 ~ /^cgroup/ { print $2 }\'); do'
                  ' umount -l "$dir"; done')
        self.check_refused((*spaces.in_cpuset('1'), *spaces.shell(unseen)))

    def check_refused(self, prefix):
        for option, cpu in self.REFUSED:
            with self.subTest(option=option):
                result = runner.stint(f'{option} -- {FAST}', prefix=prefix)
                self.assert_refused(result, 2, re.escape(option.replace("'", '')),
                                    rf'CPU {cpu} .*allowed.* 1\b')
        for option, ids in self.TAKEN:
            with self.subTest(option=option):
                path, _ = self.measured_all(f'{option} -- --quiet --points body=loop {POINTS}',
                                        prefix=prefix)
                self.assertEqual(max(self.measured_ids(path), key=len), ids)

    def test_B03_taskset_is_no_limit(self):
        """What a user names counts, not where the shell happens to run."""
        path, _ = self.measured_all(f'-l 0-1 -- --quiet --points body=loop,cores=2 {POINTS}',
                                prefix=('taskset', '-c', '0'))
        self.assertEqual(set(map(tuple, self.measured_ids(path))), {(0, 1)})
        run, = runner.records(path, 'run')
        self.assertEqual([(lcore['id'], lcore['cpus']) for lcore in run['lcores']],
                         [(0, [0]), (1, [1])])


@runner.needs_two_cpus
class Watchdog(faulty.Case):
    def test_B14_main_lcore_spins(self):
        """What is to happen in time happens while the main lcore never leaves its loop."""
        for prefix in ((), ('taskset', '-c', '0')):
            with self.subTest(prefix=prefix):
                self.assert_ends_at_once('-l 0 -- --set what=spin fault_autotest', prefix=prefix)

    def test_B14_main_lcore_has_priority(self):
        """Even if it leaves no time for anything else on its CPU."""
        prefix = ('chrt', '--fifo', '50')
        if subprocess.run([*prefix, 'true'], stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest('needs the right to real-time priorities')
        self.assert_ends_at_once('-l 0 -- --set what=spin fault_autotest', prefix=prefix)

    def test_B14_affinity_is_not_inherited(self):
        """No helper thread is bound to the main lcore's CPU alone."""
        before = self.affinities(os.getpid()).pop()
        with self.stuck('-l 0 -- --set what=spin fault_autotest') as process:
            found = self.affinities(process.pid)
        self.assertIn(before, found)
        # the main lcore is
        self.assertIn('0', found)

    @staticmethod
    def affinities(pid):
        texts = [path.read_text() for path in pathlib.Path(f'/proc/{pid}/task').glob('*/status')]
        return {re.search(r'Cpus_allowed_list:\t(\S+)', text)[1] for text in texts}


if __name__ == '__main__':
    runner.main()
