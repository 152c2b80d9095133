/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/*
 * Slices of ec_perf_autotest without the engine: a right code is found to be right, and one that
 * does nothing, or a byte wrongly, is found out whatever the work, the place and the memory.
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <rte_common.h>

#include <grid.h>
#include <registry.h>

#include "ec/ec_perf_lane.h"
#include "fake_machine.h"

/* Some stripes of cold objects. */
#define ARENA_BYTES (10 * MIB)
#define SETTINGS_MAX 12

static struct stint_machine machine;

/* One point after the other of a grid, in one arena and with one state of a worker. */
struct rig {
	struct stint_grid grid;
	struct ec_code code;
	struct ec_perf_fixture f;
	struct ec_tallies tallies;
	struct stint_fixture fx;
	struct stint_slice slice;
	struct stint_recorder *recorder;
	uint64_t random;
	uint8_t *arena;
	void *state;
};

static void
rig_open(struct rig *rig, const char *const *settings)
{
	unsigned int n = 0;
	char error[256];

	memset(rig, 0, sizeof(*rig));
	while (settings[n] != NULL)
		n++;
	if (stint_grid_init(&rig->grid, stint_registry_find("ec_perf_autotest"), &machine, settings,
			    n, "cores=1", error, sizeof(error)) != 0)
		fail_msg("%s", error);
	rig->arena = aligned_alloc(EC_ALIGN, ARENA_BYTES);
	rig->state = calloc(1, EC_PERF_LANE_BYTES);
	rig->recorder = calloc(1, sizeof(*rig->recorder));
	assert_non_null(rig->arena);
	assert_non_null(rig->state);
	assert_non_null(rig->recorder);
	for (size_t i = 0; i < ARENA_BYTES / sizeof(uint64_t); i++)
		((uint64_t *)rig->arena)[i] = stint_random(&rig->random);
	rig->f = (struct ec_perf_fixture){ .n_arenas = 1,
					   .n_codes = 1,
					   .arena_bytes = ARENA_BYTES,
					   .arenas = &rig->arena,
					   .tallies = &rig->tallies,
					   .codes = &rig->code };
	rig->fx.data = &rig->f;
}

static void
rig_close(struct rig *rig)
{
	stint_grid_free(&rig->grid);
	free(rig->arena);
	free(rig->tallies.list);
	free(rig->state);
	free(rig->recorder);
}

static struct stint_worker
worker_of(struct rig *rig, const struct stint_point *pt, uint64_t seed, unsigned int round)
{
	return (struct stint_worker){ .point = pt,
				      .fixture = &rig->fx,
				      .state = rig->state,
				      .seed = seed,
				      .round = round,
				      .counting = 1,
				      .recorders = { [EC_METRIC_TIME] = rig->recorder },
				      .slice = &rig->slice };
}

static void
open_code(struct rig *rig, const struct stint_point *pt)
{
	struct ec_conf conf;
	char error[256];

	if (ec_perf_conf(pt, &conf) && ec_open(&rig->code, &conf, error, sizeof(error)) != 0)
		fail_msg("%s", error);
}

/* ---- codes that go wrong ------------------------------------------------------------------- */

/* Operations before the one that goes wrong, and all after it. */
static unsigned int good_ops;
static const struct ec_codec *good;

static void
run_idle(const struct ec_plan *plan, uint8_t *const *in, uint8_t *const *out, size_t bytes)
{
	if (good_ops > 0 && good_ops-- > 0)
		good->run(plan, in, out, bytes);
}

static void
run_wrong_byte(const struct ec_plan *plan, uint8_t *const *in, uint8_t *const *out, size_t bytes)
{
	good->run(plan, in, out, bytes);
	if (good_ops == 0 || good_ops-- == 0)
		out[plan->targets[plan->n_targets - 1]][bytes - 1] ^= 0x40;
}

/* Where a coefficient is 1, twice is right again. */
static void
run_wrong_first(const struct ec_plan *plan, uint8_t *const *in, uint8_t *const *out, size_t bytes)
{
	good->run(plan, in, out, bytes);
	out[plan->targets[0]][bytes / 2] ^= 0x40;
}

static void
update_wrong_first(const struct ec_code *code, unsigned int i, const uint8_t *delta,
		   uint8_t *const *chunks, size_t bytes)
{
	good->update(code, i, delta, chunks, bytes);
	chunks[code->k][bytes / 2] ^= 0x40;
}

static void
update_nothing(const struct ec_code *code, unsigned int i, const uint8_t *delta,
	       uint8_t *const *chunks, size_t bytes)
{
	(void)code;
	(void)i;
	(void)delta;
	(void)chunks;
	(void)bytes;
}

static void
update_wrong_byte(const struct ec_code *code, unsigned int i, const uint8_t *delta,
		  uint8_t *const *chunks, size_t bytes)
{
	good->update(code, i, delta, chunks, bytes);
	chunks[code->n - 1][bytes - 1] ^= 0x40;
}

typedef void (*run_fn)(const struct ec_plan *plan, uint8_t *const *in, uint8_t *const *out,
		       size_t bytes);
typedef void (*update_fn)(const struct ec_code *code, unsigned int i, const uint8_t *delta,
			  uint8_t *const *chunks, size_t bytes);

struct fault {
	const char *what;
	run_fn run;
	update_fn update;
	unsigned int good_ops;
	bool always;        /* whatever prepares and checks runs it, too */
	const char *offset; /* of chunks of 250 bytes; NULL: any */
};

/* A slice of so many operations by the codec with these in place of its own. */
static void
run_slice(struct rig *rig, const struct stint_point *pt, unsigned int ops,
	  const struct fault *fault)
{
	struct stint_job job = pt->test->job(pt, 0);
	struct stint_worker w = worker_of(rig, pt, stint_random(&rig->random), 0);
	struct ec_codec bad = { .run = NULL };

	atomic_store(&rig->slice.failed, false);
	rig->slice.message[0] = '\0';
	open_code(rig, pt);
	good = rig->code.codec;
	if (fault->run != NULL) {
		bad = *good;
		bad.run = fault->run;
		bad.update = fault->update;
	}
	if (fault->always)
		rig->code.codec = &bad;
	assert_int_equal(pt->test->worker_init(&w), 0);
	if (fault->run != NULL)
		rig->code.codec = &bad;
	assert_int_equal(job.run(&w, ops), ops);
	if (!fault->always)
		rig->code.codec = good;
	job.finish(&w);
	rig->code.codec = good;
	ec_close(&rig->code);
}

static void
expect(const struct rig *rig, const struct stint_cell *cell, unsigned int ops,
       const struct fault *fault)
{
	const struct stint_point *pt = &cell->point;
	bool wrong = fault->run != NULL, bytes = wrong && fault->offset != NULL;
	const char *message = rig->slice.message;
	char *labels = json_dumps(cell->labels, JSON_COMPACT);

	/* of the smaller objects, without padding */
	bytes = bytes && ec_perf_chunk_bytes(pt) == 250;
	if (atomic_load(&rig->slice.failed) != wrong ||
	    (wrong && (strstr(message, " k=4 m=") == NULL || strstr(message, "chunk ") == NULL)) ||
	    (bytes && strstr(message, fault->offset) == NULL))
		fail_msg("%s, %u operations, %s: \"%s\"", labels, ops, fault->what, message);
	free(labels);
}

static void
try_cell(struct rig *rig, const struct stint_cell *cell)
{
	static const struct fault faults[] = {
		{ NULL, NULL, NULL, 0, false, NULL },
		{ "does nothing", run_idle, update_nothing, 0, false, NULL },
		{ "a wrong byte", run_wrong_byte, update_wrong_byte, 0, false,
		  "is wrong at byte 249" },
		{ "the last byte is wrong", run_wrong_byte, update_wrong_byte, 2, false,
		  "is wrong at byte 249" },
		{ "a byte is always wrong", run_wrong_first, update_wrong_first, 0, true,
		  "is wrong at byte 125" },
	};
	static const unsigned int counts[] = { 1, 3, 21 };

	for (unsigned int i = 0; i < RTE_DIM(faults) * RTE_DIM(counts); i++) {
		const struct fault *fault = &faults[i % RTE_DIM(faults)];
		unsigned int ops = counts[i / RTE_DIM(faults)];

		if (fault->run != NULL && cell->point.value[EC_DIM_CODE] == EC_CODE_MEMORY)
			continue;
		/* what is allocated may be what was freed, with the right results in it */
		if (fault->run == run_idle && ec_perf_is_fresh(&cell->point))
			continue;
		good_ops = fault->good_ops;
		if (good_ops >= ops)
			continue;
		run_slice(rig, &cell->point, ops, fault);
		expect(rig, cell, ops, fault);
	}
}

static void
test_wrong_results(void **state)
{
	static const char *const cases[][SETTINGS_MAX] = {
		{ "technique=cauchy" },
		{ "technique=vandermonde", "workload=encode" },
		{ "technique=xor", "m=1" },
		{ "technique=vandermonde", "workload=repair" },
		{ "technique=liberation", "packetsize=8", "workload=encode" },
		{ "technique=lrc_jerasure", "workload=repair" },
		{ "technique=lrc", "mapping=DDDD__", "layers=DDDDc_,DDDDDc" },
		{ "technique=cauchy", "memory=malloc-per-op" },
		{ "technique=cauchy", "erasures=2", "workload=decode" },
		{ "technique=cauchy", "erasures=2", "workload=decode", "exhaustive=1" },
		{ "technique=cauchy", "erasures=1", "workload=decode", "memory=malloc-per-op" },
		{ "technique=cauchy", "erased=5,1", "workload=decode" },
		{ "technique=reed_sol_van", "size=1,1M" },
		{ "technique=liberation", "erasures=2", "workload=decode" },
		{ "technique=lrc" },
		{ "technique=lrc", "workload=repair", "memory=malloc-per-op" },
		{ "technique=lrc", "erasures=2", "workload=decode" },
		{ "technique=lrc", "erased=3,7", "workload=decode" },
		{ "technique=lrc", "erased=7", "workload=repair" },
	};

	(void)state;
	for (unsigned int c = 0; c < RTE_DIM(cases); c++) {
		const char *settings[SETTINGS_MAX] = { "k=4", "m=2", "size=1000,1M" };
		struct rig rig;

		memcpy(&settings[3], cases[c], (SETTINGS_MAX - 3) * sizeof(settings[0]));
		rig_open(&rig, settings);
		assert_true(rig.grid.count > 0);
		for (unsigned int i = 0; i < rig.grid.count; i++) {
			const struct stint_point *pt = &rig.grid.cells[i].point;

			/* as the smaller ones, and takes longer */
			if (pt->value[EC_DIM_SIZE] == EC_COLD_BYTES &&
			    pt->value[EC_DIM_PLACE] == EC_WARM)
				continue;
			if (rig.grid.cells[i].skip_reason == NULL)
				try_cell(&rig, &rig.grid.cells[i]);
		}
		rig_close(&rig);
	}
}

/* ---- page faults --------------------------------------------------------------------------- */

#define PAGE_BYTES 4096

static void
run_and_map(const struct ec_plan *plan, uint8_t *const *in, uint8_t *const *out, size_t bytes)
{
	uint8_t *page =
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	page[0] = 1;
	munmap(page, PAGE_BYTES);
	good->run(plan, in, out, bytes);
}

/* One in each operation is found, however few operations a slice has; some of each slice is not. */
static void
test_faults(void **state)
{
	static const char *const settings[] = {
		"k=4", "m=2", "size=1000", "technique=cauchy", "workload=encode", NULL
	};
	static const struct fault faults[] = {
		{ NULL, NULL, NULL, 0, false, NULL },
		{ "a page", run_and_map, update_nothing, 0, false, NULL },
	};

	(void)state;
	for (unsigned int f = 0; f < RTE_DIM(faults); f++) {
		struct rig rig;
		bool found = false;

		rig_open(&rig, settings);
		for (unsigned int slice = 0; slice < 10 && !found; slice++) {
			run_slice(&rig, &rig.grid.cells[0].point, 8, &faults[f]);
			found = strstr(rig.slice.message, "page faults") != NULL;
		}
		assert_int_equal(found, faults[f].run != NULL);
		rig_close(&rig);
	}
}

/* ---- how many sets are prepared ------------------------------------------------------------- */

static void
test_sets(void **state)
{
	static const struct {
		struct ec_conf conf;
		unsigned int erasures, sets;
	} cases[] = {
		{ { "isal", "cauchy", 4, 2, 0, 0, 0 }, 2, 15 },
		{ { "isal", "cauchy", 20, 4, 0, 0, 0 }, 4, EC_SETS_MAX },
		{ { "jerasure", "cauchy_orig", 4, 2, 0, 8, 8 }, 2, 15 },
		/* a second and more for one */
		{ { "jerasure", "cauchy_orig", 64, 64, 0, 8, 8 }, 64, 1 },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct ec_code code;
		char error[256];

		assert_int_equal(ec_open(&code, &cases[i].conf, error, sizeof(error)), 0);
		assert_int_equal(ec_perf_sets(&code, cases[i].erasures), cases[i].sets);
		ec_close(&code);
	}
}

/* ---- what the seed decides ----------------------------------------------------------------- */

#define SETS 15
#define STRIPES 6

struct drawn {
	uint8_t sets[SETS][2];
	uint32_t order[STRIPES];
	uint64_t first; /* word of data */
};

static void
draw(struct drawn *drawn, const char *seed, uint64_t engine_seed, unsigned int round)
{
	const char *settings[] = {
		"k=4", "m=2", "technique=cauchy", "erasures=2", "workload=decode", seed, NULL
	};
	const struct stint_point *pt = NULL;
	struct ec_perf_lane *lane;
	struct stint_worker w;
	struct rig rig;

	rig_open(&rig, settings);
	for (unsigned int i = 0; i < rig.grid.count; i++) {
		const struct stint_point *other = &rig.grid.cells[i].point;

		if (other->value[EC_DIM_PLACE] == EC_COLD && other->value[EC_DIM_WORK] == EC_DECODE)
			pt = other;
	}
	assert_non_null(pt);
	open_code(&rig, pt);
	w = worker_of(&rig, pt, engine_seed, round);
	assert_int_equal(pt->test->worker_init(&w), 0);
	lane = rig.state;
	assert_int_equal(lane->n_sets, SETS);
	assert_int_equal(lane->n_stripes, STRIPES);
	for (unsigned int i = 0; i < SETS; i++)
		memcpy(drawn->sets[i], lane->sets[i], sizeof(drawn->sets[i]));
	memcpy(drawn->order, lane->order, sizeof(drawn->order));
	drawn->first = lane->data;
	ec_lane_clear(lane);
	ec_close(&rig.code);
	rig_close(&rig);
}

/* What differs: none of it, or all three. */
static void
assert_other(const struct drawn *a, const struct drawn *b, bool other)
{
	assert_int_equal(memcmp(a->sets, b->sets, sizeof(a->sets)) != 0, other);
	assert_int_equal(memcmp(a->order, b->order, sizeof(a->order)) != 0, other);
	assert_int_equal(a->first != b->first, other);
}

static void
test_seed(void **state)
{
	struct drawn one, two;

	(void)state;
	/* with a seed, the engine's says nothing */
	draw(&one, "seed=7", 1, 0);
	draw(&two, "seed=7", 2, 0);
	assert_other(&one, &two, false);
	draw(&two, "seed=8", 1, 0);
	assert_other(&one, &two, true);
	draw(&two, "seed=7", 1, 1);
	assert_other(&one, &two, true);
	/* without */
	draw(&one, NULL, 1, 0);
	draw(&two, NULL, 1, 0);
	assert_other(&one, &two, false);
	draw(&two, NULL, 2, 0);
	assert_other(&one, &two, true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong_results),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_seed),
	};
	static struct stint_host host;
	static struct stint_eal_args args;

	if (ec_isal.missing != NULL || ec_jerasure.missing != NULL)
		return 77;
	fake_host(&host);
	fake_lcores(&args, 1, 0);
	stint_machine_init(&machine, &host, &args);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
