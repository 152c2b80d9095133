/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_AUTOTESTS_MEMPOOL_H
#define STINT_AUTOTESTS_MEMPOOL_H

#include <stint.h>

/** What a test returns when a creation that should work has set rte_errno: skip or failure. */
int stint_mempool_not_created(struct stint_fast *t, const char *what);

/** rte_mempool_create(): constructors, choice of the handler, and what it refuses. */
int stint_mempool_create_check(struct stint_fast *t);

#endif /* STINT_AUTOTESTS_MEMPOOL_H */
