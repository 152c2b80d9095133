/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_EAL_SAYS_H
#define STINT_EAL_SAYS_H

/** @file What EAL logged of a start that failed, in the words of this project. */

#include <stddef.h>
#include <stdio.h>

#include "session.h"

/**
 * One line of why EAL did not start, and the exit code for it. `log`: all that EAL said, read from
 * its beginning; `number`: its rte_errno, which is often misleading; `signal`: that it died of, or
 * 0.
 */
enum stint_exit stint_eal_says(FILE *log, int number, int signal, char *error, size_t size);

/** First line of the log that names a device in an error; empty if there is none. */
void stint_eal_says_of(FILE *log, const char *device, char *text, size_t size);

#endif /* STINT_EAL_SAYS_H */
