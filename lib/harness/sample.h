/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_SAMPLE_H
#define STINT_SAMPLE_H

/** @file From the lanes of a visit to samples, one for each metric. */

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "clock.h"
#include "grid.h"
#include "slice.h"

/** A visit of a point: one slice, or one for each phase that the first did not reach. */
struct stint_visit {
	const struct stint_cell *cell;
	const struct stint_lane *lanes;
	uint64_t at_ns;    /* since the run began */
	uint64_t steal_ns; /* found between this visit and the last reading */
	double handover_ns;
	unsigned int round;
	bool complete; /* no phase is missing */
	bool shares;   /* lanes share CPUs */
	bool small_pages;
};

/** What the lanes that count for one metric came to. */
struct stint_sample {
	unsigned int lcores;
	uint64_t ops, cycles;
	struct {
		uint64_t ops, cycles;
	} phase[STINT_MAX_PHASES + 1];
	unsigned int phases; /* that the sample is made of; 0: whole cycles, or none declared */
	unsigned int counted_phases; /* those of them that count; 0: all */
	double ns;                   /* counted on each lcore, mean */
	double value;
	struct stint_taint taint; /* sums; the gap is the longest */
	bool disturbed;
};

/**
 * Is a phase missing that counts, of those that the lanes' slices are mostly made of? Its number,
 * or 0.
 */
unsigned int stint_missing_phase(const struct stint_lane *lanes, unsigned int n);

/**
 * What disturbed the lanes of a metric: `lcores`, `ns`, `taint` and `disturbed` of the sample. A
 * latency's are all lanes, as it depends on those that it waits for.
 */
void stint_sample_taint(struct stint_sample *sample, const struct stint_visit *visit,
			unsigned int metric, const struct stint_clock *clock);

/** Add up the lanes of a metric. False if none counts for it. */
bool stint_sample_make(struct stint_sample *sample, const struct stint_visit *visit,
		       unsigned int metric, const struct stint_clock *clock);

/** The `sample` record. */
json_t *stint_sample_record(const struct stint_sample *sample, const struct stint_visit *visit,
			    unsigned int metric, const struct stint_clock *clock);

/** Parts of records that are made of it: the ids of the lcores, and the taint. */
json_t *stint_sample_lcores(const struct stint_visit *visit, unsigned int metric);
json_t *stint_sample_taint_record(const struct stint_sample *sample,
				  const struct stint_visit *visit, const struct stint_clock *clock);

#endif /* STINT_SAMPLE_H */
