/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "eal_start.h"

#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>

#define MORE_MAX 16
#define MIB (UINT64_C(1) << 20)

/* Arguments as EAL gets them. It writes over argv and may keep pointers: what is added stays. */
static struct arguments {
	char **argv;
	int argc;
	char *added[MORE_MAX];
	unsigned int n_added;
} arguments;

static char run_dir[256]; /* to be removed at the end; empty: none */

static bool
manages_files(const struct stint_eal_args *a)
{
	return a->no_huge || a->legacy_mem || a->huge_dir != NULL || a->huge_unlink ||
	       a->single_file_segments || a->file_prefix != NULL || a->proc_type != NULL;
}

static void __rte_format_printf(2, 3) add(struct arguments *args, const char *format, ...)
{
	char *word;
	va_list list;

	va_start(list, format);
	if (vasprintf(&word, format, list) >= 0)
		args->added[args->n_added++] = args->argv[args->argc++] = word;
	va_end(list);
}

static void
note_run_dir(const char *prefix)
{
	snprintf(run_dir, sizeof(run_dir), "%s/dpdk/%s",
		 geteuid() == 0                      ? "/var/run"
		 : getenv("XDG_RUNTIME_DIR") != NULL ? getenv("XDG_RUNTIME_DIR")
						     : "/tmp",
		 prefix);
}

static void
add_safety(struct arguments *args, const struct stint_eal_args *a, bool fallback)
{
	char prefix[32];

	if (!fallback && !manages_files(a) && !a->in_memory)
		add(args, "--in-memory");
	if (a->file_prefix == NULL && a->proc_type == NULL) {
		/* with --in-memory the folder is always the same; else it is ours to remove */
		if (a->in_memory || (!fallback && !manages_files(a))) {
			add(args, "--file-prefix=stint");
		} else {
			snprintf(prefix, sizeof(prefix), "stint-%d", (int)getpid());
			add(args, "--file-prefix=%s", prefix);
			note_run_dir(prefix);
		}
	}
	if (!a->telemetry && !a->no_telemetry)
		add(args, "--no-telemetry");
	if (!a->no_pci && a->n_allows == 0 && a->n_blocks == 0)
		add(args, "--no-pci");
}

static int
make_arguments(struct arguments *args, const struct stint_session *s, const struct stint_options *o,
	       uint64_t no_huge_bytes)
{
	bool fallback = no_huge_bytes > 0 && !s->args.no_huge;

	args->argv = calloc(o->n_eal + MORE_MAX, sizeof(*args->argv));
	if (args->argv == NULL)
		return -1;
	add(args, "stint");
	for (int i = 0; i < o->n_eal; i++)
		args->argv[args->argc++] = o->eal[i];
	if (fallback)
		add(args, "--no-huge");
	if (no_huge_bytes > 0 && s->args.mem_bytes == 0)
		add(args, "-m%" PRIu64, (no_huge_bytes + MIB - 1) / MIB);
	add_safety(args, &s->args, fallback);
	return 0;
}

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

/* What EAL said of its failure: the first line that sounds most like it. */
static void
first_error(FILE *log, char *text, size_t size)
{
	unsigned int gravest = 0;
	char line[512];

	text[0] = '\0';
	rewind(log);
	while (gravest < 2 && fgets(line, sizeof(line), log) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (gravity(line) <= gravest)
			continue;
		gravest = gravity(line);
		snprintf(text, size, "%s", line);
	}
}

static void
copy_log(FILE *log, FILE *out)
{
	char block[4096];
	size_t n;

	rewind(log);
	while ((n = fread(block, 1, sizeof(block), log)) > 0)
		fwrite(block, 1, n, out);
}

/* EAL prints its usage on standard output, and a fatal error beside its log: keep both away. */
static int
init_quietly(int argc, char **argv, int log)
{
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), rc;

	fflush(NULL);
	if (out >= 0)
		dup2(log, STDOUT_FILENO);
	if (err >= 0)
		dup2(log, STDERR_FILENO);
	rc = rte_eal_init(argc, argv);
	fflush(NULL);
	if (out >= 0)
		dup2(out, STDOUT_FILENO);
	if (err >= 0)
		dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	return rc;
}

enum stint_exit
stint_eal_start(struct stint_session *s, const struct stint_options *o, uint64_t no_huge_bytes,
		char *error, size_t size)
{
	int fd = memfd_create("stint-eal-log", MFD_CLOEXEC);
	FILE *log = fd >= 0 ? fdopen(fd, "a+") : NULL;
	struct arguments *args = &arguments;
	char said[512] = "";
	int rc;

	if (log == NULL || make_arguments(args, s, o, no_huge_bytes) != 0) {
		snprintf(error, size, "out of memory");
		return STINT_BROKEN;
	}
	rte_openlog_stream(log);
	rc = init_quietly(args->argc, args->argv, fd);
	if (s->verbose)
		copy_log(log, stderr);
	if (rc < 0) {
		first_error(log, said, sizeof(said));
		snprintf(error, size,
			 "EAL does not start: %s%s%s; --verbose shows all that it says",
			 rte_errno != 0 ? rte_strerror(rte_errno) : "no reason given",
			 said[0] != '\0' ? ": " : "", said);
		/* a device that is not there is a place that does not exist */
		return rte_errno == ENODEV ? STINT_USAGE : STINT_BROKEN;
	}
	rte_openlog_stream(s->verbose ? stderr : log);
	s->eal_up = true;
	s->eal = s->args;
	s->eal.no_huge = s->args.no_huge || no_huge_bytes > 0;
	if (no_huge_bytes > 0 && s->args.mem_bytes == 0)
		s->eal.mem_bytes = RTE_ALIGN_CEIL(no_huge_bytes, MIB);
	stint_machine_init(&s->machine, &s->host, &s->eal);
	s->huge_fallback = no_huge_bytes > 0 && !s->args.no_huge;
	return STINT_PASS;
}

static int
remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

void
stint_eal_end(struct stint_session *s)
{
	(void)s;
	rte_eal_cleanup();
	if (run_dir[0] != '\0')
		nftw(run_dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}
