/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_REPORT_FORMAT_H
#define STINT_REPORT_FORMAT_H

/**
 * @file
 * Numbers, lists and columns for a person, independent of the locale. Internal to lib/report.
 */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** How the numbers of one line are written, so that they compare at sight. */
struct stint_scale {
	double factor;      /**< that a value is divided by */
	const char *prefix; /**< SI prefix of that factor, or empty */
	unsigned int decimals;
};

/** What shows `value` with as many significant digits; units that are no rate take no prefix. */
struct stint_scale stint_format_scale(double value, const char *unit, unsigned int digits);
/** A number in a scale, without unit; "n/a" if it is not finite. */
void stint_format_scaled(char *text, size_t size, double value, const struct stint_scale *scale);
/** "20.0 s", "4.1 ms", "12.5 us", "800 ns". */
void stint_format_duration(char *text, size_t size, uint64_t ns);
/** A number of seconds without needless zeros: "20", "0.5". */
void stint_format_seconds(char *text, size_t size, uint64_t ns);

/** Text from a file: control characters become spaces, so that it stays on its line. */
void stint_put_text(FILE *out, const char *text);
/** lcore ids as "0,1,4-9". */
void stint_put_lcores(FILE *out, const unsigned int *ids, unsigned int n);

/** Cells that are printed in aligned columns. */
struct stint_table;

/** A column: where its text goes, and how many spaces stand before it. */
struct stint_column {
	char align; /**< 'l' or 'r' */
	unsigned int gap;
};

/** `columns` stays the caller's. NULL: no memory. */
struct stint_table *stint_table_new(const struct stint_column *columns, size_t n);
void stint_table_free(struct stint_table *t);
/** Write the next cell; rows follow each other. A failure is remembered. */
void stint_table_add(struct stint_table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** Print all rows; an empty column takes no room. 0, or -ENOMEM if any cell was lost. */
int stint_table_print(const struct stint_table *t, FILE *out);

#endif /* STINT_REPORT_FORMAT_H */
