/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spots have numbers in the order in which threads that read streams side by side come upon them. Where the search for
 * causes has to choose, it chooses by number, so they get others, by what they are: then it finds the same each time.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/profile/spots.h"
#include "reader/containers/sort.h"

struct place {
	uint32_t spot;
	uint32_t depth;
	uint32_t parent; /* its new number */
	uint32_t kind;
	uint32_t region;
	uint32_t detail;
};

static int by_depth(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	HYB_SORT_BY(x->depth, y->depth);
	HYB_SORT_BY(x->spot, y->spot);
	return 0;
}

static int by_nature(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	HYB_SORT_BY(x->parent, y->parent);
	HYB_SORT_BY(x->kind, y->kind);
	HYB_SORT_BY(x->region, y->region);
	HYB_SORT_BY(x->detail, y->detail);
	return 0;
}

/* Parents have lower numbers than their children. */
static void find_places(const struct hyb_spots *spots, struct place *places)
{
	for (uint32_t i = 0; i < spots->table.count; i++) {
		const struct hyb_spot *s = hyb_spots_at(spots, i);

		places[i] = (struct place){
			.spot = i, .depth = i ? places[s->parent].depth + 1 : 0, .parent = s->parent, .kind = s->kind,
			.region = s->region ? s->region->id : UINT32_MAX, .detail = s->detail,
		};
	}
}

/* Level by level, since a parent's new number has to be known. */
static void number(struct place *places, uint32_t count, uint32_t *number_of)
{
	uint32_t first = 0, end;

	qsort(places, count, sizeof(*places), by_depth);
	for (; first < count; first = end) {
		for (end = first; end < count && places[end].depth == places[first].depth; end++)
			places[end].parent = end ? number_of[places[end].parent] : 0;
		qsort(places + first, end - first, sizeof(*places), by_nature);
		for (uint32_t i = first; i < end; i++)
			number_of[places[i].spot] = i;
	}
}

int hyb_spots_order(struct hyb_spots *spots, uint32_t **number_of)
{
	const uint32_t count = spots->table.count;
	struct place *places = calloc(count + 1, sizeof(*places));
	uint32_t *numbers = calloc(count + 1, sizeof(*numbers));
	struct hyb_spots ordered;
	int err = hyb_spots_init(&ordered);

	if (!places || !numbers)
		err = -ENOMEM;
	if (!err) {
		find_places(spots, places);
		number(places, count, numbers);
	}
	for (uint32_t i = 1; i < count && !err; i++) {
		struct hyb_spot like = *hyb_spots_at(spots, places[i].spot);

		like.parent = numbers[like.parent];
		if (hyb_spots_get(&ordered, &like) == HYB_SPOT_NONE)
			err = -ENOMEM;
	}
	free(places);
	if (err) {
		free(numbers);
	} else {
		const struct hyb_table before = spots->table;

		spots->table = ordered.table;
		ordered.table = before;
		*number_of = numbers;
	}
	hyb_spots_free(&ordered);
	return err;
}
