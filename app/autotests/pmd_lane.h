/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PMD_LANE_H
#define PMD_LANE_H

/**
 * @file
 * What one lcore does with one queue of a port, or with a bare ring in its place: the points that
 * pmd_perf_autotest and ring_pmd_perf_autotest share. Lcores 0 to queues * ports - 1 of a point
 * have a queue each, in the modes of two lcores as many more transmit for them.
 */

#include <stdatomic.h>

#include <stint.h>

#include "pmd_frames.h"
#include "pmd_port.h"
#include "ring_port.h"

#define PMD_BURST_MAX 128
#define PMD_DESCS_MAX 4096

/** The first dimensions of both tests. */
enum { PMD_DIM_MODE, PMD_DIM_BURST, PMD_DIM_SIZE, PMD_DIM_PATH };

enum pmd_mode {
	PMD_RXTX,        /* forward what comes in */
	PMD_RX,          /* drain a queue that was filled, untimed */
	PMD_TX,          /* fill a queue that was drained, untimed */
	PMD_POLL_BEFORE, /* poll before and while another lcore transmits */
	PMD_POLL_AFTER,  /* drain what another lcore has transmitted */
};

enum pmd_path { PMD_PATH_PORT, PMD_PATH_RING };

/** Of frames. */
#define PMD_SIZES PMD_FRAME_MIN, 128, 256, 512, 1024, PMD_FRAME_MAX
#define PMD_N_SIZES 6

#define PMD_DIMS                                                                  \
	STINT_DIM_NAMES("mode", "rxtx", "rx", "tx", "poll_before", "poll_after"), \
		STINT_DIM("burst", 1, 4, 8, 16, 32, 64, 128), STINT_DIM("frame", PMD_SIZES)

#define PMD_PARAM_QUEUES                                                                           \
	{                                                                                          \
		"queues", STINT_PARAM_UINT, "1", "queues of each port, with an lcore each", 1, 16, \
			NULL                                                                       \
	}
#define PMD_PARAM_DESCS                                                                            \
	{                                                                                          \
		"descs", STINT_PARAM_UINT, "1024", "descriptors of each queue", 64, PMD_DESCS_MAX, \
			NULL                                                                       \
	}

extern const struct stint_metric pmd_metrics[3];
extern const char *const pmd_phase_names[2];

/** How far the transmitting lcore of a queue is. */
enum pmd_turn { PMD_AWAY, PMD_READY, PMD_GO, PMD_SENT };

struct __rte_cache_aligned pmd_queue {
	_Atomic uint32_t turn;
	char guard[RTE_CACHE_LINE_SIZE];
};

/** What a port was found not to do with frames of a size: bits. */
enum pmd_lack {
	PMD_REFUSES = 1, /* none is accepted, or no more once the queue was full */
	PMD_DROPS = 2,   /* none of those accepted is sent, or arrives where smaller ones do */
	PMD_IS_DEAF = 4, /* no more comes in than what strays in */
};

/** All ports of a test, set up; `data` of its fixture. */
struct pmd_rig {
	unsigned int n_ports, queues;
	unsigned int hold; /* frames of a pass: what a queue takes */
	bool loops;        /* each port gets the frames that a port of the rig sends */
	uint8_t lacks[RTE_MAX_ETHPORTS][PMD_N_SIZES]; /* enum pmd_lack */
	uint64_t magic;
	struct ring_port made; /* a port of the test's own; without rings: none */
	struct {
		_Atomic uint64_t out, in, foreign, duplicate, full, refused, silent;
	} counts;
	struct {
		_Atomic uint64_t out, in;
	} of_port[RTE_MAX_ETHPORTS];
	struct pmd_port ports[RTE_MAX_ETHPORTS];
	struct pmd_queue *turns; /* by port and queue */
};

/** Lcores for a queue in a mode. */
unsigned int pmd_lane_lcores(enum pmd_mode mode);

/** Order of the points in round one. */
int pmd_lane_rank(const struct stint_point *pt);

/** Frames that a pass takes through queues of so many descriptors. */
unsigned int pmd_hold(unsigned int descs);

/** A rig without ports; NULL: no memory. */
struct pmd_rig *pmd_rig_new(unsigned int n_ports, unsigned int queues);

/** Tell the fixture what was counted, and free; the ports are closed. NULL is allowed. */
void pmd_rig_free(struct pmd_rig *rig, struct stint_fixture *fx);

/** The callbacks of both tests. */
int pmd_lane_init(struct stint_worker *w);
struct stint_job pmd_lane_job(const struct stint_point *pt, unsigned int worker,
			      unsigned int n_ports, enum pmd_path path);

#endif /* PMD_LANE_H */
