/* SPDX-License-Identifier: BSD-3-Clause */
/* Begins, commits and discards what a run writes; see output.h. */
#include "merge/sink/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "reader/streams/file.h"

#define TMP_PREFIX ".hybmon-merge-"

static int fail(struct hyb_output *o, const char *what, const char *path)
{
	int err = errno;

	hyb_diag_say(o->diag, HYB_SEV_ERROR, "cannot %s %s: %s", what, path, strerror(err));
	return -err;
}

static char *join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

bool hyb_output_exists(const char *dir, const char *const *parts)
{
	struct stat st;
	bool found = false;
	char *path;
	size_t i;

	for (i = 0; parts[i] && !found; i++) {
		path = join(dir, parts[i]);
		found = path && lstat(path, &st) == 0;
		free(path);
	}
	return found;
}

/* A directory there that is this user's and nobody else may write in. */
static int open_own(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err = -EPERM;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	close(fd);
	return err;
}

/*
 * Removes what a merge of this user that was killed left behind: its lock is gone with it. What others call so is
 * theirs.
 */
static void remove_stale(int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, TMP_PREFIX, sizeof(TMP_PREFIX) - 1))
			continue;
		fd = open_own(dir, e->d_name);
		if (fd < 0)
			continue;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			hyb_file_remove_tree(dir, e->d_name);
		close(fd);
	}
	if (d)
		closedir(d);
}

/* Makes a directory of a new name, and opens it: -EPERM where somebody put another one there meanwhile. */
static int make_new(struct hyb_output *o)
{
	unsigned int tries;
	uint64_t number;

	for (tries = 0; tries < 100; tries++) {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -EIO;
		snprintf(o->name, sizeof(o->name), TMP_PREFIX "%08lx", (unsigned long)(number & 0xffffffff));
		if (!mkdirat(o->dir_fd, o->name, 0700)) {
			o->lock = open_own(o->dir_fd, o->name);
			return o->lock < 0 ? o->lock : 0;
		}
		if (errno != EEXIST)
			break;
	}
	return -errno;
}

/*
 * All that is written and moved goes by descriptors: the names may come to mean something else where others may write
 * in the directory, or own it. The library wants a path, which /proc has for the descriptor.
 */
static int make_tmp(struct hyb_output *o)
{
	int err;

	if (mkdir(o->dir, 0777) == 0)
		o->made_dir = true;
	else if (errno != EEXIST)
		return fail(o, "make the directory", o->dir);
	o->dir_fd = open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (o->dir_fd < 0)
		return fail(o, "write in", o->dir);
	remove_stale(o->dir_fd);
	err = make_new(o);
	if (err) {
		errno = -err;
		return fail(o, "write in", o->dir);
	}
	flock(o->lock, LOCK_EX | LOCK_NB);
	__atomic_store_n(&o->begun, true, __ATOMIC_RELEASE); /* pairs with hyb_output_abandon's load */
	if (asprintf(&o->tmp, "/proc/self/fd/%d", o->lock) < 0) {
		o->tmp = NULL;
		return -ENOMEM;
	}
	if (access(o->tmp, F_OK)) {
		free(o->tmp);
		o->tmp = join(o->dir, o->name);
	}
	return o->tmp ? 0 : -ENOMEM;
}

int hyb_output_begin(struct hyb_output *o, const char *dir, bool force, const char *const *parts,
		     const struct hyb_diag *diag)
{
	memset(o, 0, sizeof(*o));
	o->lock = o->dir_fd = -1;
	pthread_mutex_init(&o->end_lock, NULL);
	o->diag = diag;
	o->force = force;
	o->parts = parts;
	o->dir = strdup(dir);
	if (!o->dir)
		return -ENOMEM;
	if (!force && hyb_output_exists(dir, parts)) {
		hyb_diag_say(
			diag, HYB_SEV_ERROR,
			"%s already holds an archive: --force replaces it, -o writes elsewhere",
			dir);
		return -EEXIST;
	}
	return make_tmp(o);
}

/* Where something is already, and shall stay: not on all file systems. */
static int rename_new(int from, const char *name, int to, const char *new_name)
{
	int ret = (int)syscall(SYS_renameat2, from, name, to, new_name, RENAME_NOREPLACE);

	return ret && (errno == EINVAL || errno == ENOSYS) ? renameat(from, name, to, new_name) : ret;
}

/* Moves one part from one directory to another; what is not there need not be moved. */
static int move_part(struct hyb_output *o, int from, int to, const char *name, const char *new_name)
{
	char target[512];

	if (!rename_new(from, name, to, new_name) || errno == ENOENT)
		return 0;
	snprintf(target, sizeof(target), "%s in %s", new_name, o->dir);
	return fail(o, "rename to", target);
}

static size_t count_parts(const struct hyb_output *o)
{
	size_t n = 0;

	while (o->parts[n])
		n++;
	return n;
}

static void old_name(char *buf, size_t size, const char *part)
{
	snprintf(buf, size, "old-%s", part);
}

/* Where they were, as far as they were moved: parts from `first` on. */
static void move_back(struct hyb_output *o, size_t first)
{
	char name[64];

	for (size_t i = first; o->parts[i]; i++) {
		old_name(name, sizeof(name), o->parts[i]);
		rename_new(o->lock, name, o->dir_fd, o->parts[i]);
	}
}

/*
 * The old archive's anchor goes first, so that it never looks complete with parts of the new one.
 */
static int move_old(struct hyb_output *o)
{
	char name[64];
	size_t i;
	int ret;

	for (i = count_parts(o); i-- > 0;) {
		old_name(name, sizeof(name), o->parts[i]);
		ret = move_part(o, o->dir_fd, o->lock, o->parts[i], name);
		if (ret) {
			move_back(o, i + 1);
			return ret;
		}
	}
	return 0;
}

/* All or nothing: where the new one cannot be put, the old one is there as before. */
static int move_all(struct hyb_output *o)
{
	int ret = o->force ? move_old(o) : 0;
	size_t i;

	if (ret)
		return ret;
	for (i = 0; !ret && o->parts[i]; i++)
		ret = move_part(o, o->lock, o->dir_fd, o->parts[i], o->parts[i]);
	if (!ret)
		return 0;
	while (i-- > 0)
		rename_new(o->dir_fd, o->parts[i], o->lock, o->parts[i]);
	if (o->force)
		move_back(o, 0);
	return ret;
}

int hyb_output_commit(struct hyb_output *o)
{
	int ret;

	pthread_mutex_lock(&o->end_lock);
	ret = move_all(o);
	o->committed = !ret;
	pthread_mutex_unlock(&o->end_lock);
	return ret;
}

/* What others still write into it meanwhile goes with the next try. */
static void remove_tmp(struct hyb_output *o)
{
	unsigned int tries;

	for (tries = 0; tries < 100 && !faccessat(o->dir_fd, o->name, F_OK, AT_SYMLINK_NOFOLLOW); tries++)
		hyb_file_remove_tree(o->dir_fd, o->name);
	if (o->made_dir && !o->committed)
		rmdir(o->dir);
}

bool hyb_output_abandon(struct hyb_output *o)
{
	/* Pairs with the store where it began: before that there is nothing to remove. */
	if (!__atomic_load_n(&o->begun, __ATOMIC_ACQUIRE))
		return false;
	/* Stays locked: what is not committed by now never is. */
	pthread_mutex_lock(&o->end_lock);
	if (!o->ended)
		remove_tmp(o);
	return o->committed;
}

void hyb_output_discard(struct hyb_output *o)
{
	if (!o->dir)
		return;
	pthread_mutex_lock(&o->end_lock);
	if (o->begun)
		remove_tmp(o);
	o->ended = true;
	pthread_mutex_unlock(&o->end_lock);
	if (o->lock >= 0)
		close(o->lock);
	if (o->dir_fd >= 0)
		close(o->dir_fd);
	free(o->tmp);
	free(o->dir);
	o->tmp = o->dir = NULL;
}

static uint64_t tree_size(const char *path)
{
	struct dirent *e;
	uint64_t sum = 0;
	struct stat st;
	char *child;
	DIR *d;

	if (lstat(path, &st))
		return 0;
	if (!S_ISDIR(st.st_mode))
		return (uint64_t)st.st_size;
	d = opendir(path);
	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		child = join(path, e->d_name);
		if (child)
			sum += tree_size(child);
		free(child);
	}
	if (d)
		closedir(d);
	return sum;
}

uint64_t hyb_output_size(const char *dir, const char *const *parts)
{
	uint64_t sum = 0;
	char *path;
	size_t i;

	for (i = 0; parts[i]; i++) {
		path = join(dir, parts[i]);
		if (path)
			sum += tree_size(path);
		free(path);
	}
	return sum;
}
