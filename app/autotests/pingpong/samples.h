/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef PINGPONG_SAMPLES_H
#define PINGPONG_SAMPLES_H

/** @file Samples one by one, as files of comma-separated values. */

#include "rig.h"

/** Write the samples of all sizes, in the order in which they were taken. */
void pp_samples_write(const struct pp_rig *rig, struct stint_fixture *fx);

#endif /* PINGPONG_SAMPLES_H */
