/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef TEST_RECORDS_H
#define TEST_RECORDS_H

/* Records of a run file for the tests of lib/report. Include after cmocka.h. */

#include "report.h"

#include <stdlib.h>
#include <string.h>

/*
 * Records, one a line, with ' for ". Of a sample only what the cases vary is told: S1 is one of a
 * point on lcore 0, S2 of one on lcores 0 and 1.
 */
#define RUN "{'type':'run','schema':1,'tsc_hz':3000000000,'host':'h'}\n"
#define PLAN                                                                           \
	"{'type':'plan','test':'t','points':4,'lcores':[0,1],'budget_ns':20000000000," \
	"'shares_cpus':false}\n"
#define ROUND(round, floor) "{'type':'round','test':'t','round':" #round ",'floor':" floor "}\n"
#define PAIR(a, b, ns) "{'lcores':[" #a "," #b "],'ns':" #ns "}"
#define FLOOR(round, ns) ROUND(round, "[" PAIR(0, 1, ns) "]")
#define SAMPLE(point, lcores, metric, round, value, at, rest)                               \
	"{'type':'sample','test':'t','point':" point ",'round':" #round ",'lcores':" lcores \
	"," metric ",'value':" #value ",'at_ns':" #at "," rest "}\n"
#define RATE "'metric':'get','unit':'objects/s','kind':'rate'"
#define COST "'metric':'lag','unit':'cycles/get','kind':'cost'"
#define CALM "'ops':1000,'ns':1000000,'disturbed':false"
#define TAINTED(taint) "'ops':1000,'ns':1000000,'disturbed':true,'taint':{" taint "}"
#define ONE "{'cores':1,'pool':'cache'}"
#define TWO "{'cores':2,'pool':'cache'}"
#define S1(round, value) SAMPLE(ONE, "[0]", RATE, round, value, 0, CALM)
#define S2(round, value) SAMPLE(TWO, "[0,1]", RATE, round, value, 0, CALM)
#define D1(round, value) SAMPLE(ONE, "[0]", RATE, round, value, 0, TAINTED(""))
#define D2(round, value) SAMPLE(TWO, "[0,1]", RATE, round, value, 0, TAINTED(""))
#define SKIP(point, rest) "{'type':'skip','test':'t'," point rest "}\n"
#define RESULT(status, done, rest)                                                          \
	"{'type':'result','test':'t','status':'" status "','points':4,'points_done':" #done \
	",'points_skipped':0,'rounds':3,'elapsed_ns':20000000000" rest "}\n"
#define END(signal) "{'type':'end','exit':0,'signal':" #signal ",'tsc_hz':3000000001}\n"

static inline json_t *
parse(const char *text, size_t size)
{
	char *json = strndup(text, size);
	json_t *record;

	assert_non_null(json);
	for (char *c = json; *c != '\0'; c++)
		*c = *c == '\'' ? '"' : *c;
	record = json_loads(json, 0, NULL);
	if (record == NULL)
		fail_msg("the test's own JSON is wrong: %s", json);
	free(json);
	return record;
}

static inline void
feed(struct stint_summary *s, const char *records)
{
	for (const char *end; *records != '\0'; records = end + 1) {
		json_t *record;

		end = strchr(records, '\n');
		assert_non_null(end);
		record = parse(records, end - records);
		if (stint_summary_add(s, record) != 0)
			fail_msg("refused (%s): %.*s", stint_summary_error(s), (int)(end - records),
				 records);
		assert_int_equal(record->refcount, 1);
		json_decref(record);
	}
}

/* What is printed at the end of a run, to be freed. */
static inline char *
print(const char *records)
{
	struct stint_summary *s = stint_summary_new();
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(s);
	assert_non_null(out);
	feed(s, records);
	assert_int_equal(stint_summary_print(s, out), 0);
	fclose(out);
	stint_summary_free(s);
	return text;
}

#endif /* TEST_RECORDS_H */
