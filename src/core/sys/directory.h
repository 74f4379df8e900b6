/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a directory without libc: no memory, no descriptor that stays open. */
#ifndef HYB_CORE_SYS_DIRECTORY_H
#define HYB_CORE_SYS_DIRECTORY_H

#include <stdbool.h>

/* Returns true to end the reading. "." and ".." come, too. */
typedef bool (*hyb_directory_visitor)(const char *name, void *data);

/*
 * Calls the visitor for each name in what is open as fd, and closes that; a negative fd has no names. At most `reads`
 * times 8 KiB are read. True if a visitor ended it.
 */
bool hyb_directory_read(long fd, unsigned int reads, hyb_directory_visitor visit, void *data);

#endif
