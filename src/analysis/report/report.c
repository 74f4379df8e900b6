/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a report: the merge with its sink, the causes, and sums over all threads. */
#include "analysis/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/report/profiles.h"
#include "reader/containers/sort.h"

static int by_weight(const void *a, const void *b)
{
	const struct hyb_report_cause *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int by_wait(const void *a, const void *b)
{
	const struct hyb_waiting *x = *(struct hyb_waiting *const *)a, *y = *(struct hyb_waiting *const *)b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	HYB_SORT_BY(x->spot, y->spot);
	HYB_SORT_BY(x->wait, y->wait);
	return 0;
}

static int by_effect(const void *a, const void *b)
{
	const struct hyb_effect *x = *(const struct hyb_effect *const *)a, *y = *(const struct hyb_effect *const *)b;

	HYB_SORT_BY(x->cause, y->cause);
	HYB_SORT_BY(y->ns, x->ns);
	HYB_SORT_BY(x->spot, y->spot);
	HYB_SORT_BY(x->wait, y->wait);
	return 0;
}

/* So that those of a cause are found without looking at all. */
static int order_effects(struct hyb_report *r)
{
	const struct hyb_table *effects = &r->causes.effects;
	uint32_t causes = r->causes.causes.count, next = 0;

	r->effects = calloc(effects->count + 1, sizeof(*r->effects));
	r->effect_first = calloc(causes + 1, sizeof(*r->effect_first));
	if (!r->effects || !r->effect_first)
		return -ENOMEM;
	for (uint32_t i = 0; i < effects->count; i++)
		r->effects[i] = hyb_table_at(effects, i);
	qsort(r->effects, effects->count, sizeof(*r->effects), by_effect);
	for (uint32_t i = 0; i <= causes; i++) {
		while (next < effects->count && r->effects[next]->cause < i)
			next++;
		r->effect_first[i] = next;
	}
	return 0;
}

static int order(struct hyb_report *r)
{
	const struct hyb_table *causes = &r->causes.causes, *waits = &r->causes.waits;

	r->list = calloc(causes->count + 1, sizeof(*r->list));
	r->waits = calloc(waits->count + 1, sizeof(*r->waits));
	if (!r->list || !r->waits)
		return -ENOMEM;
	for (uint32_t i = 0; i < causes->count; i++) {
		const struct hyb_cause *c = hyb_table_at(causes, i);

		r->list[i] = (struct hyb_report_cause){ .cause = c, .number = i, .ns = c->direct + c->indirect };
	}
	for (uint32_t i = 0; i < waits->count; i++)
		r->waits[i] = hyb_table_at(waits, i);
	qsort(r->list, causes->count, sizeof(*r->list), by_weight);
	qsort(r->waits, waits->count, sizeof(struct hyb_waiting *), by_wait);
	return 0;
}

static int by_reason(const void *a, const void *b)
{
	const struct hyb_report_reason *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	HYB_SORT_BY(x->track, y->track);
	HYB_SORT_BY(x->reason, y->reason);
	return 0;
}

/* What the kernel did counts as that, also in a call of MPI. */
enum hyb_reason hyb_report_reason_of(const struct hyb_report *r, uint32_t spot)
{
	const struct hyb_spot *s;

	if (spot == HYB_SPOT_NONE)
		return HYB_REASON_UNKNOWN;
	s = hyb_spots_at(&r->steps.spots, spot);
	switch (hyb_spot_is_kernel(s) ? hyb_kernel_class(s->region) : s->class) {
	case HYB_TIME_MPI:
		return HYB_REASON_MPI;
	case HYB_TIME_OMP_WAIT:
		return HYB_REASON_OMP_WAIT;
	case HYB_TIME_KERNEL:
		return HYB_REASON_KERNEL;
	case HYB_TIME_VOLUNTARY:
		return HYB_REASON_VOLUNTARY;
	case HYB_TIME_INVOLUNTARY:
		return HYB_REASON_INVOLUNTARY;
	case HYB_TIME_PAUSED:
		return HYB_REASON_PAUSED;
	default:
		return HYB_REASON_COMPUTE;
	}
}

/* After which the table is for reading in order only. */
static int add_up_reasons(struct hyb_report *r)
{
	for (uint32_t i = 0; i < r->causes.causes.count; i++) {
		const struct hyb_cause *c = r->list[i].cause;
		const struct hyb_report_reason like = { .track = c->track, .reason = hyb_report_reason_of(r, c->spot) };
		struct hyb_report_reason *found = hyb_table_get(&r->reasons, &like);

		if (!found)
			return -ENOMEM;
		found->ns += r->list[i].ns;
	}
	if (r->reasons.count)
		qsort(r->reasons.entries, r->reasons.count, sizeof(struct hyb_report_reason), by_reason);
	return 0;
}

static void find_late(struct hyb_report *r)
{
	for (uint32_t i = 0; i < r->reasons.count; i++) {
		const struct hyb_report_reason *reason = hyb_table_at(&r->reasons, i);

		if (reason->reason != HYB_REASON_MPI)
			continue;
		if (!r->late.threads++ || reason->ns > r->late.most) {
			r->late.most = reason->ns;
			r->late.track = reason->track;
		}
		r->late.ns = hyb_ns_add(r->late.ns, reason->ns);
	}
}

static void sum_up(struct hyb_report *r)
{
	r->first = INT64_MAX;
	r->last = INT64_MIN;
	for (size_t i = 0; i < r->steps.track_count; i++) {
		const struct hyb_step_sums *s = &r->steps.tracks[i];

		if (!s->told)
			continue;
		r->threads++;
		r->visits += s->visits;
		r->time = hyb_ns_add(r->time, hyb_ns_sub(s->last, s->first));
		r->first = s->first < r->first ? s->first : r->first;
		r->last = s->last > r->last ? s->last : r->last;
		for (int k = 0; k < HYB_TIMES; k++)
			r->in[k] = hyb_ns_add(r->in[k], s->in[k]);
		for (int k = 0; k < HYB_WAITS; k++)
			r->waited[k] = hyb_ns_add(r->waited[k], s->waited[k]);
		r->unfinished = hyb_ns_add(r->unfinished, s->unfinished);
		r->start_stop = hyb_ns_add(r->start_stop, hyb_ns_add(s->start.ns, s->stop.ns));
		r->start_stop_waited = hyb_ns_add(r->start_stop_waited, hyb_ns_add(s->start.waited, s->stop.waited));
	}
}

/* Of a trace. 0; -ENOMSG: there are profiles only. */
static int read_events(struct hyb_report *r)
{
	const struct hyb_report_options *options = &r->options;
	const struct hyb_sink_ops *const sinks[] = { hyb_steps_sink(&r->steps, &r->flat), hyb_traffic_sink(&r->traffic) };
	struct hyb_merge_options merge = {
		.dirs = options->dirs, .dir_count = options->dir_count, .out = options->place,
		.jobs = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), .kernel = HYB_MERGE_KERNEL_THREAD, .sinks = sinks,
		.sink_count = 2, .diag = options->diag, .stop = options->stop, .progress = options->progress,
		.progress_arg = options->progress_arg, .or_profiles = options->or_profiles,
	};
	int err;

	hyb_flat_init(&r->flat);
	err = hyb_merge_run(&r->merge, &merge);
	if (err)
		return err;
	r->kernel = hyb_model_has_kernel(&r->merge.model);
	r->kernel_known = 1;
	return hyb_causes_find(&r->causes, &r->steps, options->stop);
}

static int put_in_order(struct hyb_report *r)
{
	int err = hyb_flat_order(&r->flat, &r->merge.model);

	if (!err)
		err = hyb_lines_find(&r->lines, &r->steps.spots, &r->causes, r->merge.model.process_of);
	if (!err)
		err = order(r);
	if (!err)
		err = order_effects(r);
	if (!err)
		err = add_up_reasons(r);
	if (!err)
		err = hyb_report_sum_hosts(r);
	find_late(r);
	if (err)
		return err;
	hyb_traffic_order(&r->traffic);
	hyb_phases_cut(&r->steps.phases);
	sum_up(r);
	hyb_report_sum_usage(r);
	err = hyb_critical_order(&r->critical, &r->causes, r->threads);
	return err ? err : hyb_report_sum_ranks(r);
}

int hyb_report_make(struct hyb_report *r, const struct hyb_report_options *options)
{
	int err;

	memset(r, 0, sizeof(*r));
	HYB_TABLE_KEYED(&r->reasons, struct hyb_report_reason, reason);
	r->options = *options;
	r->causes.tell = options->tell;
	r->causes.tell_arg = options->tell_arg;
	err = read_events(r);
	r->profiles = err == -ENOMSG;
	if (r->profiles)
		err = hyb_report_read_profiles(r);
	if (!err)
		err = put_in_order(r);
	if (err || r->threads)
		return err;
	hyb_diag_say(options->diag, HYB_SEV_ERROR, "%s: no thread has any event", options->dirs[0]);
	return -ENODATA;
}

void hyb_report_free(struct hyb_report *r)
{
	free(r->list);
	free(r->waits);
	free(r->effects);
	free(r->effect_first);
	hyb_table_free(&r->reasons);
	free(r->hosts);
	hyb_lines_free(&r->lines);
	hyb_critical_free(&r->critical);
	hyb_causes_free(&r->causes);
	hyb_steps_free(&r->steps);
	hyb_merge_free(&r->merge);
	hyb_flat_free(&r->flat);
	hyb_traffic_free(&r->traffic);
}
