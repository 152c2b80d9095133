/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "precheck.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "run_dir.h"

/* EAL's own beside the lcores: interrupts, messages, and what a driver may start */
#define MORE_THREADS 4

struct check {
	const struct stint_session *s;
	const struct stint_start_args *start;
	char *error;
	size_t size;
};

static enum stint_exit __rte_format_printf(3, 4)
	refuse(struct check *c, enum stint_exit code, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(c->error, c->size, format, list);
	va_end(list);
	return code;
}

static enum stint_exit
descriptors(struct check *c)
{
	const struct stint_host *host = &c->s->host;
	uint64_t need = stint_machine_files(&c->s->machine);
	uint64_t have = host->max_files - RTE_MIN(host->open_files, host->max_files);

	if (host->max_files == UINT64_MAX || have >= need)
		return STINT_PASS;
	return refuse(c, STINT_SKIP,
		      "skip: EAL needs %" PRIu64 " file descriptors for %u lcore%s, have %" PRIu64
		      " of %" PRIu64 "; raise the limit (ulimit -Hn), or name fewer lcores with -l",
		      need, c->s->machine.n_lcores, c->s->machine.n_lcores == 1 ? "" : "s", have,
		      host->max_files);
}

static void *
wait_at(void *barrier)
{
	pthread_mutex_lock(barrier);
	pthread_mutex_unlock(barrier);
	return NULL;
}

/* How many of n threads can be there at once: limits of user, cgroup and memory all count. */
static unsigned int
threads_possible(unsigned int n)
{
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	pthread_t *threads = calloc(n, sizeof(*threads));
	unsigned int made = 0;

	if (threads == NULL)
		return 0;
	pthread_mutex_lock(&gate);
	while (made < n && pthread_create(&threads[made], NULL, wait_at, &gate) == 0)
		made++;
	pthread_mutex_unlock(&gate);
	for (unsigned int i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return made;
}

enum stint_exit
stint_precheck_threads(const struct stint_session *s, char *error, size_t size)
{
	struct check c = { s, NULL, error, size };
	unsigned int need = s->machine.n_lcores + MORE_THREADS;
	unsigned int have = RTE_MIN(s->host.more_threads, (uint64_t)need);
	const char *cure = "raise pids.max of the cgroup";
	struct rlimit limit;

	if (have == need) {
		cure = "raise the limit of processes, ulimit -u";
		have = threads_possible(need);
		if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
			cure = "raise the limit of memory, ulimit -d";
		if (s->host.max_address_bytes != UINT64_MAX)
			cure = "raise the limit of address space, ulimit -v";
	}
	if (have == need)
		return STINT_PASS;
	return refuse(&c, STINT_SKIP,
		      "skip: need %u threads for %u lcore%s, have %u; %s, or name fewer lcores "
		      "with -l",
		      need, s->machine.n_lcores, s->machine.n_lcores == 1 ? "" : "s", have, cure);
}

/* ---- files --------------------------------------------------------------------------------- */

/* The option that makes EAL keep its pages in files. */
static const char *
reason_for_files(const struct stint_eal_args *a)
{
	return a->huge_dir != NULL       ? "--huge-dir"
	       : a->legacy_mem           ? "--legacy-mem"
	       : a->huge_unlink          ? "--huge-unlink"
	       : a->single_file_segments ? "--single-file-segments"
	       : a->file_prefix != NULL  ? "--file-prefix"
					 : "--proc-type";
}

/* The mount that EAL takes: the one that is named, or the first. */
static const char *
page_folder(const struct stint_session *s)
{
	if (s->args.huge_dir != NULL)
		return s->args.huge_dir;
	return s->host.n_mounts > 0 ? s->host.mounts[0].dir : NULL;
}

static enum stint_exit
mounts(struct check *c)
{
	const char *option = reason_for_files(&c->s->args), *dir = page_folder(c->s);
	struct statfs fs;

	if (c->start->files == STINT_FILES_NONE || c->start->without_hugepages)
		return STINT_PASS;
	if (dir == NULL)
		return refuse(c, STINT_USAGE,
			      "%s keeps hugepages in files, but no hugetlbfs is mounted; mount -t "
			      "hugetlbfs none /dev/hugepages, or leave the option out",
			      option);
	if (statfs(dir, &fs) == 0 && fs.f_type != HUGETLBFS_MAGIC)
		return refuse(
			c, STINT_USAGE,
			"%s: %s is no hugetlbfs now: something else is mounted over it; unmount "
			"that, or name another folder",
			option, dir);
	if (access(dir, R_OK | W_OK | X_OK) == 0)
		return STINT_PASS;
	return refuse(c, STINT_USAGE,
		      "%s: hugepage directory %s is not writable by uid %u (%s); chmod it, mount "
		      "one with uid=%u, or leave the option out",
		      option, dir, (unsigned int)geteuid(), strerror(errno),
		      (unsigned int)geteuid());
}

/* EAL with a prefix that another process holds says "Success". */
static enum stint_exit
prefix(struct check *c)
{
	const char *type = c->s->args.proc_type, *name = c->start->prefix;
	bool secondary = type != NULL && strcasecmp(type, "secondary") == 0;
	bool any = type != NULL && strcasecmp(type, "auto") == 0;
	pid_t owner;

	if (c->start->files != STINT_FILES_SHARED)
		return STINT_PASS;
	owner = stint_run_dir_owner(name);
	if (owner == 0 && secondary)
		return refuse(
			c, STINT_USAGE,
			"--proc-type=secondary: no primary process runs with prefix %s; start "
			"it first, name its --file-prefix, or leave the option out",
			name);
	if (owner != 0 && !secondary && !any)
		return refuse(c, STINT_BROKEN,
			      "--file-prefix=%s: process %d runs with this prefix; choose another, "
			      "or leave the option out",
			      name, (int)owner);
	return STINT_PASS;
}

/* Seen on 22.11: 32 KiB, and where hugepages are shared 1.7 MiB for the lists of each node. */
static uint64_t
shared_bytes(const struct check *c)
{
	if (c->start->files != STINT_FILES_SHARED || c->start->without_hugepages)
		return UINT64_C(128) << 10;
	return (UINT64_C(2) << 20) * c->s->host.sockets;
}

static enum stint_exit
run_directory(struct check *c)
{
	int rc = 0;

	if (c->start->files == STINT_FILES_SHARED || c->s->args.telemetry)
		rc = stint_run_dir_check(c->start->prefix, shared_bytes(c), c->error, c->size);
	return rc == 0 ? STINT_PASS : STINT_BROKEN;
}

/* ---- memory -------------------------------------------------------------------------------- */

static enum stint_exit
ordinary_memory(struct check *c)
{
	uint64_t asked = c->s->args.no_huge ? c->s->args.mem_bytes : 0, there;
	struct sysinfo info;

	if (sysinfo(&info) != 0)
		return STINT_PASS;
	there = (uint64_t)info.totalram * info.mem_unit;
	if (asked <= there)
		return STINT_PASS;
	return refuse(c, STINT_SKIP,
		      "skip: -m needs %" PRIu64 " MiB of memory, have %" PRIu64
		      " MiB in this machine; ask for less",
		      asked >> 20, there >> 20);
}

static enum stint_exit
page_size(struct check *c)
{
	const struct stint_machine *m = &c->s->asked;
	uint64_t have = 0, pages = 0;

	if (c->s->args.huge_dir == NULL || c->start->without_hugepages)
		return STINT_PASS;
	for (unsigned int i = 0; i < RTE_MAX_NUMA_NODES; i++) {
		have += m->have_bytes[i];
		pages += m->pool_bytes[i] / m->page_bytes;
	}
	if (have > 0)
		return STINT_PASS;
	return refuse(c, STINT_SKIP,
		      "skip: --huge-dir %s: 0 of %" PRIu64 " pages of %" PRIu64 " KiB are free; "
		      "raise their nr_hugepages, or leave the option out",
		      c->s->args.huge_dir, pages, m->page_bytes >> 10);
}

enum stint_exit
stint_precheck(const struct stint_session *s, const struct stint_start_args *start, char *error,
	       size_t size)
{
	static enum stint_exit (*const checks[])(struct check *) = {
		mounts, ordinary_memory, page_size, prefix, run_directory, descriptors,
	};
	struct check c = { s, start, error, size };
	enum stint_exit code = STINT_PASS;

	for (unsigned int i = 0; i < RTE_DIM(checks) && code == STINT_PASS; i++)
		code = checks[i](&c);
	return code;
}
