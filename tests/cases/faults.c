/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/*
 * Autotests that go wrong: what happens stands in --set what=, where and when in the other
 * parameters. With FAULTS_EAL in the environment (words of EAL) it is a program that has started
 * EAL by itself.
 */

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_debug.h>
#include <rte_eal.h>
#include <rte_malloc.h>
#include <rte_memory.h>
#include <rte_pause.h>

#include <stint.h>

#define BYTES (UINT64_C(2) << 20)
#define WHATS "none|error|abort|panic|fpe|ill|segv|stack|lock|heap|file|page|spin|sleep"

/* ---- what goes wrong ----------------------------------------------------------------------- */

static void
divide_by_zero(void)
{
#if defined(RTE_ARCH_X86)
	asm volatile("xor %%edx, %%edx; xor %%ecx, %%ecx; div %%ecx" ::: "eax", "ecx", "edx");
#else
	raise(SIGFPE); /* no such trap */
#endif
}

static void
illegal(void)
{
#if defined(RTE_ARCH_X86)
	asm volatile("ud2");
#else
	raise(SIGILL);
#endif
}

static void
touch(char *at)
{
	atomic_store_explicit((_Atomic char *)at, 1, memory_order_relaxed);
}

static void *
map(int fd, size_t bytes, int protection)
{
	void *at = mmap(NULL, bytes, protection, fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED,
			fd, 0);

	if (at == MAP_FAILED)
		_exit(98);
	return at;
}

static void
touch_guarded(void)
{
	touch(map(-1, getpagesize(), PROT_NONE));
}

/* A file that another program cut off. */
static void
touch_beyond_file(void)
{
	int fd = memfd_create("faults", 0);

	if (ftruncate(fd, getpagesize()) != 0)
		_exit(98);
	touch((char *)map(fd, 2 * getpagesize(), PROT_READ | PROT_WRITE) + getpagesize());
}

/* The kernel has no page for memory that EAL has mapped. */
static void
touch_lost_page(void)
{
	char *block = rte_malloc(NULL, 2 * BYTES, BYTES);
	struct rte_memseg *segment = block != NULL ? rte_mem_virt2memseg(block, NULL) : NULL;
	int fd = segment != NULL ? rte_memseg_get_fd(segment) : -1;

	if (fd < 0 || ftruncate(fd, 0) != 0)
		_exit(98);
	touch(block);
}

static unsigned int __rte_noinline
descend(unsigned int depth)
{
	volatile char frame[4096];

	frame[depth % sizeof(frame)] = depth;
	return depth + 1 == 0 ? 0 : descend(depth + 1) + frame[0];
}

/* The handler cannot print as programs usually do: the stream is in use. */
static void
abort_in_stream(void)
{
	flockfile(stdout);
	flockfile(stderr);
	abort();
}

/* glibc finds its heap in ruins, and aborts while it holds the heap's lock. */
static void
ruin_heap(void)
{
	size_t *volatile last = malloc(24);

	/* the size of all that is free follows the last block */
	for (size_t i = 3; i < 64; i++)
		last[i] = SIZE_MAX;
	last = malloc(1 << 16);
	abort();
}

/* Tells the one who waits for it, in the file that FAULTS_MARK names, at which point it stays. */
static void
mark(const struct stint_point *pt)
{
	const char *path = getenv("FAULTS_MARK");
	int fd;

	if (path == NULL)
		return;
	fd = open(path, O_CREAT | O_WRONLY, 0666);
	if (fd < 0 || dprintf(fd, "cores=%u half=%s\n", pt->lcores,
			      pt->value[1] == 0 ? "first" : "second") < 0)
		_exit(98);
	close(fd);
}

static void
stay(const struct stint_point *pt, bool asleep)
{
	mark(pt);
	for (;;) {
		if (asleep)
			pause();
		else
			rte_pause();
	}
}

static void
go_wrong(const struct stint_point *pt)
{
	static const struct {
		const char *what;
		void (*function)(void);
	} crashes[] = {
		{ "abort", abort },
		{ "fpe", divide_by_zero },
		{ "ill", illegal },
		{ "segv", touch_guarded },
		{ "file", touch_beyond_file },
		{ "page", touch_lost_page },
		{ "lock", abort_in_stream },
		{ "heap", ruin_heap },
	};
	const char *what = stint_param_string(pt, "what");

	for (unsigned int i = 0; i < RTE_DIM(crashes); i++) {
		if (strcmp(what, crashes[i].what) == 0)
			crashes[i].function();
	}
	if (strcmp(what, "panic") == 0)
		rte_panic("as asked for\n");
	if (strcmp(what, "stack") == 0)
		descend(1);
	if (strcmp(what, "spin") == 0 || strcmp(what, "sleep") == 0)
		stay(pt, what[1] == 'l');
}

/* Is it time, in this place? Those that return have an error of their own. */
static bool
is_due(const struct stint_point *pt, const char *where)
{
	static _Atomic uint64_t calls;
	const char *what = stint_param_string(pt, "what");

	if (strcmp(what, "none") == 0 || strcmp(stint_param_string(pt, "where"), where) != 0 ||
	    atomic_fetch_add(&calls, 1) < stint_param_uint(pt, "after"))
		return false;
	go_wrong(pt);
	return true;
}

/* ---- perf ---------------------------------------------------------------------------------- */

static const struct stint_param params[] = {
	{ "what", STINT_PARAM_STRING, "none", "what happens", 0, 0, WHATS },
	{ "where", STINT_PARAM_STRING, "run", "in which function", 0, 0,
	  "setup|init|run|wait|finish|check|teardown|job" },
	{ "after", STINT_PARAM_UINT, "0", "calls of it that go well", 0, UINT32_MAX, NULL },
	{ "worker", STINT_PARAM_UINT, "0", "number of the worker", 0, RTE_MAX_LCORE - 1, NULL },
	{ "errno", STINT_PARAM_UINT, "5", "error number", 1, 4095, NULL },
	{ "op_us", STINT_PARAM_UINT, "0", "time of each operation, at least", 0, 1000000, NULL },
};

static const struct stint_dim dims[] = {
	STINT_DIM_LCORES(1, 2, STINT_ALL),
	STINT_DIM_NAMES("half", "first", "second"),
};

static const struct stint_metric metrics[] = { { "pauses", STINT_RATE, "pauses/s" } };

static int
error_of(const struct stint_point *pt, const char *where)
{
	return is_due(pt, where) ? -(int)stint_param_uint(pt, "errno") : 0;
}

static bool
is_chosen(const struct stint_worker *w)
{
	return w->index == stint_param_uint(w->point, "worker");
}

static void
need(const struct stint_point *pt, struct stint_need *n)
{
	(void)pt;
	stint_need_bytes(n, STINT_SOCKET_LOCAL, 4 * BYTES);
}

static int
setup(const struct stint_point *pt, struct stint_fixture *fx)
{
	(void)fx;
	return error_of(pt, "setup");
}

static int
check(struct stint_fixture *fx)
{
	return error_of(fx->point, "check");
}

static void
teardown(struct stint_fixture *fx)
{
	is_due(fx->point, "teardown");
}

static int
init(struct stint_worker *w)
{
	return is_chosen(w) ? error_of(w->point, "init") : 0;
}

static void
fail_if_due(struct stint_worker *w, const char *where)
{
	if (is_chosen(w) && is_due(w->point, where))
		stint_worker_fail(w, "lcore %u fails in %s", w->lcore, where);
}

static uint64_t
run(struct stint_worker *w, uint64_t ops)
{
	const uint64_t cycles = stint_param_uint(w->point, "op_us") * rte_get_tsc_hz() / 1000000;
	uint64_t begin;

	fail_if_due(w, "run");
	for (uint64_t i = 0; i < ops; i++) {
		begin = rte_rdtsc();
		do {
			rte_pause();
		} while (rte_rdtsc() - begin < cycles);
	}
	return ops;
}

/* All but the one that fails wait for it, as a receiver does for a sender. */
static uint64_t
run_waiting(struct stint_worker *w, uint64_t ops)
{
	fail_if_due(w, "wait");
	while (!is_chosen(w) && !stint_stopping(w))
		rte_pause();
	return ops;
}

static void
finish(struct stint_worker *w)
{
	fail_if_due(w, "finish");
}

static struct stint_job
job(const struct stint_point *pt, unsigned int worker)
{
	bool waits = strcmp(stint_param_string(pt, "where"), "wait") == 0;

	(void)worker;
	is_due(pt, "job");
	return (struct stint_job){ .run = waits ? run_waiting : run,
				   .finish = finish,
				   .waits = waits };
}

STINT_PERF_TEST(fault_perf_autotest, 1, .summary = "goes wrong while it measures",
		.params = STINT_LIST(params), .dims = STINT_LIST(dims),
		.metrics = STINT_LIST(metrics), .need = need, .setup = setup, .check = check,
		.teardown = teardown, .worker_init = init, .job = job)

/* ---- fast ---------------------------------------------------------------------------------- */

static const struct stint_param fast_params[] = {
	{ "what", STINT_PARAM_STRING, "none", "what happens", 0, 0, WHATS },
};

static int
run_fast(struct stint_fast *t)
{
	const char *what = stint_param_string(t->point, "what");

	go_wrong(t->point);
	STINT_ASSERT(t, strcmp(what, "none") == 0, "as asked for");
	return 0;
}

STINT_FAST_TEST(fault_autotest, STINT_NO_HUGE | STINT_ASAN, .summary = "goes wrong",
		.params = STINT_LIST(fast_params), .run = run_fast)

/* ---- the program --------------------------------------------------------------------------- */

static int
run_within_own_eal(char *words, int argc, char **argv)
{
	static char name[] = "host";
	char *eal[32] = { name };
	int n = 1, rc;

	for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
		eal[n++] = word;
	if (rte_eal_init(n, eal) < 0)
		return 98;
	rc = stint_run(argc, argv);
	return rte_eal_cleanup() == 0 ? rc : 98;
}

int
main(int argc, char **argv)
{
	char *words = getenv("FAULTS_EAL");

	return words != NULL ? run_within_own_eal(strdup(words), argc, argv)
			     : stint_main(argc, argv);
}
