/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes an experiment as if RANKS processes had recorded ITERATIONS rounds of a small solver each:
 * calls without events, a halo exchange around the ring, a reduction on a duplicate of
 * MPI_COMM_WORLD, a broadcast among the even or the odd ranks, and a message from each even rank to
 * an odd one. For merge-rate.sh and for tests of the tools at a size and with damages that real
 * programs do not offer.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "format/format.h"

#define CHUNK_SIZE (256u << 10)
#define CHUNK_WORDS ((CHUNK_SIZE - sizeof(struct hyb_chunk_header)) / 8)
#define START (UINT64_C(1) << 41) /* raw counter */
#define GHZ 2			  /* ticks a nanosecond */
#define STEP 200		  /* ticks between two records */

enum { WORLD = 0, SELF = 1, DUP = 2, HALF = 3, BRIDGE = 4 };
enum { COMM_RANK = 1, SEND, RECV, SENDRECV, ALLREDUCE, BCAST, INIT, FINALIZE };

struct stream {
	FILE *file;
	struct hyb_file_header header;
	struct hyb_chunk_header chunk;
	uint64_t words[CHUNK_WORDS];
	uint64_t used;
	uint64_t epoch;
	uint64_t now;
};

static const struct {
	uint32_t id;
	uint8_t role;
	uint8_t coll;
	const char *name;
} regions[] = {
	{ COMM_RANK, HYB_ROLE_FUNCTION, HYB_COLL_NONE, "MPI_Comm_rank" },
	{ SEND, HYB_ROLE_P2P, HYB_COLL_NONE, "MPI_Send" },
	{ RECV, HYB_ROLE_P2P, HYB_COLL_NONE, "MPI_Recv" },
	{ SENDRECV, HYB_ROLE_P2P, HYB_COLL_NONE, "MPI_Sendrecv" },
	{ ALLREDUCE, HYB_ROLE_ALL2ALL, HYB_COLL_ALLREDUCE, "MPI_Allreduce" },
	{ BCAST, HYB_ROLE_ONE2ALL, HYB_COLL_BCAST, "MPI_Bcast" },
	{ INIT, HYB_ROLE_FUNCTION, HYB_COLL_NONE, "MPI_Init" },
	{ FINALIZE, HYB_ROLE_FUNCTION, HYB_COLL_NONE, "MPI_Finalize" },
};

static void die(const char *what)
{
	fprintf(stderr, "gen-experiment: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void put(FILE *f, const void *data, size_t size)
{
	if (fwrite(data, size, 1, f) != 1)
		die("cannot write");
}

static void flush_chunk(struct stream *s)
{
	if (!s->chunk.seq)
		return;
	s->chunk.used = s->used;
	memset(s->words + s->used, 0, (CHUNK_WORDS - s->used) * 8);
	put(s->file, &s->chunk, sizeof(s->chunk));
	put(s->file, s->words, sizeof(s->words));
	s->header.newest_seq = s->chunk.seq;
}

static void new_chunk(struct stream *s)
{
	flush_chunk(s);
	s->chunk.magic = HYB_CHUNK_MAGIC;
	s->chunk.stream = s->header.stream;
	s->chunk.seq++;
	s->chunk.first_time = s->now;
	s->epoch = s->now >> HYB_TIME_BITS;
	s->used = 0;
}

static void open_stream(struct stream *s, const char *dir, const char *name, uint32_t kind)
{
	static const char page[HYB_FILE_HEADER_SIZE];
	char path[4096];

	memset(s, 0, sizeof(*s));
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	s->file = fopen(path, "w");
	if (!s->file)
		die(path);
	memcpy(s->header.magic, HYB_FILE_MAGIC, sizeof(s->header.magic));
	s->header.byte_order = HYB_BYTE_ORDER;
	s->header.format_major = HYB_FORMAT_MAJOR;
	s->header.format_minor = HYB_FORMAT_MINOR;
	s->header.header_size = HYB_FILE_HEADER_SIZE;
	s->header.chunk_size = CHUNK_SIZE;
	s->header.kind = kind;
	s->header.counter = HYB_COUNTER_TSC;
	s->header.start_time = START;
	s->header.state = HYB_STREAM_CLOSED;
	s->now = START;
	put(s->file, page, sizeof(page));
	new_chunk(s);
}

static void close_stream(struct stream *s)
{
	flush_chunk(s);
	s->header.slots = s->chunk.seq;
	s->header.end_time = s->now;
	if (fseek(s->file, 0, SEEK_SET))
		die("cannot write");
	put(s->file, &s->header, sizeof(s->header));
	if (fclose(s->file))
		die("cannot write");
}

static void room(struct stream *s, uint64_t words)
{
	if (s->used + words + 1 > CHUNK_WORDS)
		new_chunk(s);
}

static void timed(struct stream *s, uint32_t type, uint64_t id)
{
	room(s, HYB_GROUP_MAX);
	s->now += STEP;
	if (s->now >> HYB_TIME_BITS != s->epoch) {
		s->epoch = s->now >> HYB_TIME_BITS;
		s->words[s->used++] = (uint64_t)HYB_EPOCH << HYB_TYPE_SHIFT | s->epoch;
	}
	s->words[s->used++] =
		(uint64_t)type << HYB_TYPE_SHIFT | id << HYB_ID_SHIFT | (s->now & HYB_TIME_MASK);
}

static void attach(struct stream *s, uint32_t type, uint64_t comm, uint32_t peer, uint64_t high,
		   uint32_t low)
{
	s->words[s->used++] = (uint64_t)type << HYB_TYPE_SHIFT | comm << 32 | peer;
	s->words[s->used++] = high << 32 | low;
}

static void define(struct stream *s, uint32_t type, uint64_t id, const void *fixed,
		   size_t fixed_size, const void *tail, size_t tail_size)
{
	uint64_t words = 1 + fixed_size / 8 + (tail_size + 7) / 8;
	uint64_t *w;

	room(s, words);
	w = s->words + s->used;
	memset(w, 0, words * 8);
	w[0] = (uint64_t)type << HYB_TYPE_SHIFT | words << HYB_ID_SHIFT | id;
	memcpy(w + 1, fixed, fixed_size);
	if (tail_size)
		memcpy(w + 1 + fixed_size / 8, tail, tail_size);
	s->used += words;
}

static void define_clock(struct stream *s, uint64_t raw)
{
	uint64_t ns = (raw - START) / GHZ;
	struct hyb_def_clock clock = {
		.counter = raw,
		.monotonic_raw = UINT64_C(5000000000000) + ns,
		.monotonic = UINT64_C(5000000000000) + ns,
		.realtime = UINT64_C(1700000000000000000) + ns,
		.width = 40,
	};

	define(s, HYB_DEF_CLOCK, 0, &clock, sizeof(clock), NULL, 0);
}

static void define_comm(struct stream *s, uint32_t id, uint32_t kind, uint64_t key, uint32_t rank,
			uint32_t size, uint32_t remote_size, bool same)
{
	struct hyb_def_comm comm = {
		.key = { key, key * 3 },
		.kind = kind,
		.rank = rank,
		.size = size,
		.remote_size = remote_size,
		.parent = WORLD,
		.same_members = same,
	};

	define(s, HYB_DEF_COMM, id, &comm, sizeof(comm), NULL, 0);
}

static uint32_t half_size(uint32_t ranks, uint32_t odd)
{
	return (ranks + 1 - odd) / 2;
}

static void define_members(struct stream *s, uint32_t id, uint32_t ranks, uint32_t odd, bool remote)
{
	struct hyb_def_members members = { .count = 1, .remote = remote };
	uint32_t i, member;

	for (i = 0; i < half_size(ranks, odd); i++) {
		member = i * 2 + odd;
		members.first = i;
		define(s, HYB_DEF_MEMBERS, id, &members, sizeof(members), &member, sizeof(member));
	}
}

static void define_halves(struct stream *s, uint32_t rank, uint32_t ranks)
{
	uint32_t odd = rank % 2;

	define_comm(s, HALF, HYB_COMM_INTRA, 100 + odd, rank / 2, half_size(ranks, odd), 0, false);
	if (ranks > 1)
		define_comm(s, BRIDGE, HYB_COMM_INTER, 102, rank / 2, half_size(ranks, odd),
			    half_size(ranks, !odd), false);
	if (rank / 2)
		return;
	define_members(s, HALF, ranks, odd, false);
	if (ranks > 1) {
		define_members(s, BRIDGE, ranks, odd, false);
		define_members(s, BRIDGE, ranks, !odd, true);
	}
}

static void write_defs(const char *dir, uint32_t rank, uint32_t ranks, uint64_t end)
{
	static struct stream s;
	struct hyb_def_region region;
	uint64_t length = strlen("halo");
	size_t i;

	open_stream(&s, dir, "defs.hyb", HYB_STREAM_DEFS);
	define_clock(&s, START);
	for (i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		memset(&region, 0, sizeof(region));
		region.role = regions[i].role;
		region.paradigm = HYB_PARADIGM_MPI;
		region.coll = regions[i].coll;
		region.name_length = (uint32_t)strlen(regions[i].name);
		define(&s, HYB_DEF_REGION, regions[i].id, &region, sizeof(region), regions[i].name,
		       region.name_length);
	}
	define_comm(&s, WORLD, HYB_COMM_WORLD, 1, rank, ranks, 0, false);
	define_comm(&s, SELF, HYB_COMM_SELF, 2, 0, 1, 0, false);
	define_comm(&s, DUP, HYB_COMM_INTRA, 3, rank, ranks, 0, true);
	define(&s, HYB_DEF_COMM_NAME, DUP, &length, sizeof(length), "halo", length);
	define_halves(&s, rank, ranks);
	define_clock(&s, end + STEP);
	close_stream(&s);
}

static void call(struct stream *s, uint32_t region)
{
	timed(s, HYB_ENTER, region);
	timed(s, HYB_LEAVE, region);
}

static void iterate(struct stream *s, uint32_t rank, uint32_t ranks, uint64_t i)
{
	uint32_t next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, k;
	uint32_t bytes = (uint32_t)(i % 1000) * 8; /* tells messages apart */

	for (k = 0; k < 4; k++)
		call(s, COMM_RANK);
	timed(s, HYB_ENTER, SENDRECV);
	attach(s, HYB_SEND, DUP, next, i % 3, bytes);
	timed(s, HYB_LEAVE, SENDRECV);
	attach(s, HYB_RECV, DUP, last, i % 3, bytes);
	timed(s, HYB_ENTER, SEND);
	attach(s, HYB_SEND, WORLD, last, 7, bytes);
	timed(s, HYB_LEAVE, SEND);
	timed(s, HYB_ENTER, RECV);
	timed(s, HYB_LEAVE, RECV);
	attach(s, HYB_RECV, WORLD, next, 7, bytes);
	timed(s, HYB_ENTER, ALLREDUCE);
	timed(s, HYB_LEAVE, ALLREDUCE);
	attach(s, HYB_COLL, DUP, UINT32_MAX, 8, 8);
	timed(s, HYB_ENTER, BCAST);
	timed(s, HYB_LEAVE, BCAST);
	attach(s, HYB_COLL, HALF, 0, rank < 2 ? 64 : 0, rank < 2 ? 0 : 64);
	if (rank % 2) {
		timed(s, HYB_ENTER, RECV);
		timed(s, HYB_LEAVE, RECV);
		attach(s, HYB_RECV, BRIDGE, rank / 2, 1, bytes);
	} else if (rank + 1 < ranks) {
		timed(s, HYB_ENTER, SEND);
		attach(s, HYB_SEND, BRIDGE, rank / 2, 1, bytes);
		timed(s, HYB_LEAVE, SEND);
	}
}

static uint64_t write_thread(const char *dir, uint32_t rank, uint32_t ranks, uint64_t iterations)
{
	static struct stream s;
	uint64_t i;

	open_stream(&s, dir, "thread-0.hyb", HYB_STREAM_THREAD);
	call(&s, INIT);
	for (i = 0; i < iterations; i++)
		iterate(&s, rank, ranks, i);
	call(&s, FINALIZE);
	close_stream(&s);
	return s.now;
}

static void write_manifest(const char *dir, uint32_t rank, uint32_t ranks)
{
	char path[4096], line[128];
	FILE *f;
	int i;

	snprintf(path, sizeof(path), "%s/manifest", dir);
	f = fopen(path, "w");
	if (!f)
		die(path);
	for (i = 0; i < 16; i++) {
		line[0] = '\0';
		if (i == 0)
			strcpy(line, "hybmon process manifest 1");
		else if (i == 1)
			strcpy(line, "state: ended");
		else if (i == 2)
			strcpy(line, "ended: exit 0");
		else if (i == 3)
			snprintf(line, sizeof(line), "rank: %u", rank);
		else if (i == 4)
			snprintf(line, sizeof(line), "ranks: %u", ranks);
		else if (i == 5)
			strcpy(line, "lost: 0");
		else if (i == 6)
			strcpy(line, "lost-why: -");
		else if (i == 7)
			strcpy(line, "threads: 1");
		fprintf(f, "%-63s\n", line);
	}
	fprintf(f,
		"program: solver\nargs: ./solver\nargs: 2500\nhost: node%u\nboot: boot%u\npid: %u\n"
		"started: 2023-11-14T22:13:20Z\n",
		rank / 64, rank / 64, 1000 + rank);
	if (fclose(f))
		die(path);
}

int main(int argc, char **argv)
{
	uint32_t ranks, rank;
	uint64_t iterations, end;
	char dir[4000];

	if (argc != 4) {
		fputs("usage: gen-experiment DIR RANKS ITERATIONS\n"
		      "An iteration is 20 records of a rank, 18 of the last of an odd number.\n",
		      stderr);
		return 2;
	}
	ranks = (uint32_t)strtoul(argv[2], NULL, 10);
	iterations = strtoull(argv[3], NULL, 10);
	if (!ranks)
		return 2;
	if (mkdir(argv[1], 0777))
		die(argv[1]);
	for (rank = 0; rank < ranks; rank++) {
		snprintf(dir, sizeof(dir), "%s/node%u.%u", argv[1], rank / 64, 1000 + rank);
		if (mkdir(dir, 0777))
			die(dir);
		end = write_thread(dir, rank, ranks, iterations);
		write_defs(dir, rank, ranks, end);
		write_manifest(dir, rank, ranks);
	}
	return 0;
}
