/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ec_codec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>

const struct ec_codec *const ec_codecs[] = { &ec_isal, &ec_jerasure, &ec_lrc, NULL };

const struct ec_codec *
ec_find(const char *name)
{
	for (unsigned int i = 0; ec_codecs[i] != NULL; i++) {
		if (strcmp(ec_codecs[i]->name, name) == 0)
			return ec_codecs[i];
	}
	return NULL;
}

const char *
ec_missing(const struct ec_conf *conf)
{
	const struct ec_codec *codec = ec_find(conf->codec);

	/* a layered code is made of others */
	if (codec == &ec_lrc && conf->technique != NULL &&
	    strcmp(conf->technique, ec_jerasure.name) == 0 && ec_jerasure.missing != NULL)
		return ec_jerasure.missing;
	return codec->missing;
}

static bool
has_technique(const struct ec_codec *codec, const char *name)
{
	for (unsigned int i = 0; codec->techniques[i] != NULL; i++) {
		if (strcmp(codec->techniques[i], name) == 0)
			return true;
	}
	return false;
}

static int
refuse_technique(const struct ec_codec *codec, const char *name, char *error, size_t size)
{
	int n = snprintf(error, size, "technique=%s: %s has", name, codec->name);

	for (unsigned int i = 0; codec->techniques[i] != NULL && n >= 0 && (size_t)n < size; i++)
		n += snprintf(error + n, size - n, "%s %s", i > 0 ? "," : "", codec->techniques[i]);
	return -EINVAL;
}

static bool
is_given(const char *text)
{
	return text != NULL && text[0] != '\0';
}

int
ec_check(struct ec_conf *conf, char *error, size_t size)
{
	const struct ec_codec *codec = ec_find(conf->codec);
	const char *wrong = conf->k < 1 ? "k" : "m";

	if (codec == NULL) {
		snprintf(error, size, "codec=%s: there are isal, jerasure, lrc", conf->codec);
		return -EINVAL;
	}
	if (conf->technique == NULL || conf->technique[0] == '\0')
		conf->technique = codec->techniques[0];
	if (!has_technique(codec, conf->technique))
		return refuse_technique(codec, conf->technique, error, size);
	if (conf->k < 1 || conf->m < 1) {
		snprintf(error, size, "%s=0: at least 1", wrong);
		return -EINVAL;
	}
	if (conf->k + conf->m > EC_CHUNKS_MAX) {
		snprintf(error, size, "k=%u m=%u: k + m is at most %u", conf->k, conf->m,
			 EC_CHUNKS_MAX);
		return -EINVAL;
	}
	if (codec != &ec_lrc && (is_given(conf->mapping) || is_given(conf->layers))) {
		snprintf(error, size, "mapping and layers: codec %s has none", codec->name);
		return -EINVAL;
	}
	conf->unit = 1;
	return codec->check(conf, error, size);
}

int
ec_open(struct ec_code *code, const struct ec_conf *conf, char *error, size_t size)
{
	const char *missing;
	int rc;

	memset(code, 0, sizeof(*code));
	code->conf = *conf;
	rc = ec_check(&code->conf, error, size);
	if (rc != 0)
		return rc;
	missing = ec_missing(&code->conf);
	if (missing != NULL) {
		snprintf(error, size, "codec %s: built without %s", conf->codec, missing);
		return -ENODEV;
	}
	code->codec = ec_find(conf->codec);
	code->k = conf->k;
	code->m = conf->m;
	code->n = conf->k + conf->m;
	code->kernel = code->codec->name;
	rc = code->codec->open(code);
	if (rc == 0)
		return 0;
	snprintf(error, size, "%s %s: out of memory", conf->codec, code->conf.technique);
	code->codec = NULL;
	return rc;
}

void
ec_close(struct ec_code *code)
{
	if (code->codec != NULL)
		code->codec->close(code);
	code->codec = NULL;
}

size_t
ec_chunk_bytes(const struct ec_conf *conf, size_t object_bytes)
{
	size_t bytes = (object_bytes + conf->k - 1) / conf->k;

	return (bytes + conf->unit - 1) / conf->unit * conf->unit;
}

int
ec_plan_init(struct ec_plan *plan, const struct ec_code *code, unsigned int targets_max)
{
	int rc;

	memset(plan, 0, sizeof(*plan));
	plan->code = code;
	rc = code->codec->plan_init(plan, targets_max);
	if (rc != 0)
		plan->code = NULL;
	return rc;
}

int
ec_plan_choose(struct ec_plan *plan, const uint8_t *erased, unsigned int n)
{
	bool gone[EC_CHUNKS_MAX] = { false };

	if (n > plan->code->m)
		return -EINVAL;
	plan->n_targets = n;
	memcpy(plan->targets, erased, n);
	for (unsigned int i = 0; i < n; i++)
		gone[erased[i]] = true;
	plan->n_sources = 0;
	for (unsigned int i = 0; i < plan->code->n && plan->n_sources < plan->code->k; i++) {
		if (!gone[i])
			plan->sources[plan->n_sources++] = i;
	}
	return 0;
}

int
ec_plan_repair(struct ec_plan *plan, const uint8_t *erased, unsigned int n)
{
	return plan->code->codec->plan_repair(plan, erased, n);
}

int
ec_plan_encode(struct ec_plan *plan, const struct ec_code *code)
{
	uint8_t parity[EC_CHUNKS_MAX];
	unsigned int n = 0;
	int rc = ec_plan_init(plan, code, code->n - code->k);

	for (unsigned int i = code->k; i < code->n; i++)
		parity[n++] = i;
	if (rc == 0)
		rc = ec_plan_repair(plan, parity, n);
	if (rc != 0)
		ec_plan_free(plan);
	return rc;
}

/* A matrix is inverted and multiplied; of bits, each row is compared with each other one, too. */
double
ec_plan_steps(const struct ec_conf *conf, unsigned int n)
{
	bool bits = conf->packetsize > 0;
	double cells = bits ? conf->w : 1, side = conf->k * cells, rows = n * cells;

	return side * side * (side + rows) + (bits ? rows * rows * side : 0);
}

void
ec_plan_free(struct ec_plan *plan)
{
	if (plan->code != NULL)
		plan->code->codec->plan_free(plan);
	plan->code = NULL;
}
