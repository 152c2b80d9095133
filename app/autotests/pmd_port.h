/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PMD_PORT_H
#define PMD_PORT_H

/** @file One Ethernet port set up for a test, and released without a trace. Main lcore. */

#include <stdbool.h>
#include <stdint.h>

#include <rte_mempool.h>

#include <stint.h>

#define PMD_POOLS_MAX 5

/** What is asked for. */
struct pmd_port_conf {
	uint16_t id;
	int socket;                /* of memory; SOCKET_ID_ANY: any */
	uint16_t queues;           /* in each direction */
	uint16_t descs;            /* in each queue; the driver may take others */
	unsigned int spare;        /* mbufs beside those that queues hold */
	const char *name;          /* of the pool, up to 16 characters */
	unsigned int link_wait_ms; /* for a peer that the driver's start connects to */
	bool straight;             /* not to loop back */
};

struct pmd_port {
	uint16_t id, queues, rx_descs, tx_descs;
	struct rte_mempool *pool;                 /* mbufs of all queues */
	struct rte_mempool *pools[PMD_POOLS_MAX]; /* of them, and of earlier attempts */
	unsigned int n_pools;
	unsigned int left; /* frames that the last close found */
	bool loopback;     /* lpbk_mode 1 was taken */
	bool started;
	char what[128]; /* "port 0 (net_ring0, net_ring)" */
};

/** Is there a handler for pools of mbufs? If not, `error` names it and the folder of drivers. */
bool pmd_pool_driver(char *error, size_t size);

/** Mbufs that the pool of such a port has. Pure. */
unsigned int pmd_port_mbufs(const struct pmd_port_conf *conf);

/** Add what a port takes to a need. Pure. */
void pmd_port_need(const struct pmd_port_conf *conf, int socket, struct stint_need *need);

/**
 * Configure, set up queues, start. 0; -ENOMEM if there is no memory for mbufs; -ENOLINK if the peer
 * that the start connects to did not come; -1 if a call was refused. `error` of the last two names
 * the port, the call and the driver's error. On failure the port is released.
 */
int pmd_port_open(struct pmd_port *port, const struct pmd_port_conf *conf, char *error,
		  size_t size);

/**
 * Take in what is left in the queues, stop, make the port give its queues up, free the pool. False
 * if the driver keeps its queues (those of net_tap come in pairs): then the pool stays, too, and is
 * taken by the next one that opens the port by the same name.
 */
bool pmd_port_close(struct pmd_port *port);

/** Wait for the link, `ms` at most; its state as text. False: it is down. */
bool pmd_port_link(const struct pmd_port *port, unsigned int ms, char *text, size_t size);

#endif /* PMD_PORT_H */
