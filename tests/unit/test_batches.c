/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* How batches grow and shrink, for jobs whose operations may come to nothing and for phases. */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <batches.h>

#define TARGET 1000

static struct stint_lane lane;

static void
make_lane(unsigned int phases, unsigned int counted_phases, uint64_t cycle_ops)
{
	memset(&lane, 0, sizeof(lane));
	lane.job.phases = phases;
	lane.job.counted_phases = counted_phases;
	lane.job.cycle_ops = cycle_ops;
	for (unsigned int p = 0; p <= STINT_MAX_PHASES; p++)
		lane.batches.ops[p] = 1;
	lane.worker.phase = lane.worker.next_phase = phases > 0;
}

/* Polls that find nothing, each of `cycles`: batches take the wanted time all the same. */
static void
test_tried(void **state)
{
	static const uint64_t poll_cycles[] = { 1, 10, 100, TARGET, 100 * TARGET };

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(poll_cycles); i++) {
		uint64_t wanted = 0;
		bool right = false;

		make_lane(0, 0, 0);
		for (unsigned int n = 0; n < 64 && !right; n++) {
			wanted = stint_batch_wanted(&lane);
			right = stint_batch_adapt(&lane, TARGET, wanted, wanted,
						  wanted * poll_cycles[i]);
		}
		assert_true(right);
		if (poll_cycles[i] <= TARGET)
			assert_in_range(wanted * poll_cycles[i], TARGET / 2, 2 * TARGET);
		else
			assert_int_equal(wanted, 1);
	}
}

/* A body that does nothing and says so is asked for no more. */
static void
test_nothing(void **state)
{
	(void)state;
	make_lane(0, 0, 0);
	for (unsigned int n = 0; n < 1000; n++)
		stint_batch_adapt(&lane, TARGET, stint_batch_wanted(&lane), 0, 1);
	assert_in_range(stint_batch_wanted(&lane), 1, 2);
	/* nor divided by */
	for (unsigned int n = 0; n < 1000; n++)
		stint_batch_adapt(&lane, TARGET, stint_batch_wanted(&lane), 0, 0);
	assert_in_range(stint_batch_wanted(&lane), 1, 2);
}

/* Where a phase does not count, phases stay apart, however short they are. */
static void
test_phases_stay_apart(void **state)
{
	(void)state;
	for (unsigned int counted = 0; counted <= STINT_PHASE(2); counted += STINT_PHASE(2)) {
		bool right = false, whole = false;

		make_lane(2, counted, 64);
		for (unsigned int n = 0; n < 1000 && !whole; n++) {
			lane.worker.phase = lane.worker.next_phase;
			lane.worker.next_phase = 3 - lane.worker.phase;
			right = stint_batch_adapt(&lane, TARGET, 32, 32, TARGET / 10);
			whole = lane.worker.next_phase == 1 && stint_batch_wanted(&lane) >= 64;
		}
		assert_int_equal(whole, counted == 0);
		assert_int_equal(right, counted != 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tried),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_phases_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
