/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "format.h"
#include "render.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Columns behind the labels: metric, value, interval, cycles, rounds, marks. */
#define FURTHER 6

static struct stint_column *
columns_new(size_t dims)
{
	static const struct stint_column further[FURTHER] = {
		{ 'l', 2 }, { 'r', 2 }, { 'r', 2 }, { 'r', 2 }, { 'r', 2 }, { 'l', 2 },
	};
	struct stint_column *columns = calloc(dims + FURTHER, sizeof(*columns));

	if (columns == NULL)
		return NULL;
	for (size_t i = 0; i < dims; i++)
		columns[i] = (struct stint_column){ 'l', i == 0 ? 2 : 1 };
	for (size_t i = 0; i < FURTHER; i++)
		columns[dims + i] = further[i];
	return columns;
}

void
stint_add_labels(struct stint_table *table, const struct sum_test *t, const struct sum_point *p)
{
	for (size_t i = 0; i < t->dims.n; i++) {
		const struct sum_dim *dim = &VEC(struct sum_dim, t->dims)[i];
		unsigned int label = i < p->n_labels ? p->labels[i] : 0;

		if (label == 0)
			stint_table_add(table, "%s", "");
		else
			stint_table_add(table, "%s=%s", dim->name,
					VEC(struct sum_label, dim->labels)[label - 1].text);
	}
}

static void
add_interval(struct stint_table *table, const struct stint_value *v, const char *unit)
{
	const struct stint_scale scale = stint_format_scale(v->value, unit, 4);
	char low[48], high[48];

	if (isnan(v->low) || isnan(v->high)) {
		stint_table_add(table, "[-]");
		return;
	}
	stint_format_scaled(low, sizeof(low), v->low, &scale);
	stint_format_scaled(high, sizeof(high), v->high, &scale);
	stint_table_add(table, "[%s, %s]", low, high);
}

static void
add_cycles(struct stint_table *table, double cycles)
{
	const struct stint_scale scale = stint_format_scale(cycles, "", 3);
	char text[48];

	stint_format_scaled(text, sizeof(text), cycles, &scale);
	stint_table_add(table, !isfinite(cycles) ? "%s" : "%s cycles/op", text);
}

static void
add_marks(struct stint_table *table, const struct stint_value *v, const struct sum_series *series)
{
	const char *mark = v->all_disturbed ? "disturbed" : "";

	if (v->all_off_level)
		mark = v->all_disturbed ? "on another level, disturbed" : "on another level";
	stint_table_add(table, "%s%s%s%s", mark,
			mark[0] != '\0' && series->pages[0] != '\0' ? ", " : "", series->pages,
			series->pages[0] != '\0' ? " pages" : "");
}

static void
add_series(struct stint_table *table, const struct sum_test *t, const struct sum_series *series,
	   const struct stint_value *v)
{
	const struct sum_metric *metric = &VEC(struct sum_metric, t->metrics)[series->metric];
	char text[128];

	stint_table_add(table, "%s", t->metrics.n > 1 ? metric->name : "");
	stint_format_value(text, sizeof(text), v->value, metric->unit);
	stint_table_add(table, "%s", text);
	add_interval(table, v, metric->unit);
	if (metric->rate)
		add_cycles(table, v->cycles);
	else
		stint_table_add(table, "%s", "");
	stint_table_add(table, "%u round%s", v->samples, v->samples == 1 ? "" : "s");
	add_marks(table, v, series);
}

static void
add_point(struct stint_table *table, struct stint_summary *s, const struct sum_test *t,
	  const struct sum_point *p, struct sum_tally *tally)
{
	bool disturbed = false;

	for (size_t metric = 0; metric < t->metrics.n; metric++) {
		if (VEC(struct sum_metric, t->metrics)[metric].latency)
			continue;
		for (size_t i = 0; i < p->series.n; i++) {
			const struct sum_series *series = &VEC(struct sum_series, p->series)[i];
			struct stint_value v;

			if (series->metric != metric)
				continue;
			v = stint_sum_value(s, t, p, series);
			stint_add_labels(table, t, p);
			add_series(table, t, series, &v);
			disturbed |= v.all_disturbed;
			tally->disturbed_used += v.all_disturbed ? v.samples : 0;
		}
	}
	tally->disturbed_points += disturbed;
}

int
stint_put_points(struct stint_summary *s, struct sum_test *t, struct sum_tally *tally, FILE *out)
{
	struct stint_column *columns = columns_new(t->dims.n);
	size_t *order = stint_sum_point_order(t);
	struct stint_table *table;
	int rc = -ENOMEM;

	table = stint_table_new(columns, t->dims.n + FURTHER);
	if (columns == NULL || order == NULL || table == NULL)
		goto out;
	for (size_t i = 0; i < t->points.n; i++)
		add_point(table, s, t, &VEC(struct sum_point, t->points)[order[i]], tally);
	rc = stint_table_print(table, out);
out:
	stint_table_free(table);
	free(order);
	free(columns);
	return rc;
}
