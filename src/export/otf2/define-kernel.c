/* SPDX-License-Identifier: BSD-3-Clause */
/* The archive's definitions of what the kernel did: CPUs, attributes, groups of regions. */
#include "export/otf2/define.h"

#include <stdio.h>
#include <stdlib.h>

#define REGIONS_MAX 65536u /* a group must fit a chunk of the library */

/* CPUs stand under their nodes; the same one of several collectors once. */
void hyb_define_cpus(struct hyb_define *d, uint32_t first)
{
	const struct hyb_model *k = &d->m->model;
	const struct hyb_model_cpu *cpu;
	uint32_t done = 0;
	char text[16];
	size_t i, c;

	d->cpu_first = first;
	for (i = 0; k->options.cpus && i < k->node_count; i++) {
		for (c = 0; !k->nodes[i].tasks && c < k->nodes[i].cpu_count; c++) {
			cpu = &k->nodes[i].cpus[c];
			if (cpu->tree < done)
				continue;
			done = cpu->tree + 1;
			snprintf(text, sizeof(text), "%u", cpu->number);
			hyb_define_node(d, first + cpu->tree, "cpu", text, NODE_FIRST + k->nodes[i].host,
				    OTF2_SYSTEM_TREE_DOMAIN_PU);
		}
	}
}

/* A CPU is a process with one thread, since readers know nothing else that has regions. */
void hyb_define_cpu_locations(struct hyb_define *d)
{
	const struct hyb_merge *m = d->m;
	const struct hyb_model *k = &m->model;
	const struct hyb_model_cpu *cpu;
	char text[320];
	size_t i, c;

	for (i = 0; k->options.cpus && i < k->node_count; i++) {
		for (c = 0; !k->nodes[i].tasks && c < k->nodes[i].cpu_count; c++) {
			cpu = &k->nodes[i].cpus[c];
			snprintf(text, sizeof(text), "CPU %u of %s", cpu->number,
				 hyb_names_text(&m->model.hosts, k->nodes[i].host));
			hyb_define_location_group(d, cpu->group, hyb_define_name(d, text), d->cpu_first + cpu->tree);
			snprintf(text, sizeof(text), "CPU %u", cpu->number);
			hyb_define_check(d, OTF2_GlobalDefWriter_WriteLocation(d->writer, cpu->group, hyb_define_name(d, text),
								    OTF2_LOCATION_TYPE_CPU_THREAD, d->sink->events[k->nodes[i].first_track + c],
								    cpu->group));
		}
	}
}

static void define_region_group(struct hyb_define *d, uint32_t id, enum hyb_region_kernel kernel, const char *text)
{
	const struct hyb_regions *r = &d->m->model.regions;
	uint64_t *members = malloc((r->table.count + 1) * sizeof(*members));
	uint32_t i, count = 0;

	if (!members) {
		d->no_memory = true;
		return;
	}
	for (i = 0; i < r->table.count && count < REGIONS_MAX; i++)
		if (hyb_regions_at(r, i)->kernel == kernel && hyb_regions_at(r, i)->id != HYB_REGION_UNUSED)
			members[count++] = hyb_regions_at(r, i)->id;
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteGroup(d->writer, id, hyb_define_name(d, text), OTF2_GROUP_TYPE_REGIONS,
						 OTF2_PARADIGM_UNKNOWN, OTF2_GROUP_FLAG_NONE, count, members));
	free(members);
}

/* Those of the kernel only where there is something of it. */
static void define_attributes(struct hyb_define *d)
{
	unsigned int i, count = d->m->model.node_count ? HYB_ATTRIBUTES : HYB_ATTRIBUTE_KERNEL;
	const struct hyb_parameters *parameters = &d->m->model.parameters;
	const struct hyb_attribute_info *info;

	for (i = 0; i < count; i++) {
		info = hyb_attribute_info(i);
		hyb_define_attribute(d, i, info->name, info->description, hyb_otf2_type(info->type));
	}
	for (i = 0; i < parameters->count; i++)
		hyb_define_attribute(d, hyb_otf2_attribute(d->m, HYB_ATTRIBUTES + i),
				     hyb_names_text(&d->m->model.names, parameters->list[i].name),
				     "said by the program", hyb_otf2_type(hyb_parameter_type(parameters->list[i].type)));
}

void hyb_define_kernel(struct hyb_define *d, uint32_t group)
{
	define_attributes(d);
	if (!d->m->model.node_count)
		return;
	define_region_group(d, group, HYB_REGION_EVENT, "Kernel");
	if (d->m->model.options.cpus)
		define_region_group(d, group + 1, HYB_REGION_TASK, "Tasks");
}
