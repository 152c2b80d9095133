/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_HOSTED_H
#define STINT_HOSTED_H

/** @file The runner in a program that has started EAL itself. */

/** As stint_main(), with EAL running: options of EAL come too late. The exit code. */
int stint_hosted(int argc, char **argv);

#endif /* STINT_HOSTED_H */
