/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* printed by the reference implementation (prng.di.unimi.it/splitmix64.c) for seed 1234567 */
static const uint64_t reference[] = {
	UINT64_C(6457827717110365317),  UINT64_C(3203168211198807973),
	UINT64_C(9817491932198370423),  UINT64_C(4593380528125082431),
	UINT64_C(16408922859458223821),
};

static void
sequence_is_the_published_one(void **state)
{
	uint64_t random = 1234567;

	(void)state;
	for (size_t i = 0; i < sizeof(reference) / sizeof(reference[0]); i++)
		assert_true(stint_random(&random) == reference[i]);
}

static void
same_seed_same_numbers(void **state)
{
	uint64_t one = 42, other = 42;

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_true(stint_random(&one) == stint_random(&other));
}

static void
width_is_exact(void **state)
{
	static const struct {
		uint64_t r;
		unsigned int width;
		uint64_t value;
	} cases[] = {
		{ 0, 1, 1 },
		{ UINT64_MAX, 1, 1 },
		{ 0, 2, 2 },
		{ UINT64_MAX, 2, 3 },
		{ 0, 32, 0x80000000 },
		{ UINT64_MAX, 32, UINT32_MAX },
		{ 0, 64, UINT64_C(1) << 63 },
		{ UINT64_MAX, 64, UINT64_MAX },
		{ UINT64_C(0x5a00000000000000), 8, 0xda },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(random_of_width(cases[i].r, cases[i].width) == cases[i].value);
}

static void
divisor_is_never_zero(void **state)
{
	(void)state;
	assert_true(random_divisor_u32(0) == UINT32_MAX);
	assert_true(random_divisor_u32(1) == 1);
	assert_true(random_divisor_u32(UINT32_MAX - 1) == UINT32_MAX - 1);
	assert_true(random_divisor_u32(UINT32_MAX) == UINT32_MAX);
	assert_true(random_divisor_u64(0) == UINT64_MAX);
	assert_true(random_divisor_u64(1) == 1);
	assert_true(random_divisor_u64(UINT64_MAX - 1) == UINT64_MAX - 1);
	assert_true(random_divisor_u64(UINT64_MAX) == UINT64_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequence_is_the_published_one),
		cmocka_unit_test(same_seed_same_numbers),
		cmocka_unit_test(width_is_exact),
		cmocka_unit_test(divisor_is_never_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
