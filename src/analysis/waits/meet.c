/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whom a call of MPI waits for. A receive waits for a send that has not begun, a send that could not end for its
 * receive; in a collective operation a member waits for the last of those whose data it takes.
 */
#include <errno.h>

#include "analysis/waits/tracks.h"
#include "reader/containers/array.h"
#include "merge/sink/event.h"

void hyb_walk_waits(struct hyb_walk *w, enum hyb_wait_kind wait, int64_t until, uint32_t other)
{
	w->call.meets = true;
	if (until <= w->call.until || other == UINT32_MAX || other == w->track)
		return;
	w->call.until = until;
	w->call.wait = wait;
	w->call.other = other;
}

int hyb_walk_meets(struct hyb_walk *w, const struct hyb_step *step)
{
	struct hyb_step *grown = hyb_array_room(w->call.met, &w->call.met_room, w->call.met_count, sizeof(*grown));

	w->call.meets = true;
	if (!grown)
		return -ENOMEM;
	w->call.met = grown;
	w->call.met[w->call.met_count++] = *step;
	return 0;
}

/* Of a message that has arrived. */
static int received(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	const struct hyb_step step = {
		.kind = HYB_STEP_MESSAGE, .since = e->message.other_begin, .other = e->message.other_track,
	};

	if (!e->message.number)
		return 0;
	w->call.finds = true;
	hyb_walk_waits(w, HYB_WAIT_LATE_SENDER, e->message.other_begin, e->message.other_track);
	return hyb_walk_meets(w, &step);
}

/* Where the receive came later, the send may have waited for that: known when it is complete. */
static int sent(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	w->call.meets = true;
	if (!e->message.number || e->message.other_begin <= w->call.enter)
		return 0;
	if (e->kind == HYB_KIND_SEND) {
		w->call.receiver = e->message.other_track;
		w->call.received = e->message.other_begin;
		return 0;
	}
	if (hyb_key_map_put(&w->posted, e->message.request, e->message.other_begin) ||
	    hyb_key_map_put(&w->posted_by, e->message.request, e->message.other_track))
		return -ENOMEM;
	return 0;
}

static void completed(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	int64_t time, by;

	if (hyb_key_map_take(&w->posted, e->request, &time) && hyb_key_map_take(&w->posted_by, e->request, &by) &&
	    time < e->time) {
		w->call.finds = true;
		hyb_walk_waits(w, HYB_WAIT_LATE_RECEIVER, time, (uint32_t)by);
	}
}

static enum hyb_wait_kind kind_of(const struct hyb_merge_event *e)
{
	switch (e->collective.op) {
	case HYB_COLL_BARRIER:
		return HYB_WAIT_BARRIER;
	case HYB_COLL_BCAST:
	case HYB_COLL_SCATTER:
	case HYB_COLL_SCATTERV:
		return HYB_WAIT_LATE_ROOT;
	case HYB_COLL_REDUCE:
	case HYB_COLL_GATHER:
	case HYB_COLL_GATHERV:
		return HYB_WAIT_EARLY_ROOT;
	case HYB_COLL_CREATE_HANDLE:
	case HYB_COLL_DESTROY_HANDLE:
	case HYB_COLL_FINALIZE:
		return HYB_WAIT_HANDLE;
	default:
		return HYB_WAIT_ALL;
	}
}

static int operation(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	const struct hyb_step step = {
		.kind = HYB_STEP_MEETING, .number = e->collective.number, .other = e->collective.comm,
	};

	if (!e->collective.number)
		return 0;
	w->call.finds = w->call.finds || e->kind == HYB_KIND_COLLECTIVE_COMPLETE;
	if (e->collective.given != INT64_MIN)
		hyb_walk_waits(w, kind_of(e), e->collective.given, e->collective.giver);
	return hyb_walk_meets(w, &step);
}

static void synchronises(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	w->call.meets = true;
	w->call.window = e->rma.win;
	w->call.what = e->rma.what;
	w->call.group = e->rma.group;
	w->call.target = (uint32_t)e->rma.target;
	w->call.shared = e->rma.flags & HYB_RMA_SHARED;
}

/* Each of those who opened the file comes to it; where data go through some of them, or are put in order, they wait. */
static void operates_on_file(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	if (e->kind == HYB_KIND_IO_BEGIN && (!(e->io.flags & HYB_IO_COLLECTIVE) || e->io.begun))
		return;
	w->call.meets = true;
	w->call.file = true;
	w->call.window = e->io.handle;
}

int hyb_walk_meet(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	switch (e->kind) {
	case HYB_KIND_RECV:
	case HYB_KIND_IRECV:
		return received(w, e);
	case HYB_KIND_SEND:
	case HYB_KIND_ISEND:
		return sent(w, e);
	case HYB_KIND_ISEND_COMPLETE:
		completed(w, e);
		return 0;
	case HYB_KIND_IRECV_REQUEST:
	case HYB_KIND_COLLECTIVE_REQUEST:
		/* Others may wait for it from here on. */
		w->call.meets = true;
		return 0;
	case HYB_KIND_COLLECTIVE_END:
	case HYB_KIND_COLLECTIVE_COMPLETE:
		return operation(w, e);
	case HYB_KIND_IO_BEGIN:
	case HYB_KIND_IO_MEETING:
		operates_on_file(w, e);
		return 0;
	case HYB_KIND_RMA_COLLECTIVE_END:
	case HYB_KIND_RMA_GROUP_SYNC:
	case HYB_KIND_RMA_LOCK_ACQUIRED:
	case HYB_KIND_RMA_LOCK_RELEASED:
		synchronises(w, e);
		return 0;
	default:
		return 0;
	}
}
