/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PINGPONG_PEER_H
#define PINGPONG_PEER_H

/** @file The pong in another process, as ping sees it. One lcore at a time. */

#include "rig.h"

/** Agree with it. 0, or -1 and why not in `error`. */
int pp_peer_hello(struct pp_rig *rig, char *error, size_t size);

/** Have it answer frames of a size. `w`: NULL, or who may be told to stop. As above. */
int pp_peer_start(struct pp_rig *rig, unsigned int size_index, const struct stint_worker *w,
		  char *error, size_t size);

enum pp_bye {
	PP_BYE_ANSWERED,
	PP_BYE_LOST,  /* not answered: the answer may have been lost */
	PP_BYE_ALONE, /* it had gone before */
};

/** Let it go; it no longer polls then. */
enum pp_bye pp_peer_bye(struct pp_rig *rig);

#endif /* PINGPONG_PEER_H */
