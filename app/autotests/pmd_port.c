/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "pmd_port.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include <rte_alarm.h>
#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>

#define CACHE 256
/* Drivers that want more than this for one frame are none that this knows. */
#define DATA_ROOM_MAX (16 * 1024)
/* Polls without a frame after which a queue is empty. */
#define IDLE_POLLS 64
#define BURST 32
#define LINK_POLL_MS 1
/* A peer that has not let a port in by then does not know of it. */
#define PEER_PATIENCE_MS 500
#define US_PER_MS 1000
#define INTERRUPT_POLL_US 20

bool
pmd_pool_driver(char *error, size_t size)
{
	const char *ops = rte_mbuf_best_mempool_ops();

	for (unsigned int i = 0; i < rte_mempool_ops_table.num_ops; i++) {
		if (strcmp(rte_mempool_ops_table.ops[i].name, ops) == 0)
			return true;
	}
	snprintf(error, size, "no mempool driver %s: %s is not in %s", ops,
		 strcmp(ops, RTE_MBUF_DEFAULT_MEMPOOL_OPS) == 0 ? "librte_mempool_ring"
								: "its plugin",
		 RTE_EAL_PMD_PATH);
	return false;
}

unsigned int
pmd_port_mbufs(const struct pmd_port_conf *conf)
{
	unsigned int lcores = 2 * conf->queues + 1;

	/* a cache holds up to one and a half times its size */
	return conf->queues * 2 * conf->descs + conf->spare + lcores * CACHE * 3 / 2;
}

void
pmd_port_need(const struct pmd_port_conf *conf, int socket, struct stint_need *need)
{
	stint_need_mempool(need, socket, pmd_port_mbufs(conf),
			   sizeof(struct rte_mbuf) + RTE_MBUF_DEFAULT_BUF_SIZE, 0);
}

static int
refuse(const struct pmd_port *port, const char *call, int rc, char *error, size_t size)
{
	snprintf(error, size, "%s: %s: %d (%s)", port->what, call, rc, strerror(-rc));
	return -1;
}

static void
name_port(struct pmd_port *port, const char *driver)
{
	char name[RTE_ETH_NAME_MAX_LEN] = "";

	rte_eth_dev_get_name_by_port(port->id, name);
	snprintf(port->what, sizeof(port->what), "port %u (%s, %s)", port->id, name, driver);
}

/* No capability says whether a device can loop back: it is asked to, and may say no. */
static int
configure(struct pmd_port *port, const struct rte_eth_dev_info *info, bool straight)
{
	struct rte_eth_conf conf = { .lpbk_mode = !straight };
	int rc;

	if (port->queues > 1 && info->flow_type_rss_offloads != 0) {
		conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf.rx_adv_conf.rss_conf.rss_hf =
			info->flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);
	}
	rc = rte_eth_dev_configure(port->id, port->queues, port->queues, &conf);
	port->loopback = rc == 0 && !straight;
	if (rc == 0 || straight)
		return rc;
	conf.lpbk_mode = 0;
	return rte_eth_dev_configure(port->id, port->queues, port->queues, &conf);
}

static const char *
pool_name(const struct pmd_port_conf *conf, unsigned int i, char *name, size_t size)
{
	snprintf(name, size, "%.16s_%u", conf->name, i);
	return name;
}

/* A driver that keeps its queues keeps their pool, too: it is used once more. */
static void
find_kept_pools(struct pmd_port *port, const struct pmd_port_conf *conf)
{
	char name[RTE_MEMPOOL_NAMESIZE];

	for (unsigned int i = 0; i < PMD_POOLS_MAX; i++) {
		struct rte_mempool *pool =
			rte_mempool_lookup(pool_name(conf, i, name, sizeof(name)));

		if (pool != NULL)
			port->pools[port->n_pools++] = pool;
	}
}

static bool
add_pool(struct pmd_port *port, const struct pmd_port_conf *conf, unsigned int data_room)
{
	struct rte_mempool *last = port->n_pools > 0 ? port->pools[port->n_pools - 1] : NULL;
	char name[RTE_MEMPOOL_NAMESIZE];
	unsigned int i = 0;

	if (last != NULL && last->size >= pmd_port_mbufs(conf) &&
	    rte_pktmbuf_data_room_size(last) >= data_room)
		return true;
	while (i < PMD_POOLS_MAX &&
	       rte_mempool_lookup(pool_name(conf, i, name, sizeof(name))) != NULL)
		i++;
	if (i == PMD_POOLS_MAX || port->n_pools == PMD_POOLS_MAX) {
		rte_errno = ENOSPC;
		return false;
	}
	last = rte_pktmbuf_pool_create(name, pmd_port_mbufs(conf), CACHE, 0, data_room,
				       conf->socket);
	if (last != NULL)
		port->pools[port->n_pools++] = last;
	return last != NULL;
}

/* All, or all but the last, which the queues have. */
static void
free_pools(struct pmd_port *port, bool but_last)
{
	struct rte_mempool *last = but_last ? port->pools[port->n_pools - 1] : NULL;

	for (unsigned int i = 0; i < port->n_pools; i++) {
		if (port->pools[i] != last)
			rte_mempool_free(port->pools[i]);
	}
	port->pools[0] = port->pool = last;
	port->n_pools = but_last;
}

static int
set_up_rx(struct pmd_port *port, int socket)
{
	int rc = 0;

	for (uint16_t q = 0; q < port->queues && rc == 0; q++)
		rc = rte_eth_rx_queue_setup(port->id, q, port->rx_descs, socket, NULL, port->pool);
	return rc;
}

/* Not all drivers say how large a buffer must be; those that do not refuse one that is too small.
 */
static int
set_up_rx_queues(struct pmd_port *port, const struct pmd_port_conf *conf,
		 const struct rte_eth_dev_info *info, char *error, size_t size)
{
	unsigned int data_room = RTE_MAX((unsigned int)RTE_MBUF_DEFAULT_BUF_SIZE,
					 info->min_rx_bufsize + RTE_PKTMBUF_HEADROOM);
	int rc;

	find_kept_pools(port, conf);
	do {
		if (!add_pool(port, conf, data_room)) {
			rc = -rte_errno;
			return rc == -ENOMEM || rc == -ENOTSUP
				       ? -ENOMEM
				       : refuse(port, "mbuf pool", rc, error, size);
		}
		port->pool = port->pools[port->n_pools - 1];
		rc = set_up_rx(port, conf->socket);
		data_room *= 2;
	} while ((rc == -ENOMEM || rc == -EINVAL) && data_room <= DATA_ROOM_MAX);
	if (rc != 0)
		return refuse(port, "rte_eth_rx_queue_setup", rc, error, size);
	free_pools(port, true);
	return 0;
}

static int
set_up_queues(struct pmd_port *port, const struct pmd_port_conf *conf,
	      const struct rte_eth_dev_info *info, char *error, size_t size)
{
	int rc;

	port->rx_descs = port->tx_descs = conf->descs;
	rc = rte_eth_dev_adjust_nb_rx_tx_desc(port->id, &port->rx_descs, &port->tx_descs);
	if (rc != 0)
		return refuse(port, "rte_eth_dev_adjust_nb_rx_tx_desc", rc, error, size);
	rc = set_up_rx_queues(port, conf, info, error, size);
	for (uint16_t q = 0; q < port->queues && rc == 0; q++) {
		rc = rte_eth_tx_queue_setup(port->id, q, port->tx_descs, conf->socket, NULL);
		if (rc != 0)
			rc = refuse(port, "rte_eth_tx_queue_setup", rc, error, size);
	}
	return rc;
}

static void
empty_queue(struct pmd_port *port, uint16_t queue)
{
	struct rte_mbuf *burst[BURST];
	unsigned int polls = 0;

	for (unsigned int idle = 0; idle < IDLE_POLLS && polls < UINT16_MAX; polls++) {
		uint16_t n = rte_eth_rx_burst(port->id, queue, burst, BURST);

		rte_pktmbuf_free_bulk(burst, n);
		port->left += n;
		idle = n > 0 ? 0 : idle + 1;
	}
}

static void
note_reached(void *reached)
{
	atomic_store_explicit((_Atomic bool *)reached, true, memory_order_release);
}

/*
 * EAL's interrupt thread may be in the middle of what it does when a peer leaves, in the queues of
 * a port that has just been stopped. It does one thing after the other: it comes here after that.
 */
static void
await_interrupt_thread(void)
{
	_Atomic bool reached = false;

	if (rte_eal_alarm_set(1, note_reached, &reached) != 0)
		return;
	while (!atomic_load_explicit(&reached, memory_order_acquire))
		rte_delay_us_sleep(INTERRUPT_POLL_US);
}

static void
stop(struct pmd_port *port)
{
	for (uint16_t q = 0; q < port->queues; q++)
		empty_queue(port, q);
	rte_eth_dev_stop(port->id);
	port->started = false;
	await_interrupt_thread();
}

/* A driver that connects to its peer here, as net_memif does, says no more than -1 and errno. */
static bool
lacks_peer(int rc)
{
	return rc == -1 && (errno == ECONNREFUSED || errno == ENOENT);
}

/* 0; -EAGAIN: the peer is not there; another -errno or -1. */
static int
start(struct pmd_port *port)
{
	int rc;

	errno = 0;
	rc = rte_eth_dev_start(port->id);
	if (lacks_peer(rc))
		return -EAGAIN;
	if (rc != 0)
		return rc;
	port->started = true;
	port->patient_until = pmd_in_ms(PEER_PATIENCE_MS);
	/* some have no such mode, and receive all */
	rte_eth_promiscuous_enable(port->id);
	return 0;
}

bool
pmd_port_is_up(const struct pmd_port *port)
{
	struct rte_eth_link link = { 0 };

	/* the call that waits does so for up to 9 s; a driver that knows of no link has one */
	return rte_eth_link_get_nowait(port->id, &link) != 0 || link.link_status == RTE_ETH_LINK_UP;
}

/*
 * 0; -EAGAIN: it has no link yet, or no peer; else the start was refused. One whose peer was there,
 * but not ready, is left in the lurch: it has to ask again.
 */
static int
bring_up(struct pmd_port *port)
{
	if (port->started && !pmd_port_is_up(port) && port->answers_peers &&
	    rte_rdtsc() > port->patient_until)
		stop(port);
	if (!port->started) {
		int rc = start(port);

		if (rc != 0)
			return rc;
	}
	return pmd_port_is_up(port) ? 0 : -EAGAIN;
}

/* The first that refuses or, if none does, the first that has no link; NULL: all have. */
static struct pmd_port *
bring_up_all(struct pmd_port *ports, unsigned int n, int *rc)
{
	struct pmd_port *down = NULL;

	for (unsigned int i = 0; i < n; i++) {
		*rc = bring_up(&ports[i]);
		if (*rc != 0 && *rc != -EAGAIN)
			return &ports[i];
		if (*rc == -EAGAIN && down == NULL)
			down = &ports[i];
	}
	*rc = down != NULL ? -EAGAIN : 0;
	return down;
}

int
pmd_ports_start(struct pmd_port *ports, unsigned int n, unsigned int wait_ms,
		const struct pmd_port **failed, char *error, size_t size)
{
	const uint64_t end = pmd_in_ms(wait_ms);
	int rc;

	while ((*failed = bring_up_all(ports, n, &rc)) != NULL && rc == -EAGAIN &&
	       rte_rdtsc() < end)
		rte_delay_us_sleep(LINK_POLL_MS * US_PER_MS);
	if (rc != -EAGAIN)
		return rc == 0 ? 0 : refuse(*failed, "rte_eth_dev_start", rc, error, size);
	snprintf(error, size, "%s: link down after %u ms%s", (*failed)->what, wait_ms,
		 (*failed)->started ? "" : ", its peer is not there");
	return -ENOLINK;
}

static int
set_up(struct pmd_port *port, const struct pmd_port_conf *conf, char *error, size_t size)
{
	struct rte_eth_dev_info info;
	int rc = rte_eth_dev_info_get(port->id, &info);

	name_port(port, rc == 0 ? info.driver_name : "?");
	if (rc != 0)
		return refuse(port, "rte_eth_dev_info_get", rc, error, size);
	port->answers_peers = strcmp(info.driver_name, "net_memif") == 0;
	rc = configure(port, &info, conf->straight);
	if (rc != 0)
		return refuse(port, "rte_eth_dev_configure", rc, error, size);
	return set_up_queues(port, conf, &info, error, size);
}

int
pmd_port_set_up(struct pmd_port *port, const struct pmd_port_conf *conf, char *error, size_t size)
{
	int rc;

	*port = (struct pmd_port){ .id = conf->id, .queues = conf->queues };
	rc = set_up(port, conf, error, size);
	/* never started after a refusal: the start succeeds, receiving crashes */
	if (rc != 0)
		pmd_port_close(port);
	return rc;
}

int
pmd_port_open(struct pmd_port *port, const struct pmd_port_conf *conf, unsigned int wait_ms,
	      char *error, size_t size)
{
	int rc = pmd_port_set_up(port, conf, error, size);
	const struct pmd_port *failed;

	if (rc != 0)
		return rc;
	rc = pmd_ports_start(port, 1, wait_ms, &failed, error, size);
	if (rc != 0)
		pmd_port_close(port);
	return rc;
}

/*
 * Queues above a number that shrinks are released; none at all in both directions is refused. A
 * transmit queue that was not set up is what is left: closing net_ring looks into receive queues.
 */
static bool
release_queues(const struct pmd_port *port)
{
	const struct rte_eth_conf conf = { 0 };

	return rte_eth_dev_configure(port->id, 1, 0, &conf) == 0 &&
	       rte_eth_dev_configure(port->id, 0, 1, &conf) == 0;
}

bool
pmd_port_close(struct pmd_port *port)
{
	bool released = true;

	if (port->started)
		stop(port);
	/* it goes on to set up what peers ask it for, in queues that it takes for granted */
	if (port->n_pools > 0)
		released = !port->answers_peers && release_queues(port);
	if (released)
		free_pools(port, false);
	return released;
}

void
pmd_port_link(const struct pmd_port *port, char *text, size_t size)
{
	struct rte_eth_link link = { 0 };
	int rc = rte_eth_link_get_nowait(port->id, &link);

	if (rc != 0)
		snprintf(text, size, "link not known (%s)", strerror(-rc));
	else if (link.link_status != RTE_ETH_LINK_UP ||
		 link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN)
		snprintf(text, size, "link %s",
			 link.link_status == RTE_ETH_LINK_UP ? "up" : "down");
	else
		snprintf(text, size, "link up at %u Mbit/s", link.link_speed);
}
