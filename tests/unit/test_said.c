/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <said.h>
#include <stint.h>

static json_t *
taken(struct stint_said *said)
{
	json_t *record = json_object();

	stint_said_take(said, record);
	return record;
}

static void
test_notes(void **state)
{
	struct stint_said said = { .notes = NULL };
	struct stint_fixture fx = { .said = &said };
	json_t *record, *notes;

	(void)state;
	stint_note(&fx, "port %d: loop", 1);
	stint_note(&fx, "port %d: loop", 2);
	stint_note(&fx, "port %d: loop", 1);
	record = taken(&said);
	notes = json_object_get(record, "notes");
	assert_int_equal(json_array_size(notes), 2);
	assert_string_equal(json_string_value(json_array_get(notes, 0)), "port 1: loop");
	assert_string_equal(json_string_value(json_array_get(notes, 1)), "port 2: loop");
	assert_null(json_object_get(record, "counts"));
	json_decref(record);
	for (unsigned int i = 0; i < 1000; i++)
		stint_note(&fx, "%u", i);
	record = taken(&said);
	assert_in_range(json_array_size(json_object_get(record, "notes")), 10, 100);
	json_decref(record);
}

static void
test_counts(void **state)
{
	struct stint_said said = { .notes = NULL };
	struct stint_fixture fx = { .said = &said };
	json_t *record, *counts;

	(void)state;
	stint_count(&fx, "frames lost", 0);
	stint_count(&fx, "foreign frames", UINT64_C(5000000000));
	stint_count(&fx, "foreign frames", 1);
	record = taken(&said);
	counts = json_object_get(record, "counts");
	assert_int_equal(json_object_size(counts), 1);
	assert_int_equal(json_integer_value(json_object_get(counts, "foreign frames")),
			 UINT64_C(5000000001));
	json_decref(record);
	/* taken is taken */
	record = taken(&said);
	assert_int_equal(json_object_size(record), 0);
	json_decref(record);
}

static void
test_setup(void **state)
{
	struct stint_said said = { .setup = STINT_SETUP_ERRNO };
	struct stint_fixture fx = { .said = &said }, alone = { .said = NULL };

	(void)state;
	assert_true(stint_setup_fail(&fx, "port %d: %s", 3, "start") < 0);
	assert_int_equal(said.setup, STINT_SETUP_FAILS);
	assert_string_equal(said.reason, "port 3: start");
	assert_true(stint_setup_skip(&fx, "%s", "none") < 0);
	assert_int_equal(said.setup, STINT_SETUP_SKIPS);
	assert_string_equal(said.reason, "none");
	/* a fixture of no run */
	stint_note(&alone, "nobody hears");
	stint_count(&alone, "nothing", 1);
	assert_true(stint_setup_fail(&alone, "nobody hears") < 0);
}

static void
test_failure(void **state)
{
	struct stint_said said = { .notes = NULL };
	struct stint_fixture fx = { .said = &said }, alone = { .said = NULL };

	(void)state;
	stint_fixture_fail(&fx, "%d samples", 7);
	stint_fixture_fail(&fx, "%d samples", 8);
	assert_string_equal(said.failure, "7 samples");
	stint_fixture_fail(&alone, "nobody hears");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_setup),
		cmocka_unit_test(test_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
