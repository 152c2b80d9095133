/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_HOST_READ_H
#define STINT_HOST_READ_H

/**
 * @file
 * Small readers of /sys and /proc, and the parts that stint_host_read() is made of. `root` is
 * prepended to every path; a file that is missing or holds something else reads as false, and
 * then leaves an empty text or an untouched number.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_common.h>

#include "host.h"

/** Longest line that is looked at: sysfs gives at most a page. */
#define STINT_HOST_LINE 4096

/** Open a file for reading; NULL if it cannot be. */
FILE *stint_host_open(const char *root, const char *path, ...) __rte_format_printf(2, 3);

bool stint_host_exists(const char *root, const char *path, ...) __rte_format_printf(2, 3);

/** First line of a file, without its end. */
bool stint_host_line(const char *root, char *text, size_t size, const char *path, ...)
	__rte_format_printf(4, 5);

/** A file that holds one number. */
bool stint_host_u64(const char *root, uint64_t *value, const char *path, ...)
	__rte_format_printf(3, 4);

/** What follows "key:" in the first line of a file that begins with it. */
bool stint_host_value(const char *root, const char *key, char *text, size_t size, const char *path,
		      ...) __rte_format_printf(5, 6);

/** A CPU list; cleared if the file is missing, empty or holds something else. */
bool stint_host_cpus(const char *root, cpu_set_t *set, const char *path, ...)
	__rte_format_printf(3, 4);

/** Parse "64", "2M", "2048 kB", "1g"; `end` gets what follows. False if out of range too. */
bool stint_host_bytes(const char *text, uint64_t *bytes, const char **end);

/** Is the word in the list, whose words are set apart by `separator`? */
bool stint_host_list_has(const char *list, const char *word, char separator);

/** Decode octal escapes such as \040, as they stand in /proc/mounts, in place. */
void stint_host_octal_decode(char *text);

/** Parts of stint_host_read(); each needs what those before it have filled in. */
int stint_host_read_cpus(struct stint_host *host, const char *root);
void stint_host_read_pages(struct stint_host *host, const char *root);
void stint_host_read_mounts(struct stint_host *host, const char *root);
void stint_host_read_limits(struct stint_host *host, const char *root);

#endif /* STINT_HOST_READ_H */
