/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "pmd_frames.h"

#include <string.h>

#include <rte_ethdev.h>

/* RFC 5737 and RFC 863 */
#define SOURCE_IP RTE_IPV4(192U, 0U, 2U, 1U)
#define TARGET_IP RTE_IPV4(198U, 51U, 100U, 1U)
#define DISCARD_PORT 9
#define TTL 64
/* Flows that queues can be chosen by. */
#define FLOWS 256

static_assert(sizeof(struct pmd_frame) <= PMD_FRAME_MIN - RTE_ETHER_CRC_LEN,
	      "fits the smallest frame");

void
pmd_frame_init(struct pmd_frame *frame, uint16_t port, unsigned int size, uint64_t magic,
	       uint32_t source)
{
	unsigned int ip_bytes = size - RTE_ETHER_CRC_LEN - sizeof(frame->ether);

	uint32_t number = frame->number;

	memset(frame, 0, sizeof(*frame));
	frame->number = number;
	rte_eth_macaddr_get(port, &frame->ether.src_addr);
	frame->ether.dst_addr = frame->ether.src_addr;
	frame->ether.ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV4);
	frame->ip.version_ihl = RTE_IPV4_VHL_DEF;
	frame->ip.total_length = rte_cpu_to_be_16(ip_bytes);
	frame->ip.time_to_live = TTL;
	frame->ip.next_proto_id = IPPROTO_UDP;
	frame->ip.src_addr = RTE_BE32(SOURCE_IP);
	frame->ip.dst_addr = RTE_BE32(TARGET_IP);
	frame->ip.hdr_checksum = rte_ipv4_cksum(&frame->ip);
	frame->udp.dst_port = RTE_BE16(DISCARD_PORT);
	frame->udp.dgram_len = rte_cpu_to_be_16(ip_bytes - sizeof(frame->ip));
	frame->magic = magic;
	frame->source = source;
}

void
pmd_frame_put(struct pmd_frame *frame, struct rte_mbuf *mbuf)
{
	unsigned int bytes = rte_be_to_cpu_16(frame->ip.total_length) + sizeof(frame->ether);

	frame->number++;
	frame->udp.src_port = rte_cpu_to_be_16(RTE_ETHER_MTU + frame->number % FLOWS);
	rte_pktmbuf_reset(mbuf);
	mbuf->data_len = bytes;
	mbuf->pkt_len = bytes;
	memcpy(rte_pktmbuf_mtod(mbuf, void *), frame, sizeof(*frame));
}

enum pmd_origin
pmd_frame_origin(const struct rte_mbuf *mbuf, uint64_t magic, struct pmd_seen *seen)
{
	const struct pmd_frame *frame = rte_pktmbuf_mtod(mbuf, const struct pmd_frame *);
	uint64_t tag, *slot;

	if (mbuf->data_len < sizeof(*frame) || frame->magic != magic)
		return PMD_FOREIGN;
	/* numbers begin with 1, so that no tag is 0 */
	tag = (uint64_t)frame->source << 32 | frame->number;
	slot = &seen->tags[(frame->number + frame->source * UINT64_C(2654435761)) % PMD_SEEN];
	if (*slot == tag)
		return PMD_DUPLICATE;
	*slot = tag;
	return PMD_OURS;
}
