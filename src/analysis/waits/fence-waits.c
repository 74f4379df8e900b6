/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who waits at fences of one-sided communication: the n-th fences of all processes on a window are one. A process waits for
 * the last one that has come before it goes on; one that comes still later it did not wait for. Collective operations on a
 * file are the same of those who opened it.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/waits/finder.h"
#include "reader/containers/array.h"

#define FENCES 64 /* of a window: of older ones all members are back, or the fence keeps nobody */

struct fence {
	uint64_t number;
	int64_t last; /* that came, by that track */
	uint32_t by;
};

struct fences { /* of a window, or a file */
	uint64_t window;
	uint64_t *count; /* of each process's */
	size_t processes;
	size_t room;
	struct fence fences[FENCES]; /* by number */
};

void hyb_fence_waits_init(struct hyb_finder *f)
{
	HYB_TABLE_KEYED(&f->fences, struct fences, window);
}

void hyb_fence_waits_free(struct hyb_finder *f)
{
	for (uint32_t i = 0; i < f->fences.count; i++)
		free(((struct fences *)hyb_table_at(&f->fences, i))->count);
	hyb_table_free(&f->fences);
}

/* How often the process has come to a fence. NULL without memory. */
static uint64_t *count_of(struct fences *w, uint32_t process)
{
	uint64_t *grown = hyb_array_hold(w->count, &w->room, (size_t)process + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	w->count = grown;
	while (w->processes <= process)
		grown[w->processes++] = 0;
	return &grown[process];
}

int hyb_fence_waits_step(struct hyb_finder *f, const struct hyb_step *s)
{
	const bool file = s->flags & HYB_STEP_OF_FILE;
	const uint64_t object = s->object | (uint64_t)file << 32;
	struct fences *w = hyb_table_get(&f->fences, &object);
	struct hyb_met_group group = { (uint32_t)s->object, file ? HYB_MET_FILE : HYB_MET_WINDOW };
	uint64_t *count;
	struct fence *fence;
	int64_t until = s->since;
	int err = 0;

	count = w ? count_of(w, s->other) : NULL;
	if (!count)
		return -ENOMEM;
	if (s->kind == HYB_STEP_FENCE) {
		fence = &w->fences[++*count % FENCES];
		if (fence->number <= *count)
			*fence = (struct fence){ .number = *count, .last = s->time, .by = s->track };
		return 0;
	}
	fence = &w->fences[*count % FENCES];
	if (fence->number == *count && fence->last > s->since && fence->by != s->track) {
		const struct hyb_step wait = {
			.time = fence->last, .since = s->since, .end = fence->last, .track = s->track,
			.other = fence->by, .spot = s->spot, .wait = s->wait,
		};

		until = fence->last;
		err = hyb_finder_wait(f, &wait);
	}
	if (!err)
		err = hyb_finder_meet(f, s->track, group, until, *count);
	return err ? err : hyb_finder_rest(f, s, until);
}
