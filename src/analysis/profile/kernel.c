/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the kernel's events; see kernel.h. They are those that the merge gives to the same events of a trace. */
#include "analysis/profile/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/kernel.h"
#include "reader/streams/kdefs.h"

/* A node's definitions may be incomplete: then its events have numbers. */
static int read_defs(struct hyb_call_kernel *k)
{
	const struct hyb_model *m = k->model;

	if (k->defs)
		return 0;
	k->defs = calloc(m->node_count + 1, sizeof(*k->defs));
	if (!k->defs)
		return -1;
	for (size_t i = 0; i < m->node_count; i++) {
		const struct hyb_process *source = m->nodes[i].source;

		if (source->defs)
			hyb_kdefs_read(source->defs, source->owner, m->options.diag, &k->defs[i]);
	}
	return 0;
}

/* NULL: no collector of the host had to name it yet. */
static const char *name_of(const struct hyb_call_kernel *k, const struct hyb_model_process *process,
			   enum hyb_kernel_names names, uint32_t number)
{
	const char *name = NULL;

	for (size_t i = 0; i < k->model->node_count && !name; i++)
		if (k->model->nodes[i].host == process->host && k->model->nodes[i].job == process->job)
			name = hyb_kdefs_name(&k->defs[i], names, number);
	return name;
}

static const struct {
	const char *before;
	enum hyb_kernel_names names; /* of the number; 0: it has none */
	const char *number[2];	     /* names of the numbers then */
} kinds[] = {
	[HYB_PROFILE_SYSCALL] = { "sys_", HYB_NAME_SYSCALL, { NULL } },
	[HYB_PROFILE_FAULT] = { "", 0, { "page fault (minor)", "page fault (major)" } },
	[HYB_PROFILE_IRQ] = { "irq ", HYB_NAME_IRQ, { NULL } },
	[HYB_PROFILE_SOFTIRQ] = { "softirq ", HYB_NAME_SOFTIRQ, { NULL } },
	[HYB_PROFILE_OFF] = { "", 0, { "scheduled out (voluntary)", "scheduled out (involuntary)" } },
};

const struct hyb_gregion *hyb_call_kernel_region(struct hyb_call_kernel *k, const struct hyb_model_process *process,
						 uint32_t event)
{
	const uint32_t kind = event >> 24, number = event & 0xffffff;
	const char *name = NULL;
	char text[256];

	if (read_defs(k))
		return NULL;
	if (kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[kind].before || (!kinds[kind].names && number > 1)) {
		snprintf(text, sizeof(text), "event %" PRIu32 " of kind %" PRIu32, number, kind);
	} else if (!kinds[kind].names) {
		snprintf(text, sizeof(text), "%s", kinds[kind].number[number]);
	} else {
		name = name_of(k, process, kinds[kind].names, number);
		if (name)
			snprintf(text, sizeof(text), "%s%s", kinds[kind].before, name);
		else
			snprintf(text, sizeof(text), "%s%" PRIu32, kinds[kind].before, number);
	}
	return hyb_regions_get_kernel(&k->model->regions, text, HYB_REGION_EVENT, HYB_PARADIGM_KERNEL);
}

void hyb_call_kernel_free(struct hyb_call_kernel *k)
{
	for (size_t i = 0; k->defs && i < k->model->node_count; i++)
		hyb_kdefs_free(&k->defs[i]);
	free(k->defs);
	k->defs = NULL;
}
