/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads, teams, tasks and locks: what is attached to the events of an OpenMP thread. As Score-P has it, a thread is
 * in its team before it enters the region and until it has left it, the one that forked, too: ThreadFork,
 * ThreadTeamBegin, Enter ... Leave, ThreadTeamEnd, ThreadJoin. A task's region belongs to the task: the switch to a
 * task stands before its Enter, the switch away behind its Leave.
 */
#include "merge/convert.h"

#include <errno.h>
#include <stdlib.h>

#include "reader/containers/array.h"
#include "reader/containers/search.h"

#define TASK_MASK ((UINT64_C(1) << 48) - 1)
#define STREAM_UNKNOWN 0xffffu

/* The innermost team the thread is in, as far as it is known. */
static const struct hyb_team *current(const struct hyb_convert *c)
{
	return c->teams.depth ? c->teams.open[c->teams.depth - 1].team : NULL;
}

/* The group of a team, or of the thread alone. */
static uint32_t group_of(const struct hyb_convert *c, const struct hyb_team *team)
{
	return team ? team->group : c->ts->alone;
}

static void tell_team(struct hyb_convert *c, enum hyb_kind kind, const struct hyb_team *team)
{
	struct hyb_merge_event e;

	hyb_convert_now(c, &e, kind);
	e.team = group_of(c, team);
	hyb_convert_tell(c, &e);
}

/* With `depth` regions around it. */
static void begin_team(struct hyb_convert *c, const struct hyb_attached *a, bool entered, size_t depth)
{
	const struct hyb_team *team =
		hyb_process_teams_find(&c->p->teams, a->comm, a->use);
	struct hyb_open_team *grown;

	grown = hyb_array_room(c->teams.open, &c->teams.room, c->teams.depth, sizeof(*grown));
	if (!grown) {
		c->err = -ENOMEM;
		return;
	}
	c->teams.open = grown;
	if (team && team->group == HYB_COMM_NONE)
		team = NULL;
	c->teams.open[c->teams.depth++] = (struct hyb_open_team){ team, depth, entered };
	if (team)
		tell_team(c, HYB_KIND_TEAM_BEGIN, team);
}

static void end_team(struct hyb_convert *c)
{
	const struct hyb_team *team = current(c);

	if (!c->teams.depth)
		return;
	c->teams.depth--;
	if (team)
		tell_team(c, HYB_KIND_TEAM_END, team);
}

/* The end of a team with the Leave of a region, after it or, if it began in there, before. */
static void leave_team(struct hyb_convert *c, bool after)
{
	const struct hyb_open_team *open = c->teams.depth ? &c->teams.open[c->teams.depth - 1] : NULL;

	if (open && open->entered == after && open->depth >= c->depth)
		end_team(c);
}

/* Or by itself: a team around a region that is not left yet ends with that. */
static void end_team_alone(struct hyb_convert *c)
{
	const struct hyb_open_team *open = c->teams.depth ? &c->teams.open[c->teams.depth - 1] : NULL;

	if (open && (!open->entered || open->depth >= c->depth))
		end_team(c);
}

/* Only a region forks, and only once: what damaged records say else, readers would take for nested teams. */
static void fork_threads(struct hyb_convert *c, uint32_t requested)
{
	struct hyb_merge_event e;

	hyb_convert_now(c, &e, HYB_KIND_FORK);
	if (c->forks)
		return;
	c->forks = true;
	e.threads = requested;
	hyb_convert_tell(c, &e);
}

bool hyb_convert_begins_team(const struct hyb_event *event)
{
	struct hyb_attached a;
	uint32_t pos = 0;

	return event->type == HYB_POINT && hyb_attached_next(event, &pos, &a) && a.type == HYB_TEAM_BEGIN;
}

/* At the time of the fork, since the region was entered then. */
void hyb_convert_forked_team(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_attached a;
	uint32_t pos = 0;

	if (hyb_attached_next(event, &pos, &a))
		begin_team(c, &a, true, c->depth - 1);
}

void hyb_convert_join(struct hyb_convert *c, bool forked)
{
	struct hyb_merge_event e;

	while (c->teams.depth && c->teams.open[c->teams.depth - 1].entered &&
	       c->teams.open[c->teams.depth - 1].depth >= c->depth)
		end_team(c);
	hyb_convert_now(c, &e, HYB_KIND_JOIN);
	if (forked)
		hyb_convert_tell(c, &e);
}

void hyb_convert_close_teams(struct hyb_convert *c)
{
	while (c->teams.depth && c->teams.open[c->teams.depth - 1].depth >= c->depth)
		end_team(c);
}

/* The number in a team's group of the thread of a stream; false: it is none of its members. */
static bool member_of(const struct hyb_convert *c, uint32_t index, uint32_t stream, uint32_t *number)
{
	const struct hyb_team_group *group = hyb_teams_group(&c->m->model.teams, index);
	uint32_t i;

	for (i = 0; i < group->count; i++) {
		if (group->locations[i] >> 32 == stream) {
			*number = i;
			return true;
		}
	}
	return false;
}

/* The stream of the thread that created a task. */
static uint32_t stream_of(uint64_t task)
{
	return (uint32_t)(task >> 32) & 0xffff;
}

/*
 * The number in its team of the thread that created a task; false: it is none of its members. Outside of a team that is
 * the thread itself: where the team's begin is not in the records, others' tasks may be executed here.
 */
static bool creator_of(const struct hyb_convert *c, const struct hyb_team *team, uint64_t task,
		       uint32_t *number)
{
	uint32_t own = c->t->number, creator = task ? stream_of(task) : own;

	*number = 0;
	if (team)
		return member_of(c, team->group, creator, number);
	return creator == own || (creator == STREAM_UNKNOWN && own > STREAM_UNKNOWN);
}

/*
 * While counting. A task is named by its creator and the team in which that was, wherever it is executed or ends:
 * threads of the runtime's own execute those that nobody waits for, and any thread may fulfil their events.
 */
static void note_task(struct hyb_convert *c, uint32_t type, uint64_t task, bool at_point)
{
	const struct hyb_team *team = current(c);
	uint32_t number;
	bool known = !c->teams.depth || team;

	if (type != HYB_TASK_CREATE) {
		if (task && (!known || !creator_of(c, team, task, &number) ||
			     (at_point && stream_of(task) != c->t->number)))
			c->s->created.elsewhere = true;
		return;
	}
	if (!known || stream_of(task) != c->t->number || stream_of(task) == STREAM_UNKNOWN ||
	    (team && !creator_of(c, team, task, &number)))
		return;
	if (hyb_task_teams_note(&c->s->created, task, team ? team->group : HYB_TASK_TEAMS_ALONE))
		c->err = -ENOMEM;
}

/* The thread of the process that a stream is of: its index, or SIZE_MAX. */
static size_t thread_of(const struct hyb_model_process *p, uint32_t stream)
{
	const size_t at = HYB_SEARCH(i, p->thread_count, p->threads[i].number < stream);

	return at < p->thread_count && p->threads[at].number == stream ? at : SIZE_MAX;
}

int hyb_convert_alone(struct hyb_merge *m)
{
	size_t i, k;

	for (i = 0; i < m->model.process_count; i++) {
		const struct hyb_model_process *p = &m->model.processes[i];
		struct hyb_merge_process *s = &m->processes[i];

		for (k = 0; s->created.elsewhere && k < p->thread_count; k++) {
			if (!hyb_task_teams_alone(&s->created, p->threads[k].number))
				continue;
			s->threads[k].alone = hyb_teams_alone(&m->model.teams, p->threads[k].location);
			if (s->threads[k].alone == HYB_COMM_NONE)
				return -ENOMEM;
		}
	}
	return 0;
}

/* The team in which a task was created, and its creator's number in that; false: it is not known. */
static bool find_creator(const struct hyb_convert *c, uint64_t task, uint32_t *group, uint32_t *number)
{
	size_t creator;

	if (!task || !hyb_task_teams_find(&c->s->created, task, group))
		return false;
	*number = 0;
	if (*group != HYB_TASK_TEAMS_ALONE)
		return member_of(c, *group, stream_of(task), number);
	creator = thread_of(c->p, stream_of(task));
	if (creator == SIZE_MAX)
		return false;
	*group = c->s->threads[creator].alone;
	return *group != HYB_COMM_NONE || &c->p->threads[creator] == c->t;
}

/*
 * Outside of a team, where the program creates tasks before any parallel region, the thread is alone. In a team whose
 * members are not known nobody can tell which task it is that was created there.
 */
static void write_task(struct hyb_convert *c, uint32_t type, uint64_t task)
{
	const struct hyb_team *team = current(c);
	struct hyb_merge_event e;

	if (c->pass == HYB_PASS_COUNT)
		note_task(c, type, task, false);
	/* Scalasca takes a creator's number in its team for that of a location, and where it is none's dies. */
	if (!c->out || c->m->options.scalasca)
		return;
	hyb_convert_now(c, &e, type == HYB_TASK_CREATE	 ? HYB_KIND_TASK_CREATE
			       : type == HYB_TASK_SWITCH ? HYB_KIND_TASK_SWITCH
							 : HYB_KIND_TASK_COMPLETE);
	if (type == HYB_TASK_CREATE || !find_creator(c, task, &e.task.team, &e.task.creator)) {
		if (c->teams.depth && !team)
			return;
		if (!creator_of(c, team, task, &e.task.creator)) {
			c->counts.unplaced_tasks++;
			return;
		}
		e.task.team = group_of(c, team);
	}
	e.task.number = (uint32_t)task;
	e.task.id = task;
	hyb_convert_tell(c, &e);
}

/* The end of a task: of several of one task, the one that counts. */
static void complete_task(struct hyb_convert *c, const struct hyb_event *event, uint64_t word)
{
	if (c->pass == HYB_PASS_COUNT)
		note_task(c, HYB_TASK_COMPLETE, word & TASK_MASK, event->type == HYB_POINT);
	if (c->pass == HYB_PASS_COUNT && hyb_task_ends_note(&c->s->task_ends, word, c->t->number, event->time))
		c->err = -ENOMEM;
	if (c->out && hyb_task_ends_counts(&c->s->task_ends, word, c->t->number, event->time))
		write_task(c, HYB_TASK_COMPLETE, word & TASK_MASK);
}

static void note_lock(struct hyb_convert *c, bool acquired, uint32_t lock, uint32_t order)
{
	int ret;

	if (acquired)
		ret = hyb_locks_had(&c->s->locks, lock, order, c->now);
	else
		ret = hyb_locks_released(&c->s->locks, c->t->number, lock, order, c->now);
	if (ret)
		c->err = ret;
}

static void write_lock(struct hyb_convert *c, const struct hyb_attached *a)
{
	uint32_t lock = (uint32_t)a->words[0], order = (uint32_t)a->words[1];
	struct hyb_merge_event e;

	if (c->pass == HYB_PASS_COUNT)
		note_lock(c, a->type == HYB_LOCK_ACQUIRED, lock, order);
	if (!c->out)
		return;
	if (a->type == HYB_LOCK_RELEASED && !order)
		order = hyb_locks_order(&c->s->locks, c->t->number, lock);
	hyb_convert_now(c, &e, a->type == HYB_LOCK_ACQUIRED ? HYB_KIND_LOCK_ACQUIRED : HYB_KIND_LOCK_RELEASED);
	e.lock.lock = lock;
	e.lock.order = order;
	hyb_convert_tell(c, &e);
}

void hyb_convert_thread_before(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_attached a;
	uint32_t pos = 0;

	while (hyb_attached_next(event, &pos, &a)) {
		if (a.type == HYB_TEAM_BEGIN)
			begin_team(c, &a, true, c->depth);
		else if (a.type == HYB_FORK)
			fork_threads(c, (uint32_t)a.words[0]);
		else if (a.type == HYB_TASK_SWITCH)
			write_task(c, HYB_TASK_SWITCH, a.words[0] & TASK_MASK);
		else if (a.type == HYB_COUNT)
			hyb_convert_attribute(c, HYB_ATTRIBUTE_COUNT, a.words[0] & HYB_REQUEST_MASK);
		else if (a.type == HYB_DEVICE || a.type == HYB_DATA_OP)
			hyb_convert_target(c, &a);
	}
}

void hyb_convert_thread_inside(struct hyb_convert *c, const struct hyb_attached *a)
{
	switch (a->type) {
	case HYB_TEAM_END:
		leave_team(c, false);
		break;
	case HYB_LOCK_ACQUIRED:
	case HYB_LOCK_RELEASED:
		write_lock(c, a);
		break;
	}
}

void hyb_convert_thread_after(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_attached a;
	uint32_t pos = 0;

	while (hyb_attached_next(event, &pos, &a)) {
		if (a.type == HYB_TEAM_END)
			leave_team(c, true);
		else if (a.type == HYB_TASK_COMPLETE)
			complete_task(c, event, a.words[0]);
		else if (a.type == HYB_TASK_SWITCH)
			write_task(c, a.type, a.words[0] & TASK_MASK);
	}
}

/*
 * What a routine does with a lock is told inside of the routine: readers count a wait from where its region begins.
 * Getting into a critical region is no region of its own, unless there is none around it, since recording paused where
 * that began. False: the point is to be shown.
 */
static bool write_lock_point(struct hyb_convert *c, struct hyb_gregion *region, const struct hyb_attached *a)
{
	if (region && (region->role == HYB_ROLE_LOCK || !c->depth)) {
		hyb_convert_enter(c, region);
		write_lock(c, a);
		hyb_convert_leave(c, region);
		return true;
	}
	write_lock(c, a);
	return a->type == HYB_LOCK_ACQUIRED;
}

bool hyb_convert_thread_point(struct hyb_convert *c, const struct hyb_event *event, struct hyb_gregion *region,
			      const struct hyb_attached *a)
{
	switch (a->type) {
	case HYB_TEAM_BEGIN:
		begin_team(c, a, false, c->depth);
		return true;
	case HYB_TEAM_END:
		end_team_alone(c);
		return true;
	case HYB_TASK_CREATE:
		c->counts.tasks++;
		write_task(c, a->type, a->words[1] & TASK_MASK);
		return true;
	case HYB_TASK_SWITCH:
		write_task(c, a->type, a->words[0] & TASK_MASK);
		return true;
	case HYB_TASK_COMPLETE:
		complete_task(c, event, a->words[0]);
		return true;
	case HYB_TASK_DEPEND:
	case HYB_TASK_FULFIL:
	case HYB_DEPENDENCE:
		hyb_convert_depend(c, a);
		return true;
	case HYB_LOCK_ACQUIRED:
	case HYB_LOCK_RELEASED:
		return write_lock_point(c, region, a);
	}
	return false;
}
