/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "counted: 3 frames lost, 12 foreign frames" */
static char *
counts_line(const json_t *counts)
{
	const char *what, *gap = "counted: ";
	char *line = NULL;
	json_t *n;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (out == NULL)
		return NULL;
	json_object_foreach ((json_t *)counts, what, n) {
		fprintf(out, "%s%lld %s", gap, (long long)json_integer_value(n), what);
		gap = ", ";
	}
	fclose(out);
	return line;
}

/* Takes the text. */
static int
add_line(struct sum_test *t, char *line)
{
	char **place = line != NULL ? stint_vec_add(&t->notes, sizeof(*place)) : NULL;

	if (place == NULL) {
		free(line);
		return -ENOMEM;
	}
	*place = line;
	return 0;
}

int
stint_sum_add_notes(struct sum_test *t, const json_t *result)
{
	const json_t *notes = json_object_get(result, "notes"), *note;
	const json_t *counts = json_object_get(result, "counts");
	int rc = 0;
	size_t i;

	json_array_foreach (notes, i, note) {
		const char *text = json_string_value(note);

		if (text != NULL && rc == 0)
			rc = add_line(t, strdup(text));
	}
	if (json_object_size(counts) > 0 && rc == 0)
		rc = add_line(t, counts_line(counts));
	return rc;
}

void
stint_sum_free_notes(struct sum_test *t)
{
	for (size_t i = 0; i < t->notes.n; i++)
		free(VEC(char *, t->notes)[i]);
	free(t->notes.data);
}
