/* SPDX-License-Identifier: BSD-3-Clause */
/* See kept.h. */
#include "tools/view/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/streams/printable.h"

/* Empty where it is too long. */
static void set_path(char path[PATH_MAX], const char *dir, const char *below, const char *name)
{
	if (snprintf(path, PATH_MAX, "%s%s/%s", dir, below, name) >= PATH_MAX)
		*path = 0;
}

/* Beside the recording, where others find it, too; and the user's own. */
static void name_both(struct hyb_kept *k, const char *const *dirs, size_t count)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	uint64_t hash = count;
	char name[64], *real;

	for (size_t i = 0; i < count; i++) {
		real = realpath(dirs[i], NULL);
		hash = hyb_mix(hash ^ (real ? hyb_hash_bytes(real, strlen(real)) : 0));
		free(real);
	}
	if (count == 1)
		snprintf(name, sizeof(name), "view.cache");
	else
		snprintf(name, sizeof(name), "view-%016" PRIx64 ".cache", hash);
	set_path(k->beside, dirs[0], "", name);
	snprintf(name, sizeof(name), "view-%016" PRIx64 ".cache", hash);
	k->own[0] = 0;
	if (xdg && *xdg == '/')
		set_path(k->own, xdg, "/hybmon", name);
	else if (home && *home == '/')
		set_path(k->own, home, "/.cache/hybmon", name);
}

int hyb_kept_find(struct hyb_kept *k, const char *const *dirs, size_t count,
		  struct hyb_view_store *s)
{
	const char *const paths[] = { k->beside, k->own };
	struct hyb_view_print print;
	int err;

	k->path = NULL;
	k->beside[0] = k->own[0] = 0;
	/* As files have their times. */
	clock_gettime(CLOCK_REALTIME_COARSE, &k->begun);
	for (size_t i = 0; i < count; i++)
		if (access(dirs[i], F_OK))
			return -errno;
	name_both(k, dirs, count);
	/* To look at all files of many ranks takes a while, which is wasted where nothing was kept. */
	if (access(k->beside, F_OK) && access(k->own, F_OK))
		return -ENOENT;
	err = hyb_view_fingerprint(dirs, count, &print);
	if (err)
		return err;
	err = -ENOENT;
	for (int i = 0; err && i < 2; i++) {
		err = *paths[i] ? hyb_view_cache_open(s, print.is, paths[i]) : -ENOENT;
		if (err == -EINVAL)
			hyb_show(stderr,
				"hybmon view: note: %s is damaged, or not what hybmon view has kept: it is made anew\n",
				paths[i]);
	}
	return err;
}

/* The directory of the path, and the one that it is in. */
static void make_directories(const char *path)
{
	char dir[PATH_MAX], *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	*slash = 0;
	if (!mkdir(dir, 0700) || errno != ENOENT)
		return;
	slash = strrchr(dir, '/');
	*slash = 0;
	mkdir(dir, 0700);
	*slash = '/';
	mkdir(dir, 0700);
}

int hyb_kept_make(struct hyb_kept *k, const char *place)
{
	char path[PATH_MAX];
	int fd = -ENOENT;

	k->path = k->beside;
	if (*k->beside)
		fd = hyb_view_cache_make(k->beside);
	if (fd < 0 && *k->own) {
		k->path = k->own;
		make_directories(k->own);
		fd = hyb_view_cache_make(k->own);
	}
	if (fd >= 0)
		return fd;
	k->path = NULL;
	if (snprintf(path, sizeof(path), "%s/XXXXXX", place) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

bool hyb_kept_is_full(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EFBIG;
}

bool hyb_kept_full(struct hyb_kept *k, int err)
{
	if (!hyb_kept_is_full(err) || !k->path)
		return false;
	hyb_show(stderr, "hybmon view: note: cannot write %s: %s; another place is tried\n", k->path,
		 strerror(-err));
	if (k->path == k->beside)
		k->beside[0] = 0;
	else
		k->own[0] = 0;
	k->path = NULL;
	return true;
}

void hyb_kept_keep(struct hyb_kept *k, const char *const *dirs, size_t count, struct hyb_view_store *s)
{
	struct hyb_view_print print;
	int err;

	if (!k->path || hyb_view_fingerprint(dirs, count, &print))
		return;
	/* What was read may be older than what is there. */
	if (print.changed.tv_sec > k->begun.tv_sec ||
	    (print.changed.tv_sec == k->begun.tv_sec && print.changed.tv_nsec > k->begun.tv_nsec))
		return;
	err = hyb_view_cache_keep(s, print.is, k->path);
	if (err)
		hyb_show(stderr, "hybmon view: note: cannot write %s: %s; the recording is read anew the next time\n", k->path,
			 strerror(-err));
}
