/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each event of a thread's stream becomes; reading.c reads them. Counting and writing run through the same steps,
 * so that what is counted is what is written.
 */
#include "merge/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"

/* What was read at the Enter or Leave of a region that is about to be told. */
static inline void tell_metrics(struct hyb_convert *c, const struct hyb_gregion *region)
{
	if (__builtin_expect(c->metrics.count && region->hidden, 0))
		hyb_convert_drop_metrics(c);
	hyb_convert_metrics(c);
}

/* From here on records are missing, or there again. */
static void write_switch(struct hyb_convert *c, bool on)
{
	struct hyb_merge_event e;

	hyb_convert_now(c, &e, on ? HYB_KIND_ON : HYB_KIND_OFF);
	hyb_convert_tell(c, &e);
}

static void push(struct hyb_convert *c, struct hyb_gregion *region)
{
	struct hyb_open_region *stack;

	stack = hyb_array_room(c->stack, &c->room, c->depth, sizeof(*stack));
	if (!stack) {
		c->err = -ENOMEM;
		return;
	}
	c->stack = stack;
	c->stack[c->depth].region = region;
	c->stack[c->depth].forked = c->forks;
	c->stack[c->depth++].time = c->now;
}

/* A region that forks is entered in its team, whose begin is the next record: its Enter has waited for that. */
static void enter_forked(struct hyb_convert *c)
{
	c->forks = false;
	tell_metrics(c, c->stack[c->depth - 1].region);
	hyb_convert_enter(c, c->stack[c->depth - 1].region);
}

/* And one of the program's own has waited for what is said of it. */
static void enter_waiting(struct hyb_convert *c)
{
	c->waits = false;
	tell_metrics(c, c->stack[c->depth - 1].region);
	hyb_convert_enter(c, c->stack[c->depth - 1].region);
}

/* What waits for the next record does so no longer. */
static void settle(struct hyb_convert *c)
{
	if (c->forks)
		enter_forked(c);
	if (c->waits)
		enter_waiting(c);
}

/* The innermost region is left, with what was said of it. */
static void leave_innermost(struct hyb_convert *c)
{
	c->depth--;
	if (__builtin_expect(c->said_count, 0))
		hyb_convert_said(c, c->depth);
	hyb_convert_leave(c, c->stack[c->depth].region);
}

/* Closes open regions, at the present time, until `depth` are left. */
static void close_down_to(struct hyb_convert *c, size_t depth)
{
	while (c->depth > depth) {
		hyb_convert_close_teams(c);
		leave_innermost(c);
		hyb_convert_join(c, c->stack[c->depth].forked);
		c->counts.closed++;
		c->left = c->now;
	}
}

/* Everything attached to an event but a blocking collective operation, at the present time. */
static void on_attached(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_attached a;
	uint32_t pos = 0;

	while (hyb_attached_next(event, &pos, &a)) {
		switch (a.type) {
		case HYB_SEND:
		case HYB_RECV:
		case HYB_SEND_CANCELLED:
		case HYB_REQUEST_SENT:
		case HYB_REQUEST_RECV:
		case HYB_REQUEST_TESTED:
		case HYB_REQUEST_CANCELLED:
			hyb_convert_message(c, &a);
			break;
		case HYB_REQUEST_COLL:
			hyb_convert_icollective(c, &a);
			break;
		case HYB_COLL:
			if (a.request)
				hyb_convert_icollective(c, &a);
			break;
		case HYB_RMA:
			hyb_convert_rma(c, &a);
			break;
		case HYB_IO:
			hyb_convert_io(c, &a);
			break;
		case HYB_ERROR:
			c->counts.errors++;
			hyb_convert_attribute(c, HYB_ATTRIBUTE_ERROR, (uint32_t)a.error);
			break;
		case HYB_ABANDONED:
			hyb_convert_attribute(c, HYB_ATTRIBUTE_ABANDONED, 1);
			break;
		default:
			hyb_convert_thread_inside(c, &a);
		}
	}
}

/* That is the present now; what the kernel did before stands before it. */
static void move_until(struct hyb_convert *c, int64_t time)
{
	if (c->out && c->nest.has)
		hyb_nest_until(c, time);
	c->now = time;
}

/* The next event's time is the present. */
static void move_to(struct hyb_convert *c, uint64_t raw)
{
	move_until(c, hyb_convert_time(c, raw));
}

/* How well its begin is known, where that is said: before all else but its site. */
static void began(struct hyb_convert *c, const struct hyb_event *event)
{
	uint32_t at = event->head;
	uint64_t word = at < event->count ? event->words[at] : 0;
	uint64_t later;

	while (word >> HYB_TYPE_SHIFT == HYB_SITE || word >> HYB_TYPE_SHIFT == HYB_STACK)
		word = ++at < event->count ? event->words[at] : 0;
	if (word >> HYB_TYPE_SHIFT != HYB_BEGAN)
		return;
	later = event->time + (word & HYB_REQUEST_MASK);
	hyb_convert_attribute(c, HYB_ATTRIBUTE_BEGAN,
			      (uint64_t)(hyb_convert_ns(c, later) - hyb_convert_ns(c, event->time)));
}

/* Most often it is one message that is attached, which is asked first: nothing else looks at that. */
static inline bool has_message_only(const struct hyb_event *event)
{
	const uint64_t *w = event->words + event->head;
	uint32_t type = (uint32_t)(w[0] >> HYB_TYPE_SHIFT);

	return event->head + hyb_record_words(w[0]) == event->count &&
	       (type == HYB_SEND_SHORT || type == HYB_RECV_SHORT || type == HYB_SEND || type == HYB_RECV);
}

static void on_message_only(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_attached a;
	uint32_t pos = 0;

	if (hyb_attached_next(event, &pos, &a))
		hyb_convert_message(c, &a);
}

static void on_enter(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_gregion *region = hyb_ids_region(&c->ids, event->id);

	if (!region) {
		c->err = -ENOMEM;
		return;
	}
	move_to(c, event->time);
	hyb_convert_site(c, event);
	if (event->count > event->head && has_message_only(event) && !c->forks) {
		tell_metrics(c, region);
		hyb_convert_enter(c, region);
		push(c, region);
		on_message_only(c, event);
		return;
	}
	if (event->count > event->head)
		hyb_convert_thread_before(c, event);
	began(c, event);
	c->waits = region->paradigm == HYB_PARADIGM_USER && !c->forks &&
		   event->count == event->head + hyb_convert_has_stack(event);
	if (!c->forks && !c->waits) {
		tell_metrics(c, region);
		hyb_convert_enter(c, region);
	}
	push(c, region);
	if (event->count > event->head && !c->forks)
		on_attached(c, event);
}

/* An end that was noticed late was behind the event before, as far as anybody knows. */
static int64_t time_of_leave(struct hyb_convert *c, const struct hyb_event *event)
{
	const uint64_t late = (uint64_t)HYB_LATE << HYB_TYPE_SHIFT;

	if (event->count > event->head && event->words[event->head] == late)
		return c->now;
	return hyb_convert_time(c, event->time);
}

static void on_leave(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_gregion *region = hyb_ids_region(&c->ids, event->id);
	int64_t time = time_of_leave(c, event);
	struct hyb_attached a;
	size_t depth = c->depth;
	uint32_t pos = 0;
	bool message;

	while (depth && c->stack[depth - 1].region != region)
		depth--;
	if (!depth) {
		c->counts.stray_leaves++;
		hyb_convert_drop_metrics(c);
		/* What is lost with it is a gap for the matching too. */
		c->s->gaps += event->count > event->head;
		return;
	}
	if (depth < c->depth) {
		move_until(c, time);
		close_down_to(c, depth);
	}
	message = event->count > event->head && has_message_only(event);
	if (message) {
		move_until(c, time);
		on_message_only(c, event);
	} else if (event->count > event->head) {
		while (hyb_attached_next(event, &pos, &a)) {
			if (a.type == HYB_COLL && !a.request)
				hyb_convert_collective(c, &c->stack[depth - 1], time, &a);
			else if (a.type == HYB_RMA)
				hyb_convert_rma_begin(c, &a);
			else if (a.type == HYB_IO)
				hyb_convert_io_begin(c, &c->stack[depth - 1], &a);
		}
		move_until(c, time);
		on_attached(c, event);
	}
	move_until(c, time);
	tell_metrics(c, region);
	leave_innermost(c);
	c->left = time;
	if (event->count > event->head && !message)
		hyb_convert_thread_after(c, event);
	if (c->teams.depth || c->stack[c->depth].forked)
		hyb_convert_join(c, c->stack[c->depth].forked);
}

/* What a point says, at the present time; the region without duration that it is shown as, NULL: as none. */
static struct hyb_gregion *region_of_point(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_gregion *region = event->id ? hyb_ids_region(&c->ids, event->id) : NULL;
	struct hyb_attached a;
	bool shown = true;
	uint32_t pos = 0;

	if (event->id && !region) {
		c->err = -ENOMEM;
		return NULL;
	}
	while (hyb_attached_next(event, &pos, &a)) {
		if (hyb_convert_thread_point(c, event, region, &a)) {
			shown = false;
			continue;
		}
		switch (a.type) {
		case HYB_CHUNK:
			if (!region)
				region = c->m->chunk;
			hyb_convert_attribute(c, HYB_ATTRIBUTE_FIRST, a.words[1]);
			hyb_convert_attribute(c, HYB_ATTRIBUTE_COUNT, a.words[2]);
			break;
		case HYB_COUNT:
			hyb_convert_attribute(c, HYB_ATTRIBUTE_COUNT, a.words[0] & HYB_REQUEST_MASK);
			break;
		case HYB_DATA_OP:
			hyb_convert_target(c, &a);
			break;
		case HYB_PARAMETER:
			hyb_convert_say_late(c, &a);
			shown = false;
			break;
		case HYB_MESSAGE:
			if (!region)
				break;
			region = hyb_convert_message_region(c, region, &a);
			if (!region)
				c->err = -ENOMEM;
			break;
		}
	}
	return shown ? region : NULL;
}

static void on_point(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_gregion *region;

	if (c->forks) {
		hyb_convert_forked_team(c, event);
		enter_forked(c);
		move_to(c, event->time);
		return;
	}
	move_to(c, event->time);
	hyb_convert_metrics(c);
	region = region_of_point(c, event);
	if (region)
		hyb_convert_instant(c, region);
}

/* Between its Enter and its Leave. */
static void on_more(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_attached a;
	struct hyb_rma rma;
	uint32_t pos = 0;

	move_to(c, event->time);
	/* A window that was freed inside of the call. */
	while (hyb_attached_next(event, &pos, &a))
		if (a.type == HYB_RMA && hyb_rma_decode(&a, &rma) && rma.what == HYB_RMA_DESTROY)
			hyb_convert_rma_begin(c, &a);
	on_attached(c, event);
}

/*
 * A row of failing calls, or of calls without effect, as one call that took as long as all of them together:
 * what lies between them is the program's own time. Rows of calls made in turn come one behind the other.
 */
static void on_poll(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_gregion *region = hyb_ids_region(&c->ids, event->id);
	uint64_t kind = hyb_event_poll_kind(event);
	struct hyb_poll poll;
	int64_t inside;
	int64_t last;

	if (!region) {
		c->err = -ENOMEM;
		return;
	}
	memcpy(&poll, event->words + 1, sizeof(poll));
	if (kind == HYB_POLL_VAIN)
		c->counts.polls += poll.count;
	else
		c->counts.effectless += poll.count;
	move_to(c, event->time);
	last = hyb_convert_ns(c, poll.last);
	hyb_convert_site(c, event);
	tell_metrics(c, region);
	hyb_convert_enter(c, region);
	push(c, region);
	if (event->count > event->head)
		on_attached(c, event);
	hyb_convert_attribute(c, HYB_ATTRIBUTE_POLLS, poll.count);
	hyb_convert_attribute(c, HYB_ATTRIBUTE_POLLED_UNTIL, (uint64_t)last);
	if (kind != HYB_POLL_VAIN)
		hyb_convert_attribute(c, HYB_ATTRIBUTE_EFFECTLESS, kind);
	inside = hyb_ns_sub(hyb_convert_ns(c, event->time + poll.inside), hyb_convert_ns(c, event->time));
	if (inside > hyb_ns_sub(last, c->now))	/* it may be an estimate */
		inside = hyb_ns_sub(last, c->now);
	inside = inside > 0 ? hyb_ns_add(c->now, inside) : c->now;
	if (inside < c->now)
		inside = c->now;
	if (c->out && c->nest.has)
		hyb_nest_until(c, inside);
	c->now = inside;
	hyb_convert_leave(c, region);
	c->depth--;
	c->left = last > c->now ? last : c->now;
}

void hyb_convert_mark(struct hyb_convert *c, const struct hyb_event *event)
{
	settle(c);
	move_to(c, event->time);
	hyb_convert_metrics(c);
	c->s->pauses += event->id == HYB_MARK_OFF;
	if (!c->out || (event->id != HYB_MARK_OFF && event->id != HYB_MARK_ON))
		return;
	c->nest.off = event->id == HYB_MARK_OFF;
	write_switch(c, event->id == HYB_MARK_ON);
}

/*
 * What is open when records are lost may have been left meanwhile: it is closed, and a region spans
 * the loss.
 */
static void on_gap(struct hyb_convert *c, const struct hyb_event *event)
{
	const struct hyb_gap *gap = event->gap;
	struct hyb_gregion *region = gap->causes & HYB_GAP_SKIPPED ? c->m->skipped : c->m->loss;

	c->s->gaps++;
	/* What they belonged to is lost. */
	hyb_convert_drop_metrics(c);
	move_to(c, gap->from);
	close_down_to(c, 0);
	hyb_convert_close_teams(c);
	if (region == c->m->loss) {
		hyb_convert_attribute(c, HYB_ATTRIBUTE_LOST_RECORDS, gap->records);
		hyb_convert_attribute(c, HYB_ATTRIBUTE_LOST_CHUNKS, gap->chunks);
	}
	hyb_convert_enter(c, region);
	if (region == c->m->loss)
		write_switch(c, false);
	move_to(c, event->time);
	if (region == c->m->loss)
		write_switch(c, true);
	hyb_convert_leave(c, region);
	c->left = c->now;
}

/* Those of a team's begin may come between it and its fork. */
static void on_metric(struct hyb_convert *c, const struct hyb_event *event)
{
	if (event->words[1] & HYB_METRIC_ALONE) {
		if (c->forks)
			enter_forked(c);
		move_to(c, event->time);
	}
	hyb_convert_metric(c, event);
}

void hyb_convert_event(struct hyb_convert *c, const struct hyb_event *event)
{
	if (__builtin_expect(c->forks, 0) && event->type != HYB_METRIC && !hyb_convert_begins_team(event))
		enter_forked(c);
	if (__builtin_expect(c->waits, 0)) {
		if (hyb_convert_says(event)) {
			hyb_convert_say_now(c, event);
			c->counts.records++;
			return;
		}
		enter_waiting(c);
	}
	switch (event->type) {
	case HYB_ENTER:
		on_enter(c, event);
		break;
	case HYB_LEAVE:
		on_leave(c, event);
		break;
	case HYB_MARK:
		hyb_convert_mark(c, event);
		break;
	case HYB_MORE:
		on_more(c, event);
		break;
	case HYB_POLL:
		on_poll(c, event);
		break;
	case HYB_POINT:
		on_point(c, event);
		break;
	case HYB_METRIC:
		on_metric(c, event);
		break;
	case HYB_EVENT_GAP:
		on_gap(c, event);
		return;
	}
	c->counts.records++;
}

void hyb_convert_hold(struct hyb_convert *c, bool end)
{
	if (!c->m->options.tail || hyb_merge_thin(c->m) || c->pass != HYB_PASS_WRITE || c->err)
		return;
	settle(c);
	/* Of one that cannot be read now all stays as it was. */
	if (c->reader || !hyb_merge_goes_on(c->m))
		hyb_tail_thread_end(c);
	if (!c->err && c->ts->grows)
		hyb_outlet_hold(c->out, end);
}

/*
 * The end of a stream: notes where the thread stood and closes what is open at the last time known.
 */
void hyb_convert_finish(struct hyb_convert *c)
{
	struct hyb_model_thread *t = c->t;

	settle(c);
	t->last = c->now;
	t->in = c->depth ? c->stack[c->depth - 1].region : NULL;
	t->since = c->depth ? c->stack[c->depth - 1].time : c->left;
	if (c->out)
		hyb_nest_end(c);
	if (c->out && c->depth && c->p->last > c->now)
		c->now = c->p->last;
	close_down_to(c, 0);
	hyb_convert_close_teams(c);
}
