/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ec_codec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

/* What a word may be, and how many chunks a technique takes; what it is made of. */
enum kind { MATRIX, BITS };

struct technique {
	const char *name;
	enum kind kind;
	unsigned int w;     /* default: the smallest from here on that is allowed */
	unsigned int w_max; /* largest that is tried */
	bool raid6;         /* m is 2 */
	bool (*word)(unsigned int w);
	unsigned int (*k_max)(unsigned int w, unsigned int m);
	const char *rule;
};

/* The library takes packets of whole long words only, as it adds those. */
#define PACKET_UNIT 8
#define PACKET_DEFAULT 512
#define PACKET_MAX (1 << 20)

static bool
is_prime(unsigned int n)
{
	for (unsigned int d = 2; d * d <= n; d++) {
		if (n % d == 0)
			return false;
	}
	return n > 1;
}

static bool
word_of_bytes(unsigned int w)
{
	return w == 8 || w == 16 || w == 32;
}

static bool
word_any(unsigned int w)
{
	return w >= 2 && w <= 32;
}

static bool
word_prime(unsigned int w)
{
	return w > 2 && w <= 32 && is_prime(w);
}

static bool
word_below_prime(unsigned int w)
{
	return w > 2 && w <= 32 && is_prime(w + 1);
}

static bool
word_eight(unsigned int w)
{
	return w == 8;
}

static unsigned int
field_size(unsigned int w, unsigned int m)
{
	uint64_t size = UINT64_C(1) << w;

	return size <= m ? 0 : RTE_MIN(size - m, (uint64_t)EC_CHUNKS_MAX);
}

static unsigned int
word_size(unsigned int w, unsigned int m)
{
	(void)m;
	return w;
}

static const struct technique techniques[] = {
	{ "reed_sol_van", MATRIX, 8, 32, false, word_of_bytes, field_size,
	  "8, 16 or 32, and k + m <= 2^w" },
	{ "reed_sol_r6_op", MATRIX, 8, 32, true, word_of_bytes, field_size,
	  "8, 16 or 32, and k + m <= 2^w" },
	{ "cauchy_orig", BITS, 8, 32, false, word_any, field_size, "2 to 32, and k + m <= 2^w" },
	{ "cauchy_good", BITS, 8, 32, false, word_any, field_size, "2 to 32, and k + m <= 2^w" },
	{ "liberation", BITS, 7, 31, true, word_prime, word_size,
	  "a prime from 3 to 31, and k <= w" },
	{ "blaum_roth", BITS, 6, 30, true, word_below_prime, word_size,
	  "one less than a prime, 4 to 30, and k <= w" },
	{ "liber8tion", BITS, 8, 8, true, word_eight, word_size, "8, and k <= 8" },
};

static const char *const names[] = { "reed_sol_van", "reed_sol_r6_op", "cauchy_orig", "cauchy_good",
				     "liberation",   "blaum_roth",     "liber8tion",  NULL };

static const struct technique *
find_technique(const char *name)
{
	for (unsigned int i = 0; i < RTE_DIM(techniques); i++) {
		if (strcmp(techniques[i].name, name) == 0)
			return &techniques[i];
	}
	return NULL;
}

static bool
takes(const struct technique *t, unsigned int w, const struct ec_conf *conf)
{
	return t->word(w) && conf->k <= t->k_max(w, conf->m);
}

/* The smallest that takes k, from the usual one on. */
static void
choose_word(const struct technique *t, struct ec_conf *conf)
{
	for (unsigned int w = t->w; w <= t->w_max; w++) {
		if (takes(t, w, conf)) {
			conf->w = w;
			return;
		}
	}
	conf->w = t->w;
}

static int
check_packet(const struct technique *t, struct ec_conf *conf, char *error, size_t size)
{
	if (t->kind == MATRIX && conf->packetsize != 0) {
		snprintf(error, size, "packetsize=%u: technique %s has none", conf->packetsize,
			 t->name);
		return -EINVAL;
	}
	if (t->kind == MATRIX)
		return 0;
	if (conf->packetsize == 0)
		conf->packetsize = PACKET_DEFAULT;
	if (conf->packetsize % PACKET_UNIT == 0 && conf->packetsize <= PACKET_MAX)
		return 0;
	snprintf(error, size, "packetsize=%u: a multiple of %d, up to %d", conf->packetsize,
		 PACKET_UNIT, PACKET_MAX);
	return -EINVAL;
}

static int
check(struct ec_conf *conf, char *error, size_t size)
{
	const struct technique *t = find_technique(conf->technique);
	int rc;

	if (conf->l != 0) {
		snprintf(error, size, "l=%u: jerasure has none", conf->l);
		return -EINVAL;
	}
	if (t->raid6 && conf->m != 2) {
		snprintf(error, size, "m=%u: technique %s has m = 2", conf->m, t->name);
		return -EINVAL;
	}
	if (conf->w == 0)
		choose_word(t, conf);
	if (!takes(t, conf->w, conf)) {
		snprintf(error, size, "w=%u k=%u m=%u: w of technique %s is %s", conf->w, conf->k,
			 conf->m, t->name, t->rule);
		return -EINVAL;
	}
	rc = check_packet(t, conf, error, size);
	conf->unit = t->kind == BITS ? conf->w * conf->packetsize
				     : RTE_MAX(conf->w / 8, (unsigned int)sizeof(long));
	return rc;
}

#ifdef STINT_HAVE_JERASURE

#include <jerasure.h>
#include <jerasure/cauchy.h>
#include <jerasure/liberation.h>
#include <jerasure/reed_sol.h>

#include "ec_plain.h"

/*
 * The chunks as sums of data: rows of k words, or of k * w bits for each of w bits. Both are
 * inverted and multiplied alike, so that a repair is what an encoding is, with other rows.
 */
struct jerasure {
	const struct technique *t;
	unsigned int cells; /* of a chunk: 1 word, or w bits */
	int *rows;          /* of all chunks, those of data an identity */
};

struct jerasure_plan {
	int *square, *inverse;
	int *rows;      /* of targets */
	int **schedule; /* of the bit techniques; NULL: none yet */
};

static int *
coding_rows(const struct jerasure *j, const struct ec_code *code)
{
	unsigned int k = code->k, m = code->m, w = code->conf.w;
	int *matrix = NULL, *bits;

	if (strcmp(j->t->name, "reed_sol_van") == 0)
		return reed_sol_vandermonde_coding_matrix(k, m, w);
	if (strcmp(j->t->name, "reed_sol_r6_op") == 0)
		return reed_sol_r6_coding_matrix(k, w);
	if (strcmp(j->t->name, "liberation") == 0)
		return liberation_coding_bitmatrix(k, w);
	if (strcmp(j->t->name, "blaum_roth") == 0)
		return blaum_roth_coding_bitmatrix(k, w);
	if (strcmp(j->t->name, "liber8tion") == 0)
		return liber8tion_coding_bitmatrix(k);
	matrix = strcmp(j->t->name, "cauchy_orig") == 0
			 ? cauchy_original_coding_matrix(k, m, w)
			 : cauchy_good_general_coding_matrix(k, m, w);
	bits = matrix != NULL ? jerasure_matrix_to_bitmatrix(k, m, w, matrix) : NULL;
	free(matrix);
	return bits;
}

/* Tables of a word are made at its first use, and those of sums at the first sum: one thread. */
static void
make_tables(void)
{
	char zero[64] __rte_cache_aligned = { 0 }, sum[64] __rte_cache_aligned = { 0 };

	galois_region_xor(zero, sum, sizeof(sum));
}

static void
close_code(struct ec_code *code)
{
	struct jerasure *j = code->state;

	if (j == NULL)
		return;
	free(j->rows);
	free(j);
}

static int
open_code(struct ec_code *code)
{
	struct jerasure *j = calloc(1, sizeof(*j));
	size_t side, coding_bytes;
	int *coding;

	code->state = j;
	if (j == NULL)
		return -ENOMEM;
	j->t = find_technique(code->conf.technique);
	j->cells = j->t->kind == BITS ? code->conf.w : 1;
	side = (size_t)code->k * j->cells;
	coding_bytes = side * code->m * j->cells * sizeof(int);
	j->rows = calloc(side * code->n * j->cells, sizeof(int));
	make_tables();
	coding = coding_rows(j, code);
	if (coding == NULL || j->rows == NULL) {
		free(coding);
		close_code(code);
		return -ENOMEM;
	}
	for (size_t i = 0; i < side; i++)
		j->rows[i * side + i] = 1;
	memcpy(&j->rows[side * side], coding, coding_bytes);
	free(coding);
	code->kernel = j->t->kind == BITS ? "jerasure schedule of XORs" : "jerasure, gf_complete";
	return 0;
}

static void
drop_schedule(struct jerasure_plan *p)
{
	if (p->schedule != NULL)
		jerasure_free_schedule(p->schedule);
	p->schedule = NULL;
}

static void
plan_free(struct ec_plan *plan)
{
	struct jerasure_plan *p = plan->state;

	if (p == NULL)
		return;
	drop_schedule(p);
	free(p->square);
	free(p->inverse);
	free(p->rows);
	free(p);
}

static int
plan_init(struct ec_plan *plan, unsigned int targets_max)
{
	const struct jerasure *j = plan->code->state;
	size_t side = (size_t)plan->code->k * j->cells;
	struct jerasure_plan *p = calloc(1, sizeof(*p));

	plan->state = p;
	if (p == NULL)
		return -ENOMEM;
	p->square = malloc(side * side * sizeof(int));
	p->inverse = malloc(side * side * sizeof(int));
	p->rows = malloc(side * targets_max * j->cells * sizeof(int));
	if (p->square == NULL || p->inverse == NULL || p->rows == NULL) {
		plan_free(plan);
		return -ENOMEM;
	}
	return 0;
}

static bool
invert(const struct ec_plan *plan)
{
	const struct jerasure *j = plan->code->state;
	struct jerasure_plan *p = plan->state;
	size_t side = (size_t)plan->code->k * j->cells, chunk = side * j->cells;

	for (unsigned int i = 0; i < plan->code->k; i++)
		memcpy(&p->square[i * chunk], &j->rows[plan->sources[i] * chunk],
		       chunk * sizeof(int));
	if (j->t->kind == BITS)
		return jerasure_invert_bitmatrix(p->square, p->inverse, side) == 0;
	return jerasure_invert_matrix(p->square, p->inverse, side, plan->code->conf.w) == 0;
}

static void
multiply_row(const struct ec_plan *plan, const int *row, int *product)
{
	const struct jerasure *j = plan->code->state;
	const struct jerasure_plan *p = plan->state;
	size_t side = (size_t)plan->code->k * j->cells;

	memset(product, 0, side * sizeof(*product));
	for (size_t i = 0; i < side; i++) {
		if (row[i] == 0)
			continue;
		for (size_t c = 0; c < side; c++)
			product[c] ^=
				j->t->kind == BITS
					? p->inverse[i * side + c]
					: galois_single_multiply(row[i], p->inverse[i * side + c],
								 plan->code->conf.w);
	}
}

static int
plan_repair(struct ec_plan *plan, const uint8_t *erased, unsigned int n)
{
	const struct jerasure *j = plan->code->state;
	struct jerasure_plan *p = plan->state;
	size_t side = (size_t)plan->code->k * j->cells;
	bool all_data;

	if (ec_plan_choose(plan, erased, n) != 0)
		return -EINVAL;
	/* its inverse would be an identity */
	all_data = plan->sources[plan->code->k - 1] < plan->code->k;
	if (!all_data && !invert(plan))
		return -EINVAL;
	for (unsigned int i = 0; i < n * j->cells; i++) {
		size_t from = (size_t)erased[i / j->cells] * j->cells + i % j->cells;

		if (all_data)
			memcpy(&p->rows[i * side], &j->rows[from * side], side * sizeof(int));
		else
			multiply_row(plan, &j->rows[from * side], &p->rows[i * side]);
	}
	if (j->t->kind == MATRIX)
		return 0;
	drop_schedule(p);
	p->schedule =
		jerasure_smart_bitmatrix_to_schedule(plan->code->k, n, plan->code->conf.w, p->rows);
	return p->schedule != NULL ? 0 : -ENOMEM;
}

/* The library allocates an array of pointers for each run of a schedule. */
static void
run(const struct ec_plan *plan, uint8_t *const *in, uint8_t *const *out, size_t bytes)
{
	const struct jerasure_plan *p = plan->state;
	const struct ec_conf *conf = &plan->code->conf;
	char *sources[EC_CHUNKS_MAX], *targets[EC_CHUNKS_MAX];

	for (unsigned int i = 0; i < plan->n_sources; i++)
		sources[i] = (char *)in[plan->sources[i]];
	for (unsigned int i = 0; i < plan->n_targets; i++)
		targets[i] = (char *)out[plan->targets[i]];
	if (p->schedule != NULL)
		jerasure_schedule_encode(conf->k, plan->n_targets, conf->w, p->schedule, sources,
					 targets, bytes, conf->packetsize);
	else
		jerasure_matrix_encode(conf->k, plan->n_targets, conf->w, p->rows, sources, targets,
				       bytes);
}

/* By the library's matrix, as that is what makes the code. */
static void
plain(const struct ec_code *code, uint8_t *const *chunks, size_t bytes)
{
	const struct jerasure *j = code->state;
	size_t side = (size_t)code->k * j->cells;
	uint32_t column[EC_CHUNKS_MAX];

	for (unsigned int c = code->k; c < code->n && j->t->kind == BITS; c++)
		ec_plain_packets(chunks[c], chunks, code->k, &j->rows[c * j->cells * side],
				 j->cells, code->conf.packetsize, bytes);
	if (j->t->kind == BITS)
		return;
	for (unsigned int r = 0; r < code->m; r++)
		memset(chunks[code->k + r], 0, bytes);
	for (unsigned int i = 0; i < code->k; i++) {
		for (unsigned int r = 0; r < code->m; r++)
			column[r] = j->rows[(code->k + r) * side + i];
		ec_plain_add(&chunks[code->k], column, code->m, chunks[i], code->conf.w, bytes);
	}
}

const struct ec_codec ec_jerasure = {
	.name = "jerasure",
	.techniques = names,
	.check = check,
	.open = open_code,
	.close = close_code,
	.plan_init = plan_init,
	.plan_repair = plan_repair,
	.run = run,
	.plan_free = plan_free,
	.plain = plain,
};

#else

const struct ec_codec ec_jerasure = {
	.name = "jerasure", .missing = "libJerasure", .techniques = names, .check = check
};

#endif
