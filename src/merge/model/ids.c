/* SPDX-License-Identifier: BSD-3-Clause */
/* From a process's own numbers to the model's; see ids.h. */
#include "merge/model/ids.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRECT_MAX 65536u /* region ids below this are looked up in an array */

static bool is_member(const struct hyb_group *g, uint32_t rank, uint32_t member)
{
	return rank < g->count && g->members[rank] == member;
}

static void map_comm(struct hyb_ids_comm *to, const struct hyb_comm *comm, uint32_t world_rank,
		     const struct hyb_comms *comms)
{
	const struct hyb_gcomm *g;
	uint32_t index;

	to->index = HYB_COMM_NONE;
	if (!comm->defined)
		return;
	index = hyb_comms_find(comms, &comm->def);
	if (index == HYB_COMM_NONE)
		return;
	g = hyb_comms_at(comms, index);
	if (g->state != HYB_GCOMM_KNOWN)
		return;
	to->self = g->kind == HYB_COMM_SELF;
	to->inter = g->kind == HYB_COMM_INTER;
	to->peers = to->self ? NULL : hyb_comms_group(comms, g->group[0]);
	if (to->inter && is_member(to->peers, comm->def.rank, world_rank))
		to->peers = hyb_comms_group(comms, g->group[1]);
	to->id = g->id;
	to->index = index;
}

static void map_win(struct hyb_ids_win *to, const struct hyb_defs *defs,
		    const struct hyb_win *win, const struct hyb_wins *wins)
{
	const struct hyb_gwin *g = win->defined ? hyb_wins_find(wins, &win->def) : NULL;
	const struct hyb_comm *comm = hyb_defs_comm(defs, win->def.comm);

	to->id = g && comm && comm->defined ? g->id : HYB_COMM_NONE;
	to->rank = comm ? comm->def.rank : 0;
	to->size = comm ? comm->def.size : 0;
}

/* Windows and groups. 0 or -ENOMEM. */
static int map_rma(struct hyb_ids *l, const struct hyb_comms *comms, const struct hyb_wins *wins)
{
	const struct hyb_defs *defs = l->defs;
	size_t i;

	l->win = calloc(defs->win_count + 1, sizeof(*l->win));
	l->group = calloc(defs->group_count + 1, sizeof(*l->group));
	if (!l->win || !l->group)
		return -ENOMEM;
	for (i = 0; i < defs->win_count; i++)
		map_win(&l->win[i], defs, &defs->wins[i], wins);
	for (i = 0; i < defs->group_count; i++)
		l->group[i] = hyb_comms_group_of(comms, defs->groups[i].members,
						 defs->groups[i].count);
	return 0;
}

int hyb_ids_open(struct hyb_ids *l, const struct hyb_process *source, uint32_t world_rank,
		   const struct hyb_links *links, uint32_t job, const struct hyb_comms *comms,
		   const struct hyb_wins *wins, struct hyb_regions *regions, struct hyb_sources *sources,
		   const struct hyb_names *names, const struct hyb_diag *diag)
{
	size_t i, n;

	memset(l, 0, sizeof(*l));
	l->regions = regions;
	l->sources = sources;
	l->names = names;
	if (!source->defs || hyb_defs_open(source->defs, source->owner, diag, &l->defs))
		return 0;
	hyb_defs_release(l->defs);
	hyb_links_apply(links, job, l->defs);
	n = l->defs->comm_count;
	l->comm = calloc(n ? n : 1, sizeof(*l->comm));
	for (i = 0; i < l->defs->region_count; i++)
		if (l->defs->regions[i].id < DIRECT_MAX && l->defs->regions[i].id >= l->region_room)
			l->region_room = l->defs->regions[i].id + 1;
	l->region = calloc(l->region_room ? l->region_room : 1, sizeof(*l->region));
	l->text = malloc((l->defs->texts.count + 1) * sizeof(*l->text));
	if (l->text)
		memset(l->text, 0xff, l->defs->texts.count * sizeof(*l->text));
	if (!l->comm || !l->region || !l->text || map_rma(l, comms, wins)) {
		hyb_ids_close(l);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++)
		map_comm(&l->comm[i], &l->defs->comms[i], world_rank, comms);
	return 0;
}

void hyb_ids_close(struct hyb_ids *l)
{
	hyb_defs_close(l->defs);
	free(l->region);
	free(l->text);
	free(l->comm);
	free(l->win);
	free(l->group);
	free(l->set);
	memset(l, 0, sizeof(*l));
}

uint32_t hyb_ids_text(struct hyb_ids *l, uint64_t id)
{
	size_t place = l->defs ? hyb_texts_place(&l->defs->texts, id) : SIZE_MAX;

	if (place >= (l->defs ? l->defs->texts.count : 0))
		return HYB_NAME_NONE;
	if (l->text[place] == HYB_NAME_NONE)
		l->text[place] = hyb_names_find(l->names, l->defs->texts.texts[place]);
	return l->text[place];
}

int hyb_ids_add_metrics(struct hyb_ids *l, const struct hyb_gmetrics *metrics)
{
	const struct hyb_metric_defs *defs = l->defs ? &l->defs->metrics : NULL;
	size_t i;
	int ret = 0;

	if (!defs || !defs->set_count)
		return 0;
	l->set = calloc(defs->set_count, sizeof(*l->set));
	if (!l->set)
		return -ENOMEM;
	for (i = 0; !ret && i < defs->set_count; i++)
		ret = hyb_gmetrics_find(metrics, defs, &defs->sets[i], l->set[i].classes);
	return ret;
}

struct hyb_gregion *hyb_ids_new_region(struct hyb_ids *l, uint64_t id)
{
	const struct hyb_region *r = l->defs ? hyb_defs_region(l->defs, id) : NULL;
	struct hyb_gregion *region;
	char name[64];

	if (r) {
		region = hyb_regions_define(l->regions, l->sources, l->defs, r);
	} else {
		snprintf(name, sizeof(name), "undefined region %llu", (unsigned long long)id);
		region = hyb_regions_get(l->regions, name, HYB_ROLE_FUNCTION, HYB_PARADIGM_USER,
					 HYB_COLL_NONE);
	}
	if (region && id < l->region_room)
		l->region[id] = region;
	return region;
}
