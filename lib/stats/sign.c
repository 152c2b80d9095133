/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "stint_stats.h"

#include "binomial.h"

/* P(Bin(n, 1/2) <= k) for k <= n / 2 */
static double
lower_tail(size_t n, size_t k)
{
	double p = binomial_centre(n), sum;
	size_t i;

	for (i = n / 2; i > k; i--)
		p = binomial_below(p, n, i);
	sum = p;
	for (; i > 0; i--) {
		p = binomial_below(p, n, i);
		sum += p;
	}
	return sum;
}

double
stint_sign_test(size_t n, size_t hits)
{
	if (hits == 0)
		return 1;
	if (hits > n)
		return 0;
	if (hits <= n / 2)
		return 1 - lower_tail(n, hits - 1);
	return lower_tail(n, n - hits);
}
