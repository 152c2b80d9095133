/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_EAL_PARSE_H
#define STINT_EAL_PARSE_H

/** @file What the parts of stint_eal_args_parse() share. */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "eal_args.h"

/** Most of what a user typed that an error repeats, so that the rest of the line fits. */
#define STINT_EAL_TYPED "%.80s"

struct stint_eal_parse {
	struct stint_eal_args *args;
	const struct stint_host *host;
	char *error;
	size_t size;

	/* what only conflicts ask for */
	bool huge_worker_stack, simd_given, unlink_always, unlink_never;

	/* lcores until all options are read */
	const char *cores, *cores_value; /* the option that gave them */
	cpu_set_t cpus[RTE_MAX_LCORE];   /* by lcore; empty: no lcore */
	cpu_set_t service;               /* lcores, not CPUs */
	int main_lcore;                  /* < 0: not given */
};

/** Takes one option's value (NULL: none). `option` is as in "-l" or "--lcores". */
typedef enum stint_eal_verdict (*stint_eal_take)(struct stint_eal_parse *p, const char *option,
						 const char *value);

/** One line into the error, on which nothing but printable characters remain. */
enum stint_eal_verdict stint_eal_refuse(struct stint_eal_parse *p, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));

/** Skip blanks. */
const char *stint_eal_blanks(const char *s);

/** Read a decimal number, at most INT_MAX; returns what follows, or NULL. */
const char *stint_eal_number(const char *s, unsigned int *value);

/* eal_lcores.c */
enum stint_eal_verdict stint_eal_take_list(struct stint_eal_parse *p, const char *option,
					   const char *value);
enum stint_eal_verdict stint_eal_take_mask(struct stint_eal_parse *p, const char *option,
					   const char *value);
enum stint_eal_verdict stint_eal_take_map(struct stint_eal_parse *p, const char *option,
					  const char *value);
enum stint_eal_verdict stint_eal_take_service_list(struct stint_eal_parse *p, const char *option,
						   const char *value);
enum stint_eal_verdict stint_eal_take_service_mask(struct stint_eal_parse *p, const char *option,
						   const char *value);
enum stint_eal_verdict stint_eal_take_main(struct stint_eal_parse *p, const char *option,
					   const char *value);
/** All options are read: fill the lcores of args. */
enum stint_eal_verdict stint_eal_lcores(struct stint_eal_parse *p);

/* eal_corelist.c: sets of lcores or CPUs as users write them */

/** "0-3,8" as of -l and -S. */
enum stint_eal_verdict stint_eal_read_list(struct stint_eal_parse *p, const char *option,
					   const char *value, cpu_set_t *set);
/** "0x10f" as of -c and -s. */
enum stint_eal_verdict stint_eal_read_mask(struct stint_eal_parse *p, const char *option,
					   const char *value, cpu_set_t *set);
/** A number, a range or a group in parentheses, as of --lcores. */
struct stint_eal_group {
	cpu_set_t set;
	unsigned int highest; /**< may be too large for the set */
	bool range;           /**< "0-3" without parentheses */
	bool cut;             /**< a range in parentheses that EAL does not read as written */
};

/** Returns what follows the group, or NULL. */
const char *stint_eal_read_group(const char *s, struct stint_eal_group *group);
/** Is each CPU there and on line? */
enum stint_eal_verdict stint_eal_cpus_exist(struct stint_eal_parse *p, const char *option,
					    const char *value, const cpu_set_t *cpus);

/* eal_values.c */
enum stint_eal_verdict stint_eal_take_memory(struct stint_eal_parse *p, const char *option,
					     const char *value);
enum stint_eal_verdict stint_eal_take_socket_mem(struct stint_eal_parse *p, const char *option,
						 const char *value);
enum stint_eal_verdict stint_eal_take_socket_limit(struct stint_eal_parse *p, const char *option,
						   const char *value);
enum stint_eal_verdict stint_eal_take_channels(struct stint_eal_parse *p, const char *option,
					       const char *value);
enum stint_eal_verdict stint_eal_take_ranks(struct stint_eal_parse *p, const char *option,
					    const char *value);
enum stint_eal_verdict stint_eal_take_worker_stack(struct stint_eal_parse *p, const char *option,
						   const char *value);
enum stint_eal_verdict stint_eal_take_simd(struct stint_eal_parse *p, const char *option,
					   const char *value);
enum stint_eal_verdict stint_eal_take_virtaddr(struct stint_eal_parse *p, const char *option,
					       const char *value);
enum stint_eal_verdict stint_eal_take_trace_size(struct stint_eal_parse *p, const char *option,
						 const char *value);
enum stint_eal_verdict stint_eal_take_vf_token(struct stint_eal_parse *p, const char *option,
					       const char *value);

/* eal_words.c: values that are words, paths or devices */
enum stint_eal_verdict stint_eal_take_iova(struct stint_eal_parse *p, const char *option,
					   const char *value);
enum stint_eal_verdict stint_eal_take_proc_type(struct stint_eal_parse *p, const char *option,
						const char *value);
enum stint_eal_verdict stint_eal_take_unlink(struct stint_eal_parse *p, const char *option,
					     const char *value);
enum stint_eal_verdict stint_eal_take_vfio_intr(struct stint_eal_parse *p, const char *option,
						const char *value);
enum stint_eal_verdict stint_eal_take_syslog(struct stint_eal_parse *p, const char *option,
					     const char *value);
enum stint_eal_verdict stint_eal_take_trace_mode(struct stint_eal_parse *p, const char *option,
						 const char *value);
enum stint_eal_verdict stint_eal_take_pool_ops(struct stint_eal_parse *p, const char *option,
					       const char *value);
enum stint_eal_verdict stint_eal_take_allow(struct stint_eal_parse *p, const char *option,
					    const char *value);
enum stint_eal_verdict stint_eal_take_block(struct stint_eal_parse *p, const char *option,
					    const char *value);
enum stint_eal_verdict stint_eal_take_vdev(struct stint_eal_parse *p, const char *option,
					   const char *value);

/** Add to a list of `max`. */
enum stint_eal_verdict stint_eal_append(struct stint_eal_parse *p, const char *option,
					const char *value, const char **list, unsigned int *count,
					unsigned int max);

/* eal_paths.c */
enum stint_eal_verdict stint_eal_take_plugin(struct stint_eal_parse *p, const char *option,
					     const char *value);
enum stint_eal_verdict stint_eal_take_huge_dir(struct stint_eal_parse *p, const char *option,
					       const char *value);
enum stint_eal_verdict stint_eal_take_prefix(struct stint_eal_parse *p, const char *option,
					     const char *value);

/** Options that EAL does not take together; asked when all are read. */
enum stint_eal_verdict stint_eal_conflicts(struct stint_eal_parse *p);

#endif /* STINT_EAL_PARSE_H */
