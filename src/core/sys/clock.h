/* SPDX-License-Identifier: BSD-3-Clause */
/* Ties the raw counter to the kernel's clocks. */
#ifndef HYB_CORE_SYS_CLOCK_H
#define HYB_CORE_SYS_CLOCK_H

#include "format/format.h"

/*
 * One reading of the counter and the three clocks, as nearly at the same moment as the best of many tries
 * gets it: 15 ns on a quiet machine. Takes some microseconds. Thread-safe, keeps errno.
 */
void hyb_clock_read(struct hyb_def_clock *clock);
/*
 * CLOCK_MONOTONIC_RAW in nanoseconds, without the time namespace's offset: what events of the kernel are stamped with.
 */
uint64_t hyb_clock_raw(void);
/*
 * Nanoseconds by which CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW of this process are ahead of the machine's, since it
 * lives in a time namespace (time_namespaces(7)); usually 0. Everything in this file and in streams is the machine's
 * time, so that processes of several namespaces and the kernel have one. Thread-safe; the first call reads it from
 * /proc.
 */
int64_t hyb_clock_offset(void);
/* Counter ticks in about a second; only for deciding when to look again. */
uint64_t hyb_clock_second(void);
uint32_t hyb_clock_kind(void);	/* enum hyb_counter_kind */

#endif
