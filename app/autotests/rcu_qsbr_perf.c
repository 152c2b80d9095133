/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "rcu_qsbr_perf.h"

/*
 * What RCU costs readers and writers, and how long a grace period is. Lcore 0 of a point is the
 * writer, if there is one, and all others are readers.
 */

#ifdef RTE_LIBRTE_RCU_DEBUG
#define LOCKS true
#else
#define LOCKS false
#endif

static const struct stint_param params[] = {
	{ "report_every", STINT_PARAM_UINT_LIST, "1,16,256,4096",
	  "lookups for each quiescent report", 1, 1 << 20, NULL },
};

/* in the order of DIM_CORES, ... */
static const struct stint_dim dims[] = {
	STINT_DIM_LCORES_DOUBLING,
	STINT_DIM_NAMES("what", "report", "lookup", "check", "online_offline", "lock_unlock",
			"register_unregister", "defer_queue"),
	STINT_DIM_NAMES("writer", "none", "waits", "polls"),
	STINT_DIM_NAMES("variables", "one", "groups"),
	STINT_DIM_PARAM("report_every"),
};

/* in the order of METRIC_LOOKUP, ... */
static const struct stint_metric metrics[] = {
	{ "lookup", STINT_COST, "cycles/lookup" },
	{ "update", STINT_COST, "cycles/update" },
	{ "grace period", STINT_LATENCY, "ns" },
	{ "report", STINT_COST, "cycles/report" },
	{ "check", STINT_COST, "cycles/check" },
	{ "pair of calls", STINT_COST, "cycles/pair" },
	{ "enqueue and reclaim", STINT_COST, "cycles/resource" },
};

/* Which writers there are beside what. */
static bool
has_writer(const struct stint_point *pt)
{
	uint64_t writer = pt->value[DIM_WRITER];

	switch (pt->value[DIM_WHAT]) {
	case WHAT_REPORT:
	case WHAT_LOOKUP:
		return writer == WRITER_NONE || pt->lcores > 1;
	case WHAT_CHECK:
	case WHAT_DEFER_QUEUE:
		return writer == WRITER_POLLS;
	default:
		return writer == WRITER_NONE;
	}
}

static int
admit(const struct stint_point *pt)
{
	uint64_t what = pt->value[DIM_WHAT];
	bool in_groups = pt->value[DIM_VARIABLES] == VARIABLES_GROUPS;

	if (!has_writer(pt))
		return STINT_LEAVE_OUT;
	/* a group of one reader is no group */
	if (in_groups &&
	    (what != WHAT_LOOKUP || pt->value[DIM_WRITER] == WRITER_NONE || pt->lcores < 3))
		return STINT_LEAVE_OUT;
	/* only lookups go on between two reports */
	if (what != WHAT_LOOKUP &&
	    pt->value[DIM_REPORT_EVERY] != stint_param_uint(pt, "report_every"))
		return STINT_LEAVE_OUT;
	if (pt->shares_cpus && pt->value[DIM_WRITER] == WRITER_WAITS)
		return stint_skip_point(pt, "lcores share CPUs: a check that waits would keep its "
					    "CPU from the readers that it waits for");
	if (!LOCKS && what == WHAT_LOCK)
		return stint_skip_point(pt, "rte_rcu_qsbr_lock() and unlock() are empty in a build "
					    "without RTE_LIBRTE_RCU_DEBUG");
	return in_groups || what > WHAT_CHECK ? 1 : 0;
}

static bool
is_writer(const struct stint_point *pt, unsigned int worker)
{
	if (pt->value[DIM_WHAT] == WHAT_CHECK)
		return true;
	return worker == 0 && pt->value[DIM_WRITER] != WRITER_NONE;
}

static int
worker_init(struct stint_worker *w)
{
	struct rcu_worker *st = w->state;

	st->fx = w->fixture->data;
	if (is_writer(w->point, w->index))
		stint_rcu_writer_init(w);
	else
		stint_rcu_reader_init(w);
	return 0;
}

static struct stint_job
job(const struct stint_point *pt, unsigned int worker)
{
	return is_writer(pt, worker) ? stint_rcu_writer_job(pt) : stint_rcu_reader_job(pt);
}

STINT_PERF_TEST(rcu_qsbr_perf_autotest, 20,
		.summary = "RCU: reports, lookups beside updates, checks, grace periods",
		.dims = STINT_LIST(dims), .metrics = STINT_LIST(metrics),
		.params = STINT_LIST(params), .worker_bytes = sizeof(struct rcu_worker),
		.admit = admit, .need = stint_rcu_need, .setup = stint_rcu_setup,
		.check = stint_rcu_check, .teardown = stint_rcu_teardown,
		.worker_init = worker_init, .job = job)
