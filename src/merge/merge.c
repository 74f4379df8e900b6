/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The merge as a whole: one pass after the other over the processes, by as many threads as wanted.
 */
#include "merge/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of a stream, if only samples are read; words of each */
#define SAMPLES_WANTED 16
#define SAMPLE_LEAST   128
#define SAMPLE_MOST    2048

struct worker {
	struct hyb_merge *m;
	enum hyb_pass pass;
	struct hyb_match *match;
	struct hyb_match own;
	size_t *next; /* process to take, shared */
	int *failed;  /* first error, shared */
	pthread_t thread;
};

static bool is_of_nodes(enum hyb_pass pass)
{
	return pass == HYB_PASS_NEEDS || pass == HYB_PASS_KERNEL;
}

/* What a pass goes over. */
static size_t count_items(const struct hyb_merge *m, enum hyb_pass pass)
{
	return is_of_nodes(pass) ? m->model.node_count : m->model.process_count;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct hyb_merge *m = w->m;
	size_t i;
	int ret;

	while (!__atomic_load_n(w->failed, __ATOMIC_RELAXED)) {
		if (*m->options.stop) {
			__atomic_store_n(w->failed, -EINTR, __ATOMIC_RELAXED);
			break;
		}
		i = __atomic_fetch_add(w->next, 1, __ATOMIC_RELAXED);
		if (i >= count_items(m, w->pass))
			break;
		if (is_of_nodes(w->pass))
			ret = hyb_kernel_pass(m, &m->kernel.nodes[i], w->pass == HYB_PASS_NEEDS);
		else
			ret = hyb_merge_convert(m, &m->model.processes[i], w->pass, w->match);
		if (ret)
			__atomic_store_n(w->failed, ret, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int merge_counts(struct hyb_merge *m, enum hyb_pass pass, struct hyb_match *from)
{
	int ret = 0;

	if (pass == HYB_PASS_COUNT)
		return hyb_match_merge(&m->match, from);
	if (pass == HYB_PASS_TAGS)
		ret = hyb_match_merge_tags(&m->match, from);
	return ret || pass != HYB_PASS_TAGS ? ret : hyb_unreported_merge(&m->match.unreported, &from->unreported);
}

static void free_match(struct hyb_match *match)
{
	hyb_unreported_free(&match->unreported);
	hyb_match_free(match);
}

static int run_threads(struct hyb_merge *m, struct worker *workers, unsigned int count, int *failed)
{
	unsigned int i, started;
	int ret = 0;

	for (started = 0; started < count; started++) {
		hyb_match_init(&workers[started].own);
		workers[started].match = &workers[started].own;
		if (pthread_create(&workers[started].thread, NULL, work, &workers[started]))
			break;
	}
	if (!started)
		work(&workers[0]);
	for (i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	for (i = 0; i < (started ? started : 1); i++) {
		if (!ret && !*failed)
			ret = merge_counts(m, workers[i].pass, &workers[i].own);
		free_match(&workers[i].own);
	}
	return ret;
}

/* Reads all processes, or nodes. Without threads the counts go straight into the merge's own tables. */
static int run_pass(struct hyb_merge *m, enum hyb_pass pass)
{
	unsigned int jobs = m->options.jobs, i;
	struct worker *workers;
	size_t next = 0;
	int failed = 0, ret = 0;

	if (jobs > count_items(m, pass))
		jobs = count_items(m, pass) ? (unsigned int)count_items(m, pass) : 1;
	workers = calloc(jobs, sizeof(*workers));
	if (!workers)
		return -ENOMEM;
	for (i = 0; i < jobs; i++) {
		workers[i].m = m;
		workers[i].pass = pass;
		workers[i].match = &m->match;
		workers[i].next = &next;
		workers[i].failed = &failed;
	}
	if (jobs == 1)
		work(&workers[0]);
	else
		ret = run_threads(m, workers, jobs, &failed);
	free(workers);
	return failed ? failed : ret;
}

/* NULL: there is no trace of it. */
static const struct hyb_model_process *process_of(const struct hyb_merge *m, uint32_t member)
{
	if (member >= m->model.ranks || m->model.rank_process[member] == UINT32_MAX)
		return NULL;
	return &m->model.processes[m->model.rank_process[member]];
}

static uint32_t count_gaps(const void *arg, uint32_t member)
{
	const struct hyb_model_process *p = process_of(arg, member);

	return p ? hyb_merge_of(arg, p)->gaps : 0;
}

static uint32_t count_pauses(const void *arg, uint32_t member)
{
	const struct hyb_model_process *p = process_of(arg, member);

	return p ? hyb_merge_of(arg, p)->pauses : 0;
}

static bool ended_well(const void *arg, uint32_t member)
{
	const struct hyb_model_process *p = process_of(arg, member);

	return p && p->end == HYB_END_NORMAL;
}

static uint64_t comm_size(const void *arg, uint32_t comm)
{
	const struct hyb_merge *m = arg;
	const struct hyb_gcomm *g = hyb_comms_at(&m->model.comms, comm);

	return g->kind == HYB_COMM_INTER ? (uint64_t)g->size + g->remote_size : g->size;
}

/* When a receive began that member's process gave this number. */
static int64_t when_begun(const void *arg, uint32_t member, uint64_t request)
{
	const struct hyb_model_process *p = process_of(arg, member);
	size_t i;

	for (i = 0; p && i < p->thread_count; i++)
		if (p->threads[i].number == request >> HYB_REQUEST_THREAD_SHIFT)
			return hyb_begun_get(&hyb_merge_of(arg, p)->threads[i].receives, request);
	return INT64_MIN;
}

static int count_all(struct hyb_merge *m)
{
	const struct hyb_match_facts facts = { count_gaps, ended_well, comm_size, count_pauses, m };
	int ret;

	if (hyb_merge_regions_only(m))
		return 0;
	m->read_total = m->model.size * 2 + m->model.kernel_size;
	ret = run_pass(m, HYB_PASS_COUNT);
	if (!ret && hyb_match_judge(&m->match, &facts, m->model.running)) {
		m->retried = true;
		m->read_total += m->model.size;
		ret = run_pass(m, HYB_PASS_TAGS);
	}
	if (!ret)
		ret = hyb_unreported_place(&m->match.unreported, &m->match, &facts);
	if (!ret)
		ret = hyb_match_settle(&m->match, &facts);
	if (!ret)
		ret = hyb_unreported_settle(&m->match.unreported, &m->match, when_begun, m);
	if (!ret && m->match.uneven) {
		m->read_total += m->model.size;
		ret = run_pass(m, HYB_PASS_CHOOSE);
		hyb_match_rewind(&m->match);
	}
	return ret;
}

static void add_counts(struct hyb_merge_counts *sum, const struct hyb_merge_counts *n)
{
	sum->records += n->records;
	sum->events += n->events;
	sum->lost_records += n->lost_records;
	sum->lost_chunks += n->lost_chunks;
	sum->corrupt_chunks += n->corrupt_chunks;
	sum->unknown_records += n->unknown_records;
	sum->stray_leaves += n->stray_leaves;
	sum->closed += n->closed;
	sum->unplaced += n->unplaced;
	sum->collectives += n->collectives;
	sum->unfinished += n->unfinished;
	sum->errors += n->errors;
	sum->polls += n->polls;
	sum->effectless += n->effectless;
	sum->rma += n->rma;
	sum->cancelled += n->cancelled;
	sum->unreported += n->unreported;
	sum->io_operations += n->io_operations;
	sum->io_read += n->io_read;
	sum->io_written += n->io_written;
	sum->tasks += n->tasks;
	sum->unplaced_tasks += n->unplaced_tasks;
	sum->unknown_metrics += n->unknown_metrics;
	sum->kernel += n->kernel;
	sum->kernel_moved += n->kernel_moved;
}

/* Threads that found no space for a stream have their losses in the manifest only. */
static void add_streamless(struct hyb_merge *m, const struct hyb_model_process *p)
{
	struct hyb_merge_process *s = hyb_merge_of(m, p);
	uint64_t told = 0;
	size_t i;

	/* A reading that goes on tells of what is new only, which cannot be told apart. */
	if (hyb_merge_goes_on(m))
		return;
	for (i = 0; i < p->thread_count; i++)
		told += s->threads[i].counts.lost_records;
	if (p->source->manifest.lost > told)
		s->streamless = p->source->manifest.lost - told;
	m->counts.lost_records += s->streamless;
}

static void sum_up(struct hyb_merge *m)
{
	const struct hyb_match_sums *s = &m->sums;
	const struct hyb_merge_counts *n = &m->counts;
	size_t i, t;

	hyb_match_sum(&m->match, &m->sums);
	hyb_kernel_sum_up(m);
	for (i = 0; i < m->model.process_count; i++) {
		for (t = 0; t < m->model.processes[i].thread_count; t++)
			add_counts(&m->counts, &m->processes[i].threads[t].counts);
		add_streamless(m, &m->model.processes[i]);
	}
	m->complete = s->matched == s->sends && s->matched == s->receives &&
		      s->whole == s->collectives && !n->unplaced && !n->lost_records &&
		      !n->lost_chunks && !m->model.absent && !m->model.comms.holes && !m->model.running;
}

/* The selection in the times of the trace. 0, or -EINVAL if there is nothing of it, which was said. */
static int select_part(struct hyb_merge *m)
{
	const struct hyb_model *model = &m->model;
	const struct hyb_rank_range *range;
	size_t i;

	for (i = 0; i < m->selection.rank_count; i++) {
		range = &m->selection.ranks[i];
		if (range->last < model->ranks)
			continue;
		hyb_diag_say(m->options.diag, HYB_SEV_ERROR, "there is no rank %" PRIu32 ": there are %" PRIu32 " ranks",
			     range->first < model->ranks ? range->last : range->first, model->ranks);
		return -EINVAL;
	}
	if (m->selection.from != INT64_MIN)
		m->selection.from = hyb_ns_add(model->first, m->selection.from);
	if (m->selection.to != INT64_MAX)
		m->selection.to = hyb_ns_add(model->first, m->selection.to);
	if (m->selection.from <= model->last)
		return 0;
	hyb_diag_say(m->options.diag, HYB_SEV_ERROR, "nothing is selected: what is recorded ends after %.6f s",
		     (double)hyb_ns_sub(model->last, model->first) * 1e-9);
	return -EINVAL;
}

/* The reading for pairs, of all processes or of those that are selected. */
static int read_pairs(struct hyb_merge *m, bool all)
{
	int ret = hyb_pairs_begin(&m->pairs, m->output.tmp, m->model.track_count);

	m->read_total += m->model.size;
	m->pairs_of_all = all;
	if (!ret)
		ret = run_pass(m, HYB_PASS_PAIR);
	if (!ret)
		ret = hyb_pairs_sort(&m->pairs, m->output.tmp);
	hyb_match_rewind(&m->match);
	return ret;
}

/* What all that was paired tells of the clocks of several nodes. */
static int find_nodes(struct hyb_merge *m)
{
	int ret = read_pairs(m, true);

	if (!ret)
		ret = hyb_nodes_find(m);
	hyb_nodes_find_span(m);
	return ret;
}

static uint32_t needs_of(const struct hyb_merge_options *o)
{
	uint32_t needs = 0;
	size_t i;

	for (i = 0; i < o->sink_count; i++)
		needs |= o->sinks[i]->needs;
	return needs;
}

/* What sinks need to know of other halves, or a part, in which these may not be. */
static int find_pairs(struct hyb_merge *m)
{
	const struct hyb_pairs_facts facts = { comm_size, hyb_nodes_track_time, m };
	const bool several = !m->options.clocks_as_are && !hyb_merge_regions_only(m) && hyb_nodes_several(m);
	uint32_t needs = needs_of(&m->options) | (hyb_selection_parts(&m->selection) ? HYB_NEED_PAIRS : 0);
	int ret = 0;

	if (several)
		ret = find_nodes(m);
	if (!ret && needs & HYB_NEED_PAIRS && (!several || m->selection.rank_count)) {
		hyb_pairs_free(&m->pairs);
		ret = read_pairs(m, false);
	}
	if (!ret && needs & HYB_NEED_PAIRS)
		ret = hyb_pairs_join(&m->pairs, m->output.tmp, &facts);
	else
		hyb_pairs_free(&m->pairs);
	if (ret && ret != -ENOMEM && ret != -EINTR)
		hyb_diag_say(m->options.diag, HYB_SEV_ERROR, "cannot write in %s: %s", m->output.dir, strerror(-ret));
	return ret;
}

static int write_all(struct hyb_merge *m)
{
	int ret = find_pairs(m);

	if (!ret)
		ret = select_part(m);
	if (!ret && hyb_selection_parts(&m->selection)) {
		m->read_total += m->model.size;
		ret = run_pass(m, HYB_PASS_LOOK);
		hyb_match_rewind(&m->match);
	}
	if (!ret && !hyb_merge_regions_only(m) && hyb_kernel_needs_reading(m)) {
		m->read_total += m->model.kernel_size;
		ret = run_pass(m, HYB_PASS_NEEDS);
		if (!ret)
			ret = hyb_kernel_number(m);
	}
	if (!ret)
		ret = hyb_kernel_find_start(m);
	if (hyb_merge_goes_on(m))
		m->start = m->options.tail->start;
	if (!ret && !hyb_merge_regions_only(m))
		ret = run_pass(m, HYB_PASS_KERNEL);
	hyb_kernel_number_samples(m);
	if (!ret && m->kernel.threads)
		ret = hyb_regions_number_more(&m->model.regions);
	if (!ret)
		ret = run_pass(m, HYB_PASS_WRITE);
	if (ret)
		return ret;
	sum_up(m);
	ret = hyb_sinks_end(&m->sinks);
	/* Without sinks there is nothing to keep, also not the directory. */
	return ret || !m->options.sink_count ? ret : hyb_output_commit(&m->output);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Regions without duration, of what happens and has no region of its own. */
static bool make_regions(struct hyb_merge *m)
{
	static const char *const depends[HYB_DEPEND_KINDS] = {
		"depends on task", "depend in", "depend out", "depend inout", "depend mutexinoutset",
		"depend source", "depend sink", "depend inoutset", "depend out all memory",
		"depend inout all memory",
	};
	size_t i;

	m->loss = hyb_regions_get(&m->model.regions, "records lost", HYB_ROLE_FUNCTION,
				  HYB_PARADIGM_MEASUREMENT, HYB_COLL_NONE);
	m->skipped = hyb_regions_get(&m->model.regions, "not read so far", HYB_ROLE_FUNCTION,
				     HYB_PARADIGM_MEASUREMENT, HYB_COLL_NONE);
	m->chunk = hyb_regions_get(&m->model.regions, "chunk", HYB_ROLE_FUNCTION, HYB_PARADIGM_OPENMP,
				   HYB_COLL_NONE);
	m->fulfil = hyb_regions_get(&m->model.regions, "omp_fulfill_event", HYB_ROLE_FUNCTION, HYB_PARADIGM_OPENMP,
				    HYB_COLL_NONE);
	for (i = 0; i < HYB_DEPEND_KINDS; i++) {
		m->depend[i] = hyb_regions_get(&m->model.regions, depends[i], HYB_ROLE_FUNCTION,
					       HYB_PARADIGM_OPENMP, HYB_COLL_NONE);
		if (!m->depend[i])
			return false;
	}
	return m->loss && m->skipped && m->chunk && m->fulfil;
}

static int prepare(struct hyb_merge *m, const struct hyb_merge_options *o)
{
	const bool threads = !o->kernel || o->kernel & HYB_MERGE_KERNEL_THREAD;
	const bool samples = needs_of(o) & HYB_NEED_SAMPLES;
	const struct hyb_model_options of_model = {
		.dirs = o->dirs,
		.dir_count = o->dir_count,
		.collectors = o->kernel != HYB_MERGE_KERNEL_NONE || samples,
		.cpus = !o->kernel || o->kernel & HYB_MERGE_KERNEL_CPU,
		.ranked = o->scalasca,
		.diag = o->diag,
		.stop = o->stop,
	};

	memset(m, 0, sizeof(*m));
	m->options = *o;
	m->selection = o->selection ? *o->selection : (struct hyb_selection)HYB_SELECTION_ALL;
	m->selection.ends_program = o->scalasca;
	hyb_match_init(&m->match);
	hyb_kernel_init(&m->kernel, threads, samples);
	hyb_sites_init(&m->sites, o->sink_count && !o->no_call_sites);
	if (hyb_model_init(&m->model, &of_model))
		return -ENOMEM;
	if (hyb_merge_goes_on(m))
		hyb_tail_give(o->tail, m);
	return make_regions(m) ? 0 : -ENOMEM;
}

/* Of threads that kept no more than their profiles there is nothing to merge. */
static int refuse_profile(const struct hyb_merge *m)
{
	const char *mode;
	size_t i;

	for (i = 0; i < m->model.process_count; i++) {
		mode = hyb_manifest_get(&m->model.processes[i].source->manifest, "mode", 0);
		if (!mode || strcmp(mode, "profile"))
			return 0;
	}
	if (!i)
		return 0;
	if (m->options.or_profiles)
		return -ENOMSG;
	hyb_diag_say(m->model.options.diag, HYB_SEV_ERROR,
		     "%s: was recorded as a profile (HYBMON_MODE), there is no trace to merge; hybmon report shows what "
		     "it has", m->model.options.dirs[0]);
	return -ENODATA;
}

/* How many, and how long. */
static void choose_samples(struct hyb_merge *m)
{
	const uint64_t words = m->options.samples / sizeof(uint64_t) / (m->model.track_count + 1);
	uint64_t window = words / SAMPLES_WANTED;

	if (!m->options.samples || m->model.size <= m->options.samples)
		return;
	window = window < SAMPLE_LEAST ? SAMPLE_LEAST : window > SAMPLE_MOST ? SAMPLE_MOST : window;
	m->sample_words = (uint32_t)window;
	m->samples = (uint32_t)(words / window) + 1;
}

/* All that is known before any stream is read. */
static int survey(struct hyb_merge *m)
{
	int ret = hyb_model_survey(&m->model);

	m->unreadable = m->model.unreadable;
	if (!ret)
		ret = refuse_profile(m);
	choose_samples(m);
	if (!ret)
		ret = hyb_merge_add_processes(m);
	if (!ret && m->options.tail)
		ret = hyb_tail_begin(m->options.tail, m);
	return ret ? ret : hyb_kernel_add_nodes(m);
}

/* The parts of all sinks, one after the other. */
static const char **list_parts(const struct hyb_merge_options *o)
{
	const char **parts;
	size_t i, k, n = 0;

	for (i = 0; i < o->sink_count; i++)
		for (k = 0; o->sinks[i]->parts && o->sinks[i]->parts[k]; k++)
			n++;
	parts = calloc(n + 1, sizeof(*parts));
	for (n = i = 0; parts && i < o->sink_count; i++)
		for (k = 0; o->sinks[i]->parts && o->sinks[i]->parts[k]; k++)
			parts[n++] = o->sinks[i]->parts[k];
	return parts;
}

static int begin_output(struct hyb_merge *m)
{
	const struct hyb_merge_options *o = &m->options;
	int ret;

	m->parts = list_parts(o);
	if (!m->parts)
		return -ENOMEM;
	m->out = o->out ? o->out : m->model.family.members[0]->path;
	ret = hyb_output_begin(&m->output, m->out, o->force, m->parts, o->diag);
	return ret ? ret : hyb_sinks_begin(&m->sinks, m, o->sinks, o->sink_count);
}

int hyb_merge_run(struct hyb_merge *m, const struct hyb_merge_options *options)
{
	double start = now();
	int ret = prepare(m, options);

	if (!ret)
		ret = survey(m);
	if (!ret)
		ret = begin_output(m);
	if (!ret)
		ret = count_all(m);
	if (!ret)
		ret = hyb_convert_alone(m);
	if (!ret)
		ret = hyb_programs_add_regions(m);
	if (!ret)
		ret = hyb_sites_number(&m->sites, &m->model);
	if (!ret) {
		hyb_nodes_find_span(m);
		if (options->scalasca)
			hyb_regions_hide_waits(&m->model.regions);
		hyb_regions_number(&m->model.regions);
		hyb_merge_number_metrics(m);
		ret = write_all(m);
	}
	hyb_sinks_free(&m->sinks);
	hyb_output_discard(&m->output);
	if (ret == -ENOMEM)
		hyb_diag_say(options->diag, HYB_SEV_ERROR, "out of memory");
	else if (ret == -EINTR)
		hyb_diag_say(options->diag, HYB_SEV_ERROR, "interrupted: no archive was written");
	if (ret)
		return ret;
	m->seconds = now() - start;
	return 0;
}

bool hyb_merge_abandon(struct hyb_merge *m)
{
	return hyb_output_abandon(&m->output);
}

void hyb_merge_free(struct hyb_merge *m)
{
	hyb_merge_free_processes(m);
	hyb_pairs_free(&m->pairs);
	hyb_nodes_free(&m->nodes);
	free_match(&m->match);
	hyb_kernel_free(&m->kernel);
	hyb_sites_free(&m->sites);
	hyb_model_free(&m->model);
	free(m->parts);
}
