/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_CREW_H
#define STINT_CREW_H

/**
 * @file
 * The lcores of a test, launched once. Work is handed over through a word that each worker waits
 * on: spinning where each lcore has a CPU of its own, in a futex otherwise and while a worker has
 * nothing to do.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

struct stint_crew;

/** What a member does; `index` 0 is the main lcore. */
typedef void (*stint_crew_fn)(void *arg, unsigned int index);

/**
 * Launch the first n lcores of the machine but the main one, which takes part when it calls
 * stint_crew_run(). Only lcores in state WAIT are taken: -EBUSY, and the id in `busy`, if one is
 * not. 0 or -errno.
 */
int stint_crew_launch(struct stint_crew **out, const struct stint_machine *machine, unsigned int n,
		      unsigned int *busy);

/** Let the lcores return to EAL, and free. NULL is allowed. */
void stint_crew_release(struct stint_crew *crew);

/**
 * Run `fn` on the first n members, the caller among them, and return when all have returned; the
 * others sleep. `spin`: each of the n has a CPU of its own; those that slept are woken up first.
 */
void stint_crew_run(struct stint_crew *crew, unsigned int n, bool spin, stint_crew_fn fn,
		    void *arg);

/** Run `fn` on the main lcore and on one other member. */
void stint_crew_run_pair(struct stint_crew *crew, unsigned int other, stint_crew_fn fn, void *arg);

/** Let all members sleep until they are needed: before long work of the main lcore. */
void stint_crew_rest(struct stint_crew *crew);

/** TSC at which the last stint_crew_run() handed over, and when the caller saw that all are done.
 */
uint64_t stint_crew_handed_over(const struct stint_crew *crew);
uint64_t stint_crew_all_done(const struct stint_crew *crew);

#endif /* STINT_CREW_H */
