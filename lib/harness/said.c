/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "said.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stint.h"

/* More are not read by anybody. */
#define NOTES_MAX 64

void
stint_note(struct stint_fixture *fx, const char *format, ...)
{
	struct stint_said *said = fx->said;
	char text[256];
	va_list args;
	json_t *note;
	size_t i;

	if (said == NULL)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (said->notes == NULL)
		said->notes = json_array();
	json_array_foreach (said->notes, i, note) {
		if (strcmp(json_string_value(note), text) == 0)
			return;
	}
	if (json_array_size(said->notes) < NOTES_MAX)
		json_array_append_new(said->notes, json_string(text));
}

void
stint_count(struct stint_fixture *fx, const char *what, uint64_t n)
{
	struct stint_said *said = fx->said;

	if (said == NULL || n == 0)
		return;
	if (said->counts == NULL)
		said->counts = json_object();
	n += json_integer_value(json_object_get(said->counts, what));
	json_object_set_new(said->counts, what, json_integer(n));
}

void
stint_fixture_fail(struct stint_fixture *fx, const char *format, ...)
{
	struct stint_said *said = fx->said;
	va_list args;

	if (said == NULL || said->failure[0] != '\0')
		return;
	va_start(args, format);
	vsnprintf(said->failure, sizeof(said->failure), format, args);
	va_end(args);
}

static int
end_setup(struct stint_fixture *fx, enum stint_setup_end end, const char *format, va_list args)
{
	if (fx->said == NULL)
		return -1;
	fx->said->setup = end;
	vsnprintf(fx->said->reason, sizeof(fx->said->reason), format, args);
	return -1;
}

int
stint_setup_fail(struct stint_fixture *fx, const char *format, ...)
{
	va_list args;
	int rc;

	va_start(args, format);
	rc = end_setup(fx, STINT_SETUP_FAILS, format, args);
	va_end(args);
	return rc;
}

int
stint_setup_skip(struct stint_fixture *fx, const char *format, ...)
{
	va_list args;
	int rc;

	va_start(args, format);
	rc = end_setup(fx, STINT_SETUP_SKIPS, format, args);
	va_end(args);
	return rc;
}

void
stint_said_take(struct stint_said *said, json_t *record)
{
	if (said->notes != NULL)
		json_object_set_new(record, "notes", said->notes);
	if (said->counts != NULL)
		json_object_set_new(record, "counts", said->counts);
	said->notes = said->counts = NULL;
}
