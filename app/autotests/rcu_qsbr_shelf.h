/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_AUTOTESTS_RCU_QSBR_SHELF_H
#define STINT_AUTOTESTS_RCU_QSBR_SHELF_H

/**
 * @file
 * A shelf of elements that a writer replaces all the time, and readers that pick one and look at it
 * for a while. What was replaced is freed after its grace period: poisoned, and then used again.
 * Writer and readers move in small steps, so that one thread can play all of them in any order.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_rcu_qsbr.h>

#define STINT_SHELF_PLACES 4 /* few: a reader often holds what is just being replaced */
#define STINT_SHELF_SPARES 4 /* so many grace periods may be under way */
#define STINT_SHELF_WORDS 7  /* of an element */

struct __rte_cache_aligned element {
	_Atomic uint64_t words[STINT_SHELF_WORDS]; /* consecutive numbers */
	uint64_t token;                            /* the writer's */
};

struct shelf;

struct __rte_cache_aligned reader {
	struct shelf *shelf;
	const struct element *held;
	uint64_t first; /* its first word, as it was when picked */
	uint64_t random;
	unsigned int id, lcore;
	unsigned int looks, until_report;
	bool online;
	const char *wrong; /* what it saw; NULL: nothing */
	char guard[RTE_CACHE_LINE_SIZE];
};

struct __rte_cache_aligned shelf {
	struct rte_rcu_qsbr *v;
	_Atomic(struct element *) places[STINT_SHELF_PLACES];
	char guard[RTE_CACHE_LINE_SIZE];
	_Atomic bool stop;            /* the writer is done, or a reader saw something wrong */
	_Atomic unsigned int present; /* readers that are online, or have been */
	char guard2[RTE_CACHE_LINE_SIZE];

	/* the writer's; spares[n % STINT_SHELF_SPARES] is what replacement n put in, then what it
	 * took out */
	struct element *spares[STINT_SHELF_SPARES];
	uint64_t replaced, freed;
	bool removed; /* and its grace period has not begun */
	uint64_t random;
	struct element elements[STINT_SHELF_PLACES + STINT_SHELF_SPARES];

	bool shares_cpus; /* some readers, or the writer, do */
	unsigned int n;
	struct reader readers[];
};

/** A shelf for n readers, whose `id` and `lcore` are to be set; free() frees it. NULL: no memory.
 */
struct shelf *stint_shelf_new(struct rte_rcu_qsbr *v, unsigned int n, uint64_t seed);

/** In two moves: another element takes a place, if one is free; its grace period begins. */
bool stint_shelf_replace(struct shelf *shelf);

/** Free the element that was replaced first, if its grace period is over. */
bool stint_shelf_reclaim(struct shelf *shelf);

/**
 * Wait for a grace period, and poison all that was replaced before it without asking again: a
 * reader that comes online may have read the token before it, and holds an older one without harm.
 */
void stint_shelf_synchronize(struct shelf *shelf);

void stint_reader_online(struct reader *r);
void stint_reader_offline(struct reader *r);

/** True where it would tell most if others went on: an element is held, or a report was made. */
bool stint_reader_step(struct reader *r);

#endif /* STINT_AUTOTESTS_RCU_QSBR_SHELF_H */
