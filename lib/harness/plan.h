/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_PLAN_H
#define STINT_PLAN_H

/** @file Needs of a test held against what the machine has, before anything runs. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "grid.h"
#include "machine.h"
#include "need.h"

/** Points that share a set-up: of one number of lcores, or of all (STINT_PORTS). */
struct stint_plan_fixture {
	uint64_t key;
	unsigned int lcores;
	const struct stint_point *point; /* one that uses it */
	struct stint_need need;
	bool fits; /* beside the workers, on its own */
};

struct stint_plan {
	const struct stint_test *test;
	const struct stint_machine *machine;
	struct stint_grid grid;
	struct stint_plan_fixture *fixtures;
	unsigned int n_fixtures;
	struct stint_need base;     /* EAL, and the workers of the points that fit */
	struct stint_need need;     /* base and the largest fixture */
	struct stint_need need_all; /* base and all fixtures at once */
	uint64_t budget_ns;
	bool shares_cpus;              /* some point's lcores share CPUs */
	const struct stint_cell *skip; /* nothing can be measured, for the reason of this point */
};

/**
 * Plan a test. `budget_ns`: 0 takes the test's own. 0, -ENOMEM, or -EINVAL and one line in
 * `error`.
 */
int stint_plan_init(struct stint_plan *plan, const struct stint_test *test,
		    const struct stint_machine *machine, const char *const *settings,
		    unsigned int n_settings, const char *select, uint64_t budget_ns, char *error,
		    size_t size);

void stint_plan_free(struct stint_plan *plan);

/** Does a fixture fit beside the base, all others being down? */
bool stint_plan_fits(const struct stint_plan *plan, unsigned int fixture);

/** Skip a point for lack of memory, with what its fixture needs and what there is. */
void stint_plan_skip_memory(struct stint_plan *plan, struct stint_cell *cell);

/** The plan as a `plan` record of a run file. */
json_t *stint_plan_record(const struct stint_plan *plan);

/** The `skip` record of a point, or of the whole test for the reason of that point. */
json_t *stint_plan_skip_record(const struct stint_plan *plan, const struct stint_cell *cell,
			       bool whole_test);

#endif /* STINT_PLAN_H */
