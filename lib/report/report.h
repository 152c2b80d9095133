/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_REPORT_H
#define STINT_REPORT_H

/**
 * @file
 * From the records of a run to what is printed at its end. The runner feeds it the records as it
 * writes them, stintstat those of a file: the same code, the same text. Needs no EAL.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/** Confidence of the intervals shown. */
#define STINT_CONFIDENCE 0.95
/** Two floors further apart than this factor are on different levels. */
#define STINT_LEVEL_FACTOR 1.5

/** All runs of tests in a run file. One thread at a time. */
struct stint_summary;

struct stint_summary *stint_summary_new(void);
void stint_summary_free(struct stint_summary *s);

/**
 * Take in one record of a run file; unknown types and keys are passed over. Takes no reference.
 * The result ends a test: a later record of that name (but `steal`) begins another run of it.
 * 0, -EBADMSG if a key that is needed is missing or of the wrong type, -ENOMEM; a record that is
 * refused changes no sample that is already there.
 */
int stint_summary_add(struct stint_summary *s, const json_t *record);

/** What was wrong with the last record that was refused, for a person; owned by the summary. */
const char *stint_summary_error(const struct stint_summary *s);

/** What one metric of one point came to. */
struct stint_value {
	double value;           /**< median of the samples that count; NaN if there are none */
	double low, high;       /**< interval of STINT_CONFIDENCE; NaN if too few samples */
	double cycles;          /**< cycles per operation (STINT_RATE); else NaN */
	unsigned int samples;   /**< that count */
	unsigned int off_level; /**< left out: the round's floor was on another level; as below */
	unsigned int disturbed; /**< left out because disturbed; if all were, none is left out */
	bool all_disturbed, all_off_level;
};

/**
 * The value of one metric of a point (an object of labels) in the latest run of a test.
 * 0, -ENOENT if there is no sample of it (or it is a latency), -ENOMEM.
 */
int stint_summary_value(struct stint_summary *s, const char *test, const json_t *point,
			const char *metric, struct stint_value *value);

/** Quantiles that are shown of latencies. */
#define STINT_QUANTILES 6
/** Which they are: name, num and den as of stint_quantile_rank(). */
extern const struct stint_quantile_of {
	const char *name;
	uint32_t num, den;
} stint_quantiles[STINT_QUANTILES];

/** What the latencies of one metric of one point came to. Times are ns. */
struct stint_latency_value {
	double min, max, mean;
	double deviation;                  /**< standard deviation; NaN below two samples */
	double quantiles[STINT_QUANTILES]; /**< NaN: so few samples cannot tell it */
	uint64_t count;                    /**< all that were recorded */
	uint64_t disturbed;                /**< of them, in slices that were disturbed */
	uint64_t off_level;                /**< of them, in rounds on another level */
	unsigned int rounds;               /**< that have any */
};

/**
 * The same for a latency: all of its samples count, as tails are what they are asked for. 0,
 * -ENOENT, -ENOMEM.
 */
int stint_summary_latency(struct stint_summary *s, const char *test, const json_t *point,
			  const char *metric, struct stint_latency_value *value);

/**
 * Print the summary of the latest run of one test: points, then the lines that qualify them, then
 * the result. Whether `out` took it is for the caller to ask. 0, -ENOENT if there is no such test,
 * -ENOMEM.
 */
int stint_summary_print_test(struct stint_summary *s, const char *test, FILE *out);

/** Print all tests of a run in their order, and how the run ended. 0 or -ENOMEM. */
int stint_summary_print(struct stint_summary *s, FILE *out);

/**
 * Write a number for a person: four significant digits and an SI prefix, "n/a" for NaN and
 * infinities. Unit "objects/s": "71.30 M objects/s"; a unit that is no rate ("/s") takes no prefix.
 * Independent of the locale.
 */
void stint_format_value(char *text, size_t size, double value, const char *unit);

#endif /* STINT_REPORT_H */
