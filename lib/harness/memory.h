/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_MEMORY_H
#define STINT_MEMORY_H

/** @file Memory as it is once EAL has started. */

#include "session.h"

/** What EAL's heap holds at its start, with nothing of a test in it; see stint_need_of_eal(). */
#define STINT_EAL_BYTES (UINT64_C(2) << 20)

/**
 * Read again what there is for tests: what EAL holds and has not given out, and what it could
 * still take. What EAL itself takes stands in the need, and so counts as there.
 * Main lcore.
 */
void stint_memory_refresh(struct stint_session *s);

#endif /* STINT_MEMORY_H */
