/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages that commands write. */
#ifndef HYB_TOOLS_PAGE_H
#define HYB_TOOLS_PAGE_H

#include <stdio.h>

/*
 * Has the file written by `write`, which returns 0 or -errno: whole, or what was there stays; a device or a pipe is written
 * in place. 0 or -errno, said in the command's name, but for -ENOMEM.
 */
int hyb_page_write(const char *command, const char *path, int (*write)(const void *what, FILE *to), const void *what);

#endif
