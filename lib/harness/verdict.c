/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "rounds.h"

#include <math.h>

/* Points that were visited, but whose lcores found nothing to do: a port that receives nothing. */
static void
skip_idle(struct stint_rounds *r)
{
	for (unsigned int i = 0; i < r->n; i++) {
		struct stint_cell *cell = r->order[i];

		if (cell->done || !cell->idle || cell->skip_reason != NULL)
			continue;
		stint_grid_skip(&r->plan->grid, cell, "no operation that counts in any slice", NULL,
				NULL, NULL);
		if (stint_rounds_put(r, stint_plan_skip_record(r->plan, cell, false)) != 0)
			return;
	}
}

static bool
is_dropped(const struct stint_rounds *r)
{
	for (unsigned int i = 0; i < r->n; i++) {
		if (r->order[i]->dropped)
			return true;
	}
	return false;
}

void
stint_rounds_judge(struct stint_rounds *r)
{
	struct stint_outcome *o = r->outcome;
	uint64_t least = 0;

	if (o->status != STINT_FAIL && !stint_interrupted(r->s))
		skip_idle(r);
	o->skipped = r->plan->grid.skipped;
	if (o->status == STINT_FAIL || stint_interrupted(r->s))
		return;
	if (o->done > 0) {
		o->status = STINT_PASS;
		if (r->s->spent)
			snprintf(o->message, sizeof(o->message), "%s", STINT_HUGEPAGE_LOST);
		else if (is_dropped(r) && o->said.setup == STINT_SETUP_SKIPS)
			snprintf(o->message, sizeof(o->message), "not set up again: %s",
				 o->said.reason);
		else if (is_dropped(r))
			snprintf(o->message, sizeof(o->message),
				 "memory was refused in a later round; %s", r->fixtures.message);
		else if (o->done + o->skipped < o->points)
			snprintf(o->message, sizeof(o->message), "the budget ended");
		return;
	}
	o->status = STINT_SKIP;
	if (r->s->spent) {
		snprintf(o->message, sizeof(o->message), "%s", STINT_HUGEPAGE_LOST);
		return;
	}
	if (o->skipped == o->points) {
		snprintf(o->message, sizeof(o->message), "%s", r->order[0]->skip_reason);
		stint_rounds_put(r, stint_plan_skip_record(r->plan, r->order[0], true));
		return;
	}
	for (unsigned int i = 0; i < r->n; i++) {
		unsigned int n = r->order[i]->point.lcores;

		least = RTE_MAX(least, r->visit_ns[n]);
		least = RTE_MAX(least, stint_slice_ns(r, n, r->plan->shares_cpus));
	}
	snprintf(o->message, sizeof(o->message),
		 "no point was measured in %.0f ms; the smallest budget that would do is about "
		 "%.0f ms",
		 r->plan->budget_ns / 1e6, ceil(RTE_MAX(4 * least, 2 * r->plan->budget_ns) / 1e6));
}
