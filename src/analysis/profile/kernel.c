/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/profile/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

const struct hyb_gregion *hyb_call_kernel_region(struct hyb_call_kernel *k, const struct hyb_model_process *process,
						 uint32_t event)
{
	const enum hyb_kernel_what what = hyb_label_profiled(event >> 24);
	const uint32_t number = event & 0xffffff;
	const unsigned int names = hyb_label_names(what);
	char text[64];

	if (read_defs(k))
		return NULL;
	if (what)
		return hyb_regions_get_event(&k->model->regions, what, number,
					     names ? name_of(k, process, names, number) : NULL);
	snprintf(text, sizeof(text), "event %" PRIu32 " of kind %" PRIu32, number, event >> 24);
	return hyb_regions_get_kernel(&k->model->regions, text, HYB_REGION_EVENT, HYB_REGION_ANY, HYB_PARADIGM_KERNEL);
}

void hyb_call_kernel_free(struct hyb_call_kernel *k)
{
	for (size_t i = 0; k->defs && i < k->model->node_count; i++)
		hyb_kdefs_free(&k->defs[i]);
	free(k->defs);
	k->defs = NULL;
}
