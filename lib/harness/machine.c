/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "machine.h"

#include <string.h>

#include <rte_common.h>

#include "ports.h"

/* EAL without hugepages takes this much unless -m says otherwise. */
#define NO_HUGE_BYTES (UINT64_C(64) << 20)

static int
first_cpu(const struct stint_eal_lcore *lcore)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &lcore->cpus))
			return cpu;
	}
	return 0;
}

/* Smaller is nearer: another socket counts most, then a core that is taken already, then the id. */
static unsigned int
farness(const struct stint_machine *m, unsigned int taken, const struct stint_eal_lcore *lcore)
{
	const struct stint_host *host = m->host;
	unsigned int far = lcore->socket == m->lcores[0].socket ? 0 : 2;

	for (unsigned int i = 0; i < taken; i++) {
		if (host->sibling[first_cpu(&m->lcores[i])] == host->sibling[first_cpu(lcore)])
			return far + 1;
	}
	return far;
}

static void
order_lcores(struct stint_machine *m)
{
	for (unsigned int n = 1; n + 1 < m->n_lcores; n++) {
		unsigned int best = n;
		struct stint_eal_lcore chosen;

		for (unsigned int i = n + 1; i < m->n_lcores; i++) {
			if (farness(m, n, &m->lcores[i]) < farness(m, n, &m->lcores[best]))
				best = i;
		}
		chosen = m->lcores[best];
		memmove(&m->lcores[n + 1], &m->lcores[n], (best - n) * sizeof(m->lcores[0]));
		m->lcores[n] = chosen;
	}
}

static void
main_first(struct stint_machine *m)
{
	struct stint_eal_lcore lcore;
	unsigned int i = 0;

	while (i + 1 < m->n_lcores && m->lcores[i].id != m->args->main_lcore)
		i++;
	lcore = m->lcores[i];
	memmove(&m->lcores[1], &m->lcores[0], i * sizeof(m->lcores[0]));
	m->lcores[0] = lcore;
}

/* The mount that EAL keeps pages of a size in: the one that is named, else the first of that size.
 */
static const struct stint_host_mount *
mount_for(const struct stint_machine *m, uint64_t page_bytes)
{
	const struct stint_host_mount *mount;

	if (m->args->huge_dir != NULL) {
		mount = stint_host_mount_of(m->host, m->args->huge_dir);
		return mount != NULL && mount->page_bytes == page_bytes ? mount : NULL;
	}
	for (unsigned int i = 0; i < m->host->n_mounts; i++) {
		if (m->host->mounts[i].page_bytes == page_bytes)
			return &m->host->mounts[i];
	}
	return NULL;
}

/* The smaller of what there is and a bound, which is kept in mind. */
static void
bind(struct stint_machine *m, unsigned int socket, uint64_t bytes, enum stint_bound bound)
{
	if (bytes >= m->have_bytes[socket])
		return;
	m->have_bytes[socket] = bytes;
	m->bound[socket] = bound;
}

static uint64_t
times(uint64_t count, uint64_t bytes)
{
	uint64_t product;

	return __builtin_mul_overflow(count, bytes, &product) ? UINT64_MAX : product;
}

uint64_t
stint_machine_files(const struct stint_machine *m)
{
	/* measured on 22.11: 7 and two pipes for each lcore */
	return 8 + 4 * (uint64_t)m->n_lcores;
}

/* What the process may map, whatever is free. */
static void
bind_to_limits(struct stint_machine *m, unsigned int socket)
{
	const struct stint_host *host = m->host;
	uint64_t files = host->open_files + stint_machine_files(m);

	files = host->max_files > files ? host->max_files - files : 0;
	if (!m->args->single_file_segments && host->max_files != UINT64_MAX)
		bind(m, socket, times(files, m->page_bytes), STINT_BOUND_FILES);
	if (host->max_file_bytes < m->page_bytes)
		bind(m, socket, 0, STINT_BOUND_FILE_BYTES);
}

static void
bind_to_arguments(struct stint_machine *m, unsigned int socket)
{
	const struct stint_eal_args *a = m->args;

	if (a->socket_limit_given && a->socket_limit[socket] > 0 && !a->legacy_mem)
		bind(m, socket, a->socket_limit[socket], STINT_BOUND_LIMIT);
	if (a->legacy_mem && a->socket_mem_given)
		bind(m, socket, a->socket_mem[socket], STINT_BOUND_ASKED);
	if (a->legacy_mem && a->mem_bytes > 0 && (int)socket == m->lcores[0].socket)
		bind(m, socket, a->mem_bytes, STINT_BOUND_ASKED);
}

/* Add the pages of one size on one node. */
static void
add_pages(struct stint_machine *m, const struct stint_host_pages *p, unsigned int socket,
	  const struct stint_host_mount *mount)
{
	uint64_t bytes = stint_host_free_bytes(m->host, p, socket);

	m->have_bytes[socket] += bytes;
	m->pool_bytes[socket] += p->total[socket] * p->page_bytes;
	if (bytes < p->free[socket] * p->page_bytes)
		m->bound[socket] = STINT_BOUND_CGROUP;
	if (mount != NULL)
		bind(m, socket, mount->limit_bytes, STINT_BOUND_MOUNT);
	if (m->have_bytes[socket] > 0 && m->page_bytes == 0)
		m->page_bytes = p->page_bytes;
}

static void
hugepage_memory(struct stint_machine *m)
{
	/* without any mount EAL does not start, which is told elsewhere */
	bool files = stint_eal_keeps_files(m->args) && m->host->n_mounts > 0;

	for (unsigned int i = 0; i < m->host->n_pages; i++) {
		const struct stint_host_pages *p = &m->host->pages[i];
		const struct stint_host_mount *mount = files ? mount_for(m, p->page_bytes) : NULL;

		if (files && mount == NULL)
			continue;
		for (unsigned int s = 0; s < m->host->sockets; s++)
			add_pages(m, p, s, mount);
		/* of a size that is asked for, though none of it is free */
		if (m->args->huge_dir != NULL && m->page_bytes == 0)
			m->page_bytes = p->page_bytes;
	}
	if (m->page_bytes == 0)
		m->page_bytes = m->host->n_pages > 0 ? m->host->pages[0].page_bytes : 2 << 20;
	for (unsigned int s = 0; s < RTE_MAX_NUMA_NODES; s++) {
		bind_to_limits(m, s);
		bind_to_arguments(m, s);
	}
}

void
stint_machine_init(struct stint_machine *m, const struct stint_host *host,
		   const struct stint_eal_args *args)
{
	memset(m, 0, sizeof(*m));
	m->host = host;
	m->args = args;
	m->n_lcores = args->n_lcores;
	memcpy(m->lcores, args->lcores, sizeof(m->lcores));
	main_first(m);
	order_lcores(m);
	stint_ports_guess(m);
	if (args->no_huge) {
		m->any_socket = true;
		m->page_bytes = 4096;
		m->have_bytes[0] = args->mem_bytes > 0 ? args->mem_bytes : NO_HUGE_BYTES;
		m->pool_bytes[0] = m->have_bytes[0];
		m->bound[0] = STINT_BOUND_ASKED;
	} else {
		hugepage_memory(m);
	}
}

/* Find a CPU of its own for lcore i, moving others (augmenting path of a bipartite matching). */
static bool
place(const struct stint_machine *m, unsigned int i, int16_t *owner, cpu_set_t *tried)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &m->lcores[i].cpus) || CPU_ISSET(cpu, tried))
			continue;
		CPU_SET(cpu, tried);
		if (owner[cpu] < 0 || place(m, owner[cpu], owner, tried)) {
			owner[cpu] = i;
			return true;
		}
	}
	return false;
}

unsigned int
stint_machine_cpus(const struct stint_machine *m, unsigned int n)
{
	int16_t owner[CPU_SETSIZE];
	unsigned int placed = 0;
	cpu_set_t tried;

	memset(owner, -1, sizeof(owner));
	for (unsigned int i = 0; i < n; i++) {
		CPU_ZERO(&tried);
		placed += place(m, i, owner, &tried);
	}
	if (m->host->quota_cpus > 0 && placed > m->host->quota_cpus)
		placed = m->host->quota_cpus;
	return RTE_MAX(placed, 1u);
}

bool
stint_machine_shares(const struct stint_machine *m, unsigned int n)
{
	if (m->host->quota_cpus > 0 && n > m->host->quota_cpus)
		return true;
	return stint_machine_cpus(m, n) < n;
}

int
stint_machine_socket(const struct stint_machine *m)
{
	return m->any_socket ? 0 : m->lcores[0].socket;
}

unsigned int
stint_lcores(const struct stint_point *pt)
{
	return pt->machine->n_lcores;
}

int
stint_lcore_socket(const struct stint_point *pt, unsigned int worker)
{
	return pt->machine->any_socket ? -1 : pt->machine->lcores[worker].socket;
}

const char *
stint_mbuf_pool_ops(const struct stint_point *pt)
{
	const char *ops = pt->machine->args->mbuf_pool_ops;

	return ops != NULL ? ops : RTE_MBUF_DEFAULT_MEMPOOL_OPS;
}
