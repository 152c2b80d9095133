/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <rte_errno.h>
#include <rte_ring.h>

#include <stint.h>

/* What varies: every combination of values is a point, measured by itself. */
static const struct stint_dim dims[] = { STINT_DIM("bulk", 1, 8, 32), STINT_DIM_LCORES(1, 2) };

/* What is measured. */
static const struct stint_metric metrics[] = { { "enqueue+dequeue", STINT_RATE, "objects/s" } };

/* What a user may set: --set slots=4096. */
static const struct stint_param params[] = {
	{ "slots", STINT_PARAM_UINT, "1024", "slots of the ring", 128, 65536, NULL },
};

/* What a point takes; known before EAL starts. */
static void
need(const struct stint_point *pt, struct stint_need *need)
{
	stint_need_ring(need, STINT_SOCKET_LOCAL, stint_param_uint(pt, "slots"));
}

static int
setup(const struct stint_point *pt, struct stint_fixture *fx)
{
	fx->data = rte_ring_create(fx->name, rte_align32pow2(stint_param_uint(pt, "slots")),
				   fx->socket, 0);
	return fx->data != NULL ? 0 : -rte_errno;
}

static void
teardown(struct stint_fixture *fx)
{
	rte_ring_free(fx->data);
}

/* After each slice: is all as it should be? */
static int
check(struct stint_fixture *fx)
{
	return rte_ring_empty(fx->data) ? 0 : -1;
}

/* What each lcore does: about `ops` operations; only objects that came out again count. */
static uint64_t
run(struct stint_worker *w, uint64_t ops)
{
	void *objects[32] = { NULL };
	unsigned int bulk = w->point->value[0];
	uint64_t out = 0;

	for (uint64_t in = 0; in < ops; in += bulk) {
		rte_ring_enqueue_bulk(w->fixture->data, objects, bulk, NULL);
		out += rte_ring_dequeue_bulk(w->fixture->data, objects, bulk, NULL);
	}
	return out;
}

static struct stint_job
job(const struct stint_point *pt, unsigned int worker)
{
	return (struct stint_job){ .run = run };
}

STINT_PERF_TEST(ring_perf_autotest, 5, .summary = "ring enqueue and dequeue in bulk",
		.dims = STINT_LIST(dims), .metrics = STINT_LIST(metrics),
		.params = STINT_LIST(params), .need = need, .setup = setup, .check = check,
		.teardown = teardown, .job = job)
