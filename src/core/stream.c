/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams as files; see stream.h, and format.h for where a chunk lies in the file.
 *
 * Records go into a few mapped slots that are used again and again, so that the thread touches no fresh
 * page; a full chunk is appended to the file by one write of some microseconds. Mapping the growing file
 * itself costs a page fault every 4 KiB: 30 ns and more for each recorded call on ext4, 9 on tmpfs.
 *
 * No descriptor stays open: programs close descriptors they do not know, and the number may be another
 * file's by then. So the file is opened by its path for each chunk.
 */
#include "core/stream.h"

#include <limits.h>
#include <string.h>

#include "core/clock.h"
#include "core/config.h"
#include "core/process.h"
#include "core/sys.h"

#define GROWING_SLOTS	1
/* An Enter group must leave room for its Leave group, each with a change of epoch before it. */
#define SLACK_WORDS	(2 * (HYB_GROUP_MAX + 1))

#define header_store(s, member, value) \
	__atomic_store_n(&(s)->file->member, (uint64_t)(value), __ATOMIC_RELEASE)

static uint64_t place_offset(const struct hyb_stream *s, uint64_t place)
{
	return HYB_FILE_HEADER_SIZE + place * s->chunk_size;
}

static long open_file(const struct hyb_stream *s, int flags)
{
	char path[PATH_MAX];

	if (!hyb_process_path(path, sizeof(path), s->name))
		return -ENAMETOOLONG;
	return hyb_sys_open(path, O_RDWR | flags, 0666);
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
	__atomic_store_n(&c->seq, ++s->seq, __ATOMIC_RELEASE);
	header_store(s, newest_seq, s->seq);
	t->chunk = c;
	t->pos = (uint64_t *)(c + 1);
	t->end = (uint64_t *)((char *)c + s->chunk_size) - SLACK_WORDS;
	t->epoch = now >> HYB_TIME_BITS;
	t->fold_end = NULL;
}

static void lose(struct hyb_stream *s, uint64_t now)
{
	if (s->file) {
		if (!s->lost)
			header_store(s, lost_first, now);
		header_store(s, lost_last, now);
		header_store(s, lost, s->lost + 1);
	}
	__atomic_store_n(&s->lost, s->lost + 1, __ATOMIC_RELAXED);
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
	hyb_stream_report_loss(err);
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

int hyb_stream_extend(struct hyb_stream *s, struct hyb_thread *t, uint64_t now)
{
	int err = 0;

	if (s->dropping && now < s->retry_at) {
		lose(s, now);
		return -ENOSPC;
	}
	if (!s->file) {
		err = hyb_stream_create(s, t, now);
	} else if (!s->ring) {
		err = put_away(s, t);
		if (err && become_ring(s)) {
			hyb_stream_report_loss(err);
			err = put_away(s, t);
		}
		if (!err)
			begin_chunk(s, t, now);
	} else {
		begin_chunk(s, t, now);
	}
	if (err) {
		start_dropping(s, t, now, err);
		return err;
	}
	/* What requests the thread completed meanwhile was not seen. */
	if (s->dropping)
		__atomic_add_fetch(&hyb_recording_turns, 1, __ATOMIC_RELAXED);
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

static int map_file(struct hyb_stream *s, long fd, uint64_t slots_size)
{
	int err = (int)hyb_sys_reserve(fd, 0, HYB_FILE_HEADER_SIZE + slots_size);

	if (err)
		return err;
	s->file = hyb_sys_map(fd, 0, HYB_FILE_HEADER_SIZE);
	s->slots = hyb_sys_map(fd, HYB_FILE_HEADER_SIZE, slots_size);
	if (s->file && s->slots)
		return 0;
	if (s->file)
		hyb_sys_unmap(s->file, HYB_FILE_HEADER_SIZE);
	if (s->slots)
		hyb_sys_unmap(s->slots, slots_size);
	s->file = NULL;
	s->slots = NULL;
	return -ENODEV;
}

int hyb_stream_create(struct hyb_stream *s, struct hyb_thread *t, uint64_t now)
{
	long fd = open_file(s, O_CREAT | O_EXCL);
	char path[PATH_MAX];
	int err;

	if (fd < 0)
		return (int)fd;
	s->chunk_size = hyb_config.chunk;
	s->ring = s->ring_chunks > 0;
	s->slot_count = s->ring_chunks ? s->ring_chunks : GROWING_SLOTS;
	err = map_file(s, fd, s->slot_count * s->chunk_size);
	hyb_sys_close(fd);
	if (err) {
		if (hyb_process_path(path, sizeof(path), s->name))
			hyb_sys_unlink(path, 0);
		return err;
	}
	fill_header(s, now);
	begin_chunk(s, t, now);
	return 0;
}

void hyb_stream_close(struct hyb_stream *s, struct hyb_thread *t)
{
	if (!s->file)
		return;
	header_store(s, end_time, s->counter == HYB_COUNTER_MONOTONIC_RAW ? hyb_clock_raw() : hyb_counter());
	header_store(s, state, HYB_STREAM_CLOSED);
	t->pos = NULL;
	t->end = NULL;
	t->chunk = NULL;
	hyb_sys_unmap(s->slots, s->slot_count * s->chunk_size);
	hyb_sys_unmap(s->file, HYB_FILE_HEADER_SIZE);
	s->slots = NULL;
	s->file = NULL;
}
