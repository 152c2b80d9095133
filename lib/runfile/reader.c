/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "runfile.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	FILE *file;
	locale_t c_locale;
	stint_record_fn fn;
	void *arg;
	struct stint_runfile_info *info;
};

static int refuse(struct reader *r, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int
refuse(struct reader *r, int error, const char *format, ...)
{
	va_list ap;
	char *c;

	va_start(ap, format);
	vsnprintf(r->info->error, sizeof(r->info->error), format, ap);
	va_end(ap);
	/* jansson quotes the line, and a file may hold what a terminal obeys */
	for (c = r->info->error; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return error;
}

static json_t *
parse(const struct reader *r, const char *line, size_t length, json_error_t *error)
{
	/* jansson aborts where the decimal mark of the locale is longer than a byte (ps_AF) */
	locale_t old = uselocale(r->c_locale);
	json_t *record = json_loadb(line, length, JSON_REJECT_DUPLICATES, error);

	uselocale(old);
	return record;
}

static int
hand_over(struct reader *r, const json_t *record)
{
	const char *type = json_string_value(json_object_get(record, "type"));
	double schema = json_number_value(json_object_get(record, "schema"));

	if (!json_is_object(record))
		return refuse(r, -EBADMSG, "not a JSON object");
	if (type == NULL)
		return refuse(r, -EBADMSG, "no \"type\" that is a string");
	if (strcmp(type, "run") == 0 && schema > STINT_RUNFILE_SCHEMA)
		return refuse(r, -EPROTO, "schema %.0f is newer than %d, the newest known here",
			      schema, STINT_RUNFILE_SCHEMA);
	r->info->records++;
	return r->fn(r->arg, type, record);
}

static int
read_line(struct reader *r, const char *line, size_t length)
{
	json_error_t error;
	json_t *record;
	int rc;

	r->info->line++;
	if (line[length - 1] != '\n') {
		r->info->truncated = 1;
		return 0;
	}
	record = parse(r, line, length, &error);
	if (record == NULL)
		return refuse(r, -EBADMSG, "column %d: %s", error.column, error.text);
	rc = hand_over(r, record);
	json_decref(record);
	return rc;
}

static int
read_lines(struct reader *r)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	int rc = 0;

	while (rc == 0 && !r->info->truncated && (length = getline(&line, &size, r->file)) > 0)
		rc = read_line(r, line, (size_t)length);
	/* a line may also lack its end because it could not be read */
	if (rc == 0 && !feof(r->file))
		rc = refuse(r, -errno, "%m");
	free(line);
	return rc;
}

int
stint_runfile_read(const char *path, stint_record_fn fn, void *arg, struct stint_runfile_info *info)
{
	struct reader r = { .fn = fn, .arg = arg, .info = info };
	int rc;

	memset(info, 0, sizeof(*info));
	r.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (r.c_locale == (locale_t)0)
		return refuse(&r, -errno, "%m");
	r.file = fopen(path, "re");
	if (r.file == NULL) {
		rc = refuse(&r, -errno, "%m");
		goto free_locale;
	}
	rc = read_lines(&r);
	fclose(r.file);
free_locale:
	freelocale(r.c_locale);
	return rc;
}
