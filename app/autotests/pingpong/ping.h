/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PINGPONG_PING_H
#define PINGPONG_PING_H

/**
 * @file
 * Both sides of a round trip as one body each. The options are constants: what is off is not there.
 */

#include <string.h>

#include <rte_ethdev.h>
#include <rte_malloc.h>

#include <stint.h>

#include "frame.h"

#define PP_BURST 32
/* The clock and the end of a slice are looked at once in so many polls. */
#define PP_POLLS 1024
#define PP_LOST_IN_A_ROW 10
/* Overdue sends that are made up for before a batch ends. */
#define PP_CATCH_UP 100000
/* Sequences whose replies are told from doubled ones. */
#define PP_SEEN 4096

enum pp_echo { PP_STATIC, PP_REFLECT, PP_COPY, PP_ECHOES };
enum { PP_METRIC_TRIP, PP_METRIC_HALF, PP_METRIC_WALL };

/** Constants of a variant. */
struct pp_options {
	enum pp_echo echo;
	unsigned int tags;
	bool validate, paced, keep;
};

struct pp_counts {
	uint64_t sent, answered, lost, late, duplicate, foreign, corrupt, full, retagged, overdue;
};

/** The side that measures. One lcore at a time. */
struct __rte_cache_aligned pp_ping {
	uint16_t port;
	bool remote; /* pong is in another process */
	struct rte_mempool *pool;
	struct pp_flow flow;      /* of replies */
	struct pp_template frame; /* of requests */
	uint32_t sequence;        /* of the last request */
	unsigned int in_a_row;    /* that were lost */
	uint64_t limit_cycles, interval_cycles, due;
	uint64_t warm_left, left; /* round trips to come */
	uint64_t longest;         /* wait for a reply, counted or not; over those that were lost */
	uint64_t silent_since;    /* while replies are lost */
	uint64_t *samples;        /* of the size; NULL: none are kept */
	uint64_t n_samples;
	struct pp_counts counts;
	uint32_t seen[PP_SEEN]; /* sequences that were answered */
};

/** The side that answers. */
struct __rte_cache_aligned pp_pong {
	uint16_t port;
	struct rte_mempool *pool;
	struct pp_flow flow;      /* of requests */
	struct pp_template frame; /* of static answers */
	/* What is not of the session; NULL: is counted. Not in the way of what is. */
	void (*stranger)(struct pp_pong *q, const struct rte_mbuf *mbuf);
	void *owner;
	struct pp_counts counts;
};

/** What a burst came to. */
enum pp_came { PP_NOTHING, PP_REPLY, PP_CORRUPT };

/** A frame of ours that is not the reply that is waited for: late, doubled, or impossible. */
void pp_ping_judge(struct pp_ping *p, uint32_t sequence) __rte_cold;

/** A frame that is none of the session's. */
void pp_ping_pass(struct pp_ping *p, const struct rte_mbuf *mbuf) __rte_cold;

/** No reply came. True: the run ends, as too many in a row were lost. */
bool pp_ping_lose(struct stint_worker *w, struct pp_ping *p) __rte_cold;

/** The last frame that was made stays here: no reply is to come. */
void pp_ping_unsent(struct pp_ping *p) __rte_cold;

/** A frame that the end of a slice left under way: wait for it, untimed; then it is lost. */
void pp_ping_collect(struct stint_worker *w, struct pp_ping *p);

/** Take in what is there; for between slices. Frames that come in without end do not hold it up. */
void pp_ping_drain(struct pp_ping *p);

/**
 * Take in what a port has before anything was sent. False: there is no end of it, and `error` says
 * so of `what`.
 */
bool pp_falls_silent(uint16_t port, const char *what, char *error, size_t size);

/** A frame that came to pong and is none of the session's. */
void pp_pong_pass(struct pp_pong *q, struct rte_mbuf *mbuf) __rte_cold;

/* ---- ping ---------------------------------------------------------------------------------- */

static __rte_always_inline struct rte_mbuf *
pp_ping_build(struct pp_ping *p, const struct pp_options o)
{
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(p->pool);
	uint8_t *frame;

	if (unlikely(mbuf == NULL))
		return NULL;
	frame = rte_pktmbuf_mtod(mbuf, uint8_t *);
	mbuf->data_len = p->frame.bytes;
	mbuf->pkt_len = p->frame.bytes;
	memcpy(frame, p->frame.frame, p->frame.bytes);
	pp_number(frame, &p->frame, ++p->sequence);
	if (o.validate)
		pp_fill(frame, &p->frame, p->sequence);
	return mbuf;
}

static __rte_always_inline enum pp_came
pp_ping_look(struct pp_ping *p, const struct rte_mbuf *mbuf, const struct pp_options o)
{
	const struct rte_ipv4_hdr *ip =
		pp_ip_of(mbuf, &p->frame.shape, o.tags, &p->counts.retagged);
	uint32_t sequence;

	if (unlikely(ip == NULL || !pp_is_of(ip, &p->flow))) {
		pp_ping_pass(p, mbuf);
		return PP_NOTHING;
	}
	if (unlikely(!pp_sequence_of(ip, mbuf, &p->frame.shape, p->sequence, &sequence))) {
		p->counts.corrupt++;
		return PP_NOTHING;
	}
	if (o.validate && !pp_intact(ip, o.echo == PP_STATIC ? 0 : sequence)) {
		p->counts.corrupt++;
		return sequence == p->sequence ? PP_CORRUPT : PP_NOTHING;
	}
	if (likely(sequence == p->sequence && p->seen[sequence % PP_SEEN] != sequence)) {
		p->seen[sequence % PP_SEEN] = sequence;
		return PP_REPLY;
	}
	pp_ping_judge(p, sequence);
	return PP_NOTHING;
}

static __rte_always_inline enum pp_came
pp_ping_sort(struct pp_ping *p, struct rte_mbuf **mbufs, unsigned int n, const struct pp_options o)
{
	enum pp_came came = PP_NOTHING, one;

	for (unsigned int i = 0; i < n; i++) {
		one = pp_ping_look(p, mbufs[i], o);
		came = one != PP_NOTHING ? one : came;
		rte_pktmbuf_free(mbufs[i]);
	}
	return came;
}

/* The end of the slice, or of a wait that began at `since`. */
static __rte_always_inline bool
pp_ping_given_up(struct stint_worker *w, const struct pp_ping *p, uint64_t *since, bool *stop)
{
	const uint64_t now = rte_rdtsc();

	*stop = stint_stopping(w);
	*since = *since == 0 ? now : *since;
	return *stop || now - *since > p->limit_cycles;
}

/* From just before the call that sends. False: the queue stays full. */
static __rte_always_inline bool
pp_ping_send(struct stint_worker *w, struct pp_ping *p, struct rte_mbuf *mbuf, uint64_t *begin,
	     bool *stop, const struct pp_options o)
{
	uint64_t since = 0;
	unsigned int tries = 0;

	if (o.paced) {
		while (rte_rdtsc() < p->due) {
			if (unlikely((++tries & (PP_POLLS - 1)) == 0 && stint_stopping(w))) {
				*stop = true;
				rte_pktmbuf_free(mbuf);
				pp_ping_unsent(p);
				return false;
			}
		}
	}
	for (tries = 0;;) {
		*begin = stint_stamp_begin();
		if (likely(rte_eth_tx_burst(p->port, 0, &mbuf, 1) == 1))
			break;
		p->counts.full += tries == 0;
		stint_yield(w);
		if ((++tries & (PP_POLLS - 1)) == 0 && pp_ping_given_up(w, p, &since, stop)) {
			rte_pktmbuf_free(mbuf);
			pp_ping_unsent(p);
			return false;
		}
	}
	if (o.paced) {
		*begin = p->due;
		p->due += p->interval_cycles;
	}
	p->counts.sent++;
	return true;
}

/* To just after the burst that has the reply. */
static __rte_always_inline enum pp_came
pp_ping_await(struct stint_worker *w, struct pp_ping *p, uint64_t *end, bool *stop,
	      const struct pp_options o)
{
	struct rte_mbuf *mbufs[PP_BURST];
	enum pp_came came = PP_NOTHING;
	uint64_t since = 0;

	for (unsigned int polls = 1;; polls++) {
		const uint16_t n = rte_eth_rx_burst(p->port, 0, mbufs, PP_BURST);

		if (n > 0) {
			*end = stint_stamp_end();
			came = pp_ping_sort(p, mbufs, n, o);
			if (likely(came != PP_NOTHING))
				return came;
		}
		if (unlikely(w->shares_cpus))
			stint_yield(w);
		if (unlikely((w->shares_cpus || (polls & (PP_POLLS - 1)) == 0) &&
			     pp_ping_given_up(w, p, &since, stop)))
			return PP_NOTHING;
	}
}

static __rte_always_inline void
pp_ping_record(struct stint_worker *w, struct pp_ping *p, uint64_t cycles,
	       const struct pp_options o)
{
	stint_latency(w, PP_METRIC_TRIP, cycles);
	p->longest = RTE_MAX(p->longest, cycles);
	p->in_a_row = 0;
	p->counts.answered++;
	p->left -= w->counting;
	if (o.keep) {
		p->samples[p->n_samples] = cycles;
		p->n_samples += w->counting;
	}
}

/** A pace that cannot be kept: what is overdue is counted, and given up. */
void pp_ping_give_up_overdue(struct pp_ping *p) __rte_cold;

static __rte_always_inline bool
pp_ping_overdue(const struct pp_ping *p)
{
	return rte_rdtsc() > p->due;
}

/** Round trips until there were `ops`, or the slice ended; those of an overdue pace beside. */
static __rte_always_inline uint64_t
pp_ping_trips(struct stint_worker *w, struct pp_ping *p, uint64_t ops, const struct pp_options o)
{
	uint64_t done = 0, begin = 0, end = 0;
	bool stop = false;

	for (; !stop &&
	       (done < ops || (o.paced && w->counting != 0 && p->left > 0 && pp_ping_overdue(p)));
	     done++) {
		struct rte_mbuf *mbuf = pp_ping_build(p, o);
		enum pp_came came = PP_NOTHING;

		/* what is not counted keeps no pace, and makes up for nothing */
		if (o.paced && unlikely(w->counting == 0 || p->due == 0))
			p->due = rte_rdtsc();
		if (o.paced && unlikely(done == ops + PP_CATCH_UP))
			pp_ping_give_up_overdue(p);
		if (unlikely(mbuf == NULL)) {
			stint_worker_fail(w, "lcore %u: the pool has no mbufs left", w->lcore);
			return done;
		}
		if (likely(pp_ping_send(w, p, mbuf, &begin, &stop, o)))
			came = pp_ping_await(w, p, &end, &stop, o);
		if (likely(came == PP_REPLY))
			pp_ping_record(w, p, end - begin, o);
		else if (stop || (came == PP_NOTHING && pp_ping_lose(w, p)))
			return done;
	}
	return done;
}

/* ---- pong ---------------------------------------------------------------------------------- */

static __rte_always_inline struct rte_mbuf *
pp_pong_static(struct pp_pong *q, struct rte_mbuf *request, const struct rte_ipv4_hdr *ip)
{
	const struct pp_ident *ident = (const struct pp_ident *)((const uint8_t *)ip + PP_HEADERS);
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(q->pool);
	uint32_t sequence = rte_be_to_cpu_16(ip->packet_id);

	if (q->frame.shape.payload >= sizeof(*ident))
		sequence = rte_be_to_cpu_32(ident->sequence);
	rte_pktmbuf_free(request);
	if (unlikely(mbuf == NULL))
		return NULL;
	mbuf->data_len = mbuf->pkt_len = q->frame.bytes;
	memcpy(rte_pktmbuf_mtod(mbuf, void *), q->frame.frame, q->frame.bytes);
	pp_number(rte_pktmbuf_mtod(mbuf, uint8_t *), &q->frame, sequence);
	return mbuf;
}

static __rte_always_inline struct rte_mbuf *
pp_pong_copy(struct pp_pong *q, struct rte_mbuf *request)
{
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(q->pool);

	if (likely(mbuf != NULL)) {
		mbuf->data_len = mbuf->pkt_len = request->data_len;
		memcpy(rte_pktmbuf_mtod(mbuf, void *), rte_pktmbuf_mtod(request, void *),
		       request->data_len);
	}
	rte_pktmbuf_free(request);
	return mbuf;
}

/* What goes back for a frame that came in; NULL: nothing. */
static __rte_always_inline struct rte_mbuf *
pp_pong_answer(struct pp_pong *q, struct rte_mbuf *mbuf, const struct pp_options o)
{
	struct rte_ipv4_hdr *ip = pp_ip_of(mbuf, &q->frame.shape, o.tags, &q->counts.retagged);

	if (unlikely(ip == NULL || !pp_is_of(ip, &q->flow) ||
		     ip->total_length != rte_cpu_to_be_16(PP_HEADERS + q->frame.shape.payload))) {
		pp_pong_pass(q, mbuf);
		return NULL;
	}
	if (o.echo == PP_STATIC)
		return pp_pong_static(q, mbuf, ip);
	if (o.tags > 0 && unlikely((mbuf->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0) &&
	    !pp_retag(mbuf, o.tags)) {
		rte_pktmbuf_free(mbuf);
		return NULL;
	}
	pp_turn(rte_pktmbuf_mtod(mbuf, struct rte_ether_hdr *), ip);
	return o.echo == PP_COPY ? pp_pong_copy(q, mbuf) : mbuf;
}

/** One poll. Frames that were answered. */
static __rte_always_inline uint64_t
pp_pong_poll(struct pp_pong *q, const struct pp_options o)
{
	struct rte_mbuf *mbufs[PP_BURST], *answer;
	const uint16_t n = rte_eth_rx_burst(q->port, 0, mbufs, PP_BURST);
	uint64_t answered = 0;

	for (uint16_t i = 0; i < n; i++) {
		answer = pp_pong_answer(q, mbufs[i], o);
		if (unlikely(answer == NULL))
			continue;
		if (unlikely(rte_eth_tx_burst(q->port, 0, &answer, 1) == 0)) {
			q->counts.full++;
			rte_pktmbuf_free(answer);
			continue;
		}
		answered++;
	}
	q->counts.answered += answered;
	return answered;
}

/* ---- variants ------------------------------------------------------------------------------ */

/** As of the jobs; `fixture->data` of the worker is a struct pp_rig. */
typedef uint64_t (*pp_ping_fn)(struct stint_worker *w, struct pp_ping *p, uint64_t ops);
typedef uint64_t (*pp_pong_fn)(struct pp_pong *q);

pp_ping_fn pp_ping_variant(const struct pp_options *o);
pp_pong_fn pp_pong_variant(const struct pp_options *o);

#endif /* PINGPONG_PING_H */
