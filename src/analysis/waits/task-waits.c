/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who waits for OpenMP's tasks: in a taskwait for the last one that another thread completes meanwhile; and whoever has
 * nothing to do at a barrier or in a taskwait, and executes a task then, for the thread that created it.
 */
#include <errno.h>

#include "analysis/waits/finder.h"
#include "reader/containers/keymap.h"

struct tasks { /* of a process */
	uint32_t process;
	struct hyb_key_map created; /* when, and by which track; those that are not complete */
	struct hyb_key_map created_by;
	int64_t completed; /* the last one, and by which track */
	uint32_t completed_by;
};

void hyb_task_waits_init(struct hyb_finder *f)
{
	HYB_TABLE_KEYED(&f->tasks, struct tasks, process);
}

void hyb_task_waits_free(struct hyb_finder *f)
{
	for (uint32_t i = 0; i < f->tasks.count; i++) {
		struct tasks *tasks = hyb_table_at(&f->tasks, i);

		hyb_key_map_free(&tasks->created);
		hyb_key_map_free(&tasks->created_by);
	}
	hyb_table_free(&f->tasks);
}

static struct tasks *tasks_of(struct hyb_finder *f, uint32_t process)
{
	const uint32_t before = f->tasks.count;
	struct tasks *tasks = hyb_table_get(&f->tasks, &process);

	if (f->tasks.count > before)
		tasks->completed = INT64_MIN;
	return tasks;
}

/* From the step's begin up to then, if that is not before, it waited for the other. */
static int wait_for(struct hyb_finder *f, const struct hyb_step *s, uint32_t other, int64_t until)
{
	const struct hyb_step wait = {
		.time = until, .since = s->since, .end = until, .track = s->track, .other = other, .spot = s->spot,
		.wait = HYB_WAIT_OMP_TASK,
	};
	int err;

	if (until <= s->since || other == s->track)
		return 0;
	err = hyb_finder_wait(f, &wait);
	return err ? err : hyb_finder_met(f, s->track, other, until);
}

int hyb_task_waits_begin(struct hyb_finder *f, const struct hyb_step *s, int64_t *until)
{
	struct tasks *tasks = tasks_of(f, s->other);
	uint64_t task = (uint64_t)s->end;
	int64_t time, by;

	*until = s->since;
	if (!tasks)
		return -ENOMEM;
	if (!task || !hyb_key_map_take(&tasks->created, task, &time) ||
	    !hyb_key_map_take(&tasks->created_by, task, &by))
		return 0;
	/* Another thread may go on with it. */
	if (hyb_key_map_put(&tasks->created, task, time) || hyb_key_map_put(&tasks->created_by, task, by))
		return -ENOMEM;
	if (time <= s->since || (uint32_t)by == s->track)
		return 0;
	*until = time < s->time ? time : s->time;
	return wait_for(f, s, (uint32_t)by, *until);
}

static int wait_over(struct hyb_finder *f, struct tasks *tasks, const struct hyb_step *s)
{
	int64_t until = s->since;
	int err = 0;

	if (s->flags & HYB_STEP_PARTIAL) {
		err = hyb_task_waits_begin(f, s, &until);
	} else if (tasks->completed > s->since && tasks->completed_by != s->track) {
		until = tasks->completed;
		err = wait_for(f, s, tasks->completed_by, until);
	}
	return err ? err : hyb_finder_rest(f, s, until);
}

int hyb_task_waits_step(struct hyb_finder *f, const struct hyb_step *s)
{
	struct tasks *tasks = tasks_of(f, s->other);
	int64_t time;

	if (!tasks)
		return -ENOMEM;
	switch (s->kind) {
	case HYB_STEP_CREATE:
		return hyb_key_map_put(&tasks->created, s->object, s->time) ||
		       hyb_key_map_put(&tasks->created_by, s->object, s->track) ? -ENOMEM : 0;
	case HYB_STEP_COMPLETE:
		hyb_key_map_take(&tasks->created, s->object, &time);
		hyb_key_map_take(&tasks->created_by, s->object, &time);
		tasks->completed = s->time;
		tasks->completed_by = s->track;
		return 0;
	default:
		return wait_over(f, tasks, s);
	}
}
