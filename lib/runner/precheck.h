/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_PRECHECK_H
#define STINT_PRECHECK_H

/**
 * @file
 * What would keep EAL from starting, found before it starts, since EAL answers with a misleading
 * error number, pages of usage, an abort or a bus error.
 */

#include <stddef.h>

#include "session.h"
#include "start_args.h"

/**
 * STINT_PASS; STINT_USAGE: a place that was named is not there; STINT_SKIP: the machine grants less
 * than EAL takes; STINT_BROKEN: EAL cannot run here. All but the first with one line in `error`.
 */
enum stint_exit stint_precheck(const struct stint_session *s, const struct stint_start_args *start,
			       char *error, size_t size);

/** Can the threads be made that EAL needs for the lcores? To be asked before any thread is made. */
enum stint_exit stint_precheck_threads(const struct stint_session *s, char *error, size_t size);

#endif /* STINT_PRECHECK_H */
