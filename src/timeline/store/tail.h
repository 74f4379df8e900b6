/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tracks of a job that runs as they were when its recording so far was at its end, and nothing was closed for that:
 * the next run of the merge goes on with them (merge/tail.h). What it makes lies in the same file, after all that the
 * store before has there, which may be read meanwhile.
 */
#ifndef HYB_TIMELINE_STORE_TAIL_H
#define HYB_TIMELINE_STORE_TAIL_H

#include "timeline/store/store.h"

#define HYB_VIEW_HELD 2048u /* tracks at most, up to 56 KiB each */

struct hyb_collect_track;
struct hyb_view_held;

struct hyb_view_tail {
	struct hyb_view_held **now; /* by track; NULL: it is over, or had not begun */
	size_t count;
	struct hyb_view_held **next; /* while a run fills it */
	size_t next_count;
	uint64_t bytes; /* that overviews in `next` take */
	/* A track that got nothing new stays as it was until its end moves by one part of so many of the picture; 0: never. */
	uint64_t slack;
	uint64_t waste; /* bytes of the file that only the stores before needed */
};

struct hyb_view_tail *hyb_view_tail_new(void);
void hyb_view_tail_free(struct hyb_view_tail *t);
/* After a run that was successful: the next one goes on where it ended. */
void hyb_view_tail_turn(struct hyb_view_tail *t);

/*
 * For the sink. Of a track that may go on: holds it as it is. At its end, one that got nothing new is quiet then. 0 or
 * -ENOMEM; thread-safe.
 */
int hyb_view_tail_hold(struct hyb_view_tail *t, struct hyb_collect_track *track, bool end);
/* What of a track's in the file is of no use where it goes on: all of it as a whole, and the last segment if `rest`. */
void hyb_view_tail_spend(struct hyb_view_tail *t, const struct hyb_view_track *track, bool rest);
/* Makes of a track that has just been opened what was held of it. 0 or -ENOMEM. */
int hyb_view_tail_go_on(const struct hyb_view_tail *t, const struct hyb_view_store *before,
			struct hyb_collect_track *track);
/* Of a quiet one: whether it still is, if what is open in it ends then. */
bool hyb_view_tail_is_quiet(const struct hyb_collect_track *track, uint64_t time);
/* A track as it was before, with memory of its own. 0 or -ENOMEM. */
int hyb_view_tail_copy(const struct hyb_view_track *before, struct hyb_view_track *track);
/* And all that is not of a track: counters, messages, details. 0 or -ENOMEM. */
int hyb_view_tail_copy_rest(const struct hyb_view_store *before, struct hyb_view_store *store);

#endif
