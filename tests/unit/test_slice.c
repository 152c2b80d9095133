/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <rte_cycles.h>
#include <rte_pause.h>

#include <crew.h>
#include <slice.h>

#include "eal_child.h"

#define LANES_MAX 4
/* So long that only a cut ends a slice. */
#define FOREVER (UINT64_MAX / 4)

/* Lcores have a CPU each. */
static bool apart;
static unsigned int n_cpus;

/* What the lanes of a slice did; on the main lcore it is looked at when all have left. */
static struct {
	_Atomic uint64_t ops[LANES_MAX], calls[LANES_MAX];
	_Atomic unsigned int inits[LANES_MAX], finishes[LANES_MAX];
	_Atomic unsigned int inside, most_inside;
	unsigned int failing; /* lane that fails */
	bool all_fail;
	uint32_t failing_phase; /* of the slice, in which it does */
} seen;

static int
init_worker(struct stint_worker *w)
{
	atomic_fetch_add(&seen.inits[w->index], 1);
	return 0;
}

static int
init_worker_or_fail(struct stint_worker *w)
{
	if (w->index == seen.failing)
		return -ENOMEM;
	return init_worker(w);
}

static void
finish(struct stint_worker *w)
{
	atomic_fetch_add(&seen.finishes[w->index], 1);
}

static uint64_t
spin(struct stint_worker *w, uint64_t ops)
{
	for (uint64_t i = 0; i < ops; i++)
		rte_pause();
	atomic_fetch_add(&seen.ops[w->index], ops);
	atomic_fetch_add(&seen.calls[w->index], 1);
	return ops;
}

static struct stint_test test = { .name = "slice_perf_autotest" };
static struct stint_point point = { .test = &test };
static struct stint_lane lanes[LANES_MAX];
static struct stint_slice slice;

/* A slice of `ms` on all lcores, with a budget that does not end. */
static void
prepare(uint64_t (*run)(struct stint_worker *w, uint64_t ops), unsigned int ms)
{
	memset(&seen, 0, sizeof(seen));
	memset(lanes, 0, sizeof(lanes));
	memset(&slice, 0, sizeof(slice));
	test.worker_init = init_worker;
	point.lcores = eal_machine.n_lcores;
	for (unsigned int i = 0; i < point.lcores; i++) {
		lanes[i].worker = (struct stint_worker){ .point = &point,
							 .index = i,
							 .lcore = eal_machine.lcores[i].id };
		lanes[i].job = (struct stint_job){ .run = run, .finish = finish };
		for (unsigned int p = 0; p <= STINT_MAX_PHASES; p++)
			lanes[i].batches.ops[p] = 1;
	}
	slice.n = point.lcores;
	slice.lanes = lanes;
	slice.in_turn = !apart;
	slice.batch_cycles = rte_get_tsc_hz() / 20000; /* 50 us */
	slice.count_cycles = rte_get_tsc_hz() / 1000 * ms;
	slice.hard_deadline = FOREVER;
}

static enum stint_slice_phase
run_slice(void)
{
	struct stint_crew *crew = NULL;
	enum stint_slice_phase phase;
	unsigned int busy;

	assert_int_equal(stint_crew_launch(&crew, &eal_machine, slice.n, &busy), 0);
	phase = stint_slice_run(&slice, crew);
	stint_crew_release(crew);
	return phase;
}

/* Whatever happened, each lane that was made ready finished once. */
static void
assert_finished(void)
{
	for (unsigned int i = 0; i < slice.n; i++) {
		assert_int_equal(seen.inits[i], 1);
		assert_int_equal(seen.finishes[i], 1);
	}
}

static void
assert_cut(const char *message)
{
	assert_int_equal(atomic_load(&slice.failed), message != NULL);
	assert_string_equal(slice.message, message != NULL ? message : "");
}

static void
test_every_lane_counts(void **state)
{
	(void)state;
	prepare(spin, 5);
	assert_int_equal(run_slice(), STINT_SLICE_DONE);
	assert_finished();
	assert_cut(NULL);
	for (unsigned int i = 0; i < slice.n; i++) {
		const struct stint_lane *lane = &lanes[i];

		/* a lane that comes late counts for half the time at least */
		assert_true(lane->phase[0].cycles >= slice.count_cycles / 2);
		assert_in_range(lane->phase[0].ops, 1, seen.ops[i] - 1);
		/* what is counted is a part of what was run: batches before it were warming up */
		assert_in_range(lane->counted, 1, seen.calls[i] - 1);
		assert_true(lane->left - lane->entered >= lane->phase[0].cycles);
		assert_true(lane->taint.gap_cycles > 0);
		assert_true(lane->taint.gap_cycles <= lane->phase[0].cycles);
		for (unsigned int p = 1; p <= STINT_MAX_PHASES; p++)
			assert_int_equal(lane->phase[p].ops + lane->phase[p].cycles, 0);
	}
}

/* One slice after the other adds up in the lanes. */
static void
test_slices_add_up(void **state)
{
	struct stint_crew *crew = NULL;
	uint64_t before[LANES_MAX];
	unsigned int busy;

	(void)state;
	prepare(spin, 1);
	assert_int_equal(stint_crew_launch(&crew, &eal_machine, slice.n, &busy), 0);
	for (unsigned int round = 1; round <= 20; round++) {
		for (unsigned int i = 0; i < slice.n; i++)
			before[i] = lanes[i].counted;
		assert_int_equal(stint_slice_run(&slice, crew), STINT_SLICE_DONE);
		for (unsigned int i = 0; i < slice.n; i++) {
			assert_true(lanes[i].counted > before[i]);
			assert_int_equal(seen.finishes[i], round);
		}
	}
	/* a slice that was cut stays cut */
	stint_slice_cut(&slice);
	for (unsigned int i = 0; i < slice.n; i++)
		before[i] = lanes[i].counted;
	assert_int_equal(stint_slice_run(&slice, crew), STINT_SLICE_CUT);
	for (unsigned int i = 0; i < slice.n; i++) {
		assert_int_equal(lanes[i].counted, before[i]);
		assert_int_equal(seen.finishes[i], 21);
	}
	stint_crew_release(crew);
}

static uint64_t
spin_or_fail(struct stint_worker *w, uint64_t ops)
{
	if ((seen.all_fail || w->index == seen.failing) &&
	    atomic_load(&w->slice->phase) == seen.failing_phase)
		stint_worker_fail(w, "lane %u lost %d objects", w->index, 7);
	return spin(w, ops);
}

/* A lane that fails, before counting begins or later, ends the slice for all. */
static void
test_worker_fails(void **state)
{
	static const uint32_t phases[] = { STINT_SLICE_WARM, STINT_SLICE_COUNT };

	(void)state;
	for (unsigned int k = 0; k < RTE_DIM(phases); k++) {
		for (unsigned int failing = 0; failing < eal_machine.n_lcores; failing++) {
			char want[64];

			prepare(spin_or_fail, 0);
			slice.count_cycles = FOREVER;
			seen.failing = failing;
			seen.failing_phase = phases[k];
			assert_int_equal(run_slice(), STINT_SLICE_CUT);
			snprintf(want, sizeof(want), "lane %u lost 7 objects", failing);
			assert_cut(want);
			assert_finished();
		}
	}
}

/* The message is that of one lane, whole. */
static void
test_all_fail(void **state)
{
	char want[64];
	unsigned int lane;

	(void)state;
	prepare(spin_or_fail, 0);
	slice.count_cycles = FOREVER;
	seen.all_fail = true;
	assert_int_equal(run_slice(), STINT_SLICE_CUT);
	assert_int_equal(sscanf(slice.message, "lane %u", &lane), 1);
	assert_in_range(lane, 0, slice.n - 1);
	snprintf(want, sizeof(want), "lane %u lost 7 objects", lane);
	assert_cut(want);
	assert_finished();
}

static void
test_first_message_stays(void **state)
{
	struct stint_worker *w = &lanes[0].worker;

	(void)state;
	prepare(spin, 0);
	w->slice = &slice;
	stint_worker_fail(w, "first, %s", "with arguments");
	stint_worker_fail(w, "second, which is longer than the first one");
	assert_cut("first, with arguments");
	assert_int_equal(atomic_load(&slice.phase), STINT_SLICE_CUT);
	assert_true(stint_stopping(w));
}

static void
test_init_fails(void **state)
{
	(void)state;
	for (unsigned int failing = 0; failing < eal_machine.n_lcores; failing++) {
		char lcore[32];

		prepare(spin, 0);
		slice.count_cycles = FOREVER;
		test.worker_init = init_worker_or_fail;
		seen.failing = failing;
		assert_int_equal(run_slice(), STINT_SLICE_CUT);
		snprintf(lcore, sizeof(lcore), "lcore %u:", eal_machine.lcores[failing].id);
		assert_non_null(strstr(slice.message, lcore));
		assert_non_null(strstr(slice.message, strerror(ENOMEM)));
		for (unsigned int i = 0; i < slice.n; i++) {
			/* a lane that is not ready has nothing to finish */
			assert_int_equal(seen.inits[i], i != failing);
			assert_int_equal(seen.finishes[i], i != failing);
			assert_int_equal(lanes[i].counted, 0);
		}
		assert_int_equal(seen.calls[failing], 0);
	}
}

static void
test_hard_deadline(void **state)
{
	static const unsigned int ms[] = { 0, 1, 20 };

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(ms); i++) {
		prepare(spin, 0);
		slice.count_cycles = FOREVER;
		slice.hard_deadline = rte_rdtsc() + rte_get_tsc_hz() / 1000 * ms[i];
		assert_int_equal(run_slice(), STINT_SLICE_CUT);
		assert_true(rte_rdtsc() >= slice.hard_deadline);
		assert_cut(NULL);
		assert_finished();
	}
}

/* Cuts the slice when it counts, or if it has to come to the rescue. */
struct cutter {
	pthread_t thread;
	_Atomic bool stop;
	unsigned int after_s; /* 0: as soon as lanes count */
	_Atomic bool rescued;
};

static void *
cut(void *arg)
{
	struct cutter *c = arg;
	time_t limit = time(NULL) + (time_t)c->after_s;

	while (!atomic_load(&c->stop)) {
		bool counting = atomic_load(&slice.phase) == STINT_SLICE_COUNT;

		if (c->after_s > 0 ? time(NULL) > limit : counting) {
			atomic_store(&c->rescued, c->after_s > 0);
			stint_slice_cut(&slice);
			break;
		}
		sched_yield();
	}
	return NULL;
}

static enum stint_slice_phase
run_slice_with(struct cutter *c)
{
	enum stint_slice_phase phase;

	assert_int_equal(pthread_create(&c->thread, NULL, cut, c), 0);
	phase = run_slice();
	atomic_store(&c->stop, true);
	pthread_join(c->thread, NULL);
	return phase;
}

static void
test_cut_from_another_thread(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 5; i++) {
		struct cutter cutter = { 0 };

		prepare(spin, 0);
		slice.count_cycles = FOREVER;
		assert_int_equal(run_slice_with(&cutter), STINT_SLICE_CUT);
		assert_cut(NULL);
		assert_finished();
	}
}

/* A reader that waits for a writer which is not there. */
static uint64_t
wait_for_stop(struct stint_worker *w, uint64_t ops)
{
	atomic_fetch_add(&seen.calls[w->index], 1);
	while (!stint_stopping(w))
		rte_pause();
	return ops;
}

/* The budget ends for bodies that wait, too: for all lanes, or all but one. */
static void
run_waiting_lanes(unsigned int waiting)
{
	struct cutter cutter = { .after_s = 5 };

	prepare(spin, 0);
	for (unsigned int i = slice.n - waiting; i < slice.n; i++)
		lanes[i].job.run = wait_for_stop;
	slice.count_cycles = FOREVER;
	slice.hard_deadline = rte_rdtsc() + rte_get_tsc_hz() / 100;
	assert_int_equal(run_slice_with(&cutter), STINT_SLICE_CUT);
	assert_false(cutter.rescued);
	assert_cut(NULL);
	assert_finished();
}

static void
test_one_lane_waits(void **state)
{
	(void)state;
	run_waiting_lanes(1);
}

static void
test_all_but_one_wait(void **state)
{
	(void)state;
	run_waiting_lanes(eal_machine.n_lcores - 1);
}

static void
test_all_wait(void **state)
{
	(void)state;
	run_waiting_lanes(eal_machine.n_lcores);
}

/* Gives its CPU away in the middle: others that get it must not come in. */
static uint64_t
spin_and_yield(struct stint_worker *w, uint64_t ops)
{
	unsigned int inside = atomic_fetch_add(&seen.inside, 1) + 1;
	unsigned int most = atomic_load(&seen.most_inside);

	while (inside > most && !atomic_compare_exchange_weak(&seen.most_inside, &most, inside))
		;
	for (unsigned int i = 0; i < 10; i++)
		sched_yield();
	spin(w, ops);
	atomic_fetch_sub(&seen.inside, 1);
	return ops;
}

static int
init_and_yield(struct stint_worker *w)
{
	spin_and_yield(w, 1);
	return init_worker(w);
}

static void
finish_and_yield(struct stint_worker *w)
{
	spin_and_yield(w, 1);
	finish(w);
}

/* No more lanes are inside than there are CPUs, where they share some. */
static void
test_turns(void **state)
{
	(void)state;
	prepare(spin_and_yield, 20);
	test.worker_init = init_and_yield;
	for (unsigned int i = 0; i < slice.n; i++)
		lanes[i].job.finish = finish_and_yield;
	assert_int_equal(run_slice(), STINT_SLICE_DONE);
	assert_in_range(seen.most_inside, 1, n_cpus);
	assert_finished();
	for (unsigned int i = 0; i < slice.n; i++)
		assert_true(lanes[i].counted > 0);
}

#define PHASE_OPS 3000

/* A phase takes PHASE_OPS; which is under way stands in `next_phase`, how far it is in `ops`. */
static uint64_t
two_phases(struct stint_worker *w, uint64_t ops)
{
	uint64_t done = atomic_load(&seen.ops[w->index]) % PHASE_OPS;
	uint64_t now = RTE_MIN(ops, PHASE_OPS - done);

	w->phase = w->next_phase;
	spin(w, now);
	if (done + now == PHASE_OPS)
		w->next_phase = 3 - w->phase;
	return now;
}

/* Counted from its beginning to its end, whatever the lengths of batches. */
static void
test_only_phase(void **state)
{
	(void)state;
	for (unsigned int phase = 1; phase <= 2; phase++) {
		prepare(two_phases, 0);
		slice.count_cycles = FOREVER;
		slice.only_phase = phase;
		for (unsigned int i = 0; i < slice.n; i++) {
			lanes[i].job.phases = 2;
			lanes[i].job.cycle_ops = UINT64_C(2) * PHASE_OPS;
			lanes[i].worker.phase = lanes[i].worker.next_phase = phase;
		}
		assert_int_equal(run_slice(), STINT_SLICE_DONE);
		assert_finished();
		for (unsigned int i = 0; i < slice.n; i++) {
			assert_int_equal(lanes[i].phase[phase].ops, PHASE_OPS);
			assert_true(lanes[i].phase[phase].cycles > 0);
			assert_int_equal(lanes[i].phase[3 - phase].ops, 0);
			assert_int_equal(lanes[i].phase[STINT_PHASE_WHOLE].ops, 0);
		}
	}
}

/* Each batch of the first phase takes longer than the slice; only the second one is wanted. */
static uint64_t
late_phase(struct stint_worker *w, uint64_t ops)
{
	uint64_t end = rte_rdtsc() + slice.count_cycles * 2;

	if (atomic_fetch_add(&seen.calls[w->index], 1) % 2 == 0) {
		while (rte_rdtsc() < end)
			rte_pause();
		w->phase = 1;
		w->next_phase = 2;
	} else {
		w->phase = 2;
		w->next_phase = 1;
	}
	return ops;
}

static void
test_phase_after_deadline(void **state)
{
	(void)state;
	prepare(late_phase, 1);
	slice.only_phase = 2;
	for (unsigned int i = 0; i < slice.n; i++) {
		lanes[i].job.phases = 2;
		lanes[i].job.counted_phases = STINT_PHASE(2);
		lanes[i].worker.phase = lanes[i].worker.next_phase = 2;
	}
	assert_int_equal(run_slice(), STINT_SLICE_DONE);
	for (unsigned int i = 0; i < slice.n; i++)
		assert_true(lanes[i].phase[2].ops > 0);
}

static int
run_group(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_lane_counts),
		cmocka_unit_test(test_slices_add_up),
		cmocka_unit_test(test_worker_fails),
		cmocka_unit_test(test_all_fail),
		cmocka_unit_test(test_first_message_stays),
		cmocka_unit_test(test_init_fails),
		cmocka_unit_test(test_hard_deadline),
		cmocka_unit_test(test_cut_from_another_thread),
		cmocka_unit_test(test_one_lane_waits),
		cmocka_unit_test(test_all_but_one_wait),
		cmocka_unit_test(test_all_wait),
	};
	const struct CMUnitTest tests_apart[] = { cmocka_unit_test(test_only_phase),
						  cmocka_unit_test(test_phase_after_deadline) };
	const struct CMUnitTest tests_sharing[] = { cmocka_unit_test(test_turns) };
	int rc = cmocka_run_group_tests_name(apart ? "apart" : "sharing", tests, NULL, NULL);

	return rc + (apart ? cmocka_run_group_tests(tests_apart, NULL, NULL)
			   : cmocka_run_group_tests(tests_sharing, NULL, NULL));
}

static int
run_children(void)
{
	char cpus[1024];
	int rc;

	n_cpus = allowed_cpus(cpus, sizeof(cpus));
	rc = in_child_sharing(false, run_group);
	apart = true;
	if (n_cpus >= 2)
		rc |= in_child_apart(run_group);
	return rc;
}

int
main(void)
{
	return with_runtime_directory(run_children);
}
