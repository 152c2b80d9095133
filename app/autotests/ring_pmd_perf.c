/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>

#include <rte_random.h>

#include <stint.h>

#include "pmd_bodies.h"

/*
 * The points of pmd_perf_autotest on a net_ring that the test makes itself, and on the bare ring
 * that it is made of: the difference is what the ethdev interface and the driver cost.
 */

static const struct stint_param params[] = { PMD_PARAM_QUEUES, PMD_PARAM_DESCS };

static const struct stint_dim dims[] = {
	PMD_DIMS,
	STINT_DIM_NAMES("path", "net_ring", "rte_ring"),
};

static unsigned int
lcores(const struct stint_point *pt)
{
	return stint_param_uint(pt, "queues") * pmd_lane_lcores(pt->value[PMD_DIM_MODE]);
}

/* Pointers are passed: what they point to costs nothing. */
static int
admit(const struct stint_point *pt)
{
	unsigned int hold = pmd_hold(rte_align32pow2(stint_param_uint(pt, "descs")));
	uint64_t size = pt->value[PMD_DIM_SIZE], burst = pt->value[PMD_DIM_BURST];

	if (size != PMD_FRAME_MIN && size != PMD_FRAME_MAX)
		return STINT_LEAVE_OUT;
	if (size != PMD_FRAME_MIN && pt->value[PMD_DIM_PATH] == PMD_PATH_RING)
		return STINT_LEAVE_OUT;
	if (burst > hold)
		return stint_skip_point(pt, "queues of %u descriptors take no bursts of %u",
					(unsigned int)stint_param_uint(pt, "descs"),
					(unsigned int)burst);
	return pmd_lane_rank(pt);
}

static int
validate(const struct stint_point *pt, char *error, size_t size)
{
	(void)pt;
	return ring_port_driver(error, size) && pmd_pool_driver(error, size) ? 0 : -ENODEV;
}

static struct pmd_port_conf
conf_of(const struct stint_point *pt)
{
	unsigned int queues = stint_param_uint(pt, "queues");
	unsigned int slots = rte_align32pow2(stint_param_uint(pt, "descs"));

	return (struct pmd_port_conf){
		.queues = queues,
		.descs = slots,
		.spare = queues * 2 * (pmd_hold(slots) + PMD_BURST_MAX),
	};
}

static void
need(const struct stint_point *pt, struct stint_need *need)
{
	struct pmd_port_conf conf = conf_of(pt);

	pmd_port_need(&conf, STINT_SOCKET_LOCAL, need);
	for (unsigned int q = 0; q < conf.queues; q++)
		stint_need_ring(need, STINT_SOCKET_LOCAL, conf.descs);
}

static int
open_port(const struct stint_point *pt, struct stint_fixture *fx, struct pmd_rig *rig)
{
	struct pmd_port_conf conf = conf_of(pt);
	char error[224];
	int rc = ring_port_make(&rig->made, fx->name, conf.queues, conf.descs, fx->socket);

	if (rc != 0)
		return rc;
	conf.id = rig->made.id;
	conf.socket = fx->socket;
	conf.name = fx->name;
	rc = pmd_port_open(&rig->ports[0], &conf, 0, error, sizeof(error));
	if (rc == 0)
		return 0;
	ring_port_remove(&rig->made);
	return rc == -ENOMEM ? rc : stint_setup_fail(fx, "%s", error);
}

static int
setup(const struct stint_point *pt, struct stint_fixture *fx)
{
	struct pmd_rig *rig = pmd_rig_new(1, stint_param_uint(pt, "queues"));
	int rc;

	if (rig == NULL)
		return -ENOMEM;
	rc = open_port(pt, fx, rig);
	if (rc != 0) {
		pmd_rig_free(rig, fx);
		return rc;
	}
	rig->n_ports = 1;
	rig->loops = true;
	rig->magic = rte_rand();
	rig->hold = pmd_hold(rte_ring_get_size(rig->made.rings[0]));
	fx->data = rig;
	return 0;
}

/* Nothing is in flight between slices. */
static int
check(struct stint_fixture *fx)
{
	const struct pmd_rig *rig = fx->data;

	return rte_mempool_full(rig->ports[0].pool) ? 0 : -1;
}

static void
teardown(struct stint_fixture *fx)
{
	struct pmd_rig *rig = fx->data;

	pmd_port_close(&rig->ports[0]);
	ring_port_remove(&rig->made);
	pmd_rig_free(rig, fx);
}

static struct stint_job
job(const struct stint_point *pt, unsigned int worker)
{
	return pmd_lane_job(pt, worker, 1, pt->value[PMD_DIM_PATH]);
}

STINT_PERF_TEST(ring_pmd_perf_autotest, 20,
		.summary = "a net_ring port that the test makes, and the bare ring",
		.dims = STINT_LIST(dims), .metrics = STINT_LIST(pmd_metrics),
		.params = STINT_LIST(params), .phase_names = pmd_phase_names,
		.worker_bytes = sizeof(struct pmd_lane), .lcores = lcores, .admit = admit,
		.validate = validate, .need = need, .setup = setup, .check = check,
		.teardown = teardown, .worker_init = pmd_lane_init, .job = job)
