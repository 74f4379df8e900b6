/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much of their time threads had a CPU, and how much they waited for one. The kernel counts both for each thread, so
 * this needs neither rights nor the kernel's events. For the rest of the time they were blocked.
 */
#include "analysis/report/report-lines.h"
#include "analysis/report/report.h"

/* So much of their time without a CPU is worth a line. */
#define MUCH 5.0

/* The difference of two readings; -1: one of them is not known. */
static int64_t between(uint64_t first, uint64_t last)
{
	if (first == HYB_USAGE_UNKNOWN || last == HYB_USAGE_UNKNOWN || last < first || last - first > INT64_MAX)
		return -1;
	return (int64_t)(last - first);
}

static bool usage_of(const struct hyb_model_thread *t, struct hyb_report_usage *usage)
{
	const struct hyb_model_usage *u = &t->usage;

	*usage = (struct hyb_report_usage){
		.threads = 1, .time = hyb_ns_sub(u->until, u->from), .cpu = between(u->first.cpu, u->last.cpu),
		.delayed = between(u->first.delayed, u->last.delayed),
	};
	return u->known && usage->time > 0 && usage->cpu >= 0;
}

bool hyb_report_usage_of(const struct hyb_report *r, uint32_t track, struct hyb_report_usage *usage)
{
	const struct hyb_model_process *p = &r->merge.model.processes[r->merge.model.process_of[track]];

	return usage_of(&p->threads[track - p->first_track], usage);
}

void hyb_report_sum_usage(struct hyb_report *r)
{
	const struct hyb_model *m = &r->merge.model;
	struct hyb_report_usage *sum = &r->usage, one;

	for (size_t i = 0; i < m->process_count; i++) {
		for (size_t k = 0; k < m->processes[i].thread_count; k++) {
			if (!usage_of(&m->processes[i].threads[k], &one))
				continue;
			sum->threads++;
			sum->time = hyb_ns_add(sum->time, one.time);
			sum->cpu = hyb_ns_add(sum->cpu, one.cpu);
			sum->delayed = sum->delayed < 0 || one.delayed < 0 ? -1 : hyb_ns_add(sum->delayed, one.delayed);
		}
	}
}

void hyb_report_print_usage(const struct hyb_report *r, int indent, FILE *to)
{
	const struct hyb_report_usage *u = &r->usage;
	char text[160];
	int length;

	if (!u->threads)
		return;
	length = snprintf(text, sizeof(text), "Threads had a CPU %.1f %% of the time", percent(u->cpu, u->time));
	if (u->delayed >= 0)
		length += snprintf(text + length, sizeof(text) - (size_t)length, ", and waited for one %.1f %%",
				   percent(u->delayed, u->time));
	if (u->threads < r->threads)
		snprintf(text + length, sizeof(text) - (size_t)length, " (known of %" PRIu64 " of %" PRIu64 " threads)",
			 u->threads, r->threads);
	if (indent && percent(u->delayed, u->time) < MUCH)
		return;
	fprintf(to, "%*s", indent, "");
	fill(to, indent, indent, text);
}
