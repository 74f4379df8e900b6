/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of jansson's, for both outputs of this folder. NULL without memory. For this folder only. */
#ifndef HYB_EXPORT_JSON_VALUE_H
#define HYB_EXPORT_JSON_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/printable.h"

static inline json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* NULL, which json_pack takes for "*", if it does not hold. */
static inline json_t *number_if(bool holds, uint64_t value)
{
	return holds ? number(value) : NULL;
}

/* Programs name things in any encoding, and jansson takes UTF-8 only. */
static inline json_t *text(const char *what)
{
	char *copy = strdup(what);
	json_t *string;

	if (!copy)
		return NULL;
	hyb_make_utf8(copy);
	string = json_string(copy);
	free(copy);
	return string;
}

static inline json_t *text_if(bool holds, const char *what)
{
	return holds ? text(what) : NULL;
}

/* Takes the value. If that is NULL, or without memory, the array is gone, and NULL. */
static inline void append(json_t **array, json_t *value)
{
	if (!json_array_append_new(*array, value))
		return;
	json_decref(*array);
	*array = NULL;
}

/* The same of a member of an object. */
static inline void set(json_t **object, const char *name, json_t *value)
{
	if (!json_object_set_new(*object, name, value))
		return;
	json_decref(*object);
	*object = NULL;
}

static inline json_t *list(const uint32_t *members, size_t count)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < count; i++)
		append(&array, number(members[i]));
	return array;
}

#endif
