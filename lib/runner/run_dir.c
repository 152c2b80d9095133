/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_common.h>

#include "eal_args.h"

bool
stint_run_dir_path(char *path, size_t size, const char *prefix)
{
	int n = snprintf(path, size, "%s/dpdk/%s", stint_eal_run_base(), prefix);

	return n >= 0 && (size_t)n < size;
}

/* Room for a few files in bytes; UINT64_MAX: not known. */
static uint64_t
room_in(const char *dir)
{
	struct statvfs fs;

	if (statvfs(dir, &fs) != 0 || fs.f_blocks == 0)
		return UINT64_MAX;
	return fs.f_files > 0 && fs.f_favail < 16 ? 0 : (uint64_t)fs.f_bavail * fs.f_frsize;
}

/* The deepest of BASE, BASE/dpdk and BASE/dpdk/PREFIX that is there must take more. */
static int
check_folder(const char *dir, uint64_t room_bytes, char *error, size_t size)
{
	struct stat st;

	if (stat(dir, &st) != 0)
		snprintf(error, size, "run directory %s: %s", dir, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		snprintf(error, size, "run directory %s is no directory", dir);
	else if (access(dir, W_OK | X_OK) != 0)
		snprintf(error, size, "run directory %s of uid %u: %s to uid %u", dir,
			 (unsigned int)st.st_uid,
			 errno == EROFS ? "read-only file system" : "not writable",
			 (unsigned int)geteuid());
	else if (room_in(dir) < room_bytes)
		snprintf(error, size,
			 "run directory %s: its file system is full, EAL takes %" PRIu64
			 " KiB, have %" PRIu64 " KiB free",
			 dir, room_bytes >> 10, room_in(dir) >> 10);
	else
		return 0;
	return -1;
}

int
stint_run_dir_check(const char *prefix, uint64_t room_bytes, char *error, size_t size)
{
	char dir[PATH_MAX], why[PATH_MAX + 128];
	size_t longest = sizeof("/dpdk_telemetry.v2");

	if (!stint_run_dir_path(dir, sizeof(dir), prefix) ||
	    strlen(dir) + longest > RTE_SIZEOF_FIELD(struct sockaddr_un, sun_path)) {
		snprintf(error, size,
			 "run directory %.400s is too long for a socket in it (%zu characters, "
			 "%zu at most); set RUNTIME_DIRECTORY or XDG_RUNTIME_DIR to a shorter one",
			 dir, strlen(dir),
			 RTE_SIZEOF_FIELD(struct sockaddr_un, sun_path) - longest);
		return -1;
	}
	/* the parents are made, the base is not */
	for (int up = 0; up < 2 && access(dir, F_OK) != 0 && errno == ENOENT; up++)
		*strrchr(dir, '/') = '\0';
	if (check_folder(dir, room_bytes, why, sizeof(why)) == 0)
		return 0;
	snprintf(error, size,
		 "%s; mend it, set RUNTIME_DIRECTORY to another, or leave out what needs it "
		 "(--file-prefix, --proc-type, --telemetry)",
		 why);
	return -1;
}

pid_t
stint_run_dir_owner(const char *prefix)
{
	/* EAL locks the whole of its configuration */
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char path[PATH_MAX];
	pid_t owner = 0;
	int fd;

	if (!stint_run_dir_path(path, sizeof(path) - sizeof("/config"), prefix))
		return 0;
	fd = open(strcat(path, "/config"), O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
		/* in another pid namespace it has no number here */
		owner = lock.l_pid != 0 ? lock.l_pid : -1;
	close(fd);
	return owner;
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
stint_run_dir_remove(const char *prefix)
{
	char path[PATH_MAX];

	if (stint_run_dir_path(path, sizeof(path), prefix))
		nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void
remove_page_files(const char *prefix, const char *where)
{
	DIR *dir = opendir(where);
	size_t n = strlen(prefix);

	if (dir == NULL)
		return;
	for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
		if (strncmp(e->d_name, prefix, n) == 0 && strncmp(e->d_name + n, "map_", 4) == 0)
			unlinkat(dirfd(dir), e->d_name, 0);
	}
	closedir(dir);
}

void
stint_page_files_remove(const char *prefix, const struct stint_host *host, const char *dir)
{
	if (dir != NULL)
		remove_page_files(prefix, dir);
	for (unsigned int i = 0; i < host->n_mounts; i++)
		remove_page_files(prefix, host->mounts[i].dir);
}

void
stint_run_dir_sweep(const char *prefix)
{
	char path[PATH_MAX];
	size_t n = strlen(prefix);
	DIR *dir;

	if (!stint_run_dir_path(path, sizeof(path), "."))
		return;
	dir = opendir(path);
	if (dir == NULL)
		return;
	for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
		char *end;
		long pid;

		if (strncmp(e->d_name, prefix, n) != 0 || e->d_name[n] != '-')
			continue;
		pid = strtol(e->d_name + n + 1, &end, 10);
		if (*end == '\0' && pid > 0 && kill(pid, 0) != 0 && errno == ESRCH)
			unlinkat(dirfd(dir), e->d_name, AT_REMOVEDIR);
	}
	closedir(dir);
}
