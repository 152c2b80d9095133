/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Index of the first round that is not before `number`. */
static size_t
round_place(const struct sum_test *t, uint32_t number)
{
	const struct sum_round *rounds = t->rounds.data;
	size_t low = 0, high = t->rounds.n;

	if (high > 0 && rounds[high - 1].number < number)
		return high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rounds[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int64_t
stint_sum_round_index(const struct sum_test *t, uint32_t number)
{
	size_t at = round_place(t, number);

	if (at == t->rounds.n || VEC(struct sum_round, t->rounds)[at].number != number)
		return -1;
	return at;
}

/* Column of a pair of lcores; `guess` is right as long as the rounds list them in one order. */
static int64_t
pair_column(const struct sum_test *t, unsigned int from, unsigned int to, size_t guess)
{
	const struct sum_pair *pairs = t->pairs.data;

	if (guess < t->pairs.n && pairs[guess].from == from && pairs[guess].to == to)
		return guess;
	for (size_t i = 0; i < t->pairs.n; i++) {
		if (pairs[i].from == from && pairs[i].to == to)
			return i;
	}
	return -1;
}

static int
floor_parse(const json_t *entry, json_int_t *from, json_int_t *to, double *ns)
{
	json_t *value;

	if (json_unpack((json_t *)entry, "{s:[I, I!], s:o}", "lcores", from, to, "ns", &value) < 0)
		return -EBADMSG;
	if (*from < 0 || *from > INT32_MAX || *to < 0 || *to > INT32_MAX)
		return -EBADMSG;
	if (!json_is_number(value) && !json_is_null(value))
		return -EBADMSG;
	*ns = json_is_number(value) ? json_number_value(value) : NAN;
	return 0;
}

static int
floors_valid(struct stint_summary *s, const json_t *floors)
{
	json_int_t from, to;
	json_t *entry;
	double ns;
	size_t i;

	if (!json_is_array(floors))
		return stint_sum_refuse(s, "round: floor is no list");
	json_array_foreach (floors, i, entry) {
		if (floor_parse(entry, &from, &to, &ns) < 0)
			return stint_sum_refuse(s, "round: floor is no list of pairs and ns");
	}
	return 0;
}

static int
floor_set(struct sum_test *t, struct sum_round *round, const json_t *entry, size_t guess)
{
	json_int_t from = 0, to = 0;
	int64_t column;
	double ns = NAN;

	floor_parse(entry, &from, &to, &ns);
	column = pair_column(t, from, to, guess);
	if (column < 0) {
		struct sum_pair *pair = stint_vec_add(&t->pairs, sizeof(*pair));

		if (pair == NULL)
			return -ENOMEM;
		*pair = (struct sum_pair){ .from = from, .to = to };
		column = t->pairs.n - 1;
	}
	if (column >= round->n) {
		float *floor_ns = reallocarray(round->floor_ns, column + 1, sizeof(*floor_ns));

		if (floor_ns == NULL)
			return -ENOMEM;
		while (round->n <= column)
			floor_ns[round->n++] = NAN;
		round->floor_ns = floor_ns;
	}
	round->floor_ns[column] = ns;
	return 0;
}

int
stint_sum_add_round(struct stint_summary *s, const json_t *record)
{
	struct sum_round *round;
	struct sum_test *t;
	json_t *floors, *entry;
	json_int_t number;
	const char *name;
	json_error_t e;
	size_t at, i;

	if (json_unpack_ex((json_t *)record, &e, 0, "{s:s, s:I, s:o}", "test", &name, "round",
			   &number, "floor", &floors) < 0)
		return stint_sum_refuse(s, "round: %s", e.text);
	if (number < 0 || number > INT32_MAX)
		return stint_sum_refuse(s, "round: round is out of range");
	if (floors_valid(s, floors) < 0)
		return -EBADMSG;
	t = stint_sum_open(s, name);
	if (t == NULL)
		return -ENOMEM;
	t->levels_known = false;
	at = round_place(t, number);
	if (stint_sum_round_index(t, number) < 0) {
		round = stint_vec_insert(&t->rounds, at, sizeof(*round));
		if (round == NULL)
			return -ENOMEM;
		round->number = number;
	}
	round = &VEC(struct sum_round, t->rounds)[at];
	json_array_foreach (floors, i, entry) {
		if (floor_set(t, round, entry, i) < 0)
			return -ENOMEM;
	}
	return 0;
}
