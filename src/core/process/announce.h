/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How others find a running process's manifest by its number: a link in /dev/shm to its directory, named after user,
 * pid namespace and process. The end of a child that its parent saw is written there.
 */
#ifndef HYB_CORE_PROCESS_ANNOUNCE_H
#define HYB_CORE_PROCESS_ANNOUNCE_H

#include <stdbool.h>

/* Whether process `pid`, of this one's namespace, is announced, by whomever. Keeps errno; takes little stack. */
bool hyb_announce_is_known(long pid);
/* The child `pid` has ended as `how` says: written into its manifest, unless that knows of an end; its link goes. */
void hyb_announce_ended(long pid, const char *how);
/* Takes away the links of this user and namespace whose processes have been gone for some time, some at least. */
void hyb_announce_tidy(void);

#endif
