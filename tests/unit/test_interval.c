/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "stint_stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Ranks and coverages of the published tables of order-statistic intervals of the median, each
 * computed again with integers: coverage = 1 - 2 sum(C(n, k), k < low) / 2^n.
 */
static const struct {
	size_t n;
	double confidence;
	size_t low;
	double coverage;
} interval_cases[] = {
	{ 0, 0.95, 0, 0 },
	{ 1, 0.95, 0, 0 },
	{ 5, 0.95, 0, 0 },            /* at most 1 - 2/32 = 0.9375 */
	{ 6, 0.95, 1, 0.96875 },      /* 1 - 2/64 */
	{ 7, 0.95, 1, 0.984375 },     /* 1 - 2/128 */
	{ 8, 0.95, 1, 0.9921875 },    /* 1 - 2/256; low 2: 1 - 18/256 = 0.9297 */
	{ 9, 0.95, 2, 0.9609375 },    /* 1 - 20/512 */
	{ 10, 0.95, 2, 0.978515625 }, /* 1 - 22/1024 */
	{ 11, 0.95, 2, 0.98828125 },  /* 1 - 24/2048 */
	{ 12, 0.95, 3, 0.96142578125 },
	{ 15, 0.95, 4, 0.96484375 },
	{ 20, 0.95, 6, 0.9586105346679688 },
	{ 25, 0.95, 8, 0.9567147493362427 },
	{ 30, 0.95, 10, 0.9572260547429323 },
	{ 40, 0.95, 14, 0.9615226917157997 },
	{ 50, 0.95, 18, 0.9671608624357315 },
	{ 100, 0.95, 40, 0.9647997997822951 },
	{ 1000, 0.95, 469, 0.9537088026395019 },
	{ 1000000, 0.95, 499020, 0.9501210313476318 },
	{ 5, 0.90, 1, 0.9375 },
	{ 8, 0.90, 2, 0.9296875 },
	{ 50, 0.90, 19, 0.9350913529277278 },
	{ 7, 0.99, 0, 0 },
	{ 8, 0.99, 1, 0.9921875 },
	{ 50, 0.99, 16, 0.9933995520331891 },
	/* a coverage that is just the confidence will do */
	{ 2, 0.5, 1, 0.5 },
	{ 3, 0.75, 1, 0.75 },
	{ 6, 0.96875, 1, 0.96875 },
	{ 6, 0.96876, 0, 0 },
	/* any interval will do: the narrowest */
	{ 2, 0, 1, 0.5 },
	{ 4, 0, 2, 0.375 },
	{ 5, 0, 2, 0.625 },
	{ 20, 1, 0, 0 },
};

static void
interval_is_the_published_one(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(interval_cases); i++) {
		size_t n = interval_cases[i].n, low = interval_cases[i].low;
		double coverage = interval_cases[i].coverage;
		struct stint_interval got = stint_median_interval(n, interval_cases[i].confidence);

		if (got.low != low || got.high != (low ? n + 1 - low : 0) ||
		    fabs(got.coverage - coverage) > (n <= 50 ? 0 : 1e-12))
			fail_msg("n %zu, confidence %g: [%zu, %zu] covers %.17g, not %zu, %.17g", n,
				 interval_cases[i].confidence, got.low, got.high, got.coverage, low,
				 coverage);
	}
}

/* coverage below the confidence one rank further in, from the sign test's own summation */
static void
interval_is_the_narrowest(void **state)
{
	size_t n;

	(void)state;
	for (n = 6; n <= 3000; n += 1 + n / 7) {
		struct stint_interval got = stint_median_interval(n, 0.95);

		assert_int_equal(got.high, n + 1 - got.low);
		assert_true(1 - 2 * stint_sign_test(n, n + 1 - got.low) >= 0.95);
		assert_true(1 - 2 * stint_sign_test(n, n - got.low) < 0.95);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval_is_the_published_one),
		cmocka_unit_test(interval_is_the_narrowest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
