/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "grid.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "select.h"

/* The values that a dimension has here. */
struct axis {
	const struct stint_dim *dim;
	uint64_t *values;
	unsigned int count;
};

static bool
holds(const struct axis *axis, uint64_t value)
{
	for (unsigned int i = 0; i < axis->count; i++) {
		if (axis->values[i] == value)
			return true;
	}
	return false;
}

static uint64_t
dim_value(const struct stint_grid *grid, const struct stint_dim *dim, unsigned int i)
{
	if (dim->kind == STINT_DIM_TEXTS)
		return i;
	if (dim->kind == STINT_DIM_CORES && dim->uints[i] == STINT_ALL)
		return grid->machine->n_lcores;
	return dim->uints[i];
}

static bool
counts_lcores(const struct stint_dim *dim)
{
	return dim->kind == STINT_DIM_CORES || dim->kind == STINT_DIM_DOUBLING;
}

bool
stint_doubles_lcores(const struct stint_test *test)
{
	for (unsigned int d = 0; d < test->dims.count; d++) {
		if (test->dims.list[d].kind == STINT_DIM_DOUBLING)
			return true;
	}
	return false;
}

/* Fill in what a dimension leaves open: a parameter's values, or the powers of two. */
static int
dim_resolve(struct stint_dim *dim, const struct stint_grid *grid, uint64_t *powers)
{
	const struct stint_param_value *v;

	if (dim->kind == STINT_DIM_OF_PARAM) {
		v = stint_params_find(&grid->params, dim->name);
		if (v == NULL)
			return -EINVAL;
		dim->uints = v->list;
		dim->count = v->count;
	} else if (dim->kind == STINT_DIM_DOUBLING) {
		for (uint64_t n = 1; n < grid->machine->n_lcores; n *= 2)
			powers[dim->count++] = n;
		powers[dim->count++] = grid->machine->n_lcores;
		dim->uints = powers;
	}
	return 0;
}

static int
axis_init(struct axis *axis, const struct stint_grid *grid, const struct stint_dim *dim)
{
	struct stint_dim resolved = *dim;
	uint64_t powers[64];
	int rc = dim_resolve(&resolved, grid, powers);

	if (rc != 0)
		return rc;
	axis->dim = dim;
	axis->values = calloc(resolved.count, sizeof(*axis->values));
	if (axis->values == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < resolved.count; i++) {
		uint64_t value = dim_value(grid, &resolved, i);

		if (!holds(axis, value))
			axis->values[axis->count++] = value;
	}
	return 0;
}

static json_t *
make_labels(const struct axis *axes, unsigned int n, const uint64_t *value)
{
	json_t *labels = json_object();

	for (unsigned int d = 0; d < n; d++) {
		const struct stint_dim *dim = axes[d].dim;

		json_object_set_new(labels, dim->name,
				    dim->kind == STINT_DIM_TEXTS ? json_string(dim->texts[value[d]])
								 : json_integer(value[d]));
	}
	return labels;
}

static struct stint_cell *
add_cell(struct stint_grid *grid)
{
	struct stint_cell *cells = grid->cells;

	/* grow by doubling; a power of two is full */
	if ((grid->count & (grid->count - 1)) == 0)
		cells = realloc(cells, RTE_MAX(1u, 2 * grid->count) * sizeof(*cells));
	if (cells == NULL)
		return NULL;
	grid->cells = cells;
	memset(&cells[grid->count], 0, sizeof(*cells));
	return &cells[grid->count++];
}

static void
drop_cell(struct stint_grid *grid)
{
	struct stint_cell *cell = &grid->cells[--grid->count];

	json_decref(cell->labels);
	free(cell->skip_reason);
	free(cell->skip_need);
	free(cell->skip_have);
	free(cell->skip_remedy);
}

static bool
uses_ports(const struct stint_grid *grid)
{
	return (grid->test->flags & STINT_PORTS) != 0;
}

static void
check_lcores(struct stint_grid *grid, struct stint_cell *cell)
{
	unsigned int have = grid->machine->n_lcores;
	char needs[32], has[32];

	if (cell->point.lcores <= have)
		return;
	snprintf(needs, sizeof(needs), "%u lcores", cell->point.lcores);
	snprintf(has, sizeof(has), "%u", have);
	stint_grid_skip(grid, cell, "too few lcores", needs, has, "name more with -l or --lcores");
}

static void
check_ports(struct stint_grid *grid, struct stint_cell *cell)
{
	const struct stint_machine *m = grid->machine;

	if (!uses_ports(grid) || !m->ports_known || m->n_ports > 0)
		return;
	stint_grid_skip(grid, cell,
			m->no_net_drivers ? "no Ethernet device: there is no librte_net_* "
					    "in " RTE_EAL_PMD_PATH
					  : "no Ethernet device",
			NULL, NULL, "-a takes one of PCI, --vdev=net_null0 makes one");
}

/* Until the ports are known, enough lcores for one of them let the others wait for EAL's start. */
static unsigned int
lcores_of(const struct stint_grid *grid, const struct stint_point *pt)
{
	const struct stint_machine *m = grid->machine;
	unsigned int n = RTE_MAX(grid->test->lcores(pt), 1u);

	if (!uses_ports(grid) || m->ports_known || n > m->n_lcores * m->n_ports)
		return n;
	return RTE_MIN(n, m->n_lcores);
}

/* The number of CPUs is costly to find, and points of as many lcores have one answer. */
static bool
shares_cpus(const struct stint_grid *grid, unsigned int lcores)
{
	for (unsigned int i = grid->count - 1; i-- > 0;) {
		if (grid->cells[i].point.lcores == lcores)
			return grid->cells[i].point.shares_cpus;
	}
	return stint_machine_shares(grid->machine, RTE_MIN(lcores, grid->machine->n_lcores));
}

static int
consider(struct stint_grid *grid, const struct axis *axes, const uint64_t *value,
	 struct stint_select *select)
{
	const struct stint_test *test = grid->test;
	struct stint_cell *cell = add_cell(grid);
	unsigned int n = test->dims.count;

	if (cell == NULL)
		return -ENOMEM;
	cell->point = (struct stint_point){
		.test = test, .lcores = 1, .params = &grid->params, .machine = grid->machine
	};
	memcpy(cell->point.value, value, n * sizeof(*value));
	for (unsigned int d = 0; d < n; d++) {
		if (counts_lcores(axes[d].dim))
			cell->point.lcores = value[d];
	}
	if (test->lcores != NULL)
		cell->point.lcores = lcores_of(grid, &cell->point);
	cell->point.shares_cpus = shares_cpus(grid, cell->point.lcores);
	if (test->admit != NULL)
		cell->rank = test->admit(&cell->point);
	/* most combinations may be none: they have no labels either */
	if (cell->rank != STINT_LEAVE_OUT)
		cell->labels = make_labels(axes, n, value);
	if (cell->rank == STINT_LEAVE_OUT || !stint_select_matches(select, cell->labels)) {
		drop_cell(grid);
		return 0;
	}
	if (cell->skip_reason != NULL)
		grid->skipped++;
	check_ports(grid, cell);
	check_lcores(grid, cell);
	return 0;
}

/* Next combination, the last dimension fastest; false after the last. */
static bool
next(const struct axis *axes, unsigned int n, unsigned int *at, uint64_t *value)
{
	unsigned int d = n;

	while (d > 0 && ++at[d - 1] == axes[d - 1].count)
		at[--d] = 0;
	for (unsigned int i = 0; i < n; i++)
		value[i] = axes[i].values[at[i]];
	return d > 0;
}

static int
expand(struct stint_grid *grid, const struct axis *axes, struct stint_select *select)
{
	unsigned int n = grid->test->dims.count, at[STINT_MAX_DIMS] = { 0 };
	uint64_t value[STINT_MAX_DIMS] = { 0 };
	int rc;

	for (unsigned int d = 0; d < n; d++)
		value[d] = axes[d].values[0];
	do {
		rc = consider(grid, axes, value, select);
	} while (rc == 0 && next(axes, n, at, value));
	return rc;
}

static void
count_lcores(struct stint_grid *grid)
{
	bool seen[RTE_MAX_LCORE + 1] = { false };

	for (unsigned int i = 0; i < grid->count; i++) {
		const struct stint_cell *cell = &grid->cells[i];

		if (cell->skip_reason != NULL)
			continue;
		grid->max_lcores = RTE_MAX(grid->max_lcores, cell->point.lcores);
		grid->lcore_counts += !seen[cell->point.lcores];
		seen[cell->point.lcores] = true;
	}
}

int
stint_grid_init(struct stint_grid *grid, const struct stint_test *test,
		const struct stint_machine *machine, const char *const *settings,
		unsigned int n_settings, const char *select_text, char *error, size_t size)
{
	struct axis axes[STINT_MAX_DIMS] = { 0 };
	struct stint_select select = { 0 };
	int rc;

	memset(grid, 0, sizeof(*grid));
	grid->test = test;
	grid->machine = machine;
	rc = stint_params_init(&grid->params, test, settings, n_settings, error, size);
	if (rc == 0 && select_text != NULL)
		rc = stint_select_init(&select, select_text, error, size);
	for (unsigned int d = 0; d < test->dims.count && rc == 0; d++)
		rc = axis_init(&axes[d], grid, &test->dims.list[d]);
	if (rc == 0)
		rc = expand(grid, axes, &select);
	if (rc == 0)
		rc = stint_select_check(&select, test, error, size);
	for (unsigned int d = 0; d < test->dims.count; d++)
		free(axes[d].values);
	stint_select_free(&select);
	if (rc != 0)
		stint_grid_free(grid);
	else
		count_lcores(grid);
	return rc;
}

void
stint_cell_rate(struct stint_cell *cell, unsigned int metric, double rate, bool disturbed)
{
	if (disturbed && cell->undisturbed[metric])
		return;
	cell->rates[metric] = rate;
	cell->undisturbed[metric] = !disturbed;
}

void
stint_grid_free(struct stint_grid *grid)
{
	for (unsigned int i = 0; i < grid->count; i++)
		free(grid->cells[i].batches);
	while (grid->count > 0)
		drop_cell(grid);
	free(grid->cells);
	stint_params_free(&grid->params);
	memset(grid, 0, sizeof(*grid));
}

void
stint_grid_skip(struct stint_grid *grid, struct stint_cell *cell, const char *reason,
		const char *need, const char *have, const char *remedy)
{
	if (cell->skip_reason != NULL)
		return;
	cell->skip_reason = strdup(reason);
	cell->skip_need = need != NULL ? strdup(need) : NULL;
	cell->skip_have = have != NULL ? strdup(have) : NULL;
	cell->skip_remedy = remedy != NULL ? strdup(remedy) : NULL;
	grid->skipped++;
}

int
stint_skip_point(const struct stint_point *pt, const char *format, ...)
{
	/* a point that a test is asked about is the first member of a cell that the grid owns */
	struct stint_cell *cell = (struct stint_cell *)(uintptr_t)pt;
	va_list args;

	if (cell->skip_reason != NULL)
		return 0;
	va_start(args, format);
	if (vasprintf(&cell->skip_reason, format, args) < 0)
		cell->skip_reason = NULL;
	va_end(args);
	return 0;
}

char *
stint_labels_format(char *text, size_t size, const json_t *labels)
{
	const char *name;
	json_t *value;
	size_t used = 0;

	text[0] = '\0';
	json_object_foreach ((json_t *)(uintptr_t)labels, name, value) {
		const char *gap = used > 0 ? " " : "";

		if (used >= size)
			break;
		if (json_is_string(value))
			used += snprintf(text + used, size - used, "%s%s=%s", gap, name,
					 json_string_value(value));
		else
			used += snprintf(text + used, size - used, "%s%s=%lld", gap, name,
					 (long long)json_integer_value(value));
	}
	return text;
}
