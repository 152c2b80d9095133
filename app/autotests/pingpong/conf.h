/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PINGPONG_CONF_H
#define PINGPONG_CONF_H

/** @file What a user asks for: the parameters of pingpong_perf_autotest. */

#include <stint.h>

#include "ping.h"

#define PP_VID_MAX 4094
#define PP_PCP_MAX 7
#define PP_SIZE_MAX (PP_FRAME_MAX - 42 - PP_TAGS_MAX * 4)
/** Another process is waited for as long as so many frames or intervals take, and so long at least.
 */
#define PP_PATIENCE 100
#define PP_PATIENCE_INTERVALS 10
#define PP_PATIENCE_MS_MIN 1000
#define PP_COUNT_MAX 100000000

enum pp_who { PP_WHO_PING, PP_WHO_PONG, PP_WHO_BOTH };

struct pp_conf {
	enum pp_who who;
	unsigned int n_ports;
	uint16_t ports[2];
	struct pp_options options;
	struct pp_shape shape; /* but payload and session */
	const uint64_t *sizes;
	unsigned int n_sizes;
	uint64_t count, warmup, timeout_ns, interval_ns;
	const char *samples;
};

extern const struct stint_param pp_params[13];

/** The parameters of a point. Pure. */
struct pp_conf pp_conf_of(const struct stint_point *pt);

/** Do they fit each other, and the ports that there are? 0, -EINVAL, -ENODEV, and one line. */
int pp_conf_check(const struct stint_point *pt, char *error, size_t size);

/** Is it a port that sends to itself? */
static inline bool
pp_conf_loops(const struct pp_conf *c)
{
	return c->who == PP_WHO_BOTH && c->n_ports == 1;
}

/** How long another process is waited for, in ms. */
unsigned int pp_conf_patience_ms(const struct pp_conf *c);

/** How long a link is waited for, in ms: some come up with the other process only. */
unsigned int pp_conf_link_ms(const struct pp_conf *c);

/** Where the samples of a size go, "%s" in the path being the size. */
void pp_conf_samples_path(const struct pp_conf *c, uint64_t bytes, char *path, size_t size);

#endif /* PINGPONG_CONF_H */
