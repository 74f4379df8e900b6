/* SPDX-License-Identifier: BSD-3-Clause */
/* The job's sockets; see socket.h. */
#include "collector/common/socket.h"

#include "collector/common/map.h"
#include "collector/common/task.h"

static struct hyb_map sockets;

void hyb_socket_add(uint64_t socket)
{
	if (!hyb_map_get(&sockets, socket))
		hyb_map_put(&sockets, socket, &sockets);
}

bool hyb_socket_is_recorded(uint64_t socket)
{
	return hyb_tasks_all() || hyb_map_get(&sockets, socket);
}
