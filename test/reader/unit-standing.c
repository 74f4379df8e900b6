/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands after the last published word is told of the call that a thread is in, and of no other. */

#include "../lib/synth.h"
#include "../lib/tap.h"
#include "reader/streams/reader.h"

#define REGION 41
#define SITE UINT64_C(0x7f0012345678)

static uint64_t head(enum hyb_standing_form form)
{
	return (uint64_t)HYB_STANDING << HYB_TYPE_SHIFT |
	       (uint64_t)form << HYB_STANDING_FORM_SHIFT | SITE;
}

static struct synth begin(void)
{
	struct synth s;

	synth_open(&s, synth_path("stream"), HYB_STREAM_THREAD, HYB_CHUNK_MIN, 0);
	synth_event(&s, HYB_ENTER, 5);
	synth_event(&s, HYB_LEAVE, 5);
	return s;
}

/* Ends the stream; what is read at its end. */
static int read_end(struct synth *s, bool closed, struct hyb_standing *standing)
{
	struct hyb_reader *r;
	struct hyb_event e;
	int ret;

	synth_close(s, closed);
	hyb_reader_open(synth_path("stream"), HYB_OWNER_ANY, NULL, &r);
	while (hyb_reader_next(r, &e) > 0)
		;
	ret = hyb_standing_read(r, standing);
	hyb_reader_close(r);
	return ret;
}

/* An ENTER with those words after it, the first `published` of them published. */
static int stand(uint64_t region, size_t published, size_t count, const uint64_t *words,
		 struct hyb_standing *standing)
{
	struct synth s = begin();

	synth_event(&s, HYB_ENTER, region);
	synth_words(&s, words, published);
	synth_publish(&s);
	synth_words(&s, words + published, count - published);
	return read_end(&s, false, standing);
}

static void test_messages(void)
{
	const uint64_t recv[] = { head(HYB_STAND_RECV), 0x44000000,
				  UINT64_C(9) << 32 | (uint32_t)-2 };
	const uint64_t sent[] = { (uint64_t)HYB_SEND << HYB_TYPE_SHIFT | UINT64_C(6) << 32 | 3,
				  UINT64_C(8) << 32 | 100, head(HYB_STAND_CALL) };
	const uint64_t both[] = { sent[0], sent[1], recv[0], recv[1], recv[2] };
	struct hyb_standing s;

	tap(stand(REGION, 0, 3, recv, &s) == 1 && s.waits == HYB_WAITS_RECV && s.region == REGION &&
		    s.site == SITE && s.handle == 0x44000000 && s.peer == -2 && s.tag == 9 &&
		    !s.polls && !s.sends,
	    "a receive");
	tap(stand(REGION, 2, 3, sent, &s) == 1 && s.waits == HYB_WAITS_SEND && s.site == SITE &&
		    s.comm == 6 && s.peer == 3 && s.tag == 8 && s.sends && s.send.bytes == 100,
	    "a send, which is published");
	tap(stand(REGION, 2, 5, both, &s) == 1 && s.waits == HYB_WAITS_RECV && s.peer == -2 &&
		    s.sends && s.send.peer == 3,
	    "a call that does both waits for what it receives");
	tap(stand(HYB_STANDING_REGIONS, 0, 3, recv, &s) == 0,
	    "nothing of a region that is not MPI's");
	tap(stand(REGION, 0, 2, sent, &s) == 0, "nothing where another word stands");
}

/* By handle and by what the MPI calls any source. */
static void test_translate(void)
{
	struct hyb_def_mpi mpi = { .any_source = -7, .any_tag = -5, .proc_null = -3 };
	struct hyb_def_comm def = { .handle = 77 };
	struct hyb_standing s = { .waits = HYB_WAITS_RECV, .handle = 77, .peer = -7, .tag = -5 };
	struct hyb_defs *defs;
	struct synth out;

	synth_open(&out, synth_path("defs"), HYB_STREAM_DEFS, HYB_CHUNK_MIN, 0);
	synth_def(&out, HYB_DEF_MPI, 0, &mpi, sizeof(mpi), NULL, 0);
	for (uint64_t id = 1; id <= 3; id++) {
		def.handle = id == 3 ? 78 : 77;
		synth_def(&out, HYB_DEF_COMM, id, &def, sizeof(def), NULL, 0);
	}
	synth_close(&out, true);
	hyb_defs_open(synth_path("defs"), HYB_OWNER_ANY, NULL, &defs);
	hyb_standing_translate(defs, &s);
	tap(s.comm == 2 && s.peer == HYB_ANY && s.tag == HYB_ANY,
	    "of two communicators with one handle it is the one that was defined last; any source, any tag");
	s = (struct hyb_standing){ .waits = HYB_WAITS_RECV, .handle = 79, .peer = -3, .tag = 4 };
	hyb_standing_translate(defs, &s);
	tap(s.comm == HYB_NO_COMM && s.peer == HYB_NO_PEER && s.tag == 4,
	    "a handle that nobody has; no source");
	hyb_defs_close(defs);
}

static void test_records(void)
{
	const uint64_t coll[] = { (uint64_t)HYB_COLL << HYB_TYPE_SHIFT | UINT64_C(4) << 32 | 1,
				  UINT64_C(80) << 32 | 20, head(HYB_STAND_RECORD) };
	const uint64_t late[] = { head(HYB_STAND_RECORD),
				  (uint64_t)HYB_COLL_WIDE << HYB_TYPE_SHIFT | UINT64_C(4) << 32 | 2,
				  HYB_BYTES_UNKNOWN, HYB_BYTES_UNKNOWN };
	const uint64_t rma[] = { head(HYB_STAND_RECORD),
				 (uint64_t)HYB_RMA << HYB_TYPE_SHIFT | UINT64_C(2) << HYB_ID_SHIFT |
					 (uint64_t)HYB_RMA_LOCK << 32 | 1,
				 (uint64_t)HYB_RMA_SHARED << 32 | 9 };
	const uint64_t io[] = { head(HYB_STAND_RECORD),
				(uint64_t)HYB_IO << HYB_TYPE_SHIFT | UINT64_C(2) << HYB_ID_SHIFT |
					(uint64_t)HYB_IO_WRITE << 32 | HYB_IO_COLLECTIVE,
				3 };
	struct hyb_standing s;

	tap(stand(REGION, 0, 3, coll, &s) == 1 && s.waits == HYB_WAITS_COLL && s.site == SITE &&
		    s.comm == 4 && s.peer == 1 && s.sent == 80 && s.received == 20,
	    "a collective operation");
	tap(stand(REGION, 2, 3, coll, &s) == 0,
	    "one that came back, and was about to become a CALL");
	tap(stand(REGION, 0, 4, late, &s) == 1 && s.waits == HYB_WAITS_COLL && s.comm == 4 &&
		    s.peer == 2 && s.sent == HYB_BYTES_UNKNOWN && s.received == HYB_BYTES_UNKNOWN,
	    "one of which the bytes are not known");
	tap(stand(REGION, 0, 3, rma, &s) == 1 && s.waits == HYB_WAITS_WIN &&
		    s.rma.what == HYB_RMA_LOCK && s.rma.target == 1 && s.rma.win == 9 &&
		    s.rma.flags == HYB_RMA_SHARED,
	    "a lock of a window");
	tap(stand(REGION, 0, 3, io, &s) == 1 && s.waits == HYB_WAITS_FILE &&
		    s.io_what == HYB_IO_WRITE && s.io_flags == HYB_IO_COLLECTIVE && s.file == 3,
	    "a file");
}

static void test_requests(void)
{
	uint64_t words[2 + 3 * 500] = { head(HYB_STAND_REQUESTS), UINT64_C(600) << 32 | 500 };
	struct hyb_standing s;
	bool ok;

	for (uint64_t i = 0; i < 500; i++) {
		words[2 + 3 * i] = i + 1;
		words[3 + 3 * i] = UINT64_C(2) << 32 | HYB_REQUEST_OF_RECV;
		words[4 + 3 * i] = i << 32 | 3;
	}
	ok = stand(REGION, 0, 2 + 3 * 500, words, &s) == 1 && s.waits == HYB_WAITS_REQUESTS &&
	     s.listed == 500 && s.request_count == 600;
	for (uint32_t i = 0; ok && i < s.listed; i++)
		ok = s.awaited[i].request == i + 1 && s.awaited[i].kind == HYB_REQUEST_OF_RECV &&
		     s.awaited[i].comm == 2 && s.awaited[i].tag == (int32_t)i &&
		     s.awaited[i].peer == 3;
	tap(ok, "many requests");
	hyb_standing_free(&s);
	words[1] = UINT64_C(2) << 32 | HYB_CHUNK_MIN;
	tap(stand(REGION, 0, 5, words, &s) == 0, "more than the chunk has room for");
}

/* A row of polls, before which the next Enter and the region stand. */
static int poll(bool closed, struct hyb_standing *standing)
{
	struct synth s = begin();
	const uint64_t after[] = { 1, REGION, head(HYB_STAND_RECV), 5, 6 };

	synth_word(&s, (uint64_t)HYB_POLL << HYB_TYPE_SHIFT | HYB_POLL_WORDS << HYB_ID_SHIFT |
			       (s.now & HYB_TIME_MASK));
	synth_words(&s, (const uint64_t[]){ 30, 10, 100, s.now }, 4);
	synth_publish(&s);
	synth_words(&s, after, 5);
	return read_end(&s, closed, standing);
}

static void test_polls(void)
{
	struct hyb_standing s;

	tap(poll(false, &s) == 1 && s.polls && s.region == REGION && s.waits == HYB_WAITS_RECV &&
		    s.handle == 5 && s.peer == 6,
	    "a row of polls: what one of them asked for");
	tap(poll(true, &s) == 0, "nothing of a thread that has ended after polls");
}

int main(void)
{
	synth_directory();
	test_messages();
	test_translate();
	test_records();
	test_requests();
	test_polls();
	synth_cleanup();
	return tap_done();
}
