/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "floor.h"

#include <stdatomic.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_pause.h>

#include "stint_stats.h"

#define BATCHES 15
#define TRIPS 64

/* Odd values are served by ping, even ones answered by pong; one line, nothing else on it. */
struct __rte_cache_aligned court {
	char guard[RTE_CACHE_LINE_SIZE];
	_Atomic uint32_t ball;
	char guard2[2 * RTE_CACHE_LINE_SIZE - sizeof(uint32_t)];
	double cycles[BATCHES];
};

static void
await(struct court *court, uint32_t value)
{
	while (atomic_load_explicit(&court->ball, memory_order_acquire) != value)
		rte_pause();
}

static void
serve(struct court *court, uint32_t value)
{
	atomic_store_explicit(&court->ball, value, memory_order_release);
}

static void
ping(struct court *court)
{
	uint32_t value = 0;

	for (unsigned int b = 0; b < BATCHES; b++) {
		uint64_t begin = rte_rdtsc();

		for (unsigned int i = 0; i < TRIPS; i++) {
			serve(court, ++value);
			await(court, ++value);
		}
		court->cycles[b] = (double)(rte_rdtsc() - begin) / TRIPS;
	}
}

static void
play(void *arg, unsigned int index)
{
	struct court *court = arg;

	if (index == 0) {
		ping(court);
		return;
	}
	for (uint32_t value = 1; value < 2 * BATCHES * TRIPS; value += 2) {
		await(court, value);
		serve(court, value + 1);
	}
}

double
stint_floor_cycles(struct stint_crew *crew, unsigned int other)
{
	struct court court = { 0 };

	stint_crew_run_pair(crew, other, play, &court);
	/* the first batch waits for the other lcore to wake up */
	stint_sort(&court.cycles[1], BATCHES - 1);
	return stint_median(&court.cycles[1], BATCHES - 1);
}
