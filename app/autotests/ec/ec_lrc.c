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
 * Local reconstruction: chunks are coded in layers. Usually the k + m chunks of a code of another
 * codec are dealt to groups of l, and each group has the sum of its chunks as one more: a chunk
 * that is lost alone in its group takes l chunks to repair, and not k. Or the layers are what the
 * user says.
 */

/* technique: codec and technique of layers that make more than a sum */
static const char *const techniques[] = { "isal", "isal_cauchy", "jerasure", NULL };

/* A code over some of the chunks. */
struct layer {
	unsigned int k, m;
	uint8_t chunks[EC_CHUNKS_MAX]; /* of the whole, by those of the layer's code */
	struct ec_code code;
};

struct lrc {
	unsigned int n, n_layers;
	struct layer *layers; /* those of the fewest chunks first, as repairs go by them first */
};

static struct ec_conf
conf_of_layer(const struct ec_conf *conf, const struct layer *layer)
{
	bool sum = layer->m == 1;
	const char *technique = strcmp(conf->technique, "isal_cauchy") == 0 ? "cauchy" : NULL;
	const char *codec = strncmp(conf->technique, "isal", 4) == 0 ? "isal" : conf->technique;

	return (struct ec_conf){ .codec = sum ? "isal" : codec,
				 .technique = sum ? "xor" : technique,
				 .k = layer->k,
				 .m = layer->m,
				 .w = sum ? 0 : conf->w };
}

/* ---- layers of k, m and l ------------------------------------------------------------------ */

/* Chunks of group g: its part of data, its part of parity, its own. */
static void
deal(const struct ec_conf *conf, unsigned int g, unsigned int groups, struct layer *layer)
{
	unsigned int k = conf->k / groups, m = conf->m / groups;

	for (unsigned int i = 0; i < k; i++)
		layer->chunks[layer->k++] = g * k + i;
	for (unsigned int i = 0; i < m; i++)
		layer->chunks[layer->k++] = conf->k + g * m + i;
	layer->chunks[layer->k] = conf->k + conf->m + g;
	layer->m = 1;
}

static int
groups_of(const struct ec_conf *conf, struct lrc *lrc, char *error, size_t size)
{
	unsigned int n = conf->k + conf->m, groups;
	struct layer *all;

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
	lrc->n = n + groups;
	lrc->layers = calloc(groups + 1, sizeof(*lrc->layers));
	if (lrc->layers == NULL)
		return -ENOMEM;
	for (unsigned int g = 0; g < groups; g++)
		deal(conf, g, groups, &lrc->layers[lrc->n_layers++]);
	all = &lrc->layers[lrc->n_layers++];
	all->k = conf->k;
	all->m = conf->m;
	for (unsigned int i = 0; i < n; i++)
		all->chunks[i] = i;
	return 0;
}

/* ---- layers as they are written ------------------------------------------------------------ */

#define SEPARATORS " ,"

static bool
is_given(const char *text)
{
	return text != NULL && text[0] != '\0';
}

/* Data first, then the others, each in the order in which they are written. */
static int
number_chunks(const struct ec_conf *conf, uint8_t *numbers, char *error, size_t size)
{
	size_t n = strlen(conf->mapping);
	unsigned int data = 0, others = conf->k;

	if (n != conf->k + conf->m || strspn(conf->mapping, "D_") != n) {
		snprintf(error, size, "mapping=%s: k + m = %u letters, each D or _", conf->mapping,
			 conf->k + conf->m);
		return -EINVAL;
	}
	for (size_t i = 0; i < n; i++)
		numbers[i] = conf->mapping[i] == 'D' ? data++ : others++;
	if (data == conf->k)
		return 0;
	snprintf(error, size, "mapping=%s: D for each of k=%u chunks of data, not %u",
		 conf->mapping, conf->k, data);
	return -EINVAL;
}

static int
read_layer(const char *text, size_t n, const uint8_t *numbers, struct layer *layer, bool *made,
	   char *error, size_t size)
{
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			if (text[i] == "Dc"[pass])
				layer->chunks[layer->k + layer->m++] = numbers[i];
		}
		if (pass == 0) {
			layer->k = layer->m;
			layer->m = 0;
		}
	}
	for (unsigned int i = layer->k; i < layer->k + layer->m; i++) {
		if (made[layer->chunks[i]]) {
			snprintf(error, size, "layers: \"%.*s\" makes a chunk that is there",
				 (int)n, text);
			return -EINVAL;
		}
		made[layer->chunks[i]] = true;
	}
	if (layer->k > 0 && layer->m > 0)
		return 0;
	snprintf(error, size, "layers: \"%.*s\" has no D, or no c", (int)n, text);
	return -EINVAL;
}

static int
by_chunks(const void *a, const void *b)
{
	const struct layer *x = a, *y = b;

	return x->k < y->k ? -1 : x->k > y->k;
}

static int
written_layers(const struct ec_conf *conf, struct lrc *lrc, char *error, size_t size)
{
	bool made[EC_CHUNKS_MAX] = { false };
	uint8_t numbers[EC_CHUNKS_MAX];
	const char *text = is_given(conf->layers) ? conf->layers : "";
	int rc = number_chunks(conf, numbers, error, size);

	lrc->n = conf->k + conf->m;
	lrc->layers = calloc(lrc->n, sizeof(*lrc->layers));
	if (lrc->layers == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < conf->k; i++)
		made[i] = true;
	for (text += strspn(text, SEPARATORS); rc == 0 && *text != '\0';) {
		size_t n = strcspn(text, SEPARATORS);

		if (n != lrc->n || strspn(text, "Dc_") != n || lrc->n_layers == lrc->n) {
			snprintf(error, size, "layers: \"%.*s\": %u letters, each D, c or _",
				 (int)n, text, lrc->n);
			return -EINVAL;
		}
		rc = read_layer(text, n, numbers, &lrc->layers[lrc->n_layers++], made, error, size);
		text += n + strspn(text + n, SEPARATORS);
	}
	for (unsigned int i = 0; i < lrc->n && rc == 0; i++) {
		if (made[i])
			continue;
		snprintf(error, size, "layers: none makes chunk %u", i);
		rc = -EINVAL;
	}
	qsort(lrc->layers, lrc->n_layers, sizeof(*lrc->layers), by_chunks);
	return rc;
}

/* ---- checking and opening ------------------------------------------------------------------ */

static int
layers_of(const struct ec_conf *conf, struct lrc *lrc, char *error, size_t size)
{
	int rc;

	memset(lrc, 0, sizeof(*lrc));
	if (is_given(conf->mapping) || is_given(conf->layers))
		rc = is_given(conf->mapping) && conf->l == 0 ? 0 : -EINVAL;
	else
		return groups_of(conf, lrc, error, size);
	if (rc == 0)
		return written_layers(conf, lrc, error, size);
	snprintf(error, size, "mapping and layers: both, and no l");
	return rc;
}

static int
check(struct ec_conf *conf, char *error, size_t size)
{
	struct lrc lrc;
	int rc;

	/* those of isal take none; sums of any codec are isal's */
	if (conf->packetsize != 0 || (conf->w != 0 && strncmp(conf->technique, "isal", 4) == 0)) {
		snprintf(error, size, "%s=%u: layers of %s have none",
			 conf->packetsize != 0 ? "packetsize" : "w",
			 conf->packetsize != 0 ? conf->packetsize : conf->w, conf->technique);
		return -EINVAL;
	}
	rc = layers_of(conf, &lrc, error, size);

	for (unsigned int i = 0; i < lrc.n_layers && rc == 0; i++) {
		struct ec_conf of = conf_of_layer(conf, &lrc.layers[i]);

		rc = ec_check(&of, error, size);
		conf->unit = RTE_MAX(conf->unit, of.unit);
	}
	free(lrc.layers);
	return rc;
}

static void
close_code(struct ec_code *code)
{
	struct lrc *lrc = code->state;

	for (unsigned int i = 0; lrc != NULL && i < lrc->n_layers; i++)
		ec_close(&lrc->layers[i].code);
	if (lrc != NULL)
		free(lrc->layers);
	free(lrc);
}

static int
open_code(struct ec_code *code)
{
	struct lrc *lrc = calloc(1, sizeof(*lrc));
	char error[256];
	int rc;

	code->state = lrc;
	if (lrc == NULL)
		return -ENOMEM;
	rc = layers_of(&code->conf, lrc, error, sizeof(error));
	for (unsigned int i = 0; i < lrc->n_layers && rc == 0; i++) {
		struct layer *layer = &lrc->layers[i];
		struct ec_conf conf = conf_of_layer(&code->conf, layer);

		rc = ec_open(&layer->code, &conf, error, sizeof(error));
		code->kernel = layer->code.kernel;
	}
	code->n = lrc->n;
	if (rc != 0)
		close_code(code);
	return rc;
}

struct lrc_plan {
	unsigned int n_steps;
	uint8_t order[EC_CHUNKS_MAX]; /* of the layers, once each */
	struct ec_plan layers[];
};

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

/* The first layer that can make what it lacks, again and again. */
static int
plan_repair(struct ec_plan *plan, const uint8_t *erased, unsigned int n)
{
	const struct lrc *lrc = plan->code->state;
	struct lrc_plan *p = plan->state;
	bool gone[EC_CHUNKS_MAX] = { false };
	unsigned int i = 0;

	for (unsigned int e = 0; e < n; e++)
		gone[erased[e]] = true;
	p->n_steps = 0;
	while (i < lrc->n_layers)
		i = add_step(lrc, p, i, gone) ? 0 : i + 1;
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

static bool
is_ready(const struct layer *layer, const bool *there)
{
	for (unsigned int i = 0; i < layer->k; i++) {
		if (!there[layer->chunks[i]])
			return false;
	}
	return !there[layer->chunks[layer->k]];
}

/* Layers one after the other, each as soon as all is there that it is made of. */
static void
plain(const struct ec_code *code, uint8_t *const *chunks, size_t bytes)
{
	const struct lrc *lrc = code->state;
	bool there[EC_CHUNKS_MAX] = { false };
	unsigned int i = 0;

	memset(there, true, code->k);
	while (i < lrc->n_layers) {
		const struct layer *layer = &lrc->layers[i++];
		uint8_t *own[EC_CHUNKS_MAX];

		if (!is_ready(layer, there))
			continue;
		for (unsigned int c = 0; c < layer->code.n; c++) {
			own[c] = chunks[layer->chunks[c]];
			there[layer->chunks[c]] = true;
		}
		ec_plain(&layer->code, own, bytes);
		i = 0;
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
	.plain = plain,
};
