/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_PROMPT_H
#define STINT_PROMPT_H

/** @file The prompt: test names, list, plan, help, quit. */

#include "options.h"
#include "session.h"

/** Runs one test and notes what came of it; returns its exit code. */
typedef enum stint_exit (*stint_run_fn)(void *arg, const struct stint_test *test);

/**
 * Read commands until `quit`, the end of input or a signal: with editing and completion on a
 * terminal, line by line otherwise. 0, or STINT_USAGE if a line that is no terminal's was no
 * command.
 */
enum stint_exit stint_prompt(struct stint_session *s, const struct stint_options *o,
			     stint_run_fn run, void *arg);

#endif /* STINT_PROMPT_H */
