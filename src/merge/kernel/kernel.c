/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectors' directories, and the one reading of each node's streams; see kernel.h. */
#include "merge/kernel/reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CHECK_EVENTS 65536u /* how often the stop flag is looked at and progress told */

void hyb_kernel_init(struct hyb_kernel *k, bool threads, bool samples)
{
	memset(k, 0, sizeof(*k));
	k->threads = threads;
	k->samples = samples;
	pthread_mutex_init(&k->lock, NULL);
}

static void free_row(struct hyb_kernel_row *row)
{
	free(row->spill.block);
	free(row);
}

void hyb_kernel_free(struct hyb_kernel *k)
{
	struct hyb_kernel_row *row;
	size_t i;

	for (i = 0; i < k->node_count; i++) {
		while ((row = k->nodes[i].rows)) {
			k->nodes[i].rows = row->of_node;
			free_row(row);
		}
		hyb_spill_free(&k->nodes[i].spill);
		hyb_names_free(&k->nodes[i].needs.texts);
		hyb_chains_free(&k->nodes[i].chains);
		hyb_ksample_free(&k->nodes[i]);
		free(k->nodes[i].needs.regions);
	}
	free(k->nodes);
	pthread_mutex_destroy(&k->lock);
}

int hyb_kernel_add_nodes(struct hyb_merge *m)
{
	struct hyb_kernel *k = &m->kernel;

	if (!m->model.node_count)
		return 0;
	k->nodes = calloc(m->model.node_count, sizeof(*k->nodes));
	if (!k->nodes)
		return -ENOMEM;
	for (; k->node_count < m->model.node_count; k->node_count++) {
		k->nodes[k->node_count].model = &m->model.nodes[k->node_count];
		k->nodes[k->node_count].spill.fd = -1;
		hyb_names_init(&k->nodes[k->node_count].needs.texts);
		hyb_chains_init(&k->nodes[k->node_count].chains);
	}
	k->lost = hyb_regions_get_kernel(&m->model.regions, "kernel events lost", HYB_REGION_EVENT, HYB_REGION_ANY,
					 HYB_PARADIGM_MEASUREMENT);
	k->counts = hyb_kernel_define_counts(&m->model.metrics);
	return k->lost && k->counts ? 0 : -ENOMEM;
}

static int open_streams(struct hyb_reading *k)
{
	const struct hyb_model_node *node = k->node->model;
	const size_t samples = k->samples ? node->sample_count : 0;
	const char **paths = calloc(node->cpu_count + samples + 1, sizeof(*paths));
	/* What is wrong with them is said by the reading that tells. */
	const struct hyb_diag *diag = k->needs ? NULL : k->m->options.diag;
	size_t i;
	int ret;

	if (!paths)
		return -ENOMEM;
	for (i = 0; i < node->cpu_count; i++)
		paths[i] = node->cpus[i].path;
	for (i = 0; i < samples; i++)
		paths[node->cpu_count + i] = node->samples[i];
	ret = hyb_kernel_open(paths, node->cpu_count + samples, node->source->owner, diag, &k->reader);
	free(paths);
	return ret;
}

static void set_clock(struct hyb_reading *k)
{
	size_t clock = (size_t)k->node->model->clock;

	k->offset = hyb_clocks_get(k->m->model.clocks, clock)->offset;
	k->final = hyb_nodes_final(&k->m->nodes, clock);
}

/* The file is read if it is of whom all else is. */
static char *find_vdso(const struct hyb_process *source)
{
	struct stat st;
	char *path;

	if (asprintf(&path, "%s/" HYB_KERNEL_VDSO, source->path) < 0)
		return NULL;
	if (!lstat(path, &st) && S_ISREG(st.st_mode) && st.st_uid == source->owner)
		return path;
	free(path);
	return NULL;
}

static int begin(struct hyb_reading *k)
{
	const struct hyb_process *source = k->node->model->source;
	struct hyb_merge *m = k->m;
	int ret;

	set_clock(k);
	k->jits.owner = k->node->model->source->owner;
	k->jits.diag = k->needs ? NULL : k->m->options.diag;
	k->vdso = find_vdso(source);
	k->task_map = hyb_id_map_new();
	k->region_map = hyb_id_map_new();
	k->stack_map = hyb_id_map_new();
	k->chain_map = hyb_id_map_new();
	k->unwound_map = hyb_id_map_new();
	k->string_map = hyb_id_map_new();
	k->needed = hyb_id_map_new();
	if (!k->task_map || !k->region_map || !k->stack_map || !k->chain_map || !k->unwound_map || !k->string_map || !k->needed)
		return -ENOMEM;
	/* That it cannot be read was said when its clock was. */
	if (source->defs && hyb_kdefs_read(source->defs, source->owner, NULL, &k->defs) == -ENOMEM)
		return -ENOMEM;
	ret = k->samples ? hyb_ksample_begin(k) : 0;
	if (!ret)
		ret = hyb_kcpu_begin(k);
	if (!ret)
		ret = hyb_ktask_begin(k);
	if (!ret)
		ret = open_streams(k);
	if (!ret && (k->spans || k->samples))
		ret = hyb_spill_open(&k->node->spill, m->output.tmp, (uint32_t)(k->node - m->kernel.nodes),
				     sizeof(struct hyb_span));
	return ret;
}

static void on_event(struct hyb_reading *k, const struct hyb_kernel_event *e)
{
	int64_t time = hyb_reading_time(k, e->time);

	if (k->now == INT64_MIN)
		k->node->since = time;
	k->now = time;
	if (e->source >= k->node->model->cpu_count) {
		hyb_ksample_event(k, e);
		return;
	}
	if (e->what == HYB_KERNEL_GAP_BEGIN || e->what == HYB_KERNEL_GAP_END) {
		if (e->what == HYB_KERNEL_GAP_BEGIN)
			hyb_kthread_gap(k, e, hyb_reading_time(k, e->word[0]));
		hyb_kcpu_gap(k, e);
		return;
	}
	hyb_kthread_event(k, e);
	if (!k->err)
		hyb_kcpu_event(k, e);
}

static void tell_progress(struct hyb_reading *k, uint64_t *told)
{
	struct hyb_merge *m = k->m;
	struct hyb_kernel_stats stats;
	uint64_t done;

	hyb_kernel_stats(k->reader, &stats);
	done = __atomic_add_fetch(&m->read_done, stats.words * sizeof(uint64_t) - *told, __ATOMIC_RELAXED);
	*told = stats.words * sizeof(uint64_t);
	if (m->options.progress)
		m->options.progress(m->options.progress_arg, done < m->read_total ? done : m->read_total,
				    m->read_total);
}

static int read_all(struct hyb_reading *k)
{
	struct hyb_kernel_event e;
	uint64_t told = 0;
	uint32_t n = 0;
	int ret;

	while ((ret = hyb_kernel_next(k->reader, &e)) > 0) {
		on_event(k, &e);
		if (__builtin_expect(k->err, 0))
			return k->err;
		if (++n == CHECK_EVENTS) {
			n = 0;
			if (*k->m->options.stop)
				return -EINTR;
			tell_progress(k, &told);
		}
	}
	tell_progress(k, &told);
	/* Said already; what is there is merged. */
	if (ret == -EIO && !k->needs)
		__atomic_add_fetch(&k->m->unreadable, 1, __ATOMIC_RELAXED);
	return ret == -EIO ? 0 : ret;
}

/* When the streams end, in which what is open then is known to last: where nobody says so, with the last event. */
static int64_t end_of(struct hyb_reading *k)
{
	int64_t end = k->now;
	uint64_t ended;
	size_t i;

	for (i = 0; i < k->node->model->cpu_count; i++) {
		ended = hyb_kernel_ended(k->reader, i);
		if (ended && hyb_reading_time(k, ended) > end)
			end = hyb_reading_time(k, ended);
	}
	if (k->node->model->killed && k->node->model->has_until && k->node->model->until > end)
		end = k->node->model->until;
	return end;
}

/* What the readings know of a thread. */
static struct hyb_merge_thread *state_of(const struct hyb_reading *k, const struct hyb_kthread *t)
{
	return &hyb_merge_of(k->m, t->process)->threads[t->thread - t->process->threads];
}

/* The threads find their rows; of several nodes' the earlier first. */
static int give_rows(struct hyb_reading *k)
{
	struct hyb_kernel_row **at, *row;
	size_t i;
	int err, ret = 0;

	k->node->thread_count = k->thread_count;
	pthread_mutex_lock(&k->m->kernel.lock);
	for (i = 0; i < k->thread_count; i++) {
		row = k->threads[i].row;
		err = hyb_spill_row_end(&k->node->spill, &row->spill);
		ret = ret ? ret : err;
		row->of_node = k->node->rows;
		k->node->rows = row;
		for (at = &state_of(k, &k->threads[i])->kernel; *at && (*at)->begin <= row->begin; at = &(*at)->next)
			;
		row->next = *at;
		*at = row;
	}
	pthread_mutex_unlock(&k->m->kernel.lock);
	hyb_spill_close(&k->node->spill);
	return ret;
}

static void release(struct hyb_reading *k)
{
	size_t i;

	for (i = 0; i < k->thread_count; i++) {
		free(k->threads[i].frames);
		free(k->threads[i].holders);
	}
	free(k->threads);
	free(k->tasks);
	free(k->regions);
	free(k->candidates);
	hyb_id_map_free(k->task_map);
	hyb_id_map_free(k->region_map);
	hyb_id_map_free(k->stack_map);
	hyb_id_map_free(k->chain_map);
	hyb_id_map_free(k->unwound_map);
	hyb_unwinder_free(k->unwinder);
	free(k->vdso);
	hyb_id_map_free(k->string_map);
	hyb_id_map_free(k->needed);
	hyb_jits_free(&k->jits);
	hyb_table_free(&k->sums);
	hyb_kernel_close(k->reader);
	hyb_kdefs_free(&k->defs);
}

/* What a reading tells besides events. 0 or -errno. */
static int give(struct hyb_reading *k, int ret)
{
	struct hyb_kernel_node *node = k->node;
	int err;

	if (!ret)
		hyb_reading_sums_give(k);
	err = give_rows(k);
	if (k->reader) {
		hyb_kernel_stats(k->reader, &node->stats);
		__atomic_add_fetch(&k->m->unreadable, node->stats.unreadable, __ATOMIC_RELAXED);
	}
	return err;
}

/* Of a reading that told nothing. */
static void forget(struct hyb_reading *k)
{
	size_t i;

	for (i = 0; i < k->thread_count; i++)
		free(k->threads[i].row);
	k->node->repaired = 0;
	k->node->events = 0;
}

int hyb_kernel_pass(struct hyb_merge *m, struct hyb_kernel_node *node, bool needs_only)
{
	struct hyb_reading k = {
		.m = m,
		.node = node,
		.now = INT64_MIN,
		.needs = needs_only ? &node->needs : NULL,
		.spans = m->kernel.threads && !needs_only,
		.samples = m->kernel.samples && !needs_only,
	};
	int64_t end;
	int ret, err;

	hyb_reading_sums_init(&k);
	ret = begin(&k);
	if (!ret)
		ret = read_all(&k);
	if (!ret && k.now != INT64_MIN) {
		end = end_of(&k);
		hyb_kthread_finish(&k, end);
		hyb_kcpu_finish(&k, end);
		if (node->model->killed && !node->model->has_until)
			node->model->until = end;
	}
	err = hyb_kcpu_end(&k);
	ret = ret ? ret : err;
	err = 0;
	if (needs_only)
		forget(&k);
	else
		err = give(&k, ret);
	ret = ret ? ret : k.err ? k.err : err;
	release(&k);
	if (ret && ret != -EINTR && ret != -ENOMEM && !k.said)
		hyb_diag_say(m->options.diag, HYB_SEV_ERROR, "cannot write in %s: %s", m->output.dir,
			     strerror(-ret));
	return ret;
}

bool hyb_kernel_needs_reading(const struct hyb_merge *m)
{
	return m->options.jobs > 1 && m->kernel.node_count > 1;
}

int hyb_kernel_number(struct hyb_merge *m)
{
	const struct hyb_kernel_needs *needs;
	size_t i, n;
	uint32_t t;

	for (i = 0; i < m->kernel.node_count; i++) {
		needs = &m->kernel.nodes[i].needs;
		for (n = 0; n < needs->count; n++)
			hyb_regions_id(&m->model.regions, needs->regions[n]);
		for (t = 0; t < needs->texts.table.count; t++)
			if (hyb_names_add(&m->model.names, hyb_names_text(&needs->texts, t)) == HYB_NAME_NONE)
				return -ENOMEM;
	}
	return 0;
}

/* Of a node whose CPUs are told. What cannot be read is said by the reading that tells. */
static int find_first(struct hyb_merge *m, struct hyb_kernel_node *node, bool *any)
{
	struct hyb_reading k = { .m = m, .node = node, .needs = &node->needs };
	struct hyb_kernel_event e;
	int ret = open_streams(&k);
	int64_t time;

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	set_clock(&k);
	ret = hyb_kernel_next(k.reader, &e);
	if (ret > 0) {
		time = hyb_reading_time(&k, e.time);
		m->start = *any && m->start < time ? m->start : time;
		*any = true;
	}
	hyb_kernel_close(k.reader);
	return ret == -ENOMEM ? ret : 0;
}

int hyb_kernel_find_start(struct hyb_merge *m)
{
	bool any = m->model.timed;
	size_t i;
	int ret = 0;

	m->start = m->model.first;
	for (i = 0; !ret && m->model.options.cpus && i < m->kernel.node_count; i++)
		if (!m->kernel.nodes[i].model->tasks)
			ret = find_first(m, &m->kernel.nodes[i], &any);
	return ret;
}

void hyb_kernel_sum_up(struct hyb_merge *m)
{
	struct hyb_kernel *k = &m->kernel;
	const struct hyb_model_cpu *cpu;
	const struct hyb_kernel_stats *s;
	size_t i, c;

	for (i = 0; i < k->node_count; i++) {
		s = &k->nodes[i].stats;
		k->stats.events += s->events;
		k->stats.lost += s->lost;
		k->stats.gaps += s->gaps;
		k->stats.lost_chunks += s->lost_chunks;
		k->stats.corrupt_chunks += s->corrupt_chunks;
		k->stats.corrupt_records += s->corrupt_records;
		k->stats.unknown_records += s->unknown_records;
		k->repaired += k->nodes[i].repaired;
		m->counts.events += k->nodes[i].events;
		for (c = 0; c < k->nodes[i].model->cpu_count; c++) {
			cpu = &k->nodes[i].model->cpus[c];
			if (!cpu->timed)
				continue;
			m->model.first = !m->model.timed || cpu->first < m->model.first ? cpu->first : m->model.first;
			m->model.last = !m->model.timed || cpu->last > m->model.last ? cpu->last : m->model.last;
			m->model.timed = true;
		}
	}
	m->counts.records += k->stats.events;
}
