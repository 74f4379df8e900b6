/* SPDX-License-Identifier: BSD-3-Clause */
/* See look.h: both read records one after the other, and say so where that would take too long. */
#include "timeline/store/look.h"

#include <errno.h>
#include <stdlib.h>

#include "timeline/store/read.h"

#define FIND_MOST (UINT64_C(16) << 20)	 /* records of a track */
#define SHARES_MOST (UINT64_C(64) << 20) /* of all */

static bool is_wanted(const struct hyb_view_wish *wish, uint32_t what)
{
	uint32_t id = what & HYB_VIEW_ID_MASK;
	enum hyb_view_form form = hyb_view_form(what);

	return (form == HYB_VIEW_SLICE || form == HYB_VIEW_ENTER) && id < wish->count &&
	       (wish->bits[id / 8] >> id % 8 & 1);
}

/* Of one track: its record's number, or its count. */
static uint64_t find_in(struct hyb_view_reader *s, const struct hyb_view_track *t, uint64_t time,
			bool before, const struct hyb_view_wish *wish)
{
	uint64_t passed[HYB_VIEW_CLASSES], i, looked;

	if (before) {
		i = hyb_view_passed_at(s, t, time, passed);
		for (looked = 0; i > 0 && looked < FIND_MOST; looked++)
			if (is_wanted(wish, hyb_view_record_at(s, t, --i)->what))
				return i;
		return t->count;
	}
	i = hyb_view_passed_at(s, t, time + 1, passed);
	for (looked = 0; i < t->count && looked < FIND_MOST; looked++, i++)
		if (is_wanted(wish, hyb_view_record_at(s, t, i)->what))
			return i;
	return t->count;
}

struct hyb_view_found hyb_view_find(const struct hyb_view_store *s, const uint32_t *tracks,
				    size_t count, uint64_t time, bool before,
				    const struct hyb_view_wish *wish)
{
	struct hyb_view_found found = { .track = UINT32_MAX };
	struct hyb_view_reader reader;

	hyb_view_reader_begin(&reader, s);
	for (size_t k = 0; k < count; k++) {
		const struct hyb_view_track *t = &s->tracks[tracks[k]];
		uint64_t i = find_in(&reader, t, time, before, wish);
		const struct hyb_view_record *r =
			i < t->count ? hyb_view_record_at(&reader, t, i) : NULL;

		if (!r || (found.track != UINT32_MAX && (before ? (double)r->time <= found.begin
								: (double)r->time >= found.begin)))
			continue;
		found = (struct hyb_view_found){ (double)r->time,
						 -1,
						 tracks[k],
						 r->what,
						 hyb_view_detail_at(&reader, t, i),
						 0 };
		if (hyb_view_form(r->what) == HYB_VIEW_SLICE)
			found.end = (double)(r->time + r->extent);
		else if (r->extent)
			found.end = (double)hyb_view_record_at(&reader, t, i + r->extent)->time;
	}
	if (hyb_view_reader_end(&reader))
		found.track = UINT32_MAX;
	return found;
}

struct sums {
	struct hyb_view_share *list; /* by region id + 1 */
	uint64_t from;
	uint64_t until;
};

static void add(struct sums *sums, uint32_t place, uint64_t begin, uint64_t end)
{
	begin = begin > sums->from ? begin : sums->from;
	end = end < sums->until ? end : sums->until;
	if (end > begin)
		sums->list[place].ns += (double)(end - begin);
}

/* The place of the innermost region; 0: in none. */
static uint32_t place_of(struct hyb_view_reader *s, const struct hyb_view_track *t,
			 const uint64_t *stack, size_t depth)
{
	return depth ? (hyb_view_record_at(s, t, stack[depth - 1])->what & HYB_VIEW_ID_MASK) + 1
		     : 0;
}

static int add_track(struct hyb_view_reader *s, const struct hyb_view_track *t, uint64_t first,
		     uint64_t last, struct sums *sums)
{
	uint64_t *stack = calloc(t->depth + 2, sizeof(*stack)),
		 now = sums->from > t->begin ? sums->from : t->begin;
	const struct hyb_view_record *r;
	uint32_t place, id;
	size_t depth;

	if (!stack)
		return -ENOMEM;
	/* One record before, which may be a slice that reaches into it. */
	first -= first > 0;
	depth = hyb_view_stack(s, t, first, stack);
	place = place_of(s, t, stack, depth);
	for (; first < last; first++) {
		r = hyb_view_record_at(s, t, first);
		id = (r->what & HYB_VIEW_ID_MASK) + 1;
		add(sums, place, now, r->time);
		now = r->time > now ? r->time : now;
		switch (hyb_view_form(r->what)) {
		case HYB_VIEW_SLICE:
			add(sums, id, r->time, r->time + r->extent);
			now = r->time + r->extent;
			sums->list[id].visits += r->time >= sums->from;
			break;
		case HYB_VIEW_ENTER:
			if (depth > t->depth) {
				free(stack);
				return -EIO;
			}
			stack[depth++] = first;
			place = id;
			sums->list[id].visits += r->time >= sums->from;
			break;
		case HYB_VIEW_LEAVE:
			depth -= depth > 0;
			place = place_of(s, t, stack, depth);
			break;
		default:
			break;
		}
	}
	add(sums, place, now, t->end);
	free(stack);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct hyb_view_share *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

int hyb_view_shares(const struct hyb_view_store *s, const uint32_t *tracks, size_t count,
		    uint64_t from, uint64_t until, struct hyb_view_bytes *to)
{
	const uint32_t regions = s->regions + 1;
	struct sums sums = { calloc(regions, sizeof(*sums.list)), from, until };
	uint64_t passed[HYB_VIEW_CLASSES], records = 0;
	struct hyb_view_reader reader;
	uint32_t used = 0;
	int err = sums.list ? 0 : -ENOMEM, ret;

	hyb_view_reader_begin(&reader, s);
	for (size_t k = 0; !err && k < count; k++) {
		const struct hyb_view_track *t = &s->tracks[tracks[k]];
		uint64_t first = hyb_view_passed_at(&reader, t, from, passed),
			 last = hyb_view_passed_at(&reader, t, until, passed);

		records += last - first;
		err = records > SHARES_MOST ? -E2BIG : add_track(&reader, t, first, last, &sums);
	}
	ret = hyb_view_reader_end(&reader);
	err = err ? err : ret;
	for (uint32_t i = 0; !err && i < regions; i++) {
		sums.list[i].region = i - 1;
		if (sums.list[i].ns > 0 || sums.list[i].visits)
			sums.list[used++] = sums.list[i];
	}
	if (!err) {
		qsort(sums.list, used, sizeof(*sums.list), by_time);
		err = hyb_view_put(to, sums.list, used * sizeof(*sums.list));
	}
	free(sums.list);
	return err;
}
