/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_START_ARGS_H
#define STINT_START_ARGS_H

/** @file The arguments that EAL is started with: the user's, and those that make it safe. */

#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "session.h"

/** What EAL leaves in file systems while it runs. */
enum stint_files {
	STINT_FILES_NONE,   /**< no file, whoever kills it: --in-memory, or --no-huge */
	STINT_FILES_OWN,    /**< page files under a prefix of our own, no shared configuration */
	STINT_FILES_SHARED, /**< all that other processes need to join: the user asked for it */
};

struct stint_start_args {
	char **argv; /**< EAL writes over it and may keep pointers: never freed */
	int argc;
	char *added[16]; /**< words of our own in it, kept reachable */
	unsigned int n_added;
	enum stint_files files;
	bool without_hugepages;
	char prefix[128];
};

/** Which files EAL will keep, from what the user asked for. `fallback`: --no-huge is added. */
enum stint_files stint_start_files(const struct stint_eal_args *args, bool fallback);

/**
 * Make the arguments. `no_huge_bytes`: without hugepages, with that much memory; 0: as asked. 0 or
 * -ENOMEM.
 */
int stint_start_args(struct stint_start_args *start, const struct stint_session *s,
		     const struct stint_options *o, uint64_t no_huge_bytes);

#endif /* STINT_START_ARGS_H */
