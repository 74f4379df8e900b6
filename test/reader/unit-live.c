/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reader against a writer in another process that writes as fast as it can: every event comes
 * once, in order and as it was written, or is in a gap that says so.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/synth.h"
#include "../lib/tap.h"
#include "reader/streams/attached.h"
#include "reader/streams/stream.h"

#ifdef __SANITIZE_ADDRESS__
#define EVENTS UINT64_C(600000)	/* as it takes minutes otherwise */
#define CLOSINGS 100
#else
#define EVENTS UINT64_C(3000000)
#define CLOSINGS 1000
#endif
#define TICK 10
#define SPAN 3

/* How a stream is written: slots of a ring or 0, the event at which it becomes one, how often it pauses or 0. */
struct writing {
	uint64_t events;
	uint32_t slots;
	uint64_t wrap_at, burst;
};

/* Every fourth Enter becomes a CALL, with a word that belongs to its Leave. */
static bool is_call(uint64_t n)
{
	return n % 4 == 1;
}

static void make_call(struct synth *s, uint64_t *enter, uint64_t n)
{
	synth_word(s, (uint64_t)HYB_ERROR << HYB_TYPE_SHIFT | (uint32_t)n);
	synth_publish(s);
	__atomic_store_n(enter,
			 (uint64_t)HYB_CALL << HYB_TYPE_SHIFT | (n & HYB_CALL_ID_MASK) << HYB_CALL_ID_SHIFT |
				 (uint64_t)SPAN << HYB_CALL_SPAN_SHIFT | (uint32_t)s->now,
			 __ATOMIC_RELEASE);
}

/* Each event carries its number twice: in its time, and in a message attached to it. */
static void write_all(const char *path, const struct writing *w)
{
	const uint64_t burst = w->burst;
	struct synth s;

	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, w->slots);
	for (uint64_t n = 0; n < w->events; n++) {
		uint64_t send[2] = { (uint64_t)HYB_SEND << HYB_TYPE_SHIFT | (uint32_t)n,
				     n & 0xffffffff };
		uint64_t *enter;

		if (n == w->wrap_at)
			synth_wrap(&s);
		/* One publication for the event and what is attached to it. */
		synth_room(&s, HYB_CHUNK_SLACK);
		enter = s.pos;
		synth_word(&s, (uint64_t)HYB_ENTER << HYB_TYPE_SHIFT |
				       (n & HYB_CALL_ID_MASK) << HYB_ID_SHIFT | (s.now & HYB_TIME_MASK));
		synth_words(&s, send, 2);
		synth_publish(&s);
		if (burst && n % (4 * burst) == 1)
			sched_yield();
		if (is_call(n))
			make_call(&s, enter, n);
		s.now += TICK;
		/* Pauses let the reader come to the end, at any place in a chunk. */
		if (burst && n % burst == 0)
			sched_yield();
	}
	synth_close(&s, true);
}

struct seen {
	uint64_t events, missing, gaps, next;
	uint64_t wrong;
	uint32_t causes;
	bool open;	/* an Enter came that becomes a CALL, its Leave not yet */
	bool had;	/* what belongs to its Leave */
	bool cut;	/* the Leave came without: right only in front of a gap */
};

/* The word that a Leave has; the reader may see it before it sees the CALL. */
static void take_end(struct seen *seen, const struct hyb_event *e, uint32_t pos)
{
	struct hyb_attached a;

	while (hyb_attached_next(e, &pos, &a)) {
		seen->wrong += a.type != HYB_ERROR || seen->had || (uint32_t)a.error != (uint32_t)(seen->next - 1);
		seen->had = true;
	}
}

static void take_leave(struct seen *seen, const struct hyb_event *e, uint64_t n)
{
	seen->wrong += !seen->open || n + 1 != seen->next || e->id != (n & HYB_CALL_ID_MASK);
	take_end(seen, e, 0);
	if (e->type == HYB_MORE)
		return;
	seen->open = false;
	seen->cut = !seen->had;
}

static void take(struct seen *seen, const struct hyb_event *e, uint64_t start, bool *after_gap)
{
	uint64_t n = (e->time - start) / TICK;
	struct hyb_attached a;
	uint32_t pos = 0;

	if (e->type == HYB_EVENT_GAP) {
		seen->gaps++;
		seen->causes |= e->gap->causes;
		*after_gap = true;
		seen->open = false;
		seen->cut = false;
		return;
	}
	seen->wrong += seen->cut;
	seen->cut = false;
	if (e->type != HYB_ENTER) {
		take_leave(seen, e, n);
		return;
	}
	seen->wrong += seen->open || n < seen->next || (n > seen->next && !*after_gap) ||
		       e->id != (n & HYB_CALL_ID_MASK) || !hyb_attached_next(e, &pos, &a) ||
		       (uint32_t)a.peer != (uint32_t)n || a.bytes != n || e->count < 3;
	seen->missing += n - seen->next;
	seen->next = n + 1;
	seen->events++;
	seen->open = is_call(n);
	seen->had = false;
	take_end(seen, e, pos);
	*after_gap = false;
}

static struct seen follow(const char *path)
{
	struct seen seen = { 0 };
	struct hyb_reader *r;
	struct hyb_event e;
	bool after_gap = false;
	bool closed;

	while (hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r))
		sched_yield();
	do {
		int ret;

		closed = hyb_reader_closed(r);
		while ((ret = hyb_reader_next(r, &e)) > 0)
			take(&seen, &e, hyb_reader_header(r)->start_time, &after_gap);
		seen.wrong += ret < 0;
	} while (!closed);
	seen.wrong += hyb_reader_stats(r)->corrupt_chunks;
	hyb_reader_close(r);
	return seen;
}

static struct seen once(const struct writing *w)
{
	const char *path = synth_path("live");
	struct seen seen;
	pid_t pid;

	unlink(path);
	pid = fork();
	if (!pid) {
		write_all(path, w);
		_exit(0);
	}
	seen = follow(path);
	waitpid(pid, NULL, 0);
	return seen;
}

static bool right(const struct seen *seen, const struct writing *w)
{
	return !seen->wrong && seen->events + seen->missing == w->events;
}

static void test(const char *what, uint32_t slots, uint64_t wrap_at, uint64_t burst)
{
	const struct writing w = { EVENTS, slots, wrap_at, burst };
	const struct seen seen = once(&w);

	tap(right(&seen, &w), "%s: each event once, or in a gap", what);
	tap(!(seen.causes & ~HYB_GAP_OVERWRITTEN), "%s: nothing taken for damage", what);
	if (!slots && wrap_at >= EVENTS)
		tap(!seen.missing && !seen.gaps, "%s: nothing lost", what);
	printf("# %llu events, %llu missing in %llu gaps, %llu wrong, causes %u\n",
	       (unsigned long long)seen.events, (unsigned long long)seen.missing,
	       (unsigned long long)seen.gaps, (unsigned long long)seen.wrong, seen.causes);
}

/* A short stream is closed at another moment of its reader's each time. */
static void test_closing(void)
{
	const struct writing w = { 60000, 0, 6000, 0 };
	int good = 0;

	for (int i = 0; i < CLOSINGS; i++) {
		const struct seen seen = once(&w);

		good += right(&seen, &w);
	}
	tap(good == CLOSINGS, "closed while it is read: %d of %d times each event once, or in a gap", good, CLOSINGS);
}

int main(void)
{
	test("growing", 0, UINT64_MAX, 0);
	test("growing, with pauses", 0, UINT64_MAX, 7);
	test("ring of 2", 2, UINT64_MAX, 0);
	test("ring of 2, with pauses", 2, UINT64_MAX, 3);
	test("ring of 64", 64, UINT64_MAX, 100);
	test("growing, then a ring", 0, EVENTS / 10, 0);
	test_closing();
	synth_cleanup();
	return tap_done();
}
