/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_OPTIONS_H
#define STINT_OPTIONS_H

/** @file The command line and the environment of the runner. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stint.h"

#define STINT_OPTIONS_MAX 256

struct stint_options {
	char **eal; /* EAL's arguments, without a program name */
	int n_eal;
	const struct stint_test *tests[STINT_OPTIONS_MAX]; /* in the order to run them */
	unsigned int n_tests;
	const struct stint_test *skips[STINT_OPTIONS_MAX]; /* DPDK_TEST_SKIP */
	unsigned int n_skips;
	const char *settings[STINT_OPTIONS_MAX]; /* --set */
	unsigned int n_settings;
	const char *select; /* --points */
	const char *results;
	uint64_t budget_ns; /* 0: not given */
	uint64_t seed;
	bool list, plan, json, help, quiet, verbose;
};

/**
 * Read argv and the environment. 0, or -1 and one line in `error`: wrong usage. What `options`
 * points to lives as long as argv and the process.
 */
int stint_options_read(struct stint_options *options, int argc, char **argv, char *error,
		       size_t size);

/**
 * Does the budget fit the time limit that meson set? 0, or -1 and one line in `error` that names
 * the `meson test -t N` that would allow it.
 */
int stint_limit_check(const struct stint_options *options, char *error, size_t size);

#endif /* STINT_OPTIONS_H */
