/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "guard.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_memory.h>

/* Room for a handler when the fault was an overflow of the stack. */
#define STACK_BYTES 65536

sigjmp_buf stint_guard_point;
volatile sig_atomic_t stint_guard_signal;

static const int faults[] = { SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSEGV };

static struct {
	stint_fault_fn told;
	pthread_t main;
	volatile sig_atomic_t armed;
	atomic_flag faulted;
	struct sigaction before[RTE_DIM(faults)];
} guard = { .faulted = ATOMIC_FLAG_INIT };

static bool
is_guarded(int signal, const siginfo_t *info)
{
	if (guard.armed == STINT_GUARD_OFF || !pthread_equal(pthread_self(), guard.main))
		return false;
	return guard.armed == STINT_GUARD_ALL ||
	       (signal == SIGBUS && rte_mem_virt2memseg_list(info->si_addr) != NULL);
}

static void
on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (is_guarded(signal, info)) {
		stint_guard_signal = signal;
		siglongjmp(stint_guard_point, 1);
	}
	/* several lcores may fault at once: the first one tells */
	if (!atomic_flag_test_and_set(&guard.faulted))
		guard.told(signal);
	/* die of it as if nobody had taken it: status, core file and sanitizers stay true */
	for (unsigned int i = 0; i < RTE_DIM(faults); i++)
		sigaction(faults[i], &guard.before[i], NULL);
	/* an instruction that faults does so again */
	if (info->si_code <= 0)
		raise(signal);
}

void
stint_guard_init(stint_fault_fn told)
{
	static char stack[STACK_BYTES] __rte_aligned(16);
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	guard.told = told;
	guard.main = pthread_self();
	sigaltstack(&own, NULL);
	for (unsigned int i = 0; i < RTE_DIM(faults); i++)
		sigaction(faults[i], &action, &guard.before[i]);
}

void *
stint_guard_thread(void)
{
	stack_t own = { .ss_size = STACK_BYTES };

	if (guard.told == NULL)
		return NULL;
	own.ss_sp = malloc(STACK_BYTES);
	if (own.ss_sp != NULL)
		sigaltstack(&own, NULL);
	return own.ss_sp;
}

void
stint_guard_thread_end(void *stack)
{
	const stack_t none = { .ss_flags = SS_DISABLE };

	if (stack == NULL)
		return;
	sigaltstack(&none, NULL);
	free(stack);
}

void
stint_guard_arm(enum stint_guard what)
{
	guard.armed = what;
}
