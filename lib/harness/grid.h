/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_GRID_H
#define STINT_GRID_H

/** @file The points of a test: every combination of its dimensions that it admits. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "machine.h"
#include "params.h"
#include "slice.h"
#include "stint.h"

/** A point with what the engine knows of it. */
struct stint_cell {
	struct stint_point point; /* first: stint_skip_point() finds the cell by it */
	json_t *labels;           /* object, in the order of the dimensions */
	char *skip_reason;        /* NULL: can be measured */
	char *skip_need, *skip_have, *skip_remedy; /* NULL: the reason says all */
	int rank;                                  /* order in round one */
	unsigned int fixture;                      /* index in the plan */
	bool done;                                 /* has a value */
	bool enough;                               /* the test wants no more samples of it */
	bool dropped;                              /* its fixture can no longer be had */
	bool idle;                                 /* a slice ran to its end without an operation */
	double rates[STINT_MAX_METRICS];           /* see stint_cell_rate(); 0: none */
	bool undisturbed[STINT_MAX_METRICS];       /* was nothing in their way? */
	struct stint_batches *batches;             /* of its workers */
};

struct stint_grid {
	const struct stint_test *test;
	const struct stint_machine *machine;
	struct stint_params params;
	struct stint_cell *cells;
	unsigned int count;
	unsigned int skipped;      /* of them */
	unsigned int lcore_counts; /* different numbers of lcores among those not skipped */
	unsigned int max_lcores;   /* of those not skipped */
};

/**
 * Expand a test's dimensions. `select`: NAME=VALUE separated by commas, several values of one name
 * are alternatives; NULL takes all. 0, -ENOMEM, or -EINVAL and one line in `error`.
 */
int stint_grid_init(struct stint_grid *grid, const struct stint_test *test,
		    const struct stint_machine *machine, const char *const *settings,
		    unsigned int n_settings, const char *select, char *error, size_t size);

/**
 * What others are compared with is the last rate of an undisturbed sample; until there is one, the
 * last. `metric` is of kind STINT_SHARE.
 */
void stint_cell_rate(struct stint_cell *cell, unsigned int metric, double rate, bool disturbed);

/** Is the number of lcores doubled up to all? Then the numbers share one budget. */
bool stint_doubles_lcores(const struct stint_test *test);

void stint_grid_free(struct stint_grid *grid);

/**
 * Mark a point as one that cannot be measured here; the first reason stays. What is needed, what
 * there is and the command that would mend it may be NULL.
 */
void stint_grid_skip(struct stint_grid *grid, struct stint_cell *cell, const char *reason,
		     const char *need, const char *have, const char *remedy);

/** "cores=2 pool=cache keep=512". Returns `text`. */
char *stint_labels_format(char *text, size_t size, const json_t *labels);

#endif /* STINT_GRID_H */
