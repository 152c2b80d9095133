/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "rounds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "floor.h"
#include "latency.h"
#include "memory.h"
#include "narrate.h"
#include "random.h"
#include "stamp.h"

/* Placement is drawn anew once set-up took no more than one part in this many of the time. */
#define SETUP_PART 20

int
stint_rounds_fail(struct stint_rounds *r, const char *what)
{
	r->outcome->status = STINT_FAIL;
	snprintf(r->outcome->message, sizeof(r->outcome->message), "%s", what);
	return -1;
}

int
stint_rounds_put(struct stint_rounds *r, json_t *record)
{
	char text[128];
	int rc = stint_log_put(&r->s->log, record);

	if (rc == 0)
		return 0;
	snprintf(text, sizeof(text), "results: %s", strerror(-rc));
	return stint_rounds_fail(r, text);
}

uint64_t
stint_left_ns(const struct stint_rounds *r)
{
	uint64_t now = stint_monotonic_ns();

	return now < r->end_ns ? r->end_ns - now : 0;
}

static void
shuffle(struct stint_rounds *r)
{
	for (unsigned int i = r->n; i > 1; i--) {
		unsigned int k = stint_random_below(&r->random, i);
		struct stint_cell *cell = r->order[i - 1];

		r->order[i - 1] = r->order[k];
		r->order[k] = cell;
	}
}

/* Stable insertion by counting: `key` is small. */
static void
sort_by(struct stint_rounds *r, unsigned int (*key)(const struct stint_cell *cell))
{
	struct stint_cell **sorted = calloc(r->n, sizeof(*sorted));
	unsigned int at = 0, top = 0;

	if (sorted == NULL)
		return;
	for (unsigned int i = 0; i < r->n; i++)
		top = RTE_MAX(top, key(r->order[i]));
	for (unsigned int k = 0; k <= top && at < r->n; k++) {
		for (unsigned int i = 0; i < r->n; i++) {
			if (key(r->order[i]) == k)
				sorted[at++] = r->order[i];
		}
	}
	memcpy(r->order, sorted, r->n * sizeof(*sorted));
	free(sorted);
}

static unsigned int
rank_of(const struct stint_cell *cell)
{
	return cell->rank;
}

static unsigned int
fixture_of(const struct stint_cell *cell)
{
	return cell->fixture;
}

/* Fixtures that do not all fit take turns, so that each is set up once in a round. */
static void
order_points(struct stint_rounds *r)
{
	shuffle(r);
	if (r->round == 0)
		sort_by(r, rank_of);
	if (!stint_fixtures_all_fit(&r->fixtures))
		sort_by(r, fixture_of);
}

static json_t *
measure_floor(struct stint_rounds *r)
{
	const struct stint_machine *m = r->plan->machine;
	json_t *floor = json_array();

	if (stint_machine_shares(m, r->plan->grid.max_lcores))
		return floor;
	for (unsigned int i = 1; i < r->plan->grid.max_lcores; i++) {
		double ns = stint_clock_ns(&r->s->clock, stint_floor_cycles(r->crew, i));

		json_array_append_new(floor,
				      json_pack("{s:[i,i], s:f}", "lcores", (int)m->lcores[0].id,
						(int)m->lcores[i].id, "ns", ns));
	}
	return floor;
}

static int
begin_round(struct stint_rounds *r)
{
	stint_clock_update(&r->s->clock);
	stint_narrate_round(r->s, r->plan, r->round, stint_left_ns(r));
	order_points(r);
	return stint_rounds_put(r,
				json_pack("{s:s, s:s, s:i, s:o, s:i}", "type", "round", "test",
					  r->plan->test->name, "round", (int)r->round, "floor",
					  measure_floor(r), "fixture_draw", (int)r->fixtures.draw));
}

/* Touching a page raised SIGBUS: a limit that nobody announces, and EAL's locks may be held. */
static int
hugepage_lost(struct stint_rounds *r, struct stint_cell *cell)
{
	r->s->spent = true;
	stint_grid_skip(&r->plan->grid, cell, STINT_HUGEPAGE_LOST, NULL, NULL, NULL);
	stint_rounds_put(r, stint_plan_skip_record(r->plan, cell, false));
	return -1;
}

/* In a program that has started EAL, the limits that it was given are not known. */
static bool
is_shortage(const struct stint_rounds *r)
{
	int error = r->fixtures.error;

	return error == ENOMEM || (r->s->hosted && error == ENOTSUP);
}

/* All points of its fixture, the others would fare no better; `reason` NULL: for lack of memory. */
static int
skip_fixture(struct stint_rounds *r, struct stint_cell *cell, const char *reason)
{
	int rc = 0;

	for (unsigned int i = 0; i < r->n && rc == 0; i++) {
		struct stint_cell *other = r->order[i];

		if (other->fixture != cell->fixture || other->skip_reason != NULL)
			continue;
		/* its values stay; there will be no more */
		other->dropped = other->done;
		if (other->dropped)
			continue;
		if (reason != NULL)
			stint_grid_skip(&r->plan->grid, other, reason, NULL, NULL, NULL);
		else
			stint_plan_skip_memory(r->plan, other);
		rc = stint_rounds_put(r, stint_plan_skip_record(r->plan, other, false));
	}
	return rc;
}

/*
 * A fixture that cannot be had: the allocation decides last. What the error number says
 * depends on how EAL holds its memory (95 with --in-memory), and a driver that is missing gives
 * 22: a lack of memory it is if there is less than the fixture needs.
 */
static int
drop_fixture(struct stint_rounds *r, struct stint_cell *cell)
{
	if (r->fixtures.spent)
		return hugepage_lost(r, cell);
	if (r->outcome->said.setup == STINT_SETUP_FAILS)
		return stint_rounds_fail(r, r->outcome->said.reason);
	stint_fixtures_redraw(&r->fixtures);
	stint_memory_refresh(r->s);
	if (r->outcome->said.setup == STINT_SETUP_SKIPS)
		return skip_fixture(r, cell, r->outcome->said.reason);
	if (!is_shortage(r) && stint_plan_fits(r->plan, cell->fixture))
		return stint_rounds_fail(r, r->fixtures.message);
	return skip_fixture(r, cell, NULL);
}

static bool
time_for(const struct stint_rounds *r, const struct stint_cell *cell)
{
	const struct stint_point *pt = &cell->point;
	uint64_t nominal = stint_slice_ns(r, pt->lcores, pt->shares_cpus) + 2 * STINT_BATCH_NS;

	if (!r->fixtures.up[cell->fixture])
		nominal += r->fixtures.longest_ns;
	return stint_left_ns(r) > nominal;
}

/* What only the fixture can tell. A point that has values stays. */
static int
ask_fixture(struct stint_rounds *r, struct stint_cell *cell)
{
	const struct stint_test *test = r->plan->test;

	if (test->able == NULL || cell->done ||
	    test->able(&cell->point, &r->fixtures.list[cell->fixture]))
		return 0;
	r->plan->grid.skipped++;
	return stint_rounds_put(r, stint_plan_skip_record(r->plan, cell, false));
}

static void
note_enough(const struct stint_rounds *r, struct stint_cell *cell)
{
	const struct stint_test *test = r->plan->test;

	cell->enough = test->enough != NULL &&
		       test->enough(&cell->point, &r->fixtures.list[cell->fixture]);
}

/* 1: the round is complete, 0: the time is over, -1: failed. */
static int
run_round(struct stint_rounds *r)
{
	int rc = begin_round(r);
	bool visited = false;

	for (unsigned int i = 0; i < r->n && rc >= 0; i++) {
		struct stint_cell *cell = r->order[i];

		if (stint_interrupted(r->s) || !time_for(r, cell))
			return 0;
		if (cell->skip_reason != NULL || cell->dropped || cell->enough)
			continue;
		atomic_store(&r->s->cell, cell);
		r->fixtures.list[cell->fixture].left_ns = stint_left_ns(r);
		if (stint_fixtures_have(&r->fixtures, cell->fixture) != 0) {
			rc = drop_fixture(r, cell);
			continue;
		}
		rc = ask_fixture(r, cell);
		if (rc != 0 || cell->skip_reason != NULL)
			continue;
		stint_narrate_point(r->s, r->plan, cell, i + 1, r->round, stint_left_ns(r));
		rc = stint_visit_point(r, cell);
		if (rc == 0)
			return 0;
		note_enough(r, cell);
		visited = true;
	}
	if (rc < 0)
		return -1;
	/* no fixture can be had any more, or all points have enough */
	return visited;
}

static void
maybe_redraw(struct stint_rounds *r)
{
	uint64_t now = stint_monotonic_ns();

	if (now - r->drawn_ns < SETUP_PART * r->fixtures.setup_ns ||
	    stint_fixtures_kept(&r->fixtures))
		return;
	stint_crew_rest(r->crew);
	stint_fixtures_redraw(&r->fixtures);
	r->drawn_ns = stint_monotonic_ns();
}

static int
collect_points(struct stint_rounds *r)
{
	struct stint_grid *grid = &r->plan->grid;

	r->order = calloc(grid->count, sizeof(*r->order));
	if (r->order == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < grid->count; i++) {
		struct stint_cell *cell = &grid->cells[i];

		if (cell->skip_reason != NULL)
			continue;
		cell->batches = calloc(cell->point.lcores, sizeof(*cell->batches));
		if (cell->batches == NULL)
			return -ENOMEM;
		for (unsigned int k = 0; k < cell->point.lcores * RTE_DIM(cell->batches->ops); k++)
			cell->batches[k / RTE_DIM(cell->batches->ops)]
				.ops[k % RTE_DIM(cell->batches->ops)] = 1;
		r->order[r->n++] = cell;
	}
	return 0;
}

static void
cpus_of(const struct stint_machine *m, unsigned int n, cpu_set_t *cpus)
{
	CPU_ZERO(cpus);
	for (unsigned int i = 0; i < n; i++)
		CPU_OR(cpus, cpus, &m->lcores[i].cpus);
}

/* What a latency of nothing would come to. */
static int
put_stamps(struct stint_rounds *r)
{
	const struct stint_test *test = r->plan->test;
	struct stint_stamp_cost stamp;

	if (stint_latency_bytes(test) == 0)
		return 0;
	stamp = stint_stamp_measure();
	return stint_rounds_put(
		r, json_pack("{s:s, s:s, s:f, s:f}", "type", "stamp", "test", test->name,
			     "resolution_ns", stint_clock_ns(&r->s->clock, stamp.resolution),
			     "cost_ns", stamp.cost * STINT_SECOND_NS / r->s->clock.hz));
}

static int
begin(struct stint_rounds *r)
{
	unsigned int n = r->plan->grid.max_lcores, busy = 0;
	size_t bytes = n * sizeof(*r->lanes);
	char text[96];
	cpu_set_t cpus;
	int rc = collect_points(r);

	r->lanes = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);
	r->visit_ns = calloc(n + 1, sizeof(*r->visit_ns));
	r->fastest_probes = malloc((size_t)n * n * sizeof(*r->fastest_probes));
	if (rc != 0 || r->lanes == NULL || r->visit_ns == NULL || r->fastest_probes == NULL)
		return stint_rounds_fail(r, "out of memory");
	memset(r->fastest_probes, 0xff, (size_t)n * n * sizeof(*r->fastest_probes));
	if (stint_fixtures_init(&r->fixtures, r->plan, stint_random(&r->random)) != 0)
		return stint_rounds_fail(r, "out of memory");
	for (unsigned int i = 0; i < r->plan->n_fixtures; i++) {
		r->fixtures.list[i].said = &r->outcome->said;
		r->fixtures.list[i].clock = &r->s->clock;
	}
	rc = stint_crew_launch(&r->crew, r->plan->machine, n, &busy);
	if (rc != 0) {
		snprintf(text, sizeof(text), "lcore %u cannot be launched: %s", busy,
			 strerror(-rc));
		return stint_rounds_fail(r, text);
	}
	cpus_of(r->plan->machine, n, &cpus);
	stint_steal_init(&r->steal, &cpus);
	atomic_store(&r->s->slice.phase, STINT_SLICE_DONE);
	atomic_store(&r->s->slice.failed, false);
	return put_stamps(r);
}

/* The budget is for measuring: what is set up before the first slice is outside. */
static int
set_up_first(struct stint_rounds *r)
{
	if (!stint_fixtures_all_fit(&r->fixtures))
		return 0;
	for (unsigned int i = 0; i < r->n && !stint_interrupted(r->s); i++) {
		struct stint_cell *cell = r->order[i];

		atomic_store(&r->s->cell, cell);
		if (cell->skip_reason == NULL &&
		    stint_fixtures_have(&r->fixtures, cell->fixture) != 0 &&
		    drop_fixture(r, cell) != 0)
			return -1;
	}
	return 0;
}

static void
run_rounds(struct stint_rounds *r)
{
	int rc = 1;

	r->begin_ns = r->drawn_ns = stint_monotonic_ns();
	r->end_ns = r->begin_ns + r->plan->budget_ns;
	while (rc > 0 && !stint_interrupted(r->s)) {
		rc = run_round(r);
		if (rc > 0) {
			r->round++;
			maybe_redraw(r);
		}
	}
	r->outcome->rounds = r->round;
	r->outcome->elapsed_ns = stint_monotonic_ns() - r->begin_ns;
}

void
stint_rounds_run(struct stint_session *s, struct stint_plan *plan, struct stint_outcome *outcome)
{
	struct stint_rounds *r = calloc(1, sizeof(*r));

	if (r == NULL) {
		outcome->status = STINT_FAIL;
		snprintf(outcome->message, sizeof(outcome->message), "out of memory");
		return;
	}
	r->s = s;
	r->plan = plan;
	r->outcome = outcome;
	r->random = s->seed;
	for (unsigned int m = 0; m < STINT_MAX_METRICS; m++)
		stint_histogram_init(&r->latencies[m]);
	outcome->points = plan->grid.count;
	if (begin(r) == 0 && set_up_first(r) == 0)
		run_rounds(r);
	stint_rounds_judge(r);
	stint_narrate_clear(s);
	stint_crew_release(r->crew);
	if (r->fixtures.plan != NULL)
		stint_fixtures_free(&r->fixtures);
	if (outcome->status != STINT_FAIL && outcome->said.failure[0] != '\0')
		stint_rounds_fail(r, outcome->said.failure);
	for (unsigned int m = 0; m < STINT_MAX_METRICS; m++)
		stint_histogram_free(&r->latencies[m]);
	free(r->lanes);
	free(r->visit_ns);
	free(r->fastest_probes);
	free(r->order);
	free(r);
}
