/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "frame.h"

#include <string.h>

/* 198.18.0.0/15, RFC 2544; RFC 862 */
#define PING_NET RTE_IPV4(198U, 18U, 0U, 0U)
#define PONG_NET RTE_IPV4(198U, 19U, 0U, 0U)
#define ECHO_PORT 7
#define PORT_FIRST 49152
#define PORT_MASK 0x3fff
#define TTL 64

unsigned int
pp_frame_bytes(const struct pp_shape *shape)
{
	return RTE_MAX(pp_ip_offset(shape->tags) + (unsigned int)PP_HEADERS + shape->payload,
		       (unsigned int)PP_FRAME_MIN);
}

struct pp_flow
pp_flow_of(uint32_t session, enum pp_role from)
{
	const rte_be32_t ping = rte_cpu_to_be_32(PING_NET | (session >> 16));
	const rte_be32_t pong = rte_cpu_to_be_32(PONG_NET | (session >> 16));
	const rte_be16_t port = rte_cpu_to_be_16(PORT_FIRST | (session & PORT_MASK));

	if (from == PP_PING)
		return (struct pp_flow){ ping, pong, port, RTE_BE16(ECHO_PORT) };
	return (struct pp_flow){ pong, ping, RTE_BE16(ECHO_PORT), port };
}

/* In network order: each type stands before what it is the type of. */
static void
put_tags(uint8_t *frame, const struct pp_shape *shape)
{
	rte_be16_t *at = (rte_be16_t *)&frame[2 * RTE_ETHER_ADDR_LEN];

	for (unsigned int i = 0; i < shape->tags; i++) {
		*at++ = i == 0 && shape->tags > 1 ? RTE_BE16(RTE_ETHER_TYPE_QINQ)
						  : RTE_BE16(RTE_ETHER_TYPE_VLAN);
		*at++ = rte_cpu_to_be_16(shape->tci[i]);
	}
	*at = RTE_BE16(RTE_ETHER_TYPE_IPV4);
}

static void
put_headers(struct rte_ipv4_hdr *ip, const struct pp_shape *shape, enum pp_role from)
{
	const struct pp_flow flow = pp_flow_of(shape->session, from);
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip + 1);

	ip->version_ihl = RTE_IPV4_VHL_DEF;
	ip->total_length = rte_cpu_to_be_16(PP_HEADERS + shape->payload);
	ip->time_to_live = TTL;
	ip->next_proto_id = IPPROTO_UDP;
	ip->src_addr = flow.src_addr;
	ip->dst_addr = flow.dst_addr;
	udp->src_port = flow.src_port;
	udp->dst_port = flow.dst_port;
	udp->dgram_len = rte_cpu_to_be_16(sizeof(*udp) + shape->payload);
}

void
pp_template_init(struct pp_template *t, const struct pp_shape *shape, enum pp_role from,
		 const struct rte_ether_addr *src, const struct rte_ether_addr *dst)
{
	struct rte_ether_hdr *ether = (struct rte_ether_hdr *)t->frame;
	struct rte_ipv4_hdr *ip;

	memset(t, 0, sizeof(*t));
	t->shape = *shape;
	t->bytes = pp_frame_bytes(shape);
	t->ip_at = pp_ip_offset(shape->tags);
	ether->src_addr = *src;
	ether->dst_addr = *dst;
	put_tags(t->frame, shape);
	ip = (struct rte_ipv4_hdr *)&t->frame[t->ip_at];
	put_headers(ip, shape, from);
	if (shape->payload >= sizeof(struct pp_ident)) {
		struct pp_ident *ident = (struct pp_ident *)((uint8_t *)ip + PP_HEADERS);

		ident->magic = RTE_BE32(PP_MAGIC);
		ident->session = rte_cpu_to_be_32(shape->session);
	}
	t->ip_sum = rte_raw_cksum(ip, sizeof(*ip));
	pp_number(t->frame, t, 0);
	pp_fill(t->frame, t, 0);
}

static unsigned int
pattern_at(unsigned int payload)
{
	return payload >= sizeof(struct pp_ident) ? sizeof(struct pp_ident) : 0;
}

void
pp_sum(uint8_t *frame, const struct pp_template *t)
{
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)&frame[t->ip_at];
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip + 1);

	udp->dgram_cksum = 0;
	udp->dgram_cksum = rte_ipv4_udptcp_cksum(ip, udp);
}

void
pp_fill(uint8_t *frame, const struct pp_template *t, uint32_t sequence)
{
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)&frame[t->ip_at];
	uint8_t *payload = (uint8_t *)ip + PP_HEADERS;

	for (unsigned int i = pattern_at(t->shape.payload); i < t->shape.payload; i++)
		payload[i] = pp_pattern(sequence, i);
	pp_sum(frame, t);
}

bool
pp_sums_right(const struct rte_ipv4_hdr *ip)
{
	const struct rte_udp_hdr *udp = (const struct rte_udp_hdr *)(ip + 1);
	const unsigned int bytes = rte_be_to_cpu_16(ip->total_length) - sizeof(*ip);
	const uint32_t sum = (uint32_t)rte_raw_cksum(udp, bytes) + rte_ipv4_phdr_cksum(ip, 0);

	return rte_raw_cksum(ip, sizeof(*ip)) == 0xffff &&
	       (uint16_t)((sum & 0xffff) + (sum >> 16)) == 0xffff;
}

bool
pp_intact(const struct rte_ipv4_hdr *ip, uint32_t pattern)
{
	const uint8_t *payload = (const uint8_t *)ip + PP_HEADERS;
	const unsigned int bytes = rte_be_to_cpu_16(ip->total_length) - PP_HEADERS;

	for (unsigned int i = pattern_at(bytes); i < bytes; i++) {
		if (payload[i] != pp_pattern(pattern, i))
			return false;
	}
	return pp_sums_right(ip);
}

bool
pp_retag(struct rte_mbuf *mbuf, unsigned int tags)
{
	const unsigned int macs = 2 * RTE_ETHER_ADDR_LEN;
	const rte_be16_t tpid =
		tags > 1 ? RTE_BE16(RTE_ETHER_TYPE_QINQ) : RTE_BE16(RTE_ETHER_TYPE_VLAN);
	const rte_be16_t tci = rte_cpu_to_be_16(mbuf->vlan_tci);
	char *at = rte_pktmbuf_prepend(mbuf, sizeof(struct rte_vlan_hdr));

	if (at == NULL)
		return false;
	memmove(at, at + sizeof(struct rte_vlan_hdr), macs);
	memcpy(at + macs, &tpid, sizeof(tpid));
	memcpy(at + macs + sizeof(tpid), &tci, sizeof(tci));
	mbuf->ol_flags &= ~(RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED);
	return true;
}
