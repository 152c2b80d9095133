/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "host.h"

#include <string.h>

#include "host_read.h"

#define CPUINFO "/proc/cpuinfo"

static void
read_names(struct stint_host *host, const char *root)
{
	stint_host_line(root, host->name, sizeof(host->name), "/proc/sys/kernel/hostname");
	stint_host_line(root, host->kernel, sizeof(host->kernel), "/proc/sys/kernel/osrelease");
	stint_host_value(root, "model name", host->cpu_model, sizeof(host->cpu_model), CPUINFO);
	stint_host_line(root, host->governor, sizeof(host->governor),
			"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
}

/* Only x86 has TSC flags, and only there is the line called "flags". */
static void
read_tsc(struct stint_host *host, const char *root)
{
	char flags[STINT_HOST_LINE];
	bool x86 = stint_host_value(root, "flags", flags, sizeof(flags), CPUINFO);

	host->constant_tsc = !x86 || stint_host_list_has(flags, "constant_tsc", ' ');
	host->nonstop_tsc = !x86 || stint_host_list_has(flags, "nonstop_tsc", ' ');
}

int
stint_host_read(struct stint_host *host, const char *root)
{
	int rc;

	memset(host, 0, sizeof(*host));
	host->have_sys = stint_host_exists(root, "/sys/devices/system/cpu/online");
	host->have_proc = stint_host_exists(root, "/proc/self");
	read_names(host, root);
	read_tsc(host, root);
	rc = stint_host_read_cpus(host, root);
	stint_host_read_pages(host, root);
	stint_host_read_mounts(host, root);
	stint_host_read_limits(host, root);
	return rc;
}

const struct stint_host_pages *
stint_host_pages(const struct stint_host *host, uint64_t page_bytes)
{
	for (unsigned int i = 0; i < host->n_pages; i++) {
		if (host->pages[i].page_bytes == page_bytes)
			return &host->pages[i];
	}
	return NULL;
}
