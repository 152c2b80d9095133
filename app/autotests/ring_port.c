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

static void
remove_port(struct ring_port *port)
{
	struct rte_eth_dev_info info;
	char device[RTE_DEV_NAME_MAX_LEN] = "";

	if (rte_eth_dev_info_get(port->id, &info) == 0)
		snprintf(device, sizeof(device), "%s", rte_dev_name(info.device));
	/* a closed port leaves its device on the bus */
	rte_eth_dev_close(port->id);
	rte_eal_hotplug_remove("vdev", device);
}

/* A port that sends into its own rings, and receives from those of `from`. */
static int
make_port(struct ring_port *port, const struct ring_port *from, const char *name, int socket)
{
	from_rings_fn from_rings = find_driver();
	int id;

	if (from_rings == NULL)
		return -ENOTSUP;
	id = from_rings(name, from->rings, port->queues, port->rings, port->queues,
			socket < 0 ? 0 : socket);
	port->id = id;
	return id < 0 ? -rte_errno : 0;
}

int
ring_port_make(struct ring_port *port, const char *name, unsigned int queues, unsigned int slots,
	       int socket)
{
	int rc;

	*port = (struct ring_port){ .queues = queues };
	rc = make_rings(port, name, slots, socket);
	if (rc == 0)
		rc = make_port(port, port, name, socket);
	if (rc != 0)
		free_rings(port);
	return rc;
}

void
ring_port_remove(struct ring_port *port)
{
	remove_port(port);
	free_rings(port);
}

static int
make_pair(struct ring_port pair[2], const char *name, unsigned int slots, int socket)
{
	char names[2][RTE_RING_NAMESIZE];
	int rc = 0;

	for (unsigned int i = 0; i < 2 && rc == 0; i++) {
		snprintf(names[i], sizeof(names[i]), "%.15s%c", name, "ab"[i]);
		rc = make_rings(&pair[i], names[i], slots, socket);
	}
	if (rc == 0)
		rc = make_port(&pair[0], &pair[1], names[0], socket);
	if (rc != 0)
		return rc;
	rc = make_port(&pair[1], &pair[0], names[1], socket);
	if (rc != 0)
		remove_port(&pair[0]);
	return rc;
}

int
ring_port_make_pair(struct ring_port pair[2], const char *name, unsigned int slots, int socket)
{
	int rc;

	pair[0] = pair[1] = (struct ring_port){ .queues = 1 };
	rc = make_pair(pair, name, slots, socket);
	if (rc == 0)
		return 0;
	free_rings(&pair[0]);
	free_rings(&pair[1]);
	pair[0].queues = pair[1].queues = 0;
	return rc;
}

void
ring_port_remove_pair(struct ring_port pair[2])
{
	remove_port(&pair[0]);
	remove_port(&pair[1]);
	free_rings(&pair[0]);
	free_rings(&pair[1]);
}
