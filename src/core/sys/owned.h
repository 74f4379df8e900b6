/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Directories and files in places that others may write to, such as /tmp. Who can write in a directory can put links
 * and directories of his own where ours are looked for, at any moment. So everything below the directory that the user
 * named is opened relative to the descriptor of the one above it, no link is followed, and what comes open must be this
 * user's. What has to be opened by its path again must be the same that it was.
 */
#ifndef HYB_CORE_SYS_OWNED_H
#define HYB_CORE_SYS_OWNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hyb_identity {
	uint64_t device;
	uint64_t inode;
	uint32_t owner;
};

/* Instead of -errno: there is something, but it is another user's; or is not of the kind that was expected. */
#define HYB_FOREIGN	(-EOWNERDEAD)
#define HYB_STRANGE	(-EBADMSG)

/* Of a directory made here: whatever the umask, nobody but the user and perhaps his group may write in it. */
#define HYB_OWNED_MODE	0775

/* The directory at `path`, for use with the functions below only; links are followed: the user named it. */
long hyb_owned_named(const char *path);
/* Makes the directory `name` in `at`, where the user himself has all rights, whatever the umask. 0 or -errno. */
long hyb_owned_make(long at, const char *name, int mode);
/* `name` in the directory `at`, likewise, if it is a directory, no link, and this user's. */
long hyb_owned_directory(long at, const char *name, struct hyb_identity *identity);
/* The directory at `path` if it is the one that `identity` tells; -ESTALE: it is not. */
long hyb_owned_again(const char *path, const struct hyb_identity *identity);
/* A new file `name`, open for writing, which the user himself may read and write; what is there already is -EEXIST. */
long hyb_owned_create(long directory, const char *name, int flags, struct hyb_identity *identity);
/* A regular file that is there, of the user `owner`. Opening it never waits. */
long hyb_owned_file(long directory, const char *name, int flags, uint32_t owner);
/* What the link `name` holds, if this user made it: its length, or -errno. AT_FDCWD serves for /dev/shm, too. */
long hyb_owned_link(long directory, const char *name, char *buf, size_t size);

#endif
