/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are one record, between others, in streams that grow and in rings: each is told as its Enter and its Leave. */
#include "synth.h"
#include "tap.h"
#include "trace/attached.h"
#include "trace/stream.h"

#define EVENTS UINT64_C(60000)
#define SPAN 77

static uint64_t call_word(uint64_t region, uint64_t begin)
{
	return (uint64_t)HYB_CALL << HYB_TYPE_SHIFT | region << HYB_CALL_ID_SHIFT |
	       (uint64_t)SPAN << HYB_CALL_SPAN_SHIFT | (uint32_t)begin;
}

static void put_call(struct synth *s, uint64_t region)
{
	synth_room(s, 2 * (HYB_GROUP_MAX + 1));
	synth_word(s, call_word(region, s->now));
	synth_publish(s);
}

/* How far event n is from the one before it: mostly near, also as far as a CALL may be, and across all lower halves. */
static uint64_t distance(uint64_t n)
{
	return n % 1000 == 999 ? HYB_CALL_NEAR - 1 : 1000 + n * 7919 % 1000000;
}

/* Every third event is an Enter with something attached, the others are calls. */
static void write_all(const char *path, uint32_t slots)
{
	static const uint64_t send[] = { UINT64_C(0xa1000007) << 32 | 3, UINT64_C(99) << 32 | 80 };
	struct synth s;

	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, slots);
	s.tick = 0;
	for (uint64_t n = 0; n < EVENTS; n++) {
		s.now += distance(n);
		if (n % 3) {
			put_call(&s, n % HYB_CALL_ID_MASK);
			continue;
		}
		synth_event(&s, HYB_ENTER, n % HYB_CALL_ID_MASK);
		synth_words(&s, send, 2);
		synth_publish(&s);
	}
	synth_close(&s, true);
}

static bool is_event(const struct hyb_event *e, uint32_t type, uint64_t n, uint64_t time)
{
	return e->type == type && e->id == n % HYB_CALL_ID_MASK && e->time == time &&
	       e->words[0] == ((uint64_t)type << HYB_TYPE_SHIFT | e->id << HYB_ID_SHIFT | (time & HYB_TIME_MASK));
}

/* Reads it all, from the first event that is still there. */
static void test(const char *what, uint32_t slots)
{
	const char *path = synth_path(what);
	uint64_t time, n = 0, wrong = 0, told = 0;
	struct hyb_reader *r;
	struct hyb_event e;

	write_all(path, slots);
	hyb_reader_open(path, NULL, &r);
	time = hyb_reader_header(r)->start_time + distance(0);
	while (hyb_reader_next(r, &e) > 0) {
		if (e.type == HYB_EVENT_GAP)
			continue;
		if (!told)
			while (n < EVENTS && time < e.time)
				time += distance(++n);
		told++;
		if (n % 3) {
			wrong += !is_event(&e, HYB_ENTER, n, time) || e.count != 1;
			wrong += hyb_reader_next(r, &e) <= 0 || !is_event(&e, HYB_LEAVE, n, time + SPAN) || e.count != 1;
		} else {
			wrong += !is_event(&e, HYB_ENTER, n, time) || e.count != 3;
		}
		time += distance(++n);
	}
	tap(!wrong && n == EVENTS && (slots ? told < EVENTS && told > 100 : told == EVENTS),
	    "%s: each call is an Enter and a Leave, with its time", what);
	hyb_reader_close(r);
}

static void test_back(void)
{
	const char *path = synth_path("back");
	struct hyb_reader *r;
	struct hyb_event e;
	struct synth s;
	uint64_t first;
	bool ok;

	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, 0);
	s.now += 1000;
	first = s.now;
	synth_event(&s, HYB_ENTER, 1);
	s.now = first - 5;
	put_call(&s, 2);
	synth_close(&s, true);
	hyb_reader_open(path, NULL, &r);
	ok = hyb_reader_next(r, &e) == 1 && hyb_reader_next(r, &e) == 1 && e.type == HYB_ENTER && e.time == first &&
	     hyb_reader_stats(r)->clamped == 1;
	ok &= hyb_reader_next(r, &e) == 1 && e.type == HYB_LEAVE && e.time == first + SPAN && !hyb_reader_next(r, &e);
	tap(ok, "one that begins before the event before it is raised, and counted");
	hyb_reader_close(r);
}

int main(void)
{
	test("growing", 0);
	test("ring", 3);
	test_back();
	synth_cleanup();
	return tap_done();
}
