/* SPDX-License-Identifier: BSD-3-Clause */
/* The directories of collectors of kernel events: nodes and their CPUs. */
#include "merge/model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/containers/array.h"

static int add_streams(struct hyb_model *m, struct hyb_model_node *node)
{
	const struct hyb_process *s = node->source;
	struct hyb_model_cpu *cpu;
	struct stat st;
	size_t i;

	node->cpus = calloc(s->stream_count + 1, sizeof(*node->cpus));
	node->samples = calloc(s->stream_count + 1, sizeof(*node->samples));
	if (!node->cpus || !node->samples)
		return -ENOMEM;
	for (i = 0; i < s->stream_count; i++)
		node->tasks |= s->streams[i].kind == HYB_STREAM_TASK;
	for (i = 0; i < s->stream_count; i++) {
		if (s->streams[i].kind == HYB_STREAM_SAMPLE)
			node->samples[node->sample_count++] = s->streams[i].path;
		/* Of CPUs and of tasks: those of tasks have what is to be known of the threads. */
		if (s->streams[i].kind != (node->tasks ? HYB_STREAM_TASK : HYB_STREAM_CPU))
			continue;
		cpu = &node->cpus[node->cpu_count++];
		cpu->number = s->streams[i].number;
		cpu->path = s->streams[i].path;
		cpu->size = stat(cpu->path, &st) ? 0 : (uint64_t)st.st_size;
		m->kernel_size += cpu->size;
	}
	return 0;
}

int hyb_model_add_node(struct hyb_model *m, uint32_t job, const struct hyb_process *source)
{
	struct hyb_model_node *nodes, *node;

	if (source->missing || !m->options.collectors)
		return 0;
	nodes = hyb_array_room(m->nodes, &m->node_room, m->node_count, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	m->nodes = nodes;
	node = &nodes[m->node_count++];
	memset(node, 0, sizeof(*node));
	node->source = source;
	node->job = job;
	node->killed = source->manifest.state != HYB_RUN_ENDED;
	node->writes = node->killed && hyb_model_collects(source);
	node->host = hyb_names_add(&m->hosts, *source->manifest.host ? source->manifest.host : "unknown host");
	if (node->host == HYB_NAME_NONE)
		return -ENOMEM;
	return add_streams(m, node);
}

/* The CPU of that number and host in a node before, or NULL. */
static const struct hyb_model_cpu *find_cpu(const struct hyb_model *m, size_t before, uint32_t host, uint32_t number)
{
	const struct hyb_model_node *node;
	size_t i, c;

	for (i = 0; i < before; i++) {
		node = &m->nodes[i];
		for (c = 0; node->host == host && !node->tasks && c < node->cpu_count; c++)
			if (node->cpus[c].number == number)
				return &node->cpus[c];
	}
	return NULL;
}

/* A time of CLOCK_MONOTONIC_RAW that the collector's manifest tells. False: it does not. */
static bool get_time(const struct hyb_model *m, const struct hyb_model_node *node, const char *key, int64_t *time)
{
	const char *text = hyb_manifest_get(&node->source->manifest, key, 0);
	const int64_t raw = text ? strtoll(text, NULL, 10) : 0;

	*time = raw > 0 ? hyb_ns_add(raw, hyb_clocks_get(m->clocks, (size_t)node->clock)->offset) : 0;
	return raw > 0;
}

void hyb_model_place_nodes(struct hyb_model *m, uint32_t *group)
{
	const struct hyb_model_cpu *same;
	struct hyb_model_node *node;
	size_t i, c;

	for (i = 0; i < m->node_count; i++) {
		node = &m->nodes[i];
		node->has_from = get_time(m, node, "from", &node->from);
		node->has_until = get_time(m, node, "until", &node->until);
		for (c = 0; m->options.cpus && !node->tasks && c < node->cpu_count; c++) {
			same = find_cpu(m, i, node->host, node->cpus[c].number);
			node->cpus[c].group = (*group)++;
			node->cpus[c].tree = same ? same->tree : m->cpu_trees++;
		}
	}
}

const char *hyb_model_kernel_source(const struct hyb_model_node *node)
{
	const char *source = hyb_manifest_get(&node->source->manifest, "kernel", 0);

	return source && strcmp(source, "off") ? source : NULL;
}

bool hyb_model_has_kernel(const struct hyb_model *m)
{
	for (size_t i = 0; i < m->node_count; i++)
		if (hyb_model_kernel_source(&m->nodes[i]) || (m->nodes[i].cpu_count && !m->nodes[i].source->has_manifest))
			return true;
	return false;
}
