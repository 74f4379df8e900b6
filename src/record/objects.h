/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of the process, the program and its libraries, as far as something is recorded of places in them. Each is
 * defined when the first such place is seen: a library may be loaded at any time, and be gone at the end. Where a place
 * is in the source is found out from its address when the trace is read.
 */
#ifndef HYB_RECORD_OBJECTS_H
#define HYB_RECORD_OBJECTS_H

#include <stdint.h>

/* The number of the object that an address lies in, 0: none that is known. Keeps errno; on slow paths only. */
uint32_t hyb_object_of(uint64_t address);

#endif
