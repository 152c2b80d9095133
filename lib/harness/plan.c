/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "registry.h"

#define MIB (UINT64_C(1) << 20)
/* EAL 22.11 does not start with a --socket-limit of 2 MiB, of which it uses a fraction */
#define EAL_LEAST (3 * MIB)

static uint64_t
key_of(const struct stint_point *pt)
{
	return pt->test->fixture != NULL ? pt->test->fixture(pt) : 0;
}

/* A port is there once: its set-up is for the point with the most lcores. */
static int
share_fixture(const struct stint_plan *plan, struct stint_plan_fixture *fx,
	      const struct stint_cell *cell)
{
	if (cell->point.lcores < fx->lcores)
		return 0;
	fx->lcores = cell->point.lcores;
	fx->point = &cell->point;
	fx->need = stint_need_of_fixture(plan->machine, &cell->point);
	return 0;
}

static int
find_fixture(struct stint_plan *plan, struct stint_cell *cell)
{
	struct stint_plan_fixture *fx;
	uint64_t key = key_of(&cell->point);

	for (cell->fixture = 0; cell->fixture < plan->n_fixtures; cell->fixture++) {
		fx = &plan->fixtures[cell->fixture];
		if (fx->key == key && fx->lcores == cell->point.lcores)
			return 0;
		if (fx->key == key && (plan->test->flags & STINT_PORTS) != 0)
			return share_fixture(plan, fx, cell);
	}
	fx = realloc(plan->fixtures, (plan->n_fixtures + 1) * sizeof(*fx));
	if (fx == NULL)
		return -ENOMEM;
	plan->fixtures = fx;
	fx[plan->n_fixtures++] = (struct stint_plan_fixture){
		.key = key,
		.lcores = cell->point.lcores,
		.point = &cell->point,
		.need = stint_need_of_fixture(plan->machine, &cell->point),
	};
	return 0;
}

static int
find_fixtures(struct stint_plan *plan)
{
	int rc = 0;

	for (unsigned int i = 0; i < plan->grid.count && rc == 0; i++) {
		if (plan->grid.cells[i].skip_reason == NULL)
			rc = find_fixture(plan, &plan->grid.cells[i]);
	}
	return rc;
}

/* The pool grows by pages: 20 MiB are one page of 1 GiB, or ten of 2 MiB. */
static void
whole_pages(const struct stint_plan *plan, struct stint_need *need)
{
	for (unsigned int s = 0; s < RTE_MAX_NUMA_NODES; s++)
		need->bytes[s] = RTE_ALIGN_MUL_CEIL(need->bytes[s], plan->machine->page_bytes);
}

/* EAL, and the workers of so many lcores. */
static struct stint_need
base_of(const struct stint_plan *plan, unsigned int lcores)
{
	struct stint_need base = stint_need_of_eal(plan->machine);
	struct stint_need workers = stint_need_of_workers(plan->machine, plan->test, lcores);

	stint_need_add(&base, &workers);
	return base;
}

static struct stint_need
with_base(const struct stint_plan *plan, const struct stint_plan_fixture *fixture)
{
	struct stint_need need = base_of(plan, fixture->lcores);
	int socket = stint_machine_socket(plan->machine);

	stint_need_add(&need, &fixture->need);
	need.bytes[socket] = RTE_MAX(need.bytes[socket], EAL_LEAST);
	whole_pages(plan, &need);
	return need;
}

bool
stint_plan_fits(const struct stint_plan *plan, unsigned int fixture)
{
	struct stint_need need = with_base(plan, &plan->fixtures[fixture]);

	return stint_need_short(&need, plan->machine->have_bytes) < 0;
}

static void
add_needs(struct stint_plan *plan)
{
	unsigned int fitting = 0;

	plan->need = base_of(plan, 0);
	plan->need_all = base_of(plan, plan->grid.max_lcores);
	for (unsigned int i = 0; i < plan->n_fixtures; i++) {
		struct stint_plan_fixture *fx = &plan->fixtures[i];
		struct stint_need need = with_base(plan, fx);

		fx->fits = stint_plan_fits(plan, i);
		if (fx->fits)
			fitting = RTE_MAX(fitting, fx->lcores);
		if (stint_need_total(&need) > stint_need_total(&plan->need))
			plan->need = need;
		stint_need_add(&plan->need_all, &fx->need);
	}
	plan->base = base_of(plan, fitting);
	whole_pages(plan, &plan->need);
	whole_pages(plan, &plan->need_all);
}

static void
format_remedy(const struct stint_machine *m, uint64_t short_bytes, int socket, char *text,
	      size_t size)
{
	static const char *const raise[] = {
		[STINT_BOUND_CGROUP] = "raise the limit of the hugetlb cgroup",
		[STINT_BOUND_MOUNT] = "mount the hugetlbfs with a larger size=",
		[STINT_BOUND_FILES] = "raise the limit of open files, ulimit -Hn",
		[STINT_BOUND_FILE_BYTES] = "ulimit -f unlimited",
		[STINT_BOUND_LIMIT] = "a larger --socket-limit, or none",
	};
	uint64_t page = m->page_bytes;
	uint64_t pages = (m->pool_bytes[socket] + short_bytes + page - 1) / page;

	if (m->bound[socket] == STINT_BOUND_POOL)
		snprintf(text, size,
			 "echo %" PRIu64 " > /sys/devices/system/node/node%d/hugepages/"
			 "hugepages-%" PRIu64 "kB/nr_hugepages",
			 pages, socket, page >> 10);
	else if (m->bound[socket] == STINT_BOUND_ASKED)
		snprintf(text, size, "%s %" PRIu64,
			 m->args->socket_mem_given ? "--socket-mem" : "-m",
			 (m->have_bytes[socket] + short_bytes + MIB - 1) / MIB);
	else
		snprintf(text, size, "%s", raise[m->bound[socket]]);
}

/* "180 MiB on socket 0, 4 MiB on socket 1", of the sockets that something is needed on. */
static void
format_sockets(const struct stint_plan *plan, const struct stint_need *need, bool have, char *text,
	       size_t size)
{
	const struct stint_machine *m = plan->machine;
	size_t used = 0;

	for (unsigned int s = 0; s < RTE_MAX_NUMA_NODES && used < size; s++) {
		if (need->bytes[s] == 0)
			continue;
		/* rounded so that what is short reads so */
		used += snprintf(text + used, size - used, "%s%" PRIu64 " MiB",
				 used > 0 ? ", " : "",
				 (have ? m->have_bytes[s] : need->bytes[s] + MIB - 1) / MIB);
		if (have && used < size)
			used += snprintf(text + used, size - used, " free of %" PRIu64,
					 m->pool_bytes[s] / MIB);
		if (!m->any_socket && used < size)
			used += snprintf(text + used, size - used, " on socket %u", s);
	}
}

void
stint_plan_skip_memory(struct stint_plan *plan, struct stint_cell *cell)
{
	const struct stint_machine *m = plan->machine;
	struct stint_need need = with_base(plan, &plan->fixtures[cell->fixture]);
	int lacking = stint_need_short(&need, m->have_bytes);
	int socket = RTE_MAX(lacking, 0);
	uint64_t have = m->have_bytes[socket];
	uint64_t lacks = need.bytes[socket] > have ? need.bytes[socket] - have : 0;
	char sockets[192], need_text[256], have_text[256], remedy[160];

	format_sockets(plan, &need, false, sockets, sizeof(sockets));
	snprintf(need_text, sizeof(need_text), "%s of %s for %u of %u lcore%s", sockets,
		 m->any_socket ? "memory" : "hugepages", cell->point.lcores, m->n_lcores,
		 m->n_lcores == 1 ? "" : "s");
	format_sockets(plan, &need, true, sockets, sizeof(sockets));
	snprintf(have_text, sizeof(have_text), "%s in pages of %" PRIu64 " KiB", sockets,
		 m->page_bytes >> 10);
	format_remedy(m, lacks, socket, remedy, sizeof(remedy));
	/* a limit that cannot be seen: of the program that has started EAL, or a page lost
	 * meanwhile */
	if (lacking < 0)
		stint_grid_skip(
			&plan->grid, cell, "memory was refused", need_text, have_text,
			"let EAL take more: --socket-limit, -m, or a limit of the container");
	else
		stint_grid_skip(&plan->grid, cell, "too little memory", need_text, have_text,
				remedy);
}

/* Points whose fixture fits not even alone are skipped points. */
static void
skip_unfit(struct stint_plan *plan)
{
	for (unsigned int i = 0; i < plan->grid.count; i++) {
		struct stint_cell *cell = &plan->grid.cells[i];

		if (cell->skip_reason == NULL && !plan->fixtures[cell->fixture].fits)
			stint_plan_skip_memory(plan, cell);
	}
}

static uint64_t
own_budget_ns(const struct stint_grid *grid)
{
	unsigned int times = RTE_MAX(grid->lcore_counts, 1u);

	if (stint_doubles_lcores(grid->test))
		times = 1;
	return UINT64_C(1000000000) * grid->test->budget_s * times;
}

int
stint_plan_init(struct stint_plan *plan, const struct stint_test *test,
		const struct stint_machine *machine, const char *const *settings,
		unsigned int n_settings, const char *select, uint64_t budget_ns, char *error,
		size_t size)
{
	int rc;

	memset(plan, 0, sizeof(*plan));
	plan->test = test;
	plan->machine = machine;
	rc = stint_grid_init(&plan->grid, test, machine, settings, n_settings,
			     test->suite == STINT_SUITE_PERF ? select : NULL, error, size);
	if (rc == 0 && plan->grid.count == 0) {
		snprintf(error, size, "--points %s: no point of %s has all of these",
			 select != NULL ? select : "", test->name);
		rc = -EINVAL;
	}
	if (rc == 0)
		rc = find_fixtures(plan);
	if (rc != 0) {
		stint_plan_free(plan);
		return rc;
	}
	add_needs(plan);
	skip_unfit(plan);
	plan->budget_ns = budget_ns;
	if (budget_ns == 0 || test->suite == STINT_SUITE_FAST)
		plan->budget_ns = own_budget_ns(&plan->grid);
	plan->shares_cpus = stint_machine_shares(machine, plan->grid.max_lcores);
	if (plan->grid.skipped == plan->grid.count)
		plan->skip = &plan->grid.cells[0];
	return 0;
}

void
stint_plan_free(struct stint_plan *plan)
{
	free(plan->fixtures);
	plan->fixtures = NULL;
	stint_grid_free(&plan->grid);
}

static json_t *
by_socket(const struct stint_plan *plan, const uint64_t *bytes)
{
	json_t *object = json_object();
	char name[8];

	for (unsigned int s = 0; s < RTE_MAX_NUMA_NODES; s++) {
		if (bytes[s] == 0 && s >= plan->machine->host->sockets)
			continue;
		snprintf(name, sizeof(name), "%u", s);
		json_object_set_new(object, name, json_integer(bytes[s]));
	}
	return object;
}

/* The smallest fixture says from which amount on anything can be measured. */
static json_t *
smallest(const struct stint_plan *plan)
{
	struct stint_need least = plan->need;

	for (unsigned int i = 0; i < plan->n_fixtures; i++) {
		struct stint_need need = with_base(plan, &plan->fixtures[i]);

		if (stint_need_total(&need) < stint_need_total(&least))
			least = need;
	}
	return by_socket(plan, least.bytes);
}

json_t *
stint_plan_record(const struct stint_plan *plan)
{
	json_t *lcores = json_array();

	for (unsigned int i = 0; i < plan->grid.max_lcores; i++)
		json_array_append_new(lcores, json_integer(plan->machine->lcores[i].id));
	return json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:b}",
			 "type", "plan", "test", plan->test->name, "suite",
			 stint_suite_name(plan->test), "points", (json_int_t)plan->grid.count,
			 "points_skipped", (json_int_t)plan->grid.skipped, "lcores", lcores,
			 "need_bytes", by_socket(plan, plan->need.bytes), "need_least_bytes",
			 smallest(plan), "need_all_bytes", by_socket(plan, plan->need_all.bytes),
			 "have_bytes", by_socket(plan, plan->machine->have_bytes), "page_bytes",
			 (json_int_t)plan->machine->page_bytes, "budget_ns",
			 (json_int_t)plan->budget_ns, "shares_cpus", (int)plan->shares_cpus);
}

json_t *
stint_plan_skip_record(const struct stint_plan *plan, const struct stint_cell *cell,
		       bool whole_test)
{
	json_t *record =
		json_pack("{s:s, s:s, s:s*, s:s*, s:s*, s:s*}", "type", "skip", "test",
			  plan->test->name, "reason", cell->skip_reason, "need", cell->skip_need,
			  "have", cell->skip_have, "remedy", cell->skip_remedy);

	if (!whole_test)
		json_object_set(record, "point", cell->labels);
	return record;
}
