/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The store's file, kept beside the recording so that it is there at once the next time:
 *
 *	head			what follows, of which recording, by which version; HYB_VIEW_HEAD bytes
 *	packed			segments and batches of messages
 *	tables			tracks, their segments and late regions, batches, `about`
 *
 * It appears complete or not at all. Who opens it checks head and tables; what is packed is checked when it is unpacked.
 */
#ifndef HYB_TIMELINE_STORE_CACHE_H
#define HYB_TIMELINE_STORE_CACHE_H

#include <time.h>

#include "timeline/store/store.h"

/*
 * What tells a recording from others and from itself at another time: names, sizes and times of its files, and the
 * version of hybmon.
 */
struct hyb_view_print {
	uint64_t is[2];
	struct timespec changed; /* when any of its files last was, or became another one */
	struct timespec written; /* and when any last got something, as far as its file system says */
};

/* 0 or -errno. */
int hyb_view_fingerprint(const char *const *dirs, size_t count, struct hyb_view_print *print);
/* A file without a name where `path` is to be, for hyb_view_sink. A descriptor or -errno. */
int hyb_view_cache_make(const char *path);
/* Gives the file of a complete store, which has its `about`, this name. 0 or -errno. */
int hyb_view_cache_keep(struct hyb_view_store *s, const uint64_t print[2], const char *path);
/*
 * Opens what was kept. 0; -ENOENT: there is nothing, or of another time or version; -EINVAL: it is damaged, or something
 * else; other -errno. After 0, hyb_view_store_free.
 */
int hyb_view_cache_open(struct hyb_view_store *s, const uint64_t print[2], const char *path);

#endif
