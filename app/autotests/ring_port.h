/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef RING_PORT_H
#define RING_PORT_H

/**
 * @file
 * A port of the driver net_ring that a test makes itself: each queue receives what it sends. The
 * driver is not linked but taken from the plugin that EAL has loaded. Main lcore.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_ring.h>

#define RING_PORT_QUEUES_MAX 16

struct ring_port {
	uint16_t id;
	unsigned int queues;
	struct rte_ring *rings[RING_PORT_QUEUES_MAX];
};

/** Is the driver there? If not, `error` names it and the folder. */
bool ring_port_driver(char *error, size_t size);

/**
 * Make a port with rings of `slots`, a power of two, one producer and one consumer each. `name`:
 * unique, up to 16 characters. 0; -ENOTSUP: no driver; -ENOMEM; another -errno.
 */
int ring_port_make(struct ring_port *port, const char *name, unsigned int queues,
		   unsigned int slots, int socket);

/** Close the port, remove its device, free the rings: their mbufs are lost if any are left. */
void ring_port_remove(struct ring_port *port);

/**
 * Make two ports of one queue each, where what one sends is what the other receives. As
 * ring_port_make(). `name`: up to 15 characters.
 */
int ring_port_make_pair(struct ring_port pair[2], const char *name, unsigned int slots, int socket);

/** As ring_port_remove(), both. */
void ring_port_remove_pair(struct ring_port pair[2]);

#endif /* RING_PORT_H */
