/* SPDX-License-Identifier: BSD-3-Clause */
/* A report as text: what took the time, who waited, and what that goes back to. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/machine.h"
#include "analysis/report/report-lines.h"
#include "analysis/report/report.h"
#include "reader/streams/printable.h"

#define VICTIMS 3

static const char *const time_names[HYB_TIMES] = { /* in the order in which they are shown */
	[HYB_TIME_COMPUTE] = "computation",
	[HYB_TIME_MPI] = "MPI",
	[HYB_TIME_OMP_WAIT] = "OpenMP's barriers, locks and taskwaits",
	[HYB_TIME_OMP_IDLE] = "idle threads, between parallel regions",
	[HYB_TIME_KERNEL] = "system calls, faults and interrupts",
	[HYB_TIME_VOLUNTARY] = "off the CPU, waiting",
	[HYB_TIME_INVOLUNTARY] = "off the CPU, pre-empted",
	[HYB_TIME_PAUSED] = "not recorded",
};

static const char *const wait_names[HYB_WAITS] = {
	[HYB_WAIT_LATE_SENDER] = "late sender",	      [HYB_WAIT_LATE_RECEIVER] = "late receiver",
	[HYB_WAIT_BARRIER] = "wait at barrier",	      [HYB_WAIT_ALL] = "wait for all",
	[HYB_WAIT_LATE_ROOT] = "late root",	      [HYB_WAIT_EARLY_ROOT] = "early root",
	[HYB_WAIT_FENCE] = "wait at fence",	      [HYB_WAIT_LATE_POST] = "late post",
	[HYB_WAIT_LATE_COMPLETE] = "late completion", [HYB_WAIT_WINDOW_LOCK] = "wait for a window's lock",
	[HYB_WAIT_FILE] = "wait at file operation",   [HYB_WAIT_HANDLE] = "wait at create, free or end",
	[HYB_WAIT_OMP_BARRIER] = "wait for threads",  [HYB_WAIT_OMP_LOCK] = "wait for a lock",
	[HYB_WAIT_OMP_TASK] = "wait for a task",      [HYB_WAIT_OMP_IDLE] = "idle thread",
};

static const char *const reason_names[HYB_REASONS] = {
	[HYB_REASON_COMPUTE] = "more computation", [HYB_REASON_MPI] = "late return from MPI calls",
	[HYB_REASON_OMP_WAIT] = "waiting in OpenMP", [HYB_REASON_KERNEL] = "system calls, faults and interrupts",
	[HYB_REASON_VOLUNTARY] = "off the CPU, waiting", [HYB_REASON_INVOLUNTARY] = "pre-empted",
	[HYB_REASON_PAUSED] = "not recorded", [HYB_REASON_UNKNOWN] = "late, for no reason that is recorded",
};

const char *hyb_report_time_name(enum hyb_time_class class)
{
	return time_names[class];
}

const char *hyb_report_wait_name(enum hyb_wait_kind wait)
{
	return wait_names[wait];
}

const char *hyb_report_reason_name(enum hyb_reason reason)
{
	return reason_names[reason];
}

static void put_head(const struct hyb_report *r, FILE *to)
{
	char text[32];

	for (size_t i = 0; i < r->options.dir_count; i++)
		hyb_show(to, "%s%s", i ? ", " : "", r->options.dirs[i]);
	fprintf(to, "\n%s, %" PRIu64 " rank%s, %" PRIu64 " thread%s%s\n",
		hyb_span_text((double)hyb_ns_sub(r->last, r->first), text, sizeof(text)),
		r->ranks, r->ranks == 1 ? "" : "s", r->threads, r->threads == 1 ? "" : "s",
		r->profiles ? "; recorded as a profile" : "");
}

static void put_times(const struct hyb_report *r, FILE *to)
{
	int64_t waited = 0, threads = 0;

	for (int i = 0; i < HYB_WAITS_MPI; i++)
		waited += r->waited[i];
	for (int i = HYB_WAITS_MPI; i < HYB_WAIT_OMP_IDLE; i++)
		threads += r->waited[i];
	fputs("\nWhere the time of all threads went", to);
	if (!r->kernel)
		fputs(" (nothing is known of the kernel)", to);
	else if (r->kernel_known < 0.9995)
		fprintf(to, " (what the kernel did is known of %.1f %% of it)", 100 * r->kernel_known);
	putc('\n', to);
	for (int i = 0; i < HYB_TIMES; i++) {
		if (!r->in[i])
			continue;
		fprintf(to, "%12.6f s %6.2f %%  %s", (double)r->in[i] / 1e9,
			percent(r->in[i], r->time), time_names[i]);
		if (i == HYB_TIME_MPI && !r->profiles)
			fprintf(to, "; %.2f %% waiting for others", percent(waited, r->time));
		if (i == HYB_TIME_MPI && r->unfinished)
			fprintf(to, "; %.2f %% in calls\n%25sthat never ended", percent(r->unfinished, r->time), "");
		if (i == HYB_TIME_OMP_WAIT && !r->profiles)
			fprintf(to, "; %.2f %% waiting", percent(threads, r->time));
		if (i == HYB_TIME_OMP_WAIT && r->profiles)
			fputs(", or idle", to);
		putc('\n', to);
	}
}

/* A line, with a time before it, which is a part of all waiting. */
static void put_share(const struct hyb_report *r, int64_t ns, struct line *l, FILE *to)
{
	int at = fprintf(to, "%12.6f s %6.2f %%  ", (double)ns / 1e9, percent(ns, r->causes.waited));

	end_line(l, to, at, at);
}

static int put_waits(const struct hyb_report *r, FILE *to)
{
	uint32_t count = r->causes.waits.count, shown = r->options.all || count < SHOWN ? count : SHOWN;

	if (!count) {
		fputs(r->profiles ? "\nWho waited for whom is not known: that takes single events "
				    "(HYBMON_MODE=trace).\n" : "\nNobody waited for others.\n", to);
		return 0;
	}
	fprintf(to, "\nWho waited for others: %.6f s in all\n", (double)r->causes.waited / 1e9);
	for (uint32_t i = 0; i < shown; i++) {
		const struct hyb_waiting *w = r->waits[i];
		char longest[32];
		struct line l;
		FILE *line = begin_line(&l);

		if (!line)
			return -ENOMEM;
		fprintf(line, "%s: ", wait_names[w->wait]);
		hyb_report_tell_spot(r, w->spot, line);
		fprintf(line, ", %" PRIu64 " time%s, at most %s", w->count, w->count == 1 ? "" : "s",
			hyb_span_text((double)w->longest, longest, sizeof(longest)));
		put_share(r, w->ns, &l, to);
	}
	if (shown < count)
		fprintf(to, "%25s%" PRIu32 " more: --all\n", "", count - shown);
	return 0;
}

/* The calls in which others waited for it, the longest waits first. */
static void tell_victims(const struct hyb_report *r, const struct hyb_report_cause *c, FILE *to)
{
	uint32_t first = r->effect_first[c->number], end = r->effect_first[c->number + 1];

	for (uint32_t i = first; i < end && i < first + VICTIMS; i++) {
		const struct hyb_effect *e = r->effects[i];

		if (i > first && e->ns <= c->ns / 50)
			break;
		fprintf(to, "%s", i > first ? "; " : " Others wait in ");
		hyb_report_tell_spot(r, e->spot, to);
		fprintf(to, " (%.0f %%)", percent(e->ns, c->ns));
	}
	putc('.', to);
}

static void tell_cause(const struct hyb_report *r, const struct hyb_report_cause *c, FILE *to)
{
	const struct hyb_own *own = hyb_causes_own(&r->causes, c->cause->track, c->cause->spot);
	char each[32];

	tell_who(r, c->cause->track, to);
	fputs(": ", to);
	if (c->cause->spot == HYB_SPOT_NONE) {
		fputs("it came later, but nothing that is recorded took longer there", to);
	} else {
		hyb_report_tell_spot(r, c->cause->spot, to);
	}
	if (own && own->count)
		fprintf(to, ", %" PRIu64 " time%s, %s each", own->count, own->count == 1 ? "" : "s",
			hyb_span_text((double)own->ns / (double)own->count, each, sizeof(each)));
	else if (own)
		fprintf(to, ", %s in all", hyb_span_text((double)own->ns, each, sizeof(each)));
	putc('.', to);
	tell_victims(r, c, to);
	if (c->cause->indirect > c->ns / 50)
		fprintf(to, " %.0f %% by way of those who waited for it.", percent(c->cause->indirect, c->ns));
}

/*
 * Without a source of the kernel's events, nobody knows whether a thread was on a CPU outside of MPI, unless the kernel
 * says that it was all the time.
 */
static void tell_reason(const struct hyb_report *r, const struct hyb_report_reason *reason, FILE *to)
{
	struct hyb_report_usage u;
	char text[32];
	int64_t off;

	if (reason->reason != HYB_REASON_COMPUTE || r->kernel) {
		fputs(reason_names[reason->reason], to);
		return;
	}
	if (!hyb_report_usage_of(r, reason->track, &u)) {
		fputs("more time outside of MPI", to);
		return;
	}
	off = hyb_ns_sub(u.time, u.cpu);
	if (off < reason->ns / 20) {
		fputs(reason_names[reason->reason], to);
		return;
	}
	fprintf(to, "more time outside of MPI; in all it was off the CPU for %s",
		hyb_span_text((double)off, text, sizeof(text)));
	if (u.delayed >= 0)
		fprintf(to, ", of which it waited for one for %s", hyb_span_text((double)u.delayed, text, sizeof(text)));
}

void hyb_report_tell_late(const struct hyb_report *r, FILE *to)
{
	if (r->late.most > r->late.ns - r->late.ns / 10)
		tell_who(r, r->late.track, to);
	else
		fprintf(to, "%" PRIu32 " threads", r->late.threads);
	fputs(" came back late from MPI calls, without waiting for others there", to);
}

/* NULL: all that are late, together. */
static int put_reason(const struct hyb_report *r, const struct hyb_report_reason *reason, FILE *to)
{
	struct line l;
	FILE *line = begin_line(&l);

	if (!line)
		return -ENOMEM;
	if (reason) {
		tell_who(r, reason->track, line);
		fputs(": ", line);
		tell_reason(r, reason, line);
	} else {
		hyb_report_tell_late(r, line);
	}
	put_share(r, reason ? reason->ns : r->late.ns, &l, to);
	return 0;
}

/* By thread and reason, wherever that was: the answer in a few lines. Those that are late are one line, at its place. */
static int put_reasons(const struct hyb_report *r, FILE *to)
{
	bool late = r->late.threads;
	int err = 0;

	if (r->reasons.count)
		fputs("\nWho kept the others waiting, and by what\n", to);
	for (uint32_t i = 0, shown = 0; i <= r->reasons.count && shown < SHOWN && !err; i++) {
		const struct hyb_report_reason *reason = i < r->reasons.count ? hyb_table_at(&r->reasons, i) : NULL;

		if (late && (!reason || reason->ns <= r->late.ns) && (!shown || r->late.ns >= r->causes.waited / 50)) {
			err = put_reason(r, NULL, to);
			late = false;
			shown++;
		}
		if (err || !reason || reason->reason == HYB_REASON_MPI)
			continue;
		if (shown && reason->ns < r->causes.waited / 50)
			break;
		err = put_reason(r, reason, to);
		shown++;
	}
	return err;
}

static int put_causes(const struct hyb_report *r, FILE *to)
{
	uint32_t count = r->causes.causes.count, shown = r->options.all || count < SHOWN ? count : SHOWN;
	int64_t rest = 0;

	if (!count)
		return 0;
	fputs("\nWhere that was, and where others waited for it\n", to);
	for (uint32_t i = 0; i < count; i++) {
		struct line l;
		FILE *line;

		/* What nobody would act upon. */
		if (i >= shown || (!r->options.all && i && r->list[i].ns < r->causes.waited / 100)) {
			rest += r->list[i].ns;
			continue;
		}
		line = begin_line(&l);
		if (!line)
			return -ENOMEM;
		tell_cause(r, &r->list[i], line);
		put_share(r, r->list[i].ns, &l, to);
	}
	if (rest)
		fprintf(to, "%12.6f s %6.2f %%  all other causes: --all\n", (double)rest / 1e9, percent(rest, r->causes.waited));
	return 0;
}

int hyb_report_print(const struct hyb_report *r, FILE *to)
{
	int err;

	put_head(r, to);
	err = hyb_report_print_end(r, 0, to);
	hyb_report_print_usage(r, 0, to);
	if (!err)
		err = hyb_machine_print(r, 0, to);
	put_times(r, to);
	hyb_report_print_efficiency(r, to);
	if (!err)
		err = hyb_report_print_phases(r, to);
	if (!err)
		hyb_report_print_hosts(r, to);
	err = hyb_report_print_flat(r, to);
	if (!err)
		err = hyb_report_print_lines(r, to);
	if (!err)
		err = hyb_report_print_traffic(r, to);
	if (!err)
		err = put_waits(r, to);
	if (!err)
		err = put_reasons(r, to);
	if (!err)
		err = put_causes(r, to);
	if (!err)
		err = hyb_report_print_critical(r, to);
	return err ? err : hyb_report_print_advice(r, to);
}
