/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines about a set, and names that are like another; see note.h. */
#include "core/counters/note.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "core/config/config.h"
#include "core/sys/memory.h"
#include "core/sys/text.h"

const char *hyb_counter_text(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = hyb_alloc(size);

	return copy ? memcpy(copy, text, size) : "";
}

void hyb_counter_note(struct hyb_counter_set *set, const char *format, ...)
{
	struct hyb_counter_note *note = hyb_alloc(sizeof(*note));
	char text[1024];
	va_list arguments;

	if (!note)
		return;
	va_start(arguments, format);
	hyb_text_vformat(text, sizeof(text), format, arguments);
	va_end(arguments);
	note->text = hyb_counter_text(text);
	if (!set->last_note)
		set->last_note = &set->notes;
	*set->last_note = note;
	set->last_note = &note->next;
}

/* A name's last part is what is misspelt, or what is there without the part before. */
static unsigned int edits_between(const char *name, const char *other)
{
	unsigned int best = UINT_MAX, part = UINT_MAX;
	const char *tail = strrchr(other, ':');

	hyb_config_closer(name, strlen(name), other, strlen(other), &best);
	if (tail && !strchr(name, ':') && hyb_config_closer(name, strlen(name), tail + 1, strlen(tail + 1), &part) &&
	    part < best)
		best = part;
	return best;
}

void hyb_nearest_offer(struct hyb_nearest *nearest, const char *name)
{
	unsigned int edits = edits_between(nearest->name, name);
	unsigned int at = HYB_NEAREST;

	if (edits == UINT_MAX)
		return;
	for (unsigned int i = 0; i < HYB_NEAREST && nearest->near[i]; i++) {
		if (!strcmp(nearest->near[i], name))
			return;
	}
	while (at && (!nearest->near[at - 1] || nearest->edits[at - 1] > edits))
		at--;
	if (at == HYB_NEAREST)
		return;
	for (unsigned int i = HYB_NEAREST - 1; i > at; i--) {
		nearest->near[i] = nearest->near[i - 1];
		nearest->edits[i] = nearest->edits[i - 1];
	}
	nearest->near[at] = hyb_counter_text(name);
	nearest->edits[at] = edits;
}

const char *hyb_nearest_text(const struct hyb_nearest *nearest, char *text, size_t size)
{
	size_t n = 0;

	text[0] = 0;
	for (unsigned int i = 0; i < HYB_NEAREST && nearest->near[i] && n < size; i++) {
		bool last = i == HYB_NEAREST - 1 || !nearest->near[i + 1];

		n += hyb_text_format(text + n, size - n, "%s%s%s", !i ? "; did you mean " : last ? " or " : ", ",
				     nearest->near[i], last ? "?" : "");
	}
	return text;
}
