# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Ethernet ports: none, ones that refuse, that lose, double and invent frames, that stay silent."""

import os
import re
import subprocess
import time
import unittest

import runner
import spaces
from test_results import driver_folder, needs_drivers, without_drivers

PORTS, RINGS, FAST = 'pmd_perf_autotest', 'ring_pmd_perf_autotest', 'pmd_autotest'
HOST = os.environ['STINT_HOST_EXE']
FAULT = os.environ['STINT_PORT_FAULT']
MEMORY = '--no-huge -m 256'
RING, NULL = '--vdev=net_ring0', '--vdev=net_null0'
MEMORY_WORDS = r'MiB|hugepage|\bmemory\b'

# a pair whose other end sends frames of others as long as the test runs
STRANGER = '''
ip link add va type veth peer name vb
ip link set va up
ip link set vb up
python3 -c '
import os, socket, time
parent = os.getppid()
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("vb", 0))
while os.getppid() == parent:
    link.send(b"\\xff" * 6 + b"\\x02" * 6 + b"\\x88\\xb5" + bytes(50))
    time.sleep(0.001)
' &
'''
PEER_DOWN = '''
ip link add va type veth peer name vb
ip link set va up
'''
PAIR = PEER_DOWN + 'ip link set vb up\n'
ALONE = 'burst=32,frame=64,mode=rxtx,mode=rx,mode=tx'
VETH = '--vdev=net_af_packet0,iface=va'


def may_make_links():
    return os.geteuid() == 0 and subprocess.run(
        in_net('ip link add va type veth peer name vb', 'true'), check=False,
        stderr=subprocess.DEVNULL).returncode == 0


def in_net(script, *command):
    """In a network of its own, with the links that `script` makes."""
    return ('unshare', '--net', 'sh', '-c', f'{script}\nexec "$@"', 'sh', *command)


needs_links = unittest.skipUnless(may_make_links(),
                                  'needs root, network namespaces, iproute2 and veth links')


class Case(spaces.Case):
    def on_ports(self, devices, *more, points=ALONE, lcores='-l 0', fault=None,
                 **options):
        """A brief run, with a budget that does on a busy machine, too."""
        if fault:
            options['LD_PRELOAD'] = FAULT
            options['PORT_FAULT'] = fault
            options['ASAN_OPTIONS'] = 'verify_asan_link_order=0:detect_leaks=0'
        return self.enough(f'{MEMORY} {lcores} {devices} -- --quiet --points {points} {PORTS}',
                           *more, **options)

    def counted(self, result):
        """{what: number} of the line of counts."""
        line = re.search(r'(?m)^  counted: (.*)$', result.stdout)
        counts = re.findall(r'(\d+) ([a-z ]+?)(?:, |$)', line[1]) if line else ()
        return {what: int(n) for n, what in counts}

    def costs(self, path):
        """{mode: median cycles per packet}"""
        costs = {}
        for sample in runner.records(path, 'sample'):
            if sample['metric'] == 'cost':
                costs.setdefault(sample['point']['mode'], []).append(sample['value'])
        return {mode: sorted(values)[len(values) // 2] for mode, values in costs.items()}


class NoPort(Case):
    def test_D01_no_device(self):
        """A skip that says so, and is not laid to memory; with others in the same run no failure."""
        for eal in ('-l 0', '-l 0 --no-pci', '-l 0-1', '-l 0 -b 0000:ff:1f.7'):
            with self.subTest(eal=eal):
                result = runner.stint(f'{MEMORY} {eal} -- --quiet {PORTS}')
                self.assert_exit(result, 77)
                self.assertRegex(result.stdout, f'^{PORTS}: skip: no Ethernet device')
                self.assertNotRegex(result.stdout, MEMORY_WORDS)
        result = runner.stint(f'{MEMORY} -l 0 -- --quiet {PORTS} {runner.FAST}')
        self.assert_exit(result, 0)

    @needs_drivers
    def test_E09_no_driver(self):
        """Without drivers there are no devices either: the skip names the folder."""
        for test in (PORTS, RINGS, FAST):
            with self.subTest(test=test):
                result = runner.stint(f'{MEMORY} -l 0 -- --quiet {test}',
                                      prefix=without_drivers('*'))
                self.assert_exit(result, 77)
                self.assertRegex(result.stdout, rf'^{test}: skip: no Ethernet .*librte_net_')
                self.assertIn(str(driver_folder()), result.stdout)
                self.assertNotRegex(result.stdout, MEMORY_WORDS)

    @needs_drivers
    def test_E09_no_driver_for_pools(self):
        """Of mbufs: told as such for ports, too."""
        for devices, test in ((NULL, PORTS), ('', RINGS), ('', FAST)):
            with self.subTest(test=test):
                result = runner.stint(f'{MEMORY} -l 0 {devices} -- --quiet {test}',
                                      prefix=without_drivers('librte_mempool_ring*'))
                self.assert_exit(result, 77)
                self.assertRegex(result.stdout, rf'{test}: skip: no mempool driver .*'
                                 'librte_mempool_ring is not in')
                self.assertNotRegex(result.stdout, MEMORY_WORDS)

    @needs_drivers
    def test_D10_the_driver_that_a_test_makes_its_port_of(self):
        """A skip that names it and the folder, and no more than that test."""
        for test in (RINGS, FAST):
            with self.subTest(test=test):
                result = runner.stint(f'{MEMORY} -l 0 -- --quiet {test} {runner.FAST}',
                                      prefix=without_drivers('librte_net_ring*'))
                self.assert_exit(result, 0)
                self.assertRegex(result.stdout, rf'(?m)^{test}: skip: .*librte_net_ring')
                self.assertIn(str(driver_folder()), result.stdout)


class Refused(Case):
    def test_D11_a_named_device(self):
        """One that does not probe is wrong usage, no lack of devices."""
        for device, word in [('net_af_packet0,iface=nosuch', 'net_af_packet0'),
                             ('net_null0,nosuch=1', 'net_null0'), ('net_nosuch0', 'net_nosuch0'),
                             ('net_null0 --vdev=net_null1,nosuch=1', 'net_null1')]:
            with self.subTest(device=device):
                result = runner.stint(f'{MEMORY} -l 0 --vdev={device} -- {PORTS}')
                self.assert_refused(result, 2, word)

    def test_G18_a_call_that_is_refused(self):
        """A failure that names call, port, driver and error; and nothing is called after it."""
        for fault, error in [('rte_eth_dev_configure=-16', r'-16 \(Device or resource busy\)'),
                             ('rte_eth_rx_queue_setup=-95', '-95'),
                             ('rte_eth_tx_queue_setup=-22', '-22'),
                             ('rte_eth_dev_start=-5', r'-5 \(Input/output error\)'),
                             ('rte_eth_dev_start=-1', '-1')]:
            with self.subTest(fault=fault):
                result = self.on_ports(RING, fault=fault)
                self.assert_exit(result, 1)
                self.assertRegex(result.stdout, rf'(?m)^{PORTS}: fail, .*port 0 \(net_ring0, net_ring\)'
                                 rf': {fault.split("=")[0]}: {error}')
                self.assertNotRegex(result.stdout + result.stderr, 'not ready|skip')

    def test_G18_a_port_that_nobody_named(self):
        """What a program has of its own may be in use: its points are skipped, and why."""
        result = subprocess.run(
            [HOST, *f'{MEMORY} -l 0 --no-shconf --no-pci --file-prefix=stint {RING} -- 6 --quiet '
             f'--budget 20ms {PORTS}'.split()], capture_output=True, text=True,
            timeout=runner.LIMIT_S, check=False,
            env=runner.environment(LD_PRELOAD=FAULT, PORT_FAULT='rte_eth_dev_configure=-16',
                                   ASAN_OPTIONS='verify_asan_link_order=0:detect_leaks=0'))
        self.assertRegex(result.stdout, rf'(?m)^{PORTS}: skip: port 0 .*rte_eth_dev_configure: -16')
        self.assertNotIn('fail', result.stdout)

    def test_loopback_refused(self):
        """A device that cannot loop back is used without, and that is told."""
        for fault, word in (('lpbk_mode=-95', 'refused'), ('none=0', 'taken')):
            with self.subTest(fault=fault):
                result = self.on_ports(RING, fault=fault)
                self.assert_exit(result, 0)
                self.assertIn(f'loopback mode {word}', result.stdout)

    def test_G13_data_room(self):
        """A driver that wants larger buffers gets them, up to 16 KiB; more is no lack of memory."""
        for room in (2177, 4352, 8704):
            with self.subTest(room=room):
                self.assert_exit(self.on_ports(RING, fault=f'data_room={room}'), 0)
        result = self.on_ports(RING, fault='data_room=65000')
        self.assert_exit(result, 1)
        self.assertIn('rte_eth_rx_queue_setup: -12 (Cannot allocate memory)', result.stdout)
        self.assertNotIn('skip', result.stdout)

    def test_G10_no_socket(self):
        """A device of no socket gets any lcores."""
        for lcores in ('-l 0', '--lcores 5@0'):
            with self.subTest(lcores=lcores):
                result = self.on_ports(NULL, lcores=lcores, fault='socket=-1')
                self.assert_exit(result, 0)
                self.assertRegex(result.stdout, r'mode=rxtx .* cycles/packet')


class Link(Case):
    def test_G03_late_link(self):
        """It is waited for, before the budget begins."""
        for up_ms in (0, 300, 900):
            with self.subTest(up_ms=up_ms):
                begin = time.monotonic()
                result = self.on_ports(RING, fault=f'link_up_ms={up_ms}')
                self.assert_exit(result, 0)
                self.assertGreater(time.monotonic() - begin, up_ms / 1000)
                self.assertIn('link up', result.stdout)
                self.assertNotIn('lost', result.stdout)

    def test_G04_no_link(self):
        """A skip that says how long it was waited for, and not longer."""
        for wait_ms in (0, 50, 500):
            with self.subTest(wait_ms=wait_ms):
                result = self.on_ports(RING, '--set', f'link_wait_ms={wait_ms}',
                                       fault='link_up_ms=1000000')
                self.assert_exit(result, 77)
                self.assertRegex(result.stdout,
                                 rf'skip: port 0 .*: link down after {wait_ms} ms')

    def test_G04_server_that_is_not_there(self):
        """A start that cannot connect is tried anew; no burst is, which would dump a stack each."""
        socket = self.folder / 'memif.sock'
        for device in ('net_memif0', f'net_memif0,socket={socket},socket-abstract=no',
                       f'net_memif0,role=server,socket={socket},socket-abstract=no'):
            with self.subTest(device=device):
                result = self.on_ports(f'--vdev={device}', '--set', 'link_wait_ms=200')
                self.assert_exit(result, 77)
                self.assertRegex(result.stdout, 'skip: port 0 .*: link down after 200 ms')
                self.assertLess((result.stdout + result.stderr).count('\n'), 5)

    def memif(self, number, role):
        where = f'socket={self.folder / "memif.sock"},socket-abstract=no'
        return f'--vdev=net_memif{number},role={role},{where}'

    def test_G04_server_that_comes_late(self):
        """Within the time that a link is waited for. One that has heard a client before it was
        ready is asked again."""
        client = runner.started(
            f'{MEMORY} -l 0 {self.memif(0, "client")} -- --budget 1s --set link_wait_ms=60000 '
            f'--points {ALONE} {PORTS}')
        self.assertIn('begins', client.stdout.readline())
        server = runner.started(f'{MEMORY} -l 0 {self.memif(0, "server")} -- --budget 600s '
                                f'--set link_wait_ms=60000 --points {ALONE} {PORTS}')
        out, err = client.communicate(timeout=runner.LIMIT_S)
        server.kill()
        server.communicate()
        self.assertEqual(client.returncode, 0, err)
        self.assertIn('link up', out)

    @runner.needs_two_cpus
    def test_a_peer_in_the_same_process(self):
        """What the driver does when one of two ports is stopped is over before the other goes."""
        for run in range(6):
            with self.subTest(run=run):
                result = self.on_ports(f'{self.memif(0, "server")} {self.memif(1, "client")}',
                                       lcores='-l 0-1', points='burst=32,frame=64,mode=tx')
                self.assert_exit(result, 0)
                for port in (0, 1):
                    self.assertRegex(result.stdout,
                                     rf'port {port} .*64 of 64 frames come back at port {1 - port}')

    def test_G04_link_that_is_lost(self):
        """In a later set-up nothing is waited for beyond the budget."""
        path = self.folder / 'run.ndjson'
        result = self.on_ports(RING, '--set', 'link_wait_ms=60000', '--budget', '3s',
                               '--results', path, fault='link_lost=1')
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, 'not set up again: port 0 .*: link down')
        self.assertLess(runner.records(path, 'result')[0]['elapsed_ns'], 10e9)

    @needs_links
    def test_G04_peer_is_down(self):
        """Though the driver knows of no link: skipped, by what was found; beside others, too."""
        port = r'port \d \(net_af_packet0, net_af_packet\): '
        for devices, lcores in ((VETH, '-l 0'), (f'{RING} {VETH}', "--lcores '(0-1)@0'")):
            with self.subTest(devices=devices):
                result = self.on_ports(devices, lcores=lcores, prefix=in_net(PEER_DOWN))
                self.assert_exit(result, 77)
                self.assertRegex(result.stdout, f'skipped 3 points: {port}no frame of 64 bytes is '
                                 'accepted')


class Frames(Case):
    def test_G06_invented_frames(self):
        """They are no echoes, though they come in buffers that held what was sent."""
        result = self.on_ports(NULL)
        self.assert_exit(result, 0)
        self.assertIn('no frame comes back', result.stdout)
        counts = self.counted(result)
        self.assertGreater(counts['foreign frames'], 1000)
        self.assertFalse(set(counts) & {'frames lost', 'duplicate frames'}, counts)

    @needs_links
    def test_G07_frames_of_others(self):
        """Counted as such, and neither echoes nor work that was done."""
        result = self.on_ports(VETH, prefix=in_net(STRANGER), points='burst=32,frame=64,mode=rx')
        self.assert_exit(result, 77)
        self.assertIn('no frame comes back', result.stdout)
        self.assertGreater(self.counted(result)['foreign frames'], 10)

    def test_lost_and_doubled_frames(self):
        """Are counted, and the run ends."""
        result = self.on_ports(RING, fault='none=0')
        self.assertEqual(self.counted(result), {})
        for fault, what in (('drop=10', 'frames lost'), ('double=1', 'duplicate frames')):
            with self.subTest(fault=fault):
                result = self.on_ports(RING, fault=fault)
                self.assert_exit(result, 0)
                self.assertGreater(self.counted(result)[what], 0)

    def test_G11_nothing_is_accepted(self):
        """Neither set-up nor points go on for ever: a skip, with the passes that were tried."""
        for lcores in ('-l 0', '-l 0-1'):
            with self.subTest(lcores=lcores):
                if lcores == '-l 0-1' and not {0, 1} <= os.sched_getaffinity(0):
                    continue
                result = self.on_ports(RING, lcores=lcores, points='burst=32,frame=64',
                                       fault='tx=0')
                self.assert_exit(result, 77)
                self.assertIn('no frame is accepted', result.stdout)
                self.assertGreater(
                    self.counted(result)['passes in which no frame was accepted'], 0)

    def test_G11_nothing_comes_in(self):
        result = self.on_ports(NULL, fault='rx=0')
        self.assert_exit(result, 0)
        self.assertIn('no frame comes back', result.stdout)
        self.assertNotRegex(result.stdout, r'(?m)^ +mode=rx')
        self.assertRegex(result.stdout, r'(?m)^ +mode=tx ')

    def test_G11_few_descriptors(self):
        """Queues that take less than a burst: those points are skipped, the others are not."""
        result = self.on_ports(RING, '--set', 'descs=64',
                               points='frame=64,mode=rxtx,mode=rx')
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r'(?m)^ +mode=rxtx burst=32 ')
        self.assertNotRegex(result.stdout, r'(?m)^ +mode=\w+ +burst=(64|128) ')
        self.assertRegex(result.stdout,
                         r'skipped \d+ points: .*64 descriptors take no bursts of 64')

    def test_more_descriptors_than_slots(self):
        """A pass is what the queue takes, whatever was asked for."""
        result = self.on_ports(RING, '--set', 'descs=4096', lcores="--lcores '(0-1)@0'",
                               points='burst=32,frame=64')
        self.assert_exit(result, 0)
        self.assertNotIn('skipped', result.stdout)

    def test_more_queues_than_there_are(self):
        """A limit of the device, with both numbers."""
        result = self.on_ports(NULL, '--set', 'queues=2', lcores="--lcores '(0-1)@0'",
                               fault='queues_max=1')
        self.assert_exit(result, 77)
        self.assertRegex(result.stdout,
                         r'skip: port 0 \(net_null0\): has 1 queue for rx and 1 for tx, not 2')

    @needs_links
    @runner.needs_two_cpus
    def test_frames_that_never_leave(self):
        """Taken by the driver and dropped, by itself or below it: no packets are counted."""
        pair = f'{VETH}%s --vdev=net_af_packet1,iface=vb%s'
        small = ',framesz=1024,blocksz=4096'
        for devices, script in ((pair % (small, small), PAIR),
                                (pair % ('', ''), PAIR + 'ip link set va mtu 1000\nip link set vb mtu 1000\n')):
            with self.subTest(devices=devices):
                result = self.on_ports(devices, lcores='-l 0-1', prefix=in_net(script),
                                       points='burst=32,frame=64,frame=1518,mode=tx,mode=rx')
                self.assert_exit(result, 0)
                self.assertRegex(result.stdout, r'(?m)^ +mode=tx .* frame=64 ')
                self.assertNotRegex(result.stdout, r'(?m)^ +mode=.* frame=1518 ')
                self.assertRegex(result.stdout, 'skipped 2 points: port 0 .*: frames of 1518 bytes '
                                 'are accepted, and lost')

    @needs_links
    def test_frames_that_the_driver_drops(self):
        """Known by its counters, or by what it takes, where nothing comes back either way."""
        for options, mtu in ((',framesz=1024,blocksz=4096', 1500), ('', 500)):
            with self.subTest(options=options, mtu=mtu):
                script = f'{PAIR}ip link set va mtu {mtu}\nip link set vb mtu {mtu}\n'
                result = self.on_ports(VETH + options, prefix=in_net(script),
                                       points='burst=32,frame=64,frame=1518,mode=tx')
                self.assert_exit(result, 0)
                self.assertRegex(result.stdout, 'skipped 1 point: port 0 .*: frames of 1518 bytes '
                                 'are accepted, and lost')

    @needs_links
    def test_few_slots(self):
        """Bursts that fit the queue are measured, the others are skipped by what it takes."""
        result = self.on_ports(f'{VETH},framecnt=16', prefix=in_net(PAIR),
                               points='frame=64,mode=tx')
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r'(?m)^ +mode=tx burst=8 ')
        self.assertRegex(result.stdout, r'skipped \d points?: a queue takes no more than \d+ frames')

    def test_a_slower_driver(self):
        """Cycles that are spent in each receive of 32 packets are found, to the packet."""
        found = {}
        for cycles in (0, 6400):
            path = self.folder / f'{cycles}.ndjson'
            result = self.on_ports(RING, '--results', path, fault=f'rx_cycles={cycles}')
            self.assert_exit(result, 0)
            found[cycles] = self.costs(path)
        for mode, more in (('rx', 200), ('rxtx', 200), ('tx', 0)):
            with self.subTest(mode=mode):
                self.assertAlmostEqual(found[6400][mode] - found[0][mode], more, delta=60)


if __name__ == '__main__':
    runner.main()
