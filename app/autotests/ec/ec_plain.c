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

/* Many symbols at a time. Twice a symbol is a shift, reduced if its upper bit, the sign, was set.
 */
#define ADD(name, lane, sign, reduced)                                                           \
	typedef lane name##_lanes __attribute__((vector_size(EC_PLAIN_ALIGN)));                  \
	typedef sign name##_signs __attribute__((vector_size(EC_PLAIN_ALIGN)));                  \
                                                                                                 \
	static void name(uint8_t *sum, const uint8_t *chunk, uint32_t coefficient, size_t bytes) \
	{                                                                                        \
		name##_lanes *to = (name##_lanes *)sum;                                          \
		const name##_lanes *from = (const name##_lanes *)chunk;                          \
                                                                                                 \
		for (size_t i = 0; i * sizeof(*to) < bytes; i++) {                               \
			name##_lanes x = from[i], s = to[i];                                     \
                                                                                                 \
			for (uint32_t bits = coefficient; bits != 0; bits >>= 1) {               \
				if (bits & 1)                                                    \
					s ^= x;                                                  \
				x = (x + x) ^                                                    \
				    ((name##_lanes)((name##_signs)x < 0) & (lane)(reduced));     \
			}                                                                        \
			to[i] = s;                                                               \
		}                                                                                \
	}

ADD(add_8, uint8_t, int8_t, EC_GF_REDUCED)
ADD(add_16, uint16_t, int16_t, REDUCED_16)
ADD(add_32, uint32_t, int32_t, REDUCED_32)

void
ec_plain_add(uint8_t *sum, const uint8_t *chunk, uint32_t coefficient, unsigned int w, size_t bytes)
{
	if (w == 8)
		add_8(sum, chunk, coefficient, bytes);
	else if (w == 16)
		add_16(sum, chunk, coefficient, bytes);
	else
		add_32(sum, chunk, coefficient, bytes);
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
