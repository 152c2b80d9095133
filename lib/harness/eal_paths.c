/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "eal_parse.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_common.h>

/* EAL loads nothing from below a folder that anyone may write to. */
static enum stint_eal_verdict
trusted(struct stint_eal_parse *p, const char *option, const char *value, char *path)
{
	struct stat st;

	for (;;) {
		char *slash = strrchr(path, '/');

		if (stat(*path == '\0' ? "/" : path, &st) == 0 && (st.st_mode & S_IWOTH) != 0)
			return stint_eal_refuse(p,
						"%s " STINT_EAL_TYPED
						": EAL loads nothing from %s, which anyone may "
						"write to",
						option, value, path);
		if (slash == NULL)
			return STINT_EAL_OK;
		*slash = '\0';
	}
}

/*
 * Loading is the only way to know what the dynamic linker finds; EAL is about to load the same.
 */
static enum stint_eal_verdict
load(struct stint_eal_parse *p, const char *option, const char *value, const char *path)
{
	if (dlopen(path, RTLD_NOW) != NULL)
		return STINT_EAL_OK;
	return stint_eal_refuse(p, "%s " STINT_EAL_TYPED ": no plugin: %s", option, value,
				dlerror());
}

static enum stint_eal_verdict
check_plugin(struct stint_eal_parse *p, const char *option, const char *value)
{
	enum stint_eal_verdict rc;
	char path[PATH_MAX];
	struct stat st;

	/* an empty name is the program itself to EAL, without effect */
	if (stat(value, &st) == 0 && S_ISDIR(st.st_mode)) {
		if (access(value, R_OK | X_OK) == 0)
			return STINT_EAL_OK;
		return stint_eal_refuse(p, "%s " STINT_EAL_TYPED ": %s", option, value,
					strerror(errno));
	}
	if (realpath(value, path) == NULL)
		return load(p, option, value, value);
	rc = trusted(p, option, value, strdupa(path));
	return rc == STINT_EAL_OK ? load(p, option, value, path) : rc;
}

enum stint_eal_verdict
stint_eal_take_plugin(struct stint_eal_parse *p, const char *option, const char *value)
{
	struct stint_eal_args *args = p->args;
	enum stint_eal_verdict rc;

	rc = stint_eal_append(p, option, value, args->plugins, &args->n_plugins,
			      RTE_DIM(args->plugins));
	return rc == STINT_EAL_OK ? check_plugin(p, option, value) : rc;
}

enum stint_eal_verdict
stint_eal_take_huge_dir(struct stint_eal_parse *p, const char *option, const char *value)
{
	const struct stint_host_mount *mount = stint_host_mount_of(p->host, value);
	struct stat st;

	p->args->huge_dir = value;
	if (strpbrk(value, " \t\n\\") != NULL)
		return stint_eal_refuse(
			p,
			"%s \"" STINT_EAL_TYPED
			"\": EAL finds no mount with blanks in its path; use another",
			option, value);
	/* a folder below the mount will do, if it is there */
	if (mount != NULL &&
	    (strspn(value + strlen(mount->dir), "/") == strlen(value) - strlen(mount->dir) ||
	     (stat(value, &st) == 0 && S_ISDIR(st.st_mode))))
		return STINT_EAL_OK;
	return stint_eal_refuse(p,
				"%s \"" STINT_EAL_TYPED
				"\": it is no mounted hugetlbfs; mount -t hugetlbfs none DIR, or "
				"leave the option out",
				option, value);
}

const char *
stint_eal_run_base(void)
{
	const char *dir = getenv("RUNTIME_DIRECTORY");

	if (dir != NULL)
		return dir;
	if (getuid() == 0)
		return "/var/run";
	dir = getenv("XDG_RUNTIME_DIR");
	return dir != NULL ? dir : "/tmp";
}

enum stint_eal_verdict
stint_eal_take_prefix(struct stint_eal_parse *p, const char *option, const char *value)
{
	/*
	 * The longest socket below the run directory BASE/dpdk/PREFIX, and its final NUL. A base
	 * that is longer than the usual is no fault of the prefix.
	 */
	const size_t base = RTE_MIN(strlen(stint_eal_run_base()), sizeof("/var/run") - 1);
	const size_t max = RTE_SIZEOF_FIELD(struct sockaddr_un, sun_path) - base -
			   sizeof("/dpdk//dpdk_telemetry.v2");

	p->args->file_prefix = value;
	if (value[0] == '\0' || strpbrk(value, "/%") != NULL || strcmp(value, ".") == 0 ||
	    strcmp(value, "..") == 0)
		return stint_eal_refuse(
			p, "%s \"" STINT_EAL_TYPED "\": no name of a folder without / and %%",
			option, value);
	if (strlen(value) > max)
		return stint_eal_refuse(p,
					"%s %.20s...: %zu characters; sockets in the run "
					"directory leave room for %zu",
					option, value, strlen(value), max);
	return STINT_EAL_OK;
}
