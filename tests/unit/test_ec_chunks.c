/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/*
 * What codecs read and write: nothing in front of chunks or behind them, as the next page cannot be
 * accessed; only the chunks that a plan names; and the same from several threads.
 */

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_common.h>

#include <stint.h>

#include "ec/ec_codec.h"
#include "ec/ec_sets.h"

#define CHUNKS_MAX 16
#define POISON 0xa5
#define THREADS 4
#define THREAD_REPAIRS 200
/* What codecs may want chunks to begin at a multiple of. */
#define ALIGN 32

static const struct ec_conf confs[] = {
	{ "isal", "vandermonde", 4, 3, 0, 0, 0 },
	{ "isal", "cauchy", 4, 2, 0, 0, 0 },
	{ "isal", "xor", 4, 1, 0, 0, 0 },
	{ "isal", "xor", 1, 1, 0, 0, 0 },
	{ "jerasure", "reed_sol_van", 4, 2, 0, 8, 0 },
	{ "jerasure", "reed_sol_van", 4, 2, 0, 16, 0 },
	{ "jerasure", "reed_sol_van", 4, 2, 0, 32, 0 },
	{ "jerasure", "reed_sol_r6_op", 4, 2, 0, 8, 0 },
	{ "jerasure", "cauchy_orig", 4, 2, 0, 8, 8 },
	{ "jerasure", "cauchy_good", 4, 2, 0, 3, 8 },
	{ "jerasure", "liberation", 3, 2, 0, 3, 8 },
	{ "jerasure", "blaum_roth", 4, 2, 0, 4, 8 },
	{ "jerasure", "liber8tion", 4, 2, 0, 8, 8 },
	{ "lrc", "isal", 4, 2, 3, 0, 0 },
	{ "lrc", "jerasure", 4, 2, 3, 8, 0 },
};

static const size_t sizes[] = { 1, 31, 33, 4095, 4096 };

/* ---- chunks between pages that nobody may touch -------------------------------------------- */

enum edge { BEGINS_A_PAGE, ENDS_A_PAGE };

struct fenced {
	uint8_t *map, *bytes;
	size_t mapped;
};

/* Between two such pages; at the end as near as alignment lets it. */
static void
fence(struct fenced *f, size_t bytes, enum edge edge, size_t align)
{
	size_t page = sysconf(_SC_PAGESIZE), room = RTE_ALIGN_CEIL(bytes, page);

	f->mapped = room + 2 * page;
	f->map = mmap(NULL, f->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(f->map, MAP_FAILED);
	assert_int_equal(mprotect(f->map + page, room, PROT_READ | PROT_WRITE), 0);
	f->bytes = f->map + page;
	if (edge == ENDS_A_PAGE)
		f->bytes += (room - bytes) / align * align;
}

static void
unfence(struct fenced *f)
{
	munmap(f->map, f->mapped);
}

/* One code, its chunks as they have to be, and those that are worked on. */
struct rig {
	struct ec_code code;
	struct ec_plan plan;
	size_t bytes;
	struct fenced chunks[CHUNKS_MAX];
	uint8_t *at[CHUNKS_MAX], *right[CHUNKS_MAX];
};

/* isal takes chunks anywhere, but for sums; the words of jerasure are 8 bytes and more. */
static size_t
align_of(const struct ec_code *code)
{
	return strcmp(code->conf.codec, "isal") == 0 && strcmp(code->conf.technique, "xor") != 0
		       ? 1
		       : ALIGN;
}

static void
rig_open(struct rig *rig, const struct ec_conf *conf, size_t size, enum edge edge)
{
	uint64_t random = 1;
	struct ec_plan plan;
	char error[256];

	if (ec_open(&rig->code, conf, error, sizeof(error)) != 0)
		fail_msg("%s", error);
	assert_true(rig->code.n <= CHUNKS_MAX);
	rig->bytes = ec_chunk_bytes(&rig->code.conf, size * rig->code.k);
	for (unsigned int i = 0; i < rig->code.n; i++) {
		fence(&rig->chunks[i], rig->bytes, edge, align_of(&rig->code));
		rig->at[i] = rig->chunks[i].bytes;
		rig->right[i] = aligned_alloc(ALIGN, RTE_ALIGN_CEIL(rig->bytes, ALIGN));
		assert_non_null(rig->right[i]);
		for (size_t b = 0; b < rig->bytes; b++)
			rig->at[i][b] = stint_random(&random);
	}
	assert_int_equal(ec_plan_encode(&plan, &rig->code), 0);
	ec_run(&plan, rig->at, rig->at, rig->bytes);
	ec_plan_free(&plan);
	for (unsigned int i = 0; i < rig->code.n; i++)
		memcpy(rig->right[i], rig->at[i], rig->bytes);
	assert_int_equal(ec_plan_init(&rig->plan, &rig->code, rig->code.n), 0);
}

static void
rig_close(struct rig *rig)
{
	ec_plan_free(&rig->plan);
	for (unsigned int i = 0; i < rig->code.n; i++) {
		unfence(&rig->chunks[i]);
		free(rig->right[i]);
	}
	ec_close(&rig->code);
}

static bool
is_in(const uint8_t *set, unsigned int n, unsigned int chunk)
{
	for (unsigned int i = 0; i < n; i++) {
		if (set[i] == chunk)
			return true;
	}
	return false;
}

static bool
is_poison(const uint8_t *chunk, size_t bytes)
{
	for (size_t b = 0; b < bytes; b++) {
		if (chunk[b] != POISON)
			return false;
	}
	return true;
}

/* Poison where nothing is read stays, what is read stays, what was erased is there again. */
static void
repair(struct rig *rig, const uint8_t *erased, unsigned int n)
{
	const struct ec_plan *plan = &rig->plan;

	assert_int_equal(ec_plan_repair(&rig->plan, erased, n), 0);
	for (unsigned int i = 0; i < rig->code.n; i++) {
		if (!is_in(plan->sources, plan->n_sources, i))
			memset(rig->at[i], POISON, rig->bytes);
	}
	ec_run(plan, rig->at, rig->at, rig->bytes);
	for (unsigned int i = 0; i < rig->code.n; i++) {
		bool there = is_in(plan->sources, plan->n_sources, i) || is_in(erased, n, i);

		if (there ? memcmp(rig->at[i], rig->right[i], rig->bytes) != 0
			  : !is_poison(rig->at[i], rig->bytes))
			fail_msg("%s %s, chunks of %zu, %u erased from %u on: chunk %u",
				 rig->code.conf.codec, rig->code.conf.technique, rig->bytes, n,
				 erased[0], i);
		memcpy(rig->at[i], rig->right[i], rig->bytes);
	}
}

static void
repair_all(struct rig *rig)
{
	for (unsigned int n = 1; n <= rig->code.m; n++) {
		uint8_t set[EC_CHUNKS_MAX];

		ec_first_set(set, n);
		do
			repair(rig, set, n);
		while (ec_next_set(set, n, rig->code.n));
	}
}

/* Parity alone is written; its new value is that of encoding anew. */
static void
update_all(struct rig *rig)
{
	uint64_t random = 2;
	struct fenced delta;
	struct ec_plan plan;

	if (rig->code.codec->update == NULL)
		return;
	fence(&delta, rig->bytes, ENDS_A_PAGE, align_of(&rig->code));
	assert_int_equal(ec_plan_encode(&plan, &rig->code), 0);
	for (unsigned int i = 0; i < rig->code.k; i++) {
		for (size_t b = 0; b < rig->bytes; b++) {
			delta.bytes[b] = stint_random(&random);
			rig->right[i][b] ^= delta.bytes[b];
		}
		ec_run(&plan, rig->right, rig->right, rig->bytes);
		for (unsigned int c = 0; c < rig->code.k; c++)
			memset(rig->at[c], POISON, rig->bytes);
		rig->code.codec->update(&rig->code, i, delta.bytes, rig->at, rig->bytes);
		for (unsigned int c = 0; c < rig->code.n; c++) {
			if (c < rig->code.k)
				assert_true(is_poison(rig->at[c], rig->bytes));
			else
				assert_memory_equal(rig->at[c], rig->right[c], rig->bytes);
		}
	}
	ec_plan_free(&plan);
	unfence(&delta);
}

static void
at_edge(enum edge edge)
{
	for (unsigned int i = 0; i < RTE_DIM(confs); i++) {
		if (ec_missing(&confs[i]) != NULL)
			continue;
		for (unsigned int s = 0; s < RTE_DIM(sizes); s++) {
			struct rig rig;

			rig_open(&rig, &confs[i], sizes[s], edge);
			repair_all(&rig);
			update_all(&rig);
			rig_close(&rig);
		}
	}
}

static void
test_begins_a_page(void **state)
{
	(void)state;
	at_edge(BEGINS_A_PAGE);
}

static void
test_ends_a_page(void **state)
{
	(void)state;
	at_edge(ENDS_A_PAGE);
}

/* ---- threads ------------------------------------------------------------------------------- */

struct repairer {
	pthread_t thread;
	const struct ec_code *code;
	uint8_t *const *right;
	size_t bytes;
	uint64_t seed;
	bool ok;
};

/* Chunks and plans of its own, random sets, each with a set-up: tables are shared. */
static void *
repair_many(void *arg)
{
	struct repairer *r = arg;
	const struct ec_code *code = r->code;
	uint8_t *memory = aligned_alloc(ALIGN, code->n * RTE_ALIGN_CEIL(r->bytes, ALIGN));
	uint8_t *at[CHUNKS_MAX];
	struct ec_plan plan;

	r->ok = memory != NULL && ec_plan_init(&plan, code, code->m) == 0;
	for (unsigned int i = 0; i < code->n && r->ok; i++) {
		at[i] = memory + i * RTE_ALIGN_CEIL(r->bytes, ALIGN);
		memcpy(at[i], r->right[i], r->bytes);
	}
	for (unsigned int i = 0; i < THREAD_REPAIRS && r->ok; i++) {
		uint8_t set[EC_CHUNKS_MAX];

		ec_random_set(set, code->m, code->n, &r->seed);
		for (unsigned int e = 0; e < code->m; e++)
			memset(at[set[e]], POISON, r->bytes);
		r->ok = ec_plan_repair(&plan, set, code->m) == 0;
		if (r->ok)
			ec_run(&plan, at, at, r->bytes);
		for (unsigned int c = 0; c < code->n; c++)
			r->ok &= memcmp(at[c], r->right[c], r->bytes) == 0;
	}
	ec_plan_free(&plan);
	free(memory);
	return NULL;
}

static void
test_threads(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(confs); i++) {
		struct repairer repairers[THREADS];
		struct rig rig;

		if (ec_missing(&confs[i]) != NULL)
			continue;
		rig_open(&rig, &confs[i], 1000, BEGINS_A_PAGE);
		for (unsigned int t = 0; t < THREADS; t++) {
			repairers[t] = (struct repairer){
				.code = &rig.code, .right = rig.right, .bytes = rig.bytes, .seed = t
			};
			assert_int_equal(pthread_create(&repairers[t].thread, NULL, repair_many,
							&repairers[t]),
					 0);
		}
		for (unsigned int t = 0; t < THREADS; t++)
			pthread_join(repairers[t].thread, NULL);
		for (unsigned int t = 0; t < THREADS; t++) {
			if (!repairers[t].ok)
				fail_msg("%s %s, thread %u", confs[i].codec, confs[i].technique, t);
		}
		rig_close(&rig);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begins_a_page),
		cmocka_unit_test(test_ends_a_page),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
