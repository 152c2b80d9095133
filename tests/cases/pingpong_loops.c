/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/*
 * The plain variant of a round trip beside what it should come to: `table` and `own` do the same
 * number of trips by the body that is chosen and by one whose options are constants 0 here, for
 * callgrind to count; `ratio` times both, and a loop without anything else, on two lcores by turns,
 * and prints the medians in cycles, and how they compare. Usage: EAL options -- MODE
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <pingpong/rig.h>
#include <pingpong/wire.h>
#include <stint_stats.h>

#define TRIPS 2000
#define ROUNDS 42

static const uint64_t sizes[] = { 64 };
static struct stint_recorder recorder;
static struct stint_worker worker;
static _Atomic bool stop;

static uint64_t
own_ping(struct stint_worker *w, struct pp_ping *p, uint64_t ops)
{
	return pp_ping_trips(w, p, ops, (struct pp_options){ .echo = PP_REFLECT });
}

static uint64_t
own_pong(struct pp_pong *q)
{
	return pp_pong_poll(q, (struct pp_options){ .echo = PP_REFLECT });
}

/* Callgrind collects inside of this one. */
uint64_t counted(struct pp_rig *rig);

__rte_noinline uint64_t
counted(struct pp_rig *rig)
{
	return rig->ping_fn(&worker, rig->ping, TRIPS);
}

static int
count(struct pp_rig *rig, bool own)
{
	struct pp_wire wire;
	uint64_t done;

	if (own) {
		rig->ping_fn = own_ping;
		rig->pong_fn = own_pong;
	}
	pp_wire_lay(&wire, rig, PP_WIRE_GOOD, 0);
	/* what is bound and cached at first is not of the body */
	rig->ping_fn(&worker, rig->ping, TRIPS);
	done = counted(rig);
	pp_wire_cut(&wire);
	printf("%" PRIu64 " trips\n", done);
	return done == TRIPS ? 0 : 1;
}

/* ---- two lcores ---------------------------------------------------------------------------- */

struct side {
	const char *name;
	lcore_function_t *answer;
	void (*ask)(const struct pp_rig *rig);
	double medians[ROUNDS];
};

static int
answer(void *arg)
{
	struct pp_rig *rig = arg;

	while (!atomic_load_explicit(&stop, memory_order_relaxed))
		rig->pong_fn(rig->pong);
	return 0;
}

static void
ask(const struct pp_rig *rig)
{
	rig->ping_fn(&worker, rig->ping, TRIPS);
}

static int
answer_own(void *arg)
{
	struct pp_rig *rig = arg;

	while (!atomic_load_explicit(&stop, memory_order_relaxed))
		own_pong(rig->pong);
	return 0;
}

static void
ask_own(const struct pp_rig *rig)
{
	own_ping(&worker, rig->ping, TRIPS);
}

/* What comes goes back to where it came from: less is no answer. */
static int
answer_barely(void *arg)
{
	const struct pp_rig *rig = arg;
	const uint16_t port = rig->pong->port;
	struct rte_mbuf *mbufs[PP_BURST];

	while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
		const uint16_t n = rte_eth_rx_burst(port, 0, mbufs, PP_BURST);

		for (uint16_t i = 0; i < n; i++) {
			struct rte_ether_hdr *ether =
				rte_pktmbuf_mtod(mbufs[i], struct rte_ether_hdr *);
			const struct rte_ether_addr src = ether->src_addr;

			ether->src_addr = ether->dst_addr;
			ether->dst_addr = src;
		}
		if (n > 0)
			rte_eth_tx_burst(port, 0, mbufs, n);
	}
	return 0;
}

static void
ask_barely(const struct pp_rig *rig)
{
	const uint16_t port = rig->ping->port;
	struct rte_mbuf *mbufs[PP_BURST];

	for (unsigned int i = 0; i < TRIPS; i++) {
		struct rte_mbuf *mbuf = rte_pktmbuf_alloc(rig->ping->pool);
		uint64_t begin;

		mbuf->data_len = mbuf->pkt_len = rig->ping->frame.bytes;
		memcpy(rte_pktmbuf_mtod(mbuf, void *), rig->ping->frame.frame, mbuf->data_len);
		begin = stint_stamp_begin();
		rte_eth_tx_burst(port, 0, &mbuf, 1);
		while (rte_eth_rx_burst(port, 0, mbufs, PP_BURST) == 0)
			;
		stint_recorder_add(&recorder, stint_stamp_end() - begin, 1);
		rte_pktmbuf_free(mbufs[0]);
	}
}

static double
median(void)
{
	uint64_t left = TRIPS / 2, at = 0;

	for (uint32_t b = 0; b < STINT_HISTOGRAM_BUCKETS && at == 0; b++) {
		if (recorder.counts[b] >= left)
			at = stint_histogram_low(b);
		else
			left -= recorder.counts[b];
	}
	memset(&recorder, 0, sizeof(recorder));
	stint_recorder_init(&recorder);
	return at;
}

static void
take_turn(struct pp_rig *rig, struct side *side, unsigned int round)
{
	const unsigned int other = rte_get_next_lcore(-1, 1, 0);

	atomic_store_explicit(&stop, false, memory_order_relaxed);
	rte_eal_remote_launch(side->answer, rig, other);
	side->ask(rig);
	atomic_store_explicit(&stop, true, memory_order_relaxed);
	rte_eal_wait_lcore(other);
	side->medians[round] = median();
	printf("%s %.0f\n", side->name, side->medians[round]);
}

/* Of neighbours in time: what both met with is no part of it. */
static void
print_ratio(const struct side *a, const struct side *b)
{
	double ratios[ROUNDS];

	for (unsigned int i = 0; i < ROUNDS; i++)
		ratios[i] = a->medians[i] / b->medians[i];
	stint_sort(ratios, ROUNDS);
	printf("%s / %s: %.3f, quartiles %.3f to %.3f\n", a->name, b->name,
	       stint_median(ratios, ROUNDS), stint_quantile(ratios, ROUNDS, 1, 4),
	       stint_quantile(ratios, ROUNDS, 3, 4));
}

static int
compare(struct pp_rig *rig)
{
	struct side sides[] = { { .name = "ours", .answer = answer, .ask = ask },
				{ .name = "own", .answer = answer_own, .ask = ask_own },
				{ .name = "bare", .answer = answer_barely, .ask = ask_barely } };

	/* each of them begins as often */
	for (unsigned int i = 0; i < ROUNDS * RTE_DIM(sides); i++)
		take_turn(rig, &sides[(i / RTE_DIM(sides) + i) % RTE_DIM(sides)],
			  i / RTE_DIM(sides));
	print_ratio(&sides[0], &sides[1]);
	print_ratio(&sides[0], &sides[2]);
	return 0;
}

int
main(int argc, char **argv)
{
	const struct pp_conf conf = { .who = PP_WHO_BOTH,
				      .options = { .echo = PP_REFLECT },
				      .sizes = sizes,
				      .n_sizes = RTE_DIM(sizes),
				      .count = UINT64_MAX,
				      .timeout_ns = UINT64_C(10000000) };
	struct stint_fixture fx = { .name = "loops", .socket = SOCKET_ID_ANY };
	int n = rte_eal_init(argc, argv), rc = 99;
	struct pp_rig *rig;

	if (n < 0 || argc - n < 2 || pp_rig_open(&rig, &conf, &fx) != 0)
		return rc;
	stint_recorder_init(&recorder);
	worker = (struct stint_worker){ .counting = 1, .recorders = { &recorder } };
	pp_rig_aim_ping(rig, 0);
	pp_rig_aim_pong(rig, 0);
	if (strcmp(argv[n + 1], "ratio") == 0)
		rc = compare(rig);
	else
		rc = count(rig, strcmp(argv[n + 1], "own") == 0);
	pp_rig_close(rig, &fx);
	free(fx.kept);
	rte_eal_cleanup();
	return rc;
}
