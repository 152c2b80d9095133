/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "format.h"
#include "render.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Columns that not every table has. */
struct shown {
	bool quantiles[STINT_QUANTILES], disturbed, off_level;
	const char *unit;
};

/* metric, min, quantiles, max, mean, sd, samples, disturbed, off level, rounds, marks */
#define FURTHER (10 + STINT_QUANTILES)

typedef void (*series_fn)(void *arg, const struct sum_test *t, const struct sum_point *p,
			  const struct sum_series *series);

/* Rows by point, then by metric, as those of values. */
static void
each_series(const struct sum_test *t, const size_t *order, series_fn fn, void *arg)
{
	for (size_t i = 0; i < t->points.n; i++) {
		const struct sum_point *p = &VEC(struct sum_point, t->points)[order[i]];

		for (size_t metric = 0; metric < t->metrics.n; metric++) {
			for (size_t k = 0; k < p->series.n; k++) {
				const struct sum_series *series =
					&VEC(struct sum_series, p->series)[k];

				if (series->metric == metric && series->latencies != NULL)
					fn(arg, t, p, series);
			}
		}
	}
}

static void
look(void *arg, const struct sum_test *t, const struct sum_point *p,
     const struct sum_series *series)
{
	const struct stint_latency_value v = stint_sum_latency(t, p, series);
	struct shown *shown = arg;

	for (size_t i = 0; i < STINT_QUANTILES; i++)
		shown->quantiles[i] |= !isnan(v.quantiles[i]);
	shown->disturbed |= v.disturbed > 0;
	shown->off_level |= v.off_level > 0;
	shown->unit = VEC(struct sum_metric, t->metrics)[series->metric].unit;
}

static struct stint_column *
columns_new(size_t dims)
{
	struct stint_column *columns = calloc(dims + FURTHER, sizeof(*columns));

	if (columns == NULL)
		return NULL;
	for (size_t i = 0; i < dims + FURTHER; i++)
		columns[i] =
			(struct stint_column){ i < dims ? 'l' : 'r', i > 0 && i < dims ? 1 : 2 };
	columns[dims].align = columns[dims + FURTHER - 1].align = 'l';
	return columns;
}

/* The unit stands above the labels, which need no title. */
static void
add_titles(struct stint_table *table, const struct sum_test *t, const struct shown *shown)
{
	for (size_t i = 0; i < t->dims.n + 1; i++)
		stint_table_add(table, "%s%s", i == 0 ? "in " : "", i == 0 ? shown->unit : "");
	stint_table_add(table, "min");
	for (size_t i = 0; i < STINT_QUANTILES; i++)
		stint_table_add(table, "%s", shown->quantiles[i] ? stint_quantiles[i].name : "");
	stint_table_add(table, "max");
	stint_table_add(table, "mean");
	stint_table_add(table, "sd");
	stint_table_add(table, "samples");
	stint_table_add(table, "%s", shown->disturbed ? "disturbed" : "");
	stint_table_add(table, "%s", shown->off_level ? "off level" : "");
	stint_table_add(table, "rounds");
	stint_table_add(table, "%s", "");
}

/* A factor of NaN or less is the file's fault. */
static struct stint_latency_value
part_of(struct stint_latency_value v, double factor)
{
	v.min *= factor;
	v.max *= factor;
	v.mean *= factor;
	v.deviation *= factor;
	for (size_t i = 0; i < STINT_QUANTILES; i++)
		v.quantiles[i] *= factor;
	return v;
}

static void
add_time(struct stint_table *table, double ns)
{
	const struct stint_scale scale = stint_format_scale(ns, "", 4);
	char text[48];

	stint_format_scaled(text, sizeof(text), ns, &scale);
	stint_table_add(table, "%s", isnan(ns) ? "-" : text);
}

static void
add_count(struct stint_table *table, uint64_t count, bool shown)
{
	if (shown)
		stint_table_add(table, "%" PRIu64, count);
	else
		stint_table_add(table, "%s", "");
}

struct rows {
	struct stint_table *table;
	const struct shown *shown;
};

static void
add_row(const struct rows *rows, const char *name, const struct stint_latency_value *value,
	const struct sum_test *t, const struct sum_point *p, const struct sum_series *series)
{
	const struct stint_latency_value v = *value;
	struct stint_table *table = rows->table;

	stint_add_labels(table, t, p);
	stint_table_add(table, "%s", name);
	add_time(table, v.min);
	for (size_t i = 0; i < STINT_QUANTILES; i++) {
		if (rows->shown->quantiles[i])
			add_time(table, v.quantiles[i]);
		else
			stint_table_add(table, "%s", "");
	}
	add_time(table, v.max);
	add_time(table, v.mean);
	add_time(table, v.deviation);
	add_count(table, v.count, true);
	add_count(table, v.disturbed, rows->shown->disturbed);
	add_count(table, v.off_level, rows->shown->off_level);
	add_count(table, v.rounds, true);
	stint_table_add(table, "%s%s", series->pages, series->pages[0] != '\0' ? " pages" : "");
}

/* The latency, and the parts of it that are told. */
static void
add_rows(void *arg, const struct sum_test *t, const struct sum_point *p,
	 const struct sum_series *series)
{
	const struct stint_latency_value whole = stint_sum_latency(t, p, series);
	const bool named = t->metrics.n > 1 || series->n_parts > 0;

	add_row(arg, named ? VEC(struct sum_metric, t->metrics)[series->metric].name : "", &whole,
		t, p, series);
	for (unsigned int i = 0; i < series->n_parts; i++) {
		const struct stint_latency_value part = part_of(whole, series->parts[i].factor);

		add_row(arg, series->parts[i].name, &part, t, p, series);
	}
}

int
stint_put_latencies(struct sum_test *t, FILE *out)
{
	struct shown shown = { .unit = NULL };
	size_t *order = stint_sum_point_order(t);
	struct stint_column *columns = NULL;
	struct rows rows = { .shown = &shown };
	int rc = -ENOMEM;

	if (order == NULL)
		return rc;
	each_series(t, order, look, &shown);
	if (shown.unit == NULL) {
		free(order);
		return 0;
	}
	columns = columns_new(t->dims.n);
	rows.table = stint_table_new(columns, t->dims.n + FURTHER);
	if (columns != NULL && rows.table != NULL) {
		add_titles(rows.table, t, &shown);
		each_series(t, order, add_rows, &rows);
		rc = stint_table_print(rows.table, out);
	}
	stint_table_free(rows.table);
	free(columns);
	free(order);
	return rc;
}
