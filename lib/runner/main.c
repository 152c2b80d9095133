/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "stint.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eal_start.h"
#include "options.h"
#include "plan.h"
#include "prompt.h"
#include "registry.h"
#include "session.h"
#include "show.h"
#include "stop.h"

#define MIB (UINT64_C(1) << 20)
/* What a start without hugepages gets if nothing more is needed. */
#define NO_HUGE_LEAST (64 * MIB)

static struct stint_session session;

/* What came of all tests so far. */
struct tally {
	struct stint_session *s;
	const struct stint_options *o;
	unsigned int passed, failed, skipped;
	enum stint_exit broken; /* STINT_USAGE or STINT_BROKEN of any test */
};

static int
complain(const char *error)
{
	fprintf(stderr, "stint: %s\n", error);
	return -1;
}

static bool
to_be_skipped(const struct stint_options *o, const struct stint_test *test)
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

	if (to_be_skipped(t->o, test)) {
		fprintf(t->s->out, "%s: skip: named in DPDK_TEST_SKIP\n", test->name);
		status = STINT_SKIP;
	} else {
		status = stint_session_run(t->s, test);
	}
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

/* ---- before EAL ---------------------------------------------------------------------------- */

/* -m and --socket-mem are amounts: more than there is makes a skip, before EAL refuses it. */
static int
check_asked_memory(const struct stint_session *s, char *error, size_t size)
{
	uint64_t asked = s->args.mem_bytes, have = 0;

	for (unsigned int i = 0; i < RTE_MAX_NUMA_NODES; i++) {
		asked += s->args.socket_mem[i];
		for (unsigned int k = 0; k < s->host.n_pages; k++)
			have += s->host.pages[k].at_start[i] * s->host.pages[k].page_bytes;
	}
	if (s->args.no_huge || asked <= have)
		return 0;
	snprintf(error, size,
		 "skip: EAL is asked to take %llu MiB of hugepages, have %llu MiB free; "
		 "raise nr_hugepages, or leave -m and --socket-mem out",
		 (unsigned long long)(asked / MIB), (unsigned long long)(have / MIB));
	return -1;
}

static enum stint_exit
read_machine(struct stint_session *s, const struct stint_options *o, char *error, size_t size)
{
	enum stint_eal_verdict verdict;

	int rc = stint_host_read(&s->host, "");

	if (!s->host.have_sys) {
		snprintf(error, size,
			 "/sys is not mounted, or empty: EAL finds no CPU without it; mount -t "
			 "sysfs none /sys");
		return STINT_BROKEN;
	}
	if (!s->host.have_proc) {
		snprintf(error, size,
			 "/proc is not mounted, or empty: limits, mounts and affinity stand "
			 "there; mount -t proc proc /proc");
		return STINT_BROKEN;
	}
	if (rc != 0) {
		snprintf(error, size, "the CPUs of this machine are not known: %s", strerror(-rc));
		return STINT_BROKEN;
	}
	verdict = stint_eal_args_parse(&s->args, o->n_eal, o->eal, &s->host, error, size);
	if (verdict != STINT_EAL_OK)
		return verdict == STINT_EAL_WRONG ? STINT_USAGE : STINT_SKIP;
	if (check_asked_memory(s, error, size) != 0)
		return STINT_SKIP;
	s->eal = s->args;
	stint_machine_init(&s->asked, &s->host, &s->args);
	s->machine = s->asked;
	return STINT_PASS;
}

static bool
has_hugepages(const struct stint_machine *m)
{
	for (unsigned int i = 0; i < RTE_MAX_NUMA_NODES; i++) {
		if (m->have_bytes[i] > 0)
			return true;
	}
	return false;
}

/* All that some test needs at once when EAL has no hugepages, which cannot grow. */
static uint64_t
need_without_hugepages(const struct stint_session *s, const struct stint_options *o)
{
	struct stint_eal_args args = s->args;
	struct stint_machine m;
	const struct stint_test *t;
	uint64_t most = NO_HUGE_LEAST;
	char error[512];

	args.no_huge = true;
	args.mem_bytes = UINT64_MAX / 2;
	stint_machine_init(&m, &s->host, &args);
	STINT_FOREACH_TEST (t) {
		bool wanted = o->n_tests == 0;
		struct stint_plan plan;

		for (unsigned int i = 0; i < o->n_tests; i++)
			wanted |= o->tests[i] == t;
		if (t->suite == STINT_SUITE_PERF && !s->args.no_huge)
			wanted = false;
		if (!wanted || stint_plan_init(&plan, t, &m, o->settings, o->n_settings, o->select,
					       o->budget_ns, error, sizeof(error)) != 0)
			continue;
		most = RTE_MAX(most, stint_need_total(&plan.need_all));
		stint_plan_free(&plan);
	}
	return most;
}

/* Nobody said how EAL is to hold its memory. */
static bool
may_fall_back(const struct stint_eal_args *a)
{
	return !a->in_memory && !a->legacy_mem && !a->socket_limit_given && !a->socket_mem_given &&
	       a->mem_bytes == 0 && a->huge_dir == NULL;
}

/* What the plans before EAL say of all tests to be run. */
struct outlook {
	bool all_skip; /* EAL is not needed */
	bool without;  /* only fast tests can run, and only without hugepages */
};

static enum stint_exit
plan_all(const struct stint_session *s, const struct stint_options *o, struct outlook *outlook,
	 char *error, size_t size)
{
	unsigned int fit = 0, fall_back = 0;

	for (unsigned int i = 0; i < o->n_tests; i++) {
		const struct stint_test *t = o->tests[i];
		struct stint_plan plan;
		int rc = stint_plan_init(&plan, t, &s->asked, o->settings, o->n_settings, o->select,
					 o->budget_ns, error, size);

		if (rc != 0)
			return rc == -EINVAL ? STINT_USAGE : STINT_BROKEN;
		if (!to_be_skipped(o, t) && plan.skip == NULL)
			fit++;
		else if (!to_be_skipped(o, t) && t->suite == STINT_SUITE_FAST &&
			 (t->flags & STINT_NO_HUGE) != 0 && may_fall_back(&s->args))
			fall_back++;
		stint_plan_free(&plan);
	}
	outlook->all_skip = o->n_tests > 0 && fit + fall_back == 0;
	outlook->without =
		s->args.no_huge || (may_fall_back(&s->args) &&
				    ((fit == 0 && fall_back > 0) || !has_hugepages(&s->asked)));
	return STINT_PASS;
}

/* ---- results ------------------------------------------------------------------------------- */

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

/* ---- the run ------------------------------------------------------------------------------- */

static enum stint_exit
run_tests(struct tally *t)
{
	const struct stint_options *o = t->o;
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

static enum stint_exit
start_and_run(struct stint_session *s, const struct stint_options *o, char *error, size_t size)
{
	struct tally tally = { .s = s, .o = o };
	struct outlook outlook;
	enum stint_exit rc = plan_all(s, o, &outlook, error, size);

	if (rc == STINT_PASS && o->results != NULL)
		rc = open_results(s, o->results, error, size);
	else if (rc == STINT_PASS && stint_log_put(&s->log, stint_run_record(s)) != 0)
		rc = STINT_BROKEN;
	if (rc != STINT_PASS)
		return rc;
	if (outlook.all_skip)
		return run_tests(&tally);
	rc = stint_eal_start(s, o, outlook.without ? need_without_hugepages(s, o) : 0, error, size);
	if (rc != STINT_PASS)
		return rc;
	if (!s->args.lcores_given && !s->quiet)
		fprintf(s->out, "stint: %u lcore%s of %d CPUs\n", s->machine.n_lcores,
			s->machine.n_lcores == 1 ? "" : "s", CPU_COUNT(&s->host.online));
	rc = run_tests(&tally);
	stint_eal_end(s);
	return rc;
}

static enum stint_exit
finish(struct stint_session *s, enum stint_exit rc)
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
	stint_stop_finished();
	return signal != 0 ? 128 + signal : (int)rc;
}

static enum stint_exit
show(struct stint_session *s, const struct stint_options *o, char *error, size_t size)
{
	enum stint_exit rc;

	if (o->help) {
		if (o->n_tests == 0)
			stint_show_usage(s->out);
		for (unsigned int i = 0; i < o->n_tests; i++)
			stint_show_test(s->out, o->tests[i]);
		return STINT_PASS;
	}
	if (o->list) {
		stint_show_list(s->out, o->json);
		return STINT_PASS;
	}
	rc = read_machine(s, o, error, size);
	if (rc == STINT_PASS && stint_show_plan(s->out, s, o, error, size) != 0)
		rc = STINT_USAGE;
	return rc;
}

static enum stint_exit
run(struct stint_session *s, const struct stint_options *o, char *error, size_t size)
{
	enum stint_exit rc;

	s->log.summary = stint_summary_new();
	if (s->log.summary == NULL || stint_stop_init(s) != 0) {
		snprintf(error, size, "out of memory or threads");
		return STINT_BROKEN;
	}
	rc = start_and_run(s, o, error, size);
	return finish(s, rc);
}

int
stint_main(int argc, char **argv)
{
	struct stint_session *s = &session;
	static struct stint_options options;
	char error[1024] = "";
	enum stint_exit rc = STINT_USAGE;

	s->out = stdout;
	/* a limit is found as EFBIG where something is written */
	signal(SIGXFSZ, SIG_IGN);
	s->argc = argc;
	s->argv = argv;
	s->started_ns = stint_monotonic_ns();
	pthread_mutex_init(&s->log.lock, NULL);
	if (stint_registry_check(error, sizeof(error)) != 0) {
		complain(error);
		return STINT_BROKEN;
	}
	if (stint_options_read(&options, argc, argv, error, sizeof(error)) != 0 ||
	    stint_limit_check(&options, error, sizeof(error)) != 0) {
		complain(error);
		return rc;
	}
	s->seed = options.seed;
	s->budget_ns = options.budget_ns;
	s->settings = options.settings;
	s->n_settings = options.n_settings;
	s->select = options.select;
	s->quiet = options.quiet;
	s->verbose = options.verbose;
	s->tty = isatty(STDOUT_FILENO);
	if (options.help || options.list || options.plan) {
		rc = show(s, &options, error, sizeof(error));
	} else {
		stint_clock_init(&s->clock);
		rc = read_machine(s, &options, error, sizeof(error));
		if (rc == STINT_PASS)
			rc = run(s, &options, error, sizeof(error));
	}
	if (error[0] != '\0')
		complain(error);
	errno = 0;
	/* a terminal that has hung up takes no more, and asked for the end */
	if (!s->tty && (fflush(s->out) != 0 || ferror(s->out)) &&
	    (rc == STINT_PASS || rc == STINT_SKIP)) {
		fprintf(stderr, "stint: standard output: %s\n", strerror(errno != 0 ? errno : EIO));
		rc = STINT_FAIL;
	}
	return rc;
}
