/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef EC_PERF_LANE_H
#define EC_PERF_LANE_H

/** @file State of one lcore of ec_perf_autotest, and what is done outside the timed part. */

#include "ec_perf.h"

struct ec_perf_lane {
	const struct ec_code *code; /* NULL: memory alone */
	uint8_t *arena;
	size_t chunk, stride; /* bytes of a chunk, and from one to the next */
	unsigned int n;       /* chunks of a stripe */
	unsigned int n_stripes, n_plans;
	uint32_t *order;            /* in which stripes are taken */
	uint64_t done;              /* operations in this slice */
	unsigned int position, set; /* of the next one: in `order`, in `sets` */
	uint64_t time_mask;
	unsigned int n_erased;
	uint8_t (*sets)[EC_CHUNKS_MAX]; /* as many as plans; one plan is made anew for all */
	unsigned int n_sets;
	struct ec_plan *plans;
	bool is_renewed[EC_CHUNKS_MAX]; /* data that some set has: known by `data` */
	bool is_coded;                  /* stripes had their parity before the first operation */
	uint8_t *news, *delta;          /* update: what a chunk becomes, and the sum of both */
	uint8_t *fresh[EC_CHUNKS_MAX];  /* malloc-per-op: made by the last operation */
	bool is_fresh, starved;         /* malloc-per-op; there was no memory for it */
	uint64_t faults, random;
	uint64_t data; /* seed of what is renewed */
};

static_assert(sizeof(struct ec_perf_lane) <= EC_PERF_LANE_BYTES, "state of a worker");

static inline unsigned int
ec_lane_stripe(const struct ec_perf_lane *lane, uint64_t operation)
{
	return lane->order[operation % lane->n_stripes];
}

/* Chunks that an operation makes, by its number. */
static inline const uint8_t *
ec_lane_made(const struct ec_perf_lane *lane, uint64_t operation, unsigned int *n)
{
	const bool changes = lane->n_sets > 1;

	*n = changes ? lane->n_erased : lane->plans[0].n_targets;
	return changes ? lane->sets[operation % lane->n_sets] : lane->plans[0].targets;
}

/** Chunks of a stripe that begins there. */
static inline void
ec_lane_lay(const struct ec_perf_lane *lane, uint8_t *base, uint8_t **chunks)
{
	for (unsigned int i = 0; i < lane->n; i++)
		chunks[i] = base + i * lane->stride;
}

static inline void
ec_lane_chunks(const struct ec_perf_lane *lane, unsigned int stripe, uint8_t **chunks)
{
	ec_lane_lay(lane, lane->arena + (size_t)stripe * lane->n * lane->stride, chunks);
}

/** dst = a + b, in the field: whole words of 8 bytes, up to the stride of a chunk. */
static inline void
ec_lane_add(uint8_t *restrict dst, const uint8_t *restrict a, const uint8_t *restrict b,
	    size_t bytes)
{
	uint64_t *restrict to = (uint64_t *)dst;
	const uint64_t *restrict x = (const uint64_t *)a, *restrict y = (const uint64_t *)b;

	for (size_t i = 0; i < bytes / sizeof(*to); i++)
		to[i] = x[i] ^ y[i];
}

/** Random bytes where a result is to come, so that what was there before is none. */
static inline void
ec_lane_scramble(struct ec_perf_lane *lane, uint8_t *chunk)
{
	uint64_t *words = (uint64_t *)chunk;

	for (size_t i = 0; i < lane->stride / sizeof(*words); i++)
		words[i] = stint_random(&lane->random);
}

/** Data of a stripe that operations overwrite, as it has to be again. */
void ec_lane_fill(const struct ec_perf_lane *lane, unsigned int stripe, uint8_t *const *chunks);

/** As `finish` of a job: are the results right? */
void ec_lane_finish(struct stint_worker *w);

/** Page faults of this thread so far. */
uint64_t ec_lane_faults(void);

/** Free what was made for a slice. */
void ec_lane_clear(struct ec_perf_lane *lane);

#endif /* EC_PERF_LANE_H */
