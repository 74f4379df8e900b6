/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What hybmon-merge says at the end: one `what  value` line each, long lists cut with their length
 * said.
 */
#include "otf2/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/printable.h"

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

const char *hyb_merge_who(const struct hyb_merge *m, const struct hyb_merge_process *p, char *buf,
		       size_t size)
{
	if (p->ranked && m->family.count > 1)
		snprintf(buf, size, "rank %" PRIu32 " (%" PRIu32 " of %s)", p->group,
			 p->group - m->jobs[p->job].base, hyb_merge_job_name(m, p->job));
	else if (p->ranked)
		snprintf(buf, size, "rank %" PRIu32, p->group);
	else if (p->source->has_manifest)
		snprintf(buf, size, "%s (pid %" PRId64 ", no rank)", p->source->manifest.program,
			 p->source->manifest.pid);
	else
		snprintf(buf, size, "%s", p->source->name);
	return buf;
}

const char *hyb_merge_job_name(const struct hyb_merge *m, uint32_t job)
{
	const char *path = m->family.members[job]->path;
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
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

	hyb_show(to, "%-12s %" PRIu32 " rank%s left no readable trace", "absent", m->absent, plural(m->absent));
	for (i = 0; i <= m->ranks; i++) {
		if (i < m->ranks && m->rank_process[i] == UINT32_MAX)
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

	if (m->family.count > 1)
		line(to, "experiments", "%zu", m->family.count);
	for (i = 0; m->family.count > 1 && i < m->family.count && i < SHOWN; i++) {
		job = &m->jobs[i];
		if (job->ranks)
			hyb_show(to, "    %s: ranks %" PRIu32 " to %" PRIu32 "\n",
				hyb_merge_job_name(m, i), job->base, job->base + job->ranks - 1);
		else
			hyb_show(to, "    %s: no ranks\n", hyb_merge_job_name(m, i));
	}
	if (m->family.count > SHOWN)
		hyb_show(to, "    and %zu more\n", m->family.count - SHOWN);
	if (m->links.apart)
		line(to, "apart", "%zu intercommunicator%s to processes of no experiment given",
		     m->links.apart, plural(m->links.apart));
}

static void print_size(const struct hyb_merge *m, FILE *to)
{
	uint64_t threads = 0, others = 0;
	size_t i;

	for (i = 0; i < m->process_count; i++) {
		threads += m->processes[i].thread_count;
		others += !m->processes[i].ranked;
	}
	line(to, "ranks", "%" PRIu32, m->ranks);
	if (m->absent)
		print_absent(m, to);
	if (others)
		line(to, "others", "%" PRIu64 " process%s without a rank of %s own", others,
		     others == 1 ? "" : "es", others == 1 ? "its" : "their");
	if (m->left_out)
		line(to, "others", "%" PRIu32 " process%s without a rank, left out for Scalasca", m->left_out,
		     m->left_out == 1 ? "" : "es");
	line(to, "threads", "%" PRIu64, threads);
	if (m->unreadable)
		line(to, "unreadable", "%" PRIu64 " file%s", m->unreadable, plural(m->unreadable));
	line(to, "hosts", "%" PRIu32, m->hosts.table.count);
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
	if (n->untold)
		line(to, "not known", "what %" PRIu64 " receive%s got: MPI did not tell, and no send could be found for %s",
		     n->untold, plural(n->untold), n->untold == 1 ? "it" : "them");
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

static const char *lost_why(const struct hyb_merge_process *p)
{
	return *p->source->manifest.lost_why && strcmp(p->source->manifest.lost_why, "-")
		       ? p->source->manifest.lost_why
		       : "no space";
}

static void print_thread_loss(const struct hyb_merge *m, const struct hyb_merge_process *p,
			      const struct hyb_merge_thread *t, FILE *to)
{
	const struct hyb_merge_counts *n = &t->counts;
	char buf[128];

	hyb_show(to, "    %s thread %" PRIu32 ":", hyb_merge_who(m, p, buf, sizeof(buf)), t->number);
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
static void print_process_loss(const struct hyb_merge *m, const struct hyb_merge_process *p,
			       size_t *shown, FILE *to)
{
	const struct hyb_merge_thread *t;
	char buf[128];
	size_t k;

	for (k = 0; k < p->thread_count; k++) {
		t = &p->threads[k];
		if (!t->counts.lost_records && !t->counts.lost_chunks && !t->counts.corrupt_chunks)
			continue;
		if ((*shown)++ < SHOWN)
			print_thread_loss(m, p, t, to);
	}
	if (p->streamless && (*shown)++ < SHOWN)
		hyb_show(to, "    %s: %" PRIu64 " records of threads without a stream (%s)\n",
			hyb_merge_who(m, p, buf, sizeof(buf)), p->streamless, lost_why(p));
}

static void print_losses(const struct hyb_merge *m, FILE *to)
{
	const struct hyb_merge_counts *n = &m->counts;
	size_t i, shown = 0;

	line(to, "losses", "%" PRIu64 " records, %" PRIu64 " chunks, %" PRIu64 " of them damaged",
	     n->lost_records, n->lost_chunks, n->corrupt_chunks);
	for (i = 0; i < m->process_count; i++)
		print_process_loss(m, &m->processes[i], &shown, to);
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
	const struct hyb_comms *c = &m->comms;

	if (!m->ranks)
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

static void print_clock(const struct hyb_merge *m, FILE *to)
{
	const struct hyb_clock *clock, *worst = NULL;
	size_t i, rough = 0, at = 0;

	for (i = 0; i < hyb_clocks_count(m->clocks); i++) {
		clock = hyb_clocks_get(m->clocks, i);
		rough += clock->quality >= HYB_CLOCK_GUESSED;
		if (!worst || clock->residual > worst->residual) {
			worst = clock;
			at = i;
		}
	}
	if (!worst)
		return;
	line(to, "clock", "residual at most %" PRId64 " ns, read to %" PRId64 " ns (%s)",
	     worst->residual, worst->width, hyb_clocks_host(m->clocks, at));
	if (rough)
		line(to, "clock", "%zu host%s with too few clock tuples: times are estimates",
		     rough, plural(rough));
	if (m->hosts.table.count > 1)
		line(to, "clock", "hosts are related by their system clocks");
}

/* The last value of a key in the manifests, NULL: none; in how many it is. */
static const char *manifest_value(const struct hyb_merge *m, const char *key, size_t *count)
{
	const struct hyb_manifest *manifest;
	const char *value = NULL;

	*count = 0;
	for (size_t i = 0; i < m->process_count; i++) {
		manifest = &m->processes[i].source->manifest;
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
		line(to, "not seen", "OpenMP of %zu process%s: %s tells tools nothing; \"hybmon run "
		     "--omp-runtime=llvm\" puts LLVM's in its place", count, count == 1 ? "" : "es", runtime);
	missing = manifest_value(m, "openmp-missing", &count);
	if (missing)
		line(to, "not seen", "OpenMP's %s, where a program has it: the runtime, %s, has no callback for that",
		     missing, manifest_value(m, "openmp", &count));
}

static double seconds_at(const struct hyb_merge *m, int64_t time)
{
	return (double)hyb_ns_sub(time, m->first) * 1e-9;
}

static void print_stood(const struct hyb_merge *m, const struct hyb_merge_process *p, FILE *to)
{
	const char *verb = p->end == HYB_END_RUNNING ? "stands" : "stood";
	const struct hyb_merge_thread *t;
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
	const char *text = m->processes[first].ended;
	size_t i, count = 0;
	char buf[128];

	for (i = first; i < m->process_count; i++)
		count += !strcmp(m->processes[i].ended, text);
	hyb_show(to, "    %zu process%s %s\n", count, count == 1 ? "" : "es:", text);
	for (i = first, count = 0; i < m->process_count; i++) {
		if (strcmp(m->processes[i].ended, text) || ++count > SHOWN)
			continue;
		hyb_show(to, "      %s\n", hyb_merge_who(m, &m->processes[i], buf, sizeof(buf)));
		print_stood(m, &m->processes[i], to);
	}
	if (count > SHOWN)
		hyb_show(to, "      and %zu more\n", count - SHOWN);
}

static void print_ends(const struct hyb_merge *m, FILE *to)
{
	size_t i, k, abnormal = 0;

	for (i = 0; i < m->process_count; i++)
		abnormal += m->processes[i].end != HYB_END_NORMAL;
	if (!abnormal) {
		line(to, "ended", "all processes normally");
		return;
	}
	line(to, "ended", "%zu of %zu processes not normally", abnormal, m->process_count);
	for (i = 0; i < m->process_count; i++) {
		if (m->processes[i].end == HYB_END_NORMAL)
			continue;
		for (k = 0; k < i && strcmp(m->processes[k].ended, m->processes[i].ended); k++)
			;
		if (k == i)
			print_end(m, i, to);
	}
}

void hyb_merge_summary(const struct hyb_merge *m, FILE *to)
{
	size_t i;

	print_jobs(m, to);
	print_size(m, to);
	print_messages(m, to);
	print_comms(m, to);
	print_losses(m, to);
	hyb_kernel_summary(m, to);
	print_clock(m, to);
	print_unseen(m, to);
	print_ends(m, to);
	line(to, "duration", "%.6f s", (double)hyb_ns_sub(m->last, m->first) * 1e-9);
	for (i = 0; i < m->options.sink_count; i++)
		line(to, "archive", "%s/%s, %.1f MiB", m->out, hyb_sink_main_part(m->options.sinks[i]),
		     (double)m->size / (1024 * 1024));
	line(to, "took", "%.2f s, %.1f million records a second", m->seconds,
	     m->seconds > 0 ? (double)m->counts.records / m->seconds * 1e-6 : 0.0);
}
