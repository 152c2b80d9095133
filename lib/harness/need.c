/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "need.h"

#include <string.h>

#include <rte_common.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include "latency.h"

/* What stands before and around an element of EAL's heap. */
#define HEAP_BYTES 256
#define SMALL_PAGE (UINT64_C(2) << 20)

static unsigned int
slot(const struct stint_machine *m, int socket)
{
	if (m->any_socket)
		return 0;
	if (socket < 0 || socket >= RTE_MAX_NUMA_NODES)
		return stint_machine_socket(m);
	return socket;
}

/*
 * The heap grows by whole pages: what is larger than one, or fills most of one of 2 MiB, needs new
 * ones; what is smaller finds room beside others.
 */
void
stint_need_bytes(struct stint_need *need, int socket, uint64_t bytes)
{
	uint64_t page = need->machine->page_bytes;

	bytes += HEAP_BYTES;
	if (bytes > page || (bytes > page / 2 && page <= SMALL_PAGE))
		bytes = RTE_ALIGN_MUL_CEIL(bytes, page);
	need->bytes[slot(need->machine, socket)] += bytes;
}

void
stint_need_ring(struct stint_need *need, int socket, unsigned int count)
{
	ssize_t bytes = rte_ring_get_memsize(rte_align32pow2(count));

	stint_need_bytes(need, socket, bytes < 0 ? UINT32_MAX : (uint64_t)bytes);
}

/*
 * An object crosses no page, so that the end of each page may stay empty, unless its addresses need
 * not be contiguous for devices. Without hugepages the pages are small ones.
 */
static uint64_t
objects_bytes(const struct stint_machine *m, uint64_t objects, uint64_t total, unsigned int flags)
{
	uint64_t page = m->any_socket ? m->page_bytes : RTE_MAX(m->page_bytes, UINT64_C(1) << 21);
	uint64_t per_page = RTE_MAX(page / total, UINT64_C(1));
	uint64_t pages = (objects + per_page - 1) / per_page;

	if ((flags & RTE_MEMPOOL_F_NO_IOVA_CONTIG) != 0)
		return objects * total;
	if (total > page)
		return objects * RTE_ALIGN_MUL_CEIL(total, page);
	if (m->any_socket)
		return pages * page;
	return RTE_MIN(pages * page, objects * total + pages * total);
}

void
stint_need_mempool(struct stint_need *need, int socket, unsigned int objects,
		   unsigned int elt_bytes, unsigned int flags)
{
	uint32_t total = rte_mempool_calc_obj_size(elt_bytes, flags, NULL);

	stint_need_bytes(need, socket, objects_bytes(need->machine, objects, total, flags));
	stint_need_bytes(need, socket,
			 sizeof(struct rte_mempool) +
				 (uint64_t)RTE_MAX_LCORE * sizeof(struct rte_mempool_cache));
	/* a ring of n + 1 slots, a power of two, is the largest of the handlers; stacks take 16 n
	 */
	stint_need_ring(need, socket, objects + 1);
	stint_need_bytes(need, socket, (uint64_t)objects * 8);
}

static struct stint_need
empty(const struct stint_machine *m)
{
	struct stint_need need;

	memset(&need, 0, sizeof(need));
	need.machine = m;
	return need;
}

struct stint_need
stint_need_of_fixture(const struct stint_machine *m, const struct stint_point *pt)
{
	struct stint_need need = empty(m);

	if (pt->test->need != NULL)
		pt->test->need(pt, &need);
	if (pt->test->setup != NULL)
		stint_need_bytes(&need, STINT_SOCKET_LOCAL, STINT_SPACER_BYTES);
	return need;
}

struct stint_need
stint_need_of_workers(const struct stint_machine *m, const struct stint_test *test, unsigned int n)
{
	const size_t recorders = stint_latency_bytes(test);
	struct stint_need need = empty(m);

	if (test->worker_bytes == 0 && recorders == 0)
		return need;
	stint_need_bytes(&need, STINT_SOCKET_LOCAL, STINT_SPACER_BYTES);
	for (unsigned int i = 0; i < n; i++) {
		if (test->worker_bytes > 0)
			stint_need_bytes(&need, m->lcores[i].socket, test->worker_bytes);
		if (recorders > 0)
			stint_need_bytes(&need, m->lcores[i].socket, recorders);
	}
	return need;
}

struct stint_need
stint_need_of_eal(const struct stint_machine *m)
{
	struct stint_need need = empty(m);

	/* measured on 22.11: 152 KiB with 1 to 128 lcores; the rest is room for fragments */
	need.bytes[slot(m, STINT_SOCKET_LOCAL)] = UINT64_C(2) << 20;
	return need;
}

void
stint_need_add(struct stint_need *sum, const struct stint_need *more)
{
	for (unsigned int s = 0; s < RTE_MAX_NUMA_NODES; s++)
		sum->bytes[s] += more->bytes[s];
}

int
stint_need_short(const struct stint_need *need, const uint64_t *have)
{
	for (unsigned int s = 0; s < RTE_MAX_NUMA_NODES; s++) {
		if (need->bytes[s] > have[s])
			return s;
	}
	return -1;
}

uint64_t
stint_need_total(const struct stint_need *need)
{
	uint64_t total = 0;

	for (unsigned int s = 0; s < RTE_MAX_NUMA_NODES; s++)
		total += need->bytes[s];
	return total;
}
