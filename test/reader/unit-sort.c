/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting by way of a file, and maps of what comes and goes: reader/containers/sort.h, reader/containers/keymap.h. */
#include <stdlib.h>
#include <string.h>

#include "reader/containers/keymap.h"
#include "reader/containers/sort.h"
#include "../lib/tap.h"

struct record {
	uint64_t key;
	uint64_t number; /* tells equal keys apart */
};

static int compare(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static uint64_t state = 1;

static uint64_t next_random(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 33;
}

/* How many records come back, in order and each once; -1: not so. */
static long long read_back(struct hyb_sort *s, uint64_t count)
{
	const struct record *r;
	struct record last = { 0, 0 };
	unsigned char *seen = calloc(count + 1, 1);
	const void *record;
	long long n = 0;

	while (seen && hyb_sort_next(s, &record) > 0) {
		r = record;
		if ((n && compare(&last, r) >= 0) || r->number >= count || seen[r->number]++)
			break;
		last = *r;
		n++;
	}
	free(seen);
	return hyb_sort_next(s, &record) == 0 ? n : -1;
}

/* Half of all records have the largest, and of the others each two have one. */
static uint64_t key(const void *record)
{
	const struct record *r = record;

	return hyb_sort_part(r->key / 2, 6);
}

/* `count` records with a run of `run` in memory. */
static void check_count(uint64_t count, size_t run, bool keys, const char *name)
{
	struct hyb_sort s;
	struct record r;

	tap_equal(hyb_sort_init(&s, "/tmp", run * sizeof(r), sizeof(r), compare), 0, name);
	if (keys)
		hyb_sort_by_key(&s, key);
	for (uint64_t i = 0; i < count; i++) {
		r = (struct record){ next_random() % (count / 4 + 1), i };
		if (hyb_sort_add(&s, &r, 1))
			break;
	}
	tap_equal(hyb_sort_rewind(&s), 0, "  can be read");
	tap_equal(read_back(&s, count), (long long)count, "  in order, each once");
	tap_equal(hyb_sort_rewind(&s), 0, "  and again");
	tap_equal(read_back(&s, count), (long long)count, "  in order, each once");
	hyb_sort_free(&s);
}

static void *add_some(void *arg)
{
	struct record r[7];

	for (uint64_t i = 0; i < 7000; i += 7) {
		for (uint64_t k = 0; k < 7; k++)
			r[k] = (struct record){ 7 * k, __atomic_fetch_add(&state, 1, __ATOMIC_RELAXED) };
		hyb_sort_add(arg, r, 7);
	}
	return NULL;
}

static void check_threads(void)
{
	pthread_t threads[4];
	struct hyb_sort s;

	state = 0;
	tap_equal(hyb_sort_init(&s, "/tmp", 1000, sizeof(struct record), compare), 0, "four threads add");
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, add_some, &s);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	tap_equal(hyb_sort_rewind(&s), 0, "  can be read");
	tap_equal(read_back(&s, 28000), 28000, "  in order, each once");
	hyb_sort_free(&s);
}

/* Against an array: keys come and go. */
static void check_map(void)
{
	struct hyb_key_map map = { .entries = NULL };
	static int64_t there[512]; /* 0: not there */
	long long wrong = 0;
	int64_t value;
	uint64_t key;
	bool had;

	for (int i = 0; i < 200000; i++) {
		key = 1 + next_random() % 511;
		if (next_random() % 2) {
			wrong += hyb_key_map_put(&map, key, i + 1) != 0;
			there[key] = i + 1;
			continue;
		}
		had = hyb_key_map_take(&map, key, &value);
		wrong += had != (there[key] != 0) || (had && value != there[key]);
		there[key] = 0;
	}
	tap_equal(wrong, 0, "a map has what an array has");
	tap_equal(map.room <= 2048, 1, "and is no larger than it need be");
	hyb_key_map_free(&map);
}

int main(void)
{
	check_count(0, 10, false, "nothing");
	check_count(0, 10, true, "nothing, by keys");
	check_count(9, 10, false, "less than a run");
	check_count(9, 10, true, "less than a run, by keys");
	check_count(100, 10, false, "some runs");
	check_count(100, 10, true, "some runs, by keys");
	check_count(100000, 10, false, "runs of runs of runs");
	check_count(100000, 10, true, "runs of runs of runs, by keys");
	check_threads();
	check_map();
	return tap_done();
}
