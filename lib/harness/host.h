/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_HOST_H
#define STINT_HOST_H

/**
 * @file
 * What the machine has, read without EAL from /sys and /proc, or from a folder that stands for
 * the root of both (so that a test can describe any machine).
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_config.h>

#define STINT_HOST_MAX_PAGE_SIZES 4
#define STINT_HOST_MAX_MOUNTS 16

/** One size of hugepages. */
struct stint_host_pages {
	uint64_t page_bytes;
	uint64_t total[RTE_MAX_NUMA_NODES]; /**< pages in the pool, by node */
	/**
	 * Pages that a new user may take, by node: free, on a node that this process may use, and
	 * not reserved. The kernel counts reservations for all nodes together, and their owners may
	 * be bound to any node, so all of them are taken off every node.
	 */
	uint64_t free[RTE_MAX_NUMA_NODES];
	/**
	 * Pages that the kernel would still add on demand, on all nodes together, and for which
	 * there is memory. They are made while a program runs: EAL counts them at its start only
	 * as `at_start` says.
	 */
	uint64_t overcommit;
	/**
	 * Pages that EAL counts when it starts, and holds -m and --socket-mem against (not with
	 * --legacy-mem): what is free, reserved or not, on nodes that have CPUs; only if that is
	 * none, what is free and not reserved plus overcommit, all on node 0. Zero for all
	 * sizes: EAL does not start. What is allocated later is up to the kernel alone.
	 */
	uint64_t at_start[RTE_MAX_NUMA_NODES];
	uint64_t cgroup_bytes; /**< what the hugetlb cgroups still allow; UINT64_MAX: no limit */
};

/** One mounted hugetlbfs. */
struct stint_host_mount {
	char dir[256];
	uint64_t page_bytes;
	uint64_t limit_bytes; /**< what its "size=" still allows; UINT64_MAX: no limit */
};

struct stint_host {
	char name[64], cpu_model[128], kernel[64];
	cpu_set_t online;   /**< CPUs that exist and are on line */
	cpu_set_t allowed;  /**< affinity of this process (/proc/self/status), on line */
	cpu_set_t cpuset;   /**< what the cpuset cgroups allow; `online` if there are none */
	cpu_set_t isolated; /**< /sys/devices/system/cpu/isolated */
	int16_t socket[CPU_SETSIZE];  /**< NUMA node of a CPU; 0 if the host has no nodes */
	int16_t sibling[CPU_SETSIZE]; /**< lowest CPU of the same core (itself without SMT) */
	unsigned int sockets;         /**< highest node + 1, at least 1 */
	double quota_cpus;            /**< CPU bandwidth limit of the cgroups, in CPUs; 0: none */
	struct stint_host_pages pages[STINT_HOST_MAX_PAGE_SIZES]; /**< ascending by size */
	unsigned int n_pages;
	uint64_t mem_free_bytes[RTE_MAX_NUMA_NODES]; /**< outside the pools; bounds overcommit */
	struct stint_host_mount mounts[STINT_HOST_MAX_MOUNTS];
	unsigned int n_mounts;
	/* limits of this process; UINT64_MAX: none */
	uint64_t max_files;             /**< descriptors, hard limit */
	uint64_t open_files;            /**< descriptors in use; 0 without a limit */
	uint64_t max_file_bytes;        /**< size of a file that it writes, a page file too */
	uint64_t max_address_bytes;     /**< address space */
	uint64_t more_threads;          /**< that the pids cgroups still allow */
	char governor[32];              /**< of CPU 0; empty if there is none */
	bool constant_tsc, nonstop_tsc; /**< x86 CPU flags; both true elsewhere */
	bool have_sys, have_proc;       /**< the file systems are there */
};

/**
 * Read the machine. `root`: prepended to /sys and /proc; "" is the machine itself. Files that are
 * not there leave the field's neutral value. 0, or -errno if not even the CPUs are known.
 */
int stint_host_read(struct stint_host *host, const char *root);

/**
 * Free bytes of a page size on a node: pool, overcommit and hugetlb cgroup together. Overcommit and
 * cgroup are common to all nodes: the sum over nodes may promise them more than once.
 */
uint64_t stint_host_free_bytes(const struct stint_host *host, const struct stint_host_pages *pages,
			       unsigned int node);

/** The mount that a folder lies in; NULL: none. Of mounts in each other it is the innermost. */
const struct stint_host_mount *stint_host_mount_of(const struct stint_host *host, const char *dir);

/** The entry of a page size; NULL if the host has none. */
const struct stint_host_pages *stint_host_pages(const struct stint_host *host, uint64_t page_bytes);

/**
 * Parse a CPU list as the kernel writes it, "0-3,8"; an empty one is allowed. 0; -EINVAL and an
 * empty set; -ERANGE if CPUs at or above CPU_SETSIZE were left out.
 */
int stint_cpulist_parse(const char *text, cpu_set_t *set);

/** Write a CPU list as the kernel would, cut before a range that does not fit. Returns `text`. */
char *stint_cpulist_format(char *text, size_t size, const cpu_set_t *set);

#endif /* STINT_HOST_H */
