/* SPDX-License-Identifier: BSD-3-Clause */
/* HYB_METRIC records; see counted.h. */
#include "core/record/counted.h"

#include <errno.h>
#include <string.h>

#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "core/record/record.h"
#include "core/record/recorder.h"

#define PAGE 4096u	/* at least */

/* What a thread needs for it; goes to another thread when this one has ended. */
struct hyb_counts {
	struct hyb_counts *next;
	void *state;		/* the counters', NULL: there are none */
	uint64_t seq;		/* of the chunk that `last` is in */
	bool away;		/* between stop and go, with what was counted before in `values` */
	uint64_t *values;
	uint64_t *last;
	uint64_t *ours;		/* what our slow paths added */
	uint64_t *before;
};

static const struct hyb_counting *counting;
static struct hyb_counts *spare;
static int spare_lock;

void hyb_count_by(const struct hyb_counting *by)
{
	/* release pairs with the acquire in hyb_counted_begin: what is in it is there */
	__atomic_store_n(&counting, by, __ATOMIC_RELEASE);
}

/* Words of a METRIC at most: each value takes up to 10 bytes. */
static size_t most_words(void)
{
	return 2 + ((size_t)counting->count * 10 + 7) / 8;
}

static struct hyb_counts *take(void)
{
	struct hyb_counts *c;
	uint64_t signals;

	hyb_sys_lock(&spare_lock, &signals);
	c = spare;
	if (c)
		spare = c->next;
	hyb_sys_unlock(&spare_lock, &signals);
	if (c)
		return c;
	c = hyb_alloc_apart(sizeof(*c) + 4 * counting->count * sizeof(uint64_t));
	if (c) {
		c->values = (uint64_t *)(c + 1);
		c->last = c->values + counting->count;
		c->ours = c->last + counting->count;
		c->before = c->ours + counting->count;
	}
	return c;
}

static void give_back(struct hyb_counts *c)
{
	uint64_t signals;

	hyb_sys_lock(&spare_lock, &signals);
	c->next = spare;
	spare = c;
	hyb_sys_unlock(&spare_lock, &signals);
}

/* A chunk that has none is given up before it is quite full. */
bool hyb_counted_room(struct hyb_thread *t, size_t words, uint64_t now)
{
	while (t->pos + words >= t->end || now >> HYB_TIME_BITS != t->epoch) {
		if (t->pos < t->end && t->pos + words >= t->end)
			t->end = t->pos;
		if (!hyb_thread_make_room(t, now))
			return false;
	}
	return true;
}

static unsigned char *put_value(unsigned char *at, uint64_t difference)
{
	uint64_t zigzag = difference << 1 ^ (uint64_t)((int64_t)difference >> 63);

	for (; zigzag > 0x7f; zigzag >>= 7)
		*at++ = (unsigned char)(zigzag | 0x80);
	*at++ = (unsigned char)zigzag;
	return at;
}

/* The words behind the first two, low byte first; returns where they end. */
static uint64_t *put_values(struct hyb_counts *c, uint64_t *p)
{
	unsigned char *begin = (unsigned char *)p;
	unsigned char *at = begin;
	size_t size;

	for (uint32_t i = 0; i < counting->count; i++) {
		uint64_t value = c->values[i] - c->ours[i];

		at = put_value(at, value - c->last[i]);
		c->last[i] = value;
	}
	size = (size_t)(at - begin);
	memset(at, 0, -size % sizeof(*p));
	size = (size + sizeof(*p) - 1) / sizeof(*p);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (size_t i = 0; i < size; i++)
		p[i] = __builtin_bswap64(p[i]);
#endif
	return p + size;
}

static void put_metric(struct hyb_thread *t, uint64_t now)
{
	struct hyb_counts *c = t->counts;
	uint64_t *p = t->pos;
	uint64_t *end;

	if (c->seq != t->chunk->seq) {
		c->seq = t->chunk->seq;
		memset(c->last, 0, counting->count * sizeof(*c->last));
	}
	end = put_values(c, p + 2);
	p[0] = hyb_head(HYB_METRIC, (uint64_t)(end - p), now);
	p[1] = (uint64_t)counting->count << HYB_METRIC_COUNT_SHIFT | counting->set;
	/* Where the thread stands is not told behind a METRIC: format/standing.h */
	*end = 0;
	hyb_publish(end);
}

/* Not in a copy of the process, whose counters are its parent's; it may be in a call that began before. */
static void read_and_put(struct hyb_thread *t, uint64_t now)
{
	struct hyb_counts *c = t->counts;

	if (hyb_recorder_is_recording() && hyb_counted_room(t, most_words(), now) && counting->read(c->state, c->values))
		put_metric(t, now);
}


/* Fresh pages of the chunk cost a fault each when they are written: not between two readings. */
static void touch(const struct hyb_thread *t)
{
	uintptr_t end = (uintptr_t)(t->end + HYB_CHUNK_SLACK);

	for (uintptr_t at = ((uintptr_t)t->pos | (PAGE - 1)) + 1; t->end && at < end; at += PAGE)
		*(volatile uint64_t *)at = 0;
}

void hyb_counted_stop(struct hyb_thread *t)
{
	struct hyb_counts *c = t->counts;

	if (c && c->state && !c->away)
		c->away = counting->read(c->state, c->values);
}

void hyb_counted_go(struct hyb_thread *t)
{
	struct hyb_counts *c = t->counts;

	if (!c || !c->away)
		return;
	c->away = false;
	touch(t);
	memcpy(c->before, c->values, counting->count * sizeof(*c->values));
	if (!counting->read(c->state, c->values))
		return;
	for (uint32_t i = 0; i < counting->count; i++)
		c->ours[i] += counting->sums[i] ? c->values[i] - c->before[i] : 0;
}

void hyb_counted_begin(struct hyb_thread *t, uint64_t now)
{
	struct hyb_counts *c;

	/* acquire pairs with the release in hyb_count_by */
	if (t->counts || !__atomic_load_n(&counting, __ATOMIC_ACQUIRE))
		return;
	c = take();
	if (!c)
		return;
	t->counts = c;
	c->seq = 0;
	c->away = false;
	memset(c->ours, 0, counting->count * sizeof(*c->ours));
	touch(t);
	c->state = counting->open();
	if (!c->state)
		return;
	read_and_put(t, now);
	hyb_no_call(t);
	t->counted |= (uint8_t)counting->at;
}

void hyb_counted_end(struct hyb_thread *t)
{
	struct hyb_counts *c = t->counts;

	t->counted &= HYB_COUNTED_KERNEL;
	t->counts = NULL;
	if (!c)
		return;
	/* A copy of the process has no counters of its own. */
	if (c->state && hyb_recorder_is_recording())
		counting->close(c->state);
	c->state = NULL;
	give_back(c);
}

void hyb_counted_enter(struct hyb_thread *t)
{
	uint64_t now = hyb_counter();

	read_and_put(t, now);
	/* As hyb_no_call, without reading the counter once more. */
	t->near = now + (UINT64_C(1) << 62);
}

void hyb_counted_leave(struct hyb_thread *t, uint64_t now)
{
	read_and_put(t, now);
}

uint64_t *hyb_counted_works(struct hyb_thread *t, uint64_t *p)
{
	size_t words = (size_t)(p - t->pos);
	uint64_t group[HYB_GROUP_MAX];
	uint64_t now;

	if (words > HYB_GROUP_MAX)
		return p;
	memcpy(group, t->pos, words * sizeof(*p));
	hyb_counted_enter(t);
	now = hyb_counter();
	if (now >> HYB_TIME_BITS != t->epoch)
		t->pos = hyb_thread_new_epoch(t, now);
	memcpy(t->pos, group, words * sizeof(*p));
	*t->pos = hyb_head(HYB_ENTER, group[0] >> HYB_ID_SHIFT & HYB_ID_MASK, now);
	t->open = t->pos;
	return t->pos + words;
}
