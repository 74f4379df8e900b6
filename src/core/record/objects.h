/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of the process, the program and its libraries, as far as something is recorded of places in them. Each is
 * defined when the first such place is seen: a library may be loaded at any time, and be gone at the end. Where a place
 * is in the source is found out from its address when the trace is read.
 */
#ifndef HYB_CORE_RECORD_OBJECTS_H
#define HYB_CORE_RECORD_OBJECTS_H

#include <stdint.h>

#include "core/sys/compiler.h"
#include "core/record/object-list.h"
#include "core/unwind/unwind.h"

/* The number of the object that an address lies in, 0: none that is known. Keeps errno; on slow paths only. */
uint32_t hyb_object_of(uint64_t address);
/* The same, without a lock where the object is known already. */
uint32_t hyb_object_now(uint64_t address);
/*
 * The same number each time that a library is loaded where it was before, so that what was defined of it holds again; 0:
 * none that is known.
 */
uint32_t hyb_object_kind(uint64_t address);
/* Its path, NULL: not known. Defines it, too; the text stays. On slow paths only. */
const char *hyb_object_path(uint64_t address);

/* The same with the object's unwind tables. Looked up where it is known already: without a lock then. */
uint32_t hyb_object_tables(uint64_t address, struct hyb_unwind_tables *tables);

/*
 * After a library was unloaded: another one may be where it was, so that what is known of objects is looked up again.
 * Before hyb_threads_forget_sites (thread.h).
 */
void hyb_objects_unloaded(void);

#endif
