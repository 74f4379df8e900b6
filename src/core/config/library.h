/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file that this code was loaded from: libhybmon.so; and what is installed with it. The dynamic linker is asked,
 * which takes its lock.
 */
#ifndef HYB_CORE_CONFIG_LIBRARY_H
#define HYB_CORE_CONFIG_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sys/compiler.h"

/* From the constructor: what is preloaded, as LD_PRELOAD has it, or NULL. */
void hyb_library_start(const char *list);
/* Asks the dynamic linker now, so that hyb_library_base and hyb_library_beside need not. Any number of times. */
void hyb_library_look(void);
/* Where the library is loaded; 0: it cannot be told. */
uintptr_t hyb_library_base(void);
/* Whether the code or data at an address is the library's own. Always asks. */
HYB_EXPORT bool hyb_library_has(const void *address);
/*
 * Whether what lies at an address stays as long as the process does: the program itself and what came with it. What was
 * loaded by dlopen may be unloaded. Always asks.
 */
bool hyb_library_stays(const void *address);
/* Whether it was ever false. */
bool hyb_library_any_passes(void);
/* Hybmon came with a library that dlopen brought: nothing tells it then that others are unloaded. */
bool hyb_library_is_late(void);
/*
 * Raised when a library is about to be unloaded, and when it was. Who keeps an address in what may be unloaded keeps this
 * number from before it was found, and looks for it again where it has changed. Loaded with acquire; never 0.
 */
extern uint32_t hyb_unload_turn;
void hyb_library_raise_turn(void);
/* How many libraries were unloaded so far. */
unsigned long long hyb_library_unloads(void);
/* dlclose, of the program's handles and of our own. Raises the turn where something was unloaded. */
int hyb_library_close(void *handle);
/*
 * The path of an adapter or of the collector: in HYBMON_ADAPTER_DIR, otherwise in the folder hybmon beside the library,
 * so that an installed tree can be moved. A library that was named by a relative path was found from start_dir; "":
 * the path stays relative. False, with "" in buf, where it does not fit or the library's own path cannot be told.
 */
bool hyb_library_beside(char *buf, size_t size, const char *start_dir, const char *name);

#endif
