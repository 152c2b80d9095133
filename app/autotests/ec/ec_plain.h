/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef EC_PLAIN_H
#define EC_PLAIN_H

/**
 * @file
 * Sums and products over whole chunks in plain C: what results are checked against, so that a fault
 * of a library is not checked by itself. Chunks begin at a multiple of EC_PLAIN_ALIGN, and have
 * room up to one.
 */

#include <stddef.h>
#include <stdint.h>

#define EC_PLAIN_ALIGN 16

/** sums[r] += coefficients[r] * chunk, for n rows, in the field of 2^w elements; w: 8, 16 or 32. */
void ec_plain_add(uint8_t *const *sums, const uint32_t *coefficients, unsigned int n,
		  const uint8_t *chunk, unsigned int w, size_t bytes);

/**
 * One of w packets of each block of a chunk, of those of k chunks: `bits` has k * w for each of the
 * w packets.
 */
void ec_plain_packets(uint8_t *sum, uint8_t *const *chunks, unsigned int k, const int *bits,
		      unsigned int w, size_t packet_bytes, size_t bytes);

#endif /* EC_PLAIN_H */
