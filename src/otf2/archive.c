/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens, commits and discards the OTF2 archive; see archive.h. */
#include "otf2/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <otf2/OTF2_Pthread_Locks.h>

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

/* Each location has buffers of its own, one after the other: fresh memory would cost more than what is written into it. */
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

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	remove(path);
	return 0;
}

static void remove_tree(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
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

/* Removes what a merge that was killed left behind: its lock is gone with it. */
static void remove_stale(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *path;
	int fd;

	if (!d)
		return;
	while ((e = readdir(d))) {
		if (strncmp(e->d_name, TMP_PREFIX, sizeof(TMP_PREFIX) - 1))
			continue;
		path = join(dir, e->d_name);
		if (!path)
			break;
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0) {
			if (flock(fd, LOCK_EX | LOCK_NB) == 0)
				remove_tree(path);
			close(fd);
		}
		free(path);
	}
	closedir(d);
}

static int make_tmp(struct hyb_archive *a)
{
	if (mkdir(a->dir, 0777) == 0)
		a->made_dir = true;
	else if (errno != EEXIST)
		return fail(a, "make the directory", a->dir);
	remove_stale(a->dir);
	a->tmp = join(a->dir, TMP_PREFIX "XXXXXX");
	if (!a->tmp)
		return -ENOMEM;
	if (!mkdtemp(a->tmp)) {
		free(a->tmp);
		a->tmp = NULL;
		return fail(a, "write in", a->dir);
	}
	a->lock = open(a->tmp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (a->lock >= 0)
		flock(a->lock, LOCK_EX | LOCK_NB);
	return 0;
}

int hyb_archive_open(struct hyb_archive *a, const char *dir, bool force, uint32_t members,
		     const struct hyb_diag *diag)
{
	uint64_t chunk = OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT;
	int ret;

	memset(a, 0, sizeof(*a));
	a->lock = -1;
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

/* Moves one part from one directory to another; what is not there need not be moved. */
static int move_part(struct hyb_archive *a, const char *from, const char *to, const char *name,
		     const char *new_name)
{
	char *source = join(from, name), *target = join(to, new_name);
	int ret = -ENOMEM;

	if (source && target) {
		ret = rename(source, target);
		if (ret && errno != ENOENT)
			ret = fail(a, "rename to", target);
		else
			ret = 0;
	}
	free(source);
	free(target);
	return ret;
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
		ret = move_part(a, a->dir, a->tmp, parts[i], name);
		if (ret)
			return ret;
	}
	return 0;
}

int hyb_archive_commit(struct hyb_archive *a)
{
	OTF2_ErrorCode code = OTF2_Archive_Close(a->otf2);
	size_t i;
	int ret;

	a->otf2 = NULL;
	ret = hyb_archive_check(a, code);
	if (ret)
		return ret;
	if (a->failed)
		return -EIO;
	if (a->force) {
		ret = move_old(a);
		if (ret)
			return ret;
	}
	for (i = 0; i < PARTS; i++) {
		ret = move_part(a, a->tmp, a->dir, parts[i], parts[i]);
		if (ret)
			return ret;
	}
	a->made_dir = false;
	return 0;
}

void hyb_archive_discard(struct hyb_archive *a)
{
	if (!a->dir)
		return;
	/*
	 * An archive given up is not closed: that would write it out, and after an error it
	 * crashes.
	 */
	if (a->tmp) {
		remove_tree(a->tmp);
		if (a->made_dir)
			rmdir(a->dir);
	}
	if (a->lock >= 0)
		close(a->lock);
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
