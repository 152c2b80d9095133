/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "host_cgroup.h"

#include <stdlib.h>
#include <string.h>

#include "host_read.h"

/* A line of /proc/self/cgroup is "4:cpu,cpuacct:/path"; that of version 2 names no controller. */
static bool
own_path(const char *root, const char *controller, char *path, size_t size)
{
	FILE *file = stint_host_open(root, "/proc/self/cgroup");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (file != NULL && !found && getline(&line, &room, file) > 0) {
		char *rest = line;
		const char *controllers;

		strsep(&rest, ":");
		controllers = strsep(&rest, ":");
		if (rest == NULL || !stint_host_list_has(controllers, controller, ','))
			continue;
		rest[strcspn(rest, "\n")] = '\0';
		found = snprintf(path, size, "%s", rest) < (int)size;
	}
	free(line);
	if (file != NULL)
		fclose(file);
	return found;
}

struct mount {
	char *top, *dir, *type, *options;
};

/* "31 23 0:28 /top /dir rw,relatime shared:1 - type source options", with any number of tags */
static bool
parse_mountinfo(char *line, struct mount *m)
{
	char *tail = strstr(line, " - ");

	if (tail == NULL)
		return false;
	*tail = '\0';
	tail += strlen(" - ");
	tail[strcspn(tail, "\n")] = '\0';
	for (int i = 0; i < 3; i++)
		strsep(&line, " ");
	m->top = strsep(&line, " ");
	m->dir = strsep(&line, " ");
	m->type = strsep(&tail, " ");
	strsep(&tail, " ");
	m->options = tail;
	if (m->dir == NULL || m->options == NULL)
		return false;
	stint_host_octal_decode(m->top);
	stint_host_octal_decode(m->dir);
	return true;
}

static bool
holds(const struct mount *m, const char *controller)
{
	if (controller[0] == '\0')
		return strcmp(m->type, "cgroup2") == 0;
	return strcmp(m->type, "cgroup") == 0 && stint_host_list_has(m->options, controller, ',');
}

/*
 * Inside a container the path may be one of the host's, which cannot be seen here (it leads up out
 * of the namespace, or is not below the mount): then the mount point is the best that is known. One
 * that does not exist below the mount has nothing to read, up to the mount point too.
 */
static bool
locate(struct stint_cgroup *cg, const struct mount *m, const char *path)
{
	size_t n = strcmp(m->top, "/") == 0 ? 0 : strlen(m->top);
	size_t length;

	if (strncmp(path, m->top, n) != 0 || path[n] != '/' || strstr(path, "/..") != NULL)
		path = "";
	else
		path += n;
	cg->top = strlen(m->dir);
	if (cg->top + strlen(path) >= sizeof(cg->dir))
		return false;
	length = snprintf(cg->dir, sizeof(cg->dir), "%s%s", m->dir, path);
	while (length > cg->top && cg->dir[length - 1] == '/')
		cg->dir[--length] = '\0';
	return true;
}

bool
stint_cgroup_find(struct stint_cgroup *cg, const char *root, const char *controller)
{
	char path[PATH_MAX], *line = NULL;
	size_t room = 0;
	bool found = false;
	struct mount m;
	FILE *file;

	if (!own_path(root, controller, path, sizeof(path)))
		return false;
	file = stint_host_open(root, "/proc/self/mountinfo");
	while (file != NULL && !found && getline(&line, &room, file) > 0)
		found = parse_mountinfo(line, &m) && holds(&m, controller) && locate(cg, &m, path);
	free(line);
	if (file != NULL)
		fclose(file);
	return found;
}

bool
stint_cgroup_up(struct stint_cgroup *cg)
{
	char *slash = strrchr(cg->dir, '/');

	if (slash == NULL || (size_t)(slash - cg->dir) < cg->top)
		return false;
	*slash = '\0';
	return true;
}
