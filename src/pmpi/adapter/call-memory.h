/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for as long as one call lasts, of any size and given back: hyb_alloc is for what stays. Part of the adapter,
 * for slow paths: each is a mapping.
 */
#ifndef HYB_PMPI_ADAPTER_CALL_MEMORY_H
#define HYB_PMPI_ADAPTER_CALL_MEMORY_H

#include <stddef.h>

#include "core/sys/sys.h"

/* What hyb_thread_scratch is used for here. */
enum hyb_scratch_use { HYB_SCRATCH_PENDINGS, HYB_SCRATCH_HANDLES };

struct hyb_call_memory {
	void *mapped;	/* NULL: nothing is */
	size_t size;
};

/* size bytes of zeroes, at least one, until hyb_call_memory_free; NULL: there is no memory. */
static inline void *hyb_call_memory_get(struct hyb_call_memory *room, size_t size)
{
	room->size = size ? size : 1;
	room->mapped = hyb_sys_map_anonymous(room->size, 0);
	return room->mapped;
}

static inline void hyb_call_memory_free(struct hyb_call_memory *room)
{
	if (room->mapped)
		hyb_sys_unmap(room->mapped, room->size);
	room->mapped = NULL;
}

#endif
