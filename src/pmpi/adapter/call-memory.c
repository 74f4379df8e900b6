/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for one call; see room.h. */
#include "pmpi/adapter/call-memory.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/sys.h"

void *hyb_room_get(struct hyb_room *room, size_t size)
{
	long got;

	room->mapped = NULL;
	room->size = size ? size : 1;
	got = HYB_SYS(mmap, 0, room->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (got < 0 && got > -4096)
		return NULL;
	room->mapped = (void *)got;
	return room->mapped;
}

void hyb_room_end(struct hyb_room *room)
{
	if (room->mapped)
		HYB_SYS(munmap, room->mapped, room->size, 0, 0, 0, 0);
	room->mapped = NULL;
}
