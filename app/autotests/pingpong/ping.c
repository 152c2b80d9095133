/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ping.h"

#include <inttypes.h>
#include <stdio.h>

#include "control.h"

/* As many bursts as no queue holds. */
#define BURSTS_MAX 1024
/* A millisecond. */
#define COLLECT_PER_S 1000

void
pp_ping_judge(struct pp_ping *p, uint32_t sequence)
{
	uint32_t *seen = &p->seen[sequence % PP_SEEN];

	if ((int32_t)(sequence - p->sequence) > 0) {
		p->counts.corrupt++;
	} else if (*seen == sequence) {
		p->counts.duplicate++;
	} else {
		*seen = sequence;
		p->counts.late++;
	}
}

/* What a pong elsewhere says once more, as it was asked once more, is expected. */
void
pp_ping_pass(struct pp_ping *p, const struct rte_mbuf *mbuf)
{
	struct rte_ether_addr sender;
	struct pp_control c;

	p->counts.foreign += !p->remote || !pp_control_read(mbuf, PP_PONG, &c, &sender);
}

/* What comes of its sequence from now on is late. */
static void
retire(struct pp_ping *p)
{
	p->sequence++;
	p->seen[p->sequence % PP_SEEN] = p->sequence;
	p->counts.lost++;
}

bool
pp_ping_lose(struct stint_worker *w, struct pp_ping *p)
{
	const uint64_t now = rte_rdtsc();

	if (p->in_a_row == 0)
		p->silent_since = now - p->limit_cycles;
	p->longest = RTE_MAX(p->longest, now - p->silent_since);
	retire(p);
	if (++p->in_a_row < PP_LOST_IN_A_ROW)
		return false;
	stint_worker_fail(w, "%s%u frames in a row were lost, %" PRIu64 " of %" PRIu64,
			  p->remote ? "the pong does not answer any more: " : "", p->in_a_row,
			  p->counts.lost, p->counts.sent);
	return true;
}

void
pp_ping_give_up_overdue(struct pp_ping *p)
{
	const uint64_t now = rte_rdtsc();

	if (now <= p->due)
		return;
	p->counts.overdue += (now - p->due) / p->interval_cycles;
	p->due = now;
}

static bool
is_under_way(const struct pp_ping *p)
{
	return p->seen[p->sequence % PP_SEEN] != p->sequence;
}

void
pp_ping_collect(struct stint_worker *w, struct pp_ping *p)
{
	const uint64_t ms = rte_get_tsc_hz() / COLLECT_PER_S;
	const uint64_t wait = p->remote ? RTE_MIN(p->limit_cycles, ms) : p->limit_cycles;
	const uint64_t end = rte_rdtsc() + wait;

	while (is_under_way(p) && rte_rdtsc() < end) {
		pp_ping_drain(p);
		stint_yield(w);
	}
	/* where pong is elsewhere, it is the end of the run, and nobody knows what becomes of it */
	if (is_under_way(p) && !p->remote)
		retire(p);
}

void
pp_ping_unsent(struct pp_ping *p)
{
	p->seen[p->sequence % PP_SEEN] = p->sequence;
}

void
pp_ping_drain(struct pp_ping *p)
{
	struct rte_mbuf *mbufs[PP_BURST];
	const struct pp_options o = { .echo = PP_REFLECT, .tags = p->frame.shape.tags };
	uint16_t n = 1;

	for (unsigned int i = 0; n > 0 && i < BURSTS_MAX; i++) {
		n = rte_eth_rx_burst(p->port, 0, mbufs, PP_BURST);
		pp_ping_sort(p, mbufs, n, o);
	}
}

bool
pp_falls_silent(uint16_t port, const char *what, char *error, size_t size)
{
	struct rte_mbuf *mbufs[PP_BURST];
	uint16_t n;

	for (unsigned int i = 0; i < BURSTS_MAX; i++) {
		n = rte_eth_rx_burst(port, 0, mbufs, PP_BURST);
		if (n == 0)
			return true;
		rte_pktmbuf_free_bulk(mbufs, n);
	}
	snprintf(error, size,
		 "%s: frames come in without end before any was sent: the driver invents them, or "
		 "the link is flooded",
		 what);
	return false;
}

void
pp_pong_pass(struct pp_pong *q, struct rte_mbuf *mbuf)
{
	if (q->stranger != NULL)
		q->stranger(q, mbuf);
	else
		q->counts.foreign++;
	rte_pktmbuf_free(mbuf);
}
