/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ec_perf.h"

#include <stdio.h>
#include <string.h>

#include <rte_common.h>

/* Bytes of the last cache if the machine does not say, and how much of it a cold arena has. */
#define LLC_BYTES_DEFAULT (UINT64_C(32) << 20)
#define COLD_LLCS 4

static const struct {
	const char *codec, *technique;
} codes[EC_CODES] = {
	{ "isal", "vandermonde" },
	{ "isal", "cauchy" },
	{ "isal", "xor" },
	{ "jerasure", "reed_sol_van" },
	{ "jerasure", "reed_sol_r6_op" },
	{ "jerasure", "cauchy_orig" },
	{ "jerasure", "cauchy_good" },
	{ "jerasure", "liberation" },
	{ "jerasure", "blaum_roth" },
	{ "jerasure", "liber8tion" },
	{ "lrc", "isal" },
	{ "lrc", "isal_cauchy" },
	{ "lrc", "jerasure" },
	{ NULL, NULL },
};

/* The value of a list that may be empty; 0: it is. */
static unsigned int
first_of(const struct stint_point *pt, const char *name)
{
	unsigned int n;
	const uint64_t *list = stint_param_list(pt, name, &n);

	return n > 0 ? list[0] : 0;
}

static bool
is_set(const struct stint_point *pt, const char *name, const char *value)
{
	return strcmp(stint_param_string(pt, name), value) == 0;
}

/* Was a list given that is not the usual one? */
static bool
is_given(const struct stint_point *pt, const char *name, const uint64_t *usual, unsigned int n)
{
	unsigned int count;
	const uint64_t *list = stint_param_list(pt, name, &count);

	return count != n || memcmp(list, usual, n * sizeof(*usual)) != 0;
}

bool
ec_perf_k_given(const struct stint_point *pt)
{
	static const uint64_t usual[] = { 2, 4, 6, 8, 10, 20 };

	return is_given(pt, "k", usual, RTE_DIM(usual));
}

bool
ec_perf_m_given(const struct stint_point *pt)
{
	static const uint64_t usual[] = { 1, 2, 3, 4 };

	return is_given(pt, "m", usual, RTE_DIM(usual));
}

static bool
size_given(const struct stint_point *pt)
{
	static const uint64_t usual[] = { 4 << 10, 64 << 10, 1 << 20, 4 << 20 };

	return is_given(pt, "size", usual, RTE_DIM(usual));
}

static bool
code_given(const struct stint_point *pt)
{
	return !is_set(pt, "technique", "all") || !is_set(pt, "codec", "all");
}

static bool
erasures_given(const struct stint_point *pt)
{
	unsigned int n;

	stint_param_list(pt, "erased", &n);
	return n > 0 || first_of(pt, "erasures") > 0;
}

/* ---- which combinations are points --------------------------------------------------------- */

static bool
in_list(const unsigned int (*pairs)[2], unsigned int n, const struct stint_point *pt)
{
	for (unsigned int i = 0; i < n; i++) {
		if (pairs[i][0] == pt->value[EC_DIM_K] && pairs[i][1] == pt->value[EC_DIM_M])
			return true;
	}
	return false;
}

/* What is given is taken; what is not is one of the usual pairs. */
static bool
pair_is_meant(const struct stint_point *pt)
{
	static const unsigned int all[][2] = { { 2, 1 }, { 4, 2 }, { 4, 3 },  { 6, 3 },
					       { 8, 3 }, { 8, 4 }, { 10, 4 }, { 20, 4 } };
	static const unsigned int others[][2] = { { 4, 2 }, { 8, 3 } };
	static const unsigned int layered[][2] = { { 4, 2 }, { 8, 4 } };
	unsigned int code = pt->value[EC_DIM_CODE];

	if (ec_perf_k_given(pt) || ec_perf_m_given(pt))
		return true;
	if (code == EC_CODE_XOR)
		return pt->value[EC_DIM_M] == 1;
	if (code >= EC_CODE_LRC)
		return in_list(layered, RTE_DIM(layered), pt);
	if (code == EC_CODE_VANDERMONDE || code_given(pt))
		return in_list(all, RTE_DIM(all), pt);
	return in_list(others, RTE_DIM(others), pt);
}

static bool
code_is_meant(const struct stint_point *pt)
{
	static const char *const names[] = { EC_CODE_NAMES };
	unsigned int code = pt->value[EC_DIM_CODE];
	const char *technique = stint_param_string(pt, "technique");

	if (!is_set(pt, "codec", "all") && !is_set(pt, "codec", codes[code].codec))
		return false;
	if (!is_set(pt, "technique", "all"))
		return strcmp(technique, names[code]) == 0;
	return code != EC_CODE_XOR && code != EC_CODE_LRC_CAUCHY && code != EC_CODE_LRC_JERASURE;
}

/* In full: each workload and size; the others are looked at for what tells them apart. */
static bool
in_full(const struct stint_point *pt)
{
	return pt->value[EC_DIM_CODE] == EC_CODE_VANDERMONDE || code_given(pt);
}

static bool
lost_is_meant(const struct stint_point *pt)
{
	unsigned int lost = pt->value[EC_DIM_LOST], e = ec_perf_erasures(pt);
	unsigned int k = pt->value[EC_DIM_K], m = pt->value[EC_DIM_M];

	if (erasures_given(pt))
		return lost == EC_LOST_GIVEN;
	if (lost == EC_LOST_GIVEN || e > m)
		return false;
	/* of layers that the user wrote more than one may be too many */
	if (stint_param_string(pt, "mapping")[0] != '\0' && e > 1)
		return false;
	if (lost < EC_LOST_PARITY)
		return e <= k;
	return in_full(pt) && (lost < EC_LOST_MIXED || (e + 1) / 2 <= k);
}

static bool
work_is_meant(const struct stint_point *pt)
{
	unsigned int code = pt->value[EC_DIM_CODE], work = pt->value[EC_DIM_WORK];
	bool decodes = work == EC_DECODE || work == EC_DECODE_SETUP;
	bool all = is_set(pt, "workload", "all");

	/* one that is given may be that of a repair */
	if (erasures_given(pt) && !decodes &&
	    !(work == EC_REPAIR && is_set(pt, "workload", "repair")))
		return false;
	switch (work) {
	case EC_ENCODE:
		return all || is_set(pt, "workload", "encode");
	case EC_DECODE:
		return lost_is_meant(pt) && (all || is_set(pt, "workload", "decode"));
	case EC_DECODE_SETUP:
		return lost_is_meant(pt) && in_full(pt) &&
		       (all || is_set(pt, "workload", "decode"));
	case EC_UPDATE:
		return code < EC_CODE_JERASURE && in_full(pt) && is_set(pt, "memory", "reuse") &&
		       (all || is_set(pt, "workload", "update"));
	case EC_REPAIR:
		return is_set(pt, "workload", "repair") || (all && code >= EC_CODE_LRC);
	default:
		return false;
	}
}

static bool
memory_is_meant(const struct stint_point *pt)
{
	unsigned int n;

	return pt->value[EC_DIM_K] == stint_param_list(pt, "k", &n)[0] &&
	       pt->value[EC_DIM_M] == stint_param_list(pt, "m", &n)[0];
}

static bool
size_is_meant(const struct stint_point *pt)
{
	return pt->value[EC_DIM_PLACE] == EC_COLD || pt->value[EC_DIM_CODE] == EC_CODE_MEMORY ||
	       in_full(pt) || size_given(pt) || pt->value[EC_DIM_SIZE] == 64 << 10;
}

bool
ec_perf_is_meant(const struct stint_point *pt)
{
	if (pt->value[EC_DIM_CODE] == EC_CODE_MEMORY)
		return true;
	return code_is_meant(pt) && pair_is_meant(pt);
}

/* What makes sense at all, before parameters are looked at: most combinations do not. */
static bool
fits(const struct stint_point *pt)
{
	unsigned int work = pt->value[EC_DIM_WORK];
	bool decodes = work == EC_DECODE || work == EC_DECODE_SETUP;

	return decodes != (pt->value[EC_DIM_LOST] == EC_LOST_NONE) &&
	       (pt->value[EC_DIM_CODE] == EC_CODE_MEMORY) == (work >= EC_READ) &&
	       (pt->value[EC_DIM_PLACE] == EC_WARM || pt->value[EC_DIM_SIZE] == EC_COLD_BYTES);
}

bool
ec_perf_code_at(const struct stint_point *pt, unsigned int i, struct stint_point *other)
{
	unsigned int n_k, n_m;
	const uint64_t *k = stint_param_list(pt, "k", &n_k), *m = stint_param_list(pt, "m", &n_m);

	if (i >= n_k * n_m * EC_CODES)
		return false;
	other->value[EC_DIM_CODE] = i % EC_CODES;
	other->value[EC_DIM_K] = k[i / EC_CODES % n_k];
	other->value[EC_DIM_M] = m[i / EC_CODES / n_k];
	return true;
}

/* The technique that was named; EC_CODES: none was. */
static unsigned int
named_code(const struct stint_point *pt)
{
	static const char *const names[] = { EC_CODE_NAMES };
	unsigned int code = 0;

	while (code < EC_CODES && !is_set(pt, "technique", names[code]))
		code++;
	return code;
}

bool
ec_perf_refuses(const struct stint_point *pt, char *error, size_t size)
{
	unsigned int named = named_code(pt), refused = 0, taken = 0;
	bool one = named < EC_CODES;
	bool all = one && ec_perf_k_given(pt) && ec_perf_m_given(pt);
	struct stint_point other = *pt;

	for (unsigned int i = one ? named : 0; ec_perf_code_at(pt, i, &other);
	     i += one ? EC_CODES : 1) {
		struct ec_conf conf;

		if (!ec_perf_is_meant(&other) || !ec_perf_conf(&other, &conf))
			continue;
		if (ec_check(&conf, error, size) == 0)
			taken++;
		else if (++refused > 0 && all)
			return true;
	}
	return refused > 0 && taken == 0;
}

/* No budget could be kept: what the library does there is not to be interrupted. */
static bool
takes_too_long(const struct ec_conf *conf, unsigned int erasures)
{
	return erasures > 0 && ec_plan_steps(conf, erasures) > EC_SET_STEPS_MAX;
}

int
ec_perf_admit(const struct stint_point *pt)
{
	struct ec_conf conf;
	char error[256];

	if (!fits(pt) || !size_is_meant(pt))
		return STINT_LEAVE_OUT;
	if (!ec_perf_conf(pt, &conf))
		return memory_is_meant(pt) ? 0 : STINT_LEAVE_OUT;
	if (!ec_perf_is_meant(pt) || !work_is_meant(pt))
		return STINT_LEAVE_OUT;
	/* if nothing of a technique that was named can be had, `validate` says why */
	if (ec_check(&conf, error, sizeof(error)) != 0)
		return !is_set(pt, "technique", "all") && ec_perf_refuses(pt, error, sizeof(error))
			       ? 0
			       : STINT_LEAVE_OUT;
	if (ec_missing(&conf) != NULL)
		return stint_skip_point(pt, "built without %s", ec_missing(&conf));
	if (takes_too_long(&conf, ec_perf_erasures(pt)))
		return stint_skip_point(pt,
					"%s of k=%u and w=%u: preparing one set of %u erasures may "
					"take a second",
					conf.technique, conf.k, conf.w, ec_perf_erasures(pt));
	return pt->value[EC_DIM_WORK] != EC_ENCODE;
}

/* Even groups of half of the chunks, if the user does not say. What a codec does not have is there,
 * too, to be refused. */
bool
ec_perf_conf(const struct stint_point *pt, struct ec_conf *conf)
{
	unsigned int code = pt->value[EC_DIM_CODE];
	bool lrc = code >= EC_CODE_LRC && code < EC_CODE_MEMORY;

	*conf = (struct ec_conf){ .codec = codes[code].codec,
				  .technique = codes[code].technique,
				  .k = pt->value[EC_DIM_K],
				  .m = pt->value[EC_DIM_M],
				  .l = first_of(pt, "l"),
				  .w = first_of(pt, "w"),
				  .packetsize = first_of(pt, "packetsize"),
				  .mapping = stint_param_string(pt, "mapping"),
				  .layers = stint_param_string(pt, "layers") };
	if (lrc && conf->l == 0 && conf->mapping[0] == '\0' && conf->layers[0] == '\0')
		conf->l = (conf->k + conf->m) / 2;
	return code != EC_CODE_MEMORY;
}

unsigned int
ec_perf_chunks(const struct stint_point *pt)
{
	struct ec_conf conf;

	/* memory alone: what is read, and where a copy goes to */
	if (!ec_perf_conf(pt, &conf))
		return 2;
	return conf.k + conf.m + (conf.l > 0 ? (conf.k + conf.m) / conf.l : 0);
}

size_t
ec_perf_chunk_bytes(const struct stint_point *pt)
{
	struct ec_conf conf;
	char error[256];

	if (!ec_perf_conf(pt, &conf) || ec_check(&conf, error, sizeof(error)) != 0)
		return pt->value[EC_DIM_SIZE];
	return ec_chunk_bytes(&conf, pt->value[EC_DIM_SIZE]);
}

unsigned int
ec_perf_erasures(const struct stint_point *pt)
{
	unsigned int lost = pt->value[EC_DIM_LOST], n;

	if (lost == EC_LOST_NONE)
		return pt->value[EC_DIM_WORK] == EC_REPAIR;
	if (lost < EC_LOST_PARITY)
		return lost - EC_LOST_DATA + 1;
	if (lost < EC_LOST_MIXED)
		return lost - EC_LOST_PARITY + 1;
	if (lost < EC_LOST_GIVEN)
		return lost - EC_LOST_MIXED + 2;
	stint_param_list(pt, "erased", &n);
	return n > 0 ? n : first_of(pt, "erasures");
}

unsigned int
ec_perf_sets(const struct ec_code *code, unsigned int erasures)
{
	double sets = RTE_MIN(ec_sets(erasures, code->n), (double)EC_SETS_MAX);

	sets = RTE_MIN(sets, EC_SETS_STEPS / ec_plan_steps(&code->conf, erasures));
	return RTE_MAX(sets, 1.0);
}

bool
ec_perf_is_fresh(const struct stint_point *pt)
{
	/* an update is made where the parity is */
	return !is_set(pt, "memory", "reuse") && pt->value[EC_DIM_WORK] < EC_READ &&
	       pt->value[EC_DIM_WORK] != EC_UPDATE;
}

uint64_t
ec_perf_seed_of(const struct stint_point *pt, uint64_t otherwise)
{
	unsigned int n;
	const uint64_t *seed = stint_param_list(pt, "seed", &n);

	return n > 0 ? seed[0] : otherwise;
}

/* The kernel's word on caches is for this machine, that of the C library may be for its host. */
static uint64_t
llc_bytes(void)
{
	uint64_t largest = 0;

	for (unsigned int i = 0; i < 8; i++) {
		unsigned long kib;
		char path[96];
		FILE *file;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/size", i);
		file = fopen(path, "r");
		if (file == NULL)
			break;
		if (fscanf(file, "%luK", &kib) == 1)
			largest = RTE_MAX(largest, (uint64_t)kib << 10);
		fclose(file);
	}
	return largest > 0 ? largest : LLC_BYTES_DEFAULT;
}

/* All chunks of an object. */
static uint64_t
stripe_bytes(const struct stint_point *pt)
{
	return ec_perf_chunks(pt) * RTE_ALIGN_CEIL((uint64_t)ec_perf_chunk_bytes(pt), EC_ALIGN);
}

/* The largest stripe of all codes, so that they share one arena. */
static uint64_t
largest_stripe(const struct stint_point *pt)
{
	struct stint_point other = *pt;
	uint64_t largest = 0;

	for (unsigned int i = 0; ec_perf_code_at(pt, i, &other); i++) {
		struct ec_conf conf;
		char error[256];

		if (!ec_perf_is_meant(&other) ||
		    (ec_perf_conf(&other, &conf) && ec_check(&conf, error, sizeof(error)) != 0))
			continue;
		largest = RTE_MAX(largest, stripe_bytes(&other));
	}
	return largest;
}

uint64_t
ec_perf_arena_bytes(const struct stint_point *pt)
{
	uint64_t cold = COLD_LLCS * llc_bytes() / pt->lcores, stripe = largest_stripe(pt);

	return pt->value[EC_DIM_PLACE] == EC_WARM ? stripe : RTE_MAX(cold, 2 * stripe);
}
