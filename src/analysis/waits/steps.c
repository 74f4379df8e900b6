/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sink of steps.h. While a thread is in an MPI call it is not known yet up to when it waits there, so what happens in
 * the call is put down and told when it is left. What comes after the waiting belongs to the next step.
 */
#include "analysis/waits/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/waits/tracks.h"
#include "reader/containers/array.h"
#include "merge/merge.h"
#include "merge/sink/sink.h"

#define TASK_IS_STOPPED 0xcu /* TASK_STOPPED, TASK_TRACED of Linux' include/linux/sched.h */
#define MOST_PIECES 100000u /* of a call: from there on they count as the call's own */

struct hyb_sink {
	struct hyb_steps *steps;
	const struct hyb_merge *m;
};

struct hyb_steps_sink {
	struct hyb_sink_ops ops;
	struct hyb_steps *steps;
};

int hyb_steps_init(struct hyb_steps *steps, size_t track_count, const char *dir)
{
	int err;

	steps->track_count = track_count;
	steps->tracks = calloc(track_count + 1, sizeof(*steps->tracks));
	if (!steps->tracks)
		return -ENOMEM;
	err = hyb_step_log_init(&steps->log, dir);
	if (!err)
		err = hyb_phases_init(&steps->phases, track_count);
	return err ? err : hyb_spots_init(&steps->spots);
}

static int begin(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	struct hyb_steps *steps = ((const struct hyb_steps_sink *)ops)->steps;
	struct hyb_sink *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->steps = steps;
	s->m = m;
	*sink = s;
	return hyb_steps_init(steps, m->model.track_count, m->output.tmp);
}

static int open_track(struct hyb_sink *s, const struct hyb_track *track, void **state)
{
	struct hyb_walk *w;

	*state = NULL;
	if (track->kind != HYB_TRACK_THREAD)
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->steps = s->steps;
	w->lanes.log = &s->steps->log;
	w->track = (uint32_t)track->index;
	w->process = (uint32_t)track->process;
	w->model = &s->m->model;
	w->first_thread = !track->thread;
	hyb_phases_span(&s->steps->phases, s->m->model.first, s->m->model.last);
	w->sums = &s->steps->tracks[track->index];
	*state = w;
	return hyb_spots_init(&w->spots);
}

/* The time since the last event goes to where the thread is. */
static int pass(struct hyb_walk *w, int64_t now, uint32_t count)
{
	const struct hyb_walk_frame *top = &w->stack[w->depth - 1];
	int64_t ns = now - w->last;
	struct hyb_walk_piece *grown;

	w->last = now;
	if (!ns && !count)
		return 0;
	if (!w->call.in) {
		hyb_walk_spend(w, hyb_spots_at(&w->spots, top->spot)->class, now - ns, now);
		return hyb_walk_add(w, top->spot, ns, count);
	}
	if (w->call.piece_count == MOST_PIECES) {
		w->call.pieces[MOST_PIECES - 1].to = now;
		w->call.pieces[MOST_PIECES - 1].spot = w->call.spot;
		return 0;
	}
	grown = hyb_array_room(w->call.pieces, &w->call.room, w->call.piece_count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	w->call.pieces = grown;
	w->call.pieces[w->call.piece_count++] =
		(struct hyb_walk_piece){ .from = now - ns, .to = now, .spot = top->spot, .count = count };
	return 0;
}

static int push(struct hyb_walk *w, uint32_t spot)
{
	struct hyb_walk_frame *grown = hyb_array_room(w->stack, &w->room, w->depth, sizeof(*grown));

	if (!grown || spot == HYB_SPOT_NONE)
		return -ENOMEM;
	w->stack = grown;
	w->stack[w->depth++].spot = spot;
	return 0;
}

/*
 * Where it is called, or who has the CPU then; whoever follows one that gives it up has nothing to do with that, but it
 * may have been stopped.
 */
static uint32_t detail_of(const struct hyb_merge_event *e)
{
	for (uint32_t i = 0; i < e->attribute_count; i++) {
		const struct hyb_attribute *a = &e->attributes[i];

		if (a->id == HYB_ATTRIBUTE_KERNEL_STATE && a->value & TASK_IS_STOPPED &&
		    hyb_kernel_class(e->region) == HYB_TIME_VOLUNTARY)
			return HYB_SPOT_STOPPED;
		if (a->id == HYB_ATTRIBUTE_SITE ||
		    ((a->id == HYB_ATTRIBUTE_KERNEL_NEXT || a->id == HYB_ATTRIBUTE_KERNEL_HELD) &&
		     hyb_kernel_class(e->region) == HYB_TIME_INVOLUNTARY))
			return (uint32_t)a->value;
	}
	return HYB_NAME_NONE;
}

/* Who had the CPU for longest while the thread was pre-empted is known when it comes back. */
static int blame_holder(struct hyb_walk *w, const struct hyb_merge_event *leave)
{
	struct hyb_walk_frame *top = &w->stack[w->depth - 1];
	struct hyb_spot like = *hyb_spots_at(&w->spots, top->spot);
	uint32_t holder = detail_of(leave);

	if (holder == HYB_NAME_NONE || leave->region != like.region)
		return 0;
	like.detail = holder;
	top->spot = hyb_spots_get(&w->spots, &like);
	return top->spot == HYB_SPOT_NONE ? -ENOMEM : 0;
}

/* A probe, or a row of calls that found nothing, as its end says. */
static bool is_look(const struct hyb_walk *w, const struct hyb_merge_event *leave)
{
	const struct hyb_gregion *region = hyb_spots_at(&w->spots, w->call.spot)->region;
	bool polls = false, settled = false;

	for (uint32_t i = 0; i < leave->attribute_count; i++) {
		polls = polls || leave->attributes[i].id == HYB_ATTRIBUTE_POLLS;
		settled = settled || leave->attributes[i].id == HYB_ATTRIBUTE_EFFECTLESS;
	}
	return polls ? !settled : region->kind == HYB_REGION_PROBE;
}

static int push_paused(struct hyb_walk *w)
{
	const struct hyb_spot like = {
		.parent = w->stack[w->depth - 1].spot, .kind = HYB_SPOT_PAUSED, .detail = HYB_NAME_NONE,
	};

	return push(w, hyb_spots_get(&w->spots, &like));
}

static int enter(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	const struct hyb_spot like = {
		.parent = w->stack[w->depth - 1].spot,
		.kind = HYB_SPOT_REGION,
		.region = e->region,
		.detail = detail_of(e),
	};
	int err = push(w, hyb_spots_get(&w->spots, &like));

	if (!err && (!w->call.in || w->call.place != HYB_WALK_MPI))
		err = hyb_walk_sync_enter(w, e->time);
	w->sums->visits += e->region->paradigm != HYB_PARADIGM_KERNEL;
	if (err || w->call.in || e->region->paradigm != HYB_PARADIGM_MPI)
		return err;
	hyb_walk_begin(w, HYB_WALK_MPI, e->time);
	w->sums->calls++;
	return 0;
}

/* In a call at that spot it waited for what the call under way knows, which was there at `time`. */
static int put_wait(struct hyb_walk *w, uint32_t spot, int64_t since, int64_t end, int64_t time)
{
	struct hyb_step step = {
		.time = time, .since = since, .end = end, .kind = HYB_STEP_WAIT, .other = w->call.other,
		.spot = hyb_walk_shared(w, spot), .wait = (uint8_t)w->call.wait,
	};

	w->sums->waited[w->call.wait] += end - since;
	w->since = end;
	return step.spot == HYB_SPOT_NONE ? -ENOMEM : hyb_walk_put(w, &step);
}

/* It is known now what a call looked for: whether it waited for what the one under way finds. */
static int end_look(struct hyb_walk *w, const struct hyb_walk_look *l, bool found)
{
	int64_t until = INT64_MIN;
	int err = 0;

	if (found && w->call.until > l->enter) {
		until = w->call.until < l->leave ? w->call.until : l->leave;
		err = put_wait(w, l->spot, l->enter, until, w->call.until);
	}
	return err ? err : hyb_walk_add_pieces(w, l->pieces, l->piece_count, until);
}

static int end_looks(struct hyb_walk *w, bool found)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->look_count; i++)
		err = end_look(w, &w->looks[i], found);
	w->look_count = 0;
	return err;
}

/* The call under way is over: what it looked for is known when a later one finds it. */
static int begin_look(struct hyb_walk *w, int64_t now)
{
	struct hyb_walk_look *l, oldest = w->looks[0];
	int err = 0;

	if (w->look_count == HYB_WALK_LOOKS) {
		err = end_look(w, &oldest, false);
		memmove(w->looks, w->looks + 1, (HYB_WALK_LOOKS - 1) * sizeof(oldest));
		w->looks[--w->look_count] = oldest;
	}
	if (!err)
		err = hyb_walk_work(w, w->call.enter, hyb_spots_at(&w->spots, w->call.spot));
	l = &w->looks[w->look_count++];
	oldest = *l;
	*l = (struct hyb_walk_look){
		.spot = w->call.spot, .enter = w->call.enter, .leave = now, .pieces = w->call.pieces,
		.piece_count = w->call.piece_count, .room = w->call.room,
	};
	w->call.pieces = oldest.pieces;
	w->call.room = oldest.room;
	w->call.piece_count = 0;
	return err;
}

static int put_meetings(struct hyb_walk *w, int64_t time)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->call.met_count; i++) {
		struct hyb_step step = w->call.met[i];

		step.time = time;
		err = hyb_walk_put(w, &step);
	}
	w->call.met_count = 0;
	return err;
}

/* MPI begins to be of use when MPI_Init is over, until MPI_Finalize begins. */
static void note_edge(struct hyb_walk *w, const struct hyb_gregion *region, int64_t waited, int64_t now)
{
	const bool starts = region->kind == HYB_REGION_INIT;
	struct hyb_step_edge *edge = starts ? &w->sums->start : &w->sums->stop;

	if (!starts && region->kind != HYB_REGION_FINALIZE)
		return;
	edge->told = true;
	edge->time = starts ? now : w->call.enter;
	edge->ns += now - w->call.enter;
	edge->waited += waited;
}

/* The merge has closed what was open when the process ended. */
static void note_unfinished(struct hyb_walk *w, const struct hyb_gregion *region, int64_t now)
{
	const struct hyb_model_process *p = &w->model->processes[w->process];
	const struct hyb_model_thread *t = &p->threads[w->track - p->first_track];

	if ((p->end == HYB_END_FAILED || p->end == HYB_END_LOST) && t->in == region && t->since == w->call.enter)
		w->sums->unfinished = now - w->call.enter;
}

static int leave_call(struct hyb_walk *w, int64_t now)
{
	const struct hyb_spot *spot = hyb_spots_at(&w->spots, w->call.spot);
	int64_t until;
	int err;

	/* Where the send was over before, nobody waited. */
	if (w->call.receiver != UINT32_MAX && w->call.received < now)
		hyb_walk_waits(w, HYB_WAIT_LATE_RECEIVER, w->call.received, w->call.receiver);
	until = w->call.until < now ? w->call.until : now;
	w->call.in = false;
	note_unfinished(w, spot->region, now);
	note_edge(w, spot->region, until > w->call.enter ? until - w->call.enter : 0, now);
	if (!w->call.meets)
		return w->call.looks ? begin_look(w, now) : hyb_walk_add_pieces(w, w->call.pieces, w->call.piece_count, INT64_MIN);
	err = end_looks(w, w->call.finds);
	if (!err)
		err = hyb_walk_work(w, w->call.enter, spot);
	if (!err && w->call.window != HYB_WALK_NO_WINDOW)
		return hyb_walk_window(w, now);
	if (!err && until > w->call.enter)
		err = put_wait(w, w->call.spot, w->call.enter, until, until);
	else
		until = INT64_MIN;
	if (!err)
		err = hyb_walk_add_pieces(w, w->call.pieces, w->call.piece_count, until);
	return err ? err : put_meetings(w, now);
}

static bool is_paused(const struct hyb_walk *w)
{
	return w->depth > 1 && hyb_spots_at(&w->spots, w->stack[w->depth - 1].spot)->kind == HYB_SPOT_PAUSED;
}

static int leave_region(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	w->depth--;
	if (!w->call.in || w->call.place != HYB_WALK_MPI)
		return hyb_walk_sync_leave(w, e->time);
	if (w->depth >= w->call.depth)
		return 0;
	w->call.looks = !w->call.meets && is_look(w, e);
	return leave_call(w, e->time);
}

/* A call in which recording was paused ends in the pause, which goes on after it. */
static int leave(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	const bool paused = is_paused(w);
	int err;

	if (w->depth < (paused ? 3 : 2))
		return 0;
	w->depth -= paused;
	err = leave_region(w, e);
	return err || !paused ? err : push_paused(w);
}

static int on_event(void *state, const struct hyb_merge_event *e)
{
	struct hyb_walk *w = state;
	int err = 0;

	if (!w)
		return 0;
	if (!w->depth) {
		w->last = w->since = w->sums->first = e->time;
		w->sums->told = true;
		err = push(w, HYB_SPOT_ROOT);
	}
	if (!err)
		err = hyb_walk_sync_next(w, e);
	if (!err && e->kind == HYB_KIND_LEAVE)
		err = blame_holder(w, e);
	if (!err)
		err = pass(w, e->time, e->kind == HYB_KIND_LEAVE);
	if (err)
		return err;
	w->events++;
	switch (e->kind) {
	case HYB_KIND_ENTER:
		return enter(w, e);
	case HYB_KIND_OFF:
		return push_paused(w);
	case HYB_KIND_LEAVE:
		return leave(w, e);
	case HYB_KIND_ON:
		w->depth -= is_paused(w);
		return 0;
	default:
		return w->call.in && w->call.place == HYB_WALK_MPI ? hyb_walk_meet(w, e) : hyb_walk_sync_event(w, e);
	}
}

static int close_track(void *state, uint64_t *events)
{
	struct hyb_walk *w = state;
	int err = 0, closed;

	*events = w ? w->events : 0;
	if (!w)
		return 0;
	w->sums->last = w->last;
	if (w->call.in && w->call.place == HYB_WALK_MPI)
		err = leave_call(w, w->last);
	if (!err)
		err = hyb_walk_sync_close(w);
	if (!err)
		err = end_looks(w, false);
	if (!err && w->depth)
		err = hyb_walk_work(w, w->last, NULL);
	if (!err)
		err = hyb_phases_add(&w->steps->phases, w->track, &w->windows, w->first_thread && w->sums->calls);
	closed = hyb_step_lanes_close(&w->lanes, w->track);
	err = err ? err : closed;
	free(w->items);
	free(w->barrier.items);
	hyb_spots_free(&w->spots);
	hyb_key_map_free(&w->posted);
	hyb_key_map_free(&w->posted_by);
	free(w->call.pieces);
	for (size_t i = 0; i < HYB_WALK_LOOKS; i++)
		free(w->looks[i].pieces);
	free(w->call.met);
	free(w->teams);
	free(w->touched);
	free(w->known);
	free(w->stack);
	free(w);
	return err;
}

static int end(struct hyb_sink *s)
{
	(void)s;
	return 0;
}

static void free_sink(struct hyb_sink *s)
{
	free(s);
}

const struct hyb_sink_ops *hyb_steps_sink(struct hyb_steps *steps, struct hyb_steps_sink **sink)
{
	static const char *const parts[] = { NULL };
	struct hyb_steps_sink *s = calloc(1, sizeof(*s));

	memset(steps, 0, sizeof(*steps));
	*sink = s;
	if (!s)
		return NULL;
	s->ops = (struct hyb_sink_ops){
		.name = "report", .parts = parts, .needs = HYB_NEED_PAIRS, .begin = begin, .open = open_track,
		.event = on_event, .close = close_track, .end = end, .free = free_sink,
	};
	s->steps = steps;
	return &s->ops;
}

void hyb_steps_sink_free(struct hyb_steps_sink *sink)
{
	free(sink);
}

void hyb_steps_free(struct hyb_steps *steps)
{
	if (steps->tracks) {
		hyb_step_log_free(&steps->log);
		hyb_phases_free(&steps->phases);
		hyb_spots_free(&steps->spots);
	}
	free(steps->tracks);
}
