/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of numbers; see numbers.h. */
#include "reader/containers/numbers.h"

#include <errno.h>
#include <string.h>

struct word { /* 64 numbers that follow each other */
	uint64_t key;
	uint64_t members;
};

static bool same_word(const void *entry, const void *key)
{
	return !memcmp(entry, key, sizeof(uint64_t));
}

static uint64_t bit_of(uint64_t number)
{
	return UINT64_C(1) << (number % 64);
}

static struct word *find(const struct hyb_numbers *n, uint64_t key)
{
	return hyb_table_find(&n->words, hyb_mix(key), &key);
}

/*
 * Requests begin and end, and their words are empty again: those go before the table grows, so that memory goes with
 * what is in the set and not with what ever was. 0 or -ENOMEM.
 */
static int drop_empty(struct hyb_numbers *n)
{
	struct hyb_table all = n->words;
	struct word *w, *kept;
	uint32_t i, full = 0;

	for (i = 0; i < all.count; i++)
		full += ((struct word *)hyb_table_at(&all, i))->members != 0;
	if (full > all.count / 2)
		return 0;
	hyb_table_init(&n->words, sizeof(*w), same_word);
	for (i = 0; i < all.count; i++) {
		w = hyb_table_at(&all, i);
		if (!w->members)
			continue;
		kept = hyb_table_add(&n->words, hyb_mix(w->key));
		if (!kept) {
			hyb_table_free(&n->words);
			n->words = all;
			return -ENOMEM;
		}
		*kept = *w;
	}
	hyb_table_free(&all);
	return 0;
}

/* The word with that key, made if need be; NULL without memory. */
static struct word *get(struct hyb_numbers *n, uint64_t key)
{
	struct word *w;

	if (!n->words.entry_size)
		hyb_table_init(&n->words, sizeof(*w), same_word);
	w = find(n, key);
	if (!w) {
		if (n->words.count && n->words.count == n->words.room && drop_empty(n))
			return NULL;
		w = hyb_table_add(&n->words, hyb_mix(key));
		if (w)
			w->key = key;
	}
	return w;
}

bool hyb_numbers_find(const struct hyb_numbers *n, uint64_t number)
{
	const struct word *w = find(n, number / 64);

	return w && w->members & bit_of(number);
}

int hyb_numbers_toggle(struct hyb_numbers *n, uint64_t number)
{
	struct word *w = get(n, number / 64);

	if (!w)
		return -ENOMEM;
	w->members ^= bit_of(number);
	if (w->members & bit_of(number))
		n->count++;
	else
		n->count--;
	return 0;
}

int hyb_numbers_add(struct hyb_numbers *n, uint64_t number)
{
	return hyb_numbers_has(n, number) ? 0 : hyb_numbers_toggle(n, number);
}

void hyb_numbers_free(struct hyb_numbers *n)
{
	if (n->words.entry_size)
		hyb_table_free(&n->words);
	memset(n, 0, sizeof(*n));
}
