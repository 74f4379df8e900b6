/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who waits at OpenMP's barriers, and which threads are idle. A barrier's members have come before the first of them
 * leaves it: so when one leaves, the last that came is known, and up to then the others waited for it. At a region's last
 * barrier the threads stay until they are needed again: from then on they are idle.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/waits/finder.h"
#include "reader/containers/array.h"

struct team {
	uint64_t team;
	bool forked; /* by that thread, then */
	uint32_t first;
	int64_t fork;
	uint64_t number; /* how often its members were in step */
	uint32_t *in; /* threads that wait in its barrier */
	size_t count;
	size_t room;
};

void hyb_team_waits_init(struct hyb_finder *f)
{
	HYB_TABLE_KEYED(&f->teams, struct team, team);
}

void hyb_team_waits_free(struct hyb_finder *f)
{
	for (uint32_t i = 0; i < f->teams.count; i++)
		free(((struct team *)hyb_table_at(&f->teams, i))->in);
	hyb_table_free(&f->teams);
}

static struct hyb_met_group group(const struct team *team)
{
	return (struct hyb_met_group){ (uint32_t)team->team, HYB_MET_TEAM };
}

static int add_track(uint32_t **list, size_t *room, size_t *count, uint32_t track)
{
	uint32_t *grown = hyb_array_room(*list, room, *count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	*list = grown;
	grown[(*count)++] = track;
	return 0;
}

static void remove_track(uint32_t *list, size_t *count, uint32_t track)
{
	for (size_t i = 0; i < *count; i++)
		if (list[i] == track)
			list[i--] = list[--*count];
}

/* It was idle up to then, from when it was that last. */
static int idle(struct hyb_finder *f, uint32_t track, int64_t end)
{
	struct hyb_finder_track *t = &f->tracks[track];
	const struct hyb_step wait = {
		.time = end, .since = t->idle_since, .end = end, .track = track, .other = t->first, .spot = t->spot,
		.wait = HYB_WAIT_OMP_IDLE,
	};

	if (end <= t->idle_since)
		return 0;
	t->idle_since = end;
	return hyb_finder_wait(f, &wait);
}

/* What its first thread did up to then may not have been told yet. */
static int idle_to_the_end(struct hyb_finder *f, uint32_t track, int64_t end)
{
	struct hyb_finder_track *t = &f->tracks[track];
	struct hyb_step *grown = hyb_array_room(f->late_idle, &f->late_room, f->late_count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	f->late_idle = grown;
	if (end > t->idle_since)
		f->late_idle[f->late_count++] = (struct hyb_step){
			.time = end, .since = t->idle_since, .end = end, .track = track, .other = t->first,
			.spot = t->spot, .wait = HYB_WAIT_OMP_IDLE,
		};
	t->idle_since = end;
	return 0;
}

static int fork_team(struct hyb_finder *f, const struct hyb_step *s)
{
	struct hyb_finder_track *t = &f->tracks[s->track];
	struct team *team = s->object == HYB_STEP_ALONE ? NULL : hyb_table_get(&f->teams, &s->object);
	int err = team || s->object == HYB_STEP_ALONE ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < t->idle_count; i++)
		err = idle(f, t->idles[i], s->time);
	if (err || !team)
		return err;
	team->forked = true;
	team->first = s->track;
	team->fork = s->time;
	return hyb_finder_meet(f, s->track, group(team), s->time, ++team->number);
}

static int begin(struct hyb_finder *f, const struct hyb_step *s)
{
	struct team *team = hyb_table_get(&f->teams, &s->object);

	if (!team)
		return -ENOMEM;
	return team->forked ? hyb_finder_meet(f, s->track, group(team), team->fork, team->number) : 0;
}

static int arrive(struct hyb_finder *f, const struct hyb_step *s)
{
	struct hyb_finder_track *t = &f->tracks[s->track];
	struct team *team = hyb_table_get(&f->teams, &s->object);

	if (!team)
		return -ENOMEM;
	/* A damaged recording may lack the end of the barrier before. */
	if (t->idle)
		remove_track(f->tracks[t->first].idles, &f->tracks[t->first].idle_count, s->track);
	t->in = t->open = true;
	t->idle = false;
	t->arrived = s->time;
	t->spot = s->spot;
	/* The thread that forks is never idle: it goes on behind the region. */
	t->first = s->flags & HYB_STEP_LAST && team->forked && team->first != s->track ? team->first : UINT32_MAX;
	return add_track(&team->in, &team->room, &team->count, s->track);
}

/* All that are there have waited for the last one. */
static int close_barrier(struct hyb_finder *f, struct team *team)
{
	uint32_t last;
	int64_t until;
	int err = 0;

	if (!team->count) /* it is told to leave another barrier than it came to */
		return 0;
	last = team->in[0];
	for (size_t i = 1; i < team->count; i++)
		if (f->tracks[team->in[i]].arrived >= f->tracks[last].arrived)
			last = team->in[i];
	until = f->tracks[last].arrived;
	team->number++;
	for (size_t i = 0; !err && i < team->count; i++) {
		struct hyb_finder_track *t = &f->tracks[team->in[i]];
		const struct hyb_step wait = {
			.time = until, .since = t->arrived, .end = until, .track = team->in[i], .other = last,
			.spot = t->spot, .wait = HYB_WAIT_OMP_BARRIER,
		};

		t->open = false;
		t->until = t->idle_since = until;
		if (t->arrived < until)
			err = hyb_finder_wait(f, &wait);
		t->idle = t->first != UINT32_MAX;
		if (!err && t->idle)
			err = add_track(&f->tracks[t->first].idles, &f->tracks[t->first].idle_room,
					&f->tracks[t->first].idle_count, team->in[i]);
	}
	/* Not before: what they did since the last time is what the waits go back to. */
	for (size_t i = 0; !err && i < team->count; i++)
		err = hyb_finder_meet(f, team->in[i], group(team), until, team->number);
	team->count = 0;
	return err;
}

static int depart(struct hyb_finder *f, const struct hyb_step *s)
{
	struct hyb_finder_track *t = &f->tracks[s->track];
	struct team *team = hyb_table_get(&f->teams, &s->object);
	int err = 0;

	if (!team)
		return -ENOMEM;
	if (!t->in)
		return hyb_finder_rest(f, s, s->since);
	t->in = false;
	if (t->open && s->flags & HYB_STEP_PARTIAL) {
		int64_t until;

		remove_track(team->in, &team->count, s->track);
		err = hyb_task_waits_begin(f, s, &until);
		return err ? err : hyb_finder_rest(f, s, until);
	}
	if (t->open)
		err = close_barrier(f, team);
	if (!err && t->idle) {
		/* Needed again by a fork that is known, it comes as fast as it can. */
		if (!(s->flags & HYB_STEP_AGAIN))
			err = idle_to_the_end(f, s->track, s->time);
		else if (t->idle_since == t->until)
			err = idle(f, s->track, s->time);
		remove_track(f->tracks[t->first].idles, &f->tracks[t->first].idle_count, s->track);
		t->idle = false;
	}
	return err ? err : hyb_finder_rest(f, s, t->idle_since > s->since ? t->idle_since : s->since);
}

int hyb_team_waits_step(struct hyb_finder *f, const struct hyb_step *s)
{
	switch (s->kind) {
	case HYB_STEP_FORK:
		return fork_team(f, s);
	case HYB_STEP_BEGIN:
		return begin(f, s);
	case HYB_STEP_ARRIVE:
		return arrive(f, s);
	case HYB_STEP_DEPART:
		return depart(f, s);
	default:
		return 0;
	}
}

int hyb_team_waits_end(struct hyb_finder *f)
{
	int err = 0;

	for (size_t i = 0; !err && i < f->late_count; i++)
		err = hyb_finder_wait(f, &f->late_idle[i]);
	return err;
}
