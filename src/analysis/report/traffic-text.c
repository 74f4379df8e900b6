/* SPDX-License-Identifier: BSD-3-Clause */
/* What was moved, as text: the heaviest of each kind. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/report/report-lines.h"
#include "reader/streams/printable.h"
#include "reader/streams/word.h"

#define ROWS 5 /* of a kind, by default */

static const struct {
	const char *title;
	const char *name; /* of the last column */
} kinds[] = {
	[HYB_TRAFFIC_PAIR] = { "Messages by sender and receiver", "from and to" },
	[HYB_TRAFFIC_SIZE] = { "Messages by size", "bytes of each" },
	[HYB_TRAFFIC_COLLECTIVE] = { "Collective operations, each member's, by size", "and bytes of each" },
	[HYB_TRAFFIC_READ] = { "Files, read", "name" },
	[HYB_TRAFFIC_WRITE] = { "Files, written", "name" },
	[HYB_TRAFFIC_UNPAIRED] = { "Messages whose receive was not recorded", "" },
};

/* Bytes with at most four digits: 12.3 KiB. */
static const char *amount(double value, char *buf, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	size_t unit = 0;

	while (value >= 999.5 && unit < 6) {
		value /= 1024;
		unit++;
	}
	snprintf(buf, size, "%.*f %s", !unit || value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2, value, units[unit]);
	return buf;
}

static void tell_size(uint32_t class, FILE *to)
{
	char from[32], end[32];

	if (!class)
		fputs("0 B", to);
	else
		fprintf(to, "%s to %s", amount((double)hyb_traffic_from(class), from, sizeof(from)),
			amount((double)(hyb_traffic_from(class) * 2 - 1) + 1, end, sizeof(end)));
}

static void tell_row(const struct hyb_report *r, const struct hyb_traffic_row *row, FILE *to)
{
	const struct hyb_model *m = &r->merge.model;
	char text[128];

	switch (row->kind) {
	case HYB_TRAFFIC_PAIR:
		fputs(hyb_model_who(m, &m->processes[row->a], text, sizeof(text)), to);
		fprintf(to, " to %s", hyb_model_who(m, &m->processes[row->b], text, sizeof(text)));
		return;
	case HYB_TRAFFIC_COLLECTIVE:
		fprintf(to, "%s, ", hyb_coll_word((enum hyb_coll)row->a));
		tell_size(row->b, to);
		return;
	case HYB_TRAFFIC_SIZE:
		tell_size(row->b, to);
		return;
	case HYB_TRAFFIC_READ:
	case HYB_TRAFFIC_WRITE:
		fputs(hyb_names_text(&m->names, hyb_files_at(&m->files, row->a)->name), to);
		if (row->ns)
			fprintf(to, ", %s/s",
				amount((double)row->timed_bytes / (double)row->ns * 1e9, text, sizeof(text)));
		fprintf(to, ", %.0f %% below 4 KiB", 100 * (double)row->small / (double)row->count);
		return;
	case HYB_TRAFFIC_UNPAIRED:
		return;
	}
}

static int put_row(const struct hyb_report *r, const struct hyb_traffic_row *row, FILE *to)
{
	char bytes[32], mean[32], most[32];
	struct line l;
	FILE *line = begin_line(&l);
	int at;

	if (!line)
		return -ENOMEM;
	tell_row(r, row, line);
	hyb_span_text(row->timed ? (double)row->ns / (double)row->timed : 0, mean, sizeof(mean));
	hyb_span_text((double)row->most, most, sizeof(most));
	at = fprintf(to, "%10" PRIu64 " %10s %10s %10s  ", row->count, amount((double)row->bytes, bytes, sizeof(bytes)),
		     row->timed ? mean : "", row->timed ? most : "");
	end_line(&l, to, at, at);
	return 0;
}

int hyb_report_print_traffic(const struct hyb_report *r, FILE *to)
{
	uint32_t first = 0, end;
	int err = 0;

	for (; first < r->traffic.rows.count && !err; first = end) {
		const struct hyb_traffic_row *row = hyb_table_at(&r->traffic.rows, first);
		enum hyb_traffic_kind kind = row->kind;
		uint64_t bytes = 0, count = 0;
		char text[32];
		uint32_t i;

		for (end = first; end < r->traffic.rows.count; end++) {
			row = hyb_table_at(&r->traffic.rows, end);
			if (row->kind != kind)
				break;
			bytes += row->bytes;
			count += row->count;
		}
		fprintf(to, "\n%s%s: %" PRIu64 ", %s\n%10s %10s %10s %10s  %s\n", kinds[kind].title,
			kind == HYB_TRAFFIC_COLLECTIVE && r->profiles ? " (mean)" : "", count,
			amount((double)bytes, text, sizeof(text)), "count", "bytes",
			kind <= HYB_TRAFFIC_SIZE ? "transit" : "time", "at most", kinds[kind].name);
		for (i = first; i < end && !err && (r->options.all || i < first + ROWS); i++)
			err = put_row(r, hyb_table_at(&r->traffic.rows, i), to);
		if (i < end)
			fprintf(to, "%45s%" PRIu32 " more: --all\n", "", end - i);
	}
	return err;
}
