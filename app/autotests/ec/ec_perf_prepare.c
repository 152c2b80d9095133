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
		if (lost == EC_LOST_GIVEN && n > 0)
			set[i] = erased[i];
	}
}

/* Random ones, or all of them, or a sample of too many. */
static int
make_sets(struct ec_perf_lane *lane, const struct stint_point *pt, uint64_t *random)
{
	unsigned int n, e = ec_perf_erasures(pt);
	bool all = stint_param_uint(pt, "exhaustive") != 0;
	double count;

	stint_param_list(pt, "erased", &n);
	count = ec_sets(e, lane->n);
	lane->n_erased = e;
	lane->n_sets = pt->value[EC_DIM_LOST] == EC_LOST_GIVEN && n == 0
			       ? RTE_MIN(count, (double)EC_SETS_MAX)
			       : 1;
	lane->sets = calloc(lane->n_sets, sizeof(*lane->sets));
	if (lane->sets == NULL)
		return -ENOMEM;
	if (lane->n_sets == 1) {
		fixed_set(pt, lane->sets[0]);
		return 0;
	}
	for (unsigned int i = 0; i < lane->n_sets; i++) {
		if (!all || count > EC_SETS_MAX) {
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

static struct ec_witness *
add_witness(struct ec_perf_lane *lane)
{
	struct ec_witness *witness = &lane->witnesses[lane->n_witnesses];

	if (ec_plan_init(&witness->plan, lane->code, lane->n) != 0)
		return NULL;
	lane->n_witnesses++;
	return witness;
}

/* Does the witness take chunk `t`, and otherwise only what the plan has read or made before? */
static bool
tells_of(const struct ec_perf_lane *lane, const struct ec_witness *witness, unsigned int t)
{
	const struct ec_plan *p = &lane->plans[0];
	bool known[EC_CHUNKS_MAX] = { false }, takes = false;

	for (unsigned int i = 0; i < p->n_sources; i++)
		known[p->sources[i]] = true;
	for (unsigned int i = 0; i <= t; i++)
		known[p->targets[i]] = true;
	for (unsigned int i = 0; i < witness->plan.n_sources; i++) {
		if (!known[witness->plan.sources[i]])
			return false;
		takes |= witness->plan.sources[i] == p->targets[t];
	}
	return takes;
}

/*
 * Chunk s, which was read, is made of what is left without it. With `all` of what is no target a
 * layered code goes by a group; without, a code over all has no choice but to take chunk t.
 */
static bool
make_witness(const struct ec_perf_lane *lane, struct ec_witness *witness, unsigned int t, bool all)
{
	const struct ec_plan *p = &lane->plans[0];

	for (unsigned int s = 0; s < p->n_sources; s++) {
		bool kept[EC_CHUNKS_MAX];
		uint8_t gone[EC_CHUNKS_MAX];
		unsigned int n = 0;

		memset(kept, all, sizeof(kept));
		for (unsigned int i = 0; i < p->n_sources; i++)
			kept[p->sources[i]] = i != s;
		for (unsigned int i = 0; i < p->n_targets; i++)
			kept[p->targets[i]] = i == t || (all && i < t);
		for (unsigned int i = 0; i < lane->n; i++) {
			if (!kept[i])
				gone[n++] = i;
		}
		witness->n = 1;
		witness->chunks[0] = p->sources[s];
		if (ec_plan_repair(&witness->plan, gone, n) == 0 && tells_of(lane, witness, t))
			return true;
	}
	return false;
}

static int
make_witness_each(struct ec_perf_lane *lane, const struct stint_worker *w)
{
	for (unsigned int t = 0; t < lane->plans[0].n_targets; t++) {
		struct ec_witness *witness = add_witness(lane);

		if (witness == NULL)
			return -ENOMEM;
		if (make_witness(lane, witness, t, false) || make_witness(lane, witness, t, true))
			continue;
		stint_worker_fail(w, "%s: nothing tells whether chunk %u is right",
				  lane->code->conf.technique, lane->plans[0].targets[t]);
		return 0;
	}
	return 0;
}

/*
 * As any k chunks tell all others, so many that were read follow from as many that were made and
 * the rest; and each value of these gives another one of those.
 */
static int
make_witness_of_some(struct ec_perf_lane *lane, unsigned int first, unsigned int n)
{
	const struct ec_plan *p = &lane->plans[0];
	struct ec_witness *witness = add_witness(lane);
	bool kept[EC_CHUNKS_MAX] = { false };
	uint8_t gone[EC_CHUNKS_MAX];
	unsigned int n_gone = 0;

	if (witness == NULL)
		return -ENOMEM;
	witness->n = n;
	memcpy(witness->chunks, p->sources, n);
	for (unsigned int i = 0; i < n; i++)
		kept[p->targets[first + i]] = true;
	for (unsigned int i = n; i < p->n_sources; i++)
		kept[p->sources[i]] = true;
	for (unsigned int i = 0; i < lane->n; i++) {
		if (!kept[i])
			gone[n_gone++] = i;
	}
	return ec_plan_repair(&witness->plan, gone, n_gone);
}

static int
make_witnesses(struct ec_perf_lane *lane, const struct stint_worker *w)
{
	const struct ec_plan *p = &lane->plans[0];
	int rc = 0;

	lane->witnesses = calloc(p->n_targets, sizeof(*lane->witnesses));
	if (lane->witnesses == NULL)
		return -ENOMEM;
	if (lane->code->codec == &ec_lrc)
		return make_witness_each(lane, w);
	for (unsigned int t = 0; t < p->n_targets && rc == 0; t += p->n_sources)
		rc = make_witness_of_some(lane, t, RTE_MIN(p->n_targets - t, p->n_sources));
	return rc;
}

/* Here and below in the order of operations: those that come first are cold again. */
static int
encode_all(const struct ec_perf_lane *lane)
{
	struct ec_plan plan;
	int rc = ec_plan_encode(&plan, lane->code);

	for (unsigned int i = 0; i < lane->n_stripes && rc == 0; i++) {
		uint8_t *chunks[EC_CHUNKS_MAX];

		ec_lane_chunks(lane, lane->order[i], chunks);
		ec_run(&plan, chunks, chunks, lane->chunk);
	}
	ec_plan_free(&plan);
	return rc;
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
	return encode_all(lane);
}

void
ec_lane_fill(const struct ec_perf_lane *lane, unsigned int stripe, uint8_t *const *chunks)
{
	for (unsigned int i = 0; i < lane->code->k; i++) {
		uint64_t *words = (uint64_t *)chunks[i];
		uint64_t random = ec_perf_seed(lane->data, (uint64_t)stripe * lane->code->k + i);

		for (size_t b = 0; b < lane->stride / sizeof(*words); b++)
			words[b] = stint_random(&random);
	}
	ec_run(&lane->encoder, chunks, chunks, lane->chunk);
}

/* Each stripe is one that is known, but for what the first operation on it has to make. */
static int
prepare_changing(struct ec_perf_lane *lane)
{
	int rc = ec_plan_encode(&lane->encoder, lane->code);

	for (unsigned int p = 0; p < lane->n_stripes && rc == 0; p++) {
		const uint8_t *set = lane->sets[p % lane->n_sets];
		uint8_t *chunks[EC_CHUNKS_MAX];

		ec_lane_chunks(lane, lane->order[p], chunks);
		ec_lane_fill(lane, lane->order[p], chunks);
		for (unsigned int e = 0; e < lane->n_erased && !lane->is_fresh; e++)
			ec_lane_scramble(lane, chunks[set[e]]);
	}
	return rc;
}

/* Chunks that a code in layers reads depend on each other, those of others do not. */
static int
prepare_stripes(struct ec_perf_lane *lane, const struct stint_worker *w)
{
	const struct ec_plan *plan = &lane->plans[0];
	int rc = lane->code->codec == &ec_lrc ? encode_all(lane) : 0;

	if (rc == 0)
		rc = make_witnesses(lane, w);
	for (unsigned int i = 0; i < lane->n_stripes && rc == 0; i++) {
		uint8_t *chunks[EC_CHUNKS_MAX];

		ec_lane_chunks(lane, lane->order[i], chunks);
		for (unsigned int t = 0; t < plan->n_targets; t++)
			ec_lane_scramble(lane, chunks[plan->targets[t]]);
	}
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
	if (rc != 0)
		return rc;
	if (w->point->value[EC_DIM_WORK] == EC_UPDATE) {
		rc = prepare_update(lane);
		return rc == 0 ? make_witnesses(lane, w) : rc;
	}
	return lane->n_sets > 1 ? prepare_changing(lane) : prepare_stripes(lane, w);
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
