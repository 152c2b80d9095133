/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef EC_SETS_H
#define EC_SETS_H

/** @file Sets of erased chunks. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <stint.h>

/** "0,3"; what is longer than the size ends with "...". */
static inline void
ec_set_text(const uint8_t *set, unsigned int n, char *text, size_t size)
{
	static const char cut[] = "...";
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < n && used < size; i++)
		used += snprintf(text + used, size - used, "%s%u", i > 0 ? "," : "", set[i]);
	if (used >= size)
		snprintf(text + size - sizeof(cut), sizeof(cut), "%s", cut);
}

/** How many sets of n there are of `of`. */
static inline double
ec_sets(unsigned int n, unsigned int of)
{
	double sets = 1;

	/* each product is a number of sets itself */
	for (unsigned int i = 0; i < n; i++)
		sets = sets * (of - i) / (i + 1);
	return sets;
}

/** The first set of n: 0, 1, 2, ... */
static inline void
ec_first_set(uint8_t *set, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		set[i] = i;
}

/** The next one of n of `of`, in order; false: that was the last. */
static inline bool
ec_next_set(uint8_t *set, unsigned int n, unsigned int of)
{
	unsigned int i = n;

	while (i > 0 && set[i - 1] == of - n + i - 1)
		i--;
	if (i == 0)
		return false;
	set[i - 1]++;
	for (; i < n; i++)
		set[i] = set[i - 1] + 1;
	return true;
}

/** A random set of n of `of`, in order: each chunk is taken with what is left of the chance. */
static inline void
ec_random_set(uint8_t *set, unsigned int n, unsigned int of, uint64_t *random)
{
	unsigned int have = 0;

	for (unsigned int i = 0; i < of && have < n; i++) {
		if (stint_random(random) % (of - i) < n - have)
			set[have++] = i;
	}
}

#endif /* EC_SETS_H */
