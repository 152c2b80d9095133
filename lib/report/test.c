/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <stdlib.h>
#include <string.h>

struct sum_test *
stint_sum_test_new(const char *name)
{
	struct sum_test *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->name = strdup(name);
	if (t->name == NULL) {
		free(t);
		return NULL;
	}
	return t;
}

static void
dims_free(struct sum_test *t)
{
	for (size_t i = 0; i < t->dims.n; i++) {
		struct sum_dim *dim = &VEC(struct sum_dim, t->dims)[i];

		for (size_t j = 0; j < dim->labels.n; j++)
			free(VEC(struct sum_label, dim->labels)[j].text);
		free(dim->labels.data);
		free(dim->name);
		json_decref(dim->index);
	}
	free(t->dims.data);
}

static void
series_clear(struct sum_series *series)
{
	free(series->samples.data);
	if (series->latencies != NULL)
		stint_histogram_free(series->latencies);
	free(series->latencies);
}

static void
points_free(struct sum_test *t)
{
	for (size_t i = 0; i < t->points.n; i++) {
		struct sum_point *p = &VEC(struct sum_point, t->points)[i];

		for (size_t j = 0; j < p->series.n; j++)
			series_clear(&VEC(struct sum_series, p->series)[j]);
		free(p->series.data);
		free(p->labels);
	}
	free(t->points.data);
	json_decref(t->point_index);
}

static void
rounds_free(struct sum_test *t)
{
	for (size_t i = 0; i < t->sets.n; i++) {
		free(VEC(struct sum_set, t->sets)[i].ids);
		free(VEC(struct sum_set, t->sets)[i].off);
	}
	for (size_t i = 0; i < t->rounds.n; i++)
		free(VEC(struct sum_round, t->rounds)[i].floor_ns);
	free(t->sets.data);
	free(t->rounds.data);
	free(t->pairs.data);
}

static void
skip_clear(struct sum_skip *skip)
{
	free(skip->reason);
	free(skip->need);
	free(skip->have);
	free(skip->remedy);
}

void
stint_sum_test_free(struct sum_test *t)
{
	for (size_t i = 0; i < t->metrics.n; i++) {
		free(VEC(struct sum_metric, t->metrics)[i].name);
		free(VEC(struct sum_metric, t->metrics)[i].unit);
	}
	for (size_t i = 0; i < t->skips.n; i++)
		skip_clear(&VEC(struct sum_skip, t->skips)[i]);
	skip_clear(&t->skip);
	stint_sum_free_notes(t);
	dims_free(t);
	points_free(t);
	rounds_free(t);
	free(t->metrics.data);
	free(t->skips.data);
	json_decref(t->skip_index);
	free(t->steals.data);
	free(t->lcores);
	free(t->message);
	free(t->name);
	free(t);
}
