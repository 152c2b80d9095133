/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* the defer queue is not in the stable ABI of 22.11 */
#define ALLOW_EXPERIMENTAL_API

#include "rcu_qsbr.h"

#include <rte_common.h>
#include <rte_errno.h>

#include <errno.h>
#include <stdlib.h>

#define NAME "stint_rcu_qsbr_dq"
#define READERS 3
#define WORDS_MAX 16

struct shape {
	unsigned int size, words; /* of 4 bytes, of a resource */
	uint32_t flags;
};

/* sizes below a power of two: then the queue is full when it holds as many */
static const struct shape shapes[] = {
	{ 1, 1, 0 },
	{ 7, 2, RTE_RCU_QSBR_DQ_MT_UNSAFE },
	{ 63, 3, 0 },
	{ 1023, WORDS_MAX, RTE_RCU_QSBR_DQ_MT_UNSAFE },
};

/* a queue whose resources are numbered from 0 in the order in which they were given to it */
struct subject {
	struct stint_fast *t;
	const struct shape *shape;
	struct rte_rcu_qsbr *v;
	struct rte_rcu_qsbr_dq *dq;
	uint32_t given, freed;
	uint32_t reported[READERS]; /* given before the reader's last report */
	uint32_t wrong; /* frees that should not have been, first one at `wrong_number` */
	uint32_t wrong_number;
};

#define CHECK(s, cond, format, ...)                                                                \
	STINT_ASSERT((s)->t, cond, "defer queue of %u times %zu bytes: " format, (s)->shape->size, \
		     (s)->shape->words * sizeof(uint32_t), ##__VA_ARGS__)

/* how many may be freed: those that were given before the last report of each reader */
static uint32_t
may_be_freed(const struct subject *s)
{
	uint32_t n = s->given;

	for (unsigned int i = 0; i < READERS; i++)
		n = RTE_MIN(n, s->reported[i]);
	return n;
}

static void
report(struct subject *s, unsigned int reader)
{
	rte_rcu_qsbr_quiescent(s->v, reader);
	s->reported[reader] = s->given;
}

static void
all_report(struct subject *s)
{
	for (unsigned int i = 0; i < READERS; i++)
		report(s, i);
}

/* in order, whole, one at a time, after the grace period */
static void
free_resource(void *p, void *e, unsigned int n)
{
	struct subject *s = p;
	const uint32_t *words = e;
	bool right = n == 1 && s->freed < may_be_freed(s);

	for (unsigned int i = 0; i < s->shape->words; i++)
		right &= words[i] == s->freed + i;
	if (!right && s->wrong++ == 0)
		s->wrong_number = words[0];
	s->freed++;
}

static int
give(struct subject *s)
{
	uint32_t words[WORDS_MAX];
	int rc;

	for (unsigned int i = 0; i < s->shape->words; i++)
		words[i] = s->given + i;
	rc = rte_rcu_qsbr_dq_enqueue(s->dq, words);
	s->given += rc == 0;
	return rc;
}

/* `want`: what all reclaiming so far must have freed */
static int
check_freed(struct subject *s, uint32_t want, const char *when)
{
	CHECK(s, s->wrong == 0, "%s: %u resources freed out of order, early or changed, first %u",
	      when, s->wrong, s->wrong_number);
	CHECK(s, s->freed == want, "%s: %u resources freed, not %u", when, s->freed, want);
	return 0;
}

static int
reclaim(struct subject *s, unsigned int most, const char *when)
{
	unsigned int freed = UINT32_MAX, pending = UINT32_MAX, before = s->freed;
	unsigned int want = RTE_MIN(may_be_freed(s) - before, most);
	int rc = rte_rcu_qsbr_dq_reclaim(s->dq, most, &freed, &pending, NULL);

	CHECK(s, rc == 0, "%s: reclaim gave %d", when, rc);
	CHECK(s, freed == want && pending == s->given - before - want,
	      "%s: reclaim said %u freed and %u pending, not %u and %u", when, freed, pending, want,
	      s->given - before - want);
	return check_freed(s, before + want, when);
}

/* ---- the queue is closed with all resources freed, or the check has failed ------------------ */

static int
open_queue(struct subject *s, uint32_t trigger, uint32_t most)
{
	const struct rte_rcu_qsbr_dq_parameters params = {
		.name = NAME,
		.flags = s->shape->flags,
		.size = s->shape->size,
		.esize = s->shape->words * sizeof(uint32_t),
		.trigger_reclaim_limit = trigger,
		.max_reclaim_size = most,
		.free_fn = free_resource,
		.p = s,
		.v = s->v,
	};

	for (unsigned int i = 0; i < READERS; i++) {
		rte_rcu_qsbr_thread_register(s->v, i);
		rte_rcu_qsbr_thread_online(s->v, i);
	}
	s->dq = rte_rcu_qsbr_dq_create(&params);
	if (s->dq != NULL)
		return 0;
	if (rte_errno == ENOMEM || rte_errno == ENOTSUP)
		return stint_rcu_qsbr_no_memory(s->t);
	return stint_fast_fail(s->t, "defer queue: not created: %s", rte_strerror(rte_errno));
}

static int
close_queue(struct subject *s)
{
	int rc;

	all_report(s);
	rc = rte_rcu_qsbr_dq_delete(s->dq);
	CHECK(s, rc == 0, "delete gave %d, rte_errno %d", rc, rte_errno);
	return check_freed(s, s->given, "deleted");
}

/* ---- checks -------------------------------------------------------------------------------- */

static int
check_full(struct subject *s)
{
	unsigned int size = s->shape->size;

	for (unsigned int i = 0; i < size; i++)
		CHECK(s, give(s) == 0, "resource %u is refused: rte_errno %d", i, rte_errno);
	rte_errno = 0;
	CHECK(s, give(s) == 1 && rte_errno == ENOSPC, "full, but no error: rte_errno %d",
	      rte_errno);
	if (reclaim(s, size, "nobody has reported") != 0)
		return -1;
	rte_errno = 0;
	CHECK(s, rte_rcu_qsbr_dq_delete(s->dq) == 1 && rte_errno == EAGAIN,
	      "deleted before the grace period: rte_errno %d", rte_errno);
	for (unsigned int i = 0; i < READERS; i++) {
		if (reclaim(s, size, "not all have reported") != 0)
			return -1;
		report(s, i);
	}
	return reclaim(s, RTE_MAX(size / 2, 1u), "half");
}

/* those that were given after the last report stay */
static int
check_some(struct subject *s)
{
	while (s->given < s->shape->size) {
		CHECK(s, give(s) == 0, "resource %u is refused", s->given);
		if (s->given == s->shape->size / 2)
			all_report(s);
	}
	return reclaim(s, s->shape->size, "half of them have had their grace period");
}

static int
check_any_order(struct subject *s)
{
	uint64_t random = s->t->seed;

	for (unsigned int step = 0; step < 20000; step++) {
		uint64_t draw = stint_random(&random);
		unsigned int most = 1 + (draw >> 32) % s->shape->size;

		if (draw % 8 == 0) {
			if (reclaim(s, most, "in any order") != 0)
				return -1;
		} else if (draw % 8 < 4) {
			report(s, (draw >> 32) % READERS);
		} else {
			unsigned int held = s->given - s->freed;
			bool full = held == s->shape->size;

			CHECK(s, give(s) == (int)full, "holds %u: one more is %s", held,
			      full ? "taken" : "refused");
		}
	}
	return 0;
}

static int
check_wrong_arguments(struct subject *s)
{
	uint32_t words[WORDS_MAX] = { 0 };

	rte_errno = 0;
	CHECK(s, rte_rcu_qsbr_dq_enqueue(NULL, words) == 1 && rte_errno == EINVAL,
	      "enqueue to NULL is no error: rte_errno %d", rte_errno);
	rte_errno = 0;
	CHECK(s, rte_rcu_qsbr_dq_enqueue(s->dq, NULL) == 1 && rte_errno == EINVAL,
	      "enqueue of NULL is no error: rte_errno %d", rte_errno);
	rte_errno = 0;
	CHECK(s, rte_rcu_qsbr_dq_reclaim(NULL, 1, NULL, NULL, NULL) == 1 && rte_errno == EINVAL,
	      "reclaim from NULL is no error: rte_errno %d", rte_errno);
	rte_errno = 0;
	CHECK(s, rte_rcu_qsbr_dq_reclaim(s->dq, 0, NULL, NULL, NULL) == 1 && rte_errno == EINVAL,
	      "reclaim of 0 is no error: rte_errno %d", rte_errno);
	return 0;
}

/*
 * An enqueue beyond the trigger frees, at the most as many as are allowed. Whether one does that
 * reaches it exactly depends on what is read: the guide says so, the code does not.
 */
static int
check_automatic(struct subject *s)
{
	unsigned int trigger = s->shape->size / 2, most = RTE_MAX(trigger / 2, 1u);

	while (s->given < trigger) {
		CHECK(s, give(s) == 0, "resource %u is refused", s->given);
		all_report(s);
	}
	if (check_freed(s, 0, "below the trigger") != 0)
		return -1;
	for (unsigned int i = 0; i < 2; i++) {
		CHECK(s, give(s) == 0, "resource %u is refused", s->given);
		all_report(s);
	}
	CHECK(s, s->freed >= 1 && s->freed <= 2 * most, "%u freed by two enqueues beyond %u",
	      s->freed, trigger);
	return check_freed(s, s->freed, "beyond the trigger");
}

static int
check_refused(struct stint_fast *t, struct rte_rcu_qsbr *v)
{
	const struct rte_rcu_qsbr_dq_parameters good = {
		.name = NAME,
		.size = 7,
		.esize = 4,
		.trigger_reclaim_limit = 8,
		.free_fn = free_resource,
		.v = v,
	};
	struct rte_rcu_qsbr_dq_parameters bad[7];

	for (unsigned int i = 0; i < RTE_DIM(bad); i++)
		bad[i] = good;
	bad[0].name = NULL;
	bad[1].size = 0;
	bad[2].esize = 0;
	bad[3].esize = 6;
	bad[4].trigger_reclaim_limit = 7; /* and nothing to be freed then */
	bad[5].free_fn = NULL;
	bad[6].v = NULL;
	for (unsigned int i = 0; i <= RTE_DIM(bad); i++) {
		rte_errno = 0;
		STINT_ASSERT(t,
			     rte_rcu_qsbr_dq_create(i < RTE_DIM(bad) ? &bad[i] : NULL) == NULL &&
				     rte_errno == EINVAL,
			     "a defer queue with wrong parameters (%u) is no error: rte_errno %d",
			     i, rte_errno);
	}
	STINT_ASSERT(t, rte_rcu_qsbr_dq_delete(NULL) == 0, "delete of NULL is an error");
	return 0;
}

/* ---- all ----------------------------------------------------------------------------------- */

struct check {
	int (*run)(struct subject *s);
	bool is_automatic; /* frees by itself when half full, a quarter of its size at a time */
};

static const struct check checks[] = {
	{ check_full, false },      { check_some, false },
	{ check_any_order, false }, { check_wrong_arguments, false },
	{ check_automatic, true },
};

static int
run_check(struct stint_fast *t, struct rte_rcu_qsbr *v, const struct shape *shape,
	  const struct check *check)
{
	struct subject s = { .t = t, .shape = shape, .v = v };
	unsigned int trigger = check->is_automatic ? shape->size / 2 : shape->size + 1;
	int rc = open_queue(&s, trigger, RTE_MAX(trigger / 2, 1u));

	if (rc != 0)
		return rc;
	rc = check->run(&s);
	if (rc == 0)
		return close_queue(&s);
	all_report(&s);
	rte_rcu_qsbr_dq_delete(s.dq);
	return rc;
}

int
stint_rcu_qsbr_dq_check(struct stint_fast *t)
{
	struct rte_rcu_qsbr *v = stint_rcu_qsbr_new(READERS + 1);
	int rc;

	if (v == NULL)
		return stint_rcu_qsbr_no_memory(t);
	rc = check_refused(t, v);
	for (unsigned int i = 0; i < RTE_DIM(shapes) * RTE_DIM(checks) && rc == 0; i++)
		rc = run_check(t, v, &shapes[i / RTE_DIM(checks)], &checks[i % RTE_DIM(checks)]);
	free(v);
	return rc;
}
