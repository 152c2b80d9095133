/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "format.h"
#include "render.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool
set_used(const struct sum_test *t, size_t set)
{
	for (size_t i = 0; i < t->points.n; i++) {
		if (VEC(struct sum_point, t->points)[i].set == set)
			return true;
	}
	return false;
}

static void
put_level(const struct sum_test *t, const struct sum_set *set, bool only, FILE *out)
{
	const struct stint_scale whole = { .factor = 1, .prefix = "" };
	char here[48], there[48];

	stint_format_scaled(here, sizeof(here), set->floor_ns, &whole);
	stint_format_scaled(there, sizeof(there), set->off_floor_ns, &whole);
	fprintf(out, "  %zu of %zu rounds on another level", set->n_off, t->rounds.n);
	if (!only) {
		fprintf(out, " for lcores ");
		stint_put_lcores(out, set->ids, set->n);
	}
	fprintf(out, " (floor %s ns; %s ns there)", here, there);
	if (t->n_samples > 0)
		fprintf(out, ": left out of the values of points %s",
			only ? "with more than one lcore" : "on them");
	if (t->n_samples > 0)
		fputs(" that have others", out);
	fputs(t->n_samples > 0 && t->n_histograms > 0 ? ", not of latencies\n" : "\n", out);
}

static void
put_levels(const struct sum_test *t, FILE *out)
{
	unsigned int used = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < t->sets.n; i++) {
			const struct sum_set *set = &VEC(struct sum_set, t->sets)[i];

			if (!set_used(t, i) || !stint_sum_many_lcores(t, set))
				continue;
			if (pass == 0)
				used++;
			else if (set->n_off > 0)
				put_level(t, set, used == 1, out);
		}
	}
}

static void
put_causes(const struct sum_causes *c, FILE *out)
{
	const struct {
		uint64_t samples;
		const char *cause;
	} causes[] = { { c->slow, "a slower CPU" },
		       { c->switches, "switches" },
		       { c->faults, "page faults" },
		       { c->steal, "steal" } };
	const char *before = " (";
	char gap[48];

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (causes[i].samples == 0)
			continue;
		fprintf(out, "%s%" PRIu64 " with %s", before, causes[i].samples, causes[i].cause);
		before = ", ";
	}
	if (c->longest_gap_ns > 0) {
		stint_format_duration(gap, sizeof(gap), c->longest_gap_ns);
		fprintf(out, "%slongest gap %s", before, gap);
		before = ", ";
	}
	if (before[0] == ',')
		fputc(')', out);
}

static void
put_disturbed(const struct sum_test *t, const struct sum_tally *tally, FILE *out)
{
	const char *fate = ": left out where there are others";

	if (t->disturbed.samples == 0)
		return;
	if (tally->disturbed_used == 0)
		fate = ": left out";
	else if (tally->disturbed_used == t->disturbed.samples)
		fate = "";
	fprintf(out, "  %" PRIu64 " of %" PRIu64 " samples disturbed", t->disturbed.samples,
		t->n_samples);
	put_causes(&t->disturbed, out);
	fprintf(out, "%s%s\n", fate,
		fate[0] != '\0' && t->n_histograms > 0 ? ", not of latencies" : "");
	if (tally->disturbed_points > 0)
		fprintf(out, "  %u point%s hardly an undisturbed sample\n", tally->disturbed_points,
			tally->disturbed_points == 1 ? " has" : "s have");
}

/* Does the reason name the amount already, as a word of its own? */
static bool
says(const char *reason, const char *amount)
{
	size_t n = strlen(amount);

	if (n == 0)
		return true;
	for (const char *at = reason; (at = strstr(at, amount)) != NULL; at++) {
		if ((at == reason || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[n]))
			return true;
	}
	return false;
}

void
stint_put_skip(FILE *out, const struct sum_skip *skip, const char *separator)
{
	stint_put_text(out, skip->reason);
	if (skip->need != NULL && !says(skip->reason, skip->need)) {
		fprintf(out, "%sneed ", separator);
		stint_put_text(out, skip->need);
		separator = ", ";
	}
	if (skip->have != NULL) {
		fprintf(out, "%shave ", separator);
		stint_put_text(out, skip->have);
	}
}

/* Number i of those of a set that are not the main lcore; -1: there are no more. */
static int64_t
other_lcore(const struct sum_test *t, const struct sum_set *set, unsigned int i)
{
	for (unsigned int k = 0; k < set->n; k++) {
		if (set->ids[k] != stint_sum_main_lcore(t, set) && i-- == 0)
			return set->ids[k];
	}
	return -1;
}

/* As a set of lcores, and the same without the main one. */
static bool
have_one_floor(const struct sum_test *t, const struct sum_set *a, const struct sum_set *b)
{
	unsigned int i = 0;

	while (other_lcore(t, a, i) >= 0 && other_lcore(t, a, i) == other_lcore(t, b, i))
		i++;
	return other_lcore(t, a, i) == other_lcore(t, b, i);
}

static bool
floor_put(const struct sum_test *t, size_t at)
{
	const struct sum_set *sets = VEC(struct sum_set, t->sets);

	for (size_t i = 0; i < at; i++) {
		if (set_used(t, i) && stint_sum_many_lcores(t, &sets[i]) &&
		    have_one_floor(t, &sets[i], &sets[at]))
			return true;
	}
	return false;
}

static void
put_floor(const struct sum_test *t, const struct sum_set *set, FILE *out)
{
	unsigned int *others = calloc(set->n, sizeof(*others)), n = 0;
	char floor[48];

	if (others == NULL)
		return;
	for (; other_lcore(t, set, n) >= 0; n++)
		others[n] = other_lcore(t, set, n);
	stint_format_value(floor, sizeof(floor), set->floor_ns, "ns");
	fprintf(out, "  floor: a cache line there and back between lcore %u and ",
		stint_sum_main_lcore(t, set));
	stint_put_lcores(out, others, n);
	fprintf(out, " takes %s\n", floor);
	free(others);
}

/* What a latency cannot be below: what measures it, and a cache line's way there and back. */
static void
put_floors(const struct sum_test *t, FILE *out)
{
	char resolution[48], cost[48];

	if (!t->stamped || t->n_histograms == 0)
		return;
	stint_format_value(resolution, sizeof(resolution), t->resolution_ns, "ns");
	stint_format_value(cost, sizeof(cost), t->stamp_ns, "ns");
	fprintf(out, "  two time stamps with nothing between them: %s, in steps of %s\n", cost,
		t->resolution_ns > 0 ? resolution : "n/a");
	for (size_t i = 0; i < t->sets.n; i++) {
		const struct sum_set *set = &VEC(struct sum_set, t->sets)[i];

		if (set_used(t, i) && stint_sum_many_lcores(t, set) && set->floor_ns > 0 &&
		    !floor_put(t, i))
			put_floor(t, set, out);
	}
}

void
stint_put_qualifiers(const struct stint_summary *s, struct sum_test *t,
		     const struct sum_tally *tally, FILE *out)
{
	uint64_t stolen = stint_sum_stolen(t);

	put_floors(t, out);
	put_levels(t, out);
	put_disturbed(t, tally, out);
	if (s->tsc_doubtful && t->n_samples + t->n_histograms > 0)
		fputs("  the TSC of this CPU may change its rate or stop: cycles and times are "
		      "doubtful\n",
		      out);
	if (stolen > 0)
		fprintf(out, "  %" PRIu64 " sample%s stolen time\n", stolen,
			stolen == 1 ? " overlaps" : "s overlap");
	for (size_t i = 0; i < t->notes.n; i++) {
		fputs("  ", out);
		stint_put_text(out, VEC(char *, t->notes)[i]);
		fputc('\n', out);
	}
	for (size_t i = 0; i < t->skips.n; i++) {
		const struct sum_skip *skip = &VEC(struct sum_skip, t->skips)[i];

		if (skip->points == 0)
			continue;
		fprintf(out, "  skipped %u point%s: ", skip->points, skip->points == 1 ? "" : "s");
		stint_put_skip(out, skip, ", ");
		if (skip->remedy != NULL) {
			fputs(" (", out);
			stint_put_text(out, skip->remedy);
			fputc(')', out);
		}
		fputc('\n', out);
	}
}
