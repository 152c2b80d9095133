/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_H
#define STINT_H

/**
 * @file
 * Stint: fast and perf autotests for DPDK.
 *
 * A test is const data plus small functions, registered by one macro. What varies (dimensions,
 * parameters), what is needed, how to set up and what one lcore does n times are the test's;
 * budgets, rounds, skips, files and output are the engine's. A whole perf test:
 *
 * @code
 * static uint64_t
 * spin(struct stint_worker *w, uint64_t ops)
 * {
 *	for (uint64_t i = 0; i < ops; i++)
 *		rte_pause();
 *	return ops;
 * }
 *
 * static struct stint_job
 * spin_job(const struct stint_point *pt, unsigned int worker)
 * {
 *	return (struct stint_job){ .run = spin };
 * }
 *
 * static const struct stint_dim dims[] = { STINT_DIM_LCORES(1, STINT_ALL) };
 * static const struct stint_metric metrics[] = { { "pause", STINT_RATE, "pauses/s" } };
 *
 * STINT_PERF_TEST(pause_perf_autotest, 5,
 *	.summary = "rate of the pause instruction",
 *	.dims = STINT_LIST(dims), .metrics = STINT_LIST(metrics), .job = spin_job);
 * @endcode
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_memory.h>

#include "stint_worker.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A pointer and the number of elements of an array, as the registration macros take them. */
#define STINT_LIST(array)               \
	{                               \
		(array), RTE_DIM(array) \
	}

/** Most dimensions that a test may have. */
#define STINT_MAX_DIMS 8

struct stint_clock;
struct stint_fast;
struct stint_need;

/* ---- parameters ---------------------------------------------------------------------------- */

/** Type of a declared parameter. */
enum stint_param_type {
	STINT_PARAM_UINT,      /**< one unsigned integer; K, M or G behind it: times 1024, ... */
	STINT_PARAM_UINT_LIST, /**< integers as in "32,128" or "0:1024:64" (first:last:step); may
				  be empty if the default is */
	STINT_PARAM_STRING,    /**< any text; `values`, if set, lists what is allowed */
	STINT_PARAM_DURATION,  /**< "10us", "100ms", "2s" or 0; the value is ns */
};

/** A value that a user may set: `--set TEST.NAME=VALUE`. */
struct stint_param {
	const char *name;
	enum stint_param_type type;
	const char *def;    /**< default, written as a user would */
	const char *help;   /**< one line, with the unit */
	uint64_t min, max;  /**< allowed range of each integer, both included */
	const char *values; /**< allowed texts, separated by '|'; NULL: any */
};

/** Value of an integer parameter, of a list the first, of a duration in ns; aborts if there is
 * none. Any thread. */
STINT_API uint64_t stint_param_uint(const struct stint_point *pt, const char *name);

/** All integers of a list parameter, as they were written; owned by the harness. Any thread. */
STINT_API const uint64_t *stint_param_list(const struct stint_point *pt, const char *name,
					   unsigned int *count);

/** Value of a text parameter; owned by the harness. Aborts if there is none. Any thread. */
STINT_API const char *stint_param_string(const struct stint_point *pt, const char *name);

/* ---- points -------------------------------------------------------------------------------- */

/** In STINT_DIM_LCORES: as many lcores as there are. */
#define STINT_ALL 0

/** What a dimension's values are. */
enum stint_dim_kind {
	STINT_DIM_UINTS,    /**< integers */
	STINT_DIM_TEXTS,    /**< names; a point's value is the index */
	STINT_DIM_CORES,    /**< numbers of lcores; the label is "cores" */
	STINT_DIM_DOUBLING, /**< numbers of lcores: 1, 2, 4, ..., and all */
	STINT_DIM_OF_PARAM, /**< the values of the list parameter of the same name */
};

/** One dimension of a test's grid: every combination of values is a point. */
struct stint_dim {
	const char *name;
	enum stint_dim_kind kind;
	const uint64_t *uints;
	const char *const *texts;
	unsigned int count;
};

#define STINT_COUNT_(type, ...) (sizeof((type[]){ __VA_ARGS__ }) / sizeof(type))

/** A dimension of integers: `STINT_DIM("bulk", 1, 8, 32)`. */
#define STINT_DIM(label, ...)                                \
	{                                                    \
		.name = (label), .kind = STINT_DIM_UINTS,    \
		.uints = (const uint64_t[]){ __VA_ARGS__ },  \
		.count = STINT_COUNT_(uint64_t, __VA_ARGS__) \
	}
/** A dimension of names: `STINT_DIM_NAMES("sync", "mp_mc", "sp_sc")`. */
#define STINT_DIM_NAMES(label, ...)                              \
	{                                                        \
		.name = (label), .kind = STINT_DIM_TEXTS,        \
		.texts = (const char *const[]){ __VA_ARGS__ },   \
		.count = STINT_COUNT_(const char *, __VA_ARGS__) \
	}
/** How many lcores run: `STINT_DIM_LCORES(1, 2, STINT_ALL)`; equal numbers are one point. */
#define STINT_DIM_LCORES(...)                                \
	{                                                    \
		.name = "cores", .kind = STINT_DIM_CORES,    \
		.uints = (const uint64_t[]){ __VA_ARGS__ },  \
		.count = STINT_COUNT_(uint64_t, __VA_ARGS__) \
	}
/**
 * One lcore, 2, 4, ... as long as there are more, and all: with 24 of them 1, 2, 4, 8, 16, 24. They
 * share one budget.
 */
#define STINT_DIM_LCORES_DOUBLING                           \
	{                                                   \
		.name = "cores", .kind = STINT_DIM_DOUBLING \
	}
/** The values of the STINT_PARAM_UINT_LIST parameter of that name. */
#define STINT_DIM_PARAM(label)                              \
	{                                                   \
		.name = (label), .kind = STINT_DIM_OF_PARAM \
	}

/** One cell of a test's grid. Read-only for the test. */
struct stint_point {
	const struct stint_test *test;
	uint64_t value[STINT_MAX_DIMS];      /**< in the order of `dims`; an index for names */
	unsigned int lcores;                 /**< lcores that the point uses */
	bool shares_cpus;                    /**< there are fewer CPUs, or a quota, for them */
	const struct stint_params *params;   /**< for stint_param_*() */
	const struct stint_machine *machine; /**< for stint_*() calls that ask the machine */
};

/** `admit`: the combination is no point at all. */
#define STINT_LEAVE_OUT (-1)

/**
 * To be returned by `admit` and `able`: the point exists but cannot be measured here. It is counted
 * and listed as skipped, with the reason. Returns 0.
 */
STINT_API int stint_skip_point(const struct stint_point *pt, const char *format, ...)
	__rte_format_printf(2, 3);

/** How many lcores there are, whatever the point uses. */
STINT_API unsigned int stint_lcores(const struct stint_point *pt);

/** Socket of the lcore of a point's worker; -1: memory has none (--no-huge). Pure. */
STINT_API int stint_lcore_socket(const struct stint_point *pt, unsigned int worker);

/** An Ethernet port. */
struct stint_port {
	uint16_t id;
	int socket; /**< where its lcores and memory should be; -1: anywhere */
	bool named; /**< the user asked for it: what it refuses is a failure, not a skip */
	char name[64], driver[32];
};

/**
 * How many Ethernet ports there are for a STINT_PORTS test; before EAL has started, how many its
 * arguments name, and 1 if none: not 0 before that is sure. All points of such a test share their
 * fixture with those of other numbers of lcores, so that a port is never set up twice.
 */
STINT_API unsigned int stint_ports(const struct stint_point *pt);

/**
 * Port i of a STINT_PORTS test; NULL before EAL has started. Lcore number i of a point serves port
 * i modulo stint_ports(), and is on its socket as far as there are lcores there.
 */
STINT_API const struct stint_port *stint_port(const struct stint_point *pt, unsigned int i);

/** Name of the mempool handler that mbuf pools get by default (EAL's --mbuf-pool-ops-name). */
STINT_API const char *stint_mbuf_pool_ops(const struct stint_point *pt);

/* ---- needs --------------------------------------------------------------------------------- */

/** Socket of the lcores that the point uses; resolved by the engine. */
#define STINT_SOCKET_LOCAL (-1)

/** Add hugepage memory to a need. `socket`: a socket id or STINT_SOCKET_LOCAL. Pure. */
STINT_API void stint_need_bytes(struct stint_need *need, int socket, uint64_t bytes);

/**
 * Add what one mempool takes: objects, handler, caches. An upper bound for any handler that DPDK
 * has; computed by rte_mempool_calc_obj_size() and rte_ring_get_memsize(). Pure.
 */
STINT_API void stint_need_mempool(struct stint_need *need, int socket, unsigned int objects,
				  unsigned int elt_bytes, unsigned int flags);

/** Add what one ring of `count` slots takes. Pure. */
STINT_API void stint_need_ring(struct stint_need *need, int socket, unsigned int count);

/* ---- perf tests ---------------------------------------------------------------------------- */

/** What a metric is. */
enum stint_metric_kind {
	STINT_RATE,     /**< operations per second, summed over the lcores of the point */
	STINT_COST,     /**< TSC cycles per operation on one lcore */
	STINT_TIME,     /**< the same in ns: the mean by the clock of the engine, with all that
			 *   lies between two operations */
	STINT_SHARE,    /**< the rate in percent of that of another point, as measured last */
	STINT_CPU,      /**< CPU time of the lcores in percent of the time that they counted for */
	STINT_HANDOVER, /**< ns that the engine takes to hand a point over; measured by itself */
	STINT_LATENCY,  /**< ns, one by one, see stint_latency(); summarised as quantiles */
};

/** What a point yields. The first metric is the headline. */
struct stint_metric {
	const char *name;
	enum stint_metric_kind kind;
	const char *unit; /**< as printed: "objects/s", "cycles/division"; "ns" of a latency */
	/** Counts the operations of that metric of the test once more: what one of them costs, and
	 * how many there are a second; NULL: those of the jobs that name it. */
	const struct stint_metric *of;
	/** How much of the unit an operation is: bits of a packet, bytes of a block; a cost is that
	 * of a bit or a byte then. STINT_LATENCY with
	 * `of`, a latency, too: how much of it is shown, without being recorded again: half a round
	 * trip. Pure; NULL: 1. */
	double (*factor)(const struct stint_point *pt);
	/** STINT_SHARE: change this point's values into those of the point that is compared with:
	 * of rank 0, to have one from the first round on. Pure. */
	void (*against)(struct stint_point *pt);
};

/** What several points share: a pool, a port, a code's buffers. */
struct stint_fixture {
	const struct stint_point *point; /**< a point that uses it, with the most lcores */
	int socket;                      /**< where to allocate */
	const char *name;                /**< a name for DPDK objects, unique in the process */
	uint64_t seed;                   /**< differs by set-up; the same for the same --seed */
	void *data;                      /**< the test's own, set by `setup` */
	/** What is left of the budget: a `setup` that waits does so no longer. The first set-up is
	 * outside the budget if all fixtures fit in memory at once: UINT64_MAX. */
	uint64_t left_ns;
	bool keep;  /**< `setup` may set: not to be drawn anew, others depend on it */
	void *kept; /**< the test's own, from malloc(): stays from set-up to set-up, freed at the
		       end */
	struct stint_said *said;         /**< the engine's */
	const struct stint_clock *clock; /**< the engine's */
};

/** ns of TSC cycles, by the rate that was measured. Main lcore, from `setup` to `teardown`. */
STINT_API double stint_cycles_ns(const struct stint_fixture *fx, uint64_t cycles);

/** TSC cycles of ns, by the same rate; of a fixture that a fast test made itself, by EAL's. */
STINT_API double stint_ns_cycles(const struct stint_fixture *fx, uint64_t ns);

/**
 * Say what a reader of the result must know of it: a line above it, `notes` in the run file. The
 * same text is said once. Main lcore: `setup`, `check`, `teardown`.
 */
STINT_API void stint_note(struct stint_fixture *fx, const char *format, ...)
	__rte_format_printf(2, 3);

/** Add to a number that stands with the result if it is not 0: `what` is "frames lost". As above.
 */
STINT_API void stint_count(struct stint_fixture *fx, const char *what, uint64_t n);

/**
 * Something is wrong that was found after measuring, say results that could not be written: the
 * test fails with this text in the end. The first one stands. Main lcore: `check`, `teardown`.
 */
STINT_API void stint_fixture_fail(struct stint_fixture *fx, const char *format, ...)
	__rte_format_printf(2, 3);

/**
 * A `setup` cannot go on, and says why: the test fails. An error number says less, but is how a
 * lack of memory is told: it is compared with what the fixture needs. Returns what `setup` returns
 * then.
 */
STINT_API int stint_setup_fail(struct stint_fixture *fx, const char *format, ...)
	__rte_format_printf(2, 3);

/** The same where nobody is to blame: the points of the fixture are skipped. */
STINT_API int stint_setup_skip(struct stint_fixture *fx, const char *format, ...)
	__rte_format_printf(2, 3);

/* ---- fast tests ---------------------------------------------------------------------------- */

/** What a fast test's function gets. */
struct stint_fast {
	const struct stint_point *point; /**< for stint_param_*() */
	uint64_t seed;                   /**< for random operands; printed with a failure */
	const _Atomic int *signal;       /**< the engine's; see stint_fast_stopping() */
	char message[256];
};

/** The test fails with this text. Returns -1, to be returned by the test. */
STINT_API int stint_fast_fail(struct stint_fast *t, const char *format, ...)
	__rte_format_printf(2, 3);
/** The test cannot run here, for this reason. Returns 77, to be returned by the test. */
STINT_API int stint_fast_skip(struct stint_fast *t, const char *format, ...)
	__rte_format_printf(2, 3);

/** Was the run asked to end? For tests that wait for others. Any thread. */
STINT_API bool stint_fast_stopping(const struct stint_fast *t);

/** Something to be said beside a pass, such as what was left out and why. The last one stands. */
STINT_API void stint_fast_note(struct stint_fast *t, const char *format, ...)
	__rte_format_printf(2, 3);

/** In a function that returns int and has `struct stint_fast *t`: fail unless `cond` holds. */
#define STINT_ASSERT(t, cond, ...)                                \
	do {                                                      \
		if (unlikely(!(cond)))                            \
			return stint_fast_fail((t), __VA_ARGS__); \
	} while (0)

/* ---- random numbers ------------------------------------------------------------------------ */

/**
 * Next number of the sequence that a seed begins: SplitMix64 (Steele, Lea and Flood, Fast
 * Splittable Pseudorandom Number Generators, OOPSLA 2014). Not for secrets.
 */
static inline uint64_t
stint_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* ---- registration -------------------------------------------------------------------------- */

/** The suite of a test. */
enum stint_suite { STINT_SUITE_FAST, STINT_SUITE_PERF };

/** Fast test: runs without hugepages. */
#define STINT_NO_HUGE 0x1
/** Fast test: runs under AddressSanitizer. */
#define STINT_ASAN 0x2
/** Uses the Ethernet ports that there are; without any it is skipped. In `.flags` of a perf test.
 */
#define STINT_PORTS 0x4

/** A registered test. Filled by STINT_PERF_TEST() or STINT_FAST_TEST(). */
struct stint_test {
	const char *name;
	enum stint_suite suite;
	const char *summary;   /**< one line */
	unsigned int budget_s; /**< seconds, see STINT_PERF_TEST(); 0 for a fast test */
	unsigned int flags;    /**< STINT_NO_HUGE, STINT_ASAN, STINT_PORTS */
	struct {
		const struct stint_param *list;
		unsigned int count;
	} params;

	/* fast */
	/** 0, or what stint_fast_fail/skip() returned. Of a perf test: see `serves`. */
	int (*run)(struct stint_fast *t);

	/* perf */
	struct {
		const struct stint_dim *list;
		unsigned int count;
	} dims;
	struct {
		const struct stint_metric *list;
		unsigned int count;
	} metrics;
	const char *const *phase_names; /**< of phases 1, 2, ...; NULL if no job has phases */
	size_t worker_bytes; /**< hugepage memory of each worker, zeroed, on its socket */
	/** How many lcores a point uses, where no dimension says so. Pure; optional. */
	unsigned int (*lcores)(const struct stint_point *pt);
	/** Leave out (STINT_LEAVE_OUT), skip, or rank (0: most telling) a point. Pure; optional. */
	int (*admit)(const struct stint_point *pt);
	/**
	 * Has the point enough samples, so that it is visited no more? If all have, the test ends
	 * before its budget. Main lcore, between slices; optional.
	 */
	bool (*enough)(const struct stint_point *pt, const struct stint_fixture *fx);
	/**
	 * With these parameters nothing is measured here: this process serves one that does, by
	 * `run`, as a fast test runs. Pure; optional.
	 */
	bool (*serves)(const struct stint_point *pt);
	/**
	 * Are there things by the names that the parameters give? Main lcore, EAL started;
	 * optional. 0; -EINVAL: what the user named does not exist; -ENODEV: what the test takes by
	 * default is missing, so that it is skipped; both with one line in `error`.
	 */
	int (*validate)(const struct stint_point *pt, char *error, size_t size);
	/** Points of as many lcores that give the same number share a fixture. Pure; optional. */
	uint64_t (*fixture)(const struct stint_point *pt);
	/** What the point's fixture (fast: the test) takes. Pure, before EAL start; optional. */
	void (*need)(const struct stint_point *pt, struct stint_need *need);
	/**
	 * Main lcore. 0, -errno, or what stint_setup_fail() or stint_setup_skip() returned; on
	 * failure nothing stays allocated. Optional.
	 */
	int (*setup)(const struct stint_point *pt, struct stint_fixture *fx);
	/** Main lcore, after all workers of a slice finished: 0, or -1 if something is wrong. */
	int (*check)(struct stint_fixture *fx);
	void (*teardown)(struct stint_fixture *fx); /**< main lcore */
	/**
	 * Can the fixture, now that it is set up, measure the point? If not: what
	 * stint_skip_point() returned. Main lcore, before the first visits; optional.
	 */
	bool (*able)(const struct stint_point *pt, const struct stint_fixture *fx);
	/** On the worker's lcore before each slice, untimed. 0 or -errno. Optional. */
	int (*worker_init)(struct stint_worker *w);
	/** What worker number `worker` does; called on the main lcore. */
	struct stint_job (*job)(const struct stint_point *pt, unsigned int worker);

	struct stint_test *next; /**< registry */
};

/** Link a test into the registry. Called by the registration macros before main(). */
STINT_API void stint_register(struct stint_test *test);

#define STINT_REGISTER_(test_name, ...)                                                        \
	static struct stint_test stint_test_##test_name = { .name = #test_name, __VA_ARGS__ }; \
	RTE_INIT(stint_register_##test_name)                                                   \
	{                                                                                      \
		stint_register(&stint_test_##test_name);                                       \
	}

/**
 * Register a perf test; both literals stand on the macro's own line, where the build reads them.
 * `seconds`: default budget for each number of lcores; for all if they are doubled.
 */
#define STINT_PERF_TEST(test_name, seconds, ...) \
	STINT_REGISTER_(test_name, .suite = STINT_SUITE_PERF, .budget_s = (seconds), __VA_ARGS__)

/** Register a fast test; `where`: STINT_NO_HUGE | STINT_ASAN, or 0. */
#define STINT_FAST_TEST(test_name, where, ...) \
	STINT_REGISTER_(test_name, .suite = STINT_SUITE_FAST, .flags = (where), __VA_ARGS__)

/* ---- running ------------------------------------------------------------------------------- */

/**
 * The whole runner: options, EAL start, prompt, tests. A program with tests of its own needs
 * nothing else:
 * @code
 * int main(int argc, char **argv) { return stint_main(argc, argv); }
 * @endcode
 * Returns the exit code: 0 pass, 77 skip, 1 fail, 2 wrong usage, 99 the harness could not run.
 */
STINT_API int stint_main(int argc, char **argv);

/**
 * Run tests inside a program that has called rte_eal_init() itself (stint_main() does so too then,
 * with its "--"). `argv`: any first word, then
 * what may stand after "--" on the runner's command line; at least one test, --list, --plan or
 * --help. This is what is left of a DPDK program's own argv:
 * @code
 * int n = rte_eal_init(argc, argv);
 * int rc = n < 0 ? 99 : stint_run(argc - n, argv + n);
 * @endcode
 * The tests use the main lcore and those in state WAIT, EAL's memory and its ports, and leave all
 * as it was; EAL goes on. Signals stay the program's: see stint_run_stop(). The program ignores
 * SIGPIPE if it wants to outlive a reader of its output. Main lcore, one call at a time, any number
 * of calls. Returns the exit code that stint_main() would.
 */
STINT_API int stint_run(int argc, char **argv);

/** Have the stint_run() under way end soon; it returns 143. Any thread, and signal handlers. */
STINT_API void stint_run_stop(void);

#ifdef __cplusplus
}
#endif

#endif /* STINT_H */
