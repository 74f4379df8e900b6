/* SPDX-License-Identifier: BSD-3-Clause */
/* From the frames of a stack to a text; see stack.h. */
#include "merge/model/stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the outermost function of a place is the program's first: what called that is no matter of the program. */
static bool is_main(const char *text)
{
	const char *last = text;

	for (const char *next; (next = strstr(last, " < "));)
		last = next + 3;
	return !strncmp(last, "main", 4) && (last[4] == ' ' || last[4] == '+');
}

/* What is at a frame; false without memory. *ends: it is the last one to be shown. */
static bool put_frame(FILE *to, struct hyb_sources *sources, const struct hyb_defs *defs, const struct hyb_caller *frame,
		      bool *ends)
{
	const struct hyb_object *object = frame->object ? hyb_defs_object(defs, frame->object) : NULL;
	const char *text;

	if (!object) {
		fprintf(to, "0x%" PRIx64, frame->address);
		return true;
	}
	if (hyb_sources_call(sources, object, frame->address - object->base, &text))
		return false;
	fputs(text, to);
	*ends = is_main(text);
	return true;
}

char *hyb_stack_text(struct hyb_sources *sources, const struct hyb_defs *defs, uint64_t id)
{
	const struct hyb_caller *frame = defs ? hyb_callers_find(&defs->callers, id) : NULL, *next;
	char *text = NULL;
	size_t size;
	FILE *to = frame ? open_memstream(&text, &size) : NULL;
	bool ends = false, ok = to;

	for (; ok && frame; frame = next) {
		next = hyb_callers_next(&defs->callers, frame);
		ok = put_frame(to, sources, defs, frame, &ends);
		if (ends)
			break;
		if (next)
			fputs(" < ", to);
		else if (frame->end != HYB_FRAME_OUTERMOST)
			fputs(frame->end == HYB_FRAME_ENOUGH ? " < ..." : " < [cut]", to);
	}
	if (to && (fclose(to) || !ok)) {
		free(text);
		text = NULL;
	}
	return text;
}
