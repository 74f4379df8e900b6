/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See step-log.h. A block begins with where the next one is and how much it has; a step has its kind, which members
 * follow, and these as numbers of variable length.
 */
#include "analysis/waits/step-log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/waits/steps.h"
#include "reader/containers/array.h"
#include "reader/containers/sort.h"

#define BLOCK 32768u
#define MEMORY (UINT32_C(16) << 20) /* bytes of the map that are kept */
#define PAGE 4096u
#define VARINT 10u		/* bytes of a number at most */
#define STEP (3u + 8u * VARINT) /* of a step without items */
#define ITEM (3u * VARINT)

struct head {
	uint64_t next; /* place of the next block; 0: none */
	uint64_t size; /* bytes of this one, with its head */
};

enum member {
	SINCE = 1,
	END = 2,
	NUMBER = 4,
	OBJECT = 8,
	COUNT = 16,
	OTHER = 32,
	SPOT = 64,
	WAIT = 128, /* and flags */
};

struct hyb_step_source {
	uint64_t first;
	const uint8_t *at;
	const uint8_t *end; /* of the block */
	const uint8_t *block;
	uint64_t next;
	int64_t time; /* of the step that is next */
	uint32_t track;
	uint32_t lane; /* of the thread */
	uint8_t kind;
};

int hyb_step_log_init(struct hyb_step_log *log, const char *dir)
{
	memset(log, 0, sizeof(*log));
	pthread_mutex_init(&log->lock, NULL);
	log->end = PAGE; /* so that no block is at 0 */
	log->fd = hyb_sort_file(dir);
	return log->fd < 0 ? log->fd : 0;
}

void hyb_step_log_free(struct hyb_step_log *log)
{
	free(log->spots);
	if (log->map)
		munmap(log->map, log->map_size);
	if (log->fd >= 0)
		close(log->fd);
	free(log->sources);
	free(log->heap.items);
	free(log->items);
	pthread_mutex_destroy(&log->lock);
}

static int write_block(int fd, const void *block, size_t left, off_t place)
{
	const char *p = block;

	while (left) {
		ssize_t n = pwrite(fd, p, left, place);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		p += n;
		place += n;
		left -= (size_t)n;
	}
	return 0;
}

static int write_lane(struct hyb_step_log *log, struct hyb_step_lane *lane, uint64_t next)
{
	const struct head head = { next, lane->used };

	memcpy(lane->block, &head, sizeof(head));
	return write_block(log->fd, lane->block, lane->used, (off_t)lane->place);
}

/* A new block for at least so many bytes; the one that is full is written. */
static int next_block(struct hyb_step_log *log, struct hyb_step_lane *lane, size_t size)
{
	size_t room = (size + sizeof(struct head) + PAGE - 1) / PAGE * PAGE;
	uint64_t place;
	uint8_t *grown;
	int err = 0;

	room = room < BLOCK ? BLOCK : room;
	place = __atomic_fetch_add(&log->end, room, __ATOMIC_RELAXED);
	if (lane->used)
		err = write_lane(log, lane, place);
	else
		lane->first = place;
	grown = err ? NULL : hyb_array_hold(lane->block, &lane->memory, room, 1);
	if (!grown)
		return err ? err : -ENOMEM;
	lane->block = grown;
	lane->place = place;
	lane->room = room;
	lane->used = sizeof(struct head);
	return 0;
}

static inline uint8_t *put(uint8_t *p, uint64_t value)
{
	while (value >= 128) {
		*p++ = (uint8_t)(value | 128);
		value >>= 7;
	}
	*p++ = (uint8_t)value;
	return p;
}

static inline uint64_t get(const uint8_t **p)
{
	uint64_t value = *(*p)++, part;

	if (value < 128)
		return value;
	value &= 127;
	for (unsigned int shift = 7; shift < 64; shift += 7) {
		part = *(*p)++;
		value |= (part & 127) << shift;
		if (part < 128)
			break;
	}
	return value;
}

/* Of what may be less than 0, too; differences wrap. */
static inline uint64_t fold(uint64_t x)
{
	return x << 1 ^ (uint64_t)((int64_t)x >> 63);
}

static inline uint64_t unfold(uint64_t x)
{
	return x >> 1 ^ -(x & 1);
}

static inline uint8_t *put_signed(uint8_t *p, int64_t value, int64_t relative)
{
	return put(p, fold((uint64_t)value - (uint64_t)relative));
}

static inline int64_t get_signed(const uint8_t **p, int64_t relative)
{
	return (int64_t)(unfold(get(p)) + (uint64_t)relative);
}

static uint8_t *encode(uint8_t *p, const struct hyb_step *s, const struct hyb_step_item *items,
		       int64_t before)
{
	const uint8_t has = (uint8_t)((s->since ? SINCE : 0) | (s->end ? END : 0) |
				      (s->number ? NUMBER : 0) | (s->object ? OBJECT : 0) |
				      (s->count ? COUNT : 0) | (s->other ? OTHER : 0) |
				      (s->spot ? SPOT : 0) | (s->wait || s->flags ? WAIT : 0));

	/* The kind and the time first: these are read before the step is. */
	*p++ = s->kind;
	p = put(p, (uint64_t)s->time - (uint64_t)before);
	*p++ = has;
	if (has & SINCE)
		p = put_signed(p, s->time, s->since);
	if (has & END)
		p = put_signed(p, s->end, s->since);
	if (has & NUMBER)
		p = put(p, s->number);
	if (has & OBJECT)
		p = put(p, s->object);
	if (has & OTHER)
		p = put(p, s->other);
	if (has & SPOT)
		p = put(p, s->spot);
	if (has & WAIT) {
		*p++ = s->wait;
		*p++ = s->flags;
	}
	if (has & COUNT)
		p = put(p, s->count);
	for (uint32_t i = 0; i < s->count; i++) {
		p = put_signed(p, items[i].ns, 0);
		p = put(p, items[i].spot);
		p = put(p, items[i].count);
	}
	return p;
}

/* What comes before the last step of all lanes begins one more. */
static struct hyb_step_lane *lane_for(struct hyb_step_lanes *l, const struct hyb_step *s)
{
	struct hyb_step_lane *grown;

	for (size_t i = 0; i < l->count; i++) {
		struct hyb_step_lane *lane = &l->lanes[i];

		if (s->time > lane->time || (s->time == lane->time && s->kind >= lane->kind))
			return lane;
	}
	grown = hyb_array_room(l->lanes, &l->room, l->count, sizeof(*grown));
	if (!grown)
		return NULL;
	l->lanes = grown;
	l->lanes[l->count] = (struct hyb_step_lane){ .first = 0 };
	return &l->lanes[l->count++];
}

int hyb_step_lanes_put(struct hyb_step_lanes *l, const struct hyb_step *step,
		       const struct hyb_step_item *items)
{
	struct hyb_step_lane *lane = lane_for(l, step);
	size_t size = STEP + (size_t)step->count * ITEM;
	int err = 0;

	if (!lane)
		return -ENOMEM;
	if (lane->used + size > lane->room)
		err = next_block(l->log, lane, size);
	if (err)
		return err;
	lane->used =
		(size_t)(encode(lane->block + lane->used, step, items, lane->time) - lane->block);
	lane->time = step->time;
	lane->kind = step->kind;
	return 0;
}

int hyb_step_lanes_close(struct hyb_step_lanes *l, uint32_t track)
{
	struct hyb_step_log *log = l->log;
	int err = 0;

	pthread_mutex_lock(&log->lock);
	for (size_t i = 0; !err && i < l->count; i++) {
		struct hyb_step_source *grown;

		grown = hyb_array_room(log->sources, &log->source_room, log->source_count,
				       sizeof(*grown));
		if (!grown) {
			err = -ENOMEM;
			break;
		}
		log->sources = grown;
		grown[log->source_count++] = (struct hyb_step_source){
			.first = l->lanes[i].first,
			.track = track,
			.lane = (uint32_t)i,
		};
	}
	pthread_mutex_unlock(&log->lock);
	for (size_t i = 0; i < l->count; i++) {
		if (!err && l->lanes[i].used)
			err = write_lane(log, &l->lanes[i], 0);
		free(l->lanes[i].block);
	}
	free(l->lanes);
	l->lanes = NULL;
	l->count = l->room = 0;
	return err;
}

static void open_block(const struct hyb_step_log *log, struct hyb_step_source *s, uint64_t place)
{
	struct head head;

	memcpy(&head, log->map + place, sizeof(head));
	s->block = (const uint8_t *)log->map + place;
	s->at = s->block + sizeof(head);
	s->end = s->block + head.size;
	s->next = head.next;
}

/* What was read counts as memory until the map lets it go; the file still has it. To do that often is slow. */
static void forget(struct hyb_step_log *log, size_t size)
{
	log->read += size;
	if (log->read < MEMORY)
		return;
	log->read = 0;
	madvise(log->map, log->map_size, MADV_DONTNEED);
}

/* What of the next step says when it is; false: there is none. */
static bool peek(struct hyb_step_log *log, struct hyb_step_source *s)
{
	if (s->at == s->end) {
		forget(log, (size_t)(s->end - s->block));
		if (!s->next)
			return false;
		open_block(log, s, s->next);
	}
	s->kind = *s->at++;
	s->time = (int64_t)((uint64_t)s->time + get(&s->at));
	return true;
}

static bool is_before(const void *a, const void *b, const void *arg)
{
	const struct hyb_step_source *x = a, *y = b;

	(void)arg;
	if (x->time != y->time)
		return x->time < y->time;
	if (x->kind != y->kind)
		return x->kind < y->kind;
	if (x->track != y->track)
		return x->track < y->track;
	return x->lane < y->lane;
}

static int map(struct hyb_step_log *log)
{
	void *at;

	if (log->map)
		return 0;
	/* What was reserved and not used is a hole, perhaps at the end. */
	if (ftruncate(log->fd, (off_t)log->end))
		return -errno;
	at = mmap(NULL, (size_t)log->end, PROT_READ, MAP_SHARED, log->fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	log->map = at;
	log->map_size = (size_t)log->end;
	return 0;
}

int hyb_step_log_rewind(struct hyb_step_log *log)
{
	int err = map(log);

	if (err)
		return err;
	free(log->heap.items);
	log->heap.count = 0;
	log->heap.items = calloc(log->source_count + 1, sizeof(*log->heap.items));
	if (!log->heap.items)
		return -ENOMEM;
	for (size_t i = 0; i < log->source_count; i++) {
		struct hyb_step_source *s = &log->sources[i];

		if (!s->first)
			continue;
		open_block(log, s, s->first);
		s->time = 0;
		if (peek(log, s))
			log->heap.items[log->heap.count++] = s;
	}
	hyb_heap_order(&log->heap, is_before, NULL);
	return 0;
}

static uint32_t spot_of(const struct hyb_step_log *log, uint32_t written)
{
	return log->spots ? log->spots[written] : written;
}

static int decode_items(struct hyb_step_log *log, const uint8_t **p, struct hyb_step *step)
{
	struct hyb_step_item *grown =
		hyb_array_hold(log->items, &log->item_room, step->count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	log->items = grown;
	for (uint32_t i = 0; i < step->count; i++) {
		grown[i].ns = get_signed(p, 0);
		grown[i].spot = spot_of(log, (uint32_t)get(p));
		grown[i].count = (uint32_t)get(p);
	}
	step->items = grown;
	return 0;
}

int hyb_step_log_next(struct hyb_step_log *log, struct hyb_step *step)
{
	struct hyb_step_source *s = log->heap.count ? log->heap.items[0] : NULL;
	uint8_t has;
	int err = 0;

	if (!s)
		return 0;
	*step = (struct hyb_step){ .time = s->time, .kind = s->kind, .track = s->track };
	has = *s->at++;
	if (has & SINCE)
		step->since = (int64_t)((uint64_t)step->time - unfold(get(&s->at)));
	if (has & END)
		step->end = get_signed(&s->at, step->since);
	if (has & NUMBER)
		step->number = get(&s->at);
	if (has & OBJECT)
		step->object = get(&s->at);
	if (has & OTHER)
		step->other = (uint32_t)get(&s->at);
	if (has & SPOT)
		step->spot = spot_of(log, (uint32_t)get(&s->at));
	if (has & WAIT) {
		step->wait = *s->at++;
		step->flags = *s->at++;
	}
	if (has & COUNT) {
		step->count = (uint32_t)get(&s->at);
		err = decode_items(log, &s->at, step);
	}
	hyb_heap_moved(&log->heap, peek(log, s), is_before, NULL);
	return err ? err : 1;
}
