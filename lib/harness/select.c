/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "select.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
stint_select_init(struct stint_select *select, const char *text, char *error, size_t size)
{
	char *term, *rest;

	memset(select, 0, sizeof(*select));
	select->text = strdup(text);
	if (select->text == NULL)
		return -ENOMEM;
	for (rest = select->text; (term = strsep(&rest, ",")) != NULL;) {
		char *equals = strchr(term, '=');

		if (equals == NULL || equals == term || equals[1] == '\0' ||
		    select->count == STINT_SELECT_MAX) {
			snprintf(error, size,
				 "--points %s: takes up to %d NAME=VALUE, separated "
				 "by commas",
				 text, STINT_SELECT_MAX);
			return -EINVAL;
		}
		*equals = '\0';
		select->terms[select->count].name = term;
		select->terms[select->count++].value = equals + 1;
	}
	return 0;
}

void
stint_select_free(struct stint_select *select)
{
	free(select->text);
	select->text = NULL;
	select->count = 0;
}

static bool
equal(const json_t *label, const char *text)
{
	char number[32];

	if (json_is_string(label))
		return strcmp(json_string_value(label), text) == 0;
	snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(label));
	return strcmp(number, text) == 0;
}

/* Does any term of the same name as term i hold? */
static bool
name_holds(const struct stint_select *select, unsigned int i, const json_t *label)
{
	for (unsigned int k = 0; k < select->count; k++) {
		if (strcmp(select->terms[k].name, select->terms[i].name) == 0 &&
		    equal(label, select->terms[k].value))
			return true;
	}
	return false;
}

bool
stint_select_matches(struct stint_select *select, const json_t *labels)
{
	bool match = true;

	for (unsigned int i = 0; i < select->count; i++) {
		const json_t *label = json_object_get(labels, select->terms[i].name);

		if (label == NULL) {
			match = false;
			continue;
		}
		select->terms[i].name_seen = true;
		select->terms[i].value_seen |= equal(label, select->terms[i].value);
		match = match && name_holds(select, i, label);
	}
	return match;
}

static void
list_names(const struct stint_test *test, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int d = 0; d < test->dims.count && used < size; d++)
		used += snprintf(text + used, size - used, "%s%s", d > 0 ? ", " : "",
				 test->dims.list[d].name);
}

int
stint_select_check(const struct stint_select *select, const struct stint_test *test, char *error,
		   size_t size)
{
	char names[256];

	list_names(test, names, sizeof(names));
	for (unsigned int i = 0; i < select->count; i++) {
		if (!select->terms[i].name_seen)
			snprintf(error, size, "--points %s=%s: %s has no label %s; it has %s",
				 select->terms[i].name, select->terms[i].value, test->name,
				 select->terms[i].name, names);
		else if (!select->terms[i].value_seen)
			snprintf(error, size, "--points %s=%s: no point of %s has that value",
				 select->terms[i].name, select->terms[i].value, test->name);
		else
			continue;
		return -EINVAL;
	}
	return 0;
}
