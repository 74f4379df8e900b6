/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of requests; see requests.h. */
#include "merge/mpi/requests.h"

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

static uint64_t bit_of(uint64_t request)
{
	return UINT64_C(1) << (request % 64);
}

static struct word *find(const struct hyb_requests *r, uint64_t key)
{
	return hyb_table_find(&r->words, hyb_mix(key), &key);
}

/*
 * Requests begin and end, and their words are empty again: those go before the table grows, so that memory goes with
 * what is in the set and not with what ever was. 0 or -ENOMEM.
 */
static int drop_empty(struct hyb_requests *r)
{
	struct hyb_table all = r->words;
	struct word *w, *kept;
	uint32_t i, full = 0;

	for (i = 0; i < all.count; i++)
		full += ((struct word *)hyb_table_at(&all, i))->members != 0;
	if (full > all.count / 2)
		return 0;
	hyb_table_init(&r->words, sizeof(*w), same_word);
	for (i = 0; i < all.count; i++) {
		w = hyb_table_at(&all, i);
		if (!w->members)
			continue;
		kept = hyb_table_add(&r->words, hyb_mix(w->key));
		if (!kept) {
			hyb_table_free(&r->words);
			r->words = all;
			return -ENOMEM;
		}
		*kept = *w;
	}
	hyb_table_free(&all);
	return 0;
}

/* The word with that key, made if need be; NULL without memory. */
static struct word *get(struct hyb_requests *r, uint64_t key)
{
	struct word *w;

	if (!r->words.entry_size)
		hyb_table_init(&r->words, sizeof(*w), same_word);
	w = find(r, key);
	if (!w) {
		if (r->words.count && r->words.count == r->words.room && drop_empty(r))
			return NULL;
		w = hyb_table_add(&r->words, hyb_mix(key));
		if (w)
			w->key = key;
	}
	return w;
}

bool hyb_requests_find(const struct hyb_requests *r, uint64_t request)
{
	const struct word *w = find(r, request / 64);

	return w && w->members & bit_of(request);
}

int hyb_requests_toggle(struct hyb_requests *r, uint64_t request)
{
	struct word *w = get(r, request / 64);

	if (!w)
		return -ENOMEM;
	w->members ^= bit_of(request);
	if (w->members & bit_of(request))
		r->count++;
	else
		r->count--;
	return 0;
}

int hyb_requests_add(struct hyb_requests *r, uint64_t request)
{
	return hyb_requests_has(r, request) ? 0 : hyb_requests_toggle(r, request);
}

void hyb_requests_free(struct hyb_requests *r)
{
	if (r->words.entry_size)
		hyb_table_free(&r->words);
	memset(r, 0, sizeof(*r));
}
