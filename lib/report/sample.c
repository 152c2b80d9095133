/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <errno.h>
#include <string.h>

/* The keys of a sample that a summary needs. */
struct fields {
	struct sum_slice slice;
	json_t *value;
	json_int_t ops;
	/* not needed */
	json_int_t steal_ns, switches, faults, gap_ns;
	int slow;
};

static int
unpack(struct stint_summary *s, const json_t *record, struct fields *f)
{
	json_error_t e;
	int rc;

	*f = (struct fields){ .ops = 0 };
	rc = stint_sum_slice(s, record, "sample", &f->slice);
	if (rc < 0)
		return rc;
	if (json_unpack_ex((json_t *)record, &e, 0, "{s:s, s:I, s:o, s?{s?I, s?I, s?I, s?I, s?b}}",
			   "kind", &f->slice.kind, "ops", &f->ops, "value", &f->value, "taint",
			   "steal_ns", &f->steal_ns, "switches", &f->switches, "faults", &f->faults,
			   "gap_ns", &f->gap_ns, "slow", &f->slow) < 0)
		return stint_sum_refuse(s, "sample: %s", e.text);
	if (strcmp(f->slice.kind, "latency") == 0)
		return stint_sum_refuse(s, "sample: a latency has a histogram");
	if (!json_is_number(f->value) && !json_is_null(f->value))
		return stint_sum_refuse(s, "sample: value is no number");
	return 0;
}

static bool
has_value(const struct fields *f)
{
	const char *kind = f->slice.kind;

	return !json_is_null(f->value) && !(strcmp(kind, "rate") == 0 && f->slice.ns == 0) &&
	       !((strcmp(kind, "cost") == 0 || strcmp(kind, "time") == 0) && f->ops <= 0);
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

int
stint_sum_add_sample(struct stint_summary *s, const json_t *record)
{
	struct sum_series *series;
	struct sum_test *t;
	struct fields f;
	int rc = unpack(s, record, &f);

	if (rc == 0)
		rc = stint_sum_add_slice(s, &f.slice, &t, &series);
	if (rc < 0)
		return rc;
	/* so that values can be computed without allocating */
	if (series->samples.n > s->work.n && stint_vec_add(&s->work, sizeof(double)) == NULL)
		return -ENOMEM;
	if (has_value(&f))
		VEC(struct sum_sample, series->samples)
	[series->samples.n - 1].value = json_number_value(f.value);
	if (f.slice.disturbed)
		count_causes(&t->disturbed, &f);
	t->n_samples++;
	return 0;
}
