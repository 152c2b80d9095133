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

#include "ec_plain.h"

/* Page faults that have nothing to do with how much is done; operations that may bring another. */
#define FAULTS_FREE 64
#define FAULTS_OPS 16
/* The same of all slices of a point but the first. */
#define FAULTS_SUM_FREE 16
#define FAULTS_SUM_OPS 4
/* Sets of which each is run once more, outside the timed part, unless fewer took long to prepare.
 */
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
	for (unsigned int i = 0; i < RTE_DIM(lane->fresh); i++)
		free(lane->fresh[i]);
	free(lane->plans);
	free(lane->sets);
	free(lane->order);
	free(lane->news);
	free(lane->delta);
	memset(lane, 0, sizeof(*lane));
}

static void
fail(const struct stint_worker *w, const uint8_t *set, unsigned int n, unsigned int chunk,
     size_t offset)
{
	const struct ec_perf_lane *lane = w->state;
	const struct ec_conf *conf = &lane->code->conf;
	char made[96];

	ec_set_text(set, n, made, sizeof(made));
	stint_worker_fail(w,
			  "%s %s k=%u m=%u, chunks of %zu bytes, made %s: chunk %u is wrong at "
			  "byte %zu",
			  conf->codec, conf->technique, conf->k, conf->m, lane->chunk, made, chunk,
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

/* All chunks of a stripe: data that is never made in its place, the rest anew. */
static void
make_right(const struct ec_perf_lane *lane, unsigned int stripe, uint8_t *room, uint8_t **right)
{
	uint8_t *chunks[EC_CHUNKS_MAX];

	ec_lane_chunks(lane, stripe, chunks);
	ec_lane_lay(lane, room, right);
	for (unsigned int i = 0; i < lane->code->k; i++) {
		if (!lane->is_renewed[i])
			right[i] = chunks[i];
	}
	ec_lane_fill(lane, stripe, right);
	ec_plain(lane->code, right, lane->chunk);
}

static bool
is_in(const uint8_t *set, unsigned int n, unsigned int chunk)
{
	return memchr(set, chunk, n) != NULL;
}

/* The last operation that made the chunk of the stripe at that position; the last one: none did. */
static uint64_t
maker_of(const struct ec_perf_lane *lane, unsigned int position, unsigned int chunk)
{
	uint64_t last = (lane->done - 1) - (lane->done - 1 - position) % lane->n_stripes;
	uint64_t operation = last;

	/* after so many operations sets come again */
	for (unsigned int i = 0; i < lane->n_sets; i++) {
		unsigned int n;
		const uint8_t *set = ec_lane_made(lane, operation, &n);

		if (is_in(set, n, chunk))
			return operation;
		if (operation < lane->n_stripes)
			break;
		operation -= lane->n_stripes;
	}
	return last;
}

/* Chunks that are what they are said to be: all with their parity, or what was made. */
static bool
is_known(const struct ec_perf_lane *lane, unsigned int chunk)
{
	return lane->is_coded || is_in(lane->plans[0].targets, lane->plans[0].n_targets, chunk);
}

/* Others may be wrong as they were made of a wrong one: the one that was made first is named. */
static bool
check_stripe(const struct stint_worker *w, unsigned int position, uint8_t *const *right)
{
	const struct ec_perf_lane *lane = w->state;
	uint64_t first = UINT64_MAX;
	uint8_t *chunks[EC_CHUNKS_MAX];
	size_t offset, first_offset = 0;
	unsigned int wrong = 0, n;
	const uint8_t *set;

	ec_lane_chunks(lane, lane->order[position], chunks);
	for (unsigned int i = 0; i < lane->n; i++) {
		uint64_t maker;

		if (!is_known(lane, i) || same(chunks[i], right[i], lane->chunk, &offset))
			continue;
		maker = maker_of(lane, position, i);
		if (maker >= first)
			continue;
		first = maker;
		first_offset = offset;
		wrong = i;
	}
	if (first == UINT64_MAX)
		return true;
	set = ec_lane_made(lane, first, &n);
	fail(w, set, n, wrong, first_offset);
	return false;
}

/* Sets that come next make of random bytes what was there. */
static void
replay(struct stint_worker *w, unsigned int stripe, uint8_t *const *right)
{
	struct ec_perf_lane *lane = w->state;
	uint8_t *chunks[EC_CHUNKS_MAX];
	size_t offset;

	ec_lane_chunks(lane, stripe, chunks);
	for (unsigned int i = 0; i < RTE_MIN(lane->n_sets, (unsigned int)REPLAYS); i++) {
		const uint8_t *set = lane->sets[(lane->done + i) % lane->n_sets];

		for (unsigned int e = 0; e < lane->n_erased; e++)
			ec_lane_scramble(lane, chunks[set[e]]);
		ec_plan_repair(&lane->plans[0], set, lane->n_erased);
		ec_run(&lane->plans[0], chunks, chunks, lane->chunk);
		for (unsigned int e = 0; e < lane->n_erased; e++) {
			if (same(chunks[set[e]], right[set[e]], lane->chunk, &offset))
				continue;
			fail(w, set, lane->n_erased, set[e], offset);
			return;
		}
	}
}

/* Two wrong sums of the same are right again; one more is not. */
static void
replay_update(const struct stint_worker *w, unsigned int position, uint8_t *room)
{
	const struct ec_perf_lane *lane = w->state;
	uint8_t *chunks[EC_CHUNKS_MAX], *right[EC_CHUNKS_MAX];
	const uint32_t one = 1;

	ec_lane_chunks(lane, lane->order[position], chunks);
	lane->code->codec->update(lane->code, 0, lane->delta, chunks, lane->chunk);
	ec_plain_add(chunks, &one, 1, lane->delta, 8, lane->stride);
	make_right(lane, lane->order[position], room, right);
	check_stripe(w, position, right);
}

static void
check_stripes(struct stint_worker *w, uint8_t *room)
{
	struct ec_perf_lane *lane = w->state;
	uint8_t *right[EC_CHUNKS_MAX];
	unsigned int p = first_position(lane), end = end_of_positions(lane);

	for (; p < end; p++) {
		if (lane->news != NULL)
			complete_update(lane, p, lane->order[p]);
		make_right(lane, lane->order[p], room, right);
		if (!check_stripe(w, p, right))
			return;
	}
	if (lane->n_sets > 1)
		replay(w, lane->order[end - 1], right);
	if (lane->news != NULL)
		replay_update(w, (lane->done - 1) % lane->n_stripes, room);
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
	uint8_t *chunks[EC_CHUNKS_MAX];
	const uint8_t *set;
	unsigned int n;

	if (lane->code == NULL)
		return;
	set = ec_lane_made(lane, lane->done - 1, &n);
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
	else
		check_stripes(w, room);
	free(room);
}

/* NULL: no memory, or the first slice. */
static struct ec_tally *
tally_of(const struct stint_worker *w)
{
	struct ec_perf_fixture *f = w->fixture->data;
	struct ec_tallies *t = &f->tallies[w->index];
	struct ec_tally *list;

	for (unsigned int i = 0; i < t->n; i++) {
		if (t->list[i].point == w->point)
			return &t->list[i];
	}
	list = realloc(t->list, (t->n + 1) * sizeof(*list));
	if (list == NULL)
		return NULL;
	t->list = list;
	t->list[t->n++] = (struct ec_tally){ .point = w->point };
	return NULL;
}

/* A library allocates schedules of XORs as often as it makes them: in each operation with set-up.
 */
static bool
has_faults_of_its_own(const struct stint_worker *w)
{
	const struct ec_perf_lane *lane = w->state;

	return lane->is_fresh ||
	       (w->point->value[EC_DIM_WORK] == EC_DECODE_SETUP && lane->code->conf.packetsize > 0);
}

/* A slice is short: faults of each operation may be too few to be told there. */
static void
check_faults(const struct stint_worker *w, uint64_t faults)
{
	const struct ec_perf_lane *lane = w->state;
	struct ec_tally *tally = tally_of(w);
	uint64_t ops = lane->done;
	bool grow = faults > FAULTS_FREE + ops / FAULTS_OPS;

	if (has_faults_of_its_own(w))
		return;
	if (tally != NULL && !grow) {
		faults = tally->faults += faults;
		ops = tally->ops += ops;
		grow = faults > FAULTS_SUM_FREE && faults >= ops / FAULTS_SUM_OPS;
	}
	if (grow)
		stint_worker_fail(w, "%" PRIu64 " page faults in %" PRIu64 " operations", faults,
				  ops);
}

static void
check(struct stint_worker *w)
{
	struct ec_perf_lane *lane = w->state;

	check_faults(w, ec_lane_faults() - lane->faults);
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
