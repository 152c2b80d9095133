/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "eal_args.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_lcore.h>

#include <setjmp.h>
#include <cmocka.h>

/*
 * Whether stint_eal_args_parse() and rte_eal_init() agree. Each line is given to a child of its
 * own, as EAL starts but once in a process. Lines run on any machine: lcores are mapped onto the
 * first allowed CPU, "%F"; "%M" is its mask. Words are separated by spaces, tabs stand inside.
 */
#define BASE "--no-huge --no-pci --no-telemetry --no-shconf -m 64 "

static const char *const lines[] = {
	/* lcores */
	"",
	"-l %F",
	"-l%F",
	"-l %F-%F",
	"-l \t%F\t",
	"-l %F,",
	"-l ",
	"-l 128",
	"-l %F -l %F",
	"-l %F --lcores 0@%F",
	"-c %M",
	"-c 0x000%M",
	"-c 0",
	"-c zz",
	"--lcores 0@%F",
	"--lcores=0@%F",
	"--lc 0@%F",
	"--lcores 5@%F,9@%F --main-lcore 9",
	"--lcores 0@%F,127@%F",
	"--lcores (0-3)@%F",
	"--lcores (1,3)@(%F)",
	"--lcores (0-2,7)@%F,5@%F",
	"--lcores 0@%F,0@%F",
	"--lcores \t0\t@\t(\t%F\t)\t,\t1@%F",
	"--lcores 0@%F-%F",
	"--lcores 0@(%F-%F)",
	"--lcores (3-0)@%F",
	"--lcores 1-3@(%F)",
	"--lcores 128@%F",
	"--lcores (0-128)@%F",
	"--lcores 0@1023",
	"--lcores (0",
	"--lcores ()",
	"--lcores 0@%Fjunk",
	"--lcores 0@%F,",
	"--lcores 0@@%F",
	"--lcores (0-3)@%F --main-lcore 0x2",
	"--lcores (0-2)@%F --main-lcore 3",
	"--lcores (0-2)@%F --main-lcore 128",
	"--lcores (0-2)@%F --main-lcore 1x",
	"--lcores (0-2)@%F --main-lcore 7 --main-lcore 2",
	"--lcores (0-3)@%F -S 2-3",
	"-S 3 --lcores (0-3)@%F",
	"--lcores 7@%F -S 7",
	"--lcores (0-3)@%F -S 0,3",
	"--lcores (0-3)@%F -S 0 --main-lcore 2",
	"--lcores (0-3)@%F -S 2 --main-lcore 2",
	"--lcores (0-3)@%F -S 9",
	"--lcores (0-3)@%F -S 128",
	"--lcores (0-3)@%F -S 1-",

	/* options that exclude each other */
	"--lcores 0@%F --in-memory",
	"--lcores 0@%F --socket-mem 64",
	"--lcores 0@%F --socket-limit 64",
	"--lcores 0@%F --huge-unlink",
	"--lcores 0@%F --huge-unlink=existing",
	"--lcores 0@%F --huge-unlink=never",
	"--lcores 0@%F --huge-worker-stack",
	"--lcores 0@%F --match-allocations",
	"--lcores 0@%F --single-file-segments",
	"--lcores 0@%F --single-file-segments --huge-unlink",
	"--lcores 0@%F -a 0000:00:01.0 -b 0000:00:02.0",

	/* values */
	"--lcores 0@%F --huge-unlink=x",
	"--lcores 0@%F --proc-type=PRIMARY",
	"--lcores 0@%F --proc-type=prim",
	"--lcores 0@%F --iova-mode=va",
	"--lcores 0@%F --iova-mode=xx",
	"--lcores 0@%F -n 4 -r 16",
	"--lcores 0@%F -n 0",
	"--lcores 0@%F -r 17",
	"--lcores 0@%F --force-max-simd-bitwidth=256",
	"--lcores 0@%F --force-max-simd-bitwidth=0",
	"--lcores 0@%F --force-max-simd-bitwidth=32",
	"--lcores 0@%F --force-max-simd-bitwidth=100",
	"--lcores 0@%F --force-max-simd-bitwidth=65536",
	"--lcores 0@%F --force-max-simd-bitwidth=64 --force-max-simd-bitwidth=64",
	"--lcores 0@%F --mbuf-pool-ops-name=",
	"--lcores 0@%F --vfio-intr=msi",
	"--lcores 0@%F --vfio-intr=x",
	"--lcores 0@%F --vfio-vf-token=14d63f20-8445-11ea-8900-1f9ce7d5650d",
	"--lcores 0@%F --vfio-vf-token=x",
	"--lcores 0@%F --base-virtaddr=0x100000000",
	"--lcores 0@%F --base-virtaddr=zz",
	"--lcores 0@%F --trace-bufsz=1M",
	"--lcores 0@%F --trace-bufsz=0",
	"--lcores 0@%F --trace-mode=d",
	"--lcores 0@%F --trace-mode=x",
	"--lcores 0@%F --syslog=local7",
	"--lcores 0@%F --syslog=uucp",
	"--lcores 0@%F --syslog=local8",
	"--lcores 0@%F --file-prefix=stint-test",
	"--lcores 0@%F --file-prefix=a%b",
	"--lcores 0@%F --file-prefix=",
	"--lcores 0@%F --huge-dir=",
	"--lcores 0@%F -d /nonexistent/x.so",
	"--lcores 0@%F -d no-such-plugin.so",
	"--lcores 0@%F -d /",

	/* options themselves */
	"--lcores 0@%F --no-huge=1",
	"--lcores 0@%F --no",
	"--lcores 0@%F --nohuge",
	"--lcores 0@%F --list",
	"--lcores 0@%F -z",
	"--lcores 0@%F -vz",
	"--lcores 0@%F -v",
	"--lcores 0@%F -l",
	"--lcores 0@%F --file",
	"--lcores 0@%F -- --bogus name",
};

/* What one side makes of a line. */
struct outcome {
	bool accepted;
	unsigned int main_lcore;
	cpu_set_t cpus[RTE_MAX_LCORE]; /* by lcore; empty: no lcore */
};

static struct stint_host host;
static unsigned int first_cpu;

/* The options that a caller of getopt_long() has. */
struct options {
	char letters[128];
	struct option names[128];
	unsigned int n_names;
};

static struct options *seen;

/* Takes the place of the C library's, in EAL too. */
int
getopt_long(int argc, char *const *argv, const char *letters, const struct option *names,
	    int *index)
{
	int (*real)(int, char *const *, const char *, const struct option *, int *);

	*(void **)&real = dlsym(RTLD_NEXT, "getopt_long");
	if (seen != NULL) {
		snprintf(seen->letters, sizeof(seen->letters), "%s", letters);
		for (seen->n_names = 0; names[seen->n_names].name != NULL; seen->n_names++)
			seen->names[seen->n_names] = names[seen->n_names];
	}
	return real(argc, argv, letters, names, index);
}

/* A CPU is there to EAL if it has this file. */
static bool
is_online(unsigned int cpu)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
	return access(path, F_OK) == 0;
}

static void
make_host(void)
{
	assert_int_equal(sched_getaffinity(0, sizeof(host.allowed), &host.allowed), 0);
	for (unsigned int i = 0; i < CPU_SETSIZE; i++)
		if (is_online(i))
			CPU_SET(i, &host.online);
	host.cpuset = host.allowed;
	host.sockets = 1;
	while (!CPU_ISSET(first_cpu, &host.allowed))
		first_cpu++;
}

/* Write %F and %M out; returns the number of words. */
static int
split(const char *line, char *words, size_t size, char **argv)
{
	static const char base[] = BASE;
	size_t used = snprintf(words, size, "%s", base);
	int argc = 0;

	for (const char *s = line; *s != '\0' && used + 40 < size; s++) {
		if (strncmp(s, "%F", 2) == 0) {
			used += snprintf(words + used, size - used, "%u", first_cpu);
			s++;
		} else if (strncmp(s, "%M", 2) == 0) {
			used += snprintf(words + used, size - used, "%x%0*d", 1 << first_cpu % 4,
					 (int)first_cpu / 4, 0);
			/* "%0*d" writes one 0 even for no digit */
			if (first_cpu < 4)
				words[--used] = '\0';
			s++;
		} else {
			words[used++] = *s;
			words[used] = '\0';
		}
	}
	if (line[0] == '\0')
		words[used - 1] = '\0';
	for (char *w = words; w != NULL;)
		argv[argc++] = strsep(&w, " ");
	argv[argc] = NULL;
	return argc;
}

static void
ask_stint(int argc, char **argv, struct outcome *out, char *error, size_t size)
{
	static struct stint_eal_args args;

	memset(out, 0, sizeof(*out));
	out->accepted = stint_eal_args_parse(&args, argc, argv, &host, error, size) == STINT_EAL_OK;
	if (!out->accepted)
		return;
	out->main_lcore = args.main_lcore;
	for (unsigned int i = 0; i < args.n_lcores; i++)
		out->cpus[args.lcores[i].id] = args.lcores[i].cpus;
}

static void
ask_eal(int argc, char **argv, struct outcome *out)
{
	char name[] = "eal", *with_name[64] = { name };
	unsigned int i;

	memcpy(with_name + 1, argv, (argc + 1) * sizeof(*argv));
	out->accepted = rte_eal_init(argc + 1, with_name) >= 0;
	if (!out->accepted)
		return;
	out->main_lcore = rte_get_main_lcore();
	RTE_LCORE_FOREACH (i)
		out->cpus[i] = rte_lcore_cpuset(i);
}

static bool
read_all(int fd, void *data, size_t size)
{
	size_t have = 0;
	ssize_t n;

	while (have < size && (n = read(fd, (char *)data + have, size - have)) > 0)
		have += n;
	return have == size;
}

/* EAL writes pages of usage. */
static void
silence(void)
{
	int fd = open("/dev/null", O_RDWR);

	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

/* Ask EAL in a child; false if the child ends without an answer. */
static bool
ask_eal_in_child(int argc, char **argv, struct outcome *out)
{
	int fds[2], status;
	bool answered;
	pid_t pid;

	memset(out, 0, sizeof(*out));
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		silence();
		ask_eal(argc, argv, out);
		_exit(write(fds[1], out, sizeof(*out)) != sizeof(*out));
	}
	close(fds[1]);
	answered = read_all(fds[0], out, sizeof(*out));
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return answered && status == 0;
}

static bool
same(const struct outcome *a, const struct outcome *b)
{
	if (a->accepted != b->accepted || a->main_lcore != b->main_lcore)
		return false;
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++)
		if (!CPU_EQUAL(&a->cpus[i], &b->cpus[i]))
			return false;
	return true;
}

static void
print_outcome(const char *who, const struct outcome *o)
{
	print_error("  %s: %s main %u", who, o->accepted ? "accepts" : "refuses", o->main_lcore);
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		char cpus[64];

		if (CPU_COUNT(&o->cpus[i]) > 0)
			print_error(" %u@%s", i,
				    stint_cpulist_format(cpus, sizeof(cpus), &o->cpus[i]));
	}
	print_error("\n");
}

static bool
agree(const char *line)
{
	struct outcome stint, eal;
	char words[512], error[512] = "", *argv[40];
	int argc = split(line, words, sizeof(words), argv);

	ask_stint(argc, argv, &stint, error, sizeof(error));
	if (!ask_eal_in_child(argc, argv, &eal)) {
		print_error("[%s]: EAL died\n", line);
		return false;
	}
	if (same(&stint, &eal))
		return true;
	print_error("[%s] %s\n", line, error);
	print_outcome("stint", &stint);
	print_outcome("EAL", &eal);
	return false;
}

static void
test_agrees_with_eal(void **state __rte_unused)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < RTE_DIM(lines); i++)
		wrong += !agree(lines[i]);
	assert_int_equal(wrong, 0);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct option *)a)->name, ((const struct option *)b)->name);
}

/* The options of EAL into `eal`, whose names live in this process too. */
static void
options_of_eal(struct options *eal)
{
	char name[] = "eal", bad[] = "-?", *argv[] = { name, bad, NULL };
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		silence();
		seen = eal;
		rte_eal_init(2, argv);
		_exit(write(fds[1], eal, sizeof(*eal)) != sizeof(*eal));
	}
	close(fds[1]);
	assert_true(read_all(fds[0], eal, sizeof(*eal)));
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* "a:" and the like: is each letter of `one` in `other`, with a value or without? */
static void
letters_are_in(const char *one, const char *other)
{
	for (const char *c = one; *c != '\0'; c++) {
		const char *there = strchr(other, *c);

		if (*c == ':')
			continue;
		if (there == NULL || (c[1] == ':') != (there[1] == ':'))
			fail_msg("-%c: \"%s\", \"%s\"", *c, one, other);
	}
}

/* As all names are the same, so are the abbreviations that getopt_long() takes. */
static void
test_options_of_eal(void **state __rte_unused)
{
	static struct options stint, eal;
	struct stint_eal_args args;
	char error[64];

	seen = &stint;
	assert_int_equal(stint_eal_args_parse(&args, 0, NULL, &host, error, sizeof(error)),
			 STINT_EAL_OK);
	seen = NULL;
	options_of_eal(&eal);
	assert_true(stint.n_names > 0);
	assert_int_equal(stint.n_names, eal.n_names);
	qsort(stint.names, stint.n_names, sizeof(stint.names[0]), by_name);
	qsort(eal.names, eal.n_names, sizeof(eal.names[0]), by_name);
	for (unsigned int i = 0; i < eal.n_names; i++) {
		assert_string_equal(stint.names[i].name, eal.names[i].name);
		assert_int_equal(stint.names[i].has_arg, eal.names[i].has_arg);
	}
	assert_int_equal(strncmp(stint.letters, "-:", 2), 0);
	letters_are_in(stint.letters + 2, eal.letters);
	letters_are_in(eal.letters, stint.letters + 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agrees_with_eal),
		cmocka_unit_test(test_options_of_eal),
	};
	char dir[] = "/tmp/stint-eal-XXXXXX", command[64];
	int rc;

	/* EAL makes a folder for each prefix */
	if (mkdtemp(dir) == NULL || setenv("RUNTIME_DIRECTORY", dir, 1) != 0)
		return 99;
	make_host();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) == 0 ? rc : 99;
}
