/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of the program's stack, as far as they are defined: each with the one that called it. */
#ifndef HYB_READER_STREAMS_FRAME_H
#define HYB_READER_STREAMS_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "reader/streams/stream.h"

struct hyb_id_map;

struct hyb_caller {
	uint64_t id;
	uint64_t address;	/* behind the call */
	uint64_t object;	/* that it lies in, 0: none */
	size_t caller;		/* place of the next one outwards, which is before this one; SIZE_MAX: it is the last */
	enum hyb_frame_end end; /* of the last one */
};

/* Those of a process; all zero: none. */
struct hyb_callers {
	struct hyb_caller *list; /* in order of definition */
	size_t count;
	size_t room;
	struct hyb_id_map *map; /* id -> place */
};

/* The frame with that id, or NULL. */
const struct hyb_caller *hyb_callers_find(const struct hyb_callers *c, uint64_t id);
/* Who called it, or NULL. */
static inline const struct hyb_caller *hyb_callers_next(const struct hyb_callers *c, const struct hyb_caller *frame)
{
	return frame->caller == SIZE_MAX ? NULL : &c->list[frame->caller];
}

/*
 * The stack that is told with an Enter or POLL: the id of its innermost frame, 0: not known. False: none is told, so it
 * is that of the last one of that region in the chunk.
 */
bool hyb_callers_told(const struct hyb_event *e, uint64_t *id);
/* Of the library: takes in a HYB_DEF_FRAME. 0, -EBADMSG: it makes no sense, or -ENOMEM. */
int hyb_callers_add(struct hyb_callers *c, const struct hyb_event *e);
void hyb_callers_free(struct hyb_callers *c);

#endif
