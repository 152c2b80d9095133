/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "slice.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_pause.h>

#include "batches.h"
#include "clock.h"

/* A probe this much slower than the fastest one is on another level of speed. */
#define SLOW_FACTOR 1.1
/* A lcore that does not find its batch size in so many batches counts with what it has. */
#define WARM_BATCHES 256

static uint32_t
phase_of(const struct stint_slice *slice)
{
	return atomic_load_explicit(&slice->phase, memory_order_acquire);
}

/* A slice that was cut stays cut. */
static void
advance(struct stint_slice *slice, uint32_t from, uint32_t to)
{
	atomic_compare_exchange_strong_explicit(&slice->phase, &from, to, memory_order_acq_rel,
						memory_order_relaxed);
}

void
stint_slice_cut(struct stint_slice *slice)
{
	atomic_store_explicit(&slice->phase, STINT_SLICE_CUT, memory_order_release);
}

bool
stint_stopping(const struct stint_worker *w)
{
	struct stint_slice *slice = (struct stint_slice *)(uintptr_t)w->slice;

	/* outside of the engine, as a fast test calls a body, nothing ends */
	if (unlikely(slice == NULL))
		return false;
	/* if all wait, nobody else looks at the clock */
	if (unlikely(rte_rdtsc() > slice->hard_deadline))
		stint_slice_cut(slice);
	return phase_of(slice) >= STINT_SLICE_DONE;
}

void
stint_worker_fail(const struct stint_worker *w, const char *format, ...)
{
	struct stint_slice *slice = (struct stint_slice *)(uintptr_t)w->slice;
	va_list args;

	if (slice == NULL || atomic_exchange_explicit(&slice->failed, true, memory_order_acq_rel))
		return;
	va_start(args, format);
	vsnprintf(slice->message, sizeof(slice->message), format, args);
	va_end(args);
	stint_slice_cut(slice);
}

static void
check_budget(struct stint_slice *slice, uint64_t now)
{
	if (unlikely(now > slice->hard_deadline))
		stint_slice_cut(slice);
}

static void
arrive_warm(struct stint_slice *slice, uint64_t now)
{
	if (atomic_fetch_add_explicit(&slice->warm, 1, memory_order_acq_rel) + 1 < slice->n)
		return;
	atomic_store_explicit(&slice->deadline, now + slice->count_cycles, memory_order_relaxed);
	advance(slice, STINT_SLICE_WARM, STINT_SLICE_COUNT);
}

/* One batch, adapted; returns the TSC at its end. */
static __rte_always_inline uint64_t
batch(struct stint_slice *slice, struct stint_lane *lane, uint64_t before, uint64_t *ops,
      bool *right)
{
	const uint64_t wanted = stint_batch_wanted(lane);
	uint64_t now;

	lane->worker.tried = 0;
	*ops = lane->job.run(&lane->worker, wanted);
	now = rte_rdtsc();
	*right = stint_batch_adapt(lane, slice->batch_cycles, wanted,
				   RTE_MAX(*ops, lane->worker.tried), now - before);
	check_budget(slice, now);
	return now;
}

static void
book(struct stint_lane *lane, uint64_t ops, uint64_t cycles)
{
	lane->phase[lane->worker.phase].ops += ops;
	lane->phase[lane->worker.phase].cycles += cycles;
	lane->counted++;
	lane->taint.gap_cycles = RTE_MAX(lane->taint.gap_cycles, cycles);
}

/* A phase that others must bring about first is waited for, though the time is up. */
static bool
goes_on(const struct stint_slice *slice, const struct stint_lane *lane, bool in_time)
{
	const unsigned int only = slice->only_phase;

	return phase_of(slice) == STINT_SLICE_COUNT &&
	       (in_time ||
		(only != 0 && lane->worker.next_phase == only && lane->phase[only].cycles == 0));
}

static void
be_counted(struct stint_slice *slice)
{
	if (atomic_fetch_add_explicit(&slice->counted, 1, memory_order_acq_rel) + 1 == slice->n)
		advance(slice, STINT_SLICE_COUNT, STINT_SLICE_DONE);
}

/* ---- each lane has a CPU ------------------------------------------------------------------- */

/* Counters are read while others still warm up, or no longer count: each read costs a microsecond.
 */
static void
begin_window(struct stint_lane *lane)
{
	lane->before = stint_taint_read();
}

static void
end_window(struct stint_lane *lane)
{
	stint_taint_add_since(&lane->taint, &lane->before);
}

/* A phase that is short is over before all are warm: then counting begins with it. */
static void
line_up(struct stint_slice *slice, struct stint_lane *lane)
{
	begin_window(lane);
	arrive_warm(slice, rte_rdtsc());
	while (phase_of(slice) == STINT_SLICE_WARM)
		rte_pause();
}

static void
warm(struct stint_slice *slice, struct stint_lane *lane)
{
	uint64_t ops, now = rte_rdtsc();
	bool arrived = false, all, right;
	unsigned int batches = 0;

	atomic_fetch_add_explicit(&slice->running, 1, memory_order_acq_rel);
	while (phase_of(slice) == STINT_SLICE_WARM) {
		/* what a batch takes before all are running says nothing */
		all = atomic_load_explicit(&slice->running, memory_order_acquire) == slice->n;
		now = batch(slice, lane, now, &ops, &right);
		right |= all && ++batches > WARM_BATCHES;
		if (!right || !all || arrived)
			continue;
		arrived = true;
		begin_window(lane);
		arrive_warm(slice, now);
		now = rte_rdtsc();
	}
}

static void
count(struct stint_slice *slice, struct stint_lane *lane)
{
	uint64_t deadline = atomic_load_explicit(&slice->deadline, memory_order_relaxed);
	uint64_t ops, now, booked = rte_rdtsc();
	bool right;

	/* a lane that was off its CPU when counting began still counts */
	deadline = RTE_MAX(deadline, booked + slice->count_cycles / 2);
	lane->worker.counting = 1;
	while (goes_on(slice, lane, booked < deadline)) {
		/* a phase that counts is short: what the engine does meanwhile is no part of it */
		if (lane->job.counted_phases != 0)
			booked = rte_rdtsc();
		now = batch(slice, lane, booked, &ops, &right);
		book(lane, ops, now - booked);
		booked = now;
		if (slice->only_phase != 0 && lane->worker.next_phase != slice->only_phase)
			break;
	}
	lane->worker.counting = 0;
	be_counted(slice);
}

/* Those that have counted go on, so that the others count under the same load. */
static void
cool(struct stint_slice *slice, struct stint_lane *lane)
{
	uint64_t ops, now = rte_rdtsc();
	bool right;

	while (phase_of(slice) == STINT_SLICE_COUNT)
		now = batch(slice, lane, now, &ops, &right);
}

/* Was the CPU as fast as it can be, before and after? */
static void
note_speed(struct stint_lane *lane, uint64_t before, uint64_t after)
{
	uint64_t slower = RTE_MAX(before, after);

	lane->fastest_probe = RTE_MIN(lane->fastest_probe, RTE_MIN(before, after));
	lane->taint.probe_cycles = RTE_MAX(lane->taint.probe_cycles, slower);
	lane->taint.slow |= slower > lane->fastest_probe * SLOW_FACTOR;
}

static void
run_freely(struct stint_slice *slice, struct stint_lane *lane)
{
	const uint64_t probe = stint_probe_cycles();

	if (slice->only_phase != 0)
		line_up(slice, lane);
	else
		warm(slice, lane);
	if (phase_of(slice) != STINT_SLICE_COUNT)
		return;
	count(slice, lane);
	cool(slice, lane);
	end_window(lane);
	note_speed(lane, probe, stint_probe_cycles());
}

/* ---- lanes share CPUs ---------------------------------------------------------------------- */

/*
 * A turn is a batch; returns the TSC at its end, or 0 if the slice ended while others had theirs.
 * One that waits for others has no turn, so that it never keeps them out.
 */
static __rte_always_inline uint64_t
turn(struct stint_slice *slice, struct stint_lane *lane, const bool waits, uint64_t *ops)
{
	int cpu = waits ? 0 : stint_turns_take(&slice->turns);
	uint64_t now = 0;
	bool right;

	if (phase_of(slice) < STINT_SLICE_DONE)
		now = batch(slice, lane, rte_rdtsc(), ops, &right);
	if (waits)
		sched_yield();
	else
		stint_turns_give(&slice->turns, cpu);
	return now;
}

/* Nobody counts on what this lane does, unless somebody waits for it. */
static __rte_always_inline void
idle_while(struct stint_slice *slice, struct stint_lane *lane, const bool waits, uint32_t phase)
{
	const bool goes_on =
		slice->waiting && (phase == STINT_SLICE_COUNT || slice->only_phase == 0);
	uint64_t ops;

	while (phase_of(slice) == phase) {
		if (goes_on) {
			turn(slice, lane, waits, &ops);
			continue;
		}
		sched_yield();
		check_budget(slice, rte_rdtsc());
	}
}

/* From the end of a turn to the end of a turn: what lies between is part of the price of sharing.
 */
static __rte_always_inline void
count_turns(struct stint_slice *slice, struct stint_lane *lane, const bool waits)
{
	uint64_t ops, now, deadline, booked = rte_rdtsc();

	if (slice->only_phase == 0)
		booked = turn(slice, lane, waits, &ops);
	begin_window(lane);
	deadline = booked + slice->count_cycles;
	lane->worker.counting = 1;
	while (goes_on(slice, lane, booked < deadline)) {
		now = turn(slice, lane, waits, &ops);
		if (now == 0)
			break;
		book(lane, ops, now - booked);
		booked = now;
		if (slice->only_phase != 0 && lane->worker.next_phase != slice->only_phase)
			break;
	}
	lane->worker.counting = 0;
	end_window(lane);
	be_counted(slice);
}

static __rte_always_inline void
run_in_turn(struct stint_slice *slice, struct stint_lane *lane, const bool waits)
{
	uint64_t ops;

	arrive_warm(slice, slice->only_phase == 0 ? turn(slice, lane, waits, &ops) : rte_rdtsc());
	idle_while(slice, lane, waits, STINT_SLICE_WARM);
	if (phase_of(slice) == STINT_SLICE_COUNT)
		count_turns(slice, lane, waits);
	idle_while(slice, lane, waits, STINT_SLICE_COUNT);
}

/* ---- one lane ------------------------------------------------------------------------------ */

static bool
takes_turns(const struct stint_slice *slice, const struct stint_lane *lane)
{
	return slice->in_turn && !lane->job.waits;
}

static bool
init_worker(struct stint_slice *slice, struct stint_lane *lane)
{
	const struct stint_test *test = lane->worker.point->test;
	int rc, cpu = 0;

	if (test->worker_init == NULL)
		return true;
	if (takes_turns(slice, lane))
		cpu = stint_turns_take(&slice->turns);
	rc = test->worker_init(&lane->worker);
	if (takes_turns(slice, lane))
		stint_turns_give(&slice->turns, cpu);
	if (rc != 0)
		stint_worker_fail(&lane->worker, "lcore %u: worker_init: %s", lane->worker.lcore,
				  strerror(-rc));
	return rc == 0;
}

static void
finish_worker(struct stint_slice *slice, struct stint_lane *lane)
{
	int cpu = 0;

	if (lane->job.finish == NULL)
		return;
	if (takes_turns(slice, lane))
		cpu = stint_turns_take(&slice->turns);
	lane->job.finish(&lane->worker);
	if (takes_turns(slice, lane))
		stint_turns_give(&slice->turns, cpu);
}

static void
work(void *arg, unsigned int index)
{
	struct stint_slice *slice = arg;
	struct stint_lane *lane = &slice->lanes[index];

	lane->entered = rte_rdtsc();
	if (init_worker(slice, lane)) {
		if (takes_turns(slice, lane))
			run_in_turn(slice, lane, false);
		else if (slice->in_turn)
			run_in_turn(slice, lane, true);
		else
			run_freely(slice, lane);
		finish_worker(slice, lane);
	}
	lane->left = rte_rdtsc();
}

enum stint_slice_phase
stint_slice_run(struct stint_slice *slice, struct stint_crew *crew)
{
	slice->waiting = false;
	for (unsigned int i = 0; i < slice->n; i++) {
		slice->lanes[i].worker.slice = slice;
		slice->waiting |= slice->lanes[i].job.waits;
	}
	atomic_store_explicit(&slice->running, 0, memory_order_relaxed);
	atomic_store_explicit(&slice->warm, 0, memory_order_relaxed);
	atomic_store_explicit(&slice->counted, 0, memory_order_relaxed);
	advance(slice, STINT_SLICE_DONE, STINT_SLICE_WARM);
	stint_crew_run(crew, slice->n, !slice->in_turn, work, slice);
	return phase_of(slice);
}
