/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps on disk. A thread's come nearly in the order of time, so that they are written as they come, in few lanes each of
 * which is in order, and reading merges all lanes. A step takes some 15 bytes: what it has, relative to the one before.
 * Memory is a block for each lane of the threads that are written at the time; the file is read by a map.
 */
#ifndef HYB_ANALYSIS_WAITS_STEP_LOG_H
#define HYB_ANALYSIS_WAITS_STEP_LOG_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/containers/heap.h"

struct hyb_step;
struct hyb_step_item;
struct hyb_step_source; /* a lane that is read */

struct hyb_step_log {
	int fd;
	uint64_t end;	      /* of the file; atomic */
	pthread_mutex_t lock; /* of sources */
	struct hyb_step_source *sources;
	size_t source_count;
	size_t source_room;
	struct hyb_heap heap;	     /* of sources */
	struct hyb_step_item *items; /* of the step that was read */
	uint32_t *spots;	     /* what number each spot has by now; to be freed; NULL: as they were written */
	size_t item_room;
	char *map;
	size_t map_size;
	size_t read; /* of it, since it was let go */
};

struct hyb_step_lane {
	int64_t time; /* its last step */
	uint8_t kind;
	uint64_t first; /* place of its first block, */
	uint64_t place; /* and of the one that is being filled */
	size_t room;	/* in that */
	size_t used;
	size_t memory;
	uint8_t *block;
};

struct hyb_step_lanes { /* of a thread */
	struct hyb_step_log *log;
	struct hyb_step_lane *lanes;
	size_t count;
	size_t room;
};

/* `dir` is for the file, which has no name. 0 or -errno; after either, hyb_step_log_free. */
int hyb_step_log_init(struct hyb_step_log *log, const char *dir);
void hyb_step_log_free(struct hyb_step_log *log);
/* Writes a step, with step->count items. 0 or -errno. */
int hyb_step_lanes_put(struct hyb_step_lanes *lanes, const struct hyb_step *step,
		       const struct hyb_step_item *items);
/* Ends the thread's lanes. 0 or -errno. */
int hyb_step_lanes_close(struct hyb_step_lanes *lanes, uint32_t track);
/* When all are closed: reading begins, or begins anew. 0 or -errno. */
int hyb_step_log_rewind(struct hyb_step_log *log);
/*
 * 1 and the next step of all, by time, kind and track, then as the thread had them; its items are valid until the next
 * call. 0: there are no more; -ENOMEM.
 */
int hyb_step_log_next(struct hyb_step_log *log, struct hyb_step *step);

#endif
