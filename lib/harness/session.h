/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_SESSION_H
#define STINT_SESSION_H

/** @file One process's run of tests: what all of them share. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "clock.h"
#include "eal_args.h"
#include "host.h"
#include "machine.h"
#include "plan.h"
#include "report.h"
#include "runfile.h"
#include "said.h"
#include "slice.h"

/** Exit codes. */
enum stint_exit {
	STINT_PASS = 0,
	STINT_FAIL = 1,
	STINT_USAGE = 2,
	STINT_SKIP = 77,
	STINT_BROKEN = 99, /* the harness could not run */
};

/** Why a test is skipped when a page that was allocated cannot be touched. */
#define STINT_HUGEPAGE_LOST                                                               \
	"hugepage limit: a page was granted, touching it raised SIGBUS; raise the limit " \
	"of the container or cgroup"

/** Where records go: the run file, if there is one, and the summary. Any thread. */
struct stint_log {
	pthread_mutex_t lock;
	struct stint_runfile *file; /* NULL: none */
	struct stint_summary *summary;
	int error; /* first failure of the file: -errno */
};

struct __rte_cache_aligned stint_session {
	struct stint_host host;
	struct stint_eal_args args;   /* as asked for */
	struct stint_eal_args eal;    /* as EAL was started */
	struct stint_machine machine; /* of `eal` */
	struct stint_machine asked;   /* of `args` */
	struct stint_machine ported;  /* as `machine`, with lcores in the order of ports */
	bool eal_up;
	bool hosted;        /* in a program that has started EAL itself */
	bool spent;         /* a fault left EAL's locks in doubt: nothing more is run */
	bool huge_fallback; /* no hugepages: EAL runs without, for fast tests only */
	struct stint_clock clock;
	struct stint_log log;
	uint64_t started_ns; /* CLOCK_MONOTONIC */
	uint64_t seed;
	uint64_t budget_ns; /* 0: each test's own */
	const char *const *settings;
	unsigned int n_settings;
	const char *select; /* --points; NULL: all */
	const char *folder; /* gets a run file for each test; NULL: none */
	bool quiet, verbose, tty;
	FILE *out;
	int out_error;          /* first failure of `out`: an errno */
	uint64_t round_line_ns; /* when the last line about a round was printed */
	int argc;               /* as recorded */
	char **argv;

	_Atomic(const struct stint_test *) current; /* being run */
	_Atomic(const struct stint_cell *) cell;    /* its point; NULL between points */
	_Atomic int signal;                         /* that asked for the end; 0: none */
	struct stint_slice slice;                   /* being run, or the last one */
};

/** What came of a test. */
struct stint_outcome {
	enum stint_exit status; /* STINT_PASS, STINT_SKIP or STINT_FAIL */
	unsigned int points, done, skipped, rounds;
	uint64_t elapsed_ns;
	struct stint_said said;
	char message[512];
};

/**
 * Flush what was printed. If nobody reads any more (EPIPE), the run is asked to end as by SIGPIPE;
 * other failures are found at the end. Main thread.
 */
void stint_flush(struct stint_session *s);

/** Hand a record over; takes the reference. 0, or -errno if the run file cannot take it. */
int stint_log_put(struct stint_log *log, json_t *record);

/** Has a signal asked for the end? */
static inline bool
stint_interrupted(struct stint_session *s)
{
	return atomic_load_explicit(&s->signal, memory_order_relaxed) != 0;
}

/**
 * Run one test: plan, skip or measure, record, print. Main lcore, EAL started. STINT_PASS,
 * STINT_SKIP, STINT_FAIL; STINT_USAGE for a request that the plan refuses; STINT_BROKEN.
 */
enum stint_exit stint_session_run(struct stint_session *s, const struct stint_test *test);

/** Record and print that a test is not run, for this reason. STINT_SKIP, or what is wrong. */
enum stint_exit stint_session_skip(struct stint_session *s, const struct stint_test *test,
				   const char *reason);

/**
 * Write the `end` record and close the run file, once. Any thread. -ETIMEDOUT if another thread is
 * stuck in a write.
 */
int stint_session_end(struct stint_session *s, int exit_code, int signal);

/** Print a test's summary, unless another thread prints what there is of it. Main thread. */
void stint_session_print_test(struct stint_session *s, const char *test);

/**
 * For a process that must leave now: print what is there of the test under way. Any thread but the
 * main one, which can neither record nor print from then on.
 */
void stint_session_print_partial(struct stint_session *s);

/** The `run` record: what a reader must know of the machine and of this process. */
json_t *stint_run_record(const struct stint_session *s);

/** Measure the points of a planned perf test until its budget ends. */
void stint_rounds_run(struct stint_session *s, struct stint_plan *plan,
		      struct stint_outcome *outcome);

/** Run a fast test. */
void stint_fast_run(struct stint_session *s, struct stint_plan *plan,
		    struct stint_outcome *outcome);

#endif /* STINT_SESSION_H */
