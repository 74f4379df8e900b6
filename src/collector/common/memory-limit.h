/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much of the kernel's memory a user may have for rings: as much as perf gives him, whatever the collector's file
 * may. That is kernel.perf_event_mlock_kb for each CPU, and RLIMIT_MEMLOCK beyond. Whoever has CAP_IPC_LOCK himself, as
 * root has, is not limited. Nor are collectors of the service, except with the source self: the service counts their
 * jobs and limits their buffers.
 */
#ifndef HYB_COLLECTOR_COMMON_MEMORY_LIMIT_H
#define HYB_COLLECTOR_COMMON_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* The service allows this process, whose job it counts, rings of so many bytes for each CPU. */
void hyb_memory_grant(uint64_t buffer);
bool hyb_memory_is_limited(void);
/* The capability that rings are opened with, 0: none. */
uint64_t hyb_memory_privilege(void);
/* What perf's rings of this process may have in all, if its user has no others. */
uint64_t hyb_memory_lockable(void);
/*
 * Takes so many bytes of what the user may have for all his collectors together. The kernel counts no memory of bpf
 * programs, and perf's rings for each process by itself. False: not as much is left. The bytes are given back when the
 * process ends, or when its source could not be opened.
 */
bool hyb_memory_take(uint64_t bytes);
void hyb_memory_give_back(void);
/*
 * The same for `count` rings, with `beside` bytes more for each: tries sizes from `wanted` down to `least`, each half
 * of the one before. The size that could be had, 0: none.
 */
uint64_t hyb_memory_take_rings(uint64_t count, uint64_t wanted, uint64_t least, uint64_t beside);

#endif
