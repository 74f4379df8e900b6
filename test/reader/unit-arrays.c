/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow, are searched or are a heap: reader/containers/array.h, reader/containers/search.h, reader/containers/heap.h. */
#include <stdint.h>
#include <stdlib.h>

#include "reader/containers/array.h"
#include "reader/containers/heap.h"
#include "reader/containers/search.h"
#include "../lib/tap.h"

static void check_room(void)
{
	size_t room = 0, count, before, moves = 0, wrong = 0;
	uint32_t *items = NULL, *grown;

	for (count = 0; count < 100000; count++) {
		before = room;
		grown = hyb_array_room(items, &room, count, sizeof(*grown));
		if (!grown)
			break;
		moves += room != before;
		wrong += room <= count || (room == before && grown != items);
		items = grown;
		items[count] = (uint32_t)count;
	}
	tap_equal((long long)count, 100000, "an array has room for one more each time");
	tap_equal((long long)wrong, 0, "its room is as it says, and it stays where it is while there is some");
	tap(moves < 20, "it doubles");
	while (count-- > 0)
		wrong += items[count] != count;
	tap_equal((long long)wrong, 0, "its elements stay");
	free(items);
}

static void check_hold(void)
{
	size_t room = 0;
	uint64_t *none = hyb_array_hold(NULL, &room, 0, sizeof(*none)), *items;

	tap(none && room, "room for no element is an array, too");
	items = hyb_array_hold(none, &room, 1000, sizeof(*items));
	tap(items && room >= 1000 && room < 2000, "room for many at once");
	items[999] = 999;
	tap(hyb_array_hold(items, &room, 1000, sizeof(*items)) == items &&
		    hyb_array_hold(items, &room, 7, sizeof(*items)) == items,
	    "that is there already: the array stays");
	free(items);
}

static void check_memory(void)
{
	const size_t element = 64;
	size_t room = 0, before;
	char *items = hyb_array_hold(NULL, &room, 10, element);

	before = room;
	items[0] = 'x';
	tap(!hyb_array_hold(items, &room, SIZE_MAX / element + 2, element), "more bytes than a size can say: NULL");
	tap(!hyb_array_hold(items, &room, SIZE_MAX, element), "more elements than doubling can reach: NULL");
	tap(room == before && items[0] == 'x', "the old array stays then");
	free(items);
}

/* Every number of items, some of them equal, and every key, against looking at one after the other. */
static void check_search(void)
{
	static const int items[] = { 1, 1, 3, 5, 5, 5, 7, 9, 11, 11, 13 };
	const size_t all = sizeof(items) / sizeof(items[0]);
	size_t count, least, greater, asked, most = 0;
	long long wrong = 0;
	int key;

	for (count = 0; count <= all; count++) {
		for (key = 0; key <= 14; key++) {
			for (least = 0; least < count && items[least] < key; least++)
				;
			for (greater = least; greater < count && items[greater] <= key; greater++)
				;
			asked = 0;
			wrong += HYB_SEARCH(i, count, items[i] < key) != least;
			wrong += HYB_SEARCH(at, count, ++asked && items[at] <= key) != greater;
			most = asked > most ? asked : most;
		}
	}
	tap_equal(wrong, 0, "the first item not less than a key, and the first greater one");
	tap_equal((long long)most, 4, "eleven items take four comparisons");
	asked = 0;
	tap(HYB_SEARCH(i, SIZE_MAX, ++asked && i < SIZE_MAX - 1) == SIZE_MAX - 1,
	    "indexes up to the largest do not overflow");
	tap_equal((long long)asked, 64, "that takes a comparison for each bit");
}

#define SEQUENCES 9
#define STEPS	  50

/* Sequences that rise by steps of their own, each from a start of its own and of a length of its own. */
struct sequence {
	uint32_t next;
	uint32_t step;
	uint32_t left;
};

static size_t compared;

static bool is_earlier(const void *a, const void *b, const void *arg)
{
	const struct sequence *x = a, *y = b;

	(void)arg;
	compared++;
	return x->next != y->next ? x->next < y->next : x < y;
}

static void check_heap(void)
{
	struct sequence sequences[SEQUENCES], *s, *last = NULL;
	void *items[SEQUENCES];
	struct hyb_heap heap = { .items = items };
	uint32_t time = 0, i;
	size_t n = 0, all = 0;
	long long wrong = 0;

	for (i = 0; i < SEQUENCES; i++) {
		sequences[i] = (struct sequence){ (i * 5 + 3) % SEQUENCES, i % 4 + 1, STEPS + i };
		all += sequences[i].left;
		items[heap.count++] = &sequences[i];
	}
	hyb_heap_order(&heap, is_earlier, NULL);
	for (; heap.count; n++) {
		s = items[0];
		wrong += s->next < time || (last && s->next == time && s < last);
		time = s->next;
		last = s;
		s->next += s->step;
		hyb_heap_moved(&heap, --s->left != 0, is_earlier, NULL);
	}
	tap_equal((long long)n, (long long)all, "a heap gives each element of all sequences");
	tap_equal(wrong, 0, "in order, those of one time in that of the sequences");
	tap(compared <= (n + SEQUENCES) * 6, "with two comparisons at each of three levels");
}

int main(void)
{
	check_heap();
	check_search();
	check_room();
	check_hold();
	check_memory();
	return tap_done();
}
