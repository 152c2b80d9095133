/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "tests.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "prompt.h"
#include "registry.h"

/* What came of all tests so far. */
struct tally {
	struct stint_session *s;
	const struct stint_options *o;
	unsigned int passed, failed, skipped;
	enum stint_exit broken; /* STINT_USAGE or STINT_BROKEN of any test */
};

bool
stint_tests_skips(const struct stint_options *o, const struct stint_test *test)
{
	for (unsigned int i = 0; i < o->n_skips; i++) {
		if (o->skips[i] == test)
			return true;
	}
	return false;
}

static enum stint_exit
run_one(void *arg, const struct stint_test *test)
{
	struct tally *t = arg;
	enum stint_exit status;

	if (stint_tests_skips(t->o, test))
		status = stint_session_skip(t->s, test, "named in DPDK_TEST_SKIP");
	else
		status = stint_session_run(t->s, test);
	t->passed += status == STINT_PASS;
	t->skipped += status == STINT_SKIP;
	t->failed += status == STINT_FAIL;
	if (status == STINT_USAGE || status == STINT_BROKEN)
		t->broken = status;
	return status;
}

static enum stint_exit
exit_of(const struct tally *t)
{
	if (t->failed > 0 || t->broken != STINT_PASS)
		return t->broken != STINT_PASS && t->passed + t->failed + t->skipped == 0
			       ? t->broken
			       : STINT_FAIL;
	return t->skipped > 0 && t->passed == 0 ? STINT_SKIP : STINT_PASS;
}

/* A folder gets a file for each test; a file takes all of them. Refused before measuring. */
static enum stint_exit
open_results(struct stint_session *s, const char *path, char *error, size_t size)
{
	size_t len = strlen(path);
	struct stat st;
	int rc;

	if ((stat(path, &st) == 0 && S_ISDIR(st.st_mode)) || (len > 0 && path[len - 1] == '/') ||
	    (path == getenv("STINT_RESULTS") && strstr(path, ".ndjson") == NULL)) {
		if ((mkdir(path, 0777) != 0 && errno != EEXIST) || access(path, W_OK | X_OK) != 0) {
			snprintf(error, size, "results folder %s: %s", path, strerror(errno));
			return STINT_USAGE;
		}
		s->folder = path;
		return STINT_PASS;
	}
	rc = stint_runfile_create(&s->log.file, path);
	if (rc != 0) {
		snprintf(error, size, "results file %s: %s%s", path, strerror(-rc),
			 rc == -EEXIST ? "; nothing is ever overwritten" : "");
		return STINT_USAGE;
	}
	rc = stint_log_put(&s->log, stint_run_record(s));
	if (rc == 0)
		return STINT_PASS;
	snprintf(error, size, "results file %s: %s", path, strerror(-rc));
	return STINT_FAIL;
}

enum stint_exit
stint_tests_open(struct stint_session *s, const struct stint_options *o, char *error, size_t size)
{
	if (o->results != NULL)
		return open_results(s, o->results, error, size);
	return stint_log_put(&s->log, stint_run_record(s)) == 0 ? STINT_PASS : STINT_BROKEN;
}

enum stint_exit
stint_tests_run(struct stint_session *s, const struct stint_options *o)
{
	struct tally tally = { .s = s, .o = o }, *t = &tally;
	enum stint_exit rc = STINT_PASS;

	for (unsigned int i = 0; i < o->n_tests && !stint_interrupted(t->s); i++)
		run_one(t, o->tests[i]);
	if (o->n_tests == 0)
		rc = stint_prompt(t->s, o, run_one, t);
	if (t->passed + t->failed + t->skipped > 1)
		fprintf(t->s->out, "%u passed, %u failed, %u skipped\n", t->passed, t->failed,
			t->skipped);
	return rc != STINT_PASS ? rc : exit_of(t);
}

int
stint_tests_finish(struct stint_session *s, enum stint_exit rc)
{
	int signal;

	stint_flush(s);
	signal = atomic_load(&s->signal);
	stint_session_end(s, rc, signal);
	if (s->log.error != 0 && rc == STINT_PASS) {
		fprintf(stderr, "stint: results: %s\n", strerror(-s->log.error));
		rc = STINT_FAIL;
	}
	stint_summary_free(s->log.summary);
	s->log.summary = NULL;
	return signal != 0 ? 128 + signal : (int)rc;
}

enum stint_exit
stint_session_begin(struct stint_session *s, struct stint_options *o, int argc, char **argv,
		    char *error, size_t size)
{
	s->out = stdout;
	s->argc = argc;
	s->argv = argv;
	s->started_ns = stint_monotonic_ns();
	pthread_mutex_init(&s->log.lock, NULL);
	if (stint_registry_check(error, size) != 0)
		return STINT_BROKEN;
	if (stint_options_read(o, argc, argv, error, size) != 0 ||
	    stint_limit_check(o, error, size) != 0)
		return STINT_USAGE;
	s->seed = o->seed;
	s->budget_ns = o->budget_ns;
	s->settings = o->settings;
	s->n_settings = o->n_settings;
	s->select = o->select;
	s->quiet = o->quiet;
	s->verbose = o->verbose;
	s->tty = isatty(STDOUT_FILENO);
	return STINT_PASS;
}

int
stint_session_report(struct stint_session *s, int rc, char *error)
{
	bool lost;

	/* what a user typed may hold anything; an error is one line */
	for (char *c = error; *c != '\0'; c++) {
		if (iscntrl((unsigned char)*c))
			*c = '?';
	}
	if (error[0] != '\0')
		fprintf(stderr, "stint: %s\n", error);
	lost = ferror(s->out) || s->out_error != 0;
	errno = 0;
	if (fflush(s->out) != 0 && s->out_error == 0)
		s->out_error = errno;
	lost |= s->out_error != 0;
	/* a terminal that has hung up takes no more, and asked for the end */
	if (lost && !s->tty && (rc == STINT_PASS || rc == STINT_SKIP)) {
		fprintf(stderr, "stint: standard output: %s\n",
			strerror(s->out_error != 0 ? s->out_error : EIO));
		rc = STINT_FAIL;
	}
	return rc;
}
