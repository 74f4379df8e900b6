/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a track that is told; see excerpt.h. */
#include "merge/sink/excerpt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"

/* An event that is told anew where the part begins, or whose end is told where that ends. */
struct kept {
	struct hyb_merge_event e;
	size_t attributes; /* of what is open: the first of its own */
	const struct hyb_numbers *set; /* of what is there: which it is of, */
	uint64_t key;			/* and its number */
};

struct list {
	struct kept *items;
	size_t count;
	size_t room;
};

struct hyb_excerpt {
	const struct hyb_selection *selection;
	struct hyb_excerpt_process *process;
	enum hyb_excerpt_use use;
	struct hyb_excerpt_to to;
	bool begun; /* the part */
	bool over;
	struct list open; /* what lies within each other: regions, teams and their like, the outermost first */
	struct list there; /* what the process has: windows, handles, locks */
	struct hyb_attribute *attributes; /* of those open */
	size_t attribute_count;
	size_t attribute_room;
};

void hyb_excerpt_process_free(struct hyb_excerpt_process *p)
{
	hyb_numbers_free(&p->half);
	hyb_numbers_free(&p->dropped);
	hyb_numbers_free(&p->rma);
	hyb_numbers_free(&p->io);
	hyb_numbers_free(&p->windows);
	hyb_numbers_free(&p->handles);
	hyb_numbers_free(&p->window_locks);
	hyb_numbers_free(&p->locks);
	hyb_numbers_free(&p->tasks);
}

int hyb_excerpt_open(const struct hyb_selection *s, struct hyb_excerpt_process *process, enum hyb_excerpt_use use,
		     const struct hyb_excerpt_to *to, struct hyb_excerpt **x)
{
	*x = calloc(1, sizeof(**x));
	if (!*x)
		return -ENOMEM;
	(*x)->selection = s;
	(*x)->process = process;
	(*x)->use = use;
	(*x)->to = *to;
	return 0;
}

static void tell(struct hyb_excerpt *x, const struct hyb_merge_event *e)
{
	if (x->use == HYB_EXCERPT_TELL && hyb_selection_has_event(x->selection, e))
		x->to.tell(x->to.arg, e);
}

static bool lies_inside(const struct hyb_excerpt *x, int64_t time)
{
	return time >= x->selection->from && time <= x->selection->to;
}

/* What ends it. HYB_KINDS: it is nothing that has others between its begin and its end. */
static enum hyb_kind end_of(enum hyb_kind kind)
{
	switch (kind) {
	case HYB_KIND_ENTER:
		return HYB_KIND_LEAVE;
	case HYB_KIND_OFF:
		return HYB_KIND_ON;
	case HYB_KIND_FORK:
		return HYB_KIND_JOIN;
	case HYB_KIND_TEAM_BEGIN:
		return HYB_KIND_TEAM_END;
	case HYB_KIND_RMA_COLLECTIVE_BEGIN:
		return HYB_KIND_RMA_COLLECTIVE_END;
	case HYB_KIND_PROGRAM_BEGIN:
		return HYB_KIND_PROGRAM_END;
	case HYB_KIND_RMA_LOCK_REQUEST:
		return HYB_KIND_RMA_LOCK_ACQUIRED;
	default:
		return HYB_KINDS;
	}
}

static struct kept *add(struct list *l, const struct hyb_merge_event *e)
{
	struct kept *grown = hyb_array_room(l->items, &l->room, l->count, sizeof(*grown));

	if (!grown)
		return NULL;
	l->items = grown;
	grown[l->count].e = *e;
	return &grown[l->count++];
}

static int begin_open(struct hyb_excerpt *x, const struct hyb_merge_event *e)
{
	size_t count = x->attribute_count + e->attribute_count;
	struct hyb_attribute *grown;
	struct kept *kept;

	if (e->attribute_count) {
		grown = hyb_array_hold(x->attributes, &x->attribute_room, count, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		x->attributes = grown;
		memcpy(&grown[x->attribute_count], e->attributes, e->attribute_count * sizeof(*grown));
	}
	kept = add(&x->open, e);
	if (!kept)
		return -ENOMEM;
	kept->attributes = x->attribute_count;
	x->attribute_count = count;
	return 0;
}

/* The innermost that this ends. */
static void end_open(struct hyb_excerpt *x, enum hyb_kind kind)
{
	size_t i = x->open.count;

	while (i && end_of(x->open.items[i - 1].e.kind) != kind)
		i--;
	if (!i)
		return;
	if (i == x->open.count)
		x->attribute_count = x->open.items[i - 1].attributes;
	memmove(&x->open.items[i - 1], &x->open.items[i], (x->open.count - i) * sizeof(*x->open.items));
	x->open.count--;
}

/* Keeps up with what is open. 0 or -ENOMEM. */
static int follow(struct hyb_excerpt *x, const struct hyb_merge_event *e)
{
	if (end_of(e->kind) != HYB_KINDS)
		return begin_open(x, e);
	switch (e->kind) {
	case HYB_KIND_LEAVE:
	case HYB_KIND_ON:
	case HYB_KIND_JOIN:
	case HYB_KIND_TEAM_END:
	case HYB_KIND_RMA_COLLECTIVE_END:
	case HYB_KIND_PROGRAM_END:
	case HYB_KIND_RMA_LOCK_ACQUIRED:
		end_open(x, e->kind);
		break;
	default:
		break;
	}
	return 0;
}

/* What a process has for a while, wherever in it that begins and ends. False: it is none of these. */
static bool object_of(struct hyb_excerpt_process *p, const struct hyb_merge_event *e, struct hyb_numbers **set,
		      uint64_t *key, bool *begins)
{
	switch (e->kind) {
	case HYB_KIND_WIN_CREATE:
	case HYB_KIND_WIN_DESTROY:
		*set = &p->windows;
		*key = e->rma.win;
		*begins = e->kind == HYB_KIND_WIN_CREATE;
		return true;
	case HYB_KIND_RMA_LOCK_ACQUIRED:
	case HYB_KIND_RMA_LOCK_RELEASED:
		*set = &p->window_locks;
		*key = (uint64_t)e->rma.win << 32 | e->rma.target;
		*begins = e->kind == HYB_KIND_RMA_LOCK_ACQUIRED;
		return true;
	case HYB_KIND_IO_CREATE:
	case HYB_KIND_IO_DESTROY:
		*set = &p->handles;
		*key = e->io.handle;
		*begins = e->kind == HYB_KIND_IO_CREATE;
		return true;
	case HYB_KIND_LOCK_ACQUIRED:
	case HYB_KIND_LOCK_RELEASED:
		*set = &p->locks;
		*key = (uint64_t)e->lock.lock << 32 | e->lock.order;
		*begins = e->kind == HYB_KIND_LOCK_ACQUIRED;
		return true;
	case HYB_KIND_TASK_CREATE:
	case HYB_KIND_TASK_COMPLETE:
		*set = &p->tasks;
		*key = e->task.id;
		*begins = e->kind == HYB_KIND_TASK_CREATE;
		return true;
	default:
		return false;
	}
}

/* Before the part, in the first reading: what the process has is noted, and which operations are under way. */
static int note_before(struct hyb_excerpt_process *p, const struct hyb_merge_event *e)
{
	struct hyb_numbers *set;
	uint64_t key;
	bool begins;

	if (object_of(p, e, &set, &key, &begins))
		return hyb_numbers_toggle(set, key);
	if (e->kind == HYB_KIND_RMA_OP)
		return hyb_numbers_add(&p->rma, e->rma.id);
	if (e->kind == HYB_KIND_IO_BEGIN)
		return hyb_numbers_add(&p->io, e->io.id);
	return 0;
}

/* And in the second: what the process still has when the part begins is told there. But not tasks. */
static int keep_before(struct hyb_excerpt *x, const struct hyb_merge_event *e)
{
	struct list *l = &x->there;
	struct hyb_numbers *set;
	struct kept *kept;
	uint64_t key;
	bool begins;
	size_t i = l->count;

	if (!object_of(x->process, e, &set, &key, &begins) || set == &x->process->tasks ||
	    !hyb_numbers_has(set, key))
		return 0;
	while (i && (l->items[i - 1].set != set || l->items[i - 1].key != key))
		i--;
	if (i)
		l->items[i - 1] = l->items[--l->count];
	if (!begins)
		return 0;
	kept = add(l, e);
	if (!kept)
		return -ENOMEM;
	kept->e.attribute_count = 0;
	kept->set = set;
	kept->key = key;
	return 0;
}

static int on_before(struct hyb_excerpt *x, const struct hyb_merge_event *e)
{
	int ret = 0;

	if (x->process)
		ret = x->use == HYB_EXCERPT_LOOK ? note_before(x->process, e) : keep_before(x, e);
	return ret ? ret : follow(x, e);
}

static void tell_at(struct hyb_excerpt *x, const struct hyb_merge_event *e, enum hyb_kind kind, int64_t time)
{
	struct hyb_merge_event at = *e;

	at.kind = kind;
	at.time = time;
	tell(x, &at);
}

static void tell_open(struct hyb_excerpt *x, size_t i)
{
	struct kept *kept = &x->open.items[i];

	kept->e.attributes = x->attributes + kept->attributes;
	tell_at(x, &kept->e, kept->e.kind, x->selection->from);
}

/* What is there where the part begins: the program first. */
static void begin_part(struct hyb_excerpt *x)
{
	size_t first = x->open.count && x->open.items[0].e.kind == HYB_KIND_PROGRAM_BEGIN, i;
	const struct hyb_merge_event *e;

	x->begun = true;
	for (i = 0; i < first; i++)
		tell_open(x, i);
	for (i = 0; i < x->there.count; i++) {
		e = &x->there.items[i].e;
		if (e->kind == HYB_KIND_RMA_LOCK_ACQUIRED)
			tell_at(x, e, HYB_KIND_RMA_LOCK_REQUEST, x->selection->from);
		tell_at(x, e, e->kind, x->selection->from);
	}
	for (i = first; i < x->open.count; i++)
		tell_open(x, i);
	x->there.count = 0;
}

/* What is told before the end of such an operation. */
static void end_window(struct hyb_excerpt *x, const struct hyb_merge_event *e)
{
	if (e->kind == HYB_KIND_RMA_COLLECTIVE_BEGIN && e->rma.what != HYB_RMA_FENCE)
		tell_at(x, e, e->rma.what == HYB_RMA_CREATE ? HYB_KIND_WIN_CREATE : HYB_KIND_WIN_DESTROY,
			x->selection->to);
}

/*
 * What is open where the part ends, the innermost first. That a wait for a lock ended nobody says, and that the program
 * did only to readers that want both its ends.
 */
static void end_part(struct hyb_excerpt *x)
{
	struct hyb_merge_event *e;

	x->over = true;
	while (x->open.count) {
		e = &x->open.items[--x->open.count].e;
		e->attribute_count = 0;
		end_window(x, e);
		if (e->kind == HYB_KIND_RMA_LOCK_REQUEST ||
		    (e->kind == HYB_KIND_PROGRAM_BEGIN && !x->selection->ends_program))
			continue;
		if (e->kind == HYB_KIND_PROGRAM_BEGIN)
			e->status.known = false;
		tell_at(x, e, end_of(e->kind), x->selection->to);
	}
}

/* A message, or an operation of several, of which all lies in the part. */
static bool is_whole(const struct hyb_excerpt *x, const struct hyb_merge_event *e)
{
	if (!hyb_selection_parts(x->selection))
		return true;
	if (e->kind < HYB_KIND_COLLECTIVE_BEGIN)
		return e->message.number && lies_inside(x, e->message.other_end);
	return (e->collective.number || e->collective.alone) && lies_inside(x, e->collective.first_begin) &&
	       lies_inside(x, e->collective.last_end);
}

/* In the first reading: requests of which both ends lie in the part are taken in and out again. */
static int note_inside(struct hyb_excerpt *x, const struct hyb_merge_event *e)
{
	struct hyb_excerpt_process *p = x->process;

	switch (e->kind) {
	case HYB_KIND_ISEND:
		if (!is_whole(x, e))
			return hyb_numbers_add(&p->dropped, e->message.request);
		/* fall through */
	case HYB_KIND_IRECV:
		return hyb_numbers_toggle(&p->half, e->message.request);
	case HYB_KIND_COLLECTIVE_COMPLETE:
		if (!is_whole(x, e))
			return hyb_numbers_add(&p->dropped, e->collective.request);
		return hyb_numbers_toggle(&p->half, e->collective.request);
	case HYB_KIND_IRECV_REQUEST:
	case HYB_KIND_ISEND_COMPLETE:
	case HYB_KIND_REQUEST_CANCELLED:
	case HYB_KIND_COLLECTIVE_REQUEST:
		return hyb_numbers_toggle(&p->half, e->request);
	default:
		return 0;
	}
}

static bool is_told(const struct hyb_excerpt_process *p, uint64_t request)
{
	return !hyb_numbers_has(&p->half, request) && !hyb_numbers_has(&p->dropped, request);
}

/* A message whose request has no begin or no end in the part is told as a blocking one. */
static void tell_message(struct hyb_excerpt *x, const struct hyb_merge_event *e)
{
	bool half = e->message.request && hyb_numbers_has(&x->process->half, e->message.request);
	struct hyb_merge_event as = *e;

	if (is_whole(x, e)) {
		if (half) {
			as.kind = e->kind == HYB_KIND_ISEND ? HYB_KIND_SEND : HYB_KIND_RECV;
			as.message.request = 0;
		}
		tell(x, &as);
	} else if (e->kind == HYB_KIND_IRECV && !half) {
		/* The receive was begun in the part: there it has no end but this. */
		as.kind = HYB_KIND_REQUEST_CANCELLED;
		as.request = e->message.request;
		tell(x, &as);
	}
}

/* What depends on more than its time. */
static void tell_inside(struct hyb_excerpt *x, const struct hyb_merge_event *e)
{
	const struct hyb_excerpt_process *p = x->process;
	bool told = true;

	switch (e->kind) {
	case HYB_KIND_SEND:
	case HYB_KIND_ISEND:
	case HYB_KIND_RECV:
	case HYB_KIND_IRECV:
		tell_message(x, e);
		return;
	case HYB_KIND_IRECV_REQUEST:
	case HYB_KIND_ISEND_COMPLETE:
	case HYB_KIND_REQUEST_TEST:
	case HYB_KIND_REQUEST_CANCELLED:
	case HYB_KIND_COLLECTIVE_REQUEST:
		told = is_told(p, e->request);
		break;
	case HYB_KIND_COLLECTIVE_BEGIN:
	case HYB_KIND_COLLECTIVE_END:
		told = is_whole(x, e);
		break;
	case HYB_KIND_COLLECTIVE_COMPLETE:
		told = is_whole(x, e) && is_told(p, e->collective.request);
		break;
	case HYB_KIND_RMA_DONE_BLOCKING:
	case HYB_KIND_RMA_DONE_REQUEST:
	case HYB_KIND_RMA_DONE_REMOTE:
		told = !hyb_numbers_has(&p->rma, e->rma.id);
		break;
	case HYB_KIND_IO_ISSUED:
	case HYB_KIND_IO_COMPLETE:
	case HYB_KIND_IO_CANCELLED:
		told = !hyb_numbers_has(&p->io, e->io.id);
		break;
	case HYB_KIND_TASK_SWITCH:
	case HYB_KIND_TASK_COMPLETE:
		told = !hyb_numbers_has(&p->tasks, e->task.id);
		break;
	default:
		break;
	}
	if (told)
		tell(x, e);
}

int hyb_excerpt_event(void *arg, const struct hyb_merge_event *e)
{
	struct hyb_excerpt *x = arg;
	int ret;

	if (x->over)
		return 0;
	if (e->time < x->selection->from)
		return on_before(x, e);
	if (!x->begun)
		begin_part(x);
	if (e->time > x->selection->to) {
		end_part(x);
		return 0;
	}
	ret = follow(x, e);
	if (!x->process)
		tell(x, e);
	else if (x->use == HYB_EXCERPT_TELL)
		tell_inside(x, e);
	else if (!ret)
		ret = note_inside(x, e);
	return ret;
}

void hyb_excerpt_close(struct hyb_excerpt *x)
{
	free(x->open.items);
	free(x->there.items);
	free(x->attributes);
	free(x);
}
