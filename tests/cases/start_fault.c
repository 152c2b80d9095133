/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/*
 * Ends the process while EAL starts, or never returns. As a plugin (-d): when it is loaded, as
 * FAULT_LOADED says. Preloaded: when EAL has all but its devices, as FAULT_PROBING says.
 */

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rte_bus_probe(void);

static void
hang(void)
{
	for (;;)
		pause();
}

static void
fault(const char *what)
{
	if (what == NULL)
		return;
	if (strcmp(what, "abort") == 0)
		abort();
	if (strcmp(what, "hang") == 0)
		hang();
	if (strncmp(what, "signal ", 7) == 0)
		raise(atoi(what + 7));
	if (strncmp(what, "exit ", 5) == 0)
		exit(atoi(what + 5));
}

__attribute__((constructor)) static void
loaded(void)
{
	fault(getenv("FAULT_LOADED"));
}

/* In place of EAL's. */
int
rte_bus_probe(void)
{
	int (*probe)(void);

	fault(getenv("FAULT_PROBING"));
	*(void **)&probe = dlsym(RTLD_NEXT, "rte_bus_probe");
	return probe();
}
