/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "eal_parse.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <rte_common.h>

static enum stint_eal_verdict
no_such_word(struct stint_eal_parse *p, const char *option, const char *value,
	     const char *const *words, unsigned int count)
{
	char all[200];
	size_t used = 0;

	all[0] = '\0';
	for (unsigned int i = 0; i < count && used < sizeof(all); i++)
		used += snprintf(all + used, sizeof(all) - used, "%s%s", i > 0 ? ", " : "",
				 words[i]);
	return stint_eal_refuse(p, "%s \"" STINT_EAL_TYPED "\": one of %s", option, value, all);
}

static enum stint_eal_verdict
take_word(struct stint_eal_parse *p, const char *option, const char *value,
	  int (*compare)(const char *, const char *), const char *const *words, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (compare(value, words[i]) == 0)
			return STINT_EAL_OK;
	return no_such_word(p, option, value, words, count);
}

enum stint_eal_verdict
stint_eal_take_iova(struct stint_eal_parse *p, const char *option, const char *value)
{
	static const char *const words[] = { "pa", "va" };

	p->args->iova_pa = strcmp(value, "pa") == 0;
	p->args->iova_va = strcmp(value, "va") == 0;
	return take_word(p, option, value, strcmp, words, RTE_DIM(words));
}

enum stint_eal_verdict
stint_eal_take_proc_type(struct stint_eal_parse *p, const char *option, const char *value)
{
	static const char *const words[] = { "primary", "secondary", "auto" };

	p->args->proc_type = value;
	return take_word(p, option, value, strcasecmp, words, RTE_DIM(words));
}

enum stint_eal_verdict
stint_eal_take_unlink(struct stint_eal_parse *p, const char *option, const char *value)
{
	static const char *const words[] = { "existing", "always", "never" };

	p->args->huge_unlink = true;
	if (value == NULL)
		value = "always";
	/* to EAL a later one does not undo an earlier one */
	p->unlink_always |= strcmp(value, "always") == 0;
	p->unlink_never |= strcmp(value, "never") == 0;
	return take_word(p, option, value, strcmp, words, RTE_DIM(words));
}

enum stint_eal_verdict
stint_eal_take_vfio_intr(struct stint_eal_parse *p, const char *option, const char *value)
{
	static const char *const words[] = { "legacy", "msi", "msix" };

	return take_word(p, option, value, strcmp, words, RTE_DIM(words));
}

enum stint_eal_verdict
stint_eal_take_syslog(struct stint_eal_parse *p, const char *option, const char *value)
{
	static const char *const words[] = {
		"auth",   "cron",   "daemon", "ftp",    "kern",   "lpr",    "mail",
		"news",   "syslog", "user",   "uucp",   "local0", "local1", "local2",
		"local3", "local4", "local5", "local6", "local7",
	};

	return take_word(p, option, value, strcmp, words, RTE_DIM(words));
}

enum stint_eal_verdict
stint_eal_take_trace_mode(struct stint_eal_parse *p, const char *option, const char *value)
{
	static const char *const words[] = { "overwrite", "discard" };

	for (unsigned int i = 0; i < RTE_DIM(words); i++)
		if (value[0] != '\0' && strncmp(value, words[i], strlen(value)) == 0)
			return STINT_EAL_OK;
	return no_such_word(p, option, value, words, RTE_DIM(words));
}

enum stint_eal_verdict
stint_eal_take_pool_ops(struct stint_eal_parse *p, const char *option, const char *value)
{
	p->args->mbuf_pool_ops = value;
	if (value[0] != '\0')
		return STINT_EAL_OK;
	return stint_eal_refuse(p, "%s: the name is empty", option);
}

enum stint_eal_verdict
stint_eal_append(struct stint_eal_parse *p, const char *option, const char *value,
		 const char **list, unsigned int *count, unsigned int max)
{
	if (*count == max)
		return stint_eal_refuse(p, "%s " STINT_EAL_TYPED ": more than %u of them", option,
					value, max);
	list[(*count)++] = value;
	return STINT_EAL_OK;
}

enum stint_eal_verdict
stint_eal_take_allow(struct stint_eal_parse *p, const char *option, const char *value)
{
	struct stint_eal_args *args = p->args;

	return stint_eal_append(p, option, value, args->allows, &args->n_allows,
				RTE_DIM(args->allows));
}

enum stint_eal_verdict
stint_eal_take_block(struct stint_eal_parse *p, const char *option, const char *value)
{
	struct stint_eal_args *args = p->args;

	return stint_eal_append(p, option, value, args->blocks, &args->n_blocks,
				RTE_DIM(args->blocks));
}

enum stint_eal_verdict
stint_eal_take_vdev(struct stint_eal_parse *p, const char *option, const char *value)
{
	struct stint_eal_args *args = p->args;

	if (value[0] == '\0' || value[0] == ',')
		return stint_eal_refuse(
			p, "%s \"" STINT_EAL_TYPED "\": a device has a name, such as net_ring0",
			option, value);
	return stint_eal_append(p, option, value, args->vdevs, &args->n_vdevs,
				RTE_DIM(args->vdevs));
}

struct conflict {
	bool is;
	const char *one, *other;
};

enum stint_eal_verdict
stint_eal_conflicts(struct stint_eal_parse *p)
{
	const struct stint_eal_args *a = p->args;
	const char *shared = a->in_memory ? "--in-memory" : "--no-shconf";
	bool secondary = a->proc_type != NULL && strcasecmp(a->proc_type, "secondary") == 0;
	const struct conflict conflicts[] = {
		{ a->n_allows > 0 && a->n_blocks > 0, "-a", "-b" },
		{ a->mem_bytes > 0 && a->socket_mem_given, "-m", "--socket-mem" },
		{ a->no_huge && a->socket_mem_given, "--no-huge", "--socket-mem" },
		{ a->no_huge && a->in_memory, "--no-huge", "--in-memory" },
		{ a->no_huge && p->unlink_always, "--no-huge", "--huge-unlink" },
		{ a->no_huge && p->huge_worker_stack, "--no-huge", "--huge-worker-stack" },
		{ a->no_huge && a->match_allocations, "--no-huge", "--match-allocations" },
		/* EAL starts, with virtual ones: not what was asked for */
		{ a->no_huge && a->iova_pa, "--no-huge",
		  "--iova-mode=pa (physical addresses need hugepages)" },
		{ a->legacy_mem && a->in_memory, "--legacy-mem", "--in-memory" },
		{ a->legacy_mem && a->match_allocations, "--legacy-mem", "--match-allocations" },
		{ a->single_file_segments && p->unlink_always && !a->in_memory,
		  "--single-file-segments", "--huge-unlink" },
		{ a->in_memory && p->unlink_never, "--in-memory", "--huge-unlink=never" },
		/* EAL would wait for ever for a primary process that it cannot see */
		{ secondary && (a->in_memory || a->no_shconf), "--proc-type=secondary", shared },
	};

	for (unsigned int i = 0; i < RTE_DIM(conflicts); i++)
		if (conflicts[i].is)
			return stint_eal_refuse(p, "%s does not go together with %s",
						conflicts[i].one, conflicts[i].other);
	return STINT_EAL_OK;
}
