/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include "stint_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer undisturbed samples than one to so many disturbed ones say too little. */
#define FEW 3
/* So many undisturbed ones have an interval of their own, and are enough whatever the others. */
#define ENOUGH 6

/* Those on level with a value into `work`: undisturbed ones from its start, the others after. */
static void
sift(const struct sum_test *t, const struct sum_set *set, const struct sum_series *series,
     double *work, struct stint_value *v)
{
	const struct sum_sample *samples = series->samples.data;
	const size_t end = series->samples.n;

	for (size_t i = 0; i < end; i++) {
		if (!v->all_off_level && stint_sum_off_level(t, set, &samples[i]))
			v->off_level++;
		else if (isnan(samples[i].value))
			continue;
		else if (!samples[i].disturbed)
			work[v->samples++] = samples[i].value;
		else
			work[end - ++v->disturbed] = samples[i].value;
	}
}

struct stint_value
stint_sum_value(struct stint_summary *s, const struct sum_test *t, const struct sum_point *p,
		const struct sum_series *series)
{
	const struct sum_set *set = &VEC(struct sum_set, t->sets)[p->set];
	struct stint_value v = { .low = NAN, .high = NAN, .cycles = NAN };
	struct stint_interval interval;
	double *work = s->work.data;

	sift(t, set, series, work, &v);
	if (v.off_level == series->samples.n && v.off_level > 0) {
		v.all_off_level = true;
		v.off_level = 0;
		sift(t, set, series, work, &v);
	}
	v.all_disturbed = v.samples < ENOUGH && v.samples * FEW < v.disturbed;
	if (v.all_disturbed) {
		memmove(&work[v.samples], &work[series->samples.n - v.disturbed],
			v.disturbed * sizeof(*work));
		v.samples += v.disturbed;
		v.disturbed = 0;
	}
	stint_sort(work, v.samples);
	v.value = stint_median(work, v.samples);
	interval = stint_median_interval(v.samples, STINT_CONFIDENCE);
	if (interval.low > 0) {
		v.low = work[interval.low - 1];
		v.high = work[interval.high - 1];
	}
	if (VEC(struct sum_metric, t->metrics)[series->metric].rate && v.value > 0 && s->tsc_hz > 0)
		v.cycles = series->lcores * s->tsc_hz / v.value;
	return v;
}

int
stint_summary_value(struct stint_summary *s, const char *test, const json_t *point,
		    const char *metric, struct stint_value *value)
{
	const struct sum_test *t = stint_sum_find(s, test);
	const struct sum_series *series;
	const struct sum_point *p;
	int rc = stint_sum_find_series(s, test, point, metric, &p, &series);

	if (rc < 0)
		return rc;
	if (VEC(struct sum_metric, t->metrics)[series->metric].latency)
		return -ENOENT;
	*value = stint_sum_value(s, t, p, series);
	return 0;
}
