/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <stdlib.h>

static int
span_compare(const void *first, const void *second)
{
	const struct sum_span *a = first, *b = second;

	return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

/* Ascending and apart, so that a sample needs one look and is counted once. */
static void
merge(struct sum_vec *steals)
{
	struct sum_span *spans = steals->data;
	size_t last = 0;

	qsort(spans, steals->n, sizeof(*spans), span_compare);
	for (size_t i = 1; i < steals->n; i++) {
		if (spans[i].from_ns > spans[last].to_ns)
			spans[++last] = spans[i];
		else if (spans[i].to_ns > spans[last].to_ns)
			spans[last].to_ns = spans[i].to_ns;
	}
	steals->n = last + 1;
}

static bool
overlaps(const struct sum_vec *steals, const struct sum_sample *sample)
{
	const struct sum_span *spans = steals->data;
	size_t low = 0, high = steals->n;

	/* the first span that ends after the sample's start */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spans[middle].to_ns <= sample->at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < steals->n && spans[low].from_ns < sample->at_ns + (uint64_t)sample->ns;
}

uint64_t
stint_sum_stolen(struct sum_test *t)
{
	uint64_t stolen = 0;

	if (t->steals.n == 0)
		return 0;
	merge(&t->steals);
	for (size_t i = 0; i < t->points.n; i++) {
		const struct sum_vec *series = &VEC(struct sum_point, t->points)[i].series;

		for (size_t j = 0; j < series->n; j++) {
			const struct sum_vec *samples = &VEC(struct sum_series, *series)[j].samples;

			for (size_t k = 0; k < samples->n; k++)
				stolen +=
					overlaps(&t->steals, &VEC(struct sum_sample, *samples)[k]);
		}
	}
	return stolen;
}
