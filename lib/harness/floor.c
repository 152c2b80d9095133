/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "floor.h"

#include <stdatomic.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_pause.h>

#include "stint_stats.h"

#define BATCHES 120
#define TRIPS 8
/* Where others use the CPUs a trip may take a time slice of theirs. */
#define LIMIT_NS 3000000

/* Odd values are served by ping, even ones answered by pong; one line, nothing else on it. */
struct __rte_cache_aligned court {
	char guard[RTE_CACHE_LINE_SIZE];
	_Atomic uint32_t ball;
	char guard2[2 * RTE_CACHE_LINE_SIZE - sizeof(uint32_t)];
	double cycles[BATCHES];
	unsigned int batches;
	uint64_t limit_cycles;
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

/* Ends the game, which pong plays until then. */
#define OVER UINT32_MAX

static void
ping(struct court *court)
{
	uint64_t first = rte_rdtsc(), begin = first, end;
	uint32_t value = 0;

	while (court->batches < BATCHES && begin - first < court->limit_cycles) {
		for (unsigned int i = 0; i < TRIPS; i++) {
			serve(court, ++value);
			await(court, ++value);
		}
		end = rte_rdtsc();
		court->cycles[court->batches++] = (double)(end - begin) / TRIPS;
		begin = end;
	}
	serve(court, OVER);
}

static void
pong(struct court *court)
{
	uint32_t ball;

	for (uint32_t value = 1;; value += 2) {
		while ((ball = atomic_load_explicit(&court->ball, memory_order_acquire)) != value) {
			if (ball == OVER)
				return;
			rte_pause();
		}
		serve(court, value + 1);
	}
}

static void
play(void *arg, unsigned int index)
{
	if (index == 0)
		ping(arg);
	else
		pong(arg);
}

double
stint_floor_cycles(struct stint_crew *crew, unsigned int other)
{
	struct court court = { .limit_cycles = rte_get_tsc_hz() / 1000 * (LIMIT_NS / 1000000) };

	stint_crew_run_pair(crew, other, play, &court);
	/* the first batch waits for the other lcore to wake up */
	if (court.batches == 1)
		return court.cycles[0];
	stint_sort(&court.cycles[1], court.batches - 1);
	return stint_median(&court.cycles[1], court.batches - 1);
}
