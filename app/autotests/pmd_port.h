/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PMD_PORT_H
#define PMD_PORT_H

/** @file One Ethernet port set up for a test, and released without a trace. Main lcore. */

#include <stdbool.h>
#include <stdint.h>

#include <rte_cycles.h>
#include <rte_mempool.h>

#include <stint.h>

#define PMD_POOLS_MAX 5

/** What is asked for. */
struct pmd_port_conf {
	uint16_t id;
	int socket;         /* of memory; SOCKET_ID_ANY: any */
	uint16_t queues;    /* in each direction */
	uint16_t descs;     /* in each queue; the driver may take others */
	unsigned int spare; /* mbufs beside those that queues hold */
	const char *name;   /* of the pool, up to 16 characters */
	bool straight;      /* not to loop back */
};

struct pmd_port {
	uint16_t id, queues, rx_descs, tx_descs;
	struct rte_mempool *pool;                 /* mbufs of all queues */
	struct rte_mempool *pools[PMD_POOLS_MAX]; /* of them, and of earlier attempts */
	unsigned int n_pools;
	unsigned int left; /* frames that the last close found */
	bool loopback;     /* lpbk_mode 1 was taken */
	bool started;
	uint64_t patient_until; /* TSC; for the link after the start */
	bool answers_peers;     /* as long as it is there, stopped or not */
	char what[128];         /* "port 0 (net_ring0, net_ring)" */
};

/** The TSC in so many ms from now. */
static inline uint64_t
pmd_in_ms(unsigned int ms)
{
	return rte_rdtsc() + rte_get_tsc_hz() / MS_PER_S * ms;
}

/** Is there a handler for pools of mbufs? If not, `error` names it and the folder of drivers. */
bool pmd_pool_driver(char *error, size_t size);

/** Mbufs that the pool of such a port has. Pure. */
unsigned int pmd_port_mbufs(const struct pmd_port_conf *conf);

/** Add what a port takes to a need. Pure. */
void pmd_port_need(const struct pmd_port_conf *conf, int socket, struct stint_need *need);

/**
 * Configure and set up queues. 0; -ENOMEM if there is no memory for mbufs; -1 if a call was
 * refused: `error` names the port, the call and the driver's error. On failure the port is
 * released.
 */
int pmd_port_set_up(struct pmd_port *port, const struct pmd_port_conf *conf, char *error,
		    size_t size);

/**
 * Start ports, and wait for their links, for `wait_ms` at most. Where a driver's start connects to
 * a peer, which may be another one of them, it is tried anew. 0; -ENOLINK: one is down; -1: a start
 * was refused: `failed` and `error` tell which.
 */
int pmd_ports_start(struct pmd_port *ports, unsigned int n, unsigned int wait_ms,
		    const struct pmd_port **failed, char *error, size_t size);

/** Both, for one port. On failure it is released. */
int pmd_port_open(struct pmd_port *port, const struct pmd_port_conf *conf, unsigned int wait_ms,
		  char *error, size_t size);

/**
 * Take in what is left in the queues, stop, make the port give its queues up, free the pool. False
 * if the driver keeps its queues (those of net_tap come in pairs, net_memif answers peers by them):
 * then the pool stays, too, and is taken by the next one that opens the port by the same name.
 */
bool pmd_port_close(struct pmd_port *port);

/** Is the link up, as far as the driver knows of one? */
bool pmd_port_is_up(const struct pmd_port *port);

/** State of the link as text. */
void pmd_port_link(const struct pmd_port *port, char *text, size_t size);

#endif /* PMD_PORT_H */
