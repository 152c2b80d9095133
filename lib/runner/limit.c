/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>

#include "clock.h"

/* Start, set-up and end of a test take no longer than this beside its budget. */
#define AROUND_S 60

/* Value of -t or --timeout-multiplier in a command line of NUL-separated words; 1 if there is none.
 */
static double
multiplier_in(const char *words, size_t len)
{
	const char *end = words + len;
	double value = 1;

	for (const char *w = words; w < end; w += strlen(w) + 1) {
		const char *next = w + strlen(w) + 1;
		const char *number = NULL;

		if ((strcmp(w, "-t") == 0 || strcmp(w, "--timeout-multiplier") == 0) && next < end)
			number = next;
		else if (strncmp(w, "--timeout-multiplier=", 21) == 0)
			number = w + 21;
		else if (strncmp(w, "-t", 2) == 0 && w[2] != '\0')
			number = w + 2;
		if (number != NULL)
			value = strtod(number, NULL);
	}
	return value;
}

/* meson tells a test its limit through STINT_LIMIT, but not by what `meson test -t` multiplies it.
 */
static double
multiplier(void)
{
	char path[64], words[4096];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)getppid());
	f = fopen(path, "re");
	if (f == NULL)
		return 1;
	len = fread(words, 1, sizeof(words) - 1, f);
	fclose(f);
	words[len] = '\0';
	return memmem(words, len, "meson", 5) != NULL ? multiplier_in(words, len) : 1;
}

int
stint_limit_check(const struct stint_options *o, char *error, size_t size)
{
	const char *limit = getenv("STINT_LIMIT");
	uint64_t wanted = (o->budget_ns + STINT_SECOND_NS - 1) / STINT_SECOND_NS + AROUND_S;
	double factor;
	long seconds;

	if (limit == NULL || o->budget_ns == 0)
		return 0;
	seconds = strtol(limit, NULL, 10);
	factor = multiplier();
	/* meson: a factor of 0 or less is no limit */
	if (seconds <= 0 || factor <= 0 || wanted <= seconds * factor)
		return 0;
	for (unsigned int i = 0; i < o->n_tests; i++) {
		if (o->tests[i]->suite != STINT_SUITE_PERF)
			continue;
		snprintf(error, size,
			 "a budget of %.1f s and %d s around it do not fit the limit "
			 "of %.0f s of %s; meson test -t %llu allows it",
			 o->budget_ns / 1e9, AROUND_S, seconds * factor, o->tests[i]->name,
			 (unsigned long long)((wanted + seconds - 1) / seconds));
		return -1;
	}
	return 0;
}
