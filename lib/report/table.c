/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "format.h"

#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct stint_table {
	const struct stint_column *columns;
	size_t n_columns;
	struct sum_vec text;  /* of all cells, each with its end */
	struct sum_vec cells; /* size_t: where each begins */
	int rc;
};

struct stint_table *
stint_table_new(const struct stint_column *columns, size_t n)
{
	struct stint_table *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->columns = columns;
	t->n_columns = n;
	return t;
}

void
stint_table_free(struct stint_table *t)
{
	if (t == NULL)
		return;
	free(t->text.data);
	free(t->cells.data);
	free(t);
}

void
stint_table_add(struct stint_table *t, const char *format, ...)
{
	size_t *cell = stint_vec_add(&t->cells, sizeof(*cell));
	char text[512], *place = text;
	va_list args;

	if (cell == NULL) {
		t->rc = -ENOMEM;
		return;
	}
	*cell = t->text.n;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	do {
		char *c = stint_vec_add(&t->text, 1);

		if (c == NULL) {
			t->rc = -ENOMEM;
			return;
		}
		*c = *place;
	} while (*place++ != '\0');
}

static const char *
cell_text(const struct stint_table *t, size_t cell)
{
	return &VEC(char, t->text)[VEC(size_t, t->cells)[cell]];
}

/* Characters, not bytes: UTF-8 continues with 10xxxxxx. */
static size_t
width_of(const char *text)
{
	size_t width = 0;

	for (; *text != '\0'; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void
spaces(size_t n, FILE *out)
{
	fprintf(out, "%*s", (int)n, "");
}

/* Spaces are written only once a text follows them, so that no line ends in some. */
static void
row_print(const struct stint_table *t, size_t first, const size_t *widths, FILE *out)
{
	size_t pending = 0;

	for (size_t i = 0; i < t->n_columns; i++) {
		const char *text = cell_text(t, first + i);
		size_t width = width_of(text), fill = widths[i] - width;

		if (widths[i] == 0)
			continue;
		pending += t->columns[i].gap;
		if (t->columns[i].align == 'r') {
			pending += fill;
			fill = 0;
		}
		if (width == 0) {
			pending += fill;
			continue;
		}
		spaces(pending, out);
		stint_put_text(out, text);
		pending = fill;
	}
	fputc('\n', out);
}

int
stint_table_print(const struct stint_table *t, FILE *out)
{
	size_t *widths = calloc(t->n_columns, sizeof(*widths));

	if (widths == NULL || t->rc < 0) {
		free(widths);
		return -ENOMEM;
	}
	for (size_t i = 0; i < t->cells.n; i++) {
		size_t width = width_of(cell_text(t, i)), *widest = &widths[i % t->n_columns];

		if (width > *widest)
			*widest = width;
	}
	for (size_t i = 0; i + t->n_columns <= t->cells.n; i += t->n_columns)
		row_print(t, i, widths, out);
	free(widths);
	return 0;
}
