/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "pmd_bodies.h"

#include <sched.h>

/* Polls of one round of waiting, and rounds without a frame after which no more is to come. */
#define ROUND_POLLS 64
#define IDLE_ROUNDS 64
/* How often a full queue is asked to take more. */
#define STALLS_MAX 4096

/* ---- one lcore ----------------------------------------------------------------------------- */

/* What comes in goes out: as many polls as make a batch, whatever they find. */
static __rte_always_inline uint64_t
forward(struct stint_worker *w, uint64_t ops, const enum pmd_path path)
{
	struct pmd_lane *lane = w->state;
	const unsigned int burst = lane->burst;
	uint64_t polls = ops / burst + 1, came = 0, done = 0;

	w->tried = polls * burst;
	while (polls-- > 0) {
		unsigned int n = pmd_receive(lane, lane->held, burst, path), sent;

		if (n == 0)
			continue;
		came += n;
		sent = pmd_transmit(lane, lane->held, n, path);
		if (unlikely(sent < n)) {
			rte_pktmbuf_free_bulk(&lane->held[sent], n - sent);
			lane->counts.full += n - sent;
		}
		done += sent;
	}
	lane->counts.in += came;
	lane->counts.out += done;
	return done;
}

/* Send what is held; what a full queue does not take stays. */
static __rte_always_inline uint64_t
fill(struct stint_worker *w, uint64_t ops, const enum pmd_path path)
{
	struct pmd_lane *lane = w->state;
	const unsigned int have = lane->have, begin = lane->at;
	const unsigned int until = begin + RTE_MIN(ops, (uint64_t)(have - begin));
	unsigned int at = begin, n = 1;

	while (at < until && n > 0) {
		n = pmd_transmit(lane, &lane->held[at],
				 RTE_MIN((unsigned int)lane->burst, have - at), path);
		at += n;
	}
	lane->at = at;
	lane->counts.out += at - begin;
	w->phase = w->next_phase = PMD_PHASE_TX;
	if (at == have || n == 0) {
		pmd_lane_begin_rx(lane);
		w->next_phase = PMD_PHASE_RX;
	}
	return at - begin;
}

static void
end_pass(struct stint_worker *w)
{
	struct pmd_lane *lane = w->state;

	/* one that only transmits may be heard by others */
	if (w->point->value[PMD_DIM_MODE] != PMD_TX)
		lane->counts.silent += lane->have == lane->left;
	lane->ready = false;
	w->next_phase = PMD_PHASE_TX;
}

/* Nothing has come in: wait for it in the phase that does not count, but not for ever. */
static __rte_always_inline uint64_t
wait_for_frames(struct stint_worker *w, const enum pmd_path path, unsigned int idle_phase)
{
	struct pmd_lane *lane = w->state;
	unsigned int n = 0;

	for (unsigned int i = 0; i < ROUND_POLLS && n == 0; i++)
		n = pmd_receive(lane, &lane->held[lane->have], lane->burst, path);
	lane->have += n;
	lane->counts.in += n;
	lane->idle = n > 0 ? 0 : lane->idle + 1;
	w->phase = idle_phase;
	if (lane->have >= lane->hold || lane->idle >= (lane->rig->loops ? IDLE_ROUNDS : 1))
		end_pass(w);
	return n;
}

static __rte_always_inline uint64_t
drain(struct stint_worker *w, uint64_t ops, const enum pmd_path path, unsigned int idle_phase)
{
	struct pmd_lane *lane = w->state;
	const unsigned int begin = lane->have;
	const unsigned int until = begin + RTE_MIN(ops, (uint64_t)(lane->hold - begin));
	unsigned int have = begin, n = 1;

	while (have < until && n > 0) {
		n = pmd_receive(lane, &lane->held[have], lane->burst, path);
		have += n;
	}
	if (have == begin)
		return wait_for_frames(w, path, idle_phase);
	lane->have = have;
	lane->counts.in += have - begin;
	w->phase = w->next_phase = PMD_PHASE_RX;
	if (have >= lane->hold)
		end_pass(w);
	return have - begin;
}

static __rte_always_inline uint64_t
receive_pass(struct stint_worker *w, uint64_t ops, const enum pmd_path path)
{
	struct pmd_lane *lane = w->state;

	if (w->next_phase == PMD_PHASE_RX)
		return drain(w, ops, path, PMD_PHASE_TX);
	if (!lane->ready && !pmd_lane_prepare(w, lane->hold))
		return 0;
	return fill(w, ops, path);
}

static __rte_always_inline uint64_t
transmit_pass(struct stint_worker *w, uint64_t ops, const enum pmd_path path)
{
	struct pmd_lane *lane = w->state;
	uint64_t done;

	if (w->next_phase == PMD_PHASE_TX)
		return fill(w, ops, path);
	done = drain(w, ops, path, PMD_PHASE_RX);
	if (w->next_phase == PMD_PHASE_TX)
		pmd_lane_prepare(w, lane->hold);
	return done;
}

/* ---- two lcores ---------------------------------------------------------------------------- */

static uint32_t
turn_of(const struct pmd_lane *lane)
{
	return atomic_load_explicit(&lane->peer->turn, memory_order_acquire);
}

static bool
say_go(struct pmd_lane *lane)
{
	uint32_t ready = PMD_READY;

	return atomic_compare_exchange_strong_explicit(&lane->peer->turn, &ready, PMD_GO,
						       memory_order_acq_rel, memory_order_relaxed);
}

/* Until the other lcore is ready, or has transmitted; false: the slice has ended. */
static bool
wait_for_turn(struct stint_worker *w, bool transmitted)
{
	const struct pmd_lane *lane = w->state;

	while (transmitted ? turn_of(lane) == PMD_GO : turn_of(lane) != PMD_READY) {
		if (stint_stopping(w))
			return false;
		stint_yield(w);
	}
	return true;
}

static uint64_t
begin_poll(struct stint_worker *w, const bool before)
{
	struct pmd_lane *lane = w->state;

	w->phase = w->next_phase = PMD_PHASE_TX;
	pmd_lane_inspect(lane, 0, lane->have);
	rte_pktmbuf_free_bulk(lane->held, lane->have);
	lane->have = lane->left = lane->idle = 0;
	if (!wait_for_turn(w, false))
		return 0;
	if (!before && (!say_go(lane) || !wait_for_turn(w, true)))
		return 0;
	w->next_phase = PMD_PHASE_RX;
	return 1;
}

/* From the first poll to the last packet; a pass that is not complete does not count. */
static __rte_always_inline uint64_t
poll(struct stint_worker *w, const enum pmd_path path, const bool before)
{
	struct pmd_lane *lane = w->state;
	const unsigned int hold = lane->hold, burst = lane->burst;
	const unsigned int idle_max = lane->rig->loops ? ROUND_POLLS * IDLE_ROUNDS : ROUND_POLLS;
	unsigned int have = 0, idle = 0, empty = 0;

	w->phase = PMD_PHASE_TX;
	w->next_phase = PMD_PHASE_TX;
	if (before && !say_go(lane))
		return 0;
	while (have < hold && idle < idle_max) {
		unsigned int n = pmd_receive(lane, &lane->held[have], burst, path);

		have += n;
		if (likely(n > 0))
			continue;
		idle += turn_of(lane) != PMD_GO;
		if (w->shares_cpus)
			sched_yield();
		if (++empty % ROUND_POLLS == 0 && stint_stopping(w))
			break;
	}
	lane->have = have;
	lane->counts.in += have;
	if (have >= hold)
		w->phase = PMD_PHASE_RX;
	/* the other lcore may have left in the middle */
	else if (stint_stopping(w))
		return have;
	end_pass(w);
	return have;
}

static __rte_always_inline uint64_t
poll_pass(struct stint_worker *w, const enum pmd_path path, const bool before)
{
	return w->next_phase == PMD_PHASE_RX ? poll(w, path, before) : begin_poll(w, before);
}

/* Transmit all that is held when told so, then hold as many again. */
static __rte_always_inline uint64_t
transmit_on_go(struct stint_worker *w, const enum pmd_path path)
{
	struct pmd_lane *lane = w->state;
	unsigned int at = 0, stalls = 0;

	while (turn_of(lane) != PMD_GO) {
		if (stint_stopping(w))
			return 0;
		stint_yield(w);
	}
	while (at < lane->have && stalls < STALLS_MAX) {
		unsigned int n =
			pmd_transmit(lane, &lane->held[at],
				     RTE_MIN((unsigned int)lane->burst, lane->have - at), path);

		at += n;
		if (likely(n > 0))
			continue;
		stalls++;
		if (w->shares_cpus)
			sched_yield();
	}
	atomic_store_explicit(&lane->peer->turn, PMD_SENT, memory_order_release);
	lane->counts.out += at;
	lane->counts.full += lane->have - at;
	lane->counts.refused += at == 0;
	rte_pktmbuf_free_bulk(&lane->held[at], lane->have - at);
	lane->have = lane->left = 0;
	if (!pmd_lane_prepare(w, lane->hold))
		return at;
	atomic_store_explicit(&lane->peer->turn, PMD_READY, memory_order_release);
	return at;
}

/* ---- variants ------------------------------------------------------------------------------ */

#define BODIES(name, PATH)                                                          \
	static uint64_t forward_##name(struct stint_worker *w, uint64_t ops)        \
	{                                                                           \
		return forward(w, ops, PATH);                                       \
	}                                                                           \
	static uint64_t receive_##name(struct stint_worker *w, uint64_t ops)        \
	{                                                                           \
		return receive_pass(w, ops, PATH);                                  \
	}                                                                           \
	static uint64_t transmit_##name(struct stint_worker *w, uint64_t ops)       \
	{                                                                           \
		return transmit_pass(w, ops, PATH);                                 \
	}                                                                           \
	static uint64_t poll_before_##name(struct stint_worker *w, uint64_t ops)    \
	{                                                                           \
		(void)ops;                                                          \
		return poll_pass(w, PATH, true);                                    \
	}                                                                           \
	static uint64_t poll_after_##name(struct stint_worker *w, uint64_t ops)     \
	{                                                                           \
		(void)ops;                                                          \
		return poll_pass(w, PATH, false);                                   \
	}                                                                           \
	static uint64_t transmit_on_go_##name(struct stint_worker *w, uint64_t ops) \
	{                                                                           \
		(void)ops;                                                          \
		return transmit_on_go(w, PATH);                                     \
	}

BODIES(port, PMD_PATH_PORT)
BODIES(ring, PMD_PATH_RING)

pmd_run_fn
pmd_body(enum pmd_mode mode, enum pmd_path path)
{
	static const pmd_run_fn bodies[][2] = {
		[PMD_RXTX] = { forward_port, forward_ring },
		[PMD_RX] = { receive_port, receive_ring },
		[PMD_TX] = { transmit_port, transmit_ring },
		[PMD_POLL_BEFORE] = { poll_before_port, poll_before_ring },
		[PMD_POLL_AFTER] = { poll_after_port, poll_after_ring },
	};

	return bodies[mode][path];
}

pmd_run_fn
pmd_transmit_body(enum pmd_path path)
{
	return path == PMD_PATH_RING ? transmit_on_go_ring : transmit_on_go_port;
}
