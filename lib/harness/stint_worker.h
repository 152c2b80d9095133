/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_WORKER_H
#define STINT_WORKER_H

/**
 * @file
 * What one lcore of a point does, and what it may call meanwhile. Part of stint.h.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_pause.h>

#include "stint_histogram.h"
#include "stint_stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what the shared library exports. */
#define STINT_API __attribute__((visibility("default")))

/** Most metrics that a test may have. */
#define STINT_MAX_METRICS 8
/** Most phases that a cycle may have, STINT_PHASE_WHOLE not counted. */
#define STINT_MAX_PHASES 3

struct stint_point;
struct stint_fixture;

/** Phase `p` in a set of phases. */
#define STINT_PHASE(p) (1u << ((p)-1))

/** `phase` of a worker whose batch was made of whole cycles. */
#define STINT_PHASE_WHOLE 0

/** One lcore of a point. `state` is the test's own; the rest is read-only, but `phase`. */
struct stint_worker {
	const struct stint_point *point;
	struct stint_fixture *fixture;
	void *state; /**< `worker_bytes` of the test: zeroed when allocated, kept between slices */
	uint64_t seed;           /**< differs by worker and slice; the same for the same --seed */
	unsigned int round;      /**< that the slice is of, from 0 on */
	unsigned int index;      /**< 0 to lcores - 1; 0 is the main lcore */
	unsigned int lcore;      /**< lcore id */
	int socket;              /**< of the lcore */
	bool shares_cpus;        /**< as the point says */
	unsigned int phase;      /**< `worker_init`: in which to begin; `run` sets: of this batch */
	unsigned int next_phase; /**< `run` sets: in which the next batch begins */
	/** `run` may set: operations that it tried, if what comes of them is not its own doing, as
	 * with polling. Batches are sized by it, if it is more than `run` returned. */
	uint64_t tried;
	/* the engine's */
	uint64_t counting; /**< 1 while operations count, else 0 */
	struct stint_recorder *recorders[STINT_MAX_METRICS]; /**< by metric; NULL: no latency */
	const struct stint_slice *slice;
};

/**
 * What one lcore does in a point.
 *
 * `run` does about `ops` operations and returns how many: at least one, unless it depends on others
 * whether there is something to do (then it tries a bounded number of times). It may stop and
 * resume in the middle of a cycle. No system call, no printf, no clock: the engine reads the clock
 * between batches. A job with phases (first get, then put), numbered from 1, declares how long a
 * cycle is. When `ops` is at least that and no cycle is under way, the batch is made of whole
 * cycles, `phase` is STINT_PHASE_WHOLE and `next_phase` 1. Otherwise it goes on with the phase
 * under way, stops at its end at the latest, sets `phase` to it, and `next_phase` to that of the
 * operation after it. `worker_init` finds in `phase` the one to begin with.
 */
struct stint_job {
	uint64_t (*run)(struct stint_worker *w, uint64_t ops);
	/** Called on each lcore as soon as it leaves its loop, untimed. Others may still be in
	 * theirs; only that of a job that `waits` may wait for them to leave.
	 */
	void (*finish)(struct stint_worker *w);
	int metric; /**< index of the metric that the operations count for; < 0: load only */
	unsigned int phases; /**< phases of a cycle; 0: none */
	uint64_t cycle_ops;  /**< operations of a whole cycle, if it has phases */
	/**
	 * Phases that count, phase p as STINT_PHASE(p); 0: all. The others are for what the ones
	 * that count need, a queue to be filled before it is drained; with such there are no
	 * batches of whole cycles.
	 */
	unsigned int counted_phases;
	/**
	 * `run` waits for other lcores inside a batch, and meanwhile polls stint_stopping() and
	 * calls stint_yield(); or others wait for it, and it lets them have the CPU by
	 * stint_yield() (a reader after each report). Where lcores share CPUs, one of a CPU is
	 * inside a batch at a time: one that waits is so beside it, as it might keep out the very
	 * one that it waits for. If any job of a point waits, all go on until the last one has
	 * counted.
	 */
	bool waits;
};

/**
 * Has the slice ended? For bodies that wait; may be asked often. On the worker's lcore. A fast test
 * may call a body with a worker of its own, all zeros but for what the body uses: it never ends.
 */
STINT_API bool stint_stopping(const struct stint_worker *w);

/** Once round a loop that waits: a pause, or the CPU to others if lcores share CPUs. */
static inline void
stint_yield(const struct stint_worker *w)
{
	if (unlikely(w->shares_cpus))
		sched_yield();
	else
		rte_pause();
}

/**
 * Record how long one operation took, in TSC cycles, for the STINT_LATENCY metric of that index.
 * A job may record for several, and its operations count for another metric beside. Operations
 * outside the time that counts are recorded, too: the engine leaves them out. One that was given
 * up (stint_stopping()) has no latency. Takes some 15 cycles, outside the two clock reads. On the
 * worker's lcore.
 *
 * @code
 * uint64_t begin = stint_stamp_begin();
 *
 * do_one(w->state);
 * stint_latency(w, METRIC_ONE, stint_stamp_end() - begin);
 * @endcode
 */
static inline void
stint_latency(struct stint_worker *w, unsigned int metric, uint64_t cycles)
{
	stint_recorder_add(w->recorders[metric], cycles, w->counting);
}

/** The worker cannot go on: the test fails with this text. On the worker's lcore; untimed. */
STINT_API void stint_worker_fail(const struct stint_worker *w, const char *format, ...)
	__rte_format_printf(2, 3) __rte_cold;

#ifdef __cplusplus
}
#endif

#endif /* STINT_WORKER_H */
