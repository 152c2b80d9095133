/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t
set_of(struct sum_test *t, unsigned int *ids, unsigned int n)
{
	struct sum_set *set = VEC(struct sum_set, t->sets);

	for (size_t i = 0; i < t->sets.n; i++) {
		if (set[i].n == n && memcmp(set[i].ids, ids, n * sizeof(*ids)) == 0) {
			free(ids);
			return i;
		}
	}
	set = stint_vec_add(&t->sets, sizeof(*set));
	if (set == NULL) {
		free(ids);
		return -ENOMEM;
	}
	set->ids = ids;
	set->n = n;
	t->levels_known = false;
	return t->sets.n - 1;
}

/*
 * A metric may count on some of the lcores that run: the longest list is the one whose level
 * matters, whatever the metric.
 */
static int
point_lcores(struct stint_summary *s, struct sum_test *t, struct sum_point *p,
	     const struct sum_slice *slice)
{
	const json_t *lcores = slice->lcores;
	unsigned int *ids, n;
	int64_t set;
	int rc;

	if (json_array_size(lcores) == 0)
		return stint_sum_refuse(s, "%s: lcores is no list of ids", slice->type);
	if (p->series.n > 0 && json_array_size(lcores) <= VEC(struct sum_set, t->sets)[p->set].n)
		return 0;
	rc = stint_ids_parse(lcores, &ids, &n);
	if (rc == -EBADMSG)
		return stint_sum_refuse(s, "%s: lcores is no list of ids", slice->type);
	if (rc < 0)
		return rc;
	set = set_of(t, ids, n);
	if (set < 0)
		return set;
	p->set = set;
	return 0;
}

static int64_t
metric_of(struct stint_summary *s, struct sum_test *t, const struct sum_slice *slice)
{
	struct sum_metric *metric = VEC(struct sum_metric, t->metrics);
	const bool latency = strcmp(slice->kind, "latency") == 0;

	for (size_t i = 0; i < t->metrics.n; i++) {
		if (strcmp(metric[i].name, slice->metric) != 0)
			continue;
		if (metric[i].latency == latency)
			return i;
		return stint_sum_refuse(s, "%s: one metric with values and with latencies",
					slice->type);
	}
	metric = stint_vec_add(&t->metrics, sizeof(*metric));
	if (metric == NULL)
		return -ENOMEM;
	metric->rate = strcmp(slice->kind, "rate") == 0;
	metric->latency = latency;
	metric->name = strdup(slice->metric);
	metric->unit = strdup(slice->unit);
	if (metric->name == NULL || metric->unit == NULL) {
		free(metric->name);
		free(metric->unit);
		t->metrics.n--;
		return -ENOMEM;
	}
	return t->metrics.n - 1;
}

static struct sum_series *
series_of(struct sum_point *p, unsigned int metric, const struct sum_slice *slice)
{
	struct sum_series *series = VEC(struct sum_series, p->series);

	for (size_t i = 0; i < p->series.n; i++) {
		if (series[i].metric == metric)
			return &series[i];
	}
	series = stint_vec_add(&p->series, sizeof(*series));
	if (series == NULL)
		return NULL;
	series->metric = metric;
	series->lcores = json_array_size(slice->lcores);
	if (slice->pages != NULL)
		snprintf(series->pages, sizeof(series->pages), "%s", slice->pages);
	return series;
}

/* The series of a slice, made if need be. */
static int
find_series(struct stint_summary *s, struct sum_test *t, const struct sum_slice *slice,
	    struct sum_series **series)
{
	struct sum_point *p;
	int64_t metric;
	size_t at;
	int rc = stint_sum_point(s, t, slice->point, &at);

	if (rc < 0)
		return rc;
	p = &VEC(struct sum_point, t->points)[at];
	rc = point_lcores(s, t, p, slice);
	if (rc < 0)
		return rc;
	metric = metric_of(s, t, slice);
	if (metric < 0)
		return metric;
	*series = series_of(p, metric, slice);
	if (*series == NULL)
		return -ENOMEM;
	t->last_point = at;
	return 0;
}

int
stint_sum_slice(struct stint_summary *s, const json_t *record, const char *type,
		struct sum_slice *slice)
{
	json_error_t e;

	*slice = (struct sum_slice){ .type = type };
	if (json_unpack_ex((json_t *)record, &e, 0,
			   "{s:s, s:o, s:I, s:s, s:s, s:o, s:I, s:b, s:I, s?s}", "test",
			   &slice->test, "point", &slice->point, "round", &slice->round, "metric",
			   &slice->metric, "unit", &slice->unit, "lcores", &slice->lcores, "ns",
			   &slice->ns, "disturbed", &slice->disturbed, "at_ns", &slice->at_ns,
			   "pages", &slice->pages) < 0)
		return stint_sum_refuse(s, "%s: %s", type, e.text);
	if (slice->round < 0 || slice->round > INT32_MAX)
		return stint_sum_refuse(s, "%s: round is out of range", type);
	if (slice->ns < 0 || slice->at_ns < 0)
		return stint_sum_refuse(s, "%s: a time is negative", type);
	return 0;
}

int
stint_sum_add_slice(struct stint_summary *s, const struct sum_slice *slice, struct sum_test **t,
		    struct sum_series **series)
{
	struct sum_sample *sample;
	int rc;

	*t = stint_sum_open(s, slice->test);
	if (*t == NULL)
		return -ENOMEM;
	rc = find_series(s, *t, slice, series);
	if (rc < 0)
		return rc;
	sample = stint_vec_add(&(*series)->samples, sizeof(*sample));
	if (sample == NULL)
		return -ENOMEM;
	sample->value = NAN;
	sample->at_ns = slice->at_ns;
	sample->ns = slice->ns;
	sample->round = slice->round;
	sample->disturbed = slice->disturbed != 0;
	(*t)->last_round = slice->round;
	return 0;
}

int
stint_sum_find_series(const struct stint_summary *s, const char *test, const json_t *point,
		      const char *metric, const struct sum_point **p,
		      const struct sum_series **series)
{
	struct sum_test *t = stint_sum_find(s, test);
	char *key = json_dumps(point, JSON_COMPACT);
	int64_t at;

	if (key == NULL)
		return -ENOMEM;
	at = t == NULL ? -1 : stint_index_get(t->point_index, key);
	free(key);
	if (at < 0)
		return -ENOENT;
	if (stint_sum_levels(t) < 0)
		return -ENOMEM;
	*p = &VEC(struct sum_point, t->points)[at];
	for (size_t i = 0; i < (*p)->series.n; i++) {
		*series = &VEC(struct sum_series, (*p)->series)[i];
		if (strcmp(VEC(struct sum_metric, t->metrics)[(*series)->metric].name, metric) == 0)
			return 0;
	}
	return -ENOENT;
}
