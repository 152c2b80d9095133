/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef EC_CODEC_H
#define EC_CODEC_H

/**
 * @file
 * Erasure codes behind one interface. A code has n chunks of the same size, numbered from 0: k of
 * data, then m of parity, then those that a layered code adds. What a code does, encoding as well
 * as repairing, is a plan: chunks that are read, and chunks that are made of them. A plan is made
 * once and run as often as wanted.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EC_CHUNKS_MAX 256

/** What a user asks for; 0 of l, w and packetsize: not given. */
struct ec_conf {
	const char *codec, *technique;
	unsigned int k, m;       /* chunks of data and of parity */
	unsigned int l;          /* lrc: chunks of a group, without the local parity */
	unsigned int w;          /* jerasure: bits of a word */
	unsigned int packetsize; /* jerasure: bytes of a packet of the bit matrix techniques */
	/*
	 * lrc, instead of l: a letter for each chunk, 'D' for data, '_' for others; and for each
	 * layer such a text, with 'D' for what it codes, 'c' for what it makes, '_' for the rest,
	 * and a blank or comma between them. NULL or empty: not given.
	 */
	const char *mapping, *layers;
	unsigned int unit; /* filled in: a chunk is a multiple of so many bytes */
};

struct ec_codec;

/** A code. Read-only once it is open: lcores share it. */
struct ec_code {
	const struct ec_codec *codec;
	struct ec_conf conf; /* with defaults filled in */
	unsigned int k, m, n;
	const char *kernel; /* what the library runs here, as far as it tells */
	void *state;
};

/** Chunks of `targets` are made from those of `sources`. Belongs to one lcore. */
struct ec_plan {
	const struct ec_code *code;
	unsigned int n_sources, n_targets;
	uint8_t sources[EC_CHUNKS_MAX], targets[EC_CHUNKS_MAX];
	void *state;
};

struct ec_codec {
	const char *name;
	const char *missing; /* the library that was not there when this was built; NULL: none */
	const char *const *techniques; /* the first is the default; ends with NULL */
	/** Fill in what was not given. 0, or -EINVAL and which parameter, its limit and why. */
	int (*check)(struct ec_conf *conf, char *error, size_t size);
	/** 0 or -ENOMEM. Main lcore. */
	int (*open)(struct ec_code *code);
	void (*close)(struct ec_code *code);
	/** Memory of a plan for up to that many erasures. 0 or -ENOMEM. */
	int (*plan_init)(struct ec_plan *plan, unsigned int targets_max);
	/** Any lcore. 0; -EINVAL: these cannot be repaired. */
	int (*plan_repair)(struct ec_plan *plan, const uint8_t *erased, unsigned int n);
	/** Any lcore. `in` and `out` by chunk; those that are read, and those that are made,
	 * differ. */
	void (*run)(const struct ec_plan *plan, uint8_t *const *in, uint8_t *const *out,
		    size_t bytes);
	void (*plan_free)(struct ec_plan *plan);
	/**
	 * Data chunk i changes by `delta`, the sum of what it was and what it becomes: add to the
	 * parity what follows. NULL: not offered.
	 */
	void (*update)(const struct ec_code *code, unsigned int i, const uint8_t *delta,
		       uint8_t *const *chunks, size_t bytes);
	/** See ec_plain(). */
	void (*plain)(const struct ec_code *code, uint8_t *const *chunks, size_t bytes);
};

/** All codecs, whether their libraries are there or not; ends with NULL. */
extern const struct ec_codec *const ec_codecs[];

extern const struct ec_codec ec_isal, ec_jerasure, ec_lrc;

/** NULL: there is none of that name. */
const struct ec_codec *ec_find(const char *name);

/** The library that this was built without and that the code needs; NULL: none. */
const char *ec_missing(const struct ec_conf *conf);

/** Refuse a wrong request, as `check` does, with codec and technique, too. */
int ec_check(struct ec_conf *conf, char *error, size_t size);

/** As `check`, -ENODEV if a library is missing, -ENOMEM; closing it then does nothing. Main lcore.
 */
int ec_open(struct ec_code *code, const struct ec_conf *conf, char *error, size_t size);
void ec_close(struct ec_code *code);

/** Bytes of a chunk of an object, with what ec_check() fills in: a k-th of it, padded to the unit.
 * Pure. */
size_t ec_chunk_bytes(const struct ec_conf *conf, size_t object_bytes);

/** A plan that makes all parity of all data. As `plan_init` and `plan_repair`. */
int ec_plan_encode(struct ec_plan *plan, const struct ec_code *code);

/**
 * A plan for up to `targets_max` erasures, and for which ones. As above; freeing one whose
 * `plan_init` failed does nothing.
 */
int ec_plan_init(struct ec_plan *plan, const struct ec_code *code, unsigned int targets_max);
int ec_plan_repair(struct ec_plan *plan, const uint8_t *erased, unsigned int n);
void ec_plan_free(struct ec_plan *plan);

/**
 * For codecs: erasures become targets, and the first k chunks that are left sources. -EINVAL: there
 * are more than m.
 */
int ec_plan_choose(struct ec_plan *plan, const uint8_t *erased, unsigned int n);

/** About how many steps, of a ns or so, ec_plan_repair() takes for n erasures. Pure. */
double ec_plan_steps(const struct ec_conf *conf, unsigned int n);

static inline void
ec_run(const struct ec_plan *plan, uint8_t *const *in, uint8_t *const *out, size_t bytes)
{
	plan->code->codec->run(plan, in, out, bytes);
}

/**
 * All parity of all data, by the arithmetic of ec_plain.h and none of a library: what results are
 * checked against. Slower than they are.
 */
static inline void
ec_plain(const struct ec_code *code, uint8_t *const *chunks, size_t bytes)
{
	code->codec->plain(code, chunks, bytes);
}

#endif /* EC_CODEC_H */
