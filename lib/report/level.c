/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include "stint_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t
column_of(const struct sum_test *t, unsigned int from, unsigned int to)
{
	for (size_t i = 0; i < t->pairs.n; i++) {
		const struct sum_pair *pair = &VEC(struct sum_pair, t->pairs)[i];

		if (pair->from == from && pair->to == to)
			return i;
	}
	return INT64_MAX;
}

static double
round_level(const struct sum_round *round, const int64_t *columns, size_t n, double *work)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		if (columns[i] < round->n && !isnan(round->floor_ns[columns[i]]))
			work[found++] = round->floor_ns[columns[i]];
	}
	stint_sort(work, found);
	return stint_median(work, found);
}

/* Where the window that holds the most begins; ends are moved to it, [low, high). */
static void
main_window(const double *sorted, size_t n, size_t *low, size_t *high)
{
	size_t end = 0;

	*low = *high = 0;
	for (size_t i = 0; i < n; i++) {
		while (end < n && sorted[end] <= sorted[i] * STINT_LEVEL_FACTOR)
			end++;
		if (end - i > *high - *low) {
			*low = i;
			*high = end;
		}
	}
}

/* `levels`: of each round, NaN if not measured; both arrays have room for all rounds. */
static void
mark_rounds(struct sum_set *set, const double *levels, size_t n, double *sorted)
{
	size_t measured = 0, low, high;
	double from, to;

	for (size_t i = 0; i < n; i++) {
		if (!isnan(levels[i]))
			sorted[measured++] = levels[i];
	}
	stint_sort(sorted, measured);
	main_window(sorted, measured, &low, &high);
	if (low == high)
		return;
	from = sorted[low];
	to = sorted[high - 1];
	for (size_t i = 0; i < n; i++)
		set->off[i] = levels[i] < from || levels[i] > to;
	set->n_off = measured - (high - low);
	set->floor_ns = stint_median(&sorted[low], high - low);
	memmove(&sorted[low], &sorted[high], (measured - high) * sizeof(*sorted));
	set->off_floor_ns = stint_median(sorted, set->n_off);
}

/* Floors are those between the main lcore and the others that the point has. */
static size_t
floor_columns(const struct sum_test *t, const struct sum_set *set, int64_t *columns)
{
	unsigned int first = stint_sum_main_lcore(t, set);
	size_t n = 0;

	for (unsigned int i = 0; i < set->n; i++) {
		if (set->ids[i] != first)
			columns[n++] = column_of(t, first, set->ids[i]);
	}
	return n;
}

static int
set_levels(struct sum_test *t, struct sum_set *set)
{
	const size_t rounds = t->rounds.n;
	int64_t *columns = calloc(set->n, sizeof(*columns));
	double *work = calloc(2 * rounds + set->n, sizeof(*work));
	int rc = -ENOMEM;
	size_t n;

	free(set->off);
	set->n_off = 0;
	set->off = calloc(rounds, sizeof(*set->off));
	if (columns == NULL || work == NULL || set->off == NULL)
		goto out;
	n = floor_columns(t, set, columns);
	for (size_t i = 0; i < rounds; i++)
		work[i] = round_level(&VEC(struct sum_round, t->rounds)[i], columns, n,
				      &work[2 * rounds]);
	mark_rounds(set, work, rounds, &work[rounds]);
	rc = 0;
out:
	free(work);
	free(columns);
	return rc;
}

unsigned int
stint_sum_main_lcore(const struct sum_test *t, const struct sum_set *set)
{
	return t->n_lcores > 0 ? t->lcores[0] : set->ids[0];
}

bool
stint_sum_many_lcores(const struct sum_test *t, const struct sum_set *set)
{
	return set->n > 1 || set->ids[0] != stint_sum_main_lcore(t, set);
}

int
stint_sum_levels(struct sum_test *t)
{
	if (t->levels_known || t->rounds.n == 0)
		return 0;
	for (size_t i = 0; i < t->sets.n; i++) {
		struct sum_set *set = &VEC(struct sum_set, t->sets)[i];

		if (stint_sum_many_lcores(t, set) && set_levels(t, set) < 0)
			return -ENOMEM;
	}
	t->levels_known = true;
	return 0;
}

bool
stint_sum_off_level(const struct sum_test *t, const struct sum_set *set,
		    const struct sum_sample *sample)
{
	int64_t round;

	if (set->off == NULL || set->n_off == 0)
		return false;
	round = stint_sum_round_index(t, sample->round);
	return round >= 0 && set->off[round];
}
