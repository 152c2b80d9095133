/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "stint_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAGE STINT_HISTOGRAM_PAGE

void
stint_histogram_init(struct stint_histogram *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

void
stint_histogram_clear(struct stint_histogram *h)
{
	for (uint32_t p = 0; p < STINT_HISTOGRAM_BUCKETS / PAGE; p++) {
		if (h->pages[p] != NULL)
			memset(h->pages[p], 0, PAGE * sizeof(*h->pages[p]));
	}
	h->count = 0;
	h->min = UINT64_MAX;
	h->max = 0;
	h->sum = h->squares = 0;
}

void
stint_histogram_free(struct stint_histogram *h)
{
	for (uint32_t p = 0; p < STINT_HISTOGRAM_BUCKETS / PAGE; p++)
		free(h->pages[p]);
	stint_histogram_init(h);
}

int
stint_histogram_put(struct stint_histogram *h, uint32_t bucket, uint64_t count)
{
	uint64_t **page = &h->pages[bucket / PAGE];

	if (*page == NULL)
		*page = calloc(PAGE, sizeof(**page));
	if (*page == NULL)
		return -ENOMEM;
	(*page)[bucket % PAGE] += count;
	h->count += count;
	return 0;
}

static void
add_sums(struct stint_histogram *h, uint64_t min, uint64_t max, stint_uint128 sum,
	 stint_uint128 squares)
{
	h->min = min < h->min ? min : h->min;
	h->max = max > h->max ? max : h->max;
	h->sum += sum;
	h->squares += squares;
}

int
stint_histogram_take(struct stint_histogram *h, struct stint_recorder *r)
{
	/* of an empty recorder nothing: its smallest is above its largest */
	const uint32_t last = stint_histogram_bucket(r->max);

	add_sums(h, r->min, r->max, r->sum, r->squares);
	for (uint32_t b = stint_histogram_bucket(r->min); b <= last; b++) {
		if (r->counts[b] == 0)
			continue;
		if (stint_histogram_put(h, b, r->counts[b]) < 0)
			return -ENOMEM;
		r->counts[b] = 0;
	}
	r->sum = r->squares = 0;
	r->min = UINT64_MAX;
	r->max = 0;
	return 0;
}

int
stint_histogram_merge(struct stint_histogram *h, const struct stint_histogram *more)
{
	uint32_t b = 0;

	add_sums(h, more->min, more->max, more->sum, more->squares);
	while ((b = stint_histogram_next(more, b)) < STINT_HISTOGRAM_BUCKETS) {
		if (stint_histogram_put(h, b, stint_histogram_at(more, b)) < 0)
			return -ENOMEM;
		b++;
	}
	return 0;
}

uint32_t
stint_histogram_next(const struct stint_histogram *h, uint32_t from)
{
	while (from < STINT_HISTOGRAM_BUCKETS) {
		const uint64_t *page = h->pages[from / PAGE];

		if (page == NULL)
			from = (from / PAGE + 1) * PAGE;
		else if (page[from % PAGE] == 0)
			from++;
		else
			return from;
	}
	return STINT_HISTOGRAM_BUCKETS;
}

uint64_t
stint_histogram_at(const struct stint_histogram *h, uint32_t bucket)
{
	const uint64_t *page = h->pages[bucket / PAGE];

	return page == NULL ? 0 : page[bucket % PAGE];
}

static uint64_t
within(const struct stint_histogram *h, uint64_t value)
{
	if (value < h->min)
		return h->min;
	return value > h->max ? h->max : value;
}

uint64_t
stint_histogram_quantile(const struct stint_histogram *h, uint32_t num, uint32_t den)
{
	uint64_t left = stint_quantile_rank(h->count, num, den);
	uint32_t b = stint_histogram_next(h, 0);

	if (left <= 1)
		return h->count == 0 ? 0 : h->min;
	if (left == h->count)
		return h->max;
	while (b < STINT_HISTOGRAM_BUCKETS && stint_histogram_at(h, b) < left) {
		left -= stint_histogram_at(h, b);
		b = stint_histogram_next(h, b + 1);
	}
	if (b >= STINT_HISTOGRAM_BUCKETS - 1)
		return h->max;
	return within(h, stint_histogram_low(b) +
				 (stint_histogram_high(b) - stint_histogram_low(b)) / 2);
}

double
stint_histogram_mean(const struct stint_histogram *h)
{
	return h->count == 0 ? NAN : (double)h->sum / (double)h->count;
}

double
stint_histogram_deviation(const struct stint_histogram *h)
{
	const long double n = h->count, sum = h->sum;

	if (h->count < 2)
		return NAN;
	/* rounding may leave less than nothing */
	return sqrt(fmax((double)(((long double)h->squares - sum * sum / n) / (n - 1)), 0));
}
