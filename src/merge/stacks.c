/* SPDX-License-Identifier: BSD-3-Clause */
/* How the program came to its calls; see stacks.h. */
#include "merge/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/convert.h"
#include "merge/model/stack.h"

#define REGIONS 65536

struct stack {
	uint64_t id;
	uint32_t number; /* of the text in the model; HYB_NAME_NONE: it has none */
};

static bool same_stack(const void *entry, const void *key)
{
	return !memcmp(entry, key, sizeof(uint64_t));
}

void hyb_convert_begin_stacks(struct hyb_convert *c)
{
	hyb_table_init(&c->stacks.texts, sizeof(struct stack), same_stack);
}

void hyb_convert_begin_thread_stacks(struct hyb_convert *c)
{
	c->stacks.seq = 0;
	c->stacks.chunk++;
}

void hyb_convert_free_stacks(struct hyb_convert *c)
{
	hyb_table_free(&c->stacks.texts);
	free(c->stacks.last);
	c->stacks.last = NULL;
}

int hyb_convert_end_stacks(struct hyb_convert *c)
{
	struct hyb_merge_sites *s = &c->m->sites;
	const struct hyb_table *stacks = &c->stacks.texts;
	bool ok = true;
	char *text;

	for (uint32_t i = 0; ok && c->sites.gathers && i < stacks->count; i++) {
		const struct stack *stack = hyb_table_at(stacks, i);

		/* One that is not defined has none. */
		if (!c->ids.defs || !hyb_callers_find(&c->ids.defs->callers, stack->id))
			continue;
		text = hyb_stack_text(c->m->model.sources, c->ids.defs, stack->id);
		pthread_mutex_lock(&s->lock);
		ok = text && hyb_names_add(&s->texts, text) != HYB_NAME_NONE;
		pthread_mutex_unlock(&s->lock);
		free(text);
	}
	return ok ? 0 : -ENOMEM;
}

/* Known from now on; NULL without memory. */
static const struct stack *add_stack(struct hyb_convert *c, uint64_t id)
{
	struct stack *stack = hyb_table_add(&c->stacks.texts, hyb_mix(id));
	char *text;

	if (!stack)
		return NULL;
	*stack = (struct stack){ id, HYB_NAME_NONE };
	if (!c->sites.tells)
		return stack;
	text = hyb_stack_text(c->m->model.sources, c->ids.defs, id);
	if (text)
		stack->number = hyb_names_find(&c->m->model.names, text);
	free(text);
	return stack;
}

/* The text of a stack that is told, plus 1; 0: it has none. */
static uint32_t number_of(struct hyb_convert *c, uint64_t id)
{
	const struct stack *stack = id ? hyb_table_find(&c->stacks.texts, hyb_mix(id), &id) : NULL;

	if (!id)
		return 0;
	if (!stack)
		stack = add_stack(c, id);
	if (!stack)
		c->err = -ENOMEM;
	return stack && stack->number != HYB_NAME_NONE ? stack->number + 1 : 0;
}

void hyb_convert_stack(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_convert_stacks *s = &c->stacks;
	uint32_t number = 0;
	uint64_t id;

	if (event->seq != s->seq) {
		s->seq = event->seq;
		s->chunk++;
	}
	if (hyb_callers_told(event, &id)) {
		number = number_of(c, id);
		if (!s->last && !c->err)
			s->last = calloc(REGIONS, sizeof(*s->last));
		if (!s->last)
			c->err = -ENOMEM;
		else if (event->id < REGIONS)
			s->last[event->id] = (struct hyb_convert_stack){ s->chunk, number };
	} else if (s->last && event->id < REGIONS && s->last[event->id].chunk == s->chunk) {
		number = s->last[event->id].number;
	}
	if (number && c->sites.tells)
		hyb_convert_attribute(c, HYB_ATTRIBUTE_CALLPATH, number - 1);
}
