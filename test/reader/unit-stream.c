/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stream reader on streams that are whole, damaged, cut short, overwritten, or still being
 * written. Event n of a test stream has the time start + n * tick, so that what is missing shows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/synth.h"
#include "../lib/tap.h"
#include "reader/streams/attached.h"
#include "reader/streams/stream.h"

#define CHUNK HYB_CHUNK_MIN
#define FULL ((CHUNK - sizeof(struct hyb_chunk_header)) / 8 - HYB_CHUNK_SLACK + 1)

struct result { /* of reading a stream to its present end */
	uint64_t events;
	uint64_t gaps;
	uint64_t first_missing; /* number of the first event that was expected and did not come */
	uint64_t missing;
	uint32_t causes;
	uint64_t chunks;
	uint64_t records;
	uint64_t next;	/* number of the event expected next */
	bool unordered; /* out of order, twice, not as written, or missing without a gap */
	int end;
};

static void read_on(struct hyb_reader *r, uint64_t tick, struct result *res)
{
	uint64_t start = hyb_reader_header(r)->start_time, last = 0;
	bool after_gap = false;
	struct hyb_event e;

	while ((res->end = hyb_reader_next(r, &e)) > 0) {
		uint64_t n = (e.time - start) / tick;

		res->unordered |= e.time < last;
		last = e.time;
		if (e.type == HYB_EVENT_GAP) {
			res->gaps++;
			res->causes |= e.gap->causes;
			res->chunks += e.gap->chunks;
			res->records += e.gap->records;
			res->unordered |= e.gap->to != e.time || e.gap->from > e.gap->to;
			after_gap = true;
			continue;
		}
		res->events++;
		res->unordered |= n < res->next || e.id != (n & HYB_ID_MASK) || !e.words;
		if (n > res->next) {
			if (!res->missing)
				res->first_missing = res->next;
			res->missing += n - res->next;
			res->unordered |= !after_gap;
		}
		res->next = n + 1;
		after_gap = false;
	}
}

static struct result read_all(const char *path, struct synth_said *said)
{
	struct result res = { .end = -1 };
	struct hyb_reader *r;

	synth_listen(said);
	if (hyb_reader_open(path, HYB_OWNER_ANY, &said->diag, &r))
		return res;
	read_on(r, 10, &res);
	hyb_reader_close(r);
	return res;
}

static void write_events(struct synth *s, uint64_t from, uint64_t count)
{
	for (uint64_t n = from; n < from + count; n++)
		synth_event(s, HYB_ENTER, n & HYB_ID_MASK);
}

static const char *make(const char *name, uint32_t slots, uint64_t events)
{
	const char *path = synth_path(name);
	struct synth s;

	synth_open(&s, path, HYB_STREAM_THREAD, CHUNK, slots);
	write_events(&s, 0, events);
	synth_close(&s, true);
	return path;
}

static void test_whole(void)
{
	static const uint64_t counts[] = { 0,	     1,	       FULL - 1, FULL,
					   FULL + 1, 2 * FULL, 3 * FULL, 200000 };
	struct synth_said said;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct result res = read_all(make("whole", 0, counts[i]), &said);

		tap(res.events == counts[i] && !res.gaps && !res.missing && !res.unordered &&
			    !res.end && !said.count[0] && !said.count[1] && !said.count[2],
		    "%llu events come whole and in order", (unsigned long long)counts[i]);
	}
}

static void test_ring(void)
{
	struct synth_said said;
	struct result res = read_all(make("ring", 4, 4 * FULL), &said);

	tap(res.events == 4 * FULL && !res.gaps, "a ring that was just filled is whole");
	res = read_all(make("ring", 4, 10 * FULL + 5), &said);
	tap_equal((long long)res.events, 3 * FULL + 5,
		  "a ring that went round has the newest chunks");
	tap(res.gaps == 1 && res.chunks == 7 && res.causes == HYB_GAP_OVERWRITTEN &&
		    !res.first_missing && res.missing == 7 * FULL && !res.unordered,
	    "and one gap before them that says how many");
	tap(!said.count[HYB_SEV_WARNING], "which is no reason to warn");
}

static void test_wrap(void)
{
	const char *path = synth_path("wrap");
	struct synth_said said;
	struct result res;
	struct synth s;

	synth_open(&s, path, HYB_STREAM_THREAD, CHUNK, 0);
	write_events(&s, 0, 6 * FULL);
	synth_wrap(&s);
	write_events(&s, 6 * FULL, 20 * FULL);
	synth_close(&s, true);
	res = read_all(path, &said);
	tap(!res.unordered && res.gaps == 1 && res.causes == HYB_GAP_OVERWRITTEN &&
		    res.events + res.missing == 26 * FULL,
	    "a stream that became a ring: one gap, then the rest");
	tap(res.events == 6 * FULL, "of five places and the slot (got %llu chunks)",
	    (unsigned long long)(res.events / FULL));
}

static void test_loss(void)
{
	const char *path = synth_path("loss");
	struct synth_said said;
	struct result res;
	struct synth s;

	synth_open(&s, path, HYB_STREAM_THREAD, CHUNK, 0);
	write_events(&s, 0, 100);
	synth_lose(&s, 50);
	s.now += 500;
	synth_next_chunk(&s);
	write_events(&s, 150, 100);
	synth_lose(&s, 7);
	synth_close(&s, false);
	res = read_all(path, &said);
	tap(res.events == 200 && res.gaps == 2 && res.records == 57 && !res.chunks &&
		    res.causes == HYB_GAP_NO_SPACE && res.first_missing == 100 &&
		    res.missing == 50 && !res.unordered,
	    "records that found no space are gaps where they are missing");
}

/* Offset of word n of chunk seq where it was put away. */
static uint64_t at(uint64_t seq, uint64_t n)
{
	return HYB_FILE_HEADER_SIZE + (2 + seq - 1) * (uint64_t)CHUNK +
	       sizeof(struct hyb_chunk_header) + n * 8;
}

static void test_corrupt(void)
{
	static const struct {
		const char *what;
		uint64_t offset; /* from the third chunk's first word */
		uint64_t value;
		uint64_t missing;
	} cases[] = {
		{ "a zero word", 80, 0, FULL - 10 },
		{ "an attached record without its event", 0, UINT64_C(0x80) << 56, FULL },
		{ "a record longer than the chunk", 160, UINT64_C(0xe0ffff) << 40, FULL - 20 },
		{ "a record of no length", 160, UINT64_C(0x60) << 56, FULL - 20 },
		{ "an attached record of no length", 160, UINT64_C(0xe0) << 56, FULL - 19 },
		{ "an epoch out of range", 8, UINT64_C(0x03) << 56 | HYB_TIME_MASK, FULL - 1 },
		{ "a wrong magic", -UINT64_C(64), 0x123, FULL },
		{ "a sequence number of zero", -UINT64_C(56), 0, FULL },
		{ "a wild sequence number", -UINT64_C(56), UINT64_MAX - 1, FULL },
		{ "a length beyond the chunk", -UINT64_C(48), CHUNK / 8, FULL },
	};
	struct synth_said said;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = make("corrupt", 0, 10 * FULL);
		struct result res;

		synth_poke(path, at(3, 0) + cases[i].offset, &cases[i].value, 8);
		res = read_all(path, &said);
		/* What an attached record makes of the one before it is the writer's secret. */
		tap(res.missing >= cases[i].missing && res.missing <= cases[i].missing + 1 &&
			    res.events + res.missing == 10 * FULL && res.gaps == 1 &&
			    res.chunks == 1 && res.causes == HYB_GAP_CORRUPT && !res.unordered &&
			    !res.end && said.count[HYB_SEV_WARNING] == 1 &&
			    !said.count[HYB_SEV_ERROR],
		    "%s: the rest is read, with one gap and one line", cases[i].what);
	}
}

static void test_wild_header(void)
{
	static const struct {
		const char *what;
		size_t offset;
		uint64_t value;
	} cases[] = {
		{ "newest_seq 0", offsetof(struct hyb_file_header, newest_seq), 0 },
		{ "newest_seq too low", offsetof(struct hyb_file_header, newest_seq), 4 },
		{ "a wild state", offsetof(struct hyb_file_header, state), 77 },
	};
	uint64_t wild = UINT64_MAX;
	struct synth_said said;
	struct result res;
	const char *path;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		path = make("header", 0, 10 * FULL);
		synth_poke(path, cases[i].offset, &cases[i].value, 8);
		res = read_all(path, &said);
		tap(res.events == 10 * FULL && !res.unordered && !res.end, "%s: all is read",
		    cases[i].what);
	}
	path = make("header", 0, 10 * FULL);
	synth_poke(path, offsetof(struct hyb_file_header, newest_seq), &wild, 8);
	res = read_all(path, &said);
	tap(res.events == 10 * FULL && !res.unordered && !res.end,
	    "a wild newest_seq: all that is there is read");
}

static void test_refused(void)
{
	static const struct {
		const char *what;
		size_t offset, size;
		uint64_t value;
		int err;
	} cases[] = {
		{ "not a stream", 0, 8, 0x1234, -EINVAL },
		{ "other byte order", 8, 4, 0x04030201, -EPROTONOSUPPORT },
		{ "newer major version", 12, 2, 2, -EPROTONOSUPPORT },
		{ "header size", 16, 4, 7, -EINVAL },
		{ "chunk size", 20, 4, 64, -EINVAL },
		{ "huge chunk size", 20, 4, 0xfffffff8, -EINVAL },
		{ "unknown kind", 24, 4, 99, -EINVAL },
		{ "no slots", offsetof(struct hyb_file_header, slots), 8, 0, -EINVAL },
	};
	struct hyb_reader *r;
	struct synth_said said;
	const char *path;
	int err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		path = make("refused", 0, 10);
		synth_poke(path, cases[i].offset, &cases[i].value, cases[i].size);
		synth_listen(&said);
		err = hyb_reader_open(path, HYB_OWNER_ANY, &said.diag, &r);
		if (!tap(err == cases[i].err && said.count[HYB_SEV_ERROR] == 1 &&
				 strstr(said.last, path),
			 "refused: %s", cases[i].what))
			printf("# %d %s\n", err, said.last);
	}
	synth_listen(&said);
	tap(hyb_reader_open(synth_path("none"), HYB_OWNER_ANY, &said.diag, &r) == -ENOENT &&
		    said.count[HYB_SEV_ERROR] == 1,
	    "refused: a file that is not there");
	tap(hyb_reader_open(synth_directory(), HYB_OWNER_ANY, NULL, &r) == -EINVAL, "refused: a directory");
	path = synth_path("fifo");
	mkfifo(path, 0600);
	tap(hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r) == -EINVAL, "refused: a pipe, without waiting for it");
	path = synth_path("empty");
	synth_text(path, "");
	synth_listen(&said);
	tap(hyb_reader_open(path, HYB_OWNER_ANY, &said.diag, &r) == -ENODATA && said.count[HYB_SEV_WARNING] == 1,
	    "an empty file is one that is not begun yet");
	synth_truncate(path, 65536);
	tap(hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r) == -ENODATA, "and so is one of zeroes");
}

/* Cut at every byte: no crash, no hang, and what is there is a beginning of what was. */
static void test_cut(void)
{
	const char *path = make("whole", 0, 5 * FULL + 3), *cut = synth_path("cut");
	uint64_t size = synth_size(path), bad = 0, last = 0;
	struct synth_said said;

	if (link(path, cut))
		bad++;
	while (size > 0) {
		struct result res;

		/* Every byte near the borders and of the first words, strides between. */
		size -= size % CHUNK < 300 || size < 4600 ? 1 : 97;
		synth_truncate(cut, size);
		res = read_all(cut, &said);
		if (size < sizeof(struct hyb_file_header))
			bad += res.end != -1;
		else
			bad += res.unordered || res.end || res.events > 5 * FULL + 3;
		/* Losing the tail of the file never loses more than it cuts, but for the slots. */
		bad += res.events < last && size > HYB_FILE_HEADER_SIZE + 2 * CHUNK &&
		       last - res.events > FULL;
		last = res.events;
	}
	tap_equal((long long)bad, 0, "cut short anywhere");
}

static void test_times(void)
{
	const uint64_t jumps[] = { 10, HYB_TIME_MASK, 10, UINT64_C(1) << 41, UINT64_C(3) << 61 };
	const char *path = synth_path("times");
	struct hyb_reader *r;
	struct hyb_event e;
	struct synth s;
	uint64_t now, wrong = 0, count = 0, back;

	synth_open(&s, path, HYB_STREAM_THREAD, CHUNK, 0);
	now = s.now;
	for (size_t i = 0; i < 5; i++) {
		s.tick = jumps[i];
		synth_event(&s, HYB_ENTER, i);
	}
	synth_close(&s, true);
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
	while (hyb_reader_next(r, &e) > 0) {
		wrong += e.time != now || e.id != count;
		now += jumps[count++ % 5];
	}
	hyb_reader_close(r);
	tap(!wrong && count == 5, "times of 64 bits come back from the 40 that are kept");

	path = make("back", 0, 100);
	back = UINT64_C(1) << 56 | UINT64_C(50) << 40 | 3;
	synth_poke(path, HYB_FILE_HEADER_SIZE + 64 + 50 * 8, &back, 8);
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
	for (count = 0, wrong = 0, now = 0; hyb_reader_next(r, &e) > 0; count++) {
		wrong += e.time < now;
		now = e.time;
	}
	tap(count == 100 && !wrong && hyb_reader_stats(r)->clamped == 1,
	    "a time that goes back is raised, and counted");
	hyb_reader_close(r);
}

static void test_records(void)
{
	static const uint64_t send[] = { UINT64_C(0xa1000007) << 32 | 3, UINT64_C(99) << 32 | 80 };
	static const uint64_t wide[] = { UINT64_C(0xc2) << 56 | 0xfffffffe,
					 UINT64_C(0x01000001) << 32 | 0x7fffffff,
					 UINT64_C(1) << 33 };
	static const uint64_t coll[] = { UINT64_C(0xa3000001) << 32 | 0xffffffff,
					 UINT64_C(8) << 32 | 16 };
	static const uint64_t unknown[] = { UINT64_C(0xff0004) << 40, 1, 0, 3 };
	static const uint64_t error[] = { UINT64_C(0x81) << 56 | 15 };
	const char *path = synth_path("records");
	struct hyb_attached a = { 0 };
	struct synth_said said;
	struct hyb_reader *r;
	struct hyb_event e;
	struct synth s;
	uint32_t pos = 0;

	synth_open(&s, path, HYB_STREAM_THREAD, CHUNK, 0);
	synth_event(&s, HYB_ENTER, 12);
	synth_words(&s, send, 2);
	synth_words(&s, unknown, 4);
	synth_words(&s, wide, 3);
	synth_words(&s, coll, 2);
	synth_words(&s, error, 1);
	synth_publish(&s);
	synth_event(&s, 0x3f, 0); /* timed, two words, not known */
	synth_word(&s, 5);
	synth_words(&s, send, 2);
	synth_publish(&s);
	synth_event(&s, HYB_LEAVE_WIDE, 0);
	synth_word(&s, 70000);
	synth_publish(&s);
	synth_close(&s, true);
	synth_listen(&said);
	hyb_reader_open(path, HYB_OWNER_ANY, &said.diag, &r);
	tap(hyb_reader_next(r, &e) == 1 && e.type == HYB_ENTER && e.id == 12 && e.count == 13 &&
		    e.head == 1,
	    "an event comes with all its attached records");
	tap(hyb_attached_next(&e, &pos, &a) && a.type == HYB_SEND && a.comm == 7 && a.peer == 3 &&
		    a.tag == 99 && a.bytes == 80,
	    "a message");
	tap(hyb_attached_next(&e, &pos, &a) && a.type == HYB_RECV && a.comm == 0x01000001 &&
		    a.peer == -2 && a.tag == 0x7fffffff && a.bytes == UINT64_C(1) << 33,
	    "a wide one, behind a record that is not known");
	tap(hyb_attached_next(&e, &pos, &a) && a.type == HYB_COLL && a.comm == 1 && a.peer == -1 &&
		    a.bytes == 8 && a.received == 16,
	    "a collective");
	tap(hyb_attached_next(&e, &pos, &a) && a.type == HYB_ERROR && a.error == 15 &&
		    !hyb_attached_next(&e, &pos, &a),
	    "an error, the last");
	tap(hyb_reader_next(r, &e) == 1 && e.type == HYB_LEAVE && e.id == 70000 && e.head == 2 &&
		    hyb_reader_stats(r)->unknown_records == 1 && said.count[HYB_SEV_NOTE] == 1,
	    "unknown events are stepped over, counted and said once");
	tap(!hyb_reader_next(r, &e) && !hyb_reader_next(r, &e),
	    "the end comes as often as asked for");
	hyb_reader_close(r);
}

static void test_follow(void)
{
	const char *path = synth_path("follow");
	struct result res = { 0 };
	struct hyb_reader *r;
	bool behind = false;
	struct synth s;
	uint64_t n = 0;

	synth_open(&s, path, HYB_STREAM_THREAD, CHUNK, 0);
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
	/* In steps from one event to many chunks, so that the reader stops everywhere. */
	for (uint64_t step = 1; step < 20000; step += step / 3 + 1) {
		read_on(r, 10, &res);
		behind |= res.events != n || res.end;
		write_events(&s, n, step);
		n += step;
	}
	read_on(r, 10, &res);
	tap(!behind && res.events == n && !res.gaps && !res.unordered,
	    "a reader at the end goes on with what comes");
	tap(!hyb_reader_closed(r), "and sees that the stream is open");
	synth_close(&s, true);
	read_on(r, 10, &res);
	tap(hyb_reader_closed(r) && res.events == n, "until it is closed");
	hyb_reader_close(r);

	synth_open(&s, path, HYB_STREAM_THREAD, CHUNK, 3);
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
	memset(&res, 0, sizeof(res));
	write_events(&s, 0, 100);
	read_on(r, 10, &res);
	write_events(&s, 100, 20 * FULL);
	read_on(r, 10, &res);
	tap(res.gaps == 1 && !res.unordered && res.causes == HYB_GAP_OVERWRITTEN &&
		    res.chunks >= 17 && res.events + res.missing == 100 + 20 * FULL &&
		    res.next == 100 + 20 * FULL,
	    "a reader that was overtaken says so and goes on");
	hyb_reader_close(r);
	synth_close(&s, false);
}

/* Records larger than the window, and one that ends with it. */
static void test_window(void)
{
	const char *path = synth_path("window");
	char *text = calloc(1, 65534 * 8);
	struct hyb_reader *r;
	struct hyb_event e;
	struct synth s;
	uint64_t wrong = 0, count = 0;

	synth_open(&s, path, HYB_STREAM_DEFS, 1u << 20, 0);
	for (size_t i = 0; i < 40; i++)
		synth_def(&s, HYB_DEF_COMM_NAME, i, &i, sizeof(i), text, i % 3 ? 65533 * 8 : 8 * i);
	synth_close(&s, true);
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
	while (hyb_reader_next(r, &e) > 0) {
		wrong += e.id != count || e.count != 2 + (count % 3 ? 65533 : count);
		count++;
	}
	tap(count == 40 && !wrong, "records larger than the reader's window");
	hyb_reader_close(r);
	free(text);
}

/* Samples: of each a part, with gaps in between, to the stream's end; nothing is said to be lost. */
static void test_thin(void)
{
	static const struct { uint32_t samples, words; uint64_t events; uint32_t slots; } cases[] = {
		{ 4, 128, 100000, 0 }, { 1, 64, 100000, 0 }, { 1000, 64, 30000, 0 }, { 4, 1 << 20, 100000, 0 }, { 3, 100, 10, 0 },
		{ 2, 128, 0, 0 }, { 4, 128, 100000, 2 },
	};
	struct synth_said said;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = make("thin", cases[i].slots, cases[i].events);
		struct result res = { .end = -1 };
		struct hyb_reader *r;
		uint64_t most, chunks;

		synth_listen(&said);
		if (hyb_reader_open(path, HYB_OWNER_ANY, &said.diag, &r)) {
			tap(false, "it opens");
			continue;
		}
		hyb_reader_thin(r, cases[i].samples, cases[i].words);
		chunks = hyb_reader_header(r)->newest_seq;
		read_on(r, 10, &res);
		most = (cases[i].samples + 1) * (cases[i].words < FULL ? cases[i].words : FULL);
		tap(!res.end && !res.unordered && res.events <= most && res.events + res.missing + FULL + 1 >= cases[i].events &&
			    !(res.causes & ~(uint32_t)(HYB_GAP_SKIPPED | HYB_GAP_OVERWRITTEN)) &&
			    (res.events == cases[i].events || res.causes & HYB_GAP_SKIPPED || cases[i].slots) &&
			    (chunks < cases[i].samples || res.gaps + 2 >= cases[i].samples || cases[i].slots) &&
			    !hyb_reader_stats(r)->lost_records && (cases[i].slots || !hyb_reader_stats(r)->lost_chunks) &&
			    !said.count[0] && !said.count[1] && !said.count[2],
		    "%u samples of %u words: %llu of %llu events, %llu gaps", cases[i].samples, cases[i].words,
		    (unsigned long long)res.events, (unsigned long long)cases[i].events, (unsigned long long)res.gaps);
		hyb_reader_close(r);
	}
}

int main(void)
{
	test_whole();
	test_ring();
	test_wrap();
	test_loss();
	test_corrupt();
	test_wild_header();
	test_refused();
	test_cut();
	test_times();
	test_records();
	test_follow();
	test_window();
	test_thin();
	synth_cleanup();
	return tap_done();
}
