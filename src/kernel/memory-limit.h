/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much of the kernel's memory a user may have for rings: as much as perf gives him, for each CPU
 * kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK beyond, whatever the collector's file may. Not limited are root, who
 * has CAP_IPC_LOCK himself, and the service's collectors of all but `self`, whose jobs and buffers the service counts.
 */
#ifndef HYB_KERNEL_MEMORY_LIMIT_H
#define HYB_KERNEL_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* The service gives it: rings of so many bytes for each CPU, of a job that it counts. */
void hyb_memory_grant(uint64_t buffer);
bool hyb_memory_is_limited(void);
/* The capability that rings are opened with; 0: none. */
uint64_t hyb_memory_privilege(void);
/* What perf's rings of this process may have in all, if its user has no others. */
uint64_t hyb_memory_lockable(void);
/*
 * Takes so much of what the user may have, with all his collectors, for memory that the kernel itself does not count as
 * his: that of programs in the kernel; of perf's rings it counts each process's by itself. False: there is not as much
 * left. It is given back when the process ends, or when its source could not be opened.
 */
bool hyb_memory_take(uint64_t bytes);
void hyb_memory_give_back(void);
/*
 * The same for as many rings: the largest size that is had of sizes down to least, each half of the one before; or 0.
 */
uint64_t hyb_memory_take_rings(uint64_t count, uint64_t wanted, uint64_t least, uint64_t beside);

#endif
