/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_REPORT_RENDER_H
#define STINT_REPORT_RENDER_H

/**
 * @file
 * The blocks that the summary of a test is made of. Internal to lib/report.
 */

#include "format.h"
#include "model.h"

/** What the values of a test rest on, for the lines that qualify them. */
struct sum_tally {
	unsigned int disturbed_points; /**< that have hardly an undisturbed sample */
	uint64_t disturbed_used;       /**< disturbed samples that count for want of others */
};

/** One line per point and metric. 0 or -ENOMEM. */
int stint_put_points(struct stint_summary *s, struct sum_test *t, struct sum_tally *tally,
		     FILE *out);
/** The labels of a point, as the first cells of a row. */
void stint_add_labels(struct stint_table *table, const struct sum_test *t,
		      const struct sum_point *p);
/** One line per point and latency, below a line of titles; nothing if there are none. 0, -ENOMEM.
 */
int stint_put_latencies(struct sum_test *t, FILE *out);
/** What was left out, marked or skipped. */
void stint_put_qualifiers(const struct stint_summary *s, struct sum_test *t,
			  const struct sum_tally *tally, FILE *out);
/** Why something was skipped, the parts apart by `separator`. */
void stint_put_skip(FILE *out, const struct sum_skip *skip, const char *separator);

#endif /* STINT_REPORT_RENDER_H */
