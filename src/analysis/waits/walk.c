/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread while its steps are made: the time at each spot, and the steps that are put down; see tracks.h. */
#include "analysis/waits/tracks.h"

#include <errno.h>

#include "reader/containers/array.h"

struct hyb_step_item *hyb_walk_items(struct hyb_walk *w, size_t count)
{
	struct hyb_step_item *grown =
		hyb_array_hold(w->items, &w->item_room, count + 1, sizeof(*grown));

	if (grown)
		w->items = grown;
	return grown;
}

/* More room for what is known of each spot of the thread. */
static struct hyb_walk_spot *spot_of(struct hyb_walk *w, uint32_t spot)
{
	struct hyb_walk_spot *grown = hyb_array_hold(w->known, &w->known_room, w->spots.table.count, sizeof(*grown));

	if (!grown)
		return NULL;
	w->known = grown;
	while (w->known_count < w->spots.table.count)
		w->known[w->known_count++] = (struct hyb_walk_spot){ .shared = HYB_SPOT_NONE };
	return &w->known[spot];
}

int hyb_walk_add(struct hyb_walk *w, uint32_t spot, int64_t ns, uint32_t count)
{
	struct hyb_walk_spot *k = spot == HYB_SPOT_NONE ? NULL : spot_of(w, spot);
	uint32_t *grown;

	if (!k)
		return -ENOMEM;
	if (!k->ns && !k->count && !k->listed) {
		grown = hyb_array_room(w->touched, &w->touched_room, w->touched_count, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		w->touched = grown;
		w->touched[w->touched_count++] = spot;
		k->listed = true;
	}
	k->ns += ns;
	k->count += count;
	return 0;
}

uint32_t hyb_walk_shared(struct hyb_walk *w, uint32_t spot)
{
	struct hyb_walk_spot *k = spot_of(w, spot);
	struct hyb_spot like;

	if (!k || spot == HYB_SPOT_ROOT)
		return spot;
	if (k->shared != HYB_SPOT_NONE)
		return k->shared;
	like = *hyb_spots_at(&w->spots, spot);
	like.parent = hyb_walk_shared(w, like.parent);
	if (like.parent == HYB_SPOT_NONE)
		return HYB_SPOT_NONE;
	k->shared = hyb_spots_share(&w->steps->spots, &like);
	return k->shared;
}

int hyb_walk_put(struct hyb_walk *w, struct hyb_step *step)
{
	return hyb_step_lanes_put(&w->lanes, step, w->items);
}

/* True of the root, and of what the kernel does in no region. */
static bool is_nowhere(const struct hyb_walk *w, uint32_t spot)
{
	const struct hyb_spot *s = hyb_spots_at(&w->spots, spot);

	while (spot != HYB_SPOT_ROOT && hyb_spot_is_kernel(s)) {
		spot = s->parent;
		s = hyb_spots_at(&w->spots, spot);
	}
	return spot == HYB_SPOT_ROOT;
}

/* What lies in no region is named by the call that the step ends with, if there is one: `before`. */
static uint32_t named(struct hyb_walk *w, uint32_t spot, uint32_t before)
{
	struct hyb_spot like;

	if (before == HYB_SPOT_NONE || !is_nowhere(w, spot))
		return hyb_walk_shared(w, spot);
	if (spot == HYB_SPOT_ROOT)
		return before;
	like = *hyb_spots_at(&w->spots, spot);
	like.parent = named(w, like.parent, before);
	return like.parent == HYB_SPOT_NONE ? HYB_SPOT_NONE : hyb_spots_share(&w->steps->spots, &like);
}

int hyb_walk_work(struct hyb_walk *w, int64_t time, const struct hyb_spot *call)
{
	const struct hyb_spot like = {
		.parent = HYB_SPOT_ROOT, .kind = HYB_SPOT_BEFORE, .region = call ? call->region : NULL,
		.detail = call ? call->detail : HYB_NAME_NONE,
	};
	uint32_t before = call ? hyb_spots_share(&w->steps->spots, &like) : HYB_SPOT_NONE;
	struct hyb_step step = { .time = time, .since = w->since, .kind = HYB_STEP_WORK, .count = (uint32_t)w->touched_count };
	struct hyb_step_item *items = hyb_walk_items(w, step.count);

	if (!items)
		return -ENOMEM;
	for (uint32_t i = 0; i < step.count; i++) {
		uint32_t spot = w->touched[i], shared = named(w, spot, before);
		struct hyb_walk_spot *k = spot_of(w, spot);

		if (!k || shared == HYB_SPOT_NONE)
			return -ENOMEM;
		items[i] = (struct hyb_step_item){ .ns = k->ns, .spot = shared, .count = k->count };
		k->ns = k->count = 0;
		k->listed = false;
	}
	w->touched_count = 0;
	w->since = time;
	return hyb_walk_put(w, &step);
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

void hyb_walk_begin(struct hyb_walk *w, enum hyb_walk_place place, int64_t now)
{
	w->call.in = true;
	w->call.place = place;
	w->call.spot = hyb_stack_top(&w->stack)->spot;
	w->call.depth = w->stack.depth;
	w->call.enter = now;
	w->call.meets = w->call.finds = false;
	w->call.looks = false;
	w->call.window = HYB_WALK_NO_WINDOW;
	w->call.file = false;
	w->call.until = INT64_MIN;
	w->call.receiver = UINT32_MAX;
	w->call.piece_count = 0;
}

int hyb_walk_add_pieces(struct hyb_walk *w, const struct hyb_walk_piece *pieces, size_t count, int64_t until)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		const struct hyb_walk_piece *p = &pieces[i];
		int64_t from = p->from > until ? p->from : until;

		hyb_walk_spend(w, w->call.place == HYB_WALK_MPI ? HYB_TIME_MPI : HYB_TIME_OMP_WAIT, p->from, p->to);
		if (p->to > from || (p->count && p->to >= until))
			err = hyb_walk_add(w, p->spot, p->to > from ? p->to - from : 0, p->count);
	}
	return err;
}

int hyb_walk_pieces(struct hyb_walk *w)
{
	return hyb_walk_add_pieces(w, w->call.pieces, w->call.piece_count, INT64_MIN);
}
