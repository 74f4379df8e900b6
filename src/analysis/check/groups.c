/* SPDX-License-Identifier: BSD-3-Clause */
/* Which groups of MPI functions processes record, as their manifests say. */
#include <stdio.h>
#include <string.h>

#include "analysis/check/check.h"

static const struct {
	const char *word;
	uint32_t group;
} words[] = {
	{ "env", HYB_GROUP_ENV },   { "p2p", HYB_GROUP_P2P },	{ "part", HYB_GROUP_PART },
	{ "coll", HYB_GROUP_COLL }, { "comm", HYB_GROUP_COMM }, { "topo", HYB_GROUP_TOPO },
	{ "rma", HYB_GROUP_RMA },   { "io", HYB_GROUP_IO },
};

static uint32_t group_of(const char *word, size_t length)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == length && !memcmp(words[i].word, word, length))
			return words[i].group;
	return 0;
}

uint32_t hyb_check_groups(const char *text)
{
	uint32_t groups = 0;
	size_t length;

	/* Older recordings do not say it. */
	if (!text || !strcmp(text, "all"))
		return HYB_GROUP_ALL;
	for (; *text; text += length + (text[length] == ',')) {
		length = strcspn(text, ",");
		groups |= group_of(text, length);
	}
	return groups;
}

uint32_t hyb_check_differing_groups(const struct hyb_check *c)
{
	uint32_t some = 0, all = HYB_GROUP_ALL;
	size_t i;

	for (i = 0; i < c->model.process_count; i++) {
		if (!c->model.processes[i].ranked)
			continue;
		some |= c->processes[i].groups;
		all &= c->processes[i].groups;
	}
	return some & ~all;
}

const char *hyb_check_missing_groups(const struct hyb_check_process *p, char *text, size_t size)
{
	size_t i, length = 0;

	*text = '\0';
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!(p->groups & words[i].group) && length < size)
			length += (size_t)snprintf(text + length, size - length, length ? ",%s" : "%s", words[i].word);
	return text;
}
