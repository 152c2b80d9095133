/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_RUNFILE_H
#define STINT_RUNFILE_H

/**
 * @file
 * Run files: the record of a run, one JSON object a line, each with a "type". See the guide for
 * the keys. Needs no EAL.
 */

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/** Value of "schema" in the `run` record. */
#define STINT_RUNFILE_SCHEMA 1

/** A run file being written. One thread at a time. */
struct stint_runfile;

/**
 * Open a new run file. What is there already is refused (-EEXIST, a folder -EISDIR: nothing is
 * ever overwritten), but a pipe or a character device is written to; a pipe without a reader
 * waits for one. 0 or -errno.
 */
int stint_runfile_create(struct stint_runfile **out, const char *path);

/**
 * Open TEST-<UTC start>-<pid>.ndjson in a folder, which is made if it is not there (its parent must
 * be); a name taken already gets -2, -3, ... before the suffix. 0 or -errno.
 */
int stint_runfile_create_in(struct stint_runfile **out, const char *folder, const char *test);

/** Where the file is; owned by the run file. */
const char *stint_runfile_path(const struct stint_runfile *rf);

/**
 * Write one record, an object with a "type", as one line with one write, whole. Takes no
 * reference. A double reads back as the same. After a failure every further write gives the same
 * error: a file never continues behind a gap. For a pipe without a reader the process gets SIGPIPE,
 * and -EPIPE if it ignores that. 0 or -errno; -EINVAL: no such record (or NULL).
 */
int stint_runfile_write(struct stint_runfile *rf, const json_t *record);

/** Close and free. The first error of any write, or that of the close: 0 or -errno. */
int stint_runfile_close(struct stint_runfile *rf);

/** What stint_runfile_read() found. */
struct stint_runfile_info {
	uint64_t records; /**< handed over */
	uint64_t line;    /**< last line looked at; with an error, the malformed one */
	int truncated;    /**< the last line was cut off, and passed over */
	char error[256];  /**< what is wrong with it, for a person; empty if nothing */
};

/** Gets each record, its "type" known or not; non-zero ends the reading and is returned. */
typedef int (*stint_record_fn)(void *arg, const char *type, const json_t *record);

/**
 * Read a run file from its start, a line at a time. A last line without its end is a file cut off:
 * not an error. Any other line that is no JSON object with a "type" is -EBADMSG, and named; so are
 * keys given twice, a NUL in a string, and an empty line. Lines may end in CR LF. A schema that is
 * newer than STINT_RUNFILE_SCHEMA is -EPROTO. `info` is filled in any case. 0, -errno, or what
 * `fn` returned.
 */
int stint_runfile_read(const char *path, stint_record_fn fn, void *arg,
		       struct stint_runfile_info *info);

#endif /* STINT_RUNFILE_H */
