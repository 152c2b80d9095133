/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"
#include "report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "records.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define LEVELS FLOOR(0, 61) FLOOR(1, 62) FLOOR(2, 200)

/* Intervals: P(Bin(6, 1/2) < 1) = 1/64, so six samples cover 1 - 2/64 = 0.97; five only 0.94. */
static const struct {
	const char *what, *records, *point, *metric;
	struct stint_value want;
} value_cases[] = {
	{ "median of three, too few for an interval; 3e9 / 20 cycles",
	  RUN S1(0, 10) S1(1, 30) S1(2, 20),
	  ONE,
	  "get",
	  { 20, NAN, NAN, 150e6, 3, 0, 0, false } },
	{ "five are too few",
	  S1(0, 1) S1(1, 2) S1(2, 3) S1(3, 4) S1(4, 5),
	  ONE,
	  "get",
	  { 3, NAN, NAN, NAN, 5, 0, 0, false } },
	{ "six are not",
	  S1(0, 6) S1(1, 2) S1(2, 3) S1(3, 4) S1(4, 5) S1(5, 1),
	  ONE,
	  "get",
	  { 3.5, 1, 6, NAN, 6, 0, 0, false } },
	{ "two lcores: 2 * 3e9 / 20 cycles",
	  RUN S2(0, 20),
	  TWO,
	  "get",
	  { 20, NAN, NAN, 300e6, 1, 0, 0, false } },
	{ "a round on another level",
	  LEVELS S2(0, 10) S2(1, 20) S2(2, 99),
	  TWO,
	  "get",
	  { 15, NAN, NAN, NAN, 2, 1, 0, false } },
	{ "which matters not to one lcore",
	  LEVELS S1(0, 10) S1(1, 20) S1(2, 99),
	  ONE,
	  "get",
	  { 20, NAN, NAN, NAN, 3, 0, 0, false } },
	{ "the most frequent level may be the higher one",
	  FLOOR(0, 61) FLOOR(1, 200) FLOOR(2, 210) S2(0, 10) S2(1, 20) S2(2, 40),
	  TWO,
	  "get",
	  { 30, NAN, NAN, NAN, 2, 1, 0, false } },
	{ "of two as frequent the lower",
	  FLOOR(0, 200) FLOOR(1, 60) S2(0, 10) S2(1, 20),
	  TWO,
	  "get",
	  { 20, NAN, NAN, NAN, 1, 1, 0, false } },
	{ "90 is 60 * 1.5",
	  FLOOR(0, 90) FLOOR(1, 60) S2(0, 10) S2(1, 20),
	  TWO,
	  "get",
	  { 15, NAN, NAN, NAN, 2, 0, 0, false } },
	{ "90.5 is more",
	  FLOOR(0, 90.5) FLOOR(1, 60) S2(0, 10) S2(1, 20),
	  TWO,
	  "get",
	  { 20, NAN, NAN, NAN, 1, 1, 0, false } },
	{ "rounds out of order, one twice: the later one holds",
	  FLOOR(2, 200) FLOOR(0, 200) FLOOR(1, 62) FLOOR(0, 61) S2(0, 10) S2(1, 20) S2(2, 99),
	  TWO,
	  "get",
	  { 15, NAN, NAN, NAN, 2, 1, 0, false } },
	{ "rounds without a floor, null or not recorded, are on level",
	  LEVELS ROUND(3, "[]") ROUND(4, "[" PAIR(0, 1, null) "]") S2(0, 10) S2(2, 99) S2(3, 30)
		  S2(4, 40) S2(5, 50),
	  TWO,
	  "get",
	  { 35, NAN, NAN, NAN, 4, 1, 0, false } },
	{ "no floor at all",
	  ROUND(0, "[]") S2(0, 10) S2(1, 20),
	  TWO,
	  "get",
	  { 15, NAN, NAN, NAN, 2, 0, 0, false } },
	/* levels of 0,1,2: (60 + 62) / 2 = 61, (61 + 300) / 2 = 180.5, (64 + 62) / 2 = 63 */
	{ "the median of several floors; pairs in any order, others passed over",
	  ROUND(0, "[" PAIR(0, 1, 60) "," PAIR(0, 2, 62) "," PAIR(0, 3, 900) "]")
		  ROUND(1, "[" PAIR(0, 2, 300) "," PAIR(0, 1, 61) "," PAIR(0, 3, 1) "]")
			  ROUND(2, "[" PAIR(0, 1, 64) "," PAIR(0, 2, 62) "," PAIR(0, 3, 9) "]")
				  SAMPLE(TWO, "[0,1,2]", RATE, 0, 10, 0, CALM)
					  SAMPLE(TWO, "[0,1,2]", RATE, 1, 70, 0, CALM)
						  SAMPLE(TWO, "[0,1,2]", RATE, 2, 20, 0, CALM),
	  TWO,
	  "get",
	  { 15, NAN, NAN, NAN, 2, 1, 0, false } },
	{ "a metric that counts on another lcore than the main one has its level too",
	  PLAN LEVELS SAMPLE(TWO, "[1]", COST, 0, 10, 0, CALM)
		  SAMPLE(TWO, "[1]", COST, 1, 20, 0, CALM) SAMPLE(TWO, "[1]", COST, 2, 99, 0, CALM),
	  TWO,
	  "lag",
	  { 15, NAN, NAN, NAN, 2, 1, 0, false } },
	{ "a metric on one of the lcores that another counts on; 1 * 3e9 / 15 cycles",
	  RUN LEVELS SAMPLE(TWO, "[0]", RATE, 0, 10, 0, CALM)
		  SAMPLE(TWO, "[0,1]", COST, 0, 1, 0, CALM) SAMPLE(TWO, "[0]", RATE, 1, 20, 0, CALM)
			  SAMPLE(TWO, "[0]", RATE, 2, 99, 0, CALM),
	  TWO,
	  "get",
	  { 15, NAN, NAN, 200e6, 2, 1, 0, false } },
	{ "disturbed samples are left out",
	  S1(0, 10) D1(1, 90) S1(2, 20),
	  ONE,
	  "get",
	  { 15, NAN, NAN, NAN, 2, 0, 1, false } },
	{ "unless there are no others",
	  D1(0, 10) D1(1, 30) D1(2, 20),
	  ONE,
	  "get",
	  { 20, NAN, NAN, NAN, 3, 0, 0, true } },
	{ "on the level",
	  LEVELS D2(0, 10) D2(1, 20) S2(2, 99),
	  TWO,
	  "get",
	  { 15, NAN, NAN, NAN, 2, 1, 0, true } },
	{ "all on another level",
	  LEVELS S2(2, 99),
	  TWO,
	  "get",
	  { 99, NAN, NAN, NAN, 1, 0, 0, false, true } },
	{ "a rate of 0 has no cycles",
	  RUN S1(0, 0),
	  ONE,
	  "get",
	  { 0, NAN, NAN, NAN, 1, 0, 0, false } },
	{ "no time, no rate",
	  RUN SAMPLE(ONE, "[0]", RATE, 0, 7, 0, "'ops':5,'ns':0,'disturbed':false") S1(1, 3000),
	  ONE,
	  "get",
	  { 3000, NAN, NAN, 1e6, 1, 0, 0, false } },
	{ "no operation, no cost",
	  SAMPLE(ONE, "[0]", COST, 0, 7, 0, "'ops':0,'ns':9,'disturbed':false"),
	  ONE,
	  "lag",
	  { NAN, NAN, NAN, NAN, 0, 0, 0, false } },
	{ "null is no value",
	  S1(0, null) S1(1, 5),
	  ONE,
	  "get",
	  { 5, NAN, NAN, NAN, 1, 0, 0, false } },
	{ "beyond 32 bits",
	  RUN S1(0, 5000000000),
	  ONE,
	  "get",
	  { 5e9, NAN, NAN, 0.6, 1, 0, 0, false } },
	{ "a cost has no further cycles",
	  RUN SAMPLE(ONE, "[0]", COST, 0, 36.5, 0, CALM),
	  ONE,
	  "lag",
	  { 36.5, NAN, NAN, NAN, 1, 0, 0, false } },
	{ "unknown types and keys are passed over",
	  "{'type':'unheard','test':'t','counts':[1]}\n" SAMPLE(ONE, "[0]", RATE, 0, 5, 0,
								CALM ",'new':{'a':[]}"),
	  ONE,
	  "get",
	  { 5, NAN, NAN, NAN, 1, 0, 0, false } },
	{ "the same test again is another run",
	  S1(0, 5) RESULT("pass", 1, "") PLAN S1(0, 7),
	  ONE,
	  "get",
	  { 7, NAN, NAN, NAN, 1, 0, 0, false } },
};

static bool
same(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b;
}

static void
test_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(value_cases); i++) {
		const struct stint_value *want = &value_cases[i].want;
		const char *point_text = value_cases[i].point;
		struct stint_summary *s = stint_summary_new();
		json_t *point = parse(point_text, strlen(point_text));
		struct stint_value got;

		assert_non_null(s);
		feed(s, value_cases[i].records);
		assert_int_equal(stint_summary_value(s, "t", point, value_cases[i].metric, &got),
				 0);
		if (!same(got.value, want->value) || !same(got.low, want->low) ||
		    !same(got.high, want->high) || !same(got.cycles, want->cycles) ||
		    got.samples != want->samples || got.off_level != want->off_level ||
		    got.disturbed != want->disturbed || got.all_disturbed != want->all_disturbed ||
		    got.all_off_level != want->all_off_level)
			fail_msg("%s: %g [%g, %g] %g cycles, %u, off %u, disturbed %u, all %d",
				 value_cases[i].what, got.value, got.low, got.high, got.cycles,
				 got.samples, got.off_level, got.disturbed, got.all_disturbed);
		json_decref(point);
		stint_summary_free(s);
	}
}

static void
test_value_not_there(void **state)
{
	struct stint_summary *s = stint_summary_new();
	json_t *one = parse(ONE, strlen(ONE)), *two = parse(TWO, strlen(TWO));
	struct stint_value v;

	(void)state;
	assert_non_null(s);
	feed(s, S1(0, 5));
	assert_int_equal(stint_summary_value(s, "u", one, "get", &v), -ENOENT);
	assert_int_equal(stint_summary_value(s, "t", two, "get", &v), -ENOENT);
	assert_int_equal(stint_summary_value(s, "t", one, "lag", &v), -ENOENT);
	assert_int_equal(stint_summary_print_test(s, "u", stdout), -ENOENT);
	json_decref(one);
	json_decref(two);
	stint_summary_free(s);
}

/* Each record is right; without any one of its keys, or with a list of null there, it is not. */
static const struct {
	const char *record, *keys[13];
} needed[] = {
	{ RUN, { "tsc_hz" } },
	{ PLAN, { "test", "points", "lcores", "budget_ns", "shares_cpus" } },
	{ FLOOR(0, 61), { "test", "round", "floor" } },
	{ S1(0, 1),
	  { "test", "point", "round", "lcores", "metric", "unit", "kind", "value", "at_ns", "ops",
	    "ns", "disturbed" } },
	{ "{'type':'steal','test':'t','from_ns':1,'to_ns':2,'ns':1}\n",
	  { "test", "from_ns", "to_ns" } },
	{ SKIP("'point':{'cores':2},", "'reason':'r'"), { "test", "reason" } },
	{ RESULT("pass", 4, ""),
	  { "test", "status", "points", "points_done", "rounds", "elapsed_ns" } },
	{ END(0), { "signal" } },
};

static void
refused(json_t *record, const char *key)
{
	struct stint_summary *s = stint_summary_new();

	assert_non_null(s);
	assert_string_equal(stint_summary_error(s), "");
	if (stint_summary_add(s, record) != -EBADMSG || stint_summary_error(s)[0] == '\0')
		fail_msg("taken in: %s", key);
	stint_summary_free(s);
	json_decref(record);
}

static void
test_needed_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(needed); i++) {
		struct stint_summary *s = stint_summary_new();

		assert_non_null(s);
		feed(s, needed[i].record);
		stint_summary_free(s);
		for (const char *const *key = needed[i].keys; *key != NULL; key++) {
			json_t *record = parse(needed[i].record, strlen(needed[i].record));

			assert_int_equal(json_object_del(record, *key), 0);
			refused(record, *key);
			record = parse(needed[i].record, strlen(needed[i].record));
			json_object_set_new(record, *key, json_pack("[n]"));
			refused(record, *key);
		}
	}
}

static const char *const wrong[] = {
	"{'no':'type'}",
	"{'type':7}",
	S1(-1, 5),
	S1(2147483648, 5),
	S1(0, '5'),
	SAMPLE(ONE, "[]", RATE, 0, 5, 0, CALM),
	SAMPLE(ONE, "[-1]", RATE, 0, 5, 0, CALM),
	SAMPLE(ONE, "['0']", RATE, 0, 5, 0, CALM),
	SAMPLE(ONE, "[0]", RATE, 0, 5, -1, CALM),
	SAMPLE(ONE, "[0]", "'metric':'trip','unit':'ns','kind':'latency'", 0, 5, 0, CALM),
	SAMPLE("{'cores':null}", "[0]", RATE, 0, 5, 0, CALM),
	SAMPLE("{'cores':{}}", "[0]", RATE, 0, 5, 0, CALM),
	FLOOR(-1, 61),
	FLOOR(0, '61'),
	ROUND(0, "[{'lcores':[0],'ns':1}]"),
	ROUND(0, "[{'lcores':[0,1,2],'ns':1}]"),
	ROUND(0, "[{'lcores':[0,-1],'ns':1}]"),
	ROUND(0, "[7]"),
	RESULT("well", 1, ""),
	"{'type':'steal','test':'t','from_ns':2,'to_ns':1,'ns':1}",
	"{'type':'steal','test':'t','from_ns':-2,'to_ns':1,'ns':1}",
};

static void
test_wrong_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		refused(parse(wrong[i], strlen(wrong[i])), wrong[i]);
}

/* The levels known so far hold only until something is added that they depend on. */
static const struct {
	const char *records;
	unsigned int samples, off_level;
} later[] = {
	{ FLOOR(0, 60) S2(0, 1) S2(1, 2) S2(2, 3), 3, 0 },
	{ FLOOR(1, 200), 2, 1 },
	{ FLOOR(2, 210), 2, 1 }, /* of 60, 200, 210 the latter are on level */
	/* a third lcore, of which no floor is known: the levels stay */
	{ SAMPLE(TWO, "[0,1,2]", RATE, 2, 4, 0, CALM), 3, 1 },
	/* levels 60, (200 + 80) / 2 = 140, (210 + 81) / 2 = 145.5 and 60: the lower one */
	{ ROUND(1, "[" PAIR(0, 2, 80) "]") ROUND(2, "[" PAIR(0, 2, 81) "]") FLOOR(3, 60), 1, 3 },
	/* the plan says that lcore 1 is the main one, from which no floor was taken */
	{ "{'type':'plan','test':'t','points':1,'lcores':[1,0],'budget_ns':1,'shares_cpus':false}"
	  "\n",
	  4, 0 },
};

static void
test_levels_follow(void **state)
{
	struct stint_summary *s = stint_summary_new();
	json_t *point = parse(TWO, strlen(TWO));
	struct stint_value v;

	(void)state;
	assert_non_null(s);
	for (size_t i = 0; i < COUNT(later); i++) {
		feed(s, later[i].records);
		assert_int_equal(stint_summary_value(s, "t", point, "get", &v), 0);
		assert_int_equal(v.samples, later[i].samples);
		assert_int_equal(v.off_level, later[i].off_level);
	}
	json_decref(point);
	stint_summary_free(s);
}

/* What grows with a run: a sample is 24 bytes, levels are found once for each set of lcores. */
static size_t allocations;

static void *
count_malloc(size_t size)
{
	allocations++;
	return malloc(size);
}

static int
add_numbered(struct stint_summary *s, int point, int round)
{
	json_t *record = json_pack("{s:s, s:s, s:{s:i}, s:i, s:s, s:s, s:s, s:[i, i], s:i, s:i,"
				   " s:f, s:b, s:i}",
				   "type", "sample", "test", "t", "point", "keep", 1000 + point,
				   "round", round, "metric", "get", "unit", "objects/s", "kind",
				   "rate", "lcores", 0, 1 + point % 2, "ops", 1, "ns", 1, "value",
				   1.0, "disturbed", 0, "at_ns", 0);
	size_t before = allocations;

	assert_int_equal(stint_summary_add(s, record), 0);
	json_decref(record);
	return allocations - before;
}

static void
test_cost_of_many(void **state)
{
	const unsigned int points = 3500, rounds = 10;
	struct stint_summary *s = stint_summary_new();
	struct sum_test *t;
	char *text = NULL;
	size_t size;
	FILE *out;

	(void)state;
	assert_non_null(s);
	json_set_alloc_funcs(count_malloc, free);
	for (unsigned int round = 0; round < rounds; round++) {
		int first = add_numbered(s, 0, round);

		for (unsigned int point = 1; point < points; point++) {
			int more = add_numbered(s, point, round);

			if (round > 0)
				assert_int_equal(more, first);
		}
		feed(s, FLOOR(0, 60));
	}
	json_set_alloc_funcs(malloc, free);
	assert_int_equal(sizeof(struct sum_sample), 24);
	t = stint_sum_find(s, "t");
	assert_int_equal(t->points.n, points);
	assert_int_equal(t->n_samples, points * rounds);
	for (unsigned int i = 0; i < points; i++) {
		const struct sum_series *series = VEC(struct sum_point, t->points)[i].series.data;

		assert_int_equal(series->samples.n, rounds);
		assert_true(series->samples.cap <= rounds + rounds / 2 + 4);
	}
	assert_int_equal(t->sets.n, 2);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_int_equal(stint_summary_print_test(s, "t", out), 0);
	fclose(out);
	/* would be found anew */
	VEC(struct sum_set, t->sets)[1].n_off = 77;
	assert_int_equal(stint_sum_levels(t), 0);
	assert_int_equal(VEC(struct sum_set, t->sets)[1].n_off, 77);
	free(text);
	stint_summary_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),        cmocka_unit_test(test_value_not_there),
		cmocka_unit_test(test_needed_keys),   cmocka_unit_test(test_wrong_values),
		cmocka_unit_test(test_levels_follow), cmocka_unit_test(test_cost_of_many),
	};

	return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
