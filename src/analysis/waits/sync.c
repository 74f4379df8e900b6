/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where OpenMP makes a thread wait: at barriers, for locks and for tasks. Up to when it waited there is known once the
 * steps of all threads are read in the order of time (team-waits.c, lock-waits.c, task-waits.c), so here is put down what
 * it did there, in order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/waits/tracks.h"
#include "reader/containers/array.h"
#include "merge/sink/event.h"

/* What threads do with tasks ends a step only if that has been longer, ns: most tasks are short. */
#define SHORT 10000

static const struct hyb_gregion *innermost(const struct hyb_walk *w)
{
	const struct hyb_spot *s = hyb_stack_spot(&w->stack, w->stack.depth);

	return s->kind == HYB_SPOT_REGION ? s->region : NULL;
}

static enum hyb_walk_place place_of(const struct hyb_gregion *region)
{
	if (!region || region->paradigm != HYB_PARADIGM_OPENMP)
		return HYB_WALK_NOWHERE;
	switch (region->role) {
	case HYB_ROLE_BARRIER:
	case HYB_ROLE_IMPLICIT_BARRIER:
		return HYB_WALK_BARRIER;
	case HYB_ROLE_TASK_WAIT:
		/* A taskgroup is what the thread does in it, too. */
		return region->kind == HYB_REGION_TASKGROUP ? HYB_WALK_NOWHERE : HYB_WALK_TASKS;
	case HYB_ROLE_CRITICAL:
	case HYB_ROLE_ATOMIC:
	case HYB_ROLE_ORDERED:
	case HYB_ROLE_LOCK:
		return HYB_WALK_LOCK;
	default:
		return HYB_WALK_NOWHERE;
	}
}

static bool is_shared_wait(enum hyb_walk_place place)
{
	return place == HYB_WALK_BARRIER || place == HYB_WALK_TASKS;
}

/* Begins waiting in the innermost region, and in those around it that are the same. */
static void begin(struct hyb_walk *w, enum hyb_walk_place place, int64_t now)
{
	hyb_walk_begin(w, place, now);
	while (w->call.depth > 2) {
		const struct hyb_spot *s = hyb_stack_spot(&w->stack, w->call.depth - 1);

		if (s->kind != HYB_SPOT_REGION || place_of(s->region) != place || place == HYB_WALK_LOCK)
			break;
		w->call.depth--;
		w->call.spot = w->stack.frames[w->call.depth - 1].spot;
	}
}

static uint64_t team_of(const struct hyb_walk *w)
{
	return w->team_depth ? w->teams[w->team_depth - 1].team : HYB_STEP_ALONE;
}

static int push_team(struct hyb_walk *w, uint64_t team, bool forked)
{
	struct hyb_walk_team *grown = hyb_array_room(w->teams, &w->team_room, w->team_depth, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	w->teams = grown;
	w->teams[w->team_depth++] = (struct hyb_walk_team){ team, forked };
	return 0;
}

static void pop_team(struct hyb_walk *w, bool forked)
{
	if (w->team_depth && w->teams[w->team_depth - 1].forked == forked)
		w->team_depth--;
}

/* For a moment a barrier's last thing is kept: what comes next says more of it. */
static int put_barrier(struct hyb_walk *w)
{
	int err = 0;

	if (w->barrier.left) {
		err = hyb_walk_put(w, &w->barrier.arrive);
		if (!err)
			err = hyb_step_lanes_put(&w->lanes, &w->barrier.depart, w->barrier.items);
	}
	w->barrier.left = false;
	return err;
}

/* Of the step that is put down later. */
static void keep_items(struct hyb_walk *w)
{
	struct hyb_step_item *items = w->barrier.items;
	size_t room = w->barrier.item_room;

	w->barrier.items = w->items;
	w->barrier.item_room = w->item_room;
	w->items = items;
	w->item_room = room;
}

static int end_barrier(struct hyb_walk *w, int64_t now, uint8_t flags)
{
	struct hyb_walk_barrier *b = &w->barrier;
	uint32_t spot = hyb_walk_shared(w, w->call.spot);
	int err;

	if (spot == HYB_SPOT_NONE)
		return -ENOMEM;
	err = hyb_walk_work(w, w->call.enter, NULL);
	b->arrive = (struct hyb_step){ .kind = HYB_STEP_ARRIVE, .object = team_of(w), .time = w->call.enter, .spot = spot };
	b->depart = (struct hyb_step){
		.kind = HYB_STEP_DEPART, .object = team_of(w), .spot = spot, .flags = flags, .other = w->process,
		.end = (int64_t)w->next_task,
	};
	if (!err)
		err = hyb_walk_stay(w, &b->depart, now);
	if (!err)
		keep_items(w);
	b->left = !err;
	return err || !(flags & HYB_STEP_PARTIAL) ? err : put_barrier(w);
}

static int end_tasks(struct hyb_walk *w, int64_t now, uint8_t flags)
{
	struct hyb_step step = {
		.kind = HYB_STEP_TASKS, .other = w->process, .flags = flags, .end = (int64_t)w->next_task,
		.spot = hyb_walk_shared(w, w->call.spot),
	};
	int err = step.spot == HYB_SPOT_NONE ? -ENOMEM : hyb_walk_work(w, w->call.enter, NULL);

	if (!err)
		err = hyb_walk_stay(w, &step, now);
	return err ? err : hyb_walk_put(w, &step);
}

/* Waiting is over, or the thread does something else there. */
static int end(struct hyb_walk *w, int64_t now, uint8_t flags)
{
	w->call.in = false;
	if (!(flags & HYB_STEP_PARTIAL))
		w->next_task = 0;
	if (w->call.place == HYB_WALK_BARRIER && team_of(w) != HYB_STEP_ALONE)
		return end_barrier(w, now, flags);
	return w->call.place == HYB_WALK_TASKS ? end_tasks(w, now, flags) : hyb_walk_pieces(w);
}

static int fork_team(struct hyb_walk *w, int64_t now)
{
	struct hyb_step step = { .kind = HYB_STEP_FORK, .object = w->fork_team, .time = now };
	int err = hyb_walk_work(w, now, hyb_stack_spot(&w->stack, w->stack.depth));

	w->forks = false;
	if (!err)
		err = push_team(w, w->fork_team, true);
	return err ? err : hyb_walk_put(w, &step);
}

int hyb_walk_sync_enter(struct hyb_walk *w, int64_t now)
{
	const struct hyb_gregion *region = innermost(w);
	enum hyb_walk_place place = place_of(region);
	int err = 0;

	if (region->kernel == HYB_REGION_EVENT)
		return 0;
	if (region->role != HYB_ROLE_TASK)
		w->next_task = 0;
	if (w->call.in && !(is_shared_wait(place) && w->call.place == place))
		err = end(w, now, HYB_STEP_PARTIAL);
	if (!err && w->forks && region->role == HYB_ROLE_PARALLEL)
		err = fork_team(w, now);
	w->next_task = 0;
	if (!err && !w->call.in && place != HYB_WALK_NOWHERE)
		begin(w, place, now);
	return err;
}

int hyb_walk_sync_leave(struct hyb_walk *w, int64_t now)
{
	int err = 0;

	if (w->call.in && w->stack.depth >= w->call.depth)
		return 0;
	if (w->call.in)
		err = end(w, now, 0);
	else if (is_shared_wait(place_of(innermost(w))))
		begin(w, place_of(innermost(w)), now);
	return err;
}

static uint64_t lock_of(const struct hyb_walk *w, const struct hyb_merge_event *e)
{
	return (uint64_t)w->process << 32 | e->lock.lock;
}

static int acquired(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	struct hyb_step step = { .kind = HYB_STEP_ACQUIRED, .object = lock_of(w, e), .time = e->time, .other = e->lock.order };
	int err = hyb_walk_work(w, w->call.in ? w->call.enter : e->time, NULL);

	if (!err && w->call.in && w->call.place == HYB_WALK_LOCK) {
		struct hyb_step request = { .kind = HYB_STEP_REQUEST, .object = step.object, .time = w->call.enter };

		w->call.in = false;
		request.spot = hyb_walk_shared(w, w->call.spot);
		step.flags = HYB_STEP_ASKED;
		err = request.spot == HYB_SPOT_NONE ? -ENOMEM : hyb_walk_put(w, &request);
		if (!err)
			err = hyb_walk_stay(w, &step, e->time);
	} else {
		step.since = e->time;
	}
	return err ? err : hyb_walk_put(w, &step);
}

static int released(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	struct hyb_step step = { .kind = HYB_STEP_RELEASED, .object = lock_of(w, e), .time = e->time, .other = e->lock.order };
	int err = w->call.in ? 0 : hyb_walk_work(w, e->time, NULL);

	return err ? err : hyb_walk_put(w, &step);
}

static int begin_team(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	struct hyb_step step = { .kind = HYB_STEP_BEGIN, .object = e->team, .time = e->time };
	int err;

	if (e->team == HYB_COMM_NONE)
		return 0;
	if (w->forks) {
		w->fork_team = e->team;
		return 0;
	}
	err = push_team(w, e->team, false);
	return err ? err : hyb_walk_put(w, &step);
}

static int task(struct hyb_walk *w, const struct hyb_merge_event *e, enum hyb_step_kind kind)
{
	struct hyb_step step = { .kind = (uint8_t)kind, .object = e->task.id, .other = w->process, .time = e->time };
	int64_t now = w->call.in ? w->call.enter : e->time;
	int err = 0;

	if (!e->task.id)
		return 0;
	if (now - w->since > SHORT)
		err = hyb_walk_work(w, now, NULL);
	return err ? err : hyb_walk_put(w, &step);
}

int hyb_walk_sync_event(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	switch (e->kind) {
	case HYB_KIND_FORK:
		w->forks = true;
		w->fork_team = HYB_STEP_ALONE;
		return 0;
	case HYB_KIND_JOIN:
		pop_team(w, true);
		return 0;
	case HYB_KIND_TEAM_BEGIN:
		return begin_team(w, e);
	case HYB_KIND_TEAM_END:
		pop_team(w, false);
		return 0;
	case HYB_KIND_LOCK_ACQUIRED:
		return acquired(w, e);
	case HYB_KIND_LOCK_RELEASED:
		return released(w, e);
	case HYB_KIND_TASK_CREATE:
		return task(w, e, HYB_STEP_CREATE);
	case HYB_KIND_TASK_SWITCH:
		w->next_task = e->task.id;
		return 0;
	case HYB_KIND_TASK_COMPLETE:
		return task(w, e, HYB_STEP_COMPLETE);
	default:
		return 0;
	}
}

int hyb_walk_sync_next(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	struct hyb_walk_barrier *b = &w->barrier;

	if (!b->left || e->kind == HYB_KIND_METRIC)
		return 0;
	if (e->time == b->depart.time) {
		if (e->kind == HYB_KIND_LEAVE)
			return 0;
		if (e->kind == HYB_KIND_TEAM_END && team_of(w) == b->depart.object &&
		    !w->teams[w->team_depth - 1].forked) {
			b->arrive.flags |= HYB_STEP_LAST;
			b->depart.flags |= HYB_STEP_LAST;
			return 0;
		}
		if (e->kind == HYB_KIND_TEAM_BEGIN && b->depart.flags & HYB_STEP_LAST)
			b->depart.flags |= HYB_STEP_AGAIN;
	}
	return put_barrier(w);
}

int hyb_walk_sync_close(struct hyb_walk *w)
{
	int err = w->call.in && w->call.place != HYB_WALK_MPI ? end(w, w->stack.last, 0) : 0;

	w->call.in = false;
	w->call.place = HYB_WALK_MPI;
	return err ? err : put_barrier(w);
}
