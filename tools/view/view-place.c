/* SPDX-License-Identifier: BSD-3-Clause */
/* See view-place.h. */
#include "tools/view/view-place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "reader/streams/file.h"
#include "reader/streams/printable.h"

#define PREFIX "hybmon-view-"
#define FRESH  10 /* s: who has just made one may not have locked it yet */

/* This user's directory, which no viewer has locked: a descriptor that has it locked then, or -1. */
static int open_left(int tmp, const char *name)
{
	int fd = openat(tmp, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct timespec now;
	struct stat st;

	if (fd < 0)
		return -1;
	clock_gettime(CLOCK_REALTIME, &now);
	if (!fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & (S_IRWXG | S_IRWXO)) &&
	    now.tv_sec - st.st_ctime > FRESH && !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	close(fd);
	return -1;
}

/* Others may write in `tmp`, but cannot replace what is this user's. */
static void remove_left(const char *tmp)
{
	DIR *dir = opendir(tmp);
	struct dirent *e;
	int fd;

	while (dir && (e = readdir(dir))) {
		if (strncmp(e->d_name, PREFIX, strlen(PREFIX)))
			continue;
		fd = open_left(dirfd(dir), e->d_name);
		if (fd < 0)
			continue;
		hyb_file_remove_tree(dirfd(dir), e->d_name);
		close(fd);
	}
	if (dir)
		closedir(dir);
}

bool hyb_view_place_make(struct hyb_place_of_view *place, const char *tmp)
{
	static bool looked, said;

	place->lock = -1;
	if (!__atomic_exchange_n(&looked, true, __ATOMIC_RELAXED))
		remove_left(tmp);
	snprintf(place->path, sizeof(place->path), "%s/" PREFIX "XXXXXX", tmp);
	if (mkdtemp(place->path)) {
		place->lock = open(place->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (place->lock >= 0)
			flock(place->lock, LOCK_EX | LOCK_NB);
		return true;
	}
	if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		hyb_show(stderr, "hybmon view: cannot make the directory %s: %s; set TMPDIR\n", place->path, strerror(errno));
	*place->path = 0;
	return false;
}

void hyb_view_place_remove(struct hyb_place_of_view *place)
{
	if (*place->path)
		rmdir(place->path);
	if (place->lock >= 0)
		close(place->lock);
}
