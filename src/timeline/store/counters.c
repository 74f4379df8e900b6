/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the sink that fills a store: the counters of a track become curves (merge/sink/rates.h, curve.h). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "timeline/store/collect.h"
#include "timeline/store/io.h"

struct hyb_collect_curve {
	struct hyb_collect_curve *next;
	const struct hyb_gmetric *metric;
	struct hyb_view_curve own;
	size_t room;
	struct hyb_view_stretch stretch; /* that of `values` */
	double area;			 /* up to the last value */
	uint32_t fill;
	struct hyb_view_value values[HYB_VIEW_VALUES];
};

static int add_stretch(struct hyb_collect_curve *c, const struct hyb_view_stretch *s)
{
	struct hyb_view_stretch *grown = hyb_array_room(c->own.stretches, &c->room, c->own.count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	c->own.stretches = grown;
	grown[c->own.count++] = *s;
	return 0;
}

static int write_stretch(struct hyb_collect_track *t, struct hyb_collect_curve *c)
{
	struct hyb_view_stretch *s = &c->stretch;
	const void *bytes;
	int err;

	s->count = c->fill;
	err = hyb_view_pack_values(t->packer, c->values, c->fill, &bytes, &s->size);
	if (err)
		return err;
	s->offset = hyb_collect_space(t->sink->store, s->size);
	err = hyb_view_write_at(t->sink->store->fd, bytes, s->size, s->offset);
	c->fill = 0;
	return err ? err : add_stretch(c, s);
}

static int begin_curve(void *arg, const struct hyb_gmetric *metric)
{
	struct hyb_collect_track *t = arg;
	struct hyb_collect_curve *c = malloc(sizeof(*c)), **last = &t->curves;

	if (!c)
		return -ENOMEM;
	memset(c, 0, offsetof(struct hyb_collect_curve, values));
	c->metric = metric;
	while (*last)
		last = &(*last)->next;
	*last = c;
	return hyb_rate_names(metric, &c->own.name, &c->own.unit);
}

static int add_value(void *arg, const struct hyb_gmetric *metric, int64_t time, double value)
{
	struct hyb_collect_track *t = arg;
	struct hyb_collect_curve *c = t->curves;
	const int64_t since = hyb_ns_sub(time, t->sink->m->start);
	const uint64_t at = since > 0 ? (uint64_t)since : 0;
	const struct hyb_view_value *last;
	int err = 0;

	while (c->metric != metric)
		c = c->next;
	value = isfinite(value) ? value : 0;
	last = c->fill ? &c->values[c->fill - 1] : NULL;
	if (last && (last->value == value || at < last->time))
		return 0;
	if (last)
		c->area += last->value * (double)(at - last->time);
	if (c->fill == HYB_VIEW_VALUES)
		err = write_stretch(t, c);
	if (err)
		return err;
	if (!c->fill)
		c->stretch = (struct hyb_view_stretch){ .time = at, .least = value, .most = value, .area = c->area };
	c->stretch.least = fmin(c->stretch.least, value);
	c->stretch.most = fmax(c->stretch.most, value);
	c->values[c->fill++] = (struct hyb_view_value){ at, value };
	return 0;
}

static const struct hyb_rates_to *to_curves(struct hyb_collect_track *t, struct hyb_rates_to *to)
{
	*to = (struct hyb_rates_to){ .begin = begin_curve, .value = add_value, .arg = t };
	return to;
}

int hyb_collect_counters(struct hyb_collect_track *t, const struct hyb_merge_event *e)
{
	struct hyb_rates_to to;

	return hyb_rates_event(&t->rates, e, to_curves(t, &to));
}

/* What is not written so far, and its end. */
static int end_curve(struct hyb_collect_track *t, struct hyb_collect_curve *c)
{
	const struct hyb_view_value last = c->fill ? c->values[c->fill - 1] : (struct hyb_view_value){ 0 };
	struct hyb_view_stretch end = { .time = last.time > t->last ? last.time : t->last };
	int err = c->fill ? write_stretch(t, c) : 0;

	end.area = c->area + last.value * (double)(end.time - last.time);
	if (!err)
		err = add_stretch(c, &end);
	if (!err)
		c->own.count--;
	return err;
}

static int list_curve(struct hyb_collect_track *t, struct hyb_collect_curve *c)
{
	struct hyb_view_store *s = t->sink->store;
	struct hyb_view_curve *grown;

	pthread_mutex_lock(&t->sink->lock);
	grown = hyb_array_room(s->curves, &s->curve_room, s->curve_count, sizeof(*grown));
	if (grown) {
		s->curves = grown;
		c->own.track = (uint32_t)t->own.track.index;
		grown[s->curve_count++] = c->own;
		/* The store's now. */
		c->own = (struct hyb_view_curve){ 0 };
	}
	pthread_mutex_unlock(&t->sink->lock);
	return grown ? 0 : -ENOMEM;
}

int hyb_collect_end_counters(struct hyb_collect_track *t)
{
	struct hyb_rates_to to;
	struct hyb_collect_curve *c;
	int err = hyb_rates_end(&t->rates, to_curves(t, &to));

	while ((c = t->curves)) {
		if (!err)
			err = end_curve(t, c);
		if (!err)
			err = list_curve(t, c);
		t->curves = c->next;
		free(c->own.stretches);
		free(c->own.name);
		free(c->own.unit);
		free(c);
	}
	return err;
}
