/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "format.h"

#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MAX_DECIMALS 7

static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7 };

/* In integers: printf would write the decimal mark of the locale. */
static void
fixed(char *text, size_t size, double value, unsigned int decimals)
{
	const uint64_t unit = powers[decimals];
	const uint64_t scaled = round(fabs(value) * powers[decimals]);
	const char *sign = value < 0 && scaled > 0 ? "-" : "";

	if (decimals == 0)
		snprintf(text, size, "%s%" PRIu64, sign, scaled);
	else
		snprintf(text, size, "%s%" PRIu64 ".%0*" PRIu64, sign, scaled / unit, (int)decimals,
			 scaled % unit);
}

static void
exponential(char *text, size_t size, double value)
{
	int exponent = floor(log10(fabs(value)));
	double mantissa = value / pow(10, exponent);
	char digits[32];

	if (round(fabs(mantissa) * 1e3) >= 1e4) {
		mantissa /= 10;
		exponent++;
	}
	fixed(digits, sizeof(digits), mantissa, 3);
	snprintf(text, size, "%se%d", digits, exponent);
}

/* The most decimals with which the rounded number has no more digits than that. */
static unsigned int
decimals_for(double value, unsigned int digits)
{
	unsigned int decimals = MAX_DECIMALS;

	if (value == 0)
		return 0;
	while (decimals > 0 && round(fabs(value) * powers[decimals]) >= powers[digits])
		decimals--;
	return decimals;
}

static int
is_rate(const char *unit)
{
	size_t n = strlen(unit);

	return n >= 2 && strcmp(&unit[n - 2], "/s") == 0;
}

struct stint_scale
stint_format_scale(double value, const char *unit, unsigned int digits)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E" };
	struct stint_scale scale = { .factor = 1, .prefix = "" };
	unsigned int i = 0;

	if (!isfinite(value))
		return scale;
	scale.decimals = decimals_for(value, digits);
	if (!is_rate(unit))
		return scale;
	/* what rounds to 1000 belongs to the next prefix */
	while (i < 6 && round(fabs(value / scale.factor) * powers[scale.decimals]) >=
				1000 * powers[scale.decimals]) {
		scale.factor *= 1000;
		scale.prefix = prefixes[++i];
		scale.decimals = decimals_for(value / scale.factor, digits);
	}
	return scale;
}

void
stint_format_scaled(char *text, size_t size, double value, const struct stint_scale *scale)
{
	double a = fabs(value / scale->factor);

	if (!isfinite(value))
		snprintf(text, size, "n/a");
	else if (a * powers[scale->decimals] >= 1e15 ||
		 (scale->decimals == MAX_DECIMALS && a > 0 && a < 1e-4))
		exponential(text, size, value / scale->factor);
	else
		fixed(text, size, value / scale->factor, scale->decimals);
}

void
stint_format_value(char *text, size_t size, double value, const char *unit)
{
	struct stint_scale scale = stint_format_scale(value, unit, 4);
	char number[48];

	stint_format_scaled(number, sizeof(number), value, &scale);
	if (!isfinite(value))
		snprintf(text, size, "%s", number);
	else
		snprintf(text, size, "%s%s%s%s%s", number, scale.prefix[0] != '\0' ? " " : "",
			 scale.prefix, unit[0] != '\0' ? " " : "", unit);
}

void
stint_format_duration(char *text, size_t size, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };
	char number[32];

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns >= units[i].ns) {
			fixed(number, sizeof(number), (double)ns / units[i].ns, 1);
			snprintf(text, size, "%s %s", number, units[i].unit);
			return;
		}
	}
	snprintf(text, size, "%" PRIu64 " ns", ns);
}

void
stint_format_seconds(char *text, size_t size, uint64_t ns)
{
	fixed(text, size, ns / 1e9, 3);
	for (size_t n = strlen(text); n-- > 0 && (text[n] == '0' || text[n] == '.');) {
		char last = text[n];

		text[n] = '\0';
		if (last == '.')
			break;
	}
}

void
stint_put_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++)
		fputc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, out);
}

void
stint_put_lcores(FILE *out, const unsigned int *ids, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		unsigned int last = i;

		while (last + 1 < n && ids[last + 1] == ids[last] + 1)
			last++;
		fprintf(out, "%s%u", i == 0 ? "" : ",", ids[i]);
		/* two in a row read better apart */
		if (last >= i + 2) {
			fprintf(out, "-%u", ids[last]);
			i = last;
		}
	}
}
