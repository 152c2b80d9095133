/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_common.h>

#include "ec/ec_codec.h"
#include "ec/ec_gf.h"
#include "ec/ec_sets.h"

/* ---- what the field is --------------------------------------------------------------------- */

/* powers of 2 by the polynomial 0x11d, from tables of Reed-Solomon codes of that field */
static void
test_field(void **state)
{
	static const uint8_t powers[][2] = { { 0, 1 },    { 1, 2 },     { 7, 128 },  { 8, 29 },
					     { 9, 58 },   { 16, 76 },   { 25, 3 },   { 50, 5 },
					     { 100, 17 }, { 128, 133 }, { 200, 28 }, { 254, 142 } };

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(powers); i++)
		assert_int_equal(ec_gf_pow(2, powers[i][0]), powers[i][1]);
	for (unsigned int a = 1; a < 256; a++)
		assert_int_equal(ec_gf_mul(a, ec_gf_inverse(a)), 1);
}

/* ---- sets as they are named ---------------------------------------------------------------- */

static void
test_set_text(void **state)
{
	static const struct {
		unsigned int n;
		size_t size;
		const char *text;
	} cases[] = { { 0, 8, "" },        { 2, 8, "10,11" },   { 2, 6, "10,11" },
		      { 3, 8, "10,1..." }, { 6, 8, "10,1..." }, { 2, 5, "1..." } };
	static const uint8_t set[] = { 10, 11, 12, 13, 14, 15 };

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		char text[8];

		ec_set_text(set, cases[i].n, text, cases[i].size);
		assert_string_equal(text, cases[i].text);
	}
}

/* ---- which Vandermonde codes repair all erasures ------------------------------------------- */

#define ROWS_MAX 5

static bool
singular(uint8_t a[ROWS_MAX][ROWS_MAX], unsigned int n)
{
	for (unsigned int c = 0; c < n; c++) {
		unsigned int p = c;
		uint8_t inverse;

		while (p < n && a[p][c] == 0)
			p++;
		if (p == n)
			return true;
		for (unsigned int i = c; i < n; i++) {
			uint8_t swap = a[c][i];

			a[c][i] = a[p][i];
			a[p][i] = swap;
		}
		inverse = ec_gf_inverse(a[c][c]);
		for (unsigned int r = c + 1; r < n; r++) {
			uint8_t factor = ec_gf_mul(a[r][c], inverse);

			for (unsigned int i = c; i < n && factor != 0; i++)
				a[r][i] ^= ec_gf_mul(factor, a[c][i]);
		}
	}
	return false;
}

/* All erasures are repaired if no square part of the parity's matrix is singular. */
static bool
repairs_all(unsigned int k, unsigned int m)
{
	static uint8_t matrix[256][256];

	for (unsigned int r = 0; r < m; r++) {
		for (unsigned int i = 0; i < k; i++)
			matrix[r][i] = ec_gf_vandermonde(r, i);
	}
	for (unsigned int n = 1; n <= RTE_MIN(k, m); n++) {
		uint8_t rows[EC_CHUNKS_MAX];

		ec_first_set(rows, n);
		do {
			uint8_t columns[EC_CHUNKS_MAX];

			ec_first_set(columns, n);
			do {
				uint8_t part[ROWS_MAX][ROWS_MAX];

				for (unsigned int r = 0; r < n; r++) {
					for (unsigned int c = 0; c < n; c++)
						part[r][c] = matrix[rows[r]][columns[c]];
				}
				if (singular(part, n))
					return false;
			} while (ec_next_set(columns, n, k));
		} while (ec_next_set(rows, n, m));
	}
	return true;
}

static bool
is_taken(unsigned int k, unsigned int m)
{
	struct ec_conf conf = { .codec = "isal", .technique = "vandermonde", .k = k, .m = m };
	char error[256];

	return ec_check(&conf, error, sizeof(error)) == 0;
}

/* The largest of each kind, and those next to them; what is smaller is a part of these. */
static void
test_vandermonde_limits(void **state)
{
	static const struct {
		unsigned int k, m;
		bool repairs;
	} cases[] = {
		{ 100, 3, true }, { 253, 2, true }, { 21, 4, true }, { 22, 4, false },
		{ 3, 100, true }, { 2, 254, true }, { 4, 21, true }, { 4, 22, false },
		{ 5, 5, true },   { 5, 6, false },  { 6, 5, false },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		assert_int_equal(repairs_all(cases[i].k, cases[i].m), cases[i].repairs);
		assert_int_equal(is_taken(cases[i].k, cases[i].m), cases[i].repairs);
	}
	assert_true(is_taken(253, 3) && is_taken(3, 253) && is_taken(255, 1));
}

/* All small codes that are taken repair all; those that are not, do not. */
static void
test_vandermonde_small(void **state)
{
	(void)state;
	for (unsigned int k = 1; k <= 12; k++) {
		for (unsigned int m = 1; m <= ROWS_MAX; m++)
			assert_int_equal(is_taken(k, m), repairs_all(k, m));
	}
}

/* ---- what is refused ----------------------------------------------------------------------- */

static void
test_refused(void **state)
{
	static const struct {
		struct ec_conf conf;
		const char *word;
	} cases[] = {
		{ { "nosuch", NULL, 4, 2, 0, 0, 0 },
		  "codec=nosuch: there are isal, jerasure, lrc" },
		{ { "isal", "liberation", 4, 2, 0, 0, 0 }, "technique=liberation: isal has" },
		{ { "isal", NULL, 0, 2, 0, 0, 0 }, "k=0: at least 1" },
		{ { "isal", NULL, 4, 0, 0, 0, 0 }, "m=0: at least 1" },
		{ { "isal", "cauchy", 255, 2, 0, 0, 0 }, "k + m is at most 256" },
		{ { "isal", "vandermonde", 22, 4, 0, 0, 0 }, "technique=cauchy" },
		{ { "isal", "xor", 4, 2, 0, 0, 0 }, "m=2: technique xor has m = 1" },
		{ { "isal", "cauchy", 4, 2, 3, 0, 0 }, "l=3: isal has none" },
		{ { "isal", "cauchy", 4, 2, 0, 8, 0 }, "w=8: isal has none" },
		{ { "isal", "cauchy", 4, 2, 0, 0, 8 }, "packetsize=8: isal has none" },
		{ { "jerasure", "reed_sol_van", 4, 2, 0, 7, 0 }, "8, 16 or 32" },
		{ { "jerasure", "reed_sol_van", 254, 3, 0, 8, 0 }, "k + m is at most 256" },
		{ { "jerasure", "reed_sol_van", 4, 2, 0, 8, 64 }, "packetsize=64: technique" },
		{ { "jerasure", "reed_sol_van", 4, 2, 2, 8, 0 }, "l=2: jerasure has none" },
		{ { "jerasure", "reed_sol_r6_op", 4, 3, 0, 8, 0 }, "m=3: technique" },
		{ { "jerasure", "cauchy_orig", 7, 2, 0, 3, 8 }, "k + m <= 2^w" },
		{ { "jerasure", "cauchy_good", 4, 2, 0, 33, 8 }, "w=33" },
		{ { "jerasure", "cauchy_good", 4, 2, 0, 1, 8 }, "w=1" },
		{ { "jerasure", "cauchy_good", 4, 2, 0, 8, 12 }, "packetsize=12: a multiple of 8" },
		{ { "jerasure", "liberation", 4, 2, 0, 8, 8 }, "a prime" },
		{ { "jerasure", "liberation", 8, 2, 0, 7, 8 }, "k <= w" },
		{ { "jerasure", "liberation", 4, 1, 0, 7, 8 }, "m=1: technique" },
		{ { "jerasure", "blaum_roth", 4, 2, 0, 7, 8 }, "one less than a prime" },
		{ { "jerasure", "liber8tion", 9, 2, 0, 8, 8 }, "k <= 8" },
		{ { "jerasure", "liber8tion", 4, 2, 0, 7, 8 }, "w=7" },
		{ { "lrc", NULL, 4, 2, 0, 0, 0 }, "l=0: divides k + m = 6" },
		{ { "lrc", NULL, 4, 2, 4, 0, 0 }, "l=4: divides k + m = 6" },
		{ { "lrc", NULL, 4, 2, 2, 0, 0 }, "evenly" },
		{ { "lrc", "isal", 8, 5, 13, 8, 0 }, "w=8: layers of isal have none" },
		{ { "lrc", "jerasure", 4, 2, 3, 8, 64 }, "packetsize=64: layers" },
		{ { "isal", "cauchy", 2, 1, 0, 0, 0, "DD_", "DDc" }, "isal has none" },
		{ { "lrc", "isal", 2, 1, 0, 0, 0, "DD_", "" }, "none makes chunk 2" },
		{ { "lrc", "isal", 2, 1, 3, 0, 0, "DD_", "DDc" }, "no l" },
		{ { "lrc", "isal", 2, 1, 0, 0, 0, "", "DDc" }, "both" },
		{ { "lrc", "isal", 2, 1, 0, 0, 0, "DDx", "DDc" }, "3 letters" },
		{ { "lrc", "isal", 2, 1, 0, 0, 0, "DD__", "DDc_" }, "3 letters" },
		{ { "lrc", "isal", 2, 1, 0, 0, 0, "DDD", "DDc" }, "not 3" },
		{ { "lrc", "isal", 2, 1, 0, 0, 0, "DD_", "DD_" }, "no c" },
		{ { "lrc", "isal", 2, 1, 0, 0, 0, "DD_", "DcD" }, "that is there" },
		{ { "lrc", "isal", 2, 1, 0, 0, 0, "DD_", "DDc,DDc" }, "that is there" },
		{ { "lrc", "isal", 2, 1, 0, 0, 0, "DD_", "DDcD" }, "3 letters" },
	};
	struct ec_conf conf;
	char error[256];

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		conf = cases[i].conf;
		error[0] = '\0';
		assert_int_equal(ec_check(&conf, error, sizeof(error)), -EINVAL);
		if (strstr(error, cases[i].word) == NULL)
			fail_msg("\"%s\" is not in \"%s\"", cases[i].word, error);
	}
}

/* What is not given is the usual, or what takes so many chunks. */
static void
test_defaults(void **state)
{
	static const struct {
		struct ec_conf conf;
		const char *technique;
		unsigned int w, packetsize, unit;
	} cases[] = {
		{ { "isal", NULL, 4, 2, 0, 0, 0 }, "vandermonde", 0, 0, 1 },
		{ { "jerasure", NULL, 4, 2, 0, 0, 0 }, "reed_sol_van", 8, 0, 8 },
		{ { "jerasure", "liberation", 4, 2, 0, 0, 0 }, "liberation", 7, 512, 7 * 512 },
		{ { "jerasure", "liberation", 8, 2, 0, 0, 0 }, "liberation", 11, 512, 11 * 512 },
		{ { "jerasure", "blaum_roth", 8, 2, 0, 0, 8 }, "blaum_roth", 10, 8, 80 },
		{ { "lrc", NULL, 4, 2, 3, 0, 0 }, "isal", 0, 0, 1 },
		/* sums take any bytes, the layer over all words of 8 */
		{ { "lrc", "jerasure", 4, 2, 3, 0, 0 }, "jerasure", 0, 0, 8 },
	};
	char error[256];

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct ec_conf conf = cases[i].conf;

		assert_int_equal(ec_check(&conf, error, sizeof(error)), 0);
		assert_string_equal(conf.technique, cases[i].technique);
		assert_int_equal(conf.w, cases[i].w);
		assert_int_equal(conf.packetsize, cases[i].packetsize);
		assert_int_equal(conf.unit, cases[i].unit);
	}
}

/* ---- sizes of chunks, groups --------------------------------------------------------------- */

static void
test_chunk_bytes(void **state)
{
	static const struct {
		unsigned int k, unit;
		size_t object, chunk;
	} cases[] = {
		{ 4, 1, 4096, 1024 }, { 3, 1, 4096, 1366 },    { 4, 8, 1, 8 },
		{ 4, 8, 1000, 256 },  { 2, 3584, 4096, 3584 }, { 1, 1, 1, 1 },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct ec_conf conf = { .k = cases[i].k, .unit = cases[i].unit };

		assert_int_equal(ec_chunk_bytes(&conf, cases[i].object), cases[i].chunk);
	}
}

/* k=4 m=2 l=3: chunks 0 1 4 and their sum 6, 2 3 5 and theirs, 7 */
static void
test_groups(void **state)
{
	const struct ec_conf conf = { .codec = "lrc", .k = 4, .m = 2, .l = 3 };
	static const struct {
		uint8_t n, erased[6], n_sources, sources[6];
	} cases[] = {
		{ 1, { 0 }, 3, { 1, 4, 6 } },
		{ 1, { 4 }, 3, { 0, 1, 6 } },
		{ 1, { 7 }, 3, { 2, 3, 5 } },
		{ 2, { 0, 2 }, 6, { 1, 4, 6, 3, 5, 7 } },
		/* two of a group: the code over all */
		{ 2, { 0, 1 }, 4, { 2, 3, 4, 5 } },
		/* three of a group: one by all, with its sum last */
		{ 3, { 0, 1, 6 }, 4, { 2, 3, 4, 5 } },
	};
	static const uint8_t lost[][5] = { { 0, 1, 4, 6 }, { 0, 1, 4, 2, 3 } };
	struct ec_code code;
	struct ec_plan plan;
	char error[256];

	(void)state;
	if (ec_missing(&conf) != NULL)
		skip();
	assert_int_equal(ec_open(&code, &conf, error, sizeof(error)), 0);
	assert_int_equal(code.n, 8);
	assert_int_equal(ec_plan_init(&plan, &code, code.n), 0);
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		assert_int_equal(ec_plan_repair(&plan, cases[i].erased, cases[i].n), 0);
		assert_int_equal(plan.n_sources, cases[i].n_sources);
		assert_memory_equal(plan.sources, cases[i].sources, plan.n_sources);
	}
	for (unsigned int i = 0; i < RTE_DIM(lost); i++)
		assert_int_equal(ec_plan_repair(&plan, lost[i], i + 4), -EINVAL);
	ec_plan_free(&plan);
	ec_close(&code);
}

/* ---- plans that cannot be made ------------------------------------------------------------- */

static int init_rc, repair_rc;
static unsigned int freed;

static int
fake_init(struct ec_plan *plan, unsigned int targets_max)
{
	(void)plan;
	(void)targets_max;
	return init_rc;
}

static int
fake_repair(struct ec_plan *plan, const uint8_t *erased, unsigned int n)
{
	(void)plan;
	(void)erased;
	(void)n;
	return repair_rc;
}

static void
fake_free(struct ec_plan *plan)
{
	(void)plan;
	freed++;
}

/* A codec releases what it has when it fails; nobody else does so once more. */
static void
test_failing_plans(void **state)
{
	static const struct ec_codec codec = { .plan_init = fake_init,
					       .plan_repair = fake_repair,
					       .plan_free = fake_free };
	const struct ec_code code = { .codec = &codec, .k = 2, .m = 1, .n = 3 };
	static const struct {
		int init_rc, repair_rc;
		unsigned int freed;
	} cases[] = { { 0, 0, 1 }, { -ENOMEM, 0, 0 }, { 0, -ENOMEM, 1 } };

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct ec_plan plan;

		init_rc = cases[i].init_rc;
		repair_rc = cases[i].repair_rc;
		freed = 0;
		assert_int_equal(ec_plan_encode(&plan, &code), init_rc + repair_rc);
		ec_plan_free(&plan);
		assert_int_equal(freed, cases[i].freed);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_field),
		cmocka_unit_test(test_set_text),
		cmocka_unit_test(test_vandermonde_limits),
		cmocka_unit_test(test_vandermonde_small),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_chunk_bytes),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_failing_plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
