/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_AUTOTESTS_RANDOM_H
#define STINT_AUTOTESTS_RANDOM_H

/**
 * @file
 * Random operands that a seed repeats. Not for secrets.
 */

#include <stdint.h>

#include <stint.h>

/** The top bits of `r` as a number of exactly `width` bits, 1 to 64: its highest bit is set. */
static inline uint64_t
random_of_width(uint64_t r, unsigned int width)
{
	return (r | UINT64_C(1) << 63) >> (64 - width);
}

/** A divisor for any random number: 0, which would trap, becomes the largest one. */
static inline uint32_t
random_divisor_u32(uint32_t r)
{
	return r != 0 ? r : UINT32_MAX;
}

/** See random_divisor_u32(). */
static inline uint64_t
random_divisor_u64(uint64_t r)
{
	return r != 0 ? r : UINT64_MAX;
}

#endif /* STINT_AUTOTESTS_RANDOM_H */
