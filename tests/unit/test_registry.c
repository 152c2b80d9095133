/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_common.h>

#include <registry.h>

static int
run(struct stint_fast *t)
{
	(void)t;
	return 0;
}

static struct stint_job
job(const struct stint_point *pt, unsigned int worker)
{
	(void)pt;
	(void)worker;
	return (struct stint_job){ .metric = 0 };
}

static const struct stint_metric metrics[STINT_MAX_METRICS + 1] = {
	[0 ... STINT_MAX_METRICS] = { "rate", STINT_RATE, "1/s" },
};
static const struct stint_dim dims[STINT_MAX_DIMS + 1];

STINT_FAST_TEST(ring_autotest, 0, .run = run);
STINT_PERF_TEST(ring_perf_autotest, 1, .job = job, .metrics = { metrics, 1 });
STINT_FAST_TEST(lpm_autotest, 0, .run = run);
STINT_FAST_TEST(mempool_autotest, 0, .run = run);

static void
test_order(void **state)
{
	static const char *const want[] = {
		"lpm_autotest",
		"mempool_autotest",
		"ring_autotest",
		"ring_perf_autotest",
	};
	const struct stint_test *t;
	unsigned int i = 0;

	(void)state;
	STINT_FOREACH_TEST (t) {
		assert_true(i < RTE_DIM(want));
		assert_string_equal(t->name, want[i++]);
	}
	assert_int_equal(i, RTE_DIM(want));
}

static void
test_find(void **state)
{
	static const char *const unknown[] = {
		"", "ring", "ring_autotes", "ring_autotest2", "RING_AUTOTEST", "zebra_autotest",
	};

	(void)state;
	assert_ptr_equal(stint_registry_find("ring_autotest"), &stint_test_ring_autotest);
	assert_ptr_equal(stint_registry_find("lpm_autotest"), &stint_test_lpm_autotest);
	assert_ptr_equal(stint_registry_find("ring_perf_autotest"), &stint_test_ring_perf_autotest);
	for (unsigned int i = 0; i < RTE_DIM(unknown); i++)
		assert_null(stint_registry_find(unknown[i]));
	assert_string_equal(stint_suite_name(&stint_test_ring_autotest), "fast-tests");
	assert_string_equal(stint_suite_name(&stint_test_ring_perf_autotest), "perf-tests");
}

#define WORDS_MAX 5

static const char *
word_of(unsigned int i, const void *arg)
{
	return ((const char *const *)arg)[i];
}

static unsigned int
words_in(const char *const *words)
{
	unsigned int n = 0;

	while (n < WORDS_MAX && words[n] != NULL)
		n++;
	return n;
}

static void
test_near(void **state)
{
	static const struct {
		const char *typed, *words[WORDS_MAX], *want;
	} cases[] = {
		/* none near */
		{ "zzzzzz", { "bulk", "keep" }, "" },
		{ "bulk", { NULL }, "" },
		{ "", { "bulk", "keep" }, "" },
		{ "blk", { "cores", "keep" }, "" },
		/* one letter missing, added, wrong; two swapped */
		{ "blk", { "keep", "bulk", "cores" }, "; did you mean bulk?" },
		{ "bullk", { "keep", "bulk", "cores" }, "; did you mean bulk?" },
		{ "bolk", { "keep", "bulk", "cores" }, "; did you mean bulk?" },
		{ "blukcount", { "bulkcount", "keepcount" }, "; did you mean bulkcount?" },
		/* nearest first, then as given: keep and kelp are one letter away, keen two */
		{ "kep", { "keen", "keep", "kelp" }, "; did you mean keep or kelp or keen?" },
		{ "abcd",
		  { "abce", "abcf", "abcg", "abch" },
		  "; did you mean abce or abcf or abcg?" },
		{ "abcd",
		  { "abef", "abeg", "abeh", "abcx", "bcd" },
		  "; did you mean abcx or bcd or abef?" },
		/* a part of a word, from three letters on */
		{ "perf",
		  { "mempool_autotest", "ring_perf_autotest" },
		  "; did you mean ring_perf_autotest?" },
		{ "rf", { "ring_perf_autotest" }, "" },
		/* longer words may differ by a third of what was typed: 5 of 15, not 6 */
		{ "aaaaaaaaaaaaaaa",
		  { "aaaaaaaaaabbbbb", "aaaaaaaaabbbbbb" },
		  "; did you mean aaaaaaaaaabbbbb?" },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		char text[128] = "not written";

		stint_near(text, sizeof(text), cases[i].typed, words_in(cases[i].words), word_of,
			   cases[i].words);
		assert_string_equal(text, cases[i].want);
	}
}

static void
test_near_at_the_end_of_the_buffer(void **state)
{
	static const char *const words[] = { "keep", "kelp", "keen" };
	static const char want[] = "; did you mean keep or kelp or keen?";

	(void)state;
	for (size_t size = 1; size <= sizeof(want); size++) {
		char *text = malloc(size);

		assert_non_null(text);
		stint_near(text, size, "kep", 3, word_of, words);
		assert_int_equal(strlen(text), size - 1);
		assert_memory_equal(text, want, size - 1);
		free(text);
	}
}

static void
near_long(char *text, size_t size, unsigned int typed_len, const char *word)
{
	char typed[2048];

	assert_true(typed_len < sizeof(typed));
	memset(typed, 'x', typed_len);
	typed[typed_len] = '\0';
	stint_near(text, size, typed, 1, word_of, &word);
}

static void
test_near_long_words(void **state)
{
	static const unsigned int lengths[] = { 127, 128, 129, 383, 384, 400, 2000 };
	char text[512], like[129];

	(void)state;
	memset(like, 'x', sizeof(like));
	like[126] = 'y';
	like[128] = '\0';
	near_long(text, sizeof(text), 128, like);
	assert_non_null(strstr(text, like));
	/* however much was typed, a word that shares no letter with it is not near */
	for (unsigned int i = 0; i < RTE_DIM(lengths); i++) {
		near_long(text, sizeof(text), lengths[i], "bulk");
		assert_string_equal(text, "");
	}
}

/* Nothing of what was typed is in the word. */
static void
test_near_short_words(void **state)
{
	static const char *const words[] = { "ab", "c" };
	char text[64];

	(void)state;
	stint_near(text, sizeof(text), "xy", RTE_DIM(words), word_of, words);
	assert_string_equal(text, "");
}

static void
test_registry_near(void **state)
{
	char text[256];

	(void)state;
	stint_registry_near(text, sizeof(text), "ring_perf_autotst");
	assert_non_null(strstr(text, "did you mean ring_perf_autotest"));
	stint_registry_near(text, sizeof(text), "mempool");
	assert_non_null(strstr(text, "mempool_autotest"));
	assert_null(strstr(text, "lpm_autotest"));
	stint_registry_near(text, sizeof(text), "qwertz");
	assert_string_equal(text, "");
}

static bool
always(const struct stint_point *pt)
{
	(void)pt;
	return true;
}

static void
assert_refused(const char *name, const char *word)
{
	char error[256] = "";

	assert_int_equal(stint_registry_check(error, sizeof(error)), -1);
	assert_non_null(strstr(error, name));
	assert_non_null(strstr(error, word));
	assert_null(strchr(error, '\n'));
}

static void
assert_accepted(void)
{
	char error[256] = "";

	assert_int_equal(stint_registry_check(error, sizeof(error)), 0);
	assert_string_equal(error, "");
}

static void
test_check(void **state)
{
	struct stint_test *fast = &stint_test_lpm_autotest, *perf = &stint_test_ring_perf_autotest;
	const struct stint_test good_perf = *perf;

	(void)state;
	assert_accepted();
	fast->run = NULL;
	assert_refused("lpm_autotest", "run");
	fast->run = run;
	perf->job = NULL;
	assert_refused("ring_perf_autotest", "job");
	*perf = good_perf;
	perf->metrics.count = 0;
	assert_refused("ring_perf_autotest", "metrics");
	*perf = good_perf;
	perf->budget_s = 0;
	assert_refused("ring_perf_autotest", "budget");
	*perf = good_perf;
	perf->metrics.count = STINT_MAX_METRICS + 1;
	assert_refused("ring_perf_autotest", "metrics");
	perf->metrics.count = STINT_MAX_METRICS;
	assert_accepted();
	*perf = good_perf;
	perf->metrics.list = (const struct stint_metric[]){ { .name = "trip", .unit = NULL } };
	assert_refused("ring_perf_autotest", "name or unit");
	perf->metrics.list = (const struct stint_metric[]){ { "share", STINT_SHARE, "%" } };
	assert_refused("ring_perf_autotest", "against");
	perf->metrics.list = (const struct stint_metric[]){ { "trip", STINT_LATENCY, "us" } };
	assert_refused("ring_perf_autotest", "ns");
	perf->metrics.list = (const struct stint_metric[]){ { "trip", STINT_LATENCY, "ns" } };
	assert_accepted();
	perf->metrics.list = (const struct stint_metric[]){ { "half", STINT_LATENCY, "ns",
							      .of = good_perf.metrics.list } };
	assert_refused("ring_perf_autotest", "latency");
	*perf = good_perf;
	perf->serves = always;
	assert_refused("ring_perf_autotest", "serves");
	perf->run = run;
	assert_accepted();
	*perf = good_perf;
	perf->dims.list = dims;
	perf->dims.count = STINT_MAX_DIMS + 1;
	assert_refused("ring_perf_autotest", "dimensions");
	perf->dims.count = STINT_MAX_DIMS;
	assert_accepted();
	*perf = good_perf;
	assert_accepted();
}

/* Last: what is registered stays so. */
static void
test_check_duplicate(void **state)
{
	static struct stint_test again = { .name = "mempool_autotest", .run = run };
	static struct stint_test similar = { .name = "mempool_autotest2", .run = run };

	(void)state;
	stint_register(&similar);
	assert_accepted();
	stint_register(&again);
	assert_refused("mempool_autotest", "twice");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_near),
		cmocka_unit_test(test_near_at_the_end_of_the_buffer),
		cmocka_unit_test(test_near_long_words),
		cmocka_unit_test(test_near_short_words),
		cmocka_unit_test(test_registry_near),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_check_duplicate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
