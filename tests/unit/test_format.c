/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "format.h"
#include "report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	double value;
	const char *unit, *text;
} value_cases[] = {
	{ 71300000, "objects/s", "71.30 M objects/s" },
	{ 5e9, "objects/s", "5.000 G objects/s" },
	{ 4294967296.0 * 4, "objects/s", "17.18 G objects/s" },
	{ 123456, "objects/s", "123.5 k objects/s" },
	{ 999.94, "objects/s", "999.9 objects/s" },
	/* what rounds up to the next digit or prefix takes it */
	{ 999.96, "objects/s", "1.000 k objects/s" },
	{ 999960, "objects/s", "1.000 M objects/s" },
	{ 9999.6, "objects/s", "10.00 k objects/s" },
	{ 9.9996, "objects/s", "10.00 objects/s" },
	{ 1000, "objects/s", "1.000 k objects/s" },
	{ 1, "objects/s", "1.000 objects/s" },
	{ 0.5, "objects/s", "0.5000 objects/s" },
	{ 0, "objects/s", "0 objects/s" },
	{ 1e18, "bytes/s", "1.000 E bytes/s" },
	{ 1e25, "bytes/s", "10000000 E bytes/s" },
	{ 1e300, "bytes/s", "1.000e282 E bytes/s" },
	/* no rate, no prefix */
	{ 36.52, "cycles/division", "36.52 cycles/division" },
	{ 12345.6, "ns", "12346 ns" },
	{ 5e9, "ns", "5000000000 ns" },
	{ 0.00012345, "ns", "0.0001235 ns" },
	{ 9.9999e-9, "ns", "1.000e-8 ns" },
	{ -2.5, "ns", "-2.500 ns" },
	{ 1e300, "", "1.000e300" },
	{ NAN, "objects/s", "n/a" },
	{ INFINITY, "objects/s", "n/a" },
	{ -INFINITY, "ns", "n/a" },
};

static void
check_values(void)
{
	char text[64];

	for (size_t i = 0; i < COUNT(value_cases); i++) {
		stint_format_value(text, sizeof(text), value_cases[i].value, value_cases[i].unit);
		assert_string_equal(text, value_cases[i].text);
	}
}

static void
test_value(void **state)
{
	(void)state;
	check_values();
}

static void
test_value_decimal_comma(void **state)
{
	static const char *const locales[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
					       "de_DE" };
	const char *found = NULL;
	char comma[16];

	(void)state;
	for (size_t i = 0; i < COUNT(locales) && found == NULL; i++)
		found = setlocale(LC_ALL, locales[i]);
	if (found == NULL)
		skip();
	snprintf(comma, sizeof(comma), "%.1f", 0.5);
	assert_string_equal(comma, "0,5");
	check_values();
	setlocale(LC_ALL, "C");
}

static void
test_value_short_buffer(void **state)
{
	char text[6] = "......";

	(void)state;
	stint_format_value(text, sizeof(text), 71300000, "objects/s");
	assert_string_equal(text, "71.30");
}

/* A value and the bounds of its interval are written alike. */
static const struct {
	double value, other;
	const char *unit, *text;
} scale_cases[] = {
	{ 71300000, 70900000, "objects/s", "70.90" },
	{ 1000200, 999800, "objects/s", "1.000" },
	{ 1000200, 998000, "objects/s", "0.998" },
	{ 71300000, 0, "objects/s", "0.00" },
	{ 71300000, 12, "objects/s", "0.00" },
	{ 71300000, 1234567890, "objects/s", "1234.57" },
	{ 71300000, NAN, "objects/s", "n/a" },
};

static void
test_scale(void **state)
{
	char text[64];

	(void)state;
	for (size_t i = 0; i < COUNT(scale_cases); i++) {
		struct stint_scale scale =
			stint_format_scale(scale_cases[i].value, scale_cases[i].unit, 4);

		stint_format_scaled(text, sizeof(text), scale_cases[i].other, &scale);
		assert_string_equal(text, scale_cases[i].text);
	}
}

static const struct {
	uint64_t ns;
	const char *duration, *seconds;
} time_cases[] = {
	{ 0, "0 ns", "0" },
	{ 800, "800 ns", "0" },
	{ 12500, "12.5 us", "0" },
	{ 4100000, "4.1 ms", "0.004" },
	{ 500000000, "500.0 ms", "0.5" },
	{ 20000000000, "20.0 s", "20" },
	{ 2500000000, "2.5 s", "2.5" },
	{ 300000000000, "300.0 s", "300" },
};

static void
test_times(void **state)
{
	char text[64];

	(void)state;
	for (size_t i = 0; i < COUNT(time_cases); i++) {
		stint_format_duration(text, sizeof(text), time_cases[i].ns);
		assert_string_equal(text, time_cases[i].duration);
		stint_format_seconds(text, sizeof(text), time_cases[i].ns);
		assert_string_equal(text, time_cases[i].seconds);
	}
}

static const struct {
	unsigned int n, ids[8];
	const char *text;
} lcore_cases[] = {
	{ 0, { 0 }, "" },
	{ 1, { 5 }, "5" },
	{ 2, { 0, 1 }, "0,1" },
	{ 3, { 0, 1, 2 }, "0-2" },
	{ 7, { 9, 0, 1, 2, 4, 7, 8 }, "9,0-2,4,7,8" },
	{ 6, { 0, 2, 3, 4, 126, 127 }, "0,2-4,126,127" },
};

static void
test_lcores(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(lcore_cases); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		stint_put_lcores(out, lcore_cases[i].ids, lcore_cases[i].n);
		fclose(out);
		assert_string_equal(text, lcore_cases[i].text);
		free(text);
	}
}

static void
test_table(void **state)
{
	static const struct stint_column columns[] = {
		{ 'l', 2 }, { 'r', 1 }, { 'l', 2 }, { 'l', 2 }
	};
	static const char *const cells[][4] = {
		{ "a", "1", "", "x" },
		{ "\xc2\xb5s", "100", "", "" }, /* one character in two bytes */
		{ "b\n\x1b[2J", "", "", "y" },  /* nothing that a terminal obeys */
	};
	struct stint_table *t = stint_table_new(columns, COUNT(columns));
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(t);
	assert_non_null(out);
	for (size_t i = 0; i < COUNT(cells) * 4; i++)
		stint_table_add(t, "%s", cells[i / 4][i % 4]);
	assert_int_equal(stint_table_print(t, out), 0);
	fclose(out);
	assert_string_equal(text, "  a        1  x\n"
				  "  \xc2\xb5s     100\n"
				  "  b  [2J      y\n");
	stint_table_free(t);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_value),
		cmocka_unit_test(test_value_decimal_comma),
		cmocka_unit_test(test_value_short_buffer),
		cmocka_unit_test(test_scale),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_lcores),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
