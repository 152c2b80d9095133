/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "stamp.h"

#include <rte_common.h>

#include "stint_stamp.h"

/* The least of some means: what interrupts add is left out, and a coarse counter averaged. */
#define TRIES 32
#define PAIRS 128

uint64_t
stint_stamp_common(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

struct stint_stamp_cost
stint_stamp_measure(void)
{
	struct stint_stamp_cost cost = { .cost = 0 };
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < TRIES; i++) {
		uint64_t sum = 0;

		for (unsigned int k = 0; k < PAIRS; k++) {
			uint64_t begin = stint_stamp_begin();
			uint64_t took = stint_stamp_end() - begin;

			cost.resolution = stint_stamp_common(cost.resolution, took);
			sum += took;
		}
		least = RTE_MIN(least, sum);
	}
	cost.cost = (double)least / PAIRS;
	return cost;
}
