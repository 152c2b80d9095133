/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_random.h>

#include <stint.h>

#include "pmd_bodies.h"
#include "pmd_loop.h"

/*
 * All Ethernet ports that EAL has, at once: what a packet costs in the driver, each queue with an
 * lcore of its own, or two in the modes that poll for what another lcore transmits.
 */

static const struct stint_param params[] = {
	PMD_PARAM_QUEUES,
	PMD_PARAM_DESCS,
	{ "link_wait_ms", STINT_PARAM_UINT, "3000", "how long to wait for a link, in ms", 0, 60000,
	  NULL },
};

static const struct stint_dim dims[] = { PMD_DIMS };

/* ---- the grid ------------------------------------------------------------------------------ */

static unsigned int
lcores(const struct stint_point *pt)
{
	return stint_ports(pt) * stint_param_uint(pt, "queues") *
	       pmd_lane_lcores(pt->value[PMD_DIM_MODE]);
}

static bool
all_are_rings(const struct stint_point *pt)
{
	for (unsigned int i = 0; i < stint_ports(pt); i++) {
		const struct stint_port *port = stint_port(pt, i);

		if (port == NULL || strcmp(port->driver, "net_ring") != 0)
			return false;
	}
	return true;
}

/* What a port cannot do, known once EAL has started, makes a skipped point: false. */
static bool
port_takes(const struct stint_point *pt, const struct stint_port *port)
{
	unsigned int descs = stint_param_uint(pt, "descs"), burst = pt->value[PMD_DIM_BURST];
	unsigned int size = pt->value[PMD_DIM_SIZE], queues = stint_param_uint(pt, "queues");
	struct rte_eth_dev_info info;

	if (port == NULL || rte_eth_dev_info_get(port->id, &info) != 0)
		return true;
	descs = RTE_MIN(descs,
			(unsigned int)RTE_MIN(info.rx_desc_lim.nb_max, info.tx_desc_lim.nb_max));
	if (burst > pmd_hold(descs)) {
		stint_skip_point(pt, "port %u: queues of %u descriptors take no bursts of %u",
				 port->id, descs, burst);
		return false;
	}
	if (queues > info.max_rx_queues || queues > info.max_tx_queues) {
		stint_skip_point(pt, "port %u (%s): has %u queue%s for rx and %u for tx, not %u",
				 port->id, port->name, info.max_rx_queues,
				 info.max_rx_queues == 1 ? "" : "s", info.max_tx_queues, queues);
		return false;
	}
	if (size > info.max_rx_pktlen) {
		stint_skip_point(pt, "port %u: takes no frames above %u bytes", port->id,
				 info.max_rx_pktlen);
		return false;
	}
	return true;
}

static int
admit(const struct stint_point *pt)
{
	uint64_t size = pt->value[PMD_DIM_SIZE];

	/* pointers are passed */
	if (all_are_rings(pt) && size != PMD_FRAME_MIN && size != PMD_FRAME_MAX)
		return STINT_LEAVE_OUT;
	for (unsigned int i = 0; i < stint_ports(pt); i++) {
		if (!port_takes(pt, stint_port(pt, i)))
			return 0;
	}
	return pmd_lane_rank(pt);
}

static int
validate(const struct stint_point *pt, char *error, size_t size)
{
	(void)pt;
	return pmd_pool_driver(error, size) ? 0 : -ENODEV;
}

/* ---- all ports ----------------------------------------------------------------------------- */

static struct pmd_port_conf
conf_of(const struct stint_point *pt)
{
	unsigned int queues = stint_param_uint(pt, "queues"), descs = stint_param_uint(pt, "descs");

	return (struct pmd_port_conf){
		.queues = queues,
		.descs = descs,
		.spare = queues * 2 * (pmd_hold(descs) + PMD_BURST_MAX),
	};
}

static void
need(const struct stint_point *pt, struct stint_need *need)
{
	struct pmd_port_conf conf = conf_of(pt);

	for (unsigned int i = 0; i < stint_ports(pt); i++) {
		const struct stint_port *port = stint_port(pt, i);

		pmd_port_need(&conf, port != NULL ? port->socket : STINT_SOCKET_LOCAL, need);
	}
}

static void
close_ports(struct pmd_rig *rig, struct stint_fixture *fx)
{
	for (unsigned int i = 0; i < rig->n_ports; i++) {
		if (rig->ports[i].started && !pmd_port_is_up(&rig->ports[i]))
			stint_note(fx, "%s: link down at the end", rig->ports[i].what);
		if (!pmd_port_close(&rig->ports[i]))
			stint_note(fx, "%s keeps its queues: their mbufs stay allocated",
				   rig->ports[i].what);
	}
	pmd_rig_free(rig, fx);
}

/* A link that is lost in the middle is not waited for beyond the budget. */
static unsigned int
link_wait_ms(const struct stint_fixture *fx)
{
	return RTE_MIN(stint_param_uint(fx->point, "link_wait_ms"), fx->left_ns / 1000000);
}

/* Whom a port belongs to decides whether it has to work. */
static int
give_up(struct stint_fixture *fx, const struct stint_port *port, int rc, const char *error)
{
	if (rc == -ENOMEM)
		return rc;
	if (rc == -ENOLINK || !port->named)
		return stint_setup_skip(fx, "%s", error);
	return stint_setup_fail(fx, "%s", error);
}

static int
set_up_port(struct pmd_rig *rig, const struct stint_port *port, struct stint_fixture *fx)
{
	struct pmd_port_conf conf = conf_of(fx->point);
	char error[224], name[32];
	int rc;

	snprintf(name, sizeof(name), "stint_port%u", port->id);
	conf.id = port->id;
	conf.name = name;
	conf.socket = fx->socket;
	if (fx->socket != SOCKET_ID_ANY && port->socket >= 0)
		conf.socket = port->socket;
	rc = pmd_port_set_up(&rig->ports[rig->n_ports], &conf, error, sizeof(error));
	if (rc != 0)
		return give_up(fx, port, rc, error);
	rig->n_ports++;
	return 0;
}

static int
start_ports(struct pmd_rig *rig, struct stint_fixture *fx)
{
	const struct pmd_port *failed;
	char error[224];
	int rc = pmd_ports_start(rig->ports, rig->n_ports, link_wait_ms(fx), &failed, error,
				 sizeof(error));

	if (rc == 0)
		return 0;
	return give_up(fx, stint_port(fx->point, failed - rig->ports), rc, error);
}

static void
try_ports(struct pmd_rig *rig, struct stint_fixture *fx)
{
	struct pmd_echo echoes[RTE_MAX_ETHPORTS];
	char link[48], echo[96];

	pmd_rig_try(rig, echoes);
	for (unsigned int i = 0; i < rig->n_ports; i++) {
		const struct pmd_port *port = &rig->ports[i];

		pmd_port_link(port, link, sizeof(link));
		pmd_echo_text(rig, i, &echoes[i], echo, sizeof(echo));
		stint_note(fx, "%s: %s, loopback mode %s, %s", port->what, link,
			   port->loopback ? "taken" : "refused", echo);
	}
}

static int
setup(const struct stint_point *pt, struct stint_fixture *fx)
{
	unsigned int n = stint_ports(pt);
	struct pmd_rig *rig = pmd_rig_new(n, stint_param_uint(pt, "queues"));
	int rc = 0;

	if (rig == NULL)
		return -ENOMEM;
	rig->magic = rte_rand();
	for (unsigned int i = 0; i < n && rc == 0; i++)
		rc = set_up_port(rig, stint_port(pt, i), fx);
	if (rc == 0)
		rc = start_ports(rig, fx);
	if (rc != 0) {
		close_ports(rig, fx);
		return rc;
	}
	try_ports(rig, fx);
	/* links and peers take their time, and are not there for ever */
	fx->keep = !all_are_rings(pt);
	fx->data = rig;
	return 0;
}

static bool
able(const struct stint_point *pt, const struct stint_fixture *fx)
{
	const struct pmd_rig *rig = fx->data;
	unsigned int size = pt->value[PMD_DIM_SIZE], burst = pt->value[PMD_DIM_BURST];

	for (unsigned int i = 0; i < rig->n_ports; i++) {
		const char *what = rig->ports[i].what;
		unsigned int lacks = pmd_rig_lacks(rig, i, size);

		if (lacks & PMD_REFUSES)
			return stint_skip_point(pt, "%s: no frame of %u bytes is accepted", what,
						size);
		if (lacks & PMD_DROPS)
			return stint_skip_point(pt, "%s: frames of %u bytes are accepted, and lost",
						what, size);
		if (lacks & PMD_IS_DEAF && pt->value[PMD_DIM_MODE] != PMD_TX)
			return stint_skip_point(pt, "%s: no frame comes back", what);
	}
	if (burst > rig->hold)
		return stint_skip_point(pt, "a queue takes no more than %u frames at once",
					rig->hold);
	return true;
}

static void
teardown(struct stint_fixture *fx)
{
	close_ports(fx->data, fx);
}

static struct stint_job
job(const struct stint_point *pt, unsigned int worker)
{
	return pmd_lane_job(pt, worker, stint_ports(pt), PMD_PATH_PORT);
}

STINT_PERF_TEST(pmd_perf_autotest, 20, .summary = "Ethernet ports: receive, transmit, forward",
		.flags = STINT_PORTS, .dims = STINT_LIST(dims), .metrics = STINT_LIST(pmd_metrics),
		.params = STINT_LIST(params), .phase_names = pmd_phase_names,
		.worker_bytes = sizeof(struct pmd_lane), .lcores = lcores, .admit = admit,
		.validate = validate, .need = need, .setup = setup, .teardown = teardown,
		.able = able, .worker_init = pmd_lane_init, .job = job)
