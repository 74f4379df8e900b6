/* SPDX-License-Identifier: BSD-3-Clause */
/* What receives were of which MPI told nothing; see unreported.h. */
#include "merge/mpi/unreported.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "merge/mpi/match.h"

#define LEAP_MAX (UINT64_C(1) << 24) /* no thread gives out so many between two of its records: it is damaged */

struct list {
	struct hyb_unreported_half *halves;
	size_t count;
	size_t room;
};

struct entry { /* of one tag */
	struct hyb_message key;
	struct list half[2]; /* by enum hyb_half */
};

static bool same_entry(const void *entry, const void *key)
{
	return !memcmp(entry, key, sizeof(struct hyb_message));
}

static bool same_found(const void *entry, const void *key)
{
	const struct hyb_unreported_found *a = entry, *b = key;

	return a->member == b->member && a->request == b->request;
}

static uint64_t hash_found(uint32_t member, uint64_t request)
{
	return hyb_mix(request ^ (uint64_t)member << 40);
}

static void begin(struct hyb_unreported *u)
{
	if (u->keys.entry_size)
		return;
	hyb_table_init(&u->keys, sizeof(struct entry), same_entry);
	hyb_table_init(&u->found, sizeof(struct hyb_unreported_found), same_found);
}

static struct entry *get_entry(struct hyb_unreported *u, const struct hyb_message *key)
{
	uint64_t hash = hyb_hash_bytes(key, sizeof(*key));
	struct entry *e;

	begin(u);
	e = hyb_table_find(&u->keys, hash, key);
	if (!e) {
		e = hyb_table_add(&u->keys, hash);
		if (e)
			e->key = *key;
	}
	return e;
}

void hyb_unreported_free(struct hyb_unreported *u)
{
	struct entry *e;
	uint32_t i;

	if (!u->keys.entry_size)
		return;
	for (i = 0; i < u->keys.count; i++) {
		e = hyb_table_at(&u->keys, i);
		free(e->half[0].halves);
		free(e->half[1].halves);
	}
	hyb_table_free(&u->keys);
	hyb_table_free(&u->found);
}

static int put(struct list *l, const struct hyb_unreported_half *what)
{
	struct hyb_unreported_half *more;

	more = hyb_array_room(l->halves, &l->room, l->count, sizeof(*more));
	if (!more)
		return -ENOMEM;
	l->halves = more;
	l->halves[l->count] = *what;
	l->halves[l->count].at = l->count;
	l->count++;
	return 0;
}

int hyb_unreported_add(struct hyb_unreported *u, unsigned int half, const struct hyb_message *key,
		   const struct hyb_unreported_half *what)
{
	struct entry *e = get_entry(u, key);

	return e ? put(&e->half[half], what) : -ENOMEM;
}

/* Moves a list behind another one. */
static int move(struct list *to, struct list *from)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < from->count; i++)
		ret = put(to, &from->halves[i]);
	from->count = 0;
	return ret;
}

int hyb_unreported_merge(struct hyb_unreported *u, struct hyb_unreported *other)
{
	struct entry *a, *b;
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && other->keys.entry_size && i < other->keys.count; i++) {
		b = hyb_table_at(&other->keys, i);
		a = get_entry(u, &b->key);
		ret = a ? move(&a->half[0], &b->half[0]) : -ENOMEM;
		if (!ret)
			ret = move(&a->half[1], &b->half[1]);
	}
	return ret;
}

static bool named_all(const struct hyb_message *key)
{
	return key->source != HYB_UNREPORTED_ANY && key->tag != HYB_UNREPORTED_ANY;
}

/* How many more sends than receives a tag has, if it may be what was received and nothing of it is lost. */
static uint64_t left_of(const struct hyb_pair *p, const struct hyb_message *wanted, const struct hyb_match_facts *f)
{
	uint64_t sent = p->half[HYB_HALF_SEND].count, received = p->half[HYB_HALF_RECV].count;

	if (p->key.comm != wanted->comm || p->key.destination != wanted->destination ||
	    (wanted->source != HYB_UNREPORTED_ANY && wanted->source != p->key.source) ||
	    (wanted->tag != HYB_UNREPORTED_ANY && wanted->tag != p->key.tag) ||
	    f->gaps(f->arg, p->key.source) || f->gaps(f->arg, p->key.destination))
		return 0;
	return sent > received ? sent - received : 0;
}

/* The only message that it can be; false where there are several, or none for all of them. */
static bool only_one(const struct hyb_match *m, const struct entry *wanted, const struct hyb_match_facts *f,
		     struct hyb_message *key)
{
	const struct hyb_pair *p;
	uint64_t left, most = 0;
	uint32_t i, found = 0;

	for (i = 0; i < m->tags.count; i++) {
		p = hyb_table_at(&m->tags, i);
		left = left_of(p, &wanted->key, f);
		if (!left)
			continue;
		found++;
		most = left;
		*key = p->key;
	}
	return found == 1 && most >= wanted->half[HYB_HALF_RECV].count;
}

/* Each time one is placed others may have only one left. */
int hyb_unreported_place(struct hyb_unreported *u, struct hyb_match *m, const struct hyb_match_facts *f)
{
	struct hyb_message key;
	struct entry *e, *to;
	bool again = u->keys.entry_size;
	uint32_t i;
	int ret = 0;

	while (again && !ret) {
		again = false;
		for (i = 0; !ret && i < u->keys.count; i++) {
			e = hyb_table_at(&u->keys, i);
			if (named_all(&e->key) || !e->half[HYB_HALF_RECV].count || !only_one(m, e, f, &key))
				continue;
			again = true;
			ret = hyb_match_place(m, &key, e->half[HYB_HALF_RECV].count);
			to = ret ? NULL : get_entry(u, &key);
			e = hyb_table_at(&u->keys, i);
			if (!ret)
				ret = to ? move(&to->half[HYB_HALF_RECV], &e->half[HYB_HALF_RECV]) : -ENOMEM;
		}
	}
	return ret;
}

static int by_time(const void *a, const void *b)
{
	const struct hyb_unreported_half *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static void sort(struct list *l)
{
	if (l->count)
		qsort(l->halves, l->count, sizeof(*l->halves), by_time);
}

static int note(struct hyb_unreported *u, const struct hyb_message *key, const struct hyb_unreported_half *receive,
		const struct hyb_unreported_half *send)
{
	struct hyb_unreported_found *f = hyb_table_add(&u->found, hash_found(key->destination, receive->request));

	if (!f)
		return -ENOMEM;
	f->member = key->destination;
	f->request = receive->request;
	f->source = key->source;
	f->tag = key->tag;
	f->bytes = send->bytes;
	return 0;
}

/* The n-th of those written matches the n-th, at both ends. */
static int settle(struct hyb_unreported *u, struct entry *e, const struct hyb_match *m)
{
	struct list *sends = &e->half[HYB_HALF_SEND], *receives = &e->half[HYB_HALF_RECV];
	uint64_t first, last, to_end;
	size_t i;
	int ret = 0;

	sort(sends);
	sort(receives);
	hyb_match_written(m, &e->key, &first, &last);
	for (i = 0; !ret && i < receives->count; i++) {
		if (!receives->halves[i].unreported)
			continue;
		to_end = receives->count - i;
		if (i < first && i < sends->count)
			ret = note(u, &e->key, &receives->halves[i], &sends->halves[i]);
		else if (to_end <= last && to_end <= sends->count)
			ret = note(u, &e->key, &receives->halves[i], &sends->halves[sends->count - to_end]);
	}
	return ret;
}

int hyb_unreported_settle(struct hyb_unreported *u, const struct hyb_match *m,
		      int64_t (*began)(const void *arg, uint32_t member, uint64_t request), const void *arg)
{
	struct hyb_unreported_half *half;
	struct list *receives;
	struct entry *e;
	uint32_t i;
	size_t k;
	int ret = 0;

	for (i = 0; !ret && u->keys.entry_size && i < u->keys.count; i++) {
		e = hyb_table_at(&u->keys, i);
		if (!named_all(&e->key))
			continue;
		receives = &e->half[HYB_HALF_RECV];
		for (k = 0; k < receives->count; k++) {
			half = &receives->halves[k];
			if (half->request)
				half->time = began(arg, e->key.destination, half->request);
		}
		ret = settle(u, e, m);
	}
	return ret;
}

const struct hyb_unreported_found *hyb_unreported_find(const struct hyb_unreported *u, uint32_t member, uint64_t request)
{
	const struct hyb_unreported_found key = { .member = member, .request = request };

	return u->found.entry_size ? hyb_table_find(&u->found, hash_found(member, request), &key) : NULL;
}

int hyb_begun_note(struct hyb_begun *b, uint64_t request, int64_t time)
{
	int64_t *more;
	size_t at;

	if (!b->count)
		b->first = request;
	if (request < b->first)
		return 0;
	at = request - b->first;
	if (at > b->count + LEAP_MAX)
		return 0;
	more = hyb_array_hold(b->times, &b->room, at + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	b->times = more;
	while (b->count <= at)
		b->times[b->count++] = INT64_MIN;
	b->times[at] = time;
	return 0;
}

int64_t hyb_begun_get(const struct hyb_begun *b, uint64_t request)
{
	return request >= b->first && request - b->first < b->count ? b->times[request - b->first] : INT64_MIN;
}

void hyb_begun_free(struct hyb_begun *b)
{
	free(b->times);
	memset(b, 0, sizeof(*b));
}
