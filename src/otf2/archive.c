/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens, commits and discards the OTF2 archive; see archive.h. */
#include "otf2/archive.h"

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

#include <otf2/OTF2_Pthread_Locks.h>

#include "trace/file.h"

#define TMP_PREFIX ".hybmon-merge-"
#define MEMBER_BYTES 9 /* of one group member in a definition, at most */

/* In the order in which they go to their place: the anchor last. */
static const char *const parts[] = {
	HYB_ARCHIVE_NAME,
	HYB_ARCHIVE_NAME ".def",
	HYB_ARCHIVE_NAME ".marker",
	HYB_ARCHIVE_NAME ".otf2",
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

/*
 * Memory for one buffer of the library: one chunk at a time, so that the next one waits for a
 * flush.
 */
struct buffer {
	void *chunk;
	uint64_t size;
	bool used;
};

/*
 * Each location has buffers of its own, one after the other: fresh memory would cost more than what is written into it.
 */
struct hyb_spare_chunk {
	struct hyb_spare_chunk *next;
	uint64_t size;
};

static void *take_chunk(struct hyb_archive *a, uint64_t size)
{
	struct hyb_spare_chunk **link = &a->spare, *spare;

	pthread_mutex_lock(&a->spare_lock);
	while (*link && (*link)->size != size)
		link = &(*link)->next;
	spare = *link;
	if (spare)
		*link = spare->next;
	pthread_mutex_unlock(&a->spare_lock);
	return spare ? (void *)spare : malloc(size);
}

static void keep_chunk(struct hyb_archive *a, void *chunk, uint64_t size)
{
	struct hyb_spare_chunk *spare = chunk;

	spare->size = size;
	pthread_mutex_lock(&a->spare_lock);
	spare->next = a->spare;
	a->spare = spare;
	pthread_mutex_unlock(&a->spare_lock);
}

static void free_spare(struct hyb_archive *a)
{
	struct hyb_spare_chunk *spare;

	while ((spare = a->spare)) {
		a->spare = spare->next;
		free(spare);
	}
}

static void *allocate_chunk(void *arg, OTF2_FileType type, OTF2_LocationRef location, void **data,
			    uint64_t size)
{
	struct buffer *b = *data;

	(void)type;
	(void)location;
	if (!b) {
		b = calloc(1, sizeof(*b));
		if (!b)
			return NULL;
		b->size = size;
		b->chunk = take_chunk(arg, size);
		if (!b->chunk) {
			free(b);
			return NULL;
		}
		*data = b;
	}
	if (b->used)
		return NULL;
	b->used = true;
	return b->chunk;
}

static void free_chunks(void *arg, OTF2_FileType type, OTF2_LocationRef location, void **data,
			bool final)
{
	struct buffer *b = *data;

	(void)type;
	(void)location;
	if (!b)
		return;
	b->used = false;
	if (final) {
		keep_chunk(arg, b->chunk, b->size);
		free(b);
		*data = NULL;
	}
}

static OTF2_FlushType pre_flush(void *arg, OTF2_FileType type, OTF2_LocationRef location,
				void *caller, bool final)
{
	(void)arg;
	(void)type;
	(void)location;
	(void)caller;
	(void) final;
	return OTF2_FLUSH;
}

static const OTF2_MemoryCallbacks memory_callbacks = { allocate_chunk, free_chunks };
static const OTF2_FlushCallbacks flush_callbacks = { pre_flush, NULL };

/* The library calls this for an error and again on its way up; the first one says what happened. */
static OTF2_ErrorCode on_error(void *arg, const char *file, uint64_t line, const char *function,
			       OTF2_ErrorCode code, const char *format, va_list va)
{
	struct hyb_archive *a = arg;
	char text[512];
	bool first;

	(void)file;
	(void)line;
	(void)function;
	pthread_mutex_lock(&a->error_lock);
	first = !a->failed;
	a->failed = true;
	pthread_mutex_unlock(&a->error_lock);
	if (first) {
		vsnprintf(text, sizeof(text), format ? format : "", va);
		/* What the system says of a file needs no explanation. */
		if (code >= OTF2_ERROR_E2BIG && code < OTF2_ERROR_END_OF_FUNCTION)
			text[0] = '\0';
		hyb_diag_say(a->diag, HYB_SEV_ERROR, "cannot write the archive in %s: %s%s%s",
			     a->dir, OTF2_Error_GetDescription(code), *text ? ": " : "", text);
	}
	return code;
}

int hyb_archive_check(struct hyb_archive *a, OTF2_ErrorCode code)
{
	if (code == OTF2_SUCCESS)
		return 0;
	if (!a->failed) {
		a->failed = true;
		hyb_diag_say(a->diag, HYB_SEV_ERROR, "cannot write the archive in %s: %s", a->dir,
			     OTF2_Error_GetDescription(code));
	}
	return -EIO;
}

static int fail(struct hyb_archive *a, const char *what, const char *path)
{
	int err = errno;

	hyb_diag_say(a->diag, HYB_SEV_ERROR, "cannot %s %s: %s", what, path, strerror(err));
	return -err;
}

static char *join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

bool hyb_archive_exists(const char *dir)
{
	struct stat st;
	bool found = false;
	char *path;
	size_t i;

	for (i = 0; i < PARTS && !found; i++) {
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
static int make_new(struct hyb_archive *a)
{
	unsigned int tries;
	uint64_t number;

	for (tries = 0; tries < 100; tries++) {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -EIO;
		snprintf(a->name, sizeof(a->name), TMP_PREFIX "%08lx", (unsigned long)(number & 0xffffffff));
		if (!mkdirat(a->dir_fd, a->name, 0700)) {
			a->lock = open_own(a->dir_fd, a->name);
			return a->lock < 0 ? a->lock : 0;
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
static int make_tmp(struct hyb_archive *a)
{
	int err;

	if (mkdir(a->dir, 0777) == 0)
		a->made_dir = true;
	else if (errno != EEXIST)
		return fail(a, "make the directory", a->dir);
	a->dir_fd = open(a->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (a->dir_fd < 0)
		return fail(a, "write in", a->dir);
	remove_stale(a->dir_fd);
	err = make_new(a);
	if (err) {
		errno = -err;
		return fail(a, "write in", a->dir);
	}
	flock(a->lock, LOCK_EX | LOCK_NB);
	__atomic_store_n(&a->begun, true, __ATOMIC_RELEASE); /* pairs with hyb_archive_abandon's load */
	if (asprintf(&a->tmp, "/proc/self/fd/%d", a->lock) < 0) {
		a->tmp = NULL;
		return -ENOMEM;
	}
	if (access(a->tmp, F_OK)) {
		free(a->tmp);
		a->tmp = join(a->dir, a->name);
	}
	return a->tmp ? 0 : -ENOMEM;
}

int hyb_archive_open(struct hyb_archive *a, const char *dir, bool force, uint32_t members,
		     const struct hyb_diag *diag)
{
	uint64_t chunk = OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT;
	int ret;

	memset(a, 0, sizeof(*a));
	a->lock = a->dir_fd = -1;
	pthread_mutex_init(&a->end_lock, NULL);
	a->diag = diag;
	a->force = force;
	pthread_mutex_init(&a->error_lock, NULL);
	pthread_mutex_init(&a->spare_lock, NULL);
	a->dir = strdup(dir);
	if (!a->dir)
		return -ENOMEM;
	if (!force && hyb_archive_exists(dir)) {
		hyb_diag_say(
			diag, HYB_SEV_ERROR,
			"%s already holds an archive: --force replaces it, -o writes elsewhere",
			dir);
		return -EEXIST;
	}
	if ((uint64_t)members * MEMBER_BYTES > chunk / 2)
		chunk = OTF2_CHUNK_SIZE_MAX;
	ret = make_tmp(a);
	if (ret)
		return ret;
	OTF2_Error_RegisterCallback(on_error, a);
	a->otf2 = OTF2_Archive_Open(a->tmp, HYB_ARCHIVE_NAME, OTF2_FILEMODE_WRITE,
				    OTF2_CHUNK_SIZE_MIN, chunk, OTF2_SUBSTRATE_POSIX,
				    OTF2_COMPRESSION_NONE);
	if (!a->otf2)
		return hyb_archive_check(a, OTF2_ERROR_INVALID);
	ret = hyb_archive_check(a, OTF2_Archive_SetFlushCallbacks(a->otf2, &flush_callbacks, NULL));
	if (!ret)
		ret = hyb_archive_check(
			a, OTF2_Archive_SetMemoryCallbacks(a->otf2, &memory_callbacks, a));
	if (!ret)
		ret = hyb_archive_check(a, OTF2_Archive_SetSerialCollectiveCallbacks(a->otf2));
	if (!ret)
		ret = hyb_archive_check(a, OTF2_Pthread_Archive_SetLockingCallbacks(a->otf2, NULL));
	return ret;
}

/* Where something is already, and shall stay: not on all file systems. */
static int rename_new(int from, const char *name, int to, const char *new_name)
{
	int ret = (int)syscall(SYS_renameat2, from, name, to, new_name, RENAME_NOREPLACE);

	return ret && (errno == EINVAL || errno == ENOSYS) ? renameat(from, name, to, new_name) : ret;
}

/* Moves one part from one directory to another; what is not there need not be moved. */
static int move_part(struct hyb_archive *a, int from, int to, const char *name, const char *new_name)
{
	char target[512];

	if (!rename_new(from, name, to, new_name) || errno == ENOENT)
		return 0;
	snprintf(target, sizeof(target), "%s in %s", new_name, a->dir);
	return fail(a, "rename to", target);
}

/*
 * The old archive's anchor goes first, so that it never looks complete with parts of the new one.
 */
static int move_old(struct hyb_archive *a)
{
	char name[64];
	size_t i;
	int ret;

	for (i = PARTS; i-- > 0;) {
		snprintf(name, sizeof(name), "old-%s", parts[i]);
		ret = move_part(a, a->dir_fd, a->lock, parts[i], name);
		if (ret)
			return ret;
	}
	return 0;
}

static int move_all(struct hyb_archive *a)
{
	int ret = a->force ? move_old(a) : 0;
	size_t i;

	for (i = 0; !ret && i < PARTS; i++)
		ret = move_part(a, a->lock, a->dir_fd, parts[i], parts[i]);
	return ret;
}

int hyb_archive_commit(struct hyb_archive *a)
{
	OTF2_ErrorCode code = OTF2_Archive_Close(a->otf2);
	int ret;

	a->otf2 = NULL;
	ret = hyb_archive_check(a, code);
	if (ret)
		return ret;
	if (a->failed)
		return -EIO;
	pthread_mutex_lock(&a->end_lock);
	ret = move_all(a);
	a->committed = !ret;
	pthread_mutex_unlock(&a->end_lock);
	return ret;
}

/* What others still write into it meanwhile goes with the next try. */
static void remove_tmp(struct hyb_archive *a)
{
	unsigned int tries;

	for (tries = 0; tries < 100 && !faccessat(a->dir_fd, a->name, F_OK, AT_SYMLINK_NOFOLLOW); tries++)
		hyb_file_remove_tree(a->dir_fd, a->name);
	if (a->made_dir && !a->committed)
		rmdir(a->dir);
}

bool hyb_archive_abandon(struct hyb_archive *a)
{
	/* Pairs with the store where it began: before that there is nothing to remove. */
	if (!__atomic_load_n(&a->begun, __ATOMIC_ACQUIRE))
		return false;
	/* Stays locked: what is not committed by now never is. */
	pthread_mutex_lock(&a->end_lock);
	if (!a->ended)
		remove_tmp(a);
	return a->committed;
}

void hyb_archive_discard(struct hyb_archive *a)
{
	if (!a->dir)
		return;
	/*
	 * An archive given up is not closed: that would write it out, and after an error it
	 * crashes.
	 */
	pthread_mutex_lock(&a->end_lock);
	if (a->begun)
		remove_tmp(a);
	a->ended = true;
	pthread_mutex_unlock(&a->end_lock);
	if (a->lock >= 0)
		close(a->lock);
	if (a->dir_fd >= 0)
		close(a->dir_fd);
	free(a->tmp);
	free(a->dir);
	a->tmp = a->dir = NULL;
	OTF2_Error_RegisterCallback(NULL, NULL);
	free_spare(a);
	pthread_mutex_destroy(&a->spare_lock);
	pthread_mutex_destroy(&a->error_lock);
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

uint64_t hyb_archive_size(const char *dir)
{
	uint64_t sum = 0;
	char *path;
	size_t i;

	for (i = 0; i < PARTS; i++) {
		path = join(dir, parts[i]);
		if (path)
			sum += tree_size(path);
		free(path);
	}
	return sum;
}
