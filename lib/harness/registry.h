/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_REGISTRY_H
#define STINT_REGISTRY_H

/** @file Registered tests, in the order of their names. */

#include <stddef.h>

#include "stint.h"

const struct stint_test *stint_registry_first(void);

#define STINT_FOREACH_TEST(test) \
	for (test = stint_registry_first(); test != NULL; test = test->next)

/** The test of that name; NULL if there is none. */
const struct stint_test *stint_registry_find(const char *name);

/** Name of the suite, as meson knows it. */
const char *stint_suite_name(const struct stint_test *test);

/**
 * Are all registrations usable: names different, what a suite needs there? 0, or -1 and one line
 * in `error`.
 */
int stint_registry_check(char *error, size_t size);

/**
 * Candidates that a mistyped word may have meant, nearest first, at most three. `count` words are
 * given by `word(i, arg)`. Writes "; did you mean A or B?", or nothing if none is near.
 */
void stint_near(char *text, size_t size, const char *typed, unsigned int count,
		const char *(*word)(unsigned int i, const void *arg), const void *arg);

/** stint_near() among the names of tests. */
void stint_registry_near(char *text, size_t size, const char *typed);

#endif /* STINT_REGISTRY_H */
