/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sink takes what the merge found out and makes an output of it. The merge opens a track, tells its events, closes
 * it, and goes on to the next one: a track is told by one thread, several tracks at once by several. When all are told,
 * the model is complete, and the sink writes its definitions and ends its output. A run without sinks counts only.
 */
#ifndef HYB_MERGE_SINK_SINK_H
#define HYB_MERGE_SINK_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "merge/sink/event.h"

struct hyb_merge;

enum hyb_track_kind {
	HYB_TRACK_THREAD, /* of a process */
	HYB_TRACK_CPU,	  /* of a node: which task it ran, and interrupts */
};

/* A thread's events, or a CPU's. */
struct hyb_track {
	enum hyb_track_kind kind;
	size_t index; /* from 0, the same in each run; by process and thread, then by node and CPU */
	uint64_t location; /* unique number: of threads stream << 32 | group of the process, of CPUs the group */
	size_t process;	   /* of a thread: index into the processes, and of the thread in them */
	size_t thread;
	size_t node; /* of a CPU: index into the kernel's nodes, and of the CPU in it */
	size_t cpu;
};

struct hyb_sink;

/* What a sink wants to know, or-ed; more than is wanted costs readings. */
enum hyb_sink_need {
	HYB_NEED_PAIRS = 1, /* numbers of messages and collective operations, and the times of the others */
	HYB_NEED_SAMPLES = 2, /* HYB_KIND_SAMPLE */
};

struct hyb_sink_ops {
	const char *name; /* as in --to=NAME */
	/* Files and directories that it makes in hyb_output's `tmp`, NULL at the end. The last one appears last. NULL: none. */
	const char *const *parts;
	uint32_t needs;		  /* enum hyb_sink_need */
	void *arg;		  /* for begin: what the sink is made of */
	/* Before any track is opened: makes the sink. 0 or -errno, errors are said. */
	int (*begin)(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink);
	/* Of any thread. 0 or -errno. The state NULL: the sink does not want the track's events. */
	int (*open)(struct hyb_sink *sink, const struct hyb_track *track, void **state);
	/* One event. 0 or -errno, after which there are no more. */
	int (*event)(void *state, const struct hyb_merge_event *e);
	/*
	 * Of a run with a tail, of a track that may go on here; NULL: nobody minds. At its end: the rest of its events come
	 * only since what is recorded so far ends here. 0 or -errno.
	 */
	int (*hold)(void *state, bool end);
	/* Ends the track, also to give up. 0 or -errno; *events is how many it wrote. */
	int (*close)(void *state, uint64_t *events);
	/* After the last track: definitions, and what is left; NULL: nothing is. 0 or -errno. The parts are moved then. */
	int (*end)(struct hyb_sink *sink);
	/* Of a sink with hyb_parts_begin and hyb_parts_end (parts.h): writes what comes before all events. 0 or -errno. */
	int (*define)(const struct hyb_sink *sink, FILE *to);
	/* After `end`, or without. NULL: nothing is to be freed. */
	void (*free)(struct hyb_sink *sink);
};

/* The part that one opens: the last one. */
static inline const char *hyb_sink_main_part(const struct hyb_sink_ops *ops)
{
	size_t i = 0;

	while (ops->parts[i + 1])
		i++;
	return ops->parts[i];
}

#endif
