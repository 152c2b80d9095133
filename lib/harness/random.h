/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_RANDOM_H
#define STINT_RANDOM_H

/** @file Seeded randomness of the engine: orders, spacers, seeds of workers. Not for secrets. */

#include <stdint.h>

#include "stint.h"

/** A number below `limit`, which is small against 2^64; 0 if the limit is 0. */
static inline uint64_t
stint_random_below(uint64_t *state, uint64_t limit)
{
	return limit == 0 ? 0 : stint_random(state) % limit;
}

#endif /* STINT_RANDOM_H */
