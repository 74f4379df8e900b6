/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks of threads that stand in the definitions; see struct hyb_def_mark. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/defs.h"
#include "reader/containers/array.h"
#include "reader/containers/search.h"

int hyb_marks_add(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_late_mark mark, *marks;

	if (e->count * sizeof(*e->words) < sizeof(*e->words) + sizeof(mark.def))
		return -EBADMSG;
	memcpy(&mark.def, e->words + 1, sizeof(mark.def));
	mark.word = (uint64_t)HYB_MARK << HYB_TYPE_SHIFT | (uint64_t)(mark.def.which & HYB_ID_MASK) << HYB_ID_SHIFT |
		    (mark.def.counter & HYB_TIME_MASK);
	marks = hyb_array_room(d->marks, &d->mark_room, d->mark_count, sizeof(*marks));
	if (!marks)
		return -ENOMEM;
	d->marks = marks;
	d->marks[d->mark_count++] = mark;
	return 0;
}

static int by_stream(const void *a, const void *b)
{
	const struct hyb_def_mark *x = &((const struct hyb_late_mark *)a)->def;
	const struct hyb_def_mark *y = &((const struct hyb_late_mark *)b)->def;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->counter < y->counter ? -1 : x->counter > y->counter;
}

void hyb_marks_sort(struct hyb_defs *d)
{
	qsort(d->marks, d->mark_count, sizeof(*d->marks), by_stream);
}

bool hyb_defs_mark(const struct hyb_defs *d, uint32_t stream, size_t *at, uint64_t time, struct hyb_event *event)
{
	size_t i = d->mark_count ? HYB_SEARCH(k, d->mark_count, d->marks[k].def.stream < stream) + *at : 0;

	if (i >= d->mark_count || d->marks[i].def.stream != stream || d->marks[i].def.counter > time)
		return false;
	++*at;
	*event = (struct hyb_event){
		.type = HYB_MARK,
		.head = 1,
		.count = 1,
		.id = d->marks[i].def.which,
		.time = d->marks[i].def.counter,
		.words = &d->marks[i].word,
	};
	return true;
}
