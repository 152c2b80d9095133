/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_CLOCK_H
#define STINT_CLOCK_H

/**
 * @file
 * Clocks. Slices are timed by the TSC, budgets by CLOCK_MONOTONIC; the TSC's true rate is measured
 * against CLOCK_MONOTONIC_RAW from the start of the run on, because rte_get_tsc_hz() may be
 * rounded to 10 MHz (before 24.11) or wrong (virtual machines).
 */

#include <stdint.h>

#define STINT_SECOND_NS UINT64_C(1000000000)

struct stint_clock {
	uint64_t tsc, raw_ns; /* where measuring began */
	_Atomic double hz;    /* TSC cycles per second, as known so far */
};

/** Begin to measure. Takes some ms, for a first value of the rate. Any thread. */
void stint_clock_init(struct stint_clock *clock);

/** Measure the rate again, over all the time since the start. */
void stint_clock_update(struct stint_clock *clock);

double stint_clock_ns(const struct stint_clock *clock, uint64_t cycles);
uint64_t stint_clock_cycles(const struct stint_clock *clock, uint64_t ns);

/** CLOCK_MONOTONIC in ns. */
uint64_t stint_monotonic_ns(void);

#endif /* STINT_CLOCK_H */
