/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams for tests; see synth.h. */
#include "synth.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROWING_SLOTS 2

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

static size_t slots_size(const struct synth *s)
{
	return (size_t)s->file->slots * s->file->chunk_size;
}

void synth_open(struct synth *s, const char *path, enum hyb_stream_kind kind, uint32_t chunk_size,
		uint32_t slots)
{
	uint32_t count = slots ? slots : GROWING_SLOTS;
	off_t size = HYB_FILE_HEADER_SIZE + (off_t)count * chunk_size;
	struct hyb_file_header *h;

	memset(s, 0, sizeof(*s));
	s->tick = 10;
	s->now = UINT64_C(5) << HYB_TIME_BITS;
	s->path = strdup(path);
	s->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	must(s->fd >= 0 && !ftruncate(s->fd, size), path);
	h = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	must(h != MAP_FAILED, path);
	s->file = h;
	s->slots = (unsigned char *)h + HYB_FILE_HEADER_SIZE;
	memcpy(h->magic, HYB_FILE_MAGIC, sizeof(h->magic));
	h->byte_order = HYB_BYTE_ORDER;
	h->format_major = HYB_FORMAT_MAJOR;
	h->format_minor = HYB_FORMAT_MINOR;
	h->header_size = HYB_FILE_HEADER_SIZE;
	h->chunk_size = chunk_size;
	h->kind = kind;
	h->counter = HYB_COUNTER_MONOTONIC_RAW;
	h->ring = slots > 0;
	h->slots = count;
	h->pid = (uint64_t)getpid();
	h->tid = h->pid;
	h->start_time = s->now;
	__atomic_store_n(&h->state, (uint64_t)HYB_STREAM_OPEN, __ATOMIC_RELEASE);
	synth_next_chunk(s);
}

void synth_close(struct synth *s, bool closed)
{
	if (closed) {
		s->file->end_time = s->now;
		__atomic_store_n(&s->file->state, (uint64_t)HYB_STREAM_CLOSED, __ATOMIC_RELEASE);
	}
	munmap(s->file, HYB_FILE_HEADER_SIZE + slots_size(s));
	close(s->fd);
	free(s->path);
}

static void put_away(struct synth *s)
{
	uint64_t n = s->chunk->seq - 1,
		 place = s->file->slots + (s->file->wrap ? n % s->file->wrap : n);
	size_t size = (size_t)((char *)s->pos - (char *)s->chunk);

	must(pwrite(s->fd, s->chunk, size,
		    (off_t)(HYB_FILE_HEADER_SIZE + place * s->file->chunk_size)) == (ssize_t)size,
	     s->path);
}

void synth_next_chunk(struct synth *s)
{
	uint64_t seq = s->file->newest_seq + 1;
	struct hyb_chunk_header *c =
		(void *)(s->slots + (seq - 1) % s->file->slots * s->file->chunk_size);
	uint64_t before = s->chunk ? (uint64_t)(s->pos - (uint64_t *)(s->chunk + 1)) + 1 : 0;

	if (s->chunk && !s->file->ring)
		put_away(s);
	__atomic_store_n(&c->seq, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	c->magic = HYB_CHUNK_MAGIC;
	c->stream = s->file->stream;
	__atomic_store_n(&c->used, 0, __ATOMIC_RELAXED);
	c->first_time = s->now;
	c->lost = s->lost;
	c->before = before;
	__atomic_store_n(&c->seq, seq, __ATOMIC_RELEASE);
	__atomic_store_n(&s->file->newest_seq, seq, __ATOMIC_RELEASE);
	s->chunk = c;
	s->pos = (uint64_t *)(c + 1);
	s->epoch = s->now >> HYB_TIME_BITS;
}

void synth_words(struct synth *s, const uint64_t *words, size_t count)
{
	if (count)
		memcpy(s->pos, words, count * sizeof(*words));
	s->pos += count;
}

void synth_word(struct synth *s, uint64_t word)
{
	*s->pos++ = word;
}

void synth_publish(struct synth *s)
{
	__atomic_store_n(&s->chunk->used, (uint64_t)(s->pos - (uint64_t *)(s->chunk + 1)),
			 __ATOMIC_RELEASE);
}

void synth_room(struct synth *s, size_t words)
{
	const uint64_t *end = (uint64_t *)((char *)s->chunk + s->file->chunk_size);

	if (s->pos + words > end)
		synth_next_chunk(s);
}

void synth_lose(struct synth *s, uint64_t records)
{
	if (!s->lost)
		s->file->lost_first = s->now;
	s->lost += records;
	s->file->lost_last = s->now;
	__atomic_store_n(&s->file->lost, s->lost, __ATOMIC_RELEASE);
}

void synth_wrap(struct synth *s)
{
	__atomic_store_n(&s->file->wrap, s->chunk->seq - 1, __ATOMIC_RELEASE);
}

void synth_event(struct synth *s, enum hyb_record_type type, uint64_t id)
{
	synth_room(s, HYB_CHUNK_SLACK);
	if (s->now >> HYB_TIME_BITS != s->epoch) {
		s->epoch = s->now >> HYB_TIME_BITS;
		synth_word(s, (uint64_t)HYB_EPOCH << HYB_TYPE_SHIFT | s->epoch);
	}
	synth_word(s, (uint64_t)type << HYB_TYPE_SHIFT | id << HYB_ID_SHIFT |
			      (s->now & HYB_TIME_MASK));
	synth_publish(s);
	s->now += s->tick;
}

void synth_def(struct synth *s, enum hyb_record_type type, uint64_t id, const void *fixed,
	       size_t fixed_size, const void *tail, size_t tail_size)
{
	size_t fixed_words = (fixed_size + 7) / 8, words = 1 + fixed_words + (tail_size + 7) / 8;

	synth_room(s, words);
	memset(s->pos, 0, words * 8);
	*s->pos = (uint64_t)type << HYB_TYPE_SHIFT | (uint64_t)words << HYB_ID_SHIFT | id;
	if (fixed_size)
		memcpy(s->pos + 1, fixed, fixed_size);
	if (tail_size)
		memcpy(s->pos + 1 + fixed_words, tail, tail_size);
	s->pos += words;
	synth_publish(s);
}

void synth_poke(const char *path, uint64_t offset, const void *value, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	must(fd >= 0 && pwrite(fd, value, size, (off_t)offset) == (ssize_t)size, path);
	close(fd);
}

void synth_truncate(const char *path, uint64_t size)
{
	must(!truncate(path, (off_t)size), path);
}

uint64_t synth_size(const char *path)
{
	struct stat st;

	must(!stat(path, &st), path);
	return (uint64_t)st.st_size;
}

void synth_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	must(file && fputs(text, file) >= 0 && !fclose(file), path);
}

static char directory[256];

const char *synth_directory(void)
{
	const char *tmp = getenv("TMPDIR");

	if (!*directory) {
		snprintf(directory, sizeof(directory), "%s/hybmon-unit-XXXXXX", tmp ? tmp : "/tmp");
		must(mkdtemp(directory) != NULL, directory);
	}
	return directory;
}

const char *synth_path(const char *name)
{
	static char paths[16][512];
	static unsigned int next;
	char *path = paths[next++ % 16];

	snprintf(path, sizeof(paths[0]), "%s/%s", synth_directory(), name);
	return path;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

void synth_cleanup(void)
{
	if (*directory)
		nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	*directory = 0;
}

static void hear(void *arg, enum hyb_severity severity, const char *text)
{
	struct synth_said *said = arg;

	said->count[severity]++;
	snprintf(said->last, sizeof(said->last), "%s", text);
}

void synth_listen(struct synth_said *said)
{
	memset(said, 0, sizeof(*said));
	said->diag.report = hear;
	said->diag.arg = said;
}
