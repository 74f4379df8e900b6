/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided operations of a process that one thread begins and another completes, by a flush or its like: MPI
 * completes them for the whole process. The streams of its threads are read side by side, in the order of time, once
 * it is known that several have one-sided communication. What one thread completes of another's is listed for when
 * that thread is written; see rma.c. Only what is open is held in memory, and that list.
 */
#include <errno.h>
#include <stdlib.h>

#include "merge/convert.h"
#include "reader/containers/array.h"
#include "reader/containers/search.h"

struct item { /* an operation, a completion by a request, or what completes others */
	int64_t time; /* since when it holds: an operation once its call is over, a flush from its begin on */
	int64_t left; /* when its call was over */
	uint32_t win; /* in the model */
	struct hyb_rma rma;
};

struct stream {
	struct hyb_reader *reader; /* NULL: at its end */
	uint32_t thread;
	struct hyb_event event;
	uint32_t pos; /* in the event, of what is attached */
	int64_t entered;
	struct item item;
};

struct open_op {
	uint64_t id;
	uint32_t thread;
	uint32_t win;
	uint32_t target;
	bool puts;
	bool local;  /* complete for its origin */
	bool handed; /* and another thread's flush did that */
};

struct process {
	struct hyb_convert *c;
	struct stream *streams;
	size_t count;
	struct open_op *ops;
	size_t op_count;
	size_t op_room;
	size_t room; /* of the list */
};

static bool is_of_interest(const struct item *item)
{
	uint32_t target;
	bool remote;

	return hyb_rma_is_op(item->rma.what) || item->rma.what == HYB_RMA_DONE ||
	       hyb_rma_completes(&item->rma, &target, &remote);
}

/* Goes on to the next item; at the end the reader is closed. */
static void advance(struct process *s, struct stream *t)
{
	const struct hyb_clock *clock = s->c->clock;
	const struct hyb_ids_win *win;
	struct hyb_attached a;

	for (;;) {
		while (hyb_attached_next(&t->event, &t->pos, &a)) {
			win = a.type == HYB_RMA ? hyb_rma_place(s->c, &a, &t->item.rma) : NULL;
			if (!win || !is_of_interest(&t->item))
				continue;
			t->item.win = win->id;
			t->item.left = hyb_clock_ns(clock, t->event.time);
			t->item.time = hyb_rma_is_op(t->item.rma.what) || t->item.rma.what == HYB_RMA_DONE ?
					       t->item.left : t->entered;
			return;
		}
		do {
			if (hyb_reader_next(t->reader, &t->event) <= 0) {
				hyb_reader_close(t->reader);
				t->reader = NULL;
				return;
			}
			if (t->event.type == HYB_ENTER)
				t->entered = hyb_clock_ns(clock, t->event.time);
		} while (t->event.type != HYB_LEAVE && t->event.type != HYB_MORE);
		t->pos = 0;
	}
}

static struct stream *earliest(struct process *s)
{
	struct stream *first = NULL;

	for (size_t i = 0; i < s->count; i++)
		if (s->streams[i].reader && (!first || s->streams[i].item.time < first->item.time))
			first = &s->streams[i];
	return first;
}

static int begin(struct process *s, const struct stream *t)
{
	const struct hyb_rma *r = &t->item.rma;
	struct open_op *ops = hyb_array_room(s->ops, &s->op_room, s->op_count, sizeof(*ops));

	if (!ops)
		return -ENOMEM;
	s->ops = ops;
	s->ops[s->op_count++] = (struct open_op){
		.id = r->id,
		.thread = t->thread,
		.win = t->item.win,
		.target = (uint32_t)r->target,
		.puts = hyb_rma_changes_target(r),
	};
	return 0;
}

/* A flush that comes before the request is asked for leaves nothing to be said by that. */
static int done(struct process *s, const struct stream *t)
{
	for (size_t i = 0; i < s->op_count; i++) {
		if (s->ops[i].id != t->item.rma.id)
			continue;
		s->ops[i].local = true;
		return s->ops[i].handed ? hyb_numbers_add(&s->c->s->told, s->ops[i].id) : 0;
	}
	return 0;
}

static int hand(struct process *s, const struct stream *t, const struct open_op *op, bool remote)
{
	struct hyb_merge_process *p = s->c->s;
	struct hyb_rma_handed *list;

	list = hyb_array_room(p->handed_list, &s->room, p->handed_count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	p->handed_list = list;
	p->handed_list[p->handed_count] = (struct hyb_rma_handed){
		.number = p->handed_count,
		.thread = t->thread,
		.time = t->item.left,
		.id = op->id,
		.win = op->win,
		.remote = remote,
	};
	p->handed_count++;
	return hyb_numbers_add(remote ? &p->handed_there : &p->handed, op->id);
}

static int complete(struct process *s, const struct stream *t, uint32_t target, bool remote)
{
	bool ends = remote || t->item.rma.what == HYB_RMA_COMPLETE;
	size_t kept = 0;
	int ret = 0;

	for (size_t i = 0; i < s->op_count; i++) {
		struct open_op *op = &s->ops[i];

		if (op->win == t->item.win && (target == UINT32_MAX || op->target == target)) {
			if (!ret && !op->local && op->thread != t->thread) {
				op->handed = true;
				ret = hand(s, t, op, false);
			}
			op->local = true;
			if (!ret && remote && op->puts && op->thread != t->thread)
				ret = hand(s, t, op, true);
			if (ends || !op->puts)
				continue;
		}
		s->ops[kept++] = *op;
	}
	s->op_count = kept;
	return ret;
}

static int take(struct process *s, const struct stream *t)
{
	uint32_t target;
	bool remote;

	if (hyb_rma_is_op(t->item.rma.what))
		return begin(s, t);
	if (t->item.rma.what == HYB_RMA_DONE)
		return done(s, t);
	return hyb_rma_completes(&t->item.rma, &target, &remote) ? complete(s, t, target, remote) : 0;
}

static int by_thread(const void *a, const void *b)
{
	const struct hyb_rma_handed *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

int hyb_convert_shared_rma(struct hyb_convert *c)
{
	struct hyb_model_process *p = c->p;
	struct process s = { .c = c, .count = p->thread_count };
	struct stream *t;
	int ret = 0;

	if (c->s->rma_threads < 2)
		return 0;
	s.streams = calloc(s.count, sizeof(*s.streams));
	if (!s.streams)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < s.count; i++) {
		t = &s.streams[i];
		t->thread = p->threads[i].number;
		/* what is wrong with it was said when it was read before */
		if (hyb_reader_open(p->threads[i].path, p->source->owner, NULL, &t->reader))
			t->reader = NULL;
		else
			advance(&s, t);
	}
	while (!ret && (t = earliest(&s))) {
		ret = take(&s, t);
		if (!ret)
			advance(&s, t);
	}
	for (size_t i = 0; i < s.count; i++)
		if (s.streams[i].reader)
			hyb_reader_close(s.streams[i].reader);
	if (c->s->handed_count)
		qsort(c->s->handed_list, c->s->handed_count, sizeof(*c->s->handed_list), by_thread);
	free(s.streams);
	free(s.ops);
	return ret;
}

size_t hyb_rma_first_handed(const struct hyb_merge_process *s, uint32_t thread)
{
	return HYB_SEARCH(i, s->handed_count, s->handed_list[i].thread < thread);
}
