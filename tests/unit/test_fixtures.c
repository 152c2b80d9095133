/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_cycles.h>
#include <rte_malloc.h>
#include <rte_ring.h>

#include <clock.h>
#include <fixtures.h>

#include "eal_child.h"

#define MIB (UINT64_C(1) << 20)
#define DRAWS 10
#define KEYS_MAX 4

/* EAL holds hugepages. */
static bool huge;

/* What setup and teardown did, by key. */
static struct {
	unsigned int setups[KEYS_MAX], teardowns[KEYS_MAX];
	uint64_t seed;   /* of the last set-up */
	int setup_fails; /* with this errno; 0: no */
} seen;

/* Taken from the heap of EAL, on all sockets. */
static uint64_t
heap_bytes(void)
{
	struct rte_malloc_socket_stats stats;
	uint64_t sum = 0;

	for (unsigned int s = 0; s < RTE_MAX_NUMA_NODES; s++) {
		if (rte_malloc_get_socket_stats(s, &stats) == 0)
			sum += stats.heap_allocsz_bytes;
	}
	return sum;
}

static uint64_t
key(const struct stint_point *pt)
{
	return pt->value[0];
}

/* More than the ring that is made, so that the machine is soon said to be full. */
static void
need(const struct stint_point *pt, struct stint_need *n)
{
	stint_need_bytes(n, STINT_SOCKET_LOCAL, pt->value[0] * 16 * MIB);
	stint_need_ring(n, STINT_SOCKET_LOCAL, 1024);
}

static int
setup(const struct stint_point *pt, struct stint_fixture *fx)
{
	assert_ptr_equal(fx->point->test, pt->test);
	seen.setups[pt->value[0]]++;
	seen.seed = fx->seed;
	if (seen.setup_fails != 0)
		return -seen.setup_fails;
	fx->data = rte_ring_create(fx->name, 1024, fx->socket, 0);
	return fx->data != NULL ? 0 : -ENOMEM;
}

static void
teardown(struct stint_fixture *fx)
{
	seen.teardowns[fx->point->value[0]]++;
	rte_ring_free(fx->data);
}

static const struct stint_dim dims[] = { STINT_DIM("key", 1, 2, 3), STINT_DIM("bulk", 1, 8) };
static const struct stint_test test = {
	.name = "fixtures_perf_autotest",
	.suite = STINT_SUITE_PERF,
	.budget_s = 1,
	.dims = STINT_LIST(dims),
	.fixture = key,
	.need = need,
	.setup = setup,
	.teardown = teardown,
	.worker_bytes = 1000,
};
static const struct stint_test greedy_test = {
	.name = "greedy_perf_autotest",
	.suite = STINT_SUITE_PERF,
	.budget_s = 1,
	.dims = STINT_LIST(dims),
	.fixture = key,
	.setup = setup,
	.teardown = teardown,
	.worker_bytes = SIZE_MAX / 4,
};

/* A rate between two latencies, and no state of the workers. */
static const struct stint_metric latency_metrics[] = {
	{ "wait", STINT_LATENCY, "ns" },
	{ "get", STINT_RATE, "objects/s" },
	{ "trip", STINT_LATENCY, "ns" },
};
static const struct stint_test latency_test = {
	.name = "latency_perf_autotest",
	.suite = STINT_SUITE_PERF,
	.budget_s = 1,
	.dims = STINT_LIST(dims),
	.metrics = STINT_LIST(latency_metrics),
	.fixture = key,
	.setup = setup,
	.teardown = teardown,
};

struct rig {
	struct stint_plan plan;
	struct stint_fixtures fxs;
	uint64_t heap_bytes;
};

/* Fixtures of a test on a machine that is said to have `mib`. */
static void
begin(struct rig *rig, const struct stint_test *t, uint64_t mib, uint64_t seed)
{
	char error[256];

	memset(&seen, 0, sizeof(seen));
	rig->heap_bytes = heap_bytes();
	eal_machine.have_bytes[0] = mib * MIB;
	assert_int_equal(stint_plan_init(&rig->plan, t, &eal_machine, NULL, 0, NULL, 0, error,
					 sizeof(error)),
			 0);
	assert_int_equal(rig->plan.n_fixtures, 3);
	assert_int_equal(stint_fixtures_init(&rig->fxs, &rig->plan, seed), 0);
}

/* All that was set up is torn down, and nothing is left. */
static void
end(struct rig *rig)
{
	stint_fixtures_free(&rig->fxs);
	stint_plan_free(&rig->plan);
	assert_int_equal(heap_bytes(), rig->heap_bytes);
	for (unsigned int k = 0; k < KEYS_MAX && seen.setup_fails == 0; k++)
		assert_int_equal(seen.setups[k], seen.teardowns[k]);
}

static void
test_set_up_once(void **state)
{
	struct rig rig;

	(void)state;
	begin(&rig, &test, 1024, 1);
	assert_true(stint_fixtures_all_fit(&rig.fxs));
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(rig.fxs.up[i], false);
		assert_int_equal(stint_fixtures_have(&rig.fxs, i), 0);
		assert_int_equal(stint_fixtures_have(&rig.fxs, i), 0);
		assert_int_equal(seen.setups[i + 1], 1);
		assert_int_equal(seen.teardowns[i + 1], 0);
	}
	assert_true(rig.fxs.up[0] && rig.fxs.up[1] && rig.fxs.up[2]);
	assert_string_not_equal(rig.fxs.list[0].name, rig.fxs.list[1].name);
	assert_ptr_equal(rte_ring_lookup(rig.fxs.list[1].name), rig.fxs.list[1].data);
	assert_int_equal(rig.fxs.n_workers, rig.plan.grid.max_lcores);
	end(&rig);
}

/* One that others depend on keeps all from being drawn anew, as long as it is up. */
static void
test_kept(void **state)
{
	struct rig rig;

	(void)state;
	begin(&rig, &test, 1024, 1);
	assert_int_equal(stint_fixtures_have(&rig.fxs, 1), 0);
	assert_false(stint_fixtures_kept(&rig.fxs));
	rig.fxs.list[1].keep = true;
	assert_true(stint_fixtures_kept(&rig.fxs));
	stint_fixtures_redraw(&rig.fxs);
	assert_false(stint_fixtures_kept(&rig.fxs));
	end(&rig);
}

/* Of the heap, only rings and states stay taken: the spacer is gone as soon as all is set up. */
static void
test_spacer_is_freed(void **state)
{
	uint64_t first = 0;
	struct rig rig;

	(void)state;
	begin(&rig, &test, 1024, 7);
	for (unsigned int draw = 0; draw < DRAWS; draw++) {
		uint64_t taken;

		assert_int_equal(rig.fxs.draw, draw);
		assert_int_equal(stint_fixtures_have(&rig.fxs, 0), 0);
		taken = heap_bytes() - rig.heap_bytes;
		/* a ring of 1024 pointers, its name, and what stands around; a spacer is larger */
		assert_in_range(taken, 1024 * sizeof(void *), 32 << 10);
		if (draw == 0)
			first = taken;
		/* the heap may give a bit more than was asked for, a page of a spacer is more */
		assert_in_range(taken, first - 1024, first + 1024);
		stint_fixtures_redraw(&rig.fxs);
		assert_int_equal(heap_bytes(), rig.heap_bytes);
	}
	end(&rig);
}

/* Where things were placed, and the seeds of the set-ups. */
static void
draw(uintptr_t *at, uint64_t *seeds, uint64_t seed)
{
	struct rig rig;

	begin(&rig, &test, 1024, seed);
	for (unsigned int i = 0; i < DRAWS; i++) {
		assert_int_equal(stint_fixtures_have(&rig.fxs, 0), 0);
		at[i] = (uintptr_t)rig.fxs.list[0].data;
		seeds[i] = seen.seed;
		stint_fixtures_redraw(&rig.fxs);
	}
	end(&rig);
}

/* Each set-up has another one, and a run with the same --seed has them again. */
static void
test_seeds(void **state)
{
	uint64_t first[DRAWS], again[DRAWS], other[DRAWS];
	uintptr_t at[DRAWS];

	(void)state;
	draw(at, first, 1);
	draw(at, again, 1);
	draw(at, other, 2);
	assert_memory_equal(first, again, sizeof(first));
	for (unsigned int a = 0; a < DRAWS; a++) {
		for (unsigned int b = 0; b < DRAWS; b++) {
			assert_true(a == b || first[a] != first[b]);
			assert_true(first[a] != other[b]);
		}
	}
}

/* How many of the draws differ in at / unit modulo `of`. */
static unsigned int
different(const uintptr_t *at, uintptr_t unit, uintptr_t of)
{
	unsigned int n = 0;

	for (unsigned int draw = 0; draw < DRAWS; draw++) {
		unsigned int i = 0;

		while (at[i] / unit % of != at[draw] / unit % of)
			i++;
		n += i == draw;
	}
	return n;
}

/* Of ten draws from 64 cache lines and 256 pages some may coincide, half of them do not. */
static void
test_placement_is_drawn(void **state)
{
	uintptr_t first[DRAWS], other[DRAWS], again[DRAWS];
	uint64_t seeds[DRAWS];

	(void)state;
	draw(first, seeds, 1);
	draw(other, seeds, 2);
	assert_in_range(different(first, 1, UINTPTR_MAX), DRAWS / 2, DRAWS);
	assert_in_range(different(first, RTE_CACHE_LINE_SIZE, 4096 / RTE_CACHE_LINE_SIZE),
			DRAWS / 2, DRAWS);
	assert_in_range(different(first, 4096, UINTPTR_MAX), DRAWS / 2, DRAWS);
	assert_memory_not_equal(first, other, sizeof(first));
	/* the seed decides: the same offsets from where the heap begins */
	draw(again, seeds, 1);
	for (unsigned int i = 1; i < DRAWS && !huge; i++)
		assert_int_equal(again[i] - again[0], first[i] - first[0]);
}

/* In 64 MiB those of 16 and 32 fit beside each other, that of 48 only alone. */
static void
test_turns(void **state)
{
	static const struct {
		unsigned int have;
		const char *up;
	} steps[] = {
		{ 0, "100" }, { 1, "110" }, { 0, "110" }, { 2, "001" }, { 2, "001" },
		{ 1, "010" }, { 0, "110" }, { 2, "001" }, { 0, "100" },
	};
	struct rig rig;

	(void)state;
	begin(&rig, &test, 64, 1);
	assert_false(stint_fixtures_all_fit(&rig.fxs));
	for (unsigned int i = 0; i < RTE_DIM(steps); i++) {
		assert_int_equal(stint_fixtures_have(&rig.fxs, steps[i].have), 0);
		for (unsigned int k = 0; k < 3; k++) {
			assert_int_equal(rig.fxs.up[k], steps[i].up[k] == '1');
			assert_int_equal(seen.setups[k + 1] - seen.teardowns[k + 1], rig.fxs.up[k]);
		}
	}
	/* times that a fixture was not up when it was wanted */
	assert_int_equal(seen.setups[1], 3);
	assert_int_equal(seen.setups[2], 2);
	assert_int_equal(seen.setups[3], 2);
	end(&rig);
}

static void
test_setup_fails(void **state)
{
	static const int errors[] = { ENOMEM, EINVAL, ENOTSUP };

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(errors); i++) {
		struct rig rig;

		begin(&rig, &test, 1024, 1);
		seen.setup_fails = errors[i];
		assert_int_equal(stint_fixtures_have(&rig.fxs, 1), -1);
		assert_false(rig.fxs.up[1]);
		assert_int_equal(rig.fxs.error, errors[i]);
		assert_non_null(strstr(rig.fxs.message, strerror(errors[i])));
		stint_fixtures_redraw(&rig.fxs);
		assert_int_equal(heap_bytes(), rig.heap_bytes);
		assert_int_equal(seen.teardowns[2], 0);
		/* another try may do better */
		seen.setup_fails = 0;
		seen.setups[2] = 0;
		assert_int_equal(stint_fixtures_have(&rig.fxs, 1), 0);
		assert_true(rig.fxs.up[1]);
		end(&rig);
	}
}

static void
test_states_do_not_fit(void **state)
{
	struct rig rig;

	(void)state;
	begin(&rig, &greedy_test, 1024, 1);
	assert_int_equal(stint_fixtures_have(&rig.fxs, 0), -1);
	assert_int_equal(rig.fxs.error, ENOMEM);
	assert_int_equal(rig.fxs.n_workers, 0);
	assert_int_equal(seen.setups[1], 0);
	assert_int_equal(heap_bytes(), rig.heap_bytes);
	end(&rig);
}

/* Each draw has empty ones, of each worker on cache lines of their own. */
static void
test_recorders(void **state)
{
	struct rig rig;

	(void)state;
	begin(&rig, &test, 1024, 1);
	assert_int_equal(stint_fixtures_have(&rig.fxs, 0), 0);
	assert_null(rig.fxs.recorders[0]);
	end(&rig);
	begin(&rig, &latency_test, 1024, 1);
	for (unsigned int draw = 0; draw < DRAWS; draw++) {
		assert_int_equal(stint_fixtures_have(&rig.fxs, 0), 0);
		for (unsigned int i = 0; i < rig.plan.grid.max_lcores; i++) {
			struct stint_recorder *r = rig.fxs.recorders[i];

			assert_null(rig.fxs.states[i]);
			assert_non_null(r);
			assert_int_equal((uintptr_t)r % RTE_CACHE_LINE_SIZE, 0);
			for (unsigned int k = 0; k < 2; k++) {
				assert_int_equal(r[k].min, UINT64_MAX);
				assert_int_equal(r[k].max, 0);
				stint_recorder_add(&r[k], 5, 1);
				assert_int_equal(r[k].counts[5], 1);
				assert_true(r[k].sum == 5);
			}
		}
		stint_fixtures_redraw(&rig.fxs);
		assert_int_equal(heap_bytes(), rig.heap_bytes);
	}
	end(&rig);
}

/* By the rate that was measured, whatever EAL takes it for; without a run by EAL's. */
static void
test_rate(void **state)
{
	struct stint_clock clock = { .hz = 2e9 };
	const struct stint_fixture fx = { .clock = &clock }, alone = { .clock = NULL };

	(void)state;
	assert_int_equal(stint_ns_cycles(&fx, 1500), 3000);
	assert_int_equal(stint_cycles_ns(&fx, 3000), 1500);
	assert_int_equal(stint_ns_cycles(&alone, 1000000000), rte_get_tsc_hz());
}

static int
run_group(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_set_up_once),
		cmocka_unit_test(test_spacer_is_freed),
		cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_placement_is_drawn),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_setup_fails),
		cmocka_unit_test(test_states_do_not_fit),
		cmocka_unit_test(test_recorders),
		cmocka_unit_test(test_rate),
	};

	return cmocka_run_group_tests_name(huge ? "hugepages" : "no hugepages", tests, NULL, NULL);
}

/* As EAL would find them: 64 MiB for -m, and as much for what it takes besides. */
static bool
have_hugepages(void)
{
	const struct stint_host_pages *pages;
	static struct stint_host host;

	if (stint_host_read(&host, "") != 0)
		return false;
	pages = stint_host_pages(&host, 2 << 20);
	return pages != NULL && pages->free[0] >= 64;
}

static int
run_children(void)
{
	int rc = in_child_sharing(false, run_group);

	huge = true;
	if (have_hugepages())
		rc |= in_child_sharing(true, run_group);
	return rc;
}

int
main(void)
{
	return with_runtime_directory(run_children);
}
