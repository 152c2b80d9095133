/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "eal_parse.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include <rte_common.h>

const char *
stint_eal_blanks(const char *s)
{
	while (isblank((unsigned char)*s))
		s++;
	return s;
}

const char *
stint_eal_number(const char *s, unsigned int *value)
{
	unsigned long long n = 0;

	if (!isdigit((unsigned char)*s))
		return NULL;
	for (; isdigit((unsigned char)*s); s++) {
		n = n * 10 + (*s - '0');
		if (n > INT_MAX)
			return NULL;
	}
	*value = n;
	return s;
}

/* "3" or "0 - 3", with the blanks after it; NULL if it is neither. */
static const char *
read_range(const char *s, unsigned int *first, unsigned int *last)
{
	s = stint_eal_number(stint_eal_blanks(s), first);
	if (s == NULL)
		return NULL;
	*last = *first;
	s = stint_eal_blanks(s);
	if (*s != '-')
		return s;
	s = stint_eal_number(stint_eal_blanks(s + 1), last);
	return s == NULL ? NULL : stint_eal_blanks(s);
}

static enum stint_eal_verdict
no_such_cpu(struct stint_eal_parse *p, const char *option, const char *value, unsigned int cpu)
{
	char there[256];

	stint_cpulist_format(there, sizeof(there), &p->host->online);
	return stint_eal_refuse(p, "%s " STINT_EAL_TYPED ": CPU %u does not exist; there are %s",
				option, value, cpu, there);
}

static enum stint_eal_verdict
add_range(struct stint_eal_parse *p, const char *option, const char *value, cpu_set_t *set,
	  unsigned int first, unsigned int last)
{
	if (first > last)
		return stint_eal_refuse(p, "%s " STINT_EAL_TYPED ": %u-%u runs backwards", option,
					value, first, last);
	if (last >= CPU_SETSIZE)
		return no_such_cpu(p, option, value, last);
	for (; first <= last; first++) {
		/* EAL takes it twice without a word; it is a slip for another number */
		if (CPU_ISSET(first, set))
			return stint_eal_refuse(p, "%s " STINT_EAL_TYPED ": %u is there twice",
						option, value, first);
		CPU_SET(first, set);
	}
	return STINT_EAL_OK;
}

enum stint_eal_verdict
stint_eal_read_list(struct stint_eal_parse *p, const char *option, const char *value,
		    cpu_set_t *set)
{
	enum stint_eal_verdict rc = STINT_EAL_OK;
	const char *s = value, *at;
	unsigned int first, last;

	CPU_ZERO(set);
	do {
		at = stint_eal_blanks(s);
		s = read_range(at, &first, &last);
		if (s == NULL || (*s != ',' && *s != '\0'))
			return stint_eal_refuse(p,
						"%s \"" STINT_EAL_TYPED "\": \"" STINT_EAL_TYPED
						"\" is not understood; a list is such as 0-3,8",
						option, value, at);
		rc = add_range(p, option, value, set, first, last);
	} while (rc == STINT_EAL_OK && *s++ == ',');
	return rc;
}

static int
hex_digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

enum stint_eal_verdict
stint_eal_read_mask(struct stint_eal_parse *p, const char *option, const char *value,
		    cpu_set_t *set)
{
	const char *s = stint_eal_blanks(value);
	const char *end = s + strlen(s);
	unsigned int bit = 0;

	CPU_ZERO(set);
	while (end > s && isblank((unsigned char)end[-1]))
		end--;
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	for (; end > s; end--, bit += 4) {
		int digit = hex_digit(end[-1]);

		if (digit < 0)
			return stint_eal_refuse(
				p, "%s " STINT_EAL_TYPED ": no hexadecimal mask such as 0xf",
				option, value);
		if (digit > 0 && bit >= CPU_SETSIZE)
			return no_such_cpu(p, option, value, bit);
		for (unsigned int i = 0; i < 4; i++)
			if (digit >> i & 1)
				CPU_SET(bit + i, set);
	}
	if (CPU_COUNT(set) == 0)
		return stint_eal_refuse(p, "%s \"" STINT_EAL_TYPED "\": the mask is empty", option,
					value);
	return STINT_EAL_OK;
}

static void
add_to_group(struct stint_eal_group *group, unsigned int a, unsigned int b)
{
	unsigned int last = RTE_MAX(a, b);

	group->highest = RTE_MAX(group->highest, last);
	for (unsigned int i = RTE_MIN(a, b); i <= last && i < CPU_SETSIZE; i++)
		CPU_SET(i, &group->set);
}

const char *
stint_eal_read_group(const char *s, struct stint_eal_group *group)
{
	unsigned int first, last;

	*group = (struct stint_eal_group){ 0 };
	s = stint_eal_blanks(s);
	if (*s != '(') {
		const char *dash = s + strspn(s, "0123456789 \t");

		s = read_range(s, &first, &last);
		if (s == NULL)
			return NULL;
		group->range = *dash == '-';
		add_to_group(group, first, last);
		return s;
	}
	do {
		s = read_range(s + 1, &first, &last);
		if (s == NULL)
			return NULL;
		/* EAL keeps RTE_MAX_LCORE for "no range begun": it sees the end only */
		group->cut |= first == RTE_MAX_LCORE && first != last;
		add_to_group(group, first, last);
	} while (*s == ',');
	return *s == ')' ? stint_eal_blanks(s + 1) : NULL;
}

enum stint_eal_verdict
stint_eal_cpus_exist(struct stint_eal_parse *p, const char *option, const char *value,
		     const cpu_set_t *cpus)
{
	char missing[96], there[160];
	cpu_set_t not_there;

	CPU_AND(&not_there, cpus, &p->host->online);
	CPU_XOR(&not_there, &not_there, cpus);
	if (CPU_COUNT(&not_there) == 0)
		return STINT_EAL_OK;
	stint_cpulist_format(missing, sizeof(missing), &not_there);
	stint_cpulist_format(there, sizeof(there), &p->host->online);
	return stint_eal_refuse(p, "%s " STINT_EAL_TYPED ": CPU%s %s do%s not exist; there are %s",
				option, value, CPU_COUNT(&not_there) > 1 ? "s" : "", missing,
				CPU_COUNT(&not_there) > 1 ? "" : "es", there);
}
