/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ec_perf_lane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>

#include <rte_common.h>

/* Page faults that have nothing to do with how much is done; operations that may bring another. */
#define FAULTS_FREE 64
#define FAULTS_OPS 16
/* Sets of which each is run once more, outside the timed part. */
#define REPLAYS 8

uint64_t
ec_lane_faults(void)
{
	struct rusage use;

	return getrusage(RUSAGE_THREAD, &use) == 0 ? use.ru_minflt + use.ru_majflt : 0;
}

void
ec_lane_clear(struct ec_perf_lane *lane)
{
	for (unsigned int i = 0; i < lane->n_plans; i++)
		ec_plan_free(&lane->plans[i]);
	for (unsigned int i = 0; i < lane->n_witnesses; i++)
		ec_plan_free(&lane->witnesses[i].plan);
	for (unsigned int i = 0; i < RTE_DIM(lane->fresh); i++)
		free(lane->fresh[i]);
	free(lane->plans);
	free(lane->witnesses);
	free(lane->sets);
	free(lane->order);
	ec_plan_free(&lane->encoder);
	free(lane->news);
	free(lane->delta);
	memset(lane, 0, sizeof(*lane));
}

static void
fail(const struct stint_worker *w, const uint8_t *made, unsigned int n, const char *which,
     size_t offset)
{
	const struct ec_perf_lane *lane = w->state;
	const struct ec_conf *conf = &lane->code->conf;
	char set[128];

	ec_set_text(made, n, set, sizeof(set));
	stint_worker_fail(w,
			  "%s %s k=%u m=%u, chunks of %zu bytes, made %s: %s wrong, byte %zu or "
			  "one before",
			  conf->codec, conf->technique, conf->k, conf->m, lane->chunk, set, which,
			  offset);
}

/* False: they differ, from `offset` on. */
static bool
same(const uint8_t *a, const uint8_t *b, size_t bytes, size_t *offset)
{
	*offset = 0;
	if (memcmp(a, b, bytes) == 0)
		return true;
	while (a[*offset] == b[*offset])
		++*offset;
	return false;
}

/* What was made yields what it was made of. */
static bool
check_stripe(const struct stint_worker *w, unsigned int stripe, uint8_t *room)
{
	const struct ec_perf_lane *lane = w->state;
	const struct ec_plan *plan = &lane->plans[0];
	uint8_t *chunks[EC_CHUNKS_MAX], *out[EC_CHUNKS_MAX];
	size_t offset;

	ec_lane_chunks(lane, stripe, chunks);
	ec_lane_lay(lane, room, out);
	for (unsigned int i = 0; i < lane->n_witnesses; i++) {
		const struct ec_witness *witness = &lane->witnesses[i];

		ec_run(&witness->plan, chunks, out, lane->chunk);
		for (unsigned int c = 0; c < witness->n; c++) {
			unsigned int chunk = witness->chunks[c];

			if (same(out[chunk], chunks[chunk], lane->chunk, &offset))
				continue;
			fail(w, plan->targets, plan->n_targets, "one of these is", offset);
			return false;
		}
	}
	return true;
}

/* An odd number of updates of a stripe: its data, too, is what it has become. */
static void
complete_update(const struct ec_perf_lane *lane, unsigned int position, unsigned int stripe)
{
	uint64_t times = lane->done / lane->n_stripes + (position < lane->done % lane->n_stripes);
	uint8_t *chunks[EC_CHUNKS_MAX];

	if (times % 2 == 0)
		return;
	ec_lane_chunks(lane, stripe, chunks);
	memcpy(chunks[0], lane->news, lane->chunk);
}

/* Positions of stripes that hold what operations have made: of all, but that is not kept. */
static unsigned int
first_position(const struct ec_perf_lane *lane)
{
	return lane->is_fresh ? (lane->done - 1) % lane->n_stripes : 0;
}

static unsigned int
end_of_positions(const struct ec_perf_lane *lane)
{
	return lane->is_fresh ? first_position(lane) + 1
			      : RTE_MIN(lane->done, (uint64_t)lane->n_stripes);
}

static void
check_stripes(struct stint_worker *w, uint8_t *room)
{
	struct ec_perf_lane *lane = w->state;

	for (unsigned int p = first_position(lane); p < end_of_positions(lane); p++) {
		if (lane->news != NULL)
			complete_update(lane, p, lane->order[p]);
		if (!check_stripe(w, lane->order[p], room))
			break;
	}
}

/* All chunks are what they have to be. What lies between them is nobody's. */
static bool
check_chunks(const struct stint_worker *w, uint8_t *const *chunks, uint8_t *const *right,
	     const uint8_t *set)
{
	const struct ec_perf_lane *lane = w->state;
	char which[32];
	size_t offset;

	for (unsigned int i = 0; i < lane->n; i++) {
		if (same(chunks[i], right[i], lane->chunk, &offset))
			continue;
		snprintf(which, sizeof(which), "chunk %u is", i);
		fail(w, set, lane->n_erased, which, offset);
		return false;
	}
	return true;
}

/* The set that the last operation on the stripe at that position has made. */
static const uint8_t *
last_set(const struct ec_perf_lane *lane, unsigned int position)
{
	uint64_t last = lane->done - 1;

	return lane->sets[(last - (last - position) % lane->n_stripes) % lane->n_sets];
}

/* Sets that come next make of random bytes what was there. */
static void
replay(struct stint_worker *w, uint8_t *const *chunks, uint8_t *const *right)
{
	struct ec_perf_lane *lane = w->state;

	for (unsigned int i = 0; i < REPLAYS; i++) {
		const uint8_t *set = lane->sets[(lane->done + i) % lane->n_sets];

		for (unsigned int e = 0; e < lane->n_erased; e++)
			ec_lane_scramble(lane, chunks[set[e]]);
		ec_plan_repair(&lane->plans[0], set, lane->n_erased);
		ec_run(&lane->plans[0], chunks, chunks, lane->chunk);
		if (!check_chunks(w, chunks, right, set))
			return;
	}
}

static void
check_changing(struct stint_worker *w, uint8_t *room)
{
	const struct ec_perf_lane *lane = w->state;
	uint8_t *chunks[EC_CHUNKS_MAX], *right[EC_CHUNKS_MAX];

	ec_lane_lay(lane, room, right);
	for (unsigned int p = first_position(lane); p < end_of_positions(lane); p++) {
		ec_lane_chunks(lane, lane->order[p], chunks);
		ec_lane_fill(lane, lane->order[p], right);
		if (!check_chunks(w, chunks, right, last_set(lane, p)))
			return;
	}
	replay(w, chunks, right);
}

static void
check_memory(const struct stint_worker *w)
{
	const struct ec_perf_lane *lane = w->state;
	uint8_t *chunks[EC_CHUNKS_MAX];

	ec_lane_chunks(lane, ec_lane_stripe(lane, lane->done - 1), chunks);
	if (w->point->value[EC_DIM_WORK] == EC_COPY &&
	    memcmp(chunks[0], chunks[lane->n / 2], lane->n / 2 * lane->stride) != 0)
		stint_worker_fail(w, "a copy differs from what was copied");
}

/* What the last operation made, in its place. */
static void
take_fresh(const struct ec_perf_lane *lane)
{
	const uint8_t *set = lane->code != NULL ? lane->plans[0].targets : NULL;
	unsigned int n = lane->code != NULL ? lane->plans[0].n_targets : 0;
	uint8_t *chunks[EC_CHUNKS_MAX];

	if (lane->n_sets > 1)
		set = lane->sets[(lane->done - 1) % lane->n_sets];
	ec_lane_chunks(lane, ec_lane_stripe(lane, lane->done - 1), chunks);
	for (unsigned int i = 0; i < n; i++) {
		if (lane->fresh[set[i]] != NULL)
			memcpy(chunks[set[i]], lane->fresh[set[i]], lane->chunk);
	}
}

static void
check_results(struct stint_worker *w)
{
	struct ec_perf_lane *lane = w->state;
	uint8_t *room = aligned_alloc(EC_ALIGN, lane->n * lane->stride);

	if (room == NULL)
		stint_worker_fail(w, "out of memory");
	else if (lane->code == NULL)
		check_memory(w);
	else if (lane->n_sets > 1)
		check_changing(w, room);
	else
		check_stripes(w, room);
	free(room);
}

static void
check(struct stint_worker *w)
{
	struct ec_perf_lane *lane = w->state;
	uint64_t faults = ec_lane_faults() - lane->faults;

	if (!lane->is_fresh && faults > FAULTS_FREE + lane->done / FAULTS_OPS)
		stint_worker_fail(w, "%" PRIu64 " page faults in %" PRIu64 " operations", faults,
				  lane->done);
	if (lane->starved)
		stint_worker_fail(w, "out of memory: no %zu bytes for an operation", lane->stride);
	take_fresh(lane);
	check_results(w);
}

void
ec_lane_finish(struct stint_worker *w)
{
	struct ec_perf_lane *lane = w->state;

	if (lane->done > 0)
		check(w);
	ec_lane_clear(lane);
}
