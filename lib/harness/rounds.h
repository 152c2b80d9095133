/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_ROUNDS_H
#define STINT_ROUNDS_H

/** @file A perf test being measured: rounds over its points, visits of one point. Main lcore. */

#include <stdint.h>

#include "crew.h"
#include "fixtures.h"
#include "plan.h"
#include "session.h"
#include "steal.h"
#include "stint_stats.h"

/** One perf test being measured. */
struct stint_rounds {
	struct stint_session *s;
	struct stint_plan *plan;
	struct stint_outcome *outcome;
	struct stint_crew *crew;
	struct stint_fixtures fixtures;
	struct stint_lane *lanes;
	struct stint_cell **order; /* the points that can be measured */
	unsigned int n;
	unsigned int round;
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t drawn_ns;         /* of the last draw of placement */
	uint64_t *visit_ns;        /* longest visit so far, by number of lcores */
	uint64_t *fastest_probes;  /* by number of lcores, and lcore */
	struct stint_histogram latencies[STINT_MAX_METRICS]; /* of the last visit */
	struct stint_steal steal;
	uint64_t random;
};

/** The test fails with this text. Returns -1. */
int stint_rounds_fail(struct stint_rounds *r, const char *what);

/** Hand a record over; a run file that takes no more fails the test. 0 or -1. */
int stint_rounds_put(struct stint_rounds *r, json_t *record);

/** What is left of the budget. */
uint64_t stint_left_ns(const struct stint_rounds *r);

/** How long the lcores of a point count. */
uint64_t stint_slice_ns(const struct stint_rounds *r, unsigned int lcores, bool shares);

/** Measure a point once and record it. 1, 0 if it was cut, -1 if the test failed. */
int stint_visit_point(struct stint_rounds *r, struct stint_cell *cell);

/** What came of all rounds: status and message of the outcome. */
void stint_rounds_judge(struct stint_rounds *r);

#endif /* STINT_ROUNDS_H */
