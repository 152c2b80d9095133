/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Names and numbers become text; what is missing or null stays NULL. */
static int
text_of(const json_t *value, char **text)
{
	*text = NULL;
	if (value == NULL || json_is_null(value))
		return 0;
	*text = json_is_string(value) ? strdup(json_string_value(value))
				      : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	return *text == NULL ? -ENOMEM : 0;
}

static int
skip_fill(struct sum_skip *skip, const json_t *record)
{
	static const char *const keys[] = { "reason", "need", "have", "remedy" };
	char **const texts[] = { &skip->reason, &skip->need, &skip->have, &skip->remedy };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		free(*texts[i]);
		if (text_of(json_object_get(record, keys[i]), texts[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int
add_of_point(struct sum_test *t, const json_t *record)
{
	struct sum_skip *skip;
	int64_t at;
	int rc = 0;
	char *key;
	json_t *id = json_pack("[O?, O?, O?, O?]", json_object_get(record, "reason"),
			       json_object_get(record, "need"), json_object_get(record, "have"),
			       json_object_get(record, "remedy"));

	key = json_dumps(id, JSON_COMPACT);
	json_decref(id);
	if (key == NULL)
		return -ENOMEM;
	at = stint_index_get(t->skip_index, key);
	if (at < 0) {
		at = t->skips.n;
		if (stint_vec_add(&t->skips, sizeof(*skip)) == NULL ||
		    stint_index_set(&t->skip_index, key, at) < 0 ||
		    skip_fill(&VEC(struct sum_skip, t->skips)[at], record) < 0)
			rc = -ENOMEM;
	}
	free(key);
	if (rc == 0)
		VEC(struct sum_skip, t->skips)[at].points++;
	return rc;
}

int
stint_sum_add_skip(struct stint_summary *s, const json_t *record)
{
	const char *name, *reason;
	struct sum_test *t;
	json_error_t e;

	if (json_unpack_ex((json_t *)record, &e, 0, "{s:s, s:s}", "test", &name, "reason",
			   &reason) < 0)
		return stint_sum_refuse(s, "skip: %s", e.text);
	t = stint_sum_open(s, name);
	if (t == NULL)
		return -ENOMEM;
	if (json_object_get(record, "point") != NULL)
		return add_of_point(t, record);
	return skip_fill(&t->skip, record);
}
