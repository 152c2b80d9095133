/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_malloc.h>

#include "ec_perf.h"

/*
 * Erasure codes, and beside them the memory that they run on: what coding takes, with buffers that
 * are there and were touched before.
 */

/* Sizes of objects in a note. */
#define NOTED_SIZES 4

static const struct stint_param params[] = {
	{ "codec", STINT_PARAM_STRING, "all", "library", 0, 0, "all|isal|jerasure|lrc" },
	{ "technique", STINT_PARAM_STRING, "all", "code", 0, 0,
	  "all|vandermonde|cauchy|xor|reed_sol_van|reed_sol_r6_op|cauchy_orig|cauchy_good|"
	  "liberation|blaum_roth|liber8tion|lrc|lrc_cauchy|lrc_jerasure" },
	{ "k", STINT_PARAM_UINT_LIST, "2,4,6,8,10,20", "chunks of data", 1, 255, NULL },
	{ "m", STINT_PARAM_UINT_LIST, "1,2,3,4", "chunks of parity", 1, 255, NULL },
	{ "l", STINT_PARAM_UINT_LIST, "", "lrc: chunks of a group; (k + m) / 2 if not given", 1,
	  255, NULL },
	{ "mapping", STINT_PARAM_STRING, "", "lrc, for l: D for each chunk of data, _ for others",
	  0, 0, NULL },
	{ "layers", STINT_PARAM_STRING, "",
	  "lrc: for each layer D for what it codes, c for what it makes, _ for the rest", 0, 0,
	  NULL },
	{ "w", STINT_PARAM_UINT_LIST, "", "jerasure: bits of a word", 2, 32, NULL },
	{ "packetsize", STINT_PARAM_UINT_LIST, "", "jerasure: bytes of a packet", 1, 1 << 20,
	  NULL },
	{ "size", STINT_PARAM_UINT_LIST, "4K,64K,1M,4M", "bytes of an object", 1, 1 << 30, NULL },
	{ "workload", STINT_PARAM_STRING, "all", "what is done", 0, 0,
	  "all|encode|decode|update|repair" },
	{ "erasures", STINT_PARAM_UINT_LIST, "", "random erasures, others in each operation", 1,
	  255, NULL },
	{ "erased", STINT_PARAM_UINT_LIST, "", "chunks that are erased", 0, 255, NULL },
	{ "exhaustive", STINT_PARAM_UINT, "0", "1: all sets of so many erasures in turn", 0, 1,
	  NULL },
	{ "memory", STINT_PARAM_STRING, "reuse", "buffers of what is made", 0, 0,
	  "reuse|malloc-per-op" },
	{ "seed", STINT_PARAM_UINT_LIST, "",
	  "of data, random erasures and the order of cold objects; --seed if not given", 0,
	  INT64_MAX, NULL },
};

static const struct stint_dim dims[] = {
	STINT_DIM_NAMES("code", EC_CODE_NAMES),
	STINT_DIM_PARAM("k"),
	STINT_DIM_PARAM("m"),
	STINT_DIM_NAMES("work", EC_WORK_NAMES),
	STINT_DIM_NAMES("lost", EC_LOST_NAMES),
	STINT_DIM_PARAM("size"),
	STINT_DIM_NAMES("place", "warm", "cold"),
	STINT_DIM_LCORES(1, 2, STINT_ALL),
};

/* ---- units --------------------------------------------------------------------------------- */

/* Chunks of data, or the memory that is read. */
static double
data_chunks(const struct stint_point *pt)
{
	return pt->value[EC_DIM_CODE] == EC_CODE_MEMORY ? 1 : pt->value[EC_DIM_K];
}

/* What is coded, with what pads chunks, as that is coded, too; never parity. */
static double
data_bytes(const struct stint_point *pt)
{
	return data_chunks(pt) * ec_perf_chunk_bytes(pt);
}

/* Chunks that an operation makes. */
static double
made_chunks(const struct stint_point *pt)
{
	switch (pt->value[EC_DIM_WORK]) {
	case EC_ENCODE:
		return ec_perf_chunks(pt) - pt->value[EC_DIM_K];
	case EC_UPDATE:
		return pt->value[EC_DIM_M];
	case EC_READ:
		return 0;
	case EC_COPY:
		return 1;
	default:
		return ec_perf_erasures(pt);
	}
}

static double
made_bytes(const struct stint_point *pt)
{
	double chunks = made_chunks(pt);

	return chunks > 0 ? chunks * ec_perf_chunk_bytes(pt) : NAN;
}

/* Chunks that are read; what is made is read into the cache and written. */
static double
traffic_bytes(const struct stint_point *pt)
{
	unsigned int erased = ec_perf_erasures(pt);
	double read = data_chunks(pt);
	struct ec_conf conf;

	if (ec_perf_conf(pt, &conf) && erased > 0) {
		/* layers as they are written may read any number */
		if (conf.mapping[0] != '\0')
			return NAN;
		/* one that is lost alone is made of its group */
		read = conf.l > 0 && erased == 1 ? conf.l : read;
	}
	if (pt->value[EC_DIM_WORK] == EC_UPDATE)
		read = 2;
	return (read + 2 * made_chunks(pt)) * ec_perf_chunk_bytes(pt);
}

/* Copying the same amount of memory, as warm or cold, on as many lcores. */
static void
copying(struct stint_point *pt)
{
	unsigned int n;

	pt->value[EC_DIM_CODE] = EC_CODE_MEMORY;
	pt->value[EC_DIM_K] = stint_param_list(pt, "k", &n)[0];
	pt->value[EC_DIM_M] = stint_param_list(pt, "m", &n)[0];
	pt->value[EC_DIM_WORK] = EC_COPY;
	pt->value[EC_DIM_LOST] = EC_LOST_NONE;
}

static const struct stint_metric metrics[] = {
	[EC_METRIC_DATA] = { "data", STINT_RATE, "B/s", .factor = data_bytes },
	[EC_METRIC_MADE] = { "made", STINT_RATE, "B/s", .of = metrics, .factor = made_bytes },
	[EC_METRIC_COST] = { "cost", STINT_COST, "cycles/B", .of = metrics, .factor = data_bytes },
	[EC_METRIC_ROOFLINE] = { "roofline", STINT_SHARE, "% of copying", .of = metrics,
				 .factor = traffic_bytes, .against = copying },
	[EC_METRIC_CPU] = { "cpu", STINT_CPU, "% of time", .of = metrics },
	[EC_METRIC_TIME] = { "operation", STINT_LATENCY, "ns" },
};

/* ---- what is refused ----------------------------------------------------------------------- */

static int
check_single(const struct stint_point *pt, char *error, size_t size)
{
	static const char *const names[] = { "l", "w", "packetsize", "erasures", "seed" };

	for (unsigned int i = 0; i < RTE_DIM(names); i++) {
		unsigned int n;

		stint_param_list(pt, names[i], &n);
		if (n <= 1)
			continue;
		snprintf(error, size, "%s: one value, not %u", names[i], n);
		return -EINVAL;
	}
	return 0;
}

static int
check_sums(const struct stint_point *pt, char *error, size_t size)
{
	unsigned int n_k, n_m;
	const uint64_t *k = stint_param_list(pt, "k", &n_k), *m = stint_param_list(pt, "m", &n_m);

	for (unsigned int i = 0; i < n_k * n_m; i++) {
		if (k[i % n_k] + m[i / n_k] <= EC_CHUNKS_MAX)
			continue;
		snprintf(error, size, "k=%u m=%u: k + m is at most %d", (unsigned int)k[i % n_k],
			 (unsigned int)m[i / n_k], EC_CHUNKS_MAX);
		return -EINVAL;
	}
	return 0;
}

/* A technique is of one codec. */
static int
check_codec(const struct stint_point *pt, char *error, size_t size)
{
	static const char *const names[] = { EC_CODE_NAMES };
	const char *technique = stint_param_string(pt, "technique");
	const char *codec = stint_param_string(pt, "codec");
	struct stint_point other = *pt;
	struct ec_conf conf;

	for (unsigned int c = 0; c < EC_CODE_MEMORY && strcmp(codec, "all") != 0; c++) {
		if (strcmp(technique, names[c]) != 0)
			continue;
		other.value[EC_DIM_CODE] = c;
		ec_perf_conf(&other, &conf);
		if (strcmp(codec, conf.codec) == 0)
			continue;
		snprintf(error, size, "technique=%s: of codec %s, not %s", technique, conf.codec,
			 codec);
		return -EINVAL;
	}
	return 0;
}

/* In place, and by a function of one of the libraries. */
static int
check_update(const struct stint_point *pt, char *error, size_t size)
{
	struct stint_point other = *pt;
	bool offered = false;

	if (strcmp(stint_param_string(pt, "workload"), "update") != 0)
		return 0;
	if (strcmp(stint_param_string(pt, "memory"), "reuse") != 0) {
		snprintf(error, size, "workload=update: in place, with memory=reuse");
		return -EINVAL;
	}
	for (unsigned int i = 0; ec_perf_code_at(pt, i, &other) && !offered; i++)
		offered = ec_perf_is_meant(&other) && other.value[EC_DIM_CODE] < EC_CODE_JERASURE;
	if (offered)
		return 0;
	snprintf(error, size, "workload=update: of codec isal only");
	return -EINVAL;
}

/* The fewest chunks of the codes of that k and m that are meant: layers have more. */
static unsigned int
fewest_chunks(const struct stint_point *pt)
{
	unsigned int fewest = EC_CHUNKS_MAX;
	struct stint_point other = *pt;
	struct ec_conf conf;
	char error[256];

	for (unsigned int c = 0; c < EC_CODE_MEMORY; c++) {
		other.value[EC_DIM_CODE] = c;
		if (!ec_perf_is_meant(&other) || !ec_perf_conf(&other, &conf) ||
		    ec_check(&conf, error, sizeof(error)) != 0)
			continue;
		fewest = RTE_MIN(fewest, ec_perf_chunks(&other));
	}
	return fewest;
}

static int
check_erased(const struct stint_point *pt, const uint64_t *erased, unsigned int n, char *error,
	     size_t size)
{
	unsigned int chunks = fewest_chunks(pt);

	for (unsigned int i = 0; i < n; i++) {
		if (erased[i] < chunks)
			continue;
		snprintf(error, size, "erased=%u: chunks are 0 to %u with k=%u m=%u",
			 (unsigned int)erased[i], chunks - 1, (unsigned int)pt->value[EC_DIM_K],
			 (unsigned int)pt->value[EC_DIM_M]);
		return -EINVAL;
	}
	return 0;
}

/* Layers repair some sets, and others not. */
static int
check_layers(const struct stint_point *pt, const uint64_t *erased, unsigned int n, char *error,
	     size_t size)
{
	struct stint_point other = *pt;
	uint8_t set[EC_CHUNKS_MAX];
	struct ec_plan plan;
	struct ec_code code;
	struct ec_conf conf;
	int rc = 0;

	for (unsigned int i = 0; i < n; i++)
		set[i] = erased[i];
	for (unsigned int c = EC_CODE_LRC; c < EC_CODE_MEMORY && rc == 0; c++) {
		other.value[EC_DIM_CODE] = c;
		ec_perf_conf(&other, &conf);
		if (!ec_perf_is_meant(&other) || ec_open(&code, &conf, error, size) != 0)
			continue;
		rc = ec_plan_init(&plan, &code, n);
		if (rc == 0)
			rc = ec_plan_repair(&plan, set, n);
		if (rc == -EINVAL)
			snprintf(error, size, "erased: these %u chunks of %s are not repaired", n,
				 conf.codec);
		ec_plan_free(&plan);
		ec_close(&code);
	}
	return rc;
}

static void
refuse_more(const uint64_t *erased, unsigned int n_erased, uint64_t n, unsigned int m, char *error,
	    size_t size)
{
	uint8_t set[EC_CHUNKS_MAX];
	char text[64];

	for (unsigned int i = 0; i < n_erased && i < EC_CHUNKS_MAX; i++)
		set[i] = erased[i];
	ec_set_text(set, RTE_MIN(n_erased, (unsigned int)EC_CHUNKS_MAX), text, sizeof(text));
	if (n_erased > 0)
		snprintf(error, size, "erased=%s: %u chunks, up to m=%u are repaired", text,
			 n_erased, m);
	else
		snprintf(error, size, "erasures=%" PRIu64 ": up to m=%u are repaired", n, m);
}

static int
check_erasures(const struct stint_point *pt, char *error, size_t size)
{
	unsigned int n_k, n_m, n_erased, n_erasures;
	const uint64_t *k = stint_param_list(pt, "k", &n_k), *m = stint_param_list(pt, "m", &n_m);
	const uint64_t *erased = stint_param_list(pt, "erased", &n_erased);
	const uint64_t *erasures = stint_param_list(pt, "erasures", &n_erasures);
	uint64_t n = n_erased > 0 ? n_erased : n_erasures > 0 ? erasures[0] : 0;
	bool written = stint_param_string(pt, "mapping")[0] != '\0';
	const char *workload = stint_param_string(pt, "workload");
	struct stint_point other = *pt;
	int rc = 0;

	if (n_erasures == 0 && stint_param_uint(pt, "exhaustive") != 0) {
		snprintf(error, size, "exhaustive=1: with erasures, of which all sets are taken");
		return -EINVAL;
	}
	if (n > 0 && strcmp(workload, "all") != 0 && strcmp(workload, "decode") != 0 &&
	    !(strcmp(workload, "repair") == 0 && n_erased == 1)) {
		snprintf(error, size,
			 "workload=%s: erased and erasures are for decode, or one chunk erased for "
			 "repair",
			 workload);
		return -EINVAL;
	}

	if (written && n_erasures > 0) {
		snprintf(error, size, "erasures: with mapping and layers only erased");
		return -EINVAL;
	}
	if (n_erased > 0 && n_erasures > 0) {
		snprintf(error, size, "erased and erasures: one of the two");
		return -EINVAL;
	}
	if (n > 0 && !(ec_perf_k_given(pt) && ec_perf_m_given(pt))) {
		snprintf(error, size, "erased and erasures: with k and m");
		return -EINVAL;
	}
	for (unsigned int i = 0; i < n_k * n_m && rc == 0 && n > 0; i++) {
		if (n > m[i / n_k]) {
			refuse_more(erased, n_erased, n, m[i / n_k], error, size);
			return -EINVAL;
		}
		other.value[EC_DIM_K] = k[i % n_k];
		other.value[EC_DIM_M] = m[i / n_k];
		rc = check_erased(&other, erased, n_erased, error, size);
		if (rc == 0 && n_erased > 0)
			rc = check_layers(&other, erased, n_erased, error, size);
	}
	return rc;
}

static int
validate(const struct stint_point *pt, char *error, size_t size)
{
	int rc = check_single(pt, error, size);

	if (rc == 0)
		rc = check_sums(pt, error, size);
	if (rc == 0)
		rc = check_codec(pt, error, size);
	if (rc == 0 && ec_perf_refuses(pt, error, size))
		rc = -EINVAL;
	if (rc == 0)
		rc = check_update(pt, error, size);
	return rc != 0 ? rc : check_erasures(pt, error, size);
}

/* ---- what points share --------------------------------------------------------------------- */

/* By size, so that small objects are measured where large ones do not fit. */
static uint64_t
fixture(const struct stint_point *pt)
{
	return pt->value[EC_DIM_PLACE] == EC_COLD ? 0 : pt->value[EC_DIM_SIZE];
}

static void
need(const struct stint_point *pt, struct stint_need *need)
{
	uint64_t bytes = ec_perf_arena_bytes(pt);

	for (unsigned int i = 0; i < pt->lcores; i++)
		stint_need_bytes(need, stint_lcore_socket(pt, i), bytes);
}

static void
fill(uint8_t *arena, uint64_t bytes, uint64_t seed)
{
	uint64_t *words = (uint64_t *)arena;

	for (uint64_t i = 0; i < bytes / sizeof(*words); i++)
		words[i] = stint_random(&seed);
}

static void
free_fixture(struct ec_perf_fixture *f)
{
	for (unsigned int i = 0; i < f->n_codes; i++)
		ec_close(&f->codes[i]);
	for (unsigned int i = 0; i < f->n_arenas; i++)
		rte_free(f->arenas[i]);
	for (unsigned int i = 0; i < f->n_arenas; i++)
		free(f->tallies[i].list);
	free(f->codes);
	free(f->arenas);
	free(f->tallies);
	free(f);
}

const struct ec_code *
ec_perf_code(const struct ec_perf_fixture *f, const struct ec_conf *conf)
{
	for (unsigned int i = 0; i < f->n_codes; i++) {
		const struct ec_conf *c = &f->codes[i].conf;

		if (strcmp(c->codec, conf->codec) == 0 &&
		    strcmp(c->technique, conf->technique) == 0 && c->k == conf->k &&
		    c->m == conf->m)
			return &f->codes[i];
	}
	return NULL;
}

static void
append(char *text, size_t size, uint64_t number)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%" PRIu64, used > 0 ? ", " : " ", number);
}

/* What is coded is more than the object where its chunks are padded. */
static void
note_chunks(const struct ec_code *code, const struct stint_point *pt, struct stint_fixture *fx)
{
	unsigned int n;
	const uint64_t *sizes = stint_param_list(pt, "size", &n);

	for (unsigned int i = 0; i < n; i += NOTED_SIZES) {
		char of[96] = "", chunks[96] = "", padding[96] = "";

		for (unsigned int s = i; s < RTE_MIN(n, i + NOTED_SIZES); s++) {
			uint64_t chunk = ec_chunk_bytes(&code->conf, sizes[s]);

			append(of, sizeof(of), sizes[s]);
			append(chunks, sizeof(chunks), chunk);
			append(padding, sizeof(padding), chunk * code->k - sizes[s]);
		}
		stint_note(fx, "%s k=%u: objects of%s: chunks of%s, padding%s bytes",
			   code->conf.unit > 1 ? code->conf.technique : "isal", code->k, of, chunks,
			   padding);
	}
}

/* A code in layers reads less than k chunks. */
static void
note_repair(const struct ec_code *code, struct stint_fixture *fx)
{
	uint8_t chunk = 0;
	struct ec_plan plan;

	if (code->codec != &ec_lrc || ec_plan_init(&plan, code, 1) != 0)
		return;
	if (ec_plan_repair(&plan, &chunk, 1) == 0)
		stint_note(fx, "repair of a chunk of %s %s k=%u m=%u: %u chunks are read",
			   code->conf.codec, code->conf.technique, code->k, code->m,
			   plan.n_sources);
	ec_plan_free(&plan);
}

static void
note_sample(const struct ec_code *code, const struct stint_point *pt, struct stint_fixture *fx)
{
	unsigned int n, prepared;
	const uint64_t *erasures = stint_param_list(pt, "erasures", &n);
	double sets;

	if (n == 0)
		return;
	sets = ec_sets(erasures[0], code->n);
	prepared = ec_perf_sets(code, erasures[0]);
	if (sets <= prepared)
		return;
	if (prepared < EC_SETS_MAX)
		stint_note(fx,
			   "%s k=%u m=%u, %" PRIu64
			   " erasures: of %.4g sets %u prepared, as each takes long",
			   code->conf.technique, code->k, code->m, erasures[0], sets, prepared);
	else if (stint_param_uint(pt, "exhaustive") != 0)
		stint_note(fx,
			   "%u chunks have %.4g sets of %" PRIu64
			   " erasures: a random sample of %u",
			   code->n, sets, erasures[0], prepared);
}

/* Here, on one thread: libraries make tables when a code is first opened. */
static int
open_codes(const struct stint_point *pt, struct ec_perf_fixture *f, struct stint_fixture *fx)
{
	struct stint_point other = *pt;
	unsigned int n = 0;

	while (ec_perf_code_at(pt, n, &other))
		n++;
	f->codes = calloc(n, sizeof(*f->codes));
	if (f->codes == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; ec_perf_code_at(pt, i, &other); i++) {
		struct ec_code *code = &f->codes[f->n_codes];
		struct ec_conf conf;
		char error[256];
		int rc;

		if (!ec_perf_is_meant(&other) || !ec_perf_conf(&other, &conf))
			continue;
		rc = ec_open(code, &conf, error, sizeof(error));
		if (rc == -ENOMEM)
			return rc;
		if (rc != 0)
			continue;
		f->n_codes++;
		stint_note(fx, "kernel of %s %s: %s", code->conf.codec, code->conf.technique,
			   code->kernel);
		note_chunks(code, pt, fx);
		note_repair(code, fx);
		note_sample(code, pt, fx);
	}
	return 0;
}

static int
setup(const struct stint_point *pt, struct stint_fixture *fx)
{
	struct ec_perf_fixture *f = calloc(1, sizeof(*f));
	int rc = 0;

	if (f == NULL)
		return -ENOMEM;
	f->seed = ec_perf_seed_of(pt, fx->seed);
	f->arena_bytes = ec_perf_arena_bytes(pt);
	f->arenas = calloc(pt->lcores, sizeof(*f->arenas));
	f->tallies = calloc(pt->lcores, sizeof(*f->tallies));
	if (f->arenas == NULL || f->tallies == NULL)
		rc = -ENOMEM;
	for (unsigned int i = 0; i < pt->lcores && rc == 0; i++) {
		f->arenas[i] = rte_malloc_socket("ec", f->arena_bytes, EC_ALIGN,
						 stint_lcore_socket(pt, i));
		if (f->arenas[i] == NULL)
			rc = -ENOMEM;
		else
			fill(f->arenas[f->n_arenas++], f->arena_bytes, ec_perf_seed(f->seed, i));
	}
	if (rc == 0)
		rc = open_codes(pt, f, fx);
	if (rc != 0) {
		free_fixture(f);
		return rc;
	}
	fx->data = f;
	return 0;
}

static void
teardown(struct stint_fixture *fx)
{
	free_fixture(fx->data);
}

STINT_PERF_TEST(ec_perf_autotest, 15, .summary = "erasure codes: encode, decode, update, repair",
		.dims = STINT_LIST(dims), .metrics = STINT_LIST(metrics),
		.params = STINT_LIST(params), .worker_bytes = EC_PERF_LANE_BYTES,
		.admit = ec_perf_admit, .validate = validate, .fixture = fixture, .need = need,
		.setup = setup, .teardown = teardown, .worker_init = ec_perf_lane_init,
		.job = ec_perf_lane_job)
