/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_STATS_H
#define STINT_STATS_H

/**
 * @file
 * Pure arithmetic on samples: no state, no I/O, no clock; any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stint_histogram.h"

/**
 * Nearest-rank quantile: the rank, from 1, of the num/den quantile of n ordered samples, that is
 * ceil(n * num / den), at least 1. Exact for any n, in integers. 0 if n is 0.
 * Requires 0 <= num <= den, den > 0.
 */
size_t stint_quantile_rank(size_t n, uint32_t num, uint32_t den);

/**
 * Can n samples tell the num/den quantile? Not if its rank is that of the largest one, which then
 * is all that is known: p99 takes 100 samples, p99.9 takes 1000, the median takes 2.
 */
bool stint_quantile_supported(size_t n, uint32_t num, uint32_t den);

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

/** Buckets that a histogram takes memory for at once. */
#define STINT_HISTOGRAM_PAGE 256

/**
 * A histogram that grows: what many recorders came to. All zeros with stint_histogram_init(); one
 * thread at a time. Counts, sums, smallest and largest are exact, quantiles those of a bucket.
 */
struct stint_histogram {
	uint64_t count;
	uint64_t min, max; /**< of nothing: UINT64_MAX, 0 */
	stint_uint128 sum, squares;
	uint64_t *pages[STINT_HISTOGRAM_BUCKETS / STINT_HISTOGRAM_PAGE]; /**< NULL: all 0 */
};

void stint_histogram_init(struct stint_histogram *h);

/** Forget all samples; the memory stays. */
void stint_histogram_clear(struct stint_histogram *h);

/** Give the memory back; empty afterwards. */
void stint_histogram_free(struct stint_histogram *h);

/**
 * Count `count` samples in a bucket, for a reader that sets the sums, `min` and `max` itself.
 * 0 or -ENOMEM.
 */
int stint_histogram_put(struct stint_histogram *h, uint32_t bucket, uint64_t count);

/** Move all that was recorded here and empty the recorder. 0; -ENOMEM: both are to be emptied. */
int stint_histogram_take(struct stint_histogram *h, struct stint_recorder *r);

/** Add the samples of another histogram. 0; -ENOMEM: `h` is to be freed. */
int stint_histogram_merge(struct stint_histogram *h, const struct stint_histogram *more);

/** The first bucket from `from` on that has samples; STINT_HISTOGRAM_BUCKETS: none. */
uint32_t stint_histogram_next(const struct stint_histogram *h, uint32_t from);

/** Samples in a bucket. */
uint64_t stint_histogram_at(const struct stint_histogram *h, uint32_t bucket);

/**
 * Nearest-rank quantile, see stint_quantile_rank(): the middle of the bucket that holds the sample
 * of that rank, at most 0.05 % off it; exact below 2048 and for the smallest and the largest
 * sample. Beyond STINT_HISTOGRAM_TOP only the largest is told. 0 if there are none.
 */
uint64_t stint_histogram_quantile(const struct stint_histogram *h, uint32_t num, uint32_t den);

/** Sum by count; NaN if there are no samples. */
double stint_histogram_mean(const struct stint_histogram *h);

/** Standard deviation of a sample (by n - 1), from the sums; NaN below two samples. */
double stint_histogram_deviation(const struct stint_histogram *h);

#endif /* STINT_STATS_H */
