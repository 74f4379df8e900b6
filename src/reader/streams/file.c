/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening what others may have put there; see file.h. */
#include "reader/streams/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/streams/chunk.h"

/* What is not a regular file. */
#define NO_FILE EINVAL

const char *hyb_file_error(int err)
{
	switch (err < 0 ? -err : err) {
	case ELOOP:
		return "is a link, which is not followed";
	case NO_FILE:
	case ENXIO: /* a socket */
		return "is no file";
	case EPERM:
		return "belongs to another user than the experiment";
	case EFBIG:
		return "is too large";
	}
	return strerror(err < 0 ? -err : err);
}

static int check(int fd, uid_t owner, uint64_t max, uint64_t *size)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -NO_FILE;
	if (owner != HYB_OWNER_ANY && st.st_uid != owner)
		return -EPERM;
	*size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
	return *size > max ? -EFBIG : 0;
}

static int open_checked(const char *path, uid_t owner, uint64_t max, uint64_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	int err = fd < 0 ? -errno : check(fd, owner, max, size);

	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

int hyb_file_open(const char *path, uid_t owner, uint64_t max)
{
	uint64_t size;

	return open_checked(path, owner, max, &size);
}

int hyb_file_read(const char *path, uid_t owner, size_t max, char **text, size_t *size)
{
	uint64_t length;
	int fd = open_checked(path, owner, max, &length);
	int64_t n = -ENOMEM;
	char *data;

	if (fd < 0)
		return fd;
	data = malloc(length + 1);
	if (data)
		n = hyb_chunk_pread(fd, data, length, 0);
	close(fd);
	if (n < 0) {
		free(data);
		return (int)n;
	}
	data[n] = 0;
	*text = data;
	*size = (size_t)n;
	return 0;
}

int hyb_file_owner(const char *path, uid_t *owner)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	*owner = st.st_uid;
	return 0;
}

DIR *hyb_file_directory(const char *path, uid_t owner)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	DIR *dir;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && (owner == HYB_OWNER_ANY || st.st_uid == owner)) {
		dir = fdopendir(fd);
		if (dir)
			return dir;
	} else {
		errno = EPERM;
	}
	close(fd);
	return NULL;
}

/* What is in the directory, which is given back. */
static void empty_directory(int fd)
{
	DIR *dir = fdopendir(fd);
	struct dirent *e;

	if (!dir) {
		close(fd);
		return;
	}
	while ((e = readdir(dir)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			hyb_file_remove_tree(fd, e->d_name);
	closedir(dir);
}

void hyb_file_remove_tree(int directory, const char *name)
{
	int fd;

	if (!unlinkat(directory, name, 0) || (errno != EISDIR && errno != EPERM))
		return;
	fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	empty_directory(fd);
	unlinkat(directory, name, AT_REMOVEDIR);
}
