/* SPDX-License-Identifier: BSD-3-Clause */
/* See causes.h. All steps are read once in the order of time, each by what knows its kind. */
#include "analysis/waits/causes.h"

#include <errno.h>

#include "analysis/waits/finder.h"

static int take_other(struct hyb_finder *f, const struct hyb_step *s)
{
	switch (s->kind) {
	case HYB_STEP_REQUEST:
	case HYB_STEP_RELEASED:
	case HYB_STEP_ACQUIRED:
		return hyb_lock_waits_step(f, s);
	case HYB_STEP_CREATE:
	case HYB_STEP_COMPLETE:
	case HYB_STEP_TASKS:
		return hyb_task_waits_step(f, s);
	case HYB_STEP_FENCE:
	case HYB_STEP_FENCED:
		return hyb_fence_waits_step(f, s);
	case HYB_STEP_SIGNAL:
	case HYB_STEP_AWAIT:
	case HYB_STEP_EPOCH:
		return hyb_epoch_waits_step(f, s);
	case HYB_STEP_LOCK:
	case HYB_STEP_UNLOCK:
	case HYB_STEP_LOCKED:
		return hyb_window_locks_step(f, s);
	default:
		return hyb_team_waits_step(f, s);
	}
}

static int take(struct hyb_finder *f, const struct hyb_step *s)
{
	if (s->track >= f->steps->track_count ||
	    ((s->kind == HYB_STEP_WAIT || s->kind == HYB_STEP_MESSAGE) && s->other >= f->steps->track_count))
		return 0;
	switch (s->kind) {
	case HYB_STEP_WORK:
	case HYB_STEP_WAIT:
	case HYB_STEP_MESSAGE:
	case HYB_STEP_MEETING:
		return hyb_finder_step(f, s);
	default:
		return take_other(f, s);
	}
}

static int read_all(struct hyb_finder *f, const volatile sig_atomic_t *stop)
{
	struct hyb_step step;
	int more, err = hyb_spots_order(&f->steps->spots, &f->steps->log.spots);

	if (!err)
		err = hyb_step_log_rewind(&f->steps->log);
	while (!err && (more = hyb_step_log_next(&f->steps->log, &step)) != 0) {
		if (more < 0)
			return more;
		if (stop && *stop)
			return -EINTR;
		err = take(f, &step);
	}
	return err;
}

/* The chain that leads to the thread that ends last. */
static int end_path(struct hyb_finder *f)
{
	const struct hyb_steps *steps = f->steps;
	uint32_t *last = &f->causes->path_end;

	*last = UINT32_MAX;
	for (size_t i = 0; i < steps->track_count; i++)
		if (steps->tracks[i].told && (*last == UINT32_MAX || steps->tracks[i].last > steps->tracks[*last].last))
			*last = (uint32_t)i;
	return *last == UINT32_MAX ? 0 : hyb_paths_get(&f->paths, *last, &f->causes->path);
}

int hyb_causes_find(struct hyb_causes *causes, struct hyb_steps *steps, const volatile sig_atomic_t *stop)
{
	struct hyb_finder f = { .causes = causes, .steps = steps, .begin = INT64_MAX };
	int err;

	hyb_causes_init(causes);
	hyb_team_waits_init(&f);
	hyb_lock_waits_init(&f);
	hyb_task_waits_init(&f);
	hyb_fence_waits_init(&f);
	hyb_epoch_waits_init(&f);
	hyb_window_locks_init(&f);
	err = hyb_finder_init(&f);
	if (!err)
		err = read_all(&f, stop);
	/* Before what is told late of idle threads, which is on no chain any more. */
	if (!err)
		err = end_path(&f);
	if (!err)
		err = hyb_lock_waits_end(&f);
	if (!err)
		err = hyb_team_waits_end(&f);
	hyb_team_waits_free(&f);
	hyb_lock_waits_free(&f);
	hyb_task_waits_free(&f);
	hyb_fence_waits_free(&f);
	hyb_epoch_waits_free(&f);
	hyb_window_locks_free(&f);
	hyb_finder_free(&f);
	return err;
}
