/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sockets the job has sent and received by. The kernel sends again by a timer, whichever task is current then. */
#ifndef HYB_COLLECTOR_COMMON_SOCKET_H
#define HYB_COLLECTOR_COMMON_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

/* The job uses the socket with this address. */
void hyb_socket_add(uint64_t socket);
/* Whether what happens to it is recorded: it is the job's, or the details of all tasks are. */
bool hyb_socket_is_recorded(uint64_t socket);

#endif
