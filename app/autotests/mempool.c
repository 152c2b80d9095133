/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "mempool.h"

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* more than RTE_MEMPOOL_CACHE_MAX_SIZE, so that a get can miss the cache on either path */
#define POOL_OBJECTS 1023
#define MAX_ELT_BYTES 104
#define USER_CACHE 32

struct handler {
	const char *name;
	int empty_rc; /* what a get from an empty pool gives; 0: any negative value */
};

static const struct handler handlers[] = {
	{ "ring_mp_mc", -ENOBUFS }, { "ring_sp_sc", 0 },  { "ring_mp_sc", 0 },
	{ "ring_sp_mc", 0 },        { "ring_mt_rts", 0 }, { "ring_mt_hts", 0 },
	{ "stack", -ENOBUFS },      { "lf_stack", 0 },
};

struct layout {
	unsigned int cache, elt_bytes, flags;
};

static const struct layout layouts[] = {
	{ 0, 64, RTE_MEMPOOL_F_NO_SPREAD },
	{ 32, 104, 0 },
	{ RTE_MEMPOOL_CACHE_MAX_SIZE, 64, 0 },
};

/* a pool under test, full when a check begins and when it ends */
struct subject {
	struct stint_fast *t;
	const struct handler *handler;
	const struct layout *layout;
	char name[RTE_MEMPOOL_NAMESIZE];
	struct rte_mempool *mp;
	void *objs[POOL_OBJECTS + 1]; /* one more than there are */
};

#define CHECK(s, cond, format, ...)                                             \
	STINT_ASSERT((s)->t, cond, "%s, cache %u: " format, (s)->handler->name, \
		     (s)->layout->cache, ##__VA_ARGS__)

static bool
registered(const char *name)
{
	for (unsigned int i = 0; i < rte_mempool_ops_table.num_ops; i++)
		if (strcmp(rte_mempool_ops_table.ops[i].name, name) == 0)
			return true;
	return false;
}

/* ENOTSUP is what a lack of memory gives with --in-memory */
int
stint_mempool_not_created(struct stint_fast *t, const char *what)
{
	int err = rte_errno;

	if (err == ENOMEM || err == ENOTSUP)
		return stint_fast_skip(t, "%s: not enough memory (%s)", what, rte_strerror(err));
	return stint_fast_fail(t, "%s: not created: %s", what, rte_strerror(err));
}

/* ---- objects ------------------------------------------------------------------------------- */

struct place {
	uintptr_t begin, end;
	bool inside;
};

static void
look_in_chunk(struct rte_mempool *mp __rte_unused, void *opaque, struct rte_mempool_memhdr *chunk,
	      unsigned int index __rte_unused)
{
	struct place *place = opaque;
	uintptr_t begin = (uintptr_t)chunk->addr;

	if (place->begin >= begin && place->end <= begin + chunk->len)
		place->inside = true;
}

static bool
in_pool_memory(struct rte_mempool *mp, void *obj, size_t bytes)
{
	struct place place = { .begin = (uintptr_t)obj, .end = (uintptr_t)obj + bytes };

	rte_mempool_mem_iter(mp, look_in_chunk, &place);
	return place.inside;
}

/* a pattern that tells each object from every other */
static void
sign_object(void *obj, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
		((uint64_t *)obj)[i] = (uintptr_t)obj + i;
}

static bool
signature_holds(const void *obj, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
		if (((const uint64_t *)obj)[i] != (uintptr_t)obj + i)
			return false;
	return true;
}

static int
by_address(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return (*x > *y) - (*x < *y);
}

static int
get_one_by_one(struct subject *s)
{
	for (unsigned int i = 0; i < POOL_OBJECTS; i++) {
		int rc = rte_mempool_get(s->mp, &s->objs[i]);

		CHECK(s, rc == 0, "get %u of %d gave %d", i + 1, POOL_OBJECTS, rc);
	}
	return 0;
}

static int
check_placement(struct subject *s)
{
	unsigned int bytes = s->layout->elt_bytes;

	if (get_one_by_one(s) != 0)
		return -1;
	qsort(s->objs, POOL_OBJECTS, sizeof(s->objs[0]), by_address);
	for (unsigned int i = 0; i < POOL_OBJECTS; i++) {
		CHECK(s, in_pool_memory(s->mp, s->objs[i], bytes),
		      "object %p is not in the pool's memory", s->objs[i]);
		CHECK(s, rte_mempool_from_obj(s->objs[i]) == s->mp,
		      "object %p belongs to another pool", s->objs[i]);
		CHECK(s, i == 0 || RTE_PTR_DIFF(s->objs[i], s->objs[i - 1]) >= bytes,
		      "objects %p and %p overlap", s->objs[i - 1], s->objs[i]);
	}
	rte_mempool_put_bulk(s->mp, s->objs, POOL_OBJECTS);
	return 0;
}

/* what an object holds is still there after a stay in the pool */
static int
check_content(struct subject *s)
{
	unsigned int bytes = s->layout->elt_bytes;

	if (get_one_by_one(s) != 0)
		return -1;
	for (unsigned int i = 0; i < POOL_OBJECTS; i++)
		sign_object(s->objs[i], bytes);
	for (unsigned int i = 0; i < POOL_OBJECTS; i++)
		rte_mempool_put(s->mp, s->objs[i]);
	if (get_one_by_one(s) != 0)
		return -1;
	for (unsigned int i = 0; i < POOL_OBJECTS; i++)
		CHECK(s, signature_holds(s->objs[i], bytes), "content of object %p changed",
		      s->objs[i]);
	rte_mempool_put_bulk(s->mp, s->objs, POOL_OBJECTS);
	return 0;
}

/* ---- counts and refused gets --------------------------------------------------------------- */

static int
check_counts(struct subject *s, unsigned int taken)
{
	unsigned int there = rte_mempool_avail_count(s->mp), out = rte_mempool_in_use_count(s->mp);

	CHECK(s, there == POOL_OBJECTS - taken && out == taken,
	      "%u taken of %d, but %u available and %u in use", taken, POOL_OBJECTS, there, out);
	CHECK(s, rte_mempool_full(s->mp) == (taken == 0), "full() is %d with %u taken",
	      rte_mempool_full(s->mp), taken);
	CHECK(s, rte_mempool_empty(s->mp) == (taken == POOL_OBJECTS), "empty() is %d with %u taken",
	      rte_mempool_empty(s->mp), taken);
	return 0;
}

/*
 * Ask for one more than there is. With a cache DPDK may have written part of the table before it
 * finds that the rest is missing, so only without one must the table be as it was.
 */
static int
ask_too_much(struct subject *s, unsigned int taken)
{
	int marker, rc, want = s->handler->empty_rc;
	void **table = &s->objs[taken];
	unsigned int n = POOL_OBJECTS - taken + 1;

	for (unsigned int i = 0; i < n; i++)
		table[i] = &marker;
	rc = rte_mempool_get_bulk(s->mp, table, n);
	CHECK(s, rc < 0 && (want == 0 || rc == want),
	      "get of %u where there are %u gave %d, not %d", n, n - 1, rc, want);
	for (unsigned int i = 0; i < n && s->layout->cache == 0; i++)
		CHECK(s, table[i] == &marker, "refused get of %u wrote entry %u", n, i);
	return check_counts(s, taken);
}

static int
check_bulk(struct subject *s)
{
	static const unsigned int taken[] = { 0, 1, 500, POOL_OBJECTS - 10, POOL_OBJECTS };

	for (unsigned int i = 0; i < RTE_DIM(taken); i++) {
		int rc = 0;

		if (taken[i] > 0)
			rc = rte_mempool_get_bulk(s->mp, s->objs, taken[i]);
		CHECK(s, rc == 0, "bulk get of %u gave %d", taken[i], rc);
		if (check_counts(s, taken[i]) != 0 || ask_too_much(s, taken[i]) != 0)
			return -1;
		rte_mempool_audit(s->mp);
		if (taken[i] > 0)
			rte_mempool_put_bulk(s->mp, s->objs, taken[i]);
	}
	return 0;
}

/* ---- caches -------------------------------------------------------------------------------- */

/* no cache in between: succeeds only if the handler has them all */
static int
check_handler_has(struct subject *s, unsigned int n, const char *when)
{
	int rc = rte_mempool_generic_get(s->mp, s->objs, n, NULL);

	CHECK(s, rc == 0, "%s: the handler does not have %u objects: %d", when, n, rc);
	rte_mempool_generic_put(s->mp, s->objs, n, NULL);
	return 0;
}

static int
check_default_cache(struct subject *s)
{
	struct rte_mempool_cache *cache = rte_mempool_default_cache(s->mp, rte_lcore_id());
	void *obj;
	int rc;

	CHECK(s, (cache != NULL) == (s->layout->cache > 0), "default cache is %p", (void *)cache);
	CHECK(s, rte_mempool_default_cache(s->mp, LCORE_ID_ANY) == NULL,
	      "a thread that is no lcore has a default cache");
	rte_mempool_cache_flush(cache, s->mp);
	rc = rte_mempool_get(s->mp, &obj);
	CHECK(s, rc == 0, "get gave %d", rc);
	rte_mempool_put(s->mp, obj);
	if (cache != NULL) {
		rc = rte_mempool_generic_get(s->mp, s->objs, POOL_OBJECTS, NULL);
		CHECK(s, rc < 0, "get and put left nothing in the default cache");
	}
	rte_mempool_cache_flush(cache, s->mp);
	return check_handler_has(s, POOL_OBJECTS, "default cache flushed");
}

static int
use_user_cache(struct subject *s, struct rte_mempool_cache *cache)
{
	void *obj, *rest[POOL_OBJECTS];
	int rc = rte_mempool_generic_get(s->mp, &obj, 1, cache);

	CHECK(s, rc == 0, "get through a user-owned cache gave %d", rc);
	rc = rte_mempool_generic_get(s->mp, rest, POOL_OBJECTS - 1, NULL);
	CHECK(s, rc < 0, "a get took nothing into the user-owned cache");
	rte_mempool_cache_flush(cache, s->mp);
	if (check_handler_has(s, POOL_OBJECTS - 1, "user-owned cache flushed after get") != 0)
		return -1;

	rte_mempool_generic_put(s->mp, &obj, 1, cache);
	rc = rte_mempool_generic_get(s->mp, rest, POOL_OBJECTS, NULL);
	CHECK(s, rc < 0, "a put left nothing in the user-owned cache");
	rc = rte_mempool_generic_get(s->mp, rest, POOL_OBJECTS - 1, NULL);
	CHECK(s, rc == 0, "get beside a user-owned cache gave %d", rc);
	rte_mempool_generic_put(s->mp, rest, POOL_OBJECTS - 1, NULL);
	rte_mempool_cache_flush(cache, s->mp);
	return check_handler_has(s, POOL_OBJECTS, "user-owned cache flushed after put");
}

static int
check_user_cache(struct subject *s)
{
	struct rte_mempool_cache *cache = rte_mempool_cache_create(USER_CACHE, SOCKET_ID_ANY);
	int rc;

	if (cache == NULL)
		return stint_mempool_not_created(s->t, "user-owned cache");
	/* else the default cache would hold what the handler is asked for */
	rte_mempool_cache_flush(NULL, s->mp);
	rc = use_user_cache(s, cache);
	rte_mempool_cache_flush(cache, s->mp);
	rte_mempool_cache_free(cache);
	return rc;
}

/* ---- walking ------------------------------------------------------------------------------- */

struct tally {
	const struct rte_mempool *mp;
	unsigned int count, wrong;
};

static void
tally_object(struct rte_mempool *mp, void *opaque, void *obj, unsigned int index)
{
	struct tally *tally = opaque;

	tally->wrong += mp != tally->mp || index != tally->count || rte_mempool_from_obj(obj) != mp;
	tally->count++;
}

static void
tally_pool(struct rte_mempool *mp, void *opaque)
{
	struct tally *tally = opaque;

	tally->count += mp == tally->mp;
}

static int
check_walk(struct subject *s)
{
	struct tally objects = { .mp = s->mp }, pools = { .mp = s->mp };
	unsigned int count = rte_mempool_obj_iter(s->mp, tally_object, &objects);

	CHECK(s, count == POOL_OBJECTS && objects.count == count && objects.wrong == 0,
	      "obj_iter gave %u and %u calls, %u of them wrong", count, objects.count,
	      objects.wrong);
	rte_mempool_walk(tally_pool, &pools);
	CHECK(s, pools.count == 1, "walk met the pool %u times", pools.count);
	CHECK(s, rte_mempool_lookup(s->name) == s->mp, "lookup of %s gave another pool", s->name);
	return 0;
}

static int
check_gone(struct stint_fast *t, const char *name)
{
	rte_errno = 0;
	STINT_ASSERT(t, rte_mempool_lookup(name) == NULL && rte_errno == ENOENT,
		     "lookup of %s, which is no more: rte_errno %d", name, rte_errno);
	return 0;
}

/* ---- handlers ------------------------------------------------------------------------------ */

static int (*const checks[])(struct subject *) = {
	check_placement,     check_content,    check_bulk,
	check_default_cache, check_user_cache, check_walk,
};

static int
subject_open(struct subject *s)
{
	int rc;

	snprintf(s->name, sizeof(s->name), "stint_%s", s->handler->name);
	s->mp = rte_mempool_create_empty(s->name, POOL_OBJECTS, s->layout->elt_bytes,
					 s->layout->cache, 0, rte_socket_id(), s->layout->flags);
	if (s->mp == NULL)
		return stint_mempool_not_created(s->t, s->handler->name);
	rc = rte_mempool_set_ops_byname(s->mp, s->handler->name, NULL);
	if (rc == 0)
		rc = rte_mempool_populate_default(s->mp);
	if (rc == POOL_OBJECTS)
		return 0;
	rte_mempool_free(s->mp);
	rte_errno = rc < 0 ? -rc : EINVAL;
	return stint_mempool_not_created(s->t, s->handler->name);
}

static int
check_pool(struct stint_fast *t, const struct handler *handler, const struct layout *layout)
{
	struct subject s = { .t = t, .handler = handler, .layout = layout };
	int rc = subject_open(&s);

	if (rc != 0)
		return rc;
	for (unsigned int i = 0; i < RTE_DIM(checks) && rc == 0; i++) {
		rc = checks[i](&s);
		if (rc == 0)
			rc = check_counts(&s, 0);
	}
	rte_mempool_free(s.mp);
	return rc != 0 ? rc : check_gone(t, s.name);
}

static int
check_handlers(struct stint_fast *t)
{
	for (unsigned int h = 0; h < RTE_DIM(handlers); h++) {
		if (!registered(handlers[h].name))
			continue;
		for (unsigned int l = 0; l < RTE_DIM(layouts); l++) {
			int rc = check_pool(t, &handlers[h], &layouts[l]);

			if (rc != 0)
				return rc;
		}
	}
	return 0;
}

static int
mempool(struct stint_fast *t)
{
	int rc;

	/* a pool has this handler until it is given another */
	if (!registered("ring_mp_mc"))
		return stint_fast_skip(t,
				       "the mempool driver librte_mempool_ring is missing from %s",
				       RTE_EAL_PMD_PATH);
	rc = check_handlers(t);
	return rc != 0 ? rc : stint_mempool_create_check(t);
}

static void
mempool_need(const struct stint_point *pt __rte_unused, struct stint_need *need)
{
	stint_need_mempool(need, STINT_SOCKET_LOCAL, POOL_OBJECTS, MAX_ELT_BYTES, 0);
	/* the user-owned cache: two tables of the largest cache, and its header */
	stint_need_bytes(need, STINT_SOCKET_LOCAL,
			 2 * RTE_MEMPOOL_CACHE_MAX_SIZE * sizeof(void *) + RTE_CACHE_LINE_SIZE);
}

STINT_FAST_TEST(mempool_autotest, STINT_NO_HUGE | STINT_ASAN,
		.summary = "mempool: objects, refused gets, caches, walking, creation",
		.need = mempool_need, .run = mempool);
