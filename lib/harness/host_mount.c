/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "host_read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

static uint64_t
pool_bytes(const struct stint_host *host, uint64_t page_bytes)
{
	const struct stint_host_pages *pages = stint_host_pages(host, page_bytes);
	uint64_t count = 0;

	if (pages == NULL)
		return 0;
	for (unsigned int node = 0; node < RTE_MAX_NUMA_NODES; node++)
		count += pages->total[node];
	return count * page_bytes;
}

/* "size=" is in bytes or, as someone may have typed it, in percent of the pool. */
static uint64_t
limit(const struct stint_host *host, uint64_t page_bytes, const char *size)
{
	const char *end;
	uint64_t value;

	if (size == NULL || !stint_host_bytes(size, &value, &end))
		return UINT64_MAX;
	if (*end != '%')
		return value;
	return value <= 100 ? pool_bytes(host, page_bytes) * value / 100 : UINT64_MAX;
}

static void
read_options(struct stint_host_mount *m, const struct stint_host *host, char *options)
{
	const char *option, *end, *size = NULL;

	while ((option = strsep(&options, ",")) != NULL) {
		if (strncmp(option, "pagesize=", strlen("pagesize=")) == 0)
			stint_host_bytes(option + strlen("pagesize="), &m->page_bytes, &end);
		else if (strncmp(option, "size=", strlen("size=")) == 0)
			size = option + strlen("size=");
	}
	m->limit_bytes = limit(host, m->page_bytes, size);
}

/* What others hold of a mount with a limit, only the file system itself can tell. */
static void
read_room(struct stint_host_mount *m)
{
	struct statvfs fs;

	if (m->limit_bytes != UINT64_MAX && statvfs(m->dir, &fs) == 0 && fs.f_blocks > 0)
		m->limit_bytes = (uint64_t)fs.f_bavail * fs.f_bsize;
}

/* "source dir type options 0 0"; a directory too long to keep is left out, not cut */
static void
add_mount(struct stint_host *host, const char *root, char *line, uint64_t default_bytes)
{
	struct stint_host_mount *m = &host->mounts[host->n_mounts];
	char *dir, *options;
	const char *type;

	strsep(&line, " ");
	dir = strsep(&line, " ");
	type = strsep(&line, " ");
	options = strsep(&line, " \n");
	if (options == NULL || strcmp(type, "hugetlbfs") != 0)
		return;
	stint_host_octal_decode(dir);
	if (strlen(dir) >= sizeof(m->dir))
		return;
	strcpy(m->dir, dir);
	m->page_bytes = default_bytes;
	read_options(m, host, options);
	if (root[0] == '\0')
		read_room(m);
	host->n_mounts++;
}

void
stint_host_read_mounts(struct stint_host *host, const char *root)
{
	FILE *file = stint_host_open(root, "/proc/mounts");
	uint64_t default_bytes = 0;
	char text[64], *line = NULL;
	const char *end;
	size_t room = 0;

	if (file == NULL)
		return;
	if (stint_host_value(root, "Hugepagesize", text, sizeof(text), "/proc/meminfo"))
		stint_host_bytes(text, &default_bytes, &end);
	while (host->n_mounts < STINT_HOST_MAX_MOUNTS && getline(&line, &room, file) > 0)
		add_mount(host, root, line, default_bytes);
	free(line);
	fclose(file);
}

const struct stint_host_mount *
stint_host_mount_of(const struct stint_host *host, const char *dir)
{
	const struct stint_host_mount *found = NULL;
	size_t longest = 0;

	for (unsigned int i = 0; i < host->n_mounts; i++) {
		const struct stint_host_mount *m = &host->mounts[i];
		size_t n = strlen(m->dir);

		/* the last of those at one place covers the others */
		if (n < longest || strncmp(dir, m->dir, n) != 0 ||
		    (dir[n] != '\0' && dir[n] != '/'))
			continue;
		found = m;
		longest = n;
	}
	return found;
}
