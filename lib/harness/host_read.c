/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "host_read.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A path too long to be formed is one that does not exist. */
static bool
form_path(char full[PATH_MAX], const char *root, const char *path, va_list ap)
{
	int n = snprintf(full, PATH_MAX, "%s", root);

	if (n < 0 || n >= PATH_MAX)
		return false;
	n += vsnprintf(full + n, PATH_MAX - n, path, ap);
	return n < PATH_MAX;
}

static FILE *
open_path(const char *root, const char *path, va_list ap)
{
	char full[PATH_MAX];

	return form_path(full, root, path, ap) ? fopen(full, "re") : NULL;
}

FILE *
stint_host_open(const char *root, const char *path, ...)
{
	va_list ap;
	FILE *file;

	va_start(ap, path);
	file = open_path(root, path, ap);
	va_end(ap);
	return file;
}

bool
stint_host_exists(const char *root, const char *path, ...)
{
	char full[PATH_MAX];
	va_list ap;
	bool formed;

	va_start(ap, path);
	formed = form_path(full, root, path, ap);
	va_end(ap);
	return formed && access(full, F_OK) == 0;
}

static bool
first_line(FILE *file, char *text, size_t size)
{
	text[0] = '\0';
	if (file == NULL)
		return false;
	if (fgets(text, size, file) == NULL)
		text[0] = '\0';
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return text[0] != '\0';
}

bool
stint_host_line(const char *root, char *text, size_t size, const char *path, ...)
{
	va_list ap;
	FILE *file;

	va_start(ap, path);
	file = open_path(root, path, ap);
	va_end(ap);
	return first_line(file, text, size);
}

static bool
number(const char *text, uint64_t *value, const char **end)
{
	char *stop;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*value = strtoull(text, &stop, 10);
	*end = stop;
	return errno == 0;
}

bool
stint_host_u64(const char *root, uint64_t *value, const char *path, ...)
{
	char text[64];
	const char *end;
	uint64_t read;
	va_list ap;
	FILE *file;

	va_start(ap, path);
	file = open_path(root, path, ap);
	va_end(ap);
	if (!first_line(file, text, sizeof(text)) || !number(text, &read, &end) || *end != '\0')
		return false;
	*value = read;
	return true;
}

/* What follows "key", blanks and a colon; NULL if the line is another one. */
static const char *
after_key(const char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n) != 0)
		return NULL;
	line += n + strspn(line + n, " \t");
	if (*line != ':')
		return NULL;
	return line + 1 + strspn(line + 1, " \t");
}

bool
stint_host_value(const char *root, const char *key, char *text, size_t size, const char *path, ...)
{
	const char *value = NULL;
	char *line = NULL;
	size_t room = 0;
	va_list ap;
	FILE *file;

	text[0] = '\0';
	va_start(ap, path);
	file = open_path(root, path, ap);
	va_end(ap);
	if (file == NULL)
		return false;
	while (value == NULL && getline(&line, &room, file) > 0)
		value = after_key(line, key);
	if (value != NULL)
		snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
	free(line);
	fclose(file);
	return text[0] != '\0';
}

bool
stint_host_cpus(const char *root, cpu_set_t *set, const char *path, ...)
{
	char text[STINT_HOST_LINE];
	va_list ap;
	FILE *file;

	CPU_ZERO(set);
	va_start(ap, path);
	file = open_path(root, path, ap);
	va_end(ap);
	return first_line(file, text, sizeof(text)) && stint_cpulist_parse(text, set) != -EINVAL &&
	       CPU_COUNT(set) > 0;
}

bool
stint_host_bytes(const char *text, uint64_t *bytes, const char **end)
{
	static const char units[] = "kmgt";
	const char *unit;
	uint64_t value;

	text += strspn(text, " \t");
	if (!number(text, &value, end))
		return false;
	text = *end + strspn(*end, " \t");
	unit = *text != '\0' ? strchr(units, tolower((unsigned char)*text)) : NULL;
	if (unit != NULL) {
		if (__builtin_mul_overflow(value, UINT64_C(1) << (10 * (unit - units + 1)), &value))
			return false;
		*end = text + (text[1] == 'B' ? 2 : 1);
	}
	*bytes = value;
	return true;
}

bool
stint_host_list_has(const char *list, const char *word, char separator)
{
	size_t n = strlen(word);
	const char *at;

	for (at = list; at != NULL; at = strchr(at, separator)) {
		at += at != list;
		if (strncmp(at, word, n) == 0 && (at[n] == separator || at[n] == '\0'))
			return true;
	}
	return false;
}

static bool
octal(char c)
{
	return c >= '0' && c <= '7';
}

void
stint_host_octal_decode(char *text)
{
	char *out = text;

	while (*text != '\0') {
		if (text[0] == '\\' && octal(text[1]) && octal(text[2]) && octal(text[3])) {
			*out++ = (text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0');
			text += 4;
		} else {
			*out++ = *text++;
		}
	}
	*out = '\0';
}
