/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <rte_pause.h>

#include <stint.h>

static const struct stint_dim dims[] = { STINT_DIM_LCORES(1, STINT_ALL) };
static const struct stint_metric metrics[] = { { "pause", STINT_RATE, "pauses/s" } };

static uint64_t
run(struct stint_worker *w, uint64_t ops)
{
	for (uint64_t i = 0; i < ops; i++)
		rte_pause();
	return ops;
}

static struct stint_job
job(const struct stint_point *pt, unsigned int worker)
{
	return (struct stint_job){ .run = run };
}

STINT_PERF_TEST(pause_perf_autotest, 2, .summary = "the pause instruction",
		.dims = STINT_LIST(dims), .metrics = STINT_LIST(metrics), .job = job)
