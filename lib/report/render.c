/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "format.h"
#include "render.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void
put_header(const struct sum_test *t, FILE *out)
{
	int64_t points = t->planned ? t->plan_points : (int64_t)t->points.n;
	char budget[48];

	/* without samples (a fast test, one that was skipped) the result says all */
	if (points <= 0 || t->n_samples + t->n_histograms == 0)
		return;
	stint_put_text(out, t->name);
	fprintf(out, ": %" PRId64 " point%s", points, points == 1 ? "" : "s");
	if (t->planned) {
		stint_format_seconds(budget, sizeof(budget), t->budget_ns);
		fprintf(out, ", %s s budget", budget);
		if (t->n_lcores > 0)
			fprintf(out, ", lcore%s ", t->n_lcores == 1 ? "" : "s");
		stint_put_lcores(out, t->lcores, t->n_lcores);
	}
	if (t->shares_cpus)
		fputs(" share CPUs", out);
	if (t->metrics.n == 1) {
		fputs(": ", out);
		stint_put_text(out, VEC(struct sum_metric, t->metrics)[0].name);
	}
	fputc('\n', out);
}

static void
put_labels(const struct sum_test *t, const struct sum_point *p, FILE *out)
{
	for (unsigned int i = 0; i < p->n_labels; i++) {
		const struct sum_dim *dim = &VEC(struct sum_dim, t->dims)[i];

		if (p->labels[i] == 0)
			continue;
		fputc(' ', out);
		stint_put_text(out, dim->name);
		fputc('=', out);
		stint_put_text(out, VEC(struct sum_label, dim->labels)[p->labels[i] - 1].text);
	}
}

static void
put_cut_off(const struct sum_test *t, FILE *out)
{
	fputs("no result (the run ended early)", out);
	if (t->planned && t->plan_points > 0)
		fprintf(out, ": %zu of %" PRId64 " points", t->points.n, t->plan_points);
	if (t->n_samples + t->n_histograms > 0) {
		fprintf(out, "%s last sample in round %" PRIu32 ":",
			t->planned && t->plan_points > 0 ? "," : ":", t->last_round + 1);
		put_labels(t, &VEC(struct sum_point, t->points)[t->last_point], out);
	}
}

static void
put_skipped(const struct sum_test *t, FILE *out)
{
	fputs("skip", out);
	if (t->skip.reason != NULL) {
		fputs(": ", out);
		stint_put_skip(out, &t->skip, "; ");
		if (t->skip.remedy != NULL) {
			fputs("; ", out);
			stint_put_text(out, t->skip.remedy);
		}
	} else if (t->message != NULL) {
		fputs(": ", out);
		stint_put_text(out, t->message);
	}
}

static void
put_done(const struct sum_test *t, FILE *out)
{
	char elapsed[48];

	fputs(t->status == SUM_PASS ? "pass" : "fail", out);
	if (t->points_total > 0)
		fprintf(out, ", %" PRId64 " of %" PRId64 " points", t->points_done,
			t->points_total);
	if (t->n_rounds > 0)
		fprintf(out, ", %" PRId64 " round%s", t->n_rounds, t->n_rounds == 1 ? "" : "s");
	stint_format_duration(elapsed, sizeof(elapsed), t->elapsed_ns);
	fprintf(out, ", %s", elapsed);
	if (t->message != NULL) {
		fputs(": ", out);
		stint_put_text(out, t->message);
	}
}

static int
put_test(struct stint_summary *s, struct sum_test *t, FILE *out)
{
	struct sum_tally tally = { 0, 0 };

	put_header(t, out);
	if (stint_sum_levels(t) < 0 || stint_put_points(s, t, &tally, out) < 0 ||
	    stint_put_latencies(t, out) < 0)
		return -ENOMEM;
	stint_put_qualifiers(s, t, &tally, out);
	stint_put_text(out, t->name);
	fputs(": ", out);
	if (t->status == SUM_NO_RESULT)
		put_cut_off(t, out);
	else if (t->status == SUM_SKIP)
		put_skipped(t, out);
	else
		put_done(t, out);
	fputc('\n', out);
	return 0;
}

int
stint_summary_print_test(struct stint_summary *s, const char *test, FILE *out)
{
	struct sum_test *t = stint_sum_find(s, test);

	return t == NULL ? -ENOENT : put_test(s, t, out);
}

static void
put_counts(const struct stint_summary *s, FILE *out)
{
	unsigned int count[SUM_SKIP + 1] = { 0 };

	for (size_t i = 0; i < s->tests.n; i++)
		count[VEC(struct sum_test *, s->tests)[i]->status]++;
	fprintf(out, "%u passed, %u failed, %u skipped", count[SUM_PASS], count[SUM_FAIL],
		count[SUM_SKIP]);
	if (count[SUM_NO_RESULT] > 0)
		fprintf(out, ", %u without a result", count[SUM_NO_RESULT]);
	fputc('\n', out);
}

static void
put_end(const struct stint_summary *s, FILE *out)
{
	const char *name = sigabbrev_np((int)s->signal);

	if (!s->ended) {
		fputs("no end record: the run was cut off\n", out);
		return;
	}
	if (s->signal == 0)
		return;
	fprintf(out, "ended by signal %" PRId64, s->signal);
	if (name != NULL)
		fprintf(out, " (SIG%s)", name);
	fputc('\n', out);
}

int
stint_summary_print(struct stint_summary *s, FILE *out)
{
	for (size_t i = 0; i < s->tests.n; i++) {
		if (put_test(s, VEC(struct sum_test *, s->tests)[i], out) < 0)
			return -ENOMEM;
	}
	if (s->tests.n > 1)
		put_counts(s, out);
	put_end(s, out);
	return 0;
}
