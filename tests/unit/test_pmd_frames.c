/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* What a numbered frame is on the wire, and how one that came in is told from others. */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <pmd_frames.h>

#define MAGIC UINT64_C(0x123456789abcdef0)

/* An mbuf without a pool. */
struct buffer {
	struct rte_mbuf mbuf;
	uint8_t data[RTE_PKTMBUF_HEADROOM + 2048];
};

static struct rte_mbuf *
mbuf_of(struct buffer *buffer)
{
	memset(buffer, 0, sizeof(*buffer));
	buffer->mbuf.buf_addr = buffer->data;
	buffer->mbuf.buf_len = sizeof(buffer->data);
	return &buffer->mbuf;
}

/* No such port is there: its address is zeroes. */
static void
init(struct pmd_frame *frame, unsigned int size, uint32_t source)
{
	pmd_frame_init(frame, RTE_MAX_ETHPORTS, size, MAGIC, source);
}

/* RFC 2544 counts the FCS, mbufs do not: 64 bytes are 60; 46 of them IPv4, of these 26 UDP. */
static void
test_sizes(void **state)
{
	static const struct {
		unsigned int size, bytes, ip, udp;
	} cases[] = { { 64, 60, 46, 26 }, { 512, 508, 494, 474 }, { 1518, 1514, 1500, 1480 } };
	static struct buffer buffer;
	struct pmd_frame frame = { .number = 0 };

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct rte_mbuf *mbuf = mbuf_of(&buffer);
		const struct pmd_frame *sent;

		init(&frame, cases[i].size, 0);
		pmd_frame_put(&frame, mbuf);
		sent = rte_pktmbuf_mtod(mbuf, const struct pmd_frame *);
		assert_int_equal(mbuf->pkt_len, cases[i].bytes);
		assert_int_equal(mbuf->data_len, cases[i].bytes);
		assert_int_equal(rte_be_to_cpu_16(sent->ip.total_length), cases[i].ip);
		assert_int_equal(rte_be_to_cpu_16(sent->udp.dgram_len), cases[i].udp);
		/* the sum of a header with its checksum is 0, complemented */
		assert_int_equal(rte_raw_cksum(&sent->ip, sizeof(sent->ip)), 0xffff);
		assert_int_equal(sent->number, i + 1);
	}
}

static void
test_origin(void **state)
{
	static struct buffer buffer;
	static struct pmd_seen seen;
	struct pmd_frame frame = { .number = 0 }, other = { .number = 0 };
	struct rte_mbuf *mbuf = mbuf_of(&buffer);

	(void)state;
	init(&frame, 64, 3);
	init(&other, 64, 4);
	for (unsigned int i = 0; i < 3 * PMD_SEEN; i++) {
		pmd_frame_put(&frame, mbuf);
		assert_int_equal(pmd_frame_origin(mbuf, MAGIC, &seen), PMD_OURS);
		assert_int_equal(pmd_frame_origin(mbuf, MAGIC, &seen), PMD_DUPLICATE);
		assert_int_equal(pmd_frame_origin(mbuf, MAGIC + 1, &seen), PMD_FOREIGN);
		/* another lcore's of the same number */
		pmd_frame_put(&other, mbuf);
		assert_int_equal(pmd_frame_origin(mbuf, MAGIC, &seen), PMD_OURS);
	}
	/* too short to hold a frame, whatever the buffer holds */
	mbuf->data_len = sizeof(frame) - 1;
	assert_int_equal(pmd_frame_origin(mbuf, MAGIC, &seen), PMD_FOREIGN);
	mbuf = mbuf_of(&buffer);
	mbuf->data_len = 60;
	assert_int_equal(pmd_frame_origin(mbuf, MAGIC, &seen), PMD_FOREIGN);
}

/* Frames of several lcores that come late and mixed are none of them doubled. */
static void
test_several_sources(void **state)
{
	static struct buffer buffer;
	static struct pmd_seen seen;
	struct pmd_frame frames[4] = { { .number = 0 } };
	struct rte_mbuf *mbuf = mbuf_of(&buffer);

	(void)state;
	memset(&seen, 0, sizeof(seen));
	for (unsigned int i = 0; i < RTE_DIM(frames); i++)
		init(&frames[i], 64, i);
	for (unsigned int n = 0; n < 10000; n++) {
		pmd_frame_put(&frames[n % RTE_DIM(frames)], mbuf);
		assert_int_equal(pmd_frame_origin(mbuf, MAGIC, &seen), PMD_OURS);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_origin),
		cmocka_unit_test(test_several_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
