/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters as curves; see rates.h. */
#include "merge/sink/rates.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/clock.h"
#include "reader/streams/printable.h"

/* What was read of a counter last. */
struct hyb_rate {
	struct hyb_rate *next;
	const struct hyb_gmetric *metric;
	bool has;
	int64_t time;
	uint64_t value;
};

/* The counters of a class. */
struct hyb_rate_class {
	struct hyb_rate_class *next;
	const struct hyb_gmetric_class *class;
	struct hyb_rate *list[];
};

/* NULL without memory. */
static struct hyb_rate *find_counter(struct hyb_rates *r, const struct hyb_gmetric *metric)
{
	struct hyb_rate *c;

	for (c = r->counters; c; c = c->next)
		if (c->metric == metric)
			return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->metric = metric;
	c->next = r->counters;
	r->counters = c;
	return c;
}

/* The same. */
static struct hyb_rate_class *find_class(struct hyb_rates *r, const struct hyb_gmetric_class *class)
{
	struct hyb_rate_class *c;
	uint32_t i;

	for (c = r->classes; c; c = c->next)
		if (c->class == class)
			return c;
	c = calloc(1, sizeof(*c) + class->count * sizeof(c->list[0]));
	if (!c)
		return NULL;
	for (i = 0; i < class->count; i++) {
		c->list[i] = find_counter(r, class->members[i]);
		if (!c->list[i]) {
			free(c);
			return NULL;
		}
	}
	c->class = class;
	c->next = r->classes;
	r->classes = c;
	return c;
}

static double real_of(enum hyb_metric_type type, uint64_t value)
{
	double real;

	if (type != HYB_METRIC_DOUBLE)
		return type == HYB_METRIC_INT64 ? (double)(int64_t)value : (double)value;
	memcpy(&real, &value, sizeof(real));
	return real;
}

/* What the last value says of the time from then up to `ns` later; 0: nothing is known of that. */
static double curve_of(const struct hyb_rate *c, uint64_t value, int64_t ns)
{
	const struct hyb_metric *m = &c->metric->def;
	const double scale = m->exponent ? pow(m->base, m->exponent) : 1;
	double grown;

	if (m->mode != HYB_METRIC_ACCUMULATED)
		return real_of(m->type, c->value) * scale;
	if (ns <= 0)
		return 0;
	if (m->type == HYB_METRIC_DOUBLE)
		grown = real_of(m->type, value) - real_of(m->type, c->value);
	else
		grown = (double)(int64_t)(value - c->value);
	return grown * scale / ((double)ns * 1e-9);
}

static int take(struct hyb_rate *c, uint64_t value, int64_t time, const struct hyb_rates_to *to)
{
	int ret = 0;

	if (!c->has)
		ret = to->begin(to->arg, c->metric);
	else if (time > c->time)
		ret = to->value(to->arg, c->metric, c->time, curve_of(c, value, hyb_ns_sub(time, c->time)));
	/* Of several at one time, one that adds up counts from the first on. */
	if (!c->has || time > c->time || c->metric->def.mode != HYB_METRIC_ACCUMULATED)
		c->value = value;
	c->has = true;
	c->time = time;
	return ret;
}

int hyb_rates_event(struct hyb_rates *r, const struct hyb_merge_event *e, const struct hyb_rates_to *to)
{
	struct hyb_rate_class *c = find_class(r, e->metric.class);
	uint32_t i;
	int ret = c ? 0 : -ENOMEM;

	for (i = 0; !ret && i < c->class->count; i++)
		ret = take(c->list[i], e->metric.values[i], e->time, to);
	return ret;
}

int hyb_rates_end(struct hyb_rates *r, const struct hyb_rates_to *to)
{
	struct hyb_rate_class *class;
	struct hyb_rate *c;
	int ret = 0;

	while ((class = r->classes)) {
		r->classes = class->next;
		free(class);
	}
	while ((c = r->counters)) {
		if (!ret && c->has)
			ret = to->value(to->arg, c->metric, c->time, curve_of(c, 0, 0));
		r->counters = c->next;
		free(c);
	}
	return ret;
}

int hyb_rate_names(const struct hyb_gmetric *metric, char **name, char **unit)
{
	static const char *const of[] = { "", " of the process", " of the node" };
	const struct hyb_metric *m = &metric->def;
	const bool rate = m->mode == HYB_METRIC_ACCUMULATED;

	if (asprintf(name, "%s%s%s%s", m->name, m->flags & HYB_METRIC_SCALED ? " (scaled)" : "",
		     of[hyb_metric_scope(m)], rate ? " per second" : "") < 0)
		return -ENOMEM;
	if (asprintf(unit, "%s%s", m->unit, rate ? "/s" : "") < 0) {
		free(*name);
		return -ENOMEM;
	}
	hyb_make_utf8(*name);
	hyb_make_utf8(*unit);
	return 0;
}
