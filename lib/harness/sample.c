/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "sample.h"

#include <math.h>
#include <string.h>

#include <rte_common.h>

/* A sample that lost more than this part of its time to others is disturbed. */
#define LOST_PART 0.05

static bool
phase_counts(unsigned int counted_phases, unsigned int phase)
{
	return counted_phases == 0 || (counted_phases & STINT_PHASE(phase)) != 0;
}

/* Cycles that were spent in phases, and in batches of whole cycles. */
static void
by_mode(const struct stint_lane *lane, uint64_t *phased, uint64_t *whole)
{
	*whole += lane->phase[STINT_PHASE_WHOLE].cycles;
	for (unsigned int p = 1; p <= lane->job.phases; p++)
		*phased += lane->phase[p].cycles;
}

unsigned int
stint_missing_phase(const struct stint_lane *lanes, unsigned int n)
{
	uint64_t phased = 0, whole = 0, cycles[STINT_MAX_PHASES + 1] = { 0 };
	unsigned int counted = 0;
	unsigned int phases = 0;

	for (unsigned int i = 0; i < n; i++) {
		by_mode(&lanes[i], &phased, &whole);
		phases = RTE_MAX(phases, lanes[i].job.phases);
		for (unsigned int p = 1; p <= lanes[i].job.phases; p++) {
			cycles[p] += lanes[i].phase[p].cycles;
			if (phase_counts(lanes[i].job.counted_phases, p))
				counted |= STINT_PHASE(p);
		}
	}
	for (unsigned int p = 1; p <= phases && phased > whole; p++) {
		if (phase_counts(counted, p) && cycles[p] == 0)
			return p;
	}
	return 0;
}

static bool
counts(const struct stint_visit *visit, unsigned int i, unsigned int metric)
{
	const struct stint_metric *list = visit->cell->point.test->metrics.list;
	const struct stint_metric *m = &list[metric];

	return m->kind == STINT_HANDOVER || m->kind == STINT_LATENCY ||
	       visit->lanes[i].job.metric == (m->of != NULL ? m->of : m) - list;
}

/*
 * Cycles per operation. Whole cycles: all cycles by all operations. Phases: the sum over the
 * phases, so that it does not matter how many of each the slice held.
 */
static double
cost(const struct stint_sample *sample)
{
	double sum = 0;

	if (sample->phases == 0)
		return (double)sample->cycles / sample->ops;
	for (unsigned int p = 1; p <= sample->phases; p++) {
		if (phase_counts(sample->counted_phases, p))
			sum += (double)sample->phase[p].cycles / sample->phase[p].ops;
	}
	return sum;
}

/*
 * Operations per cycle of all lcores together. Each by its own window, as one that was off its CPU
 * counted later or for less long; by the mean cost where phases, or a lcore without batches of the
 * kind that counts, leave no other way.
 */
static double
ops_per_cycle(const struct stint_sample *sample, const struct stint_visit *visit,
	      unsigned int metric)
{
	double sum = 0;

	for (unsigned int i = 0; i < visit->cell->point.lcores; i++) {
		const struct stint_lane *lane = &visit->lanes[i];

		if (!counts(visit, i, metric))
			continue;
		if (sample->phases > 0 || lane->phase[STINT_PHASE_WHOLE].cycles == 0)
			return sample->lcores / cost(sample);
		sum += (double)lane->phase[STINT_PHASE_WHOLE].ops /
		       lane->phase[STINT_PHASE_WHOLE].cycles;
	}
	return sum;
}

static double
value_of(const struct stint_sample *sample, const struct stint_visit *visit, unsigned int metric,
	 const struct stint_clock *clock)
{
	const struct stint_point *pt = &visit->cell->point;
	const struct stint_metric *m = &pt->test->metrics.list[metric];
	double factor = m->factor != NULL && m->kind != STINT_LATENCY ? m->factor(pt) : 1;

	switch (m->kind) {
	case STINT_RATE:
	case STINT_SHARE:
		return clock->hz * ops_per_cycle(sample, visit, metric) * factor;
	case STINT_COST:
		return cost(sample) / factor;
	case STINT_TIME:
		return cost(sample) * STINT_SECOND_NS / clock->hz / factor;
	case STINT_CPU:
		return 100 * sample->taint.cpu_ns /
		       stint_clock_ns(clock, sample->taint.window_cycles);
	case STINT_HANDOVER:
		return visit->handover_ns;
	case STINT_LATENCY:
		break;
	}
	return NAN;
}

/*
 * Longer between two clock reads than two batches take in the mean, or off the CPU: time that the
 * tested code did not have. Where lcores share CPUs that is so by intent.
 */
static bool
is_disturbed(const struct stint_sample *sample, const struct stint_visit *visit, uint64_t batches,
	     const struct stint_clock *clock)
{
	double gap_ns = stint_clock_ns(clock, sample->taint.gap_cycles);
	double window_ns = stint_clock_ns(clock, sample->taint.window_cycles);
	double total_ns = sample->ns * sample->lcores;
	double batch_ns = batches > 0 ? total_ns / batches : 0;

	if (visit->shares)
		return false;
	return sample->taint.slow || sample->taint.cpu_ns < (1 - LOST_PART) * window_ns ||
	       gap_ns > 2 * batch_ns + LOST_PART * sample->ns;
}

/* Keep the kind of batches that most of the time went to; both kinds alone are without bias. */
static void
choose_mode(struct stint_sample *sample, unsigned int phases)
{
	uint64_t phased = 0, phased_ops = 0;

	for (unsigned int p = 1; p <= phases; p++) {
		if (!phase_counts(sample->counted_phases, p))
			continue;
		phased += sample->phase[p].cycles;
		phased_ops += sample->phase[p].ops;
	}
	sample->ops = sample->phase[STINT_PHASE_WHOLE].ops;
	sample->cycles = sample->phase[STINT_PHASE_WHOLE].cycles;
	if (phased <= sample->cycles)
		return;
	sample->phases = phases;
	sample->ops = phased_ops;
	sample->cycles = phased;
}

void
stint_sample_taint(struct stint_sample *sample, const struct stint_visit *visit,
		   unsigned int metric, const struct stint_clock *clock)
{
	uint64_t batches = 0;

	memset(sample, 0, sizeof(*sample));
	for (unsigned int i = 0; i < visit->cell->point.lcores; i++) {
		const struct stint_lane *lane = &visit->lanes[i];

		if (!counts(visit, i, metric))
			continue;
		sample->lcores++;
		sample->counted_phases |= lane->job.counted_phases;
		batches += lane->counted;
		for (unsigned int p = 0; p <= STINT_MAX_PHASES; p++) {
			sample->phase[p].ops += lane->phase[p].ops;
			sample->phase[p].cycles += lane->phase[p].cycles;
		}
		stint_taint_add(&sample->taint, &lane->taint);
	}
	if (sample->lcores == 0)
		return;
	for (unsigned int p = 0; p <= STINT_MAX_PHASES; p++)
		sample->ns += stint_clock_ns(clock, sample->phase[p].cycles) / sample->lcores;
	sample->disturbed = is_disturbed(sample, visit, batches, clock);
}

static unsigned int
most_phases(const struct stint_visit *visit, unsigned int metric)
{
	unsigned int phases = 0;

	for (unsigned int i = 0; i < visit->cell->point.lcores; i++) {
		if (counts(visit, i, metric))
			phases = RTE_MAX(phases, visit->lanes[i].job.phases);
	}
	return phases;
}

/* The value of an lcore that did nothing is not half that of two. */
static bool
one_is_idle(const struct stint_visit *visit, unsigned int metric)
{
	for (unsigned int i = 0; i < visit->cell->point.lcores; i++) {
		const struct stint_lane *lane = &visit->lanes[i];
		uint64_t ops = lane->phase[STINT_PHASE_WHOLE].ops;

		for (unsigned int p = 1; p <= lane->job.phases; p++) {
			if (phase_counts(lane->job.counted_phases, p))
				ops += lane->phase[p].ops;
		}
		if (counts(visit, i, metric) && ops == 0)
			return true;
	}
	return false;
}

bool
stint_sample_make(struct stint_sample *sample, const struct stint_visit *visit, unsigned int metric,
		  const struct stint_clock *clock)
{
	stint_sample_taint(sample, visit, metric, clock);
	if (sample->lcores == 0)
		return false;
	choose_mode(sample, most_phases(visit, metric));
	sample->ns = stint_clock_ns(clock, sample->cycles) / sample->lcores;
	if (sample->ops == 0 || sample->cycles == 0)
		return false;
	/* those that share CPUs may not have had their turn, and stand for each other */
	if (!visit->shares && one_is_idle(visit, metric))
		return false;
	for (unsigned int p = 1; p <= sample->phases; p++) {
		if (phase_counts(sample->counted_phases, p) && sample->phase[p].ops == 0)
			return false;
	}
	sample->value = value_of(sample, visit, metric, clock);
	return true;
}

json_t *
stint_sample_lcores(const struct stint_visit *visit, unsigned int metric)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < visit->cell->point.lcores; i++) {
		if (counts(visit, i, metric))
			json_array_append_new(list, json_integer(visit->lanes[i].worker.lcore));
	}
	return list;
}

static json_t *
by_lcore(const struct stint_sample *sample, const struct stint_visit *visit, unsigned int metric)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < visit->cell->point.lcores; i++) {
		const struct stint_lane *lane = &visit->lanes[i];
		unsigned int first = sample->phases > 0 ? 1 : STINT_PHASE_WHOLE;
		uint64_t ops = 0, cycles = 0;

		if (!counts(visit, i, metric))
			continue;
		for (unsigned int p = first; p <= sample->phases; p++) {
			if (p > 0 && !phase_counts(sample->counted_phases, p))
				continue;
			ops += lane->phase[p].ops;
			cycles += lane->phase[p].cycles;
		}
		json_array_append_new(
			list, json_pack("{s:i, s:I, s:I}", "lcore", (int)lane->worker.lcore, "ops",
					(json_int_t)ops, "cycles", (json_int_t)cycles));
	}
	return list;
}

static json_t *
phases_of(const struct stint_sample *sample, const struct stint_test *test)
{
	json_t *list = json_array();

	for (unsigned int p = 1; p <= sample->phases; p++) {
		json_t *phase = json_pack("{s:s, s:I, s:I}", "name",
					  test->phase_names != NULL ? test->phase_names[p - 1] : "",
					  "ops", (json_int_t)sample->phase[p].ops, "cycles",
					  (json_int_t)sample->phase[p].cycles);

		if (!phase_counts(sample->counted_phases, p))
			json_object_set_new(phase, "counted", json_false());
		json_array_append_new(list, phase);
	}
	return list;
}

json_t *
stint_sample_taint_record(const struct stint_sample *sample, const struct stint_visit *visit,
			  const struct stint_clock *clock)
{
	const struct stint_taint *t = &sample->taint;

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "steal_ns",
			 (json_int_t)visit->steal_ns, "switches", (json_int_t)t->switches, "faults",
			 (json_int_t)t->faults, "cpu_ns", (json_int_t)t->cpu_ns, "sys_ns",
			 (json_int_t)t->sys_ns, "window_ns",
			 (json_int_t)stint_clock_ns(clock, t->window_cycles), "gap_ns",
			 (json_int_t)stint_clock_ns(clock, t->gap_cycles), "probe_cycles",
			 (json_int_t)t->probe_cycles, "slow", (int)t->slow);
}

/* A rate with a factor is none of operations. */
static const char *
kind_name(const struct stint_metric *m)
{
	static const char *const names[] = {
		[STINT_RATE] = "rate",   [STINT_COST] = "cost", [STINT_TIME] = "time",
		[STINT_SHARE] = "share", [STINT_CPU] = "cpu",   [STINT_HANDOVER] = "handover",
	};

	return m->factor != NULL ? "scaled" : names[m->kind];
}

json_t *
stint_sample_record(const struct stint_sample *sample, const struct stint_visit *visit,
		    unsigned int metric, const struct stint_clock *clock)
{
	const struct stint_test *test = visit->cell->point.test;
	const struct stint_metric *m = &test->metrics.list[metric];
	json_t *record = json_pack(
		"{s:s, s:s, s:O, s:I, s:s, s:s, s:s, s:o, s:I, s:I, s:I, s:f,"
		" s:o, s:o, s:b, s:I}",
		"type", "sample", "test", test->name, "point", visit->cell->labels, "round",
		(json_int_t)visit->round, "metric", m->name, "unit", m->unit, "kind", kind_name(m),
		"lcores", stint_sample_lcores(visit, metric), "ops", (json_int_t)sample->ops,
		"cycles", (json_int_t)sample->cycles, "ns", (json_int_t)sample->ns, "value",
		sample->value, "by_lcore", by_lcore(sample, visit, metric), "taint",
		stint_sample_taint_record(sample, visit, clock), "disturbed",
		(int)sample->disturbed, "at_ns", (json_int_t)visit->at_ns);

	if (sample->phases > 0)
		json_object_set_new(record, "phase", phases_of(sample, test));
	if (visit->small_pages)
		json_object_set_new(record, "pages", json_string("4K"));
	return record;
}
