/* SPDX-License-Identifier: BSD-3-Clause */
/* The critical path as text. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/report/report-lines.h"

#define PLACES 5 /* that are shown */

static int put_place(const struct hyb_report *r, const struct hyb_critical_spot *s, FILE *to)
{
	struct line l;
	FILE *line = begin_line(&l);
	int at;

	if (!line)
		return -ENOMEM;
	hyb_report_tell_spot(r, s->spot, line);
	at = fprintf(to, "%12.6f s %6.2f %% %10.6f s  ", (double)s->ns / 1e9, percent(s->ns, r->critical.ns),
		     (double)(s->imbalance > 0 ? s->imbalance : 0) / 1e9);
	end_line(&l, to, at, at);
	return 0;
}

/* Through which threads it leads. */
static int put_threads(const struct hyb_report *r, FILE *to)
{
	const struct hyb_table *threads = &r->critical.threads;
	struct line l;
	FILE *line = begin_line(&l);

	if (!line)
		return -ENOMEM;
	fputs("It leads through", line);
	for (uint32_t i = 0; i < threads->count && i < PLACES; i++) {
		const struct hyb_critical_thread *t = hyb_table_at(threads, i);

		fputs(i ? ", " : " ", line);
		tell_who(r, t->track, line);
		fprintf(line, " (%.1f %%)", percent(t->ns, r->critical.ns));
	}
	if (threads->count > PLACES)
		fprintf(line, ", and %" PRIu32 " more", threads->count - PLACES);
	putc('.', line);
	end_line(&l, to, 0, 0);
	return 0;
}

int hyb_report_print_critical(const struct hyb_report *r, FILE *to)
{
	const struct hyb_critical *c = &r->critical;
	uint32_t shown = r->options.all || c->spots.count < PLACES ? c->spots.count : PLACES;
	int err = 0;

	if (r->threads < 2 || c->ns <= 0)
		return 0;
	fprintf(to, "\nCritical path, the longest chain of work and messages: %.6f s\n",
		(double)c->ns / 1e9);
	fprintf(to, "With all work spread evenly over the threads: %.6f s (%.1f %%) less\n",
		(double)(c->imbalance > 0 ? c->imbalance : 0) / 1e9,
		percent(c->imbalance > 0 ? c->imbalance : 0, c->ns));
	err = put_threads(r, to);
	if (!err)
		fputs("     on the path             saved so  where\n", to);
	for (uint32_t i = 0; !err && i < shown; i++)
		err = put_place(r, hyb_table_at(&c->spots, i), to);
	if (shown < c->spots.count)
		fprintf(to, "%38s%" PRIu32 " more: --all\n", "", c->spots.count - shown);
	return err;
}
