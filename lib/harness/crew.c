/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "crew.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>

#include "futex.h"
#include "guard.h"

/* A worker's place; alone on its cache lines, the next one guarded against prefetching. */
struct __rte_cache_aligned post {
	_Atomic uint32_t go; /* changes when there is work, or the end */
	_Atomic bool rest;   /* wait in the futex, even if `spin` */
	struct stint_crew *crew;
	unsigned int index;
	char guard[RTE_CACHE_LINE_SIZE];
};

struct stint_crew {
	/* what is handed over; written before `go` */
	stint_crew_fn fn;
	void *arg;
	bool spin, quit;
	uint64_t handed_over, all_done;

	const struct stint_machine *machine;
	unsigned int n;
	unsigned int launched; /* members 1 to launched are */
	char guard[RTE_CACHE_LINE_SIZE];
	_Atomic uint32_t busy; /* workers that have not returned yet */
	char guard2[RTE_CACHE_LINE_SIZE];
	struct post posts[];
};

static uint32_t
await_go(struct post *post, uint32_t seen)
{
	uint32_t go;

	while ((go = atomic_load_explicit(&post->go, memory_order_acquire)) == seen) {
		if (atomic_load_explicit(&post->rest, memory_order_relaxed))
			stint_futex_wait(&post->go, seen);
		else
			rte_pause();
	}
	return go;
}

static int
serve(void *arg)
{
	struct post *post = arg;
	struct stint_crew *crew = post->crew;
	void *stack = stint_guard_thread();
	uint32_t seen = 0;
	bool spin;

	for (;;) {
		seen = await_go(post, seen);
		if (crew->quit)
			break;
		spin = crew->spin;
		crew->fn(crew->arg, post->index);
		if (atomic_fetch_sub_explicit(&crew->busy, 1, memory_order_acq_rel) == 1 && !spin)
			stint_futex_wake(&crew->busy);
	}
	stint_guard_thread_end(stack);
	return 0;
}

int
stint_crew_launch(struct stint_crew **out, const struct stint_machine *machine, unsigned int n,
		  unsigned int *busy)
{
	size_t bytes = sizeof(struct stint_crew) + n * sizeof(struct post);
	struct stint_crew *crew =
		aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL(bytes, RTE_CACHE_LINE_SIZE));
	int rc;

	if (crew == NULL)
		return -ENOMEM;
	memset(crew, 0, bytes);
	crew->machine = machine;
	crew->n = n;
	for (unsigned int i = 1; i < n; i++) {
		struct post *post = &crew->posts[i];

		post->crew = crew;
		post->index = i;
		atomic_store_explicit(&post->rest, true, memory_order_relaxed);
		*busy = machine->lcores[i].id;
		rc = rte_eal_remote_launch(serve, post, machine->lcores[i].id);
		if (rc != 0) {
			stint_crew_release(crew);
			return rc;
		}
		crew->launched = i;
	}
	*out = crew;
	return 0;
}

static void
set_rest(struct post *post, bool rest)
{
	/* written only on a change: the worker polls this line */
	if (atomic_load_explicit(&post->rest, memory_order_relaxed) != rest)
		atomic_store_explicit(&post->rest, rest, memory_order_relaxed);
}

/* A worker that was resting may be in the futex; one that spins sees the word. */
static void
call(struct stint_crew *crew, unsigned int index)
{
	struct post *post = &crew->posts[index];
	bool resting = atomic_load_explicit(&post->rest, memory_order_relaxed);

	set_rest(post, !crew->spin);
	atomic_fetch_add_explicit(&post->go, 1, memory_order_release);
	if (resting || !crew->spin)
		stint_futex_wake(&post->go);
}

static void
await_all(struct stint_crew *crew)
{
	uint32_t busy;

	while ((busy = atomic_load_explicit(&crew->busy, memory_order_acquire)) != 0) {
		if (crew->spin)
			rte_pause();
		else
			stint_futex_wait(&crew->busy, busy);
	}
	crew->all_done = rte_rdtsc();
}

static void
prepare(struct stint_crew *crew, unsigned int others, bool spin, stint_crew_fn fn, void *arg)
{
	crew->fn = fn;
	crew->arg = arg;
	crew->spin = spin;
	atomic_store_explicit(&crew->busy, others, memory_order_relaxed);
	crew->handed_over = rte_rdtsc();
}

static void
hand_over(struct stint_crew *crew, unsigned int n, bool spin, stint_crew_fn fn, void *arg)
{
	prepare(crew, n - 1, spin, fn, arg);
	for (unsigned int i = 1; i < n; i++)
		call(crew, i);
	fn(arg, 0);
	await_all(crew);
}

static void
nothing(void *arg, unsigned int index)
{
	(void)arg;
	(void)index;
}

/* So that all begin at once, those that slept are woken up before. */
static void
wake(struct stint_crew *crew, unsigned int n)
{
	bool resting = false;

	for (unsigned int i = 1; i < n; i++)
		resting |= atomic_load_explicit(&crew->posts[i].rest, memory_order_relaxed);
	if (resting)
		hand_over(crew, n, true, nothing, NULL);
}

void
stint_crew_run(struct stint_crew *crew, unsigned int n, bool spin, stint_crew_fn fn, void *arg)
{
	for (unsigned int i = n; i < crew->n; i++)
		set_rest(&crew->posts[i], true);
	if (spin)
		wake(crew, n);
	hand_over(crew, n, spin, fn, arg);
}

void
stint_crew_run_pair(struct stint_crew *crew, unsigned int other, stint_crew_fn fn, void *arg)
{
	for (unsigned int i = 1; i < crew->n; i++) {
		if (i != other)
			set_rest(&crew->posts[i], true);
	}
	prepare(crew, 1, true, fn, arg);
	call(crew, other);
	fn(arg, 0);
	await_all(crew);
}

void
stint_crew_rest(struct stint_crew *crew)
{
	for (unsigned int i = 1; i < crew->n; i++)
		set_rest(&crew->posts[i], true);
}

void
stint_crew_release(struct stint_crew *crew)
{
	if (crew == NULL)
		return;
	crew->quit = true;
	for (unsigned int i = 1; i <= crew->launched; i++)
		call(crew, i);
	for (unsigned int i = 1; i <= crew->launched; i++)
		rte_eal_wait_lcore(crew->machine->lcores[i].id);
	free(crew);
}

uint64_t
stint_crew_handed_over(const struct stint_crew *crew)
{
	return crew->handed_over;
}

uint64_t
stint_crew_all_done(const struct stint_crew *crew)
{
	return crew->all_done;
}
