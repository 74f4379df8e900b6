/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What hybmon-merge says of the kernel: what was read and what is missing, and for each rank how long it was off the
 * CPU, of its own will and not, and what the kernel did most often for it.
 */
#include "merge/kernel/kernel.h"
#include "merge/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/printable.h"

#define SHOWN 8	 /* ranks: those that were off the CPU against their will for longest */
#define EVENTS 5 /* kinds of events of each */

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static int by_involuntary(const void *a, const void *b)
{
	const struct hyb_kernel_process *x = *(const struct hyb_kernel_process *const *)a,
					*y = *(const struct hyb_kernel_process *const *)b;
	int64_t p = x->out[1].ns, q = y->out[1].ns;

	if (p != q)
		return p > q ? -1 : 1;
	return x->process->group < y->process->group ? -1 : x->process->group > y->process->group;
}

static int by_group(const void *a, const void *b)
{
	const struct hyb_kernel_process *x = *(const struct hyb_kernel_process *const *)a,
					*y = *(const struct hyb_kernel_process *const *)b;

	return x->process->group < y->process->group ? -1 : x->process->group > y->process->group;
}

static int by_count(const void *a, const void *b)
{
	const struct hyb_kernel_sum *x = a, *y = b;

	return x->count > y->count ? -1 : x->count < y->count;
}

static void print_process(const struct hyb_merge *m, const struct hyb_kernel_process *k, FILE *to)
{
	const uint64_t *n = k->counts;
	char buf[128];
	size_t i;

	if (k->counted) {
		hyb_show(to, "    %s: off the CPU %" PRIu64 " times voluntarily, %" PRIu64 " times involuntarily; %.6f s on CPUs, "
			"%.6f s ready and waiting for one; %" PRIu64 " minor and %" PRIu64 " major page faults\n",
			hyb_model_who(&m->model, k->process, buf, sizeof(buf)), n[HYB_KCOUNT_VOLUNTARY], n[HYB_KCOUNT_INVOLUNTARY],
			(double)n[HYB_KCOUNT_RAN] * 1e-9, (double)n[HYB_KCOUNT_WAITED] * 1e-9, n[HYB_KCOUNT_MINOR],
			n[HYB_KCOUNT_MAJOR]);
		return;
	}
	hyb_show(to, "    %s: off the CPU %.6f s voluntarily (%" PRIu64 " times), %.6f s involuntarily (%" PRIu64 ")\n",
		hyb_model_who(&m->model, k->process, buf, sizeof(buf)), (double)k->out[0].ns * 1e-9, k->out[0].count,
		(double)k->out[1].ns * 1e-9, k->out[1].count);
	if (!k->sum_count)
		return;
	qsort(k->sums, k->sum_count, sizeof(*k->sums), by_count);
	fputs("       ", to);
	for (i = 0; i < k->sum_count && i < EVENTS; i++) {
		hyb_show(to, "%s %s %" PRIu64, i ? "," : "", k->sums[i].region->name, k->sums[i].count);
		if (k->sums[i].ns)
			hyb_show(to, " (%.6f s)", (double)k->sums[i].ns * 1e-9);
	}
	if (k->sum_count > EVENTS)
		hyb_show(to, ", %zu more kinds", k->sum_count - EVENTS);
	fputc('\n', to);
}

static void print_processes(const struct hyb_merge *m, FILE *to)
{
	const struct hyb_kernel_process **seen = calloc(m->model.process_count + 1, sizeof(*seen));
	size_t i, count = 0;

	for (i = 0; seen && i < m->model.process_count; i++)
		if (m->processes[i].kernel.seen)
			seen[count++] = &m->processes[i].kernel;
	if (count > SHOWN)
		qsort(seen, count, sizeof(*seen), by_involuntary);
	if (count > 1)
		qsort(seen, count < SHOWN ? count : SHOWN, sizeof(*seen), by_group);
	for (i = 0; i < count && i < SHOWN; i++)
		print_process(m, seen[i], to);
	if (count > SHOWN)
		hyb_show(to, "    and %zu more that lost less time\n", count - SHOWN);
	free(seen);
}

static bool is_on(const struct hyb_model_process *p, const struct hyb_model_node *node)
{
	return p->job == node->job && p->host == node->host;
}

/* When the node's processes ran. False: that is not known. */
static bool find_run(const struct hyb_merge *m, const struct hyb_model_node *node, int64_t *first, int64_t *last)
{
	const struct hyb_model_process *p;
	bool found = false;
	size_t i;

	for (i = 0; i < m->model.process_count; i++) {
		p = &m->model.processes[i];
		if (!p->timed || !is_on(p, node))
			continue;
		*first = !found || p->first < *first ? p->first : *first;
		*last = !found || p->last > *last ? p->last : *last;
		found = true;
	}
	return found && *first < *last;
}

double hyb_kernel_covered(const struct hyb_merge *m, const struct hyb_kernel_node *k, int64_t *since)
{
	const struct hyb_model_node *node = k->model;
	int64_t first = 0, last = 0, from, until;

	*since = 0;
	if (!find_run(m, node, &first, &last))
		return -1;
	/* All had ended before it was ready. */
	if (!node->has_from && !k->stats.events)
		return 0;
	from = node->has_from && (!k->stats.events || node->from < k->since) ? node->from : k->since;
	*since = from > first && from > m->model.first ? hyb_ns_sub(from, m->model.first) : 0;
	from = from < first ? first : from > last ? last : from;
	until = node->killed && node->until < last ? node->until : last;
	until = until < from ? from : until;
	return (double)hyb_ns_sub(until, from) / (double)hyb_ns_sub(last, first);
}

static void print_covered(const struct hyb_merge *m, const struct hyb_kernel_node *k, FILE *to)
{
	int64_t since;
	double part = hyb_kernel_covered(m, k, &since);

	if (part < 0)
		return;
	hyb_show(to, ", %.1f %% of the run", 100 * part);
	if (since)
		hyb_show(to, ", from %.6f s on", (double)since * 1e-9);
}

/* Processes of the node that did not wait as long as the collector needed. */
static size_t count_early(const struct hyb_merge *m, const struct hyb_model_node *node)
{
	const struct hyb_model_process *p;
	const char *waited;
	size_t i, n = 0;

	for (i = 0; i < m->model.process_count; i++) {
		p = &m->model.processes[i];
		waited = is_on(p, node) ?
			 hyb_manifest_get(&p->source->manifest, "kernel-wait", 0) : NULL;
		n += waited && strstr(waited, ", not ready");
	}
	return n;
}

static void print_node(const struct hyb_merge *m, const struct hyb_kernel_node *k, FILE *to)
{
	const struct hyb_model_node *node = k->model;
	const char *source = hyb_manifest_get(&node->source->manifest, "kernel", 0);
	const size_t count = node->tasks ? k->thread_count : node->cpu_count;
	const char *missing;
	size_t i, early;

	hyb_show(to, "    %s: %zu %s%s by %s", hyb_names_text(&m->model.hosts, node->host), count,
		node->tasks ? "thread" : "CPU", plural(count), source ? source : "an unknown source");
	print_covered(m, k, to);
	fputc('\n', to);
	early = count_early(m, node);
	if (early)
		hyb_show(to, "        %zu process%s began before it was ready: see HYBMON_KERNEL_WAIT\n", early,
			early == 1 ? "" : "es");
	for (i = 0; (missing = hyb_manifest_get(&node->source->manifest, "missing", i)); i++)
		hyb_show(to, "        missing: %s\n", missing);
	if (node->writes)
		fputs("        the collector still writes: merged is what there is so far\n", to);
	else if (node->killed && node->until < m->model.last)
		hyb_show(to, "        missing: everything from %.6f s on: the collector did not end by itself\n",
			(double)hyb_ns_sub(node->until, m->model.first) * 1e-9);
}

void hyb_kernel_summary(const struct hyb_merge *m, FILE *to)
{
	const struct hyb_kernel *k = &m->kernel;
	const struct hyb_kernel_stats *s = &k->stats;
	size_t i;

	if (!k->node_count)
		return;
	hyb_show(to, "%-12s %" PRIu64 " events of %zu node%s\n", "kernel", s->events, k->node_count,
		plural(k->node_count));
	for (i = 0; i < k->node_count && i < SHOWN; i++)
		print_node(m, &k->nodes[i], to);
	if (k->node_count > SHOWN)
		hyb_show(to, "    and %zu more nodes\n", k->node_count - SHOWN);
	if (s->gaps && !s->lost && !s->lost_chunks)
		hyb_show(to, "    lost: nobody knows how many events, in %" PRIu64 " gap%s\n", s->gaps, plural(s->gaps));
	else if (s->gaps)
		hyb_show(to, "    lost: %" PRIu64 " event%s and %" PRIu64 " chunk%s in %" PRIu64 " gap%s\n", s->lost,
			plural(s->lost), s->lost_chunks, plural(s->lost_chunks), s->gaps, plural(s->gaps));
	if (s->corrupt_records || s->unknown_records)
		hyb_show(to, "    left out: %" PRIu64 " damaged and %" PRIu64 " unknown records\n", s->corrupt_records,
			s->unknown_records);
	if (k->repaired)
		hyb_show(to, "    repaired: %" PRIu64 " interval%s without begin or end\n", k->repaired, plural(k->repaired));
	if (m->counts.kernel_moved)
		hyb_show(to, "    repaired: %" PRIu64 " interval%s that a thread's own event lay in, by an error of the clocks\n",
			m->counts.kernel_moved, plural(m->counts.kernel_moved));
	print_processes(m, to);
}
