/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_STATS_H
#define STINT_STATS_H

/**
 * @file
 * Pure arithmetic on samples: no state, no I/O, no clock; any thread.
 */

#include <stddef.h>
#include <stdint.h>

/**
 * Nearest-rank quantile: the rank, from 1, of the num/den quantile of n ordered samples, that is
 * ceil(n * num / den), at least 1. Exact for any n, in integers. 0 if n is 0.
 * Requires 0 <= num <= den, den > 0.
 */
size_t stint_quantile_rank(size_t n, uint32_t num, uint32_t den);

/** Sort ascending, in place. No sample is NaN. The C library may take memory for it meanwhile. */
void stint_sort(double *v, size_t n);

/** Nearest-rank quantile of ascending samples; NaN if there are none. */
double stint_quantile(const double *sorted, size_t n, uint32_t num, uint32_t den);

/** Median of ascending samples: the middle one, or the mean of the middle two; NaN if none. */
double stint_median(const double *sorted, size_t n);

/**
 * Median absolute deviation from the median, not scaled. `work` holds n doubles and is written.
 * NaN if there are none.
 */
double stint_mad(const double *sorted, size_t n, double *work);

/** A confidence interval of the median, as ranks from 1 of order statistics. */
struct stint_interval {
	size_t low, high; /**< both 0: so few samples that none reaches the confidence */
	double coverage;  /**< what the interval covers: P(low <= median <= high) */
};

/**
 * Narrowest symmetric interval [x(low), x(n + 1 - low)] of order statistics that covers the median
 * of a continuous distribution with at least `confidence` (David and Nagaraja, Order Statistics,
 * 3rd ed., 7.1: coverage = 1 - 2 P(Bin(n, 1/2) < low)). Takes time linear in n.
 */
struct stint_interval stint_median_interval(size_t n, double confidence);

/**
 * P(Bin(n, 1/2) >= hits): one-sided p-value of the sign test. 1 if hits is 0, 0 if hits > n. Takes
 * time linear in n.
 */
double stint_sign_test(size_t n, size_t hits);

#endif /* STINT_STATS_H */
