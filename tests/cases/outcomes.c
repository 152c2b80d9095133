/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* One autotest for each outcome, and one whose work outside the timed part can be told. */

#include <stdint.h>

#include <rte_cycles.h>
#include <rte_pause.h>

#include <stint.h>

static int
run_pass(struct stint_fast *t)
{
	(void)t;
	return 0;
}

static int
run_fail(struct stint_fast *t)
{
	return stint_fast_fail(t, "fails as asked for");
}

static int
run_skip(struct stint_fast *t)
{
	return stint_fast_skip(t, "skips as asked for");
}

STINT_FAST_TEST(pass_autotest, STINT_NO_HUGE | STINT_ASAN, .summary = "passes", .run = run_pass)
STINT_FAST_TEST(fail_autotest, STINT_NO_HUGE | STINT_ASAN, .summary = "fails", .run = run_fail)
STINT_FAST_TEST(skip_autotest, STINT_NO_HUGE | STINT_ASAN, .summary = "skips", .run = run_skip)

/* ---- work that does not count -------------------------------------------------------------- */

enum { DIM_OUTSIDE };

static const struct stint_dim dims[] = { STINT_DIM("outside_us", 0, 500) };
static const struct stint_metric metrics[] = {
	{ "cost", STINT_COST, "cycles/op" },
	{ "rate", STINT_RATE, "ops/s" },
};

static void
work_outside(const struct stint_worker *w)
{
	uint64_t us = w->point->value[DIM_OUTSIDE];
	uint64_t until = rte_rdtsc() + us * rte_get_tsc_hz() / US_PER_S;

	while (us > 0 && rte_rdtsc() < until)
		rte_pause();
}

static int
init(struct stint_worker *w)
{
	work_outside(w);
	return 0;
}

static void
finish(struct stint_worker *w)
{
	work_outside(w);
}

/* A chain that takes the same time wherever it runs. */
static uint64_t
run(struct stint_worker *w, uint64_t ops)
{
	uint64_t x = w->seed;

	for (uint64_t i = 0; i < ops; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		asm volatile("" : "+r"(x));
	}
	return ops;
}

static struct stint_job
job(const struct stint_point *pt, unsigned int worker)
{
	(void)pt;
	(void)worker;
	return (struct stint_job){ .run = run, .finish = finish };
}

STINT_PERF_TEST(outside_perf_autotest, 1, .summary = "with work outside the timed part",
		.dims = STINT_LIST(dims), .metrics = STINT_LIST(metrics), .worker_init = init,
		.job = job)

/* ---- a fixture that cannot measure all of its points ---------------------------------------- */

static const struct stint_dim sides[] = { STINT_DIM_NAMES("side", "able", "unable") };

static bool
able(const struct stint_point *pt, const struct stint_fixture *fx)
{
	(void)fx;
	return pt->value[0] == 0 || stint_skip_point(pt, "the fixture has no such side");
}

STINT_PERF_TEST(able_perf_autotest, 1, .summary = "with points that its fixture cannot measure",
		.dims = STINT_LIST(sides), .metrics = STINT_LIST(metrics), .able = able, .job = job)

int
main(int argc, char **argv)
{
	return stint_main(argc, argv);
}
