/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What hybmon-merge says at the end: one `what  value` line each, long lists cut with their length
 * said.
 */
#include "merge/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/printable.h"

#define SHOWN 8 /* entries of a list */

static void line(FILE *to, const char *what, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void line(FILE *to, const char *what, const char *format, ...)
{
	va_list va;

	hyb_show(to, "%-12s ", what);
	va_start(va, format);
	hyb_show_va(to, format, va);
	va_end(va);
	fputc('\n', to);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Ranks from..upto-1 without a trace, of a list of which `shown` are printed. */
static void put_absent(uint32_t from, uint32_t upto, size_t shown, FILE *to)
{
	hyb_show(to, "%s%" PRIu32, shown ? ", " : ": ", from);
	if (upto - from > 1)
		hyb_show(to, " to %" PRIu32, upto - 1);
}

static void print_absent(const struct hyb_merge *m, FILE *to)
{
	uint32_t i, from = 0;
	size_t shown = 0;

	hyb_show(to, "%-12s %" PRIu32 " rank%s left no readable trace", "absent", m->model.absent, plural(m->model.absent));
	for (i = 0; i <= m->model.ranks; i++) {
		if (i < m->model.ranks && m->model.rank_process[i] == UINT32_MAX)
			continue;
		if (i > from && shown < SHOWN)
			put_absent(from, i, shown, to);
		shown += i > from;
		from = i + 1;
	}
	fputs(shown > SHOWN ? " and others\n" : "\n", to);
	hyb_show(to, "    what they recorded on other nodes can be merged with this: name all directories\n");
}

/* Of several experiments: which they are, and which of the ranks are theirs. */
static void print_jobs(const struct hyb_merge *m, FILE *to)
{
	const struct hyb_link_job *job;
	uint32_t i;

	if (m->model.family.count > 1)
		line(to, "experiments", "%zu", m->model.family.count);
	for (i = 0; m->model.family.count > 1 && i < m->model.family.count && i < SHOWN; i++) {
		job = &m->model.jobs[i];
		if (job->ranks)
			hyb_show(to, "    %s: ranks %" PRIu32 " to %" PRIu32 "\n",
				hyb_model_job_name(&m->model, i), job->base, job->base + job->ranks - 1);
		else
			hyb_show(to, "    %s: no ranks\n", hyb_model_job_name(&m->model, i));
	}
	if (m->model.family.count > SHOWN)
		hyb_show(to, "    and %zu more\n", m->model.family.count - SHOWN);
	if (m->model.links.apart)
		line(to, "apart", "%zu intercommunicator%s to processes of no experiment given",
		     m->model.links.apart, plural(m->model.links.apart));
}

static void print_size(const struct hyb_merge *m, FILE *to)
{
	uint64_t threads = 0, others = 0;
	size_t i;

	for (i = 0; i < m->model.process_count; i++) {
		threads += m->model.processes[i].thread_count;
		others += !m->model.processes[i].ranked;
	}
	line(to, "ranks", "%" PRIu32, m->model.ranks);
	if (m->model.absent)
		print_absent(m, to);
	if (others)
		line(to, "others", "%" PRIu64 " process%s without a rank of %s own", others,
		     others == 1 ? "" : "es", others == 1 ? "its" : "their");
	if (m->model.left_out)
		line(to, "others", "%" PRIu32 " process%s without a rank, left out for Scalasca", m->model.left_out,
		     m->model.left_out == 1 ? "" : "es");
	line(to, "threads", "%" PRIu64, threads);
	if (m->unreadable)
		line(to, "unreadable", "%" PRIu64 " file%s", m->unreadable, plural(m->unreadable));
	line(to, "hosts", "%" PRIu32, m->model.hosts.table.count);
	line(to, "events", "%" PRIu64 " records read, %" PRIu64 " events written",
	     m->counts.records, m->counts.events);
}

static void print_messages(const struct hyb_merge *m, FILE *to)
{
	const struct hyb_match_sums *s = &m->sums;
	const struct hyb_merge_counts *n = &m->counts;

	line(to, "messages",
	     "%" PRIu64 " matched, %" PRIu64 " sends and %" PRIu64
	     " receives without their other half",
	     s->matched, s->sends - s->matched, s->receives - s->matched);
	line(to, "collectives",
	     "%" PRIu64 " calls, %" PRIu64 " of operations that some member lacks", n->collectives,
	     s->collectives - s->whole);
	if (n->unfinished)
		line(to, "unfinished", "%" PRIu64 " non-blocking collective operation%s of which no end was recorded",
		     n->unfinished, plural(n->unfinished));
	if (n->rma)
		line(to, "one-sided", "%" PRIu64 " operations", n->rma);
	if (n->io_operations)
		line(to, "files", "%" PRIu64 " operations, %" PRIu64 " bytes read, %" PRIu64
		     " written", n->io_operations, n->io_read, n->io_written);
	if (n->cancelled)
		line(to, "cancelled", "%" PRIu64 " send%s or receive%s", n->cancelled,
		     plural(n->cancelled), plural(n->cancelled));
	if (n->unreported)
		line(to, "not known", "what %" PRIu64 " receive%s got: MPI did not tell, and no send could be found for %s",
		     n->unreported, plural(n->unreported), n->unreported == 1 ? "it" : "them");
	if (n->polls)
		line(to, "polls", "%" PRIu64 " calls that found nothing, in rows", n->polls);
	if (n->effectless)
		line(to, "no effect", "%" PRIu64 " calls that had nothing to find or to do, in rows", n->effectless);
	if (n->unplaced)
		line(to, "left out",
		     "%" PRIu64 " messages and operations on communicators that are not known",
		     n->unplaced);
	if (n->unplaced_tasks)
		line(to, "tasks",
		     "%" PRIu64 " events left out, of tasks that nobody in the team has created",
		     n->unplaced_tasks);
	if (n->errors)
		line(to, "errors", "%" PRIu64 " call%s returned an MPI error", n->errors,
		     plural(n->errors));
}

static const char *lost_why(const struct hyb_model_process *p)
{
	return *p->source->manifest.lost_why && strcmp(p->source->manifest.lost_why, "-")
		       ? p->source->manifest.lost_why
		       : "no space";
}

static void print_thread_loss(const struct hyb_merge *m, const struct hyb_model_process *p, size_t thread, FILE *to)
{
	const struct hyb_merge_counts *n = &hyb_merge_of(m, p)->threads[thread].counts;
	char buf[128];

	hyb_show(to, "    %s thread %" PRIu32 ":", hyb_model_who(&m->model, p, buf, sizeof(buf)), p->threads[thread].number);
	if (n->lost_records)
		hyb_show(to, " %" PRIu64 " records not recorded (%s)", n->lost_records, lost_why(p));
	if (n->lost_chunks)
		hyb_show(to, "%s %" PRIu64 " chunks overwritten or missing",
			n->lost_records ? "," : "", n->lost_chunks);
	if (n->corrupt_chunks)
		hyb_show(to, ", %" PRIu64 " of them damaged", n->corrupt_chunks);
	fputc('\n', to);
}

/* The losses of one process; `shown` counts lines, those beyond SHOWN are not printed. */
static void print_process_loss(const struct hyb_merge *m, const struct hyb_model_process *p,
			       size_t *shown, FILE *to)
{
	const struct hyb_merge_process *s = hyb_merge_of(m, p);
	const struct hyb_merge_counts *n;
	char buf[128];
	size_t k;

	for (k = 0; k < p->thread_count; k++) {
		n = &s->threads[k].counts;
		if (!n->lost_records && !n->lost_chunks && !n->corrupt_chunks)
			continue;
		if ((*shown)++ < SHOWN)
			print_thread_loss(m, p, k, to);
	}
	if (s->streamless && (*shown)++ < SHOWN)
		hyb_show(to, "    %s: %" PRIu64 " records of threads without a stream (%s)\n",
			hyb_model_who(&m->model, p, buf, sizeof(buf)), s->streamless, lost_why(p));
}

static void print_losses(const struct hyb_merge *m, FILE *to)
{
	const struct hyb_merge_counts *n = &m->counts;
	size_t i, shown = 0;

	line(to, "losses", "%" PRIu64 " records, %" PRIu64 " chunks, %" PRIu64 " of them damaged",
	     n->lost_records, n->lost_chunks, n->corrupt_chunks);
	for (i = 0; i < m->model.process_count; i++)
		print_process_loss(m, &m->model.processes[i], &shown, to);
	if (shown > SHOWN)
		hyb_show(to, "    and %zu more\n", shown - SHOWN);
	if (n->stray_leaves || n->closed)
		line(to, "repaired",
		     "%" PRIu64 " leaves without their enter left out, %" PRIu64
		     " open regions closed",
		     n->stray_leaves, n->closed);
	if (n->unknown_records)
		line(to, "unknown", "%" PRIu64 " records of kinds that this version does not know",
		     n->unknown_records);
}

static void print_comms(const struct hyb_merge *m, FILE *to)
{
	const struct hyb_comms *c = &m->model.comms;

	if (!m->model.ranks)
		return;
	line(to, "communicators", "%" PRIu32, c->table.count - c->unknown);
	if (c->incomplete)
		line(to, "incomplete",
		     "%" PRIu32 " communicator%s with members that nobody described", c->incomplete,
		     plural(c->incomplete));
	if (c->unknown)
		line(to, "not known", "%" PRIu32 " communicator%s whose members cannot be known",
		     c->unknown, plural(c->unknown));
}

/* So many nanoseconds, for people. */
static const char *span(double ns, char *buf, size_t size)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;

	for (ns = ns < 0 ? -ns : ns; ns >= 1000 && unit < 3; unit++)
		ns /= 1000;
	snprintf(buf, size, "%.*f %s", unit && ns < 100 ? 1 : 0, ns, units[unit]);
	return buf;
}

static void print_node(const struct hyb_merge *m, uint32_t i, FILE *to)
{
	const struct hyb_node_clock *c = hyb_offsets_node(m->nodes.offsets, i);
	const char *others = c->reference == i ? "" : ", right to ";
	char a[32], b[32];

	hyb_show(to, "    %s:", hyb_clocks_host(m->model.clocks, i));
	if (c->tie == HYB_TIE_MESSAGES)
		hyb_show(to, " %s %s, %.2f ppm %s%s%s", span((double)c->offset, a, sizeof(a)),
			 c->offset < 0 ? "ahead" : "behind", c->drift < 0 ? -c->drift * 1e6 : c->drift * 1e6,
			 c->drift < 0 ? "fast" : "slow", others, span((double)c->error, b, sizeof(b)));
	else if (c->tie == HYB_TIE_REALTIME)
		hyb_show(to, " %s, right to %s", c->pushed ? "by one-way messages" : "by its system clock",
			 span((double)c->tie_error, b, sizeof(b)));
	else
		hyb_show(to, " the others are set by it");
	if (c->steps)
		hyb_show(to, ", %" PRIu32 " step%s", c->steps, plural(c->steps));
	fputc('\n', to);
}

static void print_violations(const struct hyb_nodes *n, FILE *to)
{
	char a[32];

	if (!n->before.early) {
		line(to, "violations", "none of %" PRIu64 " messages and collective calls, with clocks as they were",
		     n->before.all);
		return;
	}
	line(to, "violations", "%" PRIu64 " of %" PRIu64 " ended before they began elsewhere, by up to %s",
	     n->before.early, n->before.all, span((double)n->before.worst, a, sizeof(a)));
	if (n->after.early)
		line(to, "", "%" PRIu64 " still do, by up to %s", n->after.early,
		     span((double)n->after.worst, a, sizeof(a)));
	else
		line(to, "", "now none");
}

static void print_nodes(const struct hyb_merge *m, FILE *to)
{
	const struct hyb_offsets_totals *t = hyb_offsets_totals(m->nodes.offsets);
	char a[32];

	if (t->round_trip == INT64_MAX)
		line(to, "nodes", "%" PRIu32 ", no messages there and back; HYBMON_SYNC=yes would measure", m->nodes.count);
	else
		line(to, "nodes", "%" PRIu32 ", set by their messages; a round trip takes %s or more",
		     m->nodes.count, span((double)t->round_trip, a, sizeof(a)));
	for (uint32_t i = 0; i < m->nodes.count && i < SHOWN; i++)
		print_node(m, i, to);
	if (m->nodes.count > SHOWN)
		hyb_show(to, "    and %zu more\n", (size_t)m->nodes.count - SHOWN);
	if (m->nodes.order)
		line(to, "moved", "what offsets left out of order, by %s at most",
		     span((double)hyb_order_most_moved(m->nodes.order), a, sizeof(a)));
	print_violations(&m->nodes, to);
}

static void print_clock(const struct hyb_merge *m, FILE *to)
{
	const struct hyb_clock *clock, *worst = NULL;
	size_t i, rough = 0, at = 0;

	for (i = 0; i < hyb_clocks_count(m->model.clocks); i++) {
		clock = hyb_clocks_get(m->model.clocks, i);
		rough += clock->quality >= HYB_CLOCK_GUESSED;
		if (!worst || clock->residual > worst->residual) {
			worst = clock;
			at = i;
		}
	}
	if (!worst)
		return;
	line(to, "clock", "residual at most %" PRId64 " ns, read to %" PRId64 " ns (%s)",
	     worst->residual, worst->width, hyb_clocks_host(m->model.clocks, at));
	if (rough)
		line(to, "clock", "%zu host%s with too few clock tuples: times are estimates",
		     rough, plural(rough));
	if (m->nodes.count)
		print_nodes(m, to);
	else if (hyb_nodes_several(m))
		line(to, "clock", "nodes are related by their system clocks");
}

/* The last value of a key in the manifests, NULL: none; in how many it is. */
static const char *manifest_value(const struct hyb_merge *m, const char *key, size_t *count)
{
	const struct hyb_manifest *manifest;
	const char *value = NULL;

	*count = 0;
	for (size_t i = 0; i < m->model.process_count; i++) {
		manifest = &m->model.processes[i].source->manifest;
		for (size_t k = 0; k < manifest->count; k++) {
			if (strcmp(manifest->lines[k].key, key))
				continue;
			value = manifest->lines[k].value;
			++*count;
		}
	}
	return value;
}

/* OpenMP by a runtime that tells nothing, GCC's, or not of everything: who missed it shall know why. */
static void print_unseen(const struct hyb_merge *m, FILE *to)
{
	size_t count;
	const char *runtime = manifest_value(m, "openmp-unseen", &count);
	const char *missing;

	if (runtime)
		line(to, "not seen", "OpenMP of %zu process%s: %s was called past hybmon, as by "
		     "a library that was loaded with RTLD_DEEPBIND", count, count == 1 ? "" : "es", runtime);
	missing = manifest_value(m, "openmp-missing", &count);
	if (missing)
		line(to, "not seen", "OpenMP's %s, where a program has it: the runtime, %s, does not tell of that",
		     missing, manifest_value(m, "openmp", &count));
	runtime = manifest_value(m, "openmp-paused", &count);
	if (runtime)
		line(to, "not seen", "OpenMP of %zu process%s after a hard pause (omp_pause_resource_all), with which the "
		     "runtime, %s, ends tools", count, count == 1 ? "" : "es", runtime);
}

/* What ended recording before the program, where it was the program itself. */
static void print_stopped(const struct hyb_merge *m, FILE *to)
{
	size_t count;
	const char *why = manifest_value(m, "stopped", &count);

	if (why)
		line(to, "not recorded", "what %zu process%s did after %s", count, count == 1 ? "" : "es", why);
}

static double seconds_at(const struct hyb_merge *m, int64_t time)
{
	return (double)hyb_ns_sub(time, m->model.first) * 1e-9;
}

static void print_stood(const struct hyb_merge *m, const struct hyb_model_process *p, FILE *to)
{
	const char *verb = p->end == HYB_END_RUNNING ? "stands" : "stood";
	const struct hyb_model_thread *t;
	size_t i, shown = 0, timed = 0;

	for (i = 0; i < p->thread_count; i++) {
		t = &p->threads[i];
		timed += t->timed;
		if (!t->timed || shown >= SHOWN)
			continue;
		shown++;
		if (t->in)
			hyb_show(to, "        thread %" PRIu32 " %s in %s since %.6f s\n", t->number,
				verb, t->in->name, seconds_at(m, t->since));
		else
			hyb_show(to,
				"        thread %" PRIu32
				" %s outside of recorded calls since %.6f s\n",
				t->number, verb, seconds_at(m, t->since));
	}
	if (timed > shown)
		hyb_show(to, "        and %zu more threads\n", timed - shown);
}

/* The processes that ended like `first`, as one entry. */
static void print_end(const struct hyb_merge *m, size_t first, FILE *to)
{
	const char *text = m->model.processes[first].ended;
	size_t i, count = 0;
	char buf[128];

	for (i = first; i < m->model.process_count; i++)
		count += !strcmp(m->model.processes[i].ended, text);
	hyb_show(to, "    %zu process%s %s\n", count, count == 1 ? "" : "es:", text);
	for (i = first, count = 0; i < m->model.process_count; i++) {
		if (strcmp(m->model.processes[i].ended, text) || ++count > SHOWN)
			continue;
		hyb_show(to, "      %s\n", hyb_model_who(&m->model, &m->model.processes[i], buf, sizeof(buf)));
		print_stood(m, &m->model.processes[i], to);
	}
	if (count > SHOWN)
		hyb_show(to, "      and %zu more\n", count - SHOWN);
}

static void print_ends(const struct hyb_merge *m, FILE *to)
{
	size_t i, k, abnormal = 0;

	for (i = 0; i < m->model.process_count; i++)
		abnormal += m->model.processes[i].end != HYB_END_NORMAL;
	if (!abnormal) {
		line(to, "ended", "all processes normally");
		return;
	}
	line(to, "ended", "%zu of %zu processes not normally", abnormal, m->model.process_count);
	for (i = 0; i < m->model.process_count; i++) {
		if (m->model.processes[i].end == HYB_END_NORMAL)
			continue;
		for (k = 0; k < i && strcmp(m->model.processes[k].ended, m->model.processes[i].ended); k++)
			;
		if (k == i)
			print_end(m, i, to);
	}
}

/* Of what is told; all else is said of the whole recording. */
static void print_selection(const struct hyb_merge *m, FILE *to)
{
	const struct hyb_selection *s = &m->selection;
	char buf[HYB_SELECTION_WORDS];
	size_t i;

	if (hyb_selection_is_all(s))
		return;
	hyb_show(to, "%-12s ", "told");
	if (hyb_selection_cuts_time(s))
		hyb_show(to, "%.9g s to %.9g s", (double)hyb_ns_sub(hyb_merge_first(m), m->model.first) * 1e-9,
			 (double)hyb_ns_sub(hyb_merge_last(m), m->model.first) * 1e-9);
	for (i = 0; i < s->rank_count; i++) {
		hyb_show(to, "%s%" PRIu32, i ? "," : hyb_selection_cuts_time(s) ? "; ranks " : "ranks ", s->ranks[i].first);
		if (s->ranks[i].last > s->ranks[i].first)
			hyb_show(to, "-%" PRIu32, s->ranks[i].last);
	}
	if (s->groups != HYB_SELECT_ALL)
		hyb_show(to, "%s%s", hyb_selection_parts(s) ? "; events of " : "events of ",
			 hyb_selection_words(s->groups, buf));
	fputc('\n', to);
	line(to, "", "what follows is of the whole recording");
}

double hyb_merge_kernel_covered(const struct hyb_merge *m)
{
	double part, least = 1;
	int64_t since;

	for (size_t i = 0; i < m->kernel.node_count; i++) {
		part = hyb_kernel_covered(m, &m->kernel.nodes[i], &since);
		least = part >= 0 && part < least ? part : least;
	}
	return least;
}

void hyb_merge_summary(const struct hyb_merge *m, FILE *to)
{
	size_t i;

	print_selection(m, to);
	print_jobs(m, to);
	print_size(m, to);
	print_messages(m, to);
	print_comms(m, to);
	print_losses(m, to);
	hyb_merge_summary_metrics(m, to);
	hyb_kernel_summary(m, to);
	print_clock(m, to);
	print_unseen(m, to);
	print_stopped(m, to);
	print_ends(m, to);
	line(to, "duration", "%.6f s", (double)hyb_ns_sub(m->model.last, m->model.first) * 1e-9);
	for (i = 0; i < m->options.sink_count; i++)
		line(to, m->options.sinks[i]->name, "%s/%s, %.1f MiB", m->out, hyb_sink_main_part(m->options.sinks[i]),
		     (double)hyb_output_size(m->out, m->options.sinks[i]->parts) / (1024 * 1024));
	line(to, "took", "%.2f s, %.1f million records a second", m->seconds,
	     m->seconds > 0 ? (double)m->counts.records / m->seconds * 1e-6 : 0.0);
}
