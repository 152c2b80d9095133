/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_EAL_START_H
#define STINT_EAL_START_H

/** @file Starting and ending EAL. */

#include <stddef.h>

#include "options.h"
#include "session.h"

/**
 * Start EAL with the user's arguments and those that make it safe. `no_huge_bytes`: start without
 * hugepages, with that much memory; 0: as asked. STINT_PASS, or the exit code and one line in
 * `error`.
 */
enum stint_exit stint_eal_start(struct stint_session *s, const struct stint_options *o,
				uint64_t no_huge_bytes, char *error, size_t size);

/**
 * Code that is not ours begins or ends to run on the main thread: an exit() that it calls is told,
 * and ends the process with STINT_BROKEN.
 */
void stint_eal_starting(struct stint_session *s, bool on);

/** Free what EAL holds, and leave no file behind. Main thread. */
void stint_eal_end(struct stint_session *s);

/** Remove the files that EAL keeps and nobody else uses. Any thread. */
void stint_eal_files_remove(const struct stint_session *s);

#endif /* STINT_EAL_START_H */
