/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ec_perf_lane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

/* Operations on objects below this are not timed one by one, but one of so many. */
#define TIMED_BYTES (1 << 20)
#define TIMED_ONE_OF 16

static void
shuffle(uint32_t *order, unsigned int n, uint64_t *random)
{
	for (unsigned int i = 0; i < n; i++)
		order[i] = i;
	for (unsigned int i = n; i > 1; i--) {
		unsigned int other = stint_random(random) % i;
		uint32_t swap = order[i - 1];

		order[i - 1] = order[other];
		order[other] = swap;
	}
}

static void
fixed_set(const struct stint_point *pt, uint8_t *set)
{
	unsigned int lost = pt->value[EC_DIM_LOST], k = pt->value[EC_DIM_K];
	unsigned int e = ec_perf_erasures(pt), data = e, n;
	const uint64_t *erased = stint_param_list(pt, "erased", &n);

	if (lost >= EC_LOST_PARITY && lost < EC_LOST_MIXED)
		data = 0;
	else if (lost >= EC_LOST_MIXED && lost < EC_LOST_GIVEN)
		data = (e + 1) / 2;
	for (unsigned int i = 0; i < e; i++) {
		set[i] = i < data ? i : k + i - data;
		if (n > 0)
			set[i] = erased[i];
	}
}

/* Random ones, or all of them, or a sample of too many. */
static int
make_sets(struct ec_perf_lane *lane, const struct stint_point *pt, uint64_t *random)
{
	unsigned int n, e = ec_perf_erasures(pt);
	bool all = stint_param_uint(pt, "exhaustive") != 0, drawn;

	stint_param_list(pt, "erased", &n);
	drawn = pt->value[EC_DIM_LOST] == EC_LOST_GIVEN && n == 0;
	lane->n_erased = e;
	lane->n_sets = drawn ? ec_perf_sets(lane->code, e) : 1;
	lane->sets = calloc(lane->n_sets, sizeof(*lane->sets));
	if (lane->sets == NULL)
		return -ENOMEM;
	if (!drawn) {
		fixed_set(pt, lane->sets[0]);
		return 0;
	}
	for (unsigned int i = 0; i < lane->n_sets; i++) {
		if (!all || ec_sets(e, lane->n) > lane->n_sets) {
			ec_random_set(lane->sets[i], e, lane->n, random);
		} else if (i == 0) {
			ec_first_set(lane->sets[0], e);
		} else {
			memcpy(lane->sets[i], lane->sets[i - 1], e);
			ec_next_set(lane->sets[i], e, lane->n);
		}
	}
	return 0;
}

static int
make_plans(struct ec_perf_lane *lane, const struct stint_worker *w)
{
	unsigned int work = w->point->value[EC_DIM_WORK];
	unsigned int wanted = work == EC_DECODE_SETUP ? 1 : lane->n_sets;
	int rc = 0;

	lane->plans = calloc(wanted, sizeof(*lane->plans));
	if (lane->plans == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < wanted && rc == 0; i++) {
		struct ec_plan *plan = &lane->plans[i];

		lane->n_plans++;
		if (work == EC_ENCODE || work == EC_UPDATE) {
			rc = ec_plan_encode(plan, lane->code);
			continue;
		}
		rc = ec_plan_init(plan, lane->code, lane->n_erased);
		if (rc == 0)
			rc = ec_plan_repair(plan, lane->sets[i], lane->n_erased);
	}
	return rc;
}

void
ec_lane_fill(const struct ec_perf_lane *lane, unsigned int stripe, uint8_t *const *chunks)
{
	for (unsigned int i = 0; i < lane->code->k; i++) {
		uint64_t *words = (uint64_t *)chunks[i];
		uint64_t random = ec_perf_seed(lane->data, (uint64_t)stripe * lane->code->k + i);

		for (size_t b = 0; b < lane->stride / sizeof(*words) && lane->is_renewed[i]; b++)
			words[b] = stint_random(&random);
	}
}

static int
prepare_update(struct ec_perf_lane *lane)
{
	lane->news = aligned_alloc(EC_ALIGN, lane->stride);
	lane->delta = aligned_alloc(EC_ALIGN, lane->stride);
	if (lane->news == NULL || lane->delta == NULL)
		return -ENOMEM;
	ec_lane_scramble(lane, lane->news);
	ec_lane_scramble(lane, lane->delta);
	return 0;
}

/* No word is what it was. */
static void
change(uint8_t *chunk, size_t bytes, uint64_t by)
{
	uint64_t *words = (uint64_t *)chunk;

	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		words[i] ^= by;
}

/* What the first operation on the stripe at that position has to make. */
static void
poison(struct ec_perf_lane *lane, unsigned int position, uint8_t *const *chunks)
{
	unsigned int n;
	const uint8_t *set = ec_lane_made(lane, position, &n);

	/* the next operation may read it, and this one makes it elsewhere */
	if (lane->n_sets > 1 && lane->is_fresh)
		return;
	for (unsigned int i = 0; i < n; i++)
		change(chunks[set[i]], lane->stride, stint_random(&lane->random) | 1);
}

static bool
reads_parity(const struct ec_perf_lane *lane)
{
	const struct ec_plan *plan = &lane->plans[0];

	for (unsigned int i = 0; i < plan->n_sources; i++) {
		if (plan->sources[i] >= lane->code->k)
			return true;
	}
	return false;
}

/*
 * In the order of operations: those that come first are cold again. An update adds to the parity
 * that is there: a fault of the library in both would be none.
 */
static int
prepare_stripes(struct ec_perf_lane *lane)
{
	struct ec_plan encoder = { .code = NULL };
	int rc = 0;

	lane->is_coded = lane->news != NULL || lane->n_sets > 1 || reads_parity(lane);
	for (unsigned int s = 0; s < lane->n_sets; s++) {
		for (unsigned int i = 0; i < lane->n_erased; i++)
			lane->is_renewed[lane->sets[s][i]] = true;
	}
	if (lane->is_coded && lane->news == NULL)
		rc = ec_plan_encode(&encoder, lane->code);
	for (unsigned int p = 0; p < lane->n_stripes && rc == 0; p++) {
		uint8_t *chunks[EC_CHUNKS_MAX];

		ec_lane_chunks(lane, lane->order[p], chunks);
		ec_lane_fill(lane, lane->order[p], chunks);
		if (lane->is_coded && lane->news == NULL)
			ec_run(&encoder, chunks, chunks, lane->chunk);
		if (lane->news == NULL)
			poison(lane, p, chunks);
		else
			ec_plain(lane->code, chunks, lane->chunk);
	}
	ec_plan_free(&encoder);
	return rc;
}

/*
 * The cache is full of what was written now, and each operation would have some of it written back.
 * What is read here comes last, and is more than the cache holds.
 */
static void
settle(const struct ec_perf_lane *lane)
{
	for (unsigned int p = lane->n_stripes / 2; p < lane->n_stripes; p++) {
		uint8_t *chunks[EC_CHUNKS_MAX];
		uint64_t sum = 0;

		ec_lane_chunks(lane, lane->order[p], chunks);
		for (size_t b = 0; b < lane->code->k * lane->stride; b += RTE_CACHE_LINE_SIZE)
			sum += chunks[0][b];
		asm volatile("" : : "r"(sum) : "memory");
	}
}

static int
prepare_code(struct ec_perf_lane *lane, struct stint_worker *w)
{
	int rc = make_sets(lane, w->point, &lane->random);

	if (rc == 0)
		rc = make_plans(lane, w);
	if (rc == 0 && w->point->value[EC_DIM_WORK] == EC_UPDATE)
		rc = prepare_update(lane);
	return rc == 0 ? prepare_stripes(lane) : rc;
}

int
ec_perf_lane_init(struct stint_worker *w)
{
	struct ec_perf_fixture *f = w->fixture->data;
	const struct stint_point *pt = w->point;
	struct ec_perf_lane *lane = w->state;
	struct ec_conf conf;
	int rc = 0;

	ec_lane_clear(lane);
	/* it has to differ by slice, or what is cold in one would be warm in the next */
	lane->random =
		ec_perf_seed(ec_perf_seed_of(pt, w->seed), ((uint64_t)w->round << 32) | w->index);
	lane->data = stint_random(&lane->random);
	lane->is_fresh = ec_perf_is_fresh(pt);
	lane->code = ec_perf_conf(pt, &conf) ? ec_perf_code(f, &conf) : NULL;
	lane->arena = f->arenas[w->index];
	lane->chunk = ec_perf_chunk_bytes(pt);
	lane->stride = RTE_ALIGN_CEIL(lane->chunk, EC_ALIGN);
	lane->n = ec_perf_chunks(pt);
	lane->n_stripes =
		pt->value[EC_DIM_PLACE] == EC_COLD ? f->arena_bytes / (lane->n * lane->stride) : 1;
	lane->time_mask = pt->value[EC_DIM_SIZE] < TIMED_BYTES ? TIMED_ONE_OF - 1 : 0;
	lane->order = malloc(lane->n_stripes * sizeof(*lane->order));
	if (lane->order == NULL)
		return -ENOMEM;
	shuffle(lane->order, lane->n_stripes, &lane->random);
	if (lane->code != NULL)
		rc = prepare_code(lane, w);
	if (rc == 0 && lane->code != NULL && lane->n_stripes > 1)
		settle(lane);
	lane->faults = ec_lane_faults();
	return rc;
}
