/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "narrate.h"

#include <math.h>
#include <stdio.h>

#include "clock.h"

#define ROUND_LINE_NS (STINT_SECOND_NS / 2)
#define MIB (UINT64_C(1) << 20)

static double
seconds(uint64_t ns)
{
	return (double)ns / STINT_SECOND_NS;
}

static void
print_lcores(FILE *out, const struct stint_machine *m, unsigned int n)
{
	cpu_set_t ids;
	char text[1024];

	CPU_ZERO(&ids);
	for (unsigned int i = 0; i < n; i++)
		CPU_SET(m->lcores[i].id, &ids);
	fprintf(out, "lcore%s %s (main %u)", n == 1 ? "" : "s",
		stint_cpulist_format(text, sizeof(text), &ids), m->lcores[0].id);
}

void
stint_narrate_test(struct stint_session *s, const struct stint_plan *plan)
{
	if (s->quiet)
		return;
	if (plan->test->suite == STINT_SUITE_FAST) {
		fprintf(s->out, "%s: begins\n", plan->test->name);
	} else {
		fprintf(s->out, "%s: begins: %u points, budget %.*f s, ", plan->test->name,
			plan->grid.count - plan->grid.skipped,
			plan->budget_ns < STINT_SECOND_NS ? 3 : 0, seconds(plan->budget_ns));
		print_lcores(s->out, plan->machine, plan->grid.max_lcores);
		fprintf(s->out, " of %u%s, %llu of %llu MiB, seed %llu\n", plan->machine->n_lcores,
			plan->shares_cpus ? " sharing CPUs" : "",
			(unsigned long long)stint_need_total(&plan->need_all) / MIB,
			(unsigned long long)plan->machine->have_bytes[0] / MIB,
			(unsigned long long)s->seed);
	}
	stint_flush(s);
}

void
stint_narrate_round(struct stint_session *s, const struct stint_plan *plan, unsigned int round,
		    uint64_t left_ns)
{
	uint64_t now = stint_monotonic_ns();

	/* rounds of a few points are over in some ms: one line for many of them */
	if (s->quiet || s->tty || (round > 1 && now - s->round_line_ns < ROUND_LINE_NS))
		return;
	s->round_line_ns = now;
	fprintf(s->out, "%s: round %u begins, %.1f s left\n", plan->test->name, round + 1,
		seconds(left_ns));
	stint_flush(s);
}

void
stint_narrate_point(struct stint_session *s, const struct stint_plan *plan,
		    const struct stint_cell *cell, unsigned int number, unsigned int round,
		    uint64_t left_ns)
{
	unsigned int of = plan->grid.count - plan->grid.skipped;
	char labels[256];

	if (s->quiet)
		return;
	if (s->tty)
		fprintf(s->out, "\r\033[K%s: round %u, point %u of %u, %.0f s left",
			plan->test->name, round + 1, number, of, seconds(left_ns));
	else if (round == 0)
		fprintf(s->out, "  %u/%u %s ", number, of,
			stint_labels_format(labels, sizeof(labels), cell->labels));
	else
		return;
	stint_flush(s);
}

void
stint_narrate_value(struct stint_session *s, unsigned int round, double value, const char *unit)
{
	char text[64];

	if (s->quiet || s->tty || round > 0)
		return;
	stint_format_value(text, sizeof(text), value, unit);
	fprintf(s->out, "%s\n", isnan(value) ? "no value" : text);
	stint_flush(s);
}

void
stint_narrate_clear(struct stint_session *s)
{
	if (!s->tty || s->quiet)
		return;
	fputs("\r\033[K", s->out);
	stint_flush(s);
}

void
stint_narrate_under_way(struct stint_session *s, const struct stint_cell *cell)
{
	char labels[256];

	if (cell != NULL)
		fprintf(s->out, "  under way: %s\n",
			stint_labels_format(labels, sizeof(labels), cell->labels));
}
