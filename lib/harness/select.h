/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_SELECT_H
#define STINT_SELECT_H

/** @file --points: which of a test's points are wanted. */

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "stint.h"

#define STINT_SELECT_MAX 64

/** NAME=VALUE terms; those of one name are alternatives, those of different names must all hold. */
struct stint_select {
	char *text;
	struct {
		const char *name, *value;
		bool name_seen, value_seen;
	} terms[STINT_SELECT_MAX];
	unsigned int count;
};

/** 0, -ENOMEM, or -EINVAL and one line in `error`. */
int stint_select_init(struct stint_select *select, const char *text, char *error, size_t size);
void stint_select_free(struct stint_select *select);

/** Does a point with these labels match? Notes which names and values occur. */
bool stint_select_matches(struct stint_select *select, const json_t *labels);

/** After all points: was every name and value one of the test's? 0, or -EINVAL and one line. */
int stint_select_check(const struct stint_select *select, const struct stint_test *test,
		       char *error, size_t size);

#endif /* STINT_SELECT_H */
