/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages that commands write. */
#ifndef HYB_TOOLS_PAGE_H
#define HYB_TOOLS_PAGE_H

#include <stdio.h>

/*
 * Makes the file and has it written by `write`, which returns 0 or -errno. What was not written in full is not left
 * behind; a device is. 0 or -errno, said in the command's name, but for -ENOMEM.
 */
int hyb_page_write(const char *command, const char *path, int (*write)(const void *what, FILE *to), const void *what);

#endif
