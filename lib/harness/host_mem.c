/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "host_read.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "host_cgroup.h"

#define POOL_DIR "/sys/kernel/mm/hugepages/hugepages-%" PRIu64 "kB"
#define NODE_DIR "/sys/devices/system/node/node%u"
#define NODE_POOL_DIR NODE_DIR "/hugepages/hugepages-%" PRIu64 "kB"

/* Sizes are powers of two; none of any architecture is outside these. */
#define SMALLEST_KB (UINT64_C(1) << 3)
#define LARGEST_KB (UINT64_C(1) << 24)

/* Version 1 without a limit gives the largest whole number of pages below 2^63. */
#define NO_LIMIT (UINT64_C(1) << 62)

static uint64_t
less(uint64_t from, uint64_t amount)
{
	return from > amount ? from - amount : 0;
}

static uint64_t
add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t
pool_count(const char *root, uint64_t kb, const char *file)
{
	uint64_t count = 0;

	stint_host_u64(root, &count, POOL_DIR "/%s", kb, file);
	return count;
}

static uint64_t
free_memory(const char *root, uint64_t otherwise, const char *key, const char *path)
{
	const char *end;
	char text[64];

	if (stint_host_value(root, key, text, sizeof(text), "%s", path))
		stint_host_bytes(text, &otherwise, &end);
	return otherwise;
}

/* Returns what is free on all nodes; where nothing is known nothing is ruled out. */
static uint64_t
read_free_memory(struct stint_host *host, const char *root)
{
	uint64_t all = free_memory(root, UINT64_MAX, "MemFree", "/proc/meminfo");
	uint64_t sum = 0;
	bool nodes = false;

	for (unsigned int node = 0; node < RTE_MAX_NUMA_NODES; node++) {
		char key[32], path[64];

		if (!stint_host_exists(root, NODE_DIR, node))
			continue;
		nodes = true;
		snprintf(key, sizeof(key), "Node %u MemFree", node);
		snprintf(path, sizeof(path), NODE_DIR "/meminfo", node);
		host->mem_free_bytes[node] = free_memory(root, all, key, path);
		sum = add(sum, host->mem_free_bytes[node]);
	}
	if (!nodes)
		sum = host->mem_free_bytes[0] = all;
	return RTE_MIN(sum, all);
}

static bool
read_node_pools(struct stint_host_pages *p, const char *root, uint64_t kb)
{
	bool found = false;

	for (unsigned int node = 0; node < RTE_MAX_NUMA_NODES; node++) {
		found |= stint_host_u64(root, &p->total[node], NODE_POOL_DIR "/nr_hugepages", node,
					kb);
		stint_host_u64(root, &p->free[node], NODE_POOL_DIR "/free_hugepages", node, kb);
	}
	return found;
}

/* EAL knows the nodes of CPUs below RTE_MAX_LCORE, and node 0 in any case. */
static bool
seen_by_eal(const struct stint_host *host, unsigned int node)
{
	for (int cpu = 0; cpu < RTE_MAX_LCORE && cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &host->online) && host->socket[cpu] == (int)node)
			return true;
	}
	return node == 0;
}

static void
count_at_start(const struct stint_host *host, struct stint_host_pages *p, uint64_t otherwise)
{
	uint64_t sum = 0;

	for (unsigned int node = 0; node < RTE_MAX_NUMA_NODES; node++) {
		if (seen_by_eal(host, node))
			p->at_start[node] = p->free[node];
		sum = add(sum, p->at_start[node]);
	}
	if (sum == 0)
		p->at_start[0] = otherwise;
}

static void
withhold(struct stint_host_pages *p, const char *root, uint64_t reserved)
{
	char text[STINT_HOST_LINE];
	cpu_set_t nodes;
	bool bound;

	bound = stint_host_value(root, "Mems_allowed_list", text, sizeof(text),
				 "/proc/self/status") &&
		stint_cpulist_parse(text, &nodes) != -EINVAL && CPU_COUNT(&nodes) > 0;
	for (unsigned int node = 0; node < RTE_MAX_NUMA_NODES; node++) {
		p->free[node] = less(p->free[node], reserved);
		if (bound && !CPU_ISSET(node, &nodes))
			p->free[node] = 0;
	}
}

static uint64_t
cgroup_room(const char *root, const char *controller, const char *limit_file,
	    const char *usage_file)
{
	uint64_t room = UINT64_MAX, limit, usage;
	struct stint_cgroup cg;

	if (!stint_cgroup_find(&cg, root, controller))
		return room;
	do {
		usage = 0;
		if (!stint_host_u64(root, &limit, "%s/%s", cg.dir, limit_file) || limit >= NO_LIMIT)
			continue;
		stint_host_u64(root, &usage, "%s/%s", cg.dir, usage_file);
		room = RTE_MIN(room, less(limit, usage));
	} while (stint_cgroup_up(&cg));
	return room;
}

/* Pages are charged when they are touched, or (rsvd) when they are mapped: EAL does both. */
static uint64_t
hugetlb_room(const char *root, uint64_t kb)
{
	static const struct {
		const char *controller, *limit, *usage;
	} kinds[] = {
		{ "hugetlb", "limit_in_bytes", "usage_in_bytes" },
		{ "hugetlb", "rsvd.limit_in_bytes", "rsvd.usage_in_bytes" },
		{ "", "max", "current" },
		{ "", "rsvd.max", "rsvd.current" },
	};
	unsigned int shift = kb >> 20 ? 20 : kb >> 10 ? 10 : 0;
	uint64_t room = UINT64_MAX;

	for (size_t i = 0; i < RTE_DIM(kinds); i++) {
		char limit[64], usage[64], size[32];
		uint64_t found;

		snprintf(size, sizeof(size), "%" PRIu64 "%cB", kb >> shift, "KMG"[shift / 10]);
		snprintf(limit, sizeof(limit), "hugetlb.%s.%s", size, kinds[i].limit);
		snprintf(usage, sizeof(usage), "hugetlb.%s.%s", size, kinds[i].usage);
		found = cgroup_room(root, kinds[i].controller, limit, usage);
		room = RTE_MIN(room, found);
	}
	return room;
}

static void
read_size(struct stint_host_pages *p, const struct stint_host *host, const char *root, uint64_t kb)
{
	uint64_t free = pool_count(root, kb, "free_hugepages");
	uint64_t reserved = pool_count(root, kb, "resv_hugepages");
	uint64_t more = less(pool_count(root, kb, "nr_overcommit_hugepages"),
			     pool_count(root, kb, "surplus_hugepages"));
	bool nodes = read_node_pools(p, root, kb);

	p->page_bytes = kb << 10;
	p->overcommit = more;
	p->cgroup_bytes = hugetlb_room(root, kb);
	count_at_start(host, p, add(less(free, reserved), more));
	if (!nodes) {
		p->total[0] = pool_count(root, kb, "nr_hugepages");
		p->free[0] = free;
	}
	withhold(p, root, reserved);
}

void
stint_host_read_pages(struct stint_host *host, const char *root)
{
	uint64_t memory = read_free_memory(host, root);

	for (uint64_t kb = SMALLEST_KB; kb <= LARGEST_KB; kb *= 2) {
		struct stint_host_pages *p = &host->pages[host->n_pages];

		if (host->n_pages == STINT_HOST_MAX_PAGE_SIZES ||
		    !stint_host_exists(root, POOL_DIR, kb))
			continue;
		read_size(p, host, root, kb);
		p->overcommit = RTE_MIN(p->overcommit, memory / p->page_bytes);
		host->n_pages++;
	}
}

uint64_t
stint_host_free_bytes(const struct stint_host *host, const struct stint_host_pages *pages,
		      unsigned int node)
{
	uint64_t more, count, bytes;

	if (node >= RTE_MAX_NUMA_NODES)
		return 0;
	more = RTE_MIN(pages->overcommit, host->mem_free_bytes[node] / pages->page_bytes);
	count = add(pages->free[node], more);
	count = RTE_MIN(count, pages->cgroup_bytes / pages->page_bytes);
	return __builtin_mul_overflow(count, pages->page_bytes, &bytes) ? UINT64_MAX : bytes;
}
