/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "rounds.h"

#include <math.h>
#include <string.h>

#include <rte_cycles.h>

#include "latency.h"
#include "narrate.h"
#include "random.h"
#include "sample.h"

/*
 * Own CPUs: some batches long, and as short as that allows. With slices of 1, 0.5 and 0.3 ms on a
 * virtual machine whose core was shared half of the time, the points of two runs of 20 s differed
 * by 1.6, 0.6 and 0.4 % in the median and 7.2, 7.6 and 5.3 % at the 99th percentile: the more
 * slices, the more placements, and the finer disturbed ones are told from others.
 */
#define SLICE_NS 300000
/* Shared CPUs: each lcore gets its turn this often. */
#define TURNS 4

/* What is told of a visit: its first metric that has a value. */
struct headline {
	double value; /* NaN: none */
	const char *unit;
};

uint64_t
stint_slice_ns(const struct stint_rounds *r, unsigned int lcores, bool shares)
{
	unsigned int cpus = stint_machine_cpus(r->plan->machine, lcores);
	uint64_t turns = (lcores + cpus - 1) / cpus;

	return shares ? RTE_MAX((uint64_t)SLICE_NS, turns * TURNS * STINT_BATCH_NS) : SLICE_NS;
}

/* What an lcore can do depends on how many others work: siblings of its core, the clock's turbo. */
static uint64_t *
fastest_probe(const struct stint_rounds *r, const struct stint_cell *cell, unsigned int lane)
{
	return &r->fastest_probes[(cell->point.lcores - 1) * r->plan->grid.max_lcores + lane];
}

static void
prepare_lanes(struct stint_rounds *r, struct stint_cell *cell)
{
	const struct stint_point *pt = &cell->point;

	for (unsigned int i = 0; i < pt->lcores; i++) {
		const struct stint_eal_lcore *lcore = &r->plan->machine->lcores[i];
		struct stint_lane *lane = &r->lanes[i];

		memset(lane, 0, sizeof(*lane));
		lane->fastest_probe = *fastest_probe(r, cell, i);
		lane->worker = (struct stint_worker){
			.point = pt,
			.fixture = &r->fixtures.list[cell->fixture],
			.state = r->fixtures.states[i],
			.index = i,
			.lcore = lcore->id,
			.socket = lcore->socket,
			.shares_cpus = pt->shares_cpus,
		};
		stint_latency_attach(&lane->worker, r->fixtures.recorders[i]);
		lane->job = pt->test->job(pt, i);
		lane->batches = cell->batches[i];
	}
}

static void
prepare_slice(struct stint_rounds *r, const struct stint_cell *cell, struct stint_visit *visit)
{
	struct stint_slice *slice = &r->s->slice;
	const struct stint_clock *clock = &r->s->clock;
	unsigned int n = cell->point.lcores;

	visit->shares = cell->point.shares_cpus;
	slice->n = n;
	slice->lanes = r->lanes;
	slice->in_turn = visit->shares;
	slice->batch_cycles = stint_clock_cycles(clock, STINT_BATCH_NS);
	slice->count_cycles = stint_clock_cycles(clock, stint_slice_ns(r, n, visit->shares));
	slice->hard_deadline = rte_rdtsc() + stint_clock_cycles(clock, stint_left_ns(r));
}

static bool
run_slice(struct stint_rounds *r, unsigned int only_phase, double *handover)
{
	uint64_t entered = 0, left = 0, out;
	struct stint_slice *slice = &r->s->slice;
	bool done;

	slice->only_phase = only_phase;
	for (unsigned int i = 0; i < slice->n; i++) {
		struct stint_lane *lane = &r->lanes[i];

		lane->worker.phase =
			lane->job.phases > 0 ? RTE_MAX(only_phase, 1u) : STINT_PHASE_WHOLE;
		lane->worker.next_phase = lane->worker.phase;
		lane->worker.seed = stint_random(&r->random);
		lane->worker.round = r->round;
	}
	done = stint_slice_run(slice, r->crew) == STINT_SLICE_DONE;
	out = stint_crew_handed_over(r->crew);
	for (unsigned int i = 0; i < slice->n; i++) {
		entered = RTE_MAX(entered, r->lanes[i].entered);
		left = RTE_MAX(left, r->lanes[i].left);
	}
	/* the TSCs of two CPUs may be some cycles apart */
	*handover =
		stint_clock_ns(&r->s->clock, RTE_MAX(entered, out) - out) +
		stint_clock_ns(&r->s->clock, RTE_MAX(stint_crew_all_done(r->crew), left) - left);
	return done;
}

static int
check_fixture(struct stint_rounds *r, const struct stint_cell *cell)
{
	const struct stint_test *test = r->plan->test;
	char labels[256], text[384];

	if (test->check == NULL || test->check(&r->fixtures.list[cell->fixture]) == 0)
		return 0;
	snprintf(text, sizeof(text), "wrong after %s",
		 stint_labels_format(labels, sizeof(labels), cell->labels));
	return stint_rounds_fail(r, text);
}

/* 1: run to the end, 0: cut, -1: failed. */
static int
run_slices(struct stint_rounds *r, struct stint_cell *cell, struct stint_visit *visit)
{
	unsigned int phase = 0, tried = 0;
	double other;
	bool done;

	prepare_lanes(r, cell);
	prepare_slice(r, cell, visit);
	done = run_slice(r, 0, &visit->handover_ns);
	/* one that is missing after a slice of its own cannot be had */
	while (done && (phase = stint_missing_phase(r->lanes, r->s->slice.n)) > tried) {
		tried = phase;
		done = run_slice(r, phase, &other);
	}
	if (atomic_load_explicit(&r->s->slice.failed, memory_order_acquire))
		return stint_rounds_fail(r, r->s->slice.message);
	for (unsigned int i = 0; i < cell->point.lcores && done; i++) {
		cell->batches[i] = r->lanes[i].batches;
		*fastest_probe(r, cell, i) = r->lanes[i].fastest_probe;
	}
	if (check_fixture(r, cell) != 0)
		return -1;
	visit->complete = phase == 0;
	return done;
}

static int
note_steal(struct stint_rounds *r, struct stint_visit *visit)
{
	uint64_t from, to, began = r->s->started_ns;

	visit->steal_ns = stint_steal_since(&r->steal, &from, &to);
	if (visit->steal_ns == 0)
		return 0;
	return stint_rounds_put(
		r, json_pack("{s:s, s:s, s:I, s:I, s:I}", "type", "steal", "test",
			     r->plan->test->name, "from_ns", (json_int_t)(from - began), "to_ns",
			     (json_int_t)(to - began), "ns", (json_int_t)visit->steal_ns));
}

/* Whatever becomes of the visit, the next one begins with empty recorders. */
static int
take_latencies(struct stint_rounds *r, const struct stint_visit *visit)
{
	const struct stint_test *test = r->plan->test;

	for (unsigned int m = 0; m < test->metrics.count; m++) {
		if (!stint_latency_recorded(test, m))
			continue;
		stint_histogram_clear(&r->latencies[m]);
		if (stint_latency_take(&r->latencies[m], visit->lanes, visit->cell->point.lcores,
				       m) != 0)
			return stint_rounds_fail(r, "out of memory");
	}
	return 0;
}

/* The rate as a part of that of the point that it is compared with; NAN: that has none yet. */
static double
share(struct stint_rounds *r, const struct stint_cell *cell, unsigned int m,
      const struct stint_sample *sample)
{
	const struct stint_grid *grid = &r->plan->grid;
	struct stint_point other = cell->point;

	stint_cell_rate(&grid->cells[cell - grid->cells], m, sample->value, sample->disturbed);
	grid->test->metrics.list[m].against(&other);
	for (unsigned int i = 0; i < grid->count; i++) {
		const struct stint_cell *c = &grid->cells[i];

		if (memcmp(c->point.value, other.value, sizeof(other.value)) == 0)
			return c->rates[m] > 0 ? 100 * sample->value / c->rates[m] : NAN;
	}
	return NAN;
}

/* Has the metric a value? It and the record. Latencies are what they are, also of a slice that is
 * cut. */
static bool
metric_record(struct stint_rounds *r, const struct stint_visit *visit, unsigned int m, bool whole,
	      double *value, json_t **record)
{
	const struct stint_histogram *h = &r->latencies[m];
	const struct stint_clock *clock = &r->s->clock;
	struct stint_sample sample;

	if (r->plan->test->metrics.list[m].kind == STINT_LATENCY) {
		if (h->count == 0 || !stint_latency_recorded(r->plan->test, m))
			return false;
		*value = stint_clock_ns(clock, stint_histogram_quantile(h, 1, 2));
		*record = stint_latency_record(h, visit, m, clock);
		return true;
	}
	if (!whole || !stint_sample_make(&sample, visit, m, clock))
		return false;
	if (r->plan->test->metrics.list[m].kind == STINT_SHARE)
		sample.value = share(r, visit->cell, m, &sample);
	if (isnan(sample.value))
		return false;
	*value = sample.value;
	*record = stint_sample_record(&sample, visit, m, clock);
	return true;
}

static int
record_visit(struct stint_rounds *r, struct stint_cell *cell, const struct stint_visit *visit,
	     bool whole, struct headline *headline)
{
	const struct stint_test *test = r->plan->test;
	json_t *record;
	double value;

	for (unsigned int m = 0; m < test->metrics.count; m++) {
		if (!metric_record(r, visit, m, whole, &value, &record))
			continue;
		if (isnan(headline->value))
			*headline = (struct headline){ value, test->metrics.list[m].unit };
		/* what is cut is enough for a test that is about latencies */
		if (!cell->done && (whole || m == 0)) {
			r->outcome->done++;
			cell->done = true;
		}
		if (stint_rounds_put(r, record) != 0)
			return -1;
	}
	return 0;
}

int
stint_visit_point(struct stint_rounds *r, struct stint_cell *cell)
{
	struct stint_visit visit = { .cell = cell,
				     .lanes = r->lanes,
				     .round = r->round,
				     .small_pages = r->plan->machine->any_socket };
	uint64_t begin = stint_monotonic_ns();
	struct headline headline = { NAN, "" };
	int rc;

	visit.at_ns = begin - r->s->started_ns;
	rc = run_slices(r, cell, &visit);
	if (take_latencies(r, &visit) != 0)
		rc = -1;
	if (rc > 0 && note_steal(r, &visit) != 0)
		rc = -1;
	if (rc >= 0 && visit.complete && record_visit(r, cell, &visit, rc > 0, &headline) != 0)
		rc = -1;
	cell->idle |= rc > 0 && isnan(headline.value);
	stint_narrate_value(r->s, r->round, headline.value, headline.unit);
	r->visit_ns[cell->point.lcores] =
		RTE_MAX(r->visit_ns[cell->point.lcores], stint_monotonic_ns() - begin);
	return rc;
}
