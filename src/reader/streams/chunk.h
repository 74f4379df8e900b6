/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside the stream reader: its state, and how chunks are found and copied. A chunk is looked for
 * where its number says it lies, and in the whole file only where that fails.
 */
#ifndef HYB_READER_STREAMS_CHUNK_H
#define HYB_READER_STREAMS_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "reader/streams/diag.h"
#include "reader/streams/stream.h"

#define HYB_PLACE_NONE UINT64_MAX

struct hyb_chunk_found {
	uint64_t seq;
	uint64_t place;	 /* HYB_PLACE_NONE: the chunks up to seq are nowhere in the file */
	uint32_t causes; /* why those between the last one and this one are missing, if they are */
	bool final;	 /* the stream was closed before it was looked for: it is as it was found */
	struct hyb_chunk_header header;
};

struct hyb_chunk_entry {
	uint64_t seq;
	uint64_t place;
};

struct hyb_reader {
	/* The window: words base..base+have-1 of the current chunk. */
	uint64_t *buf;
	size_t at; /* the next record in buf */
	size_t have;
	uint64_t used; /* words published in the chunk, as far as known */
	uint64_t base;
	size_t room;
	bool defs; /* a DEFS stream: each record by itself */
	bool bytes; /* an ORDER stream: words that are no records */
	bool untimed; /* one of these */
	bool in_chunk;

	uint64_t epoch; /* bits 63-40 of the counter, in place */
	uint64_t last;	/* time of the last event */
	uint64_t call_end;
	uint64_t call_leave; /* the Leave that the last CALL stands for, which goes to buf[call_at] */
	size_t call_at;
	uint32_t call_count; /* its words */
	bool in_call;	     /* it is yet to be told */
	bool tail;	     /* the last group was published last, and its Enter may have become a CALL since */
	uint64_t tail_word;  /* where that Enter is */
	uint64_t last_word;  /* where the last group is that was told, as long as nothing is published after it */
	uint32_t last_words; /* 0: there is none */
	uint64_t looked;     /* `used` when it was looked whether a CALL has more than its Enter had, plus 1 */
	uint64_t requests;   /* of the chunk's header */

	uint64_t seq;	/* the current chunk, or the last one left; 0: none yet */
	uint64_t place; /* and where; HYB_PLACE_NONE: none yet */
	uint64_t first_time;
	uint64_t step;	     /* only samples are read: hyb_reader_thin; 0: all */
	size_t window;	     /* words of buf to begin with */
	bool settled;	     /* the current chunk was found so (hyb_chunk_found.final) */
	bool unsure;	     /* the chunk was overwritten when all had been read that it had then */
	struct hyb_gap gap;  /* what is missing before the next event; causes 0: nothing */
	struct hyb_gap told; /* the one handed out */
	uint64_t lost_seen;  /* of header.lost, put into gaps so far */

	struct hyb_chunk_entry *index; /* chunks yet to come by seq, where one was missing */
	size_t index_count;
	size_t index_next;
	size_t index_room;
	uint64_t bad_headers; /* damaged ones not yet taken for a chunk that is missing */
	uint64_t scanned;     /* places looked at for damaged headers so far */
	uint64_t scanned_seq; /* `seq` of the last search that newest_seq did not ask for, plus 1 */

	int fd;
	int error;
	uint64_t capacity; /* words in a chunk */
	struct hyb_file_header header;
	struct hyb_reader_stats stats;
	const struct hyb_diag *diag;
	bool said_damage;
	char *path;
};

/*
 * pread that goes on after EINTR and short reads. Bytes read (fewer only at the file's end) or
 * -errno.
 */
int64_t hyb_chunk_pread(int fd, void *buf, size_t size, uint64_t offset);

/*
 * Reads the file's header again. 0 or -errno; a file cut down to less than a header keeps the old
 * one.
 */
int hyb_chunk_refresh(struct hyb_reader *r);

/*
 * Looks for the oldest chunk after r->seq. 1: *found says which; 0: there is none yet; -errno. Does
 * not leave the current chunk: more may have been published in it before the one found was begun.
 */
int hyb_chunk_locate(struct hyb_reader *r, struct hyb_chunk_found *found);

/* Looks whether more was published in the current chunk: 1, 0 or as hyb_chunk_fill. */
int hyb_chunk_look(struct hyb_reader *r);

/*
 * The current chunk's word as it stands now: 1, 0: there is none, -ESTALE where the chunk was overwritten, other
 * -errno.
 */
int hyb_chunk_word(struct hyb_reader *r, uint64_t at, uint64_t *word);

/*
 * Copies up to `count` words of the current chunk from `at` on, also such as are not published. How many; 0: there are
 * none, or more is published than r->used; -ESTALE and others as above.
 */
int hyb_chunk_beyond(struct hyb_reader *r, uint64_t at, uint64_t *words, size_t count);

/*
 * Makes words beyond base+have available; keeps those from `at` on. 1: there are more; 0: no more
 * are published in this chunk; -ESTALE: the writer took the chunk for something newer; -EBADMSG:
 * damaged or cut short; other -errno.
 */
int hyb_chunk_fill(struct hyb_reader *r);

#endif
