/* SPDX-License-Identifier: BSD-3-Clause */
/* Unifies the communicators of all processes; see comm.h. */
#include "merge/model/comm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORLD 0u
#define SELF 1u
#define MEMBERS_MAX (UINT64_C(1) << 20) /* of a group: OTF2 writes it in one piece of 16 MiB */

static bool same_key(const void *entry, const void *key)
{
	const struct hyb_gcomm *g = entry;

	return memcmp(g->key, key, sizeof(g->key)) == 0 && g->kind != HYB_COMM_WORLD &&
	       g->kind != HYB_COMM_SELF;
}

static bool same_group(const void *entry, const void *key)
{
	const struct hyb_group *a = entry, *b = key;

	return a->count == b->count &&
	       (!a->count || memcmp(a->members, b->members, a->count * sizeof(*a->members)) == 0);
}

static uint64_t hash_key(const uint64_t key[2])
{
	return hyb_mix(key[0] ^ hyb_mix(key[1]));
}

uint32_t hyb_comms_group_of(const struct hyb_comms *c, const uint32_t *members, uint32_t count)
{
	struct hyb_group key = { count, (uint32_t *)members }, *group;

	group = hyb_table_find(&c->groups, hyb_hash_bytes(members, count * sizeof(*members)), &key);
	return group ? (uint32_t)(group - (struct hyb_group *)c->groups.entries) : HYB_COMM_NONE;
}

uint32_t hyb_comms_intern(struct hyb_comms *c, const uint32_t *members, uint32_t count)
{
	struct hyb_group key = { count, (uint32_t *)members }, *group;
	uint64_t hash = hyb_hash_bytes(members, count * sizeof(*members));
	uint32_t *copy;

	group = hyb_table_find(&c->groups, hash, &key);
	if (!group) {
		copy = malloc((count ? count : 1) * sizeof(*copy));
		if (!copy)
			return HYB_COMM_NONE;
		group = hyb_table_add(&c->groups, hash);
		if (!group) {
			free(copy);
			return HYB_COMM_NONE;
		}
		if (count)
			memcpy(copy, members, count * sizeof(*copy));
		group->count = count;
		group->members = copy;
	}
	return (uint32_t)(((char *)group - c->groups.entries) / sizeof(*group));
}

static int intern_world(struct hyb_comms *c, uint32_t base, uint32_t ranks, uint32_t *index)
{
	uint32_t *members = malloc((ranks ? ranks : 1) * sizeof(*members)), i;

	if (!members)
		return -ENOMEM;
	for (i = 0; i < ranks; i++)
		members[i] = base + i;
	*index = hyb_comms_intern(c, members, ranks);
	free(members);
	return *index == HYB_COMM_NONE ? -ENOMEM : 0;
}

int hyb_comms_init(struct hyb_comms *c, uint32_t ranks, uint32_t world_size)
{
	struct hyb_gcomm *world, *self;
	uint32_t group;

	memset(c, 0, sizeof(*c));
	c->ranks = ranks;
	hyb_table_init(&c->table, sizeof(struct hyb_gcomm), same_key);
	hyb_table_init(&c->groups, sizeof(struct hyb_group), same_group);
	if (intern_world(c, 0, world_size, &group))
		return -ENOMEM;
	world = hyb_table_add(&c->table, 0);
	if (!world)
		return -ENOMEM;
	world->kind = HYB_COMM_WORLD;
	world->size = world_size;
	world->group[0] = group;
	world->parent = HYB_COMM_NONE;
	world->state = HYB_GCOMM_KNOWN;
	self = hyb_table_add(&c->table, 0);
	if (!self)
		return -ENOMEM;
	self->kind = HYB_COMM_SELF;
	self->size = 1;
	self->parent = HYB_COMM_NONE;
	self->state = HYB_GCOMM_KNOWN;
	return 0;
}

int hyb_comms_add_world(struct hyb_comms *c, const uint64_t key[2], uint32_t base, uint32_t ranks)
{
	struct hyb_gcomm *world;
	uint32_t group;

	if (intern_world(c, base, ranks, &group))
		return -ENOMEM;
	world = hyb_table_add(&c->table, hash_key(key));
	if (!world)
		return -ENOMEM;
	memcpy(world->key, key, sizeof(world->key));
	world->kind = HYB_COMM_INTRA;
	world->size = ranks;
	world->group[0] = group;
	world->parent = HYB_COMM_NONE;
	world->state = HYB_GCOMM_KNOWN;
	return 0;
}

void hyb_comms_free(struct hyb_comms *c)
{
	uint32_t i;

	for (i = 0; i < c->table.count; i++) {
		free(hyb_comms_at(c, i)->members[0]);
		free(hyb_comms_at(c, i)->members[1]);
		free(hyb_comms_at(c, i)->name);
		free(hyb_comms_at(c, i)->extents);
	}
	for (i = 0; i < c->groups.count; i++)
		free(hyb_comms_group(c, i)->members);
	hyb_table_free(&c->table);
	hyb_table_free(&c->groups);
}

uint32_t hyb_comms_find(const struct hyb_comms *c, const struct hyb_def_comm *def)
{
	const struct hyb_gcomm *g;

	if (def->kind == HYB_COMM_WORLD)
		return WORLD;
	if (def->kind == HYB_COMM_SELF)
		return SELF;
	g = hyb_table_find(&c->table, hash_key(def->key), def->key);
	return g ? (uint32_t)(g - (const struct hyb_gcomm *)c->table.entries) : HYB_COMM_NONE;
}

static struct hyb_gcomm *add_comm(struct hyb_comms *c, const struct hyb_defs *defs,
				  const struct hyb_def_comm *def)
{
	const struct hyb_comm *parent = hyb_defs_comm(defs, def->parent);
	uint32_t up = HYB_COMM_NONE;
	struct hyb_gcomm *g;

	if (parent && parent->defined)
		up = hyb_comms_find(c, &parent->def);
	g = hyb_table_add(&c->table, hash_key(def->key));
	if (!g)
		return NULL;
	memcpy(g->key, def->key, sizeof(g->key));
	g->kind = def->kind;
	g->size = def->size;
	g->remote_size = def->remote_size;
	g->parent = up;
	g->same_members = def->same_members;
	return g;
}

/* True if what this process says is the same communicator as what the first one said. */
static bool agrees(const struct hyb_gcomm *g, const struct hyb_def_comm *def)
{
	if (def->kind != g->kind || def->same_members != g->same_members)
		return false;
	if (def->kind != HYB_COMM_INTER)
		return def->size == g->size && def->rank < def->size;
	return def->rank < def->size &&
	       ((def->size == g->size && def->remote_size == g->remote_size) ||
		(def->size == g->remote_size && def->remote_size == g->size));
}

/* A list of `size` members, all of them holes. */
static uint32_t *new_list(uint32_t size)
{
	uint32_t *list = malloc((size ? size : 1) * sizeof(*list));

	if (list)
		memset(list, 0xff, size * sizeof(*list));
	return list;
}

static void fill_list(const struct hyb_comms *c, uint32_t *list, uint32_t size,
		      const uint32_t *members, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count && i < size; i++)
		if (members[i] < c->ranks)
			list[i] = members[i];
}

static int add_intra_members(struct hyb_comms *c, struct hyb_gcomm *g, uint32_t world_rank,
			     const struct hyb_comm *comm)
{
	/* With processes of another job it may be larger; member 0 knows them all. */
	if (g->size > c->ranks && comm->member_count != g->size)
		return 0;
	if (g->same_members && g->parent != HYB_COMM_NONE && g->parent != SELF)
		return 0;
	if (!g->members[0])
		g->members[0] = new_list(g->size);
	if (!g->members[0])
		return -ENOMEM;
	fill_list(c, g->members[0], g->size, comm->members, comm->member_count);
	g->members[0][comm->def.rank] = world_rank;
	return 0;
}

/* Which group a process is in whose intercommunicator leads to another job; -1: it does not say. */
static int side_of(const struct hyb_comm *comm)
{
	if (!comm->met)
		return -1;
	switch (comm->meeting.role) {
	case HYB_MEETING_SPAWN:
	case HYB_MEETING_ACCEPT:
		return 0;
	case HYB_MEETING_PARENT:
	case HYB_MEETING_CONNECT:
		return 1;
	}
	return -1;
}

static int make_lists(struct hyb_gcomm *g, const struct hyb_def_comm *def, int mine)
{
	g->size = mine ? def->remote_size : def->size;
	g->remote_size = mine ? def->size : def->remote_size;
	g->members[0] = new_list(g->size);
	g->members[1] = new_list(g->remote_size);
	return g->members[0] && g->members[1] ? 0 : -ENOMEM;
}

/*
 * Between jobs each process knows its side, and rank 0 the processes of its own job only. Else the
 * first group is the one whose rank 0 comes first; a process that is not rank 0 of its group cannot
 * say which of the two that is, and is found in the lists of those that are.
 */
static int add_inter_members(struct hyb_comms *c, struct hyb_gcomm *g, uint32_t world_rank,
			     const struct hyb_comm *comm)
{
	const struct hyb_def_comm *def = &comm->def;
	int side = side_of(comm), mine = side > 0;

	if ((def->rank != 0 && side < 0) || (g->same_members && g->parent != HYB_COMM_NONE))
		return 0;
	/* Sizes that no archive holds are damage: no list is made of them. */
	if (!def->size || (uint64_t)def->size + def->remote_size > MEMBERS_MAX || (def->rank == 0 && (comm->member_count != def->size ||
					      comm->remote_count != def->remote_size))) {
		g->state = HYB_GCOMM_UNKNOWN;
		return 0;
	}
	if (!g->members[0] && make_lists(g, def, mine))
		return -ENOMEM;
	if (side < 0)
		mine = g->members[0][0] != HYB_COMM_NONE && g->members[0][0] != world_rank;
	if ((mine ? g->remote_size : g->size) != def->size) {
		g->state = HYB_GCOMM_UNKNOWN;
		return 0;
	}
	g->members[mine][def->rank] = world_rank;
	if (def->rank != 0)
		return 0;
	fill_list(c, g->members[mine], def->size, comm->members, comm->member_count);
	fill_list(c, g->members[!mine], def->remote_size, comm->remote, comm->remote_count);
	return 0;
}

static int add_one(struct hyb_comms *c, uint32_t world_rank, const struct hyb_defs *defs,
		   const struct hyb_comm *comm)
{
	uint32_t index = hyb_comms_find(c, &comm->def);
	struct hyb_gcomm *g;
	const char *name;
	bool first = index == HYB_COMM_NONE;

	g = first ? add_comm(c, defs, &comm->def) : hyb_comms_at(c, index);
	if (!g)
		return -ENOMEM;
	name = comm->name;
	if (name && *name && !g->name) {
		g->name = strdup(name);
		if (!g->name)
			return -ENOMEM;
	}
	g->described++;
	if (comm->def.kind == HYB_COMM_WORLD || comm->def.kind == HYB_COMM_SELF)
		return 0;
	if (!agrees(g, &comm->def)) {
		g->state = HYB_GCOMM_UNKNOWN;
		return 0;
	}
	if (g->state != HYB_GCOMM_OPEN)
		return 0;
	if (hyb_comms_add_shape(g, &comm->topology))
		return -ENOMEM;
	if (g->kind == HYB_COMM_INTER)
		return add_inter_members(c, g, world_rank, comm);
	return add_intra_members(c, g, world_rank, comm);
}

int hyb_comms_add(struct hyb_comms *c, uint32_t world_rank, const struct hyb_defs *defs)
{
	size_t i;
	int ret;

	for (i = 0; i < defs->comm_count; i++) {
		if (!defs->comms[i].defined)
			continue;
		ret = add_one(c, world_rank, defs, &defs->comms[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/* Gives each hole an index of its own behind the ranks. */
static void number_holes(struct hyb_comms *c, struct hyb_gcomm *g, int side, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (g->members[side][i] == HYB_COMM_NONE)
			g->members[side][i] = c->ranks + g->holes++;
}

static int resolve_lists(struct hyb_comms *c, struct hyb_gcomm *g)
{
	uint32_t size[2] = { g->size, g->remote_size }, group;
	int side, sides = g->kind == HYB_COMM_INTER ? 2 : 1;

	for (side = 0; side < sides; side++) {
		if (!g->members[side]) {
			g->state = HYB_GCOMM_UNKNOWN;
			return 0;
		}
	}
	for (side = 0; side < sides; side++) {
		number_holes(c, g, side, size[side]);
		group = hyb_comms_intern(c, g->members[side], size[side]);
		if (group == HYB_COMM_NONE)
			return -ENOMEM;
		g->group[side] = group;
	}
	g->state = HYB_GCOMM_KNOWN;
	return 0;
}

static int resolve(struct hyb_comms *c, struct hyb_gcomm *g)
{
	const struct hyb_gcomm *up = NULL;

	if (g->kind != HYB_COMM_INTRA && g->kind != HYB_COMM_INTER) {
		g->state = HYB_GCOMM_UNKNOWN;
		return 0;
	}
	if (g->same_members && g->parent != HYB_COMM_NONE && g->parent != SELF)
		up = hyb_comms_at(c, g->parent);
	if (!up)
		return resolve_lists(c, g);
	if (up->state != HYB_GCOMM_KNOWN ||
	    (up->kind == HYB_COMM_INTER) != (g->kind == HYB_COMM_INTER) ||
	    (g->kind == HYB_COMM_INTRA && up->size != g->size)) {
		g->state = HYB_GCOMM_UNKNOWN;
		return 0;
	}
	memcpy(g->group, up->group, sizeof(g->group));
	g->size = up->size;
	g->remote_size = up->remote_size;
	g->state = HYB_GCOMM_KNOWN;
	return 0;
}

int hyb_comms_resolve(struct hyb_comms *c)
{
	struct hyb_gcomm *g;
	uint32_t i, id = 0;
	int ret;

	for (i = 0; i < c->table.count; i++) {
		g = hyb_comms_at(c, i);
		if (g->state == HYB_GCOMM_OPEN) {
			ret = resolve(c, g);
			if (ret)
				return ret;
		}
		free(g->members[0]);
		free(g->members[1]);
		g->members[0] = g->members[1] = NULL;
		if (g->state != HYB_GCOMM_KNOWN) {
			c->unknown++;
			continue;
		}
		g->id = id++;
		c->incomplete += g->holes != 0;
		if (g->holes > c->holes)
			c->holes = g->holes;
	}
	return 0;
}

int hyb_comms_add_shape(struct hyb_gcomm *g, const struct hyb_topology *t)
{
	uint64_t nodes = 1;
	uint32_t i;

	if (g->dims || t->def.kind != HYB_TOPOLOGY_CART || !hyb_topology_whole(t) || !t->def.in ||
	    t->def.in > HYB_SHAPE_DIMS)
		return 0;
	for (i = 0; i < t->def.in && nodes <= g->size; i++)
		nodes *= t->list[i];
	if (nodes != g->size)
		return 0;
	g->extents = malloc(2 * (size_t)t->def.in * sizeof(*g->extents));
	if (!g->extents)
		return -ENOMEM;
	memcpy(g->extents, t->list, 2 * (size_t)t->def.in * sizeof(*g->extents));
	g->dims = t->def.in;
	return 0;
}
