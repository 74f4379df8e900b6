/* SPDX-License-Identifier: BSD-3-Clause */
/* A store when all is told, and its end. */
#include "timeline/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "timeline/store/read.h"

static int compare_batches(const void *a, const void *b)
{
	const struct hyb_view_batch *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->offset > y->offset ? 1 : x->offset < y->offset ? -1 : 0;
}

static int compare_curves(const void *a, const void *b)
{
	const struct hyb_view_curve *x = a, *y = b;

	return x->track != y->track ? (x->track > y->track) - (x->track < y->track) : strcmp(x->name, y->name);
}

int hyb_view_complete(struct hyb_view_store *s)
{
	if (!s->track_count)
		return -ENODATA;
	/* Whichever thread wrote them when. */
	if (s->batches.count)
		qsort(s->batches.list, s->batches.count, sizeof(*s->batches.list), compare_batches);
	if (s->curve_count)
		qsort(s->curves, s->curve_count, sizeof(*s->curves), compare_curves);
	s->start = s->merge->start;
	s->regions = s->merge->model.regions.next;
	s->running = s->merge->model.running;
	s->elsewhere = !s->running && s->merge->model.elsewhere;
	s->lost += s->merge->counts.lost_records + s->merge->counts.lost_chunks;
	s->sketch = hyb_merge_thin(s->merge);
	s->pairing = s->pairing && (s->merge->sums.receives || s->merge->sums.collectives);
	s->parts = hyb_view_parts_new();
	return s->parts ? 0 : -ENOMEM;
}

void hyb_view_take_messages(struct hyb_view_store *s, struct hyb_view_store *from)
{
	if (from->batches.count)
		qsort(from->batches.list, from->batches.count, sizeof(*from->batches.list),
		      compare_batches);
	free(s->batches.list);
	s->batches = from->batches;
	s->message_count = from->message_count;
	s->size = from->size;
	s->pairing = false;
	from->batches = (struct hyb_view_batches){ 0 };
	from->fd = -1;
}

void hyb_view_store_free(struct hyb_view_store *s)
{
	hyb_view_parts_free(s->parts);
	if (s->fd >= 0)
		close(s->fd);
	/* Those of a cache lie in its tables. */
	for (size_t i = 0; !s->tables && i < s->track_count; i++) {
		free(s->tracks[i].segments);
		free(s->tracks[i].late);
	}
	free(s->tracks);
	for (size_t i = 0; i < s->curve_count; i++) {
		if (!s->tables)
			free(s->curves[i].stretches);
		free(s->curves[i].name);
		free(s->curves[i].unit);
	}
	free(s->curves);
	if (!s->tables)
		free(s->batches.list);
	free(s->tables);
	free(s->comms);
	free(s->about);
	hyb_table_free(&s->details);
}
