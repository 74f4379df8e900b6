/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters in the archive: metric members, classes of them, and instances of classes that are not of the thread that
 * reads them. Classes and instances have their numbers in one row. OTF2 takes 255 members in a class at most: of more,
 * a class is several.
 */
#include "export/otf2/define.h"

#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"

#define PIECE 255u /* members of a class of OTF2 */

static uint32_t pieces(const struct hyb_gmetric_class *class)
{
	return (class->count + PIECE - 1) / PIECE;
}

/* How many numbers the classes take that have lower ids than that, and the most that one of all takes. */
static uint32_t count_pieces(const struct hyb_gmetrics *g, uint32_t below, uint32_t *most)
{
	const struct hyb_gmetric_class *class;
	uint32_t i, count = 0;

	*most = 1;
	for (i = 0; i < g->classes.count; i++) {
		class = hyb_gmetrics_class(g, i);
		if (class->id == HYB_METRIC_UNUSED)
			continue;
		*most = pieces(class) > *most ? pieces(class) : *most;
		count += class->id < below ? pieces(class) : 0;
	}
	return count;
}

/* The archive's number of a class, or of a thread's instance of it. */
static uint32_t number_of(const struct hyb_gmetrics *g, const struct hyb_gmetric_class *class, uint32_t instance)
{
	uint32_t most, count;

	if (instance == HYB_METRIC_UNUSED)
		return count_pieces(g, class->id, &most);
	count = count_pieces(g, g->next, &most);
	return count + instance * most;
}

static OTF2_Type type_of(const struct hyb_metric *m)
{
	return m->type == HYB_METRIC_DOUBLE ? OTF2_TYPE_DOUBLE : m->type == HYB_METRIC_INT64 ? OTF2_TYPE_INT64 : OTF2_TYPE_UINT64;
}

static struct hyb_otf2_metric *add(struct hyb_otf2_track *t, const struct hyb_merge_event *e)
{
	const struct hyb_gmetric_class *class = e->metric.class;
	struct hyb_otf2_metrics *all = &t->metrics;
	struct hyb_otf2_metric *grown = hyb_array_room(all->list, &all->room, all->count, sizeof(*grown)), *metric;
	uint32_t i;

	if (!grown)
		return NULL;
	all->list = grown;
	metric = &grown[all->count];
	*metric = (struct hyb_otf2_metric){ .class = class, .instance = e->metric.instance };
	metric->first = number_of(&t->sink->m->model.metrics, class, e->metric.instance);
	metric->types = malloc(class->count * sizeof(*metric->types));
	metric->values = malloc(class->count * sizeof(*metric->values));
	if (!metric->types || !metric->values) {
		free(metric->types);
		free(metric->values);
		return NULL;
	}
	for (i = 0; i < class->count; i++)
		metric->types[i] = type_of(&class->members[i]->def);
	all->count++;
	return metric;
}

static struct hyb_otf2_metric *find(struct hyb_otf2_track *t, const struct hyb_merge_event *e)
{
	size_t i;

	for (i = 0; i < t->metrics.count; i++)
		if (t->metrics.list[i].class == e->metric.class)
			return &t->metrics.list[i];
	return add(t, e);
}

OTF2_ErrorCode hyb_otf2_write_metric(struct hyb_otf2_track *t, uint64_t time, const struct hyb_merge_event *e)
{
	struct hyb_otf2_metric *metric = find(t, e);
	OTF2_ErrorCode code = OTF2_SUCCESS;
	uint32_t i, n, count = e->metric.class->count;

	if (!metric)
		return OTF2_ERROR_MEM_ALLOC_FAILED;
	_Static_assert(sizeof(*metric->values) == sizeof(*e->metric.values), "values are 64 bits of any type");
	memcpy(metric->values, e->metric.values, count * sizeof(*metric->values));
	for (i = 0; i < count && code == OTF2_SUCCESS; i += PIECE) {
		n = count - i < PIECE ? count - i : PIECE;
		code = OTF2_EvtWriter_Metric(t->writer, NULL, time, metric->first + i / PIECE, (uint8_t)n, metric->types + i,
					     metric->values + i);
	}
	metric->written++;
	metric->pending = true;
	t->metrics.pending++;
	t->metrics.time = e->time;
	return code;
}

void hyb_otf2_metrics_over(struct hyb_otf2_metrics *metrics, int64_t time)
{
	size_t i;

	for (i = 0; i < metrics->count; i++) {
		metrics->list[i].at_regions += metrics->list[i].pending && metrics->time == time;
		metrics->list[i].pending = false;
	}
	metrics->pending = 0;
}

void hyb_otf2_metrics_close(struct hyb_otf2_metrics *metrics)
{
	size_t i;

	for (i = 0; i < metrics->count; i++) {
		free(metrics->list[i].types);
		free(metrics->list[i].values);
	}
}

void hyb_otf2_metrics_free(struct hyb_otf2_metrics *metrics)
{
	free(metrics->list);
}

static OTF2_MetricMode mode_of(const struct hyb_metric *m)
{
	return m->mode == HYB_METRIC_ACCUMULATED ? OTF2_METRIC_ACCUMULATED_START
	       : m->mode == HYB_METRIC_ABSOLUTE	 ? OTF2_METRIC_ABSOLUTE_NEXT
						 : OTF2_METRIC_ABSOLUTE_POINT;
}

/* PAPI's own names, and those of its components. */
static OTF2_MetricType source_of(const struct hyb_metric *m)
{
	return !strncmp(m->name, "PAPI_", 5) || strstr(m->name, "::") ? OTF2_METRIC_TYPE_PAPI : OTF2_METRIC_TYPE_OTHER;
}

static void define_member(struct hyb_define *d, const struct hyb_gmetric *g, bool kernel)
{
	const struct hyb_metric *m = &g->def;
	const bool scaled = m->flags & HYB_METRIC_SCALED;
	uint32_t name = scaled ? hyb_define_format(d, "%s (scaled)", m->name) : hyb_define_name(d, m->name);
	uint32_t description = hyb_define_name(d, m->description), unit = hyb_define_name(d, m->unit);

	hyb_define_check(d, OTF2_GlobalDefWriter_WriteMetricMember(
				    d->writer, g->id, name, description, kernel ? OTF2_METRIC_TYPE_RUSAGE : source_of(m),
				    mode_of(m), type_of(m), m->base == 2 ? OTF2_BASE_BINARY : OTF2_BASE_DECIMAL, m->exponent,
				    unit));
}

static void define_members(struct hyb_define *d)
{
	const struct hyb_gmetrics *g = &d->m->model.metrics;
	const struct hyb_gmetric_class *class;
	bool *done = calloc(g->next_metric + 1, sizeof(*done));
	uint32_t i, k;

	d->no_memory |= !done;
	for (i = 0; done && i < g->classes.count; i++) {
		class = hyb_gmetrics_class(g, i);
		for (k = 0; class->used && k < class->count; k++) {
			if (!done[class->members[k]->id])
				define_member(d, class->members[k], class->kernel);
			done[class->members[k]->id] = true;
		}
	}
	free(done);
}

/* Where in all tracks that have the class its values stand. */
static OTF2_MetricOccurrence occurrence_of(const struct hyb_define *d, const struct hyb_gmetric_class *class)
{
	OTF2_MetricOccurrence occurrence = OTF2_METRIC_SYNCHRONOUS_STRICT;
	const struct hyb_otf2_metrics *metrics;
	const struct hyb_otf2_metric *metric;
	size_t i, k;

	for (i = 0; i < d->m->model.track_count; i++) {
		metrics = &d->sink->metrics[i];
		for (k = 0; k < metrics->count; k++) {
			metric = &metrics->list[k];
			if (metric->class != class)
				continue;
			if (metric->at_regions < metric->written)
				return OTF2_METRIC_ASYNCHRONOUS;
			if (metric->at_regions < metrics->regions)
				occurrence = OTF2_METRIC_SYNCHRONOUS;
		}
	}
	return occurrence;
}

static void define_class(struct hyb_define *d, const struct hyb_gmetric_class *class)
{
	const OTF2_RecorderKind recorder =
		class->scope == HYB_METRIC_OF_THREAD ? OTF2_RECORDER_KIND_CPU : OTF2_RECORDER_KIND_ABSTRACT;
	const OTF2_MetricOccurrence occurrence = occurrence_of(d, class);
	uint32_t first = number_of(&d->m->model.metrics, class, HYB_METRIC_UNUSED), refs[PIECE], i, k;

	for (i = 0; i < class->count; i += PIECE) {
		for (k = 0; k < PIECE && i + k < class->count; k++)
			refs[k] = class->members[i + k]->id;
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteMetricClass(d->writer, first + i / PIECE, (uint8_t)k, refs,
									  occurrence, recorder));
	}
}

/* In the order of their numbers, which is that of the classes. */
static void define_classes(struct hyb_define *d)
{
	const struct hyb_gmetrics *g = &d->m->model.metrics;
	uint32_t i;

	for (i = 0; i < g->classes.count; i++)
		if (hyb_gmetrics_class(g, i)->used)
			define_class(d, hyb_gmetrics_class(g, i));
}

/* Of a class of threads it is said which of them has it; of one of something else, there is an instance for each. */
static void define_recorder(struct hyb_define *d, const struct hyb_model_process *p, uint64_t location,
			    const struct hyb_otf2_metric *metric)
{
	const bool node = metric->class->scope == HYB_METRIC_OF_NODE;
	uint32_t class = number_of(&d->m->model.metrics, metric->class, HYB_METRIC_UNUSED), i;

	for (i = 0; i < pieces(metric->class); i++) {
		if (metric->instance == HYB_METRIC_UNUSED)
			hyb_define_check(d, OTF2_GlobalDefWriter_WriteMetricClassRecorder(d->writer, class + i, location));
		else
			hyb_define_check(d, OTF2_GlobalDefWriter_WriteMetricInstance(
						    d->writer, metric->first + i, class + i, location,
						    node ? OTF2_SCOPE_SYSTEM_TREE_NODE : OTF2_SCOPE_LOCATION_GROUP,
						    node ? NODE_FIRST + p->host : p->group));
	}
}

void hyb_define_metrics(struct hyb_define *d)
{
	const struct hyb_otf2_metrics *metrics;
	const struct hyb_model_process *p;
	size_t i, t, k;

	define_members(d);
	define_classes(d);
	for (i = 0; i < d->m->model.process_count; i++) {
		p = &d->m->model.processes[i];
		for (t = 0; t < p->thread_count; t++) {
			metrics = &d->sink->metrics[p->first_track + t];
			for (k = 0; k < metrics->count; k++)
				define_recorder(d, p, p->threads[t].location, &metrics->list[k]);
		}
	}
}
