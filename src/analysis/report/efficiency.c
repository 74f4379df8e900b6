/* SPDX-License-Identifier: BSD-3-Clause */
/* See efficiency.h. */
#include "analysis/report/efficiency.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/report/report-lines.h"
#include "analysis/report/report.h"

#define LEAST_RECORDED 0.5 /* of the time: of less, nobody can tell how good the whole is */

/* Of a process the thread that calls MPI most; UINT32_MAX: none does. */
static uint32_t main_track(const struct hyb_report *r, const struct hyb_model_process *p)
{
	uint32_t found = UINT32_MAX;
	uint64_t most = 0;

	for (size_t i = p->first_track; i < p->first_track + p->thread_count; i++) {
		if (r->steps.tracks[i].calls > most) {
			most = r->steps.tracks[i].calls;
			found = (uint32_t)i;
		}
	}
	return found;
}

/*
 * From when until when a thread's time counts, and how much of that is in MPI. Profiles do not say when MPI_Init and
 * MPI_Finalize were: as if they were the first and the last that it did.
 */
struct span {
	int64_t from;
	int64_t until;
	int64_t mpi;
	int64_t paused; /* and how much is not recorded */
};

static struct span span_of(const struct hyb_step_sums *s)
{
	return (struct span){
		.from = s->start.told ? s->start.time : hyb_ns_add(s->first, s->start.ns),
		.until = s->stop.told ? s->stop.time : hyb_ns_sub(s->last, s->stop.ns),
		.mpi = hyb_ns_sub(s->in[HYB_TIME_MPI], hyb_ns_add(s->start.ns, s->stop.ns)),
		.paused = s->in[HYB_TIME_PAUSED],
	};
}

static int64_t outside(const struct span *span)
{
	const int64_t ns = hyb_ns_sub(hyb_ns_sub(span->until, span->from), hyb_ns_add(span->mpi, span->paused));

	return ns > 0 ? ns : 0;
}

/* Adds the thread's time before the end of MPI_Init and after the beginning of MPI_Finalize. */
static void sum_edges(struct hyb_report *r, const struct hyb_step_sums *s, const struct span *span)
{
	const int64_t before = hyb_ns_sub(hyb_ns_sub(span->from, s->first), s->start.ns);
	const int64_t after = hyb_ns_sub(hyb_ns_sub(s->last, span->until), s->stop.ns);

	r->counted.before = before > r->counted.before ? before : r->counted.before;
	r->counted.after = after > r->counted.after ? after : r->counted.after;
	r->counted.paused = hyb_ns_add(r->counted.paused, span->paused);
	r->counted.starts = r->counted.starts || s->start.told;
	r->counted.stops = r->counted.stops || s->stop.told;
	if (!r->ranks || span->from < r->counted.from)
		r->counted.from = span->from;
	if (!r->ranks || span->until > r->counted.until)
		r->counted.until = span->until;
}

static void sum_rank(struct hyb_report *r, uint32_t track)
{
	const struct hyb_step_sums *s = &r->steps.tracks[track];
	const struct span span = span_of(s);
	int64_t useful = outside(&span);

	sum_edges(r, s, &span);
	r->ranks++;
	r->useful = hyb_ns_add(r->useful, useful);
	if (r->busiest == UINT32_MAX || useful > r->most_useful) {
		r->most_useful = useful;
		r->busiest = track;
	}
}

struct edge { /* a thread begins, or has ended */
	int64_t time;
	int step;
};

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->step - y->step;
}

/* How many threads there are at once. */
static uint64_t most_at_once(struct edge *edges, size_t count)
{
	uint64_t now = 0, most = 0;

	qsort(edges, count, sizeof(*edges), by_time);
	for (size_t i = 0; i < count; i++) {
		now += (uint64_t)(int64_t)edges[i].step;
		most = now > most ? now : most;
	}
	return most;
}

/* `room` has two for each of its threads. False: it has nothing of OpenMP. */
static bool sum_team(struct hyb_report *r, const struct hyb_model_process *p, uint32_t main, struct edge *room)
{
	const struct span span = main == UINT32_MAX ? (struct span){ 0 } : span_of(&r->steps.tracks[main]);
	size_t count = 0;
	int64_t useful = 0, most = 0;
	uint64_t threads;
	bool openmp = false;

	for (size_t i = p->first_track; i < p->first_track + p->thread_count; i++) {
		const struct hyb_step_sums *s = &r->steps.tracks[i];
		int64_t in = s->in[HYB_TIME_OMP_WAIT] + s->in[HYB_TIME_OMP_IDLE], own;

		if (!s->told || s->last <= s->first || (!in && i != main))
			continue;
		openmp = openmp || in;
		own = hyb_ns_sub(outside(&(struct span){ s->first, s->last, s->in[HYB_TIME_MPI], s->in[HYB_TIME_PAUSED] }), in);
		if (i == main)
			own = hyb_ns_sub(outside(&span), in);
		useful = hyb_ns_add(useful, own);
		most = own > most ? own : most;
		room[count++] = (struct edge){ .time = s->first, .step = 1 };
		room[count++] = (struct edge){ .time = s->last, .step = -1 };
	}
	threads = most_at_once(room, count);
	r->openmp.threads += threads;
	r->openmp.useful = hyb_ns_add(r->openmp.useful, useful);
	/* As a sum of times: a product might not fit. */
	for (uint64_t i = 0; i < threads; i++)
		r->openmp.most = hyb_ns_add(r->openmp.most, most);
	return openmp;
}

/* So much of the counted time is recorded, of a rank in the mean. */
static int64_t recorded(const struct hyb_report *r)
{
	const int64_t paused = r->ranks ? r->counted.paused / (int64_t)r->ranks : r->threads ? r->in[HYB_TIME_PAUSED] / (int64_t)r->threads : 0;
	const int64_t ns = hyb_ns_sub(hyb_ns_sub(r->counted.until, r->counted.from), paused);

	return ns > 0 ? ns : 0;
}

/* The path goes through what comes before MPI_Init and after MPI_Finalize, too: there it is that of the slowest rank. */
static void find_ideal(struct hyb_report *r)
{
	const int64_t elapsed = recorded(r);
	int64_t outside = hyb_ns_sub(0, hyb_ns_add(r->counted.before, r->counted.after));

	for (uint32_t i = 0; i < r->critical.spots.count; i++) {
		const struct hyb_critical_spot *s = hyb_table_at(&r->critical.spots, i);

		if (s->spot == HYB_SPOT_NONE || hyb_spots_at(&r->steps.spots, s->spot)->class != HYB_TIME_MPI)
			outside = hyb_ns_add(outside, s->ns);
	}
	outside = outside < elapsed ? outside : elapsed;
	r->ideal = outside > r->most_useful ? outside : r->most_useful;
}

int hyb_report_sum_ranks(struct hyb_report *r)
{
	const struct hyb_model *m = &r->merge.model;
	struct edge *room = NULL;
	size_t most = 0;
	bool openmp = false;

	for (size_t i = 0; i < m->process_count; i++)
		most = m->processes[i].thread_count > most ? m->processes[i].thread_count : most;
	room = calloc(2 * most + 1, sizeof(*room));
	if (!room)
		return -ENOMEM;
	r->busiest = UINT32_MAX;
	for (size_t i = 0; i < m->process_count; i++) {
		uint32_t main = main_track(r, &m->processes[i]);

		if (main != UINT32_MAX)
			sum_rank(r, main);
		openmp = sum_team(r, &m->processes[i], main, room) || openmp;
	}
	free(room);
	if (!openmp)
		r->openmp = (struct hyb_openmp_sums){ 0 };
	if (!r->ranks)
		r->counted = (struct hyb_counted_span){ .from = r->first, .until = r->last };
	find_ideal(r);
	return 0;
}

double hyb_report_recorded(const struct hyb_report *r)
{
	const int64_t elapsed = hyb_ns_sub(r->counted.until, r->counted.from);

	return elapsed > 0 ? (double)recorded(r) / (double)elapsed : 1;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 1;
}

struct hyb_efficiency hyb_report_efficiency(const struct hyb_report *r)
{
	double elapsed = (double)recorded(r), threads = (double)r->openmp.threads;
	struct hyb_efficiency e = { .mpi = r->ranks > 1 && r->most_useful > 0, .openmp = threads > 0 };

	if (elapsed <= 0 || (!e.mpi && !e.openmp))
		return (struct hyb_efficiency){ 0 };
	if (hyb_report_recorded(r) < LEAST_RECORDED)
		return (struct hyb_efficiency){ 0 };
	e.known = true;
	e.path = !r->profiles;
	e.in_mpi = r->ranks ? (double)r->useful / (double)r->ranks / elapsed : 1;
	e.load_balance = r->ranks ? ratio((double)r->useful / (double)r->ranks, (double)r->most_useful) : 1;
	e.communication = r->ranks ? (double)r->most_useful / elapsed : 1;
	e.serialisation = r->ranks ? ratio((double)r->most_useful, (double)r->ideal) : 1;
	e.transfer = r->ranks ? (double)r->ideal / elapsed : 1;
	e.parallel = e.openmp ? (double)r->openmp.useful / threads / elapsed : e.in_mpi;
	e.in_openmp = ratio(e.parallel, e.in_mpi);
	e.openmp_balance = ratio((double)r->openmp.useful, (double)r->openmp.most);
	e.synchronisation = ratio(e.in_openmp, e.openmp_balance);
	return e;
}

static void put_busiest(const struct hyb_report *r, FILE *to)
{
	struct line l;
	FILE *line = begin_line(&l);

	if (!line)
		return;
	fprintf(line, "The most time outside of MPI has ");
	tell_who(r, r->busiest, line);
	fprintf(line, ": %.6f s, the mean is %.6f s.", (double)r->most_useful / 1e9,
		(double)r->useful / (double)r->ranks / 1e9);
	end_line(&l, to, 0, 0);
}

/* Where MPI starts and stops is none of the efficiencies' business, but people want to know what it takes. */
static void put_span(const struct hyb_report *r, FILE *to)
{
	char *text = NULL;
	size_t size;
	FILE *line = r->start_stop || hyb_report_recorded(r) < 0.9995 ? open_memstream(&text, &size) : NULL;

	if (!line)
		return;
	if (r->counted.starts)
		fprintf(line, "This counts from the end of MPI_Init at %.3f s to the %s at %.3f s. ",
			(double)hyb_ns_sub(r->counted.from, r->first) / 1e9,
			r->counted.stops ? "begin of MPI_Finalize" : "end",
			(double)hyb_ns_sub(r->counted.until, r->first) / 1e9);
	else
		fputs(r->start_stop ? "MPI_Init and MPI_Finalize do not count. " : "This counts the whole run. ", line);
	if (hyb_report_recorded(r) < 0.9995)
		fprintf(line, "Of that, %.1f %% is not recorded and does not count. ", 100 * (1 - hyb_report_recorded(r)));
	fprintf(line, "MPI_Init%s %.2f %% of all threads' time.", r->counted.starts && !r->counted.stops ? " takes" : " and MPI_Finalize take",
		percent(r->start_stop, r->time));
	fclose(line);
	fill(to, 0, 0, text);
	free(text);
}

void hyb_report_print_efficiency(const struct hyb_report *r, FILE *to)
{
	struct hyb_efficiency e = hyb_report_efficiency(r);
	const double known = hyb_report_recorded(r);

	if (known < LEAST_RECORDED && (r->ranks > 1 || r->openmp.threads))
		fprintf(to, "\nNo efficiency is given: %.1f %% of the time is not recorded.\n", 100 * (1 - known));
	if (!e.known)
		return;
	putc('\n', to);
	if (e.mpi && e.openmp)
		fprintf(to, "Parallel efficiency %.1f %% = MPI %.1f %% x OpenMP %.1f %%\n", 100 * e.parallel,
			100 * e.in_mpi, 100 * e.in_openmp);
	if (e.mpi)
		fprintf(to, "%s %.1f %% = load balance %.1f %% x communication %.1f %%\n",
			e.openmp ? "MPI" : "Parallel efficiency", 100 * e.in_mpi, 100 * e.load_balance,
			100 * e.communication);
	if (e.mpi && e.path)
		fprintf(to, "Communication %.1f %% = serialisation %.1f %% x transfer %.1f %%\n", 100 * e.communication,
			100 * e.serialisation, 100 * e.transfer);
	if (e.openmp)
		fprintf(to, "%s %.1f %% = load balance of threads %.1f %% x synchronisation %.1f %%\n",
			e.mpi ? "OpenMP" : "OpenMP's efficiency", 100 * e.in_openmp, 100 * e.openmp_balance,
			100 * e.synchronisation);
	if (e.mpi)
		put_busiest(r, to);
	put_span(r, to);
}
