/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *
stint_vec_insert(struct sum_vec *v, size_t at, size_t bytes)
{
	char *place;

	if (v->n == v->cap) {
		size_t cap = v->cap + v->cap / 2 + 4;
		void *data = reallocarray(v->data, cap, bytes);

		if (data == NULL)
			return NULL;
		v->data = data;
		v->cap = cap;
	}
	place = (char *)v->data + at * bytes;
	memmove(place + bytes, place, (v->n - at) * bytes);
	v->n++;
	return memset(place, 0, bytes);
}

void *
stint_vec_add(struct sum_vec *v, size_t bytes)
{
	return stint_vec_insert(v, v->n, bytes);
}

int
stint_ids_parse(const json_t *array, unsigned int **ids, unsigned int *n)
{
	size_t count = json_array_size(array);
	unsigned int *list;

	if (!json_is_array(array) || count > UINT16_MAX)
		return -EBADMSG;
	list = calloc(count + 1, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const json_t *id = json_array_get(array, i);
		json_int_t value = json_integer_value(id);

		if (!json_is_integer(id) || value < 0 || value > INT32_MAX) {
			free(list);
			return -EBADMSG;
		}
		list[i] = value;
	}
	*ids = list;
	*n = count;
	return 0;
}

int64_t
stint_index_get(const json_t *index, const char *key)
{
	const json_t *found = json_object_get(index, key);

	return found == NULL ? -1 : json_integer_value(found);
}

int
stint_index_set(json_t **index, const char *key, size_t value)
{
	if (*index == NULL)
		*index = json_object();
	return json_object_set_new(*index, key, json_integer(value)) == 0 ? 0 : -ENOMEM;
}
