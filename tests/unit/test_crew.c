/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <rte_launch.h>

#include <crew.h>

#include "eal_child.h"

#define MEMBERS_MAX 4
#define HAND_OVERS 5000
#define LIMIT_S 30

/* Lcores have a CPU each, and spin. */
static bool apart;

struct calls {
	_Atomic unsigned int of[MEMBERS_MAX];
	_Atomic int tid[MEMBERS_MAX];
	_Atomic unsigned int lcore[MEMBERS_MAX];
};

static void
note(void *arg, unsigned int index)
{
	struct calls *calls = arg;

	atomic_fetch_add(&calls->of[index], 1);
	atomic_store(&calls->tid[index], gettid());
	atomic_store(&calls->lcore[index], rte_lcore_id());
}

static struct stint_crew *
launch(unsigned int n)
{
	struct stint_crew *crew = NULL;
	unsigned int busy = 0;

	assert_int_equal(stint_crew_launch(&crew, &eal_machine, n, &busy), 0);
	assert_non_null(crew);
	return crew;
}

static void
assert_calls(struct calls *calls, unsigned int n, unsigned int times)
{
	for (unsigned int i = 0; i < MEMBERS_MAX; i++)
		assert_int_equal(calls->of[i], i < n ? times : 0);
}

static void
test_all_members(void **state)
{
	struct stint_crew *crew = launch(eal_machine.n_lcores);

	(void)state;
	for (unsigned int n = 1; n <= eal_machine.n_lcores; n++) {
		struct calls calls = { 0 };

		stint_crew_run(crew, n, apart, note, &calls);
		assert_calls(&calls, n, 1);
		for (unsigned int i = 0; i < n; i++)
			assert_int_equal(calls.lcore[i], eal_machine.lcores[i].id);
		assert_int_equal(calls.tid[0], gettid());
	}
	assert_true(stint_crew_all_done(crew) > stint_crew_handed_over(crew));
	stint_crew_release(crew);
}

static void
assert_waiting(void)
{
	unsigned int id;

	RTE_LCORE_FOREACH_WORKER (id)
		assert_int_equal(rte_eal_get_lcore_state(id), WAIT);
}

static void
test_release(void **state)
{
	(void)state;
	for (unsigned int n = 1; n <= eal_machine.n_lcores; n++) {
		struct calls calls = { 0 };
		struct stint_crew *crew = launch(n);

		for (unsigned int i = 0; i < eal_machine.n_lcores; i++) {
			unsigned int id = eal_machine.lcores[i].id;

			if (i > 0)
				assert_int_equal(rte_eal_get_lcore_state(id),
						 i < n ? RUNNING : WAIT);
		}
		/* asleep, just run, or spinning */
		if (n % 2 == 0)
			stint_crew_run(crew, n, apart, note, &calls);
		stint_crew_release(crew);
		assert_waiting();
	}
	stint_crew_release(NULL);
}

static void
test_many_hand_overs(void **state)
{
	struct stint_crew *crew = launch(eal_machine.n_lcores);
	struct calls calls = { 0 };

	(void)state;
	for (unsigned int i = 0; i < HAND_OVERS; i++)
		stint_crew_run(crew, eal_machine.n_lcores, apart, note, &calls);
	assert_calls(&calls, eal_machine.n_lcores, HAND_OVERS);
	stint_crew_release(crew);
}

/* Points of different numbers of lcores take turns, the main lcore works alone between some. */
static void
test_changing_hand_overs(void **state)
{
	struct stint_crew *crew = launch(eal_machine.n_lcores);
	unsigned int want[MEMBERS_MAX] = { 0 };
	struct calls calls = { 0 };

	(void)state;
	for (unsigned int i = 0; i < HAND_OVERS; i++) {
		unsigned int n = 1 + i % eal_machine.n_lcores;
		bool spin = apart && i / 7 % 2 == 0;

		stint_crew_run(crew, n, spin, note, &calls);
		if (i % 5 == 0)
			stint_crew_rest(crew);
		/* all have returned when stint_crew_run() does */
		for (unsigned int k = 0; k < n; k++)
			want[k]++;
		for (unsigned int k = 0; k < eal_machine.n_lcores; k++)
			assert_int_equal(calls.of[k], want[k]);
	}
	stint_crew_release(crew);
}

static void
test_pair(void **state)
{
	struct stint_crew *crew = launch(eal_machine.n_lcores);

	(void)state;
	for (unsigned int other = 1; other < eal_machine.n_lcores; other++) {
		struct calls calls = { 0 };

		stint_crew_run_pair(crew, other, note, &calls);
		for (unsigned int i = 0; i < eal_machine.n_lcores; i++)
			assert_int_equal(calls.of[i], i == 0 || i == other);
	}
	stint_crew_release(crew);
}

/* A line of /proc/self/task/TID/status: what stands behind `key`. */
static void
task_status(int tid, const char *key, char *value, size_t size)
{
	char path[64], line[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	f = fopen(path, "r");
	assert_non_null(f);
	value[0] = '\0';
	while (fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, key, strlen(key)) == 0)
			memccpy(value, line + strlen(key), '\0', size);
	}
	fclose(f);
	assert_true(value[0] != '\0');
}

/* How often the kernel took a thread off its CPU: it stands still while the thread sleeps. */
static unsigned long
task_switches(int tid)
{
	char voluntary[64], other[64];

	task_status(tid, "voluntary_ctxt_switches:", voluntary, sizeof(voluntary));
	task_status(tid, "nonvoluntary_ctxt_switches:", other, sizeof(other));
	return strtoul(voluntary, NULL, 10) + strtoul(other, NULL, 10);
}

static void
await_asleep(int tid)
{
	time_t limit = time(NULL) + LIMIT_S;
	char state[64];

	do {
		sched_yield();
		task_status(tid, "State:", state, sizeof(state));
		assert_true(time(NULL) < limit);
	} while (strchr(state, 'S') == NULL);
}

/* A sleeping thread is not switched to while others work. */
static void
test_unused_members_sleep(void **state)
{
	struct stint_crew *crew = launch(eal_machine.n_lcores);
	unsigned int used = eal_machine.n_lcores / 2;
	unsigned long before[MEMBERS_MAX] = { 0 };
	struct calls calls = { 0 };

	(void)state;
	stint_crew_run(crew, eal_machine.n_lcores, apart, note, &calls);
	stint_crew_run(crew, used, apart, note, &calls);
	for (unsigned int i = used; i < eal_machine.n_lcores; i++) {
		await_asleep(calls.tid[i]);
		before[i] = task_switches(calls.tid[i]);
	}
	for (unsigned int i = 0; i < HAND_OVERS; i++)
		stint_crew_run(crew, used, apart, note, &calls);
	for (unsigned int i = used; i < eal_machine.n_lcores; i++) {
		assert_int_equal(task_switches(calls.tid[i]), before[i]);
		assert_int_equal(calls.of[i], 1);
	}
	/* and are there when they are needed */
	stint_crew_run(crew, eal_machine.n_lcores, apart, note, &calls);
	for (unsigned int i = used; i < eal_machine.n_lcores; i++)
		assert_int_equal(calls.of[i], 2);
	stint_crew_release(crew);
}

static void
test_rest(void **state)
{
	struct stint_crew *crew = launch(eal_machine.n_lcores);
	struct calls calls = { 0 };

	(void)state;
	stint_crew_run(crew, eal_machine.n_lcores, apart, note, &calls);
	stint_crew_rest(crew);
	for (unsigned int i = 1; i < eal_machine.n_lcores; i++)
		await_asleep(calls.tid[i]);
	stint_crew_run(crew, eal_machine.n_lcores, apart, note, &calls);
	assert_calls(&calls, eal_machine.n_lcores, 2);
	stint_crew_release(crew);
}

static int
wait_for_flag(void *arg)
{
	_Atomic bool *flag = arg;

	while (!atomic_load(flag))
		sched_yield();
	return 0;
}

/* Only lcores in state WAIT are taken, and those taken already are given back. */
static void
test_busy(void **state)
{
	(void)state;
	for (unsigned int taken = 1; taken < eal_machine.n_lcores; taken++) {
		unsigned int taken_id = eal_machine.lcores[taken].id, busy = 0;
		struct stint_crew *crew = NULL;
		_Atomic bool flag = false;

		assert_int_equal(rte_eal_remote_launch(wait_for_flag, &flag, taken_id), 0);
		assert_int_equal(
			stint_crew_launch(&crew, &eal_machine, eal_machine.n_lcores, &busy),
			-EBUSY);
		assert_int_equal(busy, taken_id);
		assert_null(crew);
		for (unsigned int i = 1; i < eal_machine.n_lcores; i++)
			assert_int_equal(rte_eal_get_lcore_state(eal_machine.lcores[i].id),
					 i == taken ? RUNNING : WAIT);
		/* those before it may be used */
		crew = launch(taken);
		stint_crew_release(crew);
		atomic_store(&flag, true);
		rte_eal_wait_lcore(taken_id);
	}
	stint_crew_release(launch(eal_machine.n_lcores));
}

static int
run_group(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_members),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_many_hand_overs),
		cmocka_unit_test(test_changing_hand_overs),
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_unused_members_sleep),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_busy),
	};

	return cmocka_run_group_tests_name(apart ? "apart" : "sharing", tests, NULL, NULL);
}

static int
run_children(void)
{
	return in_children_of_both_kinds(&apart, run_group);
}

int
main(void)
{
	return with_runtime_directory(run_children);
}
