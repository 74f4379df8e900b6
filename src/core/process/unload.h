/* SPDX-License-Identifier: BSD-3-Clause */
/* Libraries that the program unloads. */
#ifndef HYB_CORE_PROCESS_UNLOAD_H
#define HYB_CORE_PROCESS_UNLOAD_H

/*
 * When the library is loaded: what is to be called, too, when one that came after the start is about to be unloaded, and
 * `object` lies in it. The dynamic linker's lock is held.
 */
void hyb_unload_also(void (*goes)(const void *object));

#endif
