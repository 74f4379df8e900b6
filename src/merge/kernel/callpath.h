/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a sample is: the regions that are open joined with its call chain, the outermost first. A region of MPI stands
 * where the chain goes through a library of ours, so what the MPI's library does lies in it. Other regions have no
 * place in the chain: they stand before it. What the kernel does is the innermost.
 */
#ifndef HYB_MERGE_KERNEL_CALLPATH_H
#define HYB_MERGE_KERNEL_CALLPATH_H

#include <stddef.h>
#include <stdint.h>

#include "merge/kernel/chains.h"
#include "merge/model/region.h"

/* One of the two. */
struct hyb_path_node {
	const struct hyb_gregion *region;
	const struct hyb_frame *frame;
};

struct hyb_callpath { /* all zeroes at first; used again and again */
	struct hyb_path_node *nodes;
	size_t count;
	size_t room;
};

/* chain: UINT32_MAX: there is none. 0 or -ENOMEM. */
int hyb_callpath_join(struct hyb_callpath *path, const struct hyb_gregion *const *open, size_t depth,
		      const struct hyb_chains *chains, uint32_t chain);
void hyb_callpath_free(struct hyb_callpath *path);

#endif
