/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "stint_stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void
check_equal(double got, double want, const char *what, size_t row)
{
	if (got != want)
		fail_msg("%s, row %zu: %.17g instead of %.17g", what, row, got, want);
}

static const struct {
	size_t n;
	uint32_t num, den;
	size_t rank;
} rank_cases[] = {
	{ 0, 50, 100, 0 },
	{ 1, 0, 100, 1 },
	{ 1, 100, 100, 1 },
	{ 5, 0, 1, 1 },
	{ 5, 5, 100, 1 },  /* 0.25 */
	{ 5, 30, 100, 2 }, /* 1.5 */
	{ 5, 40, 100, 2 }, /* 2 */
	{ 5, 50, 100, 3 }, /* 2.5 */
	{ 5, 100, 100, 5 },
	{ 100, 99, 100, 99 },
	{ 100, 999, 1000, 100 }, /* 99.9 */
	{ 1000, 999, 1000, 999 },
	{ 1001, 999, 1000, 1000 }, /* 999.999 */
	{ 100, 7, 100, 7 },        /* as doubles, 100 * 0.07 is 7.000000000000001 */
#if SIZE_MAX == UINT64_MAX
	/* 2^64 - 1 = 100 * 184467440737095516 + 15: 99 * 184467440737095516 + ceil(14.85) */
	{ SIZE_MAX, 99, 100, 18262276632972456099ULL },
	{ SIZE_MAX, 1, 1, SIZE_MAX },
	{ SIZE_MAX, UINT32_MAX, UINT32_MAX, SIZE_MAX },
	/* 2^64 - 1 = (2^32 - 1)(2^32 + 1): (2^32 + 1)(2^32 - 2) = 2^64 - 2^32 - 2 */
	{ SIZE_MAX, UINT32_MAX - 1, UINT32_MAX, 18446744069414584318ULL },
	/* one less: ceil((2^64 - 2)(2^32 - 2) / (2^32 - 1)) = 2^64 - 2^32 - 2 + ceil(-1 + tiny) */
	{ SIZE_MAX - 1, UINT32_MAX - 1, UINT32_MAX, 18446744069414584318ULL },
	/* 2^63 = 3 * 3074457345618258602 + 2: ceil(2/3) = 1 */
	{ (size_t)1 << 63, 1, 3, 3074457345618258603ULL },
#endif
};

static void
rank_is_exact(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rank_cases); i++)
		assert_int_equal(
			stint_quantile_rank(rank_cases[i].n, rank_cases[i].num, rank_cases[i].den),
			rank_cases[i].rank);
}

/* textbook examples of the nearest-rank method */
static const double five[] = { 15, 20, 35, 40, 50 };
static const double three[] = { 10, 20, 30 };

static const struct {
	const double *sorted;
	size_t n;
	uint32_t num;
	double value;
} quantile_cases[] = {
	{ five, 5, 5, 15 },   { five, 5, 30, 20 },  { five, 5, 40, 20 },
	{ five, 5, 50, 35 },  { five, 5, 100, 50 }, { three, 3, 99, 30 },
	{ three, 3, 50, 20 }, { three, 3, 0, 10 },  { three, 1, 50, 10 },
};

static void
quantile_is_nearest_rank(void **state)
{
	double hundred[100];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(quantile_cases); i++)
		check_equal(stint_quantile(quantile_cases[i].sorted, quantile_cases[i].n,
					   quantile_cases[i].num, 100),
			    quantile_cases[i].value, "quantile", i);
	for (i = 0; i < 100; i++)
		hundred[i] = (double)(i + 1);
	/* of 1..100 the percentile p is p */
	for (i = 1; i <= 100; i++)
		check_equal(stint_quantile(hundred, 100, (uint32_t)i, 100), (double)i, "1..100", i);
}

static const struct {
	double sorted[8];
	size_t n;
	double median, mad;
} median_cases[] = {
	{ { 7 }, 1, 7, 0 },
	{ { 1, 2 }, 2, 1.5, 0.5 },
	{ { 15, 20, 35, 40, 50 }, 5, 35, 15 },       /* deviations 20 15 0 5 15 */
	{ { 1, 1, 2, 2, 4, 6, 9 }, 7, 2, 1 },        /* deviations 1 1 0 0 2 4 7 */
	{ { 1, 2, 3, 4, 5, 6, 7, 100 }, 8, 4.5, 2 }, /* 3.5 2.5 1.5 .5 .5 1.5 2.5 95.5 */
	{ { -3, -1, -1, 5 }, 4, -1, 1 },             /* deviations 2 0 0 6 */
	{ { -DBL_MAX / 2, 0, DBL_MAX / 2 }, 3, 0, DBL_MAX / 2 },
	{ { DBL_MAX, DBL_MAX }, 2, DBL_MAX, 0 }, /* their sum is no double */
};

static void
median_and_mad(void **state)
{
	double work[8];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(median_cases); i++) {
		const double *sorted = median_cases[i].sorted;
		size_t n = median_cases[i].n;

		check_equal(stint_median(sorted, n), median_cases[i].median, "median", i);
		check_equal(stint_mad(sorted, n, work), median_cases[i].mad, "MAD", i);
	}
}

static void
nothing_gives_nan(void **state)
{
	double none[1] = { 0 };

	(void)state;
	assert_true(isnan(stint_quantile(none, 0, 50, 100)));
	assert_true(isnan(stint_median(none, 0)));
	assert_true(isnan(stint_mad(none, 0, none)));
	stint_sort(NULL, 0);
}

static void
sort_is_ascending(void **state)
{
	double v[] = { 3, -INFINITY, 1e300, -2, 3, 0.5, INFINITY, -1e-300, 0 };
	const double want[] = { -INFINITY, -2, -1e-300, 0, 0.5, 3, 3, 1e300, INFINITY };

	(void)state;
	stint_sort(v, COUNT(v));
	assert_memory_equal(v, want, sizeof(want));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rank_is_exact),     cmocka_unit_test(quantile_is_nearest_rank),
		cmocka_unit_test(median_and_mad),    cmocka_unit_test(nothing_gives_nan),
		cmocka_unit_test(sort_is_ascending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
