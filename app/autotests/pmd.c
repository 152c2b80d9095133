/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>
#include <string.h>

#include <rte_ethdev.h>

#include <stint.h>

#include "pmd_frames.h"
#include "pmd_port.h"
#include "ring_port.h"

/* The same set-up as the perf tests', on a net_ring of the test's own: frames come back once, in
 * order and intact, also after the port was stopped and started, and after it was closed.
 */

#define SLOTS 256
#define BURST_MAX 128
#define NAME "stint_pmd"

static const struct pmd_port_conf conf = {
	.queues = 1, .descs = SLOTS, .spare = 4 * BURST_MAX, .name = NAME, .socket = SOCKET_ID_ANY
};

struct subject {
	struct stint_fast *t;
	struct ring_port ring;
	struct pmd_port port;
	uint64_t magic;
	uint64_t packets; /* that were sent since the counters were cleared */
	uint32_t number;  /* of the last frame */
	struct rte_mbuf *sent[2 * SLOTS], *came[2 * SLOTS];
};

/* The bytes behind the header, by frame: nothing that stays in a buffer is taken for them. */
static uint8_t
pattern(uint32_t number, unsigned int at)
{
	return (number * UINT32_C(2654435761) + at * UINT32_C(40503)) >> 8;
}

static void
make_frames(struct subject *s, unsigned int n, unsigned int size)
{
	struct pmd_frame frame = { .number = s->number };

	pmd_frame_init(&frame, s->port.id, size, s->magic, 0);
	for (unsigned int i = 0; i < n; i++) {
		uint8_t *bytes = rte_pktmbuf_mtod(s->sent[i], uint8_t *);

		pmd_frame_put(&frame, s->sent[i]);
		for (unsigned int at = sizeof(frame); at < s->sent[i]->data_len; at++)
			bytes[at] = pattern(frame.number, at);
	}
}

static int
check_frame(struct subject *s, const struct rte_mbuf *mbuf, unsigned int size)
{
	const struct pmd_frame *frame = rte_pktmbuf_mtod(mbuf, const struct pmd_frame *);
	const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);

	STINT_ASSERT(s->t, mbuf->pkt_len == size - RTE_ETHER_CRC_LEN && mbuf->nb_segs == 1,
		     "a frame of %u bytes came back with %u in %u segments", size, mbuf->pkt_len,
		     mbuf->nb_segs);
	STINT_ASSERT(s->t, frame->magic == s->magic && frame->number == s->number + 1,
		     "frame %u came instead of %u", frame->number, s->number + 1);
	for (unsigned int at = sizeof(*frame); at < mbuf->data_len; at++)
		STINT_ASSERT(s->t, bytes[at] == pattern(frame->number, at),
			     "byte %u of frame %u is %u, not %u", at, frame->number, bytes[at],
			     pattern(frame->number, at));
	s->number++;
	return 0;
}

/* Whatever the burst holds: the ring gives no more than it was given. */
static unsigned int
receive_all(struct subject *s, unsigned int burst)
{
	unsigned int came = 0, n;

	do {
		n = rte_eth_rx_burst(s->port.id, 0, &s->came[came],
				     RTE_MIN(burst, (unsigned int)RTE_DIM(s->came) - came));
		came += n;
	} while (n > 0 && came < RTE_DIM(s->came));
	return came;
}

static int
check_frames(struct subject *s, unsigned int sent, unsigned int came, unsigned int size)
{
	int rc = 0;

	s->packets += sent;
	for (unsigned int i = 0; i < came && rc == 0; i++)
		rc = check_frame(s, s->came[i], size);
	rte_pktmbuf_free_bulk(s->came, came);
	STINT_ASSERT(s->t, rc != 0 || came == sent, "%u frames sent, %u came back", sent, came);
	return rc;
}

static int
exchange(struct subject *s, unsigned int n, unsigned int burst, unsigned int size)
{
	unsigned int sent = 0, took = 1;

	STINT_ASSERT(s->t, rte_pktmbuf_alloc_bulk(s->port.pool, s->sent, n) == 0,
		     "the pool has no %u mbufs", n);
	make_frames(s, n, size);
	while (sent < n && took > 0) {
		took = rte_eth_tx_burst(s->port.id, 0, &s->sent[sent], RTE_MIN(burst, n - sent));
		sent += took;
	}
	rte_pktmbuf_free_bulk(&s->sent[sent], n - sent);
	STINT_ASSERT(s->t, sent == RTE_MIN(n, (unsigned int)SLOTS - 1),
		     "a queue of %u took %u of %u frames", SLOTS, sent, n);
	return check_frames(s, sent, receive_all(s, burst), size);
}

static int
check_stats(struct subject *s)
{
	struct rte_eth_stats stats;

	STINT_ASSERT(s->t, rte_eth_stats_get(s->port.id, &stats) == 0, "no statistics");
	STINT_ASSERT(s->t, stats.ipackets == s->packets && stats.opackets == s->packets,
		     "%" PRIu64 " packets were sent: counted %" PRIu64 " in, %" PRIu64 " out",
		     s->packets, stats.ipackets, stats.opackets);
	STINT_ASSERT(s->t, rte_mempool_full(s->port.pool), "%u mbufs of %u are missing",
		     rte_mempool_in_use_count(s->port.pool), s->port.pool->size);
	return 0;
}

/* Bursts of all sizes, more than fits the queue at last. */
static int
exchange_all(struct subject *s)
{
	static const unsigned int bursts[] = { 1, 7, 32, BURST_MAX };
	static const unsigned int sizes[] = { PMD_FRAME_MIN, 65, 512, PMD_FRAME_MAX };
	int rc = 0;

	s->packets = 0;
	rte_eth_stats_reset(s->port.id);
	for (unsigned int i = 0; i < RTE_DIM(bursts) * RTE_DIM(sizes) && rc == 0; i++)
		rc = exchange(s, 3 * bursts[i % RTE_DIM(bursts)] / 2, bursts[i % RTE_DIM(bursts)],
			      sizes[i / RTE_DIM(bursts)]);
	if (rc == 0)
		rc = exchange(s, SLOTS + 10, 32, PMD_FRAME_MIN);
	return rc != 0 ? rc : check_stats(s);
}

static int
stop_and_start(struct subject *s)
{
	STINT_ASSERT(s->t, rte_eth_dev_stop(s->port.id) == 0, "the port does not stop");
	STINT_ASSERT(s->t, rte_eth_dev_start(s->port.id) == 0, "the port does not start again");
	return exchange_all(s);
}

static int
open_and_exchange(struct subject *s)
{
	struct pmd_port_conf own = conf;
	char error[224];
	int rc;

	own.id = s->ring.id;
	rc = pmd_port_open(&s->port, &own, 0, error, sizeof(error));
	if (rc == -ENOMEM)
		return stint_fast_skip(s->t, "not enough memory for mbufs");
	STINT_ASSERT(s->t, rc == 0, "%s", error);
	rc = exchange_all(s);
	if (rc == 0)
		rc = stop_and_start(s);
	STINT_ASSERT(s->t, pmd_port_close(&s->port), "the port keeps its queues");
	return rc;
}

static int
run_on_ring(struct subject *s)
{
	int rc = ring_port_make(&s->ring, NAME, conf.queues, SLOTS, SOCKET_ID_ANY);

	if (rc == -ENOMEM)
		return stint_fast_skip(s->t, "not enough memory for a ring");
	STINT_ASSERT(s->t, rc == 0, "no port of rings: %s", strerror(-rc));
	rc = open_and_exchange(s);
	if (rc == 0)
		rc = open_and_exchange(s);
	ring_port_remove(&s->ring);
	if (rc == 0 && rte_eth_dev_is_valid_port(s->ring.id))
		return stint_fast_fail(s->t, "port %u is there after its removal", s->ring.id);
	return rc;
}

static int
run(struct stint_fast *t)
{
	struct subject s = { .t = t, .magic = stint_random(&(uint64_t){ t->seed }) };
	char error[192];

	if (!ring_port_driver(error, sizeof(error)) || !pmd_pool_driver(error, sizeof(error)))
		return stint_fast_skip(t, "%s", error);
	return run_on_ring(&s);
}

static void
need(const struct stint_point *pt, struct stint_need *need)
{
	(void)pt;
	pmd_port_need(&conf, STINT_SOCKET_LOCAL, need);
	stint_need_ring(need, STINT_SOCKET_LOCAL, SLOTS);
}

STINT_FAST_TEST(pmd_autotest, STINT_NO_HUGE | STINT_ASAN,
		.summary = "frames through a port of rings, once, in order and intact",
		.need = need, .run = run)
