/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/*
 * Tests inside a program that has started EAL: what stint_main() reads from EAL's arguments is read
 * from the running EAL here.
 */

#include "hosted.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "memory.h"
#include "options.h"
#include "ports.h"
#include "registry.h"
#include "session.h"
#include "show.h"
#include "stint.h"
#include "tests.h"

static struct stint_session session;

static void
add_lcore(struct stint_eal_args *args, const struct stint_host *host, unsigned int id)
{
	struct stint_eal_lcore *lcore = &args->lcores[args->n_lcores++];
	rte_cpuset_t cpus = rte_lcore_cpuset(id);
	int cpu = 0;

	lcore->id = id;
	lcore->cpus = cpus;
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &cpus))
		cpu++;
	lcore->socket = host->socket[cpu];
}

/* The program may use lcores of its own: those that wait are free. */
static void
find_lcores(struct stint_eal_args *args, const struct stint_host *host)
{
	unsigned int id;

	args->main_lcore = rte_get_main_lcore();
	args->lcores_given = true;
	RTE_LCORE_FOREACH (id) {
		if (id == args->main_lcore || rte_eal_get_lcore_state(id) == WAIT)
			add_lcore(args, host, id);
	}
}

/* Without hugepages the heap is all there is. */
static void
find_memory(struct stint_eal_args *args)
{
	struct rte_malloc_socket_stats stats;

	args->no_huge = !rte_eal_has_hugepages();
	if (args->no_huge && rte_malloc_get_socket_stats(0, &stats) == 0)
		args->mem_bytes = stats.heap_freesz_bytes + STINT_EAL_BYTES;
}

static enum stint_exit
read_eal(struct stint_session *s, char *error, size_t size)
{
	if (rte_lcore_count() == 0) {
		snprintf(error, size, "stint_run() before rte_eal_init(); stint_main() starts EAL");
		return STINT_BROKEN;
	}
	if (rte_lcore_id() != rte_get_main_lcore()) {
		snprintf(error, size, "stint_run() is for the main lcore, %u",
			 rte_get_main_lcore());
		return STINT_BROKEN;
	}
	if (stint_host_read(&s->host, "") != 0) {
		snprintf(error, size, "the CPUs of this machine are not known");
		return STINT_BROKEN;
	}
	find_lcores(&s->args, &s->host);
	find_memory(&s->args);
	s->eal = s->args;
	stint_machine_init(&s->machine, &s->host, &s->args);
	stint_ports_take(&s->machine, &s->ported, false);
	s->asked = s->machine;
	s->hosted = s->eal_up = true;
	stint_memory_refresh(s);
	return STINT_PASS;
}

static enum stint_exit
run(struct stint_session *s, const struct stint_options *o, char *error, size_t size)
{
	enum stint_exit rc = read_eal(s, error, size);

	if (rc == STINT_PASS && o->plan)
		return stint_show_plan(s->out, s, o, error, size) == 0 ? rc : STINT_USAGE;
	if (rc == STINT_PASS && o->n_tests == 0) {
		snprintf(error, size, "no test is named; --list shows them");
		return STINT_USAGE;
	}
	if (rc != STINT_PASS)
		return rc;
	stint_clock_init(&s->clock);
	s->log.summary = stint_summary_new();
	if (s->log.summary == NULL) {
		snprintf(error, size, "out of memory");
		return STINT_BROKEN;
	}
	rc = stint_tests_open(s, o, error, size);
	if (rc == STINT_PASS)
		rc = stint_tests_run(s, o);
	return stint_tests_finish(s, rc);
}

/* All words are the runner's, none are EAL's. */
static char **
without_eal(int argc, char **argv)
{
	static char name[] = "stint", dashes[] = "--";
	char **words = calloc(argc + 3, sizeof(*words));

	if (words == NULL)
		return NULL;
	words[0] = argc > 0 ? argv[0] : name;
	words[1] = dashes;
	for (int i = 1; i < argc; i++)
		words[i + 1] = argv[i];
	return words;
}

int
stint_hosted(int argc, char **argv)
{
	struct stint_session *s = &session;
	static struct stint_options options;
	char error[1024] = "";
	int rc;

	memset(s, 0, sizeof(*s));
	memset(&options, 0, sizeof(options));
	rc = stint_session_begin(s, &options, argc, argv, error, sizeof(error));
	if (rc == STINT_PASS && options.n_eal > 0) {
		snprintf(error, sizeof(error),
			 "%s: EAL runs already, its options come too late; give them to the "
			 "program's rte_eal_init()",
			 options.eal[0]);
		rc = STINT_USAGE;
	}
	if (rc == STINT_PASS && !stint_show(s->out, &options))
		rc = run(s, &options, error, sizeof(error));
	rc = stint_session_report(s, rc, error);
	free(options.eal);
	return rc;
}

int
stint_run(int argc, char **argv)
{
	char **words = without_eal(argc, argv);
	int rc;

	if (words == NULL)
		return STINT_BROKEN;
	rc = stint_hosted(RTE_MAX(argc, 1) + 1, words);
	free(words);
	return rc;
}

void
stint_run_stop(void)
{
	atomic_store(&session.signal, SIGTERM);
	stint_slice_cut(&session.slice);
}
