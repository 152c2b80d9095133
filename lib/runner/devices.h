/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_DEVICES_H
#define STINT_DEVICES_H

/** @file Devices that the user named. */

#include <stddef.h>
#include <stdio.h>

/**
 * Has each device that the arguments name (--vdev, -a) been taken by a driver? rte_eal_init() says
 * yes whatever came of them. 0, or -1 and one line in `error`, with what EAL's log says of the
 * device. EAL started.
 */
int stint_devices_check(FILE *log, char *error, size_t size);

#endif /* STINT_DEVICES_H */
