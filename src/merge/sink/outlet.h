/* SPDX-License-Identifier: BSD-3-Clause */
/* The sinks of a run, and where one track's events go: to all of them, all or what is selected. */
#ifndef HYB_MERGE_SINK_OUTLET_H
#define HYB_MERGE_SINK_OUTLET_H

#include "merge/sink/excerpt.h"
#include "merge/sink/sink.h"

/* Those of a run. */
struct hyb_sinks {
	struct hyb_sink_of {
		const struct hyb_sink_ops *ops;
		struct hyb_sink *sink;
	} *sinks;
	size_t count;
};

/* 0 or -errno, which was said; after either, hyb_sinks_free. */
int hyb_sinks_begin(struct hyb_sinks *s, const struct hyb_merge *m, const struct hyb_sink_ops *const *wanted,
		    size_t count);
/* When all tracks are told. 0 or -errno. */
int hyb_sinks_end(const struct hyb_sinks *s);
void hyb_sinks_free(struct hyb_sinks *s);

/* Of one track; one thread at a time. */
struct hyb_outlet {
	struct hyb_way {
		int (*event)(void *state, const struct hyb_merge_event *e); /* that of ops, or none after an error */
		void *state;
		const struct hyb_sink_ops *ops;
	} *ways, *owned, front;
	size_t count; /* at least 1: without sinks one that does nothing */
	size_t owned_count;
	struct hyb_excerpt *excerpt; /* through which all goes; NULL: nothing is selected */
	int err; /* the first error; nothing is told after it */
	uint32_t attribute_count; /* gathered for the next event that takes some */
	uint32_t attribute_room;
	struct hyb_attribute *attributes;
};

/* Opens a track in all sinks. 0 or -errno; after either, hyb_outlet_close. */
int hyb_outlet_open(struct hyb_outlet *o, const struct hyb_sinks *sinks, const struct hyb_track *track);
/*
 * After that: only what is selected goes there. process: NULL of CPUs; what is LOOKed at goes nowhere. The outlet must
 * not be moved in memory any more. 0 or -ENOMEM.
 */
int hyb_outlet_select(struct hyb_outlet *o, const struct hyb_selection *s, struct hyb_excerpt_process *process,
		      enum hyb_excerpt_use use);
/* Here the next reading goes on; at the end, what comes after this does so only for that. An error is noted. */
void hyb_outlet_hold(struct hyb_outlet *o, bool end);
/* 0 or the first error; *events is how many were written, by the sink that wrote most. */
int hyb_outlet_close(struct hyb_outlet *o, uint64_t *events);

/* Out of line: a sink could not take an event. */
void hyb_outlet_fail(struct hyb_outlet *o, int err) __attribute__((cold));

/* Tells an event as it is; gathered attributes wait for the next one that takes them. */
static inline void hyb_outlet_tell(struct hyb_outlet *o, const struct hyb_merge_event *e)
{
	size_t i = 0;
	int ret;

	do {
		ret = o->ways[i].event(o->ways[i].state, e);
		if (__builtin_expect(ret, 0))
			hyb_outlet_fail(o, ret);
	} while (++i < o->count);
}

/* Out of line: room for more attributes. False without memory, which is noted. */
bool hyb_outlet_grow(struct hyb_outlet *o) __attribute__((cold));

/* For the next event told by hyb_outlet_tell_with. A damaged record may say something twice: the first counts. */
static inline void hyb_outlet_attribute(struct hyb_outlet *o, enum hyb_attribute_id id, uint64_t value)
{
	uint32_t i;

	for (i = 0; i < o->attribute_count; i++)
		if (o->attributes[i].id == id)
			return;
	if (__builtin_expect(o->attribute_count == o->attribute_room, 0) && !hyb_outlet_grow(o))
		return;
	o->attributes[o->attribute_count++] = (struct hyb_attribute){ id, value };
}

/* Tells an event with the attributes gathered, which are then gone. */
static inline void hyb_outlet_tell_with(struct hyb_outlet *o, struct hyb_merge_event *e)
{
	e->attributes = o->attributes;
	e->attribute_count = o->attribute_count;
	o->attribute_count = 0;
	hyb_outlet_tell(o, e);
}

#endif
