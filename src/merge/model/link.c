/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts the communicators of several jobs together; see link.h. */
#include "merge/model/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "format/key.h"

/* What is made of what is made of an intercommunicator, and so on; further on only damaged definitions lead. */
#define STEPS_MAX 10000

/* What is told apart in a key that a job's own number or a window's is added to. */
enum { OF_JOB = 1, OF_WINDOW = 2, OF_WORLD = 3 };

struct step { /* a communicator of one job that leads, or may lead, to another */
	uint64_t job;
	uint64_t key[2];
	bool made; /* from another such one, by this step */
	uint64_t parent[2];
	uint64_t step[2];
};

struct alias {
	uint64_t key[2]; /* canonical, as the one below */
	uint64_t first[2];
};

static bool same_step(const void *entry, const void *key)
{
	return memcmp(entry, key, 3 * sizeof(uint64_t)) == 0;
}

static bool same_alias(const void *entry, const void *key)
{
	return memcmp(entry, key, 2 * sizeof(uint64_t)) == 0;
}

static uint64_t hash(uint64_t job, const uint64_t key[2])
{
	return hyb_mix(key[0] ^ hyb_mix(key[1] + job));
}

void hyb_links_init(struct hyb_links *l, const struct hyb_link_job *jobs, uint32_t count)
{
	memset(l, 0, sizeof(*l));
	l->jobs = jobs;
	l->job_count = count;
	hyb_table_init(&l->steps, sizeof(struct step), same_step);
	hyb_table_init(&l->aliases, sizeof(struct alias), same_alias);
}

void hyb_links_free(struct hyb_links *l)
{
	hyb_table_free(&l->steps);
	hyb_table_free(&l->aliases);
	free(l->sides);
	memset(l, 0, sizeof(*l));
}

static const struct step *find_step(const struct hyb_links *l, uint32_t job, const uint64_t key[2])
{
	const uint64_t wanted[3] = { job, key[0], key[1] };

	return hyb_table_find(&l->steps, hash(job, key), wanted);
}

/* The keys of the first job stay as they are. */
static void own_key(uint32_t job, const uint64_t key[2], uint64_t out[2])
{
	const uint64_t own[2] = { OF_JOB, job };

	if (job)
		hyb_key_of_step(out, key, own);
	else
		memcpy(out, key, 2 * sizeof(*out));
}

/* True where the model has the key of the other side instead. */
static bool canonical_from(const struct hyb_links *l, uint32_t job, const uint64_t key[2],
			   uint64_t out[2], unsigned int depth)
{
	const struct step *s = find_step(l, job, key);
	const struct alias *a;
	uint64_t parent[2];

	if (s && s->made && depth < STEPS_MAX) {
		canonical_from(l, job, s->parent, parent, depth + 1);
		hyb_key_of_step(out, parent, s->step);
	} else {
		own_key(job, key, out);
	}
	a = hyb_table_find(&l->aliases, hash(0, out), out);
	if (a)
		memcpy(out, a->first, sizeof(a->first));
	return a != NULL;
}

/* What a key of a job is called in the model, with all that is known of its other side. */
static bool canonical(const struct hyb_links *l, uint32_t job, const uint64_t key[2],
		      uint64_t out[2])
{
	return canonical_from(l, job, key, out, 0);
}

static int add_step(struct hyb_links *l, uint32_t job, const struct hyb_defs *defs,
		    const struct hyb_comm *comm)
{
	const struct hyb_comm *parent = hyb_defs_comm(defs, comm->def.parent);
	const struct hyb_def_comm *def = &comm->def;
	struct step *s;

	if (find_step(l, job, def->key))
		return 0;
	s = hyb_table_add(&l->steps, hash(job, def->key));
	if (!s)
		return -ENOMEM;
	s->job = job;
	memcpy(s->key, def->key, sizeof(s->key));
	memcpy(s->step, def->step, sizeof(s->step));
	s->made = (def->step[0] || def->step[1]) && parent && parent != comm && parent->defined;
	if (s->made)
		memcpy(s->parent, parent->def.key, sizeof(s->parent));
	return 0;
}

/* The side with that key, made if it is new; NULL without memory. */
static struct hyb_link_side *get_side(struct hyb_links *l, uint32_t job, const uint64_t key[2])
{
	struct hyb_link_side *side;
	size_t i;

	for (i = 0; i < l->count; i++) {
		side = &l->sides[i];
		if (side->job == job && !memcmp(side->key, key, sizeof(side->key)))
			return side;
	}
	side = hyb_array_room(l->sides, &l->room, l->count, sizeof(*side));
	if (!side)
		return NULL;
	l->sides = side;
	side = &l->sides[l->count++];
	memset(side, 0, sizeof(*side));
	side->job = job;
	memcpy(side->key, key, sizeof(side->key));
	side->root = UINT32_MAX;
	return side;
}

static int add_side(struct hyb_links *l, uint32_t job, uint32_t rank, int clock,
		    const struct hyb_defs *defs, const struct hyb_comm *comm)
{
	const struct hyb_def_meeting *m = &comm->meeting;
	struct hyb_link_side *side = get_side(l, job, comm->def.key);

	if (!side)
		return -ENOMEM;
	/* The one who led it knows best. */
	if (side->role && rank != m->root)
		return 0;
	side->size = comm->def.size;
	side->remote_size = comm->def.remote_size;
	side->role = m->role;
	side->root = m->root;
	memcpy(side->port, m->port, sizeof(side->port));
	side->clock = clock;
	/* When a spawned process asks for its parent says nothing, when it began does. */
	side->counter = m->role == HYB_MEETING_PARENT ? defs->start_time : m->counter;
	return 0;
}

int hyb_links_add(struct hyb_links *l, uint32_t job, uint32_t rank, int clock,
		  const struct hyb_defs *defs)
{
	const struct hyb_comm *comm;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < defs->comm_count; i++) {
		comm = &defs->comms[i];
		if (!comm->defined || (!comm->met && !comm->def.step[0] && !comm->def.step[1]))
			continue;
		ret = add_step(l, job, defs, comm);
		if (!ret && comm->met)
			ret = add_side(l, job, rank, clock, defs, comm);
	}
	return ret;
}

static bool same_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Processes of several jobs may be one side together. */
static bool one_side(const struct hyb_links *l, const struct hyb_link_side *a,
		     const struct hyb_link_side *b)
{
	uint64_t first[2], second[2];

	canonical(l, a->job, a->key, first);
	canonical(l, b->job, b->key, second);
	return !memcmp(first, second, sizeof(first));
}

/* Whether b may be the other side of a; of a spawn, a is the spawning side. */
static bool fits(const struct hyb_links *l, const struct hyb_link_side *a,
		 const struct hyb_link_side *b)
{
	const struct hyb_link_job *child = &l->jobs[b->job];

	if (a == b || a->paired || b->paired || a->size != b->remote_size ||
	    a->remote_size != b->size)
		return false;
	if (a->role == HYB_MEETING_SPAWN && b->role == HYB_MEETING_PARENT)
		return same_text(l->jobs[a->job].key, child->parent) &&
		       (child->parent_rank < 0 || a->root == UINT32_MAX ||
			child->parent_rank == a->root);
	if (memcmp(a->port, b->port, sizeof(a->port)))
		return false;
	if (a->role == HYB_MEETING_ACCEPT)
		return b->role == HYB_MEETING_CONNECT && (a->port[0] || a->port[1]);
	return a->role == b->role &&
	       (a->role == HYB_MEETING_JOIN || a->role == HYB_MEETING_PAIR) && !one_side(l, a, b);
}

/*
 * How little it is that b, the later one in its role, came after or before a. Spawned processes begin while the spawn
 * lasts, so of several spawns it is the first that came back after that.
 */
static uint64_t distance(const struct hyb_link_side *a, const struct hyb_link_side *b)
{
	const uint64_t before = UINT64_C(1) << 62;

	if (b->role == HYB_MEETING_PARENT && a->time < b->time)
		return before + (uint64_t)(b->time - a->time);
	return (uint64_t)(a->time < b->time ? b->time - a->time : a->time - b->time);
}

/* All sides that the model calls alike. */
static void mark_paired(struct hyb_links *l, const uint64_t key[2])
{
	uint64_t other[2];
	size_t i;

	for (i = 0; i < l->count; i++) {
		canonical(l, l->sides[i].job, l->sides[i].key, other);
		if (!memcmp(other, key, sizeof(other)))
			l->sides[i].paired = true;
	}
}

static int unite(struct hyb_links *l, const struct hyb_link_side *a, const struct hyb_link_side *b)
{
	uint64_t first[2], second[2];
	struct alias *alias;

	canonical(l, a->job, a->key, first);
	canonical(l, b->job, b->key, second);
	mark_paired(l, first);
	mark_paired(l, second);
	if (!memcmp(first, second, sizeof(first)))
		return 0;
	alias = hyb_table_add(&l->aliases, hash(0, second));
	if (!alias)
		return -ENOMEM;
	memcpy(alias->key, second, sizeof(second));
	memcpy(alias->first, first, sizeof(first));
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct hyb_link_side *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

int hyb_links_pair(struct hyb_links *l, const struct hyb_clocks *clocks)
{
	struct hyb_link_side *a, *b, *best;
	size_t i, k;
	int ret;

	for (i = 0; i < l->count; i++)
		l->sides[i].time = hyb_clock_ns(hyb_clocks_get(clocks, (size_t)l->sides[i].clock),
						l->sides[i].counter);
	if (l->count)
		qsort(l->sides, l->count, sizeof(*l->sides), by_time);
	for (i = 0; i < l->count; i++) {
		b = &l->sides[i];
		best = NULL;
		for (k = 0; k < l->count; k++) {
			a = &l->sides[k];
			if (fits(l, a, b) && (!best || distance(a, b) < distance(best, b)))
				best = a;
		}
		ret = best ? unite(l, best, b) : 0;
		if (ret)
			return ret;
	}
	for (i = 0; i < l->count; i++)
		l->apart += !l->sides[i].paired;
	return 0;
}

bool hyb_links_any(const struct hyb_links *l, uint32_t job)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (l->sides[i].job == job && l->sides[i].paired)
			return true;
	return false;
}

void hyb_links_world_key(const struct hyb_links *l, uint32_t job, uint64_t key[2])
{
	const uint64_t world[2] = { OF_WORLD, job };

	(void)l;
	own_key(job, world, key);
}

static void place_ranks(const struct hyb_link_job *job, uint32_t *members, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		members[i] = members[i] < job->ranks ? members[i] + job->base : UINT32_MAX;
}

static void apply_win(const struct hyb_links *l, uint32_t job, const struct hyb_defs *defs,
		      struct hyb_win *win)
{
	const uint64_t of_window[2] = { OF_WINDOW, win->def.number };
	const struct hyb_comm *comm = hyb_defs_comm(defs, win->def.comm);
	uint64_t key[2];

	if (comm && find_step(l, job, comm->def.key)) {
		canonical(l, job, comm->def.key, key);
		hyb_key_of_step(win->def.key, key, of_window);
	} else {
		own_key(job, win->def.key, key);
		memcpy(win->def.key, key, sizeof(key));
	}
}

/* Where both sides have the same role, which is the first has been found here; the roles say it from now on. */
static void tell_side(struct hyb_comm *comm, bool second)
{
	struct hyb_def_meeting *m = &comm->meeting;

	if (m->role == HYB_MEETING_JOIN || m->role == HYB_MEETING_PAIR)
		m->role = second ? HYB_MEETING_CONNECT : HYB_MEETING_ACCEPT;
}

static void apply_comm(const struct hyb_links *l, uint32_t job, struct hyb_comm *comm)
{
	uint64_t key[2];
	bool second;

	place_ranks(&l->jobs[job], comm->members, comm->member_count);
	place_ranks(&l->jobs[job], comm->remote, comm->remote_count);
	if (comm->def.kind == HYB_COMM_SELF || (comm->def.kind == HYB_COMM_WORLD && !job))
		return;
	if (comm->def.kind == HYB_COMM_WORLD) {
		comm->def.kind = HYB_COMM_INTRA;
		hyb_links_world_key(l, job, comm->def.key);
		return;
	}
	second = canonical(l, job, comm->def.key, key);
	memcpy(comm->def.key, key, sizeof(key));
	if (!comm->met)
		return;
	/* No communicator has both its sides as members. */
	comm->def.parent = (uint32_t)comm->id;
	tell_side(comm, second);
}

void hyb_links_apply(const struct hyb_links *l, uint32_t job, struct hyb_defs *defs)
{
	size_t i;

	if (l->job_count < 2)
		return;
	/* Windows first: they ask for their communicators as these were recorded. */
	for (i = 0; i < defs->win_count; i++)
		if (defs->wins[i].defined)
			apply_win(l, job, defs, &defs->wins[i]);
	for (i = 0; i < defs->comm_count; i++)
		if (defs->comms[i].defined)
			apply_comm(l, job, &defs->comms[i]);
	for (i = 0; i < defs->group_count; i++)
		place_ranks(&l->jobs[job], defs->groups[i].members, defs->groups[i].count);
}
