/* SPDX-License-Identifier: BSD-3-Clause */
/* The same done for each of many items by several threads, where one after the other would take long. */
#ifndef HYB_READER_CONTAINERS_PARALLEL_H
#define HYB_READER_CONTAINERS_PARALLEL_H

#include <stddef.h>

/*
 * Calls one(arg, i) for each i below `count`, in any order and from several threads at once: as many as this process
 * has CPUs, 8 at most; of few items, or where no thread can be made, from the caller alone. 0, or the first value other
 * than 0 that a call returned; items that had not begun by then are left out.
 */
int hyb_parallel(size_t count, int (*one)(void *arg, size_t i), void *arg);

#endif
