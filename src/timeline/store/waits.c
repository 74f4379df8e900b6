/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline/store/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/sort.h"

int hyb_view_waits_init(struct hyb_view_waits *w)
{
	memset(w, 0, sizeof(*w));
	w->list = calloc(HYB_VIEW_WAITS, sizeof(*w->list));
	w->heap.items = calloc(HYB_VIEW_WAITS, sizeof(*w->heap.items));
	return w->list && w->heap.items ? 0 : -ENOMEM;
}

void hyb_view_waits_free(struct hyb_view_waits *w)
{
	free(w->list);
	free(w->heap.items);
}

static bool shorter(const void *a, const void *b, const void *arg)
{
	const struct hyb_view_wait *x = a, *y = b;

	(void)arg;
	return x->end - x->begin < y->end - y->begin;
}

void hyb_view_waits_take(void *arg, const struct hyb_step *s, uint32_t cause)
{
	struct hyb_view_waits *w = arg;
	struct hyb_view_wait one = { .begin = s->since, .end = s->end, .track = s->track, .other = s->other,
				     .cause = cause, .kind = s->wait };

	w->total++;
	if (w->heap.count < HYB_VIEW_WAITS) {
		w->list[w->heap.count] = one;
		w->heap.items[w->heap.count] = &w->list[w->heap.count];
		if (++w->heap.count == HYB_VIEW_WAITS)
			hyb_heap_order(&w->heap, shorter, NULL);
	} else if (shorter(w->heap.items[0], &one, NULL)) {
		*(struct hyb_view_wait *)w->heap.items[0] = one;
		hyb_heap_moved(&w->heap, true, shorter, NULL);
	}
}

static int by_track(const void *a, const void *b)
{
	const struct hyb_view_wait *x = a, *y = b;

	HYB_SORT_BY(x->track, y->track);
	HYB_SORT_BY(x->begin, y->begin);
	HYB_SORT_BY(x->end, y->end);
	return 0;
}

size_t hyb_view_waits_order(struct hyb_view_waits *w)
{
	qsort(w->list, w->heap.count, sizeof(*w->list), by_track);
	return w->heap.count;
}
