/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who owns a user's number. Subordinate users and namespaces give a user thousands of numbers; limits count him once.
 */
#ifndef HYB_COLLECTOR_SERVICE_OWNER_H
#define HYB_COLLECTOR_SERVICE_OWNER_H

#include <sys/socket.h>

/*
 * Finds who owns the process at the other end of a connected socket. 0; -EPERM: it is in a user namespace, and this
 * process may not ask who made that; -errno: it has ended.
 */
int hyb_owner_find(int connection, const struct ucred *peer, uid_t *owner);

#endif
