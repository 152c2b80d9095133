/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "memory.h"

#include <rte_common.h>
#include <rte_malloc.h>

static void
refresh(struct stint_machine *m)
{
	struct stint_machine fresh;
	struct rte_malloc_socket_stats stats;

	stint_machine_init(&fresh, m->host, m->args);
	for (unsigned int s = 0; s < m->host->sockets && s < RTE_MAX_NUMA_NODES; s++) {
		uint64_t limit = m->args->socket_limit_given ? m->args->socket_limit[s] : 0;
		uint64_t have = fresh.have_bytes[s], used;

		if (rte_malloc_get_socket_stats(s, &stats) == 0) {
			used = RTE_MAX(stats.heap_allocsz_bytes, STINT_EAL_BYTES);
			have += stats.heap_totalsz_bytes - RTE_MIN(used, stats.heap_totalsz_bytes);
			have += STINT_EAL_BYTES;
		}
		m->have_bytes[s] = limit > 0 ? RTE_MIN(have, limit) : have;
		m->pool_bytes[s] = RTE_MAX(fresh.pool_bytes[s], m->have_bytes[s]);
	}
	m->page_bytes = fresh.page_bytes;
}

void
stint_memory_refresh(struct stint_session *s)
{
	if (!s->eal_up)
		return;
	stint_host_read(&s->host, "");
	/* those that EAL has opened for the lcores count as still to be opened */
	s->host.open_files -= RTE_MIN(s->host.open_files, stint_machine_files(&s->machine));
	/* without hugepages, what EAL was given at its start is all there is */
	if (s->machine.any_socket)
		return;
	refresh(&s->machine);
	refresh(&s->ported);
}
