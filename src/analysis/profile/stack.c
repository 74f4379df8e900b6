/* SPDX-License-Identifier: BSD-3-Clause */
/* See stack.h. */
#include "analysis/profile/stack.h"

#include <errno.h>
#include <stdlib.h>

#include "reader/containers/array.h"
#include "merge/sink/event.h"

#define TASK_IS_STOPPED 0xcu /* TASK_STOPPED, TASK_TRACED of Linux' include/linux/sched.h */

/* Room for what is spent at each spot. */
static int know(struct hyb_stack *s)
{
	struct hyb_spent *grown = hyb_array_hold(s->spent, &s->spent_room, s->spots->table.count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	s->spent = grown;
	while (s->spent_count < s->spots->table.count)
		s->spent[s->spent_count++] = (struct hyb_spent){ .visits = 0 };
	return 0;
}

static int push(struct hyb_stack *s, uint32_t spot, uint64_t calls)
{
	struct hyb_stack_frame *grown = hyb_array_room(s->frames, &s->room, s->depth, sizeof(*grown));

	if (!grown || spot == HYB_SPOT_NONE || know(s))
		return -ENOMEM;
	s->frames = grown;
	s->frames[s->depth++] = (struct hyb_stack_frame){ .spot = spot, .enter = s->last, .calls = calls };
	return 0;
}

int hyb_stack_begin(struct hyb_stack *s, int64_t now)
{
	s->last = now;
	return push(s, HYB_SPOT_ROOT, 1);
}

/*
 * The call site of a region, or, of a pre-emption, the task that gets the CPU. If the thread gave up the CPU itself, the
 * next task is not the cause, so it is left out; whether the thread was stopped is not.
 */
static uint32_t detail_of(const struct hyb_stack *s, const struct hyb_merge_event *e)
{
	for (uint32_t i = 0; i < e->attribute_count; i++) {
		const struct hyb_attribute *a = &e->attributes[i];

		if (a->id == HYB_ATTRIBUTE_SITE)
			return (uint32_t)a->value;
		if (!s->tasks)
			continue;
		if (a->id == HYB_ATTRIBUTE_KERNEL_STATE && a->value & TASK_IS_STOPPED &&
		    hyb_kernel_class(e->region) == HYB_TIME_VOLUNTARY)
			return HYB_SPOT_STOPPED;
		if ((a->id == HYB_ATTRIBUTE_KERNEL_NEXT || a->id == HYB_ATTRIBUTE_KERNEL_HELD) &&
		    hyb_kernel_class(e->region) == HYB_TIME_INVOLUNTARY)
			return (uint32_t)a->value;
	}
	return HYB_NAME_NONE;
}

int hyb_stack_enter(struct hyb_stack *s, const struct hyb_merge_event *e)
{
	const struct hyb_spot like = {
		.parent = hyb_stack_top(s)->spot,
		.kind = HYB_SPOT_REGION,
		.region = e->region,
		.detail = detail_of(s, e),
	};
	uint64_t calls = 1;

	for (uint32_t i = 0; i < e->attribute_count; i++)
		if (e->attributes[i].id == HYB_ATTRIBUTE_POLLS && e->attributes[i].value)
			calls = e->attributes[i].value;
	return push(s, hyb_spots_get(s->spots, &like), calls);
}

int hyb_stack_pause(struct hyb_stack *s, bool first)
{
	const struct hyb_spot like = {
		.parent = hyb_stack_top(s)->spot, .kind = HYB_SPOT_PAUSED, .detail = HYB_NAME_NONE,
	};

	if (first) {
		s->pauses += !s->paused;
		s->paused = true;
	}
	/* Another thread may have switched recording on meanwhile, which this one's track does not have. */
	if (hyb_stack_is_paused(s))
		return 0;
	return push(s, hyb_spots_get(s->spots, &like), 1);
}

void hyb_stack_pop(struct hyb_stack *s)
{
	const struct hyb_stack_frame *top = hyb_stack_top(s);

	s->spent[top->spot].visits += top->calls;
	s->depth--;
}

void hyb_stack_resume(struct hyb_stack *s)
{
	s->paused = false;
	if (hyb_stack_is_paused(s))
		hyb_stack_pop(s);
}

void hyb_stack_end(struct hyb_stack *s)
{
	while (s->depth)
		hyb_stack_pop(s);
}

int hyb_stack_blame(struct hyb_stack *s, const struct hyb_merge_event *e)
{
	struct hyb_stack_frame *top = hyb_stack_top(s);
	struct hyb_spot like = *hyb_spots_at(s->spots, top->spot);
	uint32_t holder = detail_of(s, e);
	uint32_t spot;

	if (holder == HYB_NAME_NONE || e->region != like.region)
		return 0;
	like.detail = holder;
	spot = hyb_spots_get(s->spots, &like);
	if (spot == HYB_SPOT_NONE || know(s))
		return -ENOMEM;
	top->spot = spot;
	return 0;
}

void hyb_stack_free(struct hyb_stack *s)
{
	free(s->spent);
	free(s->frames);
}
