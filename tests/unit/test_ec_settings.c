/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* What ec_perf_autotest refuses, with the parameter and its limit, and what it takes. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <rte_common.h>

#include <grid.h>
#include <registry.h>

#include "ec/ec_perf.h"
#include "fake_machine.h"

#define WORDS_MAX 8

static struct stint_machine machine;

/* As the runner does: parameters and points first, what they mean together then. */
static int
try_settings(const char *settings, char *error, size_t size)
{
	const struct stint_test *test = stint_registry_find("ec_perf_autotest");
	char text[256], *next = text, *word;
	const char *words[WORDS_MAX];
	struct stint_grid grid;
	unsigned int n = 0;
	int rc;

	error[0] = '\0';
	snprintf(text, sizeof(text), "%s", settings);
	while ((word = strsep(&next, " ")) != NULL)
		words[n++] = word;
	rc = stint_grid_init(&grid, test, &machine, words, n, NULL, error, size);
	if (rc != 0)
		return rc;
	assert_true(grid.count > 0);
	rc = test->validate(&grid.cells[0].point, error, size);
	stint_grid_free(&grid);
	return rc;
}

static const struct {
	const char *settings, *word;
} refused[] = {
	{ "codec=nosuch", "all|isal|jerasure|lrc" },
	{ "technique=nosuch", "technique=nosuch" },
	{ "workload=nosuch", "encode|decode" },
	{ "technique=vandermonde codec=jerasure", "of codec isal, not jerasure" },
	{ "k=0", "k takes list of 1..255" },
	{ "m=0", "m takes list of 1..255" },
	{ "m=-1", "m=-1" },
	{ "k=4x", "k=4x" },
	{ "size=0", "size=0" },
	{ "size=x", "size=x" },
	{ "k=256", "k takes list of 1..255" },
	{ "technique=vandermonde k=5 m=6", "k = 5 and m <= 5" },
	{ "technique=vandermonde k=6 m=5", "technique=cauchy" },
	{ "technique=vandermonde k=4 m=22", "k = 4 and m <= 21" },
	{ "size=2G", "size takes list of 1..1073741824" },
	{ "erasures=1,2 k=4 m=2", "erasures: one value" },
	{ "erasures=1 k=2 m=1 technique=lrc mapping=DD_ layers=DDc", "only erased" },
	{ "technique=cauchy_good k=4 m=2 packetsize=0", "packetsize=0" },
	{ "technique=cauchy_orig k=7 m=2 w=3", "k + m <= 2^w" },
	{ "k=255 m=2", "k + m is at most 256" },
	{ "technique=vandermonde k=22 m=4", "technique=cauchy" },
	{ "technique=xor k=4 m=2", "xor has m = 1" },
	{ "technique=liberation k=4 m=2 w=8", "a prime from 3" },
	{ "technique=liberation m=3", "m = 2" },
	{ "technique=liber8tion k=9 m=2", "k <= 8" },
	{ "technique=blaum_roth k=4 m=2 w=7", "one less than a prime" },
	{ "technique=cauchy_good k=4 m=2 packetsize=12", "a multiple of 8" },
	{ "w=1", "w takes list of 2..32" },
	{ "w=0", "w takes list of 2..32" },
	{ "packetsize=0", "packetsize=0" },
	{ "seed=-1", "seed takes list of 0..9223372036854775807" },
	{ "seed=x", "seed=x" },
	{ "seed=9223372036854775808", "seed=9223372036854775808" },
	{ "seed=1,2", "seed: one value" },
	{ "codec=isal l=3", "l=3: isal has none" },
	{ "technique=cauchy w=8", "w=8: isal has none" },
	{ "technique=reed_sol_van packetsize=64",
	  "packetsize=64: technique reed_sol_van has none" },
	{ "technique=lrc k=4 m=2 w=8", "w=8: layers of isal have none" },
	{ "technique=cauchy k=2 m=1 mapping=DD_ layers=DDc", "codec isal has none" },
	{ "technique=lrc k=2 m=1 l=3 mapping=DD_ layers=DDc", "no l" },
	{ "workload=update codec=jerasure", "of codec isal only" },
	{ "workload=update memory=malloc-per-op", "memory=reuse" },
	{ "technique=lrc k=4 m=2 l=4", "l=4: divides k + m = 6" },
	{ "technique=lrc k=4 m=2 l=2", "evenly" },
	{ "technique=lrc k=2 m=1 mapping=DD_", "none makes chunk 2" },
	{ "technique=lrc k=2 m=1 mapping=DD_ layers=DcD", "that is there" },
	{ "technique=lrc k=2 m=1 mapping=DDx layers=DDc", "3 letters" },
	{ "erasures=0", "erasures=0" },
	{ "erasures=3 k=4 m=2", "up to m=2" },
	{ "erasures=4 k=2 m=1", "up to m=1" },
	{ "erasures=200 k=2 m=1", "up to m=1" },
	{ "erasures=2", "with k and m" },
	{ "erased=0 erasures=1 k=4 m=2", "one of the two" },
	{ "erased=6 k=4 m=2", "chunks are 0 to 5" },
	{ "erased=1000 k=4 m=2", "erased=1000" },
	{ "technique=lrc k=4 m=4 mapping=DD__DD__ layers=DDc_DDc_,DDDc____,____DDDc erased=0,1,4,5",
	  "are not repaired" },
	{ "exhaustive=1", "with erasures" },
	{ "exhaustive=1 erased=0 k=4 m=2", "with erasures" },
	{ "erased=0 k=4 m=2 workload=encode", "workload=encode" },
	{ "erased=0,0 k=4 m=2", "erased=0,0" },
	{ "erased=0,1,2 k=4 m=2", "erased=0,1,2: 3 chunks, up to m=2" },
	{ "erased=7 k=4 m=2", "chunks are 0 to 5" },
	{ "erased=8 k=4 m=2 technique=lrc", "chunks are 0 to 7" },
	{ "erased=0,1 k=4 m=2 workload=repair", "one chunk" },
	{ "erasures=1 k=4 m=2 workload=repair", "one chunk" },
};

static void
test_refused(void **state)
{
	char error[256];

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(refused); i++) {
		int rc;

		/* only the code tells */
		if (strstr(refused[i].word, "not repaired") != NULL && ec_isal.missing != NULL)
			continue;
		rc = try_settings(refused[i].settings, error, sizeof(error));
		if (rc != -EINVAL || strstr(error, refused[i].word) == NULL)
			fail_msg("%s: %d, \"%s\" is not in \"%s\"", refused[i].settings, rc,
				 refused[i].word, error);
	}
}

/* Near those. */
static void
test_taken(void **state)
{
	static const char *const taken[] = {
		"k=255 m=1",
		"k=1 m=255 technique=cauchy",
		"technique=vandermonde k=21 m=4",
		"technique=xor k=255 m=1",
		"technique=liberation k=4 m=2 w=7",
		"technique=liber8tion k=8 m=2",
		"technique=blaum_roth k=4 m=2 w=6",
		"technique=cauchy_good k=4 m=2 packetsize=16",
		"technique=cauchy_orig w=2 k=2 m=2",
		"technique=lrc k=4 m=2 l=3",
		"technique=lrc_jerasure k=4 m=2 l=3 w=16",
		"technique=lrc k=2 m=1 mapping=DD_ layers=DDc",
		"erasures=2 k=4 m=2 exhaustive=1",
		"erased=5,0 k=4 m=2 workload=decode",
		"erased=7 k=4 m=2 technique=lrc",
		"erased=3 k=4 m=2 workload=repair",
		"workload=update",
		"workload=repair codec=jerasure",
		"seed=9223372036854775807 size=1",
		"w=16",
		"memory=malloc-per-op size=160M",
	};
	char error[256];

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(taken); i++) {
		if (try_settings(taken[i], error, sizeof(error)) != 0)
			fail_msg("%s: %s", taken[i], error);
	}
}

/* Chunks that the roofline is of: what is read, and twice what is made. */
static void
test_traffic(void **state)
{
	static const struct {
		const char *settings;
		unsigned int lost, chunks;
	} cases[] = {
		{ "technique=lrc k=4 m=2 workload=decode size=4K", EC_LOST_DATA, 3 + 2 },
		{ "technique=lrc k=4 m=2 workload=decode size=4K", EC_LOST_DATA + 1, 4 + 4 },
		{ "technique=lrc k=4 m=2 workload=repair size=4K", EC_LOST_NONE, 3 + 2 },
		{ "technique=lrc k=4 m=2 workload=encode size=4K", EC_LOST_NONE, 4 + 8 },
		{ "technique=cauchy k=4 m=2 workload=decode size=4K", EC_LOST_DATA, 4 + 2 },
	};
	const struct stint_test *test = stint_registry_find("ec_perf_autotest");

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		char text[256], error[256], *next = text, *word;
		const char *words[WORDS_MAX];
		struct stint_grid grid;
		unsigned int n = 0, seen = 0;

		snprintf(text, sizeof(text), "%s", cases[i].settings);
		while ((word = strsep(&next, " ")) != NULL)
			words[n++] = word;
		assert_int_equal(stint_grid_init(&grid, test, &machine, words, n, NULL, error,
						 sizeof(error)),
				 0);
		for (unsigned int c = 0; c < grid.count; c++) {
			const struct stint_point *pt = &grid.cells[c].point;

			if (pt->value[EC_DIM_LOST] != cases[i].lost ||
			    pt->value[EC_DIM_CODE] == EC_CODE_MEMORY)
				continue;
			assert_int_equal(test->metrics.list[EC_METRIC_ROOFLINE].factor(pt),
					 cases[i].chunks * 1024);
			seen++;
		}
		assert_true(seen > 0);
		stint_grid_free(&grid);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_traffic),
	};
	static struct stint_host host;
	static struct stint_eal_args args;

	fake_host(&host);
	fake_lcores(&args, 1, 0);
	stint_machine_init(&machine, &host, &args);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
