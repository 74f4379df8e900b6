/* SPDX-License-Identifier: BSD-3-Clause */
/* How a recording's order compares with another one's, as text for 80 columns; see races.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/races/races.h"
#include "reader/streams/printable.h"

#define MOST_RANKS 10

static void print_match(const struct hyb_replay_match *match, FILE *to)
{
	if (match->source >= 0 && match->tag < 0)
		fprintf(to, "a message from rank %" PRId32, match->source);
	else if (match->source >= 0)
		fprintf(to, "tag %" PRId32 " from rank %" PRId32, match->tag, match->source);
	else
		fprintf(to, "nothing (%s)", match->source == HYB_REPLAY_CANCELLED ? "cancelled" : "freed, or failed");
}

static void print_change(const struct hyb_races *r, const struct hyb_race_change *c, const char *indent, FILE *to)
{
	const struct hyb_race_site *s = NULL;

	if (c->item != SIZE_MAX)
		s = hyb_table_at(&r->sites, r->tracks[c->track].items[c->item].region);
	fprintf(to, "rank %" PRIu32 ", receive %" PRIu64 ": got ", c->rank, c->number);
	print_match(&c->got, to);
	fputs(", there ", to);
	print_match(&c->there, to);
	fprintf(to, "\n%s    ", indent);
	if (s)
		hyb_show(to, "%s, %s\n", s->function, hyb_races_place(r, s));
	else
		fputs("by a call that is not known\n", to);
}

/* Those of which none of another rank comes before come first. */
static int by_order(const void *a, const void *b)
{
	const struct hyb_race_change *p = *(const struct hyb_race_change *const *)a;
	const struct hyb_race_change *q = *(const struct hyb_race_change *const *)b;

	if (p->before_all != q->before_all)
		return p->before_all ? -1 : 1;
	return (p > q) - (p < q);
}

/* The first of each rank. */
static int print_first(const struct hyb_races *r, bool all, FILE *to)
{
	const struct hyb_race_change **list = calloc(r->other.count + 1, sizeof(*list));
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < r->other.count; i++) {
		if (r->other.changes[i].first)
			list[n++] = &r->other.changes[i];
	}
	qsort(list, n, sizeof(*list), by_order);
	fprintf(to, "\nThe first of each rank%s:\n", n && list[0]->before_all ? " (*: no other rank's comes before it)" : "");
	for (size_t i = 0; i < n && (all || i < MOST_RANKS); i++) {
		fputs(list[i]->before_all ? "* " : "  ", to);
		print_change(r, list[i], "  ", to);
	}
	if (!all && n > MOST_RANKS)
		fprintf(to, "and of %zu more ranks; --all shows them\n", n - MOST_RANKS);
	free(list);
	return 0;
}

int hyb_races_print_other(const struct hyb_races *r, bool all, FILE *to)
{
	const struct hyb_race_other *o = &r->other;

	if (!o->path)
		return 0;
	if (hyb_races_same_order(r)) {
		hyb_show(to, "the order is the same in %s: ", o->path);
		fprintf(to, "all %" PRIu64 " receives from anyone got the same\n", o->compared);
		return 0;
	}
	fprintf(to, "%zu of %" PRIu64 " receives that name any source or tag got another message in ", o->count, o->compared);
	hyb_show(to, "%s\n", o->path);
	if (o->alone)
		fprintf(to, "%" PRIu64 " more got a message in one of both only: the other ended before, or has no such receive\n",
			o->alone);
	if (o->parted)
		fprintf(to, "%" PRIu64 " rank%s from some receive on post%s other ones there, which are not compared\n", o->parted,
			o->parted == 1 ? "" : "s", o->parted == 1 ? "s" : "");
	if (o->absent)
		fprintf(to, "%" PRIu64 " rank%s missing in one of both\n", o->absent, o->absent == 1 ? " is" : "s are");
	if (o->unknown)
		fprintf(to, "of %" PRIu64 " of these it is not known which call it was\n", o->unknown);
	return o->count ? print_first(r, all, to) : 0;
}

void hyb_races_print_changes(const struct hyb_races *r, FILE *to)
{
	fputs("\nEach receive that got another message there:\n", to);
	for (size_t i = 0; i < r->other.count; i++)
		print_change(r, &r->other.changes[i], "", to);
}
