/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/*
 * Amounts are held against bounds, not exact values: the engine adds what EAL, the heap and the
 * spacer take, which is a few MiB.
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_common.h>

#include <plan.h>

#include "fake_machine.h"

#define EXTRA_MIB 8

static struct stint_host host;
static struct stint_eal_args args;
static struct stint_machine machine;

/* The first dimension of all tests is the need in MiB, of each lcore. */
static void
need(const struct stint_point *pt, struct stint_need *n)
{
	stint_need_bytes(n, STINT_SOCKET_LOCAL, pt->value[0] * MIB * pt->lcores);
}

static uint64_t
key(const struct stint_point *pt)
{
	return pt->value[0];
}

/* `free_mib` of pages of 2 MiB. */
static void
make_machine(unsigned int n_lcores, uint64_t free_mib)
{
	fake_host(&host);
	fake_pages(&host, 2 * MIB, free_mib / 2, free_mib / 2);
	fake_lcores(&args, n_lcores, 0);
	stint_machine_init(&machine, &host, &args);
}

static void
make_plan(struct stint_plan *plan, const struct stint_test *test)
{
	char error[256];
	int rc = stint_plan_init(plan, test, &machine, NULL, 0, NULL, 0, error, sizeof(error));

	if (rc != 0)
		fail_msg("%d: %s", rc, error);
}

static void
assert_mib(uint64_t bytes, uint64_t least)
{
	if (bytes < least * MIB || bytes > (least + EXTRA_MIB) * MIB)
		fail_msg("%g MiB instead of %u and a bit", (double)bytes / MIB,
			 (unsigned int)least);
}

/* The first number of a text. */
static uint64_t
number_in(const char *text)
{
	assert_non_null(text);
	return strtoull(text + strcspn(text, "0123456789"), NULL, 10);
}

static const struct stint_dim dims_20[] = { STINT_DIM("mib", 20) };
static const struct stint_test test_20 = { .name = "twenty_perf_autotest",
					   .budget_s = 5,
					   .suite = STINT_SUITE_PERF,
					   .need = need,
					   .dims = STINT_LIST(dims_20) };

static void
test_pages(void **state)
{
	struct stint_plan plan;

	(void)state;
	/* ten pages of 2 MiB and what the engine adds */
	make_machine(1, 64);
	make_plan(&plan, &test_20);
	assert_mib(plan.need.bytes[0], 20);
	assert_int_equal(plan.need.bytes[0] % (2 * MIB), 0);
	assert_null(plan.skip);
	stint_plan_free(&plan);
	/* one page of 1 GiB */
	fake_host(&host);
	fake_pages(&host, GIB, 1, 1);
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &test_20);
	assert_int_equal(plan.need.bytes[0], GIB);
	assert_int_equal(plan.need_all.bytes[0], GIB);
	assert_null(plan.skip);
	stint_plan_free(&plan);
	/* where there are small pages, a large one is not asked for */
	fake_host(&host);
	fake_pages(&host, 2 * MIB, 32, 32);
	fake_pages(&host, GIB, 1, 1);
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &test_20);
	assert_mib(plan.need.bytes[0], 20);
	stint_plan_free(&plan);
}

/* What is larger than half a page finds room in one page, too. */
static const struct stint_dim dims_600[] = { STINT_DIM("mib", 600) };
static const struct stint_test test_600 = { .name = "large_perf_autotest",
					    .budget_s = 5,
					    .suite = STINT_SUITE_PERF,
					    .need = need,
					    .dims = STINT_LIST(dims_600) };

static void
test_most_of_a_page(void **state)
{
	struct stint_plan plan;

	(void)state;
	fake_host(&host);
	fake_pages(&host, GIB, 1, 1);
	fake_lcores(&args, 1, 0);
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &test_600);
	assert_int_equal(plan.need.bytes[0], GIB);
	assert_null(plan.skip);
	stint_plan_free(&plan);
}

/* Fixtures of 8 and 16 MiB for one lcore, of 16 and 32 for two; bulk makes no other fixture. */
static const struct stint_dim shared_dims[] = {
	STINT_DIM("mib", 8, 16),
	STINT_DIM("bulk", 1, 2, 3),
	STINT_DIM_LCORES(1, 2),
};
static const struct stint_test shared_test = { .name = "shared_perf_autotest",
					       .budget_s = 5,
					       .suite = STINT_SUITE_PERF,
					       .need = need,
					       .fixture = key,
					       .dims = STINT_LIST(shared_dims) };

static void
test_fixtures(void **state)
{
	struct stint_plan plan;

	(void)state;
	make_machine(2, 256);
	make_plan(&plan, &shared_test);
	assert_int_equal(plan.grid.count, 12);
	assert_int_equal(plan.n_fixtures, 4);
	for (unsigned int i = 0; i < plan.grid.count; i++) {
		const struct stint_cell *cell = &plan.grid.cells[i];
		const struct stint_plan_fixture *fx = &plan.fixtures[cell->fixture];

		assert_int_equal(fx->key, cell->point.value[0]);
		assert_int_equal(fx->lcores, cell->point.lcores);
		assert_true(fx->fits);
		assert_mib(fx->need.bytes[0], fx->key * fx->lcores);
	}
	/* the largest, and all: 8 + 16 + 16 + 32 */
	assert_mib(plan.need.bytes[0], 32);
	assert_in_range(plan.need_all.bytes[0], 72 * MIB, (72 + 4 * EXTRA_MIB) * MIB);
	stint_plan_free(&plan);
}

/* Without `fixture`, all points of as many lcores share one. */
static const struct stint_test one_fixture_test = { .name = "one_perf_autotest",
						    .budget_s = 5,
						    .suite = STINT_SUITE_PERF,
						    .need = need,
						    .dims = STINT_LIST(shared_dims) };

static void
test_one_fixture(void **state)
{
	struct stint_plan plan;

	(void)state;
	make_machine(2, 256);
	make_plan(&plan, &one_fixture_test);
	assert_int_equal(plan.n_fixtures, 2);
	stint_plan_free(&plan);
	/* skipped points need none */
	make_machine(1, 256);
	make_plan(&plan, &one_fixture_test);
	assert_int_equal(plan.grid.skipped, 6);
	assert_int_equal(plan.n_fixtures, 1);
	stint_plan_free(&plan);
}

static const struct stint_dim mixed_dims[] = { STINT_DIM("mib", 4, 300, 8), STINT_DIM_LCORES(1) };
static const struct stint_test mixed_test = { .name = "mixed_perf_autotest",
					      .budget_s = 5,
					      .suite = STINT_SUITE_PERF,
					      .need = need,
					      .fixture = key,
					      .dims = STINT_LIST(mixed_dims) };

/* A point that does not fit is skipped with both numbers, the others run. */
static void
test_one_does_not_fit(void **state)
{
	const struct stint_cell *cell;
	struct stint_plan plan;

	(void)state;
	make_machine(1, 64);
	make_plan(&plan, &mixed_test);
	assert_null(plan.skip);
	assert_int_equal(plan.grid.skipped, 1);
	assert_null(plan.grid.cells[0].skip_reason);
	assert_null(plan.grid.cells[2].skip_reason);
	cell = &plan.grid.cells[1];
	assert_false(plan.fixtures[cell->fixture].fits);
	assert_false(stint_plan_fits(&plan, cell->fixture));
	assert_true(stint_plan_fits(&plan, plan.grid.cells[0].fixture));
	assert_non_null(cell->skip_reason);
	assert_in_range(number_in(cell->skip_need), 300, 300 + EXTRA_MIB);
	assert_int_equal(number_in(cell->skip_have), 64);
	stint_plan_free(&plan);
}

static const struct stint_dim large_dims[] = { STINT_DIM("mib", 300, 400), STINT_DIM_LCORES(2) };
static const struct stint_test none_fits_test = { .name = "none_perf_autotest",
						  .budget_s = 5,
						  .suite = STINT_SUITE_PERF,
						  .need = need,
						  .fixture = key,
						  .dims = STINT_LIST(large_dims) };

/* Nothing fits: what the remedy says is enough for the point that it speaks of. */
static void
test_none_fits(void **state)
{
	struct stint_plan plan;
	uint64_t pages;

	(void)state;
	make_machine(2, 64);
	host.pages[0].total[0] = 40; /* 8 pages are in use */
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &none_fits_test);
	assert_int_equal(plan.grid.skipped, 2);
	assert_non_null(plan.skip);
	assert_in_range(number_in(plan.skip->skip_need), 600, 600 + EXTRA_MIB);
	assert_int_equal(number_in(plan.skip->skip_have), 64);
	assert_non_null(strstr(plan.skip->skip_remedy, "nr_hugepages"));
	pages = number_in(plan.skip->skip_remedy);
	stint_plan_free(&plan);
	host.pages[0].free[0] += pages - host.pages[0].total[0];
	host.pages[0].total[0] = pages;
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &none_fits_test);
	assert_null(plan.skip);
	stint_plan_free(&plan);
	/* and not more than that */
	host.pages[0].free[0]--;
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &none_fits_test);
	assert_non_null(plan.skip);
	stint_plan_free(&plan);
}

static void
test_none_fits_no_huge(void **state)
{
	struct stint_plan plan;
	uint64_t mib;

	(void)state;
	make_machine(2, 0);
	args.no_huge = true;
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &none_fits_test);
	assert_non_null(plan.skip);
	assert_in_range(number_in(plan.skip->skip_need), 600, 600 + EXTRA_MIB);
	assert_int_equal(number_in(plan.skip->skip_have), 64);
	assert_non_null(strstr(plan.skip->skip_remedy, "-m "));
	mib = number_in(plan.skip->skip_remedy);
	stint_plan_free(&plan);
	args.mem_bytes = mib * MIB;
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &none_fits_test);
	assert_null(plan.skip);
	stint_plan_free(&plan);
}

/* More pages would not help against a limit. */
static void
test_none_fits_limit(void **state)
{
	struct stint_plan plan;

	(void)state;
	make_machine(2, 1024);
	args.socket_limit_given = true;
	args.socket_limit[0] = 64 * MIB;
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &none_fits_test);
	assert_non_null(plan.skip);
	assert_int_equal(number_in(plan.skip->skip_have), 64);
	assert_non_null(strstr(plan.skip->skip_remedy, "--socket-limit"));
	assert_null(strstr(plan.skip->skip_remedy, "nr_hugepages"));
	stint_plan_free(&plan);
}

static const struct stint_dim four_dims[] = { STINT_DIM("mib", 1), STINT_DIM_LCORES(4) };
static const struct stint_test four_test = { .name = "four_perf_autotest",
					     .budget_s = 5,
					     .suite = STINT_SUITE_PERF,
					     .need = need,
					     .dims = STINT_LIST(four_dims) };

static void
test_too_few_lcores(void **state)
{
	struct stint_plan plan;

	(void)state;
	make_machine(2, 64);
	make_plan(&plan, &four_test);
	assert_non_null(plan.skip);
	assert_non_null(plan.skip->skip_reason);
	assert_int_equal(number_in(plan.skip->skip_need), 4);
	assert_int_equal(number_in(plan.skip->skip_have), 2);
	assert_non_null(strstr(plan.skip->skip_remedy, "-l"));
	stint_plan_free(&plan);
}

static void
two_nodes(uint64_t pages0, uint64_t pages1, int socket)
{
	fake_host(&host);
	host.sockets = 2;
	fake_pages(&host, 2 * MIB, pages0, pages0);
	host.pages[0].total[1] = host.pages[0].free[1] = pages1;
	fake_lcores(&args, 1, 0);
	args.lcores[0].socket = socket;
	stint_machine_init(&machine, &host, &args);
}

/* Pages of the other node are of no use. */
static void
test_sockets(void **state)
{
	struct stint_plan plan;

	(void)state;
	for (int socket = 0; socket < 2; socket++) {
		char text[24];

		two_nodes(socket == 0 ? 512 : 0, socket == 1 ? 512 : 0, socket);
		make_plan(&plan, &test_20);
		assert_null(plan.skip);
		assert_mib(plan.need.bytes[socket], 20);
		assert_int_equal(plan.need.bytes[1 - socket], 0);
		stint_plan_free(&plan);

		two_nodes(socket == 1 ? 512 : 0, socket == 0 ? 512 : 0, socket);
		make_plan(&plan, &test_20);
		assert_non_null(plan.skip);
		assert_int_equal(number_in(plan.skip->skip_have), 0);
		snprintf(text, sizeof(text), "socket %d", socket);
		assert_non_null(strstr(plan.skip->skip_need, text));
		snprintf(text, sizeof(text), "node%d/", socket);
		assert_non_null(strstr(plan.skip->skip_remedy, text));
		stint_plan_free(&plan);
	}
}

/* The need may name a socket; the state of a worker stands on its own. */
static void
need_on_1(const struct stint_point *pt, struct stint_need *n)
{
	(void)pt;
	stint_need_bytes(n, 1, 40 * MIB);
}

static void
need_64(const struct stint_point *pt, struct stint_need *n)
{
	(void)pt;
	stint_need_bytes(n, STINT_SOCKET_LOCAL, 64 * MIB);
}

static const struct stint_dim one_dims[] = { STINT_DIM_LCORES(1) };
static const struct stint_test need_64_test = { .name = "need64_perf_autotest",
						.budget_s = 5,
						.suite = STINT_SUITE_PERF,
						.need = need_64,
						.dims = STINT_LIST(one_dims) };

static const struct stint_dim two_dims[] = { STINT_DIM_LCORES(2) };
static const struct stint_test on_1_test = { .name = "on1_perf_autotest",
					     .budget_s = 5,
					     .suite = STINT_SUITE_PERF,
					     .need = need_on_1,
					     .worker_bytes = 10 * MIB,
					     .dims = STINT_LIST(two_dims) };

static void
test_need_of_sockets(void **state)
{
	struct stint_plan plan;

	(void)state;
	two_nodes(512, 512, 0);
	fake_lcores(&args, 2, 0);
	args.lcores[1].socket = 1;
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &on_1_test);
	assert_mib(plan.need.bytes[0], 10);
	assert_mib(plan.need.bytes[1], 50);
	stint_plan_free(&plan);
	two_nodes(512, 20, 0);
	fake_lcores(&args, 2, 0);
	args.lcores[1].socket = 1;
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &on_1_test);
	assert_non_null(plan.skip);
	/* EAL and the spacer take 2 each; what crosses a page with its header one page more */
	assert_string_equal(
		plan.skip->skip_need,
		"16 MiB on socket 0, 54 MiB on socket 1 of hugepages for 2 of 2 lcores");
	assert_string_equal(plan.skip->skip_have, "1024 MiB free of 1024 on socket 0, 40 MiB free "
						  "of 40 on socket 1 in pages of 2048 KiB");
	stint_plan_free(&plan);
	/* without hugepages there is but one place */
	args.no_huge = true;
	args.mem_bytes = 128 * MIB;
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &on_1_test);
	assert_null(plan.skip);
	assert_in_range(plan.need.bytes[0], 60 * MIB, 70 * MIB);
	assert_int_equal(plan.need.bytes[1], 0);
	stint_plan_free(&plan);
}

static void
need_pool(const struct stint_point *pt, struct stint_need *n)
{
	stint_need_mempool(n, STINT_SOCKET_LOCAL, 1023 * pt->lcores, 64, 0);
	stint_need_ring(n, STINT_SOCKET_LOCAL, 1000);
}

/* Points of three lcores on two CPUs share them, wherever the dimension stands and if skipped. */
static const struct stint_dim sharing_dims[] = { STINT_DIM("mib", 1, 2),
						 STINT_DIM_LCORES(1, 2, 3, 9) };
static const struct stint_test sharing_test = { .name = "sharing_perf_autotest",
						.budget_s = 5,
						.suite = STINT_SUITE_PERF,
						.dims = STINT_LIST(sharing_dims) };

static void
test_shares_cpus(void **state)
{
	struct stint_plan plan;

	(void)state;
	for (int quota_cpus = 0; quota_cpus <= 1; quota_cpus++) {
		make_machine(3, 256);
		machine.lcores[2].cpus = machine.lcores[0].cpus;
		host.quota_cpus = quota_cpus;
		make_plan(&plan, &sharing_test);
		assert_int_equal(plan.grid.count, 8);
		for (unsigned int i = 0; i < plan.grid.count; i++) {
			const struct stint_point *pt = &plan.grid.cells[i].point;

			assert_int_equal(pt->shares_cpus, pt->lcores > (quota_cpus > 0 ? 1 : 2));
		}
		stint_plan_free(&plan);
	}
}

static const struct stint_dim used_dims[] = { STINT_DIM_LCORES(1, 2) };
static const struct stint_dim all_dims[] = { STINT_DIM_LCORES(STINT_ALL) };
static const struct stint_test used_test = { .name = "used_perf_autotest",
					     .budget_s = 5,
					     .suite = STINT_SUITE_PERF,
					     .need = need_pool,
					     .worker_bytes = 4 * MIB,
					     .dims = STINT_LIST(used_dims) };
static const struct stint_test all_test = { .name = "all_perf_autotest",
					    .budget_s = 5,
					    .suite = STINT_SUITE_PERF,
					    .need = need_pool,
					    .worker_bytes = 4 * MIB,
					    .dims = STINT_LIST(all_dims) };

static const struct stint_metric latency_metrics[] = {
	{ "get", STINT_RATE, "objects/s" },
	{ "wait", STINT_LATENCY, "ns" },
	{ "trip", STINT_LATENCY, "ns" },
};

/* The recorders of each lcore are part of the need, if the test declares such metrics. */
static void
test_latency_need(void **state)
{
	static const unsigned int lcores[] = { 16, 32, 128 };
	struct stint_test latency_test = all_test;
	struct stint_plan plan;
	uint64_t without;

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(lcores); i++) {
		make_machine(lcores[i], 4096);
		latency_test.metrics.list = latency_metrics;
		latency_test.metrics.count = 1;
		make_plan(&plan, &latency_test);
		without = plan.need.bytes[0];
		stint_plan_free(&plan);
		make_plan(&plan, &all_test);
		assert_int_equal(plan.need.bytes[0], without);
		stint_plan_free(&plan);
		/* 32768 counts of 4 bytes, for two metrics */
		latency_test.metrics.count = 3;
		make_plan(&plan, &latency_test);
		assert_in_range(plan.need.bytes[0], without + lcores[i] * (256 << 10),
				without + lcores[i] * (260 << 10) + EXTRA_MIB * MIB);
		stint_plan_free(&plan);
	}
}

static void
test_unused_lcores(void **state)
{
	static const unsigned int lcores[] = { 2, 32, 128 };
	uint64_t used_need = 0, all_need = 0;
	struct stint_plan plan;

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(lcores); i++) {
		make_machine(lcores[i], 4096);
		make_plan(&plan, &used_test);
		assert_int_equal(plan.grid.max_lcores, 2);
		assert_int_equal(plan.budget_ns, UINT64_C(10000000000));
		if (i > 0)
			assert_int_equal(plan.need.bytes[0], used_need);
		used_need = plan.need.bytes[0];
		stint_plan_free(&plan);
		make_plan(&plan, &all_test);
		/* 4 MiB at least for each more that is used */
		if (i > 0)
			assert_true(plan.need.bytes[0] >=
				    all_need + (lcores[i] - lcores[i - 1]) * 4 * MIB);
		all_need = plan.need.bytes[0];
		stint_plan_free(&plan);
	}
}

static const struct stint_dim three_dims[] = { STINT_DIM("mib", 1),
					       STINT_DIM_LCORES(1, 2, STINT_ALL) };
static const struct stint_test three_test = { .name = "three_perf_autotest",
					      .budget_s = 5,
					      .suite = STINT_SUITE_PERF,
					      .need = need,
					      .dims = STINT_LIST(three_dims) };
static const struct stint_dim doubling_dims[] = { STINT_DIM("mib", 1), STINT_DIM_LCORES_DOUBLING };
static const struct stint_test doubling_test = { .name = "doubling_perf_autotest",
						 .budget_s = 5,
						 .suite = STINT_SUITE_PERF,
						 .need = need,
						 .dims = STINT_LIST(doubling_dims) };
static const struct stint_test fast_test = { .name = "fast_autotest", .suite = STINT_SUITE_FAST };

/* 5 s for each number of lcores that is measured. */
static void
test_budget(void **state)
{
	static const struct {
		unsigned int lcores;
		const char *select;
		uint64_t given, want_ns;
	} cases[] = {
		{ 1, NULL, 0, UINT64_C(5000000000) },
		{ 2, NULL, 0, UINT64_C(10000000000) },
		{ 3, NULL, 0, UINT64_C(15000000000) },
		{ 128, NULL, 0, UINT64_C(15000000000) },
		{ 3, "cores=2", 0, UINT64_C(5000000000) },
		{ 3, NULL, 100000000, 100000000 },
		{ 1, NULL, UINT64_C(300000000000), UINT64_C(300000000000) },
	};
	struct stint_plan plan;
	char error[256];

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		make_machine(cases[i].lcores, 1024);
		assert_int_equal(stint_plan_init(&plan, &three_test, &machine, NULL, 0,
						 cases[i].select, cases[i].given, error,
						 sizeof(error)),
				 0);
		assert_int_equal(plan.budget_ns, cases[i].want_ns);
		stint_plan_free(&plan);
	}
	assert_int_equal(stint_plan_init(&plan, &fast_test, &machine, NULL, 0, "cores=2", 7, error,
					 sizeof(error)),
			 0);
	assert_int_equal(plan.budget_ns, 0);
	stint_plan_free(&plan);
}

/* A number that is doubled up to all has 1 to 8 values and more: a test's time does not follow. */
static void
test_budget_of_doubling(void **state)
{
	static const unsigned int lcores[] = { 1, 2, 3, 128 };
	struct stint_plan plan;

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(lcores); i++) {
		make_machine(lcores[i], 1024);
		make_plan(&plan, &doubling_test);
		assert_int_equal(plan.budget_ns, UINT64_C(5000000000));
		stint_plan_free(&plan);
	}
}

static void
test_no_point_matches(void **state)
{
	static const char *const selects[] = { "mib=2", "bluk=1", "mib" };
	struct stint_plan plan;
	char error[256];

	(void)state;
	make_machine(2, 1024);
	for (unsigned int i = 0; i < RTE_DIM(selects); i++) {
		error[0] = '\0';
		assert_int_equal(stint_plan_init(&plan, &three_test, &machine, NULL, 0, selects[i],
						 0, error, sizeof(error)),
				 -EINVAL);
		assert_non_null(strstr(error, selects[i]));
	}
}

static int
admit_diagonal(const struct stint_point *pt)
{
	return pt->value[0] == 8 && pt->value[1] == 1 ? STINT_LEAVE_OUT : 0;
}

static const struct stint_test diagonal_test = { .name = "diagonal_perf_autotest",
						 .budget_s = 5,
						 .suite = STINT_SUITE_PERF,
						 .admit = admit_diagonal,
						 .dims = STINT_LIST(shared_dims) };

/* Each value occurs, but no point has all of them. */
static void
test_no_point_has_all(void **state)
{
	struct stint_plan plan;
	char error[256] = "";

	(void)state;
	make_machine(2, 1024);
	assert_int_equal(stint_plan_init(&plan, &diagonal_test, &machine, NULL, 0, "mib=8,bulk=1",
					 0, error, sizeof(error)),
			 -EINVAL);
	assert_non_null(strstr(error, "mib=8,bulk=1"));
	assert_non_null(strstr(error, "diagonal_perf_autotest"));
}

static uint64_t
number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_integer(value))
		fail_msg("%s is no integer", name);
	return json_integer_value(value);
}

static void
test_record(void **state)
{
	struct stint_plan plan;
	json_t *record, *lcores;

	(void)state;
	fake_host(&host);
	host.sockets = 2;
	fake_pages(&host, 2 * MIB, 128, 128);
	host.pages[0].total[1] = host.pages[0].free[1] = 8;
	fake_lcores(&args, 3, 5);
	args.main_lcore = 6;
	stint_machine_init(&machine, &host, &args);
	make_plan(&plan, &shared_test);
	record = stint_plan_record(&plan);
	assert_string_equal(json_string_value(json_object_get(record, "type")), "plan");
	assert_string_equal(json_string_value(json_object_get(record, "test")),
			    "shared_perf_autotest");
	assert_int_equal(number(record, "points"), 12);
	assert_int_equal(number(record, "budget_ns"), UINT64_C(10000000000));
	/* of the three lcores two are used, the main one first */
	lcores = json_object_get(record, "lcores");
	assert_int_equal(json_array_size(lcores), 2);
	assert_int_equal(json_integer_value(json_array_get(lcores, 0)), 6);
	assert_int_equal(json_integer_value(json_array_get(lcores, 1)), 5);
	assert_mib(number(json_object_get(record, "need_bytes"), "0"), 32);
	assert_int_equal(number(json_object_get(record, "need_bytes"), "1"), 0);
	assert_int_equal(number(json_object_get(record, "need_all_bytes"), "0"),
			 plan.need_all.bytes[0]);
	assert_mib(number(json_object_get(record, "need_least_bytes"), "0"), 8);
	assert_int_equal(number(json_object_get(record, "have_bytes"), "0"), 256 * MIB);
	assert_int_equal(number(json_object_get(record, "have_bytes"), "1"), 16 * MIB);
	assert_int_equal(number(record, "page_bytes"), 2 * MIB);
	assert_true(json_is_false(json_object_get(record, "shares_cpus")));
	json_decref(record);
	stint_plan_free(&plan);
}

static void
test_shares(void **state)
{
	struct stint_plan plan;
	json_t *record;

	(void)state;
	make_machine(4, 1024);
	host.quota_cpus = 2;
	make_plan(&plan, &four_test);
	assert_true(plan.shares_cpus);
	record = stint_plan_record(&plan);
	assert_true(json_is_true(json_object_get(record, "shares_cpus")));
	json_decref(record);
	stint_plan_free(&plan);
	/* two of the four have a CPU each */
	make_plan(&plan, &used_test);
	assert_false(plan.shares_cpus);
	stint_plan_free(&plan);
}

static const char *
text_of(const json_t *record, const char *name)
{
	return json_string_value(json_object_get(record, name));
}

static void
test_skip_record(void **state)
{
	struct stint_plan plan;
	json_t *record;

	(void)state;
	make_machine(2, 64);
	make_plan(&plan, &none_fits_test);
	record = stint_plan_skip_record(&plan, plan.skip, true);
	assert_string_equal(text_of(record, "type"), "skip");
	assert_string_equal(text_of(record, "test"), "none_perf_autotest");
	assert_string_equal(text_of(record, "reason"), plan.skip->skip_reason);
	assert_string_equal(text_of(record, "need"), plan.skip->skip_need);
	assert_string_equal(text_of(record, "have"), plan.skip->skip_have);
	assert_string_equal(text_of(record, "remedy"), plan.skip->skip_remedy);
	assert_null(json_object_get(record, "point"));
	json_decref(record);
	record = stint_plan_skip_record(&plan, &plan.grid.cells[1], false);
	assert_int_equal(number(json_object_get(record, "point"), "mib"), 400);
	assert_in_range(number_in(text_of(record, "need")), 800, 800 + EXTRA_MIB);
	json_decref(record);
	stint_plan_free(&plan);
}

/* What bounds the memory is what the skip says to raise. */
static void
test_remedies(void **state)
{
	static const struct {
		uint64_t cgroup_mib, mount_mib, files, file_bytes, limit_mib;
		const char *have, *remedy;
	} cases[] = {
		/* 66 and 2 of EAL's are 4 pages more than 30 */
		{ 0, 0, 0, 0, 0, "60 MiB free of 64",
		  "echo 36 > /sys/devices/system/node/node0/hugepages/hugepages-2048kB/"
		  "nr_hugepages" },
		{ 8, 0, 0, 0, 0, "8 MiB", "raise the limit of the hugetlb cgroup" },
		{ 0, 6, 0, 0, 0, "6 MiB", "mount the hugetlbfs with a larger size=" },
		/* 4 lcores take 24, 5 are open: 2 pages */
		{ 0, 0, 31, 0, 0, "4 MiB", "raise the limit of open files, ulimit -Hn" },
		{ 0, 0, 3, 0, 0, "0 MiB", "raise the limit of open files, ulimit -Hn" },
		{ 0, 0, 0, 4096, 0, "0 MiB", "ulimit -f unlimited" },
		{ 0, 0, 0, 0, 10, "10 MiB", "a larger --socket-limit, or none" },
		/* the smallest counts */
		{ 8, 0, 0, 0, 6, "6 MiB", "a larger --socket-limit, or none" },
		{ 4, 0, 0, 0, 6, "4 MiB", "raise the limit of the hugetlb cgroup" },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct stint_plan plan;

		fake_host(&host);
		fake_pages(&host, 2 * MIB, 32, 30);
		fake_lcores(&args, 4, 0);
		host.open_files = 5;
		if (cases[i].cgroup_mib > 0)
			host.pages[0].cgroup_bytes = cases[i].cgroup_mib * MIB;
		if (cases[i].files > 0)
			host.max_files = cases[i].files;
		if (cases[i].file_bytes > 0)
			host.max_file_bytes = cases[i].file_bytes;
		if (cases[i].mount_mib > 0) {
			host.n_mounts = 1;
			strcpy(host.mounts[0].dir, "/huge");
			host.mounts[0].page_bytes = 2 * MIB;
			host.mounts[0].limit_bytes = cases[i].mount_mib * MIB;
			args.huge_dir = "/huge";
		}
		args.socket_limit_given = cases[i].limit_mib > 0;
		args.socket_limit[0] = cases[i].limit_mib * MIB;
		stint_machine_init(&machine, &host, &args);
		make_plan(&plan, &need_64_test);
		assert_non_null(plan.skip);
		assert_non_null(strstr(plan.skip->skip_have, cases[i].have));
		assert_string_equal(plan.skip->skip_remedy, cases[i].remedy);
		stint_plan_free(&plan);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_most_of_a_page),
		cmocka_unit_test(test_fixtures),
		cmocka_unit_test(test_shares_cpus),
		cmocka_unit_test(test_latency_need),
		cmocka_unit_test(test_one_fixture),
		cmocka_unit_test(test_one_does_not_fit),
		cmocka_unit_test(test_none_fits),
		cmocka_unit_test(test_none_fits_no_huge),
		cmocka_unit_test(test_none_fits_limit),
		cmocka_unit_test(test_too_few_lcores),
		cmocka_unit_test(test_sockets),
		cmocka_unit_test(test_need_of_sockets),
		cmocka_unit_test(test_remedies),
		cmocka_unit_test(test_unused_lcores),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_budget_of_doubling),
		cmocka_unit_test(test_no_point_matches),
		cmocka_unit_test(test_no_point_has_all),
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_skip_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
