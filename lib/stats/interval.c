/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "stint_stats.h"

#include "binomial.h"

#include <math.h>

struct stint_interval
stint_median_interval(size_t n, double confidence)
{
	struct stint_interval interval = { 0 };
	double p = binomial_centre(n);
	double coverage = n % 2 ? 2 * p : p;
	size_t low = n / 2;

	while (low > 0 && coverage < confidence) {
		p = binomial_below(p, n, low);
		coverage += 2 * p;
		low--;
	}
	if (low > 0) {
		interval.low = low;
		interval.high = n + 1 - low;
		interval.coverage = fmin(coverage, 1);
	}
	return interval;
}
