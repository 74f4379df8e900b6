/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables without a lock for who looks up; see intern.h. */
#include "core/sys/intern.h"

#include <string.h>

#include "core/sys/memory.h"
#include "core/sys/sys.h"

#define PLACES_FIRST 256

uint64_t hyb_intern_hash(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *p = bytes;
	uint64_t word;

	hash ^= length;
	for (; length >= sizeof(word); length -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	word = 0;
	memcpy(&word, p, length);
	hash = (hash ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
	return hash ^ hash >> 32;
}

struct hyb_interned *hyb_intern_find(const struct hyb_intern *in, uint64_t hash, hyb_intern_same *same, const void *key)
{
	/* Pairs with the release in make_room(). */
	const struct hyb_intern_table *table = __atomic_load_n(&in->table, __ATOMIC_ACQUIRE);
	struct hyb_interned *entry;

	for (uint64_t i = hash; table; i++) {
		/* Pairs with the release in hyb_intern_get(). */
		entry = __atomic_load_n(&table->places[i & table->mask], __ATOMIC_ACQUIRE);
		if (!entry || (entry->hash == hash && same(entry, key)))
			return entry;
	}
	return NULL;
}

static struct hyb_interned **free_place(struct hyb_intern_table *table, uint64_t hash)
{
	uint64_t i = hash;

	while (table->places[i & table->mask])
		i++;
	return &table->places[i & table->mask];
}

/* Never more than half full, so that looking up ends. */
static bool make_room(struct hyb_intern *in)
{
	struct hyb_intern_table *old = in->table, *table;
	uint64_t room = old ? 2 * (old->mask + 1) : PLACES_FIRST;

	if (old && 2 * in->used <= old->mask)
		return true;
	table = hyb_alloc(sizeof(*table) + room * sizeof(table->places[0]));
	if (!table)
		return false;
	table->mask = room - 1;
	table->older = old;
	for (uint64_t i = 0; old && i <= old->mask; i++) {
		if (old->places[i])
			*free_place(table, old->places[i]->hash) = old->places[i];
	}
	__atomic_store_n(&in->table, table, __ATOMIC_RELEASE);
	return true;
}

struct hyb_interned *hyb_intern_get(struct hyb_intern *in, uint64_t hash, hyb_intern_same *same,
				    hyb_intern_make *make, const void *key)
{
	struct hyb_interned *entry = hyb_intern_find(in, hash, same, key);
	uint64_t signals;

	if (entry)
		return entry;
	hyb_sys_lock(&in->lock, &signals);
	entry = hyb_intern_find(in, hash, same, key);
	if (!entry && make_room(in)) {
		entry = make(key);
		if (entry) {
			entry->hash = hash;
			in->used++;
			__atomic_store_n(free_place(in->table, hash), entry, __ATOMIC_RELEASE);
		}
	}
	hyb_sys_unlock(&in->lock, &signals);
	return entry;
}
