/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sink of steps.h. While a thread is in an MPI call it is not known yet up to when it waits there, so what happens in
 * the call is put down and told when it is left. What comes after the waiting belongs to the next step.
 */
#include "analysis/waits/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/flat.h"
#include "analysis/waits/tracks.h"
#include "reader/containers/array.h"
#include "merge/merge.h"
#include "merge/sink/sink.h"

#define MOST_PIECES 100000u /* of a call: from there on they count as the call's own */

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

/* The sink is the steps themselves. */
static int begin(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	struct hyb_steps *steps = ops->arg;

	steps->model = &m->model;
	*sink = ops->arg;
	return hyb_steps_init(steps, m->model.track_count, m->output.tmp);
}

static int open_track(struct hyb_sink *s, const struct hyb_track *track, void **state)
{
	struct hyb_steps *steps = (void *)s;
	struct hyb_walk *w;

	if (track->kind != HYB_TRACK_THREAD)
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->steps = steps;
	w->lanes.log = &steps->log;
	w->track = (uint32_t)track->index;
	w->process = (uint32_t)track->process;
	w->model = steps->model;
	w->first_thread = !track->thread;
	hyb_phases_span(&steps->phases, w->model->first, w->model->last);
	w->sums = &steps->tracks[track->index];
	w->stack.spots = &w->spots;
	w->stack.tasks = true;
	hyb_flat_rivals_init(&w->rivals);
	*state = w;
	return hyb_spots_init(&w->spots);
}

/* The time since the last event goes to where the thread is. */
static int pass(struct hyb_walk *w, int64_t now, uint32_t count)
{
	const uint32_t spot = hyb_stack_top(&w->stack)->spot;
	int64_t ns = hyb_stack_pass(&w->stack, now);
	struct hyb_walk_piece *grown;

	if (!ns && !count)
		return 0;
	if (!w->call.in) {
		hyb_walk_spend(w, hyb_spots_at(&w->spots, spot)->class, now - ns, now);
		return hyb_walk_add(w, spot, ns, count);
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
		(struct hyb_walk_piece){ .from = now - ns, .to = now, .spot = spot, .count = count };
	return 0;
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

static int enter(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	int err = hyb_stack_enter(&w->stack, e);

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

static int leave_region(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	hyb_stack_pop(&w->stack);
	if (!w->call.in || w->call.place != HYB_WALK_MPI)
		return hyb_walk_sync_leave(w, e->time);
	if (w->stack.depth >= w->call.depth)
		return 0;
	w->call.looks = !w->call.meets && is_look(w, e);
	return leave_call(w, e->time);
}

/* A call in which recording was paused ends in the pause, which goes on after it. */
static int leave(struct hyb_walk *w, const struct hyb_merge_event *e)
{
	const bool paused = hyb_stack_is_paused(&w->stack);
	int err;

	if (!hyb_stack_can_leave(&w->stack))
		return 0;
	err = hyb_flat_rival(&w->rivals, w->process, &w->stack, e);
	if (paused)
		hyb_stack_pop(&w->stack);
	if (!err)
		err = leave_region(w, e);
	return err || !paused ? err : hyb_stack_pause(&w->stack, false);
}

static int on_event(void *state, const struct hyb_merge_event *e)
{
	struct hyb_walk *w = state;
	int err = 0;

	if (!w->stack.depth) {
		w->since = w->sums->first = e->time;
		w->sums->told = true;
		err = hyb_stack_begin(&w->stack, e->time);
	}
	if (!err)
		err = hyb_walk_sync_next(w, e);
	if (!err && e->kind == HYB_KIND_LEAVE)
		err = hyb_stack_blame(&w->stack, e);
	if (!err)
		err = pass(w, e->time, e->kind == HYB_KIND_LEAVE);
	if (err)
		return err;
	switch (e->kind) {
	case HYB_KIND_ENTER:
		return enter(w, e);
	case HYB_KIND_OFF:
		return hyb_stack_pause(&w->stack, true);
	case HYB_KIND_LEAVE:
		return leave(w, e);
	case HYB_KIND_ON:
		hyb_stack_resume(&w->stack);
		return 0;
	default:
		return w->call.in && w->call.place == HYB_WALK_MPI ? hyb_walk_meet(w, e) : hyb_walk_sync_event(w, e);
	}
}

static int close_track(void *state, uint64_t *events)
{
	struct hyb_walk *w = state;
	int err = 0, closed;

	*events = w->stack.events;
	w->sums->last = w->stack.last;
	if (w->call.in && w->call.place == HYB_WALK_MPI)
		err = leave_call(w, w->stack.last);
	if (!err)
		err = hyb_walk_sync_close(w);
	if (!err)
		err = end_looks(w, false);
	if (!err && w->stack.depth)
		err = hyb_walk_work(w, w->stack.last, NULL);
	hyb_stack_end(&w->stack);
	if (!err)
		err = hyb_flat_add_stack(w->steps->flat, w->process, &w->stack, &w->rivals);
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
	hyb_stack_free(&w->stack);
	hyb_table_free(&w->rivals);
	free(w);
	return err;
}

const struct hyb_sink_ops *hyb_steps_sink(struct hyb_steps *steps, struct hyb_flat *flat)
{
	*steps = (struct hyb_steps){ .flat = flat };
	steps->ops = (struct hyb_sink_ops){
		.name = "report", .needs = HYB_NEED_PAIRS, .arg = steps, .begin = begin, .open = open_track,
		.event = on_event, .close = close_track,
	};
	return &steps->ops;
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
