/* SPDX-License-Identifier: BSD-3-Clause */
/* Strings by number; see name.h. */
#include "merge/model/name.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/printable.h"

static bool same_text(const void *entry, const void *key)
{
	return strcmp(*(char *const *)entry, key) == 0;
}

void hyb_names_init(struct hyb_names *names)
{
	hyb_table_init(&names->table, sizeof(char *), same_text);
}

const char *hyb_names_text(const struct hyb_names *names, uint32_t number)
{
	return *(char **)hyb_table_at(&names->table, number);
}

void hyb_names_free(struct hyb_names *names)
{
	uint32_t i;

	for (i = 0; i < names->table.count; i++)
		free(*(char **)hyb_table_at(&names->table, i));
	hyb_table_free(&names->table);
}

static char **intern(struct hyb_names *names, char *text)
{
	uint64_t hash = hyb_hash_bytes(text, strlen(text));
	char **entry = hyb_table_find(&names->table, hash, text);

	if (entry) {
		free(text);
		return entry;
	}
	entry = hyb_table_add(&names->table, hash);
	if (entry)
		*entry = text;
	else
		free(text);
	return entry;
}

uint32_t hyb_names_add(struct hyb_names *names, const char *text)
{
	char *copy = strdup(text), **entry;

	if (!copy)
		return HYB_NAME_NONE;
	hyb_make_utf8(copy);
	entry = intern(names, copy);
	return entry ? (uint32_t)(entry - (char **)names->table.entries) : HYB_NAME_NONE;
}

uint32_t hyb_names_find(const struct hyb_names *names, const char *text)
{
	char *copy = strdup(text), **entry;

	if (!copy)
		return HYB_NAME_NONE;
	hyb_make_utf8(copy);
	entry = hyb_table_find(&names->table, hyb_hash_bytes(copy, strlen(copy)), copy);
	free(copy);
	return entry ? (uint32_t)(entry - (char **)names->table.entries) : HYB_NAME_NONE;
}

uint32_t hyb_names_format(struct hyb_names *names, const char *format, ...)
{
	uint32_t number;
	va_list va;
	char *text;
	int ret;

	va_start(va, format);
	ret = vasprintf(&text, format, va);
	va_end(va);
	if (ret < 0)
		return HYB_NAME_NONE;
	number = hyb_names_add(names, text);
	free(text);
	return number;
}
