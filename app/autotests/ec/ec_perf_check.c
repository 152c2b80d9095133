/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ec_perf_lane.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>

#include <rte_common.h>

/* Page faults that have nothing to do with how much is done. */
#define FAULTS_FREE 64
/* Sets of which each is run once more. */
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
	free(lane->copy);
	free(lane->news);
	free(lane->delta);
	memset(lane, 0, sizeof(*lane));
}

static void
fail(const struct stint_worker *w, const uint8_t *erased, unsigned int n, unsigned int chunk,
     size_t offset)
{
	const struct ec_perf_lane *lane = w->state;
	const struct ec_conf *conf = &lane->code->conf;
	char set[128];

	ec_set_text(erased, n, set, sizeof(set));
	stint_worker_fail(w,
			  "%s %s k=%u m=%u, chunks of %zu bytes, made %s: chunk %u is wrong, byte "
			  "%zu or one before",
			  conf->codec, conf->technique, conf->k, conf->m, lane->chunk, set, chunk,
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
	for (unsigned int i = 0; i < lane->n_witnesses; i++) {
		const struct ec_witness *witness = &lane->witnesses[i];

		for (unsigned int t = 0; t < lane->n; t++)
			out[t] = room + t * lane->stride;
		ec_run(&witness->plan, chunks, out, lane->chunk);
		if (same(out[witness->chunk], chunks[witness->chunk], lane->chunk, &offset))
			continue;
		fail(w, plan->targets, plan->n_targets, plan->targets[i], offset);
		return false;
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

void
ec_lane_scramble_targets(struct ec_perf_lane *lane, unsigned int stripe)
{
	const struct ec_plan *plan = &lane->plans[0];
	uint8_t *chunks[EC_CHUNKS_MAX];

	ec_lane_chunks(lane, stripe, chunks);
	for (unsigned int i = 0; i < plan->n_targets; i++)
		ec_lane_scramble(lane, chunks[plan->targets[i]]);
}

/* All stripes that operations of the slice have taken. */
static void
check_stripes(struct stint_worker *w)
{
	struct ec_perf_lane *lane = w->state;
	uint64_t n = RTE_MIN(lane->done, (uint64_t)lane->n_stripes);
	uint8_t *room = aligned_alloc(EC_ALIGN, lane->n * lane->stride);

	if (room == NULL) {
		stint_worker_fail(w, "out of memory");
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		unsigned int stripe = ec_lane_stripe(lane, i);

		if (lane->news != NULL)
			complete_update(lane, i, stripe);
		if (!check_stripe(w, stripe, room))
			break;
		ec_lane_scramble_targets(lane, stripe);
	}
	free(room);
}

/* All chunks are what they were. What lies between them is nobody's. */
static bool
check_chunks(const struct stint_worker *w, uint8_t *const *chunks, const uint8_t *set)
{
	const struct ec_perf_lane *lane = w->state;
	size_t offset;

	for (unsigned int i = 0; i < lane->n; i++) {
		if (same(chunks[i], lane->copy + i * lane->stride, lane->chunk, &offset))
			continue;
		fail(w, set, lane->n_erased, i, offset);
		return false;
	}
	return true;
}

/* The stripe is what it was; and sets that come next make it so from random bytes, too. */
static void
check_copy(struct stint_worker *w)
{
	struct ec_perf_lane *lane = w->state;
	uint8_t *chunks[EC_CHUNKS_MAX];
	const uint8_t *set = lane->sets[0];

	ec_lane_chunks(lane, 0, chunks);
	for (unsigned int i = 0; i < REPLAYS && check_chunks(w, chunks, set); i++) {
		set = lane->sets[(lane->done + i) % lane->n_sets];
		for (unsigned int e = 0; e < lane->n_erased; e++)
			ec_lane_scramble(lane, chunks[set[e]]);
		ec_plan_repair(&lane->plans[0], set, lane->n_erased);
		ec_run(&lane->plans[0], chunks, chunks, lane->chunk);
	}
	check_chunks(w, chunks, set);
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

static void
take_fresh(struct ec_perf_lane *lane)
{
	uint8_t *chunks[EC_CHUNKS_MAX];

	ec_lane_chunks(lane, ec_lane_stripe(lane, lane->done - 1), chunks);
	for (unsigned int i = 0; i < lane->n; i++) {
		if (lane->fresh[i] != NULL)
			memcpy(chunks[i], lane->fresh[i], lane->chunk);
	}
}

static void
check(struct stint_worker *w)
{
	struct ec_perf_lane *lane = w->state;
	uint64_t faults = ec_lane_faults() - lane->faults;
	bool reuse = strcmp(stint_param_string(w->point, "memory"), "reuse") == 0;

	if (reuse && faults > FAULTS_FREE && faults >= lane->done)
		stint_worker_fail(w, "%" PRIu64 " page faults in %" PRIu64 " operations", faults,
				  lane->done);
	take_fresh(lane);
	if (lane->code == NULL)
		check_memory(w);
	else if (lane->copy != NULL)
		check_copy(w);
	else
		check_stripes(w);
}

void
ec_lane_finish(struct stint_worker *w)
{
	struct ec_perf_lane *lane = w->state;

	if (lane->done > 0)
		check(w);
	ec_lane_clear(lane);
}
