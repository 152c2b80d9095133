/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PINGPONG_CONTROL_H
#define PINGPONG_CONTROL_H

/**
 * @file
 * What ping and pong in two processes say to each other, in frames of their own without tags. Ping
 * asks and repeats itself, pong answers each request, so that any frame may be lost.
 */

#include "ping.h"

#define PP_VERSION 1

enum pp_said { PP_HELLO, PP_START, PP_END, PP_BYE, PP_ACK, PP_NAK };

/** All numbers in network order. To `number`, all versions have the same in the same place. */
struct pp_control {
	rte_be32_t magic;
	rte_be16_t version;
	uint8_t said, echo;
	rte_be32_t session, number; /* of the request; an answer has the same */
	uint8_t tags, validate;
	rte_be16_t tci[PP_TAGS_MAX];
	rte_be16_t n_sizes, largest, size;
	rte_be32_t count, warmup, idle_ms; /* after which ping has gone */
	char reason[96];                   /* of a NAK */
} __rte_packed;

/** Send it. False if the queue is full, or there is no mbuf. */
bool pp_control_send(uint16_t port, struct rte_mempool *pool, enum pp_role from,
		     const struct rte_ether_addr *to, const struct pp_control *c);

/** Is it one of that role, and whole? Its text, of another version what is known of it, and where
 * it came from. */
bool pp_control_read(const struct rte_mbuf *mbuf, enum pp_role from, struct pp_control *c,
		     struct rte_ether_addr *sender);

#endif /* PINGPONG_CONTROL_H */
