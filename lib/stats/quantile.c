/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "stint_stats.h"

#include <math.h>
#include <stdlib.h>

size_t
stint_quantile_rank(size_t n, uint32_t num, uint32_t den)
{
	/* n * num may not fit: n is split by den, and then neither product can overflow */
	uint64_t whole = (uint64_t)n / den * num;
	uint64_t rest = ((uint64_t)n % den * num + (den - 1)) / den;
	uint64_t rank = whole + rest;

	return rank == 0 && n > 0 ? 1 : rank;
}

bool
stint_quantile_supported(size_t n, uint32_t num, uint32_t den)
{
	return stint_quantile_rank(n, num, den) < n;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void
stint_sort(double *v, size_t n)
{
	if (n > 1)
		qsort(v, n, sizeof(*v), compare);
}

double
stint_quantile(const double *sorted, size_t n, uint32_t num, uint32_t den)
{
	return n == 0 ? NAN : sorted[stint_quantile_rank(n, num, den) - 1];
}

double
stint_median(const double *sorted, size_t n)
{
	if (n == 0)
		return NAN;
	/* halved before they are added: the sum of two large samples may overflow */
	return n % 2 ? sorted[n / 2] : 0.5 * sorted[n / 2 - 1] + 0.5 * sorted[n / 2];
}

double
stint_mad(const double *sorted, size_t n, double *work)
{
	double median = stint_median(sorted, n);
	size_t i;

	for (i = 0; i < n; i++)
		work[i] = fabs(sorted[i] - median);
	stint_sort(work, n);
	return stint_median(work, n);
}
