/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_FIXTURES_H
#define STINT_FIXTURES_H

/**
 * @file
 * Set-up and teardown of what points share. Placement is drawn: a spacer of random size is held
 * while things are set up, so that no two draws have the same addresses.
 */

#include <stdbool.h>
#include <stdint.h>

#include "plan.h"
#include "stint.h"

struct stint_fixtures {
	struct stint_plan *plan;
	struct stint_fixture *list; /* one for each of the plan */
	bool *up;
	void **states; /* of the workers; NULL: none */
	struct stint_recorder **recorders;
	unsigned int n_workers; /* that have both, as far as the test takes any */
	unsigned int draw;      /* how often placement was drawn */
	uint64_t random;
	uint64_t setup_ns;   /* of all set-ups of the current draw */
	uint64_t longest_ns; /* of one set-up so far */
	bool spent;          /* a fault in a set-up: nothing of EAL may be called again */
	char message[256];   /* of a failure */
	int error;           /* its errno */
};

/** Prepare; nothing is set up yet. 0 or -ENOMEM. */
int stint_fixtures_init(struct stint_fixtures *fxs, struct stint_plan *plan, uint64_t seed);

/** Tear down all and free. */
void stint_fixtures_free(struct stint_fixtures *fxs);

/**
 * Have fixture `i` set up, tearing down others if they do not fit beside it. 0, or -1 and
 * `message`.
 */
int stint_fixtures_have(struct stint_fixtures *fxs, unsigned int i);

/** Is one up that must not be drawn anew? */
bool stint_fixtures_kept(const struct stint_fixtures *fxs);

/** Tear down all, so that the next set-ups are placed anew. */
void stint_fixtures_redraw(struct stint_fixtures *fxs);

/** Do all fixtures fit in memory at once? */
bool stint_fixtures_all_fit(const struct stint_fixtures *fxs);

#endif /* STINT_FIXTURES_H */
