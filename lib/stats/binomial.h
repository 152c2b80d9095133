/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_BINOMIAL_H
#define STINT_BINOMIAL_H

/**
 * @file
 * Bin(n, 1/2), walked from its centre outwards: 2^-n, where a walk from the edge would begin,
 * is 0 in a double from n = 1075 on. Inside lib/stats only.
 */

#include <stddef.h>

/**
 * P(Bin(n, 1/2) = n / 2), n / 2 rounded down. No rounding at all up to n = 50: each product is
 * an integer below 2^53 over a power of two.
 */
static inline double
binomial_centre(size_t n)
{
	size_t i, half = n / 2 + n % 2;
	double p = 1;

	for (i = 1; i <= half; i++)
		p = p * (double)(2 * i - 1) / (double)(2 * i);
	return p;
}

/** From P(Bin(n, 1/2) = k) to P(Bin(n, 1/2) = k - 1). */
static inline double
binomial_below(double p, size_t n, size_t k)
{
	return p * (double)k / (double)(n - k + 1);
}

#endif /* STINT_BINOMIAL_H */
