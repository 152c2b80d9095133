/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_TURNS_H
#define STINT_TURNS_H

/**
 * @file
 * Turns of lcores that share CPUs. One that loses its CPU inside an operation may hold up all
 * others (a ring waits for those before it), and each would spin for a time slice of the scheduler
 * in every operation that it still has to do: 32 lcores on 2 CPUs were seen to stand for minutes.
 * So a CPU has one lcore at a time that is inside; another that gets the CPU meanwhile gives it
 * back at once.
 */

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct stint_turns {
	_Atomic bool taken[CPU_SETSIZE];
};

/** Begin a turn; yields the CPU until it is free. Returns the CPU, to be given back. */
static inline int
stint_turns_take(struct stint_turns *turns)
{
	int cpu = sched_getcpu();

	while (atomic_exchange_explicit(&turns->taken[cpu], true, memory_order_acquire)) {
		sched_yield();
		cpu = sched_getcpu();
	}
	return cpu;
}

/** End a turn, and let another lcore have the CPU. */
static inline void
stint_turns_give(struct stint_turns *turns, int cpu)
{
	atomic_store_explicit(&turns->taken[cpu], false, memory_order_release);
	sched_yield();
}

#endif /* STINT_TURNS_H */
