/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "host.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
cpu_number(const char **text, unsigned long *cpu)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	*cpu = strtoul(*text, &end, 10);
	*text = end;
	return true;
}

static bool
cpu_range(const char **text, unsigned long *first, unsigned long *last)
{
	if (!cpu_number(text, first))
		return false;
	*last = *first;
	if (**text != '-')
		return true;
	(*text)++;
	return cpu_number(text, last) && *last >= *first;
}

int
stint_cpulist_parse(const char *text, cpu_set_t *set)
{
	unsigned long first, last;
	int rc = 0;

	CPU_ZERO(set);
	if (text[0] == '\0' || text[0] == '\n')
		return 0;
	for (;; text++) {
		if (!cpu_range(&text, &first, &last))
			break;
		if (last >= CPU_SETSIZE)
			rc = -ERANGE;
		for (; first <= last && first < CPU_SETSIZE; first++)
			CPU_SET(first, set);
		if (*text == '\0' || strcmp(text, "\n") == 0)
			return rc;
		if (*text != ',')
			break;
	}
	CPU_ZERO(set);
	return -EINVAL;
}

char *
stint_cpulist_format(char *text, size_t size, const cpu_set_t *set)
{
	size_t used = 0;

	text[0] = '\0';
	for (int first = 0, last; first < CPU_SETSIZE; first = last + 1) {
		char range[32];
		size_t n;

		last = first;
		if (!CPU_ISSET(first, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		n = snprintf(range, sizeof(range), "%s%d", used > 0 ? "," : "", first);
		if (last > first)
			n += snprintf(range + n, sizeof(range) - n, "-%d", last);
		if (used + n >= size)
			break;
		memcpy(text + used, range, n + 1);
		used += n;
	}
	return text;
}
