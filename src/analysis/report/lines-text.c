/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile by line as text. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/report/report-lines.h"

#define LINES  8 /* that are shown by default */
#define INDENT 14

static void tell_line(const struct hyb_report *r, const struct hyb_code_line *line, FILE *to)
{
	const bool known = line->detail < HYB_SPOT_STOPPED;
	const char *where = known ? hyb_names_text(&r->merge.model.names, line->detail) : NULL;

	switch (line->kind) {
	case HYB_SPOT_PAUSED:
		fputs("(not recorded: recording was paused)", to);
		return;
	case HYB_SPOT_TOP:
		fputs("(in no region)", to);
		return;
	case HYB_SPOT_BEFORE:
		fputs("before ", to);
		break;
	case HYB_SPOT_REGION:
		break;
	}
	fprintf(to, "%s%s%s", line->region->name, where ? " at " : "", where ? where : "");
}

/* What the kernel did there, and how the work is spread over the ranks, as far as there is anything. */
static int put_more(const struct hyb_report *r, const struct hyb_code_line *line, bool kernel, FILE *to)
{
	struct hyb_flat_times times = { .visits = 0 };
	struct hyb_spread spread;
	struct line l;
	int err = hyb_code_line_spread(&r->lines, line, &r->flat, &spread);
	bool many = !err && r->flat.process_count > 1 && spread.most;
	FILE *f = NULL;

	kernel = kernel && line->part[HYB_PART_OWN] != hyb_code_line_work(line);
	if (!err && (kernel || many)) {
		f = begin_line(&l);
		err = f ? 0 : -ENOMEM;
	}
	memcpy(times.part, line->part, sizeof(times.part));
	if (f && kernel)
		hyb_report_tell_parts(&times, f);
	if (f && many) {
		fputs(kernel ? " Of a rank: " : "Of a rank: ", f);
		hyb_report_tell_spread(r, &spread, f);
	}
	if (f)
		end_line(&l, to, fprintf(to, "%*s", INDENT, ""), INDENT);
	hyb_spread_free(&spread);
	return err;
}

static int put_line(const struct hyb_report *r, const struct hyb_code_line *line, bool kernel, FILE *to)
{
	struct line l;
	FILE *f = begin_line(&l);
	int at;

	if (!f)
		return -ENOMEM;
	tell_line(r, line, f);
	at = fprintf(to, "%12.6f %5.1f ", (double)hyb_code_line_work(line) / 1e9,
		     percent(hyb_code_line_work(line) + line->waited, r->time));
	at += r->profiles ? 0 : fprintf(to, "%11.6f ", (double)line->waited / 1e9);
	at += line->visits ? fprintf(to, "%8" PRIu64 "  ", line->visits) : fprintf(to, "%10s", "");
	end_line(&l, to, at, at);
	return put_more(r, line, kernel, to);
}

int hyb_report_print_lines(const struct hyb_report *r, FILE *to)
{
	const bool kernel = r->kernel;
	uint32_t shown = 0;
	int64_t rest = 0;
	int err = 0;

	if (r->profiles)
		fprintf(to, "\nProfile by line\n%12s %5s %8s\n", "exclusive s", "%", "visits");
	else
		fprintf(to, "\nProfile by line: work, and waiting for others there\n%12s %5s %11s %8s\n", "work s", "%",
			"waiting s", "visits");
	for (uint32_t i = 0; i < r->lines.lines.count && !err; i++) {
		const struct hyb_code_line *line = hyb_lines_at(&r->lines, i);
		int64_t ns = hyb_code_line_work(line) + line->waited;

		if (r->options.all || (shown < LINES && (!shown || ns >= r->time / 100))) {
			err = put_line(r, line, kernel, to);
			shown++;
		} else {
			rest += ns;
		}
	}
	if (shown < r->lines.lines.count)
		fprintf(to, "%12s %5.1f %*s%" PRIu32 " more: --all\n", "", percent(rest, r->time), r->profiles ? 10 : 22,
			"", r->lines.lines.count - shown);
	return err;
}
