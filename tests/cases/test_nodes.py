# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Pages on another node, of another size: A15, A17.

Nodes and sizes that this machine does not have are checked in tests/unit too: test_plan.c
(test_sockets, test_need_of_sockets, test_pages), test_need.c, test_machine.c (memory_cases,
test_memory_of_mount) and test_host.c ("two sockets, pages on one", "1 GiB pages only").
"""

import json
import os
import pathlib

import places
import runner
from places import MIB, SIZE

FAST, PERF = 'mempool_autotest', runner.POINTS
ONE, TWO = 'mempool_perf_autotest_1core', 'mempool_perf_autotest_2cores'
BOTH = 'mempool_perf_autotest'
LARGE = 1048576

MOUNT_BOTH = '''
mount -t tmpfs none /run || exit 98
mkdir "$1/small" "$1/small1G" "$1/large"
mount -t hugetlbfs -o pagesize=2M none "$1/small" || exit 98
mount -t hugetlbfs -o pagesize=1G none "$1/small1G" || exit 98
mount -t hugetlbfs -o pagesize=1G none "$1/large" || exit 98
'''


@runner.needs_mounts
class Nodes(places.Case):
    def place(self, name, pages):
        """CPU 0 on one node, CPU 1 on another; {node: pages of 2 MiB}."""
        return self.enterContext(places.fake_nodes(self.folder / name, {
            node: ([cpu], {SIZE: (count, count, 0)})
            for cpu, (node, count) in enumerate(pages.items())}))

    def test_A15_absent_node(self):
        """Memory on a node that is not there is a wrong request."""
        for options in ('--socket-mem 0,64', '--socket-mem 0,64,0', '--socket-mem=0,1',
                        '--socket-limit 0,64', '--legacy-mem --socket-mem 0,64'):
            with self.subTest(options=options):
                # whatever this machine has, there is one node
                place = self.enterContext(places.fake_pool(self.folder / options, 512))
                result = self.run_tests(options, PERF, prefix=place.prefix)
                self.assert_exit(result, 2)
                self.assertRegex(result.stderr, r'\Astint: [^\n]*\bnode 1\b[^\n]*\n\Z')

    @runner.needs_hugepages
    @runner.needs_two_cpus
    def test_A15_pages_on_one_node(self):
        """What is used on the node with pages runs; the rest skips and names the other node."""
        for other in (1, 2):
            place = self.place(str(other), {0: 100, other: 0})
            for lcores, test in [('0', PERF), ('0', ONE), ('0-1', ONE), ('0', FAST), ('1', FAST),
                                 ('0-1', FAST)]:
                with self.subTest(other=other, lcores=lcores, test=test):
                    self.assert_exit(self.run_tests(f'-l {lcores}', test, prefix=place.prefix), 0)
            for options, test in [('-l 1', PERF), ('-l 1', ONE), ('-l 0-1', TWO),
                                  ('-l 1 --in-memory', FAST)]:
                with self.subTest(other=other, options=options, test=test):
                    line = self.assert_short(self.run_tests(options, test, prefix=place.prefix),
                                             0, f'socket {other}')
                    self.assertIn(f'/node{other}/', line)

    @runner.needs_hugepages
    @runner.needs_two_cpus
    def test_A15_points_on_one_node(self):
        """Of a test of one and two lcores, the points on the node with pages run."""
        place = self.place('nodes', {0: 100, 1: 0})
        for test in (BOTH, PERF):
            with self.subTest(test=test):
                path = self.recorded('-l 0-1', test, prefix=place.prefix)
                samples = runner.records(path, 'sample')
                self.assertEqual({sample['point']['cores'] for sample in samples}, {1})
                skips = runner.records(path, 'skip')
                self.assertTrue(skips)
                for skip in skips:
                    self.assertEqual(skip['point']['cores'], 2)
                    self.assertIn('socket 1', skip['need'])

    @runner.needs_two_cpus
    def test_A15_asked_of_a_node(self):
        """An amount that a node does not have: a skip, whatever other nodes have."""
        place = self.place('nodes', {0: 100, 1: 4})
        # memory of node 1 may be out of bounds to this process: it has none then
        for options, node, haves in [('--socket-mem 0,64', 1, (0, 8)),
                                     ('--socket-mem 8,64', 1, (0, 8)),
                                     ('--socket-mem 400,4', 0, (200,))]:
            with self.subTest(options=options):
                result = self.run_tests(f'-l 0 {options}', FAST, prefix=place.prefix)
                line = self.assert_short(result, text=f'socket {node}')
                self.assertIn(places.amounts(line)[1], haves)

    def test_A17_page_sizes(self):
        """Sizes are those of the system; a large page is asked for only if there is no other."""
        node = range(os.cpu_count())
        for pools, need, page in [
                ({SIZE: (64, 64, 0), LARGE: (2, 2, 0)}, 6 * MIB, SIZE),
                ({LARGE: (2, 2, 0)}, 1024 * MIB, LARGE),
                ({SIZE: (64, 0, 0), LARGE: (2, 2, 0)}, 1024 * MIB, LARGE),
                ({64: (512, 512, 0), SIZE: (64, 64, 0)}, 6 * MIB, 64),
                ({32768: (8, 8, 0)}, 32 * MIB, 32768)]:
            with self.subTest(pools=pools):
                place = self.enterContext(places.fake_nodes(self.folder / str(pools),
                                                            {0: (node, pools)}))
                result = runner.stint(f'-l 0 -- --plan --json {PERF}', prefix=place.prefix)
                plan, = json.loads(result.stdout)
                self.assertEqual(plan['page_bytes'], page << 10)
                self.assertEqual(plan['status'], 'run')
                # pages that are smaller make it smaller
                self.assertLessEqual(plan['need_bytes']['0'], need)
                self.assertEqual(plan['need_bytes']['0'] % (page << 10), 0)

    def test_A17_none_of_that_size(self):
        """A mount of large pages of which there are none: a skip that names size and count."""
        pool = pathlib.Path(f'/sys/kernel/mm/hugepages/hugepages-{LARGE}kB')
        if not pool.is_dir():
            self.skipTest('the kernel has no pages of 1 GiB')
        if int((pool / 'free_hugepages').read_text()) != 0:
            self.skipTest('pages of 1 GiB are free')
        place = self.enterContext(places.Place(MOUNT_BOTH, self.folder))
        for options, test in [('', PERF), ('', FAST), ('-m 32', PERF), ('--legacy-mem', PERF),
                              ('--single-file-segments', PERF)]:
            # the second has a name that begins like that of a mount with other pages
            for mount in ('large', 'small1G'):
                with self.subTest(options=options, test=test, mount=mount):
                    result = self.run_tests(f'-l 0 --huge-dir {self.folder}/{mount} {options}',
                                            test, prefix=place.prefix)
                    line = self.assert_short(result, 0)
                    self.assertRegex(line, r'\b(1048576 Ki?B|1024 MiB|1 GiB)\b')
                    self.assertNotIn('2048', line)


if __name__ == '__main__':
    runner.main()
