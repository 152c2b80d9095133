/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <stint.h>
#include <stint_stats.h>

#include "conf.h"
#include "rig.h"
#include "wire.h"

/*
 * All variants of both bodies, on net_ring ports of the test's own: frames of all sizes come back,
 * and what goes wrong on the way is counted, exactly, and never taken for a reply.
 */

#define TRIPS 300
#define TIMEOUT_NS 100000

static const uint64_t sizes[] = { 0, 1, RTE_ETHER_MTU - PP_HEADERS };

struct subject {
	struct stint_fast *t;
	struct stint_fixture fx;
	struct pp_rig *rig;
	struct pp_wire wire;
	struct stint_recorder *recorder;
	char what[96];
};

static struct pp_conf
conf_of(const struct pp_options *o)
{
	return (struct pp_conf){
		.who = PP_WHO_BOTH,
		.options = *o,
		.shape = { .tags = o->tags, .tci = { 0x2fa1, 0xe005 } },
		.sizes = sizes,
		.n_sizes = RTE_DIM(sizes),
		.count = UINT64_MAX,
		.timeout_ns = TIMEOUT_NS,
	};
}

/* Trips of a size over a wire. What was recorded is what was answered. */
static uint64_t
play(struct subject *s, unsigned int size, enum pp_wire_kind kind, unsigned int every,
     uint64_t trips)
{
	struct stint_worker w = { .counting = 1, .shares_cpus = false };
	uint64_t done;

	memset(s->recorder, 0, sizeof(*s->recorder));
	stint_recorder_init(s->recorder);
	w.recorders[PP_METRIC_TRIP] = s->recorder;
	memset(&s->rig->ping->counts, 0, sizeof(s->rig->ping->counts));
	memset(&s->rig->pong->counts, 0, sizeof(s->rig->pong->counts));
	s->rig->ping->in_a_row = 0;
	pp_rig_aim_ping(s->rig, size);
	pp_rig_aim_pong(s->rig, size);
	pp_wire_lay(&s->wire, s->rig, kind, every);
	done = s->rig->ping_fn(&w, s->rig->ping, trips);
	pp_wire_cut(&s->wire);
	s->rig->pong_fn(s->rig->pong);
	pp_ping_drain(s->rig->ping);
	return done;
}

static uint64_t
recorded(const struct subject *s)
{
	uint64_t n = 0;

	for (uint32_t b = 0; b < STINT_HISTOGRAM_BUCKETS; b++)
		n += s->recorder->counts[b];
	return n;
}

/* All is accounted for, and no mbuf is missing. */
static int
check_counts(const struct subject *s, const struct pp_counts *want, uint64_t strange_to_pong)
{
	const struct {
		const char *what;
		uint64_t got, want;
	} counts[] = {
		{ "sent", s->rig->ping->counts.sent, want->sent },
		{ "answered", s->rig->ping->counts.answered, want->answered },
		{ "recorded", recorded(s), want->answered },
		{ "lost", s->rig->ping->counts.lost, want->lost },
		{ "late", s->rig->ping->counts.late, want->late },
		{ "duplicate", s->rig->ping->counts.duplicate, want->duplicate },
		{ "foreign", s->rig->ping->counts.foreign, want->foreign },
		{ "corrupt", s->rig->ping->counts.corrupt, want->corrupt },
		{ "refused", s->rig->ping->counts.full, want->full },
		{ "of another TPID", s->rig->ping->counts.retagged, 0 },
		{ "foreign to pong", s->rig->pong->counts.foreign, strange_to_pong },
		{ "refused to pong", s->rig->pong->counts.full, 0 },
	};

	for (unsigned int i = 0; i < RTE_DIM(counts); i++)
		STINT_ASSERT(s->t, counts[i].got == counts[i].want,
			     "%s: %" PRIu64 " %s frames, not %" PRIu64, s->what, counts[i].got,
			     counts[i].what, counts[i].want);
	for (unsigned int i = 0; i < 2; i++)
		STINT_ASSERT(s->t, rte_mempool_full(s->rig->ports[i].pool),
			     "%s: %u mbufs are missing", s->what,
			     rte_mempool_in_use_count(s->rig->ports[i].pool));
	return 0;
}

static int
check_good(struct subject *s)
{
	const struct pp_counts want = { .sent = TRIPS, .answered = TRIPS };
	int rc = 0;

	for (unsigned int i = 0; i < RTE_DIM(sizes) && rc == 0; i++) {
		const uint64_t done = play(s, i, PP_WIRE_GOOD, 0, TRIPS);

		STINT_ASSERT(s->t, done == TRIPS, "%s: %" PRIu64 " of %u round trips", s->what,
			     done, TRIPS);
		rc = check_counts(s, &want, 0);
	}
	return rc;
}

/* One request of 50 meets with something, for each kind of it. */
static int
check_mishaps(struct subject *s)
{
	enum { EVERY = 50, N = TRIPS / EVERY };
	static const struct {
		enum pp_wire_kind kind;
		const char *what;
		struct pp_counts want;
		uint64_t strange_to_pong;
	} cases[] = {
		{ PP_WIRE_DROPS, "dropped", { .answered = TRIPS - N, .lost = N }, 0 },
		{ PP_WIRE_DOUBLES, "doubled", { .answered = TRIPS, .duplicate = N }, 0 },
		{ PP_WIRE_DELAYS, "delayed", { .answered = TRIPS - N, .lost = N, .late = N }, 0 },
		{ PP_WIRE_REFUSES, "refused", { .answered = TRIPS, .full = N }, 0 },
		{ PP_WIRE_STRANGES, "preceded", { .answered = TRIPS }, N },
	};
	char of[64];
	int rc = 0;

	snprintf(of, sizeof(of), "%.60s", s->what);
	for (unsigned int i = 0; i < RTE_DIM(cases) * RTE_DIM(sizes) && rc == 0; i++) {
		const unsigned int k = i % RTE_DIM(cases);
		struct pp_counts want = cases[k].want;

		want.sent = TRIPS;
		snprintf(s->what, sizeof(s->what), "%s, one in %u %s", of, EVERY, cases[k].what);
		play(s, i / RTE_DIM(cases), cases[k].kind, EVERY, TRIPS);
		rc = check_counts(s, &want, cases[k].strange_to_pong);
	}
	return rc;
}

/* A byte that is wrong is no sample, and is not waited for any longer. */
static int
check_damage(struct subject *s)
{
	const struct pp_counts want = { .sent = TRIPS, .answered = TRIPS - 6, .corrupt = 6 };
	int rc = 0;

	/* an answer that was made before has no damage of the request's */
	if (!s->rig->conf.options.validate || s->rig->conf.options.echo == PP_STATIC)
		return 0;
	for (unsigned int i = 1; i < RTE_DIM(sizes) && rc == 0; i++) {
		play(s, i, PP_WIRE_DAMAGES, TRIPS / 6, TRIPS);
		rc = check_counts(s, &want, 0);
	}
	return rc;
}

static int
check_dead_wire(struct subject *s)
{
	const struct pp_counts want = { .sent = PP_LOST_IN_A_ROW, .lost = PP_LOST_IN_A_ROW };
	uint64_t done = play(s, 0, PP_WIRE_DROPS, 1, TRIPS);

	STINT_ASSERT(s->t, done < PP_LOST_IN_A_ROW, "%" PRIu64 " round trips without a reply",
		     done);
	return check_counts(s, &want, 0);
}

/* One packet in a thousand. */
static int
check_rare_loss(struct subject *s)
{
	const struct pp_counts want = { .sent = 20000, .answered = 19980, .lost = 20 };

	play(s, 1, PP_WIRE_DROPS, 1000, 20000);
	return check_counts(s, &want, 0);
}

static int
check_variant(struct subject *s, const struct pp_options *o)
{
	static const char *const echoes[] = { "static", "reflect", "copy" };
	const struct pp_conf conf = conf_of(o);
	int rc;

	s->fx = (struct stint_fixture){ .name = "stint_fast", .socket = SOCKET_ID_ANY };
	snprintf(s->what, sizeof(s->what), "echo=%s, %u tags%s", echoes[o->echo], o->tags,
		 o->validate ? ", validated" : "");
	rc = pp_rig_open(&s->rig, &conf, &s->fx);
	if (rc == -ENOMEM)
		return stint_fast_skip(s->t, "%s: no memory for the ports", s->what);
	STINT_ASSERT(s->t, rc == 0, "%s: the ports do not come up: %d", s->what, rc);
	rc = check_good(s);
	if (rc == 0)
		rc = check_damage(s);
	if (rc == 0)
		rc = check_mishaps(s);
	if (rc == 0 && o->tags == 0 && !o->validate)
		rc = check_dead_wire(s);
	if (rc == 0 && o->tags == 0 && !o->validate)
		rc = check_rare_loss(s);
	pp_rig_close(s->rig, &s->fx);
	free(s->fx.kept);
	return rc;
}

/* ---- what is made of the samples ----------------------------------------------------------- */

#define FEW 100

static int
by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The nearest rank: the first that has so large a part of all at or below it. */
static unsigned int
rank_of(unsigned int n, unsigned int num, unsigned int den)
{
	unsigned int rank = 1;

	while (rank * den < n * num)
		rank++;
	return rank;
}

static int
check_percentile(struct subject *s, const struct stint_histogram *h, const uint64_t *sorted,
		 unsigned int num, unsigned int den)
{
	const unsigned int rank = rank_of(h->count, num, den);
	const uint64_t right = sorted[rank - 1], got = stint_histogram_quantile(h, num, den);

	/* it would be the largest, whatever the system is like */
	STINT_ASSERT(s->t, stint_quantile_supported(h->count, num, den) == (rank < h->count),
		     "%u of %u parts of %" PRIu64 " samples", num, den, h->count);
	STINT_ASSERT(s->t, 2000 * RTE_MAX(got, right) <= 2001 * RTE_MIN(got, right),
		     "%u of %u parts of %" PRIu64 " samples: %" PRIu64 " cycles, not %" PRIu64, num,
		     den, h->count, got, right);
	return 0;
}

static int
check_few(struct subject *s, struct stint_histogram *h, unsigned int n)
{
	static const unsigned int parts[][2] = { { 50, 100 }, { 90, 100 },   { 95, 100 },
						 { 99, 100 }, { 999, 1000 }, { 9999, 10000 } };
	uint64_t sorted[FEW], sum = 0;
	int rc = 0;

	play(s, 0, PP_WIRE_GOOD, 0, n);
	stint_histogram_clear(h);
	STINT_ASSERT(s->t, stint_histogram_take(h, s->recorder) == 0, "no memory");
	STINT_ASSERT(s->t, h->count == n && s->rig->ping->n_samples == n,
		     "%" PRIu64 " recorded, %" PRIu64 " kept, not %u", h->count,
		     s->rig->ping->n_samples, n);
	memcpy(sorted, s->rig->samples[0], n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_size);
	for (unsigned int i = 0; i < n; i++)
		sum += sorted[i];
	STINT_ASSERT(s->t, h->sum == sum && h->min == sorted[0] && h->max == sorted[n - 1],
		     "sum, least or largest of %u samples", n);
	for (unsigned int i = 0; i < RTE_DIM(parts) && rc == 0; i++)
		rc = check_percentile(s, h, sorted, parts[i][0], parts[i][1]);
	return rc;
}

static int
check_percentiles(struct subject *s)
{
	static const unsigned int few[] = { 1, 2, 19, 50, 99, FEW };
	const struct pp_options o = { .echo = PP_REFLECT, .keep = true };
	struct pp_conf conf = conf_of(&o);
	struct stint_histogram h;
	int rc;

	s->fx = (struct stint_fixture){ .name = "stint_fast", .socket = SOCKET_ID_ANY };
	conf.count = FEW;
	rc = pp_rig_open(&s->rig, &conf, &s->fx);
	if (rc == -ENOMEM)
		return stint_fast_skip(s->t, "percentiles: no memory for the ports");
	STINT_ASSERT(s->t, rc == 0, "percentiles: the ports do not come up: %d", rc);
	stint_histogram_init(&h);
	for (unsigned int i = 0; i < RTE_DIM(few) && rc == 0; i++)
		rc = check_few(s, &h, few[i]);
	stint_histogram_free(&h);
	/* they are of no run that would want them in a file */
	s->rig->conf.options.keep = false;
	pp_rig_close(s->rig, &s->fx);
	free(s->fx.kept);
	return rc;
}

static int
check_variants(struct subject *s)
{
	int rc = 0;

	for (unsigned int i = 0; i < PP_ECHOES * (PP_TAGS_MAX + 1) * 2 && rc == 0; i++) {
		const struct pp_options o = { .echo = i % PP_ECHOES,
					      .tags = i / PP_ECHOES % (PP_TAGS_MAX + 1),
					      .validate = i / PP_ECHOES / (PP_TAGS_MAX + 1) };

		rc = check_variant(s, &o);
	}
	return rc;
}

static int
run(struct stint_fast *t)
{
	struct subject *s;
	char error[192];
	int rc;

	if (!ring_port_driver(error, sizeof(error)) || !pmd_pool_driver(error, sizeof(error)))
		return stint_fast_skip(t, "%s", error);
	s = calloc(1, sizeof(*s));
	if (s != NULL)
		s->recorder = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*s->recorder));
	if (s == NULL || s->recorder == NULL) {
		free(s);
		return stint_fast_skip(t, "no memory");
	}
	s->t = t;
	rc = check_variants(s);
	if (rc == 0)
		rc = check_percentiles(s);
	free(s->recorder);
	free(s);
	return rc;
}

static void
need(const struct stint_point *pt, struct stint_need *need)
{
	const struct pp_options o = { .echo = PP_REFLECT };
	const struct pp_conf conf = conf_of(&o);

	(void)pt;
	pp_rig_need(&conf, need);
}

STINT_FAST_TEST(pingpong_autotest, STINT_NO_HUGE | STINT_ASAN,
		.summary = "round trips over a wire that drops, doubles, delays and damages",
		.need = need, .run = run)
