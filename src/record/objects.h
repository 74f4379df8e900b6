/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of the process, the program and its libraries, as far as something is recorded of places in them. Each is
 * defined when the first such place is seen: a library may be loaded at any time, and be gone at the end. Where a place
 * is in the source is found out from its address when the trace is read.
 */
#ifndef HYB_RECORD_OBJECTS_H
#define HYB_RECORD_OBJECTS_H

#include <stdint.h>

#include "base/compiler.h"

/* The number of the object that an address lies in, 0: none that is known. Keeps errno; on slow paths only. */
uint32_t hyb_object_of(uint64_t address);

/*
 * Sees to it that the object is defined that an address of the program lies in, and notes where this one is in memory, for
 * the calling thread: see hyb_stand. Keeps errno.
 */
HYB_EXPORT void hyb_site_new(uint64_t site) HYB_COLD;

#endif
