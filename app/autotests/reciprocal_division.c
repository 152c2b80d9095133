/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <stint.h>

#include <rte_common.h>
#include <rte_reciprocal.h>

#include <inttypes.h>

#include "random.h"

#define RANDOM_DIVISORS 20000
#define DIVIDENDS_EACH 16
#define MAX_EDGES (3 * 64 + 3)

/* what the operands of one way to divide look like, and the way itself */
struct kind {
	const char *name;
	unsigned int dividend_bits, divisor_bits;
	int (*check)(struct stint_fast *t, const struct kind *kind, uint64_t a, uint64_t b);
};

static int
verdict(struct stint_fast *t, const struct kind *kind, uint64_t a, uint64_t b, uint64_t got,
	uint64_t right)
{
	STINT_ASSERT(t, got == right,
		     "%s: %" PRIu64 " / %" PRIu64 " gave %" PRIu64 ", right is %" PRIu64
		     " (seed %" PRIu64 ")",
		     kind->name, a, b, got, right, t->seed);
	return 0;
}

static int
check_u32(struct stint_fast *t, const struct kind *kind, uint64_t a, uint64_t b)
{
	uint32_t dividend = (uint32_t)a, divisor = (uint32_t)b;

	return verdict(t, kind, a, b,
		       rte_reciprocal_divide(dividend, rte_reciprocal_value(divisor)),
		       dividend / divisor);
}

static int
check_u64(struct stint_fast *t, const struct kind *kind, uint64_t a, uint64_t b)
{
	struct rte_reciprocal_u64 reciprocal = rte_reciprocal_value_u64(b);

	return verdict(t, kind, a, b, rte_reciprocal_divide_u64(a, &reciprocal), a / b);
}

static const struct kind kinds[] = {
	{ "32 bits", 32, 32, check_u32 },
	{ "64 bits", 64, 64, check_u64 },
	{ "64 bits by 32", 64, 32, check_u64 },
};

static uint64_t
max_of(unsigned int bits)
{
	return UINT64_MAX >> (64 - bits);
}

/* 0, the powers of two with their neighbours, and the largest values; some come twice */
static unsigned int
edges_of(unsigned int bits, uint64_t *edges)
{
	unsigned int n = 0;

	edges[n++] = 0;
	for (unsigned int shift = 0; shift < bits; shift++) {
		uint64_t power = UINT64_C(1) << shift;

		edges[n++] = power - 1;
		edges[n++] = power;
		edges[n++] = power + 1;
	}
	edges[n++] = max_of(bits) - 1;
	edges[n++] = max_of(bits);
	return n;
}

/*
 * A reciprocal is rounded, and the error grows with the dividend: where a quotient is off by one
 * at all, it is at the largest multiple of the divisor (too small) or just below it (too large).
 */
static int
check_critical(struct stint_fast *t, const struct kind *kind, uint64_t b)
{
	uint64_t max = max_of(kind->dividend_bits);
	uint64_t multiple = max - max % b;

	if (kind->check(t, kind, multiple, b) != 0 || kind->check(t, kind, multiple - 1, b) != 0 ||
	    kind->check(t, kind, max, b) != 0)
		return -1;
	return 0;
}

static int
check_edges(struct stint_fast *t, const struct kind *kind)
{
	uint64_t dividends[MAX_EDGES], divisors[MAX_EDGES];
	unsigned int n_dividends = edges_of(kind->dividend_bits, dividends);
	unsigned int n_divisors = edges_of(kind->divisor_bits, divisors);

	for (unsigned int j = 0; j < n_divisors; j++) {
		if (divisors[j] == 0)
			continue;
		for (unsigned int i = 0; i < n_dividends; i++)
			if (kind->check(t, kind, dividends[i], divisors[j]) != 0)
				return -1;
		if (check_critical(t, kind, divisors[j]) != 0)
			return -1;
	}
	return 0;
}

/* every width is as likely as any other, else nearly all operands would have their top bits set */
static uint64_t
draw(uint64_t *random, unsigned int bits)
{
	unsigned int width = 1 + stint_random(random) % bits;

	return stint_random(random) >> (64 - width);
}

static int
check_random(struct stint_fast *t, const struct kind *kind, uint64_t *random)
{
	for (unsigned int j = 0; j < RANDOM_DIVISORS; j++) {
		uint64_t b = draw(random, kind->divisor_bits);

		b = kind->divisor_bits == 32 ? random_divisor_u32((uint32_t)b)
					     : random_divisor_u64(b);
		for (unsigned int i = 0; i < DIVIDENDS_EACH; i++)
			if (kind->check(t, kind, draw(random, kind->dividend_bits), b) != 0)
				return -1;
		if (check_critical(t, kind, b) != 0)
			return -1;
	}
	return 0;
}

/* quotients known without a division here */
static int
check_known(struct stint_fast *t)
{
	static const struct {
		uint64_t a, b, quotient;
	} known[] = {
		/* 819 * 20736535959076681 = 16983222950483801739, 818 less; was off by one once */
		{ UINT64_C(16983222950483802557), 819, UINT64_C(20736535959076681) },
		/* 2^64 - 1 = 3 * 5 * 17 * 257 * 641 * 65537 * 6700417 */
		{ UINT64_MAX, 641, UINT64_C(28778071877862015) },
		{ UINT64_MAX, 6700417, UINT64_C(2753074036095) },
		{ UINT64_MAX, 1, UINT64_MAX },
		/* 2^63 / 2^31 = 2^32 */
		{ UINT64_C(1) << 63, UINT64_C(1) << 31, UINT64_C(1) << 32 },
	};
	static const struct kind kind = { .name = "known quotient" };

	for (unsigned int i = 0; i < RTE_DIM(known); i++) {
		struct rte_reciprocal_u64 reciprocal = rte_reciprocal_value_u64(known[i].b);
		uint64_t got = rte_reciprocal_divide_u64(known[i].a, &reciprocal);

		if (verdict(t, &kind, known[i].a, known[i].b, got, known[i].quotient) != 0)
			return -1;
	}
	return 0;
}

static int
reciprocal_division(struct stint_fast *t)
{
	uint64_t random = t->seed;

	if (check_known(t) != 0)
		return -1;
	for (unsigned int k = 0; k < RTE_DIM(kinds); k++)
		if (check_edges(t, &kinds[k]) != 0 || check_random(t, &kinds[k], &random) != 0)
			return -1;
	return 0;
}

STINT_FAST_TEST(reciprocal_division_autotest, STINT_NO_HUGE | STINT_ASAN,
		.summary = "reciprocal division gives the quotients of a plain one",
		.run = reciprocal_division);
