/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct stint_summary *
stint_summary_new(void)
{
	struct stint_summary *s = calloc(1, sizeof(*s));

	if (s != NULL)
		stint_histogram_init(&s->scratch);
	return s;
}

void
stint_summary_free(struct stint_summary *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->tests.n; i++)
		stint_sum_test_free(VEC(struct sum_test *, s->tests)[i]);
	free(s->tests.data);
	free(s->work.data);
	stint_histogram_free(&s->scratch);
	free(s);
}

const char *
stint_summary_error(const struct stint_summary *s)
{
	return s->error;
}

int
stint_sum_refuse(struct stint_summary *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->error, sizeof(s->error), format, args);
	va_end(args);
	return -EBADMSG;
}

struct sum_test *
stint_sum_find(const struct stint_summary *s, const char *name)
{
	for (size_t i = s->tests.n; i-- > 0;) {
		struct sum_test *t = VEC(struct sum_test *, s->tests)[i];

		if (strcmp(t->name, name) == 0)
			return t;
	}
	return NULL;
}

struct sum_test *
stint_sum_open(struct stint_summary *s, const char *name)
{
	struct sum_test *t = stint_sum_find(s, name);
	struct sum_test **place;

	if (t != NULL && t->status == SUM_NO_RESULT)
		return t;
	t = stint_sum_test_new(name);
	if (t == NULL)
		return NULL;
	place = stint_vec_add(&s->tests, sizeof(*place));
	if (place == NULL) {
		stint_sum_test_free(t);
		return NULL;
	}
	*place = t;
	return t;
}

static int
add_run(struct stint_summary *s, const json_t *record)
{
	json_error_t e;
	double tsc_hz;

	if (json_unpack_ex((json_t *)record, &e, 0, "{s:F}", "tsc_hz", &tsc_hz) < 0)
		return stint_sum_refuse(s, "run: %s", e.text);
	s->tsc_hz = tsc_hz;
	s->tsc_doubtful = json_is_false(json_object_get(record, "tsc_reliable"));
	return 0;
}

static int
add_plan(struct stint_summary *s, const json_t *record)
{
	json_int_t points, budget_ns;
	unsigned int *ids, n;
	struct sum_test *t;
	const char *name;
	json_t *lcores;
	json_error_t e;
	int rc, shares;

	if (json_unpack_ex((json_t *)record, &e, 0, "{s:s, s:I, s:o, s:I, s:b}", "test", &name,
			   "points", &points, "lcores", &lcores, "budget_ns", &budget_ns,
			   "shares_cpus", &shares) < 0)
		return stint_sum_refuse(s, "plan: %s", e.text);
	rc = stint_ids_parse(lcores, &ids, &n);
	if (rc == -EBADMSG)
		return stint_sum_refuse(s, "plan: lcores is no list of ids");
	if (rc < 0)
		return rc;
	t = stint_sum_open(s, name);
	if (t == NULL) {
		free(ids);
		return -ENOMEM;
	}
	free(t->lcores);
	t->lcores = ids;
	t->n_lcores = n;
	t->levels_known = false;
	t->plan_points = points;
	t->budget_ns = budget_ns;
	t->shares_cpus = shares;
	t->planned = true;
	return 0;
}

static int
add_steal(struct stint_summary *s, const json_t *record)
{
	json_int_t from_ns, to_ns;
	struct sum_span *span;
	struct sum_test *t;
	const char *name;
	json_error_t e;

	if (json_unpack_ex((json_t *)record, &e, 0, "{s:s, s:I, s:I}", "test", &name, "from_ns",
			   &from_ns, "to_ns", &to_ns) < 0)
		return stint_sum_refuse(s, "steal: %s", e.text);
	if (from_ns < 0 || to_ns < from_ns)
		return stint_sum_refuse(s, "steal: from_ns to to_ns is no span of time");
	/* the last read of steal may come after the result */
	t = stint_sum_find(s, name);
	if (t == NULL)
		t = stint_sum_open(s, name);
	if (t == NULL)
		return -ENOMEM;
	span = stint_vec_add(&t->steals, sizeof(*span));
	if (span == NULL)
		return -ENOMEM;
	span->from_ns = from_ns;
	span->to_ns = to_ns;
	return 0;
}

static int
add_stamp(struct stint_summary *s, const json_t *record)
{
	double resolution_ns, cost_ns;
	struct sum_test *t;
	const char *name;
	json_error_t e;

	if (json_unpack_ex((json_t *)record, &e, 0, "{s:s, s:F, s:F}", "test", &name,
			   "resolution_ns", &resolution_ns, "cost_ns", &cost_ns) < 0)
		return stint_sum_refuse(s, "stamp: %s", e.text);
	t = stint_sum_open(s, name);
	if (t == NULL)
		return -ENOMEM;
	t->resolution_ns = resolution_ns;
	t->stamp_ns = cost_ns;
	t->stamped = true;
	return 0;
}

static enum sum_status
status_parse(const char *text)
{
	if (strcmp(text, "pass") == 0)
		return SUM_PASS;
	if (strcmp(text, "fail") == 0)
		return SUM_FAIL;
	return strcmp(text, "skip") == 0 ? SUM_SKIP : SUM_NO_RESULT;
}

static int
add_result(struct stint_summary *s, const json_t *record)
{
	json_int_t points, done, rounds, elapsed_ns;
	const char *name, *status, *message = NULL;
	struct sum_test *t;
	json_error_t e;

	if (json_unpack_ex((json_t *)record, &e, 0, "{s:s, s:s, s:I, s:I, s:I, s:I}", "test", &name,
			   "status", &status, "points", &points, "points_done", &done, "rounds",
			   &rounds, "elapsed_ns", &elapsed_ns) < 0)
		return stint_sum_refuse(s, "result: %s", e.text);
	if (status_parse(status) == SUM_NO_RESULT)
		return stint_sum_refuse(s, "result: status is not pass, fail or skip");
	t = stint_sum_open(s, name);
	if (t == NULL)
		return -ENOMEM;
	message = json_string_value(json_object_get(record, "message"));
	if (message != NULL && message[0] != '\0') {
		t->message = strdup(message);
		if (t->message == NULL)
			return -ENOMEM;
	}
	t->status = status_parse(status);
	t->points_total = points;
	t->points_done = done;
	t->n_rounds = rounds;
	t->elapsed_ns = elapsed_ns;
	return stint_sum_add_notes(t, record);
}

static int
add_end(struct stint_summary *s, const json_t *record)
{
	json_int_t signal;
	json_error_t e;

	if (json_unpack_ex((json_t *)record, &e, 0, "{s:I}", "signal", &signal) < 0)
		return stint_sum_refuse(s, "end: %s", e.text);
	s->ended = true;
	s->signal = signal;
	return 0;
}

int
stint_summary_add(struct stint_summary *s, const json_t *record)
{
	static const struct {
		const char *type;
		int (*add)(struct stint_summary *s, const json_t *record);
	} types[] = {
		{ "sample", stint_sum_add_sample },
		{ "histogram", stint_sum_add_histogram },
		{ "round", stint_sum_add_round },
		{ "steal", add_steal },
		{ "stamp", add_stamp },
		{ "skip", stint_sum_add_skip },
		{ "plan", add_plan },
		{ "result", add_result },
		{ "run", add_run },
		{ "end", add_end },
	};
	const char *type = json_string_value(json_object_get(record, "type"));

	if (type == NULL)
		return stint_sum_refuse(s, "a record without a type");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(types[i].type, type) == 0)
			return types[i].add(s, record);
	}
	return 0;
}
