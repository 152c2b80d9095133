/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_cycles.h>

#include <crew.h>
#include <slice.h>

#include "eal_child.h"

/* Lcores of a point that wait for each other, where they share CPUs and where they do not. */

#define LANES_MAX 8
/* A slice in which somebody waits in vain is cut after so long. */
#define LIMIT_S 20

static bool apart;

static struct {
	_Atomic uint64_t steps[LANES_MAX]; /* batches that were done */
	_Atomic bool left[LANES_MAX];      /* has finished */
	_Atomic uint64_t stopped;          /* waits that the end of the slice ended */
} seen;

static uint64_t
step(struct stint_worker *w, uint64_t ops)
{
	for (uint64_t i = 0; i < ops; i++)
		rte_pause();
	atomic_fetch_add(&seen.steps[w->index], 1);
	return ops;
}

static bool
await_steps(struct stint_worker *w, unsigned int of, uint64_t steps)
{
	while (atomic_load(&seen.steps[of]) < steps) {
		if (stint_stopping(w)) {
			atomic_fetch_add(&seen.stopped, 1);
			return false;
		}
		stint_yield(w);
	}
	return true;
}

/* Three more batches of each of the others: more than a batch that is under way gives. */
static uint64_t
wait_for_others(struct stint_worker *w, uint64_t ops)
{
	uint64_t before[LANES_MAX];

	(void)ops;
	for (unsigned int i = 0; i < w->point->lcores; i++)
		before[i] = atomic_load(&seen.steps[i]);
	for (unsigned int i = 0; i < w->point->lcores; i++) {
		if (i != w->index && !await_steps(w, i, before[i] + 3))
			return 0;
	}
	atomic_fetch_add(&seen.steps[w->index], 1);
	return 1;
}

/* A token goes round: each waits for the one before it. */
static uint64_t
pass_on(struct stint_worker *w, uint64_t ops)
{
	const unsigned int before = (w->index + w->point->lcores - 1) % w->point->lcores;
	const uint64_t own = atomic_load(&seen.steps[w->index]);

	(void)ops;
	if (!await_steps(w, before, own + (w->index > 0)))
		return 0;
	atomic_store(&seen.steps[w->index], own + 1);
	return 1;
}

static void
leave(struct stint_worker *w)
{
	atomic_store(&seen.left[w->index], true);
}

/* A writer that waits until all readers are offline. */
static void
leave_last(struct stint_worker *w)
{
	for (unsigned int i = 0; i < w->point->lcores; i++) {
		while (i != w->index && !atomic_load(&seen.left[i]))
			stint_yield(w);
	}
	leave(w);
}

static struct stint_test test = { .name = "waits_perf_autotest" };
static struct stint_point point = { .test = &test };
static struct stint_lane lanes[LANES_MAX];
static struct stint_slice slice;

static void
prepare(uint64_t (*run)(struct stint_worker *w, uint64_t ops), bool waits)
{
	memset(&seen, 0, sizeof(seen));
	memset(lanes, 0, sizeof(lanes));
	memset(&slice, 0, sizeof(slice));
	point.lcores = eal_machine.n_lcores;
	point.shares_cpus = !apart;
	for (unsigned int i = 0; i < point.lcores; i++) {
		lanes[i].worker = (struct stint_worker){ .point = &point,
							 .index = i,
							 .lcore = eal_machine.lcores[i].id,
							 .shares_cpus = !apart };
		lanes[i].job = (struct stint_job){ .run = run, .waits = waits, .finish = leave };
		lanes[i].batches.ops[STINT_PHASE_WHOLE] = 1;
	}
	slice.n = point.lcores;
	slice.lanes = lanes;
	slice.in_turn = !apart;
	slice.batch_cycles = rte_get_tsc_hz() / 20000; /* 50 us */
	slice.count_cycles = rte_get_tsc_hz() / 1000;
	slice.hard_deadline = rte_rdtsc() + rte_get_tsc_hz() * LIMIT_S;
}

static void
assert_counts(void)
{
	struct stint_crew *crew = NULL;
	unsigned int busy;

	assert_int_equal(stint_crew_launch(&crew, &eal_machine, slice.n, &busy), 0);
	for (unsigned int round = 0; round < 5; round++) {
		for (unsigned int i = 0; i < slice.n; i++)
			atomic_store(&seen.left[i], false);
		assert_int_equal(stint_slice_run(&slice, crew), STINT_SLICE_DONE);
		for (unsigned int i = 0; i < slice.n; i++)
			assert_true(atomic_load(&seen.left[i]));
	}
	stint_crew_release(crew);
	for (unsigned int i = 0; i < slice.n; i++)
		assert_true(lanes[i].counted > 0 && lanes[i].phase[STINT_PHASE_WHOLE].ops > 0);
}

/* The one that waits is the main lcore, or the last one that is called. */
static void
test_one_waits(void **state)
{
	(void)state;
	for (unsigned int k = 0; k < 2; k++) {
		prepare(step, false);
		lanes[k * (slice.n - 1)].job = (struct stint_job){ .run = wait_for_others,
								   .waits = true,
								   .finish = leave_last };
		assert_counts();
	}
}

static void
test_all_wait(void **state)
{
	(void)state;
	prepare(pass_on, true);
	assert_counts();
}

static uint64_t
wait_in_vain(struct stint_worker *w, uint64_t ops)
{
	await_steps(w, w->index, UINT64_MAX);
	return ops;
}

/* The end of the budget is told to all who wait, while others work. */
static void
test_in_vain(void **state)
{
	struct stint_crew *crew = NULL;
	unsigned int busy;

	(void)state;
	prepare(wait_in_vain, true);
	lanes[1].job = (struct stint_job){ .run = step };
	slice.count_cycles = UINT64_MAX / 4;
	slice.hard_deadline = rte_rdtsc() + rte_get_tsc_hz() / 20;
	assert_int_equal(stint_crew_launch(&crew, &eal_machine, slice.n, &busy), 0);
	assert_int_equal(stint_slice_run(&slice, crew), STINT_SLICE_CUT);
	stint_crew_release(crew);
	assert_int_equal(seen.stopped, slice.n - 1);
}

static int
run_group(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_waits),
		cmocka_unit_test(test_all_wait),
		cmocka_unit_test(test_in_vain),
	};

	return cmocka_run_group_tests_name(apart ? "apart" : "sharing", tests, NULL, NULL);
}

/* Eight lcores that go where there is room, on two CPUs; then four bound to each of them. */
static int
run_children(void)
{
	char cpus[1024], lcores[128];
	int n_cpus = allowed_cpus(cpus, sizeof(cpus)), a = allowed_cpu(0), rc;
	int b = n_cpus > 1 ? allowed_cpu(1) : a;

	snprintf(lcores, sizeof(lcores), "(0-7)@(%d,%d)", a, b);
	rc = in_child(lcores, "0", false, run_group);
	snprintf(lcores, sizeof(lcores), "(0-3)@%d,(4-7)@%d", a, b);
	rc |= in_child(lcores, "0", false, run_group);
	apart = true;
	if (n_cpus > 1)
		rc |= in_child_apart(run_group);
	return rc;
}

int
main(void)
{
	return with_runtime_directory(run_children);
}
