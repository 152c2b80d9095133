/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef EC_PERF_H
#define EC_PERF_H

/** @file The points of ec_perf_autotest, their memory, and what one lcore does in one of them. */

#include <stint.h>

#include "ec_codec.h"
#include "ec_sets.h"

/** Dimensions, in this order. */
enum { EC_DIM_CODE, EC_DIM_K, EC_DIM_M, EC_DIM_WORK, EC_DIM_LOST, EC_DIM_SIZE, EC_DIM_PLACE };

enum ec_work {
	EC_ENCODE,
	EC_DECODE,       /* with a plan that was made before */
	EC_DECODE_SETUP, /* the plan is made in each operation */
	EC_UPDATE,
	EC_REPAIR, /* of one chunk */
	EC_READ,   /* the memory alone */
	EC_COPY,
};

enum ec_place { EC_WARM, EC_COLD };

/** Erasures of a point: none, so many of data, of parity, of both, or as the parameters say. */
enum ec_lost {
	EC_LOST_NONE,
	EC_LOST_DATA,
	EC_LOST_PARITY = EC_LOST_DATA + 4,
	EC_LOST_MIXED = EC_LOST_PARITY + 4,
	EC_LOST_GIVEN = EC_LOST_MIXED + 3,
};

#define EC_CODE_NAMES                                                                         \
	"vandermonde", "cauchy", "xor", "reed_sol_van", "reed_sol_r6_op", "cauchy_orig",      \
		"cauchy_good", "liberation", "blaum_roth", "liber8tion", "lrc", "lrc_cauchy", \
		"lrc_jerasure", "memory"
enum {
	EC_CODE_VANDERMONDE,
	EC_CODE_CAUCHY,
	EC_CODE_XOR,
	EC_CODE_JERASURE, /* the first of its techniques */
	EC_CODE_LRC = EC_CODE_JERASURE + 7,
	EC_CODE_LRC_CAUCHY,
	EC_CODE_LRC_JERASURE,
	EC_CODE_MEMORY,
	EC_CODES,
};

#define EC_WORK_NAMES "encode", "decode", "decode+setup", "update", "repair", "read", "copy"
#define EC_LOST_NAMES                                                                        \
	"-", "data1", "data2", "data3", "data4", "parity1", "parity2", "parity3", "parity4", \
		"mixed2", "mixed3", "mixed4", "given"

#define EC_ALIGN 64
/** Sets of erasures that operations take in turn, and steps that preparing all of them may take. */
#define EC_SETS_MAX 256
#define EC_SETS_STEPS 1e8
/** Steps of one set, above which its points are skipped. */
#define EC_SET_STEPS_MAX 3e8
/** One object of those that are cold. */
#define EC_COLD_BYTES (UINT64_C(1) << 20)

/** Metrics, in this order. */
enum {
	EC_METRIC_DATA,
	EC_METRIC_MADE,
	EC_METRIC_COST,
	EC_METRIC_ROOFLINE,
	EC_METRIC_CPU,
	EC_METRIC_TIME
};

/** The code of a point; false: of memory alone. Pure. */
bool ec_perf_conf(const struct stint_point *pt, struct ec_conf *conf);

/** Which combinations are points: as `admit`; and by code, k and m alone. Pure. */
int ec_perf_admit(const struct stint_point *pt);
bool ec_perf_is_meant(const struct stint_point *pt);

/** Point i with another code, k and m: all that the parameters allow. False: there are fewer. Pure.
 */
bool ec_perf_code_at(const struct stint_point *pt, unsigned int i, struct stint_point *other);

/** A technique that was named: does it take none of k and m, or not all that were given? Pure. */
bool ec_perf_refuses(const struct stint_point *pt, char *error, size_t size);

/** Did the user say so? Pure. */
bool ec_perf_k_given(const struct stint_point *pt);
bool ec_perf_m_given(const struct stint_point *pt);

/** Chunks of a point's code, and bytes of each; memory alone has what is read, and a copy. Pure. */
unsigned int ec_perf_chunks(const struct stint_point *pt);
size_t ec_perf_chunk_bytes(const struct stint_point *pt);

/** Is what is made in memory that each operation allocates? Pure. */
bool ec_perf_is_fresh(const struct stint_point *pt);

/** Erasures that a point has in each operation. Pure. */
unsigned int ec_perf_erasures(const struct stint_point *pt);

/** How many sets of so many erasures are prepared: all, or what there is time for. Pure. */
unsigned int ec_perf_sets(const struct ec_code *code, unsigned int erasures);

/** The seed that the user gave, or the other one. Pure. */
uint64_t ec_perf_seed_of(const struct stint_point *pt, uint64_t otherwise);

/** Seed number i of those that a seed yields. */
static inline uint64_t
ec_perf_seed(uint64_t seed, uint64_t i)
{
	uint64_t mixed = stint_random(&seed) ^ i;

	return stint_random(&mixed);
}

/** Memory of each worker. Pure. */
uint64_t ec_perf_arena_bytes(const struct stint_point *pt);

/** Page faults of one worker in all slices of one point but the first. */
struct ec_tally {
	const struct stint_point *point;
	uint64_t faults, ops;
};

struct ec_tallies {
	unsigned int n;
	struct ec_tally *list;
};

/** What points of one number of lcores and one place share. */
struct ec_perf_fixture {
	unsigned int n_arenas, n_codes;
	uint64_t arena_bytes, seed;
	uint8_t **arenas;           /* of each worker, random */
	struct ec_tallies *tallies; /* of each worker, of points that it has seen */
	struct ec_code *codes;
};

/** The code of that configuration, which `setup` has opened. */
const struct ec_code *ec_perf_code(const struct ec_perf_fixture *fx, const struct ec_conf *conf);

/** State of a worker; its memory is that of libc, and renewed for each slice. */
struct ec_perf_lane;

#define EC_PERF_LANE_BYTES 8192

int ec_perf_lane_init(struct stint_worker *w);
struct stint_job ec_perf_lane_job(const struct stint_point *pt, unsigned int worker);

#endif /* EC_PERF_H */
