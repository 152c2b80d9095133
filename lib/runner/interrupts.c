/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* rte_intr_instance_alloc() and what sets a handle up */
#define ALLOW_EXPERIMENTAL_API

#include "interrupts.h"

#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_interrupts.h>

#define HOLD_POLL_US 20
#define HOLD_MAX_US 500000

static void
pause_for_ever(void *held)
{
	atomic_store_explicit((_Atomic bool *)held, true, memory_order_release);
	for (;;)
		pause();
}

/* EAL keeps a copy of the handle. */
static bool
interrupt(rte_intr_callback_fn callback, void *arg)
{
	struct rte_intr_handle *handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	int event = eventfd(1, EFD_CLOEXEC);
	bool done = handle != NULL && event >= 0 && rte_intr_fd_set(handle, event) == 0 &&
		    rte_intr_type_set(handle, RTE_INTR_HANDLE_EXT) == 0 &&
		    rte_intr_callback_register(handle, callback, arg) == 0;

	rte_intr_instance_free(handle);
	return done;
}

/*
 * EAL's interrupt thread goes on while its cleanup unmaps memory, and faults on what a driver left
 * there (net_memif, the handle of the socket that it listens on). The process ends soon.
 */
void
stint_interrupts_hold(void)
{
	static _Atomic bool held;

	if (!interrupt(pause_for_ever, &held))
		return;
	for (unsigned int us = 0; us < HOLD_MAX_US; us += HOLD_POLL_US) {
		if (atomic_load_explicit(&held, memory_order_acquire))
			return;
		rte_delay_us_sleep(HOLD_POLL_US);
	}
}
