/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/*
 * A DPDK program that starts EAL itself and then runs tests of libstint, many times each, and looks
 * at what stays behind: host_program [EAL options] -- RUNS [options of stint_run()] TEST...
 * Exit code 1 if a test fails or something grows; each is named on standard error. What libc keeps
 * in its caches counts as in use: glibc.malloc.tcache_count=0 in GLIBC_TUNABLES keeps it honest.
 */

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mempool.h>
#include <rte_memzone.h>

#include <stint.h>

/* The first runs fill caches and lists that stay. */
#define SETTLING_RUNS 5

enum { LIBC_BYTES, HEAP_USED, HEAP_TOTAL, MEMZONES, MEMPOOLS, DESCRIPTORS, THREADS, THINGS };

/*
 * What a device keeps between runs lies elsewhere each time, on one page or on two: those, and the
 * descriptor of each, may be more, but not by the run.
 */
static const struct {
	const char *name;
	long slack;
} things[THINGS] = {
	[LIBC_BYTES] = { "bytes of the libc heap", 0 },
	[HEAP_USED] = { "bytes in use of EAL's heap", 0 },
	[HEAP_TOTAL] = { "bytes of hugepages of EAL's heap", 2 << 21 },
	[MEMZONES] = { "memzones (rings have one each)", 0 },
	[MEMPOOLS] = { "mempools", 0 },
	[DESCRIPTORS] = { "file descriptors", 2 },
	[THREADS] = { "threads", 0 },
};

static void
count_zone(const struct rte_memzone *zone, void *count)
{
	(void)zone;
	++*(long *)count;
}

static void
count_pool(struct rte_mempool *pool, void *count)
{
	(void)pool;
	++*(long *)count;
}

static long
entries(const char *path)
{
	DIR *dir = opendir(path);
	long n = 0;

	if (dir == NULL)
		exit(99);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

static void
look(long *now)
{
	struct rte_malloc_socket_stats stats;

	memset(now, 0, THINGS * sizeof(*now));
	now[LIBC_BYTES] = mallinfo2().uordblks;
	for (unsigned int i = 0; i < rte_socket_count(); i++) {
		if (rte_malloc_get_socket_stats(rte_socket_id_by_idx(i), &stats) != 0)
			continue;
		now[HEAP_USED] += stats.heap_allocsz_bytes;
		now[HEAP_TOTAL] += stats.heap_totalsz_bytes;
	}
	rte_memzone_walk(count_zone, &now[MEMZONES]);
	rte_mempool_walk(count_pool, &now[MEMPOOLS]);
	now[DESCRIPTORS] = entries("/proc/self/fd");
	now[THREADS] = entries("/proc/self/task");
}

static int
compare(const char *test, const long *before, const long *after)
{
	int grown = 0;

	for (unsigned int i = 0; i < THINGS; i++) {
		if (after[i] <= before[i] + things[i].slack)
			continue;
		fprintf(stderr, "%s: %s: %ld before, %ld after\n", test, things[i].name, before[i],
			after[i]);
		grown = 1;
	}
	return grown;
}

/* All lcores are as they were: still waiting for work. */
static int
lcores_wait(const char *test)
{
	unsigned int lcore;

	RTE_LCORE_FOREACH_WORKER (lcore) {
		if (rte_eal_get_lcore_state(lcore) == WAIT)
			continue;
		fprintf(stderr, "%s: lcore %u was not given back\n", test, lcore);
		return 1;
	}
	return 0;
}

static int
many(char *test, int runs, int argc, char **argv)
{
	long before[THINGS], after[THINGS];
	int passed = 0;

	argv[argc] = test;
	for (int run = 0; run < runs; run++) {
		int rc;

		if (run == SETTLING_RUNS)
			look(before);
		rc = stint_run(argc + 1, argv);
		passed += rc == 0;
		/* on a busy machine a short budget may see no point through */
		if (rc != 0 && rc != 77) {
			fprintf(stderr, "%s: exit code %d\n", test, rc);
			return 1;
		}
	}
	look(after);
	fprintf(stderr, "%s: %d of %d runs passed\n", test, passed, runs);
	return (passed < runs / 2) | compare(test, before, after) | lcores_wait(test);
}

int
main(int argc, char **argv)
{
	int used = rte_eal_init(argc, argv), runs, first, failed = 0;
	char **words;

	if (used < 0)
		return 99;
	argc -= used;
	argv += used;
	if (argc < 3 || (runs = atoi(argv[1])) <= SETTLING_RUNS)
		return 2;
	/* the runner's options stand before the tests */
	for (first = 2; first < argc && strstr(argv[first], "autotest") == NULL;)
		first++;
	words = calloc(argc + 2, sizeof(*words));
	if (words == NULL)
		return 99;
	words[0] = argv[0];
	for (int i = 2; i < first; i++)
		words[i - 1] = argv[i];
	for (int i = first; i < argc; i++)
		failed |= many(argv[i], runs, first - 1, words);
	free(words);
	/* EAL is still the program's */
	return rte_eal_cleanup() != 0 ? 99 : failed;
}
