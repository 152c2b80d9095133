/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ec_codec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cpuflags.h>

static const char *const techniques[] = { "vandermonde", "cauchy", "xor", NULL };

/*
 * A Vandermonde matrix below an identity is no code of maximum distance for all k and m. These are:
 * tests/unit/test_ec.c looks at all minors of small ones, and at those next to the limits.
 */
static const struct {
	unsigned int k_min, k_max, m_min, m_max;
} vandermonde_is_safe[] = {
	{ 1, EC_CHUNKS_MAX, 1, 3 },
	{ 1, 21, 4, 4 },
	{ 1, 3, 1, EC_CHUNKS_MAX },
	{ 4, 4, 1, 21 },
	{ 5, 5, 1, 5 },
};

static bool
is_safe(unsigned int k, unsigned int m)
{
	for (unsigned int i = 0; i < RTE_DIM(vandermonde_is_safe); i++) {
		if (k >= vandermonde_is_safe[i].k_min && k <= vandermonde_is_safe[i].k_max &&
		    m >= vandermonde_is_safe[i].m_min && m <= vandermonde_is_safe[i].m_max)
			return true;
	}
	return false;
}

static int
check(struct ec_conf *conf, char *error, size_t size)
{
	const struct {
		const char *name;
		unsigned int value;
	} others[] = { { "l", conf->l }, { "w", conf->w }, { "packetsize", conf->packetsize } };

	for (unsigned int i = 0; i < RTE_DIM(others); i++) {
		if (others[i].value == 0)
			continue;
		snprintf(error, size, "%s=%u: isal has none", others[i].name, others[i].value);
		return -EINVAL;
	}
	if (strcmp(conf->technique, "xor") == 0 && conf->m != 1) {
		snprintf(error, size, "m=%u: technique xor has m = 1", conf->m);
		return -EINVAL;
	}
	if (strcmp(conf->technique, "vandermonde") == 0 && !is_safe(conf->k, conf->m)) {
		snprintf(error, size,
			 "k=%u m=%u: technique vandermonde does not repair all erasures; it does "
			 "with m <= 3, m = 4 and k <= 21, k <= 3, k = 4 and m <= 21, k = 5 and "
			 "m <= 5; technique=cauchy does with any",
			 conf->k, conf->m);
		return -EINVAL;
	}
	return 0;
}

#ifdef STINT_HAVE_ISAL

#include <isa-l/erasure_code.h>
#include <isa-l/raid.h>

#include "ec_gf.h"
#include "ec_plain.h"

/* ec_init_tables() makes so many bytes of each coefficient. */
#define TABLE_BYTES 32
/* xor_gen() takes no less: two sources and what is made of them. */
#define XOR_VECTORS_MIN 3

struct isal {
	uint8_t *rows;   /* n of k coefficients: the chunks as sums of data */
	uint8_t *tables; /* of the parity */
	bool is_xor;
};

struct isal_plan {
	uint8_t *square, *inverse; /* of k * k */
	uint8_t *rows, *tables;    /* of targets */
};

/* The library takes the widest that the CPU has, and does not say which. */
static const char *
kernel_of(bool is_xor)
{
#ifdef RTE_ARCH_X86_64
	if (rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512F) > 0)
		return is_xor ? "isal xor_gen, avx512" : "isal ec_encode_data, avx512";
	if (rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) > 0)
		return is_xor ? "isal xor_gen, avx" : "isal ec_encode_data, avx2";
	if (rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX) > 0)
		return is_xor ? "isal xor_gen, avx" : "isal ec_encode_data, avx";
	return is_xor ? "isal xor_gen, sse" : "isal ec_encode_data, sse";
#else
	return is_xor ? "isal xor_gen" : "isal ec_encode_data";
#endif
}

static void
close_code(struct ec_code *code)
{
	struct isal *isal = code->state;

	if (isal == NULL)
		return;
	free(isal->rows);
	free(isal->tables);
	free(isal);
}

static int
open_code(struct ec_code *code)
{
	const char *technique = code->conf.technique;
	unsigned int k = code->k, m = code->m;
	struct isal *isal = calloc(1, sizeof(*isal));

	code->state = isal;
	if (isal == NULL)
		return -ENOMEM;
	isal->rows = calloc((size_t)code->n, k);
	isal->tables = malloc((size_t)TABLE_BYTES * k * m);
	if (isal->rows == NULL || isal->tables == NULL) {
		close_code(code);
		return -ENOMEM;
	}
	/* the first row of parity of a Vandermonde matrix is ones: the sum */
	if (strcmp(technique, "cauchy") == 0)
		gf_gen_cauchy1_matrix(isal->rows, code->n, k);
	else
		gf_gen_rs_matrix(isal->rows, code->n, k);
	ec_init_tables(k, m, &isal->rows[(size_t)k * k], isal->tables);
	isal->is_xor = strcmp(technique, "xor") == 0;
	code->kernel = kernel_of(isal->is_xor);
	return 0;
}

static void
plan_free(struct ec_plan *plan)
{
	struct isal_plan *p = plan->state;

	if (p == NULL)
		return;
	free(p->square);
	free(p->inverse);
	free(p->rows);
	free(p->tables);
	free(p);
}

static int
plan_init(struct ec_plan *plan, unsigned int targets_max)
{
	size_t k = plan->code->k;
	struct isal_plan *p = calloc(1, sizeof(*p));

	plan->state = p;
	if (p == NULL)
		return -ENOMEM;
	p->square = malloc(k * k);
	p->inverse = malloc(k * k);
	p->rows = malloc(k * targets_max);
	p->tables = malloc(TABLE_BYTES * k * targets_max);
	if (p->square == NULL || p->inverse == NULL || p->rows == NULL || p->tables == NULL) {
		plan_free(plan);
		return -ENOMEM;
	}
	return 0;
}

/* Row of a chunk as a sum of sources: its row of data, times the inverse. */
static void
multiply(const uint8_t *row, const uint8_t *inverse, unsigned int k, uint8_t *product)
{
	for (unsigned int i = 0; i < k; i++) {
		uint8_t sum = 0;

		for (unsigned int j = 0; j < k; j++)
			sum ^= gf_mul(row[j], inverse[j * k + i]);
		product[i] = sum;
	}
}

static int
plan_repair(struct ec_plan *plan, const uint8_t *erased, unsigned int n)
{
	const struct isal *isal = plan->code->state;
	struct isal_plan *p = plan->state;
	unsigned int k = plan->code->k;
	bool all_data;

	if (ec_plan_choose(plan, erased, n) != 0)
		return -EINVAL;
	all_data = plan->sources[k - 1] < k;
	for (unsigned int i = 0; i < k && !all_data; i++)
		memcpy(&p->square[i * k], &isal->rows[plan->sources[i] * k], k);
	if (!all_data && gf_invert_matrix(p->square, p->inverse, k) != 0)
		return -EINVAL;
	for (unsigned int i = 0; i < n; i++) {
		const uint8_t *row = &isal->rows[erased[i] * k];

		if (all_data)
			memcpy(&p->rows[i * k], row, k);
		else if (erased[i] < k)
			memcpy(&p->rows[i * k], &p->inverse[erased[i] * k], k);
		else
			multiply(row, p->inverse, k, &p->rows[i * k]);
	}
	ec_init_tables(k, n, p->rows, p->tables);
	return 0;
}

static void
run_xor(const struct ec_plan *plan, uint8_t *const *in, uint8_t *const *out, size_t bytes)
{
	unsigned int n = plan->n_sources;
	void *vectors[EC_CHUNKS_MAX + 1];

	for (unsigned int i = 0; i < n; i++)
		vectors[i] = in[plan->sources[i]];
	vectors[n] = out[plan->targets[0]];
	if (n + 1 < XOR_VECTORS_MIN)
		memcpy(vectors[n], vectors[0], bytes);
	else
		xor_gen(n + 1, bytes, vectors);
}

static void
run(const struct ec_plan *plan, uint8_t *const *in, uint8_t *const *out, size_t bytes)
{
	const struct isal_plan *p = plan->state;
	uint8_t *sources[EC_CHUNKS_MAX], *targets[EC_CHUNKS_MAX];

	if (((const struct isal *)plan->code->state)->is_xor) {
		run_xor(plan, in, out, bytes);
		return;
	}
	for (unsigned int i = 0; i < plan->n_sources; i++)
		sources[i] = in[plan->sources[i]];
	for (unsigned int i = 0; i < plan->n_targets; i++)
		targets[i] = out[plan->targets[i]];
	ec_encode_data(bytes, plan->n_sources, plan->n_targets, p->tables, sources, targets);
}

static void
update(const struct ec_code *code, unsigned int i, const uint8_t *delta, uint8_t *const *chunks,
       size_t bytes)
{
	const struct isal *isal = code->state;
	uint8_t *parity[EC_CHUNKS_MAX];

	memcpy(parity, &chunks[code->k], code->m * sizeof(*parity));
	ec_encode_data_update(bytes, code->k, code->m, i, isal->tables, (uint8_t *)(uintptr_t)delta,
			      parity);
}

/* The matrix, too, is none of the library's. */
static void
plain(const struct ec_code *code, uint8_t *const *chunks, size_t bytes)
{
	bool cauchy = strcmp(code->conf.technique, "cauchy") == 0;
	uint32_t column[EC_CHUNKS_MAX];

	for (unsigned int r = 0; r < code->m; r++)
		memset(chunks[code->k + r], 0, bytes);
	for (unsigned int i = 0; i < code->k; i++) {
		for (unsigned int r = 0; r < code->m; r++)
			column[r] = cauchy ? ec_gf_cauchy(code->k, r, i) : ec_gf_vandermonde(r, i);
		ec_plain_add(&chunks[code->k], column, code->m, chunks[i], 8, bytes);
	}
}

const struct ec_codec ec_isal = {
	.name = "isal",
	.techniques = techniques,
	.check = check,
	.open = open_code,
	.close = close_code,
	.plan_init = plan_init,
	.plan_repair = plan_repair,
	.run = run,
	.plan_free = plan_free,
	.update = update,
	.plain = plain,
};

#else

const struct ec_codec ec_isal = {
	.name = "isal", .missing = "libisal", .techniques = techniques, .check = check
};

#endif
