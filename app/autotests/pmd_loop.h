/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PMD_LOOP_H
#define PMD_LOOP_H

/** @file What ports do with frames: do those that are sent come back? Main lcore. */

#include <stddef.h>

#include "pmd_lane.h"

/** What became of the first frames of one port. */
struct pmd_echo {
	unsigned int sent;     /* and accepted */
	unsigned int back;     /* came in, at any port */
	unsigned int came;     /* frames of any port of the rig that came in here */
	unsigned int strange;  /* other frames that did, and doubles */
	uint64_t burst_cycles; /* that a burst of 32 took to be sent */
	int at;                /* port of the rig at which the last one came in; -1: none */
};

/**
 * Send numbered frames of each size at each port and look at what comes in, for a bounded time: a
 * driver may invent frames, and may find one that was sent in the buffer that it takes for that.
 * `echoes`: one for each port. Sets `loops`, `lacks` and `hold` of the rig: a pass is what all
 * queues take at once, in a time that several passes fit a slice. Counts what is foreign, doubled
 * or lost.
 */
void pmd_rig_try(struct pmd_rig *rig, struct pmd_echo *echoes);

/** enum pmd_lack of a port and a size of frames. */
unsigned int pmd_rig_lacks(const struct pmd_rig *rig, unsigned int port, unsigned int size);

/** "64 of 64 frames come back at port 1". */
void pmd_echo_text(const struct pmd_rig *rig, unsigned int port, const struct pmd_echo *echo,
		   char *text, size_t size);

#endif /* PMD_LOOP_H */
