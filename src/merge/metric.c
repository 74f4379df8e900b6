/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * METRIC records become events. They stand directly before the Enter or Leave that they belong to, with its time, as
 * Score-P writes them; those that belong to nothing, at their own time.
 */
#include "merge/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"

void hyb_metric_uses_free(struct hyb_metric_uses *u)
{
	size_t i;

	for (i = 0; i < u->count; i++)
		free(u->uses[i].sums);
	free(u->uses);
}

void hyb_convert_begin_metrics(struct hyb_convert *c)
{
	hyb_metric_end(&c->metrics.reader);
	hyb_convert_drop_metrics(c);
}

void hyb_convert_free_metrics(struct hyb_convert *c)
{
	hyb_metric_end(&c->metrics.reader);
	free(c->metrics.waiting);
	free(c->metrics.values);
	free(c->metrics.part);
}

/* Whether value a is less than b. */
static bool is_less(enum hyb_metric_type type, uint64_t a, uint64_t b)
{
	double x, y;

	switch (type) {
	case HYB_METRIC_INT64:
		return (int64_t)a < (int64_t)b;
	case HYB_METRIC_DOUBLE:
		memcpy(&x, &a, sizeof(x));
		memcpy(&y, &b, sizeof(y));
		return x < y;
	default:
		return a < b;
	}
}

static struct hyb_metric_use *add_use(struct hyb_metric_uses *u, struct hyb_gmetric_class *class, const uint64_t *values)
{
	struct hyb_metric_use *grown = hyb_array_room(u->uses, &u->room, u->count, sizeof(*grown)), *use;
	uint32_t i;

	if (!grown)
		return NULL;
	u->uses = grown;
	use = &grown[u->count];
	*use = (struct hyb_metric_use){ .class = class, .instance = HYB_METRIC_UNUSED };
	use->sums = malloc(class->count * sizeof(*use->sums));
	if (!use->sums)
		return NULL;
	for (i = 0; i < class->count; i++)
		use->sums[i] = (struct hyb_metric_sum){ values[i], values[i], values[i], values[i] };
	u->count++;
	return use;
}

/* While counting: that there are values, and what they add up to. */
static void note(struct hyb_convert *c, struct hyb_gmetric_class *class, const uint64_t *values)
{
	struct hyb_metric_use *use = hyb_metric_use(&c->ts->metrics, class);
	enum hyb_metric_type type;
	struct hyb_metric_sum *sum;
	uint32_t i;

	if (!use)
		use = add_use(&c->ts->metrics, class, values);
	if (!use) {
		c->err = -ENOMEM;
		return;
	}
	if (!__atomic_load_n(&class->used, __ATOMIC_RELAXED))
		__atomic_store_n(&class->used, true, __ATOMIC_RELAXED);
	use->readings++;
	use->time = c->now;
	for (i = 0; i < class->count; i++) {
		sum = &use->sums[i];
		type = class->members[i]->def.type;
		sum->last = values[i];
		sum->least = is_less(type, values[i], sum->least) ? values[i] : sum->least;
		sum->most = is_less(type, sum->most, values[i]) ? values[i] : sum->most;
	}
}

static void tell_class(struct hyb_convert *c, struct hyb_gmetric_class *class, const uint64_t *values)
{
	const struct hyb_metric_use *use;
	struct hyb_merge_event e;

	if (c->pass == HYB_PASS_COUNT)
		note(c, class, values);
	if (!c->out)
		return;
	/* Of what has come since it was counted, nothing is told. */
	use = hyb_metric_use(&c->ts->metrics, class);
	if (!use)
		return;
	hyb_convert_now(c, &e, HYB_KIND_METRIC);
	e.metric.class = class;
	e.metric.values = values;
	e.metric.instance = use->instance;
	hyb_convert_tell(c, &e);
}

/* Those of a set's values that are of a class, in turn. NULL without memory. */
static const uint64_t *gather(struct hyb_convert *c, const struct hyb_metric_set *set,
			      const struct hyb_gmetric_class *class, const uint64_t *values)
{
	uint64_t *part = hyb_array_hold(c->metrics.part, &c->metrics.part_room, class->count, sizeof(*part));
	uint32_t i, n = 0;

	if (!part) {
		c->err = -ENOMEM;
		return NULL;
	}
	c->metrics.part = part;
	for (i = 0; i < set->count && n < class->count; i++)
		if (hyb_metric_scope(&c->ids.defs->metrics.metrics[set->metric[i]]) == class->scope)
			part[n++] = values[i];
	return part;
}

static void tell_set(struct hyb_convert *c, size_t place, const uint64_t *values)
{
	const struct hyb_metric_set *set = &c->ids.defs->metrics.sets[place];
	struct hyb_gmetric_class *class;
	const uint64_t *part;
	unsigned int scope;
	bool any = false;

	for (scope = 0; scope < HYB_METRIC_SCOPES; scope++) {
		class = c->ids.set[place].classes[scope];
		if (!class)
			continue;
		any = true;
		part = class->count == set->count ? values : gather(c, set, class, values);
		if (part)
			tell_class(c, class, part);
	}
	/* It was defined after the definitions were read first. */
	c->counts.unknown_metrics += !any;
}

/* They wait for what they belong to. */
static void keep(struct hyb_convert *c, size_t place, const struct hyb_metric_reading *reading)
{
	struct hyb_metric_queue *q = &c->metrics;
	struct hyb_metric_waiting *waiting = hyb_array_room(q->waiting, &q->room, q->count, sizeof(*waiting));
	uint64_t *values;

	if (waiting)
		q->waiting = waiting;
	values = hyb_array_hold(q->values, &q->value_room, q->value_count + reading->count, sizeof(*values));
	if (values)
		q->values = values;
	if (!waiting || !values) {
		c->err = -ENOMEM;
		return;
	}
	memcpy(values + q->value_count, reading->values, reading->count * sizeof(*values));
	waiting[q->count++] = (struct hyb_metric_waiting){ place, q->value_count };
	q->value_count += reading->count;
}

void hyb_convert_metric(struct hyb_convert *c, const struct hyb_event *event)
{
	const struct hyb_metric_defs *defs = c->ids.defs ? &c->ids.defs->metrics : NULL;
	const struct hyb_metric_set *set = NULL;
	struct hyb_metric_reading reading;
	int ret;

	if (c->pass != HYB_PASS_COUNT && c->pass != HYB_PASS_WRITE)
		return;
	ret = hyb_metric_read(&c->metrics.reader, event, &reading);
	if (ret == -ENOMEM)
		c->err = ret;
	if (!ret && defs)
		set = hyb_metric_defs_set(defs, reading.set);
	if (!set || set->count != reading.count)
		c->counts.unknown_metrics++;
	else if (reading.alone)
		tell_set(c, (size_t)(set - defs->sets), reading.values);
	else
		keep(c, (size_t)(set - defs->sets), &reading);
}

void hyb_convert_tell_waiting(struct hyb_convert *c)
{
	size_t i;

	for (i = 0; i < c->metrics.count; i++)
		tell_set(c, c->metrics.waiting[i].set, c->metrics.values + c->metrics.waiting[i].at);
	hyb_convert_drop_metrics(c);
}

void hyb_merge_number_metrics(struct hyb_merge *m)
{
	struct hyb_metric_uses *u;
	uint32_t next = 0;
	size_t i, t, k;

	hyb_gmetrics_number(&m->model.metrics);
	for (i = 0; i < m->model.process_count; i++) {
		for (t = 0; t < m->model.processes[i].thread_count; t++) {
			u = &m->processes[i].threads[t].metrics;
			for (k = 0; k < u->count; k++)
				if (u->uses[k].class->scope != HYB_METRIC_OF_THREAD)
					u->uses[k].instance = next++;
		}
	}
}
