/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "fixtures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_memory.h>

#include "clock.h"
#include "guard.h"
#include "latency.h"
#include "random.h"
#include "said.h"
#include "session.h"

static int
socket_of(const struct stint_fixtures *fxs, int socket)
{
	return fxs->plan->machine->any_socket ? SOCKET_ID_ANY : socket;
}

/* NULL is no harm: the draw is then the one that a plain allocation gives. */
static void *
hold_spacer(struct stint_fixtures *fxs, int socket)
{
	uint64_t lines = 1 + stint_random_below(&fxs->random, STINT_SPACER_LINES);
	uint64_t pages = stint_random_below(&fxs->random, STINT_SPACER_PAGES);

	return rte_malloc_socket(NULL, lines * RTE_CACHE_LINE_SIZE + pages * 4096,
				 RTE_CACHE_LINE_SIZE, socket_of(fxs, socket));
}

double
stint_cycles_ns(const struct stint_fixture *fx, uint64_t cycles)
{
	return stint_clock_ns(fx->clock, cycles);
}

double
stint_ns_cycles(const struct stint_fixture *fx, uint64_t ns)
{
	return fx->clock != NULL ? stint_clock_cycles(fx->clock, ns) : ns / 1e9 * rte_get_tsc_hz();
}

static void
free_workers(struct stint_fixtures *fxs)
{
	for (unsigned int i = 0; i < fxs->n_workers; i++) {
		rte_free(fxs->states[i]);
		rte_free(fxs->recorders[i]);
		fxs->states[i] = fxs->recorders[i] = NULL;
	}
	fxs->n_workers = 0;
}

static int
fail(struct stint_fixtures *fxs, int error, const char *what)
{
	fxs->error = error;
	snprintf(fxs->message, sizeof(fxs->message), "%s: %s", what, strerror(error));
	return -1;
}

/* On the socket of worker i. Nothing is no failure if nothing is wanted. */
static bool
allocate(struct stint_fixtures *fxs, unsigned int i, size_t bytes, void **memory)
{
	int socket = fxs->plan->machine->lcores[i].socket;

	*memory = NULL;
	if (bytes > 0)
		*memory = rte_zmalloc_socket("stint_worker", bytes, RTE_CACHE_LINE_SIZE,
					     socket_of(fxs, socket));
	return *memory != NULL || bytes == 0;
}

static bool
have_worker(struct stint_fixtures *fxs, unsigned int i)
{
	const struct stint_test *test = fxs->plan->test;
	void *state, *recorders;

	if (!allocate(fxs, i, test->worker_bytes, &state))
		return false;
	if (!allocate(fxs, i, stint_latency_bytes(test), &recorders)) {
		rte_free(state);
		return false;
	}
	fxs->states[i] = state;
	fxs->recorders[i] = recorders;
	if (recorders != NULL)
		stint_latency_init(test, recorders);
	return true;
}

/* What the first n workers have of their own. */
static int
have_workers(struct stint_fixtures *fxs, unsigned int n)
{
	const struct stint_plan *plan = fxs->plan;
	void *spacer;

	if (fxs->n_workers >= n ||
	    (plan->test->worker_bytes == 0 && stint_latency_bytes(plan->test) == 0))
		return 0;
	spacer = hold_spacer(fxs, plan->machine->lcores[0].socket);
	while (fxs->n_workers < n && have_worker(fxs, fxs->n_workers))
		fxs->n_workers++;
	rte_free(spacer);
	return fxs->n_workers == n ? 0 : fail(fxs, ENOMEM, "state of the workers");
}

static void
tear_down(struct stint_fixtures *fxs, unsigned int i)
{
	if (!fxs->up[i])
		return;
	if (fxs->plan->test->teardown != NULL)
		fxs->plan->test->teardown(&fxs->list[i]);
	fxs->up[i] = false;
}

static int
set_up(struct stint_fixtures *fxs, unsigned int i)
{
	const struct stint_plan *plan = fxs->plan;
	struct stint_fixture *fx = &fxs->list[i];
	volatile int rc = 0;
	char what[96];
	void *spacer;
	int signal;

	if (plan->test->setup == NULL)
		return 0;
	if (fx->said != NULL)
		fx->said->setup = STINT_SETUP_ERRNO;
	fx->seed = stint_random(&fxs->random);
	spacer = hold_spacer(fxs, fx->socket);
	STINT_GUARDED(STINT_GUARD_HUGEPAGES, signal, rc = plan->test->setup(fx->point, fx));
	if (signal != 0) {
		fxs->spent = true;
		return fail(fxs, ENOMEM, STINT_HUGEPAGE_LOST);
	}
	rte_free(spacer);
	if (rc == 0)
		return 0;
	snprintf(what, sizeof(what), "set-up for %u lcore%s", fx->point->lcores,
		 fx->point->lcores == 1 ? "" : "s");
	return fail(fxs, -rc, what);
}

/* What is up, beside the base. */
static struct stint_need
in_use(const struct stint_fixtures *fxs)
{
	struct stint_need need = fxs->plan->base;

	for (unsigned int i = 0; i < fxs->plan->n_fixtures; i++) {
		if (fxs->up[i])
			stint_need_add(&need, &fxs->plan->fixtures[i].need);
	}
	return need;
}

static void
make_room(struct stint_fixtures *fxs, unsigned int i)
{
	for (unsigned int k = 0; k < fxs->plan->n_fixtures; k++) {
		struct stint_need need = in_use(fxs);

		stint_need_add(&need, &fxs->plan->fixtures[i].need);
		if (stint_need_short(&need, fxs->plan->machine->have_bytes) < 0)
			return;
		tear_down(fxs, k);
	}
}

int
stint_fixtures_have(struct stint_fixtures *fxs, unsigned int i)
{
	uint64_t begin = stint_monotonic_ns(), took;

	if (fxs->up[i])
		return 0;
	make_room(fxs, i);
	if (have_workers(fxs, fxs->list[i].point->lcores) != 0 || set_up(fxs, i) != 0)
		return -1;
	fxs->up[i] = true;
	took = stint_monotonic_ns() - begin;
	fxs->setup_ns += took;
	fxs->longest_ns = RTE_MAX(fxs->longest_ns, took);
	return 0;
}

bool
stint_fixtures_kept(const struct stint_fixtures *fxs)
{
	for (unsigned int i = 0; i < fxs->plan->n_fixtures; i++) {
		if (fxs->up[i] && fxs->list[i].keep)
			return true;
	}
	return false;
}

void
stint_fixtures_redraw(struct stint_fixtures *fxs)
{
	if (fxs->spent)
		return;
	for (unsigned int i = 0; i < fxs->plan->n_fixtures; i++)
		tear_down(fxs, i);
	free_workers(fxs);
	fxs->setup_ns = 0;
	fxs->draw++;
}

bool
stint_fixtures_all_fit(const struct stint_fixtures *fxs)
{
	return stint_need_short(&fxs->plan->need_all, fxs->plan->machine->have_bytes) < 0;
}

static int
name_fixture(struct stint_fixture *fx, unsigned int i)
{
	static unsigned int unique;
	char *name;

	if (asprintf(&name, "stint%u_%u", unique++, i) < 0)
		return -ENOMEM;
	fx->name = name;
	return 0;
}

int
stint_fixtures_init(struct stint_fixtures *fxs, struct stint_plan *plan, uint64_t seed)
{
	memset(fxs, 0, sizeof(*fxs));
	fxs->plan = plan;
	fxs->random = seed;
	fxs->list = calloc(plan->n_fixtures + 1, sizeof(*fxs->list));
	fxs->up = calloc(plan->n_fixtures + 1, sizeof(*fxs->up));
	fxs->states = calloc(plan->grid.max_lcores + 1, sizeof(*fxs->states));
	fxs->recorders = calloc(plan->grid.max_lcores + 1, sizeof(*fxs->recorders));
	if (fxs->list == NULL || fxs->up == NULL || fxs->states == NULL || fxs->recorders == NULL) {
		stint_fixtures_free(fxs);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < plan->n_fixtures; i++) {
		fxs->list[i].point = plan->fixtures[i].point;
		fxs->list[i].left_ns = UINT64_MAX;
		fxs->list[i].socket = socket_of(fxs, plan->machine->lcores[0].socket);
		if (name_fixture(&fxs->list[i], i) != 0) {
			stint_fixtures_free(fxs);
			return -ENOMEM;
		}
	}
	return 0;
}

void
stint_fixtures_free(struct stint_fixtures *fxs)
{
	if (fxs->list != NULL && fxs->up != NULL && fxs->states != NULL && fxs->recorders != NULL)
		stint_fixtures_redraw(fxs);
	for (unsigned int i = 0; fxs->list != NULL && i < fxs->plan->n_fixtures; i++) {
		free((char *)(uintptr_t)fxs->list[i].name);
		free(fxs->list[i].kept);
	}
	free(fxs->list);
	free(fxs->up);
	free(fxs->states);
	free(fxs->recorders);
	memset(fxs, 0, sizeof(*fxs));
}
