/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_AUTOTESTS_RCU_QSBR_H
#define STINT_AUTOTESTS_RCU_QSBR_H

#include <rte_rcu_qsbr.h>

#include <stint.h>

/**
 * A QS variable for `max_threads` threads, one or more, in exactly rte_rcu_qsbr_get_memsize()
 * bytes of the C heap, so that AddressSanitizer sees what lies beyond. To be freed by free();
 * NULL without memory.
 */
struct rte_rcu_qsbr *stint_rcu_qsbr_new(unsigned int max_threads);

/** What a check returns that did not get its memory. */
int stint_rcu_qsbr_no_memory(struct stint_fast *t);

/** Tokens: acknowledged when every online reader has reported, and not before. */
int stint_rcu_qsbr_tokens_check(struct stint_fast *t);

/** The defer queue gives back all that it took, in order, each after its grace period. */
int stint_rcu_qsbr_dq_check(struct stint_fast *t);

/** Readers never see what a writer has freed: in turns on one lcore, and on all at once. */
int stint_rcu_qsbr_readers_check(struct stint_fast *t);

#endif /* STINT_AUTOTESTS_RCU_QSBR_H */
