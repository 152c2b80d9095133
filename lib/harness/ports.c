/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ports.h"

#include <glob.h>
#include <string.h>

#include <rte_bus.h>
#include <rte_common.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>

void
stint_ports_guess(struct stint_machine *m)
{
	const struct stint_eal_args *a = m->args;
	unsigned int named = a->n_allows;

	for (unsigned int i = 0; i < a->n_vdevs; i++)
		named += strncmp(a->vdevs[i], "net_", 4) == 0 ||
			 strncmp(a->vdevs[i], "eth_", 4) == 0;
	m->n_ports = RTE_MIN(RTE_MAX(named, 1u), (unsigned int)RTE_MAX_ETHPORTS);
	m->ports_known = false;
}

static bool
is_named(const struct rte_device *dev)
{
	const struct rte_devargs *args = dev != NULL ? rte_dev_devargs(dev) : NULL;

	return args != NULL && args->policy == RTE_DEV_ALLOWED;
}

static void
add_port(struct stint_machine *m, uint16_t id, bool ours)
{
	struct stint_port *port = &m->ports[m->n_ports];
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(id, &info) != 0 ||
	    rte_eth_dev_get_name_by_port(id, port->name) != 0)
		return;
	port->id = id;
	snprintf(port->driver, sizeof(port->driver), "%s", info.driver_name);
	port->socket = rte_eth_dev_socket_id(id);
	if (port->socket >= RTE_MAX_NUMA_NODES)
		port->socket = -1;
	port->named = ours && is_named(info.device);
	m->n_ports++;
}

/* Drivers are plugins: without any, devices are not looked for. */
static bool
have_drivers(const struct stint_machine *m)
{
	glob_t found;
	int rc;

	if (RTE_EAL_PMD_PATH[0] == '\0' || m->args->n_plugins > 0)
		return true;
	rc = glob(RTE_EAL_PMD_PATH "/librte_net_*.so*", GLOB_NOSORT, NULL, &found);
	if (rc == 0)
		globfree(&found);
	return rc != GLOB_NOMATCH;
}

void
stint_ports_find(struct stint_machine *m, bool ours)
{
	uint16_t id;

	m->n_ports = 0;
	m->ports_known = true;
	RTE_ETH_FOREACH_DEV(id)
	add_port(m, id, ours);
	m->no_net_drivers = m->n_ports == 0 && !have_drivers(m);
}

/* Of the lcores from `from` on, the nearest that is on a socket; -1 takes any. -1: none is. */
static int
find_lcore(const struct stint_machine *m, unsigned int from, int socket)
{
	for (unsigned int i = from; i < m->n_lcores; i++) {
		if (socket < 0 || m->lcores[i].socket == socket)
			return i;
	}
	return -1;
}

static int
find_port(const struct stint_machine *m, int socket)
{
	for (unsigned int i = 0; i < m->n_ports; i++) {
		if (m->ports[i].socket == socket)
			return i;
	}
	return -1;
}

static void
move_port(struct stint_machine *m, unsigned int from, unsigned int to)
{
	struct stint_port port = m->ports[from];

	memmove(&m->ports[to + 1], &m->ports[to], (from - to) * sizeof(port));
	m->ports[to] = port;
}

/* One for the main lcore, those with a socket, those that take any: these come last to choose. */
static void
order_ports(struct stint_machine *m)
{
	int first = find_port(m, m->lcores[0].socket);
	unsigned int at = 0;

	if (first < 0)
		first = find_port(m, -1);
	if (first >= 0)
		move_port(m, first, at++);
	for (unsigned int i = at; i < m->n_ports; i++) {
		if (m->ports[i].socket >= 0)
			move_port(m, i, at++);
	}
}

/* Put the best of the lcores from `at` on in that place; the others keep their order. */
static void
deal_one(struct stint_machine *m, unsigned int at, int socket)
{
	int best = find_lcore(m, at, socket);
	struct stint_eal_lcore lcore;

	if (best <= (int)at)
		return;
	lcore = m->lcores[best];
	memmove(&m->lcores[at + 1], &m->lcores[at], (best - at) * sizeof(lcore));
	m->lcores[at] = lcore;
}

void
stint_ports_deal_lcores(struct stint_machine *m)
{
	if (!m->ports_known || m->n_ports == 0)
		return;
	order_ports(m);
	for (unsigned int i = 1; i < m->n_lcores; i++)
		deal_one(m, i, m->ports[i % m->n_ports].socket);
}

unsigned int
stint_ports(const struct stint_point *pt)
{
	return pt->machine->n_ports;
}

const struct stint_port *
stint_port(const struct stint_point *pt, unsigned int i)
{
	const struct stint_machine *m = pt->machine;

	return m->ports_known && i < m->n_ports ? &m->ports[i] : NULL;
}

void
stint_ports_take(struct stint_machine *m, struct stint_machine *ported, bool ours)
{
	stint_ports_find(m, ours);
	*ported = *m;
	stint_ports_deal_lcores(ported);
}
