/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves are paired by sorting them; see pairs.h. */
#include "merge/mpi/pairs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/containers/array.h"

#define MEMORY (UINT32_C(4) << 20) /* bytes of each of the files' parts that are sorted in memory */

/* Whether they may be a pair, in some order. */
static int compare_keys(const struct hyb_pair_half *x, const struct hyb_pair_half *y)
{
	HYB_SORT_BY(x->comm, y->comm);
	HYB_SORT_BY(x->source, y->source);
	HYB_SORT_BY(x->destination, y->destination);
	HYB_SORT_BY(x->tag, y->tag);
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct hyb_pair_half *x = a, *y = b;
	int order = compare_keys(x, y);

	if (order)
		return order;
	HYB_SORT_BY(x->begin, y->begin);
	HYB_SORT_BY(x->track, y->track);
	HYB_SORT_BY(x->index, y->index);
	return 0;
}

static uint64_t key_of_half(const void *record)
{
	const struct hyb_pair_half *h = record;

	return hyb_sort_part(h->comm, 16) << 48 | hyb_sort_part(h->source, 16) << 32 |
	       hyb_sort_part(h->destination, 16) << 16 | hyb_sort_part(h->tag, 16);
}

static uint64_t key_of_operation(const void *record)
{
	const struct hyb_pair_half *h = record;

	return hyb_sort_part(h->comm, 16) << 48 | hyb_sort_part((uint64_t)h->destination << 32 | h->tag, 48);
}

static uint64_t key_of_found(const void *record)
{
	const struct hyb_pair_found *f = record;

	return hyb_sort_part(f->track, 24) << 40 | hyb_sort_part(f->index, 40);
}

/* Calls, once they are counted: `tag` is how many came before in the member, the high bits of it `destination`. */
static int by_operation(const void *a, const void *b)
{
	const struct hyb_pair_half *x = a, *y = b;

	HYB_SORT_BY(x->comm, y->comm);
	HYB_SORT_BY(x->destination, y->destination);
	HYB_SORT_BY(x->tag, y->tag);
	HYB_SORT_BY(x->source, y->source);
	HYB_SORT_BY(x->track, y->track);
	HYB_SORT_BY(x->index, y->index);
	return 0;
}

static int by_track(const void *a, const void *b)
{
	const struct hyb_pair_found *x = a, *y = b;

	HYB_SORT_BY(x->track, y->track);
	HYB_SORT_BY(x->index, y->index);
	return 0;
}

int hyb_pairs_begin(struct hyb_pairs *p, const char *dir, size_t track_count)
{
	size_t i;
	int ret = 0;

	memset(p, 0, sizeof(*p));
	p->begun = true;
	p->fd = -1;
	p->track_count = track_count;
	p->first = calloc(track_count + 1, sizeof(*p->first));
	if (!p->first)
		return -ENOMEM;
	for (i = 0; !ret && i < HYB_PAIR_KINDS; i++) {
		ret = hyb_sort_init(&p->halves[i], dir, MEMORY, sizeof(struct hyb_pair_half), by_key);
		hyb_sort_by_key(&p->halves[i], key_of_half);
	}
	if (!ret)
		ret = hyb_sort_init(&p->found, dir, MEMORY, sizeof(struct hyb_pair_found), by_track);
	hyb_sort_by_key(&p->found, key_of_found);
	return ret;
}

void hyb_pairs_free(struct hyb_pairs *p)
{
	size_t i;

	if (!p->begun)
		return;
	for (i = 0; i < HYB_PAIR_KINDS; i++)
		hyb_sort_free(&p->halves[i]);
	hyb_sort_free(&p->operations);
	hyb_sort_free(&p->found);
	free(p->first);
	if (p->fd >= 0)
		close(p->fd);
	memset(p, 0, sizeof(*p));
}

int hyb_pairs_add(struct hyb_pairs *p, enum hyb_pair_kind kind, const struct hyb_pair_half *halves, size_t count)
{
	return hyb_sort_add(&p->halves[kind], halves, count);
}

/* The n-th of each side: both are in the same order. */
static int each_message(struct hyb_pairs *p, const struct hyb_pair_visitor *v)
{
	struct hyb_sort *sends = &p->halves[HYB_PAIR_SEND], *receives = &p->halves[HYB_PAIR_RECEIVE];
	const void *send, *receive;
	int ret = hyb_sort_rewind(sends), order, more_s, more_r;

	if (!ret)
		ret = hyb_sort_rewind(receives);
	if (ret)
		return ret;
	more_s = hyb_sort_next(sends, &send);
	more_r = hyb_sort_next(receives, &receive);
	while (more_s > 0 && more_r > 0) {
		order = compare_keys(send, receive);
		if (!order) {
			ret = v->message(v->arg, send, receive);
			if (ret)
				return ret;
		}
		if (order <= 0)
			more_s = hyb_sort_next(sends, &send);
		if (order >= 0)
			more_r = hyb_sort_next(receives, &receive);
	}
	return more_s < 0 ? more_s : more_r < 0 ? more_r : 0;
}

/* Each member's calls get their numbers. */
static int count_calls(struct hyb_pairs *p)
{
	struct hyb_pair_half last = { .comm = UINT32_MAX }, call;
	const void *record;
	uint64_t n = 0;
	int ret = hyb_sort_rewind(&p->halves[HYB_PAIR_CALL]);

	while (!ret && (ret = hyb_sort_next(&p->halves[HYB_PAIR_CALL], &record)) > 0) {
		memcpy(&call, record, sizeof(call));
		n = compare_keys(&call, &last) ? 0 : n + 1;
		last = call;
		call.destination = (uint32_t)(n >> 32);
		call.tag = (uint32_t)n;
		ret = hyb_sort_add(&p->operations, &call, 1);
	}
	return ret;
}

int hyb_pairs_sort(struct hyb_pairs *p, const char *dir)
{
	int ret = hyb_sort_init(&p->operations, dir, MEMORY, sizeof(struct hyb_pair_half), by_operation);

	hyb_sort_by_key(&p->operations, key_of_operation);
	if (!ret)
		ret = count_calls(p);
	hyb_sort_free(&p->halves[HYB_PAIR_CALL]);
	return ret;
}

/* The members of one operation, as they are read. */
struct members {
	struct hyb_pair_half *calls;
	size_t count;
	size_t room;
};

static bool same_operation(const struct hyb_pair_half *x, const struct hyb_pair_half *y)
{
	return x->comm == y->comm && x->destination == y->destination && x->tag == y->tag;
}

static int add_member(struct members *m, const struct hyb_pair_half *call)
{
	struct hyb_pair_half *grown = hyb_array_room(m->calls, &m->room, m->count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	m->calls = grown;
	m->calls[m->count++] = *call;
	return 0;
}

static int each_operation(struct hyb_pairs *p, const struct hyb_pair_visitor *v)
{
	struct members m = { .calls = NULL };
	const void *record;
	int ret = hyb_sort_rewind(&p->operations);

	while (!ret && (ret = hyb_sort_next(&p->operations, &record)) > 0) {
		ret = 0;
		if (m.count && !same_operation(&m.calls[0], record)) {
			ret = v->operation(v->arg, m.calls, m.count);
			m.count = 0;
		}
		if (!ret)
			ret = add_member(&m, record);
	}
	if (!ret && m.count)
		ret = v->operation(v->arg, m.calls, m.count);
	free(m.calls);
	return ret;
}

int hyb_pairs_each(struct hyb_pairs *p, const struct hyb_pair_visitor *v)
{
	int ret = each_message(p, v);

	return ret ? ret : each_operation(p, v);
}

struct join {
	struct hyb_pairs *pairs;
	const struct hyb_pairs_facts *facts;
	uint64_t messages;
	uint64_t operations;
	struct hyb_pair_found batch[256]; /* to be added at once */
	size_t count;
};

static int64_t final(const struct join *j, const struct hyb_pair_half *half, int64_t time)
{
	return j->facts->time(j->facts->arg, half->track, time);
}

static int flush_found(struct join *j)
{
	size_t count = j->count;

	j->count = 0;
	return count ? hyb_sort_add(&j->pairs->found, j->batch, count) : 0;
}

static int add_found(struct join *j, const struct hyb_pair_half *to, struct hyb_pair_found found)
{
	found.index = to->index;
	found.track = to->track;
	j->batch[j->count++] = found;
	return j->count == sizeof(j->batch) / sizeof(j->batch[0]) ? flush_found(j) : 0;
}

static int add_other(struct join *j, const struct hyb_pair_half *to, const struct hyb_pair_half *other)
{
	return add_found(j, to, (struct hyb_pair_found){ .number = j->messages,
							 .begin = final(j, other, other->begin),
							 .end = final(j, other, other->end),
							 .other = other->track });
}

static int join_message(void *arg, const struct hyb_pair_half *send, const struct hyb_pair_half *receive)
{
	struct join *j = arg;
	int ret;

	j->messages++;
	ret = add_other(j, send, receive);
	return ret ? ret : add_other(j, receive, send);
}

static int join_operation(void *arg, const struct hyb_pair_half *calls, size_t count)
{
	struct hyb_pair_found found = { .begin = INT64_MAX, .end = INT64_MIN, .last_end = INT64_MIN };
	int64_t given = INT64_MIN;
	uint32_t giver = UINT32_MAX;
	struct join *j = arg;
	int ret = 0;

	if (count != j->facts->size(j->facts->arg, calls[0].comm))
		return 0;
	found.number = ++j->operations;
	for (size_t i = 0; i < count; i++) {
		int64_t begin = final(j, &calls[i], calls[i].begin), end = final(j, &calls[i], calls[i].end);

		found.begin = begin < found.begin ? begin : found.begin;
		found.end = begin > found.end ? begin : found.end;
		found.last_end = end > found.last_end ? end : found.last_end;
		if (calls[i].flow & (HYB_PAIR_GIVES | HYB_PAIR_COMES) && begin > given) {
			given = begin;
			giver = calls[i].track;
		}
	}
	for (size_t i = 0; !ret && i < count; i++) {
		int64_t end = final(j, &calls[i], calls[i].end);
		bool takes = calls[i].flow & HYB_PAIR_TAKES || (calls[i].flow & HYB_PAIR_COMES && given < end);

		takes = takes && given != INT64_MIN;
		found.given = takes ? given : INT64_MIN;
		found.other = takes ? giver : UINT32_MAX;
		ret = add_found(j, &calls[i], found);
	}
	return ret;
}

static int write_block(int fd, const struct hyb_pair_found *block, size_t count)
{
	const char *p = (const char *)block;
	size_t left = count * sizeof(*block);
	ssize_t n;

	while (left) {
		n = write(fd, p, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		p += n;
		left -= (size_t)n;
	}
	return 0;
}

/* One track after the other, so that each is found. */
static int write_tracks(struct hyb_pairs *p, const char *dir)
{
	struct hyb_pair_found block[256];
	const struct hyb_pair_found *found;
	uint64_t written = 0;
	size_t n = 0, track = 0;
	const void *record;
	int ret = hyb_sort_rewind(&p->found);

	p->fd = hyb_sort_file(dir);
	if (p->fd < 0)
		return p->fd;
	while (!ret && (ret = hyb_sort_next(&p->found, &record)) > 0) {
		found = record;
		while (track <= found->track)
			p->first[track++] = written;
		block[n++] = *found;
		written++;
		ret = 0;
		if (n == sizeof(block) / sizeof(block[0])) {
			ret = write_block(p->fd, block, n);
			n = 0;
		}
	}
	while (track <= p->track_count)
		p->first[track++] = written;
	return ret ? ret : write_block(p->fd, block, n);
}

int hyb_pairs_join(struct hyb_pairs *p, const char *dir, const struct hyb_pairs_facts *facts)
{
	struct join j = { .pairs = p, .facts = facts };
	const struct hyb_pair_visitor v = { join_message, join_operation, &j };
	int ret = hyb_pairs_each(p, &v);

	if (!ret)
		ret = flush_found(&j);
	if (!ret)
		ret = write_tracks(p, dir);
	hyb_sort_free(&p->found);
	hyb_sort_free(&p->operations);
	for (size_t i = 0; i < HYB_PAIR_KINDS; i++)
		hyb_sort_free(&p->halves[i]);
	return ret;
}

void hyb_pairs_read(const struct hyb_pairs *p, size_t track, struct hyb_pair_reader *r)
{
	r->pairs = p;
	r->next = p->begun ? p->first[track] : 0;
	r->end = p->begun ? p->first[track + 1] : 0;
	r->at = r->count = 0;
}

/* What cannot be read is as if it had no other half. */
static void fill(struct hyb_pair_reader *r)
{
	size_t room = sizeof(r->block) / sizeof(r->block[0]);
	ssize_t n;

	r->at = r->count = 0;
	if (r->end - r->next < room)
		room = (size_t)(r->end - r->next);
	if (!room)
		return;
	do
		n = pread(r->pairs->fd, r->block, room * sizeof(r->block[0]), (off_t)(r->next * sizeof(r->block[0])));
	while (n < 0 && errno == EINTR);
	r->count = n > 0 ? (size_t)n / sizeof(r->block[0]) : 0;
	r->next = r->count ? r->next + r->count : r->end;
}

const struct hyb_pair_found *hyb_pairs_next(struct hyb_pair_reader *r, uint64_t index)
{
	if (r->at == r->count)
		fill(r);
	if (r->at == r->count || r->block[r->at].index != index)
		return NULL;
	return &r->block[r->at++];
}
