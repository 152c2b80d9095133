/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "stop.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define GRACE_NS 200000000

static struct {
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

/* The main thread is stuck, perhaps in a system call: leave without it. */
static void
leave(struct stint_session *s, int signal)
{
	stint_session_end(s, 0, signal);
	stint_session_print_partial(s);
	if (stop.have_terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &stop.terminal);
	_exit(128 + signal);
}

static void *
wait_for_signals(void *arg)
{
	struct stint_session *s = arg;
	int signal;

	while (sigwait(&stop.signals, &signal) != 0)
		;
	atomic_store(&s->signal, signal);
	stint_slice_cut(&s->slice);
	if (!await_finish())
		leave(s, signal);
	return NULL;
}

int
stint_stop_init(struct stint_session *s)
{
	pthread_condattr_t clock;
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	stop.have_terminal = tcgetattr(STDIN_FILENO, &stop.terminal) == 0;
	sigemptyset(&stop.signals);
	sigaddset(&stop.signals, SIGINT);
	sigaddset(&stop.signals, SIGTERM);
	sigaddset(&stop.signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &stop.signals, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&stop.cond, &clock);
	pthread_condattr_destroy(&clock);
	/* not on the CPU of the main lcore alone: it must run while that spins */
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(s->host.allowed), &s->host.allowed);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&thread, &attr, wait_for_signals, s);
	pthread_attr_destroy(&attr);
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
