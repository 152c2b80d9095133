/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int64_t
dim_of(struct sum_test *t, const char *name)
{
	struct sum_dim *dim = VEC(struct sum_dim, t->dims);

	for (size_t i = 0; i < t->dims.n; i++) {
		if (strcmp(dim[i].name, name) == 0)
			return i;
	}
	dim = stint_vec_add(&t->dims, sizeof(*dim));
	if (dim == NULL)
		return -ENOMEM;
	dim->name = strdup(name);
	if (dim->name == NULL) {
		t->dims.n--;
		return -ENOMEM;
	}
	return t->dims.n - 1;
}

static int64_t
label_new(struct sum_dim *dim, const json_t *value, const char *key)
{
	struct sum_label *label = stint_vec_add(&dim->labels, sizeof(*label));
	size_t at = dim->labels.n - 1;

	if (label == NULL)
		return -ENOMEM;
	label->number = json_is_number(value);
	label->rank = label->number ? json_number_value(value) : (double)at;
	label->text = strdup(json_is_string(value) ? json_string_value(value) : key);
	if (label->text == NULL || stint_index_set(&dim->index, key, at) < 0)
		return -ENOMEM;
	return at;
}

static int64_t
label_of(struct sum_dim *dim, const json_t *value)
{
	char *key = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
	int64_t at;

	if (key == NULL)
		return -ENOMEM;
	at = stint_index_get(dim->index, key);
	if (at < 0)
		at = label_new(dim, value, key);
	free(key);
	return at;
}

static int
set_label(struct sum_test *t, struct sum_point *p, const char *name, const json_t *value)
{
	int64_t dim = dim_of(t, name), label;

	if (dim < 0)
		return dim;
	label = label_of(&VEC(struct sum_dim, t->dims)[dim], value);
	if (label < 0)
		return label;
	if (dim >= p->n_labels) {
		unsigned int *labels = reallocarray(p->labels, dim + 1, sizeof(*labels));

		if (labels == NULL)
			return -ENOMEM;
		while (p->n_labels <= dim)
			labels[p->n_labels++] = 0;
		p->labels = labels;
	}
	p->labels[dim] = label + 1;
	return 0;
}

static int
point_new(struct sum_test *t, const json_t *labels, const char *key, size_t *index)
{
	struct sum_point *p = stint_vec_add(&t->points, sizeof(*p));
	const char *name;
	json_t *value;

	*index = t->points.n - 1;
	if (p == NULL)
		return -ENOMEM;
	json_object_foreach ((json_t *)labels, name, value) {
		if (set_label(t, p, name, value) < 0)
			goto fail;
	}
	if (stint_index_set(&t->point_index, key, *index) < 0)
		goto fail;
	return 0;
fail:
	free(p->labels);
	t->points.n--;
	return -ENOMEM;
}

static bool
labels_valid(const json_t *labels)
{
	const char *name;
	json_t *value;

	if (!json_is_object(labels))
		return false;
	json_object_foreach ((json_t *)labels, name, value) {
		if (!json_is_number(value) && !json_is_string(value) && !json_is_boolean(value))
			return false;
	}
	return true;
}

int
stint_sum_point(struct stint_summary *s, struct sum_test *t, const json_t *labels, size_t *index)
{
	int64_t at;
	int rc = 0;
	char *key = json_dumps(labels, JSON_COMPACT);

	if (key == NULL)
		return -ENOMEM;
	at = stint_index_get(t->point_index, key);
	if (at >= 0)
		*index = at;
	else if (labels_valid(labels))
		rc = point_new(t, labels, key, index);
	else
		rc = stint_sum_refuse(s, "point is no object of labels");
	free(key);
	return rc;
}

static int
label_compare(const struct sum_label *a, const struct sum_label *b)
{
	if (a->number != b->number)
		return a->number ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static int
point_compare(const void *first, const void *second, void *test)
{
	const struct sum_test *t = test;
	const size_t a = *(const size_t *)first, b = *(const size_t *)second;
	const struct sum_point *pa = &VEC(struct sum_point, t->points)[a];
	const struct sum_point *pb = &VEC(struct sum_point, t->points)[b];

	for (size_t i = 0; i < t->dims.n; i++) {
		const struct sum_label *labels =
			VEC(struct sum_label, VEC(struct sum_dim, t->dims)[i].labels);
		unsigned int la = i < pa->n_labels ? pa->labels[i] : 0;
		unsigned int lb = i < pb->n_labels ? pb->labels[i] : 0;
		int order;

		if (la == lb)
			continue;
		if (la == 0 || lb == 0)
			return la == 0 ? -1 : 1;
		order = label_compare(&labels[la - 1], &labels[lb - 1]);
		if (order != 0)
			return order;
	}
	return (a > b) - (a < b);
}

size_t *
stint_sum_point_order(struct sum_test *t)
{
	size_t *order = calloc(t->points.n + 1, sizeof(*order));

	if (order == NULL)
		return NULL;
	for (size_t i = 0; i < t->points.n; i++)
		order[i] = i;
	qsort_r(order, t->points.n, sizeof(*order), point_compare, t);
	return order;
}
