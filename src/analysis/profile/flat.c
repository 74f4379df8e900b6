/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See flat.h. Each spot belongs to the innermost region around it that is none of the kernel's. So all parts of all
 * regions sum to the threads' time, to the nanosecond.
 */
#include "analysis/profile/flat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/stack.h"
#include "merge/sink/event.h"

/* Adds up what is in `from`. */
static int add_rival(struct hyb_table *to, const struct hyb_flat_rival *from)
{
	const uint32_t before = to->count;
	struct hyb_flat_rival *found = hyb_table_get(to, from);

	if (!found)
		return -ENOMEM;
	if (to->count > before)
		found->cpu = from->cpu;
	found->count += from->count;
	found->ns += from->ns;
	if (found->cpu == HYB_FLAT_NO_CPU)
		found->cpu = from->cpu;
	else if (from->cpu != HYB_FLAT_NO_CPU && from->cpu != found->cpu)
		found->cpu = HYB_FLAT_CPUS;
	return 0;
}

int hyb_flat_rival(struct hyb_table *rivals, uint32_t process, const struct hyb_stack *stack,
		   const struct hyb_merge_event *leave)
{
	const struct hyb_spot *spot = hyb_stack_spot(stack, stack->depth);
	struct hyb_flat_rival rival = {
		.process = process, .who = spot->detail, .count = 1, .cpu = HYB_FLAT_NO_CPU,
		.ns = leave->time - hyb_stack_top(stack)->enter,
	};

	if (!spot->region || hyb_flat_part_of(spot->region) != HYB_PART_INVOLUNTARY || rival.who == HYB_NAME_NONE)
		return 0;
	for (uint32_t i = 0; i < leave->attribute_count; i++)
		if (leave->attributes[i].id == HYB_ATTRIBUTE_KERNEL_CPU)
			rival.cpu = leave->attributes[i].value;
	return add_rival(rivals, &rival);
}

static void add_times(struct hyb_flat_times *to, const struct hyb_flat_times *t)
{
	to->visits += t->visits;
	to->inclusive += t->inclusive;
	for (int i = 0; i < HYB_PARTS; i++) {
		to->part[i] += t->part[i];
		to->count[i] += t->count[i];
	}
}

static int add_row(struct hyb_flat *f, uint32_t process, enum hyb_flat_kind kind, const struct hyb_gregion *of,
		   const struct hyb_flat_times *times)
{
	const struct hyb_flat_region like = {
		.kind = kind, .part = of ? hyb_flat_part_of(of) : HYB_PART_OWN, .region = of,
	};
	struct hyb_flat_region *region = hyb_table_get(&f->regions, &like);
	struct hyb_flat_row row = { .process = process }, *found;

	if (!region)
		return -ENOMEM;
	row.region = hyb_table_index(&f->regions, region);
	found = hyb_table_get(&f->rows, &row);
	if (!found)
		return -ENOMEM;
	add_times(&found->times, times);
	add_times(&region->times, times);
	return 0;
}

/* The spot itself, or the innermost around it, that is none of the kernel's, and no pause if these are `passed`. */
static uint32_t user_of(const struct hyb_spots *spots, uint32_t i, bool passed)
{
	const struct hyb_spot *s = hyb_spots_at(spots, i);

	while (hyb_spot_is_kernel(s) || (passed && s->kind == HYB_SPOT_PAUSED)) {
		i = s->parent;
		s = hyb_spots_at(spots, i);
	}
	return i;
}

/* In one of its own kind, which has its time already. */
static bool is_within_its_like(const struct hyb_spots *spots, uint32_t i)
{
	const struct hyb_spot *s = hyb_spots_at(spots, i), *at = s;

	while (i != HYB_SPOT_ROOT) {
		i = at->parent;
		at = hyb_spots_at(spots, i);
		if (at->kind == s->kind && at->region == s->region)
			return true;
	}
	return false;
}

static enum hyb_flat_kind kind_of(const struct hyb_spot *s)
{
	if (s->kind == HYB_SPOT_REGION)
		return hyb_spot_is_kernel(s) ? HYB_FLAT_KERNEL : HYB_FLAT_REGION;
	return s->kind == HYB_SPOT_TOP ? HYB_FLAT_THREADS : HYB_FLAT_PAUSED;
}

static int add_spot(struct hyb_flat *f, uint32_t process, const struct hyb_spots *spots, uint32_t i,
		    const struct hyb_spent *spent, int64_t inclusive, bool passed)
{
	const struct hyb_spot *s = hyb_spots_at(spots, i), *user = hyb_spots_at(spots, user_of(spots, i, passed));
	const enum hyb_flat_part part = s->region ? hyb_flat_part_of(s->region) : HYB_PART_OWN;
	struct hyb_flat_times own = { .visits = spent->visits }, inside = { .visits = 0 };
	int err = 0;

	own.part[part] = inside.part[part] = spent->ns;
	if (part != HYB_PART_OWN)
		inside.count[part] = spent->visits;
	if (!is_within_its_like(spots, i))
		own.inclusive = inclusive;
	if (user != s)
		err = add_row(f, process, kind_of(user), user->region, &inside);
	return err || (passed && s->kind == HYB_SPOT_PAUSED) ? err : add_row(f, process, kind_of(s), s->region, &own);
}

/* By spot, with what is below it; to be freed. NULL without memory. */
static int64_t *sum_inclusive(const struct hyb_spots *spots, const struct hyb_spent *spent)
{
	int64_t *sums = calloc(spots->table.count, sizeof(*sums));

	/* Parents have lower numbers than their children. */
	for (uint32_t i = spots->table.count; sums && i-- > 0;) {
		sums[i] += spent[i].ns + spent[i].paused;
		if (i != HYB_SPOT_ROOT)
			sums[hyb_spots_at(spots, i)->parent] += sums[i];
	}
	return sums;
}

static int add_spots(struct hyb_flat *f, uint32_t process, const struct hyb_spots *spots, const struct hyb_spent *spent,
		     bool passed)
{
	int64_t *inclusive = sum_inclusive(spots, spent);
	int err = inclusive ? 0 : -ENOMEM;

	/* A profile has the spots of all threads. */
	for (uint32_t i = 0; i < spots->table.count && !err; i++)
		if (spent[i].visits || inclusive[i])
			err = add_spot(f, process, spots, i, &spent[i], inclusive[i], passed);
	free(inclusive);
	return err;
}

int hyb_flat_add_spent(struct hyb_flat *f, uint32_t process, const struct hyb_spots *spots,
		       const struct hyb_spent *spent)
{
	return add_spots(f, process, spots, spent, false);
}

int hyb_flat_add_stack(struct hyb_flat *f, uint32_t process, const struct hyb_stack *stack,
		       const struct hyb_table *rivals)
{
	struct hyb_flat_times paused = { .visits = stack->pauses };
	int err;

	if (!stack->spent_count)
		return 0;
	for (size_t i = 0; i < stack->spent_count; i++)
		paused.inclusive += stack->spent[i].paused;
	paused.part[HYB_PART_OWN] = paused.inclusive;
	pthread_mutex_lock(&f->lock);
	err = add_spots(f, process, stack->spots, stack->spent, true);
	if (!err && stack->pauses)
		err = add_row(f, process, HYB_FLAT_PAUSED, NULL, &paused);
	for (uint32_t i = 0; i < rivals->count && !err; i++)
		err = add_rival(&f->rivals, hyb_table_at(rivals, i));
	pthread_mutex_unlock(&f->lock);
	return err;
}

void hyb_flat_rivals_init(struct hyb_table *rivals)
{
	HYB_TABLE_KEYED(rivals, struct hyb_flat_rival, who);
}

void hyb_flat_init(struct hyb_flat *flat)
{
	memset(flat, 0, sizeof(*flat));
	HYB_TABLE_KEYED(&flat->regions, struct hyb_flat_region, region);
	HYB_TABLE_KEYED(&flat->rows, struct hyb_flat_row, process);
	pthread_mutex_init(&flat->lock, NULL);
	hyb_flat_rivals_init(&flat->rivals);
	flat->begun = true;
}

void hyb_flat_free(struct hyb_flat *flat)
{
	if (!flat->begun)
		return;
	hyb_table_free(&flat->regions);
	hyb_table_free(&flat->rows);
	hyb_table_free(&flat->rivals);
	pthread_mutex_destroy(&flat->lock);
	free(flat->order);
	free(flat->processes);
	flat->begun = false;
}
