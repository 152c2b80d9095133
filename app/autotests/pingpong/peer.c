/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "peer.h"

#include <stdio.h>
#include <string.h>

#include <rte_cycles.h>

#include "control.h"

#define REPEAT_MS 20
#define BYE_MS 500

static const struct rte_ether_addr everybody = { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } };

static struct pp_control
request(struct pp_rig *rig, enum pp_said said, unsigned int size_index)
{
	const struct pp_conf *conf = &rig->conf;
	uint64_t largest = 0;

	for (unsigned int i = 0; i < conf->n_sizes; i++)
		largest = RTE_MAX(largest, conf->sizes[i]);
	return (struct pp_control){
		.version = RTE_BE16(PP_VERSION),
		.said = said,
		.echo = conf->options.echo,
		.tags = conf->shape.tags,
		.validate = conf->options.validate,
		.tci = { rte_cpu_to_be_16(conf->shape.tci[0]),
			 rte_cpu_to_be_16(conf->shape.tci[1]) },
		.n_sizes = rte_cpu_to_be_16(conf->n_sizes),
		.largest = rte_cpu_to_be_16(largest),
		.size = rte_cpu_to_be_16(conf->sizes[size_index]),
		.session = rte_cpu_to_be_32(rig->session),
		.number = rte_cpu_to_be_32(++rig->asked),
		.count = rte_cpu_to_be_32(conf->count),
		.warmup = rte_cpu_to_be_32(conf->warmup),
		.idle_ms = rte_cpu_to_be_32(pp_conf_patience_ms(conf)),
	};
}

/* The answer to a request, if it is among what is there. Late replies of frames go by. */
static bool
find_answer(struct pp_rig *rig, const struct pp_control *asked, struct pp_control *answer)
{
	struct rte_mbuf *mbufs[PP_BURST];
	uint16_t n = rte_eth_rx_burst(rig->ping->port, 0, mbufs, PP_BURST);
	struct rte_ether_addr sender;
	struct pp_control c;
	bool found = false;

	for (uint16_t i = 0; i < n; i++) {
		if (pp_control_read(mbufs[i], PP_PONG, &c, &sender) &&
		    c.session == asked->session && c.number == asked->number) {
			*answer = c;
			rig->peer = sender;
			found = true;
		}
	}
	rte_pktmbuf_free_bulk(mbufs, n);
	return found;
}

/* Ask until there is an answer. False: there is none. */
static bool
ask(struct pp_rig *rig, const struct pp_control *c, unsigned int ms, const struct stint_worker *w,
    struct pp_control *answer)
{
	const uint64_t ms_cycles = rte_get_tsc_hz() / 1000, begin = rte_rdtsc();
	const struct rte_ether_addr *to = c->said == PP_HELLO ? &everybody : &rig->peer;
	uint64_t next = begin, now = begin;

	while (now - begin < ms * ms_cycles && (w == NULL || !stint_stopping(w))) {
		if (now >= next) {
			pp_control_send(rig->ping->port, rig->ping->pool, PP_PING, to, c);
			next = now + REPEAT_MS * ms_cycles;
		}
		if (find_answer(rig, c, answer))
			return true;
		now = rte_rdtsc();
	}
	return false;
}

int
pp_peer_hello(struct pp_rig *rig, char *error, size_t size)
{
	const unsigned int ms = pp_conf_patience_ms(&rig->conf);
	const struct pp_control c = request(rig, PP_HELLO, 0);
	struct pp_control answer;

	if (!ask(rig, &c, ms, NULL, &answer)) {
		snprintf(error, size,
			 "%s: no pong answers within %u ms: role=pong at the other end",
			 rig->ports[0].what, ms);
		return -1;
	}
	if (answer.version != RTE_BE16(PP_VERSION))
		snprintf(error, size, "%s: the pong has version %u, this is version %u",
			 rig->ports[0].what, rte_be_to_cpu_16(answer.version), PP_VERSION);
	else if (answer.said != PP_ACK)
		snprintf(error, size, "%s: the pong refuses: %s", rig->ports[0].what,
			 answer.reason);
	else
		return 0;
	return -1;
}

int
pp_peer_start(struct pp_rig *rig, unsigned int size_index, const struct stint_worker *w,
	      char *error, size_t size)
{
	const struct pp_control c = request(rig, PP_START, size_index);
	const unsigned int ms = pp_conf_patience_ms(&rig->conf);
	struct pp_control answer;

	if (ask(rig, &c, ms, w, &answer) && answer.said == PP_ACK) {
		rig->started = 1 + size_index;
		return 0;
	}
	snprintf(error, size, "%s: the pong has gone: no answer within %u ms", rig->ports[0].what,
		 ms);
	return -1;
}

enum pp_bye
pp_peer_bye(struct pp_rig *rig)
{
	const struct pp_control end = request(rig, PP_END, rig->size);
	const struct pp_control bye = request(rig, PP_BYE, rig->size);
	struct pp_control answer;

	/* one that does not answer is not asked again */
	if (!ask(rig, &end, BYE_MS, NULL, &answer))
		return PP_BYE_ALONE;
	return ask(rig, &bye, BYE_MS, NULL, &answer) ? PP_BYE_ANSWERED : PP_BYE_LOST;
}
