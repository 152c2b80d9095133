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
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SAMPLES 20000
#define TOP STINT_HISTOGRAM_TOP

/* Buckets of a width of 2^(n - 10) from 2^n on: 1024 for each n, after 2048 of width 1. */
static const struct {
	uint64_t value;
	uint32_t bucket;
	uint64_t low, high;
} bucket_cases[] = {
	{ 0, 0, 0, 0 },
	{ 1, 1, 1, 1 },
	{ 1023, 1023, 1023, 1023 },
	{ 1024, 1024, 1024, 1024 },
	{ 2047, 2047, 2047, 2047 },
	{ 2048, 2048, 2048, 2049 },
	{ 2049, 2048, 2048, 2049 },
	{ 2050, 2049, 2050, 2051 },
	{ 4095, 3071, 4094, 4095 },
	{ 4096, 3072, 4096, 4099 },
	{ 1000000, 10 * 1024 + 929, 999936, 1000447 }, /* 2^19 + 512 * 929 and on */
	{ UINT64_C(1) << 40, 31 * 1024, UINT64_C(1) << 40, (UINT64_C(1) << 40) + (1 << 30) - 1 },
	{ TOP, 32 * 1024 - 1, TOP - (1 << 30) + 1, TOP },
	{ TOP + 1, 32 * 1024 - 1, TOP - (1 << 30) + 1, TOP },
	{ UINT64_MAX, 32 * 1024 - 1, TOP - (1 << 30) + 1, TOP },
};

static void
buckets(void **state)
{
	(void)state;
	assert_int_equal(STINT_HISTOGRAM_BUCKETS, 32 * 1024);
	for (size_t i = 0; i < COUNT(bucket_cases); i++) {
		const uint32_t b = bucket_cases[i].bucket;

		if (stint_histogram_bucket(bucket_cases[i].value) != b)
			fail_msg("row %zu: bucket %u", i,
				 stint_histogram_bucket(bucket_cases[i].value));
		assert_int_equal(stint_histogram_low(b), bucket_cases[i].low);
		assert_int_equal(stint_histogram_high(b), bucket_cases[i].high);
	}
}

/* They follow each other without a gap, and are narrow: less than 0.1 % of what is in them. */
static void
buckets_cover_all(void **state)
{
	uint64_t next = 0;

	(void)state;
	for (uint32_t b = 0; b < STINT_HISTOGRAM_BUCKETS; b++) {
		const uint64_t low = stint_histogram_low(b), high = stint_histogram_high(b);

		assert_int_equal(low, next);
		assert_true((high - low) * 1000 <= low);
		assert_int_equal(stint_histogram_bucket(low), b);
		assert_int_equal(stint_histogram_bucket(high), b);
		next = high + 1;
	}
	assert_int_equal(next, TOP + 1);
}

/* SplitMix64 */
static uint64_t
next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double
uniform(uint64_t *state)
{
	return ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53;
}

static uint64_t
small(uint64_t *state)
{
	return next_random(state) % 100;
}

static uint64_t
wide(uint64_t *state)
{
	return next_random(state) % (TOP + 1);
}

/* as many in each power of two */
static uint64_t
logarithmic(uint64_t *state)
{
	return (uint64_t)exp2(41 * uniform(state)) - 1;
}

static uint64_t
exponential(uint64_t *state)
{
	return (uint64_t)(-5000 * log(uniform(state)));
}

/* a round trip: most about 2000, one in 500 a hundred times that */
static uint64_t
two_humps(uint64_t *state)
{
	const uint64_t about = next_random(state) % 500 == 0 ? 200000 : 2000;

	return about + next_random(state) % (about / 10);
}

static uint64_t
constant(uint64_t *state)
{
	(void)state;
	return 123456789;
}

static uint64_t (*const distributions[])(uint64_t *state) = { small,       wide,      logarithmic,
							      exponential, two_humps, constant };

static const size_t sizes[] = { 0, 1, 2, 3, 19, 20, 50, 99, 100, 101, 999, 1000, SAMPLES };

static const struct {
	uint32_t num, den;
} quantiles[] = { { 0, 1 },        { 1, 100 },        { 1, 4 },    { 50, 100 },
		  { 90, 100 },     { 95, 100 },       { 99, 100 }, { 999, 1000 },
		  { 9999, 10000 }, { 99999, 100000 }, { 1, 3 },    { 1, 1 } };

static int
compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static struct stint_recorder *
recorder_new(void)
{
	struct stint_recorder *r = aligned_alloc(64, (sizeof(*r) + 63) / 64 * 64);

	assert_non_null(r);
	memset(r, 0, sizeof(*r));
	stint_recorder_init(r);
	return r;
}

/* The textbook's sums, in the order of the samples. */
static void
assert_moments(const struct stint_histogram *h, const uint64_t *v, size_t n)
{
	long double sum = 0, off = 0, mean;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	mean = sum / n;
	for (size_t i = 0; i < n; i++)
		off += (v[i] - mean) * (v[i] - mean);
	assert_true(fabsl(stint_histogram_mean(h) - mean) <= 1e-15L * mean);
	if (n > 1)
		assert_true(fabsl(stint_histogram_deviation(h) - sqrtl(off / (n - 1))) <=
			    1e-9L * mean);
	else
		assert_true(isnan(stint_histogram_deviation(h)));
}

static void
assert_quantiles(const struct stint_histogram *h, const uint64_t *sorted, size_t n)
{
	for (size_t q = 0; q < COUNT(quantiles); q++) {
		/* n is so small that the product fits: ceil(n * num / den) */
		const uint64_t num = quantiles[q].num, den = quantiles[q].den;
		const uint64_t rank = (n * num + den - 1) / den;
		const uint64_t want = sorted[rank == 0 ? 0 : rank - 1];
		const uint64_t got = stint_histogram_quantile(h, num, den);

		if (fabs((double)got - (double)want) > 0.0005 * (double)want)
			fail_msg("quantile %u/%u of %zu: %llu instead of %llu", (unsigned int)num,
				 (unsigned int)den, n, (unsigned long long)got,
				 (unsigned long long)want);
		if (want < 2048 || rank <= 1 || rank == n)
			assert_int_equal(got, want);
	}
}

static void
agrees_with_sorted_samples(void **state)
{
	uint64_t *v = calloc(SAMPLES, sizeof(*v)), seed = 1;
	struct stint_recorder *r = recorder_new();
	struct stint_histogram h;

	(void)state;
	assert_non_null(v);
	stint_histogram_init(&h);
	for (size_t d = 0; d < COUNT(distributions); d++) {
		for (size_t s = 0; s < COUNT(sizes); s++) {
			const size_t n = sizes[s];

			for (size_t i = 0; i < n; i++) {
				v[i] = distributions[d](&seed);
				stint_recorder_add(r, v[i], 1);
			}
			assert_int_equal(stint_histogram_take(&h, r), 0);
			assert_int_equal(h.count, n);
			if (n > 0) {
				assert_moments(&h, v, n);
				qsort(v, n, sizeof(*v), compare);
				assert_int_equal(h.min, v[0]);
				assert_int_equal(h.max, v[n - 1]);
				assert_quantiles(&h, v, n);
			}
			stint_histogram_clear(&h);
		}
	}
	stint_histogram_free(&h);
	free(r);
	free(v);
}

/* of the values 1 to 100 the percentile p is p; of 10, 20, 30 p99 is 30 */
static void
textbook(void **state)
{
	struct stint_recorder *r = recorder_new();
	struct stint_histogram h;

	(void)state;
	stint_histogram_init(&h);
	for (uint64_t i = 100; i > 0; i--)
		stint_recorder_add(r, i, 1);
	assert_int_equal(stint_histogram_take(&h, r), 0);
	for (uint32_t p = 1; p <= 100; p++)
		assert_int_equal(stint_histogram_quantile(&h, p, 100), p);
	stint_histogram_clear(&h);
	for (uint64_t i = 10; i <= 30; i += 10)
		stint_recorder_add(r, i, 1);
	assert_int_equal(stint_histogram_take(&h, r), 0);
	assert_int_equal(stint_histogram_quantile(&h, 99, 100), 30);
	assert_int_equal(stint_histogram_quantile(&h, 50, 100), 20);
	stint_histogram_free(&h);
	free(r);
}

/* The middle of a bucket (4096 to 4099) may lie beyond all that is in it. */
static void
within_what_was_recorded(void **state)
{
	struct stint_recorder *r = recorder_new();
	struct stint_histogram h;

	(void)state;
	stint_histogram_init(&h);
	for (uint64_t value = 4096; value <= 4099; value++) {
		for (unsigned int i = 0; i < 3; i++)
			stint_recorder_add(r, value, 1);
		assert_int_equal(stint_histogram_take(&h, r), 0);
		assert_int_equal(stint_histogram_quantile(&h, 50, 100), value);
		stint_histogram_clear(&h);
	}
	stint_histogram_free(&h);
	free(r);
}

/* n * (1 - p) >= 1: one sample at least lies above */
static const struct {
	size_t n;
	uint32_t num, den;
	bool supported;
} support_cases[] = {
	{ 0, 50, 100, false },     { 1, 50, 100, false },           { 2, 50, 100, true },
	{ 9, 90, 100, false },     { 10, 90, 100, true },           { 19, 95, 100, false },
	{ 20, 95, 100, true },     { 50, 99, 100, false },          { 99, 99, 100, false },
	{ 100, 99, 100, true },    { 100, 999, 1000, false },       { 999, 999, 1000, false },
	{ 1000, 999, 1000, true }, { 9999, 9999, 10000, false },    { 10000, 9999, 10000, true },
	{ 7, 1, 1, false },        { SIZE_MAX, 9999, 10000, true },
};

static void
support(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(support_cases); i++) {
		if (stint_quantile_supported(support_cases[i].n, support_cases[i].num,
					     support_cases[i].den) != support_cases[i].supported)
			fail_msg("row %zu", i);
	}
}

static void
nothing(void **state)
{
	struct stint_recorder *r = recorder_new();
	struct stint_histogram h, other;

	(void)state;
	stint_histogram_init(&h);
	stint_histogram_init(&other);
	assert_int_equal(stint_histogram_take(&h, r), 0);
	assert_int_equal(stint_histogram_merge(&h, &other), 0);
	assert_int_equal(h.count, 0);
	assert_int_equal(h.min, UINT64_MAX);
	assert_int_equal(h.max, 0);
	assert_int_equal(stint_histogram_quantile(&h, 50, 100), 0);
	assert_int_equal(stint_histogram_next(&h, 0), STINT_HISTOGRAM_BUCKETS);
	assert_int_equal(stint_histogram_at(&h, 0), 0);
	assert_true(isnan(stint_histogram_mean(&h)));
	assert_true(isnan(stint_histogram_deviation(&h)));
	stint_histogram_free(&h);
	free(r);
}

/* Values without a bucket of their own, and sums beyond 64 bits. */
static void
largest_values(void **state)
{
	struct stint_recorder *r = recorder_new();
	const stint_uint128 want = (stint_uint128)UINT64_MAX * 3 + TOP;
	struct stint_histogram h;

	(void)state;
	stint_histogram_init(&h);
	stint_recorder_add(r, UINT64_MAX, 1);
	stint_recorder_add(r, TOP, 1);
	stint_recorder_add(r, UINT64_MAX, 1);
	stint_recorder_add(r, UINT64_MAX, 1);
	assert_int_equal(stint_histogram_take(&h, r), 0);
	assert_int_equal(h.count, 4);
	assert_int_equal(h.max, UINT64_MAX);
	assert_int_equal(h.min, TOP);
	assert_true(h.sum == want);
	assert_int_equal(stint_histogram_at(&h, STINT_HISTOGRAM_BUCKETS - 1), 4);
	assert_int_equal(stint_histogram_quantile(&h, 50, 100), UINT64_MAX);
	stint_histogram_clear(&h);
	/* 2^48 cycles are a day, and a thousand million of them 2^126 of squares */
	for (unsigned int i = 0; i < 1000; i++)
		stint_recorder_add(r, UINT64_C(1) << 48, 1);
	assert_int_equal(stint_histogram_take(&h, r), 0);
	assert_true(h.squares == ((stint_uint128)1000 << 96));
	assert_true(stint_histogram_deviation(&h) == 0);
	stint_histogram_free(&h);
	free(r);
}

/* What is not counted leaves no trace, between what is. */
static void
not_counting(void **state)
{
	struct stint_recorder *r = recorder_new(), *empty = recorder_new();
	struct stint_histogram h;

	(void)state;
	stint_histogram_init(&h);
	stint_recorder_add(r, 1, 0);
	stint_recorder_add(r, 0, 0);
	stint_recorder_add(r, UINT64_MAX, 0);
	assert_memory_equal(r, empty, sizeof(*r));
	stint_recorder_add(r, 5000, 1);
	stint_recorder_add(r, 1, 0);
	stint_recorder_add(r, 1000000, 0);
	stint_recorder_add(r, 0, 1);
	assert_int_equal(stint_histogram_take(&h, r), 0);
	assert_memory_equal(r, empty, sizeof(*r));
	assert_int_equal(h.count, 2);
	assert_int_equal(h.min, 0);
	assert_int_equal(h.max, 5000);
	assert_true(h.sum == 5000);
	assert_true(h.squares == 25000000);
	stint_histogram_free(&h);
	free(empty);
	free(r);
}

static void
assert_same(const struct stint_histogram *a, const struct stint_histogram *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_true(a->sum == b->sum && a->squares == b->squares);
	for (uint32_t i = 0; i < STINT_HISTOGRAM_BUCKETS; i++)
		assert_int_equal(stint_histogram_at(a, i), stint_histogram_at(b, i));
}

/* Recorded by one, or by several and merged: the same. */
static void
merging_is_recording_together(void **state)
{
	struct stint_recorder *together = recorder_new(), *apart[3];
	struct stint_histogram whole, merged, part[3];
	uint64_t seed = 7;

	(void)state;
	stint_histogram_init(&whole);
	stint_histogram_init(&merged);
	for (size_t i = 0; i < 3; i++) {
		apart[i] = recorder_new();
		stint_histogram_init(&part[i]);
	}
	for (size_t i = 0; i < SAMPLES; i++) {
		const uint64_t v = distributions[i % COUNT(distributions)](&seed);

		stint_recorder_add(together, v, 1);
		stint_recorder_add(apart[next_random(&seed) % 3], v, 1);
	}
	assert_int_equal(stint_histogram_take(&whole, together), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(stint_histogram_take(&part[i], apart[i]), 0);
		assert_true(part[i].count > 0);
		assert_int_equal(stint_histogram_merge(&merged, &part[i]), 0);
	}
	assert_same(&whole, &merged);
	stint_histogram_clear(&merged);
	assert_int_equal(stint_histogram_merge(&merged, &whole), 0);
	assert_same(&whole, &merged);
	stint_histogram_free(&whole);
	stint_histogram_free(&merged);
	for (size_t i = 0; i < 3; i++) {
		stint_histogram_free(&part[i]);
		free(apart[i]);
	}
	free(together);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets),
		cmocka_unit_test(buckets_cover_all),
		cmocka_unit_test(agrees_with_sorted_samples),
		cmocka_unit_test(textbook),
		cmocka_unit_test(within_what_was_recorded),
		cmocka_unit_test(support),
		cmocka_unit_test(nothing),
		cmocka_unit_test(largest_values),
		cmocka_unit_test(not_counting),
		cmocka_unit_test(merging_is_recording_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
