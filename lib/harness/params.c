/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "params.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_debug.h>

#include "clock.h"
#include "registry.h"

/* The parts of "[TEST.]NAME=VALUE"; a test's or a parameter's name holds no '.' and no '='. */
struct setting {
	const char *test, *name, *value;
	size_t test_len, name_len;
};

static bool
split(const char *text, struct setting *s)
{
	const char *equals = strchr(text, '=');
	const char *dot;

	if (equals == NULL || equals == text)
		return false;
	dot = memchr(text, '.', equals - text);
	s->test = text;
	s->test_len = dot != NULL ? (size_t)(dot - text) : 0;
	s->name = dot != NULL ? dot + 1 : text;
	s->name_len = equals - s->name;
	s->value = equals + 1;
	return s->name_len > 0;
}

static const struct stint_param *
declared(const struct stint_test *test, const struct setting *s)
{
	for (unsigned int i = 0; i < test->params.count; i++) {
		const char *name = test->params.list[i].name;

		if (strlen(name) == s->name_len && memcmp(name, s->name, s->name_len) == 0)
			return &test->params.list[i];
	}
	return NULL;
}

bool
stint_setting_is_for(const char *setting, const struct stint_test *test)
{
	struct setting s;

	if (!split(setting, &s))
		return false;
	if (s.test_len > 0 &&
	    (strlen(test->name) != s.test_len || memcmp(test->name, s.test, s.test_len) != 0))
		return false;
	return declared(test, &s) != NULL;
}

bool
stint_duration_parse(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", STINT_SECOND_NS },
		{ "m", 60 * STINT_SECOND_NS },
		{ "h", 3600 * STINT_SECOND_NS },
	};
	unsigned long long number;
	char *unit;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	number = strtoull(text, &unit, 10);
	*ns = 0;
	if (number == 0 && *unit == '\0')
		return true;
	for (unsigned int i = 0; i < RTE_DIM(units) && errno == 0; i++) {
		if (strcmp(unit, units[i].unit) != 0)
			continue;
		*ns = number * units[i].ns;
		return number <= 24 * 3600 * STINT_SECOND_NS / units[i].ns;
	}
	return false;
}

/* The largest unit that it is a whole number of. */
static void
format_duration(char *text, size_t size, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned int unit = 0;

	while (ns > 0 && ns % 1000 == 0 && unit + 1 < RTE_DIM(units)) {
		ns /= 1000;
		unit++;
	}
	snprintf(text, size, "%" PRIu64 "%s", ns, ns > 0 ? units[unit] : "");
}

static void
duration_range(const struct stint_param *p, char *text, size_t size)
{
	char min[32], max[32];

	format_duration(min, sizeof(min), p->min);
	format_duration(max, sizeof(max), p->max);
	snprintf(text, size, "%s..%s, with a unit (ns, us, ms, s)", min, max);
}

void
stint_param_range(const struct stint_param *p, char *text, size_t size)
{
	const bool list = p->type == STINT_PARAM_UINT_LIST;

	if (p->type == STINT_PARAM_STRING)
		snprintf(text, size, "%s", p->values != NULL ? p->values : "any text");
	else if (p->type == STINT_PARAM_DURATION)
		duration_range(p, text, size);
	else
		snprintf(text, size, "%s%" PRIu64 "..%" PRIu64 "%s", list ? "list of " : "", p->min,
			 p->max, list ? " or first:last:step, upwards and by at least 1" : "");
}

/* One integer in its range; the end of the text that was read, or NULL. */
static const char *
read_uint(const struct stint_param *p, const char *text, uint64_t *value)
{
	static const char units[] = "KMG";
	const char *unit;
	unsigned int shift;
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*value = strtoull(text, &end, 10);
	unit = *end != '\0' ? strchr(units, *end) : NULL;
	shift = unit != NULL ? 10 * (unit - units + 1) : 0;
	if (errno != 0 || *value > p->max >> shift || *value << shift < p->min)
		return NULL;
	*value <<= shift;
	return unit != NULL ? end + 1 : end;
}

static int
append(struct stint_param_value *v, uint64_t number)
{
	uint64_t *list;

	if (v->count == STINT_PARAM_LIST_MAX)
		return -EINVAL;
	for (unsigned int i = 0; i < v->count; i++) {
		if (v->list[i] == number)
			return -EINVAL;
	}
	list = realloc(v->list, (v->count + 1) * sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	v->list = list;
	list[v->count++] = number;
	return 0;
}

/* "first:last:step"; the end of the text that was read, or NULL. */
static const char *
read_range(const struct stint_param *p, const char *text, uint64_t first,
	   struct stint_param_value *v)
{
	uint64_t last, step;

	text = read_uint(p, text + 1, &last);
	if (text == NULL || *text != ':' || !isdigit((unsigned char)text[1]))
		return NULL;
	errno = 0;
	step = strtoull(text + 1, (char **)(uintptr_t)&text, 10);
	if (errno != 0 || step == 0 || last < first ||
	    (last - first) / step >= STINT_PARAM_LIST_MAX)
		return NULL;
	for (uint64_t i = 0; i <= (last - first) / step; i++) {
		if (append(v, first + i * step) != 0)
			return NULL;
	}
	return text;
}

static bool
read_list(const struct stint_param *p, const char *text, struct stint_param_value *v)
{
	do {
		uint64_t number;

		text = read_uint(p, text, &number);
		if (text == NULL)
			return false;
		if (*text == ':')
			text = read_range(p, text, number, v);
		else if (append(v, number) != 0)
			return false;
	} while (text != NULL && *text == ',' && text++ != NULL);
	return text != NULL && *text == '\0';
}

static bool
is_one_of(const char *values, const char *text)
{
	size_t len = strlen(text);

	if (len == 0 || strchr(text, '|') != NULL)
		return false;
	while (values != NULL) {
		if (strncmp(values, text, len) == 0 && (values[len] == '|' || values[len] == '\0'))
			return true;
		values = strchr(values, '|');
		if (values != NULL)
			values++;
	}
	return false;
}

static bool
read_duration(const struct stint_param *p, const char *text, struct stint_param_value *v)
{
	uint64_t ns;

	return stint_duration_parse(text, &ns) && ns >= p->min && ns <= p->max &&
	       append(v, ns) == 0;
}

/* 0, -ENOMEM, or -EINVAL if the text is not what the parameter takes. */
static int
take(const struct stint_param *p, const char *text, struct stint_param_value *v)
{
	bool good = true;

	free(v->list);
	free(v->text);
	memset(v, 0, sizeof(*v));
	v->text = strdup(text);
	if (v->text == NULL)
		return -ENOMEM;
	if (p->type == STINT_PARAM_STRING)
		good = p->values == NULL || is_one_of(p->values, text);
	else if (p->type == STINT_PARAM_DURATION)
		good = read_duration(p, text, v);
	else if (p->type == STINT_PARAM_UINT)
		good = read_list(p, text, v) && v->count == 1 && strpbrk(text, ",:") == NULL;
	else
		good = (*text == '\0' && *p->def == '\0') || read_list(p, text, v);
	return good ? 0 : -EINVAL;
}

static int
apply(struct stint_params *params, const char *text, char *error, size_t size)
{
	const struct stint_test *test = params->test;
	const struct stint_param *p;
	struct setting s;
	char range[256];
	int rc;

	if (!stint_setting_is_for(text, test) || !split(text, &s))
		return 0;
	p = declared(test, &s);
	rc = take(p, s.value, &params->values[p - test->params.list]);
	if (rc == -EINVAL) {
		stint_param_range(p, range, sizeof(range));
		snprintf(error, size, "--set %s.%s=%s: not allowed; %s takes %s (%s)", test->name,
			 p->name, s.value, p->name, range, p->help);
	}
	return rc;
}

int
stint_params_init(struct stint_params *params, const struct stint_test *test,
		  const char *const *settings, unsigned int n_settings, char *error, size_t size)
{
	int rc = 0;

	params->test = test;
	params->values = calloc(test->params.count + 1, sizeof(*params->values));
	if (params->values == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < test->params.count && rc == 0; i++) {
		rc = take(&test->params.list[i], test->params.list[i].def, &params->values[i]);
		if (rc == -EINVAL)
			snprintf(error, size, "test %s: default of %s is not allowed", test->name,
				 test->params.list[i].name);
	}
	for (unsigned int i = 0; i < n_settings && rc == 0; i++)
		rc = apply(params, settings[i], error, size);
	if (rc != 0)
		stint_params_free(params);
	return rc;
}

void
stint_params_free(struct stint_params *params)
{
	if (params->values == NULL)
		return;
	for (unsigned int i = 0; i < params->test->params.count; i++) {
		free(params->values[i].text);
		free(params->values[i].list);
	}
	free(params->values);
	params->values = NULL;
}

const struct stint_param_value *
stint_params_find(const struct stint_params *params, const char *name)
{
	for (unsigned int i = 0; i < params->test->params.count; i++) {
		if (strcmp(params->test->params.list[i].name, name) == 0)
			return &params->values[i];
	}
	return NULL;
}

static const struct stint_param_value *
must_find(const struct stint_point *pt, const char *name)
{
	const struct stint_param_value *v = stint_params_find(pt->params, name);

	if (v == NULL)
		rte_panic("test %s declares no parameter %s\n", pt->test->name, name);
	return v;
}

uint64_t
stint_param_uint(const struct stint_point *pt, const char *name)
{
	return must_find(pt, name)->list[0];
}

const uint64_t *
stint_param_list(const struct stint_point *pt, const char *name, unsigned int *count)
{
	const struct stint_param_value *v = must_find(pt, name);

	*count = v->count;
	return v->list;
}

const char *
stint_param_string(const struct stint_point *pt, const char *name)
{
	return must_find(pt, name)->text;
}
