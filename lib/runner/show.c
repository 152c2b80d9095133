/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "show.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "params.h"
#include "plan.h"
#include "registry.h"

#define MIB (UINT64_C(1) << 20)

static json_t *
list_entry(const struct stint_test *t)
{
	return json_pack("{s:s, s:s, s:I, s:b, s:b, s:s}", "name", t->name, "suite",
			 stint_suite_name(t), "budget_ns",
			 (json_int_t)(t->budget_s * STINT_SECOND_NS), "no_huge",
			 (t->flags & STINT_NO_HUGE) != 0, "asan", (t->flags & STINT_ASAN) != 0,
			 "summary", t->summary != NULL ? t->summary : "");
}

/* An array with an element on each line: for jq as for grep. */
static void
print_element(FILE *out, json_t *element, bool first)
{
	fputs(first ? "[\n" : ",\n", out);
	json_dumpf(element, out, JSON_COMPACT);
	json_decref(element);
}

void
stint_show_list(FILE *out, bool json)
{
	const struct stint_test *t;

	STINT_FOREACH_TEST (t) {
		if (json)
			print_element(out, list_entry(t), t == stint_registry_first());
		else
			fprintf(out, "%-36s %-10s %s\n", t->name, stint_suite_name(t),
				t->summary != NULL ? t->summary : "");
	}
	if (json)
		fputs(stint_registry_first() != NULL ? "\n]\n" : "[]\n", out);
}

static json_t *
plan_element(const struct stint_plan *plan)
{
	json_t *element = stint_plan_record(plan), *skip;

	json_object_set_new(element, "status", json_string(plan->skip != NULL ? "skip" : "run"));
	if (plan->skip == NULL)
		return element;
	skip = stint_plan_skip_record(plan, plan->skip, true);
	json_object_update_missing(element, skip);
	json_decref(skip);
	return element;
}

static void
print_plan(FILE *out, const struct stint_plan *plan)
{
	const struct stint_grid *grid = &plan->grid;

	fprintf(out, "%-36s ", plan->test->name);
	if (plan->skip != NULL) {
		fprintf(out, "skip: %s", plan->skip->skip_reason);
		if (plan->skip->skip_need != NULL)
			fprintf(out, "; need %s, have %s; %s", plan->skip->skip_need,
				plan->skip->skip_have, plan->skip->skip_remedy);
		fputc('\n', out);
		return;
	}
	if (plan->test->suite == STINT_SUITE_PERF)
		fprintf(out, "%u points", grid->count - grid->skipped);
	else
		fprintf(out, "fast");
	if (grid->skipped > 0)
		fprintf(out, " (%u more skipped)", grid->skipped);
	fprintf(out, ", %u lcore%s, needs %" PRIu64 " MiB (%" PRIu64 " at once)", grid->max_lcores,
		grid->max_lcores == 1 ? "" : "s", stint_need_total(&plan->need) / MIB,
		stint_need_total(&plan->need_all) / MIB);
	if (plan->budget_ns > 0)
		fprintf(out, ", budget %.1f s", plan->budget_ns / 1e9);
	fprintf(out, "%s\n", plan->shares_cpus ? ", lcores share CPUs" : "");
}

static int
show_one(FILE *out, const struct stint_session *s, const struct stint_options *o,
	 const struct stint_test *test, bool first, char *error, size_t size)
{
	struct stint_plan plan;
	int rc = stint_plan_init(&plan, test, &s->asked, o->settings, o->n_settings, o->select,
				 o->budget_ns, error, size);

	if (rc != 0)
		return rc;
	if (o->json)
		print_element(out, plan_element(&plan), first);
	else
		print_plan(out, &plan);
	stint_plan_free(&plan);
	return 0;
}

int
stint_show_plan(FILE *out, const struct stint_session *s, const struct stint_options *o,
		char *error, size_t size)
{
	const struct stint_test *t;
	int rc = 0;

	if (o->n_tests > 0) {
		for (unsigned int i = 0; i < o->n_tests && rc == 0; i++)
			rc = show_one(out, s, o, o->tests[i], i == 0, error, size);
	} else {
		STINT_FOREACH_TEST (t) {
			rc = show_one(out, s, o, t, t == stint_registry_first(), error, size);
			if (rc != 0)
				break;
		}
	}
	if (o->json && rc == 0)
		fputs("\n]\n", out);
	return rc == 0 ? 0 : -1;
}

void
stint_show_usage(FILE *out)
{
	fputs("usage: stint [EAL options] [-- [options] [TEST...]]\n"
	      "Runs autotests; without TEST there is a prompt, or commands are read from a pipe.\n"
	      "\n"
	      "  --list [--json]          the registered tests\n"
	      "  --plan [--json]          what the tests need, and what there is\n"
	      "  --help [TEST]            this text, or a test's parameters and dimensions\n"
	      "  --budget DURATION        measuring time of each perf test: 500ms, 20s, 2m\n"
	      "  --set [TEST.]NAME=VALUE  a parameter that the test declares\n"
	      "  --points EXPR            only points whose labels match: cores=2,keep=512\n"
	      "  --results FILE|DIR       a new run file, or a folder that gets one for each test\n"
	      "  --seed N                 of orders, placement and operands\n"
	      "  --quiet                  only the summary\n"
	      "  --verbose                EAL's messages too\n"
	      "\n"
	      "EAL options stand before --: -l 0-3, --lcores '(0-7)@(0-1)', --socket-limit 64, "
	      "...\n"
	      "Environment: DPDK_TEST (names), DPDK_TEST_SKIP (names), DPDK_TEST_PARAMS (EAL\n"
	      "options), STINT_BUDGET, STINT_RESULTS\n"
	      "Exit codes: 0 pass, 77 skip, 1 fail, 2 wrong usage, 99 could not run, 128 + "
	      "signal\n",
	      out);
}

static void
print_dim(FILE *out, const struct stint_dim *dim)
{
	fprintf(out, "  %-12s", dim->name);
	if (dim->kind == STINT_DIM_OF_PARAM)
		fprintf(out, " the values of the parameter");
	else if (dim->kind == STINT_DIM_DOUBLING)
		fprintf(out, " 1 2 4 ... all");
	for (unsigned int i = 0; i < dim->count; i++) {
		if (dim->kind == STINT_DIM_TEXTS)
			fprintf(out, " %s", dim->texts[i]);
		else if (dim->kind == STINT_DIM_CORES && dim->uints[i] == STINT_ALL)
			fprintf(out, " all");
		else
			fprintf(out, " %" PRIu64, dim->uints[i]);
	}
	fputc('\n', out);
}

void
stint_show_test(FILE *out, const struct stint_test *test)
{
	char range[256];

	fprintf(out, "%s (%s): %s\n", test->name, stint_suite_name(test),
		test->summary != NULL ? test->summary : "");
	if (test->suite == STINT_SUITE_PERF)
		fprintf(out, "budget: %u s%s\n", test->budget_s,
			stint_doubles_lcores(test) ? "" : " for each number of lcores");
	for (unsigned int i = 0; i < test->metrics.count; i++)
		fprintf(out, "metric: %s in %s\n", test->metrics.list[i].name,
			test->metrics.list[i].unit);
	if (test->dims.count > 0)
		fputs("labels of its points, for --points:\n", out);
	for (unsigned int i = 0; i < test->dims.count; i++)
		print_dim(out, &test->dims.list[i]);
	if (test->params.count > 0)
		fputs("parameters, for --set:\n", out);
	for (unsigned int i = 0; i < test->params.count; i++) {
		const struct stint_param *p = &test->params.list[i];

		stint_param_range(p, range, sizeof(range));
		fprintf(out, "  %-12s %s; %s, %s%s\n", p->name, p->help, range,
			p->def[0] != '\0' ? "default " : "no default", p->def);
	}
}

bool
stint_show(FILE *out, const struct stint_options *o)
{
	if (o->help && o->n_tests == 0)
		stint_show_usage(out);
	for (unsigned int i = 0; o->help && i < o->n_tests; i++)
		stint_show_test(out, o->tests[i]);
	if (o->list && !o->help)
		stint_show_list(out, o->json);
	return o->help || o->list;
}
