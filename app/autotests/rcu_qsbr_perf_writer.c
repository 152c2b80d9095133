/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* the defer queue is not in the stable ABI of 22.11 */
#define ALLOW_EXPERIMENTAL_API

#include "rcu_qsbr_perf.h"

#include <string.h>

#include <rte_cycles.h>
#include <rte_errno.h>

/*
 * An update takes a key out of the table, waits for a grace period, frees what belonged to the key,
 * and puts the key back with another element. Where there is no table it is the grace period alone.
 *
 * The grace period is from before its tokens are taken to after the check that found it over. Where
 * it may be as short as a clock read only some are timed, so that clock reads are no part to speak
 * of of what an update costs: one of 7, which meets each place in RCU_FLIGHTS alike.
 */
#define TIMED_EVERY 7
/* Lookups between two reports from which on all are timed. */
#define LONG_REPORT_EVERY 64

static bool
failed(struct stint_worker *w, const char *what, int rc)
{
	stint_worker_fail(w, "lcore %u: %s: %s", w->lcore, what, strerror(-rc));
	return false;
}

/* ---- the table ----------------------------------------------------------------------------- */

static __rte_always_inline bool
take_out(struct stint_worker *w, struct rcu_flight *flight)
{
	struct rcu_worker *st = w->state;

	st->key = (st->key + 1) % RCU_KEYS;
	flight->key = st->key;
	flight->position = rte_hash_del_key(st->fx->hash, &flight->key);
	if (unlikely(flight->position < 0))
		return failed(w, "rte_hash_del_key", flight->position);
	return true;
}

/* What is freed is the spare element of the next key: a reader that still had it would see that. */
static __rte_always_inline bool
put_back(struct stint_worker *w, const struct rcu_flight *flight)
{
	struct rcu_fixture *fx = ((struct rcu_worker *)w->state)->fx;
	struct rcu_element *freed = fx->owned[flight->key], *e = fx->spare;
	int rc = rte_hash_free_key_with_position(fx->hash, flight->position);

	if (unlikely(rc != 0))
		return failed(w, "rte_hash_free_key_with_position", rc);
	atomic_store_explicit(&freed->key, ~flight->key, memory_order_relaxed);
	fx->spare = freed;
	atomic_store_explicit(&e->key, flight->key, memory_order_relaxed);
	fx->owned[flight->key] = e;
	rc = rte_hash_add_key_data(fx->hash, &flight->key, e);
	if (unlikely(rc != 0))
		return failed(w, "rte_hash_add_key_data", rc);
	return true;
}

/* ---- one update ---------------------------------------------------------------------------- */

static __rte_always_inline bool
begin_update(struct stint_worker *w, const bool has_table)
{
	struct rcu_worker *st = w->state;
	struct rcu_flight *flight = &st->flights[st->begun % RCU_FLIGHTS];

	if (has_table && !take_out(w, flight))
		return false;
	flight->begin = 0;
	if (--st->until_timed == 0) {
		st->until_timed = st->timed_every;
		flight->begin = rte_rdtsc_precise();
	}
	for (unsigned int i = 0; i < st->n_variables; i++)
		flight->tokens[i] = rte_rcu_qsbr_start(st->variables[i]);
	st->begun++;
	return true;
}

/* Is the grace period of the oldest update over? */
static __rte_always_inline bool
is_over(struct rcu_worker *st, const bool waits)
{
	const struct rcu_flight *flight = &st->flights[st->done % RCU_FLIGHTS];

	for (unsigned int i = 0; i < st->n_variables; i++)
		if (rte_rcu_qsbr_check(st->variables[i], flight->tokens[i], waits) == 0)
			return false;
	return true;
}

static __rte_always_inline bool
end_update(struct stint_worker *w, const bool has_table)
{
	struct rcu_worker *st = w->state;
	struct rcu_flight *flight = &st->flights[st->done % RCU_FLIGHTS];

	if (flight->begin != 0)
		stint_latency(w, METRIC_GRACE, rte_rdtsc_precise() - flight->begin);
	st->done++;
	return !has_table || put_back(w, flight);
}

/* ---- batches ------------------------------------------------------------------------------- */

static __rte_always_inline uint64_t
update_waiting(struct stint_worker *w, uint64_t ops, const bool has_table)
{
	for (uint64_t i = 0; i < ops; i++) {
		if (unlikely(!begin_update(w, has_table)))
			return 1;
		is_over(w->state, true);
		if (unlikely(!end_update(w, has_table)))
			return 1;
	}
	return ops;
}

/* Several grace periods are under way; when no more may be, others get on while it waits. */
static __rte_always_inline uint64_t
update_polling(struct stint_worker *w, uint64_t ops, const bool has_table)
{
	struct rcu_worker *st = w->state;
	const uint64_t before = st->done;

	while (st->done - before < ops) {
		if (st->begun - st->done < RCU_FLIGHTS) {
			if (unlikely(!begin_update(w, has_table)))
				return 1;
		} else {
			if (stint_stopping(w))
				break;
			stint_yield(w);
		}
		while (st->done < st->begun && is_over(st, false))
			if (unlikely(!end_update(w, has_table)))
				return 1;
	}
	return st->done - before;
}

#define RUN(name, body, has_table)                                 \
	static uint64_t name(struct stint_worker *w, uint64_t ops) \
	{                                                          \
		return body(w, ops, has_table);                    \
	}

RUN(run_waiting, update_waiting, false)
RUN(run_waiting_table, update_waiting, true)
RUN(run_polling, update_polling, false)
RUN(run_polling_table, update_polling, true)

/* No thread is online, so that each grace period is over when it begins. */
static uint64_t
run_check(struct stint_worker *w, uint64_t ops)
{
	struct rte_rcu_qsbr *v = ((struct rcu_worker *)w->state)->fx->all;

	for (uint64_t i = 0; i < ops; i++)
		rte_rcu_qsbr_check(v, rte_rcu_qsbr_start(v), false);
	return ops;
}

/* ---- defer queue --------------------------------------------------------------------------- */

#define DEFER_BURST 32

static __rte_always_inline bool
defer(struct rcu_fixture *fx)
{
	uint64_t resource = fx->deferred;

	if (unlikely(rte_rcu_qsbr_dq_enqueue(fx->dq, &resource) != 0))
		return false;
	fx->deferred++;
	return true;
}

static uint64_t
run_defer(struct stint_worker *w, uint64_t ops)
{
	struct rcu_fixture *fx = ((struct rcu_worker *)w->state)->fx;
	const uint64_t before = fx->freed;

	while (fx->freed - before < ops) {
		uint64_t room = RCU_DEFERRED - (fx->deferred - fx->freed);
		unsigned int freed;

		for (uint64_t i = 0; i < RTE_MIN(room, (uint64_t)DEFER_BURST); i++)
			if (unlikely(!defer(fx))) {
				failed(w, "rte_rcu_qsbr_dq_enqueue", -rte_errno);
				return 1;
			}
		rte_rcu_qsbr_dq_reclaim(fx->dq, DEFER_BURST, &freed, NULL, NULL);
		if (freed > 0 || room > 0)
			continue;
		if (stint_stopping(w))
			break;
		stint_yield(w);
	}
	return fx->freed - before;
}

/* ---- the end ------------------------------------------------------------------------------- */

/* Readers go offline without waiting for anybody, so that this ends. */
static void
end_updates(struct stint_worker *w, const bool has_table)
{
	struct rcu_worker *st = w->state;

	while (st->done < st->begun) {
		if (!is_over(st, false))
			stint_yield(w);
		else if (!end_update(w, has_table))
			return;
	}
}

static void
finish(struct stint_worker *w)
{
	end_updates(w, false);
}

static void
finish_table(struct stint_worker *w)
{
	end_updates(w, true);
}

static void
finish_defer(struct stint_worker *w)
{
	struct rcu_fixture *fx = ((struct rcu_worker *)w->state)->fx;

	while (fx->freed < fx->deferred) {
		rte_rcu_qsbr_dq_reclaim(fx->dq, RCU_DEFERRED, NULL, NULL, NULL);
		stint_yield(w);
	}
}

/* ---- job ----------------------------------------------------------------------------------- */

void
stint_rcu_writer_init(struct stint_worker *w)
{
	const struct stint_point *pt = w->point;
	struct rcu_worker *st = w->state;
	bool is_long = pt->shares_cpus || pt->value[DIM_REPORT_EVERY] >= LONG_REPORT_EVERY;

	st->key = w->seed % RCU_KEYS;
	st->timed_every = is_long ? 1 : TIMED_EVERY;
	st->until_timed = 1;
	st->begun = 0;
	st->done = 0;
	if (pt->value[DIM_VARIABLES] == VARIABLES_ONE) {
		st->variables = &st->fx->readers;
		st->n_variables = 1;
	} else {
		st->variables = st->fx->groups;
		st->n_variables = st->fx->n_groups;
	}
}

struct stint_job
stint_rcu_writer_job(const struct stint_point *pt)
{
	bool waits = pt->value[DIM_WRITER] == WRITER_WAITS;
	struct stint_job job = { .finish = finish, .metric = METRIC_CHECK, .waits = true };

	switch (pt->value[DIM_WHAT]) {
	case WHAT_CHECK:
		return (struct stint_job){ .run = run_check, .metric = METRIC_CHECK };
	case WHAT_DEFER_QUEUE:
		return (struct stint_job){ .run = run_defer,
					   .finish = finish_defer,
					   .metric = METRIC_RESOURCE,
					   .waits = pt->lcores > 1 };
	case WHAT_LOOKUP:
		job.run = waits ? run_waiting_table : run_polling_table;
		job.finish = finish_table;
		job.metric = METRIC_UPDATE;
		return job;
	default:
		job.run = waits ? run_waiting : run_polling;
		return job;
	}
}
