/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "rcu_qsbr_shelf.h"

#include <stdlib.h>
#include <string.h>

#include <stint.h>

#define LOOKS 14       /* at words of an element, before it is let go */
#define REPORT_EVERY 3 /* elements, at most */
#define POISON UINT64_C(0xdeaddeaddeaddead)

/* ---- writer -------------------------------------------------------------------------------- */

static void
fill(struct element *e, uint64_t first, uint64_t step)
{
	for (unsigned int i = 0; i < STINT_SHELF_WORDS; i++)
		atomic_store_explicit(&e->words[i], first + i * step, memory_order_relaxed);
}

bool
stint_shelf_replace(struct shelf *shelf)
{
	struct element **spare = &shelf->spares[shelf->replaced % STINT_SHELF_SPARES];
	unsigned int place = stint_random(&shelf->random) % STINT_SHELF_PLACES;

	if (shelf->removed) {
		(*spare)->token = rte_rcu_qsbr_start(shelf->v);
		shelf->removed = false;
		shelf->replaced++;
		return true;
	}
	if (shelf->replaced - shelf->freed == STINT_SHELF_SPARES)
		return false;
	fill(*spare, (STINT_SHELF_PLACES + shelf->replaced) << 8, 1);
	*spare = atomic_exchange_explicit(&shelf->places[place], *spare, memory_order_acq_rel);
	shelf->removed = true;
	return true;
}

static struct element *
oldest(const struct shelf *shelf)
{
	return shelf->spares[shelf->freed % STINT_SHELF_SPARES];
}

static void
free_oldest(struct shelf *shelf)
{
	fill(oldest(shelf), POISON, 0);
	shelf->freed++;
}

bool
stint_shelf_reclaim(struct shelf *shelf)
{
	if (shelf->freed == shelf->replaced ||
	    rte_rcu_qsbr_check(shelf->v, oldest(shelf)->token, false) == 0)
		return false;
	free_oldest(shelf);
	return true;
}

void
stint_shelf_synchronize(struct shelf *shelf)
{
	rte_rcu_qsbr_synchronize(shelf->v, RTE_QSBR_THRID_INVALID);
	while (shelf->freed < shelf->replaced)
		free_oldest(shelf);
}

/* ---- reader -------------------------------------------------------------------------------- */

void
stint_reader_online(struct reader *r)
{
	rte_rcu_qsbr_thread_online(r->shelf->v, r->id);
	r->online = true;
	r->until_report = 1 + stint_random(&r->random) % REPORT_EVERY;
}

void
stint_reader_offline(struct reader *r)
{
	rte_rcu_qsbr_thread_offline(r->shelf->v, r->id);
	r->online = false;
}

static void
pick(struct reader *r)
{
	unsigned int place = stint_random(&r->random) % STINT_SHELF_PLACES;

	rte_rcu_qsbr_lock(r->shelf->v, r->id);
	r->held = atomic_load_explicit(&r->shelf->places[place], memory_order_acquire);
	r->first = atomic_load_explicit(&r->held->words[0], memory_order_relaxed);
	r->looks = 0;
}

static bool
look(struct reader *r)
{
	unsigned int i = r->looks++ % STINT_SHELF_WORDS;
	uint64_t word = atomic_load_explicit(&r->held->words[i], memory_order_relaxed);

	if (unlikely(word != r->first + i || word == POISON)) {
		r->wrong = word == POISON ? "is poisoned" : "was used again";
		atomic_store_explicit(&r->shelf->stop, true, memory_order_relaxed);
	}
	return r->looks == LOOKS / 2;
}

/* Nothing is held any more. */
static bool
let_go(struct reader *r)
{
	r->held = NULL;
	rte_rcu_qsbr_unlock(r->shelf->v, r->id);
	if (--r->until_report > 0)
		return false;
	r->until_report = 1 + stint_random(&r->random) % REPORT_EVERY;
	if (stint_random(&r->random) % 8 == 0) {
		stint_reader_offline(r);
		return false;
	}
	rte_rcu_qsbr_quiescent(r->shelf->v, r->id);
	return true;
}

bool
stint_reader_step(struct reader *r)
{
	if (!r->online)
		stint_reader_online(r);
	else if (r->held == NULL)
		pick(r);
	else if (r->looks < LOOKS)
		return look(r);
	else
		return let_go(r);
	return false;
}

/* ---- both ---------------------------------------------------------------------------------- */

struct shelf *
stint_shelf_new(struct rte_rcu_qsbr *v, unsigned int n, uint64_t seed)
{
	size_t bytes = sizeof(struct shelf) + n * sizeof(struct reader);
	struct shelf *shelf = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);

	if (shelf == NULL)
		return NULL;
	memset(shelf, 0, bytes);
	shelf->v = v;
	shelf->n = n;
	shelf->random = seed;
	for (unsigned int i = 0; i < STINT_SHELF_PLACES; i++) {
		fill(&shelf->elements[i], i << 8, 1);
		atomic_store_explicit(&shelf->places[i], &shelf->elements[i], memory_order_release);
	}
	for (unsigned int i = 0; i < STINT_SHELF_SPARES; i++)
		shelf->spares[i] = &shelf->elements[STINT_SHELF_PLACES + i];
	return shelf;
}
