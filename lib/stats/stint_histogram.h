/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_HISTOGRAM_H
#define STINT_HISTOGRAM_H

/**
 * @file
 * Buckets of a log-linear histogram of integers, and the recorder that a lcore fills. Values below
 * 2048 have a bucket each; above, each power of two is divided into 1024 buckets, so that none is
 * wider than 1/1024 (less than 0.1 %) of the values in it. The idea is HdrHistogram's
 * (G. Tene, hdrhistogram.org). Needs no EAL.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Each power of two has 2 to the power of this many buckets. */
#define STINT_HISTOGRAM_BITS 10
/** Values above it are counted as this one; as cycles of 3 GHz it is 12 minutes. */
#define STINT_HISTOGRAM_TOP ((UINT64_C(1) << 41) - 1)
/** As many as the values up to STINT_HISTOGRAM_TOP need. */
#define STINT_HISTOGRAM_BUCKETS (UINT32_C(32) << STINT_HISTOGRAM_BITS)

/** Sums that do not overflow. */
__extension__ typedef unsigned __int128 stint_uint128;

/** Bucket of a value. Any thread. */
static inline uint32_t
stint_histogram_bucket(uint64_t value)
{
	const uint64_t v = value < STINT_HISTOGRAM_TOP ? value : STINT_HISTOGRAM_TOP;
	const unsigned int log2 = 63 - __builtin_clzll(v | (UINT64_C(1) << STINT_HISTOGRAM_BITS));
	const unsigned int shift = log2 - STINT_HISTOGRAM_BITS;

	return (shift << STINT_HISTOGRAM_BITS) + (uint32_t)(v >> shift);
}

/** Smallest value of a bucket. Any thread. */
static inline uint64_t
stint_histogram_low(uint32_t bucket)
{
	const uint32_t shift = bucket >> STINT_HISTOGRAM_BITS;
	const uint64_t part = bucket & ((UINT32_C(1) << STINT_HISTOGRAM_BITS) - 1);

	return shift == 0 ? part : ((UINT64_C(1) << STINT_HISTOGRAM_BITS) + part) << (shift - 1);
}

/** Largest value of a bucket; of the last one, STINT_HISTOGRAM_TOP. Any thread. */
static inline uint64_t
stint_histogram_high(uint32_t bucket)
{
	return stint_histogram_low(bucket + 1) - 1;
}

/**
 * What one lcore records in one slice; one thread at a time. Sums, smallest and largest are exact
 * for any values; the squares overflow from 2^128 on. Emptied by stint_recorder_init().
 */
struct __attribute__((aligned(64))) stint_recorder {
	stint_uint128 sum, squares;
	uint64_t min, max; /**< of nothing: UINT64_MAX, 0 */
	uint32_t counts[STINT_HISTOGRAM_BUCKETS];
};

/** Make ready a recorder that is all zeros. */
static inline void
stint_recorder_init(struct stint_recorder *r)
{
	r->min = UINT64_MAX;
}

/**
 * Record a value if `counting` is 1; if it is 0, touch the same memory by the same instructions
 * and change nothing, so that what is warm stays warm. No branch, no division.
 */
static inline void
stint_recorder_add(struct stint_recorder *r, uint64_t value, uint64_t counting)
{
	const uint64_t counted = value & -counting;    /* or 0 */
	const uint64_t least = value | (counting - 1); /* or UINT64_MAX */

	r->counts[stint_histogram_bucket(value)] += (uint32_t)counting;
	r->sum += counted;
	r->squares += (stint_uint128)counted * counted;
	r->min = least < r->min ? least : r->min;
	r->max = counted > r->max ? counted : r->max;
}

#ifdef __cplusplus
}
#endif

#endif /* STINT_HISTOGRAM_H */
