/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_REPORT_MODEL_H
#define STINT_REPORT_MODEL_H

/**
 * @file
 * What a summary holds. Internal to lib/report.
 */

#include "report.h"
#include "stint_stats.h"

/** A growing array; `data` moves when an element is added. */
struct sum_vec {
	void *data;
	size_t n, cap;
};

#define VEC(type, vec) ((type *)(vec).data)

/** One sample. A long run holds some 300,000, so it is kept at 24 bytes. */
struct sum_sample {
	double value; /**< NaN: nothing was measured; of a latency: how many were recorded */
	uint64_t at_ns;
	float ns;
	uint32_t round : 31;
	uint32_t disturbed : 1;
};

/** Most parts of a latency that are shown. */
#define SUM_PARTS_MAX 2

/** A part of a latency that is shown beside it: half of a round trip. */
struct sum_part {
	char name[48];
	double factor;
};

/** The samples of one metric of one point. */
struct sum_series {
	unsigned int metric; /**< index into `metrics` */
	unsigned int lcores; /**< that the value is a sum of */
	char pages[8];       /**< if not hugepages */
	struct sum_vec samples;
	struct stint_histogram *latencies; /**< of all samples, of a metric that is one */
	struct sum_part parts[SUM_PARTS_MAX];
	unsigned int n_parts;
	double tsc_hz; /**< that the latencies are told by: the latest */
};

struct sum_point {
	unsigned int *labels; /**< by dimension: 1 + index of its value, 0: has none */
	unsigned int n_labels;
	unsigned int set; /**< index into `sets`: the most lcores of any metric */
	struct sum_vec series;
};

/** A value of a dimension. Numbers go by size, texts by first appearance. */
struct sum_label {
	char *text;
	bool number;
	double rank;
};

struct sum_dim {
	char *name;
	json_t *index; /**< JSON text of a value -> index into `labels` */
	struct sum_vec labels;
};

struct sum_metric {
	char *name, *unit;
	bool rate, latency;
};

/** The lcores that a point is counted on, and the level of each round for them. */
struct sum_set {
	unsigned int *ids;
	unsigned int n;
	bool *off; /**< by index into `rounds`: on another level; NULL: no level */
	size_t n_off;
	double floor_ns, off_floor_ns;
};

struct sum_pair {
	unsigned int from, to;
};

struct sum_round {
	uint32_t number;
	uint32_t n;
	float *floor_ns; /**< by index into `pairs`; NaN: not measured */
};

struct sum_span {
	uint64_t from_ns, to_ns;
};

struct sum_skip {
	char *reason, *need, *have, *remedy; /**< NULL: not said */
	unsigned int points;
};

enum sum_status { SUM_NO_RESULT, SUM_PASS, SUM_FAIL, SUM_SKIP };

/** What disturbed the samples that are marked so; one sample may have several causes. */
struct sum_causes {
	uint64_t samples, switches, faults, steal, slow, longest_gap_ns;
};

/** One run of one test. */
struct sum_test {
	char *name;

	bool planned, shares_cpus;
	bool stamped; /**< `resolution_ns` and `stamp_ns` are known */
	double resolution_ns, stamp_ns;
	int64_t plan_points, budget_ns;
	unsigned int *lcores;
	unsigned int n_lcores;

	struct sum_vec dims, metrics, sets, pairs;
	struct sum_vec rounds; /**< ascending by number */
	struct sum_vec points;
	json_t *point_index; /**< JSON text of the labels -> index into `points` */
	bool levels_known;   /**< `sets` and `rounds` did not change since */

	uint64_t n_samples;    /**< but latencies */
	uint64_t n_histograms; /**< samples of latencies */
	struct sum_causes disturbed;
	size_t last_point;
	uint32_t last_round;
	struct sum_vec steals;

	struct sum_vec notes; /**< of char *: what the test said of itself */
	struct sum_vec skips; /**< of points, by reason */
	json_t *skip_index;
	struct sum_skip skip; /**< of the whole test; reason NULL: none */

	enum sum_status status;
	int64_t points_total, points_done, n_rounds, elapsed_ns;
	char *message;
};

struct stint_summary {
	struct sum_vec tests; /**< of struct sum_test * */
	double tsc_hz;        /**< 0: not known */
	bool tsc_doubtful;   /**< the CPU does not promise a TSC that is constant and never stops */
	struct sum_vec work; /**< doubles, as many as the longest series has samples */
	struct stint_histogram scratch; /**< of the record that is read */
	bool ended;
	int64_t signal;
	char error[256];
};

/* vec.c */
/** Add a zeroed element of `bytes`; NULL: no memory. */
void *stint_vec_add(struct sum_vec *v, size_t bytes);
/** Insert a zeroed element before number `at`; NULL: no memory. */
void *stint_vec_insert(struct sum_vec *v, size_t at, size_t bytes);
/** lcore ids of a JSON array. 0, -EBADMSG, -ENOMEM. */
int stint_ids_parse(const json_t *array, unsigned int **ids, unsigned int *n);
/** Index stored under `key` by stint_index_set(); -1: none. */
int64_t stint_index_get(const json_t *index, const char *key);
/** Make the index if it is NULL, and store. 0 or -ENOMEM. */
int stint_index_set(json_t **index, const char *key, size_t value);

/* summary.c */
/** Note what is wrong with a record. Returns -EBADMSG. */
int stint_sum_refuse(struct stint_summary *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** The latest run of a test; NULL: none. */
struct sum_test *stint_sum_find(const struct stint_summary *s, const char *name);
/** The run of a test that has no result yet, made if need be; NULL: no memory. */
struct sum_test *stint_sum_open(struct stint_summary *s, const char *name);

/* test.c */
struct sum_test *stint_sum_test_new(const char *name);
void stint_sum_test_free(struct sum_test *t);

/* series.c */
/** What records of all kinds of slices have in common. */
struct sum_slice {
	const char *type; /**< of the record */
	const char *test, *metric, *unit, *kind;
	json_t *point, *lcores;
	json_int_t round, ns, at_ns;
	int disturbed;
	const char *pages; /**< NULL: hugepages */
};

/** Read it, but `kind`, from a record. 0 or -EBADMSG. */
int stint_sum_slice(struct stint_summary *s, const json_t *record, const char *type,
		    struct sum_slice *slice);
/**
 * Add a sample, without its value, to the series it belongs to, made if need be, in the run of the
 * test that has no result yet. 0, -EBADMSG, -ENOMEM.
 */
int stint_sum_add_slice(struct stint_summary *s, const struct sum_slice *slice, struct sum_test **t,
			struct sum_series **series);
/** The series of a point and metric in the latest run of a test. 0, -ENOENT, -ENOMEM. */
int stint_sum_find_series(const struct stint_summary *s, const char *test, const json_t *point,
			  const char *metric, const struct sum_point **p,
			  const struct sum_series **series);

/* records */
int stint_sum_add_round(struct stint_summary *s, const json_t *record);     /* round.c */
int stint_sum_add_sample(struct stint_summary *s, const json_t *record);    /* sample.c */
int stint_sum_add_skip(struct stint_summary *s, const json_t *record);      /* skip.c */
int stint_sum_add_histogram(struct stint_summary *s, const json_t *record); /* histogram.c */

/* note.c */
/** Take what a result record says beside the result. 0 or -ENOMEM. */
int stint_sum_add_notes(struct sum_test *t, const json_t *result);
void stint_sum_free_notes(struct sum_test *t);

/* point.c */
/** The point with these labels, made if need be. 0, -EBADMSG, -ENOMEM. */
int stint_sum_point(struct stint_summary *s, struct sum_test *t, const json_t *labels,
		    size_t *index);
/** Indexes of all points, in the order of their labels; to be freed. NULL: no memory. */
size_t *stint_sum_point_order(struct sum_test *t);

/* round.c */
/** Index of a round; -1: no record. */
int64_t stint_sum_round_index(const struct sum_test *t, uint32_t number);

/* level.c */
/** Find the rounds that are on another level, for all sets. 0 or -ENOMEM. */
int stint_sum_levels(struct sum_test *t);
unsigned int stint_sum_main_lcore(const struct sum_test *t, const struct sum_set *set);
/** Does a point with these lcores use others than the main one? */
bool stint_sum_many_lcores(const struct sum_test *t, const struct sum_set *set);

/** Is the round of a sample on another level than the most, for these lcores? */
bool stint_sum_off_level(const struct sum_test *t, const struct sum_set *set,
			 const struct sum_sample *sample);

/* latency.c */
struct stint_latency_value stint_sum_latency(const struct sum_test *t, const struct sum_point *p,
					     const struct sum_series *series);

/* value.c */
struct stint_value stint_sum_value(struct stint_summary *s, const struct sum_test *t,
				   const struct sum_point *p, const struct sum_series *series);

/* steal.c */
/** Samples that overlap stolen time. Puts `steals` in order. */
uint64_t stint_sum_stolen(struct sum_test *t);

#endif /* STINT_REPORT_MODEL_H */
