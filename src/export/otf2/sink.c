/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of the OTF2 sink: archive, locations; see sink.h. */
#include "export/otf2/sink.h"

#include <errno.h>
#include <stdlib.h>

#include "export/otf2/location.h"
#include "export/otf2/samples.h"

/*
 * How many members the largest group of the archive has at most, ranks or OpenMP's locations: definitions must fit the
 * library's buffer.
 */
static uint32_t largest_group(const struct hyb_merge *m)
{
	size_t ranks = m->model.ranks + m->model.comms.holes, threads = 0, i;

	for (i = 0; i < m->model.process_count; i++)
		threads += m->model.processes[i].thread_count;
	return (uint32_t)(ranks > threads ? ranks : threads);
}

static void free_sink(struct hyb_sink *s)
{
	size_t i;

	for (i = 0; s->metrics && i < s->m->model.track_count; i++)
		hyb_otf2_metrics_free(&s->metrics[i]);
	hyb_archive_free(&s->archive);
	hyb_otf2_samples_free(s->samples);
	free(s->metrics);
	free(s->events);
	free(s);
}

static int begin(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	struct hyb_sink *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->m = m;
	s->events = calloc(m->model.track_count + 1, sizeof(*s->events));
	s->metrics = calloc(m->model.track_count + 1, sizeof(*s->metrics));
	s->samples = ops == &hyb_otf2_samples_sink ? hyb_otf2_samples_new(m) : NULL;
	if (!s->events || !s->metrics || (ops == &hyb_otf2_samples_sink && !s->samples)) {
		free_sink(s);
		return -ENOMEM;
	}
	ret = hyb_archive_open(&s->archive, &m->output, s->samples ? HYB_ARCHIVE_SAMPLES : HYB_ARCHIVE_NAME,
			       largest_group(m));
	if (!ret)
		ret = hyb_archive_check(&s->archive, OTF2_Archive_OpenEvtFiles(s->archive.otf2));
	if (ret) {
		free_sink(s);
		return ret;
	}
	*sink = s;
	return 0;
}

static int open_track(struct hyb_sink *s, const struct hyb_track *track, void **state)
{
	struct hyb_otf2_track *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->sink = s;
	t->index = track->index;
	t->code = OTF2_SUCCESS;
	t->attributes = OTF2_AttributeList_New();
	t->sampled = s->samples ? hyb_otf2_sampled_of(s->samples, track) : NULL;
	if (!t->attributes || (s->samples && !t->sampled)) {
		if (t->attributes)
			OTF2_AttributeList_Delete(t->attributes);
		free(t);
		return -ENOMEM;
	}
	t->writer = OTF2_Archive_GetEvtWriter(s->archive.otf2, track->location);
	if (!t->writer) {
		OTF2_AttributeList_Delete(t->attributes);
		free(t);
		return hyb_archive_check(&s->archive, OTF2_ERROR_INVALID);
	}
	*state = t;
	return 0;
}

static int close_track(void *state, uint64_t *events)
{
	struct hyb_otf2_track *t = state;
	struct hyb_archive *a = &t->sink->archive;
	OTF2_ErrorCode code = t->code;

	if (code == OTF2_SUCCESS)
		code = OTF2_EvtWriter_GetNumberOfEvents(t->writer, events);
	if (code == OTF2_SUCCESS)
		code = OTF2_Archive_CloseEvtWriter(a->otf2, t->writer);
	t->sink->events[t->index] = *events;
	hyb_otf2_metrics_close(&t->metrics);
	t->sink->metrics[t->index] = t->metrics;
	OTF2_AttributeList_Delete(t->attributes);
	free(t);
	return hyb_archive_check(a, code);
}

/* Readers look for a file of local definitions for every location. */
static int write_local(struct hyb_sink *s, uint64_t location)
{
	struct hyb_archive *a = &s->archive;
	OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(a->otf2, location);
	int ret;

	if (!writer)
		return hyb_archive_check(a, OTF2_ERROR_INVALID);
	ret = s->samples ? hyb_otf2_samples_map(s, writer, location) : 0;
	return ret ? ret : hyb_archive_check(a, OTF2_Archive_CloseDefWriter(a->otf2, writer));
}

/* And for a file of events; threads that have streams have theirs already. */
static int write_empty(struct hyb_sink *s, uint64_t location)
{
	struct hyb_archive *a = &s->archive;
	OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(a->otf2, location);

	if (!writer)
		return hyb_archive_check(a, OTF2_ERROR_INVALID);
	return hyb_archive_check(a, OTF2_Archive_CloseEvtWriter(a->otf2, writer));
}

struct visit {
	struct hyb_sink *sink;
	int (*visit)(struct hyb_sink *s, uint64_t location);
};

static int visit_absent(void *arg, uint32_t place)
{
	const struct visit *v = arg;

	return v->visit(v->sink, place);
}

static int each_cpu(const struct hyb_model *k, const struct visit *v)
{
	size_t i, c;
	int ret = 0;

	for (i = 0; k->options.cpus && !ret && i < k->node_count; i++)
		for (c = 0; !ret && !k->nodes[i].tasks && c < k->nodes[i].cpu_count; c++)
			ret = v->visit(v->sink, k->nodes[i].cpus[c].group);
	return ret;
}

/* Calls visit for every location; `empty` only for those without a stream. */
static int each_location(struct hyb_sink *s, bool empty, int (*visit)(struct hyb_sink *s, uint64_t location))
{
	const struct hyb_merge *m = s->m;
	struct visit v = { s, visit };
	const struct hyb_model_process *p;
	int ret = hyb_model_each_absent(&m->model, visit_absent, &v);
	size_t k, t;

	for (k = 0; !ret && k < m->model.process_count; k++) {
		if (*m->options.stop)
			return -EINTR;
		p = &m->model.processes[k];
		if (!p->thread_count || p->threads[0].number)
			ret = visit(s, p->group);
		for (t = 0; !ret && !empty && t < p->thread_count; t++)
			ret = visit(s, p->threads[t].location);
	}
	if (!ret && !empty)
		ret = each_cpu(&m->model, &v);
	return ret;
}

static int end(struct hyb_sink *s)
{
	struct hyb_archive *a = &s->archive;
	int ret = each_location(s, true, write_empty);

	if (!ret)
		ret = hyb_archive_check(a, OTF2_Archive_CloseEvtFiles(a->otf2));
	if (!ret)
		ret = hyb_archive_check(a, OTF2_Archive_OpenDefFiles(a->otf2));
	if (!ret && s->samples)
		ret = hyb_otf2_samples_join(s->samples);
	if (!ret)
		ret = each_location(s, false, write_local);
	if (!ret)
		ret = hyb_archive_check(a, OTF2_Archive_CloseDefFiles(a->otf2));
	if (!ret)
		ret = hyb_otf2_define(s);
	return ret ? ret : hyb_archive_close(a);
}

/* In the order in which they go to their place: the anchor last. */
static const char *const parts[] = {
	HYB_ARCHIVE_NAME, HYB_ARCHIVE_NAME ".def", HYB_ARCHIVE_NAME ".marker", HYB_ARCHIVE_NAME ".otf2", NULL,
};

const struct hyb_sink_ops hyb_otf2_sink = {
	.name = "otf2",
	.parts = parts,
	.begin = begin,
	.open = open_track,
	.event = hyb_otf2_write,
	.close = close_track,
	.end = end,
	.free = free_sink,
};

static const char *const samples_parts[] = {
	HYB_ARCHIVE_SAMPLES, HYB_ARCHIVE_SAMPLES ".def", HYB_ARCHIVE_SAMPLES ".marker", HYB_ARCHIVE_SAMPLES ".otf2", NULL,
};

const struct hyb_sink_ops hyb_otf2_samples_sink = {
	.name = "otf2-samples",
	.parts = samples_parts,
	.needs = HYB_NEED_SAMPLES,
	.begin = begin,
	.open = open_track,
	.event = hyb_otf2_write_sample,
	.close = close_track,
	.end = end,
	.free = free_sink,
};
