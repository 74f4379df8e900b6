/* SPDX-License-Identifier: BSD-3-Clause */
/* What steps are made of, while they are made. */
#include <errno.h>

#include "analysis/waits/tracks.h"
#include "reader/containers/array.h"

struct hyb_step_item *hyb_walk_items(struct hyb_walk *w, size_t count)
{
	struct hyb_step_item *grown =
		hyb_array_hold(w->items, &w->item_room, count + 1, sizeof(*grown));

	if (grown)
		w->items = grown;
	return grown;
}

int hyb_walk_stay(struct hyb_walk *w, struct hyb_step *step, int64_t now)
{
	enum hyb_time_class class =
		w->call.place == HYB_WALK_MPI ? HYB_TIME_MPI : HYB_TIME_OMP_WAIT;
	struct hyb_step_item *items = hyb_walk_items(w, w->call.piece_count);

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < w->call.piece_count; i++) {
		const struct hyb_walk_piece *p = &w->call.pieces[i];
		uint32_t shared = hyb_walk_shared(w, p->spot);

		if (shared == HYB_SPOT_NONE)
			return -ENOMEM;
		hyb_walk_spend(w, class, p->from, p->to);
		items[i] = (struct hyb_step_item){ .ns = p->to - p->from,
						   .spot = shared,
						   .count = p->count };
	}
	step->count = (uint32_t)w->call.piece_count;
	step->since = w->call.enter;
	step->time = now;
	w->since = now;
	return 0;
}
