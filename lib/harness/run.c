/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "session.h"

#include <errno.h>
#include <string.h>

#include "memory.h"
#include "narrate.h"
#include "plan.h"
#include "registry.h"

static const char *
status_name(enum stint_exit status)
{
	return status == STINT_PASS ? "pass" : status == STINT_SKIP ? "skip" : "fail";
}

/* A folder gets a new file for each test. */
static int
open_results(struct stint_session *s, const struct stint_test *test)
{
	int rc;

	if (s->folder == NULL || s->log.file != NULL)
		return 0;
	rc = stint_runfile_create_in(&s->log.file, s->folder, test->name);
	if (rc == 0)
		return stint_log_put(&s->log, stint_run_record(s));
	fprintf(stderr, "stint: results %s: %s\n", s->folder, strerror(-rc));
	return rc;
}

static int
put_skips(struct stint_session *s, const struct stint_plan *plan)
{
	int rc = 0;

	if (plan->skip != NULL)
		return stint_log_put(&s->log, stint_plan_skip_record(plan, plan->skip, true));
	for (unsigned int i = 0; i < plan->grid.count && rc == 0; i++) {
		const struct stint_cell *cell = &plan->grid.cells[i];

		if (cell->skip_reason != NULL)
			rc = stint_log_put(&s->log, stint_plan_skip_record(plan, cell, false));
	}
	return rc;
}

static json_t *
result_record(const struct stint_test *test, struct stint_outcome *o)
{
	json_t *record =
		json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:s}", "type", "result", "test",
			  test->name, "status", status_name(o->status), "points",
			  (json_int_t)o->points, "points_done", (json_int_t)o->done,
			  "points_skipped", (json_int_t)o->skipped, "rounds", (json_int_t)o->rounds,
			  "elapsed_ns", (json_int_t)o->elapsed_ns, "message", o->message);

	stint_said_take(&o->said, record);
	return record;
}

static bool
serves(const struct stint_plan *plan)
{
	return plan->test->serves != NULL && plan->test->serves(&plan->grid.cells[0].point);
}

static void
run_planned(struct stint_session *s, struct stint_plan *plan, struct stint_outcome *o)
{
	o->points = plan->grid.count;
	o->skipped = plan->grid.skipped;
	if (plan->skip != NULL) {
		o->status = STINT_SKIP;
		snprintf(o->message, sizeof(o->message), "%s", plan->skip->skip_reason);
		return;
	}
	stint_narrate_test(s, plan);
	if (plan->test->suite == STINT_SUITE_FAST || serves(plan))
		stint_fast_run(s, plan, o);
	else
		stint_rounds_run(s, plan, o);
}

/* What only the running EAL can tell: are the parameters' values ones that exist? */
static enum stint_exit
validate(struct stint_plan *plan)
{
	struct stint_cell *cell = &plan->grid.cells[0];
	char error[256] = "";
	int rc;

	if (plan->test->validate == NULL || plan->skip != NULL)
		return STINT_PASS;
	rc = plan->test->validate(&cell->point, error, sizeof(error));
	if (rc == 0)
		return STINT_PASS;
	if (rc == -ENODEV) {
		stint_grid_skip(&plan->grid, cell, error, NULL, NULL, NULL);
		plan->skip = cell;
		return STINT_PASS;
	}
	fprintf(stderr, "stint: %s: %s\n", plan->test->name, error);
	return STINT_USAGE;
}

static enum stint_exit
results_failed(const struct stint_session *s, int rc)
{
	fprintf(stderr, "stint: results%s%s: %s\n", s->log.file != NULL ? " " : "",
		s->log.file != NULL ? stint_runfile_path(s->log.file) : "", strerror(-rc));
	return STINT_FAIL;
}

static enum stint_exit
measure(struct stint_session *s, struct stint_plan *plan)
{
	struct stint_outcome o = { .status = STINT_PASS };
	enum stint_exit valid = validate(plan);
	json_t *result;
	int rc;

	if (valid != STINT_PASS)
		return valid;
	if (open_results(s, plan->test) != 0)
		return STINT_USAGE;
	rc = stint_log_put(&s->log, stint_plan_record(plan));
	if (rc == 0)
		rc = put_skips(s, plan);
	if (rc != 0)
		return results_failed(s, rc);
	atomic_store(&s->current, plan->test);
	run_planned(s, plan, &o);
	atomic_store(&s->current, NULL);
	result = result_record(plan->test, &o);
	if (!stint_interrupted(s) || o.status == STINT_FAIL)
		rc = stint_log_put(&s->log, result);
	else
		json_decref(result);
	stint_session_print_test(s, plan->test->name);
	if (stint_interrupted(s))
		stint_narrate_under_way(s, atomic_load(&s->cell));
	atomic_store(&s->cell, NULL);
	stint_flush(s);
	return rc != 0 ? results_failed(s, rc) : o.status;
}

enum stint_exit
stint_session_skip(struct stint_session *s, const struct stint_test *test, const char *reason)
{
	struct stint_outcome o = { .status = STINT_SKIP };
	int rc = open_results(s, test);

	if (rc != 0)
		return STINT_USAGE;
	snprintf(o.message, sizeof(o.message), "%s", reason);
	rc = stint_log_put(&s->log, json_pack("{s:s, s:s, s:s}", "type", "skip", "test", test->name,
					      "reason", reason));
	if (rc == 0)
		rc = stint_log_put(&s->log, result_record(test, &o));
	stint_session_print_test(s, test->name);
	stint_flush(s);
	if (s->folder != NULL)
		stint_session_end(s, STINT_SKIP, atomic_load(&s->signal));
	return rc != 0 ? results_failed(s, rc) : STINT_SKIP;
}

enum stint_exit
stint_session_run(struct stint_session *s, const struct stint_test *test)
{
	const struct stint_machine *machine = &s->machine;
	struct stint_plan plan;
	enum stint_exit status;
	char error[512] = "";
	int rc;

	if (s->spent)
		return stint_session_skip(s, test, "not run, since EAL was lost with a hugepage");
	stint_memory_refresh(s);
	if (test->suite == STINT_SUITE_PERF && s->huge_fallback)
		machine = &s->asked;
	else if (s->eal_up && (test->flags & STINT_PORTS) != 0)
		machine = &s->ported;
	rc = stint_plan_init(&plan, test, machine, s->settings, s->n_settings, s->select,
			     s->budget_ns, error, sizeof(error));
	if (rc != 0) {
		fprintf(stderr, "stint: %s\n", rc == -EINVAL ? error : strerror(-rc));
		return rc == -EINVAL ? STINT_USAGE : STINT_BROKEN;
	}
	status = measure(s, &plan);
	if (s->folder != NULL)
		stint_session_end(s, status, atomic_load(&s->signal));
	stint_plan_free(&plan);
	return status;
}
