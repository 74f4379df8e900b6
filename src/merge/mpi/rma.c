/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication, see convert.h. An operation is complete for its origin (RMA_DONE_BLOCKING, or
 * RMA_DONE_REQUEST where its request says so) no later than at its target (RMA_DONE_REMOTE, which only operations
 * have that change something there); what ends them says which. A request completes its operation in whichever thread it is waited for, a flush those of all threads:
 * what one completes of another's is known before anything is written; see rma-threads.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "merge/convert.h"
#include "reader/containers/array.h"

#define ALL UINT32_MAX /* targets */

static void tell(struct hyb_convert *c, enum hyb_kind kind, const struct hyb_ids_win *win, const struct hyb_rma *r)
{
	struct hyb_merge_event e;

	hyb_convert_now(c, &e, kind);
	e.rma.what = r->what;
	e.rma.flags = r->flags;
	e.rma.win = win->id;
	e.rma.target = (uint32_t)r->target;
	e.rma.group = hyb_rma_has_group(r->what) ? hyb_ids_group(&c->ids, r->group) : HYB_COMM_NONE;
	e.rma.sent = r->sent;
	e.rma.received = r->received;
	e.rma.id = r->id;
	hyb_convert_tell(c, &e);
}

/* An operation is complete. */
static void tell_done(struct hyb_convert *c, enum hyb_kind kind, uint32_t win, uint64_t id)
{
	struct hyb_merge_event e;

	hyb_convert_now(c, &e, kind);
	e.rma.win = win;
	e.rma.id = id;
	hyb_convert_tell(c, &e);
}

static void add_pending(struct hyb_convert *c, const struct hyb_ids_win *win,
			const struct hyb_rma *r)
{
	struct hyb_rma_queue *q = &c->rma;
	struct hyb_rma_pending *ops;

	bool local = hyb_numbers_has(&c->s->handed, r->id);
	bool puts = hyb_rma_changes_target(r) && !hyb_numbers_has(&c->s->handed_there, r->id);

	/* others complete it, here and there */
	if (local && !puts)
		return;
	ops = hyb_array_room(q->ops, &q->room, q->count, sizeof(*ops));
	if (!ops) {
		c->err = -ENOMEM;
		return;
	}
	q->ops = ops;
	q->ops[q->count++] = (struct hyb_rma_pending){
		.id = r->id,
		.win = win->id,
		.target = (uint32_t)r->target,
		.puts = puts,
		.local = local,
	};
}

/* A program that flushes locally after each operation, and for good at the end, has many of them. */
static void skip_settled(struct hyb_rma_queue *q)
{
	while (q->settled < q->count && q->ops[q->settled].local && q->ops[q->settled].puts)
		q->settled++;
}

bool hyb_rma_changes_target(const struct hyb_rma *r)
{
	return r->what != HYB_RMA_GET && r->sent;
}

bool hyb_rma_completes(const struct hyb_rma *r, uint32_t *target, bool *remote)
{
	*target = (uint32_t)r->target;
	*remote = true;
	switch (r->what) {
	case HYB_RMA_UNLOCK:
	case HYB_RMA_FLUSH:
		return true;
	case HYB_RMA_FLUSH_LOCAL:
		*remote = false;
		return true;
	case HYB_RMA_COMPLETE:
		*remote = false;
		break;
	case HYB_RMA_DESTROY:
		break;
	case HYB_RMA_FENCE:
		if (r->flags & HYB_RMA_FIRST)
			return false;
		break;
	default:
		return false;
	}
	*target = ALL;
	return true;
}

/* What this call completes of other threads'. */
static void complete_handed(struct hyb_convert *c)
{
	const struct hyb_merge_process *p = c->s;
	const struct hyb_rma_handed *h;

	for (; c->rma.handed < p->handed_count; c->rma.handed++) {
		h = &p->handed_list[c->rma.handed];
		if (h->thread != c->t->number || h->time > c->now)
			return;
		tell_done(c, h->remote ? HYB_KIND_RMA_DONE_REMOTE : HYB_KIND_RMA_DONE_BLOCKING, h->win, h->id);
	}
}

/* Completes those to one target, or to all, here and perhaps there. */
static void complete(struct hyb_convert *c, const struct hyb_ids_win *win, uint32_t target,
		     bool remote, bool drop)
{
	struct hyb_rma_queue *q = &c->rma;
	struct hyb_rma_pending *op;
	size_t i, kept;

	complete_handed(c);
	if (remote || drop)
		q->settled = 0;
	for (i = kept = q->settled; i < q->count; i++) {
		op = &q->ops[i];
		if (op->win == win->id && (target == ALL || op->target == target)) {
			if (!op->local)
				tell_done(c, HYB_KIND_RMA_DONE_BLOCKING, op->win, op->id);
			op->local = true;
			if (remote && op->puts)
				tell_done(c, HYB_KIND_RMA_DONE_REMOTE, op->win, op->id);
			if (drop || remote || !op->puts)
				continue;
		}
		q->ops[kept++] = *op;
	}
	q->count = kept;
	skip_settled(q);
}

static int by_id(const void *a, const void *b)
{
	const struct hyb_rma_pending *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static bool is_others(const struct hyb_convert *c, uint64_t id)
{
	return id >> HYB_REQUEST_THREAD_SHIFT != c->t->number;
}

/* What a flush has completed already has nothing more to say. */
static void on_done(struct hyb_convert *c, const struct hyb_ids_win *win, uint64_t id)
{
	struct hyb_rma_pending key = { .id = id }, *op = NULL;

	if (!is_others(c, id)) {
		if (c->rma.count)
			op = bsearch(&key, c->rma.ops, c->rma.count, sizeof(key), by_id);
		if (!op || op->local)
			return;
		op->local = true;
	} else if (hyb_numbers_has(&c->s->told, id)) {
		return;
	}
	tell_done(c, HYB_KIND_RMA_DONE_REQUEST, win->id, id);
}

static void write_life(struct hyb_convert *c, const struct hyb_ids_win *win, const struct hyb_rma *r)
{
	if (r->what == HYB_RMA_DESTROY)
		complete(c, win, ALL, true, true);
	tell(c, r->what == HYB_RMA_CREATE ? HYB_KIND_WIN_CREATE : HYB_KIND_WIN_DESTROY, win, r);
	tell(c, HYB_KIND_RMA_COLLECTIVE_END, win, r);
}

static void write_group(struct hyb_convert *c, const struct hyb_ids_win *win, const struct hyb_rma *r)
{
	if (r->what == HYB_RMA_COMPLETE)
		complete(c, win, ALL, false, true);
	tell(c, HYB_KIND_RMA_GROUP_SYNC, win, r);
}

const struct hyb_ids_win *hyb_rma_place(struct hyb_convert *c, const struct hyb_attached *a,
					  struct hyb_rma *r)
{
	const struct hyb_ids_win *win;

	if (!hyb_rma_decode(a, r))
		return NULL;
	win = hyb_ids_win(&c->ids, r->win);
	if (!win || !c->p->ranked ||
	    (r->target >= 0 && (uint32_t)r->target >= win->size) || r->target < -1)
		return NULL;
	if (hyb_rma_is_op(r->what) && r->target < 0)
		return NULL;
	if (hyb_rma_has_group(r->what) && hyb_ids_group(&c->ids, r->group) == HYB_COMM_NONE)
		return NULL;
	return win;
}

void hyb_convert_rma_begin(struct hyb_convert *c, const struct hyb_attached *a)
{
	const struct hyb_ids_win *win;
	struct hyb_rma r;

	win = hyb_rma_place(c, a, &r);
	if (!win || !hyb_convert_in_mpi(c)) {
		c->counts.unplaced++;
		return;
	}
	c->counts.rma += hyb_rma_is_op(r.what);
	c->rma_used = true;
	if (!c->out)
		return;
	if (hyb_rma_is_op(r.what)) {
		tell(c, HYB_KIND_RMA_OP, win, &r);
		add_pending(c, win, &r);
	} else if (r.what == HYB_RMA_CREATE || r.what == HYB_RMA_DESTROY || r.what == HYB_RMA_FENCE) {
		tell(c, HYB_KIND_RMA_COLLECTIVE_BEGIN, win, &r);
	} else if (r.what == HYB_RMA_LOCK) {
		tell(c, HYB_KIND_RMA_LOCK_REQUEST, win, &r);
	}
}

/* Of the process's own memory. */
static void tell_sync(struct hyb_convert *c, const struct hyb_ids_win *win, const struct hyb_rma *r)
{
	struct hyb_rma own = *r;

	own.target = (int32_t)win->rank;
	tell(c, HYB_KIND_RMA_SYNC, win, &own);
}

static void write_end(struct hyb_convert *c, const struct hyb_ids_win *win,
		      const struct hyb_rma *r)
{
	uint32_t to = (uint32_t)r->target;

	switch (r->what) {
	case HYB_RMA_CREATE:
	case HYB_RMA_DESTROY:
		write_life(c, win, r);
		break;
	case HYB_RMA_DONE:
		on_done(c, win, r->id);
		break;
	case HYB_RMA_FENCE:
		if (!(r->flags & HYB_RMA_FIRST))
			complete(c, win, ALL, true, true);
		tell(c, HYB_KIND_RMA_COLLECTIVE_END, win, r);
		break;
	case HYB_RMA_POST:
	case HYB_RMA_START:
	case HYB_RMA_COMPLETE:
	case HYB_RMA_WAIT:
		write_group(c, win, r);
		break;
	case HYB_RMA_LOCK:
		tell(c, HYB_KIND_RMA_LOCK_ACQUIRED, win, r);
		break;
	case HYB_RMA_UNLOCK:
		complete(c, win, to, true, true);
		tell(c, HYB_KIND_RMA_LOCK_RELEASED, win, r);
		break;
	case HYB_RMA_FLUSH:
		complete(c, win, to, true, true);
		break;
	case HYB_RMA_FLUSH_LOCAL:
		complete(c, win, to, false, false);
		break;
	case HYB_RMA_SYNC:
		tell_sync(c, win, r);
		break;
	}
}

void hyb_convert_rma(struct hyb_convert *c, const struct hyb_attached *a)
{
	const struct hyb_ids_win *win;
	struct hyb_rma r;

	win = hyb_rma_place(c, a, &r);
	if (!win || !hyb_convert_in_mpi(c))
		return;
	if (c->pass == HYB_PASS_COUNT && r.what == HYB_RMA_DONE && is_others(c, r.id) &&
	    hyb_numbers_add(&c->s->handed, r.id))
		c->err = -ENOMEM;
	if (c->out)
		write_end(c, win, &r);
}
