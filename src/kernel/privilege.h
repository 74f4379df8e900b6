/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the collector may do that its user may not, which it gives up as early as it can: events are opened with it, and
 * nothing else is done.
 */
#ifndef HYB_KERNEL_PRIVILEGE_H
#define HYB_KERNEL_PRIVILEGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/capability.h"

/* Finds out what this process has from who executed it, not from its file. Without this it is nothing. */
void hyb_privilege_start(void);
/* Whether the user has that capability himself. */
bool hyb_privilege_is_own(int capability);
/* Those of these capabilities that the user has himself. */
uint64_t hyb_privilege_own(uint64_t capabilities);

/* Gives up for good all capabilities but these, and whatever a program that is executed would bring. 0 or -errno. */
int hyb_privilege_keep(uint64_t capabilities);
/*
 * The same for a user's collector, once its events are open. Root's has his own rights over his files, and keeps them.
 */
int hyb_privilege_done(uint64_t capabilities);
/*
 * Becomes the user who is at the other end of the connected socket, with his groups, and keeps these capabilities. The
 * user has no hold on this process, as on others of his: it will have descriptors that are not for him. 0 or -errno.
 */
int hyb_privilege_become(int peer, uid_t uid, gid_t gid, uint64_t capabilities);

#endif
