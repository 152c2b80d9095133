/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "eal_parse.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_uuid.h>
#include <rte_vect.h>

/* EAL reads -m, -n and -r with atoi(): "64x" is 64 to it, and "x" 0. Here they are refused. */
static enum stint_eal_verdict
take_number(struct stint_eal_parse *p, const char *option, const char *value, unsigned int max,
	    const char *unit, unsigned int *number)
{
	const char *end = stint_eal_number(value, number);

	if (end != NULL && *end == '\0' && *number >= 1 && *number <= max)
		return STINT_EAL_OK;
	return stint_eal_refuse(p, "%s \"" STINT_EAL_TYPED "\": no number of %s from 1 to %u",
				option, value, unit, max);
}

enum stint_eal_verdict
stint_eal_take_memory(struct stint_eal_parse *p, const char *option, const char *value)
{
	enum stint_eal_verdict rc;
	unsigned int mib = 0;

	rc = take_number(p, option, value, INT_MAX, "MiB", &mib);
	p->args->mem_bytes = (uint64_t)mib << 20;
	return rc;
}

enum stint_eal_verdict
stint_eal_take_channels(struct stint_eal_parse *p, const char *option, const char *value)
{
	unsigned int channels;

	return take_number(p, option, value, INT_MAX, "memory channels", &channels);
}

enum stint_eal_verdict
stint_eal_take_ranks(struct stint_eal_parse *p, const char *option, const char *value)
{
	unsigned int ranks;

	return take_number(p, option, value, 16, "memory ranks", &ranks);
}

enum stint_eal_verdict
stint_eal_take_worker_stack(struct stint_eal_parse *p, const char *option, const char *value)
{
	unsigned int kib;

	p->huge_worker_stack = true;
	if (value == NULL || value[0] == '\0')
		return STINT_EAL_OK;
	return take_number(p, option, value, INT_MAX, "KiB", &kib);
}

static enum stint_eal_verdict
no_such_node(struct stint_eal_parse *p, const char *option, const char *value, unsigned int node)
{
	if (p->host->sockets == 1)
		return stint_eal_refuse(p,
					"%s " STINT_EAL_TYPED ": there is no node %u, only node 0",
					option, value, node);
	return stint_eal_refuse(p, "%s " STINT_EAL_TYPED ": there is no node %u; there are 0-%u",
				option, value, node, p->host->sockets - 1);
}

/* MiB for node 0, 1, ...; none for those that are not listed. */
static enum stint_eal_verdict
take_nodes(struct stint_eal_parse *p, const char *option, const char *value, uint64_t *bytes)
{
	const char *s = value;

	memset(bytes, 0, RTE_MAX_NUMA_NODES * sizeof(*bytes));
	for (unsigned int node = 0;; node++) {
		unsigned int mib;

		s = stint_eal_number(s, &mib);
		if (s == NULL || (*s != ',' && *s != '\0') || node >= RTE_MAX_NUMA_NODES)
			return stint_eal_refuse(p,
						"%s \"" STINT_EAL_TYPED "\": no list of MiB for "
						"node 0, 1, ... (up to %u) such as 1024,512",
						option, value, RTE_MAX_NUMA_NODES - 1);
		if (mib > 0 && node >= p->host->sockets)
			return no_such_node(p, option, value, node);
		bytes[node] = (uint64_t)mib << 20;
		if (*s++ == '\0')
			return STINT_EAL_OK;
	}
}

enum stint_eal_verdict
stint_eal_take_socket_mem(struct stint_eal_parse *p, const char *option, const char *value)
{
	p->args->socket_mem_given = true;
	return take_nodes(p, option, value, p->args->socket_mem);
}

enum stint_eal_verdict
stint_eal_take_socket_limit(struct stint_eal_parse *p, const char *option, const char *value)
{
	p->args->socket_limit_given = true;
	return take_nodes(p, option, value, p->args->socket_limit);
}

enum stint_eal_verdict
stint_eal_take_simd(struct stint_eal_parse *p, const char *option, const char *value)
{
	unsigned long bits;
	char *end;

	if (p->simd_given)
		return stint_eal_refuse(p, "%s: EAL takes it only once", option);
	p->simd_given = true;
	errno = 0;
	bits = strtoul(value, &end, 0);
	if (errno == 0 && end != value && *end == '\0' &&
	    (bits == 0 || (bits >= RTE_VECT_SIMD_DISABLED && bits <= RTE_VECT_SIMD_MAX &&
			   (bits & (bits - 1)) == 0)))
		return STINT_EAL_OK;
	return stint_eal_refuse(
		p, "%s \"" STINT_EAL_TYPED "\": no power of two from %d to %d, or 0 for no limit",
		option, value, RTE_VECT_SIMD_DISABLED, RTE_VECT_SIMD_MAX);
}

enum stint_eal_verdict
stint_eal_take_virtaddr(struct stint_eal_parse *p, const char *option, const char *value)
{
	char *end;

	errno = 0;
	strtoull(value, &end, 16);
	if (errno == 0 && end != value && *end == '\0')
		return STINT_EAL_OK;
	return stint_eal_refuse(
		p, "%s \"" STINT_EAL_TYPED "\": no hexadecimal address such as 0x100000000", option,
		value);
}

enum stint_eal_verdict
stint_eal_take_trace_size(struct stint_eal_parse *p, const char *option, const char *value)
{
	if (rte_str_to_size(value) != 0)
		return STINT_EAL_OK;
	return stint_eal_refuse(p, "%s \"" STINT_EAL_TYPED "\": no size above 0 such as 64K or 1M",
				option, value);
}

enum stint_eal_verdict
stint_eal_take_vf_token(struct stint_eal_parse *p, const char *option, const char *value)
{
	rte_uuid_t uuid;

	if (rte_uuid_parse(value, uuid) == 0)
		return STINT_EAL_OK;
	return stint_eal_refuse(p,
				"%s \"" STINT_EAL_TYPED
				"\": no UUID such as 14d63f20-8445-11ea-8900-1f9ce7d5650d",
				option, value);
}
