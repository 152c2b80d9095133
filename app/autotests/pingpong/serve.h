/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PINGPONG_SERVE_H
#define PINGPONG_SERVE_H

/** @file The pong of a ping in another process. */

#include <stint.h>

/** Answer until ping says BYE, or nothing comes any more. As a fast test. */
int pp_serve(struct stint_fast *t);

#endif /* PINGPONG_SERVE_H */
