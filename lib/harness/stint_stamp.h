/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_STAMP_H
#define STINT_STAMP_H

/**
 * @file
 * Time stamps for single operations. What stands before stint_stamp_begin() is over when it reads
 * the counter, what stands after it has not begun; stint_stamp_end() reads the counter when what
 * stands before it is over. Part of stint.h.
 */

#include <stdint.h>

#include <rte_atomic.h>
#include <rte_cycles.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef RTE_ARCH_X86

#include <x86intrin.h>

/* Stores have left too: else those of building a frame would hold up the store that sends it. */
static inline uint64_t
stint_stamp_begin(void)
{
	uint64_t now;

	_mm_mfence();
	_mm_lfence();
	now = rte_rdtsc();
	_mm_lfence();
	return now;
}

static inline uint64_t
stint_stamp_end(void)
{
	_mm_lfence();
	return rte_rdtsc();
}

#else

/* The generic timer of Arm: a barrier, and the counter that all cores share. */
static inline uint64_t
stint_stamp_begin(void)
{
	uint64_t now = rte_rdtsc_precise();

	rte_rmb();
	return now;
}

static inline uint64_t
stint_stamp_end(void)
{
	return rte_rdtsc_precise();
}

#endif

#ifdef __cplusplus
}
#endif

#endif /* STINT_STAMP_H */
