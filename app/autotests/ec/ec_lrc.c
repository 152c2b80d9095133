/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ec_codec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

/*
 * Local reconstruction: the k + m chunks of a code of another codec are dealt to groups of l, and
 * each group has the sum of its chunks as one more. A chunk that is lost alone in its group takes
 * l chunks to repair, and not k.
 */

/* technique: codec and technique of the layer over all chunks */
static const char *const techniques[] = { "isal", "isal_cauchy", "jerasure", NULL };

static struct ec_conf
conf_of_global(const struct ec_conf *conf)
{
	const char *technique = strcmp(conf->technique, "isal_cauchy") == 0 ? "cauchy" : NULL;
	const char *codec = strncmp(conf->technique, "isal", 4) == 0 ? "isal" : conf->technique;

	return (struct ec_conf){ .codec = codec,
				 .technique = technique,
				 .k = conf->k,
				 .m = conf->m,
				 .w = conf->w,
				 .packetsize = conf->packetsize };
}

static int
check(struct ec_conf *conf, char *error, size_t size)
{
	struct ec_conf global = conf_of_global(conf);
	unsigned int n = conf->k + conf->m, groups;

	if (conf->l < 1 || n % conf->l != 0) {
		snprintf(error, size, "l=%u: divides k + m = %u", conf->l, n);
		return -EINVAL;
	}
	groups = n / conf->l;
	if (conf->k % groups != 0 || conf->m % groups != 0) {
		snprintf(error, size, "l=%u: %u groups, which divide neither k=%u nor m=%u evenly",
			 conf->l, groups, conf->k, conf->m);
		return -EINVAL;
	}
	if (n + groups > EC_CHUNKS_MAX) {
		snprintf(error, size, "k=%u m=%u l=%u: k + m + groups is at most %d", conf->k,
			 conf->m, conf->l, EC_CHUNKS_MAX);
		return -EINVAL;
	}
	return ec_check(&global, error, size);
}

/* ---- layers -------------------------------------------------------------------------------- */

/* A code over some of the chunks. */
struct layer {
	struct ec_code code;
	uint8_t chunks[EC_CHUNKS_MAX]; /* of the whole, by those of the layer's code */
};

struct lrc {
	unsigned int n_layers; /* one over all, then the groups */
	struct layer layers[];
};

struct lrc_plan {
	unsigned int n_steps;
	uint8_t order[EC_CHUNKS_MAX]; /* of the layers, once each */
	struct ec_plan layers[];
};

static void
close_code(struct ec_code *code)
{
	struct lrc *lrc = code->state;

	for (unsigned int i = 0; lrc != NULL && i < lrc->n_layers; i++)
		ec_close(&lrc->layers[i].code);
	free(lrc);
}

/* Chunks of group g: its part of data, its part of parity, its own. */
static void
deal(const struct ec_code *code, unsigned int g, unsigned int groups, uint8_t *chunks)
{
	unsigned int k = code->k / groups, m = code->m / groups, n = 0;

	for (unsigned int i = 0; i < k; i++)
		chunks[n++] = g * k + i;
	for (unsigned int i = 0; i < m; i++)
		chunks[n++] = code->k + g * m + i;
	chunks[n] = code->k + code->m + g;
}

static int
open_layer(struct lrc *lrc, const struct ec_conf *conf)
{
	struct layer *layer = &lrc->layers[lrc->n_layers];
	char error[256];
	int rc = ec_open(&layer->code, conf, error, sizeof(error));

	if (rc == 0)
		lrc->n_layers++;
	return rc;
}

static int
open_code(struct ec_code *code)
{
	unsigned int groups = (code->k + code->m) / code->conf.l;
	struct lrc *lrc = calloc(1, sizeof(*lrc) + (1 + groups) * sizeof(lrc->layers[0]));
	struct ec_conf global = conf_of_global(&code->conf);
	struct ec_conf local = { .codec = "isal", .technique = "xor", .k = code->conf.l, .m = 1 };
	int rc;

	code->state = lrc;
	if (lrc == NULL)
		return -ENOMEM;
	rc = open_layer(lrc, &global);
	for (unsigned int g = 0; g < groups && rc == 0; g++) {
		deal(code, g, groups, lrc->layers[1 + g].chunks);
		rc = open_layer(lrc, &local);
	}
	if (rc != 0) {
		close_code(code);
		return rc;
	}
	for (unsigned int i = 0; i < code->k + code->m; i++)
		lrc->layers[0].chunks[i] = i;
	code->n = code->k + code->m + groups;
	code->unit = lrc->layers[0].code.unit;
	code->kernel = lrc->layers[0].code.kernel;
	return 0;
}

/* ---- plans --------------------------------------------------------------------------------- */

static void
plan_free(struct ec_plan *plan)
{
	const struct lrc *lrc = plan->code->state;
	struct lrc_plan *p = plan->state;

	for (unsigned int i = 0; p != NULL && i < lrc->n_layers; i++)
		ec_plan_free(&p->layers[i]);
	free(p);
}

static int
plan_init(struct ec_plan *plan, unsigned int targets_max)
{
	const struct lrc *lrc = plan->code->state;
	struct lrc_plan *p = calloc(1, sizeof(*p) + lrc->n_layers * sizeof(p->layers[0]));
	int rc = 0;

	(void)targets_max;
	plan->state = p;
	if (p == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < lrc->n_layers && rc == 0; i++) {
		const struct ec_code *code = &lrc->layers[i].code;

		rc = ec_plan_init(&p->layers[i], code, code->m);
	}
	if (rc != 0)
		plan_free(plan);
	return rc;
}

/* What the layer could make of what is there; 0: nothing is missing, or too much. */
static unsigned int
missing_in(const struct layer *layer, const bool *gone, uint8_t *missing)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < layer->code.n; i++) {
		if (!gone[layer->chunks[i]])
			continue;
		if (n == layer->code.m)
			return 0;
		missing[n++] = i;
	}
	return n;
}

/* True: layer i makes all that it lacks, and will be asked no more. */
static bool
add_step(const struct lrc *lrc, struct lrc_plan *p, unsigned int i, bool *gone)
{
	const struct layer *layer = &lrc->layers[i];
	uint8_t missing[EC_CHUNKS_MAX];
	unsigned int n = missing_in(layer, gone, missing);

	if (n == 0 || ec_plan_repair(&p->layers[i], missing, n) != 0)
		return false;
	p->order[p->n_steps++] = i;
	for (unsigned int c = 0; c < n; c++)
		gone[layer->chunks[missing[c]]] = false;
	return true;
}

static bool
any_gone(const bool *gone, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		if (gone[i])
			return true;
	}
	return false;
}

/* All chunks that steps read and no step has made before. */
static void
list_sources(struct ec_plan *plan, const struct lrc *lrc, const struct lrc_plan *p)
{
	bool have[EC_CHUNKS_MAX] = { false };

	plan->n_sources = 0;
	for (unsigned int i = 0; i < p->n_steps; i++) {
		const struct ec_plan *step = &p->layers[p->order[i]];
		const uint8_t *chunks = lrc->layers[p->order[i]].chunks;

		for (unsigned int s = 0; s < step->n_sources; s++) {
			if (!have[chunks[step->sources[s]]])
				plan->sources[plan->n_sources++] = chunks[step->sources[s]];
			have[chunks[step->sources[s]]] = true;
		}
		for (unsigned int t = 0; t < step->n_targets; t++)
			have[chunks[step->targets[t]]] = true;
	}
}

/* Groups first, as they read less. */
static int
plan_repair(struct ec_plan *plan, const uint8_t *erased, unsigned int n)
{
	const struct lrc *lrc = plan->code->state;
	struct lrc_plan *p = plan->state;
	bool gone[EC_CHUNKS_MAX] = { false }, more = true;

	for (unsigned int i = 0; i < n; i++)
		gone[erased[i]] = true;
	p->n_steps = 0;
	while (more) {
		more = false;
		for (unsigned int i = 1; i < lrc->n_layers; i++)
			more |= add_step(lrc, p, i, gone);
		if (!more)
			more = add_step(lrc, p, 0, gone);
	}
	if (any_gone(gone, plan->code->n))
		return -EINVAL;
	plan->n_targets = n;
	memcpy(plan->targets, erased, n);
	list_sources(plan, lrc, p);
	return 0;
}

/* ---- running ------------------------------------------------------------------------------- */

static void
run(const struct ec_plan *plan, uint8_t *const *in, uint8_t *const *out, size_t bytes)
{
	const struct lrc *lrc = plan->code->state;
	const struct lrc_plan *p = plan->state;
	uint8_t *now[EC_CHUNKS_MAX], *from[EC_CHUNKS_MAX], *to[EC_CHUNKS_MAX];

	memcpy(now, in, plan->code->n * sizeof(*now));
	for (unsigned int i = 0; i < plan->n_targets; i++)
		now[plan->targets[i]] = out[plan->targets[i]];
	for (unsigned int i = 0; i < p->n_steps; i++) {
		const struct ec_plan *step = &p->layers[p->order[i]];
		const uint8_t *chunks = lrc->layers[p->order[i]].chunks;

		for (unsigned int s = 0; s < step->n_sources; s++)
			from[step->sources[s]] = now[chunks[step->sources[s]]];
		for (unsigned int t = 0; t < step->n_targets; t++)
			to[step->targets[t]] = now[chunks[step->targets[t]]];
		ec_run(step, from, to, bytes);
	}
}

#ifdef STINT_HAVE_ISAL
#define MISSING NULL
#else
#define MISSING "libisal"
#endif

const struct ec_codec ec_lrc = {
	.name = "lrc",
	.missing = MISSING,
	.techniques = techniques,
	.check = check,
	.open = open_code,
	.close = close_code,
	.plan_init = plan_init,
	.plan_repair = plan_repair,
	.run = run,
	.plan_free = plan_free,
};
