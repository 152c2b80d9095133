/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_EAL_ARGS_H
#define STINT_EAL_ARGS_H

/**
 * @file
 * EAL arguments as understood before EAL starts: which lcores, how much memory, which devices. What
 * EAL would refuse is refused here, in one line.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_config.h>

#include "host.h"

/** One lcore as EAL will make it. */
struct stint_eal_lcore {
	unsigned int id;
	cpu_set_t cpus; /**< where it runs: what was asked for, as far as the cpuset allows it */
	int socket;     /**< node of its first CPU; EAL has SOCKET_ID_ANY if they are on several */
};

struct stint_eal_args {
	/** Ascending by id, without service lcores (which rte_lcore_count() still counts). */
	struct stint_eal_lcore lcores[RTE_MAX_LCORE];
	unsigned int n_lcores;
	unsigned int main_lcore;    /**< id */
	bool lcores_given;          /**< -l, -c, --lcores or -S/-s was there */
	unsigned int cpus_left_out; /**< allowed CPUs at or above RTE_MAX_LCORE, without -l */

	bool no_huge, in_memory, legacy_mem, huge_unlink, single_file_segments, match_allocations;
	bool no_shconf, no_pci, telemetry, no_telemetry, iova_pa, iova_va, version;
	bool help; /**< -h, --help; what follows it was not read, lcores are not filled */
	const char *huge_dir, *file_prefix, *proc_type, *mbuf_pool_ops;
	uint64_t mem_bytes; /**< -m; 0: not given */
	bool socket_mem_given, socket_limit_given;
	uint64_t socket_mem[RTE_MAX_NUMA_NODES]; /**< bytes */
	/** Bytes; 0: no limit. EAL takes no notice of limits with --legacy-mem and --no-huge. */
	uint64_t socket_limit[RTE_MAX_NUMA_NODES];
	const char *vdevs[64], *allows[64], *blocks[64], *plugins[64];
	unsigned int n_vdevs, n_allows, n_blocks, n_plugins;
};

/** Why arguments were refused. */
enum stint_eal_verdict {
	STINT_EAL_OK = 0,
	STINT_EAL_WRONG = 2,      /**< wrong usage: a name or place that does not exist */
	STINT_EAL_SHORTFALL = 77, /**< the machine has not that much */
};

/**
 * Understand EAL arguments (without a program name), up to "--" or the end. Options, their long
 * forms, abbreviations and "--opt=value" are taken as rte_eal_init() of this DPDK takes them;
 * pointers go into argv, which stays as it is. Amounts are not held against what is free. `error`
 * gets one line: what, where, allowed range, remedy. One thread at a time: getopt has globals.
 */
enum stint_eal_verdict stint_eal_args_parse(struct stint_eal_args *args, int argc, char **argv,
					    const struct stint_host *host, char *error,
					    size_t size);

/** Does EAL, started with these, keep hugepages in files of a hugetlbfs? */
bool stint_eal_keeps_files(const struct stint_eal_args *args);

/** The folder in which EAL keeps "dpdk/PREFIX"; of the environment. */
const char *stint_eal_run_base(void);

#endif /* STINT_EAL_ARGS_H */
