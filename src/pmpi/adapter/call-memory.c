/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for one call; see call-memory.h. */
#include "pmpi/adapter/call-memory.h"

#include "core/sys/sys.h"

void *hyb_call_memory_get(struct hyb_call_memory *room, size_t size)
{
	room->size = size ? size : 1;
	room->mapped = hyb_sys_map_anonymous(room->size, 0);
	return room->mapped;
}

void hyb_call_memory_free(struct hyb_call_memory *room)
{
	if (room->mapped)
		hyb_sys_unmap(room->mapped, room->size);
	room->mapped = NULL;
}
