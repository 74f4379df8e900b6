/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of what a job did; see tally.h. */
#include "analysis/check/tally.h"

#include <string.h>

static uint64_t hash_of(uint64_t a, uint64_t b)
{
	return hyb_mix(hyb_mix(a) + b);
}

static bool same_channel(const void *entry, const void *key)
{
	const struct hyb_channel *a = entry, *b = key;

	return a->comm == b->comm && a->source == b->source && a->destination == b->destination &&
	       a->tag == b->tag;
}

static uint64_t channel_hash(const struct hyb_channel *k)
{
	return hash_of((uint64_t)k->comm << 32 | (uint32_t)k->tag,
		       (uint64_t)k->source << 32 | k->destination);
}

static bool same_sequence(const void *entry, const void *key)
{
	const struct hyb_sequence *a = entry, *b = key;

	return a->comm == b->comm && a->member == b->member;
}

static bool same_fences(const void *entry, const void *key)
{
	const struct hyb_fences *a = entry, *b = key;

	return a->win == b->win && a->member == b->member;
}

static bool same_access(const void *entry, const void *key)
{
	const struct hyb_access *a = entry, *b = key;

	return a->win == b->win && a->origin == b->origin && a->target == b->target;
}

static bool same_call(const void *entry, const void *key)
{
	const struct hyb_last_call *a = entry, *b = key;

	return a->process == b->process && a->region == b->region;
}

void hyb_tally_init(struct hyb_tally *t)
{
	hyb_table_init(&t->channels, sizeof(struct hyb_channel), same_channel);
	hyb_table_init(&t->sequences, sizeof(struct hyb_sequence), same_sequence);
	hyb_table_init(&t->fences, sizeof(struct hyb_fences), same_fences);
	hyb_table_init(&t->accesses, sizeof(struct hyb_access), same_access);
	hyb_table_init(&t->calls, sizeof(struct hyb_last_call), same_call);
}

void hyb_tally_free(struct hyb_tally *t)
{
	hyb_table_free(&t->channels);
	hyb_table_free(&t->sequences);
	hyb_table_free(&t->fences);
	hyb_table_free(&t->accesses);
	hyb_table_free(&t->calls);
}

/* The entry that is there, or a new one like `key`. */
static void *get(struct hyb_table *t, uint64_t hash, const void *key)
{
	void *found = hyb_table_find(t, hash, key);

	if (!found) {
		found = hyb_table_add(t, hash);
		if (found)
			memcpy(found, key, t->entry_size);
	}
	return found;
}

struct hyb_channel *hyb_tally_channel(struct hyb_tally *t, const struct hyb_channel *key)
{
	return get(&t->channels, channel_hash(key), key);
}

const struct hyb_channel *hyb_tally_find_channel(const struct hyb_tally *t,
						 const struct hyb_channel *key)
{
	return hyb_table_find(&t->channels, channel_hash(key), key);
}

struct hyb_sequence *hyb_tally_sequence(struct hyb_tally *t, uint32_t comm, uint32_t member)
{
	const struct hyb_sequence key = { .comm = comm, .member = member, .stride = 1 };

	return get(&t->sequences, hash_of(comm, member), &key);
}

const struct hyb_sequence *hyb_tally_find_sequence(const struct hyb_tally *t, uint32_t comm,
						   uint32_t member)
{
	const struct hyb_sequence key = { .comm = comm, .member = member };

	return hyb_table_find(&t->sequences, hash_of(comm, member), &key);
}

struct hyb_fences *hyb_tally_fences(struct hyb_tally *t, uint32_t win, uint32_t member)
{
	const struct hyb_fences key = { .win = win, .member = member };

	return get(&t->fences, hash_of(win, member), &key);
}

const struct hyb_fences *hyb_tally_find_fences(const struct hyb_tally *t, uint32_t win,
					       uint32_t member)
{
	const struct hyb_fences key = { .win = win, .member = member };

	return hyb_table_find(&t->fences, hash_of(win, member), &key);
}

struct hyb_access *hyb_tally_access(struct hyb_tally *t, uint32_t win, uint32_t origin,
				    uint32_t target)
{
	const struct hyb_access key = { .win = win, .origin = origin, .target = target };

	return get(&t->accesses, hash_of(win, (uint64_t)origin << 32 | target), &key);
}

const struct hyb_access *hyb_tally_find_access(const struct hyb_tally *t, uint32_t win,
					       uint32_t origin, uint32_t target)
{
	const struct hyb_access key = { .win = win, .origin = origin, .target = target };

	return hyb_table_find(&t->accesses, hash_of(win, (uint64_t)origin << 32 | target), &key);
}

struct hyb_last_call *hyb_tally_call(struct hyb_tally *t, uint32_t process, const void *region)
{
	const struct hyb_last_call key = { .process = process,
					   .region = region,
					   .time = INT64_MIN };

	return get(&t->calls, hash_of(process, (uintptr_t)region), &key);
}

const struct hyb_last_call *hyb_tally_find_call(const struct hyb_tally *t, uint32_t process,
						const void *region)
{
	const struct hyb_last_call key = { .process = process, .region = region };

	return hyb_table_find(&t->calls, hash_of(process, (uintptr_t)region), &key);
}

void hyb_sequence_add(struct hyb_sequence *s, uint64_t what)
{
	uint64_t at;
	size_t i;

	s->hash = hash_of(s->hash, what);
	s->last[++s->count % HYB_SEQUENCE_MARKS] = s->hash;
	if (s->count % s->stride)
		return;
	at = s->count / s->stride;
	if (at > HYB_SEQUENCE_MARKS) {
		for (i = 0; i < HYB_SEQUENCE_MARKS / 2; i++)
			s->marks[i] = s->marks[2 * i + 1];
		s->stride *= 2;
		if (s->count % s->stride)
			return;
		at = s->count / s->stride;
	}
	s->marks[at - 1] = s->hash;
}

bool hyb_sequence_differs(const struct hyb_sequence *a, const struct hyb_sequence *b,
			  uint64_t *same, uint64_t *other)
{
	const struct hyb_sequence *few = a->count < b->count ? a : b, *many = few == a ? b : a;
	uint64_t stride = a->stride > b->stride ? a->stride : b->stride, n;
	bool near = many->count - few->count < HYB_SEQUENCE_MARKS;

	if (near && many->last[few->count % HYB_SEQUENCE_MARKS] == few->hash)
		return false;
	*same = 0;
	for (n = stride; n <= few->count; n += stride) {
		if (a->marks[n / a->stride - 1] != b->marks[n / b->stride - 1]) {
			*other = n;
			return true;
		}
		*same = n;
	}
	*other = few->count;
	return near && few->count;
}
