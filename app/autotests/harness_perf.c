/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <rte_cycles.h>

#include <stint.h>

/*
 * The harness measured by itself: how long it takes to hand a point over to 1 to all lcores, what
 * a clock read costs, whether a loop runs as fast in the engine's batches as it does bare, and what
 * a latency of nothing is: two clock reads, one after the other.
 */

enum { DIM_CORES, DIM_BODY };
enum { BODY_CLOCK, BODY_CLOCK_PRECISE, BODY_STAMPS, BODY_BATCHES, BODY_BARE };
enum { METRIC_COST, METRIC_HANDOVER, METRIC_NOTHING };

/* As long as a slice, between two clock reads of the engine. */
#define BARE_OPS 250000

struct worker {
	uint64_t value; /* so that no loop can be left out */
};

static const struct stint_dim dims[] = {
	STINT_DIM_LCORES_DOUBLING,
	STINT_DIM_NAMES("body", "rdtsc", "rdtsc_precise", "stamps", "loop", "bare_loop"),
};

static const struct stint_metric metrics[] = {
	{ "cost", STINT_COST, "cycles/op" },
	{ "hand-over", STINT_HANDOVER, "ns" },
	{ "nothing", STINT_LATENCY, "ns" },
};

/* What one lcore does by itself needs no second one. */
static int
admit(const struct stint_point *pt)
{
	return pt->value[DIM_BODY] != BODY_BATCHES && pt->lcores > 1 ? STINT_LEAVE_OUT : 0;
}

static uint64_t
run_rdtsc(struct stint_worker *w, uint64_t ops)
{
	struct worker *st = w->state;

	for (uint64_t i = 0; i < ops; i++)
		st->value += rte_rdtsc();
	return ops;
}

static uint64_t
run_rdtsc_precise(struct stint_worker *w, uint64_t ops)
{
	struct worker *st = w->state;

	for (uint64_t i = 0; i < ops; i++)
		st->value += rte_rdtsc_precise();
	return ops;
}

static uint64_t
run_stamps(struct stint_worker *w, uint64_t ops)
{
	for (uint64_t i = 0; i < ops; i++) {
		uint64_t begin = stint_stamp_begin();

		stint_latency(w, METRIC_NOTHING, stint_stamp_end() - begin);
	}
	return ops;
}

/* A chain that neither the compiler nor the CPU can shorten: a multiplication and an addition. */
static __rte_always_inline void
loop(struct worker *st, uint64_t ops)
{
	uint64_t x = st->value;

	for (uint64_t i = 0; i < ops; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		asm volatile("" : "+r"(x));
	}
	st->value = x;
}

static uint64_t
run_batches(struct stint_worker *w, uint64_t ops)
{
	loop(w->state, ops);
	return ops;
}

/* Whatever the engine asks for: the same loop with nothing of the engine inside. */
static uint64_t
run_bare(struct stint_worker *w, uint64_t ops)
{
	(void)ops;
	loop(w->state, BARE_OPS);
	return BARE_OPS;
}

static struct stint_job
job(const struct stint_point *pt, unsigned int worker)
{
	static uint64_t (*const runs[])(struct stint_worker * w, uint64_t ops) = {
		[BODY_CLOCK] = run_rdtsc,   [BODY_CLOCK_PRECISE] = run_rdtsc_precise,
		[BODY_STAMPS] = run_stamps, [BODY_BATCHES] = run_batches,
		[BODY_BARE] = run_bare,
	};

	(void)worker;
	return (struct stint_job){ .run = runs[pt->value[DIM_BODY]], .metric = METRIC_COST };
}

STINT_PERF_TEST(harness_perf_autotest, 1,
		.summary = "hand-over, clock reads and loops of the harness itself",
		.dims = STINT_LIST(dims), .metrics = STINT_LIST(metrics),
		.worker_bytes = sizeof(struct worker), .admit = admit, .job = job)
