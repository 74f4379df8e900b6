/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread's kernel intervals, read back from disk and nested into its regions: two rows in the order of time become
 * one. Both ends of an interval are known when it begins, so whether an event of the thread's own lies in it is known
 * before anything is written.
 */
#include "merge/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"

#define ENTER_VALUES (HYB_SPAN_VALUES / 2)
#define SLACK_NS 2000 /* clocks differ by less */

static int open_row(struct hyb_nest *n, const struct hyb_kernel_row *row)
{
	int ret = 0;

	n->row = row;
	if (row)
		ret = hyb_spill_read(row->file, &row->spill, &n->reader);
	return ret;
}

/*
 * The next interval that lies in the process's life, cut to it. Of two collectors' the second begins behind the first.
 */
static void load(struct hyb_convert *c)
{
	struct hyb_nest *n = &c->nest;
	const void *record;
	int ret = 0;

	n->has = false;
	while (!ret && n->row && !n->has) {
		ret = hyb_spill_next(&n->reader, &record);
		if (!ret) {
			hyb_spill_read_end(&n->reader);
			ret = open_row(n, n->row->next);
			continue;
		}
		if (ret < 0)
			break;
		ret = 0;
		memcpy(&n->next, record, sizeof(n->next));
		if (n->next.end < n->from || n->next.begin > n->to || n->next.begin < n->past)
			continue;
		n->past = n->next.begin;
		n->next.begin = n->next.begin < n->from ? n->from : n->next.begin;
		n->next.end = n->next.end > n->to ? n->to : n->next.end;
		n->has = true;
	}
	if (ret < 0) {
		hyb_diag_say(c->m->options.diag, HYB_SEV_ERROR, "cannot read in %s: %s", c->m->output.dir,
			     strerror(-ret));
		c->err = ret;
	}
}

int hyb_nest_begin(struct hyb_convert *c)
{
	struct hyb_nest *n = &c->nest;
	int ret;

	n->has = false;
	n->off = false;
	n->depth = 0;
	n->past = INT64_MIN;
	n->from = c->p->timed ? c->p->first : INT64_MAX;
	n->to = c->p->timed ? c->p->last : INT64_MIN;
	hyb_spill_read_end(&n->reader);
	ret = open_row(n, c->ts->kernel);
	if (!ret && n->row)
		load(c);
	return ret ? ret : c->err;
}

void hyb_nest_free(struct hyb_convert *c)
{
	hyb_spill_read_end(&c->nest.reader);
	free(c->nest.open);
	memset(&c->nest, 0, sizeof(c->nest));
}

/* Not with the attributes that are gathered for the thread's own event that may be under way. */
static void tell_region(struct hyb_convert *c, enum hyb_kind kind, const struct hyb_span *span, unsigned int from)
{
	struct hyb_merge_event e;
	struct hyb_attribute attributes[ENTER_VALUES];
	unsigned int i;

	hyb_convert_now(c, &e, kind);
	for (i = from; i < from + ENTER_VALUES; i++)
		if (span->attribute[i])
			attributes[e.attribute_count++] =
				(struct hyb_attribute){ span->attribute[i], span->value[i] };
	e.attributes = attributes;
	hyb_regions_id(&c->m->model.regions, span->region);
	e.region = span->region;
	hyb_convert_tell(c, &e);
}

static void leave(struct hyb_convert *c)
{
	const struct hyb_span *span = &c->nest.open[--c->nest.depth];

	c->now = span->end > c->now ? span->end : c->now;
	tell_region(c, HYB_KIND_LEAVE, span, ENTER_VALUES);
}

static void push(struct hyb_convert *c)
{
	struct hyb_nest *n = &c->nest;
	struct hyb_span *open = hyb_array_room(n->open, &n->room, n->depth, sizeof(*open));

	if (!open) {
		c->err = -ENOMEM;
		return;
	}
	n->open = open;
	n->open[n->depth++] = n->next;
}

static void enter(struct hyb_convert *c)
{
	struct hyb_span *span = &c->nest.next;

	c->counts.kernel++;
	c->now = span->begin > c->now ? span->begin : c->now;
	tell_region(c, HYB_KIND_ENTER, span, 0);
	push(c);
}

/*
 * Makes the next interval, which begins before the thread's own event at `time`, end by then; or, where clocks may
 * differ by so much and that moves it less, begin then. False: it now begins at that time, not before.
 */
static bool fit(struct hyb_convert *c, int64_t time)
{
	struct hyb_nest *n = &c->nest;
	struct hyb_span *span = &n->next;

	if (n->depth) {
		/* Of an outer one that was made shorter. */
		if (span->end > n->open[n->depth - 1].end)
			span->end = n->open[n->depth - 1].end;
		return true;
	}
	if (span->end <= time)
		return true;
	c->counts.kernel_moved++;
	if (hyb_ns_sub(time, span->begin) <= SLACK_NS &&
	    hyb_ns_sub(time, span->begin) <= hyb_ns_sub(span->end, time)) {
		span->begin = time;
		return false;
	}
	span->end = time;
	return true;
}

/* What was counted by then, or a sample; not an interval. */
static void write_values(struct hyb_convert *c)
{
	const struct hyb_span *span = &c->nest.next;
	const bool sample = span->attribute[0] == HYB_SPAN_SAMPLE;
	struct hyb_merge_event e;

	c->now = span->begin > c->now ? span->begin : c->now;
	hyb_convert_now(c, &e, sample ? HYB_KIND_SAMPLE : HYB_KIND_METRIC);
	if (sample) {
		e.sample.node = c->nest.row->node;
		e.sample.chain = (uint32_t)span->value[0];
		e.sample.weight = span->value[1];
		e.sample.metric = (uint32_t)span->value[2];
	} else {
		e.metric.class = c->m->kernel.counts;
		e.metric.values = span->value;
		e.metric.instance = HYB_METRIC_UNUSED;
	}
	hyb_convert_tell(c, &e);
}

void hyb_nest_until(struct hyb_convert *c, int64_t time)
{
	struct hyb_nest *n = &c->nest;

	for (;;) {
		if (n->depth && (!n->has || n->open[n->depth - 1].end <= n->next.begin ||
				 n->next.begin >= time)) {
			leave(c);
			continue;
		}
		if (c->err || !n->has || n->next.begin >= time)
			return;
		if (n->off) {
			load(c);
			continue;
		}
		if (!fit(c, time))
			continue;
		if (n->next.region)
			enter(c);
		else
			write_values(c);
		load(c);
	}
}

void hyb_nest_end(struct hyb_convert *c)
{
	if (c->nest.row)
		hyb_nest_until(c, INT64_MAX);
}
