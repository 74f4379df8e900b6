/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages that commands write. */
#ifndef HYB_TOOLS_COMMON_PAGE_H
#define HYB_TOOLS_COMMON_PAGE_H

#include <stdio.h>

#define HYB_PAGE_UNREAD 1 /* what was to be written could not be read, which `write` has reported */

/*
 * Has the file written by `write`, which returns 0, -errno or HYB_PAGE_UNREAD: whole, or what was there stays; a device or a
 * pipe is written in place. Returns the same, and reports errors but -ENOMEM in the command's name.
 */
int hyb_page_write(const char *command, const char *path, int (*write)(const void *what, FILE *to), const void *what);

#endif
