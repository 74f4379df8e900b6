/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the sink that fills a store: a track while it is told, and lines between tracks. */
#ifndef HYB_TIMELINE_STORE_COLLECT_H
#define HYB_TIMELINE_STORE_COLLECT_H

#include <pthread.h>

#include "merge/sink/rates.h"
#include "merge/sink/sink.h"
#include "timeline/store/pack.h"
#include "timeline/store/tail.h"

struct hyb_sink {
	struct hyb_view_store *store;
	const struct hyb_merge *m;
	uint32_t wanted;
	bool thin; /* samples are told, and not all */
	struct hyb_view_tail *tail; /* of a job that may run; NULL: nobody goes on with it */
	const struct hyb_view_store *before; /* what it goes on with; NULL: with nothing */
	pthread_mutex_t lock; /* of the store's lists and details, and of the next one */
	struct hyb_collect_tools **tools; /* that no track has now */
	size_t tool_count;
	size_t tool_room;
};

/* What a track needs as long as it is told. */
struct hyb_collect_tools {
	struct hyb_view_packer *packer;
	struct hyb_overview overview;
};

struct hyb_collect_frame {
	uint64_t record; /* its number */
	uint32_t class;
	uint32_t detail;
};

struct hyb_collect_track {
	struct hyb_sink *sink;
	struct hyb_collect_tools *tools;
	struct hyb_view_packer *packer; /* of these, as is the next one */
	struct hyb_overview *overview; /* NULL: samples are told, or messages only */
	struct hyb_view_track own;
	size_t segment_room;
	size_t late_room;
	struct hyb_collect_frame *stack;
	size_t depth;
	size_t room;
	bool begun;
	bool paused;
	bool copied; /* it was over, and is as it was */
	bool goes_on; /* it is held from the run before, */
	bool quiet; /* and has got nothing new: it is as it was, unless what is open has gone on for long */
	uint32_t class; /* it is in now */
	uint64_t last;	/* the time up to which `passed` has it */
	uint64_t passed[HYB_VIEW_CLASSES];
	uint64_t before[HYB_VIEW_CLASSES]; /* the same where the sample began, if only samples are read */
	struct hyb_rates rates; /* its counters */
	struct hyb_collect_curve *curves;
	struct hyb_view_message *messages; /* NULL: there was none so far */
	uint32_t message_count;
	struct hyb_view_batch batch;
	uint32_t fill; /* of the segment */
	struct hyb_view_segment segment;
	struct hyb_view_outer outer;
	struct hyb_view_record records[HYB_VIEW_SEGMENT];
	uint32_t details[HYB_VIEW_SEGMENT];
};

/* tools.c: those that another track has given back, or new ones; NULL without memory. */
struct hyb_collect_tools *hyb_collect_take_tools(struct hyb_sink *s);
void hyb_collect_give_tools(struct hyb_sink *s, struct hyb_collect_tools *tools);
void hyb_collect_free_tools(struct hyb_sink *s);

/* Space in the store's file. */
static inline uint64_t hyb_collect_space(struct hyb_view_store *s, uint64_t size)
{
	return __atomic_fetch_add(&s->size, (size + 7) & ~UINT64_C(7), __ATOMIC_RELAXED);
}

/* The line that ends with this event on the track, if there is one. 0 or -errno, as has the next one. */
int hyb_collect_line(struct hyb_collect_track *t, const struct hyb_merge_event *e);
/* Those that have not been written so far. */
int hyb_collect_write_lines(struct hyb_collect_track *t);
/* Counters have these values. 0 or -errno, as has the next one. */
int hyb_collect_counters(struct hyb_collect_track *t, const struct hyb_merge_event *e);
/* The track ends at its last time: its curves are the store's. After an error, too. */
int hyb_collect_end_counters(struct hyb_collect_track *t);

#endif
