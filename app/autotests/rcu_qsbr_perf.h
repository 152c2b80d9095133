/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_AUTOTESTS_RCU_QSBR_PERF_H
#define STINT_AUTOTESTS_RCU_QSBR_PERF_H

/** @file What the parts of rcu_qsbr_perf_autotest share. */

#include <stdatomic.h>

#include <rte_hash.h>
#include <rte_rcu_qsbr.h>

#include <stint.h>

enum { DIM_CORES, DIM_WHAT, DIM_WRITER, DIM_VARIABLES, DIM_REPORT_EVERY };
enum what {
	WHAT_REPORT,
	WHAT_LOOKUP,
	WHAT_CHECK,
	WHAT_ONLINE,
	WHAT_LOCK,
	WHAT_REGISTER,
	WHAT_DEFER_QUEUE
};
enum { WRITER_NONE, WRITER_WAITS, WRITER_POLLS };
enum { VARIABLES_ONE, VARIABLES_GROUPS };
enum {
	METRIC_LOOKUP,
	METRIC_UPDATE,
	METRIC_GRACE,
	METRIC_REPORT,
	METRIC_CHECK,
	METRIC_PAIR,
	METRIC_RESOURCE,
};

/** Reader groups with a QS variable of their own. */
#define RCU_GROUPS 4
/** Keys in the table; a power of two. */
#define RCU_KEYS 1024
/** Updates whose grace period is under way, where the writer does not wait. */
#define RCU_FLIGHTS 8
/** Resources that the defer queue holds: a power of two, less one. */
#define RCU_DEFERRED 1023

/** What a key is looked up for; on a cache line of its own. */
struct __rte_cache_aligned rcu_element {
	_Atomic uint32_t key; /**< that it belongs to; ~key once it is freed */
};

/** The fixture of all points of as many lcores. All threads are registered, and offline. */
struct rcu_fixture {
	struct rte_rcu_qsbr *all;                /**< a thread for each lcore */
	struct rte_rcu_qsbr *readers;            /**< for each but the writer; one lcore: `all` */
	struct rte_rcu_qsbr *groups[RCU_GROUPS]; /**< of the readers; those that there are */
	unsigned int n_groups;
	struct rte_rcu_qsbr *empty; /**< a thread for each lcore, none registered */
	struct rte_hash *hash;
	struct rcu_element *elements; /**< one for each key, and a spare one */
	/** The writer's: which element a key has, and which none has. */
	struct rcu_element *owned[RCU_KEYS], *spare;
	struct rte_rcu_qsbr_dq *dq; /**< on `readers` */
	uint64_t deferred, freed;   /**< resources that it took and gave back, so far */
};

/** An update whose grace period is under way. */
struct rcu_flight {
	uint64_t tokens[RCU_GROUPS];
	uint64_t begin; /**< TSC; 0: it is not timed */
	uint32_t key;
	int32_t position; /**< of the key in the table */
};

/** State of an lcore. */
struct rcu_worker {
	struct rcu_fixture *fx;
	struct rte_rcu_qsbr *v; /**< a reader's */
	unsigned int id;        /**< its thread there */
	uint32_t key;           /**< looked up or updated last */
	uint64_t report_every, until_report;
	uint64_t wrong; /**< what lookups gave differs from what is right in these bits */

	/* a writer's */
	struct rte_rcu_qsbr *const *variables; /**< that it checks */
	unsigned int n_variables;
	unsigned int timed_every, until_timed; /**< updates whose grace period is timed */
	uint64_t begun, done;                  /**< updates; flights[n % RCU_FLIGHTS] is number n */
	struct rcu_flight flights[RCU_FLIGHTS];
};

static inline unsigned int
rcu_group_count(unsigned int readers)
{
	return RTE_MIN(readers, (unsigned int)RCU_GROUPS);
}

void stint_rcu_need(const struct stint_point *pt, struct stint_need *need);
int stint_rcu_setup(const struct stint_point *pt, struct stint_fixture *fx);
int stint_rcu_check(struct stint_fixture *fx);
void stint_rcu_teardown(struct stint_fixture *fx);

/** Jobs of readers and of pairs of calls; `init` is a part of worker_init. */
struct stint_job stint_rcu_reader_job(const struct stint_point *pt);
void stint_rcu_reader_init(struct stint_worker *w);

/** Jobs of writers. */
struct stint_job stint_rcu_writer_job(const struct stint_point *pt);
void stint_rcu_writer_init(struct stint_worker *w);

#endif /* STINT_AUTOTESTS_RCU_QSBR_PERF_H */
