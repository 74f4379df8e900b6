/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams as files; see stream.h, and format.h for where a chunk lies in the file.
 *
 * Records go into a few mapped slots that are used again and again, so that the thread touches no fresh
 * page; a full chunk is appended to the file by one write of some microseconds. Mapping the growing file
 * itself costs a page fault every 4 KiB: 30 ns and more for each recorded call on ext4, 9 on tmpfs.
 *
 * Many threads live for a few calls only, and some programs make thousands of them. So a stream first has space for
 * little, and for all its slots once it needs more; and one that ends early gives back what it did not use.
 *
 * No descriptor stays open: programs close descriptors they do not know, and the number may be another
 * file's by then. So the file is opened by its path for each chunk, and must be the same each time.
 */
#include "core/record/stream.h"

#include <string.h>

#include "core/sys/clock.h"
#include "core/config/config.h"
#include "core/sys/sys.h"
#include "core/record/profile.h"
#include "core/record/recorder.h"

#define GROWING_SLOTS	1
#define PAGE		4096u
#define PROFILE_CHUNK	(32u << 10)
#define FIRST_SPACE	(3 * PAGE)	/* behind the header: some hundred calls */

#define header_store(s, member, value) \
	__atomic_store_n(&(s)->file->member, (uint64_t)(value), __ATOMIC_RELEASE)

static uint64_t place_offset(const struct hyb_stream *s, uint64_t place)
{
	return HYB_FILE_HEADER_SIZE + place * s->chunk_size;
}

static uint64_t slots_size(const struct hyb_stream *s)
{
	return s->slot_count * s->chunk_size;
}

/* How far the chunk being written may go. */
static uint64_t *end_of_space(const struct hyb_stream *s, const struct hyb_chunk_header *c)
{
	uint64_t at = (uint64_t)((const unsigned char *)c - s->slots);
	uint64_t size = s->reserved - at < s->chunk_size ? s->reserved - at : s->chunk_size;

	return (uint64_t *)((uintptr_t)c + size) - HYB_CHUNK_SLACK;
}

static long open_file(struct hyb_stream *s, int flags)
{
	return hyb_recorder->open(s->name, O_RDWR | flags, &s->identity);
}

/* Copies the chunk being written, which is full, behind the slots. Space runs out here, and says so. */
static int put_away(struct hyb_stream *s, const struct hyb_thread *t)
{
	uint64_t place = s->slot_count + (s->wrap ? (s->seq - 1) % s->wrap : s->seq - 1);
	long fd = open_file(s, 0);
	long err;

	if (fd < 0)
		return (int)fd;
	err = hyb_sys_write_at(fd, t->chunk, (size_t)((char *)t->pos - (char *)t->chunk),
			       place_offset(s, place));
	hyb_sys_close(fd);
	return (int)err;
}

/*
 * The next chunk becomes the one being written, in the slot that has waited longest. Readers see its seq
 * change: to 0 before anything else in it does, to the new number after.
 */
static void begin_chunk(struct hyb_stream *s, struct hyb_thread *t, uint64_t now)
{
	struct hyb_chunk_header *c = (void *)(s->slots + s->seq % s->slot_count * s->chunk_size);
	uint64_t before = s->seq ? (uint64_t)(t->pos - (uint64_t *)(t->chunk + 1)) + 1 : 0;

	__atomic_store_n(&c->seq, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	c->magic = HYB_CHUNK_MAGIC;
	c->stream = s->number;
	__atomic_store_n(&c->used, 0, __ATOMIC_RELAXED);
	c->first_time = now;
	c->lost = s->lost;
	c->before = before;
	c->requests = t->last_id;
	__atomic_store_n(&c->seq, ++s->seq, __ATOMIC_RELEASE);
	header_store(s, newest_seq, s->seq);
	t->chunk = c;
	t->pos = (uint64_t *)(c + 1);
	t->end = end_of_space(s, c);
	t->epoch = now >> HYB_TIME_BITS;
	t->tail = NULL;
	t->open = NULL;
	if (s->sites && s->sites->on)
		hyb_sites_clear(s->sites);
}

void hyb_sites_clear(struct hyb_sites *sites)
{
	uint64_t *with_stacks = __atomic_load_n(&sites->with_stacks, __ATOMIC_ACQUIRE);

	for (size_t i = 0; i < HYB_STANDING_REGIONS; i++) {
		__atomic_store_n(&sites->last[i], 0, __ATOMIC_RELAXED);
		if (with_stacks)
			__atomic_store_n(&with_stacks[i], 0, __ATOMIC_RELAXED);
	}
}

/* A signal handler of the thread may come in between and lose one, too. */
static void lose(struct hyb_stream *s, uint64_t now)
{
	uint64_t lost = __atomic_add_fetch(&s->lost, 1, __ATOMIC_RELAXED);

	if (!s->file)
		return;
	if (lost == 1)
		header_store(s, lost_first, now);
	header_store(s, lost_last, now);
	do {
		lost = __atomic_load_n(&s->lost, __ATOMIC_RELAXED);
		header_store(s, lost, lost);
	} while (lost != __atomic_load_n(&s->lost, __ATOMIC_RELAXED));
}

bool hyb_stream_drops(struct hyb_stream *s, uint64_t now)
{
	if (!s->dropping || now >= s->retry_at)
		return false;
	lose(s, now);
	return true;
}

/* Records are lost from here on, until there is space again; it is looked for ever more rarely. */
static void start_dropping(struct hyb_stream *s, struct hyb_thread *t, uint64_t now, int err)
{
	uint64_t second = hyb_clock_second();

	s->retry_wait = s->dropping ? s->retry_wait * 2 : second / 128;
	if (s->retry_wait > second)
		s->retry_wait = second;
	s->retry_at = now + s->retry_wait;
	s->dropping = true;
	t->end = NULL;
	if (s->file)
		header_store(s, lost_errno, -err);
	lose(s, now);
	hyb_recorder->report_loss(err);
}

/* HYBMON_FULL=ring: from here on what was put away first is overwritten. */
static bool become_ring(struct hyb_stream *s)
{
	long fd;

	if (hyb_config.full != HYB_FULL_RING || s->kind != HYB_STREAM_THREAD || s->wrap || s->seq < 2)
		return false;
	s->wrap = s->seq - 1;
	/* Part of the chunk that did not fit may be there; nobody shall take it for the chunk. */
	fd = open_file(s, 0);
	if (fd >= 0) {
		HYB_SYS(ftruncate, fd, place_offset(s, s->slot_count + s->wrap), 0, 0, 0, 0);
		hyb_sys_close(fd);
	}
	header_store(s, wrap, s->wrap);
	return true;
}

bool hyb_stream_has_all(const struct hyb_stream *s)
{
	return s->file && s->reserved == slots_size(s);
}

/* The space that the stream did without until now. */
static int reserve_rest(struct hyb_stream *s)
{
	long fd = open_file(s, 0);
	int err;

	if (fd < 0)
		return (int)fd;
	err = (int)hyb_sys_reserve(fd, place_offset(s, 0) + s->reserved, slots_size(s) - s->reserved);
	hyb_sys_close(fd);
	if (!err)
		s->reserved = slots_size(s);
	return err;
}

static int next_chunk(struct hyb_stream *s, struct hyb_thread *t, uint64_t now)
{
	int err = s->profiles ? hyb_record_profile(s, t) : 0;

	if (err || s->ring) {
		if (!err)
			begin_chunk(s, t, now);
		return err;
	}
	err = put_away(s, t);
	if (err && become_ring(s)) {
		hyb_recorder->report_loss(err);
		err = put_away(s, t);
	}
	if (!err)
		begin_chunk(s, t, now);
	return err;
}

/* The chunk being written goes on, unless something was lost: readers see that between two chunks, not within one. */
static int widen(struct hyb_stream *s, struct hyb_thread *t, uint64_t now)
{
	int err = reserve_rest(s);

	if (err)
		return err;
	if (s->dropping)
		return next_chunk(s, t, now);
	t->end = end_of_space(s, t->chunk);
	if (now >> HYB_TIME_BITS != t->epoch && s->kind != HYB_STREAM_DEFS &&
	    s->kind != HYB_STREAM_ORDER) {
		t->epoch = now >> HYB_TIME_BITS;
		*t->pos++ = (uint64_t)HYB_EPOCH << HYB_TYPE_SHIFT | t->epoch;
	}
	return 0;
}

int hyb_stream_extend(struct hyb_stream *s, struct hyb_thread *t, uint64_t now)
{
	int err;

	if (hyb_stream_drops(s, now))
		return -ENOSPC;
	if (!s->file)
		err = hyb_stream_create(s, t, now);
	else if (hyb_stream_has_all(s))
		err = next_chunk(s, t, now);
	else
		err = widen(s, t, now);
	if (err) {
		start_dropping(s, t, now, err);
		return err;
	}
	/* What requests the thread completed meanwhile was not seen. */
	if (s->dropping)
		hyb_recording_turn();
	s->dropping = false;
	return 0;
}

static void fill_header(struct hyb_stream *s, uint64_t now)
{
	struct hyb_file_header *h = s->file;

	memcpy(h->magic, HYB_FILE_MAGIC, sizeof(h->magic));
	h->byte_order = HYB_BYTE_ORDER;
	h->format_major = HYB_FORMAT_MAJOR;
	h->format_minor = HYB_FORMAT_MINOR;
	h->header_size = HYB_FILE_HEADER_SIZE;
	h->chunk_size = (uint32_t)s->chunk_size;
	h->kind = s->kind;
	h->counter = s->counter ? s->counter : hyb_clock_kind();
	h->stream = s->number;
	h->ring = s->ring;
	h->slots = s->slot_count;
	h->pid = s->pid ? s->pid : (uint64_t)HYB_SYS(getpid, 0, 0, 0, 0, 0, 0);
	h->tid = s->tid ? s->tid : (uint64_t)HYB_SYS(gettid, 0, 0, 0, 0, 0, 0);
	h->start_time = now;
	h->lost = s->lost;
	header_store(s, state, HYB_STREAM_OPEN);
}

/* All of it is mapped, also what there is no space for yet. */
static int map_file(struct hyb_stream *s, long fd)
{
	int err;

	s->reserved = slots_size(s) < FIRST_SPACE ? slots_size(s) : FIRST_SPACE;
	err = (int)hyb_sys_reserve(fd, 0, place_offset(s, 0) + s->reserved);
	if (err)
		return err;
	s->file = hyb_sys_map(fd, 0, place_offset(s, s->slot_count));
	if (!s->file)
		return -ENODEV;
	s->slots = (unsigned char *)s->file + HYB_FILE_HEADER_SIZE;
	return 0;
}

int hyb_stream_create(struct hyb_stream *s, struct hyb_thread *t, uint64_t now)
{
	long fd = open_file(s, O_CREAT);
	int err;

	if (fd < 0)
		return (int)fd;
	s->chunk_size = hyb_config.chunk;
	s->ring = s->ring_chunks > 0 || s->profile_only;
	s->slot_count = s->ring_chunks ? s->ring_chunks : GROWING_SLOTS;
	/* What is added up in the cache costs less, and comes in shorter turns. */
	if (s->profile_only && s->chunk_size > PROFILE_CHUNK)
		s->chunk_size = PROFILE_CHUNK;
	err = map_file(s, fd);
	hyb_sys_close(fd);
	if (err) {
		hyb_recorder->unlink(s->name);
		return err;
	}
	fill_header(s, now);
	begin_chunk(s, t, now);
	return 0;
}

/* Behind the records of the only chunk there is nothing worth its space. */
static void give_back(struct hyb_stream *s, const struct hyb_thread *t)
{
	uint64_t used = (uint64_t)((unsigned char *)t->pos - (unsigned char *)s->file);
	long fd;

	if (s->seq != 1 || s->reserved <= FIRST_SPACE || !t->pos)
		return;
	fd = open_file(s, 0);
	if (fd < 0)
		return;
	HYB_SYS(ftruncate, fd, (used + PAGE - 1) / PAGE * PAGE, 0, 0, 0, 0);
	hyb_sys_close(fd);
}

void hyb_stream_close(struct hyb_stream *s, struct hyb_thread *t)
{
	if (!s->file)
		return;
	hyb_record_profile_close(s);
	give_back(s, t);
	header_store(s, end_time, s->counter == HYB_COUNTER_MONOTONIC_RAW ? hyb_clock_raw() : hyb_counter());
	header_store(s, state, HYB_STREAM_CLOSED);
	t->pos = NULL;
	t->end = NULL;
	t->chunk = NULL;
	hyb_sys_unmap(s->file, place_offset(s, s->slot_count));
	s->slots = NULL;
	s->file = NULL;
}
