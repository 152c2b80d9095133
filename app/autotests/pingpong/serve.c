/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "serve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_malloc.h>

#include "control.h"
#include "rig.h"

/* A ping that is silent for so long may have gone; after this part of its patience it has. */
#define SILENT_MS 200
#define GONE_PART 4

enum state { WAITING, SERVING, DONE };

struct server {
	struct stint_fast *t;
	struct pmd_port port;
	struct pp_pong *pong;
	pp_pong_fn answer;
	enum state state;
	uint32_t session;
	struct pp_shape shape;
	struct rte_ether_addr ping;
	uint64_t last, patience_cycles; /* when something of ping's came, TSC; how long to wait */
	unsigned int patience_ms;
	unsigned int gone; /* pings that were taken over from */
};

/* ---- what ping says ------------------------------------------------------------------------ */

static void
reply(const struct server *s, const struct rte_ether_addr *to, const struct pp_control *asked,
      enum pp_said said, const char *reason)
{
	struct pp_control c = { .version = RTE_BE16(PP_VERSION),
				.said = said,
				.session = asked->session,
				.number = asked->number };

	snprintf(c.reason, sizeof(c.reason), "%s", reason);
	pp_control_send(s->port.id, s->port.pool, PP_PONG, to, &c);
}

static void
be_patient(struct server *s, unsigned int ms)
{
	s->patience_ms = ms;
	s->patience_cycles = rte_get_tsc_hz() / 1000 * ms;
}

/* Why a request cannot be met; an empty text: it can. */
static void
find_objection(const struct server *s, const struct pp_control *c, char *text, size_t size)
{
	const unsigned int largest = rte_be_to_cpu_16(c->largest);
	uint16_t mtu = RTE_ETHER_MTU;

	text[0] = '\0';
	rte_eth_dev_get_mtu(s->port.id, &mtu);
	if (c->version != RTE_BE16(PP_VERSION))
		snprintf(text, size, "version %u here, %u there", PP_VERSION,
			 rte_be_to_cpu_16(c->version));
	else if (c->echo >= PP_ECHOES || c->tags > PP_TAGS_MAX)
		snprintf(text, size, "echo %u with %u tags is not known", c->echo, c->tags);
	else if (largest + PP_HEADERS > mtu || largest > PP_SIZE_MAX)
		snprintf(text, size, "payloads of %u bytes; the MTU here is %u", largest, mtu);
}

static void
take_hello(struct server *s, const struct pp_control *c)
{
	const struct pp_options o = { .echo = c->echo, .tags = c->tags };
	char objection[96];

	find_objection(s, c, objection, sizeof(objection));
	if (objection[0] != '\0') {
		reply(s, &s->ping, c, PP_NAK, objection);
		stint_fast_fail(s->t, "%s: ping was refused: %s", s->port.what, objection);
		s->state = DONE;
		return;
	}
	s->session = rte_be_to_cpu_32(c->session);
	s->answer = pp_pong_variant(&o);
	s->shape = (struct pp_shape){ .tags = c->tags, .session = s->session };
	for (unsigned int i = 0; i < PP_TAGS_MAX; i++)
		s->shape.tci[i] = rte_be_to_cpu_16(c->tci[i]);
	be_patient(s, rte_be_to_cpu_32(c->idle_ms));
	s->state = SERVING;
	reply(s, &s->ping, c, PP_ACK, "");
}

static void
take_start(struct server *s, const struct pp_control *c)
{
	struct rte_ether_addr own;

	s->shape.payload = RTE_MIN(rte_be_to_cpu_16(c->size), (uint16_t)PP_SIZE_MAX);
	rte_eth_macaddr_get(s->port.id, &own);
	pp_template_init(&s->pong->frame, &s->shape, PP_PONG, &own, &s->ping);
	s->pong->flow = pp_flow_of(s->session, PP_PING);
	reply(s, &s->ping, c, PP_ACK, "");
}

/* Another ping asks. True: it is the one from now on, as the last one has gone. */
static bool
take_over(struct server *s, const struct pp_control *c, const struct rte_ether_addr *sender)
{
	const uint64_t silent = rte_rdtsc() - s->last;

	if (c->said != PP_HELLO)
		return false;
	if (silent < rte_get_tsc_hz() / MS_PER_S * SILENT_MS)
		reply(s, sender, c, PP_NAK, "it serves another ping");
	/* until then it is not answered, and asks again */
	if (silent < s->patience_cycles / GONE_PART)
		return false;
	s->gone++;
	return true;
}

static void
take_request(struct server *s, const struct pp_control *c, const struct rte_ether_addr *sender)
{
	if (s->state == SERVING && c->session != rte_cpu_to_be_32(s->session) &&
	    !take_over(s, c, sender))
		return;
	s->ping = *sender;
	s->last = rte_rdtsc();
	if (c->said == PP_HELLO) {
		take_hello(s, c);
	} else if (s->state != SERVING) {
		return;
	} else if (c->said == PP_START) {
		take_start(s, c);
	} else {
		if (c->said == PP_BYE)
			s->state = DONE;
		reply(s, &s->ping, c, PP_ACK, "");
	}
}

/* A frame that is no request to be answered. */
static void
take_stranger(struct pp_pong *pong, const struct rte_mbuf *mbuf)
{
	struct server *s = pong->owner;
	struct rte_ether_addr sender;
	struct pp_control c;

	if (!pp_control_read(mbuf, PP_PING, &c, &sender)) {
		pong->counts.foreign++;
		return;
	}
	take_request(s, &c, &sender);
}

/* ---- the whole of it ----------------------------------------------------------------------- */

static void
serve(struct server *s)
{
	const struct pp_options none = { .echo = PP_REFLECT };
	uint64_t answered;

	s->answer = pp_pong_variant(&none);
	s->last = rte_rdtsc();
	for (unsigned int polls = 1; s->state != DONE; polls++) {
		answered = s->answer(s->pong);
		if (likely(answered == 0 && polls % PP_POLLS != 0))
			continue;
		if (answered > 0)
			s->last = rte_rdtsc();
		else if (stint_fast_stopping(s->t) || rte_rdtsc() - s->last > s->patience_cycles)
			return;
	}
}

static int
judge(struct server *s)
{
	const struct pp_counts *counts = &s->pong->counts;

	if (s->t->message[0] != '\0')
		return -1;
	if (s->state != DONE && stint_fast_stopping(s->t))
		return stint_fast_fail(s->t,
				       "%s: ended after %" PRIu64 " frames, without a BYE of ping",
				       s->port.what, counts->answered);
	if (s->state == WAITING)
		return stint_fast_fail(s->t,
				       "%s: no ping said HELLO within %u ms: role=ping at the "
				       "other end",
				       s->port.what, s->patience_ms);
	if (s->state == SERVING)
		return stint_fast_fail(s->t,
				       "%s: ping has gone without a BYE: nothing came for %u ms, "
				       "after %" PRIu64 " frames",
				       s->port.what, s->patience_ms, counts->answered);
	stint_fast_note(s->t,
			"%" PRIu64 " frames answered, %" PRIu64 " foreign, %" PRIu64
			" refused by a full queue%s",
			counts->answered, counts->foreign, counts->full,
			s->gone > 0 ? "; a ping had gone without a BYE" : "");
	return 0;
}

static int
open_port(struct server *s, const struct pp_conf *conf)
{
	struct pmd_port_conf port = pp_rig_port_conf(conf);
	char error[224];
	int rc;

	port.id = conf->ports[0];
	port.socket = SOCKET_ID_ANY;
	port.name = "stint_pong";
	rc = pmd_port_open(&s->port, &port, pp_conf_link_ms(conf), error, sizeof(error));
	if (rc == -ENOLINK)
		return stint_fast_skip(s->t, "%s", error);
	if (rc == -ENOMEM)
		return stint_fast_skip(s->t, "no memory for the mbufs of port %u", port.id);
	return rc == 0 ? 0 : stint_fast_fail(s->t, "%s", error);
}

int
pp_serve(struct stint_fast *t)
{
	const struct pp_conf conf = pp_conf_of(t->point);
	struct server s = { .t = t };
	int rc = open_port(&s, &conf);
	char error[256];

	if (rc != 0)
		return rc;
	if (!pp_falls_silent(s.port.id, s.port.what, error, sizeof(error))) {
		pmd_port_close(&s.port);
		return stint_fast_fail(t, "%s", error);
	}
	be_patient(&s, pp_conf_patience_ms(&conf));
	s.pong = rte_zmalloc(NULL, sizeof(*s.pong), RTE_CACHE_LINE_SIZE);
	if (s.pong == NULL) {
		pmd_port_close(&s.port);
		return stint_fast_skip(t, "no memory for the pong");
	}
	s.pong->port = s.port.id;
	s.pong->pool = s.port.pool;
	s.pong->owner = &s;
	s.pong->stranger = take_stranger;
	serve(&s);
	rc = judge(&s);
	pmd_port_close(&s.port);
	rte_free(s.pong);
	return rc;
}
