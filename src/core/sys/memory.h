/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for the library's own tables, from mmap and not from the program's malloc, which may be replaced,
 * counted, or in use by the very call that led here. What is had is never given back: tables grow with
 * what the program has at once, not with time.
 */
#ifndef HYB_CORE_SYS_MEMORY_H
#define HYB_CORE_SYS_MEMORY_H

#include <stddef.h>

#include "core/sys/compiler.h"

/* size bytes of zeroes, aligned to 16, or NULL. Thread-safe, lock-free, keeps errno. */
HYB_EXPORT void *hyb_alloc(size_t size);
/*
 * The same, but with nothing else in its cache lines, whoever writes that: for what one thread uses at each event.
 * HYB_APART: two lines, since processors fetch them in pairs.
 */
#define HYB_APART 128
void *hyb_alloc_apart(size_t size);

#endif
