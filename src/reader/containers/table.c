/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash tables with open addressing over an array; see table.h. */
#include "reader/containers/table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64u

void hyb_table_init(struct hyb_table *t, size_t entry_size, hyb_table_same same)
{
	memset(t, 0, sizeof(*t));
	t->entry_size = entry_size;
	t->same = same;
}

void hyb_table_init_keyed(struct hyb_table *t, size_t entry_size, size_t key_size)
{
	hyb_table_init(t, entry_size, NULL);
	t->key_size = key_size;
}

void hyb_table_free(struct hyb_table *t)
{
	const size_t key_size = t->key_size;

	free(t->entries);
	free(t->hashes);
	free(t->slots);
	hyb_table_init(t, t->entry_size, t->same);
	t->key_size = key_size;
}

void hyb_table_clear(struct hyb_table *t)
{
	if (t->slots)
		memset(t->slots, 0, (size_t)t->room * 2 * sizeof(*t->slots));
	t->count = 0;
}

void *hyb_table_find(const struct hyb_table *t, uint64_t hash, const void *key)
{
	uint32_t mask = t->room * 2 - 1, h = (uint32_t)hash, i, at;

	if (!t->room)
		return NULL;
	for (i = h & mask; t->slots[i]; i = (i + 1) & mask) {
		at = t->slots[i] - 1;
		if (t->hashes[at] == h && t->same(hyb_table_at(t, at), key))
			return hyb_table_at(t, at);
	}
	return NULL;
}

/* Keys are short: a loop over their words is less than a call of memcmp, or a whole mix of each. */
static uint64_t hash_key(const struct hyb_table *t, const void *key)
{
	const char *p = key;
	uint64_t h = 0, word;
	uint32_t half = 0;
	size_t n;

	for (n = t->key_size; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	}
	if (n)
		memcpy(&half, p, sizeof(half));
	return hyb_mix(h ^ half);
}

static bool same_key(const struct hyb_table *t, const void *a, const void *b)
{
	const char *p = a, *q = b;
	uint64_t x, y;
	uint32_t v, w;
	size_t n;

	for (n = t->key_size; n >= sizeof(x); n -= sizeof(x), p += sizeof(x), q += sizeof(y)) {
		memcpy(&x, p, sizeof(x));
		memcpy(&y, q, sizeof(y));
		if (x != y)
			return false;
	}
	if (!n)
		return true;
	memcpy(&v, p, sizeof(v));
	memcpy(&w, q, sizeof(w));
	return v == w;
}

static void *look(const struct hyb_table *t, uint64_t hash, const void *key)
{
	uint32_t mask = t->room * 2 - 1, h = (uint32_t)hash, i, at;

	if (!t->room)
		return NULL;
	for (i = h & mask; t->slots[i]; i = (i + 1) & mask) {
		at = t->slots[i] - 1;
		if (t->hashes[at] == h && same_key(t, hyb_table_at(t, at), key))
			return hyb_table_at(t, at);
	}
	return NULL;
}

void *hyb_table_look(const struct hyb_table *t, const void *key)
{
	return look(t, hash_key(t, key), key);
}

static void put_slot(struct hyb_table *t, uint32_t index)
{
	uint32_t mask = t->room * 2 - 1, i;

	for (i = t->hashes[index] & mask; t->slots[i]; i = (i + 1) & mask)
		;
	t->slots[i] = index + 1;
}

static int grow(struct hyb_table *t)
{
	uint32_t room = t->room ? t->room * 2 : FIRST_ROOM, i;
	uint32_t *slots, *hashes;
	char *entries;

	if (room > UINT32_MAX / 4)
		return -1;
	entries = realloc(t->entries, room * t->entry_size);
	if (!entries)
		return -1;
	t->entries = entries;
	hashes = realloc(t->hashes, room * sizeof(*hashes));
	if (!hashes)
		return -1;
	t->hashes = hashes;
	slots = calloc((size_t)room * 2, sizeof(*slots));
	if (!slots)
		return -1;
	free(t->slots);
	t->slots = slots;
	t->room = room;
	for (i = 0; i < t->count; i++)
		put_slot(t, i);
	return 0;
}

void *hyb_table_add(struct hyb_table *t, uint64_t hash)
{
	void *entry;

	if (t->count == t->room && grow(t))
		return NULL;
	entry = hyb_table_at(t, t->count);
	memset(entry, 0, t->entry_size);
	t->hashes[t->count] = (uint32_t)hash;
	put_slot(t, t->count++);
	return entry;
}

void *hyb_table_get(struct hyb_table *t, const void *key)
{
	const uint64_t hash = hash_key(t, key);
	void *entry = look(t, hash, key);

	if (!entry && (entry = hyb_table_add(t, hash)))
		memcpy(entry, key, t->key_size);
	return entry;
}

uint64_t hyb_hash_bytes(const void *data, size_t size)
{
	const unsigned char *p = data;
	uint64_t h = size, word;
	size_t n;

	for (; size; size -= n, p += n) {
		n = size < sizeof(word) ? size : sizeof(word);
		word = 0;
		memcpy(&word, p, n);
		h = hyb_mix(h * UINT64_C(0x9e3779b97f4a7c15) + word);
	}
	return h;
}
