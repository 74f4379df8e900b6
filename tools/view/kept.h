/* SPDX-License-Identifier: BSD-3-Clause */
/* Where hybmon view keeps what it made of a recording, so that it is there at once the next time. */
#ifndef HYB_TOOLS_VIEW_KEPT_H
#define HYB_TOOLS_VIEW_KEPT_H

#include <limits.h>
#include <stdbool.h>
#include <time.h>

#include "timeline/store/cache.h"

struct hyb_kept {
	char beside[PATH_MAX]; /* the recording; empty: it cannot be there */
	char own[PATH_MAX];    /* of the user; the same */
	const char *path;      /* the one of both that is being made; NULL: none is */
	struct timespec begun; /* when the recording was first looked at */
};

/* Opens what was kept of the recording as it is. 0 or -errno; what is damaged is said. */
int hyb_kept_find(struct hyb_kept *k, const char *const *dirs, size_t count,
		  struct hyb_view_store *s);
/* A file for it, or in `place` if nothing can be kept. A descriptor or -errno. */
int hyb_kept_make(struct hyb_kept *k, const char *place);
/* Whether such an error says that there is no space for more. */
bool hyb_kept_is_full(int err);
/* If that is so of the file that is being made: says so, and the next one is made elsewhere. False: there is no other. */
bool hyb_kept_full(struct hyb_kept *k, int err);
/*
 * Keeps the store that was made in it, unless the recording was changed since it was looked for. What fails costs time
 * the next time, no more.
 */
void hyb_kept_keep(struct hyb_kept *k, const char *const *dirs, size_t count, struct hyb_view_store *s);

#endif
