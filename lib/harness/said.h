/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_SAID_H
#define STINT_SAID_H

/** @file What a test says of itself while it runs: notes, counts, why a set-up ended. */

#include <jansson.h>

/** Why a set-up ended that failed. */
enum stint_setup_end {
	STINT_SETUP_ERRNO, /* for the error number that it returned */
	STINT_SETUP_FAILS, /* for `reason`: the test fails */
	STINT_SETUP_SKIPS, /* for `reason`: its points are skipped */
};

/** One run of a test. Main lcore. */
struct stint_said {
	json_t *notes;  /* array of texts; NULL: none */
	json_t *counts; /* object; NULL: none */
	enum stint_setup_end setup;
	char reason[256];
	char failure[256]; /* what was found wrong afterwards; empty: nothing */
};

/** Add to a `result` record, and free. */
void stint_said_take(struct stint_said *said, json_t *record);

#endif /* STINT_SAID_H */
