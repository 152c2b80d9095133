/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "host_read.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "host_cgroup.h"

/* A line is "Max open files            1024                 1048576              files". */
static uint64_t
limit(const char *root, const char *name, bool hard)
{
	FILE *file = stint_host_open(root, "/proc/self/limits");
	uint64_t value = UINT64_MAX;
	size_t room = 0, n = strlen(name);
	char *line = NULL, *end;

	while (file != NULL && getline(&line, &room, file) > 0) {
		char *word = line + n;

		if (strncmp(line, name, n) != 0)
			continue;
		word += strspn(word, " ");
		if (hard) {
			word += strcspn(word, " ");
			word += strspn(word, " ");
		}
		value = strtoull(word, &end, 10);
		if (end == word)
			value = UINT64_MAX;
		break;
	}
	free(line);
	if (file != NULL)
		fclose(file);
	return value;
}

static uint64_t
count_entries(const char *root, const char *path)
{
	char where[512];
	uint64_t count = 0;
	DIR *dir;

	snprintf(where, sizeof(where), "%s%s", root, path);
	dir = opendir(where);
	if (dir == NULL)
		return 0;
	for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
		count += e->d_name[0] != '.';
	closedir(dir);
	/* the descriptor of the folder itself */
	return count - 1;
}

/* "max" is no number: no limit there. */
static uint64_t
pids_room(const char *root, const char *controller)
{
	uint64_t room = UINT64_MAX, max, current;
	struct stint_cgroup cg;

	if (!stint_cgroup_find(&cg, root, controller))
		return room;
	do {
		if (!stint_host_u64(root, &max, "%s/pids.max", cg.dir))
			continue;
		current = 0;
		stint_host_u64(root, &current, "%s/pids.current", cg.dir);
		room = RTE_MIN(room, max > current ? max - current : 0);
	} while (stint_cgroup_up(&cg));
	return room;
}

void
stint_host_read_limits(struct stint_host *host, const char *root)
{
	uint64_t v1 = pids_room(root, "pids"), v2 = pids_room(root, "");

	/* EAL raises the soft limit to the hard one */
	host->max_files = limit(root, "Max open files", true);
	host->max_file_bytes = limit(root, "Max file size", false);
	host->max_address_bytes = limit(root, "Max address space", false);
	host->open_files = host->max_files == UINT64_MAX ? 0 : count_entries(root, "/proc/self/fd");
	host->more_threads = RTE_MIN(v1, v2);
}
