/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_NEED_H
#define STINT_NEED_H

/** @file What a point's fixture takes, by socket. Pure. */

#include <stdint.h>

#include <rte_config.h>

#include "machine.h"
#include "stint.h"

/**
 * Most bytes of a spacer: it shifts what is set up after it by a random number of cache lines
 * (up to a page of 4 KiB) and of such pages (up to 1 MiB).
 */
#define STINT_SPACER_LINES 64
#define STINT_SPACER_PAGES 256
#define STINT_SPACER_BYTES ((uint64_t)STINT_SPACER_PAGES * 4096 + STINT_SPACER_LINES * 64)

struct stint_need {
	const struct stint_machine *machine;
	uint64_t bytes[RTE_MAX_NUMA_NODES];
};

/** Need of a point's fixture, with its spacer; without the workers' state. */
struct stint_need stint_need_of_fixture(const struct stint_machine *m,
					const struct stint_point *pt);

/** Need of the states and recorders of the first n workers of a test, with the spacer. */
struct stint_need stint_need_of_workers(const struct stint_machine *m,
					const struct stint_test *test, unsigned int n);

/** What EAL itself takes at its start. */
struct stint_need stint_need_of_eal(const struct stint_machine *m);

void stint_need_add(struct stint_need *sum, const struct stint_need *more);

/** First socket of which more is needed than `have` holds; -1 if all fits. */
int stint_need_short(const struct stint_need *need, const uint64_t *have);

/** Sum over the sockets. */
uint64_t stint_need_total(const struct stint_need *need);

#endif /* STINT_NEED_H */
