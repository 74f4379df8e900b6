/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each track has a tree of its own while it is told, which joins the job's when the track is closed. What a process had
 * of each path is kept until its last track is closed.
 */
#include "analysis/profile/events.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/profile/stack.h"
#include "reader/containers/array.h"
#include "merge/merge.h"
#include "merge/sink/sink.h"

struct process {
	struct hyb_call_own own;
	size_t left; /* of its threads that are yet to be closed */
	bool told;
};

struct hyb_sink {
	struct hyb_calltree *tree;
	const struct hyb_calltree_selection *selection;
	const struct hyb_merge *m;
	pthread_mutex_t lock;
	struct process *processes;
};

/* A counter of the track's. */
struct counted {
	const struct hyb_gmetric_class *class;
	uint32_t member;
	size_t metric; /* its place in the tree; SIZE_MAX: it does not add up */
	uint64_t now;
};

struct track {
	struct hyb_sink *sink;
	size_t process;
	struct hyb_calltree tree;
	/* Its open regions. The mark of a frame is the number of counters whose values at its start are in its row of `then`. */
	struct hyb_stack stack;
	struct counted *counted; /* in the order in which they came */
	size_t counted_count;
	size_t counted_room;
	uint64_t *then; /* for each frame on the stack a row of `width` */
	size_t width;
	size_t then_room;
};

static int begin(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	struct hyb_sink *s = ops->arg;

	s->m = m;
	s->processes = calloc(m->model.process_count + 1, sizeof(*s->processes));
	if (!s->processes)
		return -ENOMEM;
	for (size_t i = 0; i < m->model.process_count; i++)
		s->processes[i].left = m->model.processes[i].thread_count;
	*sink = s;
	return 0;
}

static bool is_wanted(const struct hyb_sink *s, const struct hyb_track *track)
{
	const struct hyb_model_process *p;

	if (track->kind != HYB_TRACK_THREAD)
		return false;
	p = &s->m->model.processes[track->process];
	return (s->selection->rank < 0 || (p->ranked && p->group == (uint64_t)s->selection->rank)) &&
	       (s->selection->thread < 0 || p->threads[track->thread].number == (uint64_t)s->selection->thread);
}

/* NULL of a track that is not wanted. */
static int open_track(struct hyb_sink *s, const struct hyb_track *track, void **state)
{
	struct track *t;

	if (!is_wanted(s, track)) {
		if (track->kind == HYB_TRACK_THREAD) {
			pthread_mutex_lock(&s->lock);
			s->processes[track->process].left--;
			pthread_mutex_unlock(&s->lock);
		}
		return 0;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->sink = s;
	t->process = track->process;
	t->stack.spots = &t->tree.spots;
	*state = t;
	return hyb_calltree_init(&t->tree);
}

/* Rows of at least so many values, for so many frames. */
static int widen(struct track *t, size_t width, size_t depth)
{
	const size_t frames = t->stack.depth;
	uint64_t *wider;

	if (width > t->width) {
		width += width / 2;
		wider = calloc((frames + 1) * width, sizeof(*wider));
		if (!wider)
			return -ENOMEM;
		for (size_t i = 0; i < frames; i++)
			for (size_t k = 0; k < t->stack.frames[i].mark; k++)
				wider[i * width + k] = t->then[i * t->width + k];
		free(t->then);
		t->then = wider;
		t->width = width;
		t->then_room = (frames + 1) * width;
	}
	wider = t->width ? hyb_array_hold(t->then, &t->then_room, depth * t->width, sizeof(*wider)) : t->then;
	if (t->width && !wider)
		return -ENOMEM;
	t->then = wider;
	return 0;
}

/* A frame has begun, unless err says otherwise. */
static int begin_frame(struct track *t, int err)
{
	size_t depth = t->stack.depth;

	if (!err)
		err = hyb_calltree_know(&t->tree);
	if (!err)
		err = widen(t, t->counted_count, depth);
	for (size_t i = 0; i < t->counted_count && !err; i++)
		t->then[(depth - 1) * t->width + i] = t->counted[i].now;
	hyb_stack_top(&t->stack)->mark = err ? 0 : t->counted_count;
	return err;
}

/* By how much counters grew in what is left; those that came to be known in it are not known for all of it. */
static int add_counted(struct track *t, const struct hyb_stack_frame *f)
{
	const uint64_t *then = t->then + (t->stack.depth - 1) * t->width;
	int err = 0;

	for (size_t i = 0; i < f->mark && !err; i++)
		if (t->counted[i].metric != SIZE_MAX && t->counted[i].now != then[i])
			err = hyb_calltree_count(&t->tree, t->counted[i].metric, f->spot, t->counted[i].now - then[i]);
	return err;
}

/* The place of a class's first counter; SIZE_MAX without memory. The root has what is new from here on. */
static size_t counted_at(struct track *t, const struct hyb_merge_event *e)
{
	const struct hyb_gmetric_class *class = e->metric.class;
	struct counted *grown;
	size_t first;

	for (first = 0; first < t->counted_count; first += t->counted[first].class->count)
		if (t->counted[first].class == class)
			return first;
	for (uint32_t i = 0; i < class->count; i++) {
		const struct hyb_gmetric *m = class->members[i];

		grown = hyb_array_room(t->counted, &t->counted_room, t->counted_count, sizeof(*grown));
		if (!grown)
			return SIZE_MAX;
		t->counted = grown;
		grown[t->counted_count] = (struct counted){ .class = class, .member = i, .metric = SIZE_MAX };
		if (hyb_call_adds_up(&m->def)) {
			grown[t->counted_count].metric = hyb_calltree_metric(&t->tree, m);
			if (grown[t->counted_count].metric == SIZE_MAX)
				return SIZE_MAX;
		}
		t->counted_count++;
	}
	if (widen(t, t->counted_count, t->stack.depth))
		return SIZE_MAX;
	for (uint32_t i = 0; i < class->count; i++)
		t->then[first + i] = e->metric.values[i];
	t->stack.frames[0].mark = t->counted_count;
	return first;
}

static int count(struct track *t, const struct hyb_merge_event *e)
{
	size_t first = e->metric.class->kernel ? 0 : counted_at(t, e);

	if (first == SIZE_MAX)
		return -ENOMEM;
	for (uint32_t i = 0; !e->metric.class->kernel && i < e->metric.class->count; i++)
		t->counted[first + i].now = e->metric.values[i];
	return 0;
}

/* The innermost region. */
static struct hyb_call_path *here(struct track *t)
{
	return &t->tree.paths[hyb_stack_top(&t->stack)->spot];
}

/* The innermost frame ends at the last event. */
static int pop(struct track *t)
{
	const struct hyb_stack_frame *f = hyb_stack_top(&t->stack);
	struct hyb_call_path *p = here(t);
	int64_t took = t->stack.last - f->enter;
	int64_t each = f->calls > 1 ? took / (int64_t)f->calls : took;
	unsigned int bin = 63 - (unsigned int)__builtin_clzll((uint64_t)each | 1);
	int err = add_counted(t, f);

	p->min = each < p->min ? each : p->min;
	p->max = each > p->max ? each : p->max;
	p->bins[bin < HYB_PROFILE_BINS ? bin : HYB_PROFILE_BINS - 1] += f->calls;
	hyb_stack_pop(&t->stack);
	return err;
}

/* The innermost region is left. A call in which recording was paused ends in the pause, which goes on after it. */
static int leave(struct track *t, const struct hyb_merge_event *e)
{
	const bool paused = hyb_stack_is_paused(&t->stack);
	int err = 0;

	if (!hyb_stack_can_leave(&t->stack))
		return 0;
	if (paused)
		err = pop(t);
	for (uint32_t i = 0; i < e->attribute_count; i++)
		here(t)->errors += e->attributes[i].id == HYB_ATTRIBUTE_ERROR;
	if (!err)
		err = pop(t);
	return err || !paused ? err : begin_frame(t, hyb_stack_pause(&t->stack, false));
}

static int resume(struct track *t)
{
	t->stack.paused = false;
	return hyb_stack_is_paused(&t->stack) ? pop(t) : 0;
}

static void add_message(struct hyb_call_path *p, const struct hyb_merge_event *e)
{
	switch (e->kind) {
	case HYB_KIND_SEND:
	case HYB_KIND_ISEND:
		p->sends++;
		p->sent += e->message.bytes;
		break;
	case HYB_KIND_RECV:
	case HYB_KIND_IRECV:
		p->receives++;
		p->received += e->message.bytes;
		break;
	default:
		p->collectives++;
		p->sent += e->collective.sent;
		p->received += e->collective.received;
	}
}

static int on_event(void *state, const struct hyb_merge_event *e)
{
	struct track *t = state;
	int err = 0;

	if (!t->stack.depth)
		err = begin_frame(t, hyb_stack_begin(&t->stack, e->time));
	if (err)
		return err;
	hyb_stack_pass(&t->stack, e->time);
	switch (e->kind) {
	case HYB_KIND_ENTER:
		return begin_frame(t, hyb_stack_enter(&t->stack, e));
	case HYB_KIND_LEAVE:
		return leave(t, e);
	case HYB_KIND_OFF:
		return begin_frame(t, hyb_stack_pause(&t->stack, true));
	case HYB_KIND_ON:
		return resume(t);
	case HYB_KIND_METRIC:
		return count(t, e);
	case HYB_KIND_SEND:
	case HYB_KIND_ISEND:
	case HYB_KIND_RECV:
	case HYB_KIND_IRECV:
	case HYB_KIND_COLLECTIVE_END:
	case HYB_KIND_COLLECTIVE_COMPLETE:
		add_message(here(t), e);
		break;
	default:
		break;
	}
	return 0;
}

static void add_path(struct hyb_call_path *to, const struct hyb_call_path *p, const struct hyb_spent *spent)
{
	to->visits += spent->visits;
	to->exclusive += spent->ns + spent->paused;
	to->min = p->min < to->min ? p->min : to->min;
	to->max = p->max > to->max ? p->max : to->max;
	to->sends += p->sends;
	to->sent += p->sent;
	to->receives += p->receives;
	to->received += p->received;
	to->collectives += p->collectives;
	to->errors += p->errors;
	for (unsigned int i = 0; i < HYB_PROFILE_BINS; i++)
		to->bins[i] += p->bins[i];
}

/* What the track counted in its paths, which have these numbers in the job's tree. Under the lock. */
static int join_metrics(struct hyb_sink *s, const struct track *t, const uint32_t *number)
{
	int err = 0;

	for (size_t k = 0; k < t->tree.metric_count && !err; k++) {
		const struct hyb_call_metric *m = &t->tree.metrics[k];
		size_t place = hyb_calltree_metric(s->tree, m->metric);

		if (place == SIZE_MAX)
			return -ENOMEM;
		for (uint32_t i = 0; i < m->room && i < t->tree.count && !err; i++)
			if (m->inclusive[i])
				err = hyb_calltree_count(s->tree, place, number[i], m->inclusive[i]);
	}
	return err;
}

/* Under the lock. */
static int join(struct hyb_sink *s, const struct track *t)
{
	struct process *process = &s->processes[t->process];
	uint32_t *number = calloc(t->tree.count, sizeof(*number));
	int err = number ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < t->tree.count; i++) {
		const struct hyb_spent *spent = &t->stack.spent[i];
		struct hyb_spot like = *hyb_spots_at(&t->tree.spots, i);

		like.parent = number[like.parent];
		number[i] = i ? hyb_calltree_path(s->tree, &like) : HYB_SPOT_ROOT;
		if (number[i] == HYB_SPOT_NONE)
			err = -ENOMEM;
		else
			err = hyb_call_own_room(&process->own, s->tree->count);
		if (err)
			break;
		add_path(&s->tree->paths[number[i]], &t->tree.paths[i], spent);
		process->own.ns[number[i]] += spent->ns + spent->paused;
	}
	if (!err)
		err = join_metrics(s, t, number);
	free(number);
	s->tree->threads++;
	process->told = true;
	return err;
}

static int close_track(void *state, uint64_t *events)
{
	struct track *t = state;
	struct hyb_sink *s = t->sink;
	int err = 0;

	*events = t->stack.events;
	while (t->stack.depth)
		err = pop(t) ? -ENOMEM : err;
	pthread_mutex_lock(&s->lock);
	if (!err)
		err = join(s, t);
	if (!--s->processes[t->process].left) {
		hyb_calltree_compare(s->tree, &s->processes[t->process].own, (uint32_t)t->process);
		free(s->processes[t->process].own.ns);
		s->processes[t->process].own = (struct hyb_call_own){ NULL, 0 };
	}
	pthread_mutex_unlock(&s->lock);
	hyb_calltree_free(&t->tree);
	free(t->counted);
	free(t->then);
	hyb_stack_free(&t->stack);
	free(t);
	return err;
}

/* Processes of which not all threads were wanted are taken down now. */
static int end(struct hyb_sink *s)
{
	for (size_t i = 0; i < s->m->model.process_count; i++) {
		s->tree->processes += s->processes[i].told;
		if (s->processes[i].own.ns)
			hyb_calltree_compare(s->tree, &s->processes[i].own, (uint32_t)i);
	}
	s->tree->lost = s->m->counts.lost_records;
	s->tree->gaps = s->m->counts.lost_chunks;
	if (hyb_calltree_sum(s->tree, &s->m->model.names))
		return -ENOMEM;
	return s->tree->threads ? 0 : -ENOENT;
}

int hyb_calltree_merge(struct hyb_calltree *tree, struct hyb_merge *merge, const char *dir, const char *place,
		       const struct hyb_calltree_selection *selection, const struct hyb_diag *diag,
		       const volatile sig_atomic_t *stop)
{
	struct hyb_sink sink = { .tree = tree, .selection = selection };
	const struct hyb_sink_ops ops = {
		.name = "profile", .arg = &sink,
		.begin = begin, .open = open_track, .event = on_event, .close = close_track,
		.end = end,
	};
	const struct hyb_sink_ops *const sinks[] = { &ops };
	struct hyb_merge_options options = {
		.dirs = &dir, .dir_count = 1, .out = place, .jobs = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
		.kernel = HYB_MERGE_KERNEL_THREAD, .sinks = sinks, .sink_count = 1, .diag = diag, .stop = stop,
	};
	int err = hyb_calltree_init(tree);

	memset(merge, 0, sizeof(*merge));
	if (err)
		return err;
	pthread_mutex_init(&sink.lock, NULL);
	err = hyb_merge_run(merge, &options);
	for (size_t i = 0; sink.processes && i < merge->model.process_count; i++)
		free(sink.processes[i].own.ns);
	free(sink.processes);
	pthread_mutex_destroy(&sink.lock);
	return err;
}
