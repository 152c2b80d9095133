/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "pmd_loop.h"

#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#define BURST 32
#define FRAMES (2 * BURST)
/* So long without a frame of ours, none is to come; a driver that invents them does not pause. */
#define WAIT_MS 100
#define INVENTED_MAX 4096
/* Where a packet takes a system call, a pass of a whole queue would outlive a slice. */
#define PASS_US 100

struct looker {
	struct pmd_rig *rig;
	struct pmd_echo *echoes;
	struct pmd_seen seen;
	unsigned int strange; /* frames that are not the first of ours */
	uint64_t last_ours;   /* TSC */
};

static void
send_frames(struct pmd_rig *rig, unsigned int port, struct pmd_echo *echo)
{
	const struct pmd_port *p = &rig->ports[port];
	struct rte_mbuf *mbufs[BURST];
	struct pmd_frame frame = { .number = 0 };

	pmd_frame_init(&frame, p->id, PMD_FRAME_MIN, rig->magic, port);
	while (echo->sent < FRAMES && rte_pktmbuf_alloc_bulk(p->pool, mbufs, BURST) == 0) {
		uint64_t begin;
		unsigned int n;

		for (unsigned int i = 0; i < BURST; i++)
			pmd_frame_put(&frame, mbufs[i]);
		begin = rte_rdtsc();
		n = rte_eth_tx_burst(p->id, 0, mbufs, BURST);
		echo->burst_cycles = RTE_MIN(echo->burst_cycles, rte_rdtsc() - begin);
		rte_pktmbuf_free_bulk(&mbufs[n], BURST - n);
		echo->sent += n;
		rig->counts.out += n;
		if (n < BURST)
			return;
	}
}

/* Buffers that are free again hold no frame that could be taken for one that came in. */
static void
scrub(struct rte_mempool *pool)
{
	struct rte_mbuf **mbufs = calloc(pool->size, sizeof(*mbufs));
	unsigned int n = 0;

	while (mbufs != NULL && n < pool->size && (mbufs[n] = rte_pktmbuf_alloc(pool)) != NULL) {
		memset(rte_pktmbuf_mtod(mbufs[n], void *), 0, sizeof(struct pmd_frame));
		n++;
	}
	if (n > 0)
		rte_pktmbuf_free_bulk(mbufs, n);
	free(mbufs);
}

static void
look_at(struct looker *l, unsigned int port, const struct rte_mbuf *mbuf)
{
	const struct pmd_frame *frame = rte_pktmbuf_mtod(mbuf, const struct pmd_frame *);
	enum pmd_origin origin = pmd_frame_origin(mbuf, l->rig->magic, &l->seen);

	l->rig->counts.foreign += origin == PMD_FOREIGN;
	l->rig->counts.duplicate += origin == PMD_DUPLICATE;
	l->rig->counts.in++;
	if (origin != PMD_OURS || frame->source >= l->rig->n_ports) {
		l->strange++;
		l->echoes[port].strange++;
		return;
	}
	l->last_ours = rte_rdtsc();
	l->echoes[port].came++;
	l->echoes[frame->source].back++;
	l->echoes[frame->source].at = port;
}

static void
receive(struct looker *l, unsigned int port, uint16_t queue)
{
	struct rte_mbuf *mbufs[BURST];
	uint16_t n = rte_eth_rx_burst(l->rig->ports[port].id, queue, mbufs, BURST);

	for (uint16_t i = 0; i < n; i++)
		look_at(l, port, mbufs[i]);
	rte_pktmbuf_free_bulk(mbufs, n);
}

static bool
all_back(const struct looker *l)
{
	for (unsigned int i = 0; i < l->rig->n_ports; i++) {
		if (l->echoes[i].back < l->echoes[i].sent)
			return false;
	}
	return true;
}

static void
await_echoes(struct looker *l)
{
	const uint64_t wait = rte_get_tsc_hz() / 1000 * WAIT_MS;

	l->last_ours = rte_rdtsc();
	while (!all_back(l) && l->strange < INVENTED_MAX && rte_rdtsc() - l->last_ours < wait) {
		for (unsigned int i = 0; i < l->rig->n_ports; i++) {
			for (uint16_t q = 0; q < l->rig->queues; q++)
				receive(l, i, q);
		}
	}
}

void
pmd_rig_find_loops(struct pmd_rig *rig, struct pmd_echo *echoes)
{
	struct looker *l = calloc(1, sizeof(*l));

	memset(echoes, 0, rig->n_ports * sizeof(*echoes));
	rig->loops = false;
	if (l == NULL)
		return;
	l->rig = rig;
	l->echoes = echoes;
	for (unsigned int i = 0; i < rig->n_ports; i++) {
		echoes[i].at = -1;
		echoes[i].burst_cycles = UINT64_MAX;
		send_frames(rig, i, &echoes[i]);
	}
	for (unsigned int i = 0; i < rig->n_ports; i++)
		scrub(rig->ports[i].pool);
	await_echoes(l);
	rig->loops = true;
	for (unsigned int i = 0; i < rig->n_ports; i++) {
		rig->loops &= echoes[i].came >= FRAMES / 2;
		rig->deaf[i] = echoes[i].came < FRAMES / 2 &&
			       echoes[i].strange * rig->n_ports < INVENTED_MAX;
	}
	free(l);
}

unsigned int
pmd_rig_hold(const struct pmd_rig *rig, const struct pmd_echo *echoes)
{
	const uint64_t pass = rte_get_tsc_hz() / US_PER_S * PASS_US;
	unsigned int hold = PMD_DESCS_MAX;

	for (unsigned int i = 0; i < rig->n_ports; i++) {
		const struct pmd_port *port = &rig->ports[i];

		hold = RTE_MIN(hold, pmd_hold(RTE_MIN(port->rx_descs, port->tx_descs)));
		while (hold > PMD_BURST_MAX && echoes[i].burst_cycles > pass / (hold / BURST))
			hold -= PMD_BURST_MAX;
	}
	return hold;
}

void
pmd_echo_text(const struct pmd_rig *rig, unsigned int port, const struct pmd_echo *echo, char *text,
	      size_t size)
{
	char where[32] = "";

	if (echo->at >= 0 && echo->at != (int)port)
		snprintf(where, sizeof(where), " at port %u", rig->ports[echo->at].id);
	if (echo->sent == 0)
		snprintf(text, size, "no frame is accepted");
	else if (echo->back == 0)
		snprintf(text, size, "no frame comes back");
	else
		snprintf(text, size, "%u of %u frames come back%s", echo->back, echo->sent, where);
}
