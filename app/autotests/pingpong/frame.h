/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PINGPONG_FRAME_H
#define PINGPONG_FRAME_H

/**
 * @file
 * What travels: UDP between addresses for benchmarks (RFC 2544), with up to two tags. The session
 * stands in addresses and ports, the role in their direction, so that whoever answers only swaps
 * them and no checksum changes. The low 16 bits of the sequence are the IP id; a payload of 16
 * bytes and more begins with all of it.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_udp.h>

#define PP_TAGS_MAX 2
#define PP_HEADERS (sizeof(struct rte_ipv4_hdr) + sizeof(struct rte_udp_hdr))
/** Without FCS; what is shorter is padded, as on the wire. */
#define PP_FRAME_MIN (RTE_ETHER_MIN_LEN - RTE_ETHER_CRC_LEN)
/** One mbuf of the default size holds it. */
#define PP_FRAME_MAX RTE_MBUF_DEFAULT_DATAROOM
#define PP_MAGIC UINT32_C(0x50494e47)
/** VID and PCP: the drop-eligible bit is for switches to set. */
#define PP_TCI_MASK 0xefff

/** How frames look; the outermost tag first. */
struct pp_shape {
	unsigned int tags;
	uint16_t tci[PP_TAGS_MAX];
	uint16_t payload;
	uint32_t session;
};

/** The begin of a payload that has room for it. The complement keeps the UDP checksum the same. */
struct pp_ident {
	rte_be32_t magic, session, sequence, complement;
} __rte_packed;

/** The part of the headers by which frames of a session are told from all others. */
struct pp_flow {
	rte_be32_t src_addr, dst_addr;
	rte_be16_t src_port, dst_port;
};

/** A frame to be sent again and again, and what changes in it. */
struct pp_template {
	struct pp_shape shape;
	unsigned int bytes, ip_at;
	uint16_t ip_sum; /* of the header, id and checksum being 0 */
	uint8_t frame[PP_FRAME_MAX];
};

enum pp_role { PP_PING, PP_PONG };

static inline unsigned int
pp_ip_offset(unsigned int tags)
{
	return sizeof(struct rte_ether_hdr) + tags * sizeof(struct rte_vlan_hdr);
}

/** Bytes of a frame, padding included. */
unsigned int pp_frame_bytes(const struct pp_shape *shape);

/** The flow from that role to the other one. */
struct pp_flow pp_flow_of(uint32_t session, enum pp_role from);

/** Byte `at` of the payload of a frame, behind what identifies it. */
static inline uint8_t
pp_pattern(uint32_t sequence, unsigned int at)
{
	return (sequence * UINT32_C(2654435761) + at * UINT32_C(40503)) >> 8;
}

/** Make a template of frames from that role; the payload is the pattern of sequence 0. */
void pp_template_init(struct pp_template *t, const struct pp_shape *shape, enum pp_role from,
		      const struct rte_ether_addr *src, const struct rte_ether_addr *dst);

/** Write the payload's pattern of a sequence, and the checksum that it needs. */
void pp_fill(uint8_t *frame, const struct pp_template *t, uint32_t sequence);

/** Is the payload the pattern of `pattern`, and are both checksums right? */
bool pp_intact(const struct rte_ipv4_hdr *ip, uint32_t pattern);

/** Write the UDP checksum of a frame. */
void pp_sum(uint8_t *frame, const struct pp_template *t);

/** Are both checksums right? */
bool pp_sums_right(const struct rte_ipv4_hdr *ip);

/** Write a sequence where it stands. */
static __rte_always_inline void
pp_number(uint8_t *frame, const struct pp_template *t, uint32_t sequence)
{
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)&frame[t->ip_at];
	const rte_be16_t id = rte_cpu_to_be_16((uint16_t)sequence);
	uint32_t sum = (uint32_t)t->ip_sum + id;

	ip->packet_id = id;
	ip->hdr_checksum = ~((sum & 0xffff) + (sum >> 16));
	if (t->shape.payload >= sizeof(struct pp_ident)) {
		struct pp_ident *ident = (struct pp_ident *)((uint8_t *)ip + PP_HEADERS);

		ident->sequence = rte_cpu_to_be_32(sequence);
		ident->complement = ~ident->sequence;
	}
}

/**
 * The IPv4 header of a frame with these tags, the outermost of which the driver may have taken off;
 * NULL: it is no such frame. `retagged` is added to if the outer TPID came as 0x8100.
 */
static __rte_always_inline struct rte_ipv4_hdr *
pp_ip_of(const struct rte_mbuf *mbuf, const struct pp_shape *shape, const unsigned int tags,
	 uint64_t *retagged)
{
	const bool stripped = (mbuf->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0;
	uint8_t *at = rte_pktmbuf_mtod(mbuf, uint8_t *);
	rte_be16_t type = ((struct rte_ether_hdr *)at)->ether_type;

	if (unlikely((stripped && tags == 0) ||
		     mbuf->data_len < pp_ip_offset(tags - (tags > 0 && stripped)) + PP_HEADERS))
		return NULL;
	at += sizeof(struct rte_ether_hdr);
	for (unsigned int i = 0; i < tags; i++) {
		const struct rte_vlan_hdr *tag = (const struct rte_vlan_hdr *)at;
		const bool taken_off = i == 0 && stripped;
		const uint16_t tci = taken_off ? mbuf->vlan_tci : rte_be_to_cpu_16(tag->vlan_tci);

		if ((tci ^ shape->tci[i]) & PP_TCI_MASK)
			return NULL;
		if (taken_off)
			continue;
		if (type != RTE_BE16(RTE_ETHER_TYPE_VLAN) &&
		    !(tags > 1 && i == 0 && type == RTE_BE16(RTE_ETHER_TYPE_QINQ)))
			return NULL;
		if (tags > 1 && i == 0)
			*retagged += type == RTE_BE16(RTE_ETHER_TYPE_VLAN);
		type = tag->eth_proto;
		at += sizeof(*tag);
	}
	return likely(type == RTE_BE16(RTE_ETHER_TYPE_IPV4)) ? (struct rte_ipv4_hdr *)at : NULL;
}

/** Is it of that flow? */
static __rte_always_inline bool
pp_is_of(const struct rte_ipv4_hdr *ip, const struct pp_flow *flow)
{
	const struct rte_udp_hdr *udp = (const struct rte_udp_hdr *)(ip + 1);

	return ip->version_ihl == RTE_IPV4_VHL_DEF && ip->next_proto_id == IPPROTO_UDP &&
	       ip->src_addr == flow->src_addr && ip->dst_addr == flow->dst_addr &&
	       udp->src_port == flow->src_port && udp->dst_port == flow->dst_port;
}

/**
 * The sequence that a frame of our flow has; false if it has none that makes sense. Short payloads
 * have its low bits, and it is one near `expected`.
 */
static __rte_always_inline bool
pp_sequence_of(const struct rte_ipv4_hdr *ip, const struct rte_mbuf *mbuf,
	       const struct pp_shape *shape, uint32_t expected, uint32_t *sequence)
{
	const struct pp_ident *ident = (const struct pp_ident *)((const uint8_t *)ip + PP_HEADERS);
	const unsigned int at = (const uint8_t *)ip - rte_pktmbuf_mtod(mbuf, const uint8_t *);
	const uint16_t id = rte_be_to_cpu_16(ip->packet_id);
	const unsigned int total = rte_be_to_cpu_16(ip->total_length);

	if (unlikely(total != PP_HEADERS + shape->payload || mbuf->data_len < at + total))
		return false;
	if (shape->payload < sizeof(*ident)) {
		*sequence = expected - (uint16_t)((uint16_t)expected - id);
		return true;
	}
	*sequence = rte_be_to_cpu_32(ident->sequence);
	return ident->magic == RTE_BE32(PP_MAGIC) &&
	       ident->session == rte_cpu_to_be_32(shape->session) &&
	       ident->sequence == (rte_be32_t)~ident->complement && (uint16_t)*sequence == id;
}

/** Send a frame back: whoever it came from gets it. */
static __rte_always_inline void
pp_turn(struct rte_ether_hdr *ether, struct rte_ipv4_hdr *ip)
{
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip + 1);
	struct rte_ether_addr mac = ether->src_addr;
	rte_be32_t addr = ip->src_addr;
	rte_be16_t port = udp->src_port;

	ether->src_addr = ether->dst_addr;
	ether->dst_addr = mac;
	ip->src_addr = ip->dst_addr;
	ip->dst_addr = addr;
	udp->src_port = udp->dst_port;
	udp->dst_port = port;
}

/** Put a tag back that the driver took off. False: there is no room. */
bool pp_retag(struct rte_mbuf *mbuf, unsigned int tags);

#endif /* PINGPONG_FRAME_H */
