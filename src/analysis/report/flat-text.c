/* SPDX-License-Identifier: BSD-3-Clause */
/* The flat profile as text: regions with what the kernel did in them, and how that is spread over the ranks. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/report/report-lines.h"
#include "reader/streams/printable.h"

#define REGIONS 5  /* that are shown by default */
#define OUTLIERS 3 /* that are named */
#define INDENT 14

static const char *const part_names[HYB_PARTS] = {
	[HYB_PART_OWN] = "own",
	[HYB_PART_SYSCALL] = "system calls",
	[HYB_PART_FAULT] = "page faults",
	[HYB_PART_INTERRUPT] = "interrupts",
	[HYB_PART_VOLUNTARY] = "off the CPU, waiting",
	[HYB_PART_INVOLUNTARY] = "pre-empted",
	[HYB_PART_UNKNOWN] = "not known, since events were lost",
};

static const char *name_of(const struct hyb_flat_region *region)
{
	if (region->region)
		return region->region->name;
	return region->kind == HYB_FLAT_PAUSED ? "(not recorded: recording was paused)" : "(in no region)";
}

/* A process, as hyb_flat has it. */
static void tell_process(const struct hyb_report *r, uint32_t index, FILE *to)
{
	const struct hyb_model *m = &r->merge.model;
	char who[128];

	fputs(hyb_model_who(m, &m->processes[r->flat.processes[index].process], who, sizeof(who)), to);
}

/* What is not the program's own, where there is any. */
void hyb_report_tell_parts(const struct hyb_flat_times *t, FILE *to)
{
	int64_t exclusive = hyb_flat_exclusive(t);

	for (int i = 0; i < HYB_PARTS; i++) {
		if (i == HYB_PART_OWN ? !exclusive : t->part[i] < exclusive / 2000 + 1 && !t->count[i])
			continue;
		fprintf(to, "%s%s %.1f %%", i == HYB_PART_OWN ? "" : "; ", part_names[i],
			percent(t->part[i], exclusive));
		if (t->count[i])
			fprintf(to, " (%" PRIu64 ")", t->count[i]);
	}
	putc('.', to);
}

static void tell_outliers(const struct hyb_report *r, const struct hyb_spread *s, FILE *to)
{
	if (!s->outlier_count)
		return;
	fputs("; unlike the others: ", to);
	for (uint32_t i = 0; i < s->outlier_count && i < OUTLIERS; i++) {
		fputs(i ? ", " : "", to);
		tell_process(r, s->outliers[i], to);
	}
	if (s->outlier_count > OUTLIERS)
		fprintf(to, " and %" PRIu32 " more", s->outlier_count - OUTLIERS);
}

void hyb_report_tell_spread(const struct hyb_report *r, const struct hyb_spread *s, FILE *to)
{
	char text[32];

	fprintf(to, "%s (", hyb_span_text((double)s->least, text, sizeof(text)));
	tell_process(r, s->least_in, to);
	fprintf(to, ") to %s (", hyb_span_text((double)s->most, text, sizeof(text)));
	tell_process(r, s->most_in, to);
	fprintf(to, "), mean %s", hyb_span_text(s->mean, text, sizeof(text)));
	tell_outliers(r, s, to);
	putc('.', to);
}

static int put_text(const struct hyb_report *r, const struct hyb_flat_region *region, bool kernel, FILE *to)
{
	const bool many = r->flat.process_count > 1;
	struct hyb_spread spread;
	struct line l;
	FILE *line;
	int err = hyb_flat_spread(&r->flat, region, HYB_SPREAD_EXCLUSIVE, &spread);

	if (err)
		return err;
	line = kernel || many ? begin_line(&l) : NULL;
	if (line && kernel)
		hyb_report_tell_parts(&region->times, line);
	if (line && many) {
		fputs(kernel ? " Of a rank: " : "Of a rank: ", line);
		hyb_report_tell_spread(r, &spread, line);
	}
	if (line)
		end_line(&l, to, fprintf(to, "%*s", INDENT, ""), INDENT);
	hyb_spread_free(&spread);
	return line || !(kernel || many) ? 0 : -ENOMEM;
}

static int put_region(const struct hyb_report *r, const struct hyb_flat_region *region, bool kernel, FILE *to)
{
	const struct hyb_flat_times *t = &region->times;
	int at = fprintf(to, "%12.6f %5.1f %12.6f %8" PRIu64 "  ", (double)hyb_flat_exclusive(t) / 1e9,
			 percent(hyb_flat_exclusive(t), r->time), (double)t->inclusive / 1e9, t->visits);

	fill(to, at, 41, name_of(region));
	return put_text(r, region, kernel, to);
}

static int put_regions(const struct hyb_report *r, FILE *to)
{
	const bool kernel = r->kernel;
	uint32_t shown = 0, more = 0;
	int64_t rest = 0;
	int err = 0;

	fprintf(to, "\nProfile by region%s\n%12s %5s %12s %8s\n", kernel ? ", and what the kernel did there" : "",
		"exclusive s", "%", "inclusive s", "visits");
	for (uint32_t i = 0; i < r->flat.regions.count && !err; i++) {
		const struct hyb_flat_region *region = hyb_flat_at(&r->flat, i);
		int64_t ns = hyb_flat_exclusive(&region->times);

		if (region->kind == HYB_FLAT_KERNEL)
			continue;
		if (r->options.all || (shown < REGIONS && (!shown || ns >= r->time / 100))) {
			err = put_region(r, region, kernel, to);
			shown++;
		} else {
			rest += ns;
			more++;
		}
	}
	if (more)
		fprintf(to, "%12.6f %5.1f %23s%" PRIu32 " more: --all\n", (double)rest / 1e9, percent(rest, r->time),
			"", more);
	return err;
}

/* The kernel's own entries, over all regions. */
static void put_events(const struct hyb_report *r, FILE *to)
{
	uint32_t shown = 0, more = 0;
	int64_t rest = 0;

	for (uint32_t i = 0; i < r->flat.regions.count; i++) {
		const struct hyb_flat_region *region = hyb_flat_at(&r->flat, i);
		int64_t ns = hyb_flat_exclusive(&region->times);

		if (region->kind != HYB_FLAT_KERNEL)
			continue;
		if (!shown)
			fprintf(to, "\nWhat the kernel did, in all regions\n%12s %5s %12s %8s\n", "exclusive s", "%",
				"inclusive s", "events");
		if (!r->options.all && shown && (shown >= REGIONS || ns < r->time / 1000)) {
			rest += ns;
			more++;
			continue;
		}
		fprintf(to, "%12.6f %5.1f %12.6f %8" PRIu64 "  ", (double)ns / 1e9, percent(ns, r->time),
			(double)region->times.inclusive / 1e9, region->times.visits);
		fill(to, 41, 41, name_of(region));
		shown++;
	}
	if (more)
		fprintf(to, "%12.6f %5.1f %23s%" PRIu32 " more: --all\n", (double)rest / 1e9, percent(rest, r->time),
			"", more);
}

/* Each part of all the time of a rank, over the ranks. */
static int put_parts(const struct hyb_report *r, FILE *to)
{
	int err = 0;

	fputs("\nOver ranks, all regions together\n", to);
	for (int i = 0; i < HYB_PARTS && !err; i++) {
		struct hyb_spread spread;
		struct line l;
		FILE *line;

		err = hyb_flat_spread(&r->flat, NULL, i, &spread);
		if (err || !spread.most) {
			hyb_spread_free(&spread);
			continue;
		}
		line = begin_line(&l);
		if (line) {
			fprintf(line, "%s: ", i == HYB_PART_OWN ? "without the kernel" : part_names[i]);
			hyb_report_tell_spread(r, &spread, line);
			end_line(&l, to, fprintf(to, "  "), 6);
		}
		err = line ? 0 : -ENOMEM;
		hyb_spread_free(&spread);
	}
	return err;
}

static void put_processes(const struct hyb_report *r, FILE *to)
{
	fprintf(to, "\nBy rank, seconds of all its threads\n%11s %11s %10s %9s %10s %11s %11s\n", "own", "system calls",
		"faults", "interrupts", "waiting", "pre-empted", "rank");
	for (uint32_t i = 0; i < r->flat.process_count; i++) {
		const int64_t *part = r->flat.processes[i].times.part;

		fprintf(to, "%11.6f %12.6f %10.6f %10.6f %10.6f %11.6f  ", (double)part[HYB_PART_OWN] / 1e9,
			(double)part[HYB_PART_SYSCALL] / 1e9, (double)part[HYB_PART_FAULT] / 1e9,
			(double)part[HYB_PART_INTERRUPT] / 1e9, (double)part[HYB_PART_VOLUNTARY] / 1e9,
			(double)part[HYB_PART_INVOLUNTARY] / 1e9);
		tell_process(r, i, to);
		putc('\n', to);
	}
}

int hyb_report_print_flat(const struct hyb_report *r, FILE *to)
{
	const bool kernel = r->kernel;
	int err = put_regions(r, to);

	if (!err && kernel)
		put_events(r, to);
	if (!err && kernel && r->flat.process_count > 1)
		err = put_parts(r, to);
	if (!err && kernel && r->options.all)
		put_processes(r, to);
	return err;
}
