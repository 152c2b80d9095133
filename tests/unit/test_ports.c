/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* Points, fixtures and lcores of tests that use ports, on machines as a test describes them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_common.h>

#include <plan.h>
#include <ports.h>

#include "fake_machine.h"

static struct stint_host host;
static struct stint_eal_args args;
static struct stint_machine machine;

/* Two lcores a port in the second mode. */
static unsigned int
lcores(const struct stint_point *pt)
{
	return stint_ports(pt) * (1 + pt->value[0]);
}

static void
need(const struct stint_point *pt, struct stint_need *n)
{
	for (unsigned int i = 0; i < stint_ports(pt); i++)
		stint_need_bytes(n, STINT_SOCKET_LOCAL, 10 * MIB * pt->lcores);
}

static const struct stint_dim dims[] = { STINT_DIM_NAMES("mode", "alone", "pair"),
					 STINT_DIM("burst", 1, 8) };
static const struct stint_test test = { .name = "ports_perf_autotest",
					.budget_s = 5,
					.suite = STINT_SUITE_PERF,
					.flags = STINT_PORTS,
					.lcores = lcores,
					.need = need,
					.dims = STINT_LIST(dims) };

static void
make_machine(unsigned int n_lcores)
{
	fake_host(&host);
	fake_pages(&host, 2 * MIB, 512, 512);
	fake_lcores(&args, n_lcores, 0);
	stint_machine_init(&machine, &host, &args);
}

static void
set_ports(const int *sockets, unsigned int n)
{
	machine.ports_known = true;
	machine.n_ports = n;
	for (unsigned int i = 0; i < n; i++)
		machine.ports[i] = (struct stint_port){ .id = i, .socket = sockets[i] };
}

static void
make_plan(struct stint_plan *plan)
{
	char error[256];

	assert_int_equal(
		stint_plan_init(plan, &test, &machine, NULL, 0, NULL, 0, error, sizeof(error)), 0);
}

static void
test_guess(void **state)
{
	static const struct {
		const char *vdevs[4];
		unsigned int allows, want;
	} cases[] = {
		{ { NULL }, 0, 1 },
		{ { "net_null0" }, 0, 1 },
		{ { "net_null0", "net_ring0,nodeaction=x", "eth_tap1" }, 0, 3 },
		{ { "crypto_null", "net_null0" }, 0, 1 },
		{ { "crypto_null" }, 0, 1 },
		{ { "net_null0" }, 2, 3 },
		{ { NULL }, 64, RTE_MAX_ETHPORTS },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		fake_host(&host);
		fake_lcores(&args, 1, 0);
		args.n_allows = cases[i].allows;
		while (cases[i].vdevs[args.n_vdevs] != NULL) {
			args.vdevs[args.n_vdevs] = cases[i].vdevs[args.n_vdevs];
			args.n_vdevs++;
		}
		stint_machine_init(&machine, &host, &args);
		assert_int_equal(machine.n_ports, RTE_MIN(cases[i].want, RTE_MAX_ETHPORTS));
		assert_false(machine.ports_known);
	}
}

/* Lcore i serves port i modulo their number, on its socket. */
static void
test_deal(void **state)
{
	static const struct {
		int sockets[4]; /* of ports */
		unsigned int n_ports, main;
		const char *ports, *lcores;
	} cases[] = {
		/* lcores 0 to 3 are on socket 0, 4 to 7 on 1 */
		{ { 0 }, 1, 0, "0", "0 1 2 3 4 5 6 7" },
		{ { 1 }, 1, 0, "0", "0 4 5 6 7 1 2 3" },
		{ { -1 }, 1, 4, "0", "4 5 6 7 0 1 2 3" },
		{ { 0, 1 }, 2, 0, "0 1", "0 4 1 5 2 6 3 7" },
		/* the main lcore gets a port of its socket, or one that has none */
		{ { 0, 1 }, 2, 4, "1 0", "4 0 5 1 6 2 7 3" },
		{ { 1, -1, 1 }, 3, 0, "1 0 2", "0 4 5 1 6 7 2 3" },
		{ { 1, 1 }, 2, 0, "0 1", "0 4 5 6 7 1 2 3" },
		/* one that takes any lcore takes none from those that do not */
		{ { 0, -1, 0, 0 }, 4, 0, "0 2 3 1", "0 1 2 3 4 5 6 7" },
		{ { -1, -1, 0, 1 }, 4, 0, "2 3 0 1", "0 4 1 2 3 5 6 7" },
	};

	(void)state;
	for (unsigned int c = 0; c < RTE_DIM(cases); c++) {
		char ports[64] = "", order[64] = "";

		fake_host(&host);
		host.sockets = 2;
		fake_lcores(&args, 8, 0);
		for (unsigned int i = 4; i < 8; i++)
			args.lcores[i].socket = 1;
		args.main_lcore = cases[c].main;
		stint_machine_init(&machine, &host, &args);
		set_ports(cases[c].sockets, cases[c].n_ports);
		stint_ports_deal_lcores(&machine);
		for (unsigned int i = 0; i < machine.n_ports; i++)
			sprintf(ports + strlen(ports), "%s%u", i > 0 ? " " : "",
				machine.ports[i].id);
		for (unsigned int i = 0; i < machine.n_lcores; i++)
			sprintf(order + strlen(order), "%s%u", i > 0 ? " " : "",
				machine.lcores[i].id);
		assert_string_equal(ports, cases[c].ports);
		assert_string_equal(order, cases[c].lcores);
	}
}

static void
test_no_port(void **state)
{
	struct stint_plan plan;

	(void)state;
	make_machine(4);
	/* before EAL has started there may be some */
	make_plan(&plan);
	assert_null(plan.skip);
	stint_plan_free(&plan);
	set_ports(NULL, 0);
	make_plan(&plan);
	assert_non_null(plan.skip);
	assert_string_equal(plan.skip->skip_reason, "no Ethernet device");
	assert_int_equal(plan.grid.skipped, plan.grid.count);
	stint_plan_free(&plan);
	machine.no_net_drivers = true;
	make_plan(&plan);
	assert_non_null(strstr(plan.skip->skip_reason, "no Ethernet device"));
	assert_non_null(strstr(plan.skip->skip_reason, RTE_EAL_PMD_PATH));
	stint_plan_free(&plan);
}

/* Ports that are only guessed skip no point that one of them would have lcores for. */
static void
test_lcores(void **state)
{
	static const struct {
		unsigned int n_lcores, n_ports;
		bool known;
		unsigned int skipped, max_lcores;
	} cases[] = {
		{ 4, 2, true, 0, 4 },  { 3, 2, true, 2, 2 },   { 1, 2, true, 4, 0 },
		{ 1, 1, true, 2, 1 },  { 4, 2, false, 0, 4 },  { 3, 2, false, 0, 3 },
		{ 1, 2, false, 2, 1 }, { 2, 32, false, 0, 2 },
	};
	static const int sockets[2] = { -1, -1 };

	(void)state;
	for (unsigned int c = 0; c < RTE_DIM(cases); c++) {
		struct stint_plan plan;

		make_machine(cases[c].n_lcores);
		machine.n_ports = cases[c].n_ports;
		if (cases[c].known)
			set_ports(sockets, cases[c].n_ports);
		make_plan(&plan);
		assert_int_equal(plan.grid.skipped, cases[c].skipped);
		assert_int_equal(plan.grid.max_lcores, cases[c].max_lcores);
		stint_plan_free(&plan);
	}
}

/* A port is set up once, for the point with the most lcores. */
static void
test_shared_fixture(void **state)
{
	static const int sockets[1] = { -1 };
	struct stint_plan plan;

	(void)state;
	make_machine(2);
	set_ports(sockets, 1);
	make_plan(&plan);
	assert_int_equal(plan.grid.count, 4);
	assert_int_equal(plan.n_fixtures, 1);
	assert_int_equal(plan.fixtures[0].lcores, 2);
	assert_int_equal(plan.fixtures[0].point->lcores, 2);
	assert_in_range(plan.need.bytes[0], 20 * MIB, 28 * MIB);
	stint_plan_free(&plan);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guess),          cmocka_unit_test(test_deal),
		cmocka_unit_test(test_no_port),        cmocka_unit_test(test_lcores),
		cmocka_unit_test(test_shared_fixture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
