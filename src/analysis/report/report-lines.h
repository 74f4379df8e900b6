/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of a report for people. For this folder only. */
#ifndef HYB_ANALYSIS_REPORT_REPORT_LINES_H
#define HYB_ANALYSIS_REPORT_REPORT_LINES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report.h"
#include "reader/streams/printable.h"

#define COLUMNS 80
#define SHOWN 10 /* of a list */

static inline double percent(int64_t part, int64_t whole)
{
	return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Text of any length in lines of 80 columns; `at` is the column where it begins, those below are indented. */
static inline void fill(FILE *to, int at, int indent, const char *text)
{
	const char *between = "";

	while (*text) {
		size_t word = strcspn(text, " ");

		if (*between && at + 1 + (int)word > COLUMNS) {
			fprintf(to, "\n%*s", indent, "");
			at = indent;
		} else {
			fputs(between, to);
			at += *between != 0;
		}
		hyb_show(to, "%.*s", (int)word, text);
		at += (int)word;
		text += word + (text[word] == ' ');
		between = " ";
	}
	putc('\n', to);
}

/* Text of a row that is put into lines once it is whole. */
struct line {
	char *text;
	size_t size;
	FILE *to;
};

/* Where to write it. NULL without memory; otherwise end_line follows. */
static inline FILE *begin_line(struct line *l)
{
	l->text = NULL;
	l->to = open_memstream(&l->text, &l->size);
	return l->to;
}

/* Puts it behind what is in the line up to column `at`. */
static inline void end_line(struct line *l, FILE *to, int at, int indent)
{
	fclose(l->to);
	fill(to, at, indent, l->text);
	free(l->text);
}

/* flat-text.c: what is not the program's own; how a time is spread over the ranks. */
void hyb_report_tell_parts(const struct hyb_flat_times *t, FILE *to);
void hyb_report_tell_spread(const struct hyb_report *r, const struct hyb_spread *s, FILE *to);
/* report-text.c: a spot, the innermost first. */
void hyb_report_tell_spot(const struct hyb_report *r, uint32_t spot, FILE *to);

static inline void tell_who(const struct hyb_report *r, uint32_t track, FILE *to)
{
	const struct hyb_model *m = &r->merge.model;
	const struct hyb_model_process *p = &m->processes[r->merge.model.process_of[track]];
	const char *host = hyb_names_text(&m->hosts, p->host);
	char who[128];

	fprintf(to, "%s", hyb_model_who(m, p, who, sizeof(who)));
	if (track != p->first_track)
		fprintf(to, " thread %" PRIu32, p->threads[track - p->first_track].number);
	if (host && r->merge.nodes.count > 1)
		fprintf(to, " on %s", host);
}

#endif
