/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* What frames of a round trip are on the wire, and which of those that come in are ours. */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <pingpong/frame.h>

#define SESSION UINT32_C(0xbeef1234)

/* An mbuf without a pool. */
struct buffer {
	struct rte_mbuf mbuf;
	uint8_t data[RTE_PKTMBUF_HEADROOM + PP_FRAME_MAX];
};

static const struct rte_ether_addr ping = { { 2, 0, 0, 0, 0, 1 } }, pong = { { 2, 0, 0, 0, 0, 2 } };
static const unsigned int sizes[] = { 0, 1, 15, 16, 17, 64, 1472 };
static struct buffer buffer;
static struct pp_template frame;

/* A frame of ping with that sequence, as it comes in. */
static struct rte_mbuf *
make(unsigned int payload, unsigned int tags, uint32_t sequence)
{
	const struct pp_shape shape = { .tags = tags,
					.tci = { tags > 1 ? 0x2fa1 : 0xe005, 0xe005 },
					.payload = payload,
					.session = SESSION };

	memset(&buffer, 0, sizeof(buffer));
	buffer.mbuf.buf_addr = buffer.data;
	buffer.mbuf.buf_len = sizeof(buffer.data);
	buffer.mbuf.data_off = RTE_PKTMBUF_HEADROOM;
	pp_template_init(&frame, &shape, PP_PING, &ping, &pong);
	buffer.mbuf.data_len = buffer.mbuf.pkt_len = frame.bytes;
	memcpy(rte_pktmbuf_mtod(&buffer.mbuf, void *), frame.frame, frame.bytes);
	pp_number(rte_pktmbuf_mtod(&buffer.mbuf, uint8_t *), &frame, sequence);
	return &buffer.mbuf;
}

static struct rte_ipv4_hdr *
find(const struct rte_mbuf *mbuf, uint64_t *retagged)
{
	return pp_ip_of(mbuf, &frame.shape, frame.shape.tags, retagged);
}

static uint8_t *
bytes_of(struct rte_mbuf *mbuf)
{
	return rte_pktmbuf_mtod(mbuf, uint8_t *);
}

/* 14 of Ethernet, 4 a tag, 20 of IPv4, 8 of UDP; 60 at least. */
static void
test_bytes(void **state)
{
	static const struct {
		unsigned int payload, tags, bytes;
	} cases[] = { { 0, 0, 60 },  { 18, 0, 60 },     { 19, 0, 61 },     { 0, 2, 60 },
		      { 18, 1, 64 }, { 1472, 0, 1514 }, { 1472, 1, 1518 }, { 1472, 2, 1522 } };

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++)
		assert_int_equal(make(cases[i].payload, cases[i].tags, 1)->pkt_len, cases[i].bytes);
}

/* Tags as the standards have them: TPID, then PCP and VID. */
static void
test_tags(void **state)
{
	static const uint8_t one[] = { 0x81, 0x00, 0xe0, 0x05, 0x08, 0x00 };
	static const uint8_t two[] = { 0x88, 0xa8, 0x2f, 0xa1, 0x81, 0x00, 0xe0, 0x05, 0x08, 0x00 };

	(void)state;
	assert_memory_equal(bytes_of(make(64, 1, 1)) + 12, one, sizeof(one));
	assert_memory_equal(bytes_of(make(64, 2, 1)) + 12, two, sizeof(two));
}

static void
test_round(void **state)
{
	static const uint32_t sequences[] = { 1, 2, 0xffff, 0x10000, 0xffffffff, 0 };
	const struct pp_flow there = pp_flow_of(SESSION, PP_PING);
	const struct pp_flow back = pp_flow_of(SESSION, PP_PONG);
	const struct pp_flow other = pp_flow_of(SESSION ^ 0x10000, PP_PING);
	uint64_t retagged = 0;
	uint32_t got;

	(void)state;
	for (unsigned int k = 0; k < RTE_DIM(sizes) * (PP_TAGS_MAX + 1) * RTE_DIM(sequences); k++) {
		const unsigned int tags = k % (PP_TAGS_MAX + 1);
		const uint32_t sequence = sequences[k / (PP_TAGS_MAX + 1) % RTE_DIM(sequences)];
		const unsigned int size = sizes[k / (PP_TAGS_MAX + 1) / RTE_DIM(sequences)];
		struct rte_mbuf *mbuf = make(size, tags, sequence);
		struct rte_ipv4_hdr *ip = find(mbuf, &retagged);

		assert_non_null(ip);
		assert_true(pp_is_of(ip, &there));
		assert_false(pp_is_of(ip, &back));
		assert_false(pp_is_of(ip, &other));
		/* one that is lost does not change which one this is */
		assert_true(pp_sequence_of(ip, mbuf, &frame.shape, sequence + 3, &got));
		assert_int_equal(got, sequence);
		/* no pattern of the sequence was written: it is that of 0, and the sums are right
		 */
		assert_true(pp_intact(ip, 0));
		pp_fill(bytes_of(mbuf), &frame, sequence);
		assert_true(pp_intact(ip, sequence));
		/* there and back the same sums hold */
		pp_turn((struct rte_ether_hdr *)bytes_of(mbuf), ip);
		assert_true(pp_intact(ip, sequence));
		assert_true(pp_is_of(ip, &back));
		assert_memory_equal(bytes_of(mbuf), &ping, sizeof(ping));
	}
	assert_int_equal(retagged, 0);
}

/* Any byte of the IPv4 packet that is changed shows: in the flow, the identity or the check. */
static void
test_corrupt(void **state)
{
	const struct pp_flow flow = pp_flow_of(SESSION, PP_PING);
	uint64_t retagged = 0;
	uint32_t got;

	(void)state;
	for (unsigned int size = 0; size < RTE_DIM(sizes); size++) {
		for (unsigned int at = 14; at < 14 + PP_HEADERS + sizes[size]; at++) {
			struct rte_mbuf *mbuf = make(sizes[size], 0, 7);
			struct rte_ipv4_hdr *ip;

			pp_fill(bytes_of(mbuf), &frame, 7);
			bytes_of(mbuf)[at] ^= 0x10;
			ip = find(mbuf, &retagged);
			if (ip != NULL && pp_is_of(ip, &flow) &&
			    pp_sequence_of(ip, mbuf, &frame.shape, 7, &got) && got == 7 &&
			    pp_intact(ip, 7))
				fail_msg("byte %u of %u", at, sizes[size]);
		}
	}
}

static void
test_cut_off(void **state)
{
	uint64_t retagged = 0;
	uint32_t got;

	(void)state;
	for (unsigned int bytes = 14; bytes < 14 + PP_HEADERS + 64; bytes++) {
		struct rte_mbuf *mbuf = make(64, 0, 1);
		struct rte_ipv4_hdr *ip;

		mbuf->data_len = mbuf->pkt_len = bytes;
		ip = find(mbuf, &retagged);
		assert_true((ip == NULL) == (bytes < 14 + PP_HEADERS));
		assert_true(ip == NULL || !pp_sequence_of(ip, mbuf, &frame.shape, 1, &got));
	}
}

/* As drivers give tags: taken off, of another TPID, of another VLAN, with the bit for dropping. */
static void
test_tags_that_came(void **state)
{
	uint64_t retagged = 0;

	(void)state;
	for (unsigned int tags = 1; tags <= PP_TAGS_MAX; tags++) {
		struct rte_mbuf *mbuf = make(64, tags, 1);
		uint8_t *frame_bytes = bytes_of(mbuf), sent[PP_FRAME_MAX];

		memcpy(sent, frame_bytes, frame.bytes);
		frame_bytes[14] ^= 0x10;
		assert_non_null(find(mbuf, &retagged));
		frame_bytes[14] ^= 0x20;
		assert_null(find(mbuf, &retagged));
		frame_bytes[14] ^= 0x30;
		frame_bytes[15] ^= 1;
		assert_null(find(mbuf, &retagged));
		frame_bytes[15] ^= 1;
		/* taken off, and put back */
		mbuf->vlan_tci = frame.shape.tci[0];
		memmove(frame_bytes + 4, frame_bytes, 12);
		rte_pktmbuf_adj(mbuf, 4);
		assert_null(find(mbuf, &retagged));
		mbuf->ol_flags = RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
		assert_non_null(find(mbuf, &retagged));
		assert_true(pp_retag(mbuf, tags));
		assert_int_equal(mbuf->pkt_len, frame.bytes);
		assert_memory_equal(bytes_of(mbuf), sent, frame.bytes);
	}
	assert_int_equal(retagged, 0);
	bytes_of(&buffer.mbuf)[12] = 0x81;
	bytes_of(&buffer.mbuf)[13] = 0x00;
	assert_non_null(find(&buffer.mbuf, &retagged));
	assert_int_equal(retagged, 1);
	/* a tag where none is sent is none of ours */
	make(64, 0, 1)->ol_flags = RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	assert_null(find(&buffer.mbuf, &retagged));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),   cmocka_unit_test(test_tags),
		cmocka_unit_test(test_round),   cmocka_unit_test(test_corrupt),
		cmocka_unit_test(test_cut_off), cmocka_unit_test(test_tags_that_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
