/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef EC_GF_H
#define EC_GF_H

/**
 * @file
 * The field of 256 elements by x^8 + x^4 + x^3 + x^2 + 1, as plain as can be: what codecs are
 * checked against.
 */

#include <stdint.h>

/* x^8 is that */
#define EC_GF_REDUCED 0x1d

static inline uint8_t
ec_gf_mul(uint8_t a, uint8_t b)
{
	uint8_t product = 0;

	for (; b != 0; b >>= 1) {
		if (b & 1)
			product ^= a;
		a = (uint8_t)(a << 1) ^ (a & 0x80 ? EC_GF_REDUCED : 0);
	}
	return product;
}

static inline uint8_t
ec_gf_pow(uint8_t a, unsigned int n)
{
	uint8_t power = 1;

	for (; n > 0; n >>= 1) {
		if (n & 1)
			power = ec_gf_mul(power, a);
		a = ec_gf_mul(a, a);
	}
	return power;
}

/* The group has 255 elements. */
static inline uint8_t
ec_gf_inverse(uint8_t a)
{
	return ec_gf_pow(a, 254);
}

/** Coefficient of data chunk i in parity r of a Vandermonde code: the i-th power of 2^r. */
static inline uint8_t
ec_gf_vandermonde(unsigned int r, unsigned int i)
{
	return ec_gf_pow(ec_gf_pow(2, r), i);
}

/** The same of a Cauchy code of k chunks of data: 1 / (k + r + i), sums being those of the field.
 */
static inline uint8_t
ec_gf_cauchy(unsigned int k, unsigned int r, unsigned int i)
{
	return ec_gf_inverse((uint8_t)((k + r) ^ i));
}

#endif /* EC_GF_H */
