/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "records.h"

#include <errno.h>
#include <math.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* At 2 GHz, a cycle is half a ns. */
#define HISTOGRAM(point, lcores, round, disturbed, rest)                                       \
	"{'type':'histogram','test':'t','point':" point ",'lcores':" lcores ",'round':" #round \
	",'metric':'trip','unit':'ns','tsc_hz':2e9,'bits':10,'ns':300000"                      \
	",'at_ns':5,'disturbed':" #disturbed "," rest "}\n"
/* 50 of 10 cycles, 49 of 20 and one of 2047 */
#define HUNDRED                                                            \
	"'count':100,'min_cycles':10,'max_cycles':2047,'sum_cycles':3527," \
	"'sum_squares':4214809.0,'buckets':[10,20,2047],'counts':[50,49,1]"
#define LESS_ONE                                                          \
	"'count':99,'min_cycles':10,'max_cycles':2047,'sum_cycles':3507," \
	"'sum_squares':4214409.0,'buckets':[10,20,2047],'counts':[50,48,1]"
/* 900 of 3000 cycles: bucket 1024 + 1500 */
#define MANY                                                                    \
	"'count':900,'min_cycles':3000,'max_cycles':3001,'sum_cycles':2700450," \
	"'sum_squares':8102700450.0,'buckets':[2524],'counts':[900]"
#define SINGLE                                                                     \
	"'count':1,'min_cycles':7,'max_cycles':7,'sum_cycles':7,'sum_squares':49," \
	"'buckets':[7],'counts':[1]"
#define H1(round, rest) HISTOGRAM(ONE, "[0]", round, false, rest)
#define H2(round, rest) HISTOGRAM(TWO, "[0,1]", round, false, rest)
#define LEVELS FLOOR(0, 61) FLOOR(1, 62) FLOOR(2, 200)

static const struct {
	const char *what, *records, *point;
	struct stint_latency_value want;
} cases[] = {
	{ "a hundred: var = (4214809 - 3527^2 / 100) / 99 cycles^2",
	  H1(0, HUNDRED),
	  ONE,
	  { 5, 1023.5, 17.635, 101.633266, { 5, 10, 10, 10, NAN, NAN }, 100, 0, 0, 1 } },
	{ "99 cannot tell p99",
	  H1(0, LESS_ONE),
	  ONE,
	  { 5, 1023.5, 17.712121, 102.147555, { 5, 10, 10, NAN, NAN, NAN }, 99, 0, 0, 1 } },
	{ "one says nothing but itself",
	  H1(0, SINGLE),
	  ONE,
	  { 3.5, 3.5, 3.5, NAN, { NAN, NAN, NAN, NAN, NAN, NAN }, 1, 0, 0, 1 } },
	/* ceil(0.5 2) = 1 of 2; ceil(0.9 19) = 18 and ceil(0.95 19) = 19 of 19; ceil(0.95 50) = 48
	 * and ceil(0.99 50) = 50 of 50 */
	{ "two tell the median only",
	  H1(0, "'count':2,'min_cycles':10,'max_cycles':20,'sum_cycles':30,'sum_squares':500,"
		"'buckets':[10,20],'counts':[1,1]"),
	  ONE,
	  { 5, 10, 7.5, 3.535534, { 5, NAN, NAN, NAN, NAN, NAN }, 2, 0, 0, 1 } },
	{ "19 tell p90, not p95",
	  H1(0, "'count':19,'min_cycles':10,'max_cycles':20,'sum_cycles':200,'sum_squares':2200,"
		"'buckets':[10,20],'counts':[18,1]"),
	  ONE,
	  { 5, 10, 5.263158, 1.147079, { 5, 5, NAN, NAN, NAN, NAN }, 19, 0, 0, 1 } },
	{ "50 tell p95, not p99",
	  H1(0, "'count':50,'min_cycles':10,'max_cycles':20,'sum_cycles':510,'sum_squares':5300,"
		"'buckets':[10,20],'counts':[49,1]"),
	  ONE,
	  { 5, 10, 5.1, 0.707107, { 5, 5, 5, NAN, NAN, NAN }, 50, 0, 0, 1 } },
	/* ranks 500 to 990 of 1000 are among the 900; 999 too, as the largest is 3001 */
	{ "rounds add up, other points do not",
	  H1(0, HUNDRED) H1(1, MANY) H2(0, SINGLE),
	  ONE,
	  { 5,
	    1500.5,
	    1351.9885,
	    446.155764,
	    { 1500, 1500, 1500, 1500, 1500, NAN },
	    1000,
	    0,
	    0,
	    2 } },
	{ "disturbed ones and those on another level count, too",
	  LEVELS H2(0, HUNDRED) HISTOGRAM(TWO, "[0,1]", 1, true, LESS_ONE) H2(2, SINGLE),
	  TWO,
	  { 3.5, 1023.5, 17.6025, 101.381095, { 5, 10, 10, 10, NAN, NAN }, 200, 99, 1, 3 } },
	{ "beyond 63 bits numbers have a point; 2^64 and more are 2^64 - 1",
	  H1(0, "'count':2,'min_cycles':9223372036854775807,'max_cycles':1.8446744073709552e19,"
		"'sum_cycles':2.7670116110564327e19,'sum_squares':4.25e38,"
		"'buckets':[32767],'counts':[2]"),
	  ONE,
	  { 0x1p62, 0x1p63, 0x1.8p62, NAN, { 0x1p62, NAN, NAN, NAN, NAN, NAN }, 2, 0, 0, 1 } },
	{ "the rate of the clock as known last",
	  H1(0, HUNDRED) "{'type':'histogram','test':'t','point':" ONE ",'lcores':[0],'round':1,"
			 "'metric':'trip','unit':'ns','tsc_hz':1000000000,'bits':10,'ns':1,"
			 "'at_ns':5,'disturbed':false," SINGLE "}\n",
	  ONE,
	  { 7, 2047, 34.990099, 202.267224, { 10, 20, 20, 20, NAN, NAN }, 101, 0, 0, 2 } },
};

static bool
near(double a, double b)
{
	return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-6 * fabs(b);
}

static void
assert_value(const char *what, const struct stint_latency_value *got,
	     const struct stint_latency_value *want)
{
	for (size_t i = 0; i < STINT_QUANTILES; i++) {
		if (!near(got->quantiles[i], want->quantiles[i]))
			fail_msg("%s: %s is %.9g", what, stint_quantiles[i].name,
				 got->quantiles[i]);
	}
	if (!near(got->min, want->min) || !near(got->max, want->max) ||
	    !near(got->mean, want->mean))
		fail_msg("%s: %.9g to %.9g, mean %.9g", what, got->min, got->max, got->mean);
	if (!isnan(want->deviation) && !near(got->deviation, want->deviation))
		fail_msg("%s: deviation %.9g", what, got->deviation);
	assert_int_equal(got->count, want->count);
	assert_int_equal(got->disturbed, want->disturbed);
	assert_int_equal(got->off_level, want->off_level);
	assert_int_equal(got->rounds, want->rounds);
}

static void
test_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct stint_summary *s = stint_summary_new();
		json_t *point = parse(cases[i].point, strlen(cases[i].point));
		struct stint_latency_value got;

		assert_non_null(s);
		feed(s, cases[i].records);
		assert_int_equal(stint_summary_latency(s, "t", point, "trip", &got), 0);
		assert_value(cases[i].what, &got, &cases[i].want);
		json_decref(point);
		stint_summary_free(s);
	}
}

/* A value is no latency, a latency no value. */
static void
test_not_there(void **state)
{
	struct stint_summary *s = stint_summary_new();
	json_t *one = parse(ONE, strlen(ONE)), *two = parse(TWO, strlen(TWO));
	struct stint_latency_value latency;
	struct stint_value v;

	(void)state;
	assert_non_null(s);
	feed(s, H1(0, HUNDRED) S1(0, 5));
	assert_int_equal(stint_summary_latency(s, "t", one, "trip", &latency), 0);
	assert_int_equal(stint_summary_value(s, "t", one, "get", &v), 0);
	assert_int_equal(stint_summary_latency(s, "u", one, "trip", &latency), -ENOENT);
	assert_int_equal(stint_summary_latency(s, "t", two, "trip", &latency), -ENOENT);
	assert_int_equal(stint_summary_latency(s, "t", one, "get", &latency), -ENOENT);
	assert_int_equal(stint_summary_value(s, "t", one, "trip", &v), -ENOENT);
	json_decref(one);
	json_decref(two);
	stint_summary_free(s);
}

static const char *const keys[] = { "test",        "point",      "round",      "metric",
				    "unit",        "lcores",     "count",      "ns",
				    "at_ns",       "min_cycles", "max_cycles", "sum_cycles",
				    "sum_squares", "tsc_hz",     "bits",       "buckets",
				    "counts",      "disturbed" };

/* A good histogram, and a second one that is refused and changes nothing. */
static void
assert_refused(json_t *record, const char *what)
{
	struct stint_summary *s = stint_summary_new();
	json_t *one = parse(ONE, strlen(ONE));
	struct stint_latency_value got;

	assert_non_null(s);
	feed(s, cases[0].records);
	if (stint_summary_add(s, record) != -EBADMSG || stint_summary_error(s)[0] == '\0')
		fail_msg("taken in: %s", what);
	assert_int_equal(stint_summary_latency(s, "t", one, "trip", &got), 0);
	assert_value(what, &got, &cases[0].want);
	stint_summary_free(s);
	json_decref(one);
	json_decref(record);
}

static void
test_needed_keys(void **state)
{
	const char *good = H2(1, HUNDRED);

	(void)state;
	for (size_t i = 0; i < COUNT(keys); i++) {
		json_t *record = parse(good, strlen(good));

		assert_int_equal(json_object_del(record, keys[i]), 0);
		assert_refused(record, keys[i]);
		record = parse(good, strlen(good));
		json_object_set_new(record, keys[i], json_pack("[n]"));
		assert_refused(record, keys[i]);
	}
}

static const struct {
	const char *key, *value;
} wrong[] = {
	{ "round", "-1" },
	{ "round", "2147483648" },
	{ "at_ns", "-1" },
	{ "ns", "-1" },
	{ "lcores", "[]" },
	{ "tsc_hz", "0" },
	{ "tsc_hz", "-2e9" },
	{ "bits", "11" },
	{ "count", "99" },
	{ "count", "101" },
	{ "count", "-100" },
	{ "min_cycles", "9" },
	{ "min_cycles", "-10" },
	{ "min_cycles", "11" },
	{ "max_cycles", "2046" },
	{ "max_cycles", "2048" },
	{ "max_cycles", "5" },
	{ "sum_cycles", "-1" },
	{ "sum_cycles", "1e39" },
	{ "sum_squares", "-1" },
	{ "buckets", "[10,20]" },
	{ "buckets", "[10,20,2047,2048]" },
	{ "buckets", "[10,2047,20]" },
	{ "buckets", "[10,10,2047]" },
	{ "buckets", "[-1,20,2047]" },
	{ "buckets", "[10,20,32768]" },
	{ "buckets", "[10,20,4294967296]" },
	{ "buckets", "[10,20.0,2047]" },
	{ "buckets", "[]" },
	{ "buckets", "7" },
	{ "counts", "[50,49]" },
	{ "counts", "[50,50,0]" },
	{ "counts", "[51,50,-1]" },
	{ "counts", "[50,49,true]" },
	{ "counts", "[9223372036854775807,9223372036854775807,102]" },
	{ "point", "{'cores':null}" },
};

static void
test_wrong_values(void **state)
{
	const char *good = H2(1, HUNDRED), *as_sample = SAMPLE(ONE, "[0]",
							       "'metric':'trip',"
							       "'unit':'ns','kind':'cost'",
							       1, 5, 0, CALM);

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		json_t *record = parse(good, strlen(good));
		char object[96];
		json_t *value;

		snprintf(object, sizeof(object), "{'v':%s}", wrong[i].value);
		value = parse(object, strlen(object));
		json_object_set(record, wrong[i].key, json_object_get(value, "v"));
		json_decref(value);
		assert_refused(record, wrong[i].value);
	}
	assert_refused(parse(as_sample, strlen(as_sample)), "a value of a latency");
}

#define TWO_SMALL                                                                  \
	"{'type':'histogram','test':'t','point':" TWO ",'lcores':[0,1],'round':2," \
	"'metric':'trip','unit':'ns','tsc_hz':2e9,'bits':10,'ns':1,'at_ns':5,"     \
	"'disturbed':true,'pages':'4K'," MANY "}\n"

#define STAMP "{'type':'stamp','test':'t','resolution_ns':0.5,'cost_ns':26.25}\n"

static const struct {
	const char *records, *text;
} prints[] = {
	/* the only metric stands in the first line; no column for what nobody can tell */
	{ PLAN H1(0, SINGLE) RESULT("pass", 1, "") END(0),
	  "t: 4 points, 20 s budget, lcores 0,1: trip\n"
	  "  in ns                 min    max   mean  sd  samples  rounds\n"
	  "  cores=1 pool=cache  3.500  3.500  3.500   -        1       1\n"
	  "t: pass, 1 of 4 points, 3 rounds, 20.0 s\n" },
	/* beside values, points and metrics in the same order; all kinds of marks */
	{ PLAN LEVELS TWO_SMALL H1(0, HUNDRED) S2(0, 5) RESULT("pass", 2, "") END(0),
	  "t: 4 points, 20 s budget, lcores 0,1\n"
	  "  cores=2 pool=cache  get  5.000 objects/s  [-]  n/a  1 round\n"
	  "  in ns                       min    p50    p90    p95    p99   max   mean      sd"
	  "  samples  disturbed  off level  rounds\n"
	  "  cores=1 pool=cache  trip  5.000  5.000  10.00  10.00  10.00  1024  17.64   101.6"
	  "      100          0          0       1\n"
	  "  cores=2 pool=cache  trip   1500   1500   1500   1500   1500  1501   1500  0.2501"
	  "      900        900        900       1  4K pages\n"
	  "  1 of 3 rounds on another level (floor 62 ns; 200 ns there): left out of the values"
	  " of points with more than one lcore that have others, not of latencies\n"
	  "t: pass, 2 of 4 points, 3 rounds, 20.0 s\n" },
	/* 1023.5 ns are shown by four digits; what measures, and the way between lcores, beside it
	 */
	{ LEVELS STAMP H2(0, HUNDRED ",'parts':{'half':0.5,'none':null}"),
	  "t: 1 point: trip\n"
	  "  in ns                       min    p50    p90    p95    p99    max   mean     sd"
	  "  samples  rounds\n"
	  "  cores=2 pool=cache  trip  5.000  5.000  10.00  10.00  10.00   1024  17.64  101.6"
	  "      100       1\n"
	  "  cores=2 pool=cache  half  2.500  2.500  5.000  5.000  5.000  511.8  8.818  50.82"
	  "      100       1\n"
	  "  two time stamps with nothing between them: 26.25 ns, in steps of 0.5000 ns\n"
	  "  floor: a cache line there and back between lcore 0 and 1 takes 61.50 ns\n"
	  "  1 of 3 rounds on another level (floor 62 ns; 200 ns there)\n"
	  "t: no result (the run ended early): last sample in round 1: cores=2 pool=cache\n"
	  "no end record: the run was cut off\n" },
	/* a floor for each pair, however alike; the same lcores without the main one have the same
	 */
	{ ROUND(0, "[" PAIR(0, 1, 60) "," PAIR(0, 2, 60) "]")
		  STAMP HISTOGRAM("{'x':1}", "[0,1]", 0, false, SINGLE)
			  HISTOGRAM("{'x':2}", "[0,2]", 0, false, SINGLE)
				  HISTOGRAM("{'x':3}", "[1]", 0, false, SINGLE),
	  "t: 3 points: trip\n"
	  "  in ns    min    max   mean  sd  samples  rounds\n"
	  "  x=1    3.500  3.500  3.500   -        1       1\n"
	  "  x=2    3.500  3.500  3.500   -        1       1\n"
	  "  x=3    3.500  3.500  3.500   -        1       1\n"
	  "  two time stamps with nothing between them: 26.25 ns, in steps of 0.5000 ns\n"
	  "  floor: a cache line there and back between lcore 0 and 1 takes 60.00 ns\n"
	  "  floor: a cache line there and back between lcore 0 and 2 takes 60.00 ns\n"
	  "t: no result (the run ended early): last sample in round 1: x=3\n"
	  "no end record: the run was cut off\n" },
	{ LEVELS H2(0, SINGLE),
	  "t: 1 point: trip\n"
	  "  in ns                 min    max   mean  sd  samples  rounds\n"
	  "  cores=2 pool=cache  3.500  3.500  3.500   -        1       1\n"
	  "  1 of 3 rounds on another level (floor 62 ns; 200 ns there)\n"
	  "t: no result (the run ended early): last sample in round 1: cores=2 pool=cache\n"
	  "no end record: the run was cut off\n" },
};

static void
test_print(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(prints); i++) {
		char *text = print(prints[i].records);

		assert_string_equal(text, prints[i].text);
		free(text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),      cmocka_unit_test(test_not_there),
		cmocka_unit_test(test_needed_keys), cmocka_unit_test(test_wrong_values),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests_name("latency_report", tests, NULL, NULL);
}
