/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where one-sided communication makes a process wait: in fences, for the posts of its targets, for its origins to be
 * complete, and for locks; and collective operations on files, which are as fences. Up to when is known once the steps of all are read in the order of time (fence-waits.c,
 * epoch-waits.c, window-lock-waits.c).
 */
#include <errno.h>

#include "analysis/waits/tracks.h"
#include "merge/sink/event.h"

/* One for each process of the group: a signal to it, or what is awaited of it. */
static int put_each(struct hyb_walk *w, const struct hyb_step *like, bool to)
{
	const struct hyb_group *group;
	uint32_t self = w->model->processes[w->process].group;
	int err = 0;

	if (w->call.group >= w->model->comms.groups.count)
		return 0;
	group = hyb_comms_group(&w->model->comms, w->call.group);
	for (uint32_t i = 0; !err && i < group->count; i++) {
		struct hyb_step step = *like;

		step.other = to ? self : group->members[i];
		step.end = to ? group->members[i] : self;
		err = hyb_walk_put(w, &step);
	}
	return err;
}

static int put_signals(struct hyb_walk *w, uint8_t flags)
{
	const struct hyb_step step = {
		.kind = HYB_STEP_SIGNAL, .object = w->call.window, .flags = flags, .time = w->call.enter,
	};

	return put_each(w, &step, true);
}

static int put_awaited(struct hyb_walk *w, uint8_t flags, int64_t now)
{
	const struct hyb_step step = { .kind = HYB_STEP_AWAIT, .object = w->call.window, .flags = flags, .time = now };

	return put_each(w, &step, false);
}

static int put_needs(struct hyb_walk *w, int64_t now)
{
	int err;

	switch (w->call.what) {
	case HYB_RMA_POST:
		return put_signals(w, HYB_STEP_OF_TARGET);
	case HYB_RMA_START:
		return put_awaited(w, HYB_STEP_OF_TARGET | HYB_STEP_NEXT, now);
	case HYB_RMA_COMPLETE:
		/* Where MPI_Win_start does not wait for the posts, this does. */
		err = put_awaited(w, HYB_STEP_OF_TARGET, now);
		return err ? err : put_signals(w, 0);
	case HYB_RMA_WAIT:
		return put_awaited(w, HYB_STEP_NEXT, now);
	default:
		return 0;
	}
}

/* MPI_Win_lock, MPI_Win_unlock, and those for all targets. */
static int put_lock(struct hyb_walk *w, int64_t now)
{
	bool asks = w->call.what == HYB_RMA_LOCK;
	struct hyb_step step = {
		.kind = asks ? HYB_STEP_LOCK : HYB_STEP_UNLOCK, .object = w->call.window, .other = w->process,
		.number = w->call.target, .flags = asks && w->call.shared ? HYB_STEP_SHARED : 0,
		.time = w->call.enter, .spot = hyb_walk_shared(w, w->call.spot),
	};
	int err = step.spot == HYB_SPOT_NONE ? -ENOMEM : hyb_walk_put(w, &step);

	step.kind = HYB_STEP_LOCKED;
	step.flags = 0;
	if (!err)
		err = hyb_walk_stay(w, &step, now);
	return err ? err : hyb_walk_put(w, &step);
}

/* What it waits for in a call that all make who have the window or the file. */
static enum hyb_wait_kind fence_kind(const struct hyb_walk *w)
{
	if (w->call.file)
		return HYB_WAIT_FILE;
	return w->call.what == HYB_RMA_FENCE ? HYB_WAIT_FENCE : HYB_WAIT_HANDLE;
}

int hyb_walk_window(struct hyb_walk *w, int64_t now)
{
	bool fence = w->call.file || w->call.what == HYB_RMA_FENCE || w->call.what == HYB_RMA_CREATE ||
		     w->call.what == HYB_RMA_DESTROY;
	struct hyb_step step = {
		.kind = HYB_STEP_FENCE, .object = w->call.window, .other = w->process, .time = w->call.enter,
		.flags = w->call.file ? HYB_STEP_OF_FILE : 0, .spot = hyb_walk_shared(w, w->call.spot),
	};
	int err;

	if (!w->call.file && (w->call.what == HYB_RMA_LOCK || w->call.what == HYB_RMA_UNLOCK))
		return put_lock(w, now);
	err = step.spot == HYB_SPOT_NONE ? -ENOMEM : fence ? hyb_walk_put(w, &step) : put_needs(w, now);

	step.kind = fence ? HYB_STEP_FENCED : HYB_STEP_EPOCH;
	if (fence)
		step.wait = fence_kind(w);
	else
		step.wait = w->call.what == HYB_RMA_WAIT ? HYB_WAIT_LATE_COMPLETE : HYB_WAIT_LATE_POST;
	if (!err)
		err = hyb_walk_stay(w, &step, now);
	return err ? err : hyb_walk_put(w, &step);
}
