/* SPDX-License-Identifier: BSD-3-Clause */
/* See advice.h. All of it is taken from the flat profile. */
#include "analysis/report/advice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report-lines.h"
#include "reader/streams/printable.h"
#include "reader/containers/array.h"
#include "reader/containers/sort.h"

#define MUCH 20	 /* a part of that time or more: 5 % */
#define SOME 100 /* interrupts: 1 % */
#define TIMES 3	 /* as much as the mean of the others */

struct list {
	struct hyb_advice *items;
	size_t count;
	size_t room;
};

static int add(struct list *l, const struct hyb_advice *a)
{
	struct hyb_advice *grown = hyb_array_room(l->items, &l->room, l->count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	l->items = grown;
	l->items[l->count++] = *a;
	return 0;
}

/* A thread of a recorded process, as the merge calls it. */
static bool is_ours(const struct hyb_report *r, const struct hyb_flat_rival *rival)
{
	const char *who = hyb_names_text(&r->merge.model.names, rival->who);

	return who && (strstr(who, " (rank ") || strstr(who, " (pid "));
}

static const struct hyb_flat_process *process_of(const struct hyb_report *r, uint32_t process)
{
	size_t i = 0;

	while (i + 1 < r->flat.process_count && r->flat.processes[i].process != process)
		i++;
	return &r->flat.processes[i];
}

/* Where a host has too few CPUs, nobody can have one of its own. */
static bool is_crowded(const struct list *l, uint32_t host)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->items[i].kind == HYB_ADVICE_THREADS && l->items[i].process == host)
			return true;
	return false;
}

/* Of a host: its threads, its CPUs, and how long recorded threads had to wait for each other. */
static int look_at_host(const struct hyb_report *r, uint32_t host, struct list *l)
{
	const struct hyb_model *m = &r->merge.model;
	struct hyb_advice a = { .kind = HYB_ADVICE_THREADS, .process = host };

	for (size_t i = 0; i < m->node_count; i++)
		if (m->nodes[i].host == host && !m->nodes[i].tasks && m->nodes[i].cpu_count > a.cpu)
			a.cpu = m->nodes[i].cpu_count;
	for (size_t i = 0; i < r->flat.process_count; i++) {
		if (m->processes[r->flat.processes[i].process].host != host)
			continue;
		a.count += r->flat.processes[i].threads;
		a.of += r->flat.processes[i].times.inclusive;
	}
	for (uint32_t i = 0; i < r->flat.rivals.count; i++) {
		const struct hyb_flat_rival *rival = hyb_table_at(&r->flat.rivals, i);

		if (m->processes[rival->process].host == host && is_ours(r, rival))
			a.ns += rival->ns;
	}
	return a.cpu && a.count > a.cpu && a.ns > a.of / MUCH ? add(l, &a) : 0;
}

static int look_at_rivals(const struct hyb_report *r, struct list *l)
{
	int err = 0;

	for (uint32_t i = 0; i < r->flat.rivals.count && !err; i++) {
		const struct hyb_flat_rival *rival = hyb_table_at(&r->flat.rivals, i);
		const struct hyb_advice a = {
			.kind = HYB_ADVICE_ONE_CPU,
			.process = rival->process,
			.with = rival->who,
			.count = rival->count,
			.cpu = rival->cpu,
			.ns = rival->ns,
			.of = process_of(r, rival->process)->times.inclusive,
		};

		if (rival->cpu < HYB_FLAT_NO_CPU && a.ns > a.of / MUCH && is_ours(r, rival) &&
		    !is_crowded(l, r->merge.model.processes[rival->process].host))
			err = add(l, &a);
	}
	return err;
}

static int look_at_interrupts(const struct hyb_report *r, struct list *l)
{
	const size_t count = r->flat.process_count;
	int64_t all = 0;
	int err = 0;

	for (size_t i = 0; i < count; i++)
		all += r->flat.processes[i].times.part[HYB_PART_INTERRUPT];
	for (size_t i = 0; i < count && !err; i++) {
		const struct hyb_flat_times *t = &r->flat.processes[i].times;
		const struct hyb_advice a = {
			.kind = HYB_ADVICE_INTERRUPTS,
			.process = r->flat.processes[i].process,
			.count = t->count[HYB_PART_INTERRUPT],
			.ns = t->part[HYB_PART_INTERRUPT],
			.of = t->inclusive,
		};

		if (count > 1 && a.ns > a.of / SOME &&
		    (double)a.ns * (double)(count - 1) > TIMES * (double)(all - a.ns))
			err = add(l, &a);
	}
	return err;
}

/* All of them, and the region that has most. */
static int look_at_faults(const struct hyb_report *r, struct list *l)
{
	struct hyb_advice a = { .kind = HYB_ADVICE_FAULTS, .of = r->time };
	int64_t most = -1;

	for (uint32_t i = 0; i < r->flat.regions.count; i++) {
		const struct hyb_flat_region *region = hyb_table_at(&r->flat.regions, i);

		if (region->kind == HYB_FLAT_KERNEL)
			continue;
		a.ns += region->times.part[HYB_PART_FAULT];
		a.count += region->times.count[HYB_PART_FAULT];
		if (region->times.part[HYB_PART_FAULT] > most) {
			most = region->times.part[HYB_PART_FAULT];
			a.with = i;
		}
	}
	return a.count && a.ns > a.of / MUCH ? add(l, &a) : 0;
}

static int by_cost(const void *a, const void *b)
{
	const struct hyb_advice *x = a, *y = b;

	HYB_SORT_BY(y->ns, x->ns);
	HYB_SORT_BY(x->kind, y->kind);
	HYB_SORT_BY(x->process, y->process);
	return x->with < y->with ? -1 : x->with > y->with;
}

int hyb_advise(const struct hyb_report *r, struct hyb_advice **advice, size_t *count)
{
	struct list l = { NULL, 0, 0 };
	int err = 0;

	for (uint32_t host = 0; host < r->merge.model.hosts.table.count && !err; host++)
		err = look_at_host(r, host, &l);
	if (!err)
		err = look_at_rivals(r, &l);
	if (!err)
		err = look_at_interrupts(r, &l);
	if (!err)
		err = look_at_faults(r, &l);
	if (err) {
		free(l.items);
		return err;
	}
	if (l.count)
		qsort(l.items, l.count, sizeof(*l.items), by_cost);
	*advice = l.items;
	*count = l.count;
	return 0;
}

void hyb_advice_tell(const struct hyb_report *r, const struct hyb_advice *a, FILE *to)
{
	const struct hyb_model *m = &r->merge.model;
	const char *host = a->kind == HYB_ADVICE_THREADS ? hyb_names_text(&m->hosts, a->process) : NULL;
	const char *who = a->kind == HYB_ADVICE_ONE_CPU ? hyb_names_text(&m->names, a->with) : NULL;
	char text[128], span[32];

	if (a->kind != HYB_ADVICE_THREADS && a->kind != HYB_ADVICE_FAULTS)
		fputs(hyb_model_who(m, &m->processes[a->process], text, sizeof(text)), to);
	hyb_span_text((double)a->ns, span, sizeof(span));
	switch (a->kind) {
	case HYB_ADVICE_THREADS:
		fprintf(to,
			"%s has %" PRIu64 " threads on %" PRIu64
			" CPUs, which took them from each other for %s, %.1f %%"
			" of their time: start fewer, or let them sleep where they wait (OMP_WAIT_POLICY=passive,"
			" MPI's yielding).",
			host ? host : "a host", a->count, a->cpu, span, percent(a->ns, a->of));
		return;
	case HYB_ADVICE_ONE_CPU:
		fprintf(to,
			" and %s share CPU %" PRIu64 ": it was pre-empted by that one %" PRIu64
			" times, for %s, %.1f %% of"
			" its time: bind them to CPUs of their own (mpirun --bind-to core, OMP_PLACES).",
			who ? who : "another", a->cpu, a->count, span, percent(a->ns, a->of));
		return;
	case HYB_ADVICE_INTERRUPTS:
		fprintf(to,
			" has far more interrupts than the others: %" PRIu64
			", for %s, %.1f %% of its time: move them to"
			" other CPUs (/proc/irq/*/smp_affinity, irqbalance), or leave that one free.",
			a->count, span, percent(a->ns, a->of));
		return;
	case HYB_ADVICE_FAULTS: {
		const struct hyb_flat_region *region = hyb_table_at(&r->flat.regions, a->with);

		fprintf(to,
			"%" PRIu64
			" page faults took %s, %.1f %% of the time of all threads, most of it %s%s: keep memory"
			" instead of giving it back (MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_),",
			a->count, span, percent(a->ns, a->of), region->region ? "in " : "in no region",
			region->region ? region->region->name : "");
		fprintf(to, " touch it once before, or %s.",
			(double)a->ns / (double)a->count > 2e4
				? "look at huge pages: each fault takes long (transparent_hugepage=madvise)"
				: "use huge pages");
		return;
	}
	case HYB_ADVICES:
		return;
	}
}

int hyb_report_print_advice(const struct hyb_report *r, FILE *to)
{
	struct hyb_advice *advice;
	size_t count;
	int err = hyb_advise(r, &advice, &count);

	if (err)
		return err;
	if (count)
		fputs("\nWhat might be done about it\n", to);
	for (size_t i = 0; i < count && (i < SHOWN / 2 || r->options.all); i++) {
		struct line l;
		FILE *line = begin_line(&l);

		if (!line) {
			err = -ENOMEM;
			break;
		}
		hyb_advice_tell(r, &advice[i], line);
		fputs("- ", to);
		end_line(&l, to, 2, 2);
	}
	if (count > SHOWN / 2 && !r->options.all)
		fprintf(to, "- %zu more: --all\n", count - SHOWN / 2);
	free(advice);
	return err;
}
