/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "ping.h"

/*
 * Apart from what is rarely called: a compiler that sees both in one file keeps other values in
 * registers, and the plain variant is no longer the body that it is elsewhere.
 */

#define PING(name, ...)                                                               \
	static uint64_t name(struct stint_worker *w, struct pp_ping *p, uint64_t ops) \
	{                                                                             \
		return pp_ping_trips(w, p, ops, (struct pp_options){ __VA_ARGS__ });  \
	}
#define PONG(name, ...)                                                     \
	static uint64_t name(struct pp_pong *q)                             \
	{                                                                   \
		return pp_pong_poll(q, (struct pp_options){ __VA_ARGS__ }); \
	}

/* Ping asks of the echo only which pattern an answer has. */
#define PING_ONE(e, t, v, p, k)                                                                  \
	PING(ping_##e##t##v##p##k, .echo = e ? PP_REFLECT : PP_STATIC, .tags = t, .validate = v, \
	     .paced = p, .keep = k)
#define PING_K(e, t, v, p) PING_ONE(e, t, v, p, 0) PING_ONE(e, t, v, p, 1)
#define PING_P(e, t, v) PING_K(e, t, v, 0) PING_K(e, t, v, 1)
#define PING_T(e, v) PING_P(e, 0, v) PING_P(e, 1, v) PING_P(e, 2, v)
#define NAME_K(e, t, v, p)                                 \
	{                                                  \
		ping_##e##t##v##p##0, ping_##e##t##v##p##1 \
	}
#define NAME_P(e, t, v)                                \
	{                                              \
		NAME_K(e, t, v, 0), NAME_K(e, t, v, 1) \
	}
#define NAME_T(e, v)                                              \
	{                                                         \
		NAME_P(e, 0, v), NAME_P(e, 1, v), NAME_P(e, 2, v) \
	}

PING_T(1, 0)
PING_T(0, 1)
PING_T(1, 1)

#define PONG_T(e, echo_of)                            \
	PONG(pong_##e##0, .echo = echo_of, .tags = 0) \
	PONG(pong_##e##1, .echo = echo_of, .tags = 1) \
	PONG(pong_##e##2, .echo = echo_of, .tags = 2)

PONG_T(static, PP_STATIC)
PONG_T(reflect, PP_REFLECT)
PONG_T(copy, PP_COPY)

pp_ping_fn
pp_ping_variant(const struct pp_options *o)
{
	enum { ANY, PATTERN_OF_0, PATTERN_OF_ITS_OWN };
	static const pp_ping_fn variants[][PP_TAGS_MAX + 1][2][2] = {
		[ANY] = NAME_T(1, 0),
		[PATTERN_OF_0] = NAME_T(0, 1),
		[PATTERN_OF_ITS_OWN] = NAME_T(1, 1),
	};
	unsigned int check = ANY;

	if (o->validate)
		check = o->echo == PP_STATIC ? PATTERN_OF_0 : PATTERN_OF_ITS_OWN;
	return variants[check][o->tags][o->paced][o->keep];
}

pp_pong_fn
pp_pong_variant(const struct pp_options *o)
{
	static const pp_pong_fn variants[PP_ECHOES][PP_TAGS_MAX + 1] = {
		[PP_STATIC] = { pong_static0, pong_static1, pong_static2 },
		[PP_REFLECT] = { pong_reflect0, pong_reflect1, pong_reflect2 },
		[PP_COPY] = { pong_copy0, pong_copy1, pong_copy2 },
	};

	return variants[o->echo][o->tags];
}
