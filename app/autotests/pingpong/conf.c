/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "conf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "../pmd_port.h"
#include "../ring_port.h"

#define LINK_MS 3000u

#define MS UINT64_C(1000000)

const struct stint_param pp_params[13] = {
	{ "role", STINT_PARAM_STRING, "both", "of this process", 0, 0, "ping|pong|both" },
	{ "ports", STINT_PARAM_UINT_LIST, "",
	  "ids of the ports of ping and pong, or one that sends to itself, or that of the role; "
	  "none: a pair that the test makes",
	  0, RTE_MAX_ETHPORTS - 1, NULL },
	{ "sizes", STINT_PARAM_UINT_LIST, "0,64,256,1024", "bytes of UDP payload", 0, PP_SIZE_MAX,
	  NULL },
	{ "count", STINT_PARAM_UINT, "1000000", "samples of a size, after which it is done", 1,
	  PP_COUNT_MAX, NULL },
	{ "warmup", STINT_PARAM_UINT, "1000", "round trips of a size that are left out at first", 0,
	  PP_COUNT_MAX, NULL },
	{ "echo", STINT_PARAM_STRING, "reflect",
	  "pong answers with a prebuilt frame, the same mbuf, or a copy", 0, 0,
	  "static|reflect|copy" },
	{ "validate", STINT_PARAM_STRING, "no", "ping checks each byte of a reply", 0, 0,
	  "yes|no" },
	{ "vid", STINT_PARAM_UINT_LIST, "", "VLAN of an 802.1Q tag; none: no tag", 1, PP_VID_MAX,
	  NULL },
	{ "pcp", STINT_PARAM_UINT, "0", "priority in the tags", 0, PP_PCP_MAX, NULL },
	{ "outer_vid", STINT_PARAM_UINT_LIST, "", "VLAN of an outer 802.1ad tag; none: no such tag",
	  1, PP_VID_MAX, NULL },
	{ "timeout", STINT_PARAM_DURATION, "100ms", "after which a frame is lost", MS / 10,
	  60000 * MS, NULL },
	{ "interval", STINT_PARAM_DURATION, "0",
	  "from send to send, timed from when it was to be; 0: as soon as the last is back", 0,
	  1000 * MS, NULL },
	{ "samples", STINT_PARAM_STRING, "",
	  "new CSV file of all samples; %s in the path is the size", 0, 0, NULL },
};

static enum pp_who
who_of(const struct stint_point *pt)
{
	const char *role = stint_param_string(pt, "role");

	if (strcmp(role, "both") == 0)
		return PP_WHO_BOTH;
	return strcmp(role, "ping") == 0 ? PP_WHO_PING : PP_WHO_PONG;
}

static enum pp_echo
echo_of(const struct stint_point *pt)
{
	const char *echo = stint_param_string(pt, "echo");

	if (strcmp(echo, "static") == 0)
		return PP_STATIC;
	return strcmp(echo, "copy") == 0 ? PP_COPY : PP_REFLECT;
}

static void
take_tag(struct pp_conf *c, const struct stint_point *pt, const char *name)
{
	unsigned int n;
	const uint64_t *vid = stint_param_list(pt, name, &n);

	if (n > 0)
		c->shape.tci[c->shape.tags++] =
			stint_param_uint(pt, "pcp") << 13 | (uint16_t)vid[0];
}

struct pp_conf
pp_conf_of(const struct stint_point *pt)
{
	struct pp_conf c = {
		.who = who_of(pt),
		.count = stint_param_uint(pt, "count"),
		.warmup = stint_param_uint(pt, "warmup"),
		.timeout_ns = stint_param_uint(pt, "timeout"),
		.interval_ns = stint_param_uint(pt, "interval"),
		.samples = stint_param_string(pt, "samples"),
	};
	const uint64_t *ports = stint_param_list(pt, "ports", &c.n_ports);

	c.sizes = stint_param_list(pt, "sizes", &c.n_sizes);
	for (unsigned int i = 0; i < c.n_ports && i < RTE_DIM(c.ports); i++)
		c.ports[i] = ports[i];
	if (c.who != PP_WHO_BOTH && c.n_ports == 0)
		c.n_ports = 1;
	take_tag(&c, pt, "outer_vid");
	take_tag(&c, pt, "vid");
	c.options = (struct pp_options){
		.echo = echo_of(pt),
		.tags = c.shape.tags,
		.validate = strcmp(stint_param_string(pt, "validate"), "yes") == 0,
		.paced = c.interval_ns > 0,
		.keep = c.samples[0] != '\0',
	};
	return c;
}

static int
list_is_one(const struct stint_point *pt, const char *name, char *error, size_t size)
{
	unsigned int n;

	stint_param_list(pt, name, &n);
	if (n <= 1)
		return 0;
	snprintf(error, size, "%s=%s: takes one VLAN, 1..%u", name, stint_param_string(pt, name),
		 PP_VID_MAX);
	return -EINVAL;
}

static int
check_tags(const struct stint_point *pt, char *error, size_t size)
{
	unsigned int inner, outer;

	if (list_is_one(pt, "vid", error, size) != 0 ||
	    list_is_one(pt, "outer_vid", error, size) != 0)
		return -EINVAL;
	stint_param_list(pt, "vid", &inner);
	stint_param_list(pt, "outer_vid", &outer);
	if (inner > 0 || (outer == 0 && stint_param_uint(pt, "pcp") == 0))
		return 0;
	if (outer > 0)
		snprintf(error, size, "outer_vid=%s without a vid (1..%u) that it is outside of",
			 stint_param_string(pt, "outer_vid"), PP_VID_MAX);
	else
		snprintf(error, size, "pcp=%" PRIu64 " without a vid (1..%u) whose tag has it",
			 stint_param_uint(pt, "pcp"), PP_VID_MAX);
	return -EINVAL;
}

/* A port that sends to itself has no pong that could answer otherwise. */
static int
check_echo(const struct stint_point *pt, const struct pp_conf *c, char *error, size_t size)
{
	if (!pp_conf_loops(c) || c->options.echo == PP_REFLECT)
		return 0;
	snprintf(error, size,
		 "echo=%s: one port that sends to itself has no pong; it takes reflect",
		 stint_param_string(pt, "echo"));
	return -EINVAL;
}

static int
check_number_of_ports(const struct pp_conf *c, char *error, size_t size)
{
	const unsigned int most = c->who == PP_WHO_BOTH ? 2 : 1;

	if (c->n_ports <= most)
		return 0;
	snprintf(error, size, "ports: %u are named; role=%s takes %s", c->n_ports,
		 c->who == PP_WHO_BOTH   ? "both"
		 : c->who == PP_WHO_PING ? "ping"
					 : "pong",
		 c->who == PP_WHO_BOTH ? "none, one or two" : "one");
	return -EINVAL;
}

/* "0, 1" */
static void
name_ports(char *text, size_t size)
{
	size_t used = 0;
	uint16_t id;

	snprintf(text, size, "none: name one with --vdev or -a");
	RTE_ETH_FOREACH_DEV(id)
	{
		if (used < size)
			used += snprintf(&text[used], size - used, "%s%u", used > 0 ? ", " : "",
					 id);
	}
}

/* How large a payload may be on a port. */
static int
check_sizes(const struct pp_conf *c, uint16_t port, uint16_t mtu, char *error, size_t size)
{
	const unsigned int most =
		RTE_MIN((unsigned int)PP_SIZE_MAX, mtu - (unsigned int)PP_HEADERS);

	for (unsigned int i = 0; i < c->n_sizes; i++) {
		struct pp_shape shape = c->shape;

		if (c->sizes[i] <= most)
			continue;
		shape.payload = c->sizes[i];
		snprintf(error, size,
			 "sizes: %" PRIu64
			 " bytes of payload make a frame of %u; the MTU %u of port "
			 "%u takes 0..%u bytes of payload",
			 c->sizes[i], pp_frame_bytes(&shape), mtu, port, most);
		return -EINVAL;
	}
	return 0;
}

static int
check_ports(const struct stint_point *pt, const struct pp_conf *c, char *error, size_t size)
{
	unsigned int named;
	char there[128];

	stint_param_list(pt, "ports", &named);
	for (unsigned int i = 0; i < c->n_ports; i++) {
		uint16_t mtu = RTE_ETHER_MTU;

		if (!rte_eth_dev_is_valid_port(c->ports[i])) {
			name_ports(there, sizeof(there));
			snprintf(error, size, "ports: there is no port %u; there are: %s",
				 c->ports[i], there);
			return -EINVAL;
		}
		rte_eth_dev_get_mtu(c->ports[i], &mtu);
		if (c->who != PP_WHO_PONG && check_sizes(c, c->ports[i], mtu, error, size) != 0)
			return -EINVAL;
	}
	return c->n_ports > 0 ? 0 : check_sizes(c, 0, RTE_ETHER_MTU, error, size);
}

unsigned int
pp_conf_patience_ms(const struct pp_conf *c)
{
	const uint64_t ns =
		RTE_MAX(c->timeout_ns * PP_PATIENCE, c->interval_ns * PP_PATIENCE_INTERVALS);

	return RTE_MAX(ns / MS, (uint64_t)PP_PATIENCE_MS_MIN);
}

unsigned int
pp_conf_link_ms(const struct pp_conf *c)
{
	return c->who == PP_WHO_BOTH ? LINK_MS : RTE_MAX(LINK_MS, pp_conf_patience_ms(c));
}

void
pp_conf_samples_path(const struct pp_conf *c, uint64_t bytes, char *path, size_t size)
{
	const char *mark = strstr(c->samples, "%s");

	if (mark == NULL)
		snprintf(path, size, "%s", c->samples);
	else
		snprintf(path, size, "%.*s%" PRIu64 "%s", (int)(mark - c->samples), c->samples,
			 bytes, mark + 2);
}

/* What cannot be written is found before anything is sent; nothing stays if nothing is measured. */
static int
check_samples(const struct pp_conf *c, char *error, size_t size)
{
	char path[PATH_MAX];

	if (!c->options.keep || c->who == PP_WHO_PONG)
		return 0;
	if (c->n_sizes > 1 && strstr(c->samples, "%s") == NULL) {
		snprintf(error, size, "samples=%s: with %u sizes the path takes a %%s for the size",
			 c->samples, c->n_sizes);
		return -EINVAL;
	}
	for (unsigned int i = 0; i < c->n_sizes; i++) {
		int fd;

		pp_conf_samples_path(c, c->sizes[i], path, sizeof(path));
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0) {
			snprintf(error, size, "samples: %.160s: %s%s", path, strerror(errno),
				 errno == EEXIST ? "; nothing is ever overwritten" : "");
			return -EINVAL;
		}
		close(fd);
		unlink(path);
	}
	return 0;
}

int
pp_conf_check(const struct stint_point *pt, char *error, size_t size)
{
	const struct pp_conf c = pp_conf_of(pt);

	if (c.n_ports == 0 && !ring_port_driver(error, size))
		return -ENODEV;
	if (!pmd_pool_driver(error, size))
		return -ENODEV;
	if (check_tags(pt, error, size) != 0 || check_number_of_ports(&c, error, size) != 0 ||
	    check_echo(pt, &c, error, size) != 0 || check_ports(pt, &c, error, size) != 0)
		return -EINVAL;
	return check_samples(&c, error, size);
}
