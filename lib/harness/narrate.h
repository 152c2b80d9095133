/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_NARRATE_H
#define STINT_NARRATE_H

/**
 * @file
 * What is said while a test runs, line by line and flushed, so that a killed run shows where it
 * was. On a terminal one line that is written over takes the place of a line for each point.
 */

#include <stdint.h>

#include "plan.h"
#include "session.h"

void stint_narrate_test(struct stint_session *s, const struct stint_plan *plan);
void stint_narrate_round(struct stint_session *s, const struct stint_plan *plan, unsigned int round,
			 uint64_t left_ns);

/** A point of round one begins: names it, without the end of the line. */
void stint_narrate_point(struct stint_session *s, const struct stint_plan *plan,
			 const struct stint_cell *cell, unsigned int number, unsigned int round,
			 uint64_t left_ns);
/** It has ended, with this value (NaN: none). */
void stint_narrate_value(struct stint_session *s, unsigned int round, double value,
			 const char *unit);

/** The point that an early end has cut; NULL: none. Any thread. */
void stint_narrate_under_way(struct stint_session *s, const struct stint_cell *cell);

/** Wipe the progress line. */
void stint_narrate_clear(struct stint_session *s);

#endif /* STINT_NARRATE_H */
