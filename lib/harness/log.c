/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_version.h>

#include "narrate.h"

/* A thread that waits this long for the lock finds it stuck. */
#define STUCK_NS 50000000

void
stint_flush(struct stint_session *s)
{
	if (fflush(s->out) == 0)
		return;
	if (s->out_error == 0)
		s->out_error = errno;
	if (errno != EPIPE)
		return;
	atomic_store(&s->signal, SIGPIPE);
	stint_slice_cut(&s->slice);
}

int
stint_log_put(struct stint_log *log, json_t *record)
{
	int rc;

	if (record == NULL)
		return -ENOMEM;
	pthread_mutex_lock(&log->lock);
	if (log->error == 0 && log->file != NULL)
		log->error = stint_runfile_write(log->file, record);
	rc = stint_summary_add(log->summary, record);
	if (log->error != 0)
		rc = log->error;
	pthread_mutex_unlock(&log->lock);
	json_decref(record);
	return rc;
}

/* A write may be stuck in a pipe that nobody reads. */
static int
lock_for_a_while(struct stint_log *log)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += STUCK_NS;
	until.tv_sec += until.tv_nsec / (long)STINT_SECOND_NS;
	until.tv_nsec %= (long)STINT_SECOND_NS;
	return -pthread_mutex_timedlock(&log->lock, &until);
}

static void
close_file(struct stint_log *log, json_t *end)
{
	int rc;

	if (log->file == NULL)
		return;
	if (log->error == 0)
		log->error = stint_runfile_write(log->file, end);
	rc = stint_runfile_close(log->file);
	if (log->error == 0)
		log->error = rc;
	log->file = NULL;
}

int
stint_session_end(struct stint_session *s, int exit_code, int signal)
{
	json_t *record = json_pack("{s:s, s:i, s:i, s:f}", "type", "end", "exit",
				   signal != 0 ? 128 + signal : exit_code, "signal", signal,
				   "tsc_hz", s->clock.hz);
	int rc = lock_for_a_while(&s->log);

	if (rc == 0) {
		close_file(&s->log, record);
		pthread_mutex_unlock(&s->log.lock);
	}
	json_decref(record);
	return rc;
}

void
stint_session_print_test(struct stint_session *s, const char *test)
{
	flockfile(s->out);
	stint_summary_print_test(s->log.summary, test, s->out);
	funlockfile(s->out);
}

void
stint_session_print_partial(struct stint_session *s)
{
	const struct stint_test *test;

	/* neither is given back: the main thread has nothing to add */
	if (lock_for_a_while(&s->log) != 0 || ftrylockfile(s->out) != 0)
		return;
	test = atomic_load(&s->current);
	if (test == NULL)
		return;
	fputc('\n', s->out);
	stint_summary_print_test(s->log.summary, test->name, s->out);
	stint_narrate_under_way(s, atomic_load(&s->cell));
	fflush(s->out);
}

static json_t *
lcore_record(const struct stint_eal_lcore *lcore)
{
	json_t *cpus = json_array();

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &lcore->cpus))
			json_array_append_new(cpus, json_integer(cpu));
	}
	return json_pack("{s:i, s:o, s:i}", "id", (int)lcore->id, "cpus", cpus, "socket",
			 lcore->socket);
}

static const char *
page_name(const struct stint_machine *m)
{
	if (m->any_socket)
		return "4K";
	return m->page_bytes >= UINT64_C(1) << 30 ? "1G" : "2M";
}

json_t *
stint_run_record(const struct stint_session *s)
{
	json_t *argv = json_array(), *lcores = json_array();
	time_t now = time(NULL);
	char started[32];
	struct tm tm;

	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	for (int i = 0; i < s->argc; i++) {
		json_t *word = json_string(s->argv[i]);

		/* JSON holds UTF-8 only */
		json_array_append_new(argv, word != NULL ? word : json_string("?"));
	}
	for (unsigned int i = 0; i < s->machine.n_lcores; i++)
		json_array_append_new(lcores, lcore_record(&s->machine.lcores[i]));
	return json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:f, s:s, s:o,"
			 " s:f, s:b, s:s, s:o}",
			 "type", "run", "schema", STINT_RUNFILE_SCHEMA, "started", started, "host",
			 s->host.name, "cpu_model", s->host.cpu_model, "kernel", s->host.kernel,
			 "dpdk", rte_version(), "build", STINT_BUILD, "argv", argv, "seed",
			 (json_int_t)s->seed, "tsc_hz", s->clock.hz, "pages",
			 page_name(&s->machine), "lcores", lcores, "quota_cpus", s->host.quota_cpus,
			 "tsc_reliable", (int)(s->host.constant_tsc && s->host.nonstop_tsc),
			 "governor", s->host.governor, "isolated",
			 json_integer(CPU_COUNT(&s->host.isolated)));
}
