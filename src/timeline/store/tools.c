/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tracks of a sink need while they are told: as much of it as are told at once. */
#include <stdlib.h>

#include "reader/containers/array.h"
#include "timeline/store/collect.h"

static struct hyb_collect_tools *make_tools(void)
{
	struct hyb_collect_tools *tools = malloc(sizeof(*tools));

	if (!tools)
		return NULL;
	tools->packer = hyb_view_packer_new();
	if (tools->packer)
		return tools;
	free(tools);
	return NULL;
}

static void free_tools(struct hyb_collect_tools *tools)
{
	hyb_view_packer_free(tools->packer);
	free(tools);
}

struct hyb_collect_tools *hyb_collect_take_tools(struct hyb_sink *s)
{
	struct hyb_collect_tools *tools = NULL;

	pthread_mutex_lock(&s->lock);
	if (s->tool_count)
		tools = s->tools[--s->tool_count];
	pthread_mutex_unlock(&s->lock);
	return tools ? tools : make_tools();
}

void hyb_collect_give_tools(struct hyb_sink *s, struct hyb_collect_tools *tools)
{
	struct hyb_collect_tools **grown;

	pthread_mutex_lock(&s->lock);
	grown = hyb_array_room(s->tools, &s->tool_room, s->tool_count, sizeof(*grown));
	if (grown) {
		s->tools = grown;
		grown[s->tool_count++] = tools;
	} else {
		free_tools(tools);
	}
	pthread_mutex_unlock(&s->lock);
}

void hyb_collect_free_tools(struct hyb_sink *s)
{
	for (size_t i = 0; i < s->tool_count; i++)
		free_tools(s->tools[i]);
	free(s->tools);
}
