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

#elif defined(RTE_ARCH_ARM64)

/*
 * The generic timer, which all cores share. A load fence is not enough: it orders accesses to
 * memory, which reading the counter is not.
 */
static inline uint64_t
stint_stamp_begin(void)
{
	uint64_t now;

	__asm__ volatile("dsb ish\n\tisb" : : : "memory");
	now = rte_rdtsc();
	__asm__ volatile("isb" : : : "memory");
	return now;
}

static inline uint64_t
stint_stamp_end(void)
{
	return rte_rdtsc_precise();
}

#else

static inline uint64_t
stint_stamp_begin(void)
{
	uint64_t now = rte_rdtsc_precise();

	rte_mb();
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
