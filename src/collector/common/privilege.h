/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capabilities of the collector that its user lacks. It opens events with them, does nothing else with them, and gives
 * them up as early as it can.
 */
#ifndef HYB_COLLECTOR_COMMON_PRIVILEGE_H
#define HYB_COLLECTOR_COMMON_PRIVILEGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/sys/capability.h"

/* Finds out which capabilities come from who executed this process, not from its file. Before this: none. */
void hyb_privilege_start(void);
/* Whether the user has the capability himself. */
bool hyb_privilege_is_own(int capability);
/* Those of these capabilities that the user has himself. */
uint64_t hyb_privilege_own(uint64_t capabilities);

/* Gives up for good all capabilities but these, and those that executing a program would give. 0 or -errno. */
int hyb_privilege_keep(uint64_t capabilities);
/*
 * The same for a user's collector. Root's collector keeps root's rights, which it has over root's files, too.
 */
int hyb_privilege_done(uint64_t capabilities);
/*
 * Becomes the user at the other end of the connected socket, with his groups, and keeps these capabilities. The user
 * cannot trace this process as he can his others, since it will have descriptors that are not for him. 0 or -errno.
 */
int hyb_privilege_become(int peer, uid_t uid, gid_t gid, uint64_t capabilities);

#endif
