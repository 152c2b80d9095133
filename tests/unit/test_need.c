/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <rte_common.h>

#include <need.h>

#include "fake_machine.h"

static struct stint_host host;
static struct stint_eal_args args;
static struct stint_machine machine;

/* Two nodes with pages of one size; lcores 0 and 1 on the nodes that are given. */
static void
make_machine(uint64_t page_bytes, int socket0, int socket1)
{
	struct stint_host_pages *p;

	fake_host(&host);
	host.sockets = 2;
	p = fake_pages(&host, page_bytes, 64, 64);
	p->total[1] = p->free[1] = 64;
	fake_lcores(&args, 2, 0);
	args.lcores[0].socket = socket0;
	args.lcores[1].socket = socket1;
	stint_machine_init(&machine, &host, &args);
}

static struct stint_need
need_of(int socket, uint64_t bytes)
{
	struct stint_need need = { .machine = &machine };

	stint_need_bytes(&need, socket, bytes);
	return need;
}

/* A device without a node says -1; what names no node is taken where the main lcore is. */
static void
test_sockets(void **state)
{
	static const struct {
		int main, asked, want;
	} cases[] = {
		{ 0, 0, 0 },
		{ 0, 1, 1 },
		{ 1, 0, 0 },
		{ 1, 1, 1 },
		{ 0, STINT_SOCKET_LOCAL, 0 },
		{ 1, STINT_SOCKET_LOCAL, 1 },
		{ 1, -1, 1 },
		{ 0, -1, 0 },
		{ 1, INT_MIN, 1 },
		{ 1, RTE_MAX_NUMA_NODES, 1 },
		{ 0, INT_MAX, 0 },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct stint_need need;

		make_machine(2 * MIB, cases[i].main, 1 - cases[i].main);
		need = need_of(cases[i].asked, 6 * MIB);
		if (need.bytes[cases[i].want] < 6 * MIB || need.bytes[1 - cases[i].want] != 0)
			fail_msg("case %u: %g and %g MiB", i, (double)need.bytes[0] / MIB,
				 (double)need.bytes[1] / MIB);
		assert_int_equal(stint_need_total(&need), need.bytes[cases[i].want]);
	}
}

/* Without hugepages memory is of no node, whatever is asked for. */
static void
test_any_socket(void **state)
{
	static const int asked[] = { STINT_SOCKET_LOCAL, -1, 0, 1, RTE_MAX_NUMA_NODES - 1 };

	(void)state;
	make_machine(2 * MIB, 1, 1);
	args.no_huge = true;
	stint_machine_init(&machine, &host, &args);
	for (unsigned int i = 0; i < RTE_DIM(asked); i++) {
		struct stint_need need = need_of(asked[i], 6 * MIB);

		assert_true(need.bytes[0] >= 6 * MIB);
		assert_int_equal(stint_need_total(&need), need.bytes[0]);
	}
}

/* Of workers on two nodes each has its state where it runs, and only those that are used. */
static void
test_workers(void **state)
{
	static const struct stint_test test = { .name = "x_perf_autotest",
						.worker_bytes = 10 * MIB };
	struct stint_need need;

	(void)state;
	make_machine(2 * MIB, 0, 1);
	need = stint_need_of_workers(&machine, &test, 1);
	assert_in_range(need.bytes[0], 10 * MIB, 14 * MIB);
	assert_int_equal(need.bytes[1], 0);
	need = stint_need_of_workers(&machine, &test, 2);
	assert_in_range(need.bytes[0], 10 * MIB, 14 * MIB);
	assert_in_range(need.bytes[1], 10 * MIB, 12 * MIB);
}

/* Whole pages where it takes more than one; a large page is not asked for by what is small. */
static void
test_page_sizes(void **state)
{
	static const struct {
		uint64_t page_kib, bytes, least, most;
	} cases[] = {
		{ 4, 5000, 8192, 8192 },
		{ 64, 20 * MIB, 20 * MIB, 20 * MIB + 65536 },
		{ 2048, 1000, 1000, 2000 },
		{ 2048, 3 * MIB, 4 * MIB, 4 * MIB },
		{ 2048, 2 * MIB, 4 * MIB, 4 * MIB }, /* and what stands before it */
		{ 2048, 2 * MIB - 4096, 2 * MIB, 2 * MIB },
		{ 32768, 20 * MIB, 20 * MIB, 32 * MIB },
		{ 1048576, 20 * MIB, 20 * MIB, 21 * MIB },
		{ 1048576, 1025 * MIB, 2 * GIB, 2 * GIB },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		make_machine(cases[i].page_kib << 10, 0, 0);
		assert_in_range(need_of(0, cases[i].bytes).bytes[0], cases[i].least, cases[i].most);
	}
}

static void
test_short(void **state)
{
	static const struct {
		uint64_t need[2], have[2];
		int want;
	} cases[] = {
		{ { 0, 0 }, { 0, 0 }, -1 }, { { 4, 0 }, { 4, 0 }, -1 }, { { 5, 0 }, { 4, 9 }, 0 },
		{ { 0, 1 }, { 9, 0 }, 1 },  { { 5, 5 }, { 4, 4 }, 0 },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint64_t have[RTE_MAX_NUMA_NODES] = { cases[i].have[0], cases[i].have[1] };
		struct stint_need need = { .bytes = { cases[i].need[0], cases[i].need[1] } };

		assert_int_equal(stint_need_short(&need, have), cases[i].want);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sockets), cmocka_unit_test(test_any_socket),
		cmocka_unit_test(test_workers), cmocka_unit_test(test_page_sizes),
		cmocka_unit_test(test_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
