/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_BATCHES_H
#define STINT_BATCHES_H

/** @file How large the next batch of a lane is. On the lane's lcore. */

#include "slice.h"

/** Largest batch; what a longer one would gain is nothing. */
#define STINT_BATCH_OPS_MAX (UINT64_C(1) << 40)

/* Whole cycles, once several fit a batch; else what the phase that comes next takes. */
static inline uint64_t
stint_batch_wanted(const struct stint_lane *lane)
{
	const uint64_t *ops = lane->batches.ops;
	unsigned int next = lane->worker.next_phase;

	if (lane->job.phases == 0 || (next == 1 && lane->job.counted_phases == 0 &&
				      ops[STINT_PHASE_WHOLE] >= lane->job.cycle_ops))
		return ops[STINT_PHASE_WHOLE];
	return RTE_MIN(ops[next], RTE_MAX(lane->job.cycle_ops, UINT64_C(2)) - 1);
}

/* A phase was over in less than half a batch; if all are, whole cycles are wanted. */
static inline void
stint_batch_note_short_phase(struct stint_lane *lane)
{
	if (++lane->batches.short_phases > lane->job.phases &&
	    lane->batches.ops[STINT_PHASE_WHOLE] < STINT_BATCH_OPS_MAX)
		lane->batches.ops[STINT_PHASE_WHOLE] *= 2;
}

/*
 * Keep batches within a factor of two of the wanted time, each phase's. True if this one is, or if
 * `run` did so much less than it was asked for that asking for more would not help.
 */
static inline bool
stint_batch_adapt(struct stint_lane *lane, uint64_t target, uint64_t wanted, uint64_t done,
		  uint64_t cycles)
{
	const struct stint_worker *w = &lane->worker;
	uint64_t *ops = &lane->batches.ops[w->phase];

	if (cycles < target / 2) {
		if (lane->job.counted_phases != 0 && w->next_phase != w->phase)
			return true;
		if (w->phase != STINT_PHASE_WHOLE && w->next_phase != w->phase)
			stint_batch_note_short_phase(lane);
		else if (done < wanted / 2 || *ops >= STINT_BATCH_OPS_MAX)
			return true;
		else
			*ops *= 2;
		return false;
	}
	lane->batches.short_phases = 0;
	if (cycles <= 2 * target || *ops == 1)
		return true;
	*ops = RTE_MAX(*ops * target / cycles, UINT64_C(1));
	return false;
}

#endif /* STINT_BATCHES_H */
