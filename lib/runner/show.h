/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_SHOW_H
#define STINT_SHOW_H

/** @file --list, --plan, --help: what is said without measuring. */

#include <stdio.h>

#include "options.h"
#include "session.h"

void stint_show_list(FILE *out, bool json);

/** --help and --list. False: something else is asked for. */
bool stint_show(FILE *out, const struct stint_options *o);

/** Plans of the named tests, or of all. 0, or -1 and one line in `error`. */
int stint_show_plan(FILE *out, const struct stint_session *s, const struct stint_options *o,
		    char *error, size_t size);

/** Usage, or one test with its parameters and dimensions. */
void stint_show_usage(FILE *out);
void stint_show_test(FILE *out, const struct stint_test *test);

#endif /* STINT_SHOW_H */
