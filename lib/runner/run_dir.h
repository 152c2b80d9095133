/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_RUN_DIR_H
#define STINT_RUN_DIR_H

/**
 * @file
 * Files that EAL keeps by prefix: its run directory BASE/dpdk/PREFIX with the shared configuration
 * and sockets, and page files PREFIXmap_N in hugetlbfs mounts.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "host.h"

/** BASE/dpdk/PREFIX into `path`. False: longer than `size`. */
bool stint_run_dir_path(char *path, size_t size, const char *prefix);

/**
 * Could EAL make the run directory now, and write `room_bytes` in it? 0, or -1 and one line in
 * `error`: its base is not there, read-only, full, or another user's, or a socket's path would be
 * too long.
 */
int stint_run_dir_check(const char *prefix, uint64_t room_bytes, char *error, size_t size);

/** The primary process that holds the prefix; 0: none, or none that can be seen. */
pid_t stint_run_dir_owner(const char *prefix);

/** Remove the run directory of a prefix, with what is in it. */
void stint_run_dir_remove(const char *prefix);

/** Remove the page files of a prefix from all mounts of the host, and from `dir` (NULL: none). */
void stint_page_files_remove(const char *prefix, const struct stint_host *host, const char *dir);

/** Remove empty run directories named PREFIX-PID whose process is no more. */
void stint_run_dir_sweep(const char *prefix);

#endif /* STINT_RUN_DIR_H */
