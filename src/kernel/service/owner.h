/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whose a user's number is: people have thousands of them by subordinate users and namespaces, and are served as one.
 */
#ifndef HYB_KERNEL_SERVICE_OWNER_H
#define HYB_KERNEL_SERVICE_OWNER_H

#include <sys/socket.h>

/*
 * Who answers for the process at the other end of a connected socket. 0; -EPERM: it is in a user namespace that this
 * process may not ask whose it is; -errno: it has ended.
 */
int hyb_owner_find(int connection, const struct ucred *peer, uid_t *owner);

#endif
