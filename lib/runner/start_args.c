/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "start_args.h"

#include "tests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)

enum stint_files
stint_start_files(const struct stint_eal_args *a, bool fallback)
{
	bool joins = a->file_prefix != NULL || a->proc_type != NULL;

	if (a->in_memory)
		return STINT_FILES_NONE;
	if (joins && !a->no_shconf)
		return STINT_FILES_SHARED;
	return stint_eal_keeps_files(a) && !fallback ? STINT_FILES_OWN : STINT_FILES_NONE;
}

static void __rte_format_printf(2, 3) add(struct stint_start_args *start, const char *format, ...)
{
	char *word;
	va_list list;

	va_start(list, format);
	if (vasprintf(&word, format, list) >= 0)
		start->added[start->n_added++] = start->argv[start->argc++] = word;
	va_end(list);
}

/* A prefix for each process where files have names; else always the same, as each leaves a folder
 * behind. */
static void
add_prefix(struct stint_start_args *start, const struct stint_eal_args *a)
{
	char *prefix = start->prefix;

	if (a->file_prefix != NULL) {
		snprintf(prefix, sizeof(start->prefix), "%s", a->file_prefix);
		return;
	}
	if (start->files == STINT_FILES_SHARED) {
		/* what EAL takes, so that processes find each other */
		snprintf(prefix, sizeof(start->prefix), "rte");
		return;
	}
	if (start->files == STINT_FILES_OWN)
		snprintf(prefix, sizeof(start->prefix), "stint-%d", (int)getpid());
	else
		snprintf(prefix, sizeof(start->prefix), "stint");
	add(start, "--file-prefix=%s", prefix);
}

static void
add_safety(struct stint_start_args *start, const struct stint_eal_args *a, bool fallback,
	   bool ports)
{
	bool huge = !a->no_huge && !fallback;

	if (start->files == STINT_FILES_NONE && huge && !a->in_memory)
		add(start, "--in-memory");
	if ((start->files == STINT_FILES_OWN || (start->files == STINT_FILES_NONE && !huge)) &&
	    !a->no_shconf)
		add(start, "--no-shconf");
	/* so that a process that is killed leaves no page behind */
	if (start->files == STINT_FILES_OWN && !a->huge_unlink && !a->single_file_segments)
		add(start, "--huge-unlink");
	add_prefix(start, a);
	if (!a->telemetry && !a->no_telemetry)
		add(start, "--no-telemetry");
	if (!ports && !a->no_pci && a->n_allows == 0 && a->n_blocks == 0)
		add(start, "--no-pci");
}

/* At the prompt nobody has said so. */
static bool
use_ports(const struct stint_options *o)
{
	for (unsigned int i = 0; i < o->n_tests; i++) {
		if ((o->tests[i]->flags & STINT_PORTS) != 0 && !stint_tests_skips(o, o->tests[i]))
			return true;
	}
	return false;
}

int
stint_start_args(struct stint_start_args *start, const struct stint_session *s,
		 const struct stint_options *o, uint64_t no_huge_bytes)
{
	bool fallback = no_huge_bytes > 0 && !s->args.no_huge;

	memset(start, 0, sizeof(*start));
	start->files = stint_start_files(&s->args, fallback);
	start->without_hugepages = s->args.no_huge || fallback;
	start->argv = calloc(o->n_eal + RTE_DIM(start->added) + 1, sizeof(*start->argv));
	if (start->argv == NULL)
		return -ENOMEM;
	add(start, "stint");
	for (int i = 0; i < o->n_eal; i++)
		start->argv[start->argc++] = o->eal[i];
	if (fallback)
		add(start, "--no-huge");
	if (no_huge_bytes > 0 && s->args.mem_bytes == 0)
		add(start, "-m%" PRIu64, (no_huge_bytes + MIB - 1) / MIB);
	add_safety(start, &s->args, fallback, use_ports(o));
	return 0;
}
