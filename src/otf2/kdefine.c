/* SPDX-License-Identifier: BSD-3-Clause */
/* The archive's definitions of what the kernel did: CPUs, attributes, groups of regions. */
#include "otf2/define.h"

#include <stdio.h>
#include <stdlib.h>

#define REGIONS_MAX 65536u /* a group must fit a chunk of the library */

OTF2_Type hyb_kernel_type(enum hyb_kernel_attribute attribute)
{
	switch (attribute) {
	case HYB_KATTRIBUTE_NEXT:
	case HYB_KATTRIBUTE_WAKER:
	case HYB_KATTRIBUTE_STACK:
	case HYB_KATTRIBUTE_TASK:
	case HYB_KATTRIBUTE_DEVICE:
		return OTF2_TYPE_STRING;
	case HYB_KATTRIBUTE_RETURN:
	case HYB_KATTRIBUTE_CODE:
	case HYB_KATTRIBUTE_BYTES:
		return OTF2_TYPE_INT64;
	default:
		return OTF2_TYPE_UINT64;
	}
}

uint32_t hyb_kernel_attribute_id(enum hyb_kernel_attribute attribute)
{
	return HYB_ATTRIBUTES + attribute - 1;
}

static const char *attribute_name(enum hyb_kernel_attribute attribute, const char **description)
{
	static const struct {
		const char *name;
		const char *description;
	} texts[] = {
		[HYB_KATTRIBUTE_NEXT] = { "next task", "who has the CPU next" },
		[HYB_KATTRIBUTE_STATE] = { "task state", "of the thread, as the kernel's sched_switch has it" },
		[HYB_KATTRIBUTE_WAKER] = { "woken by", "the task or interrupt that made the thread ready to run" },
		[HYB_KATTRIBUTE_CPU] = { "CPU", "on which the thread goes on" },
		[HYB_KATTRIBUTE_RETURN] = { "return value", "of the system call; negative: errno" },
		[HYB_KATTRIBUTE_ADDRESS] = { "address", "that was not mapped" },
		[HYB_KATTRIBUTE_INSTRUCTION] = { "instruction", "address of the one that the fault is of" },
		[HYB_KATTRIBUTE_STACK] = { "call chain", "the innermost function first; behind the bar the program's" },
		[HYB_KATTRIBUTE_TASK] = { "to", "whom the signal is for" },
		[HYB_KATTRIBUTE_CODE] = { "signal code", "si_code" },
		[HYB_KATTRIBUTE_BYTES] = { "bytes", "negative: errno" },
		[HYB_KATTRIBUTE_DEVICE] = { "device", "block device" },
		[HYB_KATTRIBUTE_LATENCY] = { "latency", "ns since the request was issued" },
		[HYB_KATTRIBUTE_UNTIL] = { "lost until", "time stamp: up to when kernel events are missing" },
		[HYB_KATTRIBUTE_LOST] = { "lost kernel events", "0: nobody knows how many" },
	};

	*description = texts[attribute].description;
	return texts[attribute].name;
}

int hyb_kernel_each_location(struct hyb_merge *m, int (*visit)(struct hyb_merge *m, uint64_t location))
{
	const struct hyb_kernel *k = &m->kernel;
	size_t i, c;
	int ret = 0;

	for (i = 0; k->cpus && !ret && i < k->node_count; i++)
		for (c = 0; !ret && !k->nodes[i].tasks && c < k->nodes[i].cpu_count; c++)
			ret = visit(m, k->nodes[i].cpus[c].group);
	return ret;
}

/* CPUs stand under their nodes; the same one of several collectors once. */
void hyb_define_cpus(struct define *d, uint32_t first)
{
	const struct hyb_kernel *k = &d->m->kernel;
	const struct hyb_kernel_cpu *cpu;
	uint32_t done = 0;
	char text[16];
	size_t i, c;

	d->cpu_first = first;
	for (i = 0; k->cpus && i < k->node_count; i++) {
		for (c = 0; !k->nodes[i].tasks && c < k->nodes[i].cpu_count; c++) {
			cpu = &k->nodes[i].cpus[c];
			if (cpu->tree < done)
				continue;
			done = cpu->tree + 1;
			snprintf(text, sizeof(text), "%u", cpu->number);
			define_node(d, first + cpu->tree, "cpu", text, NODE_FIRST + k->nodes[i].host,
				    OTF2_SYSTEM_TREE_DOMAIN_PU);
		}
	}
}

/* A CPU is a process with one thread, since readers know nothing else that has regions. */
void hyb_define_cpu_locations(struct define *d)
{
	const struct hyb_merge *m = d->m;
	const struct hyb_kernel *k = &m->kernel;
	const struct hyb_kernel_cpu *cpu;
	char text[320];
	size_t i, c;

	for (i = 0; k->cpus && i < k->node_count; i++) {
		for (c = 0; !k->nodes[i].tasks && c < k->nodes[i].cpu_count; c++) {
			cpu = &k->nodes[i].cpus[c];
			snprintf(text, sizeof(text), "CPU %u of %s", cpu->number,
				 hyb_names_text(&m->hosts, k->nodes[i].host));
			define_group(d, cpu->group, name(d, text), d->cpu_first + cpu->tree);
			snprintf(text, sizeof(text), "CPU %u", cpu->number);
			check(d, OTF2_GlobalDefWriter_WriteLocation(d->writer, cpu->group, name(d, text),
								    OTF2_LOCATION_TYPE_CPU_THREAD, cpu->events,
								    cpu->group));
		}
	}
}

static void define_region_group(struct define *d, uint32_t id, enum hyb_region_kernel kernel, const char *text)
{
	const struct hyb_regions *r = &d->m->regions;
	uint64_t *members = malloc((r->table.count + 1) * sizeof(*members));
	uint32_t i, count = 0;

	if (!members) {
		d->no_memory = true;
		return;
	}
	for (i = 0; i < r->table.count && count < REGIONS_MAX; i++)
		if (hyb_regions_at(r, i)->kernel == kernel && hyb_regions_at(r, i)->otf2 != HYB_REGION_UNUSED)
			members[count++] = hyb_regions_at(r, i)->otf2;
	check(d, OTF2_GlobalDefWriter_WriteGroup(d->writer, id, name(d, text), OTF2_GROUP_TYPE_REGIONS,
						 OTF2_PARADIGM_UNKNOWN, OTF2_GROUP_FLAG_NONE, count, members));
	free(members);
}

/* Counters of threads, of those that were counted only. */
static void define_counts(struct define *d)
{
	static const struct {
		const char *name, *description, *unit;
	} members[HYB_KCOUNTS] = {
		[HYB_KCOUNT_VOLUNTARY] = { "voluntary switches", "how often the thread waited", "#" },
		[HYB_KCOUNT_INVOLUNTARY] = { "involuntary switches", "how often another one took its CPU", "#" },
		[HYB_KCOUNT_MINOR] = { "page faults (minor)", "resolved without waiting for I/O", "#" },
		[HYB_KCOUNT_MAJOR] = { "page faults (major)", "that waited for I/O", "#" },
		[HYB_KCOUNT_RAN] = { "time on CPUs", "of the thread", "ns" },
		[HYB_KCOUNT_WAITED] = { "time waiting for a CPU", "ready to run, while others had it", "ns" },
	};
	OTF2_MetricMemberRef refs[HYB_KCOUNTS];
	uint32_t i;

	for (i = 0; i < HYB_KCOUNTS; i++) {
		refs[i] = i;
		check(d, OTF2_GlobalDefWriter_WriteMetricMember(d->writer, i, name(d, members[i].name),
								name(d, members[i].description), OTF2_METRIC_TYPE_RUSAGE,
								OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
								OTF2_BASE_DECIMAL, 0, name(d, members[i].unit)));
	}
	check(d, OTF2_GlobalDefWriter_WriteMetricClass(d->writer, HYB_KERNEL_METRIC, HYB_KCOUNTS, refs,
						       OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
}

void hyb_define_kernel(struct define *d, uint32_t group)
{
	const char *text, *description;
	unsigned int i;

	if (!d->m->kernel.node_count)
		return;
	for (i = 1; i < HYB_KATTRIBUTES; i++) {
		text = attribute_name(i, &description);
		define_attribute(d, hyb_kernel_attribute_id(i), text, description, hyb_kernel_type(i));
	}
	if (d->m->kernel.counted && d->m->kernel.threads)
		define_counts(d);
	define_region_group(d, group, HYB_REGION_EVENT, "Kernel");
	if (d->m->kernel.cpus)
		define_region_group(d, group + 1, HYB_REGION_TASK, "Tasks");
}
