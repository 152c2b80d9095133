/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PMD_BODIES_H
#define PMD_BODIES_H

/** @file State of one lcore, its bodies, and what they need untimed. Internal to pmd_lane.c. */

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "pmd_lane.h"

/** A pass fills the queue, then drains it; which of the two counts is the mode's. */
enum { PMD_PHASE_TX = 1, PMD_PHASE_RX };

/** State of a worker. */
struct pmd_lane {
	struct pmd_rig *rig;
	struct pmd_queue *peer; /* of the lcores that share the queue; NULL: only one has it */
	struct rte_mempool *pool;
	struct rte_ring *ring;
	uint16_t port, queue, burst;
	uint16_t index;        /* of the port in the rig */
	bool ready;            /* `held` has new frames to be sent */
	unsigned int hold;     /* frames of a pass */
	unsigned int have, at; /* frames in `held`, and the next of them to be sent */
	unsigned int left;     /* of them, that were not sent in this pass */
	unsigned int idle;     /* rounds of polls without a frame, in this pass */
	struct {
		uint64_t out, in, foreign, duplicate, full, refused, silent;
	} counts;
	struct pmd_frame frame;
	struct pmd_seen seen;
	struct rte_mbuf *held[PMD_DESCS_MAX + PMD_BURST_MAX];
};

static __rte_always_inline unsigned int
pmd_receive(const struct pmd_lane *lane, struct rte_mbuf **mbufs, unsigned int n,
	    const enum pmd_path path)
{
	if (path == PMD_PATH_RING)
		return rte_ring_dequeue_burst(lane->ring, (void **)mbufs, n, NULL);
	return rte_eth_rx_burst(lane->port, lane->queue, mbufs, n);
}

static __rte_always_inline unsigned int
pmd_transmit(const struct pmd_lane *lane, struct rte_mbuf **mbufs, unsigned int n,
	     const enum pmd_path path)
{
	if (path == PMD_PATH_RING)
		return rte_ring_enqueue_burst(lane->ring, (void **)mbufs, n, NULL);
	return rte_eth_tx_burst(lane->port, lane->queue, mbufs, n);
}

/** Look at `n` frames that came in, from number `from` of `held` on. */
void pmd_lane_inspect(struct pmd_lane *lane, unsigned int from, unsigned int n);

/** Have `n` new frames in `held`; what is there came in and is looked at. False: no mbufs. */
bool pmd_lane_prepare(struct stint_worker *w, unsigned int n);

/** The frames from `at` on could not be sent: keep them, and go on to receive. */
void pmd_lane_begin_rx(struct pmd_lane *lane);

typedef uint64_t (*pmd_run_fn)(struct stint_worker *w, uint64_t ops);

/** Body of the lcore that has a queue, and of the one that transmits for it. */
pmd_run_fn pmd_body(enum pmd_mode mode, enum pmd_path path);
pmd_run_fn pmd_transmit_body(enum pmd_path path);

#endif /* PMD_BODIES_H */
