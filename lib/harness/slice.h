/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_SLICE_H
#define STINT_SLICE_H

/**
 * @file
 * One slice of one point: all its lcores warm up, count while all run, go on until the last one
 * has counted, and leave.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "crew.h"
#include "stint.h"
#include "taint.h"
#include "turns.h"

/** The clock is read about this often. */
#define STINT_BATCH_NS 50000

enum stint_slice_phase {
	STINT_SLICE_WARM,  /* not all lcores are at full speed yet */
	STINT_SLICE_COUNT, /* until `deadline`, on each lcore */
	STINT_SLICE_DONE,  /* all have counted */
	STINT_SLICE_CUT,   /* ended without a result: stop, failure or the end of the budget */
};

/** How large a lcore's batches are, as calibrated so far. */
struct stint_batches {
	uint64_t ops[STINT_MAX_PHASES + 1]; /* by phase */
	unsigned int short_phases;          /* that ended early, one after the other */
};

/** What a lcore does in a slice, and what came of it. */
struct __rte_cache_aligned stint_lane {
	struct stint_worker worker;
	struct stint_job job;
	struct stint_batches batches; /* kept from slice to slice by the caller */
	struct {
		uint64_t ops, cycles;
	} phase[STINT_MAX_PHASES + 1]; /* summed by slices */
	uint64_t counted;              /* batches */
	uint64_t entered, left;        /* TSC, of the slice */
	struct stint_taint taint, before;
	uint64_t fastest_probe; /* on this lcore so far; kept by the caller */
	char guard[RTE_CACHE_LINE_SIZE];
};

struct stint_slice {
	/* read by all lanes between batches */
	_Atomic uint32_t phase;
	uint64_t count_cycles;   /* how long to count */
	uint64_t batch_cycles;   /* how long a batch should take */
	uint64_t hard_deadline;  /* TSC at which the budget ends */
	bool in_turn;            /* lanes share CPUs, and take turns */
	bool waiting;            /* some lane waits for others: found by stint_slice_run() */
	unsigned int only_phase; /* count this phase, from its beginning to its end; 0: all */
	unsigned int n;
	struct stint_lane *lanes;
	char guard[RTE_CACHE_LINE_SIZE];
	_Atomic uint64_t deadline; /* TSC; valid from STINT_SLICE_COUNT on */
	char guard2[RTE_CACHE_LINE_SIZE];
	_Atomic uint32_t running, warm, counted; /* lanes that are */
	struct stint_turns turns;
	_Atomic bool failed; /* `message` is taken */
	char message[256];   /* of the first lane that failed */
};

/**
 * Run the slice on the first `slice->n` members of the crew; lanes, batch sizes and lengths are
 * set. Returns STINT_SLICE_DONE or STINT_SLICE_CUT. Main lcore.
 */
enum stint_slice_phase stint_slice_run(struct stint_slice *slice, struct stint_crew *crew);

/** End a slice from any thread or signal handler: every lane leaves after its batch. */
void stint_slice_cut(struct stint_slice *slice);

#endif /* STINT_SLICE_H */
