/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "registry.h"

#include <stdio.h>
#include <string.h>

static struct stint_test *tests;

void
stint_register(struct stint_test *test)
{
	struct stint_test **at = &tests;

	while (*at != NULL && strcmp((*at)->name, test->name) < 0)
		at = &(*at)->next;
	test->next = *at;
	*at = test;
}

const struct stint_test *
stint_registry_first(void)
{
	return tests;
}

const struct stint_test *
stint_registry_find(const char *name)
{
	const struct stint_test *t;

	STINT_FOREACH_TEST (t) {
		if (strcmp(t->name, name) == 0)
			return t;
	}
	return NULL;
}

const char *
stint_suite_name(const struct stint_test *test)
{
	return test->suite == STINT_SUITE_FAST ? "fast-tests" : "perf-tests";
}

static const char *
defect_of_metric(const struct stint_metric *m)
{
	if (m->name == NULL || m->unit == NULL)
		return "a metric without name or unit";
	if (m->kind == STINT_LATENCY && strcmp(m->unit, "ns") != 0)
		return "a latency in another unit than ns";
	if (m->kind == STINT_LATENCY && m->of != NULL && m->of->kind != STINT_LATENCY)
		return "a latency of what is none";
	if (m->kind == STINT_SHARE && m->against == NULL)
		return "a share without `against`";
	return NULL;
}

static const char *
defect(const struct stint_test *t)
{
	const char *what = NULL;

	if (t->next != NULL && strcmp(t->name, t->next->name) == 0)
		return "registered twice";
	if (t->suite == STINT_SUITE_FAST)
		return t->run == NULL ? "a fast test without `run`" : NULL;
	if (t->job == NULL || t->metrics.count == 0 || t->budget_s == 0)
		return "a perf test without `job`, metrics or budget";
	if (t->serves != NULL && t->run == NULL)
		return "a perf test that serves without `run`";
	if (t->dims.count > STINT_MAX_DIMS || t->metrics.count > STINT_MAX_METRICS)
		return "too many dimensions or metrics";
	for (unsigned int m = 0; m < t->metrics.count && what == NULL; m++)
		what = defect_of_metric(&t->metrics.list[m]);
	return what;
}

int
stint_registry_check(char *error, size_t size)
{
	const struct stint_test *t;

	STINT_FOREACH_TEST (t) {
		const char *what = defect(t);

		if (what == NULL)
			continue;
		snprintf(error, size, "test %s: %s", t->name, what);
		return -1;
	}
	return 0;
}

static const char *
test_name(unsigned int i, const void *arg)
{
	const struct stint_test *t;

	(void)arg;
	STINT_FOREACH_TEST (t) {
		if (i-- == 0)
			return t->name;
	}
	return NULL;
}

void
stint_registry_near(char *text, size_t size, const char *typed)
{
	const struct stint_test *t;
	unsigned int count = 0;

	STINT_FOREACH_TEST (t)
		count++;
	stint_near(text, size, typed, count, test_name, NULL);
}
