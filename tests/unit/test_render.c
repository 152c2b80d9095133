/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "records.h"

#include <errno.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define AT(at, ns) SAMPLE(ONE, "[0]", RATE, 0, 5, at, "'ops':1,'disturbed':false,'ns':" #ns)
#define STEAL(from, to) "{'type':'steal','test':'t','from_ns':" #from ",'to_ns':" #to ",'ns':1}\n"
#define OTHER(test, status)                                                                    \
	"{'type':'result','test':'" test "','status':'" status "','points':0,'points_done':0," \
	"'rounds':0,'elapsed_ns':1500000,'message':'why'}\n"
#define CUT "no end record: the run was cut off\n"
#define POINT1 "  cores=1 pool=cache  5.000 objects/s  [-]  n/a  1 round\n"

static const struct {
	const char *records, *text;
} cases[] = {
	{ "", CUT },
	{ END(0), "" },
	{ END(15), "ended by signal 15 (SIGTERM)\n" },
	{ END(99), "ended by signal 99\n" },
	/* steal between two reads: one within, one across both spans, three that only touch */
	{ STEAL(3000, 4000) AT(1200, 100) AT(1900, 3000) STEAL(1000, 2000) STEAL(3500, 3600)
		  AT(2000, 1000) AT(900, 100) AT(4000, 9) RESULT("pass", 1, "") END(0),
	  "t: 1 point: get\n"
	  "  cores=1 pool=cache  5.000 objects/s  [-]  n/a  5 rounds\n"
	  "  2 samples overlap stolen time\n"
	  "t: pass, 1 of 4 points, 3 rounds, 20.0 s\n" },
	{ AT(0, 10) RESULT("pass", 1, "") STEAL(5, 6) END(0),
	  "t: 1 point: get\n" POINT1 "  1 sample overlaps stolen time\n"
	  "t: pass, 1 of 4 points, 3 rounds, 20.0 s\n" },
	/* cut off */
	{ PLAN, ""
		"t: no result (the run ended early): 0 of 4 points\n" CUT },
	{ PLAN S1(0, 5) S2(2, 7),
	  "t: 4 points, 20 s budget, lcores 0,1: get\n" POINT1
	  "  cores=2 pool=cache  7.000 objects/s  [-]  n/a  1 round\n"
	  "t: no result (the run ended early): 2 of 4 points, last sample in round 3:"
	  " cores=2 pool=cache\n" CUT },
	{ S1(0, 5),
	  "t: 1 point: get\n" POINT1 "t: no result (the run ended early): last sample in round 1:"
	  " cores=1 pool=cache\n" CUT },
	/* skips */
	{ SKIP("'point':{'a':1},",
	       "'reason':'needs 2 lcores','need':'2','have':1,'remedy':'-l 0-1'")
		  SKIP("'point':{'a':2},",
		       "'reason':'needs 2 lcores','need':'2','have':1,'remedy':'-l 0-1'")
			  SKIP("'point':{'a':3},", "'reason':'needs 12 lcores','need':'2','have':1")
				  SKIP("'point':{'a':4},", "'reason':'hugepages','need':'9 "
							   "MiB','have':'2 MiB','remedy':null")
					  SKIP("'point':{'a':5},", "'reason':'no device'") RESULT(
						  "skip", 0, ",'message':'none left'") END(0),
	  "  skipped 2 points: needs 2 lcores, have 1 (-l 0-1)\n"
	  "  skipped 1 point: needs 12 lcores, need 2, have 1\n"
	  "  skipped 1 point: hugepages, need 9 MiB, have 2 MiB\n"
	  "  skipped 1 point: no device\n"
	  "t: skip: none left\n" },
	{ PLAN SKIP("", "'reason':'hugepages','need':'9 MiB','have':'2 MiB','remedy':'echo 5'")
		  RESULT("skip", 0, ",'message':'hugepages'") END(0),
	  "t: skip: hugepages; need 9 MiB, have 2 MiB; echo 5\n" },
	{ SKIP("", "'reason':'needs 2 lcores','need':2,'have':1") RESULT("skip", 0, "") END(0),
	  "t: skip: needs 2 lcores; have 1\n" },
	/* what a test says of itself, in its order, then what it counted */
	{ PLAN RESULT("pass", 1,
		      ",'notes':['port 0: \\u001b[2J','port 1'],'counts':{'frames lost':3,'foreign "
		      "frames':5000000000}") END(0),
	  "  port 0:  [2J\n  port 1\n  counted: 3 frames lost, 5000000000 foreign frames\n"
	  "t: pass, 1 of 4 points, 3 rounds, 20.0 s\n" },
	{ PLAN RESULT("pass", 1, ",'notes':[],'counts':{}") END(0),
	  "t: pass, 1 of 4 points, 3 rounds, 20.0 s\n" },
	{ PLAN RESULT("pass", 1, ",'notes':7,'counts':[]") END(0),
	  "t: pass, 1 of 4 points, 3 rounds, 20.0 s\n" },
	/* several tests; of fast ones nothing but the result; the same one again */
	{ OTHER("a", "pass") OTHER("b", "fail") OTHER("c", "skip") OTHER("a", "fail") PLAN END(2),
	  "a: pass, 1.5 ms: why\nb: fail, 1.5 ms: why\nc: skip: why\na: fail, 1.5 ms: why\n"
	  "t: no result (the run ended early): 0 of 4 points\n"
	  "1 passed, 2 failed, 1 skipped, 1 without a result\n"
	  "ended by signal 2 (SIGINT)\n" },
	/* numbers by size, texts by first appearance, points that lack a label first */
	{ SAMPLE("{'n':10,'p':'z'}", "[0]", RATE, 0, 5, 0, CALM)
		  SAMPLE("{'n':9,'p':'z'}", "[0]", RATE, 0, 5, 0, CALM)
			  SAMPLE("{'n':9,'p':'a'}", "[0]", RATE, 0, 5, 0, CALM)
				  SAMPLE("{'n':9}", "[0]", RATE, 0, 5, 0, CALM)
					  SAMPLE("{'n':'all','p':'z'}", "[0]", RATE, 0, 5, 0, CALM)
						  RESULT("pass", 5, "") END(0),
	  "t: 5 points: get\n"
	  "  n=9        5.000 objects/s  [-]  n/a  1 round\n"
	  "  n=9   p=z  5.000 objects/s  [-]  n/a  1 round\n"
	  "  n=9   p=a  5.000 objects/s  [-]  n/a  1 round\n"
	  "  n=10  p=z  5.000 objects/s  [-]  n/a  1 round\n"
	  "  n=all p=z  5.000 objects/s  [-]  n/a  1 round\n"
	  "t: pass, 5 of 4 points, 3 rounds, 20.0 s\n" },
	/* levels of several sets of lcores; a terminal gets no orders from a file */
	{ ROUND(0, "[" PAIR(0, 1, 60) "," PAIR(0, 2, 60) "]")
		  ROUND(1, "[" PAIR(0, 1, 60) "," PAIR(0, 2, 60) "]")
			  ROUND(2, "[" PAIR(0, 1, 60) "," PAIR(0, 2, 200) "]")
				  SAMPLE("{'x':'\\u001b[2J\\n'}", "[0,1]", RATE, 2, 5, 0, CALM)
					  SAMPLE("{'x':1}", "[0,1,2]", RATE, 2, 5, 0, CALM)
						  RESULT("pass", 2, "") END(0),
	  "t: 2 points: get\n"
	  "  x=1      5.000 objects/s  [-]  n/a  1 round  on another level\n"
	  "  x= [2J   5.000 objects/s  [-]  n/a  1 round\n"
	  "  1 of 3 rounds on another level for lcores 0-2 (floor 60 ns; 130 ns there):"
	  " left out of the values of points on them that have others\n"
	  "t: pass, 2 of 4 points, 3 rounds, 20.0 s\n" },
};

static void
test_print(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = print(cases[i].records);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

#define SMALL ",'pages':'4K'"
#define L2(round, value) SAMPLE(TWO, "[0,1]", COST, round, value, 0, CALM SMALL)

/* clang-format off */
static const char every_kind[] =
	RUN
	"{'type':'plan','test':'t','points':6,'lcores':[0,1],'budget_ns':2500000000,"
	"'shares_cpus':true}\n"
	SKIP("'point':{'cores':4,'pool':'cache'},",
	     "'reason':'needs 4 lcores','need':'4','have':'2','remedy':'-l 0-3'")
	FLOOR(0, 61) FLOOR(1, 62.4) FLOOR(2, 200) FLOOR(3, 61) FLOOR(4, 61) FLOOR(5, 61)
	FLOOR(6, 220)
	S1(0, 71300000) S1(1, 70900000) S1(2, 71600000) S1(3, 71200000) S1(4, 71400000)
	S1(5, 71300000)
	SAMPLE(ONE, "[0]", RATE, 6, 1000, 7000000,
	       TAINTED("'switches':2,'faults':0,'steal_ns':7,'gap_ns':4100000"))
	S2(0, 20000000) S2(1, 21000000) S2(2, 5)
	L2(0, 36.5) L2(1, 36.7) L2(6, 99)
	SAMPLE("{'cores':1,'pool':'none'}", "[0]", RATE, 0, 4000, 0,
	       TAINTED("'faults':3,'gap_ns':90000"))
	"{'type':'steal','test':'t','from_ns':6000000,'to_ns':7500000,'ns':10000000}\n"
	"{'type':'result','test':'t','status':'pass','points':6,'points_done':3,"
	"'points_skipped':1,'rounds':7,'elapsed_ns':2512345678,'message':'the budget ended'}\n"
	OTHER("u", "fail")
	"{'type':'skip','test':'v','reason':'no port','remedy':'--vdev=net_null0'}\n"
	OTHER("v", "skip")
	END(15);
/* clang-format on */

/* Cycles of a rate: 3e9 / 71.3e6 = 42.1, 3e9 / 4000 = 750000 and 2 * 3e9 / 20.5e6 = 293. */
static void
test_golden(void **state)
{
	char *text = print(every_kind);

	(void)state;
	assert_string_equal(
		text,
		"t: 6 points, 2.5 s budget, lcores 0,1 share CPUs\n"
		"  cores=1 pool=cache  get  71.30 M objects/s  [70.90, 71.60]"
		"    42.1 cycles/op  6 rounds\n"
		"  cores=1 pool=none   get  4.000 k objects/s             [-]"
		"  750000 cycles/op   1 round  disturbed\n"
		"  cores=2 pool=cache  get  20.50 M objects/s             [-]"
		"     293 cycles/op  2 rounds\n"
		"  cores=2 pool=cache  lag   36.60 cycles/get             [-]"
		"                    2 rounds  4K pages\n"
		"  2 of 7 rounds on another level (floor 61 ns; 210 ns there): left out of the"
		" values of points with more than one lcore that have others\n"
		"  2 of 14 samples disturbed (1 with switches, 1 with page faults, 1 with steal,"
		" longest gap 4.1 ms): left out where there are others\n"
		"  1 point has hardly an undisturbed sample\n"
		"  1 sample overlaps stolen time\n"
		"  skipped 1 point: needs 4 lcores, have 2 (-l 0-3)\n"
		"t: pass, 3 of 6 points, 7 rounds, 2.5 s: the budget ended\n"
		"u: fail, 1.5 ms: why\n"
		"v: skip: no port; --vdev=net_null0\n"
		"1 passed, 1 failed, 1 skipped\n"
		"ended by signal 15 (SIGTERM)\n");
	free(text);
}

/* What the runner prints at the end of each test is what is printed again from the file. */
static void
test_one_test_alone(void **state)
{
	const char *records = RUN PLAN S1(0, 5) RESULT("pass", 1, "") END(0);
	struct stint_summary *s = stint_summary_new();
	char *all = print(records), *alone = NULL;
	size_t size;
	FILE *out = open_memstream(&alone, &size);

	(void)state;
	assert_non_null(s);
	assert_non_null(out);
	feed(s, RUN PLAN S1(0, 5) RESULT("pass", 1, ""));
	assert_int_equal(stint_summary_print_test(s, "t", out), 0);
	fclose(out);
	assert_string_equal(alone, all);
	assert_non_null(strstr(alone, "pass, 1 of 4 points"));
	stint_summary_free(s);
	free(alone);
	free(all);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_one_test_alone),
	};

	return cmocka_run_group_tests_name("render", tests, NULL, NULL);
}
