/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of what a job did; see tally.h. */
#include "analysis/check/tally.h"

static uint64_t hash_of(uint64_t a, uint64_t b)
{
	return hyb_mix(hyb_mix(a) + b);
}

void hyb_tally_init(struct hyb_tally *t)
{
	HYB_TABLE_KEYED(&t->channels, struct hyb_channel, tag);
	HYB_TABLE_KEYED(&t->sequences, struct hyb_sequence, member);
	HYB_TABLE_KEYED(&t->fences, struct hyb_fences, member);
	HYB_TABLE_KEYED(&t->accesses, struct hyb_access, target);
	HYB_TABLE_KEYED(&t->calls, struct hyb_last_call, process);
}

void hyb_tally_free(struct hyb_tally *t)
{
	hyb_table_free(&t->channels);
	hyb_table_free(&t->sequences);
	hyb_table_free(&t->fences);
	hyb_table_free(&t->accesses);
	hyb_table_free(&t->calls);
}

struct hyb_channel *hyb_tally_channel(struct hyb_tally *t, const struct hyb_channel *key)
{
	return hyb_table_get(&t->channels, key);
}

const struct hyb_channel *hyb_tally_find_channel(const struct hyb_tally *t,
						 const struct hyb_channel *key)
{
	return hyb_table_look(&t->channels, key);
}

struct hyb_sequence *hyb_tally_sequence(struct hyb_tally *t, uint32_t comm, uint32_t member)
{
	const struct hyb_sequence key = { .comm = comm, .member = member };
	const uint32_t before = t->sequences.count;
	struct hyb_sequence *s = hyb_table_get(&t->sequences, &key);

	if (t->sequences.count > before)
		s->stride = 1;
	return s;
}

const struct hyb_sequence *hyb_tally_find_sequence(const struct hyb_tally *t, uint32_t comm,
						   uint32_t member)
{
	const struct hyb_sequence key = { .comm = comm, .member = member };

	return hyb_table_look(&t->sequences, &key);
}

struct hyb_fences *hyb_tally_fences(struct hyb_tally *t, uint32_t win, uint32_t member)
{
	const struct hyb_fences key = { .win = win, .member = member };

	return hyb_table_get(&t->fences, &key);
}

const struct hyb_fences *hyb_tally_find_fences(const struct hyb_tally *t, uint32_t win,
					       uint32_t member)
{
	const struct hyb_fences key = { .win = win, .member = member };

	return hyb_table_look(&t->fences, &key);
}

struct hyb_access *hyb_tally_access(struct hyb_tally *t, uint32_t win, uint32_t origin,
				    uint32_t target)
{
	const struct hyb_access key = { .win = win, .origin = origin, .target = target };

	return hyb_table_get(&t->accesses, &key);
}

const struct hyb_access *hyb_tally_find_access(const struct hyb_tally *t, uint32_t win,
					       uint32_t origin, uint32_t target)
{
	const struct hyb_access key = { .win = win, .origin = origin, .target = target };

	return hyb_table_look(&t->accesses, &key);
}

struct hyb_last_call *hyb_tally_call(struct hyb_tally *t, uint32_t process, const void *region)
{
	const struct hyb_last_call key = { .process = process, .region = region };
	const uint32_t before = t->calls.count;
	struct hyb_last_call *call = hyb_table_get(&t->calls, &key);

	if (t->calls.count > before)
		call->time = INT64_MIN;
	return call;
}

const struct hyb_last_call *hyb_tally_find_call(const struct hyb_tally *t, uint32_t process,
						const void *region)
{
	const struct hyb_last_call key = { .process = process, .region = region };

	return hyb_table_look(&t->calls, &key);
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
