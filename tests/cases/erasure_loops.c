/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/*
 * What ec_perf_autotest says of isal beside a loop of ec_encode_data() and nothing else, over
 * memory of the same kind and layout, by turns. The test writes run files, the loop's rates are
 * printed, in bytes of data a second. Usage: EAL options -- ROUNDS [words of stint_run()]
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isa-l/erasure_code.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_malloc.h>

#include <stint.h>

#define K 4
#define M 2
#define N (K + M)
#define TABLE_BYTES 32
#define COLD_BYTES (UINT64_C(128) << 20)
/* Rates are the median and the best of so many stretches of time. */
#define STRETCHES 31
#define STRETCH_PER_S 1000

static const struct {
	const char *work, *place;
	size_t size;
	/* chunks that are made; the others are read */
	unsigned int made[M], read[K];
} loops[] = {
	{ "encode", "warm", 64 << 10, { 4, 5 }, { 0, 1, 2, 3 } },
	{ "decode", "warm", 64 << 10, { 0, 1 }, { 2, 3, 4, 5 } },
	{ "encode", "warm", 1 << 20, { 4, 5 }, { 0, 1, 2, 3 } },
	{ "decode", "warm", 1 << 20, { 0, 1 }, { 2, 3, 4, 5 } },
	{ "encode", "cold", 1 << 20, { 4, 5 }, { 0, 1, 2, 3 } },
	{ "decode", "cold", 1 << 20, { 0, 1 }, { 2, 3, 4, 5 } },
};

struct stripes {
	uint8_t *arena;
	unsigned int n, next;
	uint32_t order[COLD_BYTES >> 20];
};

static void
shuffle(struct stripes *s, uint64_t *random)
{
	for (unsigned int i = 0; i < s->n; i++)
		s->order[i] = i;
	for (unsigned int i = s->n; i > 1; i--) {
		unsigned int other = stint_random(random) % i;
		uint32_t swap = s->order[i - 1];

		s->order[i - 1] = s->order[other];
		s->order[other] = swap;
	}
}

static void
code_one(struct stripes *s, unsigned int loop, uint8_t *tables)
{
	size_t chunk = loops[loop].size / K;
	uint8_t *stripe = s->arena + s->order[s->next] * N * chunk;
	uint8_t *read[K], *made[M];

	for (unsigned int i = 0; i < K; i++)
		read[i] = stripe + loops[loop].read[i] * chunk;
	for (unsigned int i = 0; i < M; i++)
		made[i] = stripe + loops[loop].made[i] * chunk;
	ec_encode_data(chunk, K, M, tables, read, made);
	if (++s->next == s->n)
		s->next = 0;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void
take_rates(struct stripes *s, unsigned int loop, uint8_t *tables, double *rates)
{
	uint64_t hz = rte_get_tsc_hz();

	for (unsigned int i = 0; i < STRETCHES; i++) {
		uint64_t begin = rte_rdtsc(), now = begin, ops = 0;

		while (now - begin < hz / STRETCH_PER_S) {
			code_one(s, loop, tables);
			ops++;
			now = rte_rdtsc();
		}
		rates[i] = (double)ops * loops[loop].size * hz / (now - begin);
	}
	qsort(rates, STRETCHES, sizeof(rates[0]), by_value);
}

static int
run_loop(unsigned int loop, uint8_t *tables, uint64_t *random)
{
	bool cold = strcmp(loops[loop].place, "cold") == 0;
	size_t stripe = loops[loop].size / K * N, bytes = cold ? COLD_BYTES : stripe;
	struct stripes s = { .arena = rte_malloc("loops", bytes, 64), .n = bytes / stripe };
	double rates[STRETCHES];

	if (s.arena == NULL)
		return 77;
	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
		((uint64_t *)s.arena)[i] = stint_random(random);
	shuffle(&s, random);
	/* as the engine warms up */
	for (unsigned int i = 0; i < 4; i++)
		code_one(&s, loop, tables);
	take_rates(&s, loop, tables, rates);
	printf("bare %s %s %zu %.0f %.0f\n", loops[loop].work, loops[loop].place, loops[loop].size,
	       rates[STRETCHES / 2], rates[STRETCHES - 1]);
	fflush(stdout);
	rte_free(s.arena);
	return 0;
}

int
main(int argc, char **argv)
{
	uint8_t matrix[N * K], tables[K * M * TABLE_BYTES];
	uint64_t random = 1;
	int used = rte_eal_init(argc, argv), rc = 0;

	if (used < 0 || argc - used < 3)
		return 99;
	argc -= used + 1;
	argv += used + 1;
	gf_gen_rs_matrix(matrix, N, K);
	ec_init_tables(K, M, &matrix[K * K], tables);
	for (int round = 0; round < atoi(argv[0]) && rc == 0; round++) {
		rc = stint_run(argc, argv);
		for (unsigned int loop = 0; loop < RTE_DIM(loops) && rc == 0; loop++)
			rc = run_loop(loop, tables, &random);
	}
	rte_eal_cleanup();
	return rc;
}
