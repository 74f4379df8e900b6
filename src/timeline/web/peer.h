/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose the processes are that connect to the server. */
#ifndef HYB_TIMELINE_WEB_PEER_H
#define HYB_TIMELINE_WEB_PEER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Whether another user of this machine, who is not root, has the socket `peer`, which is connected to our port. False, too,
 * where that is not known.
 */
bool hyb_peer_is_another(const struct sockaddr_in *peer, uint16_t port);

#endif
