/* SPDX-License-Identifier: BSD-3-Clause */
/* The sinks of a run, and one track's way to them; see outlet.h. */
#include "merge/sink/outlet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int hyb_sinks_begin(struct hyb_sinks *s, const struct hyb_merge *m, const struct hyb_sink_ops *const *wanted,
		    size_t count)
{
	size_t i;
	int ret = 0;

	s->sinks = calloc(count + 1, sizeof(*s->sinks));
	if (!s->sinks)
		return -ENOMEM;
	for (i = 0; !ret && i < count; i++) {
		s->sinks[i].ops = wanted[i];
		ret = wanted[i]->begin(wanted[i], m, &s->sinks[i].sink);
		s->count += !ret;
	}
	return ret;
}

int hyb_sinks_end(const struct hyb_sinks *s)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < s->count; i++)
		ret = s->sinks[i].ops->end ? s->sinks[i].ops->end(s->sinks[i].sink) : 0;
	return ret;
}

void hyb_sinks_free(struct hyb_sinks *s)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (s->sinks[i].ops->free)
			s->sinks[i].ops->free(s->sinks[i].sink);
	free(s->sinks);
	memset(s, 0, sizeof(*s));
}

static int ignore(void *state, const struct hyb_merge_event *e)
{
	(void)state;
	(void)e;
	return 0;
}

int hyb_outlet_open(struct hyb_outlet *o, const struct hyb_sinks *sinks, const struct hyb_track *track)
{
	static struct hyb_way nowhere = { .event = ignore };
	size_t i;

	o->attributes = NULL;
	o->attribute_count = 0;
	o->attribute_room = 0;
	o->excerpt = NULL;
	o->count = 1;
	o->owned = sinks->count ? calloc(sinks->count, sizeof(*o->owned)) : NULL;
	o->ways = o->owned ? o->owned : &nowhere;
	o->err = sinks->count && !o->owned ? -ENOMEM : 0;
	for (i = 0; !o->err && i < sinks->count; i++) {
		o->count = i + 1;
		o->ways[i].event = ignore;
		o->err = sinks->sinks[i].ops->open(sinks->sinks[i].sink, track, &o->ways[i].state);
		if (o->err)
			break;
		if (!o->ways[i].state)
			continue;
		o->ways[i].ops = sinks->sinks[i].ops;
		o->ways[i].event = o->ways[i].ops->event;
	}
	o->owned_count = o->owned ? o->count : 0;
	return o->err;
}

static void tell_owned(void *outlet, const struct hyb_merge_event *e)
{
	struct hyb_outlet *o = outlet;
	size_t i;
	int ret;

	for (i = 0; i < o->owned_count; i++) {
		ret = o->owned[i].event(o->owned[i].state, e);
		if (ret)
			hyb_outlet_fail(o, ret);
	}
}

int hyb_outlet_select(struct hyb_outlet *o, const struct hyb_selection *s, struct hyb_excerpt_process *process,
		      enum hyb_excerpt_use use)
{
	const struct hyb_excerpt_to to = { .tell = tell_owned, .arg = o };
	int ret = hyb_excerpt_open(s, process, use, &to, &o->excerpt);

	if (ret)
		return ret;
	o->front = (struct hyb_way){ .event = hyb_excerpt_event, .state = o->excerpt };
	o->ways = &o->front;
	o->count = 1;
	return 0;
}

bool hyb_outlet_grow(struct hyb_outlet *o)
{
	uint32_t room = o->attribute_room ? 2 * o->attribute_room : HYB_ATTRIBUTES;
	struct hyb_attribute *grown = realloc(o->attributes, room * sizeof(*grown));

	if (!grown) {
		hyb_outlet_fail(o, -ENOMEM);
		return false;
	}
	o->attributes = grown;
	o->attribute_room = room;
	return true;
}

void hyb_outlet_fail(struct hyb_outlet *o, int err)
{
	size_t i;

	o->err = o->err ? o->err : err;
	if (o->excerpt)
		o->front.event = ignore;
	for (i = 0; i < o->owned_count; i++)
		o->owned[i].event = ignore;
}

void hyb_outlet_hold(struct hyb_outlet *o, bool end)
{
	size_t i;
	int ret;

	for (i = 0; i < o->owned_count && !o->err; i++) {
		ret = o->owned[i].ops && o->owned[i].ops->hold ? o->owned[i].ops->hold(o->owned[i].state, end) : 0;
		if (ret)
			hyb_outlet_fail(o, ret);
	}
}

int hyb_outlet_close(struct hyb_outlet *o, uint64_t *events)
{
	uint64_t written;
	size_t i;
	int ret;

	if (o->excerpt)
		hyb_excerpt_close(o->excerpt);
	for (i = 0; i < o->owned_count; i++) {
		if (!o->owned[i].ops)
			continue;
		written = 0;
		ret = o->owned[i].ops->close(o->owned[i].state, &written);
		o->err = o->err ? o->err : ret;
		*events = written > *events ? written : *events;
	}
	free(o->owned);
	o->owned = NULL;
	free(o->attributes);
	o->attributes = NULL;
	return o->err;
}
