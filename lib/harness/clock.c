/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "clock.h"

#include <time.h>

#include <rte_cycles.h>
#include <rte_pause.h>

#define FIRST_NS 10000000
#define TRIES 5

static uint64_t
read_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * STINT_SECOND_NS + ts.tv_nsec;
}

uint64_t
stint_monotonic_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

/* Both clocks at one moment: the tightest of some tries, the TSC in the middle of its bracket. */
static void
read_both(uint64_t *tsc, uint64_t *raw_ns)
{
	uint64_t tightest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = rte_rdtsc_precise();
		uint64_t raw = read_ns(CLOCK_MONOTONIC_RAW);
		uint64_t width = rte_rdtsc_precise() - before;

		if (width >= tightest)
			continue;
		tightest = width;
		*tsc = before + width / 2;
		*raw_ns = raw;
	}
}

void
stint_clock_update(struct stint_clock *clock)
{
	uint64_t tsc = 0, raw_ns = 0;

	read_both(&tsc, &raw_ns);
	if (raw_ns > clock->raw_ns && tsc > clock->tsc)
		clock->hz = (double)(tsc - clock->tsc) * STINT_SECOND_NS / (raw_ns - clock->raw_ns);
}

void
stint_clock_init(struct stint_clock *clock)
{
	uint64_t until;

	read_both(&clock->tsc, &clock->raw_ns);
	clock->hz = STINT_SECOND_NS;
	until = clock->raw_ns + FIRST_NS;
	while (read_ns(CLOCK_MONOTONIC_RAW) < until)
		rte_pause();
	stint_clock_update(clock);
}

double
stint_clock_ns(const struct stint_clock *clock, uint64_t cycles)
{
	return cycles * (double)STINT_SECOND_NS / clock->hz;
}

uint64_t
stint_clock_cycles(const struct stint_clock *clock, uint64_t ns)
{
	return ns * clock->hz / STINT_SECOND_NS;
}
