/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_mempool.h>

#include <stint.h>

/*
 * What a mempool's get and put cost: each lcore takes `keep` objects in bulks of `get` and gives
 * them back in bulks of `put`. Rates count an object when it was got and put back, which is what
 * rate_persec of dpdk-test's mempool_perf_autotest counts.
 */

#define DEFAULT_OPS "ring_mp_mc"
#define KEEP_MAX 32768
#define BULK_MAX RTE_MEMPOOL_CACHE_MAX_SIZE

enum { DIM_CORES, DIM_POOL, DIM_SIZES, DIM_KEEP, DIM_GET, DIM_PUT };
enum { POOL_CACHE, POOL_NO_CACHE, POOL_USER_CACHE, POOL_MBUF };
enum { SIZES_VARIABLE, SIZES_CONSTANT, SIZES_RANDOM };
enum { PHASE_GET = 1, PHASE_PUT };

static const char *const phase_names[] = { "get", "put" };

struct worker {
	struct rte_mempool *pool;
	struct rte_mempool_cache *cache; /* NULL: straight to the handler */
	bool user_cache;
	unsigned int keep, get, put;
	unsigned int have; /* objects in the table */
	uint32_t random;   /* of the bulks, and of shift() */
	_Alignas(RTE_CACHE_LINE_SIZE) void *objects[KEEP_MAX + BULK_MAX];
};

static const struct stint_param params[] = {
	{ "ops", STINT_PARAM_STRING, DEFAULT_OPS,
	  "mempool handler (ring_mp_mc, stack, lf_stack, ...)", 0, 0, NULL },
	{ "elt_size", STINT_PARAM_UINT, "64", "bytes of an object", 8, 65536, NULL },
	{ "keep", STINT_PARAM_UINT_LIST, "32,128,512,2048,8192,32768",
	  "objects that each lcore holds", 1, KEEP_MAX, NULL },
	{ "cache", STINT_PARAM_UINT, RTE_STR(RTE_MEMPOOL_CACHE_MAX_SIZE), "objects in a cache", 1,
	  RTE_MEMPOOL_CACHE_MAX_SIZE, NULL },
};

#define DIMS_BUT_CORES                                                                     \
	STINT_DIM_NAMES("pool", "cache", "no_cache", "user_cache", "mbuf_ops"),            \
		STINT_DIM_NAMES("sizes", "variable", "constant", "random"),                \
		STINT_DIM_PARAM("keep"), STINT_DIM("get", 1, 4, 8, 32, 64, 128, 256, 512), \
		STINT_DIM("put", 1, 4, 8, 32, 64, 128, 256, 512)

static const struct stint_dim dims[] = { STINT_DIM_LCORES(1, 2, STINT_ALL), DIMS_BUT_CORES };
static const struct stint_dim dims_1core[] = { STINT_DIM_LCORES(1), DIMS_BUT_CORES };
static const struct stint_dim dims_2cores[] = { STINT_DIM_LCORES(2), DIMS_BUT_CORES };
static const struct stint_dim dims_allcores[] = { STINT_DIM_LCORES(STINT_ALL), DIMS_BUT_CORES };

static const struct stint_metric metrics[] = { { "get+put", STINT_RATE, "objects/s" } };

/* ---- the grid ------------------------------------------------------------------------------ */

static bool
is_telling(const struct stint_point *pt)
{
	uint64_t get = pt->value[DIM_GET];

	return get == pt->value[DIM_PUT] && (get == 1 || get == 32 || get == 256) &&
	       (pt->value[DIM_KEEP] == 512 || pt->value[DIM_KEEP] == 32768);
}

/* Constant and random sizes have get and put alike; random ones are "up to" and so not below 8. */
static int
admit(const struct stint_point *pt)
{
	uint64_t get = pt->value[DIM_GET], put = pt->value[DIM_PUT];
	bool variable = pt->value[DIM_SIZES] == SIZES_VARIABLE;

	if (get > pt->value[DIM_KEEP] || put > pt->value[DIM_KEEP])
		return STINT_LEAVE_OUT;
	if (!variable && get != put)
		return STINT_LEAVE_OUT;
	/* a constant size is never cut short at the end of a phase */
	if (pt->value[DIM_SIZES] == SIZES_CONSTANT && pt->value[DIM_KEEP] % get != 0)
		return STINT_LEAVE_OUT;
	if (pt->value[DIM_SIZES] == SIZES_RANDOM && get < 8)
		return STINT_LEAVE_OUT;
	if (pt->value[DIM_POOL] == POOL_MBUF &&
	    strcmp(stint_mbuf_pool_ops(pt), stint_param_string(pt, "ops")) == 0)
		return STINT_LEAVE_OUT;
	if (variable && is_telling(pt))
		return 0;
	return get == put ? 1 : 2;
}

static bool
handler_exists(const char *name)
{
	for (unsigned int i = 0; i < rte_mempool_ops_table.num_ops; i++) {
		if (strcmp(rte_mempool_ops_table.ops[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Handlers are drivers: which there are is known once EAL has loaded them. */
static int
validate(const struct stint_point *pt, char *error, size_t size)
{
	const char *ops = stint_param_string(pt, "ops");
	size_t used;

	/* a pool has the default until it is given another */
	if (!handler_exists(DEFAULT_OPS)) {
		snprintf(error, size, "no mempool driver %s: librte_mempool_ring is not in %s",
			 DEFAULT_OPS, RTE_EAL_PMD_PATH);
		return -ENODEV;
	}
	if (handler_exists(ops))
		return 0;
	used = snprintf(error, size, "ops=%s: no such mempool handler; there are", ops);
	for (unsigned int i = 0; i < rte_mempool_ops_table.num_ops && used < size; i++)
		used += snprintf(error + used, size - used, " %s",
				 rte_mempool_ops_table.ops[i].name);
	return -EINVAL;
}

/* ---- the pool ------------------------------------------------------------------------------ */

enum { FIXTURE_PLAIN, FIXTURE_CACHED, FIXTURE_MBUF };

/* A user-owned cache stands before a pool without a cache of its own. */
static uint64_t
fixture(const struct stint_point *pt)
{
	switch (pt->value[DIM_POOL]) {
	case POOL_CACHE:
		return FIXTURE_CACHED;
	case POOL_MBUF:
		return FIXTURE_MBUF;
	}
	return FIXTURE_PLAIN;
}

/* The same for every keep, so that all points of as many lcores share a pool. */
static unsigned int
pool_objects(const struct stint_point *pt)
{
	return pt->lcores * (KEEP_MAX + 2 * RTE_MEMPOOL_CACHE_MAX_SIZE) - 1;
}

static void
need(const struct stint_point *pt, struct stint_need *need)
{
	stint_need_mempool(need, STINT_SOCKET_LOCAL, pool_objects(pt),
			   stint_param_uint(pt, "elt_size"), RTE_MEMPOOL_F_NO_SPREAD);
	stint_need_bytes(need, STINT_SOCKET_LOCAL, pt->lcores * sizeof(struct rte_mempool_cache));
}

/* Objects are never touched, so that small ones laid close together give the same rates. */
static int
setup(const struct stint_point *pt, struct stint_fixture *fx)
{
	unsigned int kind = fixture(pt), cache = 0;
	const char *ops = stint_param_string(pt, "ops");
	struct rte_mempool *pool;
	int rc;

	if (kind == FIXTURE_CACHED)
		cache = stint_param_uint(pt, "cache");
	if (kind == FIXTURE_MBUF)
		ops = stint_mbuf_pool_ops(pt);
	pool = rte_mempool_create_empty(fx->name, pool_objects(pt),
					stint_param_uint(pt, "elt_size"), cache, 0, fx->socket,
					RTE_MEMPOOL_F_NO_SPREAD);
	if (pool == NULL)
		return -rte_errno;
	rc = rte_mempool_set_ops_byname(pool, ops, NULL);
	if (rc == 0)
		rc = rte_mempool_populate_default(pool);
	if (rc < 0) {
		rte_mempool_free(pool);
		return rc;
	}
	fx->data = pool;
	return 0;
}

static void
teardown(struct stint_fixture *fx)
{
	rte_mempool_free(fx->data);
}

static int
check(struct stint_fixture *fx)
{
	return rte_mempool_full(fx->data) ? 0 : -1;
}

/* ---- one lcore ----------------------------------------------------------------------------- */

/*
 * A number from 1 to `max`. Drawn for each bulk: a table that repeats is learnt by the branch
 * predictor in some runs and not in others, which is worth up to half of the rate.
 */
static __rte_always_inline unsigned int
random_bulk(uint32_t *random, unsigned int max)
{
	*random = *random * UINT32_C(1664525) + UINT32_C(1013904223);
	return 1 + ((uint64_t)*random * max >> 32);
}

/*
 * Get until the table holds `until` objects. A bulk that would go beyond `keep` is cut, outside the
 * loop unless sizes are random. False if the pool has no more, which is a fault.
 */
static __rte_always_inline bool
get_objects(struct worker *st, unsigned int until, const unsigned int sizes, const unsigned int get)
{
	struct rte_mempool_cache *cache = st->cache;
	struct rte_mempool *pool = st->pool;
	const unsigned int keep = st->keep;
	unsigned int have = st->have, n = get;
	uint32_t random = st->random;

	while (have < until && (sizes == SIZES_RANDOM || have + get <= keep)) {
		if (sizes == SIZES_RANDOM)
			n = RTE_MIN(random_bulk(&random, get), keep - have);
		if (unlikely(rte_mempool_generic_get(pool, &st->objects[have], n, cache) < 0))
			return false;
		have += n;
	}
	if (sizes == SIZES_VARIABLE && have < until) {
		n = keep - have;
		if (rte_mempool_generic_get(pool, &st->objects[have], n, cache) < 0)
			return false;
		have = keep;
	}
	st->have = have;
	st->random = random;
	return true;
}

static __rte_always_inline void
put_objects(struct worker *st, unsigned int until, const unsigned int sizes, const unsigned int put)
{
	struct rte_mempool_cache *cache = st->cache;
	struct rte_mempool *pool = st->pool;
	unsigned int have = st->have, n = put;
	uint32_t random = st->random;

	while (have > until && (sizes == SIZES_RANDOM || have >= put)) {
		if (sizes == SIZES_RANDOM)
			n = RTE_MIN(random_bulk(&random, put), have);
		have -= n;
		rte_mempool_generic_put(pool, &st->objects[have], n, cache);
	}
	if (sizes == SIZES_VARIABLE && have > until) {
		rte_mempool_generic_put(pool, st->objects, have, cache);
		have = 0;
	}
	st->have = have;
	st->random = random;
}

static uint64_t
exhausted(struct stint_worker *w)
{
	stint_worker_fail(w, "lcore %u: the pool has no objects left", w->lcore);
	return 1;
}

/*
 * Where in a cache line of the handler's ring bulks of 4 and 8 begin stays as the points before
 * left it, and is worth up to a fifth of the rate. A few objects, got and put back before a cycle
 * or a batch of cycles, draw it anew; next to a batch they take no time.
 */
static __rte_always_inline bool
shift(struct worker *st)
{
	unsigned int n;

	n = random_bulk(&st->random, 8);
	if (rte_mempool_generic_get(st->pool, st->objects, n, NULL) < 0)
		return false;
	rte_mempool_generic_put(st->pool, st->objects, n, NULL);
	return true;
}

static __rte_always_inline uint64_t
whole_cycles(struct stint_worker *w, uint64_t ops, const unsigned int sizes, const unsigned int get,
	     const unsigned int put)
{
	struct worker *st = w->state;
	uint64_t cycles = ops / st->keep;

	w->phase = STINT_PHASE_WHOLE;
	w->next_phase = PHASE_GET;
	for (uint64_t i = 0; i < cycles; i++) {
		if (!get_objects(st, st->keep, sizes, get))
			return exhausted(w);
		put_objects(st, 0, sizes, put);
	}
	return cycles * st->keep;
}

static __rte_always_inline uint64_t
part_of_cycle(struct stint_worker *w, uint64_t ops, const unsigned int sizes,
	      const unsigned int get, const unsigned int put)
{
	struct worker *st = w->state;
	unsigned int before = st->have;

	w->phase = w->next_phase;
	if (w->phase == PHASE_GET) {
		if (!get_objects(st, RTE_MIN(before + ops, st->keep), sizes, get))
			return exhausted(w);
		w->next_phase = st->have < st->keep ? PHASE_GET : PHASE_PUT;
		return st->have - before;
	}
	put_objects(st, before - RTE_MIN(ops, before), sizes, put);
	w->next_phase = st->have > 0 ? PHASE_PUT : PHASE_GET;
	return before - st->have;
}

static __rte_always_inline uint64_t
work(struct stint_worker *w, uint64_t ops, const unsigned int sizes, const unsigned int get,
     const unsigned int put)
{
	struct worker *st = w->state;

	if (st->have == 0 && st->cache == NULL && !shift(st))
		return exhausted(w);
	if (st->have == 0 && ops >= st->keep)
		return whole_cycles(w, ops, sizes, get, put);
	return part_of_cycle(w, ops, sizes, get, put);
}

static uint64_t
run_variable(struct stint_worker *w, uint64_t ops)
{
	const struct worker *st = w->state;

	return work(w, ops, SIZES_VARIABLE, st->get, st->put);
}

static uint64_t
run_random(struct stint_worker *w, uint64_t ops)
{
	const struct worker *st = w->state;

	return work(w, ops, SIZES_RANDOM, st->get, st->put);
}

#define RUN_CONSTANT(n)                                                        \
	static uint64_t run_constant_##n(struct stint_worker *w, uint64_t ops) \
	{                                                                      \
		return work(w, ops, SIZES_CONSTANT, n, n);                     \
	}

RUN_CONSTANT(1)
RUN_CONSTANT(4)
RUN_CONSTANT(8)
RUN_CONSTANT(32)
RUN_CONSTANT(64)
RUN_CONSTANT(128)
RUN_CONSTANT(256)
RUN_CONSTANT(512)

static uint64_t (*constant_run(uint64_t bulk))(struct stint_worker *w, uint64_t ops)
{
	switch (bulk) {
	case 1:
		return run_constant_1;
	case 4:
		return run_constant_4;
	case 8:
		return run_constant_8;
	case 32:
		return run_constant_32;
	case 64:
		return run_constant_64;
	case 128:
		return run_constant_128;
	case 256:
		return run_constant_256;
	default:
		return run_constant_512;
	}
}

/* To begin with the put phase, the objects are got in the largest bulks, untimed. */
static int
begin_with_put(struct worker *st)
{
	while (st->have < st->keep) {
		unsigned int n = RTE_MIN(st->keep - st->have, (unsigned int)BULK_MAX);
		int rc = rte_mempool_generic_get(st->pool, &st->objects[st->have], n, st->cache);

		if (rc < 0)
			return rc;
		st->have += n;
	}
	return 0;
}

static int
worker_init(struct stint_worker *w)
{
	const struct stint_point *pt = w->point;
	struct worker *st = w->state;

	st->pool = w->fixture->data;
	st->keep = pt->value[DIM_KEEP];
	st->get = pt->value[DIM_GET];
	st->put = pt->value[DIM_PUT];
	st->random = w->seed;
	st->user_cache = pt->value[DIM_POOL] == POOL_USER_CACHE;
	st->cache = rte_mempool_default_cache(st->pool, w->lcore);
	/* no point begins with what the one before left in the cache */
	if (st->cache != NULL)
		rte_mempool_cache_flush(st->cache, st->pool);
	if (st->user_cache) {
		st->cache = rte_mempool_cache_create(stint_param_uint(pt, "cache"), w->socket);
		if (st->cache == NULL)
			return -rte_errno;
	}
	return w->phase == PHASE_PUT ? begin_with_put(st) : 0;
}

/* The objects go back on the lcore that has them. */
static void
finish(struct stint_worker *w)
{
	struct worker *st = w->state;

	put_objects(st, 0, SIZES_VARIABLE, BULK_MAX);
	if (!st->user_cache)
		return;
	rte_mempool_cache_flush(st->cache, st->pool);
	rte_mempool_cache_free(st->cache);
}

static struct stint_job
job(const struct stint_point *pt, unsigned int worker)
{
	struct stint_job job = { .run = run_variable,
				 .finish = finish,
				 .phases = RTE_DIM(phase_names),
				 .cycle_ops = pt->value[DIM_KEEP] };

	(void)worker;
	if (pt->value[DIM_SIZES] == SIZES_CONSTANT)
		job.run = constant_run(pt->value[DIM_GET]);
	else if (pt->value[DIM_SIZES] == SIZES_RANDOM)
		job.run = run_random;
	return job;
}

#define MEMPOOL(dims_, summary_)                                                                \
	.summary = summary_, .dims = STINT_LIST(dims_), .metrics = STINT_LIST(metrics),         \
	.params = STINT_LIST(params), .phase_names = phase_names,                               \
	.worker_bytes = sizeof(struct worker), .admit = admit, .validate = validate,            \
	.fixture = fixture, .need = need, .setup = setup, .check = check, .teardown = teardown, \
	.worker_init = worker_init, .job = job

STINT_PERF_TEST(mempool_perf_autotest, 20,
		MEMPOOL(dims, "mempool get and put on 1, 2 and all lcores"))
STINT_PERF_TEST(mempool_perf_autotest_1core, 20,
		MEMPOOL(dims_1core, "mempool get and put on one lcore"))
STINT_PERF_TEST(mempool_perf_autotest_2cores, 20,
		MEMPOOL(dims_2cores, "mempool get and put on two lcores"))
STINT_PERF_TEST(mempool_perf_autotest_allcores, 20,
		MEMPOOL(dims_allcores, "mempool get and put on all lcores"))
