/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads as recorders: the slow path behind record.h. A thread gets its stream at its first event and
 * gives it up when it ends.
 */
#include "record/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/stack.h"
#include "base/sys.h"
#include "base/text.h"
#include "process/process.h"
#include "record/definitions.h"
#include "record/manifest.h"
#include "record/nesting.h"
#include "record/stream.h"

__thread struct hyb_thread hyb_self;
uint64_t hyb_recording_turns = 1;
int hyb_fold_polls = 1;

static struct hyb_stream *streams;	/* of all threads; never taken off */
static struct hyb_stream *ended;	/* of them those whose threads are gone, for others to take */
static int ended_lock;
static uint32_t stream_count;
static uint32_t last_number;
static pthread_key_t exit_key;
static bool exit_key_made;

static void free_scratch(struct hyb_scratch *scratch)
{
	if (scratch->at)
		hyb_sys_unmap(scratch->at, scratch->size);
	scratch->at = NULL;
	scratch->size = 0;
}

void *hyb_thread_scratch(enum hyb_scratch_use use, size_t size)
{
	struct hyb_scratch *scratch = &hyb_self.scratch[use];
	size_t grown = 2 * scratch->size;
	long at;

	if (hyb_likely(size <= scratch->size))
		return scratch->at;
	free_scratch(scratch);
	grown = (size > grown ? size : grown) + 4095;
	grown -= grown % 4096;
	at = HYB_SYS(mmap, 0, grown, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at < 0 && at > -4096)
		return NULL;
	scratch->at = (void *)at;
	scratch->size = grown;
	return scratch->at;
}

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
	hyb_stream_close(stream, &hyb_self);
}

static void thread_exit(void *stream)
{
	struct hyb_thread *t = &hyb_self;
	bool closes = t->stream == stream && hyb_process_state() == HYB_PROCESS_RECORDING;

	if (closes)
		hyb_stack_run(close_own, stream);
	/* Events from here on, in destructors that run after this one, begin a new stream. */
	t->stream = NULL;
	t->fold_end = NULL;
	t->fold_left = 0;
	t->pos = NULL;
	t->end = NULL;
	for (int i = 0; i < HYB_SCRATCHES; i++)
		free_scratch(&t->scratch[i]);
	for (int i = 0; i < HYB_KEPT; i++)
		free_scratch(&t->kept[i]);
	if (closes)
		hand_on(stream);
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
	struct hyb_stream *s = hyb_alloc(sizeof(*s));

	if (!s)
		return NULL;
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
	s->kind = HYB_STREAM_THREAD;
	s->number = take_number();
	s->ring_chunks = hyb_config.ring / hyb_config.chunk;
	if (hyb_config.ring && s->ring_chunks < 2)
		s->ring_chunks = 2;
	hyb_text_format(s->name, sizeof(s->name), "thread-%u.hyb", s->number);
	t->stream = s;
	t->requests = (uint64_t)s->number << HYB_REQUEST_THREAD_SHIFT;
	if (exit_key_made)
		pthread_setspecific(exit_key, s);
	hyb_manifest_set("threads", "%u", __atomic_add_fetch(&stream_count, 1, __ATOMIC_RELAXED));
	return s;
}

unsigned int hyb_thread_streams(void)
{
	return __atomic_load_n(&stream_count, __ATOMIC_RELAXED);
}

static bool new_room(struct hyb_thread *t, uint64_t now)
{
	struct hyb_stream *s = t->stream ? t->stream : new_stream(t);

	if (!s || hyb_stream_extend(s, t, now))
		return false;
	if (now >= s->clock_at) {
		if (s->clock_at)
			hyb_def_clock();
		s->clock_at = now + hyb_clock_second();
	}
	return true;
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

bool hyb_stream_make_room(struct hyb_thread *t, uint64_t now)
{
	struct room room = { .thread = t, .now = now };
	int saved = errno;

	if (t->pos < t->end) {
		t->pos = hyb_stream_new_epoch(t, now);
		hyb_def_clock();
		return true;
	}
	/* A ring goes round in memory; should a handler leave that by longjmp, one chunk is skipped. */
	if (t->stream && t->stream->ring && hyb_stream_has_all(t->stream))
		return new_room(t, now);
	/* A copy of the process may be in a call, too: the files are not its own. To begin may take a wait. */
	if (!(t->stream ? hyb_process_state() == HYB_PROCESS_RECORDING : hyb_process_start()))
		return false;
	hyb_stack_run(make_room, &room);
	errno = saved;
	return room.ok;
}

uint64_t *hyb_stream_new_epoch(struct hyb_thread *t, uint64_t now)
{
	t->epoch = now >> HYB_TIME_BITS;
	*t->pos = (uint64_t)HYB_EPOCH << HYB_TYPE_SHIFT | t->epoch;
	return t->pos + 1;
}

static void say_switched(void)
{
	hyb_log_once(HYB_LOG_WARNING, "this program goes from one stack to another inside of an MPI call (fibers, "
		     "callbacks without unwind tables); such calls are recorded in parts, all but the last marked as "
		     "abandoned");
}

/*
 * What a call needs while it lasts may still be in use where it is only suspended. Of the last ones it is kept; a
 * program that leaves calls by longjmp may do so any number of times.
 */
static void keep_scratch(struct hyb_thread *t)
{
	for (int i = 0; i < HYB_SCRATCHES; i++) {
		struct hyb_scratch *kept = &t->kept[t->kept_next % HYB_KEPT];

		if (!t->scratch[i].at)
			continue;
		free_scratch(kept);
		*kept = t->scratch[i];
		t->scratch[i] = (struct hyb_scratch){ .at = NULL };
		t->kept_next++;
	}
}

/* Whether the stream says that a call is under way; a handler may have left it before its Enter, or after its end. */
static bool is_open(struct hyb_thread *t, uint32_t region)
{
	const uint64_t *p = t->open;
	uint32_t words;

	if (!p)
		return true;
	if (p > t->pos || *p >> HYB_ID_SHIFT != hyb_head(HYB_ENTER, region, 0) >> HYB_ID_SHIFT)
		return false;
	if (p == t->pos) {
		hyb_publish(t->pos + 1);	/* a poll's, for example */
		return true;
	}
	for (; p < t->pos; p += words) {
		if (*p >> HYB_TYPE_SHIFT == HYB_LEAVE)
			return false;
		words = *p >> (HYB_TYPE_SHIFT + 5) & 3;
		words = words == HYB_SIZE_VAR ? *p >> HYB_ID_SHIFT & HYB_ID_MASK : words + 1;
		if (!words)
			break;
	}
	return true;
}

/* The call that the thread is in ends here, as far as anybody can tell. */
static void abandon(struct hyb_thread *t)
{
	uint32_t region = t->region & HYB_ID_MASK;
	uint64_t *p;

	t->frame = NULL;
	keep_scratch(t);
	if (!t->pos || !t->chunk)
		return;
	if (t->region & HYB_UNTIMED) {
		/* A poll that has no Enter yet; none that can be placed where something else was recorded since. */
		if (t->pos + 1 != t->fold_end)
			return;
		hyb_poll_date(t, false);
		t->open = t->pos;
	}
	if (!is_open(t, region))
		return;
	p = hyb_leave_at(t, region, hyb_counter());
	*p++ = (uint64_t)HYB_ABANDONED << HYB_TYPE_SHIFT;
	hyb_publish(p);
}

/* A live outer frame begins where ours ends if what its function called came to us by a jump. */
bool hyb_frame_nested(struct hyb_thread *t, uintptr_t inner, const void *site)
{
	const uintptr_t outer = (uintptr_t)t->frame;
	enum hyb_nesting nesting = HYB_NESTING_NOT;

	if (outer >= inner) {
		if (hyb_nesting_is_called(site))
			return true;
		nesting = hyb_nesting_find(outer, inner, site);
	}
	if (nesting == HYB_NESTING_INSIDE)
		return true;
	if (nesting != HYB_NESTING_NOT)
		say_switched();
	abandon(t);
	return false;
}

/* Where a thread writes that has no space for what must be written: nobody reads it. */
static uint64_t *nowhere(struct hyb_thread *t)
{
	static struct {
		struct hyb_chunk_header header;
		uint64_t words[4 * HYB_CHUNK_SLACK];
	} words;

	/* The stream ends here; another one begins when there is space. */
	t->stream = NULL;
	t->chunk = &words.header;
	t->pos = words.words;
	t->end = NULL;
	t->fold_end = NULL;
	return t->pos;
}

uint64_t *hyb_frame_returned(struct hyb_thread *t, struct hyb_frame *frame, uint32_t region, uint64_t now)
{
	bool ok = true;

	say_switched();
	if (t->frame)
		abandon(t);
	if (t->pos >= t->end || now >> HYB_TIME_BITS != t->epoch)
		ok = hyb_stream_make_room(t, now);
	t->frame = frame;
	t->region = region;
	if (!ok)
		return nowhere(t);
	*t->pos = hyb_head(HYB_ENTER, region, now);
	hyb_publish(t->pos + 1);
	t->open = NULL;
	return hyb_leave_at(t, region, now);
}

/*
 * What its CALL would have had goes behind a head of its own. Room for that and for the Leave there is wherever an
 * Enter was; only for more than these a new chunk may be needed.
 */
uint64_t *hyb_leave_more(uint32_t region, uint64_t *p, bool *ok)
{
	struct hyb_thread *t = &hyb_self;
	struct hyb_frame *frame = t->frame;
	uint64_t *first = t->pos;
	uint64_t now;

	if (frame->call) {
		size_t words = (size_t)(p - first), heads;

		now = (t->epoch << HYB_TIME_BITS | (*t->open & HYB_TIME_MASK)) +
		      (frame->call >> HYB_CALL_SPAN_SHIFT & HYB_CALL_SPAN_MASK);
		frame->call = 0;
		heads = now >> HYB_TIME_BITS == t->epoch ? 1 : 2;
		memmove(first + heads, first, words * sizeof(*p));
		p = first + heads + words;
		if (heads == 2)
			first = hyb_stream_new_epoch(t, now);
	} else {
		first += *first >> HYB_TYPE_SHIFT == HYB_EPOCH;
		now = t->epoch << HYB_TIME_BITS | (*first & HYB_TIME_MASK);
	}
	*first = hyb_head(HYB_MORE, region, now);
	hyb_publish(p);
	*ok = t->pos < t->end || hyb_stream_make_room(t, now);
	return hyb_leave_at(t, region, now);
}

void hyb_thread_publish_poll(uintptr_t inner, const void *site)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t *p;

	if (!t->frame || !hyb_frame_nested(t, inner, site) || !(t->region & HYB_UNPUBLISHED))
		return;
	p = t->region & HYB_UNTIMED ? hyb_poll_date(t, false) : t->pos + 1;
	t->region &= ~HYB_UNPUBLISHED;
	hyb_publish(p);
}

uint64_t hyb_stream_lost(void)
{
	uint64_t lost = hyb_defs_lost();

	for (struct hyb_stream *s = __atomic_load_n(&streams, __ATOMIC_ACQUIRE); s; s = s->next)
		lost += __atomic_load_n(&s->lost, __ATOMIC_RELAXED);
	return lost;
}

void hyb_stream_report_loss(int err)
{
	char dir[512];

	hyb_manifest_set("lost", "%llu", (unsigned long long)hyb_stream_lost());
	hyb_manifest_set("lost-why", "%s", hyb_text_errno(-err));
	if (!hyb_process_path(dir, sizeof(dir), ""))
		dir[0] = 0;
	if (hyb_config.full == HYB_FULL_RING)
		hyb_log_once(HYB_LOG_WARNING,
			     "%s: %s; from here on the oldest events are given up for new ones; set "
			     "HYBMON_SPOOL or HYBMON_TRACE_DIR to a place with more space",
			     dir, hyb_text_errno(-err));
	else
		hyb_log_once(HYB_LOG_WARNING,
			     "%s: %s; events are lost from here on, and counted; set HYBMON_SPOOL or "
			     "HYBMON_TRACE_DIR to a place with more space, or HYBMON_FULL=ring",
			     dir, hyb_text_errno(-err));
}

void hyb_threads_forked(void)
{
	const struct hyb_stream *s = hyb_self.stream;

	if (s && s->file)
		HYB_SYS(mmap, s->file, HYB_FILE_HEADER_SIZE + s->slot_count * s->chunk_size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void hyb_threads_end(void)
{
	struct hyb_thread *t = &hyb_self;

	/* Other threads may still be writing; what they published is there, and stays marked open. */
	t->fold_left = 0;
	if (t->stream)
		hyb_stream_close(t->stream, t);
}
