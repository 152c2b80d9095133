/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_common.h>

#include <machine.h>

#include "fake_machine.h"

#define LCORES_MAX 8

struct placed {
	unsigned int id;
	const char *cpus;
};

/* Two sockets of two cores of two CPUs: 0-3 and 4-7; n and n + 2 are siblings, or n and n + 1. */
static void
two_sockets(struct stint_host *host, int sibling_distance)
{
	fake_host(host);
	host->sockets = 2;
	for (int cpu = 0; cpu < 8; cpu++) {
		host->socket[cpu] = cpu / 4;
		host->sibling[cpu] = cpu & ~sibling_distance;
	}
}

static void
place_lcores(struct stint_eal_args *args, const struct stint_host *host,
	     const struct placed *placed)
{
	memset(args, 0, sizeof(*args));
	while (args->n_lcores < LCORES_MAX && placed[args->n_lcores].cpus != NULL) {
		struct stint_eal_lcore *lcore = &args->lcores[args->n_lcores];
		int first = 0;

		assert_int_equal(stint_cpulist_parse(placed[args->n_lcores].cpus, &lcore->cpus), 0);
		while (!CPU_ISSET(first, &lcore->cpus))
			first++;
		lcore->id = placed[args->n_lcores++].id;
		lcore->socket = host->socket[first];
	}
}

static void
test_order(void **state)
{
	static const struct {
		int sibling_distance; /* 0: no SMT */
		struct placed lcores[LCORES_MAX];
		unsigned int main;
		const char *want;
	} cases[] = {
		/* own cores of the socket, then siblings there, then the other socket */
		{ 2,
		  { { 0, "0" },
		    { 1, "1" },
		    { 2, "2" },
		    { 3, "3" },
		    { 4, "4" },
		    { 5, "5" },
		    { 6, "6" },
		    { 7, "7" } },
		  0,
		  "0 1 2 3 4 5 6 7" },
		{ 1,
		  { { 0, "0" },
		    { 1, "1" },
		    { 2, "2" },
		    { 3, "3" },
		    { 4, "4" },
		    { 5, "5" },
		    { 6, "6" },
		    { 7, "7" } },
		  0,
		  "0 2 1 3 4 6 5 7" },
		{ 0,
		  { { 0, "0" },
		    { 1, "1" },
		    { 2, "2" },
		    { 3, "3" },
		    { 4, "4" },
		    { 5, "5" },
		    { 6, "6" },
		    { 7, "7" } },
		  3,
		  "3 0 1 2 4 5 6 7" },
		/* CPU 2 is taken with its core, so that 0 comes after 1; 3 is a sibling of 1 */
		{ 2,
		  { { 0, "0" },
		    { 1, "1" },
		    { 2, "2" },
		    { 3, "3" },
		    { 4, "4" },
		    { 5, "5" },
		    { 6, "6" },
		    { 7, "7" } },
		  2,
		  "2 1 0 3 4 5 6 7" },
		{ 2,
		  { { 0, "0" },
		    { 1, "1" },
		    { 2, "2" },
		    { 3, "3" },
		    { 4, "4" },
		    { 5, "5" },
		    { 6, "6" },
		    { 7, "7" } },
		  6,
		  "6 5 4 7 0 1 2 3" },
		/* the other socket comes last, also as the lowest id */
		{ 2, { { 0, "7" }, { 1, "1" }, { 2, "3" }, { 3, "0" } }, 1, "1 3 2 0" },
		/* gaps in the ids, no 0 */
		{ 2, { { 3, "0" }, { 17, "2" }, { 40, "1" }, { 99, "4" } }, 17, "17 40 3 99" },
		{ 0, { { 5, "0" }, { 9, "1" } }, 9, "9 5" },
		{ 0, { { 127, "3" } }, 127, "127" },
		/* lcores on one CPU are nearer than siblings to none */
		{ 0, { { 0, "0" }, { 1, "0" }, { 2, "1" } }, 0, "0 2 1" },
		{ 2, { { 0, "0" }, { 1, "2" }, { 2, "1" } }, 0, "0 2 1" },
		{ 0, { { 0, "0-1" }, { 1, "0-1" }, { 2, "0-1" } }, 1, "1 0 2" },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		static struct stint_host host;
		static struct stint_eal_args args;
		static struct stint_machine m;
		char got[128] = "";
		size_t used = 0;

		two_sockets(&host, cases[i].sibling_distance);
		place_lcores(&args, &host, cases[i].lcores);
		args.main_lcore = cases[i].main;
		stint_machine_init(&m, &host, &args);
		assert_int_equal(m.n_lcores, args.n_lcores);
		for (unsigned int k = 0; k < m.n_lcores; k++)
			used += snprintf(got + used, sizeof(got) - used, "%s%u", k > 0 ? " " : "",
					 m.lcores[k].id);
		assert_string_equal(got, cases[i].want);
		assert_int_equal(stint_machine_socket(&m), m.lcores[0].socket);
	}
}

static void
test_shares(void **state)
{
	static const struct {
		const char *cpus[6];
		double quota;
		unsigned int n, want_cpus;
		bool want_shares;
	} cases[] = {
		{ { "0", "1" }, 0, 1, 1, false },
		{ { "0", "1" }, 0, 2, 2, false },
		/* (0-1)@0 */
		{ { "0", "0" }, 0, 1, 1, false },
		{ { "0", "0" }, 0, 2, 1, true },
		/* sets that leave a CPU for each, if the first lcore gives way */
		{ { "0-1", "0" }, 0, 2, 2, false },
		{ { "0-2", "0-1", "0" }, 0, 3, 3, false },
		{ { "0-2", "1-2", "2", "0-3" }, 0, 4, 4, false },
		/* sets that do not */
		{ { "0", "0-1", "1" }, 0, 2, 2, false },
		{ { "0", "0-1", "1" }, 0, 3, 2, true },
		{ { "0-1", "0-1", "0-1" }, 0, 2, 2, false },
		{ { "0-1", "0-1", "0-1" }, 0, 3, 2, true },
		{ { "0,1000", "0", "1000" }, 0, 3, 2, true },
		{ { "5", "5", "7", "5-7" }, 0, 4, 3, true },
		/* a quota */
		{ { "0", "1", "2", "3" }, 0, 4, 4, false },
		{ { "0", "1", "2", "3" }, 0.5, 1, 1, true },
		{ { "0", "1", "2", "3" }, 1, 1, 1, false },
		{ { "0", "1", "2", "3" }, 1, 2, 1, true },
		{ { "0", "1", "2", "3" }, 1.5, 1, 1, false },
		{ { "0", "1", "2", "3" }, 1.5, 2, 1, true },
		{ { "0", "1", "2", "3" }, 2, 2, 2, false },
		{ { "0", "1", "2", "3" }, 2, 3, 2, true },
		{ { "0", "1", "2", "3" }, 64, 4, 4, false },
		{ { "0", "0", "0" }, 2, 2, 1, true },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		static struct stint_host host;
		static struct stint_machine m;

		fake_host(&host);
		memset(&m, 0, sizeof(m));
		m.host = &host;
		host.quota_cpus = cases[i].quota;
		for (; m.n_lcores < 6 && cases[i].cpus[m.n_lcores] != NULL; m.n_lcores++)
			stint_cpulist_parse(cases[i].cpus[m.n_lcores], &m.lcores[m.n_lcores].cpus);
		if (stint_machine_cpus(&m, cases[i].n) != cases[i].want_cpus ||
		    stint_machine_shares(&m, cases[i].n) != cases[i].want_shares)
			fail_msg("case %u: %u CPUs", i, stint_machine_cpus(&m, cases[i].n));
	}
}

/* (0-31)@(0-1), and as many lcores as there may be on as many CPUs */
static void
test_shares_many(void **state)
{
	static struct stint_host host;
	static struct stint_machine m;

	(void)state;
	fake_host(&host);
	m.host = &host;
	m.n_lcores = RTE_MAX_LCORE;
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++)
		stint_cpulist_parse("0-1", &m.lcores[i].cpus);
	for (unsigned int n = 1; n <= 32; n++) {
		assert_int_equal(stint_machine_cpus(&m, n), RTE_MIN(n, 2u));
		assert_int_equal(stint_machine_shares(&m, n), n > 2);
	}
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		CPU_ZERO(&m.lcores[i].cpus);
		for (unsigned int cpu = 0; cpu < RTE_MAX_LCORE - i; cpu++)
			CPU_SET(cpu, &m.lcores[i].cpus);
	}
	assert_int_equal(stint_machine_cpus(&m, RTE_MAX_LCORE), RTE_MAX_LCORE);
	assert_false(stint_machine_shares(&m, RTE_MAX_LCORE));
}

struct pool {
	uint64_t page_mib, total[2], free[2], overcommit, cgroup_mib; /* cgroup: 0 is none */
};

/* All in MiB. */
struct memory_case {
	const char *what;
	struct pool pools[2];
	uint64_t mem_free; /* 0: not bounded */
	bool no_huge, legacy;
	uint64_t mem, socket_mem[2], limit[2];
	uint64_t want[2], want_pool, want_page_kib;
};

static const struct memory_case memory_cases[] = {
	{ .what = "free pages",
	  .pools = { { 2, { 512, 0 }, { 500, 0 } } },
	  .want = { 1000, 0 },
	  .want_pool = 1024,
	  .want_page_kib = 2048 },
	{ .what = "two nodes",
	  .pools = { { 2, { 512, 512 }, { 8, 100 } } },
	  .want = { 16, 200 },
	  .want_pool = 1024,
	  .want_page_kib = 2048 },
	{ .what = "none free",
	  .pools = { { 2, { 8, 0 }, { 0, 0 } } },
	  .want = { 0, 0 },
	  .want_pool = 16,
	  .want_page_kib = 2048 },
	{ .what = "no page sizes", .want_page_kib = 2048 },
	{ .what = "1 GiB pages only",
	  .pools = { { 2, { 0, 0 }, { 0, 0 } }, { 1024, { 2, 0 }, { 2, 0 } } },
	  .want = { 2048, 0 },
	  .want_pool = 2048,
	  .want_page_kib = 1048576 },
	{ .what = "1 GiB pages and no other size",
	  .pools = { { 1024, { 1, 1 }, { 0, 1 } } },
	  .want = { 0, 1024 },
	  .want_pool = 1024,
	  .want_page_kib = 1048576 },
	{ .what = "two sizes",
	  .pools = { { 2, { 10, 0 }, { 10, 0 } }, { 1024, { 1, 0 }, { 1, 0 } } },
	  .want = { 1044, 0 },
	  .want_pool = 1044,
	  .want_page_kib = 2048 },
	{ .what = "overcommit counts on each node",
	  .pools = { { 2, { 0, 4 }, { 0, 4 }, 16 } },
	  .want = { 32, 40 },
	  .want_pool = 0,
	  .want_page_kib = 2048 },
	{ .what = "overcommit without memory",
	  .pools = { { 2, { 4, 0 }, { 4, 0 }, 16 } },
	  .mem_free = 11,
	  .want = { 18, 10 },
	  .want_pool = 8,
	  .want_page_kib = 2048 },
	{ .what = "cgroup limit",
	  .pools = { { 2, { 100, 0 }, { 100, 0 }, 0, 13 } },
	  .want = { 12, 0 },
	  .want_pool = 200,
	  .want_page_kib = 2048 },
	{ .what = "cgroup limit of one size",
	  .pools = { { 2, { 100, 0 }, { 100, 0 }, 0, 1 }, { 1024, { 1, 0 }, { 1, 0 } } },
	  .want = { 1024, 0 },
	  .want_pool = 1224,
	  .want_page_kib = 1048576 },
	{ .what = "cgroup limit above overcommit",
	  .pools = { { 2, { 0, 0 }, { 0, 0 }, 8, 100 } },
	  .want = { 16, 16 },
	  .want_pool = 0,
	  .want_page_kib = 2048 },
	{ .what = "socket limit",
	  .pools = { { 2, { 512, 512 }, { 512, 512 } } },
	  .limit = { 64, 0 },
	  .want = { 64, 1024 },
	  .want_pool = 1024,
	  .want_page_kib = 2048 },
	{ .what = "socket limit above what is free",
	  .pools = { { 2, { 512, 0 }, { 16, 0 } } },
	  .limit = { 64, 64 },
	  .want = { 32, 0 },
	  .want_pool = 1024,
	  .want_page_kib = 2048 },
	{ .what = "-m bounds nothing",
	  .pools = { { 2, { 512, 0 }, { 512, 0 } } },
	  .mem = 100,
	  .want = { 1024, 0 },
	  .want_pool = 1024,
	  .want_page_kib = 2048 },
	{ .what = "--socket-mem bounds nothing",
	  .pools = { { 2, { 512, 0 }, { 512, 0 } } },
	  .socket_mem = { 100, 0 },
	  .want = { 1024, 0 },
	  .want_pool = 1024,
	  .want_page_kib = 2048 },
	{ .what = "legacy",
	  .legacy = true,
	  .pools = { { 2, { 512, 0 }, { 512, 0 } } },
	  .want = { 1024, 0 },
	  .want_pool = 1024,
	  .want_page_kib = 2048 },
	{ .what = "legacy -m",
	  .legacy = true,
	  .pools = { { 2, { 512, 0 }, { 512, 0 } } },
	  .mem = 100,
	  .want = { 100, 0 },
	  .want_pool = 1024,
	  .want_page_kib = 2048 },
	{ .what = "legacy -m above what is free",
	  .legacy = true,
	  .pools = { { 2, { 512, 0 }, { 16, 0 } } },
	  .mem = 100,
	  .want = { 32, 0 },
	  .want_pool = 1024,
	  .want_page_kib = 2048 },
	{ .what = "legacy --socket-mem",
	  .legacy = true,
	  .pools = { { 2, { 512, 512 }, { 512, 512 } } },
	  .socket_mem = { 32, 16 },
	  .want = { 32, 16 },
	  .want_pool = 1024,
	  .want_page_kib = 2048 },
	{ .what = "no huge",
	  .no_huge = true,
	  .pools = { { 2, { 512, 0 }, { 512, 0 } } },
	  .want = { 64, 0 },
	  .want_pool = 64,
	  .want_page_kib = 4 },
	{ .what = "no huge -m",
	  .no_huge = true,
	  .mem = 256,
	  .want = { 256, 0 },
	  .want_pool = 256,
	  .want_page_kib = 4 },
	{ .what = "no huge -m takes no notice of limits",
	  .no_huge = true,
	  .mem = 256,
	  .limit = { 8, 8 },
	  .want = { 256, 0 },
	  .want_pool = 256,
	  .want_page_kib = 4 },
};

static void
fill_host(struct stint_host *host, const struct memory_case *c)
{
	fake_host(host);
	host->sockets = 2;
	for (unsigned int s = 0; s < 2 && c->mem_free > 0; s++)
		host->mem_free_bytes[s] = c->mem_free * MIB;
	for (unsigned int i = 0; i < 2 && c->pools[i].page_mib > 0; i++) {
		const struct pool *pool = &c->pools[i];
		struct stint_host_pages *p =
			fake_pages(host, pool->page_mib * MIB, pool->total[0], pool->free[0]);

		p->total[1] = pool->total[1];
		p->free[1] = pool->free[1];
		p->overcommit = pool->overcommit;
		if (pool->cgroup_mib > 0)
			p->cgroup_bytes = pool->cgroup_mib * MIB;
	}
}

static void
fill_args(struct stint_eal_args *args, const struct memory_case *c)
{
	fake_lcores(args, 2, 0);
	args->no_huge = c->no_huge;
	args->legacy_mem = c->legacy;
	args->mem_bytes = c->mem * MIB;
	for (unsigned int s = 0; s < 2; s++) {
		args->socket_mem[s] = c->socket_mem[s] * MIB;
		args->socket_limit[s] = c->limit[s] * MIB;
		args->socket_mem_given |= c->socket_mem[s] > 0;
		args->socket_limit_given |= c->limit[s] > 0;
	}
}

static void
test_memory(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(memory_cases); i++) {
		const struct memory_case *c = &memory_cases[i];
		static struct stint_host host;
		static struct stint_eal_args args;
		static struct stint_machine m;

		fill_host(&host, c);
		fill_args(&args, c);
		stint_machine_init(&m, &host, &args);
		if (m.have_bytes[0] != c->want[0] * MIB || m.have_bytes[1] != c->want[1] * MIB)
			fail_msg("%s: have %g and %g MiB", c->what, (double)m.have_bytes[0] / MIB,
				 (double)m.have_bytes[1] / MIB);
		if (m.pool_bytes[0] != c->want_pool * MIB || m.page_bytes != c->want_page_kib << 10)
			fail_msg("%s: pool of %g MiB, pages of %g KiB", c->what,
				 (double)m.pool_bytes[0] / MIB, (double)m.page_bytes / 1024);
		assert_int_equal(m.any_socket, c->no_huge);
	}
}

/* EAL takes no notice of --socket-limit with --legacy-mem. */
static void
test_memory_legacy_limit(void **state)
{
	const struct memory_case c = { .legacy = true,
				       .limit = { 64, 0 },
				       .pools = { { 2, { 512, 0 }, { 512, 0 } } } };
	static struct stint_host host;
	static struct stint_eal_args args;
	static struct stint_machine m;

	(void)state;
	fill_host(&host, &c);
	fill_args(&args, &c);
	stint_machine_init(&m, &host, &args);
	assert_int_equal(m.have_bytes[0], 1024 * MIB);
}

/* Without hugepages memory has no socket, whatever the lcores are on. */
static void
test_no_huge_socket(void **state)
{
	static struct stint_host host;
	static struct stint_eal_args args;
	static struct stint_machine m;

	(void)state;
	two_sockets(&host, 0);
	place_lcores(&args, &host, (const struct placed[LCORES_MAX]){ { 6, "6" } });
	args.main_lcore = 6;
	stint_machine_init(&m, &host, &args);
	assert_int_equal(stint_machine_socket(&m), 1);
	args.no_huge = true;
	stint_machine_init(&m, &host, &args);
	assert_int_equal(stint_machine_socket(&m), 0);
}

/* A folder is of the mount that it lies in, not of one whose name it begins with. */
static void
test_memory_of_mount(void **state)
{
	static const struct {
		const char *dir;
		uint64_t want, want_page_kib;
	} cases[] = {
		{ NULL, 512 + 2048, 2048 },   { "/huge", 512, 2048 }, { "/large", 2048, 1048576 },
		{ "/none", 0, 65536 },        { "/small", 16, 2048 }, { "/small/below", 16, 2048 },
		{ "/huge1G", 1024, 1048576 },
	};
	static const struct stint_host_mount mounts[] = {
		{ .dir = "/huge", .page_bytes = 2 * MIB, .limit_bytes = UINT64_MAX },
		{ .dir = "/huge1G", .page_bytes = GIB, .limit_bytes = GIB },
		{ .dir = "/large", .page_bytes = GIB, .limit_bytes = UINT64_MAX },
		{ .dir = "/small", .page_bytes = 2 * MIB, .limit_bytes = 16 * MIB },
		{ .dir = "/none", .page_bytes = 64 * MIB, .limit_bytes = UINT64_MAX },
	};

	unsigned int wrong = 0;

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		static struct stint_host host;
		static struct stint_eal_args args;
		static struct stint_machine m;

		fake_host(&host);
		fake_pages(&host, 2 * MIB, 300, 256);
		fake_pages(&host, 64 * MIB, 0, 0);
		fake_pages(&host, GIB, 2, 2);
		memcpy(host.mounts, mounts, sizeof(mounts));
		host.n_mounts = RTE_DIM(mounts);
		fake_lcores(&args, 1, 0);
		args.huge_dir = cases[i].dir;
		stint_machine_init(&m, &host, &args);
		if (m.have_bytes[0] != cases[i].want * MIB || m.page_bytes != cases[i].want_page_kib
										      << 10)
			print_error("%u wrong, %s: %g MiB in pages of %g KiB\n", ++wrong,
				    cases[i].dir, (double)m.have_bytes[0] / MIB,
				    (double)m.page_bytes / 1024);
	}
	assert_int_equal(wrong, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_shares_many),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_memory_legacy_limit),
		cmocka_unit_test(test_no_huge_socket),
		cmocka_unit_test(test_memory_of_mount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
