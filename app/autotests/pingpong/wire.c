/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "wire.h"

#include <string.h>

static uint16_t
wire_rx(void *queue, struct rte_mbuf **mbufs, uint16_t n)
{
	struct pp_wire *wire = queue;

	wire->rig->pong_fn(wire->rig->pong);
	return wire->rx(wire->rx_queue, mbufs, n);
}

static uint16_t
forward(struct pp_wire *wire, struct rte_mbuf *mbuf)
{
	return wire->tx(wire->tx_queue, &mbuf, 1);
}

static void
forward_copy(struct pp_wire *wire, const struct rte_mbuf *mbuf, unsigned int damaged_at)
{
	struct rte_mbuf *copy = rte_pktmbuf_copy(mbuf, mbuf->pool, 0, UINT32_MAX);

	if (copy == NULL)
		return;
	if (damaged_at > 0)
		rte_pktmbuf_mtod(copy, uint8_t *)[damaged_at] ^= 1;
	if (forward(wire, copy) == 0)
		rte_pktmbuf_free(copy);
}

static void
release(struct pp_wire *wire)
{
	if (wire->held != NULL && forward(wire, wire->held) == 0)
		rte_pktmbuf_free(wire->held);
	wire->held = NULL;
}

/* The address of ping, which is part of the session. */
static unsigned int
session_at(const struct pp_wire *wire)
{
	return wire->rig->ping->frame.ip_at + offsetof(struct rte_ipv4_hdr, src_addr) + 3;
}

/* The last byte of the payload; the driver accepts all. */
static unsigned int
payload_end(const struct pp_wire *wire)
{
	const struct pp_template *t = &wire->rig->ping->frame;

	return t->ip_at + PP_HEADERS + t->shape.payload - 1;
}

static uint16_t
mishap(struct pp_wire *wire, struct rte_mbuf *mbuf)
{
	switch (wire->kind) {
	case PP_WIRE_DROPS:
		rte_pktmbuf_free(mbuf);
		return 1;
	case PP_WIRE_DOUBLES:
		forward_copy(wire, mbuf, 0);
		break;
	case PP_WIRE_DELAYS:
		wire->held = mbuf;
		return 1;
	case PP_WIRE_DAMAGES:
		forward_copy(wire, mbuf, payload_end(wire));
		rte_pktmbuf_free(mbuf);
		return 1;
	case PP_WIRE_REFUSES:
		return 0;
	case PP_WIRE_STRANGES:
		forward_copy(wire, mbuf, session_at(wire));
		break;
	case PP_WIRE_GOOD:
		break;
	}
	return forward(wire, mbuf);
}

static uint16_t
wire_tx(void *queue, struct rte_mbuf **mbufs, uint16_t n)
{
	struct pp_wire *wire = queue;

	if (n != 1)
		return 0;
	release(wire);
	if (wire->refused) {
		wire->refused = false;
		return forward(wire, mbufs[0]);
	}
	wire->sent++;
	if (wire->every == 0 || wire->sent % wire->every != 0)
		return forward(wire, mbufs[0]);
	wire->done++;
	wire->refused = wire->kind == PP_WIRE_REFUSES;
	return mishap(wire, mbufs[0]);
}

void
pp_wire_lay(struct pp_wire *wire, struct pp_rig *rig, enum pp_wire_kind kind, unsigned int every)
{
	struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[rig->ping->port];

	*wire = (struct pp_wire){ .rig = rig,
				  .kind = kind,
				  .every = every,
				  .rx = ops->rx_pkt_burst,
				  .tx = ops->tx_pkt_burst,
				  .rx_queue = ops->rxq.data[0],
				  .tx_queue = ops->txq.data[0] };
	ops->rx_pkt_burst = wire_rx;
	ops->tx_pkt_burst = wire_tx;
	ops->rxq.data[0] = ops->txq.data[0] = wire;
}

void
pp_wire_cut(struct pp_wire *wire)
{
	struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[wire->rig->ping->port];

	release(wire);
	ops->rx_pkt_burst = wire->rx;
	ops->tx_pkt_burst = wire->tx;
	ops->rxq.data[0] = wire->rx_queue;
	ops->txq.data[0] = wire->tx_queue;
}
