/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What hybmon-merge says of counters: of one that adds up, how much each process has, and where there are several
 * processes the least, the mean and the most; of others, between what their values lie.
 */
#include "merge/merge.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/printable.h"

#define SHOWN 16 /* counters */

/* Of a counter: the processes that have it. */
struct total {
	const struct hyb_gmetric *metric;
	uint64_t readings;
	size_t processes;
	double least, most, sum; /* of a counter that adds up: of processes; otherwise of values */
	const struct hyb_model_process *least_in, *most_in;
	uint64_t whole; /* the sum, of whole numbers */
};

/* Of a counter in one process. */
struct share {
	bool any;
	uint64_t readings;
	int64_t time; /* of the last value of what is not the thread's */
	uint64_t whole;
	double least, most, sum;
};

static double real_of(const struct hyb_metric *m, uint64_t value)
{
	double real;

	if (m->type != HYB_METRIC_DOUBLE)
		return m->type == HYB_METRIC_INT64 ? (double)(int64_t)value : (double)value;
	memcpy(&real, &value, sizeof(real));
	return real;
}

/* What a thread has of it. What it counts of the process, others count, too: the latest value is that of all. */
static void add_sum(struct share *s, const struct hyb_metric *m, const struct hyb_metric_use *use,
		    const struct hyb_metric_sum *sum)
{
	const double least = real_of(m, sum->least), most = real_of(m, sum->most);
	/* A node has counted since long before. */
	const uint64_t since = hyb_metric_scope(m) == HYB_METRIC_OF_THREAD ? 0 : sum->first;
	const double grown = m->type == HYB_METRIC_DOUBLE ? real_of(m, sum->last) - (since ? real_of(m, since) : 0) : 0;
	const bool alone = hyb_metric_scope(m) == HYB_METRIC_OF_THREAD;

	s->readings += use->readings;
	s->least = s->any && s->least < least ? s->least : least;
	s->most = s->any && s->most > most ? s->most : most;
	if (alone) {
		s->whole += sum->last;
		s->sum += grown;
	} else if (!s->any || use->time > s->time) {
		s->whole = sum->last - since;
		s->sum = grown;
		s->time = use->time;
	}
	s->any = true;
}

static struct share share_of(const struct hyb_merge *m, size_t process, const struct hyb_gmetric *metric)
{
	const struct hyb_metric_uses *u;
	struct share s = { .any = false };
	size_t t, i;
	uint32_t k;

	for (t = 0; t < m->model.processes[process].thread_count; t++) {
		u = &m->processes[process].threads[t].metrics;
		for (i = 0; i < u->count; i++)
			for (k = 0; k < u->uses[i].class->count; k++)
				if (u->uses[i].class->members[k] == metric)
					add_sum(&s, &metric->def, &u->uses[i], &u->uses[i].sums[k]);
	}
	return s;
}

static void add_share(struct total *t, const struct hyb_model_process *p, const struct share *s)
{
	const struct hyb_metric *m = &t->metric->def;
	const bool adds = m->mode == HYB_METRIC_ACCUMULATED;
	const double sum = m->type == HYB_METRIC_DOUBLE ? s->sum : real_of(m, s->whole);
	const double least = adds ? sum : s->least, most = adds ? sum : s->most;

	t->readings += s->readings;
	t->whole += s->whole;
	t->sum += sum;
	if (!t->processes || least < t->least) {
		t->least = least;
		t->least_in = p;
	}
	if (!t->processes || most > t->most) {
		t->most = most;
		t->most_in = p;
	}
	t->processes++;
}

/* "12345 #" as it was counted, "1.234500 s" where it has a scale. */
static void put_number(const struct hyb_metric *m, double value, FILE *to)
{
	if (m->exponent)
		hyb_show(to, "%.9g", value * pow(m->base, m->exponent));
	else if (m->type != HYB_METRIC_DOUBLE && fabs(value) < 9e15)
		hyb_show(to, "%.0f", value);
	else
		hyb_show(to, "%.6g", value);
	if (*m->unit && strcmp(m->unit, "#"))
		hyb_show(to, " %s", m->unit);
}

static void put_whole(const struct total *t, FILE *to)
{
	const struct hyb_metric *m = &t->metric->def;
	const char *unit = *m->unit && strcmp(m->unit, "#") ? m->unit : "", *blank = *unit ? " " : "";

	if (m->exponent || m->type == HYB_METRIC_DOUBLE)
		put_number(m, t->sum, to);
	else if (m->type == HYB_METRIC_INT64)
		hyb_show(to, "%" PRId64 "%s%s", (int64_t)t->whole, blank, unit);
	else
		hyb_show(to, "%" PRIu64 "%s%s", t->whole, blank, unit);
}

static void print_total(const struct hyb_merge *m, const struct total *t, FILE *to)
{
	const struct hyb_metric *def = &t->metric->def;
	char buf[128];

	hyb_show(to, "    %s%s: ", def->name, def->flags & HYB_METRIC_SCALED ? " (scaled)" : "");
	if (def->mode == HYB_METRIC_ACCUMULATED) {
		/* What a node has counted is the same in all its processes. */
		if (hyb_metric_scope(def) != HYB_METRIC_OF_NODE || t->processes == 1)
			put_whole(t, to);
		if (t->processes > 1) {
			fputs(hyb_metric_scope(def) != HYB_METRIC_OF_NODE ? "; in each process " : "in each process ", to);
			put_number(def, t->sum / (double)t->processes, to);
			fputs(" on average, ", to);
		}
	}
	if (def->mode != HYB_METRIC_ACCUMULATED || t->processes > 1) {
		put_number(def, t->least, to);
		hyb_show(to, " (%s) to ", hyb_model_who(&m->model, t->least_in, buf, sizeof(buf)));
		put_number(def, t->most, to);
		hyb_show(to, " (%s)", hyb_model_who(&m->model, t->most_in, buf, sizeof(buf)));
	}
	hyb_show(to, "; read %" PRIu64 " time%s\n", t->readings, t->readings == 1 ? "" : "s");
}

void hyb_merge_summary_metrics(const struct hyb_merge *m, FILE *to)
{
	const struct hyb_gmetrics *g = &m->model.metrics;
	struct share share;
	struct total total;
	size_t shown = 0, p;
	uint32_t i;

	for (i = 0; i < g->metrics.count; i++) {
		total = (struct total){ .metric = hyb_gmetrics_at(g, i) };
		for (p = 0; total.metric->used && p < m->model.process_count; p++) {
			share = share_of(m, p, total.metric);
			if (share.any)
				add_share(&total, &m->model.processes[p], &share);
		}
		if (!total.processes)
			continue;
		if (!shown++)
			hyb_show(to, "%-12s of threads, in all\n", "counters");
		if (shown <= SHOWN)
			print_total(m, &total, to);
	}
	if (shown > SHOWN)
		hyb_show(to, "    and %zu more\n", shown - SHOWN);
	if (m->counts.unknown_metrics)
		hyb_show(to, "%-12s %" PRIu64 " reading%s of counters left out: damaged, or the counters are not defined\n",
			 "counters", m->counts.unknown_metrics, m->counts.unknown_metrics == 1 ? "" : "s");
}
