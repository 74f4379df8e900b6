/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the profile of a thread, also while the program runs, after it was killed, and where the file is damaged.
 * What the thread has recorded since its last full chunk is in it. Of a thread that was recorded as a trace it is made
 * from that.
 */
#ifndef HYB_READER_STREAMS_PROFILE_H
#define HYB_READER_STREAMS_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/calltree/tree.h"
#include "reader/streams/defs.h"
#include "reader/streams/diag.h"

struct hyb_thread_profile {
	struct hyb_profile tree; /* as format/profile.h says; everything in it has ended */
	uint32_t open;		 /* regions that had not, and end here as if they had */
	bool closed;		 /* the thread ended in good order */
	bool torn;		 /* it was killed while it added up: one call may be counted twice, or in part */
	uint64_t begin;		 /* raw counter */
	uint64_t end;		 /* when the thread ended, otherwise its last record */
	char name[64];		 /* of the thread, may be empty */
};

/*
 * The profile of the thread whose stream is at path, a file of that owner, in a process with these definitions (NULL: none).
 * 0 and *profile, to be given to hyb_thread_profile_free; otherwise -errno, reported.
 */
int hyb_thread_profile_read(const char *path, uid_t owner, const struct hyb_defs *defs, const struct hyb_diag *diag,
			    struct hyb_thread_profile **profile);
/* The object in which a node's site lies, NULL: not known. */
const struct hyb_object *hyb_thread_profile_object(const struct hyb_profile_node *node, const struct hyb_defs *defs);
/* NULL is fine. */
void hyb_thread_profile_free(struct hyb_thread_profile *profile);

/* The nodes, one after the other: 0 to begin with, and 0 after the last one. Parents come after their children. */
static inline uint32_t hyb_thread_profile_next(const struct hyb_thread_profile *p, uint32_t node)
{
	return node ? hyb_profile_node(&p->tree, node)->before : p->tree.header->state.nodes.last;
}

#endif
