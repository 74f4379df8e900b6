/* SPDX-License-Identifier: BSD-3-Clause */
/* Unifies the teams of OpenMP's threads; see team.h. */
#include "merge/model/team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "reader/containers/search.h"

static bool same_group(const void *entry, const void *key)
{
	const struct hyb_team_group *a = entry, *b = key;

	return a->count == b->count &&
	       !memcmp(a->locations, b->locations, a->count * sizeof(*a->locations));
}

void hyb_teams_init(struct hyb_teams *t)
{
	memset(t, 0, sizeof(*t));
	hyb_table_init(&t->groups, sizeof(struct hyb_team_group), same_group);
}

void hyb_teams_free(struct hyb_teams *t)
{
	uint32_t i;

	for (i = 0; i < t->groups.count; i++)
		free(hyb_teams_group(t, i)->locations);
	hyb_table_free(&t->groups);
	free(t->locations);
}

void hyb_process_teams_free(struct hyb_process_teams *p)
{
	free(p->teams);
}

static int add_location(struct hyb_teams *t, uint64_t location)
{
	uint64_t *grown;

	grown = hyb_array_room(t->locations, &t->location_room, t->location_count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->locations = grown;
	t->locations[t->location_count++] = location;
	return 0;
}

static int by_location(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void hyb_teams_sort(struct hyb_teams *t)
{
	if (t->location_count)
		qsort(t->locations, t->location_count, sizeof(*t->locations), by_location);
}

size_t hyb_teams_index(const struct hyb_teams *t, uint64_t location)
{
	const uint64_t *at = t->location_count ? bsearch(&location, t->locations, t->location_count,
							 sizeof(*at), by_location) : NULL;

	return at ? (size_t)(at - t->locations) : HYB_TEAMS_NONE;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static bool has_stream(const uint32_t *streams, size_t count, uint32_t stream)
{
	return count && bsearch(&stream, streams, count, sizeof(stream), by_number);
}

/* The index of the group with these locations, made if need be; HYB_COMM_NONE without memory. */
static uint32_t intern(struct hyb_teams *t, uint64_t *locations, uint32_t count)
{
	const struct hyb_team_group key = { count, locations };
	uint64_t hash = hyb_hash_bytes(locations, count * sizeof(*locations));
	struct hyb_team_group *g = hyb_table_find(&t->groups, hash, &key);

	if (!g) {
		g = hyb_table_add(&t->groups, hash);
		if (!g)
			return HYB_COMM_NONE;
		g->count = count;
		g->locations = malloc((count ? count : 1) * sizeof(*locations));
		if (!g->locations)
			return HYB_COMM_NONE;
		memcpy(g->locations, locations, count * sizeof(*locations));
	}
	return (uint32_t)(g - hyb_teams_group(t, 0));
}

uint32_t hyb_teams_alone(struct hyb_teams *t, uint64_t location)
{
	if (hyb_teams_index(t, location) == HYB_TEAMS_NONE) {
		if (add_location(t, location))
			return HYB_COMM_NONE;
		hyb_teams_sort(t);
	}
	return intern(t, &location, 1);
}

/* What a process's teams are put together from. */
struct reading {
	struct hyb_teams *all;
	struct hyb_process_teams *teams;
	uint32_t group;		 /* the process's */
	const uint32_t *streams; /* those that there are, sorted */
	size_t stream_count;
	uint32_t *members; /* streams of the team that is being read, UINT32_MAX: not known */
	uint64_t *locations;
	uint32_t id;
	uint32_t size;
};

/* The team that is being read is whole: which group its members are. 0 or -ENOMEM. */
static int end_version(struct reading *r)
{
	struct hyb_team *team = &r->teams->teams[r->teams->count - 1];
	uint32_t i;

	for (i = 0; i < r->size; i++) {
		if (r->members[i] == UINT32_MAX || !has_stream(r->streams, r->stream_count, r->members[i]))
			return 0;
		r->locations[i] = (uint64_t)r->members[i] << 32 | r->group;
	}
	team->group = intern(r->all, r->locations, r->size);
	return team->group == HYB_COMM_NONE ? -ENOMEM : 0;
}

/* The team as it was before, with another use to change it. 0 or -ENOMEM. */
static int begin_version(struct reading *r, const struct hyb_team_member *m)
{
	struct hyb_process_teams *p = r->teams;
	struct hyb_team *grown = hyb_array_room(p->teams, &p->room, p->count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	p->teams = grown;
	if (!p->count || r->id != m->team || r->size != m->def.size)
		memset(r->members, 0xff, m->def.size * sizeof(*r->members));
	r->id = m->team;
	r->size = m->def.size;
	p->teams[p->count++] =
		(struct hyb_team){ .id = m->team, .use = m->def.use, .group = HYB_COMM_NONE };
	return 0;
}

static int read_members(struct reading *r, const struct hyb_defs *defs)
{
	const struct hyb_process_teams *p = r->teams;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < defs->member_count; i++) {
		const struct hyb_team_member *m = &defs->members[i];

		/* Each member has a stream, or the team cannot be told; a damaged size is not believed. */
		if (m->def.size > r->stream_count)
			continue;
		if (!p->count || r->id != m->team || r->size != m->def.size ||
		    p->teams[p->count - 1].use != m->def.use) {
			ret = p->count ? end_version(r) : 0;
			if (!ret)
				ret = begin_version(r, m);
		}
		if (!ret)
			r->members[m->def.index] = m->def.stream;
	}
	return !ret && p->count ? end_version(r) : ret;
}

int hyb_teams_add(struct hyb_teams *t, struct hyb_process_teams *p, const struct hyb_defs *defs,
		  uint32_t group, const uint32_t *streams, size_t stream_count)
{
	struct reading r = {
		.all = t, .teams = p, .group = group, .streams = streams, .stream_count = stream_count,
	};
	size_t i;
	int ret = -ENOMEM;

	if (!defs->member_count)
		return 0;
	t->used = true;
	for (i = 0; i < stream_count; i++)
		if (add_location(t, (uint64_t)streams[i] << 32 | group))
			return -ENOMEM;
	r.members = malloc((stream_count + 1) * sizeof(*r.members));
	r.locations = malloc((stream_count + 1) * sizeof(*r.locations));
	if (r.members && r.locations)
		ret = read_members(&r, defs);
	free(r.members);
	free(r.locations);
	return ret;
}

const struct hyb_team *hyb_process_teams_find(const struct hyb_process_teams *p, uint64_t id, uint64_t use)
{
	const struct hyb_team *teams = p->teams;
	/* The last that is not after (id, use) comes before it. */
	const size_t after = HYB_SEARCH(i, p->count, teams[i].id < id || (teams[i].id == id && teams[i].use <= use));

	return after && teams[after - 1].id == id ? &teams[after - 1] : NULL;
}
