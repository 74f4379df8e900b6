/* SPDX-License-Identifier: BSD-3-Clause */
/* Process by process, thread by thread; memory is for the distinct call paths, and for one thread's profile. */
#include "analysis/profile/calltree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/kernel.h"
#include "merge/model/ids.h"
#include "reader/streams/clock.h"
#include "reader/streams/profile.h"

/* What is read at the moment. */
struct reading {
	struct hyb_calltree *tree;
	struct hyb_model *model;
	const struct hyb_calltree_selection *selection;
	const struct hyb_model_process *process;
	const struct hyb_clock *clock;
	struct hyb_ids ids;
	const struct hyb_thread_profile *thread;
	uint32_t *nodes; /* of the thread, the first that was made first */
	uint32_t count;
	uint32_t *path_of; /* by cell */
	size_t *metric_of; /* by place in the thread's vectors */
	uint64_t *inside;  /* by cell: what the kernel did right in it, nanoseconds */
	int64_t *own_of;   /* by cell: by itself */
	struct hyb_call_kernel kernel;
	struct hyb_call_own own;
};

/* A duration in nanoseconds. */
static int64_t duration(const struct reading *r, uint64_t ticks)
{
	uint64_t begin = r->thread->begin;

	return hyb_ns_sub(hyb_clock_ns(r->clock, begin + ticks), hyb_clock_ns(r->clock, begin));
}

/* The text of where the region was called; HYB_NAME_NONE: not known. */
static uint32_t where(const struct reading *r, const struct hyb_profile_node *n)
{
	const struct hyb_object *object = r->ids.defs ? hyb_thread_profile_object(n, r->ids.defs) : NULL;
	const char *text;

	if (!object || hyb_sources_call(r->model->sources, object, (n->site & HYB_PROFILE_ADDRESS) - object->base, &text))
		return HYB_NAME_NONE;
	return hyb_names_add(&r->model->names, text);
}

/* 0 or -ENOMEM. */
static int identify(struct reading *r, uint32_t cell, const struct hyb_profile_node *n)
{
	struct hyb_spot like = { .kind = HYB_SPOT_REGION };

	if (n->region == HYB_PROFILE_ROOT) {
		r->path_of[cell] = HYB_SPOT_ROOT;
		return hyb_call_own_room(&r->own, r->tree->count);
	}
	if (n->region == HYB_PROFILE_PAUSED)
		like.kind = HYB_SPOT_PAUSED;
	else if (hyb_profile_is_kernel(n->region))
		like.region = hyb_call_kernel_region(&r->kernel, r->process, (uint32_t)n->region);
	else
		like.region = hyb_ids_region(&r->ids, n->region);
	if (like.kind == HYB_SPOT_REGION && !like.region)
		return -ENOMEM;
	like.parent = n->parent ? r->path_of[n->parent] : 0;
	like.detail = where(r, n);
	r->path_of[cell] = hyb_calltree_path(r->tree, &like);
	if (r->path_of[cell] == HYB_SPOT_NONE)
		return -ENOMEM;
	return hyb_call_own_room(&r->own, r->tree->count);
}

/* The same of a node's times, which of the kernel's are nanoseconds. */
static int64_t length(const struct reading *r, const struct hyb_profile_node *n, uint64_t time)
{
	return hyb_profile_is_kernel(n->region) ? (int64_t)time : duration(r, time);
}

/*
 * What the kernel did right in each node. Where an event did not come to its end, what was in it has, and may be more
 * than what it took.
 */
static void add_up_kernel(struct reading *r)
{
	uint32_t at;

	for (at = hyb_thread_profile_next(r->thread, 0); at; at = hyb_thread_profile_next(r->thread, at)) {
		const struct hyb_profile_node *n = hyb_profile_node(&r->thread->tree, at);

		if (hyb_profile_is_kernel(n->region))
			r->inside[n->parent] += n->inclusive > r->inside[at] ? n->inclusive : r->inside[at];
	}
}

/* By itself, without its children. */
static int64_t own_time(const struct reading *r, uint32_t cell, const struct hyb_profile_node *n)
{
	uint64_t children = hyb_profile_is_kernel(n->region) ? 0 : n->children;
	int64_t own = length(r, n, n->inclusive > children ? n->inclusive - children : 0);

	/* The kernel's clock is set right now and then, by parts in a million. */
	return (uint64_t)own > r->inside[cell] ? own - (int64_t)r->inside[cell] : 0;
}

/* From powers of two of ticks to those of nanoseconds: each bin goes where its middle is. */
static void add_bins(const struct reading *r, struct hyb_call_path *p, const struct hyb_profile_node *n)
{
	for (unsigned int i = 0; i < HYB_PROFILE_BINS; i++) {
		int64_t ns;
		unsigned int bin;

		if (!n->bins[i])
			continue;
		ns = length(r, n, i ? UINT64_C(3) << (i - 1) : 1);
		bin = ns > 1 ? 63 - (unsigned int)__builtin_clzll((uint64_t)ns) : 0;
		p->bins[bin < HYB_PROFILE_BINS ? bin : HYB_PROFILE_BINS - 1] += n->bins[i];
	}
}

static void add_node(struct reading *r, uint32_t cell)
{
	const struct hyb_profile_node *n = hyb_profile_node(&r->thread->tree, cell);
	struct hyb_call_path *p = &r->tree->paths[r->path_of[cell]];
	int64_t own = own_time(r, cell, n);
	int64_t least = n->visits ? length(r, n, n->min) : INT64_MAX, most = length(r, n, n->max);

	p->visits += n->visits;
	r->own_of[cell] = own;
	p->exclusive += own;
	r->own.ns[r->path_of[cell]] += own;
	p->min = least < p->min ? least : p->min;
	p->max = most > p->max ? most : p->max;
	p->sends += n->sends;
	p->sent += n->sent;
	p->receives += n->receives;
	p->received += n->received;
	p->collectives += n->collectives;
	p->errors += n->errors;
	p->bytes += n->words * sizeof(uint64_t);
	add_bins(r, p, n);
}

bool hyb_call_adds_up(const struct hyb_metric *m)
{
	return m->mode == HYB_METRIC_ACCUMULATED && m->type != HYB_METRIC_DOUBLE;
}

/* The place in the tree of each metric of the thread's sets; SIZE_MAX: it is none to be added up. */
static int find_metrics(struct reading *r)
{
	const struct hyb_profile *p = &r->thread->tree;
	const struct hyb_metric_defs *defs = r->ids.defs ? &r->ids.defs->metrics : NULL;
	const struct hyb_profile_set *own;

	for (uint32_t i = 0; i < p->header->state.metrics; i++)
		r->metric_of[i] = SIZE_MAX;
	for (uint32_t at = p->header->state.sets; at; at = own->before) {
		const struct hyb_metric_set *set;
		const struct hyb_ids_set *classes;
		uint32_t place[HYB_METRIC_SCOPES] = { 0 };

		own = hyb_profile_cell(p, at);
		set = defs ? hyb_metric_defs_set(defs, own->id) : NULL;
		classes = set && r->ids.set ? &r->ids.set[set - defs->sets] : NULL;
		for (uint32_t i = 0; classes && i < own->count && i < set->count; i++) {
			const struct hyb_metric *m = &defs->metrics[set->metric[i]];
			const struct hyb_gmetric_class *class = classes->classes[hyb_metric_scope(m)];
			uint32_t n = place[hyb_metric_scope(m)]++;

			if (!class || n >= class->count || !hyb_call_adds_up(m))
				continue;
			r->metric_of[own->first + i] = hyb_calltree_metric(r->tree, class->members[n]);
			if (r->metric_of[own->first + i] == SIZE_MAX)
				return -ENOMEM;
		}
	}
	return 0;
}

static int add_metrics(struct reading *r, uint32_t cell)
{
	const struct hyb_profile_node *n = hyb_profile_node(&r->thread->tree, cell);
	const uint64_t *sums = hyb_profile_cell(&r->thread->tree, n->metrics);
	int err = 0;

	for (uint32_t i = 0; i < n->metric_count && !err; i++)
		if (r->metric_of[i] != SIZE_MAX && sums[i])
			err = hyb_calltree_count(r->tree, r->metric_of[i], r->path_of[cell], sums[i]);
	return err;
}

static int add_nodes(struct reading *r)
{
	uint32_t at, i;
	int err = find_metrics(r);

	for (at = hyb_thread_profile_next(r->thread, 0), i = 0; at; at = hyb_thread_profile_next(r->thread, at))
		r->nodes[i++] = at;
	r->count = i;
	add_up_kernel(r);
	for (i = r->count; i-- > 0 && !err;) {
		err = identify(r, r->nodes[i], hyb_profile_node(&r->thread->tree, r->nodes[i]));
		if (err)
			break;
		add_node(r, r->nodes[i]);
		err = add_metrics(r, r->nodes[i]);
	}
	return err;
}

static int tell(struct reading *r, const struct hyb_model_thread *t)
{
	const struct hyb_call_thread thread = {
		.process = (uint32_t)(r->process - r->model->processes),
		.track = (uint32_t)(r->process->first_track + (size_t)(t - r->process->threads)),
		.begin = hyb_clock_ns(r->clock, r->thread->begin),
		.profile = r->thread,
		.ids = &r->ids,
		.nodes = r->nodes,
		.count = r->count,
		.path_of = r->path_of,
		.own = r->own_of,
	};

	return r->selection->tell ? r->selection->tell(r->selection->tell_arg, r->tree, &thread) : 0;
}

static int add_thread(struct reading *r, const struct hyb_model_thread *t)
{
	struct hyb_thread_profile *profile;
	const struct hyb_profile_state *s;
	int err = hyb_thread_profile_read(t->path, r->process->source->owner, r->ids.defs, r->model->options.diag,
					  &profile);

	if (err == -ENOMEM)
		return err;
	if (err) {
		r->tree->unreadable += err != -ENODATA;
		return 0;
	}
	s = &profile->tree.header->state;
	r->thread = profile;
	r->nodes = calloc(s->nodes.count + 1, sizeof(*r->nodes));
	r->path_of = calloc(s->cells, sizeof(*r->path_of));
	r->metric_of = calloc(s->metrics + 1, sizeof(*r->metric_of));
	r->inside = calloc(s->cells, sizeof(*r->inside));
	r->own_of = calloc(s->cells, sizeof(*r->own_of));
	err = r->nodes && r->path_of && r->metric_of && r->inside && r->own_of ? add_nodes(r) : -ENOMEM;
	if (!err)
		err = tell(r, t);
	free(r->nodes);
	free(r->path_of);
	free(r->metric_of);
	free(r->inside);
	free(r->own_of);
	r->tree->lasted += duration(r, profile->end - profile->begin);
	r->tree->covered += s->kernel && s->kernel < profile->end ? duration(r, profile->end - s->kernel) : 0;
	r->tree->own += !!s->kernel_own;
	r->tree->crowded += s->crowded;
	r->tree->threads++;
	r->tree->running += !profile->closed;
	r->tree->open += profile->open;
	r->tree->torn += profile->torn;
	r->tree->stray += s->stray;
	r->tree->lost += s->lost;
	r->tree->gaps += s->gaps;
	hyb_thread_profile_free(profile);
	return err;
}

static bool is_wanted(const struct reading *r)
{
	return r->selection->rank < 0 || (r->process->ranked && r->process->group == (uint64_t)r->selection->rank);
}

static int add_process(struct reading *r)
{
	const struct hyb_model *m = r->model;
	uint32_t before = r->tree->threads;
	int err = hyb_ids_open(&r->ids, r->process->source, r->process->group, &m->links, r->process->job, &m->comms,
			       &m->wins, &r->model->regions, m->sources, &m->names, m->options.diag);

	if (!err)
		err = hyb_ids_add_metrics(&r->ids, &m->metrics);
	r->clock = hyb_clocks_get(m->clocks, (size_t)r->process->clock);
	for (size_t i = 0; !err && i < r->process->thread_count; i++) {
		const struct hyb_model_thread *t = &r->process->threads[i];

		if (*m->options.stop)
			err = -EINTR;
		else if (r->selection->thread < 0 || t->number == (uint64_t)r->selection->thread)
			err = add_thread(r, t);
	}
	hyb_ids_close(&r->ids);
	if (r->tree->threads > before) {
		r->tree->processes++;
		hyb_calltree_compare(r->tree, &r->own, (uint32_t)(r->process - m->processes));
	}
	return err;
}

int hyb_calltree_read(struct hyb_calltree *tree, struct hyb_model *model,
		      const struct hyb_calltree_selection *selection)
{
	struct reading r = { .tree = tree, .model = model, .selection = selection, .kernel.model = model };
	int err = hyb_calltree_init(tree);

	for (size_t i = 0; i < model->process_count && !err; i++) {
		r.process = &model->processes[i];
		if (is_wanted(&r))
			err = add_process(&r);
	}
	free(r.own.ns);
	hyb_call_kernel_free(&r.kernel);
	if (!err)
		err = hyb_calltree_sum(tree, &model->names);
	return err ? err : tree->threads ? 0 : -ENOENT;
}
