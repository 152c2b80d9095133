/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "rcu_qsbr.h"

#include <rte_common.h>
#include <rte_errno.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct rte_rcu_qsbr *
stint_rcu_qsbr_new(unsigned int max_threads)
{
	struct rte_rcu_qsbr *v =
		aligned_alloc(RTE_CACHE_LINE_SIZE, rte_rcu_qsbr_get_memsize(max_threads));

	if (v != NULL && rte_rcu_qsbr_init(v, max_threads) != 0) {
		free(v);
		return NULL;
	}
	return v;
}

int
stint_rcu_qsbr_no_memory(struct stint_fast *t)
{
	return stint_fast_skip(t, "not enough memory");
}

/* ---- size ---------------------------------------------------------------------------------- */

#define GUARD 0xa5

static bool
guard_holds(const uint8_t *guard)
{
	for (unsigned int i = 0; i < RTE_CACHE_LINE_SIZE; i++)
		if (guard[i] != GUARD)
			return false;
	return true;
}

/* all that a variable is used for stays inside the size that was asked for */
static int
check_room(struct stint_fast *t, struct rte_rcu_qsbr *v, unsigned int threads, const uint8_t *guard)
{
	uint64_t token;

	STINT_ASSERT(t, rte_rcu_qsbr_init(v, threads) == 0, "init for %u threads failed", threads);
	for (unsigned int id = 0; id < threads; id++) {
		STINT_ASSERT(t, rte_rcu_qsbr_thread_register(v, id) == 0,
			     "thread %u of %u was not registered", id, threads);
		rte_rcu_qsbr_thread_online(v, id);
	}
	token = rte_rcu_qsbr_start(v);
	for (unsigned int id = 0; id < threads; id++) {
		STINT_ASSERT(t, rte_rcu_qsbr_check(v, token, false) == 0,
			     "%u of %u threads reported: acknowledged", id, threads);
		rte_rcu_qsbr_quiescent(v, id);
	}
	STINT_ASSERT(t, rte_rcu_qsbr_check(v, token, false) == 1,
		     "all of %u threads reported: not acknowledged", threads);
	STINT_ASSERT(t, guard_holds(guard), "%u threads take more memory than get_memsize says",
		     threads);
	return 0;
}

/* the variable, a counter each, and a bit each, in whole cache lines */
static int
check_size(struct stint_fast *t, unsigned int threads)
{
	size_t least = sizeof(struct rte_rcu_qsbr) + threads * sizeof(struct rte_rcu_qsbr_cnt) +
		       RTE_ALIGN_MUL_CEIL(threads, 8) / 8;
	size_t bytes = rte_rcu_qsbr_get_memsize(threads);
	uint8_t *memory;
	int rc;

	STINT_ASSERT(t, bytes == RTE_ALIGN_CEIL(least, (size_t)RTE_CACHE_LINE_SIZE),
		     "size for %u threads is %zu bytes, which should be %zu in whole cache lines",
		     threads, bytes, least);
	memory = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes + RTE_CACHE_LINE_SIZE);
	if (memory == NULL)
		return stint_rcu_qsbr_no_memory(t);
	memset(memory, GUARD, bytes + RTE_CACHE_LINE_SIZE);
	rc = check_room(t, (struct rte_rcu_qsbr *)memory, threads, memory + bytes);
	free(memory);
	return rc;
}

/* 64 threads share a word of the map of those that are registered */
static int
check_sizes(struct stint_fast *t)
{
	static const unsigned int threads[] = {
		1, 2, 63, 64, 65, 512, 513, RTE_MAX_LCORE, RTE_MAX_LCORE + 1, 4 * RTE_MAX_LCORE + 1,
	};
	struct rte_rcu_qsbr v;

	rte_errno = 0;
	STINT_ASSERT(t, rte_rcu_qsbr_get_memsize(0) == 1 && rte_errno == EINVAL,
		     "size for 0 threads is no error: rte_errno %d", rte_errno);
	rte_errno = 0;
	STINT_ASSERT(t, rte_rcu_qsbr_init(&v, 0) == 1 && rte_errno == EINVAL,
		     "init for 0 threads is no error: rte_errno %d", rte_errno);
	rte_errno = 0;
	STINT_ASSERT(t, rte_rcu_qsbr_init(NULL, 1) == 1 && rte_errno == EINVAL,
		     "init of NULL is no error: rte_errno %d", rte_errno);
	for (unsigned int i = 0; i < RTE_DIM(threads); i++) {
		int rc = check_size(t, threads[i]);

		if (rc != 0)
			return rc;
	}
	return 0;
}

/* ---- registration -------------------------------------------------------------------------- */

#define THREADS 70 /* more than a word of the map */

static int
check_refused(struct stint_fast *t, struct rte_rcu_qsbr *v)
{
	static const unsigned int ids[] = { THREADS, THREADS + 1, 2 * THREADS,
					    RTE_QSBR_THRID_INVALID };
	static int (*const calls[])(struct rte_rcu_qsbr *, unsigned int) = {
		rte_rcu_qsbr_thread_register,
		rte_rcu_qsbr_thread_unregister,
	};

	for (unsigned int c = 0; c < RTE_DIM(calls); c++) {
		const char *what = c == 0 ? "register" : "unregister";

		for (unsigned int i = 0; i < RTE_DIM(ids); i++) {
			rte_errno = 0;
			STINT_ASSERT(t, calls[c](v, ids[i]) == 1 && rte_errno == EINVAL,
				     "%s of thread %u of %d is no error: rte_errno %d", what,
				     ids[i], THREADS, rte_errno);
		}
		rte_errno = 0;
		STINT_ASSERT(t, calls[c](NULL, 0) == 1 && rte_errno == EINVAL,
			     "%s with NULL is no error: rte_errno %d", what, rte_errno);
	}
	return 0;
}

/* register and unregister count a thread once, however often they are called */
static int
check_counts(struct stint_fast *t, struct rte_rcu_qsbr *v)
{
	static const unsigned int ids[] = { 0, 63, 64, THREADS - 1 };

	for (unsigned int i = 0; i < 2 * RTE_DIM(ids); i++) {
		STINT_ASSERT(t, rte_rcu_qsbr_thread_register(v, ids[i / 2]) == 0,
			     "thread %u was not registered", ids[i / 2]);
		STINT_ASSERT(t, v->num_threads == i / 2 + 1,
			     "%u threads registered, but %u counted", i / 2 + 1, v->num_threads);
	}
	for (unsigned int i = 2 * RTE_DIM(ids); i-- > 0;) {
		STINT_ASSERT(t, rte_rcu_qsbr_thread_unregister(v, ids[i / 2]) == 0,
			     "thread %u was not unregistered", ids[i / 2]);
		STINT_ASSERT(t, v->num_threads == i / 2, "%u threads registered, but %u counted",
			     i / 2, v->num_threads);
	}
	return 0;
}

/* ---- dump ---------------------------------------------------------------------------------- */

static unsigned int
occurrences(const char *text, const char *what)
{
	unsigned int count = 0;

	for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
		count++;
	return count;
}

static int
check_text(struct stint_fast *t, const struct rte_rcu_qsbr *v, const char *text,
	   const unsigned int *ids, unsigned int n)
{
	char line[64];

	snprintf(line, sizeof(line), "Token = %" PRIu64 "\n", v->token);
	STINT_ASSERT(t, occurrences(text, line) == 1, "dump does not say %s", line);
	STINT_ASSERT(t, occurrences(text, "thread ID = ") == n, "dump lists %u threads of %u",
		     occurrences(text, "thread ID = "), n);
	for (unsigned int i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "thread ID = %u, count = %" PRIu64, ids[i],
			 v->qsbr_cnt[ids[i]].cnt);
		STINT_ASSERT(t, occurrences(text, line) == 1, "dump does not say %s", line);
	}
	return 0;
}

static int
check_dump_of(struct stint_fast *t, struct rte_rcu_qsbr *v, const unsigned int *ids, unsigned int n)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	int rc;

	if (stream == NULL)
		return stint_rcu_qsbr_no_memory(t);
	rc = rte_rcu_qsbr_dump(stream, v);
	fclose(stream);
	if (rc == 0)
		rc = check_text(t, v, text, ids, n);
	else
		rc = stint_fast_fail(t, "dump gave %d", rc);
	free(text);
	return rc;
}

static int
check_dump(struct stint_fast *t, struct rte_rcu_qsbr *v)
{
	static const unsigned int ids[] = { 5, 64, THREADS - 1 };
	int rc = check_dump_of(t, v, ids, 0);

	for (unsigned int i = 0; i < RTE_DIM(ids) && rc == 0; i++) {
		rte_rcu_qsbr_thread_register(v, ids[i]);
		if (i > 0)
			rte_rcu_qsbr_thread_online(v, ids[i]);
		rte_rcu_qsbr_start(v);
		rc = check_dump_of(t, v, ids, i + 1);
	}
	if (rc != 0)
		return rc;
	rte_errno = 0;
	STINT_ASSERT(t, rte_rcu_qsbr_dump(NULL, v) == 1 && rte_errno == EINVAL,
		     "dump into NULL is no error: rte_errno %d", rte_errno);
	rte_errno = 0;
	STINT_ASSERT(t, rte_rcu_qsbr_dump(stdout, NULL) == 1 && rte_errno == EINVAL,
		     "dump of NULL is no error: rte_errno %d", rte_errno);
	return 0;
}

/* ---- the test ------------------------------------------------------------------------------ */

static int
check_variable(struct stint_fast *t)
{
	static int (*const checks[])(struct stint_fast *, struct rte_rcu_qsbr *) = {
		check_refused,
		check_counts,
		check_dump,
	};
	struct rte_rcu_qsbr *v = stint_rcu_qsbr_new(THREADS);
	int rc = 0;

	if (v == NULL)
		return stint_rcu_qsbr_no_memory(t);
	for (unsigned int i = 0; i < RTE_DIM(checks) && rc == 0; i++)
		rc = checks[i](t, v);
	free(v);
	return rc;
}

static int
rcu_qsbr(struct stint_fast *t)
{
	static int (*const checks[])(struct stint_fast *) = {
		check_sizes,
		check_variable,
		stint_rcu_qsbr_tokens_check,
		stint_rcu_qsbr_dq_check,
		stint_rcu_qsbr_readers_check,
	};
	int rc = 0;

	for (unsigned int i = 0; i < RTE_DIM(checks) && rc == 0; i++)
		rc = checks[i](t);
	return rc;
}

/* only defer queues take memory of EAL: a handle, and a ring of the largest, twice as wide */
static void
rcu_qsbr_need(const struct stint_point *pt __rte_unused, struct stint_need *need)
{
	stint_need_ring(need, STINT_SOCKET_LOCAL, 2 * 1024);
	stint_need_bytes(need, STINT_SOCKET_LOCAL, 2 * RTE_CACHE_LINE_SIZE);
}

STINT_FAST_TEST(rcu_qsbr_autotest, STINT_NO_HUGE | STINT_ASAN,
		.summary = "RCU: registration, tokens, defer queue, readers beside a writer",
		.need = rcu_qsbr_need, .run = rcu_qsbr);
