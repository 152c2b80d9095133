/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PMD_FRAMES_H
#define PMD_FRAMES_H

/**
 * @file
 * Numbered frames: UDP between documentation addresses, with a magic number that tells those of
 * this set-up from all others, the lcore that sent them and a number.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_udp.h>

/** Sizes with the 4 bytes of FCS, which no mbuf holds; the wire adds preamble and gap. */
#define PMD_FRAME_MIN 64
#define PMD_FRAME_MAX 1518
#define PMD_WIRE_BYTES 20

/** The begin of each frame; what follows it is never looked at. */
struct pmd_frame {
	struct rte_ether_hdr ether;
	struct rte_ipv4_hdr ip;
	struct rte_udp_hdr udp;
	uint64_t magic;
	uint32_t source;
	uint32_t number;
} __rte_packed __rte_aligned(2);

/** What a frame that came in is. */
enum pmd_origin { PMD_OURS, PMD_FOREIGN, PMD_DUPLICATE };

#define PMD_SEEN 4096

/** Frames that came in lately, by source and number; begins with zeroes. */
struct pmd_seen {
	uint64_t tags[PMD_SEEN];
};

/** A frame of `size` bytes with FCS, from and to the port's own address; its numbers go on. */
void pmd_frame_init(struct pmd_frame *frame, uint16_t port, unsigned int size, uint64_t magic,
		    uint32_t source);

/** Make an mbuf, whatever it was, hold the frame with its next number. */
void pmd_frame_put(struct pmd_frame *frame, struct rte_mbuf *mbuf);

enum pmd_origin pmd_frame_origin(const struct rte_mbuf *mbuf, uint64_t magic,
				 struct pmd_seen *seen);

#endif /* PMD_FRAMES_H */
