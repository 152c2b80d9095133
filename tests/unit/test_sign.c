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

/* beyond this n the sums are no longer free of rounding */
#define EXACT_N 50

/* binomial tables at p = 1/2, upper tail; from n = 50 on computed with integers of any size */
static const struct {
	size_t n, hits;
	double p;
} sign_cases[] = {
	{ 0, 0, 1 },
	{ 1, 0, 1 },
	{ 1, 1, 0.5 },
	{ 5, 5, 0.03125 },        /* 1/32 */
	{ 5, 4, 0.1875 },         /* 6/32 */
	{ 7, 7, 0.0078125 },      /* 1/128 */
	{ 7, 5, 0.2265625 },      /* (21 + 7 + 1)/128 */
	{ 10, 10, 0.0009765625 }, /* 1/1024 */
	{ 10, 9, 0.0107421875 },  /* 11/1024 */
	{ 10, 8, 0.0546875 },     /* 56/1024 */
	{ 10, 7, 0.171875 },      /* 176/1024 */
	{ 10, 5, 0.623046875 },   /* 638/1024 */
	{ 10, 1, 0.9990234375 },  /* 1023/1024 */
	{ 10, 0, 1 },
	{ 10, 11, 0 },
	{ 12, 10, 0.019287109375 },       /* 79/4096 */
	{ 15, 12, 0.017578125 },          /* 576/32768 */
	{ 20, 15, 0.020694732666015625 }, /* 21700/2^20 */
	{ 25, 18, 726206.0 / 33554432 },
	{ 50, 32, 0.03245432353613609 },
	{ 100, 50, 0.5397946186935894 },
	{ 100, 60, 0.028443966820490395 },
	{ 1000, 550, 0.0008652680424881588 },
	{ 1000, 1000, 9.332636185032189e-302 }, /* 2^-1000 */
	{ 20000, 10300, 1.1383490690897912e-05 },
	{ 1000000, 0, 1 },
	{ 1000000, 500000, 0.5003989421806658 },
	{ 1000000, 500001, 0.4996010578193341 },
	{ 1000000, 501000, 0.02280414993269104 },
	{ 1000000, 502500, 2.881270818870302e-07 },
	{ 1000000, 505000, 7.690777521953676e-24 },
	{ 1000000, 518000, 3.7694958097349926e-284 },
	{ 1000000, 1000000, 0 }, /* 2^-1000000: no double is as small */
};

static void
table(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(sign_cases); i++) {
		size_t n = sign_cases[i].n, hits = sign_cases[i].hits;
		double got = stint_sign_test(n, hits), want = sign_cases[i].p;

		if (!(fabs(got - want) <= (n < EXACT_N ? 0 : 1e-11 * want)))
			fail_msg("n %zu, hits %zu: %.17g instead of %.17g", n, hits, got, want);
	}
}

/* all of Pascal's triangle as far as sums of its rows, over 2^n, are doubles without rounding */
static void
small_n_is_exact(void **state)
{
	uint64_t row[EXACT_N + 2] = { 1 }, sum;
	size_t n, k;

	(void)state;
	for (n = 0; n <= EXACT_N; n++) {
		for (sum = 0, k = n + 1; k-- > 0;) {
			double want = ldexp((double)(sum += row[k]), -(int)n);

			if (stint_sign_test(n, k) != want)
				fail_msg("n %zu, hits %zu: not %.17g", n, k, want);
		}
		for (k = n + 1; k > 0; k--)
			row[k] += row[k - 1];
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(small_n_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
