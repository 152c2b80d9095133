/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PINGPONG_RIG_H
#define PINGPONG_RIG_H

/** @file The ports of a round trip, and who plays on them. Main lcore, but for what aims. */

#include <stdatomic.h>

#include "../pmd_port.h"
#include "../ring_port.h"
#include "conf.h"

#define PP_DESCS 256

struct pp_rig {
	struct pp_conf conf;
	struct ring_port made[2]; /* if none were named */
	struct pmd_port ports[2];
	unsigned int n_ports; /* that are open */
	bool looped;          /* one port is both */
	_Atomic bool away;    /* ping sends no more in this slice */
	uint32_t session;
	struct rte_ether_addr peer; /* of a pong in another process */
	struct pp_ping *ping;
	struct pp_pong *pong; /* NULL: in another process, or none */
	pp_ping_fn ping_fn;
	pp_pong_fn pong_fn;
	uint64_t **samples;   /* by size */
	uint64_t *n_samples;  /* by size */
	uint64_t *left;       /* samples to come, by size; stays from rig to rig */
	bool *warm;           /* by size: the warm-up is over */
	unsigned int size;    /* index of the one that is played */
	unsigned int started; /* 1 + index of the one that a pong elsewhere answers; 0: none */
	uint32_t asked;       /* requests to it */
};

/** How a port is set up; which one, where and by what name is left to be said. Pure. */
struct pmd_port_conf pp_rig_port_conf(const struct pp_conf *conf);

/** What the ports of a point take. Pure. */
void pp_rig_need(const struct pp_conf *conf, struct stint_need *need);

/**
 * Open the ports and have frames of all sizes go there and back once. 0, -errno, or what
 * stint_setup_fail() and stint_setup_skip() returned; nothing stays open then.
 */
int pp_rig_open(struct pp_rig **rig, const struct pp_conf *conf, struct stint_fixture *fx);

/** Close all, and say in `fx` what was counted. */
void pp_rig_close(struct pp_rig *rig, struct stint_fixture *fx);

/** Which of the sizes; 0 if there is none such. */
unsigned int pp_rig_size_index(const struct pp_rig *rig, uint64_t payload);

/** Have ping, and pong, play with frames of a size, by index; on the lcore that plays it. */
void pp_rig_aim_ping(struct pp_rig *rig, unsigned int size);
void pp_rig_aim_pong(struct pp_rig *rig, unsigned int size);

/** What was sampled of the size that is aimed at is kept for the next slice. */
void pp_rig_settle(struct pp_rig *rig);

/** One frame of the size that is aimed at, there and back within `ms`, or one second? */
bool pp_rig_try(struct pp_rig *rig, unsigned int ms);

#endif /* PINGPONG_RIG_H */
