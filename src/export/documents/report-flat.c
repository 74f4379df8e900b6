/* SPDX-License-Identifier: BSD-3-Clause */
/* The flat profile in a report's document: regions, the kernel's events, processes. */
#include "export/documents/report-flat.h"

#include "analysis/report/advice.h"
#include "analysis/profile/flat.h"
#include "export/json/value.h"

static const char *const parts[HYB_PARTS] = {
	[HYB_PART_OWN] = "own",
	[HYB_PART_SYSCALL] = "system_calls",
	[HYB_PART_FAULT] = "faults",
	[HYB_PART_INTERRUPT] = "interrupts",
	[HYB_PART_VOLUNTARY] = "voluntary",
	[HYB_PART_INVOLUNTARY] = "involuntary",
	[HYB_PART_UNKNOWN] = "unknown",
};

json_t *hyb_json_parts(const int64_t *part)
{
	json_t *times = json_object();

	for (int i = 0; i < HYB_PARTS; i++)
		set(&times, parts[i], number((uint64_t)part[i]));
	return times;
}

/* Adds to an object the times of a region. */
static json_t *with_times(const struct hyb_flat_times *t, json_t *object)
{
	json_t *counts = json_object();

	for (int i = HYB_PART_OWN + 1; i < HYB_PARTS; i++)
		set(&counts, parts[i], number(t->count[i]));
	set(&object, "visits", number(t->visits));
	set(&object, "inclusive", number((uint64_t)t->inclusive));
	set(&object, "exclusive", number((uint64_t)hyb_flat_exclusive(t)));
	set(&object, "parts", hyb_json_parts(t->part));
	set(&object, "counts", counts);
	return object;
}

json_t *hyb_json_with_process(const struct hyb_report *r, uint32_t process, json_t *object)
{
	const struct hyb_model_process *p = &r->merge.model.processes[process];

	set(&object, "process", number(process));
	if (p->ranked)
		set(&object, "rank", number(p->group));
	return object;
}

static json_t *pack_spread(const struct hyb_report *r, const struct hyb_spread *s)
{
	json_t *object = json_object(), *outliers = json_array();

	for (uint32_t i = 0; i < s->outlier_count; i++)
		append(&outliers, hyb_json_with_process(r, r->flat.processes[s->outliers[i]].process, json_object()));
	set(&object, "least", number((uint64_t)s->least));
	set(&object, "least_in", hyb_json_with_process(r, r->flat.processes[s->least_in].process, json_object()));
	set(&object, "mean", json_real(s->mean));
	set(&object, "most", number((uint64_t)s->most));
	set(&object, "most_in", hyb_json_with_process(r, r->flat.processes[s->most_in].process, json_object()));
	set(&object, "outliers", outliers);
	return object;
}

/* Of each time of a region that some process has, or of the processes' (NULL). */
static json_t *list_spreads(const struct hyb_report *r, const struct hyb_flat_region *region)
{
	json_t *object = json_object();

	for (int what = HYB_SPREAD_EXCLUSIVE; what < HYB_PARTS; what++) {
		const char *name = what == HYB_SPREAD_INCLUSIVE	  ? "inclusive"
				   : what == HYB_SPREAD_EXCLUSIVE ? "exclusive"
								  : parts[what];
		struct hyb_spread spread;

		if (hyb_flat_spread(&r->flat, region, what, &spread))
			set(&object, name, NULL);
		else if (spread.most)
			set(&object, name, pack_spread(r, &spread));
		hyb_spread_free(&spread);
	}
	return object;
}

static json_t *list_rows(const struct hyb_report *r, const struct hyb_flat_region *region)
{
	const uint32_t of = hyb_table_index(&r->flat.regions, region);
	json_t *rows = json_array();

	for (uint32_t i = hyb_rows_first(&r->flat.rows, of); i < r->flat.rows.count; i++) {
		const struct hyb_flat_row *row = hyb_table_at(&r->flat.rows, i);

		if (row->region != of)
			break;
		append(&rows, with_times(&row->times, hyb_json_with_process(r, row->process, json_object())));
	}
	return rows;
}

static json_t *pack_region(const struct hyb_report *r, const struct hyb_flat_region *region)
{
	static const char *const kinds[] = {
		[HYB_FLAT_REGION] = "region",
		[HYB_FLAT_THREADS] = "threads",
		[HYB_FLAT_PAUSED] = "not_recorded",
		[HYB_FLAT_KERNEL] = "kernel",
	};
	json_t *object = json_pack("{ss,so*,so*}", "kind", kinds[region->kind], "name",
				   text_if(region->region, region->region ? region->region->name : ""), "part",
				   text_if(region->kind == HYB_FLAT_KERNEL, parts[region->part]));

	object = with_times(&region->times, object);
	set(&object, "over_processes", list_spreads(r, region));
	set(&object, "processes", list_rows(r, region));
	return object;
}

static json_t *list_regions(const struct hyb_report *r, bool kernel)
{
	json_t *regions = json_array();

	for (uint32_t i = 0; i < r->flat.regions.count; i++) {
		const struct hyb_flat_region *region = hyb_flat_at(&r->flat, i);

		if ((region->kind == HYB_FLAT_KERNEL) == kernel)
			append(&regions, pack_region(r, region));
	}
	return regions;
}

json_t *hyb_json_holder(const char *label)
{
	if (!label)
		return NULL;
	if (!strcmp(label, hyb_label_idle))
		return json_string("idle");
	return json_string(strcmp(label, hyb_label_other) ? "task" : "unknown");
}

static json_t *list_rivals(const struct hyb_report *r)
{
	json_t *rivals = json_array();

	for (uint32_t i = 0; i < r->flat.rivals.count; i++) {
		const struct hyb_flat_rival *rival = hyb_table_at(&r->flat.rivals, i);
		const char *who = hyb_names_text(&r->merge.model.names, rival->who);

		append(&rivals, hyb_json_with_process(r, rival->process,
					     json_pack("{so,so*,so,so,so*}", "by", text(who), "holder",
						       hyb_json_holder(who), "count", number(rival->count), "time", number((uint64_t)rival->ns), "cpu",
						       number_if(rival->cpu < HYB_FLAT_NO_CPU, rival->cpu))));
	}
	return rivals;
}

json_t *hyb_json_flat(const struct hyb_report *r)
{
	json_t *processes = json_array(), *object = json_object();

	for (size_t i = 0; i < r->flat.process_count; i++) {
		const struct hyb_flat_process *p = &r->flat.processes[i];

		append(&processes, with_times(&p->times, hyb_json_with_process(r, p->process, json_object())));
	}
	set(&object, "regions", list_regions(r, false));
	set(&object, "kernel_events", list_regions(r, true));
	set(&object, "preempted", list_rivals(r));
	set(&object, "processes", processes);
	set(&object, "over_processes", list_spreads(r, NULL));
	return object;
}

static json_t *pack_advice(const struct hyb_report *r, const struct hyb_advice *a)
{
	static const char *const kinds[HYB_ADVICES] = {
		[HYB_ADVICE_THREADS] = "more_threads_than_cpus",
		[HYB_ADVICE_ONE_CPU] = "one_cpu",
		[HYB_ADVICE_INTERRUPTS] = "interrupts",
		[HYB_ADVICE_FAULTS] = "faults",
	};
	json_t *object;
	char *line = NULL;
	size_t size;
	FILE *to = open_memstream(&line, &size);

	if (!to)
		return NULL;
	hyb_advice_tell(r, a, to);
	fclose(to);
	object = json_pack("{ss,so,so,so,so}", "kind", kinds[a->kind], "count", number(a->count), "time",
			   number((uint64_t)a->ns), "of", number((uint64_t)a->of), "text", text(line));
	free(line);
	if (a->kind == HYB_ADVICE_ONE_CPU || a->kind == HYB_ADVICE_INTERRUPTS)
		object = hyb_json_with_process(r, a->process, object);
	return object;
}

json_t *hyb_json_advice(const struct hyb_report *r)
{
	json_t *list = json_array();
	struct hyb_advice *advice;
	size_t count;

	if (hyb_advise(r, &advice, &count)) {
		json_decref(list);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		append(&list, pack_advice(r, &advice[i]));
	free(advice);
	return list;
}
