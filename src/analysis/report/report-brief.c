/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report in a few lines, as hybmon run has it at its end: what recording cost, and what weighs most. That is what
 * kept others waiting, or what threads did that is not the program's own work; all as parts of the time of all threads.
 * And what might be done, where that is known.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/advice.h"
#include "analysis/report/machine.h"
#include "analysis/report/report-lines.h"
#include "analysis/report/report.h"

#define BRIEF	   3   /* findings */
#define LEAST	   100 /* what is less than this part of all is not worth a line */
#define INDENT	   4

struct finding {
	int64_t ns;
	const struct hyb_report_reason *reason; /* NULL: it is a kind of time, or */
	bool late;				/* of all that return late from MPI calls */
	enum hyb_time_class class;		/* that one */
	const char *what;
	const char *apart;
};

/*
 * What an event of the kernel costs the task that it happens to, by the collector's source: half of what a system call,
 * which is two, takes longer; with self a switch (doc/benchmarks.md).
 */
static const struct {
	const char *source;
	double ns;
} prices[] = { { "bpf", 190 }, { "perf", 410 }, { "self", 3900 } };

static double price_of_kernel(const struct hyb_report *r, uint64_t *events)
{
	double ns = 0;

	*events = 0;
	for (size_t i = 0; i < r->merge.kernel.node_count; i++) {
		const struct hyb_kernel_node *node = &r->merge.kernel.nodes[i];
		const char *source = hyb_manifest_get(&node->model->source->manifest, "kernel", 0);

		for (size_t k = 0; source && k < sizeof(prices) / sizeof(prices[0]); k++) {
			if (strcmp(source, prices[k].source))
				continue;
			*events += node->stats.events;
			ns += (double)node->stats.events * prices[k].ns;
		}
	}
	return ns;
}

static int put_cost(const struct hyb_report *r, double price, FILE *to)
{
	uint64_t events;
	double kernel = price_of_kernel(r, &events), all = kernel + price * (double)r->visits;
	struct line l;
	FILE *line = begin_line(&l);

	if (!line)
		return -ENOMEM;
	fprintf(line, "recording took about %.3f s of all threads' time, %.2f %%: %" PRIu64 " visits of regions at %.0f ns",
		all / 1e9, r->time > 0 ? 100 * all / (double)r->time : 0, r->visits, price);
	if (events)
		fprintf(line, ", %" PRIu64 " events of the kernel at about %.0f ns", events, kernel / (double)events);
	end_line(&l, to, fprintf(to, "%*s", INDENT, ""), INDENT);
	return 0;
}

/* How much of the run the kernel's data covers, on the node of which it is the least, if it is not all. */
static void put_covered(const struct hyb_report *r, FILE *to)
{
	double least = r->profiles ? 1 : hyb_merge_kernel_covered(&r->merge);

	if (least < 0.9995)
		fprintf(to, "%*swhat the kernel did is known of %.1f %% of the run: HYBMON_KERNEL_WAIT\n", INDENT, "",
			100 * least);
}

/* Costs of their own, whatever the program does in between. */
static void put_start_stop(const struct hyb_report *r, FILE *to)
{
	if (r->unfinished > r->time / LEAST)
		fprintf(to, "%*s%5.1f %%  in MPI calls that never ended: hybmon check says why\n", INDENT, "",
			percent(r->unfinished, r->time));
	if (r->start_stop > r->time / LEAST)
		fprintf(to, "%*s%5.1f %%  all threads: in MPI_Init and MPI_Finalize\n", INDENT, "", percent(r->start_stop, r->time));
}

static int by_weight(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	return x->ns > y->ns ? -1 : x->ns < y->ns;
}

/* What a wait is a part of. */
static enum hyb_time_class time_of(int wait)
{
	return wait < HYB_WAITS_MPI ? HYB_TIME_MPI : wait == HYB_WAIT_OMP_IDLE ? HYB_TIME_OMP_IDLE : HYB_TIME_OMP_WAIT;
}

/* The weightiest causes, and kinds of time that are not in them: what MPI took without waiting for others, for one. */
static size_t find(const struct hyb_report *r, struct finding *list)
{
	static const struct {
		enum hyb_time_class class;
		const char *what;
		const char *apart; /* from what waits for others, where that is known */
	} kinds[] = {
		{ HYB_TIME_MPI, "all threads: in MPI", ", not waiting for others there" },
		{ HYB_TIME_OMP_WAIT, "all threads: in barriers and locks of OpenMP", ", not waiting for others" },
		{ HYB_TIME_OMP_IDLE, "all threads: idle between parallel regions", "" },
		{ HYB_TIME_KERNEL, "all threads: system calls, faults and interrupts", "" },
		{ HYB_TIME_VOLUNTARY, "all threads: off the CPU, waiting", "" },
		{ HYB_TIME_INVOLUNTARY, "all threads: off the CPU, pre-empted", "" },
	};
	size_t count = 0;
	int64_t ns;

	for (uint32_t i = 0; i < r->reasons.count && count < BRIEF; i++) {
		const struct hyb_report_reason *reason = hyb_table_at(&r->reasons, i);

		if (reason->reason != HYB_REASON_MPI)
			list[count++] = (struct finding){ .ns = reason->ns, .reason = reason };
	}
	if (r->late.threads)
		list[count++] = (struct finding){ .ns = r->late.ns, .late = true };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		/* What MPI takes to start and to stop is told apart. */
		ns = r->in[kinds[i].class];
		if (kinds[i].class == HYB_TIME_MPI)
			ns -= r->start_stop - r->start_stop_waited + r->unfinished;
		for (int k = 0; k < HYB_WAITS; k++)
			ns -= time_of(k) == kinds[i].class ? r->waited[k] : 0;
		list[count++] = (struct finding){ .ns = ns, .class = kinds[i].class, .what = kinds[i].what,
						  .apart = r->profiles ? "" : kinds[i].apart };
	}
	qsort(list, count, sizeof(*list), by_weight);
	return count < BRIEF ? count : BRIEF;
}

/* Of MPI's time, not waiting or waiting: the call that has the most, and what part of it is not MPI's at all. */
static void tell_calls(const struct hyb_report *r, FILE *to)
{
	const struct hyb_flat_region *first = NULL;
	int64_t all = 0, preempted = 0;

	for (uint32_t i = 0; i < r->flat.regions.count; i++) {
		const struct hyb_flat_region *region = hyb_table_at(&r->flat.regions, r->flat.order[i]);

		if (region->kind != HYB_FLAT_REGION || region->region->paradigm != HYB_PARADIGM_MPI ||
		    region->region->kind == HYB_REGION_INIT || region->region->kind == HYB_REGION_FINALIZE)
			continue;
		first = first ? first : region;
		preempted += region->times.part[HYB_PART_INVOLUNTARY];
		for (int k = 0; k < HYB_PARTS; k++)
			all += region->times.part[k];
	}
	if (first)
		fprintf(to, "; the most of MPI's time is in %s", first->region->name);
	if (preempted > all / 10)
		fprintf(to, ", and in %.0f %% of it threads are pre-empted", percent(preempted, all));
}

/* Where the thread did that the most, and whether elsewhere, too. */
static void tell_place(const struct hyb_report *r, const struct hyb_report_reason *reason, FILE *to)
{
	for (uint32_t i = 0; i < r->causes.causes.count; i++) {
		const struct hyb_cause *c = r->list[i].cause;

		if (c->track != reason->track || hyb_report_reason_of(r, c->spot) != reason->reason)
			continue;
		if (c->spot == HYB_SPOT_NONE)
			fputs("late, for no reason that is recorded", to);
		else
			hyb_report_tell_spot(r, c->spot, to);
		if (r->list[i].ns < reason->ns - reason->ns / 10)
			fputs(", and elsewhere", to);
		return;
	}
}

/* The call from which they return the latest. */
static void tell_late(const struct hyb_report *r, FILE *to)
{
	hyb_report_tell_late(r, to);
	fputs(", and kept others waiting", to);
	for (uint32_t i = 0; i < r->causes.causes.count; i++) {
		const struct hyb_cause *c = r->list[i].cause;

		if (hyb_report_reason_of(r, c->spot) != HYB_REASON_MPI)
			continue;
		fputs("; the most from ", to);
		hyb_report_tell_spot(r, c->spot, to);
		return;
	}
}

static void tell(const struct hyb_report *r, const struct finding *f, FILE *to)
{
	if (f->late) {
		tell_late(r, to);
		return;
	}
	if (f->reason) {
		fputs("others waited for ", to);
		tell_who(r, f->reason->track, to);
		fputs(": ", to);
		tell_place(r, f->reason, to);
		return;
	}
	fprintf(to, "%s%s", f->what, f->apart);
	if (f->class == HYB_TIME_MPI)
		tell_calls(r, to);
}

static int put_advice(const struct hyb_report *r, FILE *to)
{
	struct hyb_advice *advice;
	struct line l;
	size_t count;
	int err = hyb_advise(r, &advice, &count);
	FILE *line = !err && count ? begin_line(&l) : NULL;

	if (!err && count && !line)
		err = -ENOMEM;
	if (line) {
		hyb_advice_tell(r, &advice[0], line);
		end_line(&l, to, fprintf(to, "%*s", INDENT, ""), INDENT);
	}
	if (!err)
		free(advice);
	return err;
}

int hyb_report_brief(const struct hyb_report *r, double price, FILE *to)
{
	struct finding list[BRIEF + 1 + HYB_TIMES];
	size_t count = find(r, list), told = 0;
	int err = hyb_report_print_end(r, INDENT, to);

	hyb_report_print_usage(r, INDENT, to);
	if (!err)
		err = hyb_machine_print(r, INDENT, to);
	if (!err)
		err = put_cost(r, price, to);
	if (!err)
		put_covered(r, to);
	for (size_t i = 0; !err && i < count && list[i].ns > r->time / LEAST; i++, told++) {
		struct line l;
		FILE *line = begin_line(&l);
		int at;

		if (!line)
			return -ENOMEM;
		tell(r, &list[i], line);
		at = fprintf(to, "%*s%5.1f %%  ", INDENT, "", 100 * (double)list[i].ns / (double)r->time);
		end_line(&l, to, at, at);
	}
	if (!err)
		put_start_stop(r, to);
	if (!err && !told && r->start_stop <= r->time / LEAST && r->unfinished <= r->time / LEAST)
		fill(to, fprintf(to, "%*s", INDENT, ""), INDENT, "nothing stands out: almost all of the time is the program's own");
	return err ? err : put_advice(r, to);
}
