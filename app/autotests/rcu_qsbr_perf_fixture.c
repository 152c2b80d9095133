/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* the defer queue is not in the stable ABI of 22.11 */
#define ALLOW_EXPERIMENTAL_API

#include "rcu_qsbr_perf.h"

#include <errno.h>

#include <rte_errno.h>
#include <rte_malloc.h>

/* Half full, so that a key hardly ever moves. */
#define TABLE_ENTRIES (2 * RCU_KEYS)
/* Of the table, for each entry: its bucket, key, data and place in the ring of free ones. */
#define ENTRY_BYTES 64

static unsigned int
readers_of(const struct stint_point *pt)
{
	return RTE_MAX(pt->lcores - 1, 1u);
}

/* Readers take turns in joining the groups. */
static unsigned int
group_size(unsigned int readers, unsigned int group)
{
	return (readers - group + RCU_GROUPS - 1) / RCU_GROUPS;
}

void
stint_rcu_need(const struct stint_point *pt, struct stint_need *need)
{
	unsigned int readers = readers_of(pt);

	for (unsigned int i = 0; i < 3; i++)
		stint_need_bytes(need, STINT_SOCKET_LOCAL, rte_rcu_qsbr_get_memsize(pt->lcores));
	for (unsigned int g = 0; g < rcu_group_count(readers); g++)
		stint_need_bytes(need, STINT_SOCKET_LOCAL,
				 rte_rcu_qsbr_get_memsize(group_size(readers, g)));
	stint_need_bytes(need, STINT_SOCKET_LOCAL, (RCU_KEYS + 1) * sizeof(struct rcu_element));
	stint_need_bytes(need, STINT_SOCKET_LOCAL, TABLE_ENTRIES * ENTRY_BYTES);
	/* its ring, and that of the defer queue, whose slots are twice as wide */
	stint_need_ring(need, STINT_SOCKET_LOCAL, TABLE_ENTRIES + 1);
	stint_need_ring(need, STINT_SOCKET_LOCAL, 2 * (RCU_DEFERRED + 1));
	/* and what holds all of them together */
	stint_need_bytes(need, STINT_SOCKET_LOCAL, sizeof(struct rcu_fixture) + 4096);
}

static struct rte_rcu_qsbr *
variable(const struct stint_fixture *fx, unsigned int threads, bool is_registered)
{
	struct rte_rcu_qsbr *v = rte_malloc_socket(fx->name, rte_rcu_qsbr_get_memsize(threads),
						   RTE_CACHE_LINE_SIZE, fx->socket);

	if (v == NULL)
		return NULL;
	rte_rcu_qsbr_init(v, threads);
	for (unsigned int id = 0; id < threads && is_registered; id++)
		rte_rcu_qsbr_thread_register(v, id);
	return v;
}

static int
make_variables(const struct stint_fixture *fx, struct rcu_fixture *rcu)
{
	unsigned int lcores = fx->point->lcores, readers = readers_of(fx->point);
	bool complete;

	rcu->all = variable(fx, lcores, true);
	rcu->readers = variable(fx, readers, true);
	rcu->empty = variable(fx, lcores, false);
	complete = rcu->all != NULL && rcu->readers != NULL && rcu->empty != NULL;
	while (complete && rcu->n_groups < rcu_group_count(readers)) {
		struct rte_rcu_qsbr **v = &rcu->groups[rcu->n_groups++];

		*v = variable(fx, group_size(readers, rcu->n_groups - 1), true);
		complete = *v != NULL;
	}
	return complete ? 0 : -ENOMEM;
}

static int
make_table(const struct stint_fixture *fx, struct rcu_fixture *rcu)
{
	const struct rte_hash_parameters params = {
		.name = fx->name,
		.entries = TABLE_ENTRIES,
		.key_len = sizeof(uint32_t),
		.socket_id = fx->socket,
		.extra_flag = RTE_HASH_EXTRA_FLAGS_RW_CONCURRENCY_LF,
	};
	int rc = 0;

	rcu->elements = rte_zmalloc_socket(fx->name, (RCU_KEYS + 1) * sizeof(*rcu->elements),
					   RTE_CACHE_LINE_SIZE, fx->socket);
	rcu->hash = rte_hash_create(&params);
	if (rcu->elements == NULL || rcu->hash == NULL)
		return rcu->elements == NULL ? -ENOMEM : -rte_errno;
	for (uint32_t key = 0; key < RCU_KEYS && rc == 0; key++) {
		atomic_store_explicit(&rcu->elements[key].key, key, memory_order_relaxed);
		rcu->owned[key] = &rcu->elements[key];
		rc = rte_hash_add_key_data(rcu->hash, &key, rcu->owned[key]);
	}
	rcu->spare = &rcu->elements[RCU_KEYS];
	return rc;
}

static void
free_resource(void *p, void *e, unsigned int n)
{
	struct rcu_fixture *rcu = p;

	(void)e;
	rcu->freed += n;
}

/* Nothing is freed but by a reclaim. */
static int
make_queue(const struct stint_fixture *fx, struct rcu_fixture *rcu)
{
	const struct rte_rcu_qsbr_dq_parameters params = {
		.name = fx->name,
		.flags = RTE_RCU_QSBR_DQ_MT_UNSAFE,
		.size = RCU_DEFERRED,
		.esize = sizeof(uint64_t),
		.trigger_reclaim_limit = RCU_DEFERRED + 1,
		.free_fn = free_resource,
		.p = rcu,
		.v = rcu->readers,
	};

	rcu->dq = rte_rcu_qsbr_dq_create(&params);
	return rcu->dq != NULL ? 0 : -rte_errno;
}

/* Also of what is there of it, when set-up failed. */
static void
dismantle(struct rcu_fixture *rcu)
{
	rte_rcu_qsbr_dq_delete(rcu->dq);
	rte_hash_free(rcu->hash);
	rte_free(rcu->elements);
	for (unsigned int g = 0; g < rcu->n_groups; g++)
		rte_free(rcu->groups[g]);
	rte_free(rcu->empty);
	rte_free(rcu->readers);
	rte_free(rcu->all);
	rte_free(rcu);
}

int
stint_rcu_setup(const struct stint_point *pt, struct stint_fixture *fx)
{
	struct rcu_fixture *rcu =
		rte_zmalloc_socket(fx->name, sizeof(*rcu), RTE_CACHE_LINE_SIZE, fx->socket);
	int rc;

	(void)pt;
	if (rcu == NULL)
		return -ENOMEM;
	rc = make_variables(fx, rcu);
	if (rc == 0)
		rc = make_table(fx, rcu);
	if (rc == 0)
		rc = make_queue(fx, rcu);
	if (rc != 0) {
		dismantle(rcu);
		return rc;
	}
	fx->data = rcu;
	return 0;
}

void
stint_rcu_teardown(struct stint_fixture *fx)
{
	dismantle(fx->data);
}

/* Writers end what they began: no key is missing, and nothing is deferred. */
int
stint_rcu_check(struct stint_fixture *fx)
{
	const struct rcu_fixture *rcu = fx->data;

	if (rte_hash_count(rcu->hash) != RCU_KEYS || rcu->freed != rcu->deferred)
		return -1;
	return 0;
}
