/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "eal_says.h"

#include <string.h>

#include <rte_common.h>
#include <rte_errno.h>

#define NOT_GRANTED                                                                        \
	"skip: hugepages that EAL starts with are free, but were not granted: a limit of " \
	"the container or cgroup; raise it, or ask for less with -m"

/*
 * Causes by what EAL logs, the surest first: a line later in the log may be a consequence of an
 * earlier one, and files that EAL can do without (--in-memory) are complained of all the same. All
 * of them are found before EAL starts where that can be known; what changes in between, and what
 * only EAL knows, is left for here.
 */
static const struct cause {
	const char *logged;
	enum stint_exit code;
	const char *text; /* before what EAL said */
} causes[] = {
	{ "failed to parse device", STINT_USAGE,
	  "no driver in " RTE_EAL_PMD_PATH " takes a device that was named with --vdev, -a or -b" },
	{ "failed to map segment", STINT_BROKEN,
	  "the address space is limited (ulimit -v), not even the drivers fit; ulimit -v "
	  "unlimited" },
	{ "Cannot init plugins", STINT_BROKEN,
	  "a driver in " RTE_EAL_PMD_PATH " cannot be loaded; mend it or remove it" },
	{ "Cannot get a virtual area", STINT_BROKEN,
	  "the address space is limited (ulimit -v), EAL reserves hundreds of GiB; "
	  "ulimit -v unlimited, or --no-huge" },
	{ "PANIC in", STINT_BROKEN, "EAL gives up" },
	{ "Too many open files", STINT_SKIP,
	  "skip: the limit of open files (ulimit -Hn) is too low" },
	{ "Cannot create lock on", STINT_BROKEN,
	  "the file prefix is taken by another process; choose another --file-prefix" },
	{ "Not enough memory available", STINT_SKIP,
	  "skip: fewer hugepages are free than -m or --socket-mem ask for" },
	{ "Cannot get hugepage information", STINT_SKIP,
	  "skip: no hugepage can be had; raise nr_hugepages" },
	{ "Failed to create thread", STINT_SKIP,
	  "skip: a thread cannot be made; raise the limits of processes and memory" },
	{ "thread_create failed", STINT_SKIP,
	  "skip: a thread cannot be made; raise the limits of processes and memory" },
	{ "path too long", STINT_BROKEN,
	  "the run directory's path is too long for a socket in it; set XDG_RUNTIME_DIR to a "
	  "shorter one" },
	{ "Cannot init memory", STINT_SKIP, NOT_GRANTED },
	{ "error allocating", STINT_SKIP, NOT_GRANTED },
	{ "No space left on device", STINT_BROKEN, "a file system is full" },
	{ "Read-only file system", STINT_BROKEN, "a file system is read-only" },
	{ "Permission denied", STINT_BROKEN, "this user may not use a file" },
};

/* 2: sounds like a failure, 1: may be one or a notice, 0: something else. */
static unsigned int
gravity(const char *line)
{
	static const char *const words[] = { "fail",  "cannot",  "can't",      "could not",
					     "error", "invalid", "not enough", "panic" };

	if (line[0] == '\0')
		return 0;
	for (unsigned int i = 0; i < RTE_DIM(words); i++) {
		if (strcasestr(line, words[i]) != NULL)
			return 2;
	}
	return strncmp(line, "EAL: Detected", 13) != 0;
}

static bool
next_line(FILE *log, char *line, size_t size)
{
	if (fgets(line, size, log) == NULL)
		return false;
	line[strcspn(line, "\n")] = '\0';
	return true;
}

/* The first line that sounds most like a failure. */
static void
gravest_line(FILE *log, char *text, size_t size)
{
	unsigned int gravest = 0;
	char line[512];

	text[0] = '\0';
	rewind(log);
	while (gravest < 2 && next_line(log, line, sizeof(line))) {
		if (gravity(line) <= gravest)
			continue;
		gravest = gravity(line);
		snprintf(text, size, "%s", line);
	}
}

/* EAL's last words are a summary: the line before them, if it says something, is closer. */
static const struct cause *
find_cause(FILE *log, char *text, size_t size)
{
	for (unsigned int i = 0; i < RTE_DIM(causes); i++) {
		char line[512], before[512] = "";

		rewind(log);
		while (next_line(log, line, sizeof(line))) {
			bool summary = strncmp(line, "EAL: FATAL", 10) == 0 && before[0] != '\0';

			if (strstr(line, causes[i].logged) != NULL) {
				snprintf(text, size, "%s", summary ? before : line);
				return &causes[i];
			}
			snprintf(before, sizeof(before), "%s", gravity(line) > 0 ? line : "");
		}
	}
	return NULL;
}

void
stint_eal_says_of(FILE *log, const char *device, char *text, size_t size)
{
	char line[512];

	text[0] = '\0';
	rewind(log);
	while (next_line(log, line, sizeof(line))) {
		if (strstr(line, device) == NULL || gravity(line) < 2)
			continue;
		snprintf(text, size, "%s", line);
		return;
	}
}

enum stint_exit
stint_eal_says(FILE *log, int number, int signal, char *error, size_t size)
{
	const char *more = "--verbose shows all that it says";
	const struct cause *cause;
	char said[512];

	cause = find_cause(log, said, sizeof(said));
	if (cause != NULL && signal == 0) {
		snprintf(error, size, "%s (%s; %s)", cause->text, said, more);
		return cause->code;
	}
	if (cause == NULL)
		gravest_line(log, said, sizeof(said));
	if (signal != 0)
		snprintf(error, size, "EAL broke off its start with SIG%s%s%s%s%s; %s",
			 sigabbrev_np(signal), ": ",
			 said[0] != '\0' ? said : "while it loaded drivers from " RTE_EAL_PMD_PATH,
			 cause != NULL ? ": " : "", cause != NULL ? cause->text : "", more);
	else
		snprintf(error, size, "EAL does not start: %s%s%s; %s",
			 said[0] != '\0' ? said : "it says nothing", number != 0 ? ": " : "",
			 number != 0 ? rte_strerror(number) : "", more);
	/* a device that is not there is a place that does not exist */
	return number == ENODEV ? STINT_USAGE : STINT_BROKEN;
}
