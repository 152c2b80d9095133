/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The keys of a sample that a summary needs. */
struct fields {
	const char *test, *metric, *unit, *kind;
	json_t *point, *lcores, *value;
	json_int_t round, ops, ns, at_ns;
	int disturbed;
	/* not needed */
	const char *pages;
	json_int_t steal_ns, switches, faults, gap_ns;
	int slow;
};

static int
unpack(struct stint_summary *s, const json_t *record, struct fields *f)
{
	json_error_t e;

	*f = (struct fields){ .test = NULL };
	if (json_unpack_ex((json_t *)record, &e, 0,
			   "{s:s, s:o, s:I, s:s, s:s, s:s, s:o, s:I, s:I, s:o, s:b, s:I, s?s,"
			   " s?{s?I, s?I, s?I, s?I, s?b}}",
			   "test", &f->test, "point", &f->point, "round", &f->round, "metric",
			   &f->metric, "unit", &f->unit, "kind", &f->kind, "lcores", &f->lcores,
			   "ops", &f->ops, "ns", &f->ns, "value", &f->value, "disturbed",
			   &f->disturbed, "at_ns", &f->at_ns, "pages", &f->pages, "taint",
			   "steal_ns", &f->steal_ns, "switches", &f->switches, "faults", &f->faults,
			   "gap_ns", &f->gap_ns, "slow", &f->slow) < 0)
		return stint_sum_refuse(s, "sample: %s", e.text);
	if (f->round < 0 || f->round > INT32_MAX)
		return stint_sum_refuse(s, "sample: round is out of range");
	if (f->ns < 0 || f->at_ns < 0)
		return stint_sum_refuse(s, "sample: a time is negative");
	if (!json_is_number(f->value) && !json_is_null(f->value))
		return stint_sum_refuse(s, "sample: value is no number");
	return 0;
}

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
point_lcores(struct stint_summary *s, struct sum_test *t, struct sum_point *p, const json_t *lcores)
{
	unsigned int *ids, n;
	int64_t set;
	int rc;

	if (json_array_size(lcores) == 0)
		return stint_sum_refuse(s, "sample: lcores is no list of ids");
	if (p->series.n > 0 && json_array_size(lcores) <= VEC(struct sum_set, t->sets)[p->set].n)
		return 0;
	rc = stint_ids_parse(lcores, &ids, &n);
	if (rc == -EBADMSG)
		return stint_sum_refuse(s, "sample: lcores is no list of ids");
	if (rc < 0)
		return rc;
	set = set_of(t, ids, n);
	if (set < 0)
		return set;
	p->set = set;
	return 0;
}

static int64_t
metric_of(struct sum_test *t, const struct fields *f)
{
	struct sum_metric *metric = VEC(struct sum_metric, t->metrics);

	for (size_t i = 0; i < t->metrics.n; i++) {
		if (strcmp(metric[i].name, f->metric) == 0)
			return i;
	}
	metric = stint_vec_add(&t->metrics, sizeof(*metric));
	if (metric == NULL)
		return -ENOMEM;
	metric->rate = strcmp(f->kind, "rate") == 0;
	metric->name = strdup(f->metric);
	metric->unit = strdup(f->unit);
	if (metric->name == NULL || metric->unit == NULL) {
		free(metric->name);
		free(metric->unit);
		t->metrics.n--;
		return -ENOMEM;
	}
	return t->metrics.n - 1;
}

static struct sum_series *
series_of(struct sum_point *p, unsigned int metric, const struct fields *f)
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
	series->lcores = json_array_size(f->lcores);
	return series;
}

static void
fill(struct sum_sample *sample, const struct fields *f)
{
	bool none = json_is_null(f->value) || (strcmp(f->kind, "rate") == 0 && f->ns == 0) ||
		    (strcmp(f->kind, "cost") == 0 && f->ops <= 0);

	sample->value = none ? NAN : json_number_value(f->value);
	sample->at_ns = f->at_ns;
	sample->ns = f->ns;
	sample->round = f->round;
	sample->disturbed = f->disturbed != 0;
}

static void
count_causes(struct sum_causes *c, const struct fields *f)
{
	c->samples++;
	c->switches += f->switches > 0;
	c->faults += f->faults > 0;
	c->steal += f->steal_ns > 0;
	c->slow += f->slow != 0;
	if (f->gap_ns > 0 && (uint64_t)f->gap_ns > c->longest_gap_ns)
		c->longest_gap_ns = f->gap_ns;
}

static int
add(struct stint_summary *s, struct sum_test *t, struct sum_series *series, const struct fields *f)
{
	struct sum_sample *sample;

	/* so that values can be computed without allocating */
	if (series->samples.n >= s->work.n && stint_vec_add(&s->work, sizeof(double)) == NULL)
		return -ENOMEM;
	sample = stint_vec_add(&series->samples, sizeof(*sample));
	if (sample == NULL)
		return -ENOMEM;
	fill(sample, f);
	if (f->pages != NULL && series->pages[0] == '\0')
		snprintf(series->pages, sizeof(series->pages), "%s", f->pages);
	if (f->disturbed)
		count_causes(&t->disturbed, f);
	t->n_samples++;
	return 0;
}

int
stint_sum_add_sample(struct stint_summary *s, const json_t *record)
{
	struct sum_series *series;
	struct sum_test *t;
	struct sum_point *p;
	struct fields f;
	int64_t metric;
	size_t at;
	int rc;

	rc = unpack(s, record, &f);
	if (rc < 0)
		return rc;
	t = stint_sum_open(s, f.test);
	if (t == NULL)
		return -ENOMEM;
	rc = stint_sum_point(s, t, f.point, &at);
	if (rc < 0)
		return rc;
	p = &VEC(struct sum_point, t->points)[at];
	rc = point_lcores(s, t, p, f.lcores);
	if (rc < 0)
		return rc;
	metric = metric_of(t, &f);
	if (metric < 0)
		return metric;
	series = series_of(p, metric, &f);
	if (series == NULL)
		return -ENOMEM;
	t->last_point = at;
	t->last_round = f.round;
	return add(s, t, series, &f);
}
