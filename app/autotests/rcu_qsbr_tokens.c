/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "rcu_qsbr.h"

#include <rte_common.h>

#include <stdlib.h>

/* `readers` threads of `threads` are registered: `first`, `first` + `stride`, ... */
struct layout {
	unsigned int threads, readers, first, stride;
};

/* where all are registered DPDK looks at all counters, else at the map of those that are */
static const struct layout layouts[] = {
	{ 1, 1, 0, 1 },    { 3, 3, 0, 1 },    { 64, 64, 0, 1 },     { 4, 3, 1, 1 },
	{ 130, 40, 2, 3 }, { 130, 4, 62, 1 }, { 4096, 1, 4095, 1 },
};

#define MAX_READERS 64

struct subject {
	struct stint_fast *t;
	const struct layout *layout;
	struct rte_rcu_qsbr *v;
	uint64_t random;
};

#define CHECK(s, cond, format, ...)                                                               \
	STINT_ASSERT((s)->t, cond, "%u of %u threads are readers: " format, (s)->layout->readers, \
		     (s)->layout->threads, ##__VA_ARGS__)

static unsigned int
id_of(const struct subject *s, unsigned int reader)
{
	return s->layout->first + reader * s->layout->stride;
}

static bool
acknowledged(const struct subject *s, uint64_t token)
{
	return rte_rcu_qsbr_check(s->v, token, false) == 1;
}

static void
enter(struct rte_rcu_qsbr *v, unsigned int id)
{
	rte_rcu_qsbr_thread_register(v, id);
	rte_rcu_qsbr_thread_online(v, id);
}

static void
all_enter(const struct subject *s)
{
	for (unsigned int i = 0; i < s->layout->readers; i++)
		enter(s->v, id_of(s, i));
}

/* ---- what a reader may do so that nobody waits for it ------------------------------------- */

static void
report(struct rte_rcu_qsbr *v, unsigned int id)
{
	rte_rcu_qsbr_quiescent(v, id);
}

static void
report_after_lock(struct rte_rcu_qsbr *v, unsigned int id)
{
	rte_rcu_qsbr_lock(v, id);
	rte_rcu_qsbr_unlock(v, id);
	rte_rcu_qsbr_quiescent(v, id);
}

static void
go_offline(struct rte_rcu_qsbr *v, unsigned int id)
{
	rte_rcu_qsbr_thread_offline(v, id);
}

static void
come_back(struct rte_rcu_qsbr *v, unsigned int id)
{
	rte_rcu_qsbr_thread_offline(v, id);
	rte_rcu_qsbr_thread_online(v, id);
}

static void
unregister(struct rte_rcu_qsbr *v, unsigned int id)
{
	rte_rcu_qsbr_thread_unregister(v, id);
}

static const struct ending {
	const char *name;
	void (*act)(struct rte_rcu_qsbr *v, unsigned int id);
	bool stays; /* and is waited for the next time */
} endings[] = {
	{ "report", report, true },          { "lock, unlock, report", report_after_lock, true },
	{ "go offline", go_offline, false }, { "go offline and come back", come_back, true },
	{ "unregister", unregister, false },
};

static int
check_ending(struct subject *s, const struct ending *ending)
{
	unsigned int n = s->layout->readers;
	uint64_t earlier, token, later;

	all_enter(s);
	earlier = rte_rcu_qsbr_start(s->v);
	token = rte_rcu_qsbr_start(s->v);
	CHECK(s, token > earlier, "a token of %ju after one of %ju", (uintmax_t)token,
	      (uintmax_t)earlier);
	/* the last one first */
	for (unsigned int i = 0; i < n; i++) {
		CHECK(s, !acknowledged(s, token) && !acknowledged(s, earlier),
		      "acknowledged when %u did %s", i, ending->name);
		ending->act(s->v, id_of(s, n - 1 - i));
	}
	later = rte_rcu_qsbr_start(s->v);
	CHECK(s, acknowledged(s, token) && acknowledged(s, earlier),
	      "not acknowledged when all did %s", ending->name);
	CHECK(s, rte_rcu_qsbr_check(s->v, token, true) == 1, "a wait for nobody gave no 1");
	CHECK(s, acknowledged(s, later) != ending->stays,
	      "the next token is %sacknowledged when all did %s before it",
	      ending->stays ? "" : "not ", ending->name);
	return 0;
}

static int
check_endings(struct subject *s)
{
	for (unsigned int i = 0; i < RTE_DIM(endings); i++)
		if (check_ending(s, &endings[i]) != 0)
			return -1;
	return 0;
}

/* synchronize waits for none that is offline, and not for its caller */
static int
check_synchronize(struct subject *s)
{
	uint64_t before, after;

	all_enter(s);
	for (unsigned int i = 1; i < s->layout->readers; i++)
		rte_rcu_qsbr_thread_offline(s->v, id_of(s, i));
	before = rte_rcu_qsbr_start(s->v);
	rte_rcu_qsbr_synchronize(s->v, id_of(s, 0));
	CHECK(s, acknowledged(s, before), "synchronize did not report for its caller");
	rte_rcu_qsbr_thread_offline(s->v, id_of(s, 0));
	rte_rcu_qsbr_synchronize(s->v, RTE_QSBR_THRID_INVALID);
	after = rte_rcu_qsbr_start(s->v);
	CHECK(s, after >= before + 3, "two calls of synchronize began no grace period: %ju, %ju",
	      (uintmax_t)before, (uintmax_t)after);
	return 0;
}

/* ---- any order ----------------------------------------------------------------------------- */

#define TOKENS 8
#define STEPS 20000

/* what must be, told in numbers of tokens */
struct model {
	bool online[MAX_READERS];
	uint64_t reported[MAX_READERS]; /* tokens begun before the last report */
	uint64_t begun;
	uint64_t tokens[TOKENS]; /* the last ones, by their number */
};

static bool
all_reported(const struct model *m, unsigned int readers, uint64_t number)
{
	for (unsigned int i = 0; i < readers; i++)
		if (m->online[i] && m->reported[i] < number)
			return false;
	return true;
}

static void
begin_token(struct subject *s, struct model *m)
{
	m->tokens[++m->begun % TOKENS] = rte_rcu_qsbr_start(s->v);
}

static void
move_reader(struct subject *s, struct model *m, unsigned int reader)
{
	uint64_t draw = stint_random(&s->random);

	if (m->online[reader]) {
		const struct ending *ending = &endings[draw % RTE_DIM(endings)];

		ending->act(s->v, id_of(s, reader));
		m->online[reader] = ending->stays;
	} else {
		enter(s->v, id_of(s, reader));
		m->online[reader] = true;
	}
	m->reported[reader] = m->begun;
}

static int
check_any_token(struct subject *s, const struct model *m)
{
	uint64_t number = m->begun - stint_random(&s->random) % RTE_MIN(m->begun, TOKENS);
	bool right = all_reported(m, s->layout->readers, number);

	CHECK(s, acknowledged(s, m->tokens[number % TOKENS]) == right,
	      "token %ju of %ju is %sacknowledged", (uintmax_t)number, (uintmax_t)m->begun,
	      right ? "not " : "");
	return 0;
}

static int
check_any_order(struct subject *s)
{
	struct model m = { .begun = 0 };

	for (unsigned int i = 0; i < s->layout->readers; i++)
		unregister(s->v, id_of(s, i));
	begin_token(s, &m);
	for (unsigned int step = 0; step < STEPS; step++) {
		/* seldom enough that all may have reported before the token is forgotten */
		if (stint_random(&s->random) % (2 * s->layout->readers + 2) == 0)
			begin_token(s, &m);
		else
			move_reader(s, &m, stint_random(&s->random) % s->layout->readers);
		if (check_any_token(s, &m) != 0)
			return -1;
	}
	return 0;
}

/* ---- all ----------------------------------------------------------------------------------- */

int
stint_rcu_qsbr_tokens_check(struct stint_fast *t)
{
	static int (*const checks[])(struct subject *) = {
		check_endings,
		check_synchronize,
		check_any_order,
	};

	for (unsigned int l = 0; l < RTE_DIM(layouts); l++) {
		struct subject s = { .t = t, .layout = &layouts[l], .random = t->seed };
		int rc = 0;

		s.v = stint_rcu_qsbr_new(layouts[l].threads);
		if (s.v == NULL)
			return stint_rcu_qsbr_no_memory(t);
		for (unsigned int i = 0; i < RTE_DIM(checks) && rc == 0; i++)
			rc = checks[i](&s);
		free(s.v);
		if (rc != 0)
			return rc;
	}
	return 0;
}
