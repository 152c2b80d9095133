/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "stint.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include <rte_lcore.h>

#include "eal_start.h"
#include "guard.h"
#include "hosted.h"
#include "options.h"
#include "plan.h"
#include "precheck.h"
#include "registry.h"
#include "session.h"
#include "show.h"
#include "stop.h"
#include "tests.h"

#define MIB (UINT64_C(1) << 20)
/* What a start without hugepages gets if nothing more is needed. */
#define NO_HUGE_LEAST (64 * MIB)

static struct stint_session session;

/* ---- before EAL ---------------------------------------------------------------------------- */

/* What EAL could take at its start: what it counts there, and what can be had. */
static uint64_t
at_start(const struct stint_session *s, unsigned int socket)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < s->host.n_pages; i++)
		bytes += s->host.pages[i].at_start[socket] * s->host.pages[i].page_bytes;
	return RTE_MIN(bytes, s->asked.have_bytes[socket]);
}

static int
refuse_amount(uint64_t asked, uint64_t have, uint64_t page_bytes, const char *where, char *error,
	      size_t size)
{
	snprintf(error, size,
		 "skip: EAL is asked to take %llu MiB of hugepages%s, have %llu MiB free in pages "
		 "of %llu KiB; raise nr_hugepages or the limit that is lower, or leave -m and "
		 "--socket-mem out",
		 (unsigned long long)((asked + MIB - 1) / MIB), where,
		 (unsigned long long)(have / MIB), (unsigned long long)(page_bytes >> 10));
	return -1;
}

/* -m and --socket-mem are amounts: more than there is makes a skip, before EAL refuses it. */
static int
check_asked_memory(const struct stint_session *s, char *error, size_t size)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < RTE_MAX_NUMA_NODES && !s->args.no_huge; i++) {
		uint64_t asked = s->args.socket_mem[i], have = at_start(s, i);
		char where[32];

		snprintf(where, sizeof(where), " on socket %u", i);
		if (asked > have)
			return refuse_amount(asked, have, s->asked.page_bytes, where, error, size);
		sum += have;
	}
	if (s->args.no_huge || s->args.mem_bytes <= sum)
		return 0;
	return refuse_amount(s->args.mem_bytes, sum, s->asked.page_bytes, "", error, size);
}

/* All that some test needs at once when EAL has no hugepages, which cannot grow. */
static uint64_t
need_without_hugepages(const struct stint_session *s, const struct stint_options *o)
{
	struct stint_eal_args args = s->args;
	struct stint_machine m;
	const struct stint_test *t;
	uint64_t most = NO_HUGE_LEAST, there = 0;
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
	for (unsigned int i = 0; i < RTE_MAX_NUMA_NODES; i++)
		there += RTE_MIN(s->host.mem_free_bytes[i], UINT64_MAX / RTE_MAX_NUMA_NODES);
	return RTE_MIN(most, RTE_MAX(there, NO_HUGE_LEAST));
}

static enum stint_exit
read_machine(struct stint_session *s, const struct stint_options *o, char *error, size_t size)
{
	volatile enum stint_eal_verdict verdict = STINT_EAL_OK;
	int fault;

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
	/* plugins of -d are loaded to see whether they can be */
	stint_eal_starting(s, true);
	STINT_GUARDED(
		STINT_GUARD_ALL, fault,
		verdict = stint_eal_args_parse(&s->args, o->n_eal, o->eal, &s->host, error, size));
	stint_eal_starting(s, false);
	if (fault != 0) {
		snprintf(error, size, "-d %s: the plugin broke off with SIG%s while it was loaded",
			 s->args.plugins[s->args.n_plugins - 1], sigabbrev_np(fault));
		return STINT_BROKEN;
	}
	if (verdict != STINT_EAL_OK)
		return verdict == STINT_EAL_WRONG ? STINT_USAGE : STINT_SKIP;
	s->eal = s->args;
	/* without -m EAL gets what the tests need */
	if (s->args.no_huge && s->args.mem_bytes == 0)
		s->eal.mem_bytes = need_without_hugepages(s, o);
	stint_machine_init(&s->asked, &s->host, &s->eal);
	if (check_asked_memory(s, error, size) != 0)
		return STINT_SKIP;
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
		if (!stint_tests_skips(o, t) && plan.skip == NULL)
			fit++;
		else if (!stint_tests_skips(o, t) && t->suite == STINT_SUITE_FAST &&
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

static enum stint_exit
start_and_run(struct stint_session *s, const struct stint_options *o, char *error, size_t size)
{
	struct outlook outlook;
	enum stint_exit rc = plan_all(s, o, &outlook, error, size);

	if (rc == STINT_PASS)
		rc = stint_tests_open(s, o, error, size);
	if (rc != STINT_PASS)
		return rc;
	if (outlook.all_skip)
		return stint_tests_run(s, o);
	rc = stint_eal_start(s, o, outlook.without ? need_without_hugepages(s, o) : 0, error, size);
	if (rc != STINT_PASS)
		return rc;
	if (!s->args.lcores_given && !s->quiet)
		fprintf(s->out, "stint: %u lcore%s of %d CPUs\n", s->machine.n_lcores,
			s->machine.n_lcores == 1 ? "" : "s", CPU_COUNT(&s->host.online));
	rc = stint_tests_run(s, o);
	stint_eal_end(s);
	return rc;
}

static enum stint_exit
run(struct stint_session *s, const struct stint_options *o, char *error, size_t size)
{
	enum stint_exit rc;

	s->log.summary = stint_summary_new();
	if (s->log.summary == NULL) {
		snprintf(error, size, "out of memory");
		return STINT_BROKEN;
	}
	rc = stint_precheck_threads(s, error, size);
	if (rc == STINT_PASS && stint_stop_init(s) != 0) {
		snprintf(error, size, "no thread for signals: %s", strerror(EAGAIN));
		rc = STINT_BROKEN;
	}
	if (rc != STINT_PASS)
		return rc;
	stint_clock_init(&s->clock);
	rc = start_and_run(s, o, error, size);
	rc = stint_tests_finish(s, rc);
	stint_stop_finished();
	return rc;
}

/* What asks for no EAL. */
static enum stint_exit
show(struct stint_session *s, const struct stint_options *o, char *error, size_t size)
{
	enum stint_exit rc = STINT_PASS;

	if (stint_show(s->out, o))
		return rc;
	rc = read_machine(s, o, error, size);
	if (rc == STINT_PASS && stint_show_plan(s->out, s, o, error, size) != 0)
		rc = STINT_USAGE;
	return rc;
}

/*
 * A closed standard stream would lend its number to the next file that is opened. What is written
 * to standard output then fails, and is told.
 */
static void
open_streams(void)
{
	static const int modes[] = { O_RDWR, O_RDONLY, O_RDWR };

	for (int fd = 0; fd < (int)RTE_DIM(modes); fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", modes[fd]);
	}
}

int
stint_main(int argc, char **argv)
{
	struct stint_session *s = &session;
	static struct stint_options options;
	char error[1024] = "";
	enum stint_exit rc;

	if (rte_lcore_count() > 0)
		return stint_hosted(argc, argv);
	/* a limit is found as EFBIG where something is written */
	signal(SIGXFSZ, SIG_IGN);
	open_streams();
	stint_stop_take_faults();
	rc = stint_session_begin(s, &options, argc, argv, error, sizeof(error));
	if (rc == STINT_PASS && (options.help || options.list || options.plan))
		rc = show(s, &options, error, sizeof(error));
	else if (rc == STINT_PASS)
		rc = read_machine(s, &options, error, sizeof(error));
	if (rc == STINT_PASS && !options.help && !options.list && !options.plan)
		rc = run(s, &options, error, sizeof(error));
	return stint_session_report(s, rc, error);
}
