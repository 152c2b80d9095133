/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* Parity of the codes of 256 symbols, against sums of products that are written here. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_common.h>

#include <stint.h>

#include "ec/ec_codec.h"
#include "ec/ec_gf.h"

#define CHUNKS_MAX 16
#define CHUNK_BYTES 1000
#define ALIGN 64

/* Coefficient of data chunk i in parity r, as the papers on these codes have it. */
static uint8_t
vandermonde(unsigned int k, unsigned int r, unsigned int i)
{
	(void)k;
	return ec_gf_vandermonde(r, i);
}

/* m = 1 and 2 of jerasure: sums, and powers of 2. */
static uint8_t
raid6(unsigned int k, unsigned int r, unsigned int i)
{
	(void)k;
	return r == 0 ? 1 : ec_gf_pow(2, i);
}

/* Rows of parity are numbered before columns of data: 1 / (r + (m + i)), with m = 2. */
static uint8_t
cauchy_orig(unsigned int k, unsigned int r, unsigned int i)
{
	(void)k;
	return ec_gf_inverse(r ^ (2 + i));
}

/*
 * reed_sol_van: the rows of powers of 0, 1, ..., and of infinity, are brought by column operations
 * to an identity above; then columns are scaled so that the first parity is a sum, and rows so that
 * their first coefficient is 1.
 */
static uint8_t
reed_sol_van(unsigned int k, unsigned int r, unsigned int i)
{
	uint8_t a[CHUNKS_MAX][CHUNKS_MAX];
	const unsigned int n = k + 2;

	/* the last row is that of infinity: 0, 0, ..., 1 */
	for (unsigned int row = 0; row < n; row++) {
		for (unsigned int c = 0; c < k; c++)
			a[row][c] = row == n - 1 ? c == k - 1 : c == 0 ? 1 : ec_gf_pow(row, c);
	}
	for (unsigned int d = 0; d < k; d++) {
		uint8_t inverse = ec_gf_inverse(a[d][d]);

		for (unsigned int row = 0; row < n; row++)
			a[row][d] = ec_gf_mul(a[row][d], inverse);
		for (unsigned int c = 0; c < k; c++) {
			uint8_t factor = a[d][c];

			for (unsigned int row = 0; row < n && c != d; row++)
				a[row][c] ^= ec_gf_mul(factor, a[row][d]);
		}
	}
	for (unsigned int c = 0; c < k; c++) {
		uint8_t inverse = ec_gf_inverse(a[k][c]);

		for (unsigned int row = k; row < n; row++)
			a[row][c] = ec_gf_mul(a[row][c], inverse);
	}
	return ec_gf_mul(a[k + r][i], ec_gf_inverse(a[k + r][0]));
}

static uint8_t
sum(unsigned int k, unsigned int r, unsigned int i)
{
	(void)k;
	(void)r;
	(void)i;
	return 1;
}

/* Techniques of bits: bit `bit` of symbol `at` of a chunk, in packets of bytes, w to a block. */
static uint8_t
symbol_of(const struct ec_conf *conf, const uint8_t *chunk, size_t at)
{
	size_t packet = RTE_MAX(conf->packetsize, 1u);
	size_t block = at / (8 * packet), bit = at % (8 * packet);
	uint8_t symbol = 0;

	if (conf->packetsize == 0)
		return chunk[at];
	for (unsigned int w = 0; w < 8; w++) {
		uint8_t byte = chunk[(block * 8 + w) * packet + bit / 8];

		symbol |= (byte >> (bit % 8) & 1) << w;
	}
	return symbol;
}

/* Chunks of one code, all in one piece of memory. */
struct chunks {
	size_t bytes;
	uint8_t *at[CHUNKS_MAX];
};

static void
encode(struct chunks *chunks, const struct ec_conf *conf)
{
	uint64_t random = 1;
	struct ec_plan plan;
	struct ec_code code;
	char error[256];
	size_t stride;

	if (ec_open(&code, conf, error, sizeof(error)) != 0)
		fail_msg("%s", error);
	assert_true(code.n <= CHUNKS_MAX);
	chunks->bytes = ec_chunk_bytes(&code.conf, CHUNK_BYTES * code.k);
	stride = RTE_ALIGN_CEIL(chunks->bytes, ALIGN);
	chunks->at[0] = aligned_alloc(ALIGN, code.n * stride);
	assert_non_null(chunks->at[0]);
	for (unsigned int i = 0; i < code.n; i++) {
		chunks->at[i] = chunks->at[0] + i * stride;
		for (size_t b = 0; b < chunks->bytes; b++)
			chunks->at[i][b] = stint_random(&random);
	}
	assert_int_equal(ec_plan_encode(&plan, &code), 0);
	ec_run(&plan, chunks->at, chunks->at, chunks->bytes);
	ec_plan_free(&plan);
	ec_close(&code);
}

static void
test_parity(void **state)
{
	static const struct {
		struct ec_conf conf;
		uint8_t (*coefficient)(unsigned int k, unsigned int r, unsigned int i);
	} cases[] = {
		{ { "isal", "vandermonde", 4, 4, 0, 0, 0 }, vandermonde },
		{ { "isal", "vandermonde", 8, 3, 0, 0, 0 }, vandermonde },
		{ { "isal", "cauchy", 5, 3, 0, 0, 0 }, ec_gf_cauchy },
		{ { "isal", "xor", 5, 1, 0, 0, 0 }, sum },
		{ { "jerasure", "reed_sol_r6_op", 6, 2, 0, 8, 0 }, raid6 },
		{ { "jerasure", "reed_sol_van", 4, 2, 0, 8, 0 }, reed_sol_van },
		{ { "jerasure", "reed_sol_van", 9, 2, 0, 8, 0 }, reed_sol_van },
		{ { "jerasure", "cauchy_orig", 4, 2, 0, 8, 8 }, cauchy_orig },
		{ { "jerasure", "cauchy_orig", 9, 2, 0, 8, 16 }, cauchy_orig },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		const struct ec_conf *conf = &cases[i].conf;
		struct chunks chunks;

		if (ec_missing(conf) != NULL)
			continue;
		encode(&chunks, conf);
		for (unsigned int r = 0; r < conf->m; r++) {
			for (size_t at = 0; at < chunks.bytes; at++) {
				uint8_t want = 0;

				for (unsigned int d = 0; d < conf->k; d++)
					want ^= ec_gf_mul(cases[i].coefficient(conf->k, r, d),
							  symbol_of(conf, chunks.at[d], at));
				if (symbol_of(conf, chunks.at[conf->k + r], at) != want)
					fail_msg("%s k=%u: parity %u, symbol %zu", conf->technique,
						 conf->k, r, at);
			}
		}
		free(chunks.at[0]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_parity) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
