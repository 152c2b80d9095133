/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_INTERRUPTS_H
#define STINT_INTERRUPTS_H

/** @file EAL's interrupt thread. */

/** Have it do nothing any more, as far as it can be had within half a second. Main lcore. */
void stint_interrupts_hold(void);

#endif /* STINT_INTERRUPTS_H */
