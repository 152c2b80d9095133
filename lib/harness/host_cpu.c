/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "host_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "host_cgroup.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define NODE_DIR "/sys/devices/system/node"

static bool
cpus_of_cpuinfo(cpu_set_t *set, const char *root)
{
	FILE *file = stint_host_open(root, "/proc/cpuinfo");
	char *line = NULL;
	size_t room = 0;
	unsigned int cpu;

	CPU_ZERO(set);
	while (file != NULL && getline(&line, &room, file) > 0) {
		if (sscanf(line, "processor : %u", &cpu) == 1 && cpu < CPU_SETSIZE)
			CPU_SET(cpu, set);
	}
	free(line);
	if (file != NULL)
		fclose(file);
	return CPU_COUNT(set) > 0;
}

/* The mask may hold CPUs that are off line or do not exist; EAL and the scheduler see the rest. */
static void
read_allowed(struct stint_host *host, const char *root)
{
	char text[STINT_HOST_LINE];
	cpu_set_t set;

	host->allowed = host->online;
	if (!stint_host_value(root, "Cpus_allowed_list", text, sizeof(text), "/proc/self/status") ||
	    stint_cpulist_parse(text, &set) == -EINVAL)
		return;
	CPU_AND(&set, &set, &host->online);
	if (CPU_COUNT(&set) > 0)
		host->allowed = set;
}

/*
 * A container may hide the cgroup that binds it: what the kernel makes of a wish for all CPUs is
 * what it allows.
 */
static void
restrict_by_trial(struct stint_host *host)
{
	cpu_set_t before, granted;

	if (sched_getaffinity(0, sizeof(before), &before) != 0 ||
	    sched_setaffinity(0, sizeof(host->online), &host->online) != 0)
		return;
	if (sched_getaffinity(0, sizeof(granted), &granted) == 0)
		CPU_AND(&host->cpuset, &host->cpuset, &granted);
	sched_setaffinity(0, sizeof(before), &before);
}

/* Where a controller is not enabled it has no file: the nearest ancestor's counts. */
static void
restrict_cpuset(struct stint_host *host, const char *root, const char *controller, const char *file)
{
	struct stint_cgroup cg;
	bool found = false;
	cpu_set_t set;

	if (!stint_cgroup_find(&cg, root, controller))
		return;
	do
		found = stint_host_cpus(root, &set, "%s/%s", cg.dir, file);
	while (!found && stint_cgroup_up(&cg));
	if (!found)
		return;
	CPU_AND(&set, &set, &host->cpuset);
	if (CPU_COUNT(&set) > 0)
		host->cpuset = set;
}

static void
tighten_quota(struct stint_host *host, uint64_t quota, uint64_t period)
{
	double cpus = period > 0 ? (double)quota / period : 0;

	if (cpus > 0 && (host->quota_cpus == 0 || cpus < host->quota_cpus))
		host->quota_cpus = cpus;
}

static void
read_quota_v1(struct stint_host *host, const char *root)
{
	struct stint_cgroup cg;
	uint64_t quota, period;

	if (!stint_cgroup_find(&cg, root, "cpu"))
		return;
	do {
		/* no quota is written -1, which is no u64 */
		if (stint_host_u64(root, &quota, "%s/cpu.cfs_quota_us", cg.dir) &&
		    stint_host_u64(root, &period, "%s/cpu.cfs_period_us", cg.dir))
			tighten_quota(host, quota, period);
	} while (stint_cgroup_up(&cg));
}

static void
read_quota_v2(struct stint_host *host, const char *root)
{
	struct stint_cgroup cg;
	uint64_t quota, period;
	char text[64];

	if (!stint_cgroup_find(&cg, root, ""))
		return;
	do {
		/* no quota is written "max 100000" */
		if (stint_host_line(root, text, sizeof(text), "%s/cpu.max", cg.dir) &&
		    sscanf(text, "%" SCNu64 " %" SCNu64, &quota, &period) == 2)
			tighten_quota(host, quota, period);
	} while (stint_cgroup_up(&cg));
}

static void
read_sockets(struct stint_host *host, const char *root)
{
	cpu_set_t set;

	host->sockets = 1;
	for (unsigned int node = 0; node < RTE_MAX_NUMA_NODES; node++) {
		if (!stint_host_exists(root, NODE_DIR "/node%u", node))
			continue;
		host->sockets = node + 1;
		stint_host_cpus(root, &set, NODE_DIR "/node%u/cpulist", node);
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			if (CPU_ISSET(cpu, &set))
				host->socket[cpu] = node;
		}
	}
}

static int
lowest_sibling(const char *root, int cpu)
{
	cpu_set_t set;
	int lowest = 0;

	/* the second is the name that kernels before 5.7 have */
	if (!stint_host_cpus(root, &set, CPU_DIR "/cpu%d/topology/core_cpus_list", cpu) &&
	    !stint_host_cpus(root, &set, CPU_DIR "/cpu%d/topology/thread_siblings_list", cpu))
		return cpu;
	if (!CPU_ISSET(cpu, &set))
		return cpu;
	while (!CPU_ISSET(lowest, &set))
		lowest++;
	return lowest;
}

int
stint_host_read_cpus(struct stint_host *host, const char *root)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		host->sibling[cpu] = cpu;
	host->sockets = 1;
	if (!stint_host_cpus(root, &host->online, CPU_DIR "/online") &&
	    !cpus_of_cpuinfo(&host->online, root))
		return -ENODEV;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &host->online))
			host->sibling[cpu] = lowest_sibling(root, cpu);
	}
	stint_host_cpus(root, &host->isolated, CPU_DIR "/isolated");
	read_allowed(host, root);
	host->cpuset = host->online;
	restrict_cpuset(host, root, "cpuset", "cpuset.effective_cpus");
	restrict_cpuset(host, root, "cpuset", "cpuset.cpus");
	restrict_cpuset(host, root, "", "cpuset.cpus.effective");
	if (root[0] == '\0')
		restrict_by_trial(host);
	read_quota_v1(host, root);
	read_quota_v2(host, root);
	read_sockets(host, root);
	return 0;
}
