/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "eal_args.h"

#include "eal_parse.h"
#include "registry.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

/* One option: sets a flag in the arguments, or is taken by a function; neither: not of interest. */
struct spec {
	const char *name; /* with its dashes; NULL: short only */
	char letter;
	int value; /* has_arg of getopt_long() */
	stint_eal_take take;
	size_t flag; /* offset of a bool; 0: none */
};

#define FLAG(member) 0, no_argument, NULL, offsetof(struct stint_eal_args, member)

/* The same names as EAL has, so that what getopt_long() accepts as an abbreviation is the same. */
static const struct spec specs[] = {
	{ "--allow", 'a', required_argument, stint_eal_take_allow },
	{ "--base-virtaddr", 0, required_argument, stint_eal_take_virtaddr },
	{ "--block", 'b', required_argument, stint_eal_take_block },
	{ "--create-uio-dev" },
	{ "--file-prefix", 0, required_argument, stint_eal_take_prefix },
	{ "--force-max-simd-bitwidth", 0, required_argument, stint_eal_take_simd },
	{ "--help", 'h', no_argument, NULL, offsetof(struct stint_eal_args, help) },
	{ "--huge-dir", 0, required_argument, stint_eal_take_huge_dir },
	{ "--huge-unlink", 0, optional_argument, stint_eal_take_unlink },
	{ "--huge-worker-stack", 0, optional_argument, stint_eal_take_worker_stack },
	{ "--in-memory", FLAG(in_memory) },
	{ "--iova-mode", 0, required_argument, stint_eal_take_iova },
	{ "--lcores", 0, required_argument, stint_eal_take_map },
	{ "--legacy-mem", FLAG(legacy_mem) },
	{ "--log-level", 0, required_argument },
	{ "--main-lcore", 0, required_argument, stint_eal_take_main },
	{ "--match-allocations", FLAG(match_allocations) },
	{ "--mbuf-pool-ops-name", 0, required_argument, stint_eal_take_pool_ops },
	{ "--no-hpet" },
	{ "--no-huge", FLAG(no_huge) },
	{ "--no-pci", FLAG(no_pci) },
	{ "--no-shconf", FLAG(no_shconf) },
	{ "--no-telemetry", FLAG(no_telemetry) },
	{ "--proc-type", 0, required_argument, stint_eal_take_proc_type },
	{ "--single-file-segments", FLAG(single_file_segments) },
	{ "--socket-limit", 0, required_argument, stint_eal_take_socket_limit },
	{ "--socket-mem", 0, required_argument, stint_eal_take_socket_mem },
	{ "--syslog", 0, required_argument, stint_eal_take_syslog },
	{ "--telemetry", FLAG(telemetry) },
	{ "--trace", 0, required_argument },
	{ "--trace-bufsz", 0, required_argument, stint_eal_take_trace_size },
	{ "--trace-dir", 0, required_argument },
	{ "--trace-mode", 0, required_argument, stint_eal_take_trace_mode },
	{ "--vdev", 0, required_argument, stint_eal_take_vdev },
	{ "--vfio-intr", 0, required_argument, stint_eal_take_vfio_intr },
	{ "--vfio-vf-token", 0, required_argument, stint_eal_take_vf_token },
	{ "--vmware-tsc-map" },
	{ NULL, 'c', required_argument, stint_eal_take_mask },
	{ NULL, 'd', required_argument, stint_eal_take_plugin },
	{ NULL, 'l', required_argument, stint_eal_take_list },
	{ NULL, 'm', required_argument, stint_eal_take_memory },
	{ NULL, 'n', required_argument, stint_eal_take_channels },
	{ NULL, 'r', required_argument, stint_eal_take_ranks },
	{ NULL, 's', required_argument, stint_eal_take_service_mask },
	{ NULL, 'S', required_argument, stint_eal_take_service_list },
	{ NULL, 'v', no_argument, NULL, offsetof(struct stint_eal_args, version) },
};

/* getopt's number of a long option; below are letters */
#define LONG_BASE 256

/* For getopt_long(); '-' makes it hand over other words in place, ':' tell a missing value. */
struct table {
	char letters[2 + 2 * RTE_DIM(specs) + 1];
	struct option names[RTE_DIM(specs) + 1];
};

enum stint_eal_verdict
stint_eal_refuse(struct stint_eal_parse *p, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(p->error, p->size, format, ap);
	va_end(ap);
	for (char *c = p->error; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return STINT_EAL_WRONG;
}

static void
make_table(struct table *t)
{
	char *letter = stpcpy(t->letters, "-:");
	struct option *name = t->names;

	for (unsigned int i = 0; i < RTE_DIM(specs); i++) {
		if (specs[i].letter != 0) {
			*letter++ = specs[i].letter;
			if (specs[i].value == required_argument)
				*letter++ = ':';
		}
		if (specs[i].name != NULL)
			*name++ = (struct option){ specs[i].name + 2, specs[i].value, NULL,
						   LONG_BASE + i };
	}
	*letter = '\0';
	*name = (struct option){ 0 };
}

static const struct spec *
find(int opt)
{
	if (opt >= LONG_BASE)
		return &specs[opt - LONG_BASE];
	for (unsigned int i = 0; i < RTE_DIM(specs); i++)
		if (specs[i].letter == opt)
			return &specs[i];
	return NULL;
}

/* The option as the user may write it. */
static const char *
spell(char *text, size_t size, int opt)
{
	if (opt >= LONG_BASE)
		snprintf(text, size, "%s", find(opt)->name);
	else
		snprintf(text, size, "-%c", opt);
	return text;
}

static const char *
long_name(unsigned int i, const void *arg __rte_unused)
{
	return specs[i].name == NULL ? "" : specs[i].name;
}

/* getopt_long() knew no single option: none, or several that begin so. */
static enum stint_eal_verdict
unknown_name(struct stint_eal_parse *p, const char *typed)
{
	char word[64], near[160], all[240];
	size_t used = 0;

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(typed, "="), typed);
	all[0] = '\0';
	for (unsigned int i = 0; i < RTE_DIM(specs) && used < sizeof(all); i++)
		if (specs[i].name != NULL && strncmp(specs[i].name, word, strlen(word)) == 0)
			used += snprintf(all + used, sizeof(all) - used, "%s%s",
					 used > 0 ? ", " : "", specs[i].name);
	if (used > 0)
		return stint_eal_refuse(p, "%s is short for more than one: %s", word, all);
	stint_near(near, sizeof(near), word, RTE_DIM(specs), long_name, NULL);
	return stint_eal_refuse(p, "unknown EAL option %s%s", word,
				near[0] != '\0' ? near
						: "; options of the runner stand after \"--\"");
}

static enum stint_eal_verdict
bad_option(struct stint_eal_parse *p, char *const *argv, bool value_missing)
{
	char text[64];

	if (value_missing)
		return stint_eal_refuse(p, "%s needs a value", spell(text, sizeof(text), optopt));
	if (optopt >= LONG_BASE)
		return stint_eal_refuse(p, "%s takes no value", spell(text, sizeof(text), optopt));
	if (optopt != 0)
		return stint_eal_refuse(p, "unknown EAL option -%c", optopt);
	return unknown_name(p, argv[optind - 1]);
}

static enum stint_eal_verdict
take(struct stint_eal_parse *p, int opt)
{
	const struct spec *s = find(opt);
	char text[64];

	if (s->flag != 0)
		*(bool *)((char *)p->args + s->flag) = true;
	if (s->take == NULL)
		return STINT_EAL_OK;
	return s->take(p, spell(text, sizeof(text), opt), optarg);
}

static enum stint_eal_verdict
take_all(struct stint_eal_parse *p, int argc, char *const *argv)
{
	enum stint_eal_verdict rc = STINT_EAL_OK;
	struct table t;
	int opt;

	make_table(&t);
	/* 0 makes getopt forget an earlier vector */
	optind = 0;
	opterr = 0;
	while (rc == STINT_EAL_OK && !p->args->help &&
	       (opt = getopt_long(argc, argv, t.letters, t.names, NULL)) != -1) {
		if (opt == 1)
			rc = stint_eal_refuse(p, STINT_EAL_TYPED ": test names stand after \"--\"",
					      optarg);
		else if (opt == '?' || opt == ':')
			rc = bad_option(p, argv, opt == ':');
		else
			rc = take(p, opt);
	}
	return rc;
}

/* EAL's own calls go on from getopt's state. */
static enum stint_eal_verdict
with_getopt(struct stint_eal_parse *p, int argc, char *const *argv)
{
	const int old_optind = optind, old_opterr = opterr, old_optopt = optopt;
	char name[] = "eal";
	char *const none[] = { name, NULL };
	char *const old_optarg = optarg;
	enum stint_eal_verdict rc;

	rc = take_all(p, argc, argv);
	optind = 0;
	getopt(1, none, "");
	optind = old_optind;
	opterr = old_opterr;
	optopt = old_optopt;
	optarg = old_optarg;
	return rc;
}

enum stint_eal_verdict
stint_eal_args_parse(struct stint_eal_args *args, int argc, char **argv,
		     const struct stint_host *host, char *error, size_t size)
{
	struct stint_eal_parse p = {
		.args = args, .host = host, .error = error, .size = size, .main_lcore = -1
	};
	char name[] = "eal", **with_name = calloc(argc + 2, sizeof(*with_name));
	enum stint_eal_verdict rc;

	memset(args, 0, sizeof(*args));
	if (with_name == NULL)
		return stint_eal_refuse(&p, "no memory for %d arguments", argc);
	with_name[0] = name;
	for (int i = 0; i < argc; i++)
		with_name[i + 1] = argv[i];
	rc = with_getopt(&p, argc + 1, with_name);
	free(with_name);
	/* at -h EAL reads no further and leaves */
	if (rc == STINT_EAL_OK && !args->help)
		rc = stint_eal_conflicts(&p);
	if (rc == STINT_EAL_OK && !args->help)
		rc = stint_eal_lcores(&p);
	return rc;
}

bool
stint_eal_keeps_files(const struct stint_eal_args *a)
{
	if (a->in_memory || a->no_huge)
		return false;
	return a->legacy_mem || a->huge_dir != NULL || a->huge_unlink || a->single_file_segments ||
	       a->file_prefix != NULL || a->proc_type != NULL;
}
