/* SPDX-License-Identifier: BSD-3-Clause */
/* What a replay needs that gives a receive another message; see races.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/races/races.h"

static const struct hyb_race *find(const struct hyb_races *r, uint64_t rank, uint64_t number, uint64_t source)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct hyb_race *race = &r->list[i];

		if (r->tracks[race->track].items[race->receive].open == number && hyb_races_rank(r, race->track) == rank &&
		    hyb_races_rank(r, race->sender) == source)
			return race;
	}
	return NULL;
}

/* Receives of a thread among its first items that name any source or tag. */
static uint64_t open_ones(const struct hyb_race_track *t, size_t items)
{
	uint64_t n = 0;

	for (size_t i = 0; i < items; i++)
		n += t->items[i].what == HYB_RACE_RECEIVE && t->items[i].open != HYB_RACES_UNKNOWN;
	return n;
}

int hyb_races_flip(struct hyb_races *r, uint64_t rank, uint64_t number, uint64_t source, FILE *to)
{
	const struct hyb_race *race = find(r, rank, number, source);
	uint32_t *items;
	int err;

	if (!race) {
		fprintf(stderr, "hybmon races: receive %" PRIu64 " of rank %" PRIu64 " could not have got a message from rank %" PRIu64
			"; hybmon races --all shows what could have come\n", number, rank, source);
		return -ENOENT;
	}
	items = calloc(r->track_count + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	err = hyb_races_clocks(r, race->track, race->receive, items);
	if (!err)
		fprintf(to, "flip %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32 "\n", rank, number, race->source,
			r->tracks[race->sender].items[race->send].tag);
	for (size_t t = 0; t < r->track_count && !err; t++) {
		const struct hyb_model_process *p = hyb_races_process(r, t);

		if (p->first_track == t)
			fprintf(to, "keep %" PRIu32 " %" PRIu64 "\n", p->group, open_ones(&r->tracks[t], items[t]));
	}
	free(items);
	return err;
}
