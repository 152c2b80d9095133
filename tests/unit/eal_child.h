/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef EAL_CHILD_H
#define EAL_CHILD_H

/* EAL starts but once in a process: tests that want several of them run each in a child. */

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_lcore.h>

#include <machine.h>

/* Only catches hangs. */
#define CHILD_LIMIT_S 120

static struct stint_host eal_host;
static struct stint_eal_args eal_args;
static struct stint_machine eal_machine;

static inline void
take_lcore(unsigned int id)
{
	struct stint_eal_lcore *lcore = &eal_machine.lcores[eal_machine.n_lcores++];

	lcore->id = id;
	lcore->cpus = rte_lcore_cpuset(id);
	lcore->socket = RTE_MAX((int)rte_lcore_to_socket_id(id), 0);
}

/* The machine as EAL has it, the main lcore first. */
static inline void
describe_eal(bool huge)
{
	unsigned int id;

	eal_host.sockets = 1;
	eal_args.no_huge = !huge;
	eal_machine.host = &eal_host;
	eal_machine.args = &eal_args;
	eal_machine.any_socket = !huge;
	eal_machine.page_bytes = huge ? 2 << 20 : 4096;
	take_lcore(rte_get_main_lcore());
	RTE_LCORE_FOREACH_WORKER (id)
		take_lcore(id);
}

static inline int
start_eal(const char *lcores, const char *main_lcore, bool huge)
{
	char *argv[] = {
		(char[]){ "test" },
		(char[]){ "--lcores" },
		strdup(lcores),
		(char[]){ "--main-lcore" },
		strdup(main_lcore),
		(char[]){ "--no-pci" },
		(char[]){ "--no-telemetry" },
		(char[]){ "--log-level=4" },
		huge ? (char[]){ "--in-memory" } : (char[]){ "--no-huge" },
		(char[]){ "--no-shconf" },
		(char[]){ "-m" },
		(char[]){ "64" },
	};
	int rc = rte_eal_init(RTE_DIM(argv), argv);

	free(argv[2]);
	free(argv[4]);
	return rc;
}

/* Run `tests` in a child with EAL on these lcores; its exit code, or 1 if a signal ended it. */
static inline int
in_child(const char *lcores, const char *main_lcore, bool huge, int (*tests)(void))
{
	int status, rc;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return 99;
	if (pid > 0)
		return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
									    : 1;
	alarm(CHILD_LIMIT_S);
	if (start_eal(lcores, main_lcore, huge) < 0)
		exit(99);
	describe_eal(huge);
	rc = tests();
	rte_eal_cleanup();
	exit(rc);
}

/* The CPUs that this process may use, as a list; how many there are. */
static inline int
allowed_cpus(char *text, size_t size)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
		return 0;
	stint_cpulist_format(text, size, &cpus);
	return CPU_COUNT(&cpus);
}

/* Number `i` of the allowed CPUs. */
static inline int
allowed_cpu(int i)
{
	cpu_set_t cpus;
	int cpu = 0;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	while (!CPU_ISSET(cpu, &cpus) || i-- > 0)
		cpu++;
	return cpu;
}

/* Lcores 3, 5, 7 and 9 share all allowed CPUs; 7 is the main one. */
static inline int
in_child_sharing(bool huge, int (*tests)(void))
{
	char cpus[1024], lcores[1100];

	allowed_cpus(cpus, sizeof(cpus));
	snprintf(lcores, sizeof(lcores), "(3,5,7,9)@(%s)", cpus);
	return in_child(lcores, "7", huge, tests);
}

/* Lcores 4 and 2 have a CPU each; 4 is the main one. */
static inline int
in_child_apart(int (*tests)(void))
{
	char lcores[64];

	snprintf(lcores, sizeof(lcores), "2@%d,4@%d", allowed_cpu(1), allowed_cpu(0));
	return in_child(lcores, "4", false, tests);
}

/* Run `tests` on lcores that share CPUs, then, with `apart` set, on ones that do not. */
static inline int
in_children_of_both_kinds(bool *apart, int (*tests)(void))
{
	char cpus[1024];
	int rc = in_child_sharing(false, tests);

	*apart = true;
	if (allowed_cpus(cpus, sizeof(cpus)) >= 2)
		rc |= in_child_apart(tests);
	return rc;
}

/* Run `main_tests` with a runtime directory of its own for EAL, removed at the end. */
static inline int
with_runtime_directory(int (*main_tests)(void))
{
	char dir[] = "/tmp/stint-unit-XXXXXX", command[64];
	int rc;

	if (mkdtemp(dir) == NULL || setenv("RUNTIME_DIRECTORY", dir, 1) != 0)
		return 99;
	rc = main_tests();
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) == 0 ? rc : 99;
}

#endif /* EAL_CHILD_H */
