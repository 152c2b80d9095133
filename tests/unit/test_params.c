/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_common.h>

#include <params.h>

static const struct stint_param declared[] = {
	{ .name = "size",
	  .type = STINT_PARAM_UINT,
	  .def = "64",
	  .min = 1,
	  .max = 4096,
	  .help = "bytes of an object" },
	{ .name = "any",
	  .type = STINT_PARAM_UINT,
	  .def = "0",
	  .min = 0,
	  .max = UINT64_MAX,
	  .help = "a number" },
	{ .name = "keep",
	  .type = STINT_PARAM_UINT_LIST,
	  .def = "32,128",
	  .min = 0,
	  .max = 65536,
	  .help = "objects held" },
	{ .name = "sync",
	  .type = STINT_PARAM_STRING,
	  .def = "mp",
	  .values = "mp|sp|mp_hts",
	  .help = "kind of ring" },
	{ .name = "ops", .type = STINT_PARAM_STRING, .def = "ring_mp_mc", .help = "handler" },
	{ .name = "wait",
	  .type = STINT_PARAM_DURATION,
	  .def = "100ms",
	  .min = 1000,
	  .max = UINT64_C(2000000000),
	  .help = "how long" },
	{ .name = "pace",
	  .type = STINT_PARAM_DURATION,
	  .def = "0",
	  .max = UINT64_C(1000000000),
	  .help = "between two" },
	{ .name = "ports", .type = STINT_PARAM_UINT_LIST, .def = "", .max = 31, .help = "ids" },
};
static const struct stint_test test = { .name = "mempool_perf_autotest",
					.params = STINT_LIST(declared) };

/* "a,b,c" of the numbers that a parameter got. */
static char *
numbers(char *text, size_t size, const struct stint_param_value *v)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < v->count; i++)
		used += snprintf(text + used, size - used, "%s%" PRIu64, i > 0 ? "," : "",
				 v->list[i]);
	return text;
}

static int
init_one(struct stint_params *params, const char *setting, char *error, size_t size)
{
	error[0] = '\0';
	return stint_params_init(params, &test, &setting, 1, error, size);
}

static void
test_defaults(void **state)
{
	struct stint_params params;
	struct stint_point pt = { .test = &test, .params = &params };
	char error[256] = "", text[64];
	unsigned int count;

	(void)state;
	assert_int_equal(stint_params_init(&params, &test, NULL, 0, error, sizeof(error)), 0);
	assert_int_equal(stint_param_uint(&pt, "size"), 64);
	assert_int_equal(stint_param_uint(&pt, "any"), 0);
	assert_string_equal(numbers(text, sizeof(text), stint_params_find(&params, "keep")),
			    "32,128");
	assert_int_equal(stint_param_uint(&pt, "wait"), 100000000);
	assert_int_equal(stint_param_list(&pt, "keep", &count)[1], 128);
	assert_int_equal(count, 2);
	stint_param_list(&pt, "ports", &count);
	assert_int_equal(count, 0);
	assert_string_equal(stint_param_string(&pt, "sync"), "mp");
	assert_string_equal(stint_param_string(&pt, "ops"), "ring_mp_mc");
	assert_null(stint_params_find(&params, "siz"));
	assert_null(stint_params_find(&params, "sizes"));
	stint_params_free(&params);
	stint_params_free(&params);
}

static void
test_taken(void **state)
{
	static const struct {
		const char *setting, *name, *want;
	} cases[] = {
		{ "size=1", "size", "1" },
		{ "size=4096", "size", "4096" },
		{ "size=0064", "size", "64" },
		{ "size=4K", "size", "4096" },
		{ "any=3M", "any", "3145728" },
		{ "any=17179869183G", "any", "18446744072635809792" },
		{ "keep=1K,2K:4K:1024", "keep", "1024,2048,3072,4096" },
		{ "any=18446744073709551615", "any", "18446744073709551615" },
		{ "keep=7", "keep", "7" },
		{ "keep=7,3,5", "keep", "7,3,5" },
		{ "keep=0:1024:256", "keep", "0,256,512,768,1024" },
		{ "keep=0:1000:256", "keep", "0,256,512,768" },
		{ "keep=5:5:1", "keep", "5" },
		{ "keep=5:9:100", "keep", "5" },
		{ "keep=1,8:10:1,64", "keep", "1,8,9,10,64" },
		{ "keep=1:2:1,3:4:1", "keep", "1,2,3,4" },
		{ "keep=65536,0", "keep", "65536,0" },
		{ "wait=1000ns", "wait", "1000" },
		{ "wait=10us", "wait", "10000" },
		{ "wait=7ms", "wait", "7000000" },
		{ "wait=2s", "wait", "2000000000" },
		{ "pace=0", "pace", "0" },
		{ "pace=0us", "pace", "0" },
		{ "ports=", "ports", "" },
		{ "ports=1,0", "ports", "1,0" },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct stint_params params;
		char error[256], text[128];

		assert_int_equal(init_one(&params, cases[i].setting, error, sizeof(error)), 0);
		assert_string_equal(
			numbers(text, sizeof(text), stint_params_find(&params, cases[i].name)),
			cases[i].want);
		stint_params_free(&params);
	}
}

/* 0, 64, ... 1024 are 1024 / 64 + 1 = 17 numbers. */
static void
test_range(void **state)
{
	const struct stint_param_value *v;
	struct stint_params params;
	char error[256];

	(void)state;
	assert_int_equal(init_one(&params, "keep=0:1024:64", error, sizeof(error)), 0);
	v = stint_params_find(&params, "keep");
	assert_int_equal(v->count, 17);
	for (unsigned int i = 0; i < v->count; i++)
		assert_int_equal(v->list[i], i * 64);
	assert_string_equal(v->text, "0:1024:64");
	stint_params_free(&params);
}

static void
test_list_limit(void **state)
{
	struct stint_params params;
	char error[256];

	(void)state;
	/* 0 to 4095 are 4096 numbers, as many as a list may hold */
	assert_int_equal(init_one(&params, "keep=0:4095:1", error, sizeof(error)), 0);
	assert_int_equal(stint_params_find(&params, "keep")->count, STINT_PARAM_LIST_MAX);
	stint_params_free(&params);
	assert_int_equal(init_one(&params, "keep=0:4096:1", error, sizeof(error)), -EINVAL);
	assert_int_equal(init_one(&params, "keep=0:4095:1,5000", error, sizeof(error)), -EINVAL);
}

/* A refusal names parameter, value and what is allowed, in one line. */
static void
test_refused(void **state)
{
	static const struct {
		const char *name, *value, *range;
	} cases[] = {
		{ "size", "0", "1..4096" },
		{ "size", "4097", "1..4096" },
		{ "size", "", "1..4096" },
		{ "size", "-1", "1..4096" },
		{ "size", "+1", "1..4096" },
		{ "size", " 1", "1..4096" },
		{ "size", "1 ", "1..4096" },
		{ "size", "0x10", "1..4096" },
		{ "size", "1.5", "1..4096" },
		{ "size", "64k", "1..4096" },
		{ "size", "5K", "1..4096" },
		{ "size", "1KB", "1..4096" },
		{ "size", "K", "1..4096" },
		{ "size", "1KK", "1..4096" },
		{ "size", "1,2", "1..4096" },
		{ "size", "1:1:1", "1..4096" },
		{ "size", "64,", "1..4096" },
		{ "size", "18446744073709551616", "1..4096" }, /* 2^64 */
		{ "size", "18446744073709551617", "1..4096" }, /* 1 modulo 2^64 */
		{ "size", "99999999999999999999999", "1..4096" },
		{ "any", "18446744073709551616", "0..18446744073709551615" },
		{ "any", "-1", "0..18446744073709551615" },
		{ "keep", "", "0..65536" },
		{ "keep", ",", "0..65536" },
		{ "keep", "1,", "0..65536" },
		{ "keep", ",1", "0..65536" },
		{ "keep", "1,,2", "0..65536" },
		{ "keep", "1 ,2", "0..65536" },
		{ "keep", "1;2", "0..65536" },
		{ "keep", "1-4", "0..65536" },
		{ "keep", "32,128,32", "0..65536" },
		{ "keep", "8,0:16:8", "0..65536" },
		{ "keep", "65537", "0..65536" },
		{ "keep", "0:65537:1", "0..65536" },
		{ "keep", "0:64:0", "0..65536" },
		{ "keep", "64:0:8", "0..65536" },
		{ "keep", "0:64", "0..65536" },
		{ "keep", "0:64:", "0..65536" },
		{ "keep", "0::8", "0..65536" },
		{ "keep", ":64:8", "0..65536" },
		{ "keep", "0:64:8:1", "0..65536" },
		{ "keep", "0:64:-8", "0..65536" },
		{ "keep", "0:64:8x", "0..65536" },
		{ "wait", "", "1us..2s" },
		{ "wait", "0", "1us..2s" },
		{ "wait", "10", "1us..2s" },
		{ "wait", "999ns", "1us..2s" },
		{ "wait", "2001ms", "1us..2s" },
		{ "wait", "1m", "1us..2s" },
		{ "wait", "1.5ms", "1us..2s" },
		{ "wait", "-1ms", "1us..2s" },
		{ "wait", "1ms ", "1us..2s" },
		{ "wait", "1 ms", "1us..2s" },
		{ "wait", "1ms,2ms", "1us..2s" },
		{ "wait", "99999999999999999999s", "1us..2s" },
		{ "wait", "18446744074s", "1us..2s" }, /* 0.29 s modulo 2^64 ns */
		{ "pace", "1001ms", "0..1s" },
		{ "ports", "32", "0..31" },
		{ "ports", ",", "0..31" },
		{ "sync", "", "mp|sp|mp_hts" },
		{ "sync", "m", "mp|sp|mp_hts" },
		{ "sync", "mp_", "mp|sp|mp_hts" },
		{ "sync", "hts", "mp|sp|mp_hts" },
		{ "sync", "MP", "mp|sp|mp_hts" },
		{ "sync", "sp ", "mp|sp|mp_hts" },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct stint_params params;
		char error[256], setting[128], pair[192];

		snprintf(setting, sizeof(setting), "%s=%s", cases[i].name, cases[i].value);
		snprintf(pair, sizeof(pair), "mempool_perf_autotest.%s", setting);
		assert_int_equal(init_one(&params, setting, error, sizeof(error)), -EINVAL);
		assert_non_null(strstr(error, pair));
		assert_non_null(strstr(error, cases[i].range));
		assert_null(strchr(error, '\n'));
	}
}

/* A step is a number as any other. */
static void
test_step_beyond_64_bits(void **state)
{
	struct stint_params params;
	char error[256];
	int rc = init_one(&params, "keep=0:64:18446744073709551616", error, sizeof(error));

	(void)state;
	stint_params_free(&params);
	assert_int_equal(rc, -EINVAL);
}

/* The bars separate the allowed texts. */
static void
test_two_texts_are_none(void **state)
{
	static const char *const settings[] = {
		"sync=mp|sp",
		"sync=sp|mp_hts",
		"sync=mp|sp|mp_hts",
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(settings); i++) {
		struct stint_params params;
		char error[256];
		int rc = init_one(&params, settings[i], error, sizeof(error));

		stint_params_free(&params);
		assert_int_equal(rc, -EINVAL);
	}
}

static void
test_texts(void **state)
{
	static const struct {
		const char *setting, *name, *want;
	} cases[] = {
		{ "sync=mp", "sync", "mp" },           { "sync=sp", "sync", "sp" },
		{ "sync=mp_hts", "sync", "mp_hts" },   { "ops=", "ops", "" },
		{ "ops=lf_stack", "ops", "lf_stack" }, { "ops=a=b.c,d:e", "ops", "a=b.c,d:e" },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct stint_params params;
		struct stint_point pt = { .test = &test, .params = &params };
		char error[256];

		assert_int_equal(init_one(&params, cases[i].setting, error, sizeof(error)), 0);
		assert_string_equal(stint_param_string(&pt, cases[i].name), cases[i].want);
		stint_params_free(&params);
	}
}

static void
test_whose_setting(void **state)
{
	static const struct {
		const char *setting;
		bool ours;
	} cases[] = {
		{ "size=1", true },
		{ "size=", true },
		{ "mempool_perf_autotest.size=1", true },
		{ "mempool_perf_autotest.size=1.5", true },
		{ "ops=a.b", true },
		{ "ring_perf_autotest.size=1", false },
		{ "mempool_perf_autotes.size=1", false },
		{ "mempool_perf_autotest2.size=1", false },
		{ "mempool_perf_autotest.sizes=1", false },
		{ "mempool_perf_autotest.=1", false },
		{ "mempool_perf_autotest=1", false },
		{ "Size=1", false },
		{ "siz=1", false },
		{ "size", false },
		{ "=1", false },
		{ "", false },
		{ ".size=1", true },
	};

	(void)state;
	/* the last one names no test, as "size=1" does */
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		if (stint_setting_is_for(cases[i].setting, &test) != cases[i].ours)
			fail_msg("%s", cases[i].setting);
	}
}

/* What is meant for other tests is passed over, even if it is no value for this one. */
static void
test_settings(void **state)
{
	static const char *const settings[] = {
		"ring_perf_autotest.size=0",
		"other=junk",
		"size=8",
		"ring_perf_autotest.keep=,",
		"mempool_perf_autotest.size=16",
		"keep=1:3:1",
	};
	static const char *const wrong_first[] = { "size=0", "size=8" };
	struct stint_params params;
	struct stint_point pt = { .test = &test, .params = &params };
	char error[256] = "", text[64];

	(void)state;
	assert_int_equal(stint_params_init(&params, &test, settings, RTE_DIM(settings), error,
					   sizeof(error)),
			 0);
	assert_string_equal(error, "");
	assert_int_equal(stint_param_uint(&pt, "size"), 16);
	assert_string_equal(numbers(text, sizeof(text), stint_params_find(&params, "keep")),
			    "1,2,3");
	stint_params_free(&params);
	/* the last one holds, but none may be wrong */
	assert_int_equal(stint_params_init(&params, &test, wrong_first, RTE_DIM(wrong_first), error,
					   sizeof(error)),
			 -EINVAL);
	assert_non_null(strstr(error, "size=0"));
}

static void
test_wrong_default(void **state)
{
	static const struct stint_param wrong[] = {
		{ .name = "size",
		  .type = STINT_PARAM_UINT,
		  .def = "0",
		  .min = 1,
		  .max = 2,
		  .help = "" },
	};
	static const struct stint_test t = { .name = "odd_autotest", .params = STINT_LIST(wrong) };
	static const char *const settings[] = { "size=1" };
	struct stint_params params;
	char error[256] = "";

	(void)state;
	assert_int_equal(stint_params_init(&params, &t, settings, 1, error, sizeof(error)),
			 -EINVAL);
	assert_non_null(strstr(error, "odd_autotest"));
	assert_non_null(strstr(error, "size"));
}

static void
test_range_text(void **state)
{
	static const char *const want[] = {
		"1..4096", "0..18446744073709551615", "0..65536", "mp|sp|mp_hts", "any text",
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(want); i++) {
		char text[64];

		stint_param_range(&declared[i], text, sizeof(text));
		assert_non_null(strstr(text, want[i]));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),      cmocka_unit_test(test_taken),
		cmocka_unit_test(test_range),         cmocka_unit_test(test_list_limit),
		cmocka_unit_test(test_refused),       cmocka_unit_test(test_step_beyond_64_bits),
		cmocka_unit_test(test_texts),         cmocka_unit_test(test_two_texts_are_none),
		cmocka_unit_test(test_whose_setting), cmocka_unit_test(test_settings),
		cmocka_unit_test(test_wrong_default), cmocka_unit_test(test_range_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
