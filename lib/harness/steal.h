/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_STEAL_H
#define STINT_STEAL_H

/** @file Time that the hypervisor took from the CPUs of the lcores. */

#include <sched.h>
#include <stdint.h>

struct stint_steal {
	cpu_set_t cpus;
	uint64_t read_ns;  /* CLOCK_MONOTONIC of the last reading */
	uint64_t total_ns; /* stolen since boot, as of then */
};

/** Begin to watch these CPUs. */
void stint_steal_init(struct stint_steal *steal, const cpu_set_t *cpus);

/**
 * Read again, if the last reading is 100 ms old: what was stolen since, and when that was. Called
 * by the main lcore between slices, when no lcore measures.
 */
uint64_t stint_steal_since(struct stint_steal *steal, uint64_t *from_ns, uint64_t *to_ns);

#endif /* STINT_STEAL_H */
