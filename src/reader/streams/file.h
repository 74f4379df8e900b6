/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one way in which files and directories of an experiment are opened. Experiments lie where others may write, too:
 * what is there may be a pipe that nobody writes to, a link to anywhere, or another user's.
 */
#ifndef HYB_READER_STREAMS_FILE_H
#define HYB_READER_STREAMS_FILE_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HYB_OWNER_ANY ((uid_t)-1)

/*
 * Opens a regular file for reading that belongs to `owner` and has at most `max` bytes; the last part of path must be
 * no link. Never waits. A descriptor, or -errno: hyb_file_error says what that means here.
 */
int hyb_file_open(const char *path, uid_t owner, uint64_t max);
/* All of such a file, with a zero byte behind it, to be freed. 0 or -errno. */
int hyb_file_read(const char *path, uid_t owner, size_t max, char **text, size_t *size);
/* A directory of that owner, to be read. NULL: errno says why. */
DIR *hyb_file_directory(const char *path, uid_t owner);
/* Whose a directory is, links followed. 0 or -errno. */
int hyb_file_owner(const char *path, uid_t *owner);
/* Removes `name` below the directory with all that is in it, following no link. */
void hyb_file_remove_tree(int directory, const char *name);
/* What is wrong with a file that could not be opened, for people. */
const char *hyb_file_error(int err);

#endif
