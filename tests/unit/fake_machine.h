/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef FAKE_MACHINE_H
#define FAKE_MACHINE_H

/* Hosts and EAL arguments as a test describes them, without EAL. */

#include <sched.h>
#include <stdint.h>
#include <string.h>

#include <eal_args.h>
#include <host.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* One socket, no SMT, no pages; no limits, of memory for overcommit neither. */
static inline void
fake_host(struct stint_host *host)
{
	memset(host, 0, sizeof(*host));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		host->sibling[cpu] = cpu;
	for (unsigned int s = 0; s < RTE_MAX_NUMA_NODES; s++)
		host->mem_free_bytes[s] = UINT64_MAX;
	host->sockets = 1;
	host->max_files = host->max_file_bytes = UINT64_MAX;
	host->max_address_bytes = host->more_threads = UINT64_MAX;
}

/* Ascending by size, as a host has them. */
static inline struct stint_host_pages *
fake_pages(struct stint_host *host, uint64_t page_bytes, uint64_t total, uint64_t free)
{
	struct stint_host_pages *p = &host->pages[host->n_pages++];

	p->page_bytes = page_bytes;
	p->total[0] = total;
	p->free[0] = free;
	p->cgroup_bytes = UINT64_MAX;
	return p;
}

/* Lcores first_id, first_id + 1, ... on CPUs 0, 1, ... */
static inline void
fake_lcores(struct stint_eal_args *args, unsigned int n, unsigned int first_id)
{
	memset(args, 0, sizeof(*args));
	for (unsigned int i = 0; i < n; i++) {
		args->lcores[i].id = first_id + i;
		CPU_SET(i, &args->lcores[i].cpus);
	}
	args->n_lcores = n;
	args->main_lcore = first_id;
}

#endif /* FAKE_MACHINE_H */
