/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens programs and libraries for elfutils. Their names come from a recording, so anything may be there; and elfutils
 * decompresses what is compressed, whole files and sections, into memory. For this folder only.
 */
#ifndef HYB_READER_SYMBOLS_OBJECT_FILE_H
#define HYB_READER_SYMBOLS_OBJECT_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * A descriptor; *st is the file's. -ENOEXEC: no ELF file of this kind of machine (64 bits, little-endian); -EFBIG: what
 * is compressed in it would be much larger than the file; -EINVAL: not a regular file; -errno.
 */
int hyb_object_file_open(const char *path, struct stat *st);
/* 0, -ENOEXEC or -EFBIG of what is open. */
int hyb_object_file_check(int fd);
/* What is wrong, from such an error. */
const char *hyb_object_file_error(int err);
/*
 * Whether elfutils may look for the debug information of `path` beside it: no file that it would open is a pipe or a
 * device, which it would wait for. link: what the file says its name is, or NULL.
 */
bool hyb_object_file_may_search(const char *path, const char *link);

#endif
