/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <errno.h>
#include <stdlib.h>

/* The keys of a histogram that a summary needs. */
struct fields {
	struct sum_slice slice;
	json_t *min, *max, *sum, *buckets, *counts;
	json_int_t count;
	double squares, tsc_hz;
	int bits;
};

static int
unpack(struct stint_summary *s, const json_t *record, struct fields *f)
{
	json_error_t e;
	int rc = stint_sum_slice(s, record, "histogram", &f->slice);

	if (rc < 0)
		return rc;
	f->slice.kind = "latency";
	if (json_unpack_ex((json_t *)record, &e, 0, "{s:I, s:o, s:o, s:o, s:F, s:F, s:i, s:o, s:o}",
			   "count", &f->count, "min_cycles", &f->min, "max_cycles", &f->max,
			   "sum_cycles", &f->sum, "sum_squares", &f->squares, "tsc_hz", &f->tsc_hz,
			   "bits", &f->bits, "buckets", &f->buckets, "counts", &f->counts) < 0)
		return stint_sum_refuse(s, "histogram: %s", e.text);
	if (!(f->tsc_hz > 0) || !(f->squares >= 0))
		return stint_sum_refuse(s, "histogram: tsc_hz or sum_squares is out of range");
	if (f->bits != STINT_HISTOGRAM_BITS)
		return stint_sum_refuse(s, "histogram: bits is %d, and only %d is known here",
					f->bits, STINT_HISTOGRAM_BITS);
	return 0;
}

/* Beyond 63 bits numbers are written as doubles. */
static bool
to_wide(const json_t *number, stint_uint128 *value)
{
	if (!json_is_number(number) || !(json_number_value(number) >= 0) ||
	    json_number_value(number) >= 0x1p128)
		return false;
	*value = json_is_integer(number) ? (stint_uint128)json_integer_value(number)
					 : (stint_uint128)json_real_value(number);
	return true;
}

static bool
to_cycles(const json_t *number, uint64_t *cycles)
{
	stint_uint128 value;

	if (!to_wide(number, &value))
		return false;
	*cycles = value < UINT64_MAX ? (uint64_t)value : UINT64_MAX;
	return true;
}

/* Count the buckets, which ascend. */
static int
read_buckets(struct stint_histogram *h, const struct fields *f)
{
	const size_t n = json_array_size(f->buckets);
	json_int_t last = -1;

	if (n == 0 || json_array_size(f->counts) != n)
		return -EBADMSG;
	for (size_t i = 0; i < n; i++) {
		const json_t *bucket = json_array_get(f->buckets, i);
		const json_int_t b = json_integer_value(bucket);
		const json_int_t count = json_integer_value(json_array_get(f->counts, i));

		if (!json_is_integer(bucket) || b <= last || b >= STINT_HISTOGRAM_BUCKETS ||
		    count <= 0 || count > f->count)
			return -EBADMSG;
		if (stint_histogram_put(h, b, count) < 0)
			return -ENOMEM;
		last = b;
	}
	return 0;
}

/* What stands beside the buckets agrees with them. */
static bool
agrees(const struct stint_histogram *h, const struct fields *f)
{
	const uint32_t last = stint_histogram_bucket(h->max);

	return h->count == (uint64_t)f->count && h->min <= h->max &&
	       stint_histogram_next(h, 0) == stint_histogram_bucket(h->min) &&
	       stint_histogram_next(h, last) == last &&
	       stint_histogram_next(h, last + 1) == STINT_HISTOGRAM_BUCKETS;
}

static int
read_histogram(struct stint_summary *s, const struct fields *f)
{
	struct stint_histogram *h = &s->scratch;
	int rc;

	stint_histogram_clear(h);
	rc = read_buckets(h, f);
	if (rc == -EBADMSG)
		return stint_sum_refuse(s, "histogram: buckets and counts are no two lists of "
					   "ascending buckets and their counts");
	if (rc < 0)
		return rc;
	if (!to_cycles(f->min, &h->min) || !to_cycles(f->max, &h->max) ||
	    !to_wide(f->sum, &h->sum) || !agrees(h, f))
		return stint_sum_refuse(s, "histogram: count, min_cycles, max_cycles or sum_cycles "
					   "does not agree with the buckets");
	h->squares = f->squares < 0x1p128 ? (stint_uint128)f->squares : ~(stint_uint128)0;
	return 0;
}

static int
merge(struct sum_series *series, const struct stint_histogram *h)
{
	if (series->latencies == NULL) {
		series->latencies = malloc(sizeof(*series->latencies));
		if (series->latencies == NULL)
			return -ENOMEM;
		stint_histogram_init(series->latencies);
	}
	return stint_histogram_merge(series->latencies, h);
}

/* The latest ones. */
static void
take_parts(struct sum_series *series, const json_t *parts)
{
	const char *name;
	json_t *factor;

	series->n_parts = 0;
	json_object_foreach ((json_t *)parts, name, factor) {
		struct sum_part *part = &series->parts[series->n_parts];

		if (!json_is_number(factor) || series->n_parts == SUM_PARTS_MAX)
			continue;
		snprintf(part->name, sizeof(part->name), "%s", name);
		part->factor = json_number_value(factor);
		series->n_parts++;
	}
}

int
stint_sum_add_histogram(struct stint_summary *s, const json_t *record)
{
	struct sum_series *series;
	struct sum_test *t;
	struct fields f;
	int rc = unpack(s, record, &f);

	if (rc == 0)
		rc = read_histogram(s, &f);
	if (rc == 0)
		rc = stint_sum_add_slice(s, &f.slice, &t, &series);
	if (rc < 0)
		return rc;
	VEC(struct sum_sample, series->samples)[series->samples.n - 1].value = f.count;
	series->tsc_hz = f.tsc_hz;
	take_parts(series, json_object_get(record, "parts"));
	t->n_histograms++;
	return merge(series, &s->scratch);
}
