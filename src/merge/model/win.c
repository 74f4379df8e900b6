/* SPDX-License-Identifier: BSD-3-Clause */
/* Unifies the windows of all processes; see win.h. */
#include "merge/model/win.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool same_key(const void *entry, const void *key)
{
	return memcmp(((const struct hyb_gwin *)entry)->key, key, 2 * sizeof(uint64_t)) == 0;
}

static uint64_t hash_key(const uint64_t key[2])
{
	return hyb_mix(key[0] ^ hyb_mix(key[1]));
}

void hyb_wins_init(struct hyb_wins *w)
{
	memset(w, 0, sizeof(*w));
	hyb_table_init(&w->table, sizeof(struct hyb_gwin), same_key);
}

void hyb_wins_free(struct hyb_wins *w)
{
	uint32_t i;

	for (i = 0; i < w->table.count; i++)
		free(hyb_wins_at(w, i)->name);
	hyb_table_free(&w->table);
}

const struct hyb_gwin *hyb_wins_find(const struct hyb_wins *w, const struct hyb_def_win *def)
{
	return hyb_table_find(&w->table, hash_key(def->key), def->key);
}

static int add_one(struct hyb_wins *w, struct hyb_comms *comms, const struct hyb_defs *defs,
		   const struct hyb_win *win)
{
	const struct hyb_comm *comm = hyb_defs_comm(defs, win->def.comm);
	uint32_t index = comm && comm->defined ? hyb_comms_find(comms, &comm->def) : HYB_COMM_NONE;
	struct hyb_gwin *g = hyb_table_find(&w->table, hash_key(win->def.key), win->def.key);

	if (!g) {
		g = hyb_table_add(&w->table, hash_key(win->def.key));
		if (!g)
			return -ENOMEM;
		memcpy(g->key, win->def.key, sizeof(g->key));
		g->comm = index;
	}
	if (g->comm != index)
		g->comm = HYB_COMM_NONE;
	if (win->name && *win->name && !g->name) {
		g->name = strdup(win->name);
		if (!g->name)
			return -ENOMEM;
	}
	return 0;
}

/* A group with members outside of MPI_COMM_WORLD cannot be told, and its records are left out. */
static int add_group(struct hyb_comms *comms, const struct hyb_ranks *group)
{
	uint32_t i;

	for (i = 0; i < group->count; i++)
		if (group->members[i] >= comms->ranks)
			return 0;
	return hyb_comms_intern(comms, group->members, group->count) == HYB_COMM_NONE ? -ENOMEM : 0;
}

int hyb_wins_add(struct hyb_wins *w, struct hyb_comms *comms, const struct hyb_defs *defs)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < defs->win_count; i++)
		if (defs->wins[i].defined)
			ret = add_one(w, comms, defs, &defs->wins[i]);
	for (i = 0; !ret && i < defs->group_count; i++)
		ret = add_group(comms, &defs->groups[i]);
	return ret;
}

void hyb_wins_resolve(struct hyb_wins *w, const struct hyb_comms *comms)
{
	struct hyb_gwin *g;
	uint32_t i, id = 0;

	for (i = 0; i < w->table.count; i++) {
		g = hyb_wins_at(w, i);
		if (g->comm != HYB_COMM_NONE &&
		    hyb_comms_at(comms, g->comm)->state == HYB_GCOMM_KNOWN) {
			g->id = id++;
		} else {
			g->id = HYB_COMM_NONE;
			w->unknown++;
		}
	}
}
