/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "taint.h"

#include <sys/resource.h>
#include <time.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "clock.h"

#define PROBE_TRIES 3
#define PROBE_LOOPS 200

static uint64_t
timeval_ns(const struct timeval *tv)
{
	return tv->tv_sec * STINT_SECOND_NS + tv->tv_usec * 1000;
}

struct stint_taint
stint_taint_read(void)
{
	struct stint_taint taint = { 0 };
	struct timespec cpu;
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	/* one right after the other, so that what lies between them is the same both times */
	taint.window_cycles = rte_rdtsc();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	taint.switches = usage.ru_nivcsw;
	taint.faults = usage.ru_minflt + usage.ru_majflt;
	taint.sys_ns = timeval_ns(&usage.ru_stime);
	taint.cpu_ns = (uint64_t)cpu.tv_sec * STINT_SECOND_NS + cpu.tv_nsec;
	return taint;
}

void
stint_taint_add_since(struct stint_taint *taint, const struct stint_taint *before)
{
	struct stint_taint now = stint_taint_read();

	taint->switches += now.switches - before->switches;
	taint->faults += now.faults - before->faults;
	taint->sys_ns += now.sys_ns - before->sys_ns;
	taint->cpu_ns += now.cpu_ns - before->cpu_ns;
	taint->window_cycles += now.window_cycles - before->window_cycles;
}

void
stint_taint_add(struct stint_taint *sum, const struct stint_taint *taint)
{
	sum->switches += taint->switches;
	sum->faults += taint->faults;
	sum->cpu_ns += taint->cpu_ns;
	sum->sys_ns += taint->sys_ns;
	sum->window_cycles += taint->window_cycles;
	sum->gap_cycles = RTE_MAX(sum->gap_cycles, taint->gap_cycles);
	sum->probe_cycles = RTE_MAX(sum->probe_cycles, taint->probe_cycles);
	sum->slow |= taint->slow;
}

/* Additions that do not wait for each other: as many at a time as the core can do. */
static uint64_t
probe_once(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, begin = rte_rdtsc_precise();

	for (unsigned int i = 0; i < PROBE_LOOPS; i++) {
		a += i;
		b += i;
		c += i;
		d += i;
		e += i;
		f += i;
		asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
	}
	return rte_rdtsc_precise() - begin;
}

/* The fastest of some: an interrupt says nothing about the CPU. */
uint64_t
stint_probe_cycles(void)
{
	uint64_t fastest = probe_once();

	for (unsigned int i = 1; i < PROBE_TRIES; i++)
		fastest = RTE_MIN(fastest, probe_once());
	return fastest;
}
