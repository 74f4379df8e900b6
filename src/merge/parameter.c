/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program says of its regions. What it says right at the begin is told with the Enter, everything later with
 * the Leave: as attributes, each with the name that the program gave it.
 */
#include "merge/convert.h"

#include <errno.h>

#include "reader/containers/array.h"

bool hyb_convert_says(const struct hyb_event *event)
{
	return event->type == HYB_POINT && event->count > event->head &&
	       event->words[event->head] >> HYB_TYPE_SHIFT == HYB_PARAMETER;
}

/* The attribute that a record is. False: it is none, or this is the reading that finds out which there are. */
static bool attribute_of(struct hyb_convert *c, const struct hyb_attached *a, struct hyb_attribute *attribute)
{
	struct hyb_parameters *parameters = &c->m->model.parameters;
	const uint32_t type = (uint32_t)(a->words[0] >> HYB_PARAMETER_TYPE_SHIFT) & HYB_PARAMETER_TYPE_MASK;
	uint32_t name = hyb_ids_text(&c->ids, (uint32_t)a->words[0]), number;

	if (name == HYB_NAME_NONE || (type > HYB_METRIC_DOUBLE && type != HYB_PARAMETER_TEXT))
		return false;
	if (c->pass == HYB_PASS_COUNT) {
		if (hyb_parameters_add(parameters, name, type))
			c->err = -ENOMEM;
		return false;
	}
	number = hyb_parameters_find(parameters, name, type);
	attribute->value = type == HYB_PARAMETER_TEXT ? hyb_ids_text(&c->ids, a->words[1]) : a->words[1];
	attribute->id = (enum hyb_attribute_id)(HYB_ATTRIBUTES + number);
	return number != UINT32_MAX && (type != HYB_PARAMETER_TEXT || attribute->value != HYB_NAME_NONE);
}

void hyb_convert_say_now(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_attribute attribute;
	struct hyb_attached a;
	uint32_t pos = 0;

	while (hyb_attached_next(event, &pos, &a))
		if (a.type == HYB_PARAMETER && attribute_of(c, &a, &attribute))
			hyb_convert_attribute(c, attribute.id, attribute.value);
}

/* The innermost open region of the program's own; SIZE_MAX: there is none. */
static size_t innermost_of_program(const struct hyb_convert *c)
{
	size_t depth = c->depth;

	while (depth && c->stack[depth - 1].region->paradigm != HYB_PARADIGM_USER)
		depth--;
	return depth - 1;
}

void hyb_convert_say_late(struct hyb_convert *c, const struct hyb_attached *a)
{
	struct hyb_attribute attribute;
	struct hyb_said *grown;
	size_t depth;

	if (!attribute_of(c, a, &attribute) || !c->out)
		return;
	depth = innermost_of_program(c);
	if (depth == SIZE_MAX)
		return;
	grown = hyb_array_room(c->said, &c->said_room, c->said_count, sizeof(*grown));
	if (!grown) {
		c->err = -ENOMEM;
		return;
	}
	c->said = grown;
	grown[c->said_count++] = (struct hyb_said){ .depth = depth, .id = attribute.id, .value = attribute.value };
}

void hyb_convert_said(struct hyb_convert *c, size_t depth)
{
	size_t first = c->said_count;

	while (first && c->said[first - 1].depth >= depth)
		first--;
	for (size_t i = first; i < c->said_count; i++)
		hyb_convert_attribute(c, c->said[i].id, c->said[i].value);
	c->said_count = first;
}
