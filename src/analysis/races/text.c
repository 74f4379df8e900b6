/* SPDX-License-Identifier: BSD-3-Clause */
/* Races as text for 80 columns; see races.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/races/races.h"
#include "reader/streams/printable.h"

#define MOST_SENDERS 3 /* of a place, in a short list */
#define MOST_PLACES 10

static const struct hyb_race_site *site_at(const struct hyb_races *r, uint32_t i)
{
	return hyb_table_at(&r->sites, i);
}

static const struct hyb_races *sorted;

static int by_raced(const void *a, const void *b)
{
	const struct hyb_race_site *p = site_at(sorted, *(const uint32_t *)a), *q = site_at(sorted, *(const uint32_t *)b);

	if (p->changed != q->changed)
		return p->changed > q->changed ? -1 : 1;
	if (p->raced != q->raced)
		return p->raced > q->raced ? -1 : 1;
	return (p > q) - (p < q);
}

static int by_count(const void *a, const void *b)
{
	const struct hyb_race_pair *p = *(const struct hyb_race_pair *const *)a, *q = *(const struct hyb_race_pair *const *)b;

	if (p->count != q->count)
		return p->count > q->count ? -1 : 1;
	return (p->send > q->send) - (p->send < q->send);
}

/* From where the other messages came. */
static int print_senders(const struct hyb_races *r, uint32_t receive, bool all, FILE *to)
{
	const struct hyb_race_pair **pairs = calloc(r->pairs.count + 1, sizeof(*pairs));
	size_t n = 0;

	if (!pairs)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->pairs.count; i++) {
		const struct hyb_race_pair *pair = hyb_table_at(&r->pairs, i);

		if (pair->receive == receive)
			pairs[n++] = pair;
	}
	qsort(pairs, n, sizeof(*pairs), by_count);
	for (size_t i = 0; i < n && (all || i < MOST_SENDERS); i++) {
		const struct hyb_race_site *s = site_at(r, pairs[i]->send);

		fprintf(to, "%*s%9" PRIu64 "  from %s, ", r->other.path ? 33 : 24, "", pairs[i]->count, s->function);
		hyb_show(to, "%s\n", hyb_races_place(r, s));
	}
	if (!all && n > MOST_SENDERS)
		fprintf(to, "%*s  and %zu more places\n", r->other.path ? 42 : 33, "", n - MOST_SENDERS);
	free(pairs);
	return 0;
}

static void print_place(const struct hyb_races *r, const struct hyb_race_site *s, FILE *to)
{
	/* Beside another recording those count that name any tag, too. */
	fprintf(to, "%9" PRIu64 "%8" PRIu64, r->other.path && s->compared > s->receives ? s->compared : s->receives, s->raced);
	if (r->other.path)
		fprintf(to, "%9" PRIu64, s->changed);
	fprintf(to, "%10s  %s, ", "", s->function);
	hyb_show(to, "%s\n", hyb_races_place(r, s));
}

static int print_places(const struct hyb_races *r, bool all, FILE *to)
{
	uint32_t *order = calloc(r->sites.count + 1, sizeof(*order));
	uint32_t n = 0;
	int err = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->sites.count; i++) {
		if (site_at(r, i)->raced || site_at(r, i)->changed)
			order[n++] = i;
	}
	sorted = r;
	qsort(order, n, sizeof(*order), by_raced);
	if (n)
		fprintf(to, "\n receives   raced%s  messages  where\n", r->other.path ? "  changed" : "");
	for (uint32_t i = 0; i < n && !err && (all || i < MOST_PLACES); i++) {
		print_place(r, site_at(r, order[i]), to);
		err = print_senders(r, order[i], all, to);
	}
	if (!all && n > MOST_PLACES)
		fprintf(to, "and %" PRIu32 " more places; --all shows them\n", n - MOST_PLACES);
	free(order);
	return err;
}

/* Each receive with the messages that it could have got. */
static void print_list(const struct hyb_races *r, FILE *to)
{
	fputs("\nEach of these receives, and what else it could have got:\n", to);
	for (size_t i = 0; i < r->count; i++) {
		const struct hyb_race *race = &r->list[i];
		const struct hyb_race_item *receive = &r->tracks[race->track].items[race->receive];
		const struct hyb_race_item *send = &r->tracks[race->sender].items[race->send];

		if (!i || race[-1].track != race->track || race[-1].receive != race->receive) {
			fprintf(to, "rank %" PRIu32 ", ", hyb_races_rank(r, race->track));
			if (receive->open == HYB_RACES_UNKNOWN)
				fputs("a receive", to);
			else
				fprintf(to, "receive %" PRIu64, receive->open);
			fprintf(to, ": got tag %" PRIu32 " from rank %" PRIu32 "\n", receive->tag, receive->peer);
		}
		fprintf(to, "    tag %" PRIu32 " from rank %" PRIu32 ", ", send->tag, hyb_races_rank(r, race->sender));
		fprintf(to, "%s, ", site_at(r, send->region)->function);
		hyb_show(to, "%s\n", hyb_races_place(r, site_at(r, send->region)));
	}
}

int hyb_races_print(const struct hyb_races *r, bool all, FILE *to)
{
	int err;

	if (r->track_count)
		fprintf(to, "%" PRIu64 " receives name any source; %" PRIu64 " of them could have got another message\n", r->receives,
			r->raced);
	else
		fputs("there are no events (--order=only): what else could have come is not known\n", to);
	if (r->unknown)
		fprintf(to, "of %zu thread%s it is not known what %s receives named: record with HYBMON_ORDER=yes; threads but the main one\n"
			"are never known\n", r->unknown, r->unknown == 1 ? "" : "s", r->unknown == 1 ? "its" : "their");
	if (r->paused)
		fprintf(to, "recording was paused in %zu thread%s: messages of that time are not looked at,\n"
			"and what receives named after it is not known\n", r->paused, r->paused == 1 ? "" : "s");
	err = hyb_races_print_other(r, all, to);
	if (!err)
		err = print_places(r, all, to);
	if (!err && all && r->other.count)
		hyb_races_print_changes(r, to);
	if (!err && all && r->count)
		print_list(r, to);
	return err;
}
