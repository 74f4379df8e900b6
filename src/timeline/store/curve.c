/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of a curve; see curve.h. */
#include "timeline/store/curve.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "reader/containers/search.h"
#include "timeline/store/io.h"
#include "timeline/store/pack.h"
#include "timeline/store/tile.h"

/* One question's: a curve, and the stretch of it that is unpacked. */
struct reader {
	const struct hyb_view_store *store;
	const struct hyb_view_curve *curve;
	struct hyb_view_packer *packer;
	const struct hyb_view_stretch *at; /* NULL: none is */
	struct hyb_view_value *values;
	char *bytes;
	size_t room;
	int err;
};

static int unpack(struct reader *r, const struct hyb_view_stretch *s)
{
	int err;

	if (!r->packer)
		r->packer = hyb_view_packer_new();
	if (!r->values)
		r->values = calloc(HYB_VIEW_VALUES, sizeof(*r->values));
	if (s->size > r->room) {
		free(r->bytes);
		r->bytes = malloc(s->size);
		r->room = r->bytes ? s->size : 0;
	}
	if (!r->packer || !r->values || !r->bytes)
		return -ENOMEM;
	err = hyb_view_read_at(r->store->fd, r->bytes, s->size, s->offset);
	return err ? err : hyb_view_unpack_values(r->packer, r->bytes, s, r->values);
}

/* Its values; NULL after an error. */
static const struct hyb_view_value *look(struct reader *r, const struct hyb_view_stretch *s)
{
	if (r->err || r->at == s)
		return r->err ? NULL : r->values;
	r->at = NULL;
	r->err = unpack(r, s);
	if (r->err)
		return NULL;
	r->at = s;
	return r->values;
}

/* The stretch that has the value of that time, which is not before the first one. */
static size_t stretch_at(const struct hyb_view_curve *c, uint64_t time)
{
	return HYB_SEARCH(i, c->count, c->stretches[i].time <= time) - 1;
}

/* Which value of the stretch holds at that time. */
static uint32_t value_at(const struct hyb_view_value *v, uint32_t count, uint64_t time)
{
	const uint32_t next = (uint32_t)HYB_SEARCH(i, count, v[i].time <= time);

	return next ? next - 1 : 0;
}

/* Values times ns up to that time. */
static double area_at(struct reader *r, uint64_t time)
{
	const struct hyb_view_curve *c = r->curve;
	const struct hyb_view_stretch *s;
	const struct hyb_view_value *v;
	double area;
	uint32_t last;

	if (time <= c->stretches[0].time)
		return 0;
	if (time >= c->stretches[c->count].time)
		return c->stretches[c->count].area;
	s = &c->stretches[stretch_at(c, time)];
	v = look(r, s);
	if (!v)
		return 0;
	last = value_at(v, s->count, time);
	area = s->area;
	for (uint32_t i = 0; i < last; i++)
		area += v[i].value * (double)(v[i + 1].time - v[i].time);
	return area + v[last].value * (double)(time - v[last].time);
}

static void widen(struct hyb_view_level *l, double least, double most)
{
	l->least = isnan(l->least) || least < (double)l->least ? (float)least : l->least;
	l->most = isnan(l->most) || most > (double)l->most ? (float)most : l->most;
}

/* Of the values that hold at some time from `from` on, before `until`. No look into stretches that lie in it as a whole. */
static void find_range(struct reader *r, uint64_t from, uint64_t until, struct hyb_view_level *l)
{
	const struct hyb_view_curve *c = r->curve;
	const size_t last = stretch_at(c, until - 1);

	for (size_t i = stretch_at(c, from); i <= last; i++) {
		const struct hyb_view_stretch *s = &c->stretches[i];
		const struct hyb_view_value *v;

		if (s->time >= from && s[1].time <= until) {
			widen(l, s->least, s->most);
			continue;
		}
		v = look(r, s);
		for (uint32_t k = v ? value_at(v, s->count, from) : s->count; k < s->count && v[k].time < until; k++)
			widen(l, v[k].value, v[k].value);
	}
}

static struct hyb_view_level level_of(struct reader *r, uint64_t from, uint64_t until)
{
	const struct hyb_view_stretch *s = r->curve->stretches;
	struct hyb_view_level l = { NAN, NAN, NAN };

	from = from > s->time ? from : s->time;
	until = until < s[r->curve->count].time ? until : s[r->curve->count].time;
	if (!r->curve->count || from >= until)
		return l;
	find_range(r, from, until, &l);
	l.mean = (float)((area_at(r, until) - area_at(r, from)) / (double)(until - from));
	return l;
}

/* Which of all values holds at that time, or the first one. */
static uint64_t number_at(struct reader *r, uint64_t time)
{
	const struct hyb_view_curve *c = r->curve;
	const size_t next = HYB_SEARCH(i, c->count, c->stretches[i].time <= time);
	const struct hyb_view_stretch *s = &c->stretches[next - (next > 0)];
	const struct hyb_view_value *v = look(r, s);

	return (uint64_t)(s - c->stretches) * HYB_VIEW_VALUES + (v ? value_at(v, s->count, time) : 0);
}

static int put_values(struct reader *r, uint64_t first, uint64_t last, struct hyb_view_bytes *to)
{
	int err = 0;

	for (uint64_t i = first; !err && i <= last; i++) {
		const struct hyb_view_value *v = look(r, &r->curve->stretches[i / HYB_VIEW_VALUES]);
		const double both[2] = { v ? (double)v[i % HYB_VIEW_VALUES].time : 0, v ? v[i % HYB_VIEW_VALUES].value : 0 };

		err = hyb_view_put(to, both, sizeof(both));
	}
	return err;
}

static int put_levels(struct reader *r, uint64_t begin, uint64_t width, struct hyb_view_bytes *to)
{
	int err = 0;

	for (uint32_t i = 0; !err && !r->err && i < HYB_VIEW_COLUMNS; i++) {
		const struct hyb_view_level l = level_of(r, begin + i * width, begin + (i + 1) * width);

		err = hyb_view_put(to, &l, sizeof(l));
	}
	return err;
}

int hyb_view_curve_tile(const struct hyb_view_store *s, size_t curve, uint32_t level, uint64_t index,
			struct hyb_view_bytes *to, enum hyb_view_tile_kind *kind)
{
	const uint64_t begin = index * HYB_VIEW_COLUMNS << level, end = begin + ((uint64_t)HYB_VIEW_COLUMNS << level);
	struct reader r = { .store = s, .curve = &s->curves[curve] };
	struct hyb_view_tile_head head = { .kind = HYB_VIEW_TILE_EXACT, .begin = (double)begin };
	const bool any = r.curve->count && r.curve->stretches[0].time < end;
	const uint64_t first = any ? number_at(&r, begin) : 0, last = any ? number_at(&r, end - 1) : 0;
	int err;

	head.records = any ? (double)(last - first + 1) : 0;
	head.count = any ? (uint32_t)(last - first + 1) : 0;
	if (any && last - first >= HYB_VIEW_EXACT) {
		head.kind = HYB_VIEW_TILE_DENSITY;
		head.count = HYB_VIEW_COLUMNS;
	}
	*kind = (enum hyb_view_tile_kind)head.kind;
	err = hyb_view_put(to, &head, sizeof(head));
	if (!err && *kind == HYB_VIEW_TILE_DENSITY)
		err = put_levels(&r, begin, UINT64_C(1) << level, to);
	else if (!err && any)
		err = put_values(&r, first, last, to);
	hyb_view_packer_free(r.packer);
	free(r.values);
	free(r.bytes);
	return err ? err : r.err;
}
