/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/*
 * What can be computed again from a run file. Needs no EAL.
 * Exit codes: 0, 1 the file is malformed or the output failed, 2 wrong usage.
 */

#include "report.h"
#include "runfile.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EXIT_MALFORMED 1
#define EXIT_USAGE 2

static const char help[] =
	"usage: stintstat show RUN\n"
	"\n"
	"  show RUN    print what the run printed at its end; RUN is a run file (.ndjson)\n"
	"  --help      print this text\n";

static int
take(void *arg, const char *type, const json_t *record)
{
	(void)type;
	return stint_summary_add(arg, record);
}

static int
report_error(const char *path, int rc, const struct stint_runfile_info *info,
	     const struct stint_summary *s)
{
	const char *what = info->error[0] != '\0' ? info->error : stint_summary_error(s);

	if (info->line == 0 || what[0] == '\0')
		fprintf(stderr, "stintstat: %s: %s\n", path,
			info->error[0] != '\0' ? info->error : strerror(-rc));
	else
		fprintf(stderr, "stintstat: %s:%" PRIu64 ": %s\n", path, info->line, what);
	return rc == -ENOENT || rc == -ENOTDIR ? EXIT_USAGE : EXIT_MALFORMED;
}

static int
output_done(int rc)
{
	if (rc == 0 && (ferror(stdout) || fflush(stdout) != 0))
		rc = -errno;
	if (rc == 0)
		return 0;
	fprintf(stderr, "stintstat: cannot print: %s\n", strerror(-rc));
	return EXIT_MALFORMED;
}

static int
show(const char *path)
{
	struct stint_runfile_info info = { .records = 0 };
	struct stint_summary *s = stint_summary_new();
	int rc;

	if (s == NULL)
		return output_done(-ENOMEM);
	rc = stint_runfile_read(path, take, s, &info);
	if (rc < 0)
		rc = report_error(path, rc, &info, s);
	else
		rc = output_done(stint_summary_print(s, stdout));
	stint_summary_free(s);
	return rc;
}

static int
usage_error(const char *what, const char *name)
{
	fprintf(stderr, "stintstat: %s%s%s; see stintstat --help\n", what,
		name[0] != '\0' ? " " : "", name);
	return EXIT_USAGE;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option != 'h')
			return usage_error("unknown option", argv[optind - 1]);
		fputs(help, stdout);
		return output_done(0);
	}
	if (optind == argc)
		return usage_error("no command", "");
	if (strcmp(argv[optind], "show") != 0)
		return usage_error("unknown command", argv[optind]);
	if (argc - optind != 2)
		return usage_error("show takes one run file", "");
	return show(argv[optind + 1]);
}
