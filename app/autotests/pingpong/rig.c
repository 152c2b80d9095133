/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_random.h>

#include "peer.h"
#include "samples.h"

/* The first frames after a link came up may be lost. */
#define TRIES_MS 1000u
#define TRY_MS 100
#define SAMPLES_BYTES(conf) ((conf)->count * sizeof(uint64_t))

struct pmd_port_conf
pp_rig_port_conf(const struct pp_conf *conf)
{
	return (struct pmd_port_conf){ .queues = 1,
				       .descs = PP_DESCS,
				       .spare = 4 * PP_BURST,
				       .straight = !pp_conf_loops(conf) };
}

static unsigned int
ports_of(const struct pp_conf *conf)
{
	return conf->n_ports > 0 ? conf->n_ports : 2;
}

void
pp_rig_need(const struct pp_conf *conf, struct stint_need *need)
{
	struct pmd_port_conf port = pp_rig_port_conf(conf);

	for (unsigned int i = 0; i < ports_of(conf); i++) {
		pmd_port_need(&port, STINT_SOCKET_LOCAL, need);
		if (conf->n_ports == 0)
			stint_need_ring(need, STINT_SOCKET_LOCAL, PP_DESCS);
	}
	stint_need_bytes(need, STINT_SOCKET_LOCAL,
			 sizeof(struct pp_ping) + sizeof(struct pp_pong) + 2 * RTE_CACHE_LINE_SIZE);
}

/* ---- what is played on --------------------------------------------------------------------- */

static int
make_ports(struct pp_rig *rig, const struct stint_fixture *fx)
{
	int rc = ring_port_make_pair(rig->made, fx->name, PP_DESCS, fx->socket);

	rig->conf.ports[0] = rig->made[0].id;
	rig->conf.ports[1] = rig->made[1].id;
	return rc;
}

static void
remove_ports(struct pp_rig *rig)
{
	if (rig->conf.n_ports == 0 && rig->made[0].queues > 0)
		ring_port_remove_pair(rig->made);
}

static unsigned int
link_ms(const struct pp_rig *rig, const struct stint_fixture *fx)
{
	return RTE_MIN((uint64_t)pp_conf_link_ms(&rig->conf), fx->left_ns / 1000000);
}

static int
set_up_port(struct pp_rig *rig, struct stint_fixture *fx)
{
	struct pmd_port_conf conf = pp_rig_port_conf(&rig->conf);
	char error[224], name[32];
	int rc;

	snprintf(name, sizeof(name), "stint_pp%u", rig->conf.ports[rig->n_ports]);
	conf.id = rig->conf.ports[rig->n_ports];
	conf.socket = fx->socket;
	conf.name = name;
	rc = pmd_port_set_up(&rig->ports[rig->n_ports], &conf, error, sizeof(error));
	if (rc == 0)
		rig->n_ports++;
	return rc == 0 || rc == -ENOMEM ? rc : stint_setup_fail(fx, "%s", error);
}

static int
start_ports(struct pp_rig *rig, struct stint_fixture *fx)
{
	const struct pmd_port *failed;
	char error[224], link[64];
	int rc = pmd_ports_start(rig->ports, rig->n_ports, link_ms(rig, fx), &failed, error,
				 sizeof(error));

	if (rc == -ENOLINK)
		return stint_setup_skip(fx, "%s", error);
	if (rc != 0)
		return stint_setup_fail(fx, "%s", error);
	for (unsigned int i = 0; i < rig->n_ports && rig->conf.n_ports > 0; i++) {
		pmd_port_link(&rig->ports[i], link, sizeof(link));
		stint_note(fx, "%s: %s", rig->ports[i].what, link);
	}
	return 0;
}

static int
await_silence(const struct pp_rig *rig, struct stint_fixture *fx)
{
	char error[256];

	for (unsigned int i = 0; i < rig->n_ports; i++) {
		const struct pmd_port *port = &rig->ports[i];

		if (!pp_falls_silent(port->id, port->what, error, sizeof(error)))
			return stint_setup_fail(fx, "%s", error);
	}
	return 0;
}

static int
open_ports(struct pp_rig *rig, struct stint_fixture *fx)
{
	int rc = rig->conf.n_ports == 0 ? make_ports(rig, fx) : 0;

	while (rc == 0 && rig->n_ports < ports_of(&rig->conf))
		rc = set_up_port(rig, fx);
	if (rc == 0)
		rc = start_ports(rig, fx);
	return rc == 0 ? await_silence(rig, fx) : rc;
}

/* ---- who plays ----------------------------------------------------------------------------- */

static int
seat(struct pp_rig *rig, const struct stint_fixture *fx)
{
	const struct pmd_port *last = &rig->ports[rig->n_ports - 1];
	uint64_t limit_ns = rig->conf.timeout_ns;

	rig->ping = rte_zmalloc_socket(NULL, sizeof(*rig->ping), RTE_CACHE_LINE_SIZE, fx->socket);
	if (rig->ping == NULL)
		return -ENOMEM;
	if (rig->conf.who == PP_WHO_BOTH && !rig->looped) {
		rig->pong = rte_zmalloc_socket(NULL, sizeof(*rig->pong), RTE_CACHE_LINE_SIZE,
					       fx->socket);
		if (rig->pong == NULL)
			return -ENOMEM;
		rig->pong->port = last->id;
		rig->pong->pool = last->pool;
		rig->pong_fn = pp_pong_variant(&rig->conf.options);
	}
	/* where pong is stopped with ping, a frame that is not back soon never will be */
	if (rig->conf.who == PP_WHO_BOTH)
		limit_ns = RTE_MIN(limit_ns, UINT64_C(10000000));
	rig->ping->port = rig->ports[0].id;
	rig->ping->remote = rig->conf.who == PP_WHO_PING;
	rig->ping->pool = rig->ports[0].pool;
	rig->ping->limit_cycles = stint_ns_cycles(fx, limit_ns);
	rig->ping->interval_cycles = RTE_MAX(stint_ns_cycles(fx, rig->conf.interval_ns), 1.0);
	rig->ping_fn = pp_ping_variant(&rig->conf.options);
	return 0;
}

static int
lay_out_sizes(struct pp_rig *rig, struct stint_fixture *fx)
{
	const unsigned int n = rig->conf.n_sizes;

	rig->samples = calloc(n, sizeof(*rig->samples));
	rig->n_samples = calloc(n, sizeof(*rig->n_samples));
	rig->warm = calloc(n, sizeof(*rig->warm));
	if (rig->samples == NULL || rig->n_samples == NULL || rig->warm == NULL)
		return -ENOMEM;
	if (fx->kept == NULL) {
		rig->left = fx->kept = malloc(n * sizeof(*rig->left));
		for (unsigned int i = 0; rig->left != NULL && i < n; i++)
			rig->left[i] = rig->conf.count;
	}
	rig->left = fx->kept;
	if (rig->left == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++) {
		if (!rig->conf.options.keep)
			continue;
		/* one more: a sample that does not count is written, and not kept */
		rig->samples[i] = malloc(SAMPLES_BYTES(&rig->conf) + sizeof(uint64_t));
		if (rig->samples[i] == NULL)
			return -ENOMEM;
	}
	return 0;
}

unsigned int
pp_rig_size_index(const struct pp_rig *rig, uint64_t payload)
{
	for (unsigned int i = 0; i < rig->conf.n_sizes; i++) {
		if (rig->conf.sizes[i] == payload)
			return i;
	}
	return 0;
}

static struct pp_shape
shape_of(const struct pp_rig *rig, unsigned int size)
{
	struct pp_shape shape = rig->conf.shape;

	shape.payload = rig->conf.sizes[size];
	shape.session = rig->session;
	return shape;
}

static void
find_addresses(const struct pp_rig *rig, struct rte_ether_addr *ping, struct rte_ether_addr *pong)
{
	rte_eth_macaddr_get(rig->ping->port, ping);
	*pong = rig->looped ? *ping : rig->peer;
	if (rig->pong != NULL)
		rte_eth_macaddr_get(rig->pong->port, pong);
}

void
pp_rig_aim_ping(struct pp_rig *rig, unsigned int size)
{
	const struct pp_shape shape = shape_of(rig, size);
	struct rte_ether_addr ping, pong;
	struct pp_ping *p = rig->ping;

	rig->size = size;
	find_addresses(rig, &ping, &pong);
	pp_template_init(&p->frame, &shape, PP_PING, &ping, &pong);
	p->flow = pp_flow_of(rig->session, rig->looped ? PP_PING : PP_PONG);
	p->samples = rig->samples[size];
	p->n_samples = rig->n_samples[size];
	p->left = rig->left[size];
	p->warm_left = rig->warm[size] ? 0 : rig->conf.warmup;
	p->due = 0;
}

void
pp_rig_aim_pong(struct pp_rig *rig, unsigned int size)
{
	const struct pp_shape shape = shape_of(rig, size);
	struct rte_ether_addr ping, pong;

	find_addresses(rig, &ping, &pong);
	pp_template_init(&rig->pong->frame, &shape, PP_PONG, &pong, &ping);
	rig->pong->flow = pp_flow_of(rig->session, PP_PING);
}

void
pp_rig_settle(struct pp_rig *rig)
{
	rig->n_samples[rig->size] = rig->ping->n_samples;
	rig->left[rig->size] = rig->ping->left;
	rig->warm[rig->size] = rig->ping->warm_left == 0;
}

/* ---- does it come back? -------------------------------------------------------------------- */

static bool
try_once(struct pp_rig *rig)
{
	const uint64_t end = pmd_in_ms(TRY_MS);
	const struct pp_options o = rig->conf.options;
	struct rte_mbuf *mbufs[PP_BURST], *mbuf = pp_ping_build(rig->ping, o);
	enum pp_came came = PP_NOTHING;

	if (mbuf == NULL)
		return false;
	if (rte_eth_tx_burst(rig->ping->port, 0, &mbuf, 1) == 0) {
		rte_pktmbuf_free(mbuf);
		return false;
	}
	while (came != PP_REPLY && rte_rdtsc() < end) {
		if (rig->pong != NULL)
			rig->pong_fn(rig->pong);
		came = pp_ping_sort(rig->ping, mbufs,
				    rte_eth_rx_burst(rig->ping->port, 0, mbufs, PP_BURST), o);
	}
	return came == PP_REPLY;
}

bool
pp_rig_try(struct pp_rig *rig, unsigned int ms)
{
	const uint64_t end = pmd_in_ms(RTE_MAX(ms, TRIES_MS));

	do {
		if (try_once(rig))
			return true;
	} while (rte_rdtsc() < end);
	return false;
}

/* What drivers drop without a word is found before anything is measured. */
static int
try_all(struct pp_rig *rig, struct stint_fixture *fx)
{
	const struct pp_counts none = { .sent = 0 };
	char error[256];

	if (rig->ping->remote && pp_peer_hello(rig, error, sizeof(error)) != 0)
		return stint_setup_fail(fx, "%s", error);
	for (unsigned int i = 0; i < rig->conf.n_sizes; i++) {
		if (rig->ping->remote && pp_peer_start(rig, i, NULL, error, sizeof(error)) != 0)
			return stint_setup_fail(fx, "%s", error);
		pp_rig_aim_ping(rig, i);
		if (rig->pong != NULL)
			pp_rig_aim_pong(rig, i);
		/* a link may come up late though its driver knows of none */
		if (pp_rig_try(rig, i == 0 && !rig->ping->remote ? link_ms(rig, fx) : 0))
			continue;
		return stint_setup_fail(fx, "%s: no frame of %u bytes with %u tag%s comes back%s",
					rig->ports[0].what, rig->ping->frame.bytes,
					rig->conf.shape.tags, rig->conf.shape.tags == 1 ? "" : "s",
					rig->conf.shape.tags > 1 ? ": some drivers drop two tags"
								 : "");
	}
	rig->ping->counts = none;
	if (rig->pong != NULL)
		rig->pong->counts = none;
	return 0;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void
say_how(const struct pp_conf *conf, struct stint_fixture *fx)
{
	if (conf->options.paced)
		stint_note(fx,
			   "paced: timed from when a frame was to be sent, so that a stall counts "
			   "for all that it holds up");
	else
		stint_note(fx, "closed loop: a frame is sent when the last one is back, so that a "
			       "stall counts once (coordinated omission)");
}

static void
free_rig(struct pp_rig *rig)
{
	for (unsigned int i = 0; rig->samples != NULL && i < rig->conf.n_sizes; i++)
		free(rig->samples[i]);
	free(rig->samples);
	free(rig->n_samples);
	free(rig->warm);
	rte_free(rig->ping);
	rte_free(rig->pong);
	free(rig);
}

static void
close_ports(struct pp_rig *rig, struct stint_fixture *fx)
{
	while (rig->n_ports > 0) {
		struct pmd_port *port = &rig->ports[--rig->n_ports];

		if (!pmd_port_close(port))
			stint_note(fx, "%s keeps its queues: their mbufs stay allocated",
				   port->what);
	}
	remove_ports(rig);
}

int
pp_rig_open(struct pp_rig **opened, const struct pp_conf *conf, struct stint_fixture *fx)
{
	struct pp_rig *rig = calloc(1, sizeof(*rig));
	int rc;

	if (rig == NULL)
		return -ENOMEM;
	rig->conf = *conf;
	rig->looped = pp_conf_loops(conf);
	rig->session = rte_rand();
	rc = lay_out_sizes(rig, fx);
	if (rc == 0)
		rc = open_ports(rig, fx);
	if (rc == 0)
		rc = seat(rig, fx);
	if (rc == 0)
		rc = try_all(rig, fx);
	if (rc != 0) {
		if (rig->started > 0)
			pp_peer_bye(rig);
		close_ports(rig, fx);
		free_rig(rig);
		return rc;
	}
	/* all samples of a size are in one file, and count to one number */
	fx->keep = conf->options.keep || conf->who != PP_WHO_BOTH;
	say_how(conf, fx);
	*opened = rig;
	return 0;
}

static void
say_counts(const struct pp_rig *rig, struct stint_fixture *fx)
{
	const struct pp_counts none = { .sent = 0 };
	const struct pp_counts *ping = &rig->ping->counts;
	const struct pp_counts *pong = rig->pong != NULL ? &rig->pong->counts : &none;

	stint_count(fx, "frames lost", ping->lost);
	stint_count(fx, "late replies", ping->late);
	stint_count(fx, "duplicate replies", ping->duplicate);
	stint_count(fx, "foreign frames", ping->foreign + pong->foreign);
	stint_count(fx, "corrupt frames", ping->corrupt);
	stint_count(fx, "frames that a full queue refused", ping->full + pong->full);
	stint_count(fx, "sends overdue that were given up", ping->overdue);
	if (ping->retagged + pong->retagged > 0)
		stint_note(fx, "the outer tag came back with TPID 0x8100 instead of 0x88a8");
}

/* The answer to a BYE may be lost, as the pong goes with it. */
static void
say_goodbye(struct pp_rig *rig, struct stint_fixture *fx)
{
	const char *what = rig->ports[0].what;

	switch (pp_peer_bye(rig)) {
	case PP_BYE_ALONE:
		stint_fixture_fail(fx, "%s: the pong has gone: it did not answer at the end", what);
		break;
	case PP_BYE_LOST:
		stint_note(fx, "%s: the pong has gone before a BYE", what);
		break;
	case PP_BYE_ANSWERED:
		break;
	}
}

void
pp_rig_close(struct pp_rig *rig, struct stint_fixture *fx)
{
	if (rig->ping->remote) {
		say_goodbye(rig, fx);
		stint_note(fx, "longest wait for a reply, counted or not: %.0f us",
			   stint_cycles_ns(fx, rig->ping->longest) / 1000);
	}
	say_counts(rig, fx);
	pp_samples_write(rig, fx);
	close_ports(rig, fx);
	free_rig(rig);
}
