/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_STOP_H
#define STINT_STOP_H

/**
 * @file
 * Signals that ask for the end. A thread waits for them: it cuts the current slice, gives the main
 * thread 0.2 s to leave in order, then closes the run file itself and ends the process. It also
 * tells of a fault that the process is about to die of.
 */

#include "session.h"

/** Take the signals of faults; until the thread is there they end the process without a word. */
void stint_stop_take_faults(void);

/** Block the signals for this thread and its children, and start the thread that waits. */
int stint_stop_init(struct stint_session *s);

/** The main thread is about to return from main(): the signal thread lets it. */
void stint_stop_finished(void);

#endif /* STINT_STOP_H */
