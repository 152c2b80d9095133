/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "runfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <ftw.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* a folder of its own for each test, and a path in it */
struct place {
	char dir[64];
	char file[96];
};

static int
make_place(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	if (place == NULL)
		return -1;
	*state = place;
	strcpy(place->dir, "/tmp/stint-runfile-XXXXXX");
	if (mkdtemp(place->dir) == NULL)
		return -1;
	snprintf(place->file, sizeof(place->file), "%s/run.ndjson", place->dir);
	return 0;
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

static int
remove_place(void **state)
{
	struct place *place = *state;
	int rc = nftw(place->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);

	free(place);
	return rc;
}

static void
spew(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

/* the file's bytes, to be freed */
static char *
slurp(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *data;
	long end;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	end = ftell(f);
	rewind(f);
	data = calloc(1, (size_t)end + 1);
	assert_non_null(data);
	assert_int_equal(fread(data, 1, (size_t)end, f), end);
	fclose(f);
	*size = (size_t)end;
	return data;
}

static int
collect(void *arg, const char *type, const json_t *record)
{
	assert_string_equal(type, json_string_value(json_object_get(record, "type")));
	return json_array_append_new(arg, json_deep_copy(record));
}

static struct stint_runfile *
create(const char *path)
{
	struct stint_runfile *rf = NULL;

	assert_int_equal(stint_runfile_create(&rf, path), 0);
	assert_string_equal(stint_runfile_path(rf), path);
	return rf;
}

/* write one record and let go of it */
static int
put(struct stint_runfile *rf, json_t *record)
{
	int rc = stint_runfile_write(rf, record);

	json_decref(record);
	return rc;
}

/* what any record must survive: numbers at their limits, text in and beyond ASCII, nesting */
static json_t *
telling_records(void)
{
	json_t *text = json_pack("{s:s, s:i, s:s}", "type", "run", "schema", STINT_RUNFILE_SCHEMA,
				 "host", "Zürich \"日本\" \\ \n\t\x7f 🚀");
	json_t *integers =
		json_pack("{s:s, s:[I,I,I]}", "type", "sample", "ops", (json_int_t)INT64_MAX,
			  (json_int_t)INT64_MIN, ((json_int_t)1 << 53) + 1);
	json_t *doubles = json_pack("{s:s, s:[f,f,f,f,f]}", "type", "round", "floor", 0.1, 1.0 / 3,
				    DBL_MAX, DBL_MIN, DBL_TRUE_MIN);
	json_t *nested = json_pack("{s:s, s:{s:[b,n]}}", "type", "", "point", "list", 1);
	json_t *all = json_pack("[o,o,o,o]", text, integers, doubles, nested);

	assert_non_null(all);
	return all;
}

static void
write_all(const char *path, const json_t *records)
{
	struct stint_runfile *rf = create(path);
	size_t i;

	for (i = 0; i < json_array_size(records); i++)
		assert_int_equal(stint_runfile_write(rf, json_array_get(records, i)), 0);
	assert_int_equal(stint_runfile_close(rf), 0);
}

static void
records_read_back_as_written(void **state)
{
	const struct place *place = *state;
	json_t *want = telling_records(), *got = json_array();
	struct stint_runfile_info info;
	size_t size, lines = 0, i;
	char *text;

	write_all(place->file, want);
	assert_int_equal(stint_runfile_read(place->file, collect, got, &info), 0);
	assert_true(json_equal(got, want));
	assert_int_equal(info.records, json_array_size(want));
	assert_int_equal(info.line, json_array_size(want));
	assert_int_equal(info.truncated, 0);
	assert_string_equal(info.error, "");

	text = slurp(place->file, &size);
	for (i = 0; i < size; i++)
		lines += text[i] == '\n';
	assert_int_equal(lines, json_array_size(want));
	assert_int_equal(text[size - 1], '\n');
	free(text);
	json_decref(got);
	json_decref(want);
}

static void
check_cut(const char *path, const char *text, size_t size, const json_t *records)
{
	struct stint_runfile_info info;
	json_t *got = json_array(), *want = json_array();
	int cut = size > 0 && text[size - 1] != '\n';
	size_t lines = 0, i;

	for (i = 0; i < size; i++)
		if (text[i] == '\n')
			json_array_append(want, json_array_get(records, lines++));
	spew(path, text, size);
	assert_int_equal(stint_runfile_read(path, collect, got, &info), 0);
	assert_true(json_equal(got, want));
	assert_int_equal(info.records, lines);
	assert_int_equal(info.truncated, cut);
	assert_int_equal(info.line, lines + (size_t)cut);
	assert_string_equal(info.error, "");
	json_decref(got);
	json_decref(want);
}

static void
cut_anywhere_is_readable(void **state)
{
	const struct place *place = *state;
	json_t *records = telling_records();
	size_t size, i;
	char *text;

	write_all(place->file, records);
	text = slurp(place->file, &size);
	for (i = 0; i <= size; i++)
		check_cut(place->file, text, i, records);
	free(text);
	json_decref(records);
}

#define OK "{\"type\":\"sample\"}\n"
#define TEXT(s) s, sizeof(s) - 1

static const struct {
	const char *text;
	size_t size;
	int rc;
	unsigned int records, line;
	int truncated;
	const char *error; /* part of it; NULL: none */
} read_cases[] = {
	{ TEXT(""), 0, 0, 0, 0, NULL },
	{ TEXT("\n"), -EBADMSG, 0, 1, 0, "column" },
	{ TEXT(OK "\n" OK), -EBADMSG, 1, 2, 0, "column" },
	{ TEXT(OK OK "{\"type\":\"sample\"\n" OK), -EBADMSG, 2, 3, 0, "'}' expected" },
	{ TEXT(OK "{\"type\":\"sample\"} {}\n"), -EBADMSG, 1, 2, 0, "column 19" },
	{ TEXT(OK "[1]\n"), -EBADMSG, 1, 2, 0, "not a JSON object" },
	{ TEXT("{}\n"), -EBADMSG, 0, 1, 0, "type" },
	{ TEXT("{\"type\":1}\n"), -EBADMSG, 0, 1, 0, "type" },
	{ TEXT("{\"type\":\"a\",\"type\":\"b\"}\n"), -EBADMSG, 0, 1, 0, "duplicate" },
	{ TEXT("{\"type\":\"a\\u0000b\"}\n"), -EBADMSG, 0, 1, 0, "u0000" },
	{ TEXT("{\"type\":\"a\"}\0\n"), -EBADMSG, 0, 1, 0, "column" },
	{ TEXT("{\"type\":\"\xff\"}\n"), -EBADMSG, 0, 1, 0, "0xff" },
	{ TEXT("{\"type\":\"a\",\"n\":9223372036854775808}\n"), -EBADMSG, 0, 1, 0, "integer" },
	/* neither a screen code nor the bytes of a half character reach a terminal */
	{ TEXT("\x1b[2J\xc3\n"), -EBADMSG, 0, 1, 0, "column" },
	/* what a power failure leaves */
	{ TEXT(OK "\0\0\0\0"), 0, 1, 2, 1, NULL },
	{ TEXT(OK "nonsense"), 0, 1, 2, 1, NULL },
	/* cut off, and malformed before that: malformed */
	{ TEXT("nonsense\n{\"ty"), -EBADMSG, 0, 1, 0, "column" },
	{ TEXT("{\"type\":\"a\"}\r\n{\"type\":\"b\"}\r\n"), 0, 2, 2, 0, NULL },
	{ TEXT("{\"type\":\"a\"}\r\n{\"type\":\"b\"}\r"), 0, 1, 2, 1, NULL },
	{ TEXT(OK "{\"type\":\"from the future\",\"key\":{}}\n" OK), 0, 3, 3, 0, NULL },
	{ TEXT("{\"type\":\"run\",\"schema\":1}\n" OK), 0, 2, 2, 0, NULL },
	{ TEXT("{\"type\":\"run\"}\n" OK), 0, 2, 2, 0, NULL },
	{ TEXT("{\"type\":\"run\",\"schema\":2}\n" OK), -EPROTO, 0, 1, 0, "schema 2 is newer" },
	{ TEXT("{\"type\":\"sample\",\"schema\":2}\n"), 0, 1, 1, 0, NULL },
};

static void
any_content_is_read_or_refused(void **state)
{
	const struct place *place = *state;
	size_t i;

	for (i = 0; i < COUNT(read_cases); i++) {
		struct stint_runfile_info info;
		json_t *got = json_array();
		const char *c;
		int rc;

		spew(place->file, read_cases[i].text, read_cases[i].size);
		rc = stint_runfile_read(place->file, collect, got, &info);
		if (rc != read_cases[i].rc || info.records != read_cases[i].records ||
		    info.line != read_cases[i].line || info.truncated != read_cases[i].truncated)
			fail_msg("row %zu: rc %d, records %ju, line %ju, truncated %d, %s", i, rc,
				 (uintmax_t)info.records, (uintmax_t)info.line, info.truncated,
				 info.error);
		assert_int_equal(json_array_size(got), read_cases[i].records);
		if (read_cases[i].error == NULL)
			assert_string_equal(info.error, "");
		else if (strstr(info.error, read_cases[i].error) == NULL)
			fail_msg("row %zu: \"%s\"", i, info.error);
		for (c = info.error; *c != '\0'; c++)
			assert_in_range(*c, ' ', '~');
		json_decref(got);
	}
}

static void
what_is_no_file_is_named(void **state)
{
	const struct place *place = *state;
	struct stint_runfile_info info;

	assert_int_equal(stint_runfile_read(place->file, collect, NULL, &info), -ENOENT);
	assert_string_equal(info.error, "No such file or directory");
	assert_int_equal(stint_runfile_read(place->dir, collect, NULL, &info), -EISDIR);
	assert_string_equal(info.error, "Is a directory");
	assert_int_equal(info.line, 0);
}

static int
stop_at_second(void *arg, const char *type, const json_t *record)
{
	(void)type;
	(void)record;
	return ++*(int *)arg == 2 ? 42 : 0;
}

static void
callback_ends_the_reading(void **state)
{
	const struct place *place = *state;
	struct stint_runfile_info info;
	int calls = 0;

	spew(place->file, TEXT(OK OK OK "nonsense\n"));
	assert_int_equal(stint_runfile_read(place->file, stop_at_second, &calls, &info), 42);
	assert_int_equal(calls, 2);
	assert_int_equal(info.records, 2);
	assert_int_equal(info.line, 2);
	assert_string_equal(info.error, "");
}

static json_t *
long_record(size_t length)
{
	char *text = malloc(length);
	json_t *record;

	assert_non_null(text);
	memset(text, 'x', length);
	record = json_pack("{s:s, s:s%}", "type", "sample", "text", text, length);
	free(text);
	assert_non_null(record);
	return record;
}

static void
long_line_between_short_ones(void **state)
{
	const struct place *place = *state;
	json_t *want = json_pack("[{s:s},o,{s:s}]", "type", "a", long_record(5000000), "type", "b");
	json_t *got = json_array();
	struct stint_runfile_info info;

	write_all(place->file, want);
	assert_int_equal(stint_runfile_read(place->file, collect, got, &info), 0);
	assert_true(json_equal(got, want));
	json_decref(got);
	json_decref(want);
}

static void
what_is_there_stays(void **state)
{
	const struct place *place = *state;
	struct stint_runfile *rf;
	char path[128], *text;
	size_t size;

	spew(place->file, TEXT("precious"));
	assert_int_equal(stint_runfile_create(&rf, place->file), -EEXIST);
	assert_int_equal(stint_runfile_create_in(&rf, place->file, "t"), -ENOTDIR);
	text = slurp(place->file, &size);
	assert_string_equal(text, "precious");
	free(text);

	assert_int_equal(stint_runfile_create(&rf, place->dir), -EISDIR);
	snprintf(path, sizeof(path), "%s/absent/run", place->dir);
	assert_int_equal(stint_runfile_create(&rf, path), -ENOENT);
	assert_int_equal(stint_runfile_create_in(&rf, path, "t"), -ENOENT);
	snprintf(path, sizeof(path), "%s/link", place->dir);
	assert_int_equal(symlink("nowhere", path), 0);
	assert_int_equal(stint_runfile_create(&rf, path), -EEXIST);
}

/* as "DIR/mempool_perf_autotest-20261130T190000Z-4711-2.ndjson" should be */
static void
check_name(const char *path, const char *dir, time_t start, const char *suffix)
{
	struct tm tm = { 0 };
	char want[256];
	int pid;

	assert_int_equal(sscanf(path + strlen(dir),
				"/mempool_perf_autotest-%4d%2d%2dT%2d%2d%2dZ-%d", &tm.tm_year,
				&tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &pid),
			 7);
	snprintf(want, sizeof(want), "%s/mempool_perf_autotest-%04d%02d%02dT%02d%02d%02dZ-%d%s",
		 dir, tm.tm_year, tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		 (int)getpid(), suffix);
	assert_string_equal(path, want);
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	assert_int_equal(timegm(&tm), start);
}

static void
folder_gets_new_files(void **state)
{
	static const char *const suffix[] = { ".ndjson", "-2.ndjson", "-3.ndjson" };
	const struct place *place = *state;
	struct stint_runfile *rf[3];
	unsigned int i, attempt = 0;
	time_t start, end;
	char dir[128];

	setenv("TZ", "XYZ-5:30", 1);
	tzset();
	do { /* again if the second ended in between: then there was no clash */
		snprintf(dir, sizeof(dir), "%s/new-%u", place->dir, attempt++);
		start = time(NULL);
		for (i = 0; i < 3; i++)
			assert_int_equal(
				stint_runfile_create_in(&rf[i], dir, "mempool_perf_autotest"), 0);
		end = time(NULL);
		for (i = 0; i < 3 && start == end; i++)
			check_name(stint_runfile_path(rf[i]), dir, start, suffix[i]);
		for (i = 0; i < 3; i++) {
			assert_int_equal(access(stint_runfile_path(rf[i]), W_OK), 0);
			assert_int_equal(stint_runfile_close(rf[i]), 0);
		}
	} while (start != end);
}

static void
full_disk_is_an_error(void **state)
{
	struct stint_runfile *rf = create("/dev/full");

	(void)state;
	assert_int_equal(put(rf, json_pack("{s:s}", "type", "run")), -ENOSPC);
	assert_int_equal(put(rf, json_pack("{s:s}", "type", "end")), -ENOSPC);
	assert_int_equal(stint_runfile_close(rf), -ENOSPC);
}

/* a disk that fills up in the middle of the third line: RLIMIT_FSIZE allows half of it */
static void
disk_fills_up_within_a_line(void **state)
{
	const struct place *place = *state;
	struct rlimit old, low;
	struct stint_runfile_info info;
	struct stint_runfile *rf = create(place->file);
	json_t *got = json_array();
	struct stat st;
	int third, fourth;

	assert_int_equal(put(rf, long_record(100)), 0);
	assert_int_equal(put(rf, long_record(100)), 0);
	assert_int_equal(stat(place->file, &st), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = old;
	low.rlim_cur = (rlim_t)st.st_size + 50;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &low);
	third = put(rf, long_record(100));
	setrlimit(RLIMIT_FSIZE, &old);
	fourth = put(rf, long_record(100));
	assert_int_equal(third, -EFBIG);
	assert_int_equal(fourth, -EFBIG);
	assert_int_equal(stint_runfile_close(rf), -EFBIG);

	assert_int_equal(stat(place->file, &st), 0);
	assert_int_equal(st.st_size, low.rlim_cur);
	assert_int_equal(stint_runfile_read(place->file, collect, got, &info), 0);
	assert_int_equal(info.records, 2);
	assert_int_equal(info.truncated, 1);
	json_decref(got);
}

/* the file descriptor that the next open() will use */
static int
next_fd(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	close(fd);
	return fd;
}

static void
first_error_stays(void **state)
{
	const struct place *place = *state;
	int fd = next_fd();
	struct stint_runfile *rf = create(place->file);
	struct stat st;

	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(close(fd), 0);
	assert_int_equal(put(rf, json_pack("{s:s}", "type", "run")), -EBADF);
	assert_int_equal(open(place->file, O_WRONLY | O_CLOEXEC), fd);
	assert_int_equal(put(rf, json_pack("{s:s}", "type", "end")), -EBADF);
	assert_int_equal(stint_runfile_close(rf), -EBADF);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(stat(place->file, &st), 0);
	assert_int_equal(st.st_size, 0);
}

static void
close_is_checked(void **state)
{
	const struct place *place = *state;
	int fd = next_fd();
	struct stint_runfile *rf = create(place->file);

	assert_int_equal(put(rf, json_pack("{s:s}", "type", "run")), 0);
	close(fd);
	assert_int_equal(stint_runfile_close(rf), -EBADF);
}

static void
what_is_no_record_is_refused(void **state)
{
	const struct place *place = *state;
	json_t *bad[] = { NULL, json_object(), json_array(), json_pack("{s:i}", "type", 1) };
	char path[128];
	size_t i;

	for (i = 0; i < COUNT(bad); i++) {
		struct stint_runfile *rf;
		struct stat st;

		snprintf(path, sizeof(path), "%s/%zu", place->dir, i);
		rf = create(path);
		assert_int_equal(put(rf, bad[i]), -EINVAL);
		assert_int_equal(put(rf, json_pack("{s:s}", "type", "run")), -EINVAL);
		assert_int_equal(stint_runfile_close(rf), -EINVAL);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, 0);
	}
}

/*
 * A slow reader of a pipe who interrupts the writer several times before each read: the writer's
 * system call comes back short, and then with EINTR as the pipe is still full.
 */
struct slow_reader {
	const char *path;
	pthread_t writer;
	char *text;
	size_t size;
};

static int handled[2];

static void
on_signal(int sig)
{
	(void)sig;
	if (write(handled[1], "", 1) < 0)
		abort();
}

static void *
read_slowly(void *arg)
{
	struct slow_reader *r = arg;
	int fd = open(r->path, O_RDONLY | O_CLOEXEC);
	unsigned int i;
	ssize_t n = 1;
	char token;

	while (n > 0) {
		for (i = 0; i < 64; i++) {
			pthread_kill(r->writer, SIGUSR1);
			if (read(handled[0], &token, 1) != 1)
				abort();
		}
		r->text = realloc(r->text, r->size + 65536);
		n = read(fd, r->text + r->size, 65536);
		r->size += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return NULL;
}

static void
interrupted_writes_go_on(void **state)
{
	const struct place *place = *state;
	const struct sigaction interrupt = { .sa_handler = on_signal };
	struct slow_reader r = { .path = place->file, .writer = pthread_self() };
	json_t *record = long_record(1000000);
	char *want = json_dumps(record, JSON_COMPACT);
	struct stint_runfile *rf;
	int put_rc, close_rc;
	pthread_t thread;
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	assert_int_equal(pipe2(handled, O_CLOEXEC), 0);
	assert_int_equal(mkfifo(place->file, 0600), 0);
	assert_int_equal(sigaction(SIGUSR1, &interrupt, NULL), 0);
	/* not while open() waits for the reader: it does not go on after a signal */
	pthread_sigmask(SIG_BLOCK, &usr1, NULL);
	assert_int_equal(pthread_create(&thread, NULL, read_slowly, &r), 0);
	rf = create(place->file);
	pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
	put_rc = put(rf, record);
	close_rc = stint_runfile_close(rf);
	pthread_join(thread, NULL);

	assert_int_equal(put_rc, 0);
	assert_int_equal(close_rc, 0);
	assert_int_equal(r.size, strlen(want) + 1);
	assert_memory_equal(r.text, want, strlen(want));
	assert_int_equal(r.text[r.size - 1], '\n');
	free(r.text);
	free(want);
	close(handled[0]);
	close(handled[1]);
}

/* a locale made on the spot in the test's folder; skips the test if that cannot be done */
static void
use_decimal_mark(const struct place *place, const char *code)
{
	char path[128], source[128], command[256];

	snprintf(path, sizeof(path), "%s/source", place->dir);
	snprintf(source, sizeof(source),
		 "LC_NUMERIC\ndecimal_point \"%s\"\nthousands_sep \"\"\ngrouping -1\nEND "
		 "LC_NUMERIC\n",
		 code);
	spew(path, source, strlen(source));
	/* -c: the other categories are left out */
	snprintf(command, sizeof(command), "localedef -c -i %s -f UTF-8 %s/mark >/dev/null 2>&1",
		 path, place->dir);
	setenv("LOCPATH", place->dir, 1);
	/* localedef says 1 also for mere warnings */
	if (system(command) == -1 || setlocale(LC_NUMERIC, "mark") == NULL) {
		print_message(
			"localedef makes no locale here: is the package \"locales\" there?\n");
		skip();
	}
}

static void
check_decimal_mark(const struct place *place, const char *code, const char *mark)
{
	struct stint_runfile_info info;
	struct stint_runfile *rf;
	json_t *record, *got;
	size_t size;
	char *text;

	use_decimal_mark(place, code);
	assert_string_equal(localeconv()->decimal_point, mark);
	record = json_pack("{s:s, s:f}", "type", "round", "floor", 1234.5);
	got = json_array();
	rf = create(place->file);
	assert_int_equal(stint_runfile_write(rf, record), 0);
	assert_int_equal(stint_runfile_close(rf), 0);
	assert_int_equal(stint_runfile_read(place->file, collect, got, &info), 0);
	/* the caller's locale is as before */
	assert_string_equal(localeconv()->decimal_point, mark);
	setlocale(LC_NUMERIC, "C");
	text = slurp(place->file, &size);
	assert_string_equal(text, "{\"type\":\"round\",\"floor\":1234.5}\n");
	assert_true(json_equal(json_array_get(got, 0), record));
	free(text);
	json_decref(got);
	json_decref(record);
}

static void
decimal_comma_locale(void **state)
{
	check_decimal_mark(*state, "<U002C>", ",");
}

/* as in Pashto; jansson by itself aborts there */
static void
decimal_mark_of_two_bytes(void **state)
{
	check_decimal_mark(*state, "<U066B>", "\u066b");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_place, remove_place)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(records_read_back_as_written),
		TEST(cut_anywhere_is_readable),
		TEST(any_content_is_read_or_refused),
		TEST(what_is_no_file_is_named),
		TEST(callback_ends_the_reading),
		TEST(long_line_between_short_ones),
		TEST(what_is_there_stays),
		TEST(folder_gets_new_files),
		TEST(full_disk_is_an_error),
		TEST(disk_fills_up_within_a_line),
		TEST(first_error_stays),
		TEST(close_is_checked),
		TEST(what_is_no_record_is_refused),
		TEST(interrupted_writes_go_on),
		TEST(decimal_comma_locale),
		TEST(decimal_mark_of_two_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
