/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The accumulator of times (analysis/profile/stack.h): what is spent where, with calls that stand for several, kernel
 * activity, pauses that end elsewhere, and threads that the switch of another one affects; and the rows of the flat
 * profile that are made of it.
 */
#include <string.h>

#include "analysis/profile/flat.h"
#include "analysis/profile/stack.h"
#include "merge/sink/event.h"
#include "../lib/tap.h"

static struct hyb_gregion f = { .paradigm = HYB_PARADIGM_USER };
static struct hyb_gregion g = { .paradigm = HYB_PARADIGM_USER };
static struct hyb_gregion off = {
	.paradigm = HYB_PARADIGM_KERNEL, .kernel = HYB_REGION_EVENT, .kind = HYB_REGION_OFF_INVOLUNTARY,
};

struct track {
	struct hyb_spots spots;
	struct hyb_stack stack;
	struct hyb_table rivals;
	struct hyb_flat flat;
	bool ok;
};

static void begin(struct track *t)
{
	memset(t, 0, sizeof(*t));
	t->stack.spots = &t->spots;
	t->stack.tasks = true;
	hyb_flat_rivals_init(&t->rivals);
	hyb_flat_init(&t->flat);
	t->ok = !hyb_spots_init(&t->spots) && !hyb_stack_begin(&t->stack, 0);
}

static void end(struct track *t)
{
	hyb_stack_free(&t->stack);
	hyb_spots_free(&t->spots);
	hyb_table_free(&t->rivals);
	hyb_flat_free(&t->flat);
}

static void enter_with(struct track *t, int64_t time, struct hyb_gregion *region, enum hyb_attribute_id id, uint64_t value)
{
	const struct hyb_attribute a = { id, value };
	const struct hyb_merge_event e = { .time = time, .region = region, .attributes = &a, .attribute_count = 1 };

	hyb_stack_pass(&t->stack, time);
	t->ok = !hyb_stack_enter(&t->stack, &e) && t->ok;
}

static void enter(struct track *t, int64_t time, struct hyb_gregion *region)
{
	enter_with(t, time, region, HYB_ATTRIBUTE_POLLS, 0);
}

static void leave_with(struct track *t, int64_t time, struct hyb_gregion *region, enum hyb_attribute_id id, uint64_t value)
{
	const struct hyb_attribute a = { id, value };
	const struct hyb_merge_event e = { .time = time, .region = region, .attributes = &a, .attribute_count = 1 };
	const bool paused = hyb_stack_is_paused(&t->stack);

	t->ok = !hyb_stack_blame(&t->stack, &e) && t->ok;
	hyb_stack_pass(&t->stack, time);
	if (!hyb_stack_can_leave(&t->stack))
		return;
	t->ok = !hyb_flat_rival(&t->rivals, 0, &t->stack, &e) && t->ok;
	if (paused)
		hyb_stack_pop(&t->stack);
	hyb_stack_pop(&t->stack);
	if (paused)
		t->ok = !hyb_stack_pause(&t->stack, false) && t->ok;
}

static void leave(struct track *t, int64_t time, struct hyb_gregion *region)
{
	leave_with(t, time, region, HYB_ATTRIBUTE_POLLS, 0);
}

static void turn(struct track *t, int64_t time, bool on)
{
	hyb_stack_pass(&t->stack, time);
	if (on)
		hyb_stack_resume(&t->stack);
	else
		t->ok = !hyb_stack_pause(&t->stack, true) && t->ok;
}

/* Ends the track; then its flat profile is complete. */
static void finish(struct track *t, int64_t time)
{
	hyb_stack_pass(&t->stack, time);
	hyb_stack_end(&t->stack);
	t->ok = !hyb_flat_add_stack(&t->flat, 0, &t->stack, &t->rivals) && t->ok;
}

static const struct hyb_flat_times *row(const struct track *t, enum hyb_flat_kind kind, const struct hyb_gregion *region)
{
	static const struct hyb_flat_times none;

	for (uint32_t i = 0; i < t->flat.regions.count; i++) {
		const struct hyb_flat_region *r = hyb_table_at(&t->flat.regions, i);

		if (r->kind == kind && r->region == region)
			return &r->times;
	}
	return &none;
}

static bool has(const struct hyb_flat_times *t, uint64_t visits, int64_t inclusive, int64_t exclusive)
{
	if (t->visits != visits || t->inclusive != inclusive || hyb_flat_exclusive(t) != exclusive)
		printf("# %llu visits, %lld ns, by itself %lld ns\n", (unsigned long long)t->visits, (long long)t->inclusive,
		       (long long)hyb_flat_exclusive(t));
	return t->visits == visits && t->inclusive == inclusive && hyb_flat_exclusive(t) == exclusive;
}

static void check_regions(void)
{
	struct track t;

	begin(&t);
	enter(&t, 10, &f);
	enter(&t, 20, &g);
	enter(&t, 30, &f); /* recursion, by way of g */
	leave(&t, 45, &f);
	leave(&t, 50, &g);
	leave(&t, 60, &f);
	leave(&t, 61, &f); /* nothing is open */
	enter_with(&t, 70, &g, HYB_ATTRIBUTE_POLLS, 5);
	finish(&t, 100);
	tap(t.ok && has(row(&t, HYB_FLAT_REGION, &f), 2, 50, 35), "recursion counts once");
	tap(has(row(&t, HYB_FLAT_REGION, &g), 6, 60, 45), "a row of polls stands for its calls, also if it is open at the end");
	tap(has(row(&t, HYB_FLAT_THREADS, NULL), 1, 100, 20), "what is in no region is the thread's");
	end(&t);
}

static void check_kernel(void)
{
	struct track t;
	const struct hyb_flat_times *in;
	const struct hyb_flat_rival *rival;

	begin(&t);
	enter(&t, 10, &f);
	enter_with(&t, 20, &off, HYB_ATTRIBUTE_KERNEL_NEXT, 3);
	leave_with(&t, 50, &off, HYB_ATTRIBUTE_KERNEL_HELD, 4);
	leave(&t, 60, &f);
	finish(&t, 60);
	in = row(&t, HYB_FLAT_REGION, &f);
	tap(t.ok && has(in, 1, 50, 50) && in->part[HYB_PART_INVOLUNTARY] == 30 && in->count[HYB_PART_INVOLUNTARY] == 1,
	    "kernel activity is a part of the region it happened in");
	tap(has(row(&t, HYB_FLAT_KERNEL, &off), 1, 30, 30), "and has a row of its own");
	rival = t.flat.rivals.count == 1 ? hyb_table_at(&t.flat.rivals, 0) : NULL;
	tap(rival && rival->who == 4 && rival->ns == 30 && rival->count == 1, "who had the CPU for longest is the rival");
	end(&t);
}

static void check_pauses(void)
{
	struct track t;

	begin(&t);
	enter(&t, 10, &f);
	turn(&t, 20, false);
	leave(&t, 30, &f); /* the pause goes on */
	turn(&t, 40, true);
	finish(&t, 50);
	tap(t.ok && has(row(&t, HYB_FLAT_PAUSED, NULL), 1, 20, 20), "a pause may begin in one region and end in another");
	tap(has(row(&t, HYB_FLAT_REGION, &f), 1, 20, 10) && has(row(&t, HYB_FLAT_THREADS, NULL), 1, 50, 20),
	    "the region has what is before it by itself");
	end(&t);

	begin(&t);
	enter(&t, 10, &f);
	turn(&t, 20, false);
	turn(&t, 30, false); /* another thread had switched it on */
	leave(&t, 40, &f);
	turn(&t, 50, true);
	enter(&t, 60, &g);
	leave(&t, 70, &g);
	finish(&t, 80);
	tap(t.ok && has(row(&t, HYB_FLAT_PAUSED, NULL), 1, 30, 30) && has(row(&t, HYB_FLAT_REGION, &f), 1, 30, 10),
	    "switched off twice: it is one pause, and the region in it is left");
	tap(hyb_spots_at(&t.spots, t.spots.table.count - 1)->parent == HYB_SPOT_ROOT, "what comes after it is in no pause");
	end(&t);
}

int main(void)
{
	check_regions();
	check_kernel();
	check_pauses();
	return tap_done();
}
