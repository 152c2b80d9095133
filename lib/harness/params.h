/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_PARAMS_H
#define STINT_PARAMS_H

/** @file Values of a test's declared parameters. */

#include <stddef.h>
#include <stdint.h>

#include "stint.h"

/** Most integers that a list may hold. */
#define STINT_PARAM_LIST_MAX 4096

struct stint_param_value {
	char *text;     /* as written */
	uint64_t *list; /* of integers */
	unsigned int count;
};

struct stint_params {
	const struct stint_test *test;
	struct stint_param_value *values; /* one for each declared parameter */
};

/**
 * Give each parameter of a test its default, then what `settings` ("[TEST.]NAME=VALUE") say of it.
 * Settings for other tests are passed over. 0, -ENOMEM, or -EINVAL and one line in `error`.
 */
int stint_params_init(struct stint_params *params, const struct stint_test *test,
		      const char *const *settings, unsigned int n_settings, char *error,
		      size_t size);

void stint_params_free(struct stint_params *params);

/** Does a setting name a parameter of this test? */
bool stint_setting_is_for(const char *setting, const struct stint_test *test);

/** The declared parameter's value; NULL if the test declares none of that name. */
const struct stint_param_value *stint_params_find(const struct stint_params *params,
						  const char *name);

/**
 * Time in ns of a whole number and one of the units ns, us, ms, s, m, h, up to a day; "0" needs no
 * unit. False: it is none.
 */
bool stint_duration_parse(const char *text, uint64_t *ns);

/** "1..4096", "a|b" or "any text": what may be given. */
void stint_param_range(const struct stint_param *p, char *text, size_t size);

#endif /* STINT_PARAMS_H */
