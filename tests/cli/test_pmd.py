# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Ethernet ports of the drivers at hand: their points, units, lcores and what is said of them."""

import os
import re
import subprocess
import unittest

import runner

PORTS, RINGS = 'pmd_perf_autotest', 'ring_pmd_perf_autotest'
MEMORY = '--no-huge -m 256'
ALONE, PAIR = ('rxtx', 'rx', 'tx'), ('poll_before', 'poll_after')
POINTS = 'burst=32,frame=64'
WIRE_BYTES = 20

VETH = '''
ip link add va type veth peer name vb && ip link set va up && ip link set vb up || exit 98
exec "$@"
'''


def in_net(*command):
    """With a veth pair in a network of its own."""
    return ('unshare', '--net', 'sh', '-c', VETH, 'sh', *command)


def may_make_links():
    return os.geteuid() == 0 and subprocess.run(
        in_net('true'), check=False, stderr=subprocess.DEVNULL).returncode == 0


def has_tun():
    return os.geteuid() == 0 and os.access('/dev/net/tun', os.R_OK | os.W_OK)


class Case(runner.Case):
    def on_ports(self, devices, lcores='-l 0', points=POINTS, test=PORTS, code=0, **options):
        """A brief run, longer on a busy machine: its samples of round one on, and the result."""
        for budget in ('100ms', '1s', '5s', '20s'):
            path, result = self.measured(
                f'{MEMORY} {lcores} {devices} -- --quiet --budget {budget} --points {points} '
                f'{test}', code=code if budget == '20s' else None, **options)
            if result.returncode != 77 and 'budget ended' not in result.stdout:
                break
        self.assert_exit(result, code)
        return runner.records(path, 'sample'), result

    def measured(self, command, *more, code=0, **options):
        if code is not None:
            return super().measured(command, *more, code=code, **options)
        path = self.folder / f'{len(list(self.folder.iterdir()))}.ndjson'
        before, dashes, after = command.partition('-- ')
        return path, runner.stint(f'{before}{dashes}--results {path} {after}', *more, **options)

    def modes(self, samples):
        return {sample['point']['mode'] for sample in samples}

    def assert_units(self, samples):
        """Cycles, packets and bits of a sample are of the same packets."""
        by_visit = {}
        for sample in samples:
            key = sample['round'], tuple(sample['point'].items())
            by_visit.setdefault(key, {})[sample['metric']] = sample
        for found in by_visit.values():
            self.assertEqual(sorted(found), ['cost', 'packets', 'wire'])
            cost, packets, wire = (found[name] for name in ('cost', 'packets', 'wire'))
            self.assertEqual((cost['unit'], packets['unit'], wire['unit']),
                             ('cycles/packet', 'packets/s', 'bit/s'))
            self.assertEqual(cost['ops'], packets['ops'])
            size = cost['point']['frame'] + WIRE_BYTES
            self.assertAlmostEqual(wire['value'] / packets['value'], 8 * size, places=6)


class Drivers(Case):
    def test_null(self):
        samples, result = self.on_ports('--vdev=net_null0', points=f'{POINTS},burst=1,frame=1518')
        self.assertEqual(self.modes(samples), set(ALONE))
        self.assert_units(samples)
        self.assertIn('no frame comes back', result.stdout)
        self.assertIn('foreign frames', result.stdout)

    def test_ring(self):
        samples, result = self.on_ports('--vdev=net_ring0')
        self.assertEqual(self.modes(samples), set(ALONE))
        self.assert_units(samples)
        self.assertIn('64 of 64 frames come back', result.stdout)
        self.assertNotIn('counted:', result.stdout)

    @unittest.skipUnless(has_tun(), 'needs root and /dev/net/tun')
    def test_tap(self):
        """It transmits; what the kernel sends by itself is not taken for work."""
        samples, result = self.on_ports('--vdev=net_tap0', prefix=('unshare', '--net'))
        self.assertEqual(self.modes(samples), {'tx'})
        self.assertIn('no frame comes back', result.stdout)

    @unittest.skipUnless(may_make_links(),
                         'needs root, network namespaces, iproute2 and veth links')
    @runner.needs_two_cpus
    def test_veth(self):
        """The frames of one port come back at the other one."""
        samples, result = self.on_ports(
            '--vdev=net_af_packet0,iface=va --vdev=net_af_packet1,iface=vb', '-l 0-1',
            prefix=in_net())
        self.assertEqual(self.modes(samples), set(ALONE))
        self.assert_units(samples)
        for port, other in ((0, 1), (1, 0)):
            self.assertRegex(result.stdout, rf'port {port} \(net_af_packet{port}, net_af_packet\)'
                             rf': .* frames come back at port {other}\n')
        for sample in samples:
            self.assertEqual(sorted(sample['lcores']), [0, 1])

    @runner.needs_two_cpus
    def test_two_ports(self):
        """All at once, each on an lcore of its own; by the environment, as meson passes them."""
        samples, result = self.on_ports('', '', DPDK_TEST_PARAMS='-l 0-1 --vdev=net_ring0 '
                                        '--vdev=net_null0')
        self.assertEqual(self.modes(samples), set(ALONE))
        self.assertIn('port 0 (net_ring0', result.stdout)
        self.assertIn('port 1 (net_null0', result.stdout)
        for port in (0, 1):
            self.assertRegex(result.stdout, rf'\d frames sent by port {port}, \d+ frames received '
                             rf'by port {port}')
        self.assertIn('too few lcores, need 4 lcores, have 2', result.stdout)
        self.assertTrue(all(sorted(sample['lcores']) == [0, 1] for sample in samples))


class Points(Case):
    def test_two_lcores(self):
        """The modes of two count on the one that polls; without a second lcore they are skipped."""
        points = f'{POINTS},mode=poll_before,mode=poll_after'
        for lcores in ('-l 0-1', "--lcores '(0-1)@0'"):
            if lcores == '-l 0-1' and not {0, 1} <= os.sched_getaffinity(0):
                continue
            with self.subTest(lcores=lcores):
                samples, _ = self.on_ports('--vdev=net_ring0', lcores, points)
                self.assertEqual(self.modes(samples), set(PAIR))
                self.assert_units(samples)
                self.assertTrue(all(sample['lcores'] == [0] for sample in samples))
        _, result = self.on_ports('--vdev=net_ring0', '-l 0', points, code=77)
        self.assertIn('need 2 lcores, have 1', result.stdout)

    def test_phases(self):
        """Rx and tx alone count one of the two parts of a pass."""
        samples, _ = self.on_ports('--vdev=net_ring0', points=f'{POINTS},mode=rx,mode=tx')
        for sample in samples:
            counts = {phase['name']: phase.get('counted', True) for phase in sample['phase']}
            transmits = sample['point']['mode'] == 'tx'
            self.assertEqual(counts, {'transmit': transmits, 'receive': not transmits})
            ops = [phase['ops'] for phase in sample['phase'] if phase.get('counted', True)]
            self.assertEqual(sum(ops), sample['ops'])

    def test_full_bursts(self):
        """Each poll finds the burst that it asks for, however few descriptors there are."""
        samples, _ = self.on_ports('--vdev=net_ring0', test=f'--set descs=64 {PORTS}',
                                   points='mode=rxtx,frame=64,burst=16,burst=32')
        costs = {burst: sorted(sample['value'] for sample in samples if sample['metric'] == 'cost'
                               and sample['point']['burst'] == burst) for burst in (16, 32)}
        self.assertLess(costs[32][len(costs[32]) // 2], 0.9 * costs[16][len(costs[16]) // 2])

    def test_queues(self):
        """Each queue of each port has an lcore."""
        samples, _ = self.on_ports('', "--lcores '(0-1)@0'",
                                   points='mode=rxtx,burst=32,frame=64,path=net_ring',
                                   test=f'--set queues=2 {RINGS}')
        self.assertTrue(all(sample['lcores'] == [0, 1] for sample in samples))

    def test_sizes(self):
        """Rings pass pointers: the smallest and the largest frame do."""
        for test, devices, sizes in ((PORTS, '--vdev=net_ring0', {64, 1518}),
                                     (PORTS, '--vdev=net_null0',
                                      {64, 128, 256, 512, 1024, 1518}),
                                     (RINGS, '', {64, 1518})):
            with self.subTest(test=test, devices=devices):
                samples, _ = self.on_ports(devices, points='mode=rxtx,burst=32', test=test)
                self.assertEqual({sample['point']['frame'] for sample in samples}, sizes)

    @unittest.skipIf(os.environ.get('STINT_ASAN') == '1', 'the bare ring is inlined and checked')
    def test_driver_beside_ring(self):
        """What the driver adds to the ring that it is made of is a difference in one run."""
        samples, result = self.on_ports('', points='mode=rx,burst=32,frame=64', test=RINGS)
        costs = {path: sorted(sample['value'] for sample in samples if sample['metric'] == 'cost'
                              and sample['point']['path'] == path)
                 for path in ('net_ring', 'rte_ring')}
        self.assertGreater(costs['net_ring'][len(costs['net_ring']) // 2],
                           costs['rte_ring'][len(costs['rte_ring']) // 2], result.stdout)


class Plan(Case):
    def test_before_ports_are_known(self):
        """Needs grow by the ports that are named; a plan skips none that might be there."""
        needs = []
        for devices in ('', '--vdev=net_null0', '--vdev=net_null0 --vdev=net_ring0'):
            plan, = runner.plan(f'--no-huge -m 512 -l 0 {devices} -- {PORTS}')
            self.assertEqual(plan['status'], 'run')
            needs.append(sum(plan['need_bytes'].values()))
        self.assertEqual(needs[0], needs[1])
        self.assertGreater(needs[2], 1.8 * needs[1])

    def test_help(self):
        text = runner.stint(f'-- --help {PORTS}').stdout
        for word in ('poll_before', 'queues', 'descs', 'link_wait_ms', 'cycles/packet', 'bit/s'):
            self.assertTrue(re.search(rf'\b{word}\b', text), word)


if __name__ == '__main__':
    runner.main()
