/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes streams for tests, as format.h describes them and without the recorder's code, so that
 * reader and recorder are not both wrong in the same way. Any failure of the system ends the
 * program.
 */
#ifndef HYB_TEST_SYNTH_H
#define HYB_TEST_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "reader/streams/diag.h"

struct synth {
	int fd;
	char *path;
	struct hyb_file_header *file; /* mapped */
	unsigned char *slots;
	struct hyb_chunk_header *chunk; /* being written */
	uint64_t *pos;
	uint64_t epoch;
	uint64_t now; /* the next event's time stamp; rises by `tick` with each */
	uint64_t tick;
	uint64_t lost;
};

/* slots 0: a stream that grows, with two slots; else a ring of so many. */
void synth_open(struct synth *s, const char *path, enum hyb_stream_kind kind, uint32_t chunk_size,
		uint32_t slots);
/*
 * Unmaps and closes it; `closed`: marks it closed before, as a writer that ends in good order does.
 */
void synth_close(struct synth *s, bool closed);

/* Words behind those before; seen by readers once published. */
void synth_words(struct synth *s, const uint64_t *words, size_t count);
void synth_word(struct synth *s, uint64_t word);
void synth_publish(struct synth *s);
/* Takes the next chunk if fewer than `words` are left in this one. */
void synth_room(struct synth *s, size_t words);
void synth_next_chunk(struct synth *s);
/* So many records could not be written from now on; the next chunk says so. */
void synth_lose(struct synth *s, uint64_t records);
/* From now on full chunks are put away in turn, in the places there are. */
void synth_wrap(struct synth *s);

/* Whole events, published, at s->now, in a new chunk where this one is full. */
void synth_event(struct synth *s, enum hyb_record_type type, uint64_t id);
void synth_def(struct synth *s, enum hyb_record_type type, uint64_t id, const void *fixed,
	       size_t fixed_size, const void *tail, size_t tail_size);

/* The file's bytes at an offset become `value`. */
void synth_poke(const char *path, uint64_t offset, const void *value, size_t size);
void synth_truncate(const char *path, uint64_t size);
uint64_t synth_size(const char *path);
/* A file with that text. */
void synth_text(const char *path, const char *text);

/* A directory for the test's files, removed with all in it by synth_cleanup. */
const char *synth_directory(void);
/* A path in it; the string is the test's until it ends. */
const char *synth_path(const char *name);
void synth_cleanup(void);

/* Counts and keeps what the library says. */
struct synth_said {
	int count[3]; /* by severity */
	char last[1024];
	struct hyb_diag diag;
};
void synth_listen(struct synth_said *said);

#endif
