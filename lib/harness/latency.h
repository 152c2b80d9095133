/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_LATENCY_H
#define STINT_LATENCY_H

/** @file Latencies: the recorders of the workers, and what they come to in a visit. Main lcore. */

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "sample.h"
#include "stint_stats.h"

/** Is the metric a latency that is recorded, and not a part of another one? Pure. */
bool stint_latency_recorded(const struct stint_test *test, unsigned int metric);

/** Bytes of one worker's recorders, one for each latency metric; 0: the test has none. Pure. */
size_t stint_latency_bytes(const struct stint_test *test);

/** Make recorders ready for use, of one worker: `memory` is zeroed. */
void stint_latency_init(const struct stint_test *test, struct stint_recorder *memory);

/** Let a worker record into them; `memory` is NULL if the test has no latency metric. */
void stint_latency_attach(struct stint_worker *w, struct stint_recorder *memory);

/**
 * Add up what the lanes recorded for a metric since the last time, and empty the recorders.
 * 0 or -ENOMEM.
 */
int stint_latency_take(struct stint_histogram *h, const struct stint_lane *lanes, unsigned int n,
		       unsigned int metric);

/** The `histogram` record of a visit. */
json_t *stint_latency_record(const struct stint_histogram *h, const struct stint_visit *visit,
			     unsigned int metric, const struct stint_clock *clock);

#endif /* STINT_LATENCY_H */
