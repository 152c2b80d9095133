/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_cycles.h>

#define MS UINT64_C(1000000)
/* A loaded machine may disturb a measurement: the best of these counts. */
#define TRIES 5

/* The clock of the tests: CLOCK_MONOTONIC_RAW goes `speed` times as fast as it does. */
static struct {
	double speed;
	uint64_t begin_ns;
	unsigned int frozen; /* reads that give the same time */
	uint64_t frozen_ns;
	unsigned int asked; /* clocks, as a mask */
} fake = { .speed = 1 };

static uint64_t
real_ns(clockid_t id)
{
	struct timespec ts;

	assert_int_equal(syscall(SYS_clock_gettime, id, &ts), 0);
	return (uint64_t)ts.tv_sec * STINT_SECOND_NS + ts.tv_nsec;
}

static uint64_t
fake_ns(void)
{
	uint64_t now = real_ns(CLOCK_MONOTONIC_RAW);

	if (fake.frozen > 0) {
		fake.frozen--;
		return fake.frozen_ns;
	}
	return fake.begin_ns + (uint64_t)((now - fake.begin_ns) * fake.speed);
}

/* In place of the C library's. */
int
clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t ns;

	if (id >= 0 && id < 32)
		fake.asked |= 1u << id;
	if (id != CLOCK_MONOTONIC_RAW)
		return (int)syscall(SYS_clock_gettime, id, ts);
	ns = fake_ns();
	ts->tv_sec = (time_t)(ns / STINT_SECOND_NS);
	ts->tv_nsec = (long)(ns % STINT_SECOND_NS);
	return 0;
}

static void
set_speed(double speed)
{
	fake.begin_ns = real_ns(CLOCK_MONOTONIC_RAW);
	fake.speed = speed;
	fake.frozen = 0;
}

/* TSC and time at one moment, as near as it gets. */
static void
read_both(uint64_t *tsc, uint64_t *ns)
{
	uint64_t tightest = UINT64_MAX;

	for (unsigned int i = 0; i < 100; i++) {
		uint64_t before = rte_rdtsc_precise(), now = real_ns(CLOCK_MONOTONIC_RAW);
		uint64_t width = rte_rdtsc_precise() - before;

		if (width >= tightest)
			continue;
		tightest = width;
		*tsc = before + width / 2;
		*ns = now;
	}
}

/* Measures for so long; gives by how much the rate is off. */
static double
error_of(struct stint_clock *clock, unsigned int ms)
{
	uint64_t tsc[2] = { 0 }, ns[2] = { 0 };
	double right;

	read_both(&tsc[0], &ns[0]);
	stint_clock_init(clock);
	while (real_ns(CLOCK_MONOTONIC_RAW) < ns[0] + ms * MS)
		;
	stint_clock_update(clock);
	read_both(&tsc[1], &ns[1]);
	right = (double)(tsc[1] - tsc[0]) * STINT_SECOND_NS / (double)(ns[1] - ns[0]) / fake.speed;
	return fabs(clock->hz / right - 1);
}

static double
least_error(unsigned int ms)
{
	struct stint_clock clock;
	double least = error_of(&clock, ms);

	for (unsigned int i = 1; i < TRIES && least > 1e-4; i++)
		least = fmin(least, error_of(&clock, ms));
	return least;
}

/*
 * Whatever a TSC is said to run at, time is that of the monotonic clock. A TSC that goes at 2.0
 * GHz where 2.9 GHz are right, one that was rounded to 10 MHz (0.15 % off), and others.
 */
static void
follows_the_monotonic_clock(void **state)
{
	static const double speeds[] = { 2.9 / 2.0, 2.0 / 2.9, 1.0015, 0.99, 0.1, 20 };

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(speeds); i++) {
		double error;

		set_speed(speeds[i]);
		error = least_error(30);
		if (error > 0.001)
			fail_msg("speed %g: off by %g", speeds[i], error);
	}
}

static void
is_right_to_a_thousandth(void **state)
{
	(void)state;
	set_speed(1);
	assert_true(least_error(15) < 0.001);
	assert_true(least_error(100) < 0.001);
}

static void
assert_usable(const struct stint_clock *clock)
{
	assert_true(isfinite(clock->hz) && clock->hz > 0);
	assert_true(stint_clock_ns(clock, 0) == 0);
	assert_int_equal(stint_clock_cycles(clock, 0), 0);
	assert_true(isfinite(stint_clock_ns(clock, UINT64_MAX)));
}

/* An emulated TSC gives the same value twice, or an earlier one: the rate known so far stays. */
static void
tsc_that_stands_still(void **state)
{
	struct stint_clock clock;
	double hz;

	(void)state;
	set_speed(1);
	stint_clock_init(&clock);
	hz = clock.hz;
	for (unsigned int i = 0; i < 3; i++) {
		/* still now, or set back by some seconds, or by years */
		clock.tsc = rte_rdtsc() + (UINT64_C(1) << (20 + 16 * i));
		stint_clock_update(&clock);
		assert_true(clock.hz == hz);
		assert_usable(&clock);
	}
}

/* So does one of the clock that it is measured against. */
static void
time_that_stands_still(void **state)
{
	struct stint_clock clock;
	double hz;

	(void)state;
	set_speed(1);
	fake.frozen_ns = fake.begin_ns;
	fake.frozen = 1000;
	stint_clock_init(&clock);
	assert_usable(&clock);
	hz = clock.hz;
	fake.frozen_ns = clock.raw_ns;
	fake.frozen = 1000;
	stint_clock_update(&clock);
	assert_true(clock.hz == hz);
	assert_usable(&clock);
}

/* Budgets: not by the TSC, nor by a clock that somebody sets. */
static void
budgets_are_on_the_monotonic_clock(void **state)
{
	uint64_t begin, ours;

	(void)state;
	set_speed(20);
	fake.asked = 0;
	begin = real_ns(CLOCK_MONOTONIC);
	ours = stint_monotonic_ns();
	assert_int_equal(fake.asked, 1u << CLOCK_MONOTONIC);
	assert_in_range(ours, begin, real_ns(CLOCK_MONOTONIC));
}

/* Ten hours at any rate, there and back: to a microsecond. */
static void
long_times(void **state)
{
	static const double rates[] = { 1e6, 24e6, 1e9, 2596136241.0, 5.3e9 };
	const uint64_t ns = 36000 * STINT_SECOND_NS;

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(rates); i++) {
		struct stint_clock clock = { .hz = rates[i] };
		uint64_t cycles = stint_clock_cycles(&clock, ns);

		assert_true(fabs((double)cycles / rates[i] - 36000) < 1e-6);
		assert_true(fabs(stint_clock_ns(&clock, cycles) - (double)ns) < 1000);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_monotonic_clock),
		cmocka_unit_test(is_right_to_a_thousandth),
		cmocka_unit_test(tsc_that_stands_still),
		cmocka_unit_test(time_that_stands_still),
		cmocka_unit_test(budgets_are_on_the_monotonic_clock),
		cmocka_unit_test(long_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
