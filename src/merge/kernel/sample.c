/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples: each waits on disk among its thread's intervals, since it is where the thread's own events are then. */
#include "merge/kernel/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int hyb_ksample_begin(struct hyb_reading *k)
{
	const struct hyb_kmetric *m = k->defs.metrics;
	struct hyb_sample_metric *metrics = calloc(k->defs.metric_count + 1, sizeof(*metrics));
	size_t i;

	k->node->metrics = metrics;
	if (!metrics)
		return -ENOMEM;
	/* The last one stands for what is not defined. */
	for (i = 0; i <= k->defs.metric_count; i++) {
		const bool known = i < k->defs.metric_count;

		metrics[i].id = known ? m[i].id : UINT64_MAX;
		metrics[i].name = strdup(known ? m[i].name : "unknown");
		metrics[i].unit = strdup(known ? m[i].unit : "#");
		metrics[i].base = known ? m[i].def.base : 10;
		metrics[i].exponent = known ? m[i].def.exponent : 0;
		k->node->metric_count++;
		if (!metrics[i].name || !metrics[i].unit)
			return -ENOMEM;
	}
	return 0;
}

void hyb_ksample_free(struct hyb_kernel_node *node)
{
	size_t i;

	for (i = 0; i < node->metric_count; i++) {
		free((char *)node->metrics[i].name);
		free((char *)node->metrics[i].unit);
	}
	free(node->metrics);
	node->metrics = NULL;
	node->metric_count = 0;
}

static uint64_t find_metric(const struct hyb_kernel_node *node, uint32_t id)
{
	size_t i = 0;

	while (i + 1 < node->metric_count && node->metrics[i].id != id)
		i++;
	return i;
}

void hyb_ksample_event(struct hyb_reading *k, const struct hyb_kernel_event *e)
{
	struct hyb_span span = { .begin = k->now, .end = k->now };
	struct hyb_ktask_state *task;
	struct hyb_kthread *t;

	if (e->what == HYB_KERNEL_GAP_BEGIN)
		k->node->lost_samples += e->lost;
	if (e->what != HYB_KERNEL_SAMPLE)
		return;
	task = hyb_ktask_get(k, e->task, e->time);
	t = task ? hyb_ktask_thread(k, task) : NULL;
	if (!t) {
		k->node->stray_samples++;
		return;
	}
	k->node->samples++;
	span.attribute[0] = HYB_SPAN_SAMPLE;
	span.value[0] = hyb_chains_sample(k, e);
	span.value[1] = e->word[0];
	span.value[2] = find_metric(k->node, e->detail);
	if (!k->err)
		hyb_kthread_keep(k, t, &span);
}

void hyb_kernel_number_samples(struct hyb_merge *m)
{
	uint32_t frames = 0, chains = 0, metrics = 0;
	struct hyb_kernel_node *node;
	size_t i;

	for (i = 0; i < m->kernel.node_count; i++) {
		node = &m->kernel.nodes[i];
		node->first_frame = frames;
		node->first_chain = chains;
		node->first_metric = metrics;
		metrics += (uint32_t)node->metric_count;
		frames += node->chains.frames.count;
		chains += node->chains.chains.count;
	}
}
