/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_MACHINE_H
#define STINT_MACHINE_H

/**
 * @file
 * The host as a run uses it: its lcores in the order in which points take them, and what memory
 * there is for tests. Pure, from the host description and EAL's arguments.
 */

#include <stdbool.h>
#include <stdint.h>

#include "eal_args.h"
#include "host.h"
#include "stint.h"

/** What bounds the memory of a socket: what a user would have to raise. */
enum stint_bound {
	STINT_BOUND_POOL,       /**< hugepages that are reserved and free */
	STINT_BOUND_CGROUP,     /**< a hugetlb cgroup */
	STINT_BOUND_MOUNT,      /**< "size=" of the hugetlbfs that --huge-dir names */
	STINT_BOUND_FILES,      /**< descriptors: EAL holds one for each page */
	STINT_BOUND_FILE_BYTES, /**< size of a file, ulimit -f */
	STINT_BOUND_LIMIT,      /**< --socket-limit */
	STINT_BOUND_ASKED,      /**< -m or --socket-mem with --legacy-mem; -m with --no-huge */
};

struct stint_machine {
	const struct stint_host *host;
	const struct stint_eal_args *args;
	/**
	 * The main lcore, then the nearest to those before: of the same socket, on a core of its
	 * own rather than an SMT sibling, by id. A point of n lcores uses the first n.
	 */
	struct stint_eal_lcore lcores[RTE_MAX_LCORE];
	unsigned int n_lcores;
	/**
	 * What there is for tests, by socket, and what it is part of (the whole pool); without
	 * hugepages all of it stands at socket 0.
	 */
	uint64_t have_bytes[RTE_MAX_NUMA_NODES];
	uint64_t pool_bytes[RTE_MAX_NUMA_NODES];
	enum stint_bound bound[RTE_MAX_NUMA_NODES];
	uint64_t page_bytes; /**< smallest page that there is memory in */
	bool any_socket;     /**< memory has no socket: --no-huge */
	/** Ethernet ports; until EAL has started, a guess of their number, and nothing else. */
	struct stint_port ports[RTE_MAX_ETHPORTS];
	unsigned int n_ports;
	bool ports_known;
	bool no_net_drivers; /**< no ports, since no driver was found */
};

void stint_machine_init(struct stint_machine *m, const struct stint_host *host,
			const struct stint_eal_args *args);

/**
 * Must some of the first n lcores share a CPU, because their CPU sets leave no CPU for each, or
 * because a quota grants fewer CPUs?
 */
bool stint_machine_shares(const struct stint_machine *m, unsigned int n);

/** CPUs that the first n lcores may use together, at most what a quota grants; at least 1. */
unsigned int stint_machine_cpus(const struct stint_machine *m, unsigned int n);

/** Descriptors that EAL opens for the lcores, beside those for pages. */
uint64_t stint_machine_files(const struct stint_machine *m);

/** Socket of the main lcore. */
int stint_machine_socket(const struct stint_machine *m);

#endif /* STINT_MACHINE_H */
