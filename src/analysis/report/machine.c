/* SPDX-License-Identifier: BSD-3-Clause */
/* See machine.h. Only processes of MPI are looked at: others may well have less to do than a CPU can. */
#include "analysis/report/machine.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/report/report-lines.h"
#include "analysis/report/report.h"
#include "reader/containers/array.h"

#define SHOWN_RANGES 8
#define LEAST_OTHERS 2		/* so many must be alike before one is called odd */
#define LEAST_THROTTLED 0.01	/* of the process's time: less is not worth a line */

struct machine {
	const struct hyb_report *r;
	struct hyb_machine_fault *faults;
	size_t count;
	size_t room;
	uint32_t *order; /* processes, those of a node with the same CPUs side by side */
	size_t process_count;
};

const char *hyb_machine_word(enum hyb_machine_fault_kind kind)
{
	static const char *const words[HYB_MACHINE_FAULTS] = {
		[HYB_MACHINE_SHARED] = "shared_cpus", [HYB_MACHINE_ODD] = "odd_cpus", [HYB_MACHINE_QUOTA] = "quota",
	};

	return words[kind];
}

static const char *line_of(const struct hyb_model_process *p, const char *key)
{
	return hyb_manifest_get(&p->source->manifest, key, 0);
}

/* How many there are in a list like 0-3,8; 0: it makes no sense. */
static uint64_t count_cpus(const char *list)
{
	uint64_t count = 0, first, last;
	char *end;

	for (const char *at = list; *at; at = *end == ',' ? end + 1 : end) {
		first = last = strtoull(at, &end, 10);
		if (end == at)
			return 0;
		if (*end == '-') {
			at = end + 1;
			last = strtoull(at, &end, 10);
		}
		if (end == at || last < first || last - first > UINT32_MAX || (*end && *end != ','))
			return 0;
		count += last - first + 1;
	}
	return count;
}

static const struct hyb_model_process *process_at(const struct machine *m, size_t i)
{
	return &m->r->merge.model.processes[m->order[i]];
}

static struct hyb_machine_fault *add_fault(struct machine *m, enum hyb_machine_fault_kind kind, size_t first, size_t count)
{
	struct hyb_machine_fault *grown = hyb_array_room(m->faults, &m->room, m->count, sizeof(*grown)), *fault;

	if (!grown)
		return NULL;
	m->faults = grown;
	fault = &grown[m->count];
	*fault = (struct hyb_machine_fault){ .kind = kind, .cpus = line_of(process_at(m, first), "cpus") };
	fault->processes = malloc(count * sizeof(*fault->processes));
	if (!fault->processes)
		return NULL;
	memcpy(fault->processes, m->order + first, count * sizeof(*fault->processes));
	fault->count = count;
	fault->cpu_count = fault->cpus ? count_cpus(fault->cpus) : 0;
	m->count++;
	return fault;
}

static int by_cpus(const void *a, const void *b, void *arg)
{
	const struct hyb_model_process *all = arg, *x = &all[*(const uint32_t *)a], *y = &all[*(const uint32_t *)b];
	const int order = x->host == y->host ? strcmp(line_of(x, "cpus"), line_of(y, "cpus")) : x->host < y->host ? -1 : 1;

	return order ? order : x < y ? -1 : x > y;
}

static bool same_cpus(const struct machine *m, size_t a, size_t b)
{
	const struct hyb_model_process *x = process_at(m, a), *y = process_at(m, b);

	return x->host == y->host && !strcmp(line_of(x, "cpus"), line_of(y, "cpus"));
}

/* Behind the last one that has the same as `first`: CPUs, or only the host. */
static size_t end_of(const struct machine *m, size_t first, bool cpus)
{
	size_t end = first + 1;

	while (end < m->process_count &&
	       (cpus ? same_cpus(m, first, end) : process_at(m, first)->host == process_at(m, end)->host))
		end++;
	return end;
}

static int find_shared(struct machine *m)
{
	for (size_t i = 0, end; i < m->process_count; i = end) {
		const uint64_t cpus = count_cpus(line_of(process_at(m, i), "cpus"));

		end = end_of(m, i, true);
		if (cpus && end - i > cpus && !add_fault(m, HYB_MACHINE_SHARED, i, end - i))
			return -ENOMEM;
	}
	return 0;
}

/* Of a node, one has CPUs of its own, and all others the same, which are more. */
static int find_odd(struct machine *m)
{
	for (size_t i = 0, end; i < m->process_count; i = end) {
		size_t odd, most;
		struct hyb_machine_fault *fault;

		end = end_of(m, i, false);
		if (end - i <= LEAST_OTHERS)
			continue;
		/* They are in order, so it is the first or the last one. */
		odd = end_of(m, i, true) == i + 1 ? i : end - 1;
		most = odd == i ? i + 1 : i;
		if (same_cpus(m, odd, most) || end_of(m, most, true) - most != end - i - 1 ||
		    count_cpus(line_of(process_at(m, odd), "cpus")) >= count_cpus(line_of(process_at(m, most), "cpus")))
			continue;
		fault = add_fault(m, HYB_MACHINE_ODD, odd, 1);
		if (!fault)
			return -ENOMEM;
		fault->others = line_of(process_at(m, most), "cpus");
	}
	return 0;
}

/* Of processes in one cgroup all say the same, but for when they begin and end: one fault has them all. */
static bool join_quota(struct machine *m, uint32_t process, const char *quota, int64_t ns)
{
	for (size_t i = 0; i < m->count; i++) {
		struct hyb_machine_fault *f = &m->faults[i];
		uint32_t *grown;

		if (f->kind != HYB_MACHINE_QUOTA || strcmp(f->others, quota) || ns < f->ns - f->ns / 4 || ns > f->ns + f->ns / 4)
			continue;
		grown = realloc(f->processes, (f->count + 1) * sizeof(*grown));
		if (!grown)
			return false;
		f->processes = grown;
		grown[f->count++] = process;
		return true;
	}
	return false;
}

static int find_quotas(struct machine *m)
{
	for (size_t i = 0; i < m->process_count; i++) {
		const struct hyb_model_process *p = process_at(m, i);
		const char *throttled = line_of(p, "cpu-throttled"), *quota = line_of(p, "cpu-quota");
		const int64_t ns = throttled ? strtoll(throttled, NULL, 10) : 0;
		struct hyb_machine_fault *fault;

		if (!quota || ns <= (int64_t)(LEAST_THROTTLED * (double)hyb_ns_sub(m->r->last, m->r->first)))
			continue;
		if (join_quota(m, m->order[i], quota, ns))
			continue;
		fault = add_fault(m, HYB_MACHINE_QUOTA, i, 1);
		if (!fault)
			return -ENOMEM;
		fault->ns = ns;
		fault->others = quota;
	}
	return 0;
}

int hyb_machine_find(const struct hyb_report *r, struct hyb_machine_fault **faults, size_t *count)
{
	const struct hyb_model *model = &r->merge.model;
	struct machine m = { .r = r, .order = calloc(model->process_count + 1, sizeof(*m.order)) };
	int err = m.order ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < model->process_count; i++)
		if (model->processes[i].ranked && line_of(&model->processes[i], "cpus"))
			m.order[m.process_count++] = (uint32_t)i;
	if (!err && m.process_count)
		qsort_r(m.order, m.process_count, sizeof(*m.order), by_cpus, model->processes);
	if (!err)
		err = find_shared(&m);
	if (!err)
		err = find_odd(&m);
	if (!err)
		err = find_quotas(&m);
	free(m.order);
	*faults = m.faults;
	*count = m.count;
	return err;
}

void hyb_machine_free(struct hyb_machine_fault *faults, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(faults[i].processes);
	free(faults);
}

/* Ranks, those one after another as 0-3; of many how many. */
static void tell_processes(const struct hyb_report *r, const struct hyb_machine_fault *f, FILE *to)
{
	const struct hyb_model *m = &r->merge.model;
	uint32_t shown = 0;

	fputs(f->count == 1 ? "rank " : "ranks ", to);
	for (size_t i = 0, last; i < f->count; i = last + 1) {
		const uint32_t rank = m->processes[f->processes[i]].group;

		for (last = i; last + 1 < f->count && m->processes[f->processes[last + 1]].group == rank + (last + 1 - i); last++)
			;
		if (shown++ == SHOWN_RANGES) {
			fputs(" and others", to);
			return;
		}
		fprintf(to, last > i + 1 ? "%s%" PRIu32 "-%" PRIu32 : last > i ? "%s%" PRIu32 ",%" PRIu32 : "%s%" PRIu32,
			i ? "," : "", rank, rank + (uint32_t)(last - i));
	}
}

static void tell_quota(const struct hyb_machine_fault *f, FILE *to)
{
	long long us, period;
	char text[32];

	fprintf(to, " %s kept from %s CPUs for %s by the quota of %s cgroup", f->count == 1 ? "was" : "were",
		f->count == 1 ? "its" : "their", hyb_span_text((double)f->ns, text, sizeof(text)), f->count == 1 ? "its" : "their");
	if (sscanf(f->others, "%lld us of %lld", &us, &period) == 2 && period > 0)
		fprintf(to, ", %.0f %% of a CPU", 100 * (double)us / (double)period);
}

static void tell(const struct hyb_report *r, const struct hyb_machine_fault *f, FILE *to)
{
	const struct hyb_model *m = &r->merge.model;
	const char *host = hyb_names_text(&m->hosts, m->processes[f->processes[0]].host);

	if (f->kind == HYB_MACHINE_SHARED)
		fprintf(to, "%zu processes share %" PRIu64 " CPU%s: ", f->count, f->cpu_count, f->cpu_count == 1 ? "" : "s");
	tell_processes(r, f, to);
	if (f->kind == HYB_MACHINE_QUOTA)
		tell_quota(f, to);
	else
		hyb_show(to, " may only use CPU%s %s", f->cpu_count == 1 ? "" : "s", f->cpus);
	if (f->kind == HYB_MACHINE_ODD)
		hyb_show(to, ", all others there CPUs %s", f->others);
	if (host && r->host_count > 1)
		hyb_show(to, " on %s", host);
}

int hyb_machine_print(const struct hyb_report *r, int indent, FILE *to)
{
	struct hyb_machine_fault *faults = NULL;
	size_t count = 0;
	int err = hyb_machine_find(r, &faults, &count);

	for (size_t i = 0; !err && i < count; i++) {
		struct line l;
		FILE *line = begin_line(&l);

		if (!line) {
			err = -ENOMEM;
			break;
		}
		tell(r, &faults[i], line);
		fprintf(to, "%*s", indent, "");
		end_line(&l, to, indent, indent);
	}
	hyb_machine_free(faults, count);
	return err;
}
