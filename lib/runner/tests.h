/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_TESTS_H
#define STINT_TESTS_H

/** @file A command line turned into a session, and its tests run. Main thread. */

#include <stddef.h>

#include "options.h"
#include "session.h"

/** Read the command line into options and a session that is all zero. STINT_PASS, or the exit code
 * and one line in `error`. */
enum stint_exit stint_session_begin(struct stint_session *s, struct stint_options *o, int argc,
				    char **argv, char *error, size_t size);

/** Print the error, if any, and see that what was printed has arrived. The final exit code. */
int stint_session_report(struct stint_session *s, int rc, char *error);

/** Is the test named in DPDK_TEST_SKIP? */
bool stint_tests_skips(const struct stint_options *o, const struct stint_test *test);

/**
 * Begin the records, and the results file or folder if one is named: refused before anything is
 * measured. STINT_PASS, or the exit code and one line in `error`.
 */
enum stint_exit stint_tests_open(struct stint_session *s, const struct stint_options *o,
				 char *error, size_t size);

/** Run all tests, or the prompt if none is named. The exit code of all together. */
enum stint_exit stint_tests_run(struct stint_session *s, const struct stint_options *o);

/** Close the records. The exit code of the process: `rc`, or what an end by signal or the results
 * make of it. */
int stint_tests_finish(struct stint_session *s, enum stint_exit rc);

#endif /* STINT_TESTS_H */
