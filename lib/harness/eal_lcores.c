/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "eal_parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

/* "0@0,1@200": how --lcores maps CPUs to the lowest lcores. */
static void
write_map(char *text, size_t size, const cpu_set_t *cpus)
{
	unsigned int lcore = 0;
	size_t used = 0;

	for (unsigned int cpu = 0; cpu < CPU_SETSIZE && lcore < 4 && used < size; cpu++)
		if (CPU_ISSET(cpu, cpus)) {
			used += snprintf(text + used, size - used, "%s%u@%u", lcore > 0 ? "," : "",
					 lcore, cpu);
			lcore++;
		}
	if (CPU_COUNT(cpus) > (int)lcore && used < size)
		snprintf(text + used, size - used, ",...");
}

static unsigned int
highest(const cpu_set_t *set)
{
	unsigned int i = CPU_SETSIZE;

	while (i > 0 && !CPU_ISSET(i - 1, set))
		i--;
	return i - 1;
}

static enum stint_eal_verdict
only_one(struct stint_eal_parse *p, const char *option, const char *name, const char *value)
{
	if (p->cores != NULL)
		return stint_eal_refuse(p, "%s: the lcores are given by %s already", option,
					p->cores);
	p->cores = name;
	p->cores_value = value;
	p->args->lcores_given = true;
	return STINT_EAL_OK;
}

/* -l and -c: an lcore for each CPU, of the same number. */
static enum stint_eal_verdict
take_cpus(struct stint_eal_parse *p, const char *option, const char *value, const cpu_set_t *cpus)
{
	char map[64], there[96];

	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++)
		if (CPU_ISSET(i, cpus))
			CPU_SET(i, &p->cpus[i]);
	if (highest(cpus) < RTE_MAX_LCORE)
		return stint_eal_cpus_exist(p, option, value, cpus);
	write_map(map, sizeof(map), cpus);
	stint_cpulist_format(there, sizeof(there), &p->host->online);
	return stint_eal_refuse(p,
				"%s " STINT_EAL_TYPED ": lcore %u is not below %u "
				"(RTE_MAX_LCORE); map CPUs to lower lcores, e.g. --lcores %s; "
				"there are CPUs %s",
				option, value, highest(cpus), RTE_MAX_LCORE, map, there);
}

enum stint_eal_verdict
stint_eal_take_list(struct stint_eal_parse *p, const char *option, const char *value)
{
	enum stint_eal_verdict rc = only_one(p, option, "-l", value);
	cpu_set_t cpus;

	if (rc == STINT_EAL_OK)
		rc = stint_eal_read_list(p, option, value, &cpus);
	return rc == STINT_EAL_OK ? take_cpus(p, option, value, &cpus) : rc;
}

enum stint_eal_verdict
stint_eal_take_mask(struct stint_eal_parse *p, const char *option, const char *value)
{
	enum stint_eal_verdict rc = only_one(p, option, "-c", value);
	cpu_set_t cpus;

	if (rc == STINT_EAL_OK)
		rc = stint_eal_read_mask(p, option, value, &cpus);
	return rc == STINT_EAL_OK ? take_cpus(p, option, value, &cpus) : rc;
}

/* One "lcores[@cpus]" that was understood. */
static enum stint_eal_verdict
map_group(struct stint_eal_parse *p, const char *option, const char *value,
	  const struct stint_eal_group *lcores, const struct stint_eal_group *cpus)
{
	if (lcores->highest >= RTE_MAX_LCORE)
		return stint_eal_refuse(
			p, "%s " STINT_EAL_TYPED ": lcore %u is not below %u (RTE_MAX_LCORE)",
			option, value, lcores->highest, RTE_MAX_LCORE);
	if (cpus->highest >= CPU_SETSIZE)
		return stint_eal_refuse(p, "%s " STINT_EAL_TYPED ": CPU %u does not exist", option,
					value, cpus->highest);
	if (cpus->cut)
		return stint_eal_refuse(p,
					"%s " STINT_EAL_TYPED ": EAL misreads a range in ( ) "
					"that begins at %u; write %u,%u-...",
					option, value, RTE_MAX_LCORE, RTE_MAX_LCORE,
					RTE_MAX_LCORE + 1);
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++)
		if (CPU_ISSET(i, &lcores->set)) {
			p->cpus[i] = cpus->set;
			if (cpus == lcores && lcores->range) {
				CPU_ZERO(&p->cpus[i]);
				CPU_SET(i, &p->cpus[i]);
			}
		}
	return stint_eal_cpus_exist(p, option, value, &cpus->set);
}

static enum stint_eal_verdict
bad_map(struct stint_eal_parse *p, const char *option, const char *value, const char *at)
{
	return stint_eal_refuse(p,
				"%s \"" STINT_EAL_TYPED "\": \"" STINT_EAL_TYPED
				"\" is not understood; a map is such as '(0-3)@(0,1),4@2'",
				option, value, at);
}

enum stint_eal_verdict
stint_eal_take_map(struct stint_eal_parse *p, const char *option, const char *value)
{
	enum stint_eal_verdict rc = only_one(p, option, "--lcores", value);
	struct stint_eal_group lcores, cpus;
	const char *s = value, *at;

	while (rc == STINT_EAL_OK) {
		bool mapped;

		at = stint_eal_blanks(s);
		s = stint_eal_read_group(at, &lcores);
		mapped = s != NULL && *s == '@';
		if (mapped && lcores.range)
			return stint_eal_refuse(p,
						"%s " STINT_EAL_TYPED ": before @ a range "
						"stands in parentheses, (%.*s)",
						option, value, (int)strcspn(at, " @"), at);
		if (mapped)
			s = stint_eal_read_group(s + 1, &cpus);
		if (s == NULL || (*s != ',' && *s != '\0'))
			return bad_map(p, option, value, at);
		rc = map_group(p, option, value, &lcores, mapped ? &cpus : &lcores);
		if (*s++ == '\0')
			break;
	}
	return rc;
}

static enum stint_eal_verdict
take_service(struct stint_eal_parse *p, const char *option, const char *value,
	     const cpu_set_t *lcores)
{
	if (highest(lcores) >= RTE_MAX_LCORE)
		return stint_eal_refuse(
			p, "%s " STINT_EAL_TYPED ": lcore %u is not below %u (RTE_MAX_LCORE)",
			option, value, highest(lcores), RTE_MAX_LCORE);
	CPU_OR(&p->service, &p->service, lcores);
	p->args->lcores_given = true;
	return STINT_EAL_OK;
}

enum stint_eal_verdict
stint_eal_take_service_list(struct stint_eal_parse *p, const char *option, const char *value)
{
	enum stint_eal_verdict rc;
	cpu_set_t set;

	rc = stint_eal_read_list(p, option, value, &set);
	return rc == STINT_EAL_OK ? take_service(p, option, value, &set) : rc;
}

enum stint_eal_verdict
stint_eal_take_service_mask(struct stint_eal_parse *p, const char *option, const char *value)
{
	enum stint_eal_verdict rc;
	cpu_set_t set;

	rc = stint_eal_read_mask(p, option, value, &set);
	/* EAL checks the lcores of the mask, and only of that, as if they were CPUs */
	if (rc == STINT_EAL_OK)
		rc = stint_eal_cpus_exist(p, option, value, &set);
	return rc == STINT_EAL_OK ? take_service(p, option, value, &set) : rc;
}

enum stint_eal_verdict
stint_eal_take_main(struct stint_eal_parse *p, const char *option, const char *value)
{
	char *end;
	long id;

	errno = 0;
	id = strtol(value, &end, 0);
	if (errno != 0 || end == value || *end != '\0' || id < 0 || id >= RTE_MAX_LCORE)
		return stint_eal_refuse(p, "%s \"" STINT_EAL_TYPED "\": no lcore id from 0 to %u",
					option, value, RTE_MAX_LCORE - 1);
	p->main_lcore = id;
	return STINT_EAL_OK;
}

/* Without a core option EAL takes the allowed CPUs that have a number it can use. */
static enum stint_eal_verdict
take_allowed(struct stint_eal_parse *p)
{
	char allowed[160], map[64];
	cpu_set_t cpus;

	CPU_AND(&cpus, &p->host->allowed, &p->host->online);
	for (unsigned int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &cpus))
			continue;
		if (i < RTE_MAX_LCORE)
			CPU_SET(i, &p->cpus[i]);
		else
			p->args->cpus_left_out++;
	}
	if (CPU_COUNT(&cpus) == 0)
		return stint_eal_refuse(p, "no CPU is known; is /sys mounted?");
	if (CPU_COUNT(&cpus) > (int)p->args->cpus_left_out)
		return STINT_EAL_OK;
	stint_cpulist_format(allowed, sizeof(allowed), &cpus);
	write_map(map, sizeof(map), &cpus);
	return stint_eal_refuse(p,
				"none of the allowed CPUs %s is below %u (RTE_MAX_LCORE); map "
				"them to lower lcores, e.g. --lcores %s",
				allowed, RTE_MAX_LCORE, map);
}

/* taskset limits no lcore, as EAL sets affinities anew; a cpuset does. */
static enum stint_eal_verdict
keep_to_cpuset(struct stint_eal_parse *p)
{
	char wanted[96], allowed[160];
	cpu_set_t shut_out;

	CPU_ZERO(&shut_out);
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		cpu_set_t cpus = p->cpus[i];

		CPU_AND(&p->cpus[i], &cpus, &p->host->cpuset);
		if (CPU_COUNT(&p->cpus[i]) == 0)
			CPU_OR(&shut_out, &shut_out, &cpus);
	}
	if (CPU_COUNT(&shut_out) == 0)
		return STINT_EAL_OK;
	stint_cpulist_format(wanted, sizeof(wanted), &shut_out);
	stint_cpulist_format(allowed, sizeof(allowed), &p->host->cpuset);
	return stint_eal_refuse(p,
				"%s " STINT_EAL_TYPED ": CPU%s %s not in the allowed set %s "
				"(cpuset)",
				p->cores != NULL ? p->cores : "lcores",
				p->cores != NULL ? p->cores_value : "of this process",
				CPU_COUNT(&shut_out) > 1 ? "s" : "", wanted, allowed);
}

static enum stint_eal_verdict
choose_main(struct stint_eal_parse *p)
{
	cpu_set_t lcores;
	char there[160];

	CPU_ZERO(&lcores);
	for (unsigned int i = RTE_MAX_LCORE; i-- > 0;)
		if (CPU_COUNT(&p->cpus[i]) > 0) {
			CPU_SET(i, &lcores);
			p->args->main_lcore = i;
		}
	if (p->main_lcore < 0) {
		/* EAL makes the lowest the main lcore, even if -s or -S names it */
		CPU_CLR(p->args->main_lcore, &p->service);
		return STINT_EAL_OK;
	}
	p->args->main_lcore = p->main_lcore;
	if (CPU_ISSET(p->main_lcore, &p->service))
		return stint_eal_refuse(p, "--main-lcore %d: it is a service lcore (-s or -S)",
					p->main_lcore);
	if (CPU_ISSET(p->main_lcore, &lcores))
		return STINT_EAL_OK;
	stint_cpulist_format(there, sizeof(there), &lcores);
	return stint_eal_refuse(p, "--main-lcore %d is not among the lcores %s", p->main_lcore,
				there);
}

static int
socket_of(const struct stint_host *host, const cpu_set_t *cpus)
{
	unsigned int cpu = 0;

	while (!CPU_ISSET(cpu, cpus))
		cpu++;
	return host->socket[cpu];
}

enum stint_eal_verdict
stint_eal_lcores(struct stint_eal_parse *p)
{
	enum stint_eal_verdict rc = STINT_EAL_OK;
	struct stint_eal_args *args = p->args;

	if (p->cores == NULL)
		rc = take_allowed(p);
	if (rc == STINT_EAL_OK)
		rc = keep_to_cpuset(p);
	if (rc == STINT_EAL_OK)
		rc = choose_main(p);
	if (rc != STINT_EAL_OK)
		return rc;
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++)
		if (CPU_COUNT(&p->cpus[i]) > 0 && !CPU_ISSET(i, &p->service))
			args->lcores[args->n_lcores++] = (struct stint_eal_lcore){
				.id = i,
				.cpus = p->cpus[i],
				.socket = socket_of(p->host, &p->cpus[i]),
			};
	return STINT_EAL_OK;
}
