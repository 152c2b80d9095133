/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "control.h"

#include <stddef.h>
#include <string.h>

#define MAGIC UINT32_C(0x53505043)
/* The session of those that have none yet. */
#define SESSION 0

static const struct pp_shape shape = { .payload = sizeof(struct pp_control), .session = SESSION };

bool
pp_control_send(uint16_t port, struct rte_mempool *pool, enum pp_role from,
		const struct rte_ether_addr *to, const struct pp_control *c)
{
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);
	struct rte_ether_addr own;
	struct pp_template t;
	struct pp_control text = *c;

	if (mbuf == NULL)
		return false;
	text.magic = RTE_BE32(MAGIC);
	rte_eth_macaddr_get(port, &own);
	pp_template_init(&t, &shape, from, &own, to);
	memcpy(&t.frame[t.ip_at + PP_HEADERS], &text, sizeof(text));
	pp_sum(t.frame, &t);
	memcpy(rte_pktmbuf_mtod(mbuf, void *), t.frame, t.bytes);
	mbuf->data_len = mbuf->pkt_len = t.bytes;
	if (rte_eth_tx_burst(port, 0, &mbuf, 1) == 1)
		return true;
	rte_pktmbuf_free(mbuf);
	return false;
}

/* What versions have in common, and of ours all. */
static bool
read_text(const uint8_t *text, unsigned int bytes, struct pp_control *c)
{
	if (bytes < offsetof(struct pp_control, tags))
		return false;
	memset(c, 0, sizeof(*c));
	memcpy(c, text, RTE_MIN(bytes, sizeof(*c)));
	c->reason[sizeof(c->reason) - 1] = '\0';
	return c->magic == RTE_BE32(MAGIC) &&
	       (c->version != RTE_BE16(PP_VERSION) || bytes >= sizeof(*c));
}

bool
pp_control_read(const struct rte_mbuf *mbuf, enum pp_role from, struct pp_control *c,
		struct rte_ether_addr *sender)
{
	const struct pp_flow flow = pp_flow_of(SESSION, from);
	const struct rte_ipv4_hdr *ip;
	uint64_t retagged = 0;
	unsigned int total;

	ip = pp_ip_of(mbuf, &shape, 0, &retagged);
	if (ip == NULL || !pp_is_of(ip, &flow))
		return false;
	total = rte_be_to_cpu_16(ip->total_length);
	if (total < PP_HEADERS || mbuf->data_len < pp_ip_offset(0) + total || !pp_sums_right(ip))
		return false;
	*sender = rte_pktmbuf_mtod(mbuf, const struct rte_ether_hdr *)->src_addr;
	return read_text((const uint8_t *)ip + PP_HEADERS, total - PP_HEADERS, c);
}
