/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>

#include <rte_common.h>

#include "clock.h"
#include "params.h"
#include "registry.h"

#define BUDGET_MIN_NS 1000000

enum {
	OPT_LIST = 256,
	OPT_PLAN,
	OPT_JSON,
	OPT_HELP,
	OPT_BUDGET,
	OPT_SET,
	OPT_POINTS,
	OPT_RESULTS,
	OPT_SEED,
	OPT_QUIET,
	OPT_VERBOSE
};

/* With their dashes, as they are typed and named in messages. */
static const struct {
	const char *name;
	int has_arg, value;
} known[] = {
	{ "--list", no_argument, OPT_LIST },
	{ "--plan", no_argument, OPT_PLAN },
	{ "--json", no_argument, OPT_JSON },
	{ "--help", no_argument, OPT_HELP },
	{ "--budget", required_argument, OPT_BUDGET },
	{ "--set", required_argument, OPT_SET },
	{ "--points", required_argument, OPT_POINTS },
	{ "--results", required_argument, OPT_RESULTS },
	{ "--seed", required_argument, OPT_SEED },
	{ "--quiet", no_argument, OPT_QUIET },
	{ "--verbose", no_argument, OPT_VERBOSE },
};

static int
refuse(char *error, size_t size, const char *what, const char *value, const char *why)
{
	snprintf(error, size, "%s %s: %s", what, value, why);
	return -1;
}

static int
set_budget(struct stint_options *o, const char *what, const char *value, char *error, size_t size)
{
	if (stint_duration_parse(value, &o->budget_ns) && o->budget_ns >= BUDGET_MIN_NS)
		return 0;
	return refuse(error, size, what, value,
		      "takes a whole number and a unit, 1ms to 24h: 500ms, 20s, 2m");
}

static int
set_seed(struct stint_options *o, const char *value, char *error, size_t size)
{
	char *end;

	errno = 0;
	o->seed = strtoull(value, &end, 0);
	if (isdigit((unsigned char)*value) && *end == '\0' && errno == 0 && o->seed <= INT64_MAX)
		return 0;
	return refuse(error, size, "--seed", value, "takes a number from 0 to 2^63 - 1");
}

static int
add_test(const struct stint_test **list, unsigned int *n, const char *name, char *error,
	 size_t size)
{
	const struct stint_test *test = stint_registry_find(name);
	char near[256];

	if (test == NULL) {
		stint_registry_near(near, sizeof(near), name);
		snprintf(error, size, "no test is named %s%s%s", name, near,
			 near[0] == '\0' ? " (--list names them)" : "");
		return -1;
	}
	if (*n == STINT_OPTIONS_MAX)
		return refuse(error, size, "test", name, "too many tests");
	list[(*n)++] = test;
	return 0;
}

/* Names separated by any of `separators`, from the environment. */
static int
tests_from(const char *variable, const char *separators, const struct stint_test **list,
	   unsigned int *n, char *error, size_t size)
{
	const char *value = getenv(variable);
	char *copy, *rest, *name;
	int rc = 0;

	if (value == NULL)
		return 0;
	rest = copy = strdup(value);
	while (rc == 0 && (name = strsep(&rest, separators)) != NULL) {
		if (*name != '\0')
			rc = add_test(list, n, name, error, size);
	}
	free(copy);
	if (rc != 0) {
		char why[384];

		snprintf(why, sizeof(why), "%s", error);
		snprintf(error, size, "%s: %s", variable, why);
	}
	return rc;
}

/* EAL's arguments are those before "--", then those of DPDK_TEST_PARAMS, quoted as in a shell. */
static int
eal_arguments(struct stint_options *o, int n, char **argv, char *error, size_t size)
{
	const char *params = getenv("DPDK_TEST_PARAMS");
	static wordexp_t words; /* what EAL gets points into it */

	if (params != NULL && wordexp(params, &words, WRDE_NOCMD | WRDE_UNDEF) != 0)
		return refuse(error, size, "DPDK_TEST_PARAMS", params,
			      "cannot be split as a shell would; quote ( ) < > & ; | { } $");
	for (size_t i = 0; i < words.we_wordc; i++) {
		if (strcmp(words.we_wordv[i], "--") == 0)
			return refuse(error, size, "DPDK_TEST_PARAMS", params,
				      "holds EAL options only, no --; tests stand in DPDK_TEST");
	}
	o->eal = calloc(n + words.we_wordc + 1, sizeof(*o->eal));
	if (o->eal == NULL)
		return refuse(error, size, "DPDK_TEST_PARAMS", "", "out of memory");
	memcpy(o->eal, argv, n * sizeof(*argv));
	if (words.we_wordc > 0)
		memcpy(&o->eal[n], words.we_wordv, words.we_wordc * sizeof(*argv));
	o->n_eal = n + words.we_wordc;
	return 0;
}

static const char *
option_name(unsigned int i, const void *arg)
{
	(void)arg;
	return known[i].name;
}

/* Index of the option that a word begins with, to its end or to '='; -1 if there is none. */
static int
find_option(const char *word)
{
	size_t len = strcspn(word, "=");

	for (unsigned int i = 0; i < RTE_DIM(known); i++) {
		if (strlen(known[i].name) == len && memcmp(known[i].name, word, len) == 0)
			return i;
	}
	return -1;
}

static int
unknown_option(const char *typed, char *error, size_t size)
{
	char near[256];

	stint_near(near, sizeof(near), typed, RTE_DIM(known), option_name, NULL);
	snprintf(error, size, "unknown option %s%s%s", typed, near,
		 near[0] == '\0' ? " (--help lists them; EAL options stand before --)" : "");
	return -1;
}

/* getopt takes abbreviations, which a later option would make ambiguous: whole words only. */
static int
check_words(int argc, char **argv, char *error, size_t size)
{
	for (int i = 1; i < argc; i++) {
		bool has_value = strchr(argv[i], '=') != NULL;
		int option;

		if (strcmp(argv[i], "--") == 0)
			break;
		if (argv[i][0] != '-')
			continue;
		option = find_option(argv[i]);
		if (option < 0)
			return unknown_option(argv[i], error, size);
		if (known[option].has_arg == no_argument && has_value)
			return refuse(error, size, "option", argv[i], "takes no value");
		if (known[option].has_arg == required_argument && !has_value && ++i == argc)
			return refuse(error, size, "option", argv[i - 1], "a value is missing");
	}
	return 0;
}

static int
take_option(struct stint_options *o, int option, char *error, size_t size)
{
	switch (option) {
	case OPT_LIST:
		o->list = true;
		return 0;
	case OPT_PLAN:
		o->plan = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_HELP:
		o->help = true;
		return 0;
	case OPT_QUIET:
		o->quiet = true;
		return 0;
	case OPT_VERBOSE:
		o->verbose = true;
		return 0;
	case OPT_POINTS:
		o->select = optarg;
		return 0;
	case OPT_RESULTS:
		o->results = optarg;
		return 0;
	case OPT_BUDGET:
		return set_budget(o, "--budget", optarg, error, size);
	case OPT_SEED:
		return set_seed(o, optarg, error, size);
	}
	if (o->n_settings == STINT_OPTIONS_MAX)
		return refuse(error, size, "--set", optarg, "too many");
	o->settings[o->n_settings++] = optarg;
	return 0;
}

/* Options and tests after "--"; argv[0] stands for the program. */
static int
own_arguments(struct stint_options *o, int argc, char **argv, char *error, size_t size)
{
	struct option options[RTE_DIM(known) + 1] = { 0 };
	int option;

	if (check_words(argc, argv, error, size) != 0)
		return -1;
	for (unsigned int i = 0; i < RTE_DIM(known); i++)
		options[i] = (struct option){ known[i].name + 2, known[i].has_arg, NULL,
					      known[i].value };
	optind = 0;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (take_option(o, option, error, size) != 0)
			return -1;
	}
	for (int i = optind; i < argc; i++) {
		if (add_test(o->tests, &o->n_tests, argv[i], error, size) != 0)
			return -1;
	}
	return 0;
}

/* A setting must be for some test: for one that is to run, if any is named. */
static int
check_settings(const struct stint_options *o, char *error, size_t size)
{
	const struct stint_test *t;
	bool used;

	for (unsigned int i = 0; i < o->n_settings; i++) {
		used = false;
		for (unsigned int k = 0; k < o->n_tests; k++)
			used |= stint_setting_is_for(o->settings[i], o->tests[k]);
		STINT_FOREACH_TEST (t)
			used |= o->n_tests == 0 && stint_setting_is_for(o->settings[i], t);
		if (used)
			continue;
		snprintf(error, size,
			 "--set %s: not a parameter of %s; takes [TEST.]NAME=VALUE "
			 "(--help TEST lists them)",
			 o->settings[i],
			 o->n_tests == 1 ? o->tests[0]->name : "any test that is to run");
		return -1;
	}
	return 0;
}

static int
from_environment(struct stint_options *o, char *error, size_t size)
{
	const char *budget = getenv("STINT_BUDGET");

	o->results = getenv("STINT_RESULTS");
	if (o->results != NULL && *o->results == '\0')
		o->results = NULL;
	if (budget != NULL && *budget != '\0' &&
	    set_budget(o, "STINT_BUDGET", budget, error, size) != 0)
		return -1;
	if (tests_from("DPDK_TEST_SKIP", " ,", o->skips, &o->n_skips, error, size) != 0)
		return -1;
	return tests_from("DPDK_TEST", " ,", o->tests, &o->n_tests, error, size);
}

static uint64_t
fresh_seed(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ((uint64_t)ts.tv_nsec << 20 ^ (uint64_t)ts.tv_sec ^ (uint64_t)getpid() << 8) &
	       UINT32_MAX;
}

int
stint_options_read(struct stint_options *o, int argc, char **argv, char *error, size_t size)
{
	int split = 1;

	memset(o, 0, sizeof(*o));
	o->seed = fresh_seed();
	while (split < argc && strcmp(argv[split], "--") != 0)
		split++;
	for (int i = 1; i < split; i++)
		o->help |= strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
	if (from_environment(o, error, size) != 0)
		return -1;
	if (eal_arguments(o, o->help ? 0 : split - 1, argv + 1, error, size) != 0)
		return -1;
	if (split < argc && own_arguments(o, argc - split, argv + split, error, size) != 0)
		return -1;
	if (o->json && !o->list && !o->plan)
		return refuse(error, size, "option", "--json", "goes with --list or --plan");
	return check_settings(o, error, size);
}
