/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a stream, definitions and a manifest: the reader must neither crash nor hang, nor
 * break what its headers promise. With clang's -fsanitize=fuzzer it is a fuzz target (define
 * HYB_LIBFUZZER); else a test that changes good streams at random, always the same way: fuzz-stream
 * [ROUNDS], or over the files given: fuzz-stream FILE..., or `fuzz-stream --seeds DIR` to write the
 * good streams for a fuzzer.
 */
#include <errno.h>
#include <string.h>

#include "../lib/synth.h"
#include "../lib/fuzz.h"
#include "reader/streams/reader.h"

/* The input's last bytes: what happens to the file, and after how many events. */
struct script {
	uint16_t after;
	uint8_t action; /* 0: nothing, 1: cut, 2: overwritten with its own end */
	uint8_t part;	/* how much of it, in 256ths */
};

static uint64_t sum; /* of all words, so that they are looked at */

static void check_event(const struct hyb_event *e, uint64_t *last, bool defs)
{
	uint64_t told_stack;
	struct hyb_attached a;

	if (e->type == HYB_EVENT_GAP) {
		require(e->gap && e->gap->causes && !e->words && e->gap->from <= e->gap->to);
		require(e->gap->chunks || e->gap->records || e->gap->causes & HYB_GAP_SKIPPED);
	} else {
		require(!e->gap && e->words && e->count >= e->head && e->head > 0);
		for (uint32_t i = 0; i < e->count; i++)
			sum += e->words[i];
	}
	if (defs)
		return;
	if (e->type != HYB_EVENT_GAP && hyb_callers_told(e, &told_stack))
		sum += told_stack;
	require(e->time >= *last);
	*last = e->time;
	for (uint32_t pos = 0, told = 0; e->words && hyb_attached_next(e, &pos, &a); told++) {
		require(told < HYB_SHORT_SENTS * e->count && a.words > e->words && a.count);
		require(a.words + a.count <= e->words + e->count);
		sum += a.peer + a.request;
	}
}

static void disturb(int fd, const struct script *script, uint64_t size)
{
	uint64_t at = size * script->part / 256;
	char buf[4096];
	ssize_t n;

	if (script->action == 1) {
		require(!ftruncate(fd, (off_t)at));
	} else if (script->action == 2) {
		n = pread(fd, buf, sizeof(buf),
			  (off_t)(size > sizeof(buf) ? size - sizeof(buf) : 0));
		require(n >= 0 && pwrite(fd, buf, (size_t)n, (off_t)at) == n);
	}
}

static void check_standing(struct hyb_reader *r)
{
	struct hyb_standing s;
	int ret = hyb_standing_read(r, &s);

	require(ret == 1 || ret == 0 || ret == -EIO || ret == -ENOMEM || ret == -ESTALE);
	if (ret > 0) {
		hyb_standing_translate(NULL, &s);
		require(!s.listed || (s.waits == HYB_WAITS_REQUESTS && s.awaited));
		sum += s.site + s.region + s.comm + s.file + s.rma.group;
		for (uint32_t i = 0; i < s.listed; i++)
			sum += s.awaited[i].request;
		hyb_standing_free(&s);
	}
}

static void try_stream(const char *path, int fd, const struct script *script, uint64_t size)
{
	uint64_t events = 0, last = 0;
	struct hyb_reader *r;
	struct hyb_event e;
	bool defs;
	int ret;

	if (hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r))
		return;
	defs = hyb_reader_header(r)->kind == HYB_STREAM_DEFS;
	for (int again = 0; again < 2; again++) {
		while ((ret = hyb_reader_next(r, &e)) > 0) {
			check_event(&e, &last, defs);
			if (++events == script->after)
				disturb(fd, script, size);
			/* Every event takes a word, and every gap a chunk's header or the end. */
			require(events < 2 * size + 100);
		}
		require(!ret || ret == -EIO || ret == -ENOMEM);
		check_standing(r);
		if (!again)
			disturb(fd, script, size);
	}
	hyb_reader_close(r);
}

/* Samples of it. */
static void try_thin(const char *path, const struct script *script, uint64_t size)
{
	uint64_t events = 0, last = 0;
	struct hyb_reader *r;
	struct hyb_event e;
	bool defs;
	int ret;

	if (hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r))
		return;
	defs = hyb_reader_header(r)->kind == HYB_STREAM_DEFS;
	hyb_reader_thin(r, script->part % 8 + 1, 16u << script->part % 8);
	while ((ret = hyb_reader_next(r, &e)) > 0) {
		check_event(&e, &last, defs);
		require(++events < 2 * size + 100);
	}
	require(!ret || ret == -EIO || ret == -ENOMEM);
	hyb_reader_close(r);
}

static void try_defs(const char *path)
{
	struct hyb_clock clock;
	struct hyb_defs *defs;
	char buf[32];

	if (hyb_defs_open(path, HYB_OWNER_ANY, NULL, &defs))
		return;
	for (size_t i = 0; i < defs->region_count; i++) {
		require(hyb_defs_region(defs, defs->regions[i].id) == &defs->regions[i]);
		sum += strlen(defs->regions[i].name);
	}
	for (size_t i = 0; i < defs->comm_count; i++) {
		struct hyb_comm *c = &defs->comms[i];

		require(hyb_defs_comm(defs, c->id) == c);
		sum += strlen(hyb_comm_name(c, c->id, buf, sizeof(buf)));
		for (uint32_t m = 0; m < c->member_count; m++)
			sum += c->members[m];
	}
	for (size_t i = 0; i < defs->callers.count; i++) {
		const struct hyb_caller *frame = &defs->callers.list[i];

		require(hyb_callers_find(&defs->callers, frame->id) == frame);
		/* The way out has an end. */
		for (size_t n = 0; frame; frame = hyb_callers_next(&defs->callers, frame), n++)
			require(n < defs->callers.count);
	}
	for (int target = HYB_CLOCK_TRACE; target <= HYB_CLOCK_MONOTONIC; target++) {
		require(!hyb_clock_fit(defs->clocks, defs->clock_count, target, defs->counter, 0,
				       &clock));
		require(clock.count > 0);
		sum += (uint64_t)hyb_clock_ns(&clock, defs->start_time);
		hyb_clock_free(&clock);
	}
	hyb_defs_close(defs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd;
	struct hyb_manifest manifest;
	struct script script = { 0 };
	char path[64];

	if (size >= sizeof(script)) {
		memcpy(&script, data + size - sizeof(script), sizeof(script));
		size -= sizeof(script);
	}
	fd = fuzz_file(data, size, path);
	try_defs(path);
	try_thin(path, &script, size);
	try_stream(path, fd, &script, size);
	if (!hyb_manifest_parse(path, (const char *)data, size, NULL, &manifest)) {
		sum += strlen(manifest.host) + (uint64_t)manifest.rank;
		hyb_manifest_free(&manifest);
	}
	return 0;
}

#ifndef HYB_LIBFUZZER

static void make_events(const char *path, uint32_t slots, unsigned int count, bool wrap)
{
	static const uint64_t send[] = { UINT64_C(0xa1000007) << 32 | 3, UINT64_C(99) << 32 | 80 };
	static const uint64_t coll[] = { UINT64_C(0xc3000001) << 32 | 1, 8, 16 };
	static const uint64_t brief[] = { (uint64_t)HYB_SEND_SHORT << HYB_TYPE_SHIFT | 80,
					  (uint64_t)HYB_RECV_SHORT << HYB_TYPE_SHIFT | 0xffff,
					  (uint64_t)HYB_SENT_SHORT << HYB_TYPE_SHIFT | UINT64_C(0x700060005) };
	static const uint64_t stack[] = { (uint64_t)HYB_SITE << HYB_TYPE_SHIFT | 4242, (uint64_t)HYB_STACK << HYB_TYPE_SHIFT | 7 };
	static const uint64_t team[] = { (uint64_t)HYB_TEAM_BEGIN_SHORT << HYB_TYPE_SHIFT | UINT64_C(0x10200000003),
					 (uint64_t)HYB_JOIN << HYB_TYPE_SHIFT | HYB_JOIN_TEAM };
	struct synth s;

	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, slots);
	for (unsigned int i = 0; i < count; i++) {
		if (i % 1000 == 999)
			s.now += HYB_TIME_MASK;
		if (i % 6 == 5)
			s.now += 50;
		synth_event(&s, i % 2 ? HYB_LEAVE : HYB_ENTER, i % 7);
		if (i % 6 == 4) {
			s.pos[-1] = (uint64_t)HYB_CALL << HYB_TYPE_SHIFT | UINT64_C(0x1005) << 32 |
				    (uint32_t)(s.now - s.tick);
			synth_words(&s, brief, 1 + i % 3);
		}
		if (i % 3 == 0)
			synth_words(&s, stack, 2);
		if (i % 5 == 0)
			synth_words(&s, send, 2);
		if (i % 11 == 0)
			synth_words(&s, coll, 3);
		if (i % 13 == 0)
			synth_words(&s, team, 2);
		synth_publish(&s);
		if (wrap && i == count / 2)
			synth_wrap(&s);
		if (i % 1500 == 1499) {
			synth_lose(&s, i % 13);
			synth_next_chunk(&s);
		}
	}
	synth_close(&s, count % 2);
}

/* A thread that stands in a call: what follows its ENTER is not published. */
static void make_standing(const char *path, enum hyb_standing_form form, uint64_t first, unsigned int count)
{
	struct synth s;

	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, 0);
	synth_event(&s, HYB_ENTER, 7);
	synth_word(&s, (uint64_t)HYB_STANDING << HYB_TYPE_SHIFT | (uint64_t)form << HYB_STANDING_FORM_SHIFT | 4242);
	synth_word(&s, first);
	for (unsigned int i = 0; i < count; i++)
		synth_word(&s, UINT64_C(0x300000002) * i);
	synth_close(&s, false);
}

static void make_defs(const char *path)
{
	struct hyb_def_region region = { .role = HYB_ROLE_P2P, .name_length = 8 };
	struct hyb_def_comm comm = { .kind = HYB_COMM_INTRA, .size = 4 };
	struct hyb_def_members members = { .count = 4 };
	struct hyb_def_clock clock = { .counter = 1000,
				       .monotonic_raw = 2000,
				       .monotonic = 3000,
				       .realtime = 4000,
				       .width = 70 };
	const struct hyb_def_sync sync = { .out = 1000, .there = 1100, .back = 1200, .rank = 1 };
	struct hyb_def_frame frame = { .address = 4242 };
	const uint32_t ranks[4] = { 4, 5, 6, 7 };
	uint64_t length = 4;
	struct synth s;

	synth_open(&s, path, HYB_STREAM_DEFS, HYB_CHUNK_MIN, 0);
	for (unsigned int i = 0; i < 100; i++) {
		synth_def(&s, HYB_DEF_CLOCK, 0, &clock, sizeof(clock), NULL, 0);
		clock.counter += 3000000000u;
		clock.monotonic_raw += 1000000000u;
		clock.monotonic += 1000020000u;
		clock.realtime += 1000020000u;
		synth_def(&s, HYB_DEF_REGION, i, &region, sizeof(region), "MPI_Send", 8);
		synth_def(&s, HYB_DEF_COMM, i, &comm, sizeof(comm), NULL, 0);
		synth_def(&s, HYB_DEF_MEMBERS, i, &members, sizeof(members), ranks, sizeof(ranks));
		synth_def(&s, HYB_DEF_SYNC, 0, &sync, sizeof(sync), NULL, 0);
		frame.caller = i;
		synth_def(&s, HYB_DEF_FRAME, i + 1, &frame, sizeof(frame), NULL, 0);
		synth_def(&s, HYB_DEF_COMM_NAME, i, &length, sizeof(length), "name", 4);
	}
	synth_close(&s, true);
}

static void make_manifest(const char *path)
{
	synth_text(path, "hybmon process manifest 1                                      \n"
			 "state: running                                                  \n"
			 "host: n1\nargs: a\\nb\n");
}

static const char *const seeds[] = { "plain", "ring", "wrap", "small", "defs", "manifest", "record", "requests" };
#define SEEDS (sizeof(seeds) / sizeof(seeds[0]))

static void make_seeds(char paths[SEEDS][512], const char *dir)
{
	for (size_t i = 0; i < SEEDS; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%s", dir, seeds[i]);
	make_events(paths[0], 0, 6001, false);
	make_events(paths[1], 3, 9000, false);
	make_events(paths[2], 0, 12000, true);
	make_events(paths[3], 1, 30, false);
	make_defs(paths[4]);
	make_manifest(paths[5]);
	make_standing(paths[6], HYB_STAND_RECORD,
		      (uint64_t)HYB_RMA << HYB_TYPE_SHIFT | UINT64_C(3) << HYB_ID_SHIFT | (uint64_t)HYB_RMA_WAIT << 32, 2);
	make_standing(paths[7], HYB_STAND_REQUESTS, UINT64_C(40) << 32 | 39, 3 * 39);
}

/* Half of the changes hit the headers, where they do most. */
static size_t place_for(size_t size)
{
	static const size_t heads[] = { 0, 4096, 4096 + HYB_CHUNK_MIN, 4096 + 2 * HYB_CHUNK_MIN };
	size_t at = next_random() % size;

	if (next_random() % 2)
		at = heads[next_random() % 4] + next_random() % 240;
	return at < size ? at : size - 1;
}

static void change(uint8_t *data, size_t *size)
{
	static const uint64_t values[] = { 0,
					   1,
					   UINT64_MAX,
					   UINT32_MAX,
					   INT64_MAX,
					   4096,
					   16384,
					   UINT64_C(0xe0ffff) << 40,
					   UINT64_C(0x03) << 56 };
	uint64_t value = values[next_random() % (sizeof(values) / sizeof(values[0]))];
	size_t at = place_for(*size), from, length;
	unsigned int way;

	way = (unsigned int)(next_random() % 5);
	if (way < 4) {
		fuzz_change(data, size, at, value, way);
		return;
	}
	from = place_for(*size);
	length = *size - (at > from ? at : from);
	memmove(data + at, data + from, length < 64 ? length : 64);
}

static void mutate(const char *path, unsigned int rounds)
{
	size_t size, length;
	uint8_t *good = fuzz_load(path, &length, 0);
	uint8_t *data = malloc(length + sizeof(struct script));

	require(data);
	for (unsigned int i = 0; i < rounds; i++) {
		struct script script = {
			.after = (uint16_t)(next_random() % 5000),
			.action = (uint8_t)(next_random() % 6),
			.part = (uint8_t)next_random(),
		};

		memcpy(data, good, length);
		size = length;
		for (uint64_t n = i ? next_random() % 6 + 1 : 0; n; n--)
			change(data, &size);
		memcpy(data + size, &script, sizeof(script));
		LLVMFuzzerTestOneInput(data, size + sizeof(script));
	}
	free(data);
	free(good);
}

int main(int argc, char **argv)
{
	char paths[SEEDS][512];
	unsigned long rounds = 500;

	if (argc == 3 && !strcmp(argv[1], "--seeds")) {
		make_seeds(paths, argv[2]);
		return 0;
	}
	if (fuzz_arguments(argc, argv, &rounds, sizeof(struct script)))
		return 0;
	make_seeds(paths, synth_directory());
	printf("1..%zu\n", SEEDS);
	for (size_t i = 0; i < SEEDS; i++) {
		mutate(paths[i], (unsigned int)rounds);
		printf("ok %zu - %s, changed %lu times\n", i + 1, seeds[i], rounds);
		fflush(stdout);
	}
	synth_cleanup();
	return 0;
}

#endif
