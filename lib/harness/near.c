/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "registry.h"

#include <stdio.h>
#include <string.h>

#include <rte_common.h>

#define NEAR_MAX 3
#define WORD_MAX 128

/* Levenshtein distance, one row at a time. */
static unsigned int
distance(const char *a, const char *b)
{
	unsigned int row[WORD_MAX + 1];
	size_t la = strlen(a), lb = strlen(b);

	if (la > WORD_MAX || lb > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned int above = row[j];
			unsigned int change = diagonal + (a[i - 1] != b[j - 1]);

			row[j] = RTE_MIN(change, RTE_MIN(above, row[j - 1]) + 1);
			diagonal = above;
		}
	}
	return row[lb];
}

/* 0 is best; the beginning or a part of a word is as near as one with one letter wrong. */
static unsigned int
farness(const char *typed, const char *word)
{
	char begin[WORD_MAX + 1];
	unsigned int whole = distance(typed, word);

	if (strlen(typed) < 3)
		return whole;
	if (strstr(word, typed) != NULL)
		return RTE_MIN(whole, 1u);
	snprintf(begin, RTE_MIN(sizeof(begin), strlen(typed) + 2), "%s", word);
	return RTE_MIN(whole, 1 + distance(typed, begin));
}

void
stint_near(char *text, size_t size, const char *typed, unsigned int count,
	   const char *(*word)(unsigned int i, const void *arg), const void *arg)
{
	/* a word of two letters is near to one with a letter wrong, a long one to more */
	unsigned int limit = RTE_MIN(RTE_MAX(strlen(typed) / 3, 2u), WORD_MAX / 3u);
	const char *best[NEAR_MAX] = { NULL };
	unsigned int far[NEAR_MAX];
	size_t used = 0;

	for (unsigned int i = 0; i < count; i++) {
		const char *w = word(i, arg);
		unsigned int d = farness(typed, w);

		if (d > limit || d >= strlen(typed))
			continue;
		for (unsigned int k = 0; k < NEAR_MAX; k++) {
			if (best[k] == NULL || d < far[k]) {
				memmove(&best[k + 1], &best[k],
					(NEAR_MAX - 1 - k) * sizeof(best[0]));
				memmove(&far[k + 1], &far[k], (NEAR_MAX - 1 - k) * sizeof(far[0]));
				best[k] = w;
				far[k] = d;
				break;
			}
		}
	}
	text[0] = '\0';
	for (unsigned int k = 0; k < NEAR_MAX && best[k] != NULL && used < size; k++)
		used += snprintf(text + used, size - used, "%s%s",
				 k == 0 ? "; did you mean " : " or ", best[k]);
	if (used > 0 && used < size)
		snprintf(text + used, size - used, "?");
}
