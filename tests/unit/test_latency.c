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

#include <crew.h>
#include <latency.h>
#include <stamp.h>

#include "eal_child.h"

#define LANES_MAX 4

enum { RATE, LATENCY, HALF };

/* Lcores have a CPU each. */
static bool apart;

static double
half(const struct stint_point *pt)
{
	(void)pt;
	return 0.5;
}

static const struct stint_metric metrics[] = {
	[RATE] = { "get", STINT_RATE, "objects/s" },
	[LATENCY] = { "trip", STINT_LATENCY, "ns" },
	[HALF] = { "half", STINT_LATENCY, "ns", .of = &metrics[LATENCY], .factor = half },
};
static const struct stint_test test = { .name = "latency_perf_autotest",
					.metrics = STINT_LIST(metrics) };
static struct stint_cell cell = { .point = { .test = &test } };
static struct stint_recorder recorders[LANES_MAX];
static struct stint_lane lanes[LANES_MAX];
static struct stint_slice slice;
static uint64_t calls[LANES_MAX]; /* operations of each lane so far */

/* Operations are numbered, and each takes its number of cycles. */
static uint64_t
count_up(struct stint_worker *w, uint64_t ops)
{
	for (uint64_t i = 0; i < ops; i++) {
		rte_pause();
		stint_latency(w, LATENCY, ++calls[w->index]);
	}
	return ops;
}

static void
prepare(void)
{
	memset(calls, 0, sizeof(calls));
	memset(lanes, 0, sizeof(lanes));
	memset(&slice, 0, sizeof(slice));
	memset(recorders, 0, sizeof(recorders));
	cell.point.lcores = eal_machine.n_lcores;
	for (unsigned int i = 0; i < eal_machine.n_lcores; i++) {
		lanes[i].worker = (struct stint_worker){ .point = &cell.point, .index = i };
		lanes[i].job = (struct stint_job){ .run = count_up };
		lanes[i].batches.ops[STINT_PHASE_WHOLE] = 1;
		stint_latency_init(&test, &recorders[i]);
		stint_latency_attach(&lanes[i].worker, &recorders[i]);
		assert_null(lanes[i].worker.recorders[RATE]);
		assert_null(lanes[i].worker.recorders[HALF]);
		assert_ptr_equal(lanes[i].worker.recorders[LATENCY], &recorders[i]);
	}
	slice.n = eal_machine.n_lcores;
	slice.lanes = lanes;
	slice.in_turn = !apart;
	slice.batch_cycles = rte_get_tsc_hz() / 20000; /* 50 us */
	slice.count_cycles = rte_get_tsc_hz() / 1000;
	slice.hard_deadline = UINT64_MAX / 4;
}

/* Operations n to m, one after the other: what was recorded is what was counted, all of it. */
static void
assert_counted(const struct stint_lane *lane, uint64_t before)
{
	const struct stint_recorder *r = lane->worker.recorders[LATENCY];
	const uint64_t n = lane->phase[STINT_PHASE_WHOLE].ops;
	uint64_t recorded = 0;

	for (uint32_t b = 0; b < STINT_HISTOGRAM_BUCKETS; b++)
		recorded += r->counts[b];
	assert_int_equal(recorded, n);
	assert_int_equal(r->max - r->min + 1, n);
	assert_true(r->sum == (stint_uint128)(r->min + r->max) * n / 2);
	/* there was a batch before, and where lanes go on after theirs perhaps one after */
	assert_true(r->min > before + 1);
	assert_true(r->max <= calls[lane->worker.index]);
}

static void
test_only_what_counts(void **state)
{
	struct stint_crew *crew = NULL;
	struct stint_histogram h;
	unsigned int busy, went_on = 0;

	(void)state;
	prepare();
	stint_histogram_init(&h);
	assert_int_equal(stint_crew_launch(&crew, &eal_machine, slice.n, &busy), 0);
	for (unsigned int round = 0; round < 50; round++) {
		uint64_t counted = 0, before[LANES_MAX];

		memcpy(before, calls, sizeof(before));
		for (unsigned int i = 0; i < slice.n; i++)
			memset(lanes[i].phase, 0, sizeof(lanes[i].phase));
		assert_int_equal(stint_slice_run(&slice, crew), STINT_SLICE_DONE);
		for (unsigned int i = 0; i < slice.n; i++) {
			assert_counted(&lanes[i], before[i]);
			counted += lanes[i].phase[STINT_PHASE_WHOLE].ops;
			went_on += recorders[i].max < calls[i];
		}
		stint_histogram_clear(&h);
		assert_int_equal(stint_latency_take(&h, lanes, slice.n, LATENCY), 0);
		assert_int_equal(h.count, counted);
	}
	/* some lane of some round had counted before the others */
	assert_int_equal(went_on > 0, apart);
	stint_crew_release(crew);
	stint_histogram_free(&h);
}

/* Slices of one visit add up. What a slice that was cut has recorded is not for the next one. */
static void
test_taken_between_visits(void **state)
{
	struct stint_crew *crew = NULL;
	struct stint_histogram h;
	uint64_t counted = 0;
	unsigned int busy;

	(void)state;
	prepare();
	stint_histogram_init(&h);
	assert_int_equal(stint_crew_launch(&crew, &eal_machine, slice.n, &busy), 0);
	for (unsigned int k = 0; k < 3; k++)
		assert_int_equal(stint_slice_run(&slice, crew), STINT_SLICE_DONE);
	for (unsigned int i = 0; i < slice.n; i++)
		counted += lanes[i].phase[STINT_PHASE_WHOLE].ops;
	assert_int_equal(stint_latency_take(&h, lanes, slice.n, LATENCY), 0);
	assert_int_equal(h.count, counted);
	slice.count_cycles = UINT64_MAX / 4;
	slice.hard_deadline = rte_rdtsc() + rte_get_tsc_hz() / 100;
	assert_int_equal(stint_slice_run(&slice, crew), STINT_SLICE_CUT);
	assert_int_equal(stint_latency_take(&h, lanes, slice.n, LATENCY), 0);
	stint_histogram_clear(&h);
	assert_int_equal(stint_latency_take(&h, lanes, slice.n, LATENCY), 0);
	assert_int_equal(h.count, 0);
	for (unsigned int i = 0; i < slice.n; i++)
		assert_int_equal(lanes[i].worker.counting, 0);
	stint_crew_release(crew);
	stint_histogram_free(&h);
}

static json_int_t
number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value))
		fail_msg("%s is no integer", key);
	return json_integer_value(value);
}

static json_int_t
element(const json_t *object, const char *key, size_t i)
{
	return json_integer_value(json_array_get(json_object_get(object, key), i));
}

/* Two lanes of 4 and 3 samples: 10, 10, 2047, 5000 and 0, 10, 1000000. */
static void
test_record(void **state)
{
	static const uint64_t samples[2][4] = { { 10, 10, 2047, 5000 }, { 0, 10, 1000000 } };
	static const json_int_t buckets[] = { 0, 10, 2047, 2 * 1024 + 1250, 9 * 1024 + 1953 };
	static const json_int_t counts[] = { 1, 3, 1, 1, 1 };
	const struct stint_clock clock = { .hz = 2.5e9 };
	struct stint_visit visit = {
		.cell = &cell, .lanes = lanes, .round = 3, .at_ns = 77, .small_pages = true
	};
	struct stint_histogram h;
	json_t *record;

	(void)state;
	prepare();
	stint_histogram_init(&h);
	cell.point.lcores = 2;
	cell.labels = json_pack("{s:i}", "size", 64);
	for (unsigned int i = 0; i < 2; i++) {
		lanes[i].worker.counting = 1;
		lanes[i].worker.lcore = 9 - i;
		lanes[i].job.metric = i == 0 ? RATE : -1;
		for (unsigned int k = 0; k < 4 - i; k++)
			stint_latency(&lanes[i].worker, LATENCY, samples[i][k]);
	}
	lanes[1].taint.slow = true;
	assert_int_equal(stint_latency_take(&h, lanes, 2, LATENCY), 0);
	record = stint_latency_record(&h, &visit, LATENCY, &clock);
	assert_string_equal(json_string_value(json_object_get(record, "type")), "histogram");
	assert_string_equal(json_string_value(json_object_get(record, "test")), test.name);
	assert_string_equal(json_string_value(json_object_get(record, "metric")), "trip");
	assert_string_equal(json_string_value(json_object_get(record, "unit")), "ns");
	assert_string_equal(json_string_value(json_object_get(record, "pages")), "4K");
	assert_int_equal(number(json_object_get(record, "point"), "size"), 64);
	assert_int_equal(number(record, "round"), 3);
	assert_int_equal(number(record, "at_ns"), 77);
	assert_int_equal(number(record, "bits"), 10);
	assert_int_equal(number(record, "count"), 7);
	assert_int_equal(number(record, "min_cycles"), 0);
	assert_int_equal(number(record, "max_cycles"), 1000000);
	assert_int_equal(number(record, "sum_cycles"), 1007077);
	/* 300 + 2047^2 + 25000000 + 10^12 */
	assert_true(json_real_value(json_object_get(record, "sum_squares")) == 1000029190509.0);
	assert_true(json_real_value(json_object_get(record, "tsc_hz")) == 2.5e9);
	assert_true(json_real_value(json_object_get(json_object_get(record, "parts"), "half")) ==
		    0.5);
	/* a latency is that of all lcores, and any of them may have disturbed it */
	assert_int_equal(element(record, "lcores", 0), 9);
	assert_int_equal(element(record, "lcores", 1), 8);
	assert_true(json_is_true(json_object_get(record, "disturbed")));
	assert_true(json_is_true(json_object_get(json_object_get(record, "taint"), "slow")));
	assert_int_equal(json_array_size(json_object_get(record, "buckets")), RTE_DIM(buckets));
	assert_int_equal(json_array_size(json_object_get(record, "counts")), RTE_DIM(counts));
	for (size_t i = 0; i < RTE_DIM(buckets); i++) {
		assert_int_equal(element(record, "buckets", i), buckets[i]);
		assert_int_equal(element(record, "counts", i), counts[i]);
	}
	json_decref(record);
	json_decref(cell.labels);
	stint_histogram_free(&h);
}

/* A counter that moves by steps is seen to, and one that stands is no fault. */
static void
test_stamps(void **state)
{
	static const struct {
		uint64_t a, b, common;
	} cases[] = { { 0, 0, 0 }, { 0, 26, 26 }, { 26, 52, 26 }, { 40, 26, 2 }, { 7, 5, 1 } };
	struct stint_stamp_cost cost = stint_stamp_measure();

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++)
		assert_int_equal(stint_stamp_common(cases[i].a, cases[i].b), cases[i].common);
	assert_true(cost.cost > 0);
	assert_true(cost.resolution > 0 && cost.resolution <= 2 * cost.cost);
}

/* Beyond 63 bits JSON has no integers: numbers with a point then, and never a negative one. */
static void
test_record_of_nonsense(void **state)
{
	const struct stint_clock clock = { .hz = 1e9 };
	struct stint_visit visit = { .cell = &cell, .lanes = lanes };
	struct stint_histogram h;
	json_t *record;

	(void)state;
	prepare();
	stint_histogram_init(&h);
	cell.point.lcores = 1;
	cell.labels = json_object();
	lanes[0].worker.counting = 1;
	stint_latency(&lanes[0].worker, LATENCY, UINT64_MAX);
	stint_latency(&lanes[0].worker, LATENCY, INT64_MAX);
	assert_int_equal(stint_latency_take(&h, lanes, 1, LATENCY), 0);
	record = stint_latency_record(&h, &visit, LATENCY, &clock);
	assert_int_equal(number(record, "min_cycles"), INT64_MAX);
	assert_true(json_real_value(json_object_get(record, "max_cycles")) == 0x1p64);
	assert_true(json_real_value(json_object_get(record, "sum_cycles")) == 0x1.8p64);
	json_decref(record);
	json_decref(cell.labels);
	stint_histogram_free(&h);
}

static int
run_group(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_counts),
		cmocka_unit_test(test_taken_between_visits),
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_record_of_nonsense),
		cmocka_unit_test(test_stamps),
	};

	return cmocka_run_group_tests_name(apart ? "apart" : "sharing", tests, NULL, NULL);
}

static int
run_children(void)
{
	return in_children_of_both_kinds(&apart, run_group);
}

int
main(void)
{
	return with_runtime_directory(run_children);
}
