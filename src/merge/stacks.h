/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the program came to its calls, as texts that go with the Enter: as sites.h, whose texts these are among, with the
 * stacks of each process gathered while records are counted.
 */
#ifndef HYB_MERGE_STACKS_H
#define HYB_MERGE_STACKS_H

#include <stdint.h>

#include "reader/containers/table.h"

struct hyb_convert;
struct hyb_event;

/* What was told last of a region. */
struct hyb_convert_stack {
	uint64_t chunk;	 /* which one, counted through */
	uint32_t number; /* of the text, plus 1; 0: not known */
};

/* Of a process while it is read. */
struct hyb_convert_stacks {
	struct hyb_table texts; /* stacks, by their number, and that of their text */
	struct hyb_convert_stack *last; /* by region, below 65536; NULL: there are no stacks */
	uint64_t seq; /* of the thread's chunk */
	uint64_t chunk;
};

void hyb_convert_begin_stacks(struct hyb_convert *c);
/* 0 or -ENOMEM; after both, hyb_convert_free_stacks. */
int hyb_convert_end_stacks(struct hyb_convert *c);
void hyb_convert_free_stacks(struct hyb_convert *c);
/* A thread begins. */
void hyb_convert_begin_thread_stacks(struct hyb_convert *c);
/* The stack of an Enter or POLL. */
void hyb_convert_stack(struct hyb_convert *c, const struct hyb_event *event);

#endif
