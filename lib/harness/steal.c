/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "steal.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"

#define EVERY_NS 100000000

static uint64_t
read_total(const cpu_set_t *cpus)
{
	uint64_t tick_ns = STINT_SECOND_NS / sysconf(_SC_CLK_TCK), ticks, sum = 0;
	FILE *f = fopen("/proc/stat", "re");
	unsigned int cpu;
	char line[256];

	if (f == NULL)
		return 0;
	/* cpuN user nice system idle iowait irq softirq steal */
	while (fgets(line, sizeof(line), f) != NULL && line[0] == 'c') {
		if (sscanf(line, "cpu%u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &cpu, &ticks) == 2 &&
		    line[3] != ' ' && cpu < CPU_SETSIZE && CPU_ISSET(cpu, cpus))
			sum += ticks * tick_ns;
	}
	fclose(f);
	return sum;
}

void
stint_steal_init(struct stint_steal *steal, const cpu_set_t *cpus)
{
	steal->cpus = *cpus;
	steal->total_ns = read_total(cpus);
	steal->read_ns = stint_monotonic_ns();
}

uint64_t
stint_steal_since(struct stint_steal *steal, uint64_t *from_ns, uint64_t *to_ns)
{
	uint64_t now = stint_monotonic_ns(), total, stolen;

	if (now - steal->read_ns < EVERY_NS)
		return 0;
	total = read_total(&steal->cpus);
	stolen = total > steal->total_ns ? total - steal->total_ns : 0;
	*from_ns = steal->read_ns;
	*to_ns = now;
	steal->read_ns = now;
	steal->total_ns = total;
	return stolen;
}
