/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_common.h>

#include <grid.h>
#include <select.h>

/*
 * The labels of all points, one line each; ranked ones end in "#rank", skipped ones in "!reason",
 * or if they say what is needed and what there is, in "!need/have" (the numbers).
 */
static char *
describe(char *text, size_t size, const struct stint_grid *grid)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < grid->count; i++) {
		const struct stint_cell *cell = &grid->cells[i];
		char labels[128];

		used += snprintf(text + used, size - used, "%s",
				 stint_labels_format(labels, sizeof(labels), cell->labels));
		if (cell->rank != 0)
			used += snprintf(text + used, size - used, " #%d", cell->rank);
		if (cell->skip_need != NULL)
			used += snprintf(text + used, size - used, " !%lu/%lu",
					 strtoul(cell->skip_need, NULL, 10),
					 strtoul(cell->skip_have, NULL, 10));
		else if (cell->skip_reason != NULL)
			used += snprintf(text + used, size - used, " !%s", cell->skip_reason);
		used += snprintf(text + used, size - used, "\n");
		assert_true(used < size);
	}
	return text;
}

static const struct stint_host host; /* no quota */

static void
expand_with(struct stint_grid *grid, const struct stint_test *test, unsigned int n_lcores,
	    const char *setting, const char *select)
{
	static struct stint_machine machine = { .host = &host };
	char error[256] = "";
	int rc;

	machine.n_lcores = n_lcores;
	rc = stint_grid_init(grid, test, &machine, &setting, setting != NULL, select, error,
			     sizeof(error));
	if (rc != 0)
		fail_msg("%d: %s", rc, error);
}

static void
assert_points(const struct stint_test *test, unsigned int n_lcores, const char *setting,
	      const char *select, const char *want)
{
	struct stint_grid grid;
	char text[4096];

	expand_with(&grid, test, n_lcores, setting, select);
	assert_string_equal(describe(text, sizeof(text), &grid), want);
	stint_grid_free(&grid);
	assert_int_equal(grid.count, 0);
}

static const struct stint_dim cube_dims[] = {
	STINT_DIM("bulk", 8, 1),
	STINT_DIM_NAMES("sync", "mp", "sp"),
	STINT_DIM_LCORES(1, 2),
};
static const struct stint_test cube = { .name = "cube_perf_autotest",
					.dims = STINT_LIST(cube_dims) };

static void
test_order(void **state)
{
	struct stint_grid grid;

	(void)state;
	/* the last dimension fastest, values as they are declared */
	assert_points(&cube, 4, NULL, NULL,
		      "bulk=8 sync=mp cores=1\nbulk=8 sync=mp cores=2\n"
		      "bulk=8 sync=sp cores=1\nbulk=8 sync=sp cores=2\n"
		      "bulk=1 sync=mp cores=1\nbulk=1 sync=mp cores=2\n"
		      "bulk=1 sync=sp cores=1\nbulk=1 sync=sp cores=2\n");
	expand_with(&grid, &cube, 4, NULL, NULL);
	for (unsigned int i = 0; i < grid.count; i++) {
		const struct stint_point *pt = &grid.cells[i].point;

		assert_ptr_equal(pt->test, &cube);
		assert_int_equal(pt->value[0], i < 4 ? 8 : 1);
		assert_int_equal(pt->value[1], i / 2 % 2);
		assert_int_equal(pt->value[2], 1 + i % 2);
		assert_int_equal(pt->lcores, 1 + i % 2);
		assert_int_equal(stint_lcores(pt), 4);
		assert_int_equal(stint_lcore_socket(pt, 1), pt->machine->lcores[1].socket);
	}
	assert_int_equal(grid.skipped, 0);
	assert_int_equal(grid.lcore_counts, 2);
	assert_int_equal(grid.max_lcores, 2);
	stint_grid_free(&grid);
}

static void
test_no_dims(void **state)
{
	static const struct stint_test none = { .name = "none_perf_autotest" };
	struct stint_grid grid;

	(void)state;
	expand_with(&grid, &none, 3, NULL, NULL);
	assert_int_equal(grid.count, 1);
	assert_int_equal(grid.cells[0].point.lcores, 1);
	assert_int_equal(json_object_size(grid.cells[0].labels), 0);
	assert_int_equal(grid.lcore_counts, 1);
	stint_grid_free(&grid);
}

static const struct stint_dim lcores_dims[] = { STINT_DIM_LCORES(1, 2, STINT_ALL) };
static const struct stint_test lcores_test = { .name = "l", .dims = STINT_LIST(lcores_dims) };
static void
test_lcores(void **state)
{
	static const struct {
		unsigned int have, counts, max;
		const char *points;
	} cases[] = {
		{ 1, 1, 1, "cores=1\ncores=2 !2/1\n" },
		{ 2, 2, 2, "cores=1\ncores=2\n" },
		{ 3, 3, 3, "cores=1\ncores=2\ncores=3\n" },
		{ RTE_MAX_LCORE, 3, RTE_MAX_LCORE, NULL },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct stint_grid grid;

		expand_with(&grid, &lcores_test, cases[i].have, NULL, NULL);
		assert_int_equal(grid.lcore_counts, cases[i].counts);
		assert_int_equal(grid.max_lcores, cases[i].max);
		stint_grid_free(&grid);
		if (cases[i].points != NULL)
			assert_points(&lcores_test, cases[i].have, NULL, NULL, cases[i].points);
	}
}

static const struct stint_dim doubling_dims[] = { STINT_DIM_LCORES_DOUBLING };
static const struct stint_test doubling_test = { .name = "d", .dims = STINT_LIST(doubling_dims) };

/* Powers of two below the number there is, and that number: none is a skipped point. */
static void
test_doubling(void **state)
{
	static const struct {
		unsigned int have;
		const char *points;
	} cases[] = {
		{ 1, "cores=1\n" },
		{ 2, "cores=1\ncores=2\n" },
		{ 3, "cores=1\ncores=2\ncores=3\n" },
		{ 32, "cores=1\ncores=2\ncores=4\ncores=8\ncores=16\ncores=32\n" },
		{ 33, "cores=1\ncores=2\ncores=4\ncores=8\ncores=16\ncores=32\ncores=33\n" },
		{ 128, "cores=1\ncores=2\ncores=4\ncores=8\ncores=16\ncores=32\ncores=64\n"
		       "cores=128\n" },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct stint_grid grid;

		assert_points(&doubling_test, cases[i].have, NULL, NULL, cases[i].points);
		expand_with(&grid, &doubling_test, cases[i].have, NULL, NULL);
		assert_int_equal(grid.skipped, 0);
		assert_int_equal(grid.lcore_counts, grid.count);
		assert_int_equal(grid.max_lcores, cases[i].have);
		stint_grid_free(&grid);
	}
	assert_points(&doubling_test, 24, NULL, "cores=16", "cores=16\n");
}

static const struct stint_dim many_dims[] = { STINT_DIM_LCORES(2, 4, 300) };
static const struct stint_test many_test = { .name = "m", .dims = STINT_LIST(many_dims) };

static void
test_too_many_lcores(void **state)
{
	struct stint_grid grid;

	(void)state;
	expand_with(&grid, &many_test, 3, NULL, NULL);
	assert_int_equal(grid.count, 3);
	assert_int_equal(grid.skipped, 2);
	assert_int_equal(grid.lcore_counts, 1);
	assert_int_equal(grid.max_lcores, 2);
	assert_null(grid.cells[0].skip_reason);
	assert_non_null(grid.cells[1].skip_reason);
	assert_non_null(strstr(grid.cells[1].skip_need, "4 lcores"));
	assert_non_null(strstr(grid.cells[1].skip_have, "3"));
	assert_non_null(strstr(grid.cells[1].skip_remedy, "-l"));
	assert_non_null(strstr(grid.cells[2].skip_need, "300 lcores"));
	stint_grid_free(&grid);
}

/* bulk 8 is left out, 1 is ranked, 2 cannot be measured, 3 neither and needs too many lcores. */
static int
admit(const struct stint_point *pt)
{
	switch (pt->value[0]) {
	case 8:
		return STINT_LEAVE_OUT;
	case 1:
		return 7;
	case 2:
	case 3:
		return stint_skip_point(pt, "no %s for %d", "driver", (int)pt->value[0]);
	default:
		return 0;
	}
}

static const struct stint_dim admit_dims[] = {
	STINT_DIM("bulk", 1, 8, 2, 3, 4),
	STINT_DIM_LCORES(1, 3),
};
static const struct stint_test admit_test = { .name = "a",
					      .dims = STINT_LIST(admit_dims),
					      .admit = admit };

static void
test_admit(void **state)
{
	struct stint_grid grid;

	(void)state;
	assert_points(&admit_test, 2, NULL, NULL,
		      "bulk=1 cores=1 #7\nbulk=1 cores=3 #7 !3/2\n"
		      "bulk=2 cores=1 !no driver for 2\nbulk=2 cores=3 !no driver for 2\n"
		      "bulk=3 cores=1 !no driver for 3\nbulk=3 cores=3 !no driver for 3\n"
		      "bulk=4 cores=1\nbulk=4 cores=3 !3/2\n");
	expand_with(&grid, &admit_test, 2, NULL, NULL);
	assert_int_equal(grid.count, 8);
	assert_int_equal(grid.skipped, 6);
	stint_grid_skip(&grid, &grid.cells[0], "later", "need", "have", "remedy");
	stint_grid_skip(&grid, &grid.cells[2], "later", "need", "have", "remedy");
	assert_int_equal(grid.skipped, 7);
	assert_string_equal(grid.cells[0].skip_reason, "later");
	assert_string_equal(grid.cells[0].skip_need, "need");
	assert_string_equal(grid.cells[0].skip_have, "have");
	assert_string_equal(grid.cells[0].skip_remedy, "remedy");
	assert_string_equal(grid.cells[2].skip_reason, "no driver for 2");
	assert_null(grid.cells[2].skip_need);
	stint_grid_free(&grid);
	/* points that were not asked for leave no trace */
	assert_points(&admit_test, 2, NULL, "bulk=4,cores=1", "bulk=4 cores=1\n");
}

static const struct stint_param keep_param[] = {
	{ .name = "keep",
	  .type = STINT_PARAM_UINT_LIST,
	  .def = "32,128",
	  .min = 1,
	  .max = 4096,
	  .help = "objects" },
};

static const struct stint_dim param_dims[] = { STINT_DIM_PARAM("keep"), STINT_DIM("bulk", 1, 2) };
static const struct stint_test param_test = { .name = "p",
					      .dims = STINT_LIST(param_dims),
					      .params = STINT_LIST(keep_param) };

static void
test_param_dim(void **state)
{
	struct stint_machine machine = { .host = &host, .n_lcores = 1 };
	const char *wrong = "keep=0";
	struct stint_grid grid;
	char error[256];

	(void)state;
	assert_points(&param_test, 1, NULL, NULL,
		      "keep=32 bulk=1\nkeep=32 bulk=2\nkeep=128 bulk=1\nkeep=128 bulk=2\n");
	assert_points(&param_test, 1, "keep=7", NULL, "keep=7 bulk=1\nkeep=7 bulk=2\n");
	assert_points(&param_test, 1, "p.keep=9:11:2", "bulk=2", "keep=9 bulk=2\nkeep=11 bulk=2\n");
	assert_int_equal(stint_grid_init(&grid, &param_test, &machine, &wrong, 1, NULL, error,
					 sizeof(error)),
			 -EINVAL);
	assert_non_null(strstr(error, "keep=0"));
}

static void
test_select(void **state)
{
	(void)state;
	assert_points(&cube, 2, NULL, "bulk=1,cores=2",
		      "bulk=1 sync=mp cores=2\nbulk=1 sync=sp cores=2\n");
	/* several values of one name are alternatives, in the order of the grid */
	assert_points(&cube, 2, NULL, "bulk=1,bulk=8,cores=2,sync=sp",
		      "bulk=8 sync=sp cores=2\nbulk=1 sync=sp cores=2\n");
	assert_points(&cube, 2, NULL, "sync=mp,bulk=8,sync=mp",
		      "bulk=8 sync=mp cores=1\nbulk=8 sync=mp cores=2\n");
	/* a skipped point may be asked for, and says why */
	assert_points(&cube, 1, NULL, "bulk=8,sync=mp,cores=2", "bulk=8 sync=mp cores=2 !2/1\n");
}

/* Both values occur, together they do not: no error of the grid, the plan refuses it. */
static int
admit_diagonal(const struct stint_point *pt)
{
	return pt->value[0] == 8 && pt->value[1] == 0 ? STINT_LEAVE_OUT : 0;
}

static void
test_select_nothing(void **state)
{
	static const struct stint_test test = { .name = "d",
						.dims = STINT_LIST(cube_dims),
						.admit = admit_diagonal };

	(void)state;
	assert_points(&test, 2, NULL, "bulk=8,sync=mp", "");
}

static void
test_select_refused(void **state)
{
	static const struct {
		const char *text, *names;
	} cases[] = {
		/* no such label: the labels that there are */
		{ "bluk=8", "bluk" },
		{ "bluk=8", "bulk, sync, cores" },
		{ "Bulk=8", "Bulk" },
		{ "bulk=8,size=1", "size" },
		/* no such value */
		{ "bulk=9", "bulk=9" },
		{ "bulk=08", "bulk=08" },
		{ "bulk=8 ", "bulk=8 " },
		{ "sync=m", "sync=m" },
		{ "sync=0", "sync=0" },
		{ "cores=3", "cores=3" },
		{ "bulk=8,bulk=9", "bulk=9" },
		{ "bulk=-1", "bulk=-1" },
		/* no terms */
		{ "", "NAME=VALUE" },
		{ "bulk", "NAME=VALUE" },
		{ "bulk=", "NAME=VALUE" },
		{ "=8", "NAME=VALUE" },
		{ ",", "NAME=VALUE" },
		{ "bulk=8,", "NAME=VALUE" },
		{ ",bulk=8", "NAME=VALUE" },
		{ "bulk=8,,cores=1", "NAME=VALUE" },
		{ "bulk=8,sync", "NAME=VALUE" },
	};
	struct stint_machine machine = { .host = &host, .n_lcores = 2 };

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct stint_grid grid;
		char error[256] = "";

		if (stint_grid_init(&grid, &cube, &machine, NULL, 0, cases[i].text, error,
				    sizeof(error)) != -EINVAL)
			fail_msg("taken: %s", cases[i].text);
		if (strstr(error, cases[i].names) == NULL)
			fail_msg("%s: %s", cases[i].text, error);
		assert_null(strchr(error, '\n'));
	}
}

static void
test_select_max(void **state)
{
	struct stint_select select;
	char text[16 * (STINT_SELECT_MAX + 1)] = "", error[2048];
	size_t used = 0;

	(void)state;
	for (unsigned int i = 0; i < STINT_SELECT_MAX; i++)
		used += snprintf(text + used, sizeof(text) - used, "%sbulk=%u", i > 0 ? "," : "",
				 i);
	assert_int_equal(stint_select_init(&select, text, error, sizeof(error)), 0);
	assert_int_equal(select.count, STINT_SELECT_MAX);
	assert_string_equal(select.terms[STINT_SELECT_MAX - 1].value, "63");
	stint_select_free(&select);
	snprintf(text + used, sizeof(text) - used, ",bulk=64");
	assert_int_equal(stint_select_init(&select, text, error, sizeof(error)), -EINVAL);
	stint_select_free(&select);
}

static void
test_labels_format(void **state)
{
	json_t *labels = json_pack("{s:i, s:s}", "bulk", 32, "sync", "mp");
	char text[32], small[10];

	(void)state;
	assert_string_equal(stint_labels_format(text, sizeof(text), labels), "bulk=32 sync=mp");
	assert_string_equal(stint_labels_format(small, sizeof(small), labels), "bulk=32 s");
	json_decref(labels);
}

/* A disturbed sample stands in until there is a better one. */
static void
test_rate_to_compare_with(void **state)
{
	static const struct {
		double rate;
		bool disturbed;
		double want;
	} steps[] = {
		{ 3, true, 3 },   { 4, true, 4 },    { 100, false, 100 },
		{ 5, true, 100 }, { 90, false, 90 }, { 1, true, 90 },
	};
	struct stint_cell cell = { .done = false };

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(steps); i++) {
		stint_cell_rate(&cell, 1, steps[i].rate, steps[i].disturbed);
		assert_true(cell.rates[1] == steps[i].want);
		assert_true(cell.rates[0] == 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate_to_compare_with),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_no_dims),
		cmocka_unit_test(test_lcores),
		cmocka_unit_test(test_doubling),
		cmocka_unit_test(test_too_many_lcores),
		cmocka_unit_test(test_admit),
		cmocka_unit_test(test_param_dim),
		cmocka_unit_test(test_select),
		cmocka_unit_test(test_select_nothing),
		cmocka_unit_test(test_select_refused),
		cmocka_unit_test(test_select_max),
		cmocka_unit_test(test_labels_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
