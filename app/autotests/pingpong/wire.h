/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PINGPONG_WIRE_H
#define PINGPONG_WIRE_H

/**
 * @file
 * What lies between ping and pong, for tests: one thread steps both, and some requests are lost,
 * doubled, delayed, damaged, or refused on the way. It takes the place of the driver's calls at the
 * port of ping.
 */

#include "rig.h"

enum pp_wire_kind {
	PP_WIRE_GOOD,
	PP_WIRE_DROPS,
	PP_WIRE_DOUBLES,
	PP_WIRE_DELAYS, /* until the next request is sent */
	PP_WIRE_DAMAGES,
	PP_WIRE_REFUSES, /* once; it is sent again */
	PP_WIRE_STRANGES /* a frame of another session goes before it */
};

struct pp_wire {
	struct pp_rig *rig;
	enum pp_wire_kind kind;
	unsigned int every;  /* one request of so many; 0: none */
	uint64_t sent, done; /* requests, and what was done to them */
	struct rte_mbuf *held;
	bool refused;
	eth_rx_burst_t rx;
	eth_tx_burst_t tx;
	void *rx_queue, *tx_queue;
};

/** Lay the wire; until pp_wire_cut() the rig is played on by the calling thread alone. */
void pp_wire_lay(struct pp_wire *wire, struct pp_rig *rig, enum pp_wire_kind kind,
		 unsigned int every);
void pp_wire_cut(struct pp_wire *wire);

#endif /* PINGPONG_WIRE_H */
