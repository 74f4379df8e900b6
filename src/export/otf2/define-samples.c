/* SPDX-License-Identifier: BSD-3-Clause */
/* The definitions of the archive of samples: functions, source lines, calling contexts, and what was sampled. */
#include "export/otf2/define.h"
#include "export/otf2/samples.h"

#include <string.h>

/* Functions are regions after those of the model. */
static uint32_t first_function(const struct hyb_define *d)
{
	return d->m->model.regions.next;
}

/*
 * What tells the sides of a chain apart: functions of the program are of the paradigm of sampling, what is the kernel's
 * or ours is described so. The binary is the description of all others.
 */
static void define_functions(struct hyb_define *d)
{
	const struct hyb_table *t = &d->sink->samples->functions;
	static const char *const kinds[] = { [HYB_FRAME_KERNEL] = "kernel", [HYB_FRAME_GENERATED] = "generated code" };

	for (uint32_t i = 0; i < t->count; i++) {
		const struct hyb_otf2_function *f = hyb_table_at(t, i);
		const bool ours = f->kind == HYB_FRAME_HYBMON, program = f->kind == HYB_FRAME_USER;
		const char *description = f->path ? f->path : "";
		uint32_t name, text, file;

		if (f->kind < sizeof(kinds) / sizeof(kinds[0]) && kinds[f->kind])
			description = kinds[f->kind];
		name = hyb_define_name(d, f->name);
		text = hyb_define_name(d, description);
		file = hyb_define_name(d, f->file ? f->file : "");
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteRegion(
					    d->writer, first_function(d) + i, name, name, text,
					    ours ? OTF2_REGION_ROLE_ARTIFICIAL : OTF2_REGION_ROLE_FUNCTION,
					    ours ? OTF2_PARADIGM_MEASUREMENT_SYSTEM :
					    program ? OTF2_PARADIGM_SAMPLING : OTF2_PARADIGM_UNKNOWN,
					    OTF2_REGION_FLAG_NONE, file, 0, 0));
	}
}

static void define_places(struct hyb_define *d)
{
	const struct hyb_table *t = &d->sink->samples->places;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct hyb_otf2_place *p = hyb_table_at(t, i);
		const uint32_t file = hyb_define_name(d, p->file);

		hyb_define_check(d, OTF2_GlobalDefWriter_WriteSourceCodeLocation(d->writer, i, file, p->line));
	}
}

static void define_contexts(struct hyb_define *d)
{
	const struct hyb_table *t = &d->sink->samples->nodes;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct hyb_otf2_node *n = hyb_table_at(t, i);

		hyb_define_check(d, OTF2_GlobalDefWriter_WriteCallingContext(
					    d->writer, i, n->region != UINT32_MAX ? n->region : first_function(d) + n->function,
					    n->place ? n->place - 1 : OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
					    n->parent ? n->parent - 1 : OTF2_UNDEFINED_CALLING_CONTEXT));
	}
}

/* The period is the mean of the weights: of most events all have the same one. */
static uint64_t period_of(const struct hyb_define *d, uint32_t generator)
{
	const struct hyb_otf2_samples *s = d->sink->samples;
	struct hyb_otf2_generator all = { 0, 0 };

	for (size_t i = 0; i < d->m->model.track_count; i++) {
		if (!s->tracks[i] || generator >= s->tracks[i]->generator_count)
			continue;
		all.count += s->tracks[i]->generators[generator].count;
		all.weight += s->tracks[i]->generators[generator].weight;
	}
	return all.count ? (all.weight + all.count / 2) / all.count : 0;
}

static void define_generators(struct hyb_define *d)
{
	for (size_t i = 0; i < d->m->kernel.node_count; i++) {
		const struct hyb_kernel_node *node = &d->m->kernel.nodes[i];

		for (size_t k = 0; k < node->metric_count; k++) {
			const struct hyb_sample_metric *metric = &node->metrics[k];
			const uint32_t id = node->first_metric + (uint32_t)k, name = hyb_define_name(d, metric->name);
			const uint64_t period = period_of(d, id);

			/* Of one there are no samples. */
			if (!period)
				continue;
			hyb_define_check(d, OTF2_GlobalDefWriter_WriteInterruptGenerator(
						    d->writer, id, name,
						    strcmp(metric->unit, "s") ? OTF2_INTERRUPT_GENERATOR_MODE_COUNT :
										OTF2_INTERRUPT_GENERATOR_MODE_TIME,
						    metric->base == 2 ? OTF2_BASE_BINARY : OTF2_BASE_DECIMAL,
						    metric->exponent, period));
		}
	}
}

void hyb_define_samples(struct hyb_define *d)
{
	hyb_define_attribute(d, HYB_OTF2_WEIGHT, "sample weight",
			     "how much of what is sampled there was since the thread's sample before", OTF2_TYPE_UINT64);
	define_functions(d);
	define_places(d);
	define_contexts(d);
	define_generators(d);
}
