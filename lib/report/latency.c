/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <errno.h>
#include <math.h>

const struct stint_quantile_of stint_quantiles[STINT_QUANTILES] = {
	{ "p50", 50, 100 }, { "p90", 90, 100 },     { "p95", 95, 100 },
	{ "p99", 99, 100 }, { "p99.9", 999, 1000 }, { "p99.99", 9999, 10000 },
};

struct stint_latency_value
stint_sum_latency(const struct sum_test *t, const struct sum_point *p,
		  const struct sum_series *series)
{
	const struct sum_set *set = &VEC(struct sum_set, t->sets)[p->set];
	const struct sum_sample *samples = series->samples.data;
	const struct stint_histogram *h = series->latencies;
	const double ns = 1e9 / series->tsc_hz;
	struct stint_latency_value v = {
		.min = h->min * ns,
		.max = h->max * ns,
		.mean = stint_histogram_mean(h) * ns,
		.deviation = stint_histogram_deviation(h) * ns,
		.count = h->count,
		.rounds = series->samples.n,
	};

	for (size_t i = 0; i < STINT_QUANTILES; i++) {
		const struct stint_quantile_of *q = &stint_quantiles[i];

		v.quantiles[i] = stint_quantile_supported(h->count, q->num, q->den)
					 ? stint_histogram_quantile(h, q->num, q->den) * ns
					 : NAN;
	}
	for (size_t i = 0; i < series->samples.n; i++) {
		v.disturbed += samples[i].disturbed ? samples[i].value : 0;
		v.off_level += stint_sum_off_level(t, set, &samples[i]) ? samples[i].value : 0;
	}
	return v;
}

int
stint_summary_latency(struct stint_summary *s, const char *test, const json_t *point,
		      const char *metric, struct stint_latency_value *value)
{
	const struct sum_series *series;
	const struct sum_point *p;
	int rc = stint_sum_find_series(s, test, point, metric, &p, &series);

	if (rc < 0 || series->latencies == NULL)
		return rc < 0 ? rc : -ENOENT;
	*value = stint_sum_latency(stint_sum_find(s, test), p, series);
	return 0;
}
