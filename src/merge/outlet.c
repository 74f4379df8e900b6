/* SPDX-License-Identifier: BSD-3-Clause */
/* The sinks of a run, and one track's way to them; see outlet.h. */
#include "merge/outlet.h"

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
		ret = wanted[i]->begin(m, &s->sinks[i].sink);
		s->count += !ret;
	}
	return ret;
}

int hyb_sinks_end(const struct hyb_sinks *s)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < s->count; i++)
		ret = s->sinks[i].ops->end(s->sinks[i].sink);
	return ret;
}

void hyb_sinks_free(struct hyb_sinks *s)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		s->sinks[i].ops->free(s->sinks[i].sink);
	free(s->sinks);
	memset(s, 0, sizeof(*s));
}

int hyb_outlet_open(struct hyb_outlet *o, const struct hyb_sinks *sinks, const struct hyb_track *track)
{
	size_t i;

	o->count = 0;
	o->err = 0;
	o->attribute_count = 0;
	o->ways = calloc(sinks->count + 1, sizeof(*o->ways));
	if (!o->ways)
		o->err = -ENOMEM;
	for (i = 0; !o->err && i < sinks->count; i++) {
		o->ways[i].ops = sinks->sinks[i].ops;
		o->err = o->ways[i].ops->open(sinks->sinks[i].sink, track, &o->ways[i].state);
		o->count += !o->err;
	}
	return o->err;
}

int hyb_outlet_close(struct hyb_outlet *o, uint64_t *events)
{
	uint64_t written;
	size_t i;
	int ret;

	for (i = 0; i < o->count; i++) {
		written = 0;
		ret = o->ways[i].ops->close(o->ways[i].state, &written);
		o->err = o->err ? o->err : ret;
		*events = written > *events ? written : *events;
	}
	free(o->ways);
	o->ways = NULL;
	o->count = 0;
	return o->err;
}
