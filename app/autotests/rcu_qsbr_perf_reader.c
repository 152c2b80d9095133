/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "rcu_qsbr_perf.h"

/*
 * Readers, and what all lcores do by themselves. Where lcores share CPUs a reader gives its CPU to
 * others after each report: a writer waits for it, and then for the next one. So it does where
 * there is no writer, to be compared with.
 */

/* True if there is no time for more. */
static __rte_always_inline bool
let_others(struct stint_worker *w)
{
	stint_yield(w);
	return stint_stopping(w);
}

static __rte_always_inline uint64_t
report(struct stint_worker *w, uint64_t ops, const bool yields)
{
	const struct rcu_worker *st = w->state;
	struct rte_rcu_qsbr *v = st->v;
	const unsigned int id = st->id;

	for (uint64_t i = 0; i < ops; i++) {
		rte_rcu_qsbr_quiescent(v, id);
		if (yields && let_others(w))
			return i + 1;
	}
	return ops;
}

/*
 * Each key comes once in as many lookups, in an order without a pattern that a CPU could fetch
 * ahead. A key that is just being updated is not found.
 */
static __rte_always_inline uint64_t
look_up(struct stint_worker *w, uint64_t ops, const bool yields)
{
	struct rcu_worker *st = w->state;
	const struct rte_hash *hash = st->fx->hash;
	struct rte_rcu_qsbr *v = st->v;
	const unsigned int id = st->id;
	uint64_t until_report = st->until_report, wrong = 0;
	uint32_t key = st->key;
	uint64_t i = 0;
	void *data;

	while (i < ops) {
		i++;
		key = (key * 1664525 + 1013904223) % RCU_KEYS;
		if (likely(rte_hash_lookup_data(hash, &key, &data) >= 0)) {
			const struct rcu_element *e = data;

			wrong |= key ^ atomic_load_explicit(&e->key, memory_order_relaxed);
		}
		if (--until_report == 0) {
			until_report = st->report_every;
			rte_rcu_qsbr_quiescent(v, id);
			if (yields && let_others(w))
				break;
		}
	}
	st->until_report = until_report;
	st->wrong |= wrong;
	st->key = key;
	return i;
}

#define RUN(name, body, yields)                                    \
	static uint64_t name(struct stint_worker *w, uint64_t ops) \
	{                                                          \
		return body(w, ops, yields);                       \
	}

RUN(run_report, report, false)
RUN(run_report_yielding, report, true)
RUN(run_lookup, look_up, false)
RUN(run_lookup_yielding, look_up, true)

static uint64_t
run_online(struct stint_worker *w, uint64_t ops)
{
	const struct rcu_worker *st = w->state;
	struct rte_rcu_qsbr *v = st->v;
	const unsigned int id = st->id;

	for (uint64_t i = 0; i < ops; i++) {
		rte_rcu_qsbr_thread_online(v, id);
		rte_rcu_qsbr_thread_offline(v, id);
	}
	return ops;
}

static uint64_t
run_lock(struct stint_worker *w, uint64_t ops)
{
	const struct rcu_worker *st = w->state;

	for (uint64_t i = 0; i < ops; i++) {
		rte_rcu_qsbr_lock(st->v, st->id);
		rte_compiler_barrier();
		rte_rcu_qsbr_unlock(st->v, st->id);
	}
	return ops;
}

static uint64_t
run_register(struct stint_worker *w, uint64_t ops)
{
	const struct rcu_worker *st = w->state;

	for (uint64_t i = 0; i < ops; i++) {
		rte_rcu_qsbr_thread_register(st->fx->empty, st->id);
		rte_rcu_qsbr_thread_unregister(st->fx->empty, st->id);
	}
	return ops;
}

/* A writer that waits goes on when its last reader has gone. */
static void
leave(struct stint_worker *w)
{
	struct rcu_worker *st = w->state;

	rte_rcu_qsbr_quiescent(st->v, st->id);
	rte_rcu_qsbr_thread_offline(st->v, st->id);
	if (unlikely(st->wrong != 0))
		stint_worker_fail(w, "lcore %u: a lookup gave what had been freed", w->lcore);
}

static void
choose_variable(const struct stint_worker *w, struct rcu_worker *st)
{
	const struct stint_point *pt = w->point;
	unsigned int reader = w->index - 1;

	if (pt->value[DIM_WRITER] == WRITER_NONE) {
		st->v = st->fx->all;
		st->id = w->index;
	} else if (pt->value[DIM_VARIABLES] == VARIABLES_ONE) {
		st->v = st->fx->readers;
		st->id = reader;
	} else {
		st->v = st->fx->groups[reader % RCU_GROUPS];
		st->id = reader / RCU_GROUPS;
	}
}

void
stint_rcu_reader_init(struct stint_worker *w)
{
	struct rcu_worker *st = w->state;
	enum what what = w->point->value[DIM_WHAT];

	choose_variable(w, st);
	st->key = w->seed % RCU_KEYS;
	st->report_every = w->point->value[DIM_REPORT_EVERY];
	st->until_report = st->report_every;
	st->wrong = 0;
	if (what == WHAT_REPORT || what == WHAT_LOOKUP || what == WHAT_DEFER_QUEUE)
		rte_rcu_qsbr_thread_online(st->v, st->id);
}

struct stint_job
stint_rcu_reader_job(const struct stint_point *pt)
{
	bool yields = pt->shares_cpus;
	struct stint_job job = { .finish = leave, .metric = METRIC_REPORT, .waits = yields };

	switch (pt->value[DIM_WHAT]) {
	case WHAT_ONLINE:
		return (struct stint_job){ .run = run_online, .metric = METRIC_PAIR };
	case WHAT_LOCK:
		return (struct stint_job){ .run = run_lock, .metric = METRIC_PAIR };
	case WHAT_REGISTER:
		return (struct stint_job){ .run = run_register, .metric = METRIC_PAIR };
	case WHAT_LOOKUP:
		job.run = yields ? run_lookup_yielding : run_lookup;
		job.metric = METRIC_LOOKUP;
		return job;
	default:
		job.run = yields ? run_report_yielding : run_report;
		return job;
	}
}
