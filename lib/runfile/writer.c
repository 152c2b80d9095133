/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "runfile.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct stint_runfile {
	int fd;
	int error; /* of the first write that failed; 0: none */
	char *path;
	char *line; /* kept from record to record */
	size_t line_size;
	locale_t c_locale;
};

static void
runfile_free(struct stint_runfile *rf)
{
	if (rf->c_locale != (locale_t)0)
		freelocale(rf->c_locale);
	free(rf->line);
	free(rf->path);
	free(rf);
}

static struct stint_runfile *
runfile_new(void)
{
	struct stint_runfile *rf = calloc(1, sizeof(*rf));

	if (rf == NULL)
		return NULL;
	rf->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (rf->c_locale == (locale_t)0) {
		runfile_free(rf);
		return NULL;
	}
	return rf;
}

/* hand over the run file with its descriptor, or free it if that is an error */
static int
finish_open(struct stint_runfile **out, struct stint_runfile *rf, int fd)
{
	if (fd < 0) {
		runfile_free(rf);
		return fd;
	}
	rf->fd = fd;
	*out = rf;
	return 0;
}

static int
open_new(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	return fd < 0 ? -errno : fd;
}

/* a pipe or a character device; anything else there would be overwritten */
static int
open_stream(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? -EEXIST : -errno; /* ENOENT: a link to nothing */
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode))
		return -EEXIST;
	fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int
open_path(const char *path)
{
	int fd = open_new(path);

	return fd == -EEXIST ? open_stream(path) : fd;
}

int
stint_runfile_create(struct stint_runfile **out, const char *path)
{
	struct stint_runfile *rf = runfile_new();

	if (rf == NULL)
		return -ENOMEM;
	rf->path = strdup(path);
	return finish_open(out, rf, rf->path == NULL ? -ENOMEM : open_path(path));
}

/* try number `attempt` to make a file in the folder whose name is not taken */
static int
open_in(struct stint_runfile *rf, const char *stem, unsigned int attempt)
{
	char suffix[16] = "";

	if (attempt > 1)
		snprintf(suffix, sizeof(suffix), "-%u", attempt);
	free(rf->path);
	if (asprintf(&rf->path, "%s%s.ndjson", stem, suffix) < 0) {
		rf->path = NULL;
		return -ENOMEM;
	}
	return open_new(rf->path);
}

static char *
format_stem(const char *folder, const char *test)
{
	time_t now = time(NULL);
	char start[32], *stem;
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(start, sizeof(start), "%Y%m%dT%H%M%SZ", &utc);
	return asprintf(&stem, "%s/%s-%s-%d", folder, test, start, (int)getpid()) < 0 ? NULL : stem;
}

int
stint_runfile_create_in(struct stint_runfile **out, const char *folder, const char *test)
{
	struct stint_runfile *rf;
	unsigned int attempt = 1;
	char *stem;
	int fd;

	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		return -errno;
	rf = runfile_new();
	if (rf == NULL)
		return -ENOMEM;
	stem = format_stem(folder, test);
	if (stem == NULL)
		return finish_open(out, rf, -ENOMEM);
	do {
		fd = open_in(rf, stem, attempt++);
	} while (fd == -EEXIST);
	free(stem);
	return finish_open(out, rf, fd);
}

const char *
stint_runfile_path(const struct stint_runfile *rf)
{
	return rf->path;
}

/* the length, even if it is more than fits; 0 if it cannot be written as JSON */
static size_t
dump(const struct stint_runfile *rf, const json_t *record)
{
	/* jansson puts right a decimal mark of one byte only: ps_AF has one of two */
	locale_t old = uselocale(rf->c_locale);
	size_t length = json_dumpb(record, rf->line, rf->line_size, JSON_COMPACT);

	uselocale(old);
	return length;
}

static int
format_line(struct stint_runfile *rf, const json_t *record, size_t *length)
{
	size_t needed = dump(rf, record);

	if (needed == 0)
		return -EINVAL;
	if (needed + 1 > rf->line_size) {
		char *line = realloc(rf->line, needed + 1);

		if (line == NULL)
			return -ENOMEM;
		rf->line = line;
		rf->line_size = needed + 1;
		if (dump(rf, record) != needed)
			return -ENOMEM;
	}
	rf->line[needed] = '\n';
	*length = needed + 1;
	return 0;
}

static int
write_whole(int fd, const char *data, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, data, length);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		data += n;
		length -= (size_t)n;
	}
	return 0;
}

static int
append(struct stint_runfile *rf, const json_t *record)
{
	size_t length;
	int rc;

	if (!json_is_string(json_object_get(record, "type")))
		return -EINVAL;
	rc = format_line(rf, record, &length);
	return rc < 0 ? rc : write_whole(rf->fd, rf->line, length);
}

int
stint_runfile_write(struct stint_runfile *rf, const json_t *record)
{
	if (rf->error == 0)
		rf->error = append(rf, record);
	return rf->error;
}

int
stint_runfile_close(struct stint_runfile *rf)
{
	int rc = close(rf->fd) < 0 ? -errno : 0;

	if (rf->error < 0)
		rc = rf->error;
	runfile_free(rf);
	return rc;
}
