/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <stint.h>

#include <rte_common.h>
#include <rte_reciprocal.h>

#include "random.h"

/*
 * A reciprocal pays where one divisor, unknown to the compiler, divides many dividends (a hash
 * table's size, the period of a token bucket). So a block divides BLOCK dividends by one divisor,
 * with its reciprocal made beforehand, and the next block takes the next divisor.
 *
 * On many CPUs the time of a division depends on the size of the quotient. Dividends use their
 * full width; divisors come in every width, one as often as any other, so quotients do too, and a
 * seed changes only the bits below the top one. Both methods and both chains get the same.
 */
#define BLOCK 64
#define DIVISORS 64

enum { DIM_BITS, DIM_DIVISOR, DIM_METHOD, DIM_CHAIN };
enum method { NORMAL, RECIPROCAL };
enum chain { LATENCY, THROUGHPUT };

struct __rte_cache_aligned division_state {
	uint64_t operands; /* which are filled in, see operands_of(); 0: none */
	unsigned int next; /* divisor of the next block */
	uint64_t result;   /* of all quotients: they cannot be left out */
	uint64_t dividend[BLOCK];
	uint64_t divisor[DIVISORS];
	struct rte_reciprocal reciprocal_u32[DIVISORS];
	struct rte_reciprocal_u64 reciprocal_u64[DIVISORS];
};

/*
 * The barrier hides the quotient's origin and thus keeps the compiler from using vector
 * instructions, which a lone division in an application would not get either.
 */
#define HIDE(value) asm volatile("" : "+r"(value))

/* returns the last quotient */
static __rte_always_inline uint64_t
block_u32(struct division_state *s, enum method method, enum chain chain, uint64_t previous)
{
	const struct rte_reciprocal reciprocal = s->reciprocal_u32[s->next];
	uint32_t divisor = (uint32_t)s->divisor[s->next];
	uint32_t quotient = (uint32_t)previous, result = 0;

	for (unsigned int i = 0; i < BLOCK; i++) {
		uint32_t dividend = (uint32_t)s->dividend[i];

		/* a random dividend stays one, whatever it is combined with by exclusive or */
		if (chain == LATENCY)
			dividend ^= quotient;
		if (method == RECIPROCAL)
			quotient = rte_reciprocal_divide(dividend, reciprocal);
		else
			quotient = dividend / divisor;
		HIDE(quotient);
		result ^= quotient;
	}
	s->result ^= result;
	return quotient;
}

static __rte_always_inline uint64_t
block_u64(struct division_state *s, enum method method, enum chain chain, uint64_t previous)
{
	const struct rte_reciprocal_u64 reciprocal = s->reciprocal_u64[s->next];
	uint64_t divisor = s->divisor[s->next];
	uint64_t quotient = previous, result = 0;

	for (unsigned int i = 0; i < BLOCK; i++) {
		uint64_t dividend = s->dividend[i];

		if (chain == LATENCY)
			dividend ^= quotient;
		if (method == RECIPROCAL)
			quotient = rte_reciprocal_divide_u64(dividend, &reciprocal);
		else
			quotient = dividend / divisor;
		HIDE(quotient);
		result ^= quotient;
	}
	s->result ^= result;
	return quotient;
}

static __rte_always_inline uint64_t
divide(struct stint_worker *w, uint64_t ops, unsigned int bits, enum method method,
       enum chain chain)
{
	struct division_state *s = w->state;
	uint64_t blocks = RTE_MAX(ops / BLOCK, UINT64_C(1));
	uint64_t quotient = 0;

	/* a chain ends with the batch: else the CPU would run two at a time where blocks meet */
	for (uint64_t b = 0; b < blocks; b++) {
		quotient = bits == 32 ? block_u32(s, method, chain, quotient)
				      : block_u64(s, method, chain, quotient);
		s->next = (s->next + 1) % DIVISORS;
	}
	return blocks * BLOCK;
}

#define VARIANT(name, bits, method, chain)                         \
	static uint64_t name(struct stint_worker *w, uint64_t ops) \
	{                                                          \
		return divide(w, ops, bits, method, chain);        \
	}

VARIANT(normal_u32_latency, 32, NORMAL, LATENCY)
VARIANT(normal_u32_throughput, 32, NORMAL, THROUGHPUT)
VARIANT(reciprocal_u32_latency, 32, RECIPROCAL, LATENCY)
VARIANT(reciprocal_u32_throughput, 32, RECIPROCAL, THROUGHPUT)
VARIANT(normal_u64_latency, 64, NORMAL, LATENCY)
VARIANT(normal_u64_throughput, 64, NORMAL, THROUGHPUT)
VARIANT(reciprocal_u64_latency, 64, RECIPROCAL, LATENCY)
VARIANT(reciprocal_u64_throughput, 64, RECIPROCAL, THROUGHPUT)

static struct stint_job
division_job(const struct stint_point *pt, unsigned int worker __rte_unused)
{
	static uint64_t (*const runs[2][2][2])(struct stint_worker *, uint64_t) = {
		{
			{ normal_u32_latency, normal_u32_throughput },
			{ reciprocal_u32_latency, reciprocal_u32_throughput },
		},
		{
			{ normal_u64_latency, normal_u64_throughput },
			{ reciprocal_u64_latency, reciprocal_u64_throughput },
		},
	};
	unsigned int wide = pt->value[DIM_BITS] == 64;

	return (struct stint_job){ .run = runs[wide][pt->value[DIM_METHOD]][pt->value[DIM_CHAIN]] };
}

static int
division_admit(const struct stint_point *pt)
{
	return pt->value[DIM_DIVISOR] > pt->value[DIM_BITS] ? STINT_LEAVE_OUT : 0;
}

/* points that divide the same numbers; never 0 */
static uint64_t
operands_of(const struct stint_point *pt)
{
	return pt->value[DIM_BITS] << 8 | pt->value[DIM_DIVISOR];
}

/*
 * The step is odd, so all widths come, and near the golden section of 64: a batch that ends before
 * the last divisor has had wide and narrow ones alike.
 */
static unsigned int
divisor_width(unsigned int index, unsigned int divisor_bits)
{
	return 1 + index * 39 % divisor_bits;
}

static int
division_worker_init(struct stint_worker *w)
{
	struct division_state *s = w->state;
	uint64_t random = w->seed;
	unsigned int divisor_bits = (unsigned int)w->point->value[DIM_DIVISOR];

	if (s->operands == operands_of(w->point))
		return 0;
	for (unsigned int i = 0; i < BLOCK; i++)
		s->dividend[i] = stint_random(&random);
	for (unsigned int j = 0; j < DIVISORS; j++) {
		s->divisor[j] =
			random_of_width(stint_random(&random), divisor_width(j, divisor_bits));
		s->reciprocal_u64[j] = rte_reciprocal_value_u64(s->divisor[j]);
		/* a wide divisor may have no bits in its lower half */
		if (divisor_bits == 32)
			s->reciprocal_u32[j] = rte_reciprocal_value((uint32_t)s->divisor[j]);
	}
	s->operands = operands_of(w->point);
	return 0;
}

/* in the order of DIM_BITS, ... */
static const struct stint_dim dims[] = {
	STINT_DIM("bits", 32, 64),
	STINT_DIM("divisor", 32, 64),
	STINT_DIM_NAMES("method", "normal", "reciprocal"),
	STINT_DIM_NAMES("chain", "latency", "throughput"),
};
static const struct stint_metric metrics[] = { { "division", STINT_COST, "cycles/division" } };

STINT_PERF_TEST(reciprocal_division_perf_autotest, 2,
		.summary = "plain against reciprocal division", .dims = STINT_LIST(dims),
		.metrics = STINT_LIST(metrics), .worker_bytes = sizeof(struct division_state),
		.admit = division_admit, .fixture = operands_of,
		.worker_init = division_worker_init, .job = division_job);
