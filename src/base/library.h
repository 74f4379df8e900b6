/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file that this code was loaded from: libhybmon.so; and what is installed with it. The dynamic linker is asked,
 * which takes its lock.
 */
#ifndef HYB_BASE_LIBRARY_H
#define HYB_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* Asks the dynamic linker now, so that hyb_library_base and hyb_library_beside need not. Any number of times. */
void hyb_library_look(void);
/* Where the library is loaded; 0: it cannot be told. */
uintptr_t hyb_library_base(void);
/* Whether the code or data at an address is the library's own. Always asks. */
HYB_EXPORT bool hyb_library_has(const void *address);
/*
 * The path of an adapter or of the collector: in HYBMON_ADAPTER_DIR, otherwise in the folder hybmon beside the library,
 * so that an installed tree can be moved. A library that was named by a relative path was found from start_dir; "":
 * the path stays relative. False, with "" in buf, where it does not fit or the library's own path cannot be told.
 */
bool hyb_library_beside(char *buf, size_t size, const char *start_dir, const char *name);

#endif
