/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include <stint.h>

#include "ec_codec.h"
#include "ec_gf.h"
#include "ec_sets.h"

/*
 * Every codec and technique: parity is that of a plain field arithmetic where the code has one,
 * and all sets of up to m erasures are repaired, for sizes that are no multiple of anything.
 */

#define SIZE_MAX_BYTES 4096
#define ALIGN 64
#define POISON 0xa5
/* Bytes behind each chunk that nobody may write. */
#define GUARD 64

static const struct ec_conf confs[] = {
	{ "isal", "vandermonde", 1, 1, 0, 0, 0 },
	{ "isal", "vandermonde", 1, 4, 0, 0, 0 },
	{ "isal", "vandermonde", 2, 1, 0, 0, 0 },
	{ "isal", "vandermonde", 4, 2, 0, 0, 0 },
	{ "isal", "vandermonde", 4, 3, 0, 0, 0 },
	{ "isal", "vandermonde", 5, 5, 0, 0, 0 },
	{ "isal", "vandermonde", 8, 4, 0, 0, 0 },
	{ "isal", "cauchy", 1, 2, 0, 0, 0 },
	{ "isal", "cauchy", 4, 2, 0, 0, 0 },
	{ "isal", "cauchy", 8, 3, 0, 0, 0 },
	{ "isal", "cauchy", 6, 6, 0, 0, 0 },
	{ "isal", "xor", 1, 1, 0, 0, 0 },
	{ "isal", "xor", 2, 1, 0, 0, 0 },
	{ "isal", "xor", 8, 1, 0, 0, 0 },
	{ "jerasure", "reed_sol_van", 1, 1, 0, 8, 0 },
	{ "jerasure", "reed_sol_van", 4, 2, 0, 8, 0 },
	{ "jerasure", "reed_sol_van", 4, 3, 0, 16, 0 },
	{ "jerasure", "reed_sol_van", 5, 3, 0, 32, 0 },
	{ "jerasure", "reed_sol_r6_op", 2, 2, 0, 8, 0 },
	{ "jerasure", "reed_sol_r6_op", 6, 2, 0, 16, 0 },
	{ "jerasure", "reed_sol_r6_op", 4, 2, 0, 32, 0 },
	{ "jerasure", "cauchy_orig", 4, 2, 0, 4, 8 },
	{ "jerasure", "cauchy_orig", 5, 3, 0, 8, 16 },
	{ "jerasure", "cauchy_good", 4, 2, 0, 3, 8 },
	{ "jerasure", "cauchy_good", 8, 3, 0, 8, 8 },
	{ "jerasure", "liberation", 2, 2, 0, 3, 8 },
	{ "jerasure", "liberation", 7, 2, 0, 7, 16 },
	{ "jerasure", "blaum_roth", 4, 2, 0, 4, 8 },
	{ "jerasure", "blaum_roth", 6, 2, 0, 6, 24 },
	{ "jerasure", "liber8tion", 2, 2, 0, 8, 8 },
	{ "jerasure", "liber8tion", 8, 2, 0, 8, 16 },
	{ "lrc", "isal", 4, 2, 3, 0, 0 },
	{ "lrc", "isal", 8, 4, 6, 0, 0 },
	{ "lrc", "isal_cauchy", 4, 4, 4, 0, 0 },
	{ "lrc", "jerasure", 4, 2, 3, 8, 0 },
	{ "lrc", "isal", 4, 4, 0, 0, 0, "DD__DD__", "DDc_DDc_,DDDc____,____DDDc" },
	{ "lrc", "isal_cauchy", 3, 3, 0, 0, 0, "DDD___", "DDDc__ D__Dc_ _DD_Dc" },
};

static const size_t sizes[] = { 1, 31, 33, 4095, 4096 };

/** One code and the memory of its chunks. */
struct rig {
	struct stint_fast *t;
	struct ec_code code;
	uint8_t *memory;
	size_t bytes;
	uint8_t *right[EC_CHUNKS_MAX]; /* data, and the parity that goes with it */
	uint8_t *made[EC_CHUNKS_MAX];
	struct ec_plan plan;
};

static int
fail(struct rig *rig, const char *what, const uint8_t *erased, unsigned int n, unsigned int chunk,
     size_t offset)
{
	const struct ec_conf *conf = &rig->code.conf;
	char set[64];

	ec_set_text(erased, n, set, sizeof(set));
	return stint_fast_fail(rig->t,
			       "%s %s k=%u m=%u l=%u w=%u packetsize=%u, chunks of %zu, erased %s: "
			       "%s chunk %u at byte %zu",
			       conf->codec, conf->technique, conf->k, conf->m, conf->l, conf->w,
			       conf->packetsize, rig->bytes, set, what, chunk, offset);
}

static size_t
room(const struct rig *rig)
{
	return RTE_ALIGN_CEIL(rig->bytes + GUARD, ALIGN);
}

static int
rig_open(struct rig *rig, struct stint_fast *t, const struct ec_conf *conf, size_t object)
{
	char error[256];

	memset(rig, 0, sizeof(*rig));
	rig->t = t;
	if (ec_open(&rig->code, conf, error, sizeof(error)) != 0)
		return stint_fast_fail(t, "%s %s: %s", conf->codec, conf->technique, error);
	rig->bytes = ec_chunk_bytes(&rig->code.conf, object * rig->code.k);
	rig->memory = aligned_alloc(ALIGN, 2 * rig->code.n * room(rig));
	if (rig->memory == NULL || ec_plan_init(&rig->plan, &rig->code, rig->code.n) != 0)
		return stint_fast_fail(t, "out of memory");
	for (unsigned int i = 0; i < rig->code.n; i++) {
		rig->right[i] = rig->memory + 2 * i * room(rig);
		rig->made[i] = rig->right[i] + room(rig);
	}
	return 0;
}

static void
rig_close(struct rig *rig)
{
	ec_plan_free(&rig->plan);
	ec_close(&rig->code);
	free(rig->memory);
}

static void
poison(struct rig *rig)
{
	for (unsigned int i = 0; i < rig->code.n; i++)
		memset(rig->made[i], POISON, room(rig));
}

/* As it should be, and nothing behind it written. */
static int
compare(struct rig *rig, const uint8_t *erased, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const uint8_t *made = rig->made[erased[i]], *right = rig->right[erased[i]];

		for (size_t b = 0; b < room(rig); b++) {
			if (b < rig->bytes && made[b] != right[b])
				return fail(rig, "wrong", erased, n, erased[i], b);
			if (b >= rig->bytes && made[b] != POISON)
				return fail(rig, "written behind", erased, n, erased[i], b);
		}
	}
	return 0;
}

/* ---- encoding ------------------------------------------------------------------------------ */

/* Coefficient of a technique that is one over 256 elements; false: it is not. */
static bool
coefficient(const struct ec_conf *conf, unsigned int r, unsigned int i, uint8_t *c)
{
	bool jerasure = strcmp(conf->codec, "jerasure") == 0;

	if (strcmp(conf->technique, "xor") == 0)
		*c = 1;
	else if (strcmp(conf->technique, "cauchy") == 0)
		*c = ec_gf_cauchy(conf->k, r, i);
	else if (strcmp(conf->technique, "vandermonde") == 0 ||
		 (strcmp(conf->technique, "reed_sol_r6_op") == 0 && conf->w == 8))
		*c = ec_gf_vandermonde(r, i);
	else
		return false;
	return !jerasure || conf->w == 8;
}

static int
check_parity(struct rig *rig, unsigned int r)
{
	uint8_t row[EC_CHUNKS_MAX], chunk = rig->code.k + r;

	for (unsigned int i = 0; i < rig->code.k; i++) {
		if (!coefficient(&rig->code.conf, r, i, &row[i]))
			return 0;
	}
	for (size_t b = 0; b < rig->bytes; b++) {
		uint8_t sum = 0;

		for (unsigned int i = 0; i < rig->code.k; i++)
			sum ^= ec_gf_mul(row[i], rig->right[i][b]);
		if (rig->made[chunk][b] != sum)
			return fail(rig, "wrong parity", &chunk, 1, chunk, b);
	}
	return 0;
}

/* All parity of any code, as what results are checked against has it. */
static int
check_plain(struct rig *rig)
{
	uint8_t *chunks[EC_CHUNKS_MAX];

	memcpy(chunks, rig->right, sizeof(chunks));
	ec_plain(&rig->code, chunks, rig->bytes);
	for (unsigned int i = rig->code.k; i < rig->code.n; i++) {
		uint8_t chunk = i;

		for (size_t b = 0; b < rig->bytes; b++) {
			if (rig->made[i][b] != rig->right[i][b])
				return fail(rig, "another parity in plain arithmetic:", &chunk, 1,
					    i, b);
		}
	}
	return 0;
}

static int
encode(struct rig *rig, uint64_t *random)
{
	struct ec_plan plan;
	int rc;

	for (unsigned int i = 0; i < rig->code.k; i++) {
		for (size_t b = 0; b < rig->bytes; b++)
			rig->right[i][b] = stint_random(random);
	}
	poison(rig);
	if (ec_plan_encode(&plan, &rig->code) != 0)
		return stint_fast_fail(rig->t, "out of memory");
	ec_run(&plan, rig->right, rig->made, rig->bytes);
	rc = 0;
	for (unsigned int r = 0; r < rig->code.m && rc == 0; r++)
		rc = check_parity(rig, r);
	ec_plan_free(&plan);
	return rc == 0 ? check_plain(rig) : rc;
}

/* ---- repairing ----------------------------------------------------------------------------- */

/* What is erased is not there to be read: its place holds poison, too. */
static int
repair(struct rig *rig, const uint8_t *erased, unsigned int n)
{
	uint8_t *in[EC_CHUNKS_MAX];
	unsigned int sure = rig->code.conf.mapping != NULL ? 1 : rig->code.m;
	int rc = ec_plan_repair(&rig->plan, erased, n);

	/* beyond that it depends on which they are */
	if (rc == -EINVAL && n > sure)
		return 0;
	if (rc != 0)
		return fail(rig, "not repaired:", erased, n, erased[0], 0);
	poison(rig);
	memcpy(in, rig->right, sizeof(in));
	for (unsigned int i = 0; i < n; i++)
		in[erased[i]] = rig->made[erased[i]];
	ec_run(&rig->plan, in, rig->made, rig->bytes);
	return compare(rig, erased, n);
}

static int
repair_all_sets(struct rig *rig)
{
	unsigned int most = rig->code.n - rig->code.k;

	for (unsigned int n = 1; n <= most; n++) {
		uint8_t set[EC_CHUNKS_MAX];

		ec_first_set(set, n);
		do {
			int rc = repair(rig, set, n);

			if (rc != 0)
				return rc;
		} while (ec_next_set(set, n, rig->code.n));
	}
	return 0;
}

/* A chunk of a group is repaired from the group. */
static int
check_reads(struct rig *rig)
{
	unsigned int l = rig->code.conf.l, wanted = l > 0 ? l : rig->code.k;

	for (unsigned int i = 0; i < rig->code.n && rig->code.conf.mapping == NULL; i++) {
		uint8_t erased = i;

		if (ec_plan_repair(&rig->plan, &erased, 1) != 0 || rig->plan.n_sources != wanted)
			return fail(rig, "another number of chunks is read for", &erased, 1, i, 0);
	}
	return 0;
}

/* ---- updating ------------------------------------------------------------------------------ */

static int
update(struct rig *rig, unsigned int i, uint64_t *random)
{
	uint8_t *chunks[EC_CHUNKS_MAX], *delta = rig->made[i];
	struct ec_plan plan;

	poison(rig);
	for (unsigned int c = rig->code.k; c < rig->code.n; c++)
		memcpy(rig->made[c], rig->right[c], rig->bytes);
	for (size_t b = 0; b < rig->bytes; b++) {
		delta[b] = stint_random(random);
		rig->right[i][b] ^= delta[b];
	}
	memcpy(chunks, rig->made, sizeof(chunks));
	rig->code.codec->update(&rig->code, i, delta, chunks, rig->bytes);
	if (ec_plan_encode(&plan, &rig->code) != 0)
		return stint_fast_fail(rig->t, "out of memory");
	ec_run(&plan, rig->right, rig->right, rig->bytes);
	ec_plan_free(&plan);
	return compare(rig, plan.targets, plan.n_targets);
}

static int
update_each(struct rig *rig, uint64_t *random)
{
	int rc = 0;

	for (unsigned int i = 0; i < rig->code.k && rc == 0; i++)
		rc = update(rig, i, random);
	return rc;
}

/* ---- one code in the other's place --------------------------------------------------------- */

/* Where two codes are the same, one repairs what the other has encoded. */
static int
exchange(struct stint_fast *t, const struct ec_conf *a, const struct ec_conf *b, uint64_t *random)
{
	struct rig from, to;
	int rc = rig_open(&from, t, a, SIZE_MAX_BYTES);

	if (rc == 0)
		rc = rig_open(&to, t, b, SIZE_MAX_BYTES);
	else
		memset(&to, 0, sizeof(to));
	if (rc == 0)
		rc = encode(&from, random);
	for (unsigned int i = 0; i < from.code.n && rc == 0; i++)
		memcpy(to.right[i], from.right[i], from.bytes);
	if (rc == 0)
		rc = repair_all_sets(&to);
	rig_close(&from);
	rig_close(&to);
	return rc;
}

static const struct ec_conf same[][2] = {
	{ { "isal", "vandermonde", 6, 2, 0, 0, 0 },
	  { "jerasure", "reed_sol_r6_op", 6, 2, 0, 8, 0 } },
	{ { "isal", "vandermonde", 5, 1, 0, 0, 0 }, { "isal", "xor", 5, 1, 0, 0, 0 } },
	{ { "isal", "xor", 5, 1, 0, 0, 0 }, { "jerasure", "reed_sol_van", 5, 1, 0, 8, 0 } },
};

/* ---- the test ------------------------------------------------------------------------------ */

static int
check_code(struct stint_fast *t, const struct ec_conf *conf, size_t size, uint64_t *random)
{
	struct rig rig;
	int rc = rig_open(&rig, t, conf, size);

	if (rc == 0)
		rc = encode(&rig, random);
	if (rc == 0)
		rc = check_reads(&rig);
	if (rc == 0)
		rc = repair_all_sets(&rig);
	if (rc == 0 && rig.code.codec->update != NULL)
		rc = update_each(&rig, random);
	rig_close(&rig);
	return rc;
}

static int
run(struct stint_fast *t)
{
	uint64_t random = t->seed;
	unsigned int done = 0;
	int rc = 0;

	for (unsigned int i = 0; i < RTE_DIM(confs) && rc == 0; i++) {
		if (ec_missing(&confs[i]) != NULL)
			continue;
		for (unsigned int s = 0; s < RTE_DIM(sizes) && rc == 0; s++)
			rc = check_code(t, &confs[i], sizes[s], &random);
		done++;
	}
	for (unsigned int i = 0; i < RTE_DIM(same) && rc == 0; i++) {
		if (ec_missing(&same[i][0]) != NULL || ec_missing(&same[i][1]) != NULL)
			continue;
		rc = exchange(t, &same[i][0], &same[i][1], &random);
		if (rc == 0)
			rc = exchange(t, &same[i][1], &same[i][0], &random);
	}
	if (rc == 0 && done == 0)
		return stint_fast_skip(t, "built without %s and %s", ec_isal.missing,
				       ec_jerasure.missing);
	for (unsigned int i = 0; ec_codecs[i] != NULL && rc == 0; i++) {
		if (ec_codecs[i]->missing != NULL)
			stint_fast_note(t, "%s left out: built without %s", ec_codecs[i]->name,
					ec_codecs[i]->missing);
	}
	return rc;
}

STINT_FAST_TEST(ec_autotest, STINT_NO_HUGE | STINT_ASAN,
		.summary = "erasure codes: parity, all erasures, updates, odd sizes", .run = run)
