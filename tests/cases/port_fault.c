/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/*
 * Preloaded: ports that are worse than those of the drivers at hand. PORT_FAULT is
 *   NAME=RC        the call of that name returns RC
 *   lpbk_mode=RC   as rte_eth_dev_configure, if it is asked to loop back
 *   data_room=N    the driver needs buffers of N bytes, and does not say so
 *   descs_max=N    its queues have no more descriptors
 *   queues_max=N   it has no more queues
 *   socket=N       its device is on socket N
 *   link_up_ms=MS  the link is down for so long after the start
 *   link_lost=1    the link stays down after a later start
 *   rx=0, tx=0     nothing comes in, nothing is accepted
 *   drop=N         one packet of N is accepted and lost; how many were, is said in the end
 *   double=1       each packet is sent twice
 *   rx_cycles=N    each receive takes so many TSC cycles more
 *   tx_cycles=N    each send takes so many TSC cycles more
 */

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

/* of the port that was started last: all have the same driver */
static eth_rx_burst_t real_rx;
static eth_tx_burst_t real_tx;
static uint64_t started;
static unsigned int starts;
static _Atomic unsigned int dropped;

/* The value of a fault, if PORT_FAULT names it. */
static int
is_fault(const char *name, long *value)
{
	const char *fault = getenv("PORT_FAULT");
	size_t n = strlen(name);

	if (fault == NULL || strncmp(fault, name, n) != 0 || fault[n] != '=')
		return 0;
	*value = strtol(fault + n + 1, NULL, 0);
	return 1;
}

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

static uint16_t
no_rx(void *queue, struct rte_mbuf **mbufs, uint16_t n)
{
	(void)queue;
	(void)mbufs;
	(void)n;
	return 0;
}

static uint16_t
no_tx(void *queue, struct rte_mbuf **mbufs, uint16_t n)
{
	return no_rx(queue, mbufs, n);
}

/* Until the cycles of a fault have passed since then. */
static void
spend(const char *fault, uint64_t begin)
{
	long cycles = 0;

	is_fault(fault, &cycles);
	while (rte_rdtsc() < begin + cycles)
		;
}

static uint16_t
slow_rx(void *queue, struct rte_mbuf **mbufs, uint16_t n)
{
	uint64_t begin = rte_rdtsc();

	n = real_rx(queue, mbufs, n);
	spend("rx_cycles", begin);
	return n;
}

static uint16_t
slow_tx(void *queue, struct rte_mbuf **mbufs, uint16_t n)
{
	spend("tx_cycles", rte_rdtsc());
	return real_tx(queue, mbufs, n);
}

static uint16_t
dropping_tx(void *queue, struct rte_mbuf **mbufs, uint16_t n)
{
	static _Atomic unsigned int sent;
	long one_of = 1;

	is_fault("drop", &one_of);
	for (uint16_t i = 0; i < n; i++) {
		if ((atomic_fetch_add_explicit(&sent, 1, memory_order_relaxed) + 1) % one_of == 0) {
			atomic_fetch_add_explicit(&dropped, 1, memory_order_relaxed);
			rte_pktmbuf_free(mbufs[i]);
		} else if (real_tx(queue, &mbufs[i], 1) == 0) {
			return i;
		}
	}
	return n;
}

static void __attribute__((destructor)) say_dropped(void)
{
	long value;

	if (is_fault("drop", &value))
		fprintf(stderr, "%u dropped\n", dropped);
}

static uint16_t
doubling_tx(void *queue, struct rte_mbuf **mbufs, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *copy = rte_pktmbuf_copy(mbufs[i], mbufs[i]->pool, 0, UINT32_MAX);

		if (copy != NULL && real_tx(queue, &copy, 1) == 0)
			rte_pktmbuf_free(copy);
		if (real_tx(queue, &mbufs[i], 1) == 0)
			return i;
	}
	return n;
}

static void
wrap(uint16_t port)
{
	struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[port];
	long value;

	real_rx = ops->rx_pkt_burst;
	real_tx = ops->tx_pkt_burst;
	if (is_fault("rx", &value))
		ops->rx_pkt_burst = no_rx;
	if (is_fault("tx", &value))
		ops->tx_pkt_burst = no_tx;
	if (is_fault("rx_cycles", &value))
		ops->rx_pkt_burst = slow_rx;
	if (is_fault("tx_cycles", &value))
		ops->tx_pkt_burst = slow_tx;
	if (is_fault("drop", &value))
		ops->tx_pkt_burst = dropping_tx;
	if (is_fault("double", &value))
		ops->tx_pkt_burst = doubling_tx;
}

int
rte_eth_dev_start(uint16_t port)
{
	long value;
	int rc;

	if (is_fault("rte_eth_dev_start", &value))
		return value;
	rc = REAL(rte_eth_dev_start)(port);
	started = rte_rdtsc();
	starts++;
	if (rc == 0)
		wrap(port);
	return rc;
}

int
rte_eth_dev_configure(uint16_t port, uint16_t n_rx, uint16_t n_tx, const struct rte_eth_conf *conf)
{
	long value;

	if (is_fault("rte_eth_dev_configure", &value))
		return value;
	if (is_fault("lpbk_mode", &value) && conf->lpbk_mode != 0)
		return value;
	return REAL(rte_eth_dev_configure)(port, n_rx, n_tx, conf);
}

int
rte_eth_rx_queue_setup(uint16_t port, uint16_t queue, uint16_t descs, unsigned int socket,
		       const struct rte_eth_rxconf *conf, struct rte_mempool *pool)
{
	long value;

	if (is_fault("rte_eth_rx_queue_setup", &value))
		return value;
	if (is_fault("data_room", &value) && rte_pktmbuf_data_room_size(pool) < value)
		return -ENOMEM;
	return REAL(rte_eth_rx_queue_setup)(port, queue, descs, socket, conf, pool);
}

int
rte_eth_tx_queue_setup(uint16_t port, uint16_t queue, uint16_t descs, unsigned int socket,
		       const struct rte_eth_txconf *conf)
{
	long value;

	if (is_fault("rte_eth_tx_queue_setup", &value))
		return value;
	return REAL(rte_eth_tx_queue_setup)(port, queue, descs, socket, conf);
}

int
rte_eth_link_get_nowait(uint16_t port, struct rte_eth_link *link)
{
	int rc = REAL(rte_eth_link_get_nowait)(port, link);
	long value;

	if ((is_fault("link_up_ms", &value) &&
	     rte_rdtsc() - started < rte_get_tsc_hz() / 1000 * (uint64_t)value) ||
	    (is_fault("link_lost", &value) && starts > 1))
		link->link_status = RTE_ETH_LINK_DOWN;
	return rc;
}

int
rte_eth_dev_socket_id(uint16_t port)
{
	long value;

	return is_fault("socket", &value) ? (int)value : REAL(rte_eth_dev_socket_id)(port);
}

int
rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info)
{
	int rc = REAL(rte_eth_dev_info_get)(port, info);
	long value;

	if (is_fault("descs_max", &value))
		info->rx_desc_lim.nb_max = info->tx_desc_lim.nb_max = value;
	if (is_fault("queues_max", &value))
		info->max_rx_queues = info->max_tx_queues = value;
	return rc;
}
