/* SPDX-License-Identifier: BSD-3-Clause */
/* The first reading: which processes there are, what they defined, and how they ended. */
#include "merge/model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/containers/array.h"
#include "reader/containers/parallel.h"

/* A definition or event must fit one chunk of the library. */
#define LONGEST_END (INT64_C(366) * 86400 * 1000000000) /* ns; what a manifest says may be damaged */
#define MEMBERS_MAX (UINT64_C(1) << 20) /* of a group: OTF2 writes it in one piece of 16 MiB */
#define ARGS_MAX 16384u /* of a program: OTF2 writes them in one piece of 256 KiB */
/*
 * As many ranks without a trace have a location each, which readers show as a gap; more must not cost two files each.
 */
#define ABSENT_OWN_MAX 256
#define AHEAD 64u /* processes whose definitions are read side by side, and held until it is their turn */

/* Streams are in the order of their numbers, and hardly ever is one missing. */
static struct hyb_model_thread *thread_of(struct hyb_model_process *p, uint32_t stream)
{
	size_t i = stream < p->thread_count ? stream : p->thread_count;

	if (i < p->thread_count && p->threads[i].number == stream)
		return &p->threads[i];
	for (i = 0; i < p->thread_count; i++)
		if (p->threads[i].number == stream)
			return &p->threads[i];
	return NULL;
}

static void take_usages(const struct hyb_model *m, struct hyb_model_process *p)
{
	const struct hyb_clock *clock = hyb_clocks_get(m->clocks, p->clock);

	for (size_t i = 0; i < p->usage_count; i++) {
		const struct hyb_def_usage *usage = &p->usages[i];
		struct hyb_model_thread *t = thread_of(p, usage->stream);

		if (!t)
			continue;
		if (!t->usage.first.counter || usage->when == HYB_USAGE_INIT)
			t->usage.first = *usage;
		else if (t->usage.last.when != HYB_USAGE_FINALIZE)
			t->usage.last = *usage;
	}
	for (size_t i = 0; i < p->thread_count; i++) {
		struct hyb_model_usage *usage = &p->threads[i].usage;

		usage->from = hyb_clock_ns(clock, usage->first.counter);
		usage->until = hyb_clock_ns(clock, usage->last.counter);
		usage->known = usage->last.counter > usage->first.counter;
	}
}

static int add_threads(struct hyb_model *m, struct hyb_model_process *p)
{
	const struct hyb_process *s = p->source;
	struct hyb_model_thread *t;
	struct stat st;
	size_t i;

	p->threads = calloc(s->stream_count ? s->stream_count : 1, sizeof(*p->threads));
	if (!p->threads)
		return -ENOMEM;
	for (i = 0; i < s->stream_count; i++) {
		if (s->streams[i].kind != HYB_STREAM_THREAD) {
			hyb_diag_say(m->options.diag, HYB_SEV_WARNING,
				     "%s is left out: only streams of "
				     "threads are merged",
				     s->streams[i].path);
			continue;
		}
		t = &p->threads[p->thread_count++];
		t->number = s->streams[i].number;
		t->path = s->streams[i].path;
		t->size = stat(t->path, &st) ? 0 : (uint64_t)st.st_size;
		t->location = (uint64_t)t->number << 32 | p->group;
		m->size += t->size;
	}
	take_usages(m, p);
	return 0;
}

static int add_program(struct hyb_model *m, struct hyb_model_process *p)
{
	const struct hyb_manifest *mf = &p->source->manifest;
	uint32_t name;
	size_t i, seen = 0;

	p->args = malloc((mf->count ? mf->count : 1) * sizeof(*p->args));
	p->program = hyb_names_add(&m->names, mf->program);
	if (!p->args || p->program == HYB_NAME_NONE)
		return -ENOMEM;
	for (i = 0; i < mf->count && p->arg_count < ARGS_MAX; i++) {
		/* The first is the program itself. */
		if (strcmp(mf->lines[i].key, "args") || seen++ == 0)
			continue;
		name = hyb_names_add(&m->names, mf->lines[i].value);
		if (name == HYB_NAME_NONE)
			return -ENOMEM;
		p->args[p->arg_count++] = name;
	}
	return 0;
}

/* What is there in several processes at once. */
static int add_shared(struct hyb_model *m, struct hyb_model_process *p, const struct hyb_defs *defs)
{
	int ret = 0;
	size_t i;

	if (p->ranked)
		ret = hyb_comms_add(&m->comms, p->group, defs);
	for (i = 0; p->ranked && i < defs->comm_count; i++)
		p->graphs |= defs->comms[i].topology.def.kind > HYB_TOPOLOGY_CART;
	if (!ret && p->ranked)
		ret = hyb_wins_add(&m->wins, &m->comms, defs);
	if (!ret)
		ret = hyb_files_add(&m->files, defs, &m->comms, &m->names, &p->files);
	return ret;
}

/* Definitions that were read, and what there was to say of them. */
struct ahead {
	const struct hyb_process *source;
	struct hyb_defs *defs; /* NULL: it has none that can be read */
	int ret;
	struct hyb_diag_held said;
};

/* For hyb_parallel. */
static int read_ahead(void *arg, size_t i)
{
	struct ahead *a = (struct ahead *)arg + i;

	hyb_diag_hold(&a->said);
	a->defs = NULL;
	a->ret = a->source->defs ? hyb_defs_open(a->source->defs, a->source->owner, &a->said.diag, &a->defs) : 0;
	return a->ret == -ENOMEM ? a->ret : 0;
}

/* Says what there was to say, and takes in what they tell of the machine's clock. 0 or -ENOMEM. */
static int take_clock(struct hyb_model *m, struct ahead *a, int *clock)
{
	const struct hyb_manifest *mf = &a->source->manifest;
	const char *host = *mf->host ? mf->host : a->source->path;

	hyb_diag_tell(&a->said, m->options.diag);
	m->unreadable += a->ret && a->ret != -ENODATA;
	*clock = hyb_clocks_add(m->clocks, host, mf->boot, a->defs ? a->defs->counter : HYB_COUNTER_TSC,
				hyb_manifest_hz(mf), a->defs ? a->defs->clocks : NULL,
				a->defs ? a->defs->clock_count : 0);
	return *clock < 0 ? *clock : 0;
}

static int add_collector(struct hyb_model *m, struct hyb_model_node *node)
{
	struct ahead a = { .source = node->source };
	int ret = read_ahead(&a, 0);

	if (!ret)
		ret = take_clock(m, &a, &node->clock);
	hyb_diag_tell(&a.said, NULL);
	hyb_defs_close(a.defs);
	return ret;
}

/* To ranks that the job has; others are damage. */
static int add_syncs(struct hyb_model *m, const struct hyb_model_process *p, const struct hyb_defs *defs)
{
	const struct hyb_link_job *job = &m->jobs[p->job];
	struct hyb_model_sync *syncs;

	for (size_t i = 0; i < defs->sync_count; i++) {
		if (defs->syncs[i].rank >= job->ranks)
			continue;
		syncs = hyb_array_room(m->syncs, &m->sync_room, m->sync_count, sizeof(*syncs));
		if (!syncs)
			return -ENOMEM;
		m->syncs = syncs;
		m->syncs[m->sync_count++] = (struct hyb_model_sync){ .from = p->group,
								     .to = job->base + defs->syncs[i].rank,
								     .def = defs->syncs[i] };
	}
	return 0;
}

/* They are of threads, which are not known yet. */
static int keep_usages(struct hyb_model_process *p, const struct hyb_defs *defs)
{
	p->usages = malloc((defs->usage_count + 1) * sizeof(*p->usages));
	if (!p->usages)
		return -ENOMEM;
	p->usage_count = defs->usage_count;
	if (p->usage_count)
		memcpy(p->usages, defs->usages, p->usage_count * sizeof(*p->usages));
	return 0;
}

static int add_definitions(struct hyb_model *m, struct hyb_model_process *p, const struct hyb_defs *defs)
{
	size_t i;
	int ret = 0;

	p->teamed = defs->member_count > 0;
	ret = keep_usages(p, defs);
	if (defs->clock_count) {
		p->has_seen = true;
		p->seen = (int64_t)defs->clocks[defs->clock_count - 1].counter;
		p->first = (int64_t)defs->clocks[0].counter;
	}
	for (i = 0; !ret && i < defs->region_count; i++)
		if (!hyb_regions_define(&m->regions, m->sources, defs, &defs->regions[i]))
			ret = -ENOMEM;
	/* In this order, so that their numbers are the same in each run. */
	for (i = 0; !ret && i < defs->texts.count; i++)
		if (hyb_names_add(&m->names, defs->texts.texts[i]) == HYB_NAME_NONE)
			ret = -ENOMEM;
	if (!ret)
		ret = hyb_gmetrics_add(&m->metrics, &defs->metrics);
	if (!ret && p->ranked)
		ret = hyb_links_add(&m->links, p->job, p->group - m->jobs[p->job].base, p->clock,
				    defs);
	if (!ret && p->ranked)
		ret = add_syncs(m, p, defs);
	if (!ret && m->family.count == 1)
		ret = add_shared(m, p, defs);
	return ret;
}

/* Of `count` processes from the first one on, at most AHEAD. Taken in their order, so numbers are the same in each run. */
static int add_block(struct hyb_model *m, struct hyb_model_process *first, size_t count)
{
	struct ahead ahead[AHEAD] = { 0 };
	int ret;

	for (size_t i = 0; i < count; i++)
		ahead[i].source = first[i].source;
	ret = hyb_parallel(count, read_ahead, ahead);
	for (size_t i = 0; i < count; i++) {
		if (!ret)
			ret = take_clock(m, &ahead[i], &first[i].clock);
		if (!ret && ahead[i].defs)
			ret = add_definitions(m, &first[i], ahead[i].defs);
		hyb_diag_tell(&ahead[i].said, NULL);
		hyb_defs_close(ahead[i].defs);
	}
	return ret;
}

static int add_all_definitions(struct hyb_model *m)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < m->process_count; i += AHEAD) {
		const size_t left = m->process_count - i;

		if (*m->options.stop)
			return -EINTR;
		ret = add_block(m, &m->processes[i], left < AHEAD ? left : AHEAD);
	}
	for (size_t i = 0; !ret && i < m->node_count; i++)
		ret = add_collector(m, &m->nodes[i]);
	return ret;
}

/* Of several jobs, communicators are only known once it is clear which of them are one. */
static int add_linked(struct hyb_model *m, struct hyb_model_process *p)
{
	struct hyb_defs *defs;
	int ret;

	if (!p->source->defs || hyb_defs_open(p->source->defs, p->source->owner, NULL, &defs))
		return 0;
	hyb_links_apply(&m->links, p->job, defs);
	ret = add_shared(m, p, defs);
	hyb_defs_close(defs);
	return ret;
}

/* Until the clocks are fitted, first and seen are raw counters. */
static void convert_times(struct hyb_model *m, struct hyb_model_process *p)
{
	const struct hyb_clock *clock = hyb_clocks_get(m->clocks, p->clock);

	hyb_model_time_end(m, p);
	if (!p->has_seen)
		return;
	p->first = hyb_clock_ns(clock, (uint64_t)p->first);
	p->seen = hyb_clock_ns(clock, (uint64_t)p->seen);
	p->last = p->seen;
	p->timed = true;
	/* What it did when it came to its bad end it did until then. */
	if (p->end == HYB_END_FAILED && p->until > p->last && hyb_ns_sub(p->until, p->last) < LONGEST_END)
		p->last = p->until;
}

/* How many ranks an experiment says it has. *too_many: what was said beyond what an archive holds, by damage or not. */
static uint64_t count_ranks(const struct hyb_experiment *x, uint64_t *too_many)
{
	const struct hyb_manifest *mf;
	uint64_t ranks = 0, said;
	size_t i;

	*too_many = 0;
	for (i = 0; i < x->count; i++) {
		mf = &x->processes[i].manifest;
		said = mf->rank < 0 ? 0 : (uint64_t)mf->rank + 1;
		if (mf->ranks > 0 && (uint64_t)mf->ranks > said)
			said = (uint64_t)mf->ranks;
		if (said > MEMBERS_MAX && said > *too_many)
			*too_many = said;
		else if (said <= MEMBERS_MAX && said > ranks)
			ranks = said;
	}
	return ranks;
}

static int add_jobs(struct hyb_model *m)
{
	const struct hyb_experiment *x;
	struct hyb_link_job *job;
	const char *rank;
	uint64_t ranks, too_many, all = 0;
	size_t i;

	m->jobs = calloc(m->family.count, sizeof(*m->jobs));
	if (!m->jobs)
		return -ENOMEM;
	for (i = 0; i < m->family.count; i++) {
		x = m->family.members[i];
		job = &m->jobs[i];
		ranks = count_ranks(x, &too_many);
		if ((too_many && !ranks) || ranks + all > MEMBERS_MAX) {
			hyb_diag_say(m->options.diag, HYB_SEV_ERROR,
				     "%s says it has %llu ranks: OTF2 holds %llu at "
				     "most",
				     x->path, (unsigned long long)(ranks ? ranks : too_many),
				     (unsigned long long)MEMBERS_MAX);
			return -E2BIG;
		}
		if (too_many)
			hyb_diag_say(m->options.diag, HYB_SEV_WARNING,
				     "%s: some process says that there are %llu ranks, others do not: it is not believed",
				     x->path, (unsigned long long)too_many);
		rank = hyb_experiment_says(x, "parent-rank");
		job->key = hyb_experiment_says(x, "job");
		job->parent = hyb_experiment_says(x, "parent");
		job->parent_rank = rank ? strtoll(rank, NULL, 10) : -1;
		job->base = (uint32_t)all;
		job->ranks = (uint32_t)ranks;
		all += ranks;
	}
	m->ranks = (uint32_t)all;
	m->absent = m->ranks;
	m->rank_process = malloc((m->ranks ? m->ranks : 1) * sizeof(*m->rank_process));
	if (!m->rank_process)
		return -ENOMEM;
	memset(m->rank_process, 0xff, m->ranks * sizeof(*m->rank_process));
	hyb_links_init(&m->links, m->jobs, (uint32_t)m->family.count);
	return 0;
}

static int add_worlds(struct hyb_model *m)
{
	uint64_t key[2];
	uint32_t i;
	int ret = hyb_comms_init(&m->comms, m->ranks, m->jobs[0].ranks);

	for (i = 1; !ret && i < m->family.count; i++) {
		hyb_links_world_key(&m->links, i, key);
		ret = hyb_comms_add_world(&m->comms, key, m->jobs[i].base, m->jobs[i].ranks);
	}
	return ret;
}

/* The first process of a job that says it has this rank has it. */
static void take_rank(struct hyb_model *m, struct hyb_model_process *p, int64_t rank)
{
	const struct hyb_link_job *job = &m->jobs[p->job];
	uint32_t place = job->base + (uint32_t)rank;

	if (rank < 0 || rank >= job->ranks || m->rank_process[place] != UINT32_MAX)
		return;
	p->ranked = true;
	p->group = place;
	m->rank_process[place] = (uint32_t)(p - m->processes);
	m->absent--;
}

static int add_process(struct hyb_model *m, uint32_t job, const struct hyb_process *s)
{
	struct hyb_model_process *p;

	/* It takes each location group for a rank. */
	if (m->options.ranked && m->ranks && s->manifest.rank < 0) {
		m->left_out++;
		return 0;
	}
	p = &m->processes[m->process_count++];
	p->source = s;
	p->job = job;
	p->host = hyb_names_add(&m->hosts, *s->manifest.host ? s->manifest.host : "unknown host");
	if (p->host == HYB_NAME_NONE || add_program(m, p))
		return -ENOMEM;
	hyb_model_judge_end(p);
	m->running |= p->end == HYB_END_RUNNING;
	m->elsewhere |= p->elsewhere;
	take_rank(m, p, s->manifest.rank);
	return 0;
}

/* What has a directory in an experiment: a process, or a collector of what the kernel did. */
static int add_source(struct hyb_model *m, uint32_t job, const struct hyb_process *s)
{
	if (hyb_kernel_is_node(s))
		return hyb_model_add_node(m, job, s);
	return s->missing ? 0 : add_process(m, job, s);
}

static int add_processes(struct hyb_model *m)
{
	const struct hyb_experiment *x;
	size_t i, k, count = 1;

	for (i = 0; i < m->family.count; i++)
		count += m->family.members[i]->count;
	m->processes = calloc(count, sizeof(*m->processes));
	if (!m->processes)
		return -ENOMEM;
	for (i = 0; i < m->family.count; i++) {
		x = m->family.members[i];
		for (k = 0; k < x->count; k++)
			if (add_source(m, (uint32_t)i, &x->processes[k]))
				return -ENOMEM;
	}
	return 0;
}

/* Where a process has OpenMP's teams, which threads are in them. */
static int add_teams(struct hyb_model *m, struct hyb_model_process *p)
{
	struct hyb_defs *defs = NULL;
	uint32_t *streams;
	size_t i;
	int ret;

	if (!p->teamed)
		return 0;
	streams = malloc((p->thread_count ? p->thread_count : 1) * sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	for (i = 0; i < p->thread_count; i++)
		streams[i] = p->threads[i].number;
	ret = hyb_defs_open(p->source->defs, p->source->owner, NULL, &defs);
	if (defs)
		ret = hyb_teams_add(&m->teams, &p->teams, defs, p->group, streams, p->thread_count);
	hyb_defs_close(defs);
	free(streams);
	return ret == -ENOMEM ? ret : 0;
}

/* Tracks' numbers: by process and thread, then by node and CPU. 0 or -ENOMEM. */
static int number_tracks(struct hyb_model *m)
{
	struct hyb_model_node *node;
	size_t i;

	for (i = 0; i < m->process_count; i++) {
		m->processes[i].first_track = m->track_count;
		m->track_count += m->processes[i].thread_count;
	}
	for (i = 0; i < m->node_count; i++) {
		node = &m->nodes[i];
		node->first_track = m->track_count;
		m->track_count += m->options.cpus && !node->tasks ? node->cpu_count : 0;
	}
	m->process_of = malloc((m->track_count + 1) * sizeof(*m->process_of));
	if (!m->process_of)
		return -ENOMEM;
	memset(m->process_of, 0xff, (m->track_count + 1) * sizeof(*m->process_of));
	for (i = 0; i < m->process_count; i++)
		for (size_t k = 0; k < m->processes[i].thread_count; k++)
			m->process_of[m->processes[i].first_track + k] = (uint32_t)i;
	return 0;
}

/* Location groups of processes without a rank follow those of the ranks and of the placeholders. */
static int place_others(struct hyb_model *m)
{
	uint32_t next = m->ranks + m->comms.holes;
	size_t i;
	int ret;

	m->share_absent = (uint64_t)m->absent + m->comms.holes > ABSENT_OWN_MAX;
	next += m->share_absent;
	for (i = 0; i < m->process_count; i++) {
		if (!m->processes[i].ranked)
			m->processes[i].group = next++;
		ret = add_threads(m, &m->processes[i]);
		if (!ret)
			ret = add_teams(m, &m->processes[i]);
		if (ret)
			return ret;
	}
	hyb_teams_sort(&m->teams);
	hyb_model_place_nodes(m, &next);
	return number_tracks(m);
}

/* Whoever named an experiment meant it to belong to the others. */
static void note_strangers(struct hyb_model *m)
{
	size_t i;

	for (i = 1; i < m->family.named; i++)
		if (!hyb_links_any(&m->links, (uint32_t)i))
			hyb_diag_say(m->options.diag, HYB_SEV_NOTE,
				     "%s: its processes have no communicator with those of the "
				     "other experiments", m->family.members[i]->path);
}

static int link_jobs(struct hyb_model *m)
{
	size_t i;
	int ret = hyb_links_pair(&m->links, m->clocks);

	if (!ret)
		note_strangers(m);
	for (i = 0; !ret && m->family.count > 1 && i < m->process_count; i++)
		ret = add_linked(m, &m->processes[i]);
	return ret;
}

int hyb_model_survey(struct hyb_model *m)
{
	size_t i;
	int ret;

	ret = hyb_family_open(m->options.dirs, m->options.dir_count, m->options.diag, &m->family);
	if (!ret)
		ret = hyb_model_wait(m);
	if (ret)
		return ret;
	ret = add_jobs(m);
	if (!ret)
		ret = add_worlds(m);
	if (!ret)
		ret = add_processes(m);
	if (!ret)
		ret = hyb_clocks_new(&m->clocks);
	if (!ret)
		ret = add_all_definitions(m);
	if (!ret)
		ret = hyb_clocks_fit(m->clocks);
	if (!ret)
		ret = link_jobs(m);
	if (!ret)
		ret = hyb_comms_resolve(&m->comms);
	if (ret)
		return ret;
	hyb_wins_resolve(&m->wins, &m->comms);
	for (i = 0; m->ranks && i < m->comms.table.count; i++)
		m->teams.first_comm +=
			hyb_comms_at(&m->comms, (uint32_t)i)->state == HYB_GCOMM_KNOWN;
	for (i = 0; i < m->process_count; i++)
		convert_times(m, &m->processes[i]);
	return place_others(m);
}
