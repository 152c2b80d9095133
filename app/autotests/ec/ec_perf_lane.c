/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ec_perf_lane.h"

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

static __rte_always_inline void
take_buffers(struct ec_perf_lane *lane, const struct ec_plan *plan, uint8_t *const *in,
	     uint8_t **out)
{
	for (unsigned int i = 0; i < plan->n_targets; i++) {
		unsigned int t = plan->targets[i];

		free(lane->fresh[t]);
		lane->fresh[t] = aligned_alloc(EC_ALIGN, lane->stride);
		lane->starved |= lane->fresh[t] == NULL;
		out[t] = likely(lane->fresh[t] != NULL) ? lane->fresh[t] : in[t];
	}
}

static __rte_always_inline void
one(struct ec_perf_lane *lane, const bool setup, const bool fresh)
{
	struct ec_plan *plan = &lane->plans[setup ? 0 : lane->set];
	uint8_t *chunks[EC_CHUNKS_MAX], *out[EC_CHUNKS_MAX];

	ec_lane_chunks(lane, lane->order[lane->position], chunks);
	if (setup)
		ec_plan_repair(plan, lane->sets[lane->set], lane->n_erased);
	if (fresh)
		take_buffers(lane, plan, chunks, out);
	ec_run(plan, chunks, fresh ? out : chunks, lane->chunk);
}

static __rte_always_inline void
one_update(struct ec_perf_lane *lane)
{
	uint8_t *chunks[EC_CHUNKS_MAX];

	ec_lane_chunks(lane, lane->order[lane->position], chunks);
	ec_lane_add(lane->delta, chunks[0], lane->news, lane->stride);
	lane->code->codec->update(lane->code, 0, lane->delta, chunks, lane->chunk);
}

static __rte_always_inline void
one_read(struct ec_perf_lane *lane)
{
	uint8_t *chunks[EC_CHUNKS_MAX];
	uint64_t sum = 0;

	ec_lane_chunks(lane, lane->order[lane->position], chunks);
	for (unsigned int i = 0; i < lane->n / 2; i++) {
		const uint64_t *words = (const uint64_t *)chunks[i];

		for (size_t n = 0; n < lane->stride / sizeof(*words); n++)
			sum += words[n];
	}
	/* somebody might want it */
	asm volatile("" : : "r"(sum) : "memory");
}

static __rte_always_inline void
one_copy(struct ec_perf_lane *lane)
{
	uint8_t *chunks[EC_CHUNKS_MAX];

	ec_lane_chunks(lane, lane->order[lane->position], chunks);
	for (unsigned int i = 0; i < lane->n / 2; i++)
		memcpy(chunks[lane->n / 2 + i], chunks[i], lane->stride);
}

/* The next stripe, and the next set of erasures; a division would take as long as some codes. */
static __rte_always_inline void
next(struct ec_perf_lane *lane)
{
	lane->done++;
	if (++lane->position == lane->n_stripes)
		lane->position = 0;
	if (++lane->set == lane->n_sets)
		lane->set = 0;
}

#define BODY(name, call)                                                                     \
	static uint64_t name(struct stint_worker *w, uint64_t ops)                           \
	{                                                                                    \
		struct ec_perf_lane *lane = w->state;                                        \
                                                                                             \
		for (uint64_t i = 0; i < ops; i++) {                                         \
			const bool timed = (lane->done & lane->time_mask) == 0;              \
			uint64_t begin = timed ? stint_stamp_begin() : 0;                    \
                                                                                             \
			call;                                                                \
			next(lane);                                                          \
			if (timed)                                                           \
				stint_latency(w, EC_METRIC_TIME, stint_stamp_end() - begin); \
		}                                                                            \
		return ops;                                                                  \
	}

BODY(run_code, one(lane, false, false))
BODY(run_code_fresh, one(lane, false, true))
BODY(run_setup, one(lane, true, false))
BODY(run_setup_fresh, one(lane, true, true))
BODY(run_update, one_update(lane))
BODY(run_read, one_read(lane))
BODY(run_copy, one_copy(lane))

struct stint_job
ec_perf_lane_job(const struct stint_point *pt, unsigned int worker)
{
	bool fresh = ec_perf_is_fresh(pt);
	struct stint_job job = { .finish = ec_lane_finish, .metric = EC_METRIC_DATA };

	(void)worker;
	switch (pt->value[EC_DIM_WORK]) {
	case EC_READ:
		job.run = run_read;
		break;
	case EC_COPY:
		job.run = run_copy;
		break;
	case EC_UPDATE:
		job.run = run_update;
		break;
	case EC_DECODE_SETUP:
		job.run = fresh ? run_setup_fresh : run_setup;
		break;
	default:
		job.run = fresh ? run_code_fresh : run_code;
	}
	return job;
}
