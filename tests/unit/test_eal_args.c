/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "eal_args.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_common.h>

#include <setjmp.h>
#include <cmocka.h>

/* CPU sets as the kernel writes them. CPUs from 128 on are on node 1. */
struct machine {
	const char *online, *allowed, *cpuset;
	unsigned int nodes;
};

static const struct machine two = { "0-1", "0-1", "0-1", 1 };
static const struct machine one_by_taskset = { "0-1", "0", "0-1", 1 };
static const struct machine one_by_cpuset = { "0-1", "1", "1", 1 };
static const struct machine gap = { "0-3,6-7", "0-3,6-7", "0-3,6-7", 1 };
static const struct machine big = { "0-255", "0-255", "0-255", 2 };
static const struct machine big_high = { "0-255", "200-203", "0-255", 2 };
static const struct machine no_sys = { "", "", "", 1 };

static struct stint_host host;
static struct stint_eal_args args;
static char error[512];

static void
make_host(const struct machine *m)
{
	memset(&host, 0, sizeof(host));
	assert_int_equal(stint_cpulist_parse(m->online, &host.online), 0);
	assert_int_equal(stint_cpulist_parse(m->allowed, &host.allowed), 0);
	assert_int_equal(stint_cpulist_parse(m->cpuset, &host.cpuset), 0);
	for (unsigned int i = 128; i < CPU_SETSIZE; i++)
		host.socket[i] = 1;
	host.sockets = m->nodes;
}

/* Words are separated by single spaces; tabs stand inside of words. */
static int
parse(const struct machine *m, const char *line)
{
	static char words[512];
	char *argv[32];
	int argc = 0, rc;

	make_host(m);
	snprintf(words, sizeof(words), "%s", line);
	for (char *w = words; line[0] != '\0' && w != NULL;)
		argv[argc++] = strsep(&w, " ");
	argv[argc] = NULL;
	error[0] = '\0';
	memset(&args, 0xa5, sizeof(args));
	rc = stint_eal_args_parse(&args, argc, argv, &host, error, sizeof(error));
	assert_true((rc == STINT_EAL_OK) == (error[0] == '\0'));
	assert_null(strchr(error, '\n'));
	return rc;
}

static void
must_parse(const struct machine *m, const char *line)
{
	if (parse(m, line) != STINT_EAL_OK)
		fail_msg("[%s]: %s", line, error);
}

/* "5@0 9@1 main 9"; "/1" follows a CPU set that is on node 1. */
static void
describe(char *text, size_t size)
{
	size_t used = 0;

	for (unsigned int i = 0; i < args.n_lcores; i++) {
		char cpus[64];

		used += snprintf(text + used, size - used, "%u@%s%s ", args.lcores[i].id,
				 stint_cpulist_format(cpus, sizeof(cpus), &args.lcores[i].cpus),
				 args.lcores[i].socket == 1 ? "/1" : "");
		assert_true(used < size);
	}
	snprintf(text + used, size - used, "main %u", args.main_lcore);
}

static const struct {
	const struct machine *machine;
	const char *line, *lcores;
} lcore_cases[] = {
	{ &two, "", "0@0 1@1 main 0" },
	{ &two, "-l 1", "1@1 main 1" },
	{ &two, "-l 0-1", "0@0 1@1 main 0" },
	{ &two, "-l0,1", "0@0 1@1 main 0" },
	{ &two, "-l \t0\t-\t1\t", "0@0 1@1 main 0" },
	{ &gap, "-l 6-7,0", "0@0 6@6 7@7 main 0" },
	{ &two, "-c 3", "0@0 1@1 main 0" },
	{ &two, "-c 0x2", "1@1 main 1" },
	{ &gap, "-c \t00000000000000000000000000000000000000000000000000000000C1\t",
	  "0@0 6@6 7@7 main 0" },
	/* as DPDK's usage text explains it */
	{ &big, "--lcores 1,2@(5-7),(3-5)@(0,2),(0,6),7-8",
	  "0@0,6 1@1 2@5-7 3@0,2 4@0,2 5@0,2 6@0,6 7@7 8@8 main 0" },
	{ &two, "--lcores 5@0,9@1", "5@0 9@1 main 5" },
	{ &two, "--lcores=5@0,9@1 --main-lcore=9", "5@0 9@1 main 9" },
	{ &two, "--lco 5@0,9@1 --main 0x9", "5@0 9@1 main 9" },
	{ &two, "--lcores 0@0,127@1", "0@0 127@1 main 0" },
	{ &gap, "--lcores (1,3)", "1@1,3 3@1,3 main 1" },
	{ &two, "--lcores (0-2)@1", "0@1 1@1 2@1 main 0" },
	{ &two, "--lcores 0@0-1", "0@0-1 main 0" },
	{ &two, "--lcores 1-0", "0@0 1@1 main 0" },
	{ &two, "--lcores 0@1-0", "0@0-1 main 0" },
	{ &two, "--lcores 0@0,0@1", "0@1 main 0" },
	{ &two, "--lcores \t0\t@\t(\t0\t-\t1\t)\t,\t1", "0@0-1 1@1 main 0" },
	{ &big, "--lcores 0@0,1@200", "0@0 1@200/1 main 0" },
	{ &big, "--lcores 0@(127-128)", "0@127-128 main 0" },
	{ &big, "--lcores 0@(128,130),1@128-130", "0@128,130/1 1@128-130/1 main 0" },
	/* taskset is no limit, but for the default */
	{ &one_by_taskset, "", "0@0 main 0" },
	{ &one_by_taskset, "-l 0-1", "0@0 1@1 main 0" },
	/* of a set it is enough that one CPU is allowed */
	{ &one_by_cpuset, "", "1@1 main 1" },
	{ &one_by_cpuset, "--lcores 0@1,1@1", "0@1 1@1 main 0" },
	{ &one_by_cpuset, "--lcores (0-1)@(0-1)", "0@1 1@1 main 0" },
	{ &two, "-l 0-1 -S 1", "0@0 main 0" },
	{ &two, "-S 1 -l 0-1", "0@0 main 0" },
	{ &two, "-S 1", "0@0 main 0" },
	{ &two, "-l 0-1 -s 2", "0@0 main 0" },
	/* EAL's default main lcore is no service lcore */
	{ &two, "-l 0-1 -S 0", "0@0 1@1 main 0" },
	{ &two, "-l 0-1 -S 0 --main-lcore 1", "1@1 main 1" },
	{ &two, "--lcores (0-3)@(0-1) -S 2-3", "0@0-1 1@0-1 main 0" },
	/* of --main-lcore the last counts */
	{ &two, "--main-lcore 7 --main-lcore 1", "0@0 1@1 main 1" },
	{ &two, "-l 0 -- -l 1 mempool", "0@0 main 0" },
};

static void
test_lcores(void **state __rte_unused)
{
	char text[512];

	for (unsigned int i = 0; i < RTE_DIM(lcore_cases); i++) {
		must_parse(lcore_cases[i].machine, lcore_cases[i].line);
		describe(text, sizeof(text));
		if (strcmp(text, lcore_cases[i].lcores) != 0)
			fail_msg("[%s]: %s", lcore_cases[i].line, text);
	}
}

static void
test_many_lcores(void **state __rte_unused)
{
	must_parse(&two, "--lcores (0-127)@(0-1)");
	assert_int_equal(args.n_lcores, 128);
	for (unsigned int i = 0; i < 128; i++) {
		assert_int_equal(args.lcores[i].id, i);
		assert_int_equal(CPU_COUNT(&args.lcores[i].cpus), 2);
	}
	assert_true(args.lcores_given);
}

static void
test_default_lcores(void **state __rte_unused)
{
	must_parse(&big, "");
	assert_int_equal(args.n_lcores, 128);
	assert_int_equal(args.cpus_left_out, 128);
	assert_false(args.lcores_given);
	must_parse(&big, "-l 0");
	assert_int_equal(args.cpus_left_out, 0);
	assert_true(args.lcores_given);
	must_parse(&two, "-S 1");
	assert_true(args.lcores_given);
}

static const struct {
	const struct machine *machine;
	const char *line, *error;
} wrong_cases[] = {
	/* CPUs */
	{ &two, "-l 0-3", "-l 0-3: CPUs 2-3 do not exist; there are 0-1" },
	{ &two, "-l 5", "-l 5: CPU 5 does not exist; there are 0-1" },
	{ &gap, "-l 3-6", "-l 3-6: CPUs 4-5 do not exist; there are 0-3,6-7" },
	{ &two, "-l 5000", "-l 5000: CPU 5000 does not exist; there are 0-1" },
	{ &big, "-l 0,200",
	  "-l 0,200: lcore 200 is not below 128 (RTE_MAX_LCORE); map CPUs to "
	  "lower lcores, e.g. --lcores 0@0,1@200; there are CPUs 0-255" },
	{ &two, "-l 0,200",
	  "-l 0,200: lcore 200 is not below 128 (RTE_MAX_LCORE); map CPUs to "
	  "lower lcores, e.g. --lcores 0@0,1@200; there are CPUs 0-1" },
	{ &big, "-l 128-255",
	  "-l 128-255: lcore 255 is not below 128 (RTE_MAX_LCORE); map CPUs "
	  "to lower lcores, e.g. --lcores 0@128,1@129,2@130,3@131,...; there "
	  "are CPUs 0-255" },
	{ &one_by_cpuset, "-l 0-1", "-l 0-1: CPU 0 not in the allowed set 1 (cpuset)" },
	{ &one_by_cpuset, "--lcores 3@0", "--lcores 3@0: CPU 0 not in the allowed set 1 (cpuset)" },
	{ &two, "-l 0,0", "-l 0,0: 0 is there twice" },
	{ &two, "-l 0-1,1", "-l 0-1,1: 1 is there twice" },
	{ &two, "-l 1-0", "-l 1-0: 1-0 runs backwards" },
	{ &two, "-l abc", "-l \"abc\": \"abc\" is not understood; a list is such as 0-3,8" },
	{ &two, "-l 0,1x", "-l \"0,1x\": \"1x\" is not understood; a list is such as 0-3,8" },
	{ &two, "-l 0,", "-l \"0,\": \"\" is not understood; a list is such as 0-3,8" },
	{ &two, "-l 0,,1", "-l \"0,,1\": \",1\" is not understood; a list is such as 0-3,8" },
	{ &two, "-l 0-", "-l \"0-\": \"0-\" is not understood; a list is such as 0-3,8" },
	{ &two, "-l 0-1-1", "-l \"0-1-1\": \"0-1-1\" is not understood; a list is such as 0-3,8" },
	{ &two, "-l -1", "-l \"-1\": \"-1\" is not understood; a list is such as 0-3,8" },
	{ &two, "-l=0", "-l \"=0\": \"=0\" is not understood; a list is such as 0-3,8" },
	{ &two, "-l ", "-l \"\": \"\" is not understood; a list is such as 0-3,8" },
	{ &two, "-l 99999999999",
	  "-l \"99999999999\": \"99999999999\" is not understood; a list is such as 0-3,8" },
	{ &two, "-c 7", "-c 7: CPU 2 does not exist; there are 0-1" },
	{ &two, "-c 0x0", "-c \"0x0\": the mask is empty" },
	{ &two, "-c 0x", "-c \"0x\": the mask is empty" },
	{ &two, "-c ", "-c \"\": the mask is empty" },
	{ &two, "-c 3g", "-c 3g: no hexadecimal mask such as 0xf" },
	{ &big, "-c 100000000000000000000000000000001",
	  "-c 100000000000000000000000000000001: lcore 128 is not below 128 (RTE_MAX_LCORE); map "
	  "CPUs to lower lcores, e.g. --lcores 0@0,1@128; there are CPUs 0-255" },
	{ &two, "--lcores 0@5", "--lcores 0@5: CPU 5 does not exist; there are 0-1" },
	{ &two, "--lcores 0@5000", "--lcores 0@5000: CPU 5000 does not exist" },
	{ &two, "--lcores 128@0", "--lcores 128@0: lcore 128 is not below 128 (RTE_MAX_LCORE)" },
	{ &two, "--lcores (0-128)@0",
	  "--lcores (0-128)@0: lcore 128 is not below 128 (RTE_MAX_LCORE)" },
	{ &big, "--lcores 0@(128-143)",
	  "--lcores 0@(128-143): EAL misreads a range in ( ) that "
	  "begins at 128; write 128,129-..." },
	{ &two, "--lcores 1-3@(0,1)",
	  "--lcores 1-3@(0,1): before @ a range stands in parentheses, (1-3)" },
	{ &two, "--lcores 0@1junk",
	  "--lcores \"0@1junk\": \"0@1junk\" is not understood; a map is "
	  "such as '(0-3)@(0,1),4@2'" },
	{ &two, "--lcores 0@1,(0",
	  "--lcores \"0@1,(0\": \"(0\" is not understood; a map is "
	  "such as '(0-3)@(0,1),4@2'" },
	{ &two, "--lcores (0)(1)",
	  "--lcores \"(0)(1)\": \"(0)(1)\" is not understood; a map is "
	  "such as '(0-3)@(0,1),4@2'" },
	{ &two, "--lcores 0@0,",
	  "--lcores \"0@0,\": \"\" is not understood; a map is "
	  "such as '(0-3)@(0,1),4@2'" },
	{ &two, "--lcores 0@1@0",
	  "--lcores \"0@1@0\": \"0@1@0\" is not understood; a map is "
	  "such as '(0-3)@(0,1),4@2'" },
	{ &two, "--lcores ()",
	  "--lcores \"()\": \"()\" is not understood; a map is "
	  "such as '(0-3)@(0,1),4@2'" },
	{ &two, "-l 0 -l 0", "-l: the lcores are given by -l already" },
	{ &two, "-l 0 -c 1", "-c: the lcores are given by -l already" },
	{ &two, "--lcores 0 -l 0", "-l: the lcores are given by --lcores already" },
	{ &two, "-l 0 --main-lcore 1", "--main-lcore 1 is not among the lcores 0" },
	{ &gap, "--main-lcore 4", "--main-lcore 4 is not among the lcores 0-3,6-7" },
	{ &two, "--main-lcore 128", "--main-lcore \"128\": no lcore id from 0 to 127" },
	{ &two, "--main-lcore -1", "--main-lcore \"-1\": no lcore id from 0 to 127" },
	{ &two, "--main-lcore 1x", "--main-lcore \"1x\": no lcore id from 0 to 127" },
	{ &two, "--main-lcore=", "--main-lcore \"\": no lcore id from 0 to 127" },
	{ &two, "--main-lcore 0 -S 0", "--main-lcore 0: it is a service lcore (-s or -S)" },
	{ &two, "-S 0 --main-lcore 0", "--main-lcore 0: it is a service lcore (-s or -S)" },
	{ &two, "-S 200", "-S 200: lcore 200 is not below 128 (RTE_MAX_LCORE)" },
	{ &two, "-s 4", "-s 4: CPU 2 does not exist; there are 0-1" },
	{ &big_high, "",
	  "none of the allowed CPUs 200-203 is below 128 (RTE_MAX_LCORE); map them "
	  "to lower lcores, e.g. --lcores 0@200,1@201,2@202,3@203" },
	{ &no_sys, "", "no CPU is known; is /sys mounted?" },

	/* memory */
	{ &two, "-m 0", "-m \"0\": no number of MiB from 1 to 2147483647" },
	{ &two, "-m -5", "-m \"-5\": no number of MiB from 1 to 2147483647" },
	{ &two, "-m 64x", "-m \"64x\": no number of MiB from 1 to 2147483647" },
	{ &two, "-m 2147483648", "-m \"2147483648\": no number of MiB from 1 to 2147483647" },
	{ &two, "--socket-mem 0,64", "--socket-mem 0,64: there is no node 1, only node 0" },
	{ &big, "--socket-mem 64,0,1", "--socket-mem 64,0,1: there is no node 2; there are 0-1" },
	{ &two, "--socket-limit 64,64", "--socket-limit 64,64: there is no node 1, only node 0" },
	{ &two, "--socket-mem 64,",
	  "--socket-mem \"64,\": no list of MiB for node 0, 1, ... (up to "
	  "31) such as 1024,512" },
	{ &two, "--socket-mem 6x4",
	  "--socket-mem \"6x4\": no list of MiB for node 0, 1, ... (up to "
	  "31) such as 1024,512" },
	{ &two, "--socket-mem -64",
	  "--socket-mem \"-64\": no list of MiB for node 0, 1, ... (up to "
	  "31) such as 1024,512" },
	/* 33 nodes */
	{ &two, "--socket-mem 1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
	  "--socket-mem \"1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\": no "
	  "list of MiB for node 0, 1, ... (up to 31) such as 1024,512" },

	/* options that exclude each other */
	{ &two, "-m 64 --socket-mem 64", "-m does not go together with --socket-mem" },
	{ &two, "--no-huge --in-memory", "--no-huge does not go together with --in-memory" },
	{ &two, "--socket-mem 64 --no-huge", "--no-huge does not go together with --socket-mem" },
	{ &two, "--no-huge --huge-unlink", "--no-huge does not go together with --huge-unlink" },
	{ &two, "--no-huge --huge-worker-stack",
	  "--no-huge does not go together with --huge-worker-stack" },
	{ &two, "--no-huge --match-allocations",
	  "--no-huge does not go together with --match-allocations" },
	{ &two, "--no-huge --iova-mode=pa",
	  "--no-huge does not go together with --iova-mode=pa "
	  "(physical addresses need hugepages)" },
	{ &two, "--legacy-mem --in-memory", "--legacy-mem does not go together with --in-memory" },
	{ &two, "--legacy-mem --match-allocations",
	  "--legacy-mem does not go together with --match-allocations" },
	{ &two, "--single-file-segments --huge-unlink=always",
	  "--single-file-segments does not go together with --huge-unlink" },
	{ &two, "--in-memory --huge-unlink=never",
	  "--in-memory does not go together with --huge-unlink=never" },
	{ &two, "--in-memory --proc-type=Secondary",
	  "--proc-type=secondary does not go together with --in-memory" },
	{ &two, "--no-shconf --proc-type=secondary",
	  "--proc-type=secondary does not go together with --no-shconf" },
	{ &two, "-a 0000:00:01.0 -b 0000:00:02.0", "-a does not go together with -b" },

	/* words and numbers */
	{ &two, "--proc-type=prim", "--proc-type \"prim\": one of primary, secondary, auto" },
	{ &two, "--iova-mode xx", "--iova-mode \"xx\": one of pa, va" },
	{ &two, "--huge-unlink=x", "--huge-unlink \"x\": one of existing, always, never" },
	{ &two, "--vfio-intr=x", "--vfio-intr \"x\": one of legacy, msi, msix" },
	{ &two, "--trace-mode=x", "--trace-mode \"x\": one of overwrite, discard" },
	{ &two, "--syslog=local8",
	  "--syslog \"local8\": one of auth, cron, daemon, ftp, kern, lpr, mail, news, syslog, "
	  "user, "
	  "uucp, local0, local1, local2, local3, local4, local5, local6, local7" },
	{ &two, "--mbuf-pool-ops-name=", "--mbuf-pool-ops-name: the name is empty" },
	{ &two, "-n 0", "-n \"0\": no number of memory channels from 1 to 2147483647" },
	{ &two, "-r 17", "-r \"17\": no number of memory ranks from 1 to 16" },
	{ &two, "--huge-worker-stack=0",
	  "--huge-worker-stack \"0\": no number of KiB from 1 to 2147483647" },
	{ &two, "--force-max-simd-bitwidth=100",
	  "--force-max-simd-bitwidth \"100\": no power of "
	  "two from 64 to 32768, or 0 for no limit" },
	{ &two, "--force-max-simd-bitwidth=64 --force-max-simd-bitwidth=64",
	  "--force-max-simd-bitwidth: EAL takes it only once" },
	{ &two, "--base-virtaddr=zz",
	  "--base-virtaddr \"zz\": no hexadecimal address such as 0x100000000" },
	{ &two, "--trace-bufsz=0", "--trace-bufsz \"0\": no size above 0 such as 64K or 1M" },
	{ &two, "--vfio-vf-token=x",
	  "--vfio-vf-token \"x\": no UUID such as "
	  "14d63f20-8445-11ea-8900-1f9ce7d5650d" },

	/* options themselves */
	{ &two, "--nohuge", "unknown EAL option --nohuge; did you mean --no-huge?" },
	{ &two, "--telemtry=64", "unknown EAL option --telemtry; did you mean --telemetry?" },
	{ &two, "--list", "unknown EAL option --list; options of the runner stand after \"--\"" },
	{ &two, "--no",
	  "--no is short for more than one: --no-hpet, --no-huge, --no-pci, "
	  "--no-shconf, --no-telemetry" },
	{ &two, "--no-huge=1", "--no-huge takes no value" },
	{ &two, "--help=1", "--help takes no value" },
	{ &two, "-z", "unknown EAL option -z" },
	{ &two, "--no-pci -vz", "unknown EAL option -z" },
	{ &two, "-l", "-l needs a value" },
	{ &two, "--file", "--file-prefix needs a value" },
	{ &two, "-l 0 mempool_perf_autotest --no-huge",
	  "mempool_perf_autotest: test names stand after \"--\"" },
	/* whatever is typed, the error stays one line */
	{ &two, "a\nb", "a?b: test names stand after \"--\"" },
};

static void
test_wrong(void **state __rte_unused)
{
	for (unsigned int i = 0; i < RTE_DIM(wrong_cases); i++) {
		int rc = parse(wrong_cases[i].machine, wrong_cases[i].line);

		if (rc != STINT_EAL_WRONG || strcmp(error, wrong_cases[i].error) != 0)
			fail_msg("[%s]: %d, %s", wrong_cases[i].line, rc, error);
	}
}

/* What is right beside something that is wrong, or looks odd. */
static void
test_accepted(void **state __rte_unused)
{
	static const char *const lines[] = {
		"--no-huge --huge-unlink=existing",
		"--no-huge --huge-unlink=never",
		"--in-memory --huge-unlink",
		"--in-memory --single-file-segments",
		"--no-huge --socket-limit 64",
		"--legacy-mem --socket-limit 64",
		"--socket-mem 64,0,0",
		"--socket-mem 0",
		"--proc-type=AUTO",
		"--proc-type=primary",
		"--iova-mode=pa",
		"--telemetry --no-telemetry",
		"-n 4 -r 16",
		"--trace-mode=o",
		"--trace-bufsz=1M",
		"--force-max-simd-bitwidth=0",
		"--base-virtaddr=100000000",
		"--huge-worker-stack",
		"--huge-worker-stack=64",
		"--syslog=local7",
		"--trace=eal.*",
		"--log-level=eal:debug",
		"-v",
		"--match-alloc --in-mem",
		"--create-uio-dev",
		"--vfio-vf-token=14d63f20-8445-11ea-8900-1f9ce7d5650d",
		"--vfio-intr=msix",
	};

	for (unsigned int i = 0; i < RTE_DIM(lines); i++)
		must_parse(&two, lines[i]);
}

static void
test_values(void **state __rte_unused)
{
	const uint64_t mib = 1024 * 1024;

	must_parse(&two, "-m 64");
	assert_true(args.mem_bytes == 64 * mib);
	assert_false(args.socket_mem_given || args.socket_limit_given);
	must_parse(&big, "--socket-mem 16,32 --socket-limit=1024");
	assert_true(args.socket_mem_given && args.socket_limit_given);
	assert_true(args.socket_mem[0] == 16 * mib && args.socket_mem[1] == 32 * mib);
	assert_true(args.socket_limit[0] == 1024 * mib && args.socket_limit[1] == 0);
	/* the second list replaces the first whole */
	must_parse(&big, "--socket-mem 16,32 --socket-mem 8");
	assert_true(args.socket_mem[0] == 8 * mib && args.socket_mem[1] == 0);
	must_parse(&two, "--in-memory --no-pci --no-telemetry --single-file-segments -v "
			 "--match-allocations --iova-mode=va --mbuf-pool-ops-name stack "
			 "--no-shconf --proc-type=auto");
	assert_true(args.in_memory && args.no_pci && args.no_telemetry && args.version);
	assert_true(args.single_file_segments && args.match_allocations && args.iova_va);
	assert_true(args.no_shconf);
	assert_false(args.no_huge || args.legacy_mem || args.huge_unlink || args.iova_pa);
	assert_false(args.telemetry || args.help);
	assert_string_equal(args.mbuf_pool_ops, "stack");
	assert_string_equal(args.proc_type, "auto");
	assert_null(args.huge_dir);
	must_parse(&two, "--no-huge --huge-unlink=never --telemetry --iova-mode=pa --iova-mode va");
	assert_true(args.no_huge && args.huge_unlink && args.telemetry);
	assert_true(args.iova_va && !args.iova_pa);
	must_parse(&two, "--vdev net_null0 -a 0000:00:01.0 --allow=02:00.0 --vdev=net_ring0,x=1");
	assert_int_equal(args.n_vdevs, 2);
	assert_string_equal(args.vdevs[0], "net_null0");
	assert_string_equal(args.vdevs[1], "net_ring0,x=1");
	assert_int_equal(args.n_allows, 2);
	assert_string_equal(args.allows[1], "02:00.0");
	assert_int_equal(args.n_blocks, 0);
	must_parse(&two, "-b 02:00.0");
	assert_int_equal(args.n_blocks, 1);
}

/* At -h EAL prints its usage and leaves: what follows is not looked at, what precedes is. */
static void
test_help(void **state __rte_unused)
{
	must_parse(&two, "-h --bogus");
	assert_true(args.help);
	must_parse(&no_sys, "--help");
	assert_true(args.help);
	assert_int_equal(parse(&two, "--bogus -h"), STINT_EAL_WRONG);
}

static void
test_too_many(void **state __rte_unused)
{
	char *argv[2 * 65];

	make_host(&two);
	for (unsigned int i = 0; i < RTE_DIM(argv); i += 2) {
		argv[i] = strdup("--vdev");
		argv[i + 1] = strdup("net_null0");
	}
	assert_int_equal(stint_eal_args_parse(&args, 128, argv, &host, error, sizeof(error)),
			 STINT_EAL_OK);
	assert_int_equal(args.n_vdevs, 64);
	assert_int_equal(stint_eal_args_parse(&args, 130, argv, &host, error, sizeof(error)),
			 STINT_EAL_WRONG);
	assert_string_equal(error, "--vdev net_null0: more than 64 of them");
	assert_int_equal(parse(&two, "--vdev="), STINT_EAL_WRONG);
	assert_int_equal(parse(&two, "--vdev=,iface=x"), STINT_EAL_WRONG);
	for (unsigned int i = 0; i < RTE_DIM(argv); i++)
		free(argv[i]);
}

/* A prefix must leave room for the longest socket: 107 characters of path. */
static void
test_prefix(void **state __rte_unused)
{
	/* "/run/dpdk/" + prefix + "/dpdk_telemetry.v2": 10 + 79 + 18 = 107 */
	char longest[] = "--file-prefix=0123456789012345678901234567890123456789"
			 "012345678901234567890123456789012345678";
	char longer[sizeof(longest) + 1];

	setenv("RUNTIME_DIRECTORY", "/run", 1);
	assert_int_equal(strlen(strchr(longest, '=') + 1), 79);
	must_parse(&two, longest);
	assert_string_equal(args.file_prefix, strchr(longest, '=') + 1);
	snprintf(longer, sizeof(longer), "%sx", longest);
	assert_int_equal(parse(&two, longer), STINT_EAL_WRONG);
	assert_string_equal(error, "--file-prefix 01234567890123456789...: 80 characters; sockets "
				   "in the run directory leave room for 79");
	unsetenv("RUNTIME_DIRECTORY");
	assert_int_equal(parse(&two, "--file-prefix a%b"), STINT_EAL_WRONG);
	assert_string_equal(error, "--file-prefix \"a%b\": no name of a folder without / and %");
	assert_int_equal(parse(&two, "--file-prefix a/b"), STINT_EAL_WRONG);
	assert_int_equal(parse(&two, "--file-prefix .."), STINT_EAL_WRONG);
	assert_int_equal(parse(&two, "--file-prefix="), STINT_EAL_WRONG);
}

static int
parse_dir(const char *dir, const char *mount)
{
	char word[300], *argv[] = { word, NULL };

	make_host(&two);
	snprintf(host.mounts[0].dir, sizeof(host.mounts[0].dir), "/elsewhere");
	snprintf(host.mounts[1].dir, sizeof(host.mounts[1].dir), "%s", mount);
	host.n_mounts = 2;
	snprintf(word, sizeof(word), "--huge-dir=%s", dir);
	error[0] = '\0';
	return stint_eal_args_parse(&args, 1, argv, &host, error, sizeof(error));
}

static void
test_huge_dir(void **state __rte_unused)
{
	char mount[] = "/tmp/stint-eal-XXXXXX", sub[64], other[64];

	assert_non_null(mkdtemp(mount));
	snprintf(sub, sizeof(sub), "%s/sub", mount);
	snprintf(other, sizeof(other), "%sx", mount);
	assert_int_equal(parse_dir(mount, mount), STINT_EAL_OK);
	assert_int_equal(parse_dir("/elsewhere/", mount), STINT_EAL_OK);
	assert_int_equal(parse_dir(sub, mount), STINT_EAL_WRONG);
	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(parse_dir(sub, mount), STINT_EAL_OK);
	assert_int_equal(parse_dir(other, mount), STINT_EAL_WRONG);
	assert_int_equal(mkdir(other, 0700), 0);
	assert_int_equal(parse_dir(other, mount), STINT_EAL_WRONG);
	assert_int_equal(parse_dir("", mount), STINT_EAL_WRONG);
	assert_string_equal(error,
			    "--huge-dir \"\": it is no mounted hugetlbfs; mount -t hugetlbfs "
			    "none DIR, or leave the option out");
	assert_int_equal(rmdir(sub), 0);
	assert_int_equal(rmdir(other), 0);
	assert_int_equal(rmdir(mount), 0);
}

static void
test_plugins(void **state __rte_unused)
{
	char dir[] = "/tmp/stint-eal-XXXXXX", path[64], line[128], expect[256];
	FILE *f;

	must_parse(&two, "-d libc.so.6 -d /");
	assert_int_equal(args.n_plugins, 2);
	assert_string_equal(args.plugins[0], "libc.so.6");
	assert_int_equal(parse(&two, "-d /nonexistent/x.so"), STINT_EAL_WRONG);
	assert_non_null(strstr(error, "-d /nonexistent/x.so: no plugin: "));
	assert_int_equal(parse(&two, "-d no-such-plugin.so"), STINT_EAL_WRONG);

	assert_non_null(mkdtemp(dir));
	assert_int_equal(chmod(dir, 0777), 0);
	snprintf(path, sizeof(path), "%s/x.so", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
	snprintf(line, sizeof(line), "-d %s", path);
	assert_int_equal(parse(&two, line), STINT_EAL_WRONG);
	snprintf(expect, sizeof(expect),
		 "-d %s: EAL loads nothing from %s, which anyone may write to", path, dir);
	assert_string_equal(error, expect);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

/* EAL calls getopt_long() next, without asking it to begin anew. */
static void
test_getopt_state(void **state __rte_unused)
{
	static const struct option none[] = { { 0 } };
	char name[] = "x", word[] = "word", help[] = "-h", v[] = "-v";
	char *argv[] = { name, word, help, v, NULL };

	optind = 1;
	opterr = 1;
	assert_int_equal(parse(&two, "-vzq"), STINT_EAL_WRONG);
	assert_int_equal(optind, 1);
	assert_int_equal(opterr, 1);
	assert_int_equal(getopt_long(4, argv, "hv", none, NULL), 'h');
	assert_int_equal(getopt_long(4, argv, "hv", none, NULL), 'v');
	assert_int_equal(getopt_long(4, argv, "hv", none, NULL), -1);
	assert_ptr_equal(argv[optind], word);
}

static void
test_argv_untouched(void **state __rte_unused)
{
	char option[] = "--socket-mem", value[] = "64,0", dashes[] = "--", name[] = "name";
	char *argv[] = { option, value, dashes, name, NULL };

	make_host(&two);
	assert_int_equal(stint_eal_args_parse(&args, 4, argv, &host, error, sizeof(error)),
			 STINT_EAL_OK);
	assert_ptr_equal(argv[0], option);
	assert_ptr_equal(argv[1], value);
	assert_ptr_equal(argv[2], dashes);
	assert_ptr_equal(argv[3], name);
	assert_string_equal(value, "64,0");
}

/* A short buffer holds the beginning of the line, and its end. */
static void
test_short_error(void **state __rte_unused)
{
	char option[] = "-l", value[] = "0-3", *argv[] = { option, value, NULL };
	char text[12];

	make_host(&two);
	memset(text, 'x', sizeof(text));
	assert_int_equal(stint_eal_args_parse(&args, 2, argv, &host, text, 8), STINT_EAL_WRONG);
	assert_string_equal(text, "-l 0-3:");
	assert_int_equal(text[8], 'x');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lcores),         cmocka_unit_test(test_many_lcores),
		cmocka_unit_test(test_default_lcores), cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_accepted),       cmocka_unit_test(test_values),
		cmocka_unit_test(test_help),           cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_prefix),         cmocka_unit_test(test_huge_dir),
		cmocka_unit_test(test_plugins),        cmocka_unit_test(test_getopt_state),
		cmocka_unit_test(test_argv_untouched), cmocka_unit_test(test_short_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
