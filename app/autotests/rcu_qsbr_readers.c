/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "rcu_qsbr.h"
#include "rcu_qsbr_shelf.h"

#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static int
check_reader(struct stint_fast *t, const struct reader *r, const char *how)
{
	STINT_ASSERT(t, r->wrong == NULL, "readers %s: what thread %u on lcore %u holds %s", how,
		     r->id, r->lcore, r->wrong);
	return 0;
}

/* ---- all on one lcore ---------------------------------------------------------------------- */

#define TURNS 30000
#define TURN_MAX 64 /* steps */

static void
take_turn(struct shelf *shelf, unsigned int who)
{
	if (who < shelf->n)
		stint_reader_step(&shelf->readers[who]);
	else if (who == shelf->n)
		stint_shelf_replace(shelf);
	else
		stint_shelf_reclaim(shelf);
}

/* Whose turn it is and for how long is drawn: any order of steps may come, and long absences. */
static int
take_turns(struct stint_fast *t, struct shelf *shelf)
{
	uint64_t random = t->seed;

	for (unsigned int i = 0; i < TURNS; i++) {
		unsigned int who = stint_random(&random) % (shelf->n + 2);
		unsigned int steps = 1 + stint_random(&random) % TURN_MAX;

		while (steps-- > 0)
			take_turn(shelf, who);
		if (who < shelf->n && check_reader(t, &shelf->readers[who], "in turns") != 0)
			return -1;
	}
	STINT_ASSERT(t, shelf->freed > TURNS / 1000,
		     "readers in turns: only %ju elements were freed", (uintmax_t)shelf->freed);
	return 0;
}

/* ---- each on its lcore --------------------------------------------------------------------- */

#define REPLACEMENTS 50000      /* by one reader; the time of one grows with their number */
#define REPLACEMENTS_SHARED 400 /* where each takes many changes from lcore to lcore */
#define SYNCHRONIZED 4          /* more, by waiting */
#define POLLS_MAX 300000000     /* for one grace period */
#define POLLS_YIELD 1024

static int
read_along(void *arg)
{
	struct reader *r = arg;

	stint_reader_online(r);
	atomic_fetch_add_explicit(&r->shelf->present, 1, memory_order_release);
	while (!atomic_load_explicit(&r->shelf->stop, memory_order_relaxed)) {
		if (stint_reader_step(r) && r->shelf->shares_cpus)
			sched_yield();
	}
	stint_reader_offline(r);
	return 0;
}

/* Fewer CPUs than lcores. */
static bool
share_cpus(const struct shelf *shelf)
{
	rte_cpuset_t all = rte_lcore_cpuset(rte_lcore_id());

	for (unsigned int i = 0; i < shelf->n; i++) {
		rte_cpuset_t cpus = rte_lcore_cpuset(shelf->readers[i].lcore);

		CPU_OR(&all, &all, &cpus);
	}
	return (unsigned int)CPU_COUNT(&all) < shelf->n + 1;
}

static bool
stopped(struct shelf *shelf)
{
	return atomic_load_explicit(&shelf->stop, memory_order_relaxed);
}

static int
write_along(struct stint_fast *t, struct shelf *shelf)
{
	const uint64_t replacements =
		shelf->shares_cpus ? REPLACEMENTS_SHARED : REPLACEMENTS / shelf->n;
	unsigned int polls = 0;

	while (atomic_load_explicit(&shelf->present, memory_order_acquire) < shelf->n)
		sched_yield();
	while (shelf->freed < replacements && !stopped(shelf)) {
		if (stint_shelf_reclaim(shelf) ||
		    (shelf->replaced < replacements && stint_shelf_replace(shelf))) {
			polls = 0;
			continue;
		}
		STINT_ASSERT(t, ++polls < POLLS_MAX,
			     "readers on all lcores: not acknowledged in %u checks", polls);
		if (shelf->shares_cpus || polls % POLLS_YIELD == 0)
			sched_yield();
		else
			rte_pause();
	}
	for (unsigned int i = 0; i < SYNCHRONIZED && !stopped(shelf); i++) {
		stint_shelf_replace(shelf);
		stint_shelf_replace(shelf);
		stint_shelf_synchronize(shelf);
	}
	return 0;
}

static int
go_along(struct stint_fast *t, struct shelf *shelf)
{
	unsigned int launched = 0;
	int rc = 0;

	shelf->shares_cpus = share_cpus(shelf);
	while (launched < shelf->n && rc == 0) {
		struct reader *r = &shelf->readers[launched];

		rc = rte_eal_remote_launch(read_along, r, r->lcore);
		if (rc == 0)
			launched++;
		else
			rc = stint_fast_fail(t, "lcore %u cannot be launched: %s", r->lcore,
					     strerror(-rc));
	}
	if (rc == 0)
		rc = write_along(t, shelf);
	atomic_store_explicit(&shelf->stop, true, memory_order_relaxed);
	for (unsigned int i = 0; i < launched; i++)
		rte_eal_wait_lcore(shelf->readers[i].lcore);
	for (unsigned int i = 0; i < launched && rc == 0; i++)
		rc = check_reader(t, &shelf->readers[i], "on all lcores");
	return rc;
}

/* ---- who plays ----------------------------------------------------------------------------- */

/* Thread ids are 0, `stride`, 2 * `stride`, ...; those of the lcores if it is 0. */
static void
enrol(struct stint_fast *t, struct shelf *shelf, const unsigned int *lcores, unsigned int stride)
{
	for (unsigned int i = 0; i < shelf->n; i++) {
		struct reader *r = &shelf->readers[i];

		r->shelf = shelf;
		r->random = t->seed + i + 1;
		r->lcore = lcores[i];
		r->id = stride > 0 ? i * stride : r->lcore;
		rte_rcu_qsbr_thread_register(shelf->v, r->id);
	}
}

struct cast {
	unsigned int threads, stride;
	unsigned int n;
	unsigned int lcores[RTE_MAX_LCORE];
};

static int
play(struct stint_fast *t, const struct cast *cast,
     int (*how)(struct stint_fast *t, struct shelf *shelf))
{
	struct rte_rcu_qsbr *v = stint_rcu_qsbr_new(cast->threads);
	struct shelf *shelf = stint_shelf_new(v, cast->n, t->seed);
	int rc;

	if (v == NULL || shelf == NULL) {
		rc = stint_rcu_qsbr_no_memory(t);
	} else {
		enrol(t, shelf, cast->lcores, cast->stride);
		rc = how(t, shelf);
	}
	free(shelf);
	free(v);
	return rc;
}

/* where all threads are registered DPDK looks at all counters, else at the map of those that are */
static int
check_in_turns(struct stint_fast *t)
{
	struct cast cast = { .threads = 5, .stride = 1, .n = 5 };
	int rc;

	for (unsigned int i = 0; i < cast.n; i++)
		cast.lcores[i] = rte_lcore_id();
	rc = play(t, &cast, take_turns);
	cast.threads = 130;
	cast.stride = 30;
	return rc != 0 ? rc : play(t, &cast, take_turns);
}

static int
check_along(struct stint_fast *t)
{
	struct cast cast = { .stride = 1 };
	unsigned int lcore;
	int rc;

	RTE_LCORE_FOREACH_WORKER (lcore) {
		if (rte_eal_get_lcore_state(lcore) == WAIT)
			cast.lcores[cast.n++] = lcore;
	}
	if (cast.n == 0) {
		stint_fast_note(t, "readers on all lcores left out: needs 2 lcores, have 1");
		return 0;
	}
	cast.threads = cast.n;
	rc = play(t, &cast, go_along);
	cast.threads = RTE_MAX_LCORE;
	cast.stride = 0;
	return rc != 0 ? rc : play(t, &cast, go_along);
}

int
stint_rcu_qsbr_readers_check(struct stint_fast *t)
{
	int rc = check_in_turns(t);

	return rc != 0 ? rc : check_along(t);
}
