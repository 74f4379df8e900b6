/* SPDX-License-Identifier: BSD-3-Clause */
/* The first reading: which processes there are, what they defined, and how they ended. */
#include "otf2/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A definition or event must fit one chunk of the library. */
#define MEMBERS_MAX (OTF2_CHUNK_SIZE_MAX / 16)
#define ARGS_MAX (OTF2_CHUNK_SIZE_MIN / 16)

static int add_threads(struct hyb_merge *m, struct hyb_merge_process *p)
{
	const struct hyb_process *s = p->source;
	struct hyb_merge_thread *t;
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
		m->read_size += t->size;
	}
	return 0;
}

static int add_program(struct hyb_merge *m, struct hyb_merge_process *p)
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

static int add_definitions(struct hyb_merge *m, struct hyb_merge_process *p)
{
	const struct hyb_manifest *mf = &p->source->manifest;
	const char *host = *mf->host ? mf->host : p->source->path;
	struct hyb_defs *defs = NULL;
	size_t i;
	int ret = 0;

	if (p->source->defs)
		ret = hyb_defs_open(p->source->defs, m->options.diag, &defs);
	if (ret == -ENOMEM)
		return ret;
	m->unreadable += ret && ret != -ENODATA;
	ret = 0;
	p->clock = hyb_clocks_add(m->clocks, host, mf->boot, defs ? defs->counter : HYB_COUNTER_TSC,
				  hyb_manifest_hz(mf), defs ? defs->clocks : NULL,
				  defs ? defs->clock_count : 0);
	if (p->clock < 0)
		ret = p->clock;
	if (!defs)
		return ret;
	if (defs->clock_count) {
		p->has_seen = true;
		p->seen = (int64_t)defs->clocks[defs->clock_count - 1].counter;
		p->first = (int64_t)defs->clocks[0].counter;
	}
	for (i = 0; !ret && i < defs->region_count; i++)
		if (!hyb_regions_get(&m->regions, defs->regions[i].name, defs->regions[i].role,
				     defs->regions[i].paradigm, defs->regions[i].coll))
			ret = -ENOMEM;
	if (!ret && p->ranked)
		ret = hyb_comms_add(&m->comms, p->group, defs);
	if (!ret && p->ranked)
		ret = hyb_wins_add(&m->wins, &m->comms, defs);
	if (!ret)
		ret = hyb_files_add(&m->files, defs, &m->comms, &m->names, &p->files);
	hyb_defs_close(defs);
	return ret;
}

/* Until the clocks are fitted, first and seen are raw counters. */
static void convert_times(struct hyb_merge *m, struct hyb_merge_process *p)
{
	const struct hyb_clock *clock = hyb_clocks_get(m->clocks, p->clock);

	if (!p->has_seen)
		return;
	p->first = hyb_clock_ns(clock, (uint64_t)p->first);
	p->seen = hyb_clock_ns(clock, (uint64_t)p->seen);
	p->last = p->seen;
	p->timed = true;
}

static int count_ranks(struct hyb_merge *m)
{
	const struct hyb_experiment *x = m->experiment;
	int64_t ranks = x->ranks < 0 ? 0 : x->ranks, rank;
	size_t i;

	for (i = 0; i < x->count; i++) {
		rank = x->processes[i].manifest.rank;
		if (rank >= ranks)
			ranks = rank + 1;
	}
	if ((uint64_t)ranks > MEMBERS_MAX) {
		hyb_diag_say(m->options.diag, HYB_SEV_ERROR,
			     "%s says it has %lld ranks: OTF2 holds %llu at "
			     "most",
			     x->path, (long long)ranks, (unsigned long long)MEMBERS_MAX);
		return -E2BIG;
	}
	m->ranks = (uint32_t)ranks;
	m->absent = m->ranks;
	m->rank_process = malloc((m->ranks ? m->ranks : 1) * sizeof(*m->rank_process));
	if (!m->rank_process)
		return -ENOMEM;
	memset(m->rank_process, 0xff, m->ranks * sizeof(*m->rank_process));
	return 0;
}

static void take_rank(struct hyb_merge *m, struct hyb_merge_process *p, uint32_t rank)
{
	p->ranked = true;
	p->group = rank;
	m->rank_process[rank] = (uint32_t)(p - m->processes);
	m->absent--;
}

/* A process that died before MPI told it its rank has the one that the launcher gave it. */
static void take_launch_ranks(struct hyb_merge *m)
{
	struct hyb_merge_process *p;
	const char *text;
	uint32_t rank;
	size_t i;

	for (i = 0; i < m->process_count; i++) {
		p = &m->processes[i];
		text = hyb_manifest_get(&p->source->manifest, "launch-rank", 0);
		if (!p->ranked && p->source->manifest.rank < 0 && text &&
		    sscanf(text, "%" SCNu32, &rank) == 1 && rank < m->ranks &&
		    m->rank_process[rank] == UINT32_MAX)
			take_rank(m, p, rank);
	}
}

static int add_processes(struct hyb_merge *m)
{
	const struct hyb_experiment *x = m->experiment;
	struct hyb_merge_process *p;
	const struct hyb_process *s;
	size_t i;

	m->processes = calloc(x->count ? x->count : 1, sizeof(*m->processes));
	if (!m->processes)
		return -ENOMEM;
	for (i = 0; i < x->count; i++) {
		s = &x->processes[i];
		if (s->missing)
			continue;
		p = &m->processes[m->process_count++];
		p->source = s;
		p->host = hyb_names_add(&m->hosts,
					*s->manifest.host ? s->manifest.host : "unknown host");
		if (p->host == HYB_NAME_NONE || add_program(m, p))
			return -ENOMEM;
		hyb_merge_judge_end(p);
		m->running |= p->end == HYB_END_RUNNING;
		if (s->manifest.rank >= 0 && m->rank_process[s->manifest.rank] == UINT32_MAX)
			take_rank(m, p, (uint32_t)s->manifest.rank);
	}
	take_launch_ranks(m);
	return 0;
}

/* Location groups of processes without a rank follow those of the ranks and of the placeholders. */
static int place_others(struct hyb_merge *m)
{
	uint32_t next = m->ranks + m->comms.holes;
	size_t i;
	int ret;

	for (i = 0; i < m->process_count; i++) {
		if (!m->processes[i].ranked)
			m->processes[i].group = next++;
		ret = add_threads(m, &m->processes[i]);
		if (ret)
			return ret;
	}
	return 0;
}

int hyb_merge_survey(struct hyb_merge *m)
{
	size_t i;
	int ret;

	ret = hyb_experiment_open(m->options.dir, m->options.diag, &m->experiment);
	if (ret)
		return ret;
	ret = count_ranks(m);
	if (!ret)
		ret = hyb_comms_init(&m->comms, m->ranks);
	if (!ret)
		ret = add_processes(m);
	if (!ret)
		ret = hyb_clocks_new(&m->clocks);
	for (i = 0; !ret && i < m->process_count; i++) {
		if (*m->options.stop)
			return -EINTR;
		ret = add_definitions(m, &m->processes[i]);
	}
	if (!ret)
		ret = hyb_clocks_fit(m->clocks);
	if (!ret)
		ret = hyb_comms_resolve(&m->comms);
	if (ret)
		return ret;
	hyb_wins_resolve(&m->wins, &m->comms);
	for (i = 0; i < m->process_count; i++)
		convert_times(m, &m->processes[i]);
	return place_others(m);
}
