/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_MEMORY_H
#define STINT_MEMORY_H

/** @file Memory as it is once EAL has started. */

#include "session.h"

/**
 * Read again what there is for tests: what EAL holds and has not given out, and what it could
 * still take. What EAL itself takes stands in the need, and so counts as there.
 * Main lcore.
 */
void stint_memory_refresh(struct stint_session *s);

#endif /* STINT_MEMORY_H */
