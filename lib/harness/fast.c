/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "session.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "narrate.h"
#include "guard.h"
#include "plan.h"

int
stint_fast_fail(struct stint_fast *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(t->message, sizeof(t->message), format, args);
	va_end(args);
	return -1;
}

int
stint_fast_skip(struct stint_fast *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(t->message, sizeof(t->message), format, args);
	va_end(args);
	return STINT_SKIP;
}

bool
stint_fast_stopping(const struct stint_fast *t)
{
	return t->signal != NULL && atomic_load_explicit(t->signal, memory_order_relaxed) != 0;
}

void
stint_fast_note(struct stint_fast *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(t->message, sizeof(t->message), format, args);
	va_end(args);
}

void
stint_fast_run(struct stint_session *s, struct stint_plan *plan, struct stint_outcome *outcome)
{
	struct stint_fast t = { .point = &plan->grid.cells[0].point,
				.seed = s->seed,
				.signal = &s->signal };
	uint64_t begin = stint_monotonic_ns();
	volatile int rc = 0;
	int signal;

	STINT_GUARDED(STINT_GUARD_HUGEPAGES, signal, rc = plan->test->run(&t));
	if (signal != 0) {
		s->spent = true;
		rc = stint_fast_skip(&t, "%s", STINT_HUGEPAGE_LOST);
	}
	outcome->elapsed_ns = stint_monotonic_ns() - begin;
	outcome->points = 1;
	outcome->done = rc == 0;
	outcome->skipped = rc == STINT_SKIP;
	outcome->status = rc == 0 ? STINT_PASS : rc == STINT_SKIP ? STINT_SKIP : STINT_FAIL;
	if (outcome->status == STINT_FAIL)
		snprintf(outcome->message, sizeof(outcome->message), "%s (seed %llu)", t.message,
			 (unsigned long long)t.seed);
	else
		memcpy(outcome->message, t.message, sizeof(t.message));
}
