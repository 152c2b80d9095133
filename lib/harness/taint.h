/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_TAINT_H
#define STINT_TAINT_H

/** @file What disturbed a lcore while it counted. */

#include <stdbool.h>
#include <stdint.h>

struct stint_taint {
	uint64_t switches;       /* involuntary context switches */
	uint64_t faults;         /* page faults */
	uint64_t cpu_ns, sys_ns; /* of the thread */
	uint64_t window_cycles;  /* TSC; in which that was: counting, and a little around it */
	uint64_t gap_cycles;     /* longest between two clock reads */
	uint64_t probe_cycles;   /* of stint_probe_cycles(), the slower one of before and after */
	bool slow;               /* that is much slower than the fastest one seen on the lcore */
};

/** What the calling thread has had so far; gap and probe are 0. */
struct stint_taint stint_taint_read(void);

/** Add what the calling thread has had since `before` was read. */
void stint_taint_add_since(struct stint_taint *taint, const struct stint_taint *before);

/** Add up the taints of two lcores: sums, and the worst of what is no amount. */
void stint_taint_add(struct stint_taint *sum, const struct stint_taint *taint);

/**
 * TSC cycles of a short piece of code that keeps the CPU's execution units busy. It takes half as
 * long again and more while somebody else works on the other hyperthread of the core, which on a
 * virtual machine nothing else tells. Takes 1 us.
 */
uint64_t stint_probe_cycles(void);

#endif /* STINT_TAINT_H */
