/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "mempool.h"

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#define NAME "stint_create"
#define OBJECTS 63
#define ELT_BYTES 64

/* ---- constructors -------------------------------------------------------------------------- */

#define POOL_MARK 0x706f6f6c
#define OBJECT_MARK 1000

static void
construct_pool(struct rte_mempool *mp, void *arg)
{
	uint64_t *mark = rte_mempool_get_priv(mp);

	*mark += *(const uint64_t *)arg;
}

static void
construct_object(struct rte_mempool *mp __rte_unused, void *arg, void *obj, unsigned int index)
{
	*(uint64_t *)obj = *(const uint64_t *)arg + index;
}

/* each object was constructed once, with its own index */
static int
check_constructed(struct stint_fast *t, struct rte_mempool *mp)
{
	unsigned int seen[OBJECTS] = { 0 };
	void *objs[OBJECTS];
	uint64_t mark = *(uint64_t *)rte_mempool_get_priv(mp);

	STINT_ASSERT(t, mark == POOL_MARK, "private data is %#jx, not %#x, after construction",
		     (uintmax_t)mark, POOL_MARK);
	STINT_ASSERT(t, rte_mempool_get_bulk(mp, objs, OBJECTS) == 0,
		     "not all %d objects are there", OBJECTS);
	for (unsigned int i = 0; i < OBJECTS; i++) {
		uint64_t index = *(uint64_t *)objs[i] - OBJECT_MARK;

		STINT_ASSERT(t, index < OBJECTS && seen[index]++ == 0,
			     "object %p holds index %#jx after construction", objs[i],
			     (uintmax_t)index);
	}
	rte_mempool_put_bulk(mp, objs, OBJECTS);
	return 0;
}

static int
check_constructors(struct stint_fast *t)
{
	uint64_t pool_mark = POOL_MARK, object_mark = OBJECT_MARK;
	struct rte_mempool *mp;
	int rc;

	mp = rte_mempool_create(NAME, OBJECTS, ELT_BYTES, 0, sizeof(uint64_t), construct_pool,
				&pool_mark, construct_object, &object_mark, rte_socket_id(), 0);
	if (mp == NULL)
		return stint_mempool_not_created(t, NAME);
	rc = check_constructed(t, mp);
	rte_mempool_free(mp);
	return rc;
}

/* ---- choice of the handler ----------------------------------------------------------------- */

static int
check_choice(struct stint_fast *t)
{
	static const struct {
		unsigned int flags;
		const char *handler;
	} choices[] = {
		{ 0, "ring_mp_mc" },
		{ RTE_MEMPOOL_F_SP_PUT, "ring_sp_mc" },
		{ RTE_MEMPOOL_F_SC_GET, "ring_mp_sc" },
		{ RTE_MEMPOOL_F_SP_PUT | RTE_MEMPOOL_F_SC_GET, "ring_sp_sc" },
	};

	for (unsigned int i = 0; i < RTE_DIM(choices); i++) {
		struct rte_mempool *mp;
		const char *chosen;

		mp = rte_mempool_create(NAME, OBJECTS, ELT_BYTES, 0, 0, NULL, NULL, NULL, NULL,
					SOCKET_ID_ANY, choices[i].flags);
		if (mp == NULL)
			return stint_mempool_not_created(t, choices[i].handler);
		chosen = rte_mempool_get_ops(mp->ops_index)->name;
		rte_mempool_free(mp);
		STINT_ASSERT(t, strcmp(chosen, choices[i].handler) == 0,
			     "flags %#x chose the handler %s, not %s", choices[i].flags, chosen,
			     choices[i].handler);
	}
	return 0;
}

/* ---- what is refused ----------------------------------------------------------------------- */

struct request {
	const char *what;
	unsigned int objects, cache, flags;
	int socket;
	int err; /* rte_errno; 0: any but 0 */
};

static const struct request refused[] = {
	{ "no objects", 0, 0, 0, SOCKET_ID_ANY, EINVAL },
	{ "a cache above the limit", 4095, RTE_MEMPOOL_CACHE_MAX_SIZE + 1, 0, SOCKET_ID_ANY,
	  EINVAL },
	{ "a cache larger than the pool", OBJECTS, OBJECTS + 1, 0, SOCKET_ID_ANY, EINVAL },
	{ "an unknown flag", OBJECTS, 0, 1u << 31, SOCKET_ID_ANY, EINVAL },
	/* ENOMEM in 22.11, as for a socket without memory */
	{ "socket RTE_MAX_NUMA_NODES", OBJECTS, 0, 0, RTE_MAX_NUMA_NODES, 0 },
	{ "socket RTE_MAX_NUMA_NODES + 1", OBJECTS, 0, 0, RTE_MAX_NUMA_NODES + 1, 0 },
	{ "socket INT_MAX", OBJECTS, 0, 0, INT_MAX, 0 },
};

static struct rte_mempool *
create(const struct request *r)
{
	rte_errno = 0;
	return rte_mempool_create(NAME, r->objects, ELT_BYTES, r->cache, 0, NULL, NULL, NULL, NULL,
				  r->socket, r->flags);
}

static int
check_refused(struct stint_fast *t)
{
	for (unsigned int i = 0; i < RTE_DIM(refused); i++) {
		const struct request *r = &refused[i];
		struct rte_mempool *mp = create(r);
		int err = rte_errno;

		rte_mempool_free(mp);
		STINT_ASSERT(t, mp == NULL, "a pool was created with %s", r->what);
		STINT_ASSERT(t, err != 0 && (r->err == 0 || err == r->err),
			     "%s: rte_errno is %d, not %d", r->what, err, r->err);
		STINT_ASSERT(t, rte_mempool_lookup(NAME) == NULL, "%s: refused, but found by name",
			     r->what);
	}
	return 0;
}

static int
check_taken(struct stint_fast *t)
{
	static const struct request good = { .objects = OBJECTS, .socket = SOCKET_ID_ANY };
	struct rte_mempool *first = create(&good), *second, *found;
	int err;

	if (first == NULL)
		return stint_mempool_not_created(t, NAME);
	second = create(&good);
	err = rte_errno;
	found = rte_mempool_lookup(NAME);
	rte_mempool_free(second);
	rte_mempool_free(first);
	STINT_ASSERT(t, second == NULL && err == EEXIST,
		     "name taken already: pool %p, rte_errno %d, not %d", (void *)second, err,
		     EEXIST);
	STINT_ASSERT(t, found == first, "name taken already: lookup does not give the first pool");
	return 0;
}

static int
check_cache_sizes(struct stint_fast *t)
{
	static const uint32_t sizes[] = { 0, RTE_MEMPOOL_CACHE_MAX_SIZE + 1 };

	for (unsigned int i = 0; i < RTE_DIM(sizes); i++) {
		struct rte_mempool_cache *cache;

		rte_errno = 0;
		cache = rte_mempool_cache_create(sizes[i], SOCKET_ID_ANY);
		STINT_ASSERT(t, cache == NULL && rte_errno == EINVAL,
			     "user-owned cache of %u: %p, rte_errno %d, not %d", sizes[i],
			     (void *)cache, rte_errno, EINVAL);
	}
	return 0;
}

int
stint_mempool_create_check(struct stint_fast *t)
{
	static int (*const checks[])(struct stint_fast *) = {
		check_constructors, check_choice, check_refused, check_taken, check_cache_sizes,
	};
	int rc = 0;

	for (unsigned int i = 0; i < RTE_DIM(checks) && rc == 0; i++)
		rc = checks[i](t);
	return rc;
}
