/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "latency.h"

/* One that is a part of another one has no recorder of its own. */
bool
stint_latency_recorded(const struct stint_test *test, unsigned int metric)
{
	const struct stint_metric *m = &test->metrics.list[metric];

	return m->kind == STINT_LATENCY && m->of == NULL;
}

static unsigned int
count_latencies(const struct stint_test *test)
{
	unsigned int n = 0;

	for (unsigned int m = 0; m < test->metrics.count; m++)
		n += stint_latency_recorded(test, m);
	return n;
}

size_t
stint_latency_bytes(const struct stint_test *test)
{
	return count_latencies(test) * sizeof(struct stint_recorder);
}

void
stint_latency_init(const struct stint_test *test, struct stint_recorder *memory)
{
	for (unsigned int i = 0; i < count_latencies(test); i++)
		stint_recorder_init(&memory[i]);
}

void
stint_latency_attach(struct stint_worker *w, struct stint_recorder *memory)
{
	const struct stint_test *test = w->point->test;

	for (unsigned int m = 0; m < test->metrics.count; m++)
		w->recorders[m] = stint_latency_recorded(test, m) ? memory++ : NULL;
}

int
stint_latency_take(struct stint_histogram *h, const struct stint_lane *lanes, unsigned int n,
		   unsigned int metric)
{
	int rc = 0;

	for (unsigned int i = 0; i < n && rc == 0; i++)
		rc = stint_histogram_take(h, lanes[i].worker.recorders[metric]);
	return rc;
}

/* JSON has no integers beyond 63 bits for every reader. */
static json_t *
number(stint_uint128 value)
{
	return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

static void
add_buckets(json_t *record, const struct stint_histogram *h)
{
	json_t *buckets = json_array(), *counts = json_array();

	for (uint32_t b = stint_histogram_next(h, 0); b < STINT_HISTOGRAM_BUCKETS;
	     b = stint_histogram_next(h, b + 1)) {
		json_array_append_new(buckets, json_integer(b));
		json_array_append_new(counts, json_integer((json_int_t)stint_histogram_at(h, b)));
	}
	json_object_set_new(record, "buckets", buckets);
	json_object_set_new(record, "counts", counts);
}

/* Latencies that are a part of this one: {name: factor}. */
static json_t *
parts_of(const struct stint_metric *whole, const struct stint_point *pt)
{
	const struct stint_test *test = pt->test;
	json_t *parts = json_object();

	for (unsigned int m = 0; m < test->metrics.count; m++) {
		const struct stint_metric *part = &test->metrics.list[m];

		if (part->kind == STINT_LATENCY && part->of == whole)
			json_object_set_new(parts, part->name,
					    json_real(part->factor != NULL ? part->factor(pt) : 1));
	}
	return parts;
}

json_t *
stint_latency_record(const struct stint_histogram *h, const struct stint_visit *visit,
		     unsigned int metric, const struct stint_clock *clock)
{
	const struct stint_test *test = visit->cell->point.test;
	const struct stint_metric *m = &test->metrics.list[metric];
	struct stint_sample sample;
	json_t *record, *parts;

	stint_sample_taint(&sample, visit, metric, clock);
	record = json_pack("{s:s, s:s, s:O, s:I, s:s, s:s, s:o, s:I, s:o, s:o, s:o, s:f, s:f, s:i,"
			   " s:o, s:b, s:I, s:I}",
			   "type", "histogram", "test", test->name, "point", visit->cell->labels,
			   "round", (json_int_t)visit->round, "metric", m->name, "unit", m->unit,
			   "lcores", stint_sample_lcores(visit, metric), "count",
			   (json_int_t)h->count, "min_cycles", number(h->min), "max_cycles",
			   number(h->max), "sum_cycles", number(h->sum), "sum_squares",
			   (double)h->squares, "tsc_hz", clock->hz, "bits", STINT_HISTOGRAM_BITS,
			   "taint", stint_sample_taint_record(&sample, visit, clock), "disturbed",
			   (int)sample.disturbed, "ns", (json_int_t)sample.ns, "at_ns",
			   (json_int_t)visit->at_ns);
	if (record == NULL)
		return NULL;
	add_buckets(record, h);
	parts = parts_of(m, &visit->cell->point);
	if (json_object_size(parts) > 0)
		json_object_set(record, "parts", parts);
	json_decref(parts);
	if (visit->small_pages)
		json_object_set_new(record, "pages", json_string("4K"));
	return record;
}
