/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_FLOOR_H
#define STINT_FLOOR_H

/**
 * @file
 * The floor: how long a cache line takes from the main lcore to another and back. Whatever two
 * lcores do together costs at least that, and on virtual machines it changes when CPUs move.
 */

#include <stdint.h>

#include "crew.h"

/**
 * Median over batches of the round trip in TSC cycles between the main lcore and crew member
 * `other`, which must have a CPU of its own. Takes 0.1 to 0.5 ms; over after 3 ms, and some time
 * slices of other processes, where these keep one of the lcores off its CPU. Main lcore.
 */
double stint_floor_cycles(struct stint_crew *crew, unsigned int other);

#endif /* STINT_FLOOR_H */
