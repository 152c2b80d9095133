/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_STAMPS_H
#define STINT_STAMPS_H

/** @file What time stamps can tell: how finely the counter ticks, and what two stamps cost. */

#include <stdint.h>

/** In cycles of the counter; 0: it did not move. */
struct stint_stamp_cost {
	uint64_t resolution; /* all differences seen are multiples of it */
	double cost;         /* between a begin and an end with nothing in between */
};

/** The greatest number that both are multiples of; of 0 the other. Pure. */
uint64_t stint_stamp_common(uint64_t a, uint64_t b);

/** Measure on this lcore; takes less than a millisecond. */
struct stint_stamp_cost stint_stamp_measure(void);

#endif /* STINT_STAMPS_H */
