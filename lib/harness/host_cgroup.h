/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_HOST_CGROUP_H
#define STINT_HOST_CGROUP_H

/** @file The cgroups that this process is in, from its own up to the topmost that can be seen. */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct stint_cgroup {
	char dir[PATH_MAX]; /**< below the root that it was found with */
	size_t top;         /**< length of the mount point in it */
};

/**
 * Find the process's cgroup of a version 1 controller ("cpu", "cpuset", "hugetlb"), or in the
 * hierarchy of version 2 (""). False if it is not mounted.
 */
bool stint_cgroup_find(struct stint_cgroup *cg, const char *root, const char *controller);

/** Go up to the parent. False at the mount point. */
bool stint_cgroup_up(struct stint_cgroup *cg);

#endif /* STINT_HOST_CGROUP_H */
