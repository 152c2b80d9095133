/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>

#include <stint.h>

#include "conf.h"
#include "peer.h"
#include "rig.h"
#include "serve.h"

/*
 * A frame goes from ping to pong and back, and each round trip is timed. Sizes are points; all
 * share the ports.
 */

static const struct stint_dim dims[] = { STINT_DIM_PARAM("sizes") };

static double
half(const struct stint_point *pt)
{
	(void)pt;
	return 0.5;
}

static const struct stint_metric metrics[] = {
	[PP_METRIC_TRIP] = { "round trip", STINT_LATENCY, "ns" },
	[PP_METRIC_HALF] = { "half of it", STINT_LATENCY, "ns", .of = metrics, .factor = half },
	[PP_METRIC_WALL] = { "wall-clock mean of slices", STINT_TIME, "ns" },
};

static bool
serves(const struct stint_point *pt)
{
	return pp_conf_of(pt).who == PP_WHO_PONG;
}

static unsigned int
lcores(const struct stint_point *pt)
{
	const struct pp_conf conf = pp_conf_of(pt);

	return conf.who == PP_WHO_BOTH && !pp_conf_loops(&conf) ? 2 : 1;
}

static void
need(const struct stint_point *pt, struct stint_need *need)
{
	const struct pp_conf conf = pp_conf_of(pt);

	pp_rig_need(&conf, need);
}

static int
setup(const struct stint_point *pt, struct stint_fixture *fx)
{
	const struct pp_conf conf = pp_conf_of(pt);
	struct pp_rig *rig;
	int rc = pp_rig_open(&rig, &conf, fx);

	if (rc == 0)
		fx->data = rig;
	return rc;
}

static void
teardown(struct stint_fixture *fx)
{
	pp_rig_close(fx->data, fx);
}

static int
check(struct stint_fixture *fx)
{
	const struct pp_rig *rig = fx->data;

	return rig->ping->counts.corrupt == 0 ? 0 : -1;
}

static bool
enough(const struct stint_point *pt, const struct stint_fixture *fx)
{
	const struct pp_rig *rig = fx->data;

	return rig->left[pp_rig_size_index(rig, pt->value[0])] == 0;
}

/* ---- on the lcores ------------------------------------------------------------------------- */

static int
worker_init(struct stint_worker *w)
{
	struct pp_rig *rig = w->fixture->data;
	const unsigned int size = pp_rig_size_index(rig, w->point->value[0]);
	char error[256];

	if (w->index > 0) {
		pp_rig_aim_pong(rig, size);
		return 0;
	}
	atomic_store_explicit(&rig->away, false, memory_order_relaxed);
	pp_ping_drain(rig->ping);
	if (rig->ping->remote && rig->started != 1 + size &&
	    pp_peer_start(rig, size, w, error, sizeof(error)) != 0 && !stint_stopping(w))
		stint_worker_fail(w, "%s", error);
	pp_rig_aim_ping(rig, size);
	return 0;
}

static uint64_t
run_ping(struct stint_worker *w, uint64_t ops)
{
	struct pp_rig *rig = w->fixture->data;
	struct pp_ping *p = rig->ping;
	uint64_t warm = p->warm_left, done;

	if (unlikely(warm > 0)) {
		p->warm_left = 0;
		return rig->ping_fn(w, p, warm);
	}
	if (w->counting != 0)
		ops = RTE_MIN(ops, p->left);
	/* a batch of several would last as long as their pace takes */
	if (rig->conf.options.paced)
		ops = RTE_MIN(ops, UINT64_C(1));
	done = rig->ping_fn(w, p, ops);
	w->tried = RTE_MAX(done, UINT64_C(1));
	return done;
}

static void
finish_ping(struct stint_worker *w)
{
	struct pp_rig *rig = w->fixture->data;

	pp_ping_collect(w, rig->ping);
	pp_rig_settle(rig);
	atomic_store_explicit(&rig->away, true, memory_order_release);
}

static uint64_t
run_pong(struct stint_worker *w, uint64_t ops)
{
	const struct pp_rig *rig = w->fixture->data;
	uint64_t answered = 0;

	for (uint64_t i = 0; i < ops; i++) {
		answered += rig->pong_fn(rig->pong);
		if (unlikely(w->shares_cpus))
			stint_yield(w);
	}
	w->tried = ops;
	return answered;
}

static void
finish_pong(struct stint_worker *w)
{
	struct pp_rig *rig = w->fixture->data;

	while (!atomic_load_explicit(&rig->away, memory_order_acquire)) {
		rig->pong_fn(rig->pong);
		stint_yield(w);
	}
}

static struct stint_job
job(const struct stint_point *pt, unsigned int worker)
{
	(void)pt;
	if (worker == 0)
		return (struct stint_job){ .run = run_ping,
					   .finish = finish_ping,
					   .metric = PP_METRIC_WALL,
					   .waits = true };
	return (struct stint_job){
		.run = run_pong, .finish = finish_pong, .metric = -1, .waits = true
	};
}

STINT_PERF_TEST(pingpong_perf_autotest, 20, .summary = "round trips of frames between two ports",
		.dims = STINT_LIST(dims), .metrics = STINT_LIST(metrics),
		.params = STINT_LIST(pp_params), .lcores = lcores, .validate = pp_conf_check,
		.serves = serves, .run = pp_serve, .enough = enough, .need = need, .setup = setup,
		.check = check, .teardown = teardown, .worker_init = worker_init, .job = job)
