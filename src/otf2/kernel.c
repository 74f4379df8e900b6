/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectors' directories, and the one reading of each node's streams; see kernel.h. */
#include "otf2/kpass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CHECK_EVENTS 65536u /* how often the stop flag is looked at and progress told */

void hyb_kernel_init(struct hyb_kernel *k)
{
	memset(k, 0, sizeof(*k));
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
		free(k->nodes[i].cpus);
	}
	free(k->nodes);
	pthread_mutex_destroy(&k->lock);
}

static int add_streams(struct hyb_kernel *k, struct hyb_kernel_node *node)
{
	const struct hyb_process *s = node->source;
	struct hyb_kernel_cpu *cpu;
	struct stat st;
	size_t i;

	node->cpus = calloc(s->stream_count + 1, sizeof(*node->cpus));
	if (!node->cpus)
		return -ENOMEM;
	for (i = 0; i < s->stream_count; i++)
		node->tasks |= s->streams[i].kind == HYB_STREAM_TASK;
	for (i = 0; i < s->stream_count; i++) {
		/* Of CPUs and of tasks: those of tasks have what is to be known of the threads. */
		if (s->streams[i].kind != (node->tasks ? HYB_STREAM_TASK : HYB_STREAM_CPU))
			continue;
		cpu = &node->cpus[node->cpu_count++];
		cpu->number = s->streams[i].number;
		cpu->path = s->streams[i].path;
		cpu->size = stat(cpu->path, &st) ? 0 : (uint64_t)st.st_size;
		k->size += cpu->size;
	}
	return 0;
}

int hyb_kernel_add(struct hyb_merge *m, uint32_t job, const struct hyb_process *source)
{
	struct hyb_kernel *k = &m->kernel;
	struct hyb_kernel_node *nodes, *node;

	if (source->missing || !(k->threads || k->cpus))
		return 0;
	nodes = realloc(k->nodes, (k->node_count + 1) * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	k->nodes = nodes;
	node = &nodes[k->node_count++];
	memset(node, 0, sizeof(*node));
	node->spill.fd = -1;
	node->source = source;
	node->job = job;
	node->killed = source->manifest.state != HYB_RUN_ENDED;
	node->writes = node->killed && hyb_merge_collects(source);
	node->host = hyb_names_add(&m->hosts, *source->manifest.host ? source->manifest.host : "unknown host");
	if (node->host == HYB_NAME_NONE)
		return -ENOMEM;
	return add_streams(k, node);
}

/* The CPU of that number and host in a node before, or NULL. */
static const struct hyb_kernel_cpu *find_cpu(const struct hyb_kernel *k, size_t before, uint32_t host,
					     uint32_t number)
{
	const struct hyb_kernel_node *node;
	size_t i, c;

	for (i = 0; i < before; i++) {
		node = &k->nodes[i];
		for (c = 0; node->host == host && !node->tasks && c < node->cpu_count; c++)
			if (node->cpus[c].number == number)
				return &node->cpus[c];
	}
	return NULL;
}

int hyb_kernel_place(struct hyb_merge *m, uint32_t *group)
{
	struct hyb_kernel *k = &m->kernel;
	const struct hyb_kernel_cpu *same;
	struct hyb_kernel_node *node;
	const char *until;
	size_t i, c;

	for (i = 0; i < k->node_count; i++) {
		node = &k->nodes[i];
		until = hyb_manifest_get(&node->source->manifest, "until", 0);
		node->until = until ? strtoll(until, NULL, 10) : 0;
		node->has_until = node->until > 0;
		if (node->has_until)
			node->until = hyb_ns_add(node->until, hyb_clocks_get(m->clocks, (size_t)node->clock)->offset);
		for (c = 0; k->cpus && !node->tasks && c < node->cpu_count; c++) {
			same = find_cpu(k, i, node->host, node->cpus[c].number);
			node->cpus[c].group = (*group)++;
			node->cpus[c].tree = same ? same->tree : k->trees++;
		}
	}
	if (!k->node_count)
		return 0;
	k->lost = hyb_regions_get_kernel(&m->regions, "kernel events lost", HYB_REGION_EVENT,
					 HYB_PARADIGM_MEASUREMENT);
	return k->lost ? 0 : -ENOMEM;
}

static int open_streams(struct hyb_kpass *k)
{
	const char **paths = calloc(k->node->cpu_count + 1, sizeof(*paths));
	size_t i;
	int ret;

	if (!paths)
		return -ENOMEM;
	for (i = 0; i < k->node->cpu_count; i++)
		paths[i] = k->node->cpus[i].path;
	ret = hyb_kernel_open(paths, k->node->cpu_count, k->node->source->owner, k->m->options.diag, &k->reader);
	free(paths);
	return ret;
}

static int begin(struct hyb_kpass *k)
{
	struct hyb_merge *m = k->m;
	int ret;

	k->offset = hyb_clocks_get(m->clocks, (size_t)k->node->clock)->offset;
	k->jits.owner = k->node->source->owner;
	k->task_map = hyb_id_map_new();
	k->region_map = hyb_id_map_new();
	k->stack_map = hyb_id_map_new();
	k->string_map = hyb_id_map_new();
	if (!k->task_map || !k->region_map || !k->stack_map || !k->string_map)
		return -ENOMEM;
	/* That it cannot be read was said when its clock was. */
	if (k->node->source->defs && hyb_kdefs_read(k->node->source->defs, k->node->source->owner, NULL, &k->defs) == -ENOMEM)
		return -ENOMEM;
	ret = hyb_kcpu_begin(k);
	if (!ret)
		ret = hyb_ktask_begin(k);
	if (!ret)
		ret = open_streams(k);
	if (!ret && m->kernel.threads)
		ret = hyb_spill_open(&k->node->spill, m->output.tmp, (uint32_t)(k->node - m->kernel.nodes),
				     sizeof(struct hyb_span));
	return ret;
}

static void on_event(struct hyb_kpass *k, const struct hyb_kernel_event *e)
{
	/* Times of damaged records may be anything. */
	if (k->now == INT64_MIN)
		k->node->since = (int64_t)(e->time + (uint64_t)k->offset);
	k->now = (int64_t)(e->time + (uint64_t)k->offset);
	if (e->what == HYB_KERNEL_GAP_BEGIN || e->what == HYB_KERNEL_GAP_END) {
		if (e->what == HYB_KERNEL_GAP_BEGIN)
			hyb_kthread_gap(k, e, (int64_t)(e->word[0] + (uint64_t)k->offset));
		hyb_kcpu_gap(k, e);
		return;
	}
	hyb_kthread_event(k, e);
	if (!k->err)
		hyb_kcpu_event(k, e);
}

static void tell_progress(struct hyb_kpass *k, uint64_t *told)
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

static int read_all(struct hyb_kpass *k)
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
	if (ret == -EIO)
		__atomic_add_fetch(&k->m->unreadable, 1, __ATOMIC_RELAXED);
	return ret == -EIO ? 0 : ret;
}

/* When the streams end, in which what is open then is known to last: where nobody says so, with the last event. */
static int64_t end_of(const struct hyb_kpass *k)
{
	int64_t end = k->now, ended;
	size_t i;

	for (i = 0; i < k->node->cpu_count; i++) {
		ended = (int64_t)hyb_kernel_ended(k->reader, i);
		if (ended && hyb_ns_add(ended, k->offset) > end)
			end = hyb_ns_add(ended, k->offset);
	}
	if (k->node->killed && k->node->has_until && k->node->until > end)
		end = k->node->until;
	return end;
}

/* The threads find their rows; of several nodes' the earlier first. */
static int give_rows(struct hyb_kpass *k)
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
		for (at = &k->threads[i].thread->kernel; *at && (*at)->begin <= row->begin; at = &(*at)->next)
			;
		row->next = *at;
		*at = row;
	}
	pthread_mutex_unlock(&k->m->kernel.lock);
	hyb_spill_close(&k->node->spill);
	return ret;
}

static void release(struct hyb_kpass *k)
{
	size_t i;

	for (i = 0; i < k->thread_count; i++)
		free(k->threads[i].frames);
	free(k->threads);
	free(k->tasks);
	free(k->regions);
	free(k->candidates);
	hyb_id_map_free(k->task_map);
	hyb_id_map_free(k->region_map);
	hyb_id_map_free(k->stack_map);
	hyb_id_map_free(k->string_map);
	hyb_jits_free(&k->jits);
	hyb_table_free(&k->sums);
	hyb_kernel_close(k->reader);
	hyb_kdefs_free(&k->defs);
}

int hyb_kernel_pass(struct hyb_merge *m, struct hyb_kernel_node *node)
{
	struct hyb_kpass k = { .m = m, .node = node, .now = INT64_MIN };
	int64_t end;
	int ret, err;

	hyb_kpass_sums_init(&k);
	ret = begin(&k);
	if (!ret)
		ret = read_all(&k);
	if (!ret && k.now != INT64_MIN) {
		end = end_of(&k);
		hyb_kthread_finish(&k, end);
		hyb_kcpu_finish(&k, end);
		if (node->killed && !node->has_until)
			node->until = end;
	}
	err = hyb_kcpu_end(&k);
	ret = ret ? ret : err;
	if (!ret)
		hyb_kpass_sums_give(&k);
	err = give_rows(&k);
	ret = ret ? ret : k.err ? k.err : err;
	if (k.reader) {
		hyb_kernel_stats(k.reader, &node->stats);
		__atomic_add_fetch(&m->unreadable, node->stats.unreadable, __ATOMIC_RELAXED);
	}
	release(&k);
	if (ret && ret != -EINTR && ret != -ENOMEM && !k.said)
		hyb_diag_say(m->options.diag, HYB_SEV_ERROR, "cannot write in %s: %s", m->output.dir,
			     strerror(-ret));
	return ret;
}

void hyb_kernel_sum_up(struct hyb_merge *m)
{
	struct hyb_kernel *k = &m->kernel;
	const struct hyb_kernel_cpu *cpu;
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
		for (c = 0; c < k->nodes[i].cpu_count; c++) {
			cpu = &k->nodes[i].cpus[c];
			m->counts.events += cpu->events;
			if (!cpu->events)
				continue;
			m->first = !m->timed || cpu->first < m->first ? cpu->first : m->first;
			m->last = !m->timed || cpu->last > m->last ? cpu->last : m->last;
			m->timed = true;
		}
	}
	m->counts.records += k->stats.events;
}
