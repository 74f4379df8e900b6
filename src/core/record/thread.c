/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads as recorders: the slow path behind record.h. A thread gets its stream at its first event and
 * gives it up when it ends.
 */
#include "core/record/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "core/sys/clock.h"
#include "core/config/config.h"
#include "core/sys/memory.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/record/counted.h"
#include "core/record/definitions.h"
#include "core/record/manifest.h"
#include "core/record/recorder.h"
#include "core/record/scratch.h"
#include "core/record/stack.h"
#include "core/record/stream.h"
#include "core/record/usage.h"


static struct hyb_stream *streams;	/* of all threads; never taken off */
static struct hyb_stream *ended;	/* of them those whose threads are gone, for others to take */
static int ended_lock;
static uint32_t stream_count;
static uint32_t last_number;
static pthread_key_t exit_key;
static bool exit_key_made;
static void (*before_end)(void);
static void (*also_at_end)(void);

/* One that is closed and has lost nothing: a program may make any number of threads. */
static void hand_on(struct hyb_stream *s)
{
	uint64_t signals;

	if (s->file || s->lost)
		return;
	hyb_sys_lock(&ended_lock, &signals);
	s->next_ended = ended;
	ended = s;
	hyb_sys_unlock(&ended_lock, &signals);
}

static struct hyb_stream *take_ended(void)
{
	struct hyb_stream *s;
	uint64_t signals;

	hyb_sys_lock(&ended_lock, &signals);
	s = ended;
	if (s)
		ended = s->next_ended;
	hyb_sys_unlock(&ended_lock, &signals);
	if (s)
		memset(s, 0, offsetof(struct hyb_stream, lost));
	return s;
}

static void close_own(void *stream)
{
	struct hyb_stream *s = stream;

	__atomic_store_n(&s->writer, 0, __ATOMIC_RELAXED);
	hyb_usage_note(s, HYB_USAGE_END);
	hyb_stream_close(s, &hyb_self);
}

static void thread_exit(void *stream)
{
	struct hyb_thread *t = &hyb_self;
	bool closes = t->stream == stream && hyb_recorder_is_recording();
	void (*also)(void) = __atomic_load_n(&before_end, __ATOMIC_RELAXED);

	if (also)
		also();
	hyb_sums_end(t);
	hyb_counted_end(t);
	if (closes)
		hyb_stack_run(close_own, stream);
	/* Events from here on, in destructors that run after this one, begin a new stream. */
	t->stream = NULL;
	t->sites = NULL;
	t->tail = NULL;
	t->pos = NULL;
	t->end = NULL;
	t->before = NULL;
	hyb_scratch_free(t);
	also = __atomic_load_n(&also_at_end, __ATOMIC_RELAXED);
	if (also)
		also();
	if (closes)
		hand_on(stream);
}

void hyb_thread_before_end(void (*end)(void))
{
	__atomic_store_n(&before_end, end, __ATOMIC_RELAXED);
}

void hyb_thread_at_end(void (*end)(void))
{
	__atomic_store_n(&also_at_end, end, __ATOMIC_RELAXED);
}

void hyb_thread_start(void)
{
	exit_key_made = !pthread_key_create(&exit_key, thread_exit);
}

unsigned int hyb_thread_number(void)
{
	return hyb_self.stream ? hyb_self.stream->number : 0;
}

static bool is_main_thread(void)
{
	return HYB_SYS(getpid, 0, 0, 0, 0, 0, 0) == HYB_SYS(gettid, 0, 0, 0, 0, 0, 0);
}

/* Number 0 is the main thread's first stream; all others count from 1. */
static uint32_t take_number(void)
{
	static int main_taken;

	if (is_main_thread() && !__atomic_exchange_n(&main_taken, 1, __ATOMIC_RELAXED))
		return 0;
	return __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
}

static struct hyb_stream *add_stream(void)
{
	struct hyb_stream *s = hyb_alloc_apart(sizeof(*s) + sizeof(*s->sites));

	if (!s)
		return NULL;
	s->sites = (struct hyb_sites *)(s + 1);
	s->next = __atomic_load_n(&streams, __ATOMIC_RELAXED);
	/* release pairs with the acquire of those who walk the list */
	while (!__atomic_compare_exchange_n(&streams, &s->next, s, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return s;
}

static struct hyb_stream *new_stream(struct hyb_thread *t)
{
	struct hyb_stream *s;

	s = take_ended();
	if (!s)
		s = add_stream();
	if (!s)
		return NULL;
	hyb_sums_end(t);	/* of a stream that it had before */
	hyb_counted_end(t);
	s->kind = HYB_STREAM_THREAD;
	s->number = take_number();
	s->ring_chunks = hyb_config.ring / hyb_config.chunk;
	if (hyb_config.ring && s->ring_chunks < 2)
		s->ring_chunks = 2;
	s->profiles = hyb_config.mode != HYB_MODE_TRACE;
	s->profile_only = hyb_config.mode == HYB_MODE_PROFILE;
	if (s->profile_only)
		s->ring_chunks = 0;
	hyb_text_format(s->name, sizeof(s->name), "thread-%u.hyb", s->number);
	hyb_stacks_begin(s->sites, s->profile_only);
	hyb_usage_note(s, HYB_USAGE_BEGIN);
	__atomic_store_n(&s->writer, (uint32_t)HYB_SYS(gettid, 0, 0, 0, 0, 0, 0), __ATOMIC_RELAXED);
	t->stream = s;
	t->sites = s->sites;
	t->last_id = (uint64_t)s->number << HYB_REQUEST_THREAD_SHIFT;
	if (exit_key_made)
		pthread_setspecific(exit_key, s);
	hyb_manifest_set("threads", "%u", __atomic_add_fetch(&stream_count, 1, __ATOMIC_RELAXED));
	return s;
}

unsigned int hyb_thread_streams(void)
{
	return __atomic_load_n(&stream_count, __ATOMIC_RELAXED);
}

static bool extend(struct hyb_stream *s, struct hyb_thread *t, uint64_t now)
{
	if (hyb_stream_extend(s, t, now))
		return false;
	if (now >= s->clock_at) {
		if (s->clock_at)
			hyb_def_clock();
		s->clock_at = now + hyb_clock_second();
	}
	return true;
}

static bool new_room(struct hyb_thread *t, uint64_t now)
{
	struct hyb_stream *s = t->stream ? t->stream : new_stream(t);
	bool ok;

	if (!s)
		return false;
	hyb_counted_stop(t);
	ok = extend(s, t, now);
	hyb_counted_go(t);
	if (ok && hyb_unlikely(!t->counts))
		hyb_counted_begin(t, now);
	if (ok && hyb_unlikely(!t->sums))
		hyb_sums_begin(t, now);
	return ok;
}

struct room {
	struct hyb_thread *thread;
	uint64_t now;
	bool ok;
};

static void make_room(void *room)
{
	struct room *r = room;

	r->ok = new_room(r->thread, r->now);
}

static bool starts(void)
{
	return hyb_recorder && hyb_recorder->start && hyb_recorder->start();
}

bool hyb_thread_make_room(struct hyb_thread *t, uint64_t now)
{
	struct room room = { .thread = t, .now = now };
	void (*before)(struct hyb_thread *t) = t->before;
	int saved = errno;

	if (hyb_unlikely(before != NULL)) {
		t->before = NULL;
		before(t);
		if (t->pos < t->end && now >> HYB_TIME_BITS == t->epoch)
			return true;
	}

	if (t->pos < t->end) {
		t->pos = hyb_thread_new_epoch(t, now);
		hyb_def_clock();
		return true;
	}
	/* A ring goes round in memory; should a handler leave that by longjmp, one chunk is skipped. */
	if (t->stream && t->stream->ring && hyb_stream_has_all(t->stream) && !t->stream->profiles)
		return new_room(t, now);
	/* A copy of the process may be in a call, too: the files are not its own. To begin may take a wait. */
	if (t->stream ? !hyb_recorder_is_recording() : !starts())
		return false;
	if (t->stream && hyb_stream_drops(t->stream, now))
		return false;
	hyb_stack_run(make_room, &room);
	errno = saved;
	return room.ok;
}

uint64_t *hyb_thread_new_epoch(struct hyb_thread *t, uint64_t now)
{
	t->epoch = now >> HYB_TIME_BITS;
	*t->pos = (uint64_t)HYB_EPOCH << HYB_TYPE_SHIFT | t->epoch;
	return t->pos + 1;
}

uint64_t hyb_thread_lost(void)
{
	uint64_t lost = hyb_defs_lost();

	for (struct hyb_stream *s = __atomic_load_n(&streams, __ATOMIC_ACQUIRE); s; s = s->next)
		lost += __atomic_load_n(&s->lost, __ATOMIC_RELAXED);
	return lost;
}

void hyb_threads_forget_sites(void)
{
	for (struct hyb_stream *s = __atomic_load_n(&streams, __ATOMIC_ACQUIRE); s; s = s->next) {
		__atomic_store_n(&s->sites->size, 0, __ATOMIC_RELAXED);
		hyb_sites_clear(s->sites);
	}
}

void hyb_threads_forked(void)
{
	const struct hyb_stream *s = hyb_self.stream;

	hyb_self.counted = 0;
	if (s && s->file)
		HYB_SYS(mmap, s->file, HYB_FILE_HEADER_SIZE + s->slot_count * s->chunk_size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void hyb_threads_note_usage(void)
{
	for (struct hyb_stream *s = __atomic_load_n(&streams, __ATOMIC_ACQUIRE); s; s = s->next) {
		if (s == hyb_self.stream)
			hyb_usage_note(s, HYB_USAGE_END);
		else
			hyb_usage_note_other(s, HYB_USAGE_END);
	}
}

void hyb_threads_end(void)
{
	struct hyb_thread *t = &hyb_self;

	/* Other threads may still be writing; what they published is there, and stays marked open. */
	t->tail = NULL;
	hyb_sums_end(t);
	if (t->stream)
		hyb_stream_close(t->stream, t);
}
