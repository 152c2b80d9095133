/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "pmd_loop.h"

#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#define BURST 32
#define FRAMES (2 * BURST)
/* Some take no frames before their peer polls. */
#define REFUSED_MS 500
/* So long without a frame of ours, none is to come; a driver that invents them does not pause. */
#define WAIT_MS 100
#define INVENTED_MAX 4096
/* Some are not refused but tried for ever by a kernel: times as long, and ns of a frame. */
#define HOPELESS_TIMES 100
#define HOPELESS_NS 30000
/* Where a packet takes a system call, a pass of a whole queue would outlive a slice. */
#define PASS_US 100

static const unsigned int sizes[] = { PMD_SIZES };

static_assert(RTE_DIM(sizes) == PMD_N_SIZES, "there is an entry for each size");

/* Frames of one size, sent at all ports. */
struct trial {
	struct pmd_rig *rig;
	unsigned int size, frames;
	bool awaited[RTE_MAX_ETHPORTS]; /* frames of these ports may come in */
	struct pmd_echo echoes[RTE_MAX_ETHPORTS];
	uint32_t numbers[RTE_MAX_ETHPORTS];         /* of the last frame, over all trials */
	uint64_t smallest_cycles[RTE_MAX_ETHPORTS]; /* that a burst of the smallest took */
	struct pmd_seen seen;
	unsigned int strange; /* frames that are not the first of ours */
	uint64_t last_ours;   /* TSC */
};

static void
send_frames(struct trial *t, unsigned int port)
{
	const struct pmd_port *p = &t->rig->ports[port];
	struct pmd_echo *echo = &t->echoes[port];
	struct pmd_frame frame = { .number = t->numbers[port] };
	struct rte_mbuf *mbufs[BURST];
	unsigned int n = BURST;

	pmd_frame_init(&frame, p->id, t->size, t->rig->magic, port);
	while (echo->sent < t->frames && n == BURST &&
	       rte_pktmbuf_alloc_bulk(p->pool, mbufs, BURST) == 0) {
		uint64_t begin;

		for (unsigned int i = 0; i < BURST; i++)
			pmd_frame_put(&frame, mbufs[i]);
		begin = rte_rdtsc();
		n = rte_eth_tx_burst(p->id, 0, mbufs, BURST);
		echo->burst_cycles = RTE_MIN(echo->burst_cycles, rte_rdtsc() - begin);
		rte_pktmbuf_free_bulk(&mbufs[n], BURST - n);
		echo->sent += n;
		t->rig->counts.out += n;
	}
	t->numbers[port] = frame.number;
}

/* Buffers that are free again hold no frame that could be taken for one that came in. */
static void
scrub(struct rte_mempool *pool)
{
	struct rte_mbuf **mbufs = calloc(pool->size, sizeof(*mbufs));
	unsigned int n = 0;

	while (mbufs != NULL && n < pool->size && (mbufs[n] = rte_pktmbuf_alloc(pool)) != NULL) {
		memset(rte_pktmbuf_mtod(mbufs[n], void *), 0, sizeof(struct pmd_frame));
		n++;
	}
	if (n > 0)
		rte_pktmbuf_free_bulk(mbufs, n);
	free(mbufs);
}

static void
look_at(struct trial *t, unsigned int port, const struct rte_mbuf *mbuf)
{
	const struct pmd_frame *frame = rte_pktmbuf_mtod(mbuf, const struct pmd_frame *);
	enum pmd_origin origin = pmd_frame_origin(mbuf, t->rig->magic, &t->seen);

	t->rig->counts.foreign += origin == PMD_FOREIGN;
	t->rig->counts.duplicate += origin == PMD_DUPLICATE;
	t->rig->counts.in++;
	if (origin != PMD_OURS || frame->source >= t->rig->n_ports) {
		t->strange++;
		t->echoes[port].strange++;
		return;
	}
	t->last_ours = rte_rdtsc();
	t->echoes[port].came++;
	t->echoes[frame->source].back++;
	t->echoes[frame->source].at = port;
}

static void
receive(struct trial *t, unsigned int port, uint16_t queue)
{
	struct rte_mbuf *mbufs[BURST];
	uint16_t n = rte_eth_rx_burst(t->rig->ports[port].id, queue, mbufs, BURST);

	for (uint16_t i = 0; i < n; i++)
		look_at(t, port, mbufs[i]);
	rte_pktmbuf_free_bulk(mbufs, n);
}

static bool
all_back(const struct trial *t)
{
	for (unsigned int i = 0; i < t->rig->n_ports; i++) {
		if (t->awaited[i] && t->echoes[i].back < t->echoes[i].sent)
			return false;
	}
	return true;
}

static void
receive_all(struct trial *t)
{
	for (unsigned int i = 0; i < t->rig->n_ports; i++) {
		for (uint16_t q = 0; q < t->rig->queues; q++)
			receive(t, i, q);
	}
}

static void
await_echoes(struct trial *t)
{
	const uint64_t wait = rte_get_tsc_hz() / MS_PER_S * WAIT_MS;

	t->last_ours = rte_rdtsc();
	do {
		receive_all(t);
	} while (!all_back(t) && t->strange < INVENTED_MAX && rte_rdtsc() - t->last_ours < wait);
}

static void
attempt(struct trial *t)
{
	for (unsigned int i = 0; i < t->rig->n_ports; i++)
		send_frames(t, i);
	for (unsigned int i = 0; i < t->rig->n_ports; i++)
		scrub(t->rig->ports[i].pool);
	await_echoes(t);
}

static void
begin(struct trial *t, unsigned int size, unsigned int frames)
{
	t->size = size;
	t->frames = frames;
	t->strange = 0;
	for (unsigned int i = 0; i < t->rig->n_ports; i++)
		t->echoes[i] = (struct pmd_echo){ .at = -1, .burst_cycles = UINT64_MAX };
}

/* A port that refused the smallest ones is not waited for again. */
static bool
all_sent(const struct trial *t)
{
	for (unsigned int i = 0; i < t->rig->n_ports; i++) {
		if (t->awaited[i] && t->echoes[i].sent < t->frames)
			return false;
	}
	return true;
}

static uint64_t
errors_of(const struct pmd_port *port)
{
	struct rte_eth_stats stats;

	return rte_eth_stats_get(port->id, &stats) == 0 ? stats.oerrors : 0;
}

/* Fewer of ours than that are strays; where they are invented, there are always enough. */
static bool
hears(const struct trial *t, unsigned int port)
{
	const struct pmd_echo *echo = &t->echoes[port];

	return echo->came >= FRAMES / 2 || echo->strange * t->rig->n_ports >= INVENTED_MAX;
}

static bool
is_hopeless(const struct trial *t, unsigned int port)
{
	const uint64_t cycles = t->echoes[port].burst_cycles;

	return t->size != PMD_FRAME_MIN && cycles > HOPELESS_TIMES * t->smallest_cycles[port] &&
	       cycles > BURST * (rte_get_tsc_hz() / 1e9 * HOPELESS_NS);
}

/* `errors`: of a port before the trial. */
static unsigned int
lacks_of(const struct trial *t, unsigned int port, uint64_t errors)
{
	const struct pmd_echo *echo = &t->echoes[port];
	unsigned int lacks = 0;

	if (echo->sent == 0 || t->rig->lacks[port][0] & PMD_REFUSES)
		return PMD_REFUSES;
	if (errors_of(&t->rig->ports[port]) - errors >= echo->sent || is_hopeless(t, port) ||
	    (t->size != PMD_FRAME_MIN && t->awaited[port] && echo->back == 0))
		lacks |= PMD_DROPS;
	if (t->size == PMD_FRAME_MIN ? !hears(t, port) : t->rig->lacks[port][0] & PMD_IS_DEAF)
		lacks |= PMD_IS_DEAF;
	return lacks;
}

static void
try_size(struct trial *t, unsigned int size)
{
	const uint64_t until = pmd_in_ms(REFUSED_MS);
	struct pmd_rig *rig = t->rig;
	uint64_t errors[RTE_MAX_ETHPORTS];

	begin(t, sizes[size], FRAMES);
	for (unsigned int i = 0; i < rig->n_ports; i++)
		errors[i] = errors_of(&rig->ports[i]);
	do {
		attempt(t);
	} while (!all_sent(t) && rte_rdtsc() < until);
	for (unsigned int i = 0; i < rig->n_ports; i++) {
		rig->lacks[i][size] = lacks_of(t, i, errors[i]);
		rig->counts.refused += t->echoes[i].sent == 0;
	}
}

/* By descriptors. */
static unsigned int
hold_in_queues(const struct pmd_rig *rig)
{
	unsigned int hold = PMD_DESCS_MAX;

	for (unsigned int i = 0; i < rig->n_ports; i++)
		hold = RTE_MIN(hold,
			       pmd_hold(RTE_MIN(rig->ports[i].rx_descs, rig->ports[i].tx_descs)));
	return hold;
}

/* By the time of a burst. */
static unsigned int
hold_in_time(const struct trial *t, unsigned int hold)
{
	const uint64_t pass = rte_get_tsc_hz() / US_PER_S * PASS_US;

	for (unsigned int i = 0; i < t->rig->n_ports; i++) {
		while (hold > PMD_BURST_MAX && t->echoes[i].burst_cycles > pass / (hold / BURST))
			hold -= PMD_BURST_MAX;
	}
	return hold;
}

/* A queue that was full is not any more after a while; no link, or no peer, may be what it waits
 * for. */
static void
try_again(struct trial *t)
{
	const uint64_t until = pmd_in_ms(WAIT_MS);
	unsigned int took[RTE_MAX_ETHPORTS];
	struct pmd_rig *rig = t->rig;

	while (rte_rdtsc() < until)
		receive_all(t);
	for (unsigned int i = 0; i < rig->n_ports; i++)
		took[i] = RTE_MAX(RTE_MIN(t->echoes[i].sent, (unsigned int)BURST), 1u);
	begin(t, PMD_FRAME_MIN, BURST);
	attempt(t);
	for (unsigned int i = 0; i < rig->n_ports; i++) {
		if (t->echoes[i].sent < took[i])
			rig->lacks[i][0] |= PMD_REFUSES;
	}
}

/* A queue may take less than it has descriptors. */
static unsigned int
hold_at_once(struct trial *t)
{
	unsigned int hold = hold_in_queues(t->rig);
	bool full = false;

	begin(t, PMD_FRAME_MIN, hold);
	attempt(t);
	hold = hold_in_time(t, hold);
	for (unsigned int i = 0; i < t->rig->n_ports; i++) {
		unsigned int sent = t->echoes[i].sent;

		full |= sent < t->frames;
		if (sent > 0 && sent < t->frames)
			hold = RTE_MIN(hold, pmd_hold(sent + 1));
	}
	if (full)
		try_again(t);
	return hold;
}

void
pmd_rig_try(struct pmd_rig *rig, struct pmd_echo *echoes)
{
	struct trial *t = calloc(1, sizeof(*t));

	memset(echoes, 0, rig->n_ports * sizeof(*echoes));
	if (t == NULL)
		return;
	t->rig = rig;
	memset(t->awaited, true, sizeof(t->awaited));
	try_size(t, 0);
	memcpy(echoes, t->echoes, rig->n_ports * sizeof(*echoes));
	rig->loops = true;
	for (unsigned int i = 0; i < rig->n_ports; i++) {
		t->awaited[i] = echoes[i].back > 0;
		t->smallest_cycles[i] = echoes[i].burst_cycles;
		rig->loops &= echoes[i].came >= FRAMES / 2;
	}
	rig->hold = hold_at_once(t);
	for (unsigned int i = 1; i < PMD_N_SIZES; i++)
		try_size(t, i);
	free(t);
}

unsigned int
pmd_rig_lacks(const struct pmd_rig *rig, unsigned int port, unsigned int size)
{
	for (unsigned int i = 0; i < PMD_N_SIZES; i++) {
		if (sizes[i] == size)
			return rig->lacks[port][i];
	}
	return 0;
}

void
pmd_echo_text(const struct pmd_rig *rig, unsigned int port, const struct pmd_echo *echo, char *text,
	      size_t size)
{
	char where[32] = "";

	if (echo->at >= 0 && echo->at != (int)port)
		snprintf(where, sizeof(where), " at port %u", rig->ports[echo->at].id);
	if (echo->sent == 0)
		snprintf(text, size, "no frame is accepted");
	else if (echo->back == 0)
		snprintf(text, size, "no frame comes back");
	else
		snprintf(text, size, "%u of %u frames come back%s", echo->back, echo->sent, where);
}
