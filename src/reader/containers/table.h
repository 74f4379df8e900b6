/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A growing array of entries of one size that are found by hash. Entries keep their index for ever,
 * their address only until the next one is added.
 */
#ifndef HYB_READER_CONTAINERS_TABLE_H
#define HYB_READER_CONTAINERS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool (*hyb_table_same)(const void *entry, const void *key);

struct hyb_table {
	size_t entry_size;
	size_t key_size; /* of one with keys: bytes at the begin of an entry */
	hyb_table_same same;
	char *entries;
	uint32_t *hashes; /* of each entry */
	uint32_t *slots;  /* index of an entry + 1, 0: free */
	uint32_t count;
	uint32_t room; /* entries; the slots are twice as many, a power of two */
};

void hyb_table_init(struct hyb_table *t, size_t entry_size, hyb_table_same same);
void hyb_table_free(struct hyb_table *t);
/* The entry that `same` accepts for key, or NULL. */
void *hyb_table_find(const struct hyb_table *t, uint64_t hash, const void *key);
/* A new entry of zeroes, which the caller fills so that `same` finds it, or NULL without memory. */
void *hyb_table_add(struct hyb_table *t, uint64_t hash);
/*
 * A table in which the first bytes of an entry are its key, a multiple of 4 without padding between members. Entries
 * are found by look and get, which need no hash.
 */
void hyb_table_init_keyed(struct hyb_table *t, size_t entry_size, size_t key_size);
/* The same for entries of a struct; `last` is the last member of the key. */
#define HYB_TABLE_KEYED(t, type, last) \
	hyb_table_init_keyed(t, sizeof(type), offsetof(type, last) + sizeof(((type *)NULL)->last))
/* The entry with that key, or NULL. */
void *hyb_table_look(const struct hyb_table *t, const void *key);
/* The same, or a new entry of its key and zeroes; NULL without memory. */
void *hyb_table_get(struct hyb_table *t, const void *key);
/* Removes all entries and keeps the memory. */
void hyb_table_clear(struct hyb_table *t);

static inline void *hyb_table_at(const struct hyb_table *t, uint32_t i)
{
	return t->entries + (size_t)i * t->entry_size;
}

static inline uint32_t hyb_table_index(const struct hyb_table *t, const void *entry)
{
	return (uint32_t)((size_t)((const char *)entry - t->entries) / t->entry_size);
}

/* Spreads x over all 64 bits (the finisher of MurmurHash3). */
static inline uint64_t hyb_mix(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

uint64_t hyb_hash_bytes(const void *data, size_t size);

#endif
