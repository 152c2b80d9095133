/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "eal_start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>

#include "devices.h"
#include "eal_says.h"
#include "guard.h"
#include "interrupts.h"
#include "ports.h"
#include "precheck.h"
#include "run_dir.h"
#include "start_args.h"

#define MIB (UINT64_C(1) << 20)

/* EAL keeps pointers into its arguments. */
static struct stint_start_args start;
static bool run_dir_is_ours;

/* What runs code that is not ours, and where to say so: EAL's start, and plugins being loaded. */
static struct {
	struct stint_session *s;
	int err; /* standard error, as it was */
} starting = { .err = -1 };

static void
copy_log(FILE *log, FILE *out)
{
	char block[4096];
	size_t n;

	rewind(log);
	while ((n = fread(block, 1, sizeof(block), log)) > 0)
		fwrite(block, 1, n, out);
}

/* A driver, or EAL, has called exit(): its code is none of a test's. */
static void
on_exit_in_start(void)
{
	if (starting.s == NULL)
		return;
	dprintf(starting.err, "stint: the process was ended by exit() inside EAL's start, or by a "
			      "plugin; --verbose shows what EAL says\n");
	stint_session_end(starting.s, STINT_BROKEN, 0);
	_exit(STINT_BROKEN);
}

void
stint_eal_starting(struct stint_session *s, bool on)
{
	static bool registered;

	if (!registered)
		registered = atexit(on_exit_in_start) == 0;
	if (on)
		starting.err = dup(STDERR_FILENO);
	else
		close(starting.err);
	starting.s = on ? s : NULL;
}

/* EAL prints its usage on standard output, and a fatal error beside its log: keep both away. */
static int
init_quietly(int log, int *signal)
{
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
	volatile int rc = -1;

	fflush(NULL);
	if (out >= 0)
		dup2(log, STDOUT_FILENO);
	if (err >= 0)
		dup2(log, STDERR_FILENO);
	STINT_GUARDED(STINT_GUARD_ALL, *signal, rc = rte_eal_init(start.argc, start.argv));
	fflush(NULL);
	if (out >= 0)
		dup2(out, STDOUT_FILENO);
	if (err >= 0)
		dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	return rc;
}

static enum stint_exit
init(struct stint_session *s, char *error, size_t size)
{
	int fd = memfd_create("stint-eal-log", MFD_CLOEXEC), signal, rc;
	FILE *log = fd >= 0 ? fdopen(fd, "a+") : NULL;
	enum stint_exit code = STINT_PASS;

	if (log == NULL) {
		snprintf(error, size, "no memory for EAL's log: %s", strerror(errno));
		return STINT_BROKEN;
	}
	rte_openlog_stream(log);
	stint_eal_starting(s, true);
	rc = init_quietly(fd, &signal);
	stint_eal_starting(s, false);
	if (s->verbose)
		copy_log(log, stderr);
	if (rc < 0)
		return stint_eal_says(log, rte_errno, signal, error, size);
	if (stint_devices_check(log, error, size) != 0)
		code = STINT_USAGE;
	rte_openlog_stream(s->verbose ? stderr : log);
	return code;
}

/* What EAL was started with is what the machine has from now on. */
static void
take_machine(struct stint_session *s, uint64_t no_huge_bytes)
{
	s->eal_up = true;
	s->eal = s->args;
	s->eal.no_huge = start.without_hugepages;
	if (no_huge_bytes > 0 && s->args.mem_bytes == 0)
		s->eal.mem_bytes = RTE_ALIGN_CEIL(no_huge_bytes, MIB);
	stint_machine_init(&s->machine, &s->host, &s->eal);
	stint_ports_take(&s->machine, &s->ported, true);
	s->huge_fallback = no_huge_bytes > 0 && !s->args.no_huge;
}

/* Other processes may still use what a user's prefix names, if they were told so. */
void
stint_eal_files_remove(const struct stint_session *s)
{
	bool secondary = s->args.proc_type != NULL && rte_eal_process_type() != RTE_PROC_PRIMARY;

	if (start.argc == 0 || start.files == STINT_FILES_NONE || secondary)
		return;
	if (!s->args.huge_unlink)
		stint_page_files_remove(start.prefix, &s->host, s->args.huge_dir);
	if (run_dir_is_ours)
		stint_run_dir_remove(start.prefix);
}

enum stint_exit
stint_eal_start(struct stint_session *s, const struct stint_options *o, uint64_t no_huge_bytes,
		char *error, size_t size)
{
	enum stint_exit code;
	char dir[512];

	if (stint_start_args(&start, s, o, no_huge_bytes) != 0) {
		snprintf(error, size, "out of memory");
		return STINT_BROKEN;
	}
	code = stint_precheck(s, &start, error, size);
	if (code != STINT_PASS)
		return code;
	stint_run_dir_sweep("stint");
	run_dir_is_ours = start.files != STINT_FILES_NONE &&
			  stint_run_dir_path(dir, sizeof(dir), start.prefix) &&
			  access(dir, F_OK) != 0;
	code = init(s, error, size);
	if (code == STINT_PASS)
		take_machine(s, no_huge_bytes);
	else
		stint_eal_files_remove(s);
	return code;
}

void
stint_eal_end(struct stint_session *s)
{
	/* a fault may have left EAL's locks held */
	if (!s->spent) {
		stint_interrupts_hold();
		rte_eal_cleanup();
	}
	stint_eal_files_remove(s);
}
