/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_GUARD_H
#define STINT_GUARD_H

/**
 * @file
 * Faults (SIGBUS, SIGSEGV, SIGABRT, ...) in code that is not ours. One stretch of the main thread
 * at a time can be guarded: a fault in it comes back as a number. What was under way is lost then,
 * with the locks that it held: the process can only report and end.
 */

#include <setjmp.h>
#include <signal.h>

/** Told of a fault outside a guarded stretch, before the process dies of it. */
typedef void (*stint_fault_fn)(int signal);

/** Which faults a guarded stretch catches. */
enum stint_guard {
	STINT_GUARD_OFF,
	STINT_GUARD_ALL,
	STINT_GUARD_HUGEPAGES, /**< SIGBUS in memory of EAL: a page that cannot be had after all */
};

/**
 * Take the signals. `told` is called in the handler, once in a process, and does only what is safe
 * there. Main thread.
 */
void stint_guard_init(stint_fault_fn told);

/**
 * Give a thread a stack for the handler, so that an overflow of its own is told too. NULL if faults
 * are not taken; else to be given back by the same thread.
 */
void *stint_guard_thread(void);
void stint_guard_thread_end(void *stack);

/** Begin or end a guarded stretch; see STINT_GUARDED(). Main thread. */
void stint_guard_arm(enum stint_guard what);

/** Where a fault in the guarded stretch leads, and which it was. */
extern sigjmp_buf stint_guard_point;
extern volatile sig_atomic_t stint_guard_signal;

/**
 * Run a statement guarded, and set `signal` to 0, or to what broke it off. Locals that the
 * statement changes must be volatile to be read after a fault.
 */
#define STINT_GUARDED(what, signal, statement)              \
	do {                                                \
		stint_guard_signal = 0;                     \
		if (sigsetjmp(stint_guard_point, 1) == 0) { \
			stint_guard_arm(what);              \
			statement;                          \
		}                                           \
		stint_guard_arm(STINT_GUARD_OFF);           \
		(signal) = stint_guard_signal;              \
	} while (0)

#endif /* STINT_GUARD_H */
