/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_common.h>

#include <sample.h>

/* A cycle is a ns. */
static const struct stint_clock clock_1ghz = { .hz = 1e9 };

enum { RATE, COST, HANDOVER, COST_AGAIN, BITS, PER_BIT, SHARE, PLAIN_SHARE, CPU };

static double
bits(const struct stint_point *pt)
{
	return 8 * (pt->value[0] + 20);
}

static const struct stint_metric metrics[] = {
	[RATE] = { "get+put", STINT_RATE, "objects/s" },
	[COST] = { "cost", STINT_COST, "cycles/object" },
	[HANDOVER] = { "handover", STINT_HANDOVER, "ns" },
	[COST_AGAIN] = { "cost of get+put", STINT_COST, "cycles/object", .of = &metrics[RATE] },
	[BITS] = { "bits", STINT_RATE, "bit/s", .of = metrics, .factor = bits },
	[PER_BIT] = { "cost of a bit", STINT_COST, "cycles/bit", .of = metrics, .factor = bits },
	[SHARE] = { "share", STINT_SHARE, "%", .of = metrics, .factor = bits },
	[PLAIN_SHARE] = { "plain share", STINT_SHARE, "%", .of = metrics },
	[CPU] = { "cpu", STINT_CPU, "% of time", .of = metrics },
};
static const char *const phase_names[] = { "get", "put" };
static const struct stint_test test = {
	.name = "sample_perf_autotest",
	.metrics = STINT_LIST(metrics),
	.phase_names = phase_names,
};

struct counted {
	uint64_t ops, cycles;
};

/* A lane that nothing disturbed: all its cycles on the CPU, batches of equal length. */
static struct stint_lane
lane_of(int metric, unsigned int phases, struct counted whole, struct counted first,
	struct counted second)
{
	struct stint_lane lane = { .job = { .metric = metric, .phases = phases }, .counted = 20 };
	uint64_t cycles = whole.cycles + first.cycles + second.cycles;

	lane.phase[STINT_PHASE_WHOLE].ops = whole.ops;
	lane.phase[STINT_PHASE_WHOLE].cycles = whole.cycles;
	lane.phase[1].ops = first.ops;
	lane.phase[1].cycles = first.cycles;
	lane.phase[2].ops = second.ops;
	lane.phase[2].cycles = second.cycles;
	lane.taint.cpu_ns = cycles;
	lane.taint.gap_cycles = cycles / lane.counted;
	return lane;
}

static struct stint_lane
whole_lane(int metric, uint64_t ops, uint64_t cycles)
{
	return lane_of(metric, 0, (struct counted){ ops, cycles }, (struct counted){ 0 },
		       (struct counted){ 0 });
}

static bool
make(struct stint_sample *sample, const struct stint_lane *lanes, unsigned int n,
     unsigned int metric, bool shares)
{
	struct stint_cell cell = { .point = { .test = &test, .lcores = n } };
	struct stint_visit visit = { .cell = &cell,
				     .lanes = lanes,
				     .complete = true,
				     .shares = shares,
				     .handover_ns = 1234.5 };

	return stint_sample_make(sample, &visit, metric, &clock_1ghz);
}

static void
assert_near(double value, double want)
{
	if (!(fabs(value - want) <= 1e-9 * want))
		fail_msg("%.17g, not %.17g", value, want);
}

static void
test_rate(void **state)
{
	const struct stint_lane lanes[] = {
		whole_lane(RATE, 1000, 1000000),
		whole_lane(RATE, 3000, 1000000),
		whole_lane(RATE, 500, 1000000),
	};
	static const double want[] = { 0, 1e6, 4e6, 4.5e6 };
	struct stint_sample s;

	(void)state;
	/* 1 ms each: 1000, 3000 and 500 operations are 1, 3 and 0.5 million a second, summed */
	for (unsigned int n = 1; n <= 3; n++) {
		assert_true(make(&s, lanes, n, RATE, false));
		assert_near(s.value, want[n]);
		assert_int_equal(s.lcores, n);
		assert_near(s.ns, 1e6);
		assert_int_equal(s.phases, 0);
		assert_false(s.disturbed);
	}
	assert_int_equal(s.ops, 4500);
	assert_int_equal(s.cycles, 3000000);
}

static void
test_cost(void **state)
{
	const struct stint_lane lanes[] = {
		whole_lane(COST, 1000, 25000),
		whole_lane(COST, 1000, 35000),
	};
	struct stint_sample s;

	(void)state;
	assert_true(make(&s, lanes, 1, COST, false));
	assert_near(s.value, 25);
	/* 60000 cycles of two lcores for 2000 operations */
	assert_true(make(&s, lanes, 2, COST, false));
	assert_near(s.value, 30);
}

/* Two lcores, of which one found nothing to do, are no sample of two; sharing CPUs they may be. */
static void
test_idle_lane(void **state)
{
	const struct counted none = { 0 }, idle = { 0, 1000000 }, busy = { 1000, 1000000 };
	const struct stint_lane lanes[][2] = {
		{ lane_of(COST, 0, busy, none, none), lane_of(COST, 0, idle, none, none) },
		{ lane_of(COST, 0, idle, none, none), lane_of(COST, 0, busy, none, none) },
		{ lane_of(COST, 2, none, busy, busy), lane_of(COST, 2, none, none, none) },
	};
	struct stint_sample s;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(lanes); i++) {
		assert_false(make(&s, lanes[i], 2, COST, false));
		assert_true(make(&s, lanes[i], 2, COST, true));
	}
	assert_true(make(&s, lanes[0], 1, COST, false));
}

/* Only the lanes of the metric count, and each metric has its own. */
static void
test_metrics(void **state)
{
	const struct stint_lane lanes[] = {
		whole_lane(-1, 7777, 1000000),
		whole_lane(COST, 1000, 1000000),
		whole_lane(RATE, 2000, 1000000),
	};
	struct stint_sample s;

	(void)state;
	assert_true(make(&s, lanes, 3, RATE, false));
	assert_int_equal(s.ops, 2000);
	assert_int_equal(s.lcores, 1);
	assert_near(s.value, 2e6);
	assert_true(make(&s, lanes, 3, COST, false));
	assert_int_equal(s.ops, 1000);
	assert_near(s.value, 1000);
	/* lanes beyond those of the point are those of another one */
	assert_false(make(&s, lanes, 2, RATE, false));
	assert_false(make(&s, lanes, 1, COST, false));
	/* the hand-over is that of all lcores */
	assert_true(make(&s, lanes, 3, HANDOVER, false));
	assert_int_equal(s.lcores, 3);
	assert_near(s.value, 1234.5);
}

/* One set of operations, looked at in several ways: what they cost, and the bits of 64 bytes. */
static void
test_derived(void **state)
{
	const struct stint_lane lanes[] = {
		whole_lane(RATE, 1000, 1000000),
		whole_lane(COST, 7777, 1000000),
		whole_lane(RATE, 3000, 1000000),
	};
	struct stint_cell cell = { .point = { .test = &test, .lcores = 3, .value = { 64 } },
				   .labels = json_object() };
	struct stint_visit visit = { .cell = &cell, .lanes = lanes };
	struct stint_sample s;
	json_t *record;

	(void)state;
	assert_true(stint_sample_make(&s, &visit, COST_AGAIN, &clock_1ghz));
	assert_near(s.value, 2000000.0 / 4000);
	assert_int_equal(s.lcores, 2);
	assert_true(stint_sample_make(&s, &visit, BITS, &clock_1ghz));
	/* 4 million a second of 84 bytes each */
	assert_near(s.value, 4e6 * 672);
	assert_true(stint_sample_make(&s, &visit, PER_BIT, &clock_1ghz));
	assert_near(s.value, 500 / 672.0);
	/* the rate, which the engine then divides by that of another point */
	assert_true(stint_sample_make(&s, &visit, SHARE, &clock_1ghz));
	assert_near(s.value, 4e6 * 672);
	record = stint_sample_record(&s, &visit, BITS, &clock_1ghz);
	assert_string_equal(json_string_value(json_object_get(record, "kind")), "scaled");
	json_decref(record);
	record = stint_sample_record(&s, &visit, PLAIN_SHARE, &clock_1ghz);
	assert_non_null(record);
	assert_string_equal(json_string_value(json_object_get(record, "kind")), "share");
	json_decref(record);
	json_decref(cell.labels);
}

/* Of the time in which the CPU time was read, all lcores together; 0 of it is no number. */
static void
test_cpu(void **state)
{
	static const struct {
		uint64_t cpu_ns[2], window_cycles[2];
		double want;
	} cases[] = {
		{ { 1000, 1000 }, { 1000, 1000 }, 100 }, { { 1000, 0 }, { 1000, 1000 }, 50 },
		{ { 500, 1500 }, { 2000, 2000 }, 50 },   { { 0, 0 }, { 2000, 2000 }, 0 },
		{ { 900, 0 }, { 1000, 0 }, 90 },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct stint_lane lanes[] = { whole_lane(RATE, 10, 1000),
					      whole_lane(RATE, 10, 1000) };
		struct stint_sample s;

		for (unsigned int n = 0; n < 2; n++) {
			lanes[n].taint.cpu_ns = cases[i].cpu_ns[n];
			lanes[n].taint.window_cycles = cases[i].window_cycles[n];
		}
		assert_true(make(&s, lanes, 2, CPU, false));
		if (cases[i].want > 0)
			assert_near(s.value, cases[i].want);
		else
			assert_true(s.value == 0);
	}
}

static void
test_nothing_counted(void **state)
{
	const struct stint_lane lanes[] = { whole_lane(RATE, 0, 1000), whole_lane(RATE, 10, 0),
					    whole_lane(RATE, 0, 0) };
	struct stint_sample s;

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(lanes); i++)
		assert_false(make(&s, &lanes[i], 1, RATE, false));
}

/* 5e9 operations on each of two lcores in a second, and more cycles than 32 bits hold */
static void
test_64_bits(void **state)
{
	const struct stint_lane lanes[] = {
		whole_lane(RATE, UINT64_C(5000000000), UINT64_C(1000000000)),
		whole_lane(RATE, UINT64_C(5000000000), UINT64_C(1000000000)),
		whole_lane(COST, UINT64_C(5000000000), UINT64_C(50000000000)),
	};
	struct stint_cell cell = { .point = { .test = &test, .lcores = 2 },
				   .labels = json_object() };
	struct stint_visit visit = { .cell = &cell, .lanes = lanes };
	struct stint_sample s;
	json_t *record;

	(void)state;
	assert_true(stint_sample_make(&s, &visit, RATE, &clock_1ghz));
	assert_near(s.value, 1e10);
	record = stint_sample_record(&s, &visit, RATE, &clock_1ghz);
	assert_int_equal(json_integer_value(json_object_get(record, "ops")), 10000000000);
	assert_int_equal(json_integer_value(json_object_get(record, "cycles")), 2000000000);
	json_decref(record);
	json_decref(cell.labels);
	assert_true(make(&s, &lanes[2], 1, COST, false));
	assert_near(s.value, 10);
	assert_int_equal(s.cycles, 50000000000);
}

static void
test_phases(void **state)
{
	static const struct {
		struct counted whole, get, put;
		unsigned int phases;
		uint64_t ops;
		double cost;
	} cases[] = {
		/* 1000 / 100 + 1500 / 300: as many gets as puts would have cost 15 */
		{ { 0, 0 }, { 100, 1000 }, { 300, 1500 }, 2, 400, 15 },
		{ { 0, 0 }, { 1, 10 }, { 1000000, 5000000 }, 2, 1000001, 15 },
		/* most of the time went to whole cycles: 20000 / 1000 */
		{ { 1000, 20000 }, { 100, 1000 }, { 300, 1500 }, 0, 1000, 20 },
		{ { 1000, 20000 }, { 100, 1000 }, { 0, 0 }, 0, 1000, 20 },
		/* or less of it, or as much */
		{ { 100, 2499 }, { 100, 1000 }, { 300, 1500 }, 2, 400, 15 },
		{ { 100, 2500 }, { 100, 1000 }, { 300, 1500 }, 0, 100, 25 },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct stint_lane lane =
			lane_of(COST, 2, cases[i].whole, cases[i].get, cases[i].put);
		struct stint_sample s;

		assert_true(make(&s, &lane, 1, COST, false));
		assert_near(s.value, cases[i].cost);
		assert_int_equal(s.phases, cases[i].phases);
		assert_int_equal(s.ops, cases[i].ops);
		lane.job.metric = RATE;
		assert_true(make(&s, &lane, 1, RATE, false));
		assert_near(s.value, 1e9 / cases[i].cost);
	}
}

/* Each phase is summed over the lcores: gets (1000 + 3000) / (100 + 100), puts 2000 / 400. */
static void
test_phases_of_lanes(void **state)
{
	const struct stint_lane lanes[] = {
		lane_of(RATE, 2, (struct counted){ 0 }, (struct counted){ 100, 1000 },
			(struct counted){ 400, 2000 }),
		lane_of(RATE, 2, (struct counted){ 0 }, (struct counted){ 100, 3000 },
			(struct counted){ 0, 0 }),
	};
	struct stint_sample s;

	(void)state;
	assert_true(make(&s, lanes, 2, RATE, false));
	assert_near(s.value, 2 * 1e9 / (20 + 5));
	assert_int_equal(s.ops, 600);
	assert_near(s.ns, 3000);
}

/* Gets fill what puts drain: only 1500 / 300 count, whatever the gets took, but for disturbance. */
static void
test_counted_phases(void **state)
{
	struct stint_lane lane =
		lane_of(COST, 2, (struct counted){ 0 }, (struct counted){ 100, 7000 },
			(struct counted){ 300, 1500 });
	struct stint_sample s;

	(void)state;
	lane.job.counted_phases = STINT_PHASE(2);
	assert_true(make(&s, &lane, 1, COST, false));
	assert_near(s.value, 5);
	assert_int_equal(s.ops, 300);
	assert_int_equal(s.cycles, 1500);
	assert_near(s.ns, 1500);
	assert_false(s.disturbed);
	lane.job.metric = RATE;
	assert_true(make(&s, &lane, 1, RATE, false));
	assert_near(s.value, 1e9 / 5);
	/* the other one needs no operations, this one does */
	lane.phase[1].ops = 0;
	assert_true(make(&s, &lane, 1, RATE, false));
	assert_int_equal(stint_missing_phase(&lane, 1), 0);
	lane.phase[2].ops = 0;
	assert_false(make(&s, &lane, 1, RATE, false));
	/* it was reached, though: to wait for it once more is no use */
	assert_int_equal(stint_missing_phase(&lane, 1), 0);
	lane.phase[2].cycles = 0;
	assert_int_equal(stint_missing_phase(&lane, 1), 2);
}

/* A phase without operations gives no value, never one that is no number. */
static void
test_phase_without_operations(void **state)
{
	const struct stint_lane lane =
		lane_of(RATE, 2, (struct counted){ 0 }, (struct counted){ 100, 1000 },
			(struct counted){ 0, 0 });
	struct stint_sample s;

	(void)state;
	if (make(&s, &lane, 1, RATE, false))
		assert_true(isfinite(s.value) && s.value > 0);
}

/* 20 batches of 50000 cycles: more than 2 x 50000 + 5 % of 1000000 between, or 5 % off the CPU. */
static void
test_disturbed(void **state)
{
	static const struct {
		uint64_t gap, cpu_ns;
		bool disturbed;
	} cases[] = {
		{ 50000, 1000000, false },  { 149990, 1000000, false }, { 150010, 1000000, true },
		{ 1000000, 1000000, true }, { 50000, 950010, false },   { 50000, 949990, true },
		{ 50000, 0, true },         { 50000, 1100000, false },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct stint_lane lane = whole_lane(RATE, 1000, 1000000);
		struct stint_sample s;

		lane.taint.gap_cycles = cases[i].gap;
		lane.taint.cpu_ns = cases[i].cpu_ns;
		lane.taint.window_cycles = 1000000;
		assert_true(make(&s, &lane, 1, RATE, false));
		assert_int_equal(s.disturbed, cases[i].disturbed);
		assert_true(make(&s, &lane, 1, RATE, true));
		assert_false(s.disturbed);
	}
}

/* The longest gap of any lane, sums of the rest; lanes that are load do not count. */
static void
test_taint(void **state)
{
	struct stint_lane lanes[] = {
		whole_lane(RATE, 1000, 1000000),
		whole_lane(RATE, 1000, 1000000),
		whole_lane(-1, 1000, 1000000),
	};
	struct stint_sample s;

	(void)state;
	lanes[0].taint = (struct stint_taint){ 1, 20, 300, 4000, 500, 60000, 400, false };
	lanes[1].taint = (struct stint_taint){ 2, 30, 400, 5000, 600, 50000, 500, true };
	lanes[2].taint = (struct stint_taint){ 9, 90, 900, 9000, 700, 90000, 900, false };
	assert_true(make(&s, lanes, 3, RATE, false));
	assert_int_equal(s.taint.switches, 3);
	assert_int_equal(s.taint.faults, 50);
	assert_int_equal(s.taint.cpu_ns, 700);
	assert_int_equal(s.taint.sys_ns, 9000);
	assert_int_equal(s.taint.window_cycles, 1100);
	assert_int_equal(s.taint.gap_cycles, 60000);
	assert_int_equal(s.taint.probe_cycles, 500);
	assert_true(s.taint.slow);
	assert_true(s.disturbed);
}

static void
test_missing_phase(void **state)
{
	static const struct {
		struct {
			unsigned int phases;
			struct counted whole, get, put;
		} lanes[2];
		unsigned int want;
	} cases[] = {
		{ { { 0, { 10, 100 }, { 0, 0 }, { 0, 0 } } }, 0 },
		{ { { 2, { 10, 100 }, { 0, 0 }, { 0, 0 } } }, 0 },
		{ { { 2, { 0, 0 }, { 10, 100 }, { 10, 100 } } }, 0 },
		{ { { 2, { 0, 0 }, { 10, 100 }, { 0, 0 } } }, 2 },
		{ { { 2, { 0, 0 }, { 0, 0 }, { 10, 100 } } }, 1 },
		/* whole cycles took most of the time, or not */
		{ { { 2, { 10, 101 }, { 10, 100 }, { 0, 0 } } }, 0 },
		{ { { 2, { 10, 100 }, { 10, 100 }, { 0, 0 } } }, 0 },
		{ { { 2, { 10, 99 }, { 10, 100 }, { 0, 0 } } }, 2 },
		/* what one lcore lacks another may have */
		{ { { 2, { 0, 0 }, { 10, 100 }, { 0, 0 } },
		    { 2, { 0, 0 }, { 0, 0 }, { 10, 100 } } },
		  0 },
		{ { { 2, { 0, 0 }, { 10, 100 }, { 0, 0 } },
		    { 2, { 0, 0 }, { 10, 100 }, { 0, 0 } } },
		  2 },
		{ { { 2, { 0, 0 }, { 10, 100 }, { 0, 0 } },
		    { 2, { 10, 200 }, { 0, 0 }, { 0, 0 } } },
		  0 },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct stint_lane lanes[2];

		for (unsigned int k = 0; k < 2; k++)
			lanes[k] = lane_of(RATE, cases[i].lanes[k].phases, cases[i].lanes[k].whole,
					   cases[i].lanes[k].get, cases[i].lanes[k].put);
		if (stint_missing_phase(lanes, 2) != cases[i].want)
			fail_msg("case %u: %u", i, stint_missing_phase(lanes, 2));
	}
}

static uint64_t
number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value))
		fail_msg("%s is no integer", key);
	return json_integer_value(value);
}

static void
assert_text(const json_t *record, const char *key, const char *want)
{
	const char *text = json_string_value(json_object_get(record, key));

	assert_non_null(text);
	assert_string_equal(text, want);
}

static void
assert_by_lcore(const json_t *record, uint64_t ops, uint64_t cycles)
{
	const json_t *list = json_object_get(record, "by_lcore"), *lcore;
	size_t i;

	json_array_foreach (list, i, lcore) {
		ops -= number(lcore, "ops");
		cycles -= number(lcore, "cycles");
	}
	assert_int_equal(ops, 0);
	assert_int_equal(cycles, 0);
}

static void
test_record(void **state)
{
	struct stint_lane lanes[] = {
		lane_of(RATE, 2, (struct counted){ 0 }, (struct counted){ 100, 1000 },
			(struct counted){ 400, 2000 }),
		whole_lane(-1, 50, 3000),
		lane_of(RATE, 2, (struct counted){ 0 }, (struct counted){ 100, 2000 },
			(struct counted){ 200, 1000 }),
	};
	struct stint_cell cell = { .point = { .test = &test, .lcores = 3 },
				   .labels = json_pack("{s:i}", "keep", 32) };
	struct stint_visit visit = { .cell = &cell,
				     .lanes = lanes,
				     .round = 4,
				     .at_ns = 77,
				     .steal_ns = 5,
				     .shares = true,
				     .small_pages = true };
	const json_t *phase;
	struct stint_sample s;
	json_t *record;

	(void)state;
	lanes[0].worker.lcore = 9;
	lanes[1].worker.lcore = 5;
	lanes[2].worker.lcore = 3;
	assert_true(stint_sample_make(&s, &visit, RATE, &clock_1ghz));
	record = stint_sample_record(&s, &visit, RATE, &clock_1ghz);
	assert_text(record, "type", "sample");
	assert_text(record, "test", "sample_perf_autotest");
	assert_text(record, "metric", "get+put");
	assert_text(record, "unit", "objects/s");
	assert_text(record, "pages", "4K");
	assert_int_equal(number(record, "round"), 4);
	assert_int_equal(number(record, "ops"), 800);
	assert_int_equal(number(record, "cycles"), 6000);
	assert_int_equal(number(record, "ns"), 3000);
	assert_int_equal(number(json_object_get(record, "point"), "keep"), 32);
	assert_int_equal(number(json_object_get(record, "taint"), "steal_ns"), 5);
	assert_int_equal(number(json_object_get(record, "taint"), "gap_ns"), 150);
	assert_int_equal(json_array_size(json_object_get(record, "lcores")), 2);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(record, "lcores"), 0)),
			 9);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(record, "lcores"), 1)),
			 3);
	assert_by_lcore(record, 800, 6000);
	phase = json_object_get(record, "phase");
	assert_int_equal(json_array_size(phase), 2);
	assert_text(json_array_get(phase, 0), "name", "get");
	assert_int_equal(number(json_array_get(phase, 0), "ops"), 200);
	assert_int_equal(number(json_array_get(phase, 0), "cycles"), 3000);
	assert_text(json_array_get(phase, 1), "name", "put");
	assert_int_equal(number(json_array_get(phase, 1), "ops"), 600);
	json_decref(record);
	json_decref(cell.labels);
}

/* The lcores of a sample add up to it, also where both kinds of batches were counted. */
static void
test_record_of_both_kinds(void **state)
{
	const struct stint_lane lane =
		lane_of(RATE, 2, (struct counted){ 1000, 20000 }, (struct counted){ 100, 1000 },
			(struct counted){ 300, 1500 });
	struct stint_cell cell = { .point = { .test = &test, .lcores = 1 },
				   .labels = json_object() };
	struct stint_visit visit = { .cell = &cell, .lanes = &lane };
	struct stint_sample s;
	json_t *record;

	(void)state;
	assert_true(stint_sample_make(&s, &visit, RATE, &clock_1ghz));
	record = stint_sample_record(&s, &visit, RATE, &clock_1ghz);
	assert_by_lcore(record, number(record, "ops"), number(record, "cycles"));
	json_decref(record);
	json_decref(cell.labels);
}

/* The record tells which phases count, and sums only these. */
static void
test_record_of_counted_phases(void **state)
{
	struct stint_lane lane =
		lane_of(RATE, 2, (struct counted){ 0 }, (struct counted){ 100, 7000 },
			(struct counted){ 300, 1500 });
	struct stint_cell cell = { .point = { .test = &test, .lcores = 1 },
				   .labels = json_object() };
	struct stint_visit visit = { .cell = &cell, .lanes = &lane, .complete = true };
	struct stint_sample s;
	json_t *record, *phases;

	(void)state;
	lane.job.counted_phases = STINT_PHASE(2);
	assert_true(stint_sample_make(&s, &visit, RATE, &clock_1ghz));
	record = stint_sample_record(&s, &visit, RATE, &clock_1ghz);
	phases = json_object_get(record, "phase");
	assert_int_equal(json_array_size(phases), 2);
	assert_true(json_is_false(json_object_get(json_array_get(phases, 0), "counted")));
	assert_null(json_object_get(json_array_get(phases, 1), "counted"));
	assert_by_lcore(record, 300, 1500);
	json_decref(record);
	json_decref(cell.labels);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_idle_lane),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_derived),
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_nothing_counted),
		cmocka_unit_test(test_64_bits),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_phases_of_lanes),
		cmocka_unit_test(test_phase_without_operations),
		cmocka_unit_test(test_counted_phases),
		cmocka_unit_test(test_record_of_counted_phases),
		cmocka_unit_test(test_disturbed),
		cmocka_unit_test(test_taint),
		cmocka_unit_test(test_missing_phase),
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_record_of_both_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
