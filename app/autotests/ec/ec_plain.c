/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ec_plain.h"

#include <string.h>

#include <rte_common.h>

#include "ec_gf.h"

/* Of the fields of 2^16 and 2^32 elements: what x^w is. */
#define REDUCED_16 0x100b
#define REDUCED_32 0x400007

/* Of so many bytes all multiples by powers of 2 are made at a time. */
#define BLOCK_BYTES 512

typedef uint64_t words __attribute__((vector_size(EC_PLAIN_ALIGN)));

/* Twice a symbol is a shift, reduced if its upper bit, the sign, was set. */
#define TWICE(name, lane, sign, reduced)                                         \
	typedef lane name##_lanes __attribute__((vector_size(EC_PLAIN_ALIGN)));  \
	typedef sign name##_signs __attribute__((vector_size(EC_PLAIN_ALIGN)));  \
                                                                                 \
	static void name(words *twice, const words *once)                        \
	{                                                                        \
		for (size_t i = 0; i < BLOCK_BYTES / sizeof(words); i++) {       \
			name##_lanes x = (name##_lanes)once[i];                  \
			name##_lanes over = (name##_lanes)((name##_signs)x < 0); \
                                                                                 \
			twice[i] = (words)((x + x) ^ (over & (lane)(reduced)));  \
		}                                                                \
	}

TWICE(twice_8, uint8_t, int8_t, EC_GF_REDUCED)
TWICE(twice_16, uint16_t, int16_t, REDUCED_16)
TWICE(twice_32, uint32_t, int32_t, REDUCED_32)

static void
add_block(words *sum, const words *block, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] ^= block[i];
}

void
ec_plain_add(uint8_t *const *sums, const uint32_t *coefficients, unsigned int n,
	     const uint8_t *chunk, unsigned int w, size_t bytes)
{
	void (*twice)(words *, const words *) = w == 8 ? twice_8 : w == 16 ? twice_16 : twice_32;
	words powers[32][BLOCK_BYTES / sizeof(words)];
	uint32_t all = 0;

	for (unsigned int r = 0; r < n; r++)
		all |= coefficients[r];
	memset(powers[0], 0, sizeof(powers[0]));
	for (size_t at = 0; at < bytes; at += BLOCK_BYTES) {
		size_t left = RTE_ALIGN_CEIL(bytes - at, (size_t)EC_PLAIN_ALIGN);
		size_t now = RTE_MIN(left, (size_t)BLOCK_BYTES);

		memcpy(powers[0], &chunk[at], now);
		for (unsigned int b = 0; all >> b != 0; b++) {
			for (unsigned int r = 0; r < n; r++) {
				if (coefficients[r] >> b & 1)
					add_block((words *)&sums[r][at], powers[b],
						  now / sizeof(words));
			}
			if (b + 1 < w && all >> (b + 1) != 0)
				twice(powers[b + 1], powers[b]);
			else
				break;
		}
	}
}

static void
add_packet(uint8_t *restrict sum, const uint8_t *restrict packet, size_t bytes)
{
	uint64_t *restrict to = (uint64_t *)sum;
	const uint64_t *restrict from = (const uint64_t *)packet;

	for (size_t i = 0; i < bytes / sizeof(*to); i++)
		to[i] ^= from[i];
}

void
ec_plain_packets(uint8_t *sum, uint8_t *const *chunks, unsigned int k, const int *bits,
		 unsigned int w, size_t packet_bytes, size_t bytes)
{
	memset(sum, 0, bytes);
	for (size_t block = 0; block < bytes; block += w * packet_bytes) {
		for (unsigned int i = 0; i < w * k * w; i++) {
			unsigned int to = i / (k * w), from = i % (k * w);

			if (bits[i] != 0)
				add_packet(&sum[block + to * packet_bytes],
					   &chunks[from / w][block + from % w * packet_bytes],
					   packet_bytes);
		}
	}
}
