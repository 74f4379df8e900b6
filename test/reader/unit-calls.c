/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that are one record, between others, in streams that grow and in rings: each is told as its Enter and its
 * Leave.
 */
#include "../lib/synth.h"
#include "../lib/tap.h"
#include "reader/streams/attached.h"
#include "reader/streams/stream.h"

#define EVENTS UINT64_C(60000)
#define SPAN 77

static uint64_t call_word(uint64_t region, uint64_t begin)
{
	return (uint64_t)HYB_CALL << HYB_TYPE_SHIFT | region << HYB_CALL_ID_SHIFT |
	       (uint64_t)SPAN << HYB_CALL_SPAN_SHIFT | (uint32_t)begin;
}

static void put_call(struct synth *s, uint64_t region)
{
	synth_room(s, HYB_CHUNK_SLACK);
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
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
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
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
	ok = hyb_reader_next(r, &e) == 1 && hyb_reader_next(r, &e) == 1 && e.type == HYB_ENTER && e.time == first &&
	     hyb_reader_stats(r)->clamped == 1;
	ok &= hyb_reader_next(r, &e) == 1 && e.type == HYB_LEAVE && e.time == first + SPAN && !hyb_reader_next(r, &e);
	tap(ok, "one that begins before the event before it is raised, and counted");
	hyb_reader_close(r);
}

#define FIRST UINT64_C(0x5000001000) /* of the chunk's requests */

static uint64_t near(uint64_t request)
{
	return request - FIRST + HYB_NEAR_BEFORE;
}

static uint64_t message(enum hyb_record_type type, uint64_t near, uint64_t bytes)
{
	return (uint64_t)type << HYB_TYPE_SHIFT | near << HYB_NEAR_SHIFT | UINT64_C(15) << HYB_SHORT_COMM_SHIFT |
	       UINT64_C(4095) << HYB_SHORT_PEER_SHIFT | UINT64_C(511) << HYB_SHORT_TAG_SHIFT | bytes;
}

static bool is_message(const struct hyb_event *e, uint32_t *pos, uint32_t type, uint64_t request, uint64_t bytes)
{
	struct hyb_attached a;

	return hyb_attached_next(e, pos, &a) && a.type == type && a.request == request && a.bytes == bytes &&
	       a.comm == 15 && a.peer == 4095 && a.tag == 511 && !a.partitioned;
}

static bool is_request(const struct hyb_event *e, uint32_t *pos, uint32_t type, uint64_t request)
{
	struct hyb_attached a;

	return hyb_attached_next(e, pos, &a) && a.type == type && a.request == request;
}

/* What is attached to a CALL, in its short forms. */
static void put_attached(struct synth *s)
{
	const uint64_t words[] = {
		message(HYB_SEND_SHORT, near(FIRST + 1), 16383),
		message(HYB_SEND_SHORT, HYB_NEAR_NONE, 1 << 14 | 2049),
		(uint64_t)HYB_REQUEST << HYB_TYPE_SHIFT | 77,
		message(HYB_RECV_SHORT, near(FIRST - 8192), 2 << 14 | 16383),
		message(HYB_RECV_SHORT, near(FIRST + 24574), 3 << 14 | 1),
		(uint64_t)HYB_SENT_SHORT << HYB_TYPE_SHIFT | (near(FIRST + 3) + 1) << 32 | (near(FIRST + 2) + 1) << 16 |
			(near(FIRST - 8192) + 1),
		(uint64_t)HYB_SENT_SHORT << HYB_TYPE_SHIFT | (near(FIRST + 4) + 1),
		(uint64_t)HYB_REQUEST_SENT << HYB_TYPE_SHIFT | 78,
	};

	s->chunk->requests = FIRST;
	synth_room(s, HYB_CHUNK_SLACK);
	synth_word(s, call_word(9, s->now));
	synth_words(s, words, sizeof(words) / sizeof(*words));
	synth_publish(s);
}

static void test_attached(void)
{
	const char *path = synth_path("attached");
	struct hyb_attached a;
	struct hyb_reader *r;
	struct hyb_event e;
	struct synth s;
	uint32_t pos = 0;
	bool ok;

	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, 0);
	put_attached(&s);
	synth_close(&s, true);
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
	tap(hyb_reader_next(r, &e) == 1 && e.type == HYB_ENTER && e.id == 9 && e.count == 4 &&
		    is_message(&e, &pos, HYB_SEND, FIRST + 1, 16383) && is_message(&e, &pos, HYB_SEND, 77, 2049 * 8) &&
		    !hyb_attached_next(&e, &pos, &a),
	    "sends of a CALL are its Enter's");
	pos = 0;
	ok = hyb_reader_next(r, &e) == 1 && e.type == HYB_LEAVE && e.id == 9 && e.count == 6 && e.head == 1 &&
	     is_message(&e, &pos, HYB_RECV, FIRST - 8192, 16383 * 64) &&
	     is_message(&e, &pos, HYB_RECV, FIRST + 24574, 512);
	tap(ok, "the rest is its Leave's: messages in one word");
	ok = is_request(&e, &pos, HYB_REQUEST_SENT, FIRST - 8192) &&
	     is_request(&e, &pos, HYB_REQUEST_SENT, FIRST + 2) && is_request(&e, &pos, HYB_REQUEST_SENT, FIRST + 3) &&
	     is_request(&e, &pos, HYB_REQUEST_SENT, FIRST + 4) && is_request(&e, &pos, HYB_REQUEST_SENT, 78) &&
	     !hyb_attached_next(&e, &pos, &a) && !hyb_reader_next(r, &e);
	tap(ok, "and several sends that are complete");
	hyb_reader_close(r);
}

/* Reads on while an Enter that was published becomes a CALL: `more` words belong to its Leave. */
static void test_becomes(unsigned int more, bool read_before, bool others)
{
	const char *path = synth_path("becomes");
	const uint64_t error = (uint64_t)HYB_ERROR << HYB_TYPE_SHIFT | 5;
	struct hyb_attached a;
	struct hyb_reader *r;
	struct hyb_event e;
	struct synth s;
	uint64_t begin, *enter;
	uint32_t pos = 0;
	bool ok = true;

	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, 0);
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
	begin = s.now;
	enter = s.pos;
	synth_event(&s, HYB_ENTER, 3);
	synth_word(&s, message(HYB_SEND_SHORT, near(FIRST), 1));
	synth_publish(&s);
	if (read_before)
		ok = hyb_reader_next(r, &e) == 1 && is_event(&e, HYB_ENTER, 3, begin) && e.count == 2 &&
		     !hyb_reader_next(r, &e);
	for (unsigned int i = 0; i < more; i++)
		synth_word(&s, error);
	synth_publish(&s);
	*enter = call_word(3, begin);
	s.now = begin + 100;
	if (others)
		synth_event(&s, HYB_ENTER, 4);
	if (!read_before)
		ok = hyb_reader_next(r, &e) == 1 && is_event(&e, HYB_ENTER, 3, begin) && e.count == 2;
	ok &= hyb_reader_next(r, &e) == 1 && is_event(&e, HYB_LEAVE, 3, begin + SPAN) && e.count == 1 + more;
	for (unsigned int i = 0; i < more; i++)
		ok &= hyb_attached_next(&e, &pos, &a) && a.type == HYB_ERROR && a.error == 5;
	if (others)
		ok &= hyb_reader_next(r, &e) == 1 && is_event(&e, HYB_ENTER, 4, begin + 100) && e.count == 1;
	ok &= !hyb_reader_next(r, &e) && !hyb_reader_stats(r)->corrupt_chunks;
	tap(ok, "an Enter becomes a CALL with %u more words %s it was read, %s behind it", more,
	    read_before ? "after" : "before", others ? "something" : "nothing");
	synth_close(&s, true);
	hyb_reader_close(r);
}

/* What the Leave has is published, its CALL not, when the writer dies or is looked at. */
static void test_between(bool becomes)
{
	const char *path = synth_path("between");
	struct hyb_reader *r;
	struct hyb_event e;
	struct synth s;
	uint64_t begin, *enter;
	bool ok;

	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, 0);
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
	begin = s.now;
	enter = s.pos;
	synth_event(&s, HYB_ENTER, 3);
	ok = hyb_reader_next(r, &e) == 1 && is_event(&e, HYB_ENTER, 3, begin) && !hyb_reader_next(r, &e);
	synth_word(&s, (uint64_t)HYB_ERROR << HYB_TYPE_SHIFT | 5);
	synth_publish(&s);
	ok &= hyb_reader_next(r, &e) == 1 && is_event(&e, HYB_MORE, 3, begin) && e.count == 2 && !hyb_reader_next(r, &e);
	if (becomes) {
		*enter = call_word(3, begin);
		ok &= hyb_reader_next(r, &e) == 1 && is_event(&e, HYB_LEAVE, 3, begin + SPAN) && e.count == 1;
	}
	ok &= !hyb_reader_next(r, &e) && !hyb_reader_stats(r)->corrupt_chunks;
	tap(ok, "what belongs to a Leave is told also where the Leave %s", becomes ? "comes later" : "never comes");
	synth_close(&s, true);
	hyb_reader_close(r);
}

int main(void)
{
	test("growing", 0);
	test("ring", 3);
	test_back();
	test_attached();
	for (unsigned int i = 0; i < 8; i++)
		test_becomes(i & 1 ? 2 : 0, i & 2, i & 4);
	test_between(true);
	test_between(false);
	synth_cleanup();
	return tap_done();
}
