/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What steps are made of, in one file: each thread writes blocks of its own there, and the whole is read by a map.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/tracks.h"
#include "containers/array.h"

#define ITEMS 4096u /* of a thread that are written at once */

static int write_block(int fd, const void *block, size_t left, off_t place)
{
	const char *p = block;

	while (left) {
		ssize_t n = pwrite(fd, p, left, place);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		p += n;
		place += n;
		left -= (size_t)n;
	}
	return 0;
}

int hyb_walk_flush(struct hyb_walk *w)
{
	int err = w->item_count ? write_block(w->steps->fd, w->items, w->item_count * sizeof(*w->items),
					      (off_t)(w->item_place * sizeof(*w->items))) : 0;

	w->item_count = 0;
	return err;
}

struct hyb_step_item *hyb_walk_items(struct hyb_walk *w, size_t count, uint64_t *at, int *err)
{
	size_t block = count > ITEMS ? count : ITEMS;
	struct hyb_step_item *grown;

	if (w->item_count + count > w->item_room) {
		*err = hyb_walk_flush(w);
		grown = *err ? NULL : hyb_array_hold(w->items, &w->item_space, block, sizeof(*grown));
		if (!grown) {
			*err = *err ? *err : -ENOMEM;
			return NULL;
		}
		w->items = grown;
		w->item_room = block;
		w->item_place = __atomic_fetch_add(&w->steps->items, block, __ATOMIC_RELAXED);
	}
	*at = w->item_place + w->item_count;
	w->item_count += count;
	return w->items + w->item_count - count;
}

int hyb_walk_stay(struct hyb_walk *w, struct hyb_step *step, int64_t now)
{
	enum hyb_time_class class = w->call.place == HYB_WALK_MPI ? HYB_TIME_MPI : HYB_TIME_OMP_WAIT;
	int err = 0;
	struct hyb_step_item *items = hyb_walk_items(w, w->call.piece_count, &step->items, &err);

	for (size_t i = 0; items && i < w->call.piece_count; i++) {
		const struct hyb_walk_piece *p = &w->call.pieces[i];
		uint32_t shared = hyb_walk_shared(w, p->spot);

		if (shared == HYB_SPOT_NONE)
			return -ENOMEM;
		w->sums->in[class] += p->to - p->from;
		items[i] = (struct hyb_step_item){ .ns = p->to - p->from, .spot = shared, .count = p->count };
	}
	step->count = (uint32_t)w->call.piece_count;
	step->since = w->call.enter;
	step->time = now;
	w->since = now;
	return err;
}

int hyb_steps_map(struct hyb_steps *steps)
{
	size_t size = (size_t)steps->items * sizeof(*steps->map);
	void *map;

	if (!size)
		return 0;
	/* What was reserved and not used is a hole, perhaps at the end. */
	if (ftruncate(steps->fd, (off_t)size))
		return -errno;
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, steps->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	steps->map = map;
	return 0;
}
