/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "stop.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "eal_start.h"
#include "grid.h"
#include "guard.h"

#define GRACE_NS 200000000

/* Ends that are asked for. SIGPIPE is one that somebody sends; a pipe without a reader is EPIPE. */
static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU };

static struct {
	struct stint_session *s;
	pthread_t thread;
	atomic_bool waits; /* the thread is there */
	_Atomic int fault; /* a signal that the process is about to die of */
	atomic_bool told;
	sigset_t signals;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool finished;
	bool have_terminal;
	struct termios terminal;
} stop = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool
await_finish(void)
{
	struct timespec until;
	bool finished;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += GRACE_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&stop.lock);
	while (!stop.finished && rc == 0)
		rc = pthread_cond_timedwait(&stop.cond, &stop.lock, &until);
	finished = stop.finished;
	pthread_mutex_unlock(&stop.lock);
	return finished;
}

/* All that can be done without the main thread. */
static void
close_all(struct stint_session *s, int signal)
{
	stint_session_end(s, 0, signal);
	stint_session_print_partial(s);
	stint_eal_files_remove(s);
	if (stop.have_terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &stop.terminal);
}

/* The main thread is stuck, perhaps in a system call: leave without it. */
static void
leave(struct stint_session *s, int signal)
{
	close_all(s, signal);
	_exit(128 + signal);
}

static void
tell_fault(struct stint_session *s, int signal)
{
	close_all(s, signal);
	atomic_store(&stop.told, true);
}

/* Whatever lock the fault was met under: no stream, no heap. */
static void
say_fault(struct stint_session *s, int signal)
{
	const struct stint_test *test = atomic_load(&s->current);
	const struct stint_cell *cell = atomic_load(&s->cell);
	char labels[256] = "", line[512];
	int n;

	if (cell != NULL)
		stint_labels_format(labels, sizeof(labels), cell->labels);
	n = snprintf(line, sizeof(line),
		     "stint: SIG%s in %s%s%s: a fault of the test, or of what it tests\n",
		     sigabbrev_np(signal), test != NULL ? test->name : "the runner",
		     labels[0] != '\0' ? ", " : "", labels);
	if (n > 0 && write(STDERR_FILENO, line, RTE_MIN((size_t)n, sizeof(line) - 1)) < 0)
		return;
}

/* In the handler of the fault: have the other thread tell of it, for a while. */
static void
on_fault(int signal)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	if (!atomic_load(&stop.waits))
		return;
	say_fault(stop.s, signal);
	atomic_store(&stop.fault, signal);
	pthread_kill(stop.thread, SIGTERM);
	for (int i = 0; i < 500 && !atomic_load(&stop.told); i++)
		nanosleep(&ms, NULL);
}

static void *
wait_for_signals(void *arg)
{
	struct stint_session *s = arg;
	int signal;

	while (sigwait(&stop.signals, &signal) != 0)
		;
	if (atomic_load(&stop.fault) != 0) {
		tell_fault(s, atomic_load(&stop.fault));
		return NULL;
	}
	atomic_store(&s->signal, signal);
	stint_slice_cut(&s->slice);
	if (!await_finish())
		leave(s, signal);
	return NULL;
}

void
stint_stop_take_faults(void)
{
	stint_guard_init(on_fault);
}

int
stint_stop_init(struct stint_session *s)
{
	pthread_condattr_t clock;
	struct sigaction now;
	pthread_attr_t attr;
	int rc;

	stop.s = s;
	stop.have_terminal = tcgetattr(STDIN_FILENO, &stop.terminal) == 0;
	sigemptyset(&stop.signals);
	for (unsigned int i = 0; i < RTE_DIM(ends); i++) {
		/* nohup, or a shell's background: not to be ended by it */
		if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(&stop.signals, ends[i]);
	}
	pthread_sigmask(SIG_BLOCK, &stop.signals, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&stop.cond, &clock);
	pthread_condattr_destroy(&clock);
	/* not on the CPU of the main lcore alone: it must run while that spins */
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(s->host.allowed), &s->host.allowed);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&stop.thread, &attr, wait_for_signals, s);
	pthread_attr_destroy(&attr);
	atomic_store(&stop.waits, rc == 0);
	return -rc;
}

void
stint_stop_finished(void)
{
	pthread_mutex_lock(&stop.lock);
	stop.finished = true;
	pthread_cond_signal(&stop.cond);
	pthread_mutex_unlock(&stop.lock);
}
