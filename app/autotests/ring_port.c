/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ring_port.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>

#define PLUGIN "librte_net_ring"

typedef int (*from_rings_fn)(const char *name, struct rte_ring *const rx[], const unsigned int n_rx,
			     struct rte_ring *const tx[], const unsigned int n_tx,
			     const unsigned int socket);

/* ".so.23": the ABI of the EAL that is in use is that of its plugins. */
static const char *
abi_suffix(void)
{
	const char *suffix;
	Dl_info info;

	if (dladdr((const void *)(uintptr_t)rte_eal_init, &info) == 0)
		return ".so";
	suffix = strstr(info.dli_fname, ".so");
	return suffix != NULL ? suffix : ".so";
}

/* A static DPDK has the driver in the program. */
static from_rings_fn
find_driver(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "rte_eth_from_rings"), *plugin;
	char file[64];

	snprintf(file, sizeof(file), PLUGIN "%s", abi_suffix());
	plugin = symbol == NULL ? dlopen(file, RTLD_NOLOAD | RTLD_LAZY) : NULL;
	if (plugin != NULL) {
		symbol = dlsym(plugin, "rte_eth_from_rings");
		/* EAL holds it, too */
		dlclose(plugin);
	}
	return (from_rings_fn)(uintptr_t)symbol;
}

bool
ring_port_driver(char *error, size_t size)
{
	if (find_driver() != NULL)
		return true;
	snprintf(error, size, "no Ethernet driver net_ring: " PLUGIN " is not in %s",
		 RTE_EAL_PMD_PATH);
	return false;
}

static int
make_rings(struct ring_port *port, const char *name, unsigned int slots, int socket)
{
	char ring_name[RTE_RING_NAMESIZE];

	for (unsigned int q = 0; q < port->queues; q++) {
		snprintf(ring_name, sizeof(ring_name), "%.16s_%u", name, q);
		port->rings[q] =
			rte_ring_create(ring_name, slots, socket, RING_F_SP_ENQ | RING_F_SC_DEQ);
		if (port->rings[q] == NULL)
			return -rte_errno;
	}
	return 0;
}

static void
free_rings(struct ring_port *port)
{
	for (unsigned int q = 0; q < port->queues; q++)
		rte_ring_free(port->rings[q]);
}

int
ring_port_make(struct ring_port *port, const char *name, unsigned int queues, unsigned int slots,
	       int socket)
{
	from_rings_fn from_rings = find_driver();
	int rc = -ENOTSUP, id;

	memset(port, 0, sizeof(*port));
	port->queues = queues;
	if (from_rings == NULL)
		return rc;
	rc = make_rings(port, name, slots, socket);
	if (rc == 0) {
		id = from_rings(name, port->rings, queues, port->rings, queues,
				socket < 0 ? 0 : socket);
		rc = id < 0 ? -rte_errno : 0;
		port->id = id;
	}
	if (rc != 0)
		free_rings(port);
	return rc;
}

void
ring_port_remove(struct ring_port *port)
{
	struct rte_eth_dev_info info;
	char device[RTE_DEV_NAME_MAX_LEN] = "";

	if (rte_eth_dev_info_get(port->id, &info) == 0)
		snprintf(device, sizeof(device), "%s", rte_dev_name(info.device));
	/* a closed port leaves its device on the bus */
	rte_eth_dev_close(port->id);
	rte_eal_hotplug_remove("vdev", device);
	free_rings(port);
}
