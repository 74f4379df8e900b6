/* SPDX-License-Identifier: BSD-3-Clause */
/* See read.h. */
#include "timeline/store/read.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/search.h"
#include "timeline/store/io.h"

#define MOST 1024u /* segments unpacked at once, but for those that are being looked at: 44 MiB */
#define SLOTS 2048u

struct hyb_view_pin {
	const struct hyb_view_segment *segment;
	struct hyb_view_pin *next; /* of the same slot */
	struct hyb_view_pin *newer;
	struct hyb_view_pin *older;
	uint32_t readers;
	struct hyb_view_part part;
};

struct hyb_view_parts {
	pthread_mutex_t lock;
	struct hyb_view_pin *slots[SLOTS];
	struct hyb_view_pin *newest;
	struct hyb_view_pin *oldest;
	size_t count;
};

/* What a reader gets that met an error. */
static const struct hyb_view_part nothing;

struct hyb_view_parts *hyb_view_parts_new(void)
{
	struct hyb_view_parts *p = calloc(1, sizeof(*p));

	if (p)
		pthread_mutex_init(&p->lock, NULL);
	return p;
}

void hyb_view_parts_free(struct hyb_view_parts *p)
{
	struct hyb_view_pin *pin, *older;

	if (!p)
		return;
	for (pin = p->newest; pin; pin = older) {
		older = pin->older;
		free(pin);
	}
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static struct hyb_view_pin **slot_of(struct hyb_view_parts *p, const struct hyb_view_segment *s)
{
	return &p->slots[hyb_mix((uintptr_t)s) % SLOTS];
}

static void take_out(struct hyb_view_parts *p, struct hyb_view_pin *pin)
{
	*(pin->newer ? &pin->newer->older : &p->newest) = pin->older;
	*(pin->older ? &pin->older->newer : &p->oldest) = pin->newer;
}

static void put_first(struct hyb_view_parts *p, struct hyb_view_pin *pin)
{
	pin->newer = NULL;
	pin->older = p->newest;
	*(p->newest ? &p->newest->newer : &p->oldest) = pin;
	p->newest = pin;
}

/* With one reader more, or NULL. */
static struct hyb_view_pin *find(struct hyb_view_parts *p, const struct hyb_view_segment *s)
{
	struct hyb_view_pin *pin = *slot_of(p, s);

	while (pin && pin->segment != s)
		pin = pin->next;
	if (!pin)
		return NULL;
	pin->readers++;
	take_out(p, pin);
	put_first(p, pin);
	return pin;
}

/* The oldest one that nobody looks at leaves, if there are enough. NULL: a new one is to be made. */
static struct hyb_view_pin *reuse(struct hyb_view_parts *p)
{
	struct hyb_view_pin *pin = p->oldest, **at;

	if (p->count < MOST)
		return NULL;
	while (pin && pin->readers)
		pin = pin->newer;
	if (!pin)
		return NULL;
	for (at = slot_of(p, pin->segment); *at != pin; at = &(*at)->next)
		;
	*at = pin->next;
	take_out(p, pin);
	p->count--;
	return pin;
}

/* Regions that were left when it was packed already. */
static void complete(const struct hyb_view_track *t, uint64_t first, uint32_t count,
		     struct hyb_view_part *part)
{
	size_t k = HYB_SEARCH(i, t->late_count, t->late[i].record < first);

	for (; k < t->late_count && t->late[k].record < first + count; k++) {
		const struct hyb_view_late *late = &t->late[k];
		struct hyb_view_record *r = &part->records[late->record - first];

		if (hyb_view_form(r->what) != HYB_VIEW_ENTER ||
		    late->extent >= t->count - late->record)
			continue;
		r->extent = late->extent;
		part->details[late->record - first] = late->detail;
	}
}

/* What is packed there, to be freed after any; and the reader can unpack it. */
static int fetch(struct hyb_view_reader *r, uint64_t offset, size_t size, void **bytes)
{
	*bytes = malloc(size);
	if (!r->packer)
		r->packer = hyb_view_packer_new();
	if (!*bytes || !r->packer)
		return -ENOMEM;
	return hyb_view_read_at(r->store->fd, *bytes, size, offset);
}

static int load(struct hyb_view_reader *r, const struct hyb_view_track *t,
		const struct hyb_view_segment *s, struct hyb_view_part *part)
{
	const uint64_t first = (uint64_t)(s - t->segments) * HYB_VIEW_SEGMENT;
	void *bytes;
	int err = fetch(r, s->offset, s->size, &bytes);

	if (!err)
		err = hyb_view_unpack(r->packer, bytes, s, first, r->store->regions, part);
	if (!err)
		complete(t, first, s->count, part);
	free(bytes);
	return err;
}

/* Unpacked, for one reader; NULL: the reader's error says why. */
static struct hyb_view_pin *make(struct hyb_view_reader *r, const struct hyb_view_track *t,
				 const struct hyb_view_segment *s)
{
	struct hyb_view_parts *p = r->store->parts;
	struct hyb_view_pin *pin, *other;

	pthread_mutex_lock(&p->lock);
	pin = reuse(p);
	pthread_mutex_unlock(&p->lock);
	pin = pin ? pin : malloc(sizeof(*pin));
	r->err = pin ? load(r, t, s, &pin->part) : -ENOMEM;
	if (r->err) {
		free(pin);
		return NULL;
	}
	pin->segment = s;
	pin->readers = 1;
	pthread_mutex_lock(&p->lock);
	/* Another may have had the same wish. */
	other = find(p, s);
	if (!other) {
		pin->next = *slot_of(p, s);
		*slot_of(p, s) = pin;
		put_first(p, pin);
		p->count++;
	}
	pthread_mutex_unlock(&p->lock);
	if (other)
		free(pin);
	return other ? other : pin;
}

static void give_back(struct hyb_view_parts *p, struct hyb_view_pin *pin)
{
	if (!pin)
		return;
	pthread_mutex_lock(&p->lock);
	pin->readers--;
	pthread_mutex_unlock(&p->lock);
}

void hyb_view_reader_begin(struct hyb_view_reader *r, const struct hyb_view_store *s)
{
	*r = (struct hyb_view_reader){ .store = s };
}

int hyb_view_reader_end(struct hyb_view_reader *r)
{
	for (unsigned int i = 0; i < HYB_VIEW_PINS; i++)
		give_back(r->store->parts, r->pins[i]);
	hyb_view_packer_free(r->packer);
	return r->err;
}

const struct hyb_view_part *hyb_view_part_at(struct hyb_view_reader *r,
					     const struct hyb_view_track *t, uint64_t i)
{
	const struct hyb_view_segment *s = &t->segments[i / HYB_VIEW_SEGMENT];
	struct hyb_view_pin *pin;
	unsigned int k = 0;

	if (r->pins[0] && r->pins[0]->segment == s)
		return &r->pins[0]->part;
	if (r->err)
		return &nothing;
	while (k < HYB_VIEW_PINS - 1 && r->pins[k] && r->pins[k]->segment != s)
		k++;
	pin = r->pins[k];
	if (!pin || pin->segment != s) {
		give_back(r->store->parts, pin);
		r->pins[k] = NULL;
		pthread_mutex_lock(&r->store->parts->lock);
		pin = find(r->store->parts, s);
		pthread_mutex_unlock(&r->store->parts->lock);
		if (!pin)
			pin = make(r, t, s);
		if (!pin)
			return &nothing;
	}
	memmove(&r->pins[1], &r->pins[0], k * sizeof(r->pins[0]));
	r->pins[0] = pin;
	return &pin->part;
}

int hyb_view_read_batch(struct hyb_view_reader *r, const struct hyb_view_batch *b,
			struct hyb_view_message *to)
{
	void *bytes;
	int err = fetch(r, b->offset, b->size, &bytes);

	if (!err)
		err = hyb_view_unpack_messages(r->packer, bytes, b, to);
	free(bytes);
	return err;
}

void hyb_view_read_part(struct hyb_view_reader *r, const struct hyb_view_track *t, uint32_t part,
			struct hyb_view_sums *sums)
{
	const struct hyb_view_whole *w = &t->whole;
	void *bytes = NULL;

	if (!r->err)
		r->err = fetch(r, w->offset[part], w->size[part], &bytes);
	if (!r->err)
		r->err = hyb_view_unpack_sums(r->packer, bytes, w->size[part], sums);
	if (r->err)
		memset(sums, 0, HYB_VIEW_PART * sizeof(*sums));
	free(bytes);
}

/* A time before which all records of a segment are, but none of the next: what comes until then follows from that. */
static void passed_between(const struct hyb_view_segment *next, uint64_t time,
			   uint64_t passed[HYB_VIEW_CLASSES])
{
	memcpy(passed, next->passed, sizeof(next->passed));
	if (time < next->time)
		passed[next->class] -= next->time - time;
}

static uint64_t passed_in(const struct hyb_view_part *part, const struct hyb_view_segment *s,
			  uint64_t time, uint64_t passed[HYB_VIEW_CLASSES])
{
	const size_t blocks = (s->count + HYB_VIEW_BLOCK - 1) / HYB_VIEW_BLOCK;
	size_t block = HYB_SEARCH(k, blocks, part->blocks[k].time < time);
	const struct hyb_view_block *b = &part->blocks[block - (block > 0)];
	const struct hyb_view_record *r;
	uint32_t class = (uint32_t)b->class, i;
	uint64_t last = b->time, end;

	memcpy(passed, b->passed, sizeof(b->passed));
	for (i = (uint32_t)(b - part->blocks) * HYB_VIEW_BLOCK; i < s->count; i++) {
		r = &part->records[i];
		if (r->time >= time)
			break;
		passed[class] += r->time - last;
		last = r->time;
		if (hyb_view_form(r->what) != HYB_VIEW_SLICE) {
			class = hyb_view_class(r->what);
			continue;
		}
		end = r->time + r->extent < time ? r->time + r->extent : time;
		passed[hyb_view_class(r->what)] += end - last;
		last = end;
	}
	if (time > last)
		passed[class] += time - last;
	return i;
}

uint64_t hyb_view_passed_at(struct hyb_view_reader *r, const struct hyb_view_track *t,
			    uint64_t time, uint64_t passed[HYB_VIEW_CLASSES])
{
	const struct hyb_view_segment *s;
	size_t k;

	memset(passed, 0, HYB_VIEW_CLASSES * sizeof(*passed));
	if (!t->count || time <= t->begin)
		return 0;
	k = HYB_SEARCH(i, t->segment_count, t->segments[i].time < time);
	k -= k > 0;
	s = &t->segments[k];
	if (time > s->last) {
		passed_between(s + 1, time, passed);
		return k * HYB_VIEW_SEGMENT + s->count;
	}
	return k * HYB_VIEW_SEGMENT +
	       passed_in(hyb_view_part_at(r, t, k * HYB_VIEW_SEGMENT), s, time, passed);
}

/* Adds a region that is open, the innermost one first, if not as many further in have been left since. */
static void add_open(uint64_t record, uint64_t *left, uint64_t *stack, size_t *depth, size_t most)
{
	if (*left)
		--*left;
	else if (*depth < most)
		stack[(*depth)++] = record;
}

size_t hyb_view_stack(struct hyb_view_reader *r, const struct hyb_view_track *t, uint64_t i,
		      uint64_t *stack)
{
	uint64_t here[HYB_VIEW_BLOCK], left = 0, more, k, swap;
	size_t depth = 0, count;

	/* From the innermost outwards, block by block. */
	while (i) {
		const struct hyb_view_part *part = hyb_view_part_at(r, t, i - 1);
		const struct hyb_view_block *b =
			&part->blocks[(i - 1) % HYB_VIEW_SEGMENT / HYB_VIEW_BLOCK];

		for (count = more = 0, k = (i - 1) / HYB_VIEW_BLOCK * HYB_VIEW_BLOCK; k < i; k++) {
			enum hyb_view_form form =
				hyb_view_form(part->records[k % HYB_VIEW_SEGMENT].what);

			if (form == HYB_VIEW_ENTER)
				here[count++] = k;
			else if (form == HYB_VIEW_LEAVE && count)
				count--;
			else if (form == HYB_VIEW_LEAVE)
				more++;
		}
		while (count)
			add_open(here[--count], &left, stack, &depth, t->depth);
		left += more;
		if (b->open && b->open <= i)
			add_open(b->open - 1, &left, stack, &depth, t->depth);
		i = b->open && b->open <= i ? b->open - 1 : 0;
	}
	for (k = 0; k < depth / 2; k++) {
		swap = stack[k];
		stack[k] = stack[depth - 1 - k];
		stack[depth - 1 - k] = swap;
	}
	return depth;
}
