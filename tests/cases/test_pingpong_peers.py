# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Ping and pong as two processes: over veth between two networks, over memif; peers that go wrong."""

import os
import re
import signal
import subprocess
import time
import unittest

import runner

PERF = 'pingpong_perf_autotest'
MEMORY = '--no-huge -m 128'

RAW = '''
import socket, struct, sys

def summed(data):
    total = sum(struct.unpack(f"!{len(data + b'0') // 2}H", data + bytes(len(data) % 2)))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return 0xffff - total

def udp_summed(ip, udp):
    return summed(ip[12:20] + struct.pack("!HH", 17, len(udp)) + udp)

def opened(name):
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    link.bind((name, 0))
    return link
'''

# a pong of that version that answers what ping says up to that (HELLO, START, END, BYE), and frames
# from START on; then it has gone
PONG = RAW + '''
version, last = map(int, sys.argv[1:])
link = opened("vb")
said = -1
while said < last:
    frame = bytearray(link.recv(2048))
    if frame[42:46] == b"SPPC":
        said = frame[48]
        frame[46:49] = struct.pack("!HB", version, 4 if version == 1 else 5)
    elif said < 1:
        continue
    frame[0:6], frame[6:12] = frame[6:12], b"\\x02\\0\\0\\0\\0\\x09"
    frame[26:30], frame[30:34] = frame[30:34], frame[26:30]
    frame[34:36], frame[36:38] = frame[36:38], frame[34:36]
    frame[40:42] = b"\\0\\0"
    end = 14 + struct.unpack("!H", frame[16:18])[0]
    frame[40:42] = struct.pack("!H", udp_summed(bytes(frame[14:34]), bytes(frame[34:end])))
    link.send(frame)
'''

# sends frames of others until it is ended
STRANGER = '''
import socket, time
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("vb", 0))
while True:
    link.send(b"\\xff" * 6 + b"\\x02" * 6 + b"\\x88\\xb5" + bytes(50))
    time.sleep(0.0005)
'''


# says HELLO as a ping of that version with a text of so many bytes, and prints what it is told:
# what was said (5 is NAK), the version, and the reason
HELLO = RAW + '''
version, size, largest = map(int, sys.argv[1:])
link = opened("va")
link.settimeout(0.05)

text = struct.pack("!4sHBBIIBBHHHHHIII", b"SPPC", version, 0, 1, 77, 1, 0, 0, 0, 0, 1, largest,
                   64, 1, 0, 1000)
text = text.ljust(size, b"\\0")[:size]
addresses = bytes([198, 18, 0, 0, 198, 19, 0, 0])
udp = struct.pack("!HHHH", 49152, 7, 8 + size, 0) + text
ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0) + addresses
ip = ip[:10] + struct.pack("!H", summed(ip)) + ip[12:]
udp = udp[:6] + struct.pack("!H", udp_summed(ip, udp)) + udp[8:]
frame = b"\\xff" * 6 + b"\\x02" * 6 + b"\\x08\\0" + ip + udp
while True:
    link.send(frame.ljust(60, b"\\0"))
    try:
        answer = link.recv(2048)
    except TimeoutError:
        continue
    if answer[42:46] == b"SPPC" and answer[48] > 3:
        break
print(answer[48], int.from_bytes(answer[46:48], "big"), answer[82:].split(b"\\0")[0].decode())
'''


def may_make_links():
    return os.geteuid() == 0 and subprocess.run(
        ['unshare', '--net', 'ip', 'link', 'add', 'va', 'type', 'veth', 'peer', 'name', 'vb'],
        check=False, stderr=subprocess.DEVNULL).returncode == 0


needs_links = unittest.skipUnless(may_make_links(),
                                  'needs root, network namespaces, iproute2 and veth links')


def settings(**values):
    return ' '.join(f'--set {name}={value}' for name, value in values.items())


class Case(runner.Case):
    def begin(self, role, device, prefix=(), results=None, budget='20s', **values):
        lcore = 1 if role == 'pong' and {0, 1} <= os.sched_getaffinity(0) else 0
        record = f'--results {results}' if results else ''
        process = runner.started(
            f'{MEMORY} -l {lcore} --vdev={device} -- --quiet --budget {budget} {record} '
            f'{settings(role=role, **values)} {PERF}', prefix=prefix)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def ended(self, process, code):
        out, err = process.communicate(timeout=runner.LIMIT_S)
        self.assertEqual(process.returncode, code, f'{process.args}\n{out}\n{err}')
        return out + err

    def await_trips(self, ping, path):
        runner.await_true(lambda: self.trips(path) > 5 or ping.poll() is not None, 'round trips')
        self.assertIsNone(ping.poll())

    def trips(self, path):
        """Round trips in a run file that is being written."""
        if not path.exists():
            return 0
        lines = path.read_text(encoding='utf-8').splitlines(keepends=True)
        return sum('"type":"histogram"' in line.replace(' ', '') for line in lines)


@needs_links
class Veth(Case):
    def setUp(self):
        super().setUp()
        self.networks = [self.network(), self.network()]
        self.inside(0, 'ip', 'link', 'add', 'va', 'type', 'veth', 'peer', 'name', 'vb', 'netns',
                    str(self.networks[1]))
        for side, link in enumerate(('va', 'vb')):
            self.inside(side, 'sh', '-c', 'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6')
            self.inside(side, 'ip', 'link', 'set', link, 'up')

    def network(self):
        """Pid of a process that holds a network of its own."""
        holder = subprocess.Popen(['unshare', '--net', 'cat'], stdin=subprocess.PIPE)
        self.addCleanup(self.end, holder)
        own = os.readlink('/proc/self/ns/net')
        runner.await_true(lambda: os.readlink(f'/proc/{holder.pid}/ns/net') != own, 'a network')
        return holder.pid

    def prefix(self, side):
        return ('nsenter', f'--net=/proc/{self.networks[side]}/ns/net')

    def inside(self, side, *command):
        subprocess.run([*self.prefix(side), *command], check=True)

    def ping(self, **values):
        return self.begin('ping', 'net_af_packet0,iface=va', self.prefix(0), **values)

    def pong(self, **values):
        return self.begin('pong', 'net_af_packet0,iface=vb', self.prefix(1), **values)

    def test_round_trips(self):
        """Pong takes all from ping, and leaves when ping does."""
        for values in ({}, {'echo': 'copy', 'validate': 'yes', 'vid': 5, 'pcp': 3},
                       {'echo': 'static', 'vid': 5, 'outer_vid': 4094}):
            with self.subTest(values=values):
                # a frame with two tags is longer than the kernel sends
                largest = 1464 if 'outer_vid' in values else 1472
                path = self.folder / f'{len(values)}.ndjson'
                pong = self.pong()
                ping = self.ping(sizes=f'0,1,{largest}', count=300, warmup=10, timeout='2s',
                                 results=path, **values)
                said = self.ended(ping, 0)
                self.assertIn('frames answered, 0 foreign', self.ended(pong, 0))
                counts = {}
                for record in runner.records(path, 'histogram'):
                    size = record['point']['sizes']
                    counts[size] = counts.get(size, 0) + record['count']
                self.assertEqual(counts, {0: 300, 1: 300, largest: 300}, said)
                self.assertNotRegex(said, 'frames lost|duplicate|corrupt')
                self.assertEqual(said.count('0x8100'), 'outer_vid' in values)

    def test_ping_first(self):
        """It waits for its pong."""
        ping = self.ping(sizes='64', count=100)
        self.wait_for_hello()
        pong = self.pong()
        self.ended(ping, 0)
        self.ended(pong, 0)

    def wait_for_hello(self):
        watch = ('import socket\n'
                 'link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))\n'
                 'link.bind(("vb", 0))\n'
                 'while link.recv(2048)[42:46] != b"SPPC": pass\n')
        subprocess.run([*self.prefix(1), 'python3', '-c', watch], check=True,
                       timeout=runner.LIMIT_S)

    def test_G01_killed_pong(self):
        path = self.folder / 'run.ndjson'
        pong = self.pong()
        ping = self.ping(sizes='64', timeout='20ms', count=100000000, results=path)
        self.await_trips(ping, path)
        pong.kill()
        begin = time.monotonic()
        said = self.ended(ping, 1)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertRegex(said, r'the pong does not answer any more: 10 frames in a row were lost')
        self.assertRegex(said, r'counted: \d+ frames lost')

    def test_G07_frames_of_others(self):
        """They are counted, and none is taken for a reply."""
        stranger = subprocess.Popen([*self.prefix(1), 'python3', '-c', STRANGER])
        self.addCleanup(self.end, stranger)
        path = self.folder / 'run.ndjson'
        pong = self.pong()
        said = self.ended(self.ping(sizes='64', count=5000, timeout='2s', results=path), 0)
        self.ended(pong, 0)
        self.assertRegex(said, r'counted: \d+ foreign frames')
        self.assertEqual(sum(record['count'] for record in runner.records(path, 'histogram')),
                         5000)

    def test_killed_ping(self):
        path = self.folder / 'run.ndjson'
        pong = self.pong()
        ping = self.ping(sizes='64', timeout='5ms', count=100000000, results=path)
        self.await_trips(ping, path)
        ping.kill()
        self.assertRegex(self.ended(pong, 1), r'ping has gone without a BYE: nothing came for 1000 ms')

    def test_G16_stopped_pong(self):
        """A stall shows in the longest wait, whether or not frames are lost meanwhile."""
        for stop_s, timeout_s in ((1, 20), (0.5, 0.1)):
            with self.subTest(timeout_s=timeout_s):
                path = self.folder / f'{timeout_s}.ndjson'
                pong = self.pong()
                ping = self.ping(sizes='64', timeout=f'{timeout_s * 1000:.0f}ms', count=100000000,
                                 results=path, budget='4s', warmup=10)
                self.await_trips(ping, path)
                pong.send_signal(signal.SIGSTOP)
                begin = time.monotonic()
                time.sleep(stop_s)
                stopped_s = time.monotonic() - begin
                pong.send_signal(signal.SIGCONT)
                said = self.ended(ping, 0)
                longest = re.search(r'longest wait for a reply, counted or not: (\d+) us', said)
                # what is left of a wait when a frame is lost
                least_s = 0.9 * stopped_s - (timeout_s if timeout_s < stop_s else 0)
                self.assertGreater(int(longest[1]), least_s * 1e6, said)
                self.assertEqual('frames lost' in said, timeout_s < stop_s, said)
                self.ended(pong, 0)

    def test_never_started(self):
        for begin, text in ((self.ping, 'no pong answers within 1000 ms'),
                            (self.pong, 'no ping said HELLO within 1000 ms')):
            with self.subTest(text=text):
                self.assertIn(text, self.ended(begin(timeout='1ms'), 1))

    def raw_pong(self, version, last):
        pong = subprocess.Popen([*self.prefix(1), 'python3', '-c', PONG, str(version), str(last)])
        self.addCleanup(self.end, pong)

    def test_other_version(self):
        self.raw_pong(9, 0)
        self.assertIn('the pong has version 9, this is version 1', self.ended(self.ping(), 1))

    def test_pong_that_goes(self):
        """After HELLO there is nothing to be measured; after END all is."""
        for last, code, text in ((0, 1, 'the pong has gone: no answer within 1000 ms'),
                                 (2, 0, 'the pong has gone before a BYE')):
            with self.subTest(last=last):
                self.raw_pong(1, last)
                ping = self.ping(sizes='64', count=100, timeout='10ms')
                self.assertIn(text, self.ended(ping, code))

    def test_pong_that_goes_near_the_end(self):
        """It is missed though no frame is given up before the budget ends."""
        path = self.folder / 'run.ndjson'
        pong = self.pong()
        ping = self.ping(sizes='64', timeout='60s', budget='3s', results=path)
        self.await_trips(ping, path)
        pong.kill()
        self.assertIn('the pong has gone', self.ended(ping, 1))

    def test_ping_after_one_that_went(self):
        """It is served once the other one has been silent for long enough."""
        path = self.folder / 'run.ndjson'
        pong = self.pong()
        ping = self.ping(sizes='64', results=path)
        self.await_trips(ping, path)
        ping.kill()
        self.ended(self.ping(sizes='64', count=100), 0)
        self.assertIn('a ping had gone without a BYE', self.ended(pong, 0))

    def test_hello_that_is_refused(self):
        """By a NAK with the reason, whatever else another version says; pong says it, too."""
        whole = 136
        for version, size, largest, reason in ((2, whole, 64, 'version 1 here, 2 there'),
                                               (2, 16, 64, 'version 1 here, 2 there'),
                                               (0, 1400, 64, 'version 1 here, 0 there'),
                                               (1, whole, 1473, 'payloads of 1473 bytes; the MTU '
                                                'here is 1500')):
            with self.subTest(version=version, size=size, largest=largest):
                pong = self.pong()
                said = subprocess.run(
                    [*self.prefix(0), 'python3', '-c', HELLO, str(version), str(size),
                     str(largest)], capture_output=True, text=True, check=True,
                    timeout=runner.LIMIT_S).stdout
                self.assertEqual(said, f'5 1 {reason}\n')
                self.assertIn(f'ping was refused: {reason}', self.ended(pong, 1))

    def test_second_ping(self):
        """It is told that the pong has one, which goes on undisturbed."""
        path = self.folder / 'run.ndjson'
        pong = self.pong()
        ping = self.ping(sizes='64', timeout='2s', count=100000000, results=path)
        self.await_trips(ping, path)
        self.assertIn('the pong refuses: it serves another ping', self.ended(self.ping(), 1))
        ping.send_signal(signal.SIGINT)
        self.assertNotIn('frames lost', self.ended(ping, 130))
        self.ended(pong, 0)

    def test_interrupted_pong(self):
        """It says what happened, and ping what it sees."""
        path = self.folder / 'run.ndjson'
        pong = self.pong()
        ping = self.ping(sizes='64', timeout='20ms', count=100000000, results=path)
        self.await_trips(ping, path)
        pong.send_signal(signal.SIGINT)
        self.assertRegex(self.ended(pong, 130), r'ended after \d+ frames, without a BYE of ping')
        self.assertIn('the pong does not answer any more', self.ended(ping, 1))

    def test_slow_peers(self):
        """However short the limit of a frame is, a peer that starts has its time; so has a pace."""
        for values in ({'timeout': '100us'},
                       {'timeout': '1ms', 'interval': '150ms', 'warmup': 0, 'count': 2}):
            with self.subTest(values=values):
                pong = self.pong()
                ping = self.ping(sizes='64', **{'count': 100, **values})
                # on a busy machine ten frames in a row may be lost
                self.assertNotIn('no pong answers', ''.join(ping.communicate(timeout=runner.LIMIT_S)))
                self.ended(pong, 0)

    def test_dropped_without_a_word(self):
        """Found before anything is measured: two tags that do not fit, a link with a smaller MTU."""
        self.inside(1, 'ip', 'link', 'set', 'vb', 'mtu', '576')
        for values, frame in (({'sizes': '64,1000'}, '1042 bytes with 0 tags'),
                              ({'sizes': '1472', 'vid': 7, 'outer_vid': 8},
                               '1522 bytes with 2 tags comes back: some drivers drop two tags')):
            with self.subTest(values=values):
                # it may see no BYE: the kernel tries a frame that veth drops for ever
                pong = self.pong()
                self.assertIn(f'no frame of {frame}', self.ended(self.ping(timeout='20ms', **values), 1))
                self.end(pong)


class Memif(Case):
    def test_round_trips(self):
        """Whichever begins; the one that listens goes when the other one may still be there."""
        for first in ('pong', 'ping', 'ping', 'ping'):
            with self.subTest(first=first):
                self.round_trips(first)

    def round_trips(self, first):
        path, socket = self.folder / f'{time.monotonic_ns()}.ndjson', self.folder / 'memif.sock'
        where = f'socket={socket},socket-abstract=no'
        if first == 'pong':
            pong = self.begin('pong', f'net_memif0,role=server,{where}')
            runner.await_true(socket.exists, 'the socket of the server')
        ping = self.begin('ping', f'net_memif0,role=client,{where}', sizes='0,64,1472',
                          count=300, results=path)
        if first == 'ping':
            runner.await_true(path.exists, 'the beginning of a run file')
            pong = self.begin('pong', f'net_memif0,role=server,{where}')
        self.ended(ping, 0)
        self.ended(pong, 0)
        self.assertEqual(sum(record['count'] for record in runner.records(path, 'histogram')), 900)


if __name__ == '__main__':
    runner.main()
