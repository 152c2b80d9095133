/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "pmd_bodies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Empty polls after which what was left of another slice is gone. */
#define STALE_POLLS 16
#define DRAIN_POLLS 256
#define BITS_PER_BYTE 8

static double
wire_bits(const struct stint_point *pt)
{
	return (pt->value[PMD_DIM_SIZE] + PMD_WIRE_BYTES) * BITS_PER_BYTE;
}

const struct stint_metric pmd_metrics[3] = {
	{ "cost", STINT_COST, "cycles/packet" },
	{ "packets", STINT_RATE, "packets/s", .of = pmd_metrics },
	{ "wire", STINT_RATE, "bit/s", .of = pmd_metrics, .factor = wire_bits },
};
const char *const pmd_phase_names[2] = { "transmit", "receive" };

unsigned int
pmd_lane_lcores(enum pmd_mode mode)
{
	return mode == PMD_POLL_BEFORE || mode == PMD_POLL_AFTER ? 2 : 1;
}

int
pmd_lane_rank(const struct stint_point *pt)
{
	uint64_t burst = pt->value[PMD_DIM_BURST];
	bool telling = pt->value[PMD_DIM_SIZE] == PMD_FRAME_MIN && (burst == 1 || burst == 32);

	return !telling + (pmd_lane_lcores(pt->value[PMD_DIM_MODE]) > 1);
}

/* A ring of n slots holds n - 1; whole bursts of the largest size that there is room for. */
unsigned int
pmd_hold(unsigned int descs)
{
	return descs > PMD_BURST_MAX ? RTE_ALIGN_FLOOR(descs - 1, PMD_BURST_MAX)
				     : rte_align32prevpow2(descs - 1);
}

/* ---- the rig ------------------------------------------------------------------------------- */

struct pmd_rig *
pmd_rig_new(unsigned int n_ports, unsigned int queues)
{
	struct pmd_rig *rig = calloc(1, sizeof(*rig));
	size_t bytes = n_ports * queues * sizeof(*rig->turns);

	if (rig == NULL)
		return NULL;
	rig->turns = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);
	if (rig->turns == NULL) {
		free(rig);
		return NULL;
	}
	memset(rig->turns, 0, bytes);
	rig->queues = queues;
	return rig;
}

/* What went out and did not come in, until the ports were closed. */
static uint64_t
lost_frames(const struct pmd_rig *rig)
{
	uint64_t in = rig->counts.in, strange = rig->counts.foreign + rig->counts.duplicate;

	for (unsigned int i = 0; i < rig->n_ports; i++)
		in += rig->ports[i].left;
	if (!rig->loops || rig->counts.out + strange <= in)
		return 0;
	return rig->counts.out + strange - in;
}

/* Which of several ports did how much. */
static void
count_ports(const struct pmd_rig *rig, struct stint_fixture *fx)
{
	char what[48];

	for (unsigned int i = 0; i < rig->n_ports && rig->n_ports > 1; i++) {
		snprintf(what, sizeof(what), "frames sent by port %u", rig->ports[i].id);
		stint_count(fx, what, rig->of_port[i].out);
		snprintf(what, sizeof(what), "frames received by port %u", rig->ports[i].id);
		stint_count(fx, what, rig->of_port[i].in);
	}
}

void
pmd_rig_free(struct pmd_rig *rig, struct stint_fixture *fx)
{
	uint64_t lost;

	if (rig == NULL)
		return;
	count_ports(rig, fx);
	lost = lost_frames(rig);
	stint_count(fx, "frames lost", lost);
	stint_count(fx, "frames sent in all", lost > 0 ? rig->counts.out : 0);
	stint_count(fx, "foreign frames", rig->counts.foreign);
	stint_count(fx, "duplicate frames", rig->counts.duplicate);
	stint_count(fx, "times that a full queue refused a frame", rig->counts.full);
	stint_count(fx, "passes in which no frame was accepted", rig->counts.refused);
	stint_count(fx, "passes in which no frame came in", rig->counts.silent);
	free(rig->turns);
	free(rig);
}

static void
add_count(_Atomic uint64_t *sum, uint64_t count)
{
	atomic_fetch_add_explicit(sum, count, memory_order_relaxed);
}

static void
add_counts(struct pmd_lane *lane)
{
	add_count(&lane->rig->counts.out, lane->counts.out);
	add_count(&lane->rig->counts.in, lane->counts.in);
	add_count(&lane->rig->counts.foreign, lane->counts.foreign);
	add_count(&lane->rig->counts.duplicate, lane->counts.duplicate);
	add_count(&lane->rig->counts.full, lane->counts.full);
	add_count(&lane->rig->counts.refused, lane->counts.refused);
	add_count(&lane->rig->counts.silent, lane->counts.silent);
	add_count(&lane->rig->of_port[lane->index].out, lane->counts.out);
	add_count(&lane->rig->of_port[lane->index].in, lane->counts.in);
	memset(&lane->counts, 0, sizeof(lane->counts));
}

/* ---- untimed parts of a pass --------------------------------------------------------------- */

void
pmd_lane_inspect(struct pmd_lane *lane, unsigned int from, unsigned int n)
{
	for (unsigned int i = from; i < from + n; i++) {
		enum pmd_origin origin =
			lane->rig->loops
				? pmd_frame_origin(lane->held[i], lane->rig->magic, &lane->seen)
				: PMD_FOREIGN;

		lane->counts.foreign += origin == PMD_FOREIGN;
		lane->counts.duplicate += origin == PMD_DUPLICATE;
	}
}

/* What came in becomes what goes out: a frame of one segment. */
static void
make_frame(struct pmd_lane *lane, struct rte_mbuf *mbuf)
{
	rte_pktmbuf_free(mbuf->next);
	pmd_frame_put(&lane->frame, mbuf);
}

bool
pmd_lane_prepare(struct stint_worker *w, unsigned int n)
{
	struct pmd_lane *lane = w->state;

	pmd_lane_inspect(lane, lane->left, lane->have - lane->left);
	if (lane->have > n) {
		rte_pktmbuf_free_bulk(&lane->held[n], lane->have - n);
		lane->have = n;
	}
	if (rte_pktmbuf_alloc_bulk(lane->pool, &lane->held[lane->have], n - lane->have) != 0) {
		stint_worker_fail(w, "lcore %u: the pool has no mbufs left", w->lcore);
		return false;
	}
	lane->have = n;
	for (unsigned int i = 0; i < n; i++)
		make_frame(lane, lane->held[i]);
	lane->at = lane->left = 0;
	lane->ready = true;
	return true;
}

void
pmd_lane_begin_rx(struct pmd_lane *lane)
{
	lane->left = lane->have - lane->at;
	lane->counts.full += lane->left;
	lane->counts.refused += lane->at == 0;
	memmove(lane->held, &lane->held[lane->at], lane->left * sizeof(lane->held[0]));
	lane->have = lane->left;
	lane->at = lane->idle = 0;
}

/* ---- before and after a slice -------------------------------------------------------------- */

static enum pmd_path
path_of(const struct pmd_lane *lane)
{
	return lane->ring != NULL ? PMD_PATH_RING : PMD_PATH_PORT;
}

/* Take in what comes until nothing does. */
static void
empty(struct pmd_lane *lane, unsigned int idle_max)
{
	unsigned int taken = 0;

	for (unsigned int idle = 0; idle < idle_max && taken < UINT16_MAX;) {
		unsigned int n = pmd_receive(lane, lane->held, PMD_BURST_MAX, path_of(lane));

		pmd_lane_inspect(lane, 0, n);
		rte_pktmbuf_free_bulk(lane->held, n);
		lane->counts.in += n;
		taken += n;
		idle = n > 0 ? 0 : idle + 1;
	}
}

/* Send all that is held, as far as the queue takes it. */
static void
send_held(struct pmd_lane *lane)
{
	unsigned int n = 1;

	while (lane->at < lane->have && n > 0) {
		n = pmd_transmit(lane, &lane->held[lane->at],
				 RTE_MIN(lane->have - lane->at, (unsigned int)PMD_BURST_MAX),
				 path_of(lane));
		lane->at += n;
	}
	lane->counts.out += lane->at;
}

static bool
is_transmitter(const struct stint_worker *w)
{
	const struct pmd_rig *rig = w->fixture->data;

	return w->index >= rig->n_ports * rig->queues;
}

static void
set_up(struct stint_worker *w)
{
	struct pmd_rig *rig = w->fixture->data;
	unsigned int port = w->index % rig->n_ports;
	unsigned int queue = w->index / rig->n_ports % rig->queues;
	const struct stint_point *pt = w->point;
	struct pmd_lane *lane = w->state;
	bool bare = rig->made.queues > 0 && pt->value[PMD_DIM_PATH] == PMD_PATH_RING;

	lane->rig = rig;
	lane->port = rig->ports[port].id;
	lane->index = port;
	lane->pool = rig->ports[port].pool;
	lane->queue = queue;
	lane->ring = bare ? rig->made.rings[queue] : NULL;
	lane->peer = &rig->turns[port * rig->queues + queue];
	lane->burst = pt->value[PMD_DIM_BURST];
	lane->hold = rig->hold;
	lane->have = lane->at = lane->left = lane->idle = 0;
	lane->ready = false;
	pmd_frame_init(&lane->frame, lane->port, pt->value[PMD_DIM_SIZE], rig->magic, w->index);
}

static int
init_transmitter(struct stint_worker *w)
{
	struct pmd_lane *lane = w->state;

	if (!pmd_lane_prepare(w, lane->hold))
		return 0;
	atomic_store_explicit(&lane->peer->turn, PMD_READY, memory_order_release);
	return 0;
}

int
pmd_lane_init(struct stint_worker *w)
{
	enum pmd_mode mode = w->point->value[PMD_DIM_MODE];
	struct pmd_lane *lane = w->state;

	set_up(w);
	if (is_transmitter(w))
		return init_transmitter(w);
	empty(lane, STALE_POLLS);
	switch (mode) {
	case PMD_RXTX:
		/* two ports may have theirs in one queue; each poll is to find a burst */
		if (pmd_lane_prepare(w, RTE_MAX(lane->hold / 2, (unsigned int)lane->burst)))
			send_held(lane);
		break;
	case PMD_RX:
	case PMD_TX:
		if (pmd_lane_prepare(w, lane->hold) && w->phase == PMD_PHASE_RX) {
			send_held(lane);
			pmd_lane_begin_rx(lane);
		}
		break;
	default:
		/* the other lcore has to transmit first, whichever phase is wanted */
		w->phase = w->next_phase = PMD_PHASE_TX;
	}
	return 0;
}

static void
finish(struct stint_worker *w)
{
	enum pmd_mode mode = w->point->value[PMD_DIM_MODE];
	struct pmd_lane *lane = w->state;

	if (mode != PMD_RXTX || lane->at < lane->have)
		rte_pktmbuf_free_bulk(&lane->held[lane->at], lane->have - lane->at);
	lane->have = lane->at = lane->left = 0;
	/* it may be in the middle of transmitting */
	while (pmd_lane_lcores(mode) > 1 &&
	       atomic_load_explicit(&lane->peer->turn, memory_order_acquire) != PMD_AWAY)
		stint_yield(w);
	empty(lane, lane->rig->loops ? DRAIN_POLLS : 1);
	add_counts(lane);
}

static void
finish_transmitter(struct stint_worker *w)
{
	struct pmd_lane *lane = w->state;

	atomic_store_explicit(&lane->peer->turn, PMD_AWAY, memory_order_release);
	rte_pktmbuf_free_bulk(lane->held, lane->have);
	lane->have = 0;
	add_counts(lane);
}

struct stint_job
pmd_lane_job(const struct stint_point *pt, unsigned int worker, unsigned int n_ports,
	     enum pmd_path path)
{
	enum pmd_mode mode = pt->value[PMD_DIM_MODE];
	unsigned int queues = stint_param_uint(pt, "queues");
	struct stint_job job = { .run = pmd_body(mode, path), .finish = finish };

	if (worker >= n_ports * queues)
		return (struct stint_job){ .run = pmd_transmit_body(path),
					   .finish = finish_transmitter,
					   .metric = -1,
					   .waits = true };
	if (mode == PMD_RXTX)
		return job;
	job.phases = RTE_DIM(pmd_phase_names);
	job.cycle_ops = 2 * PMD_DESCS_MAX;
	job.counted_phases = STINT_PHASE(mode == PMD_TX ? PMD_PHASE_TX : PMD_PHASE_RX);
	job.waits = pmd_lane_lcores(mode) > 1;
	return job;
}
