/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams as files: how a stream gets its file, its chunks and its space, and what happens when there is
 * none. The way records get into it is record.h.
 *
 * A stream belongs to one thread, and every function here that takes it must be called by that thread; a
 * DEFS stream belongs to whoever holds the lock of defs.c.
 */
#ifndef HYB_CORE_RECORD_STREAM_H
#define HYB_CORE_RECORD_STREAM_H

#include "core/sys/owned.h"
#include "core/calltree/tree.h"
#include "core/record/record.h"

struct hyb_stream {
	struct hyb_file_header *file;	/* mapped with all slots, NULL while there is no file */
	unsigned char *slots;		/* behind the header */
	uint64_t slot_count;
	uint64_t chunk_size;
	uint64_t reserved;		/* bytes of the slots that have space; nothing behind them is touched */
	uint64_t seq;			/* of the chunk being written */
	uint64_t wrap;			/* see format.h */
	bool ring;			/* the slots are all there is */
	bool dropping;			/* no space: every record is lost until a retry succeeds */
	uint64_t ring_chunks;		/* wished for, 0: the stream grows */
	uint64_t retry_at;		/* raw counter: while dropping, when to try again */
	uint64_t retry_wait;
	uint64_t clock_at;		/* raw counter: when the next clock tuple is due */
	enum hyb_stream_kind kind;
	uint32_t counter;		/* enum hyb_counter_kind of `now`; 0: what hyb_counter() reads */
	uint32_t number;
	uint64_t pid;			/* of whom the events are; 0: the calling thread */
	uint64_t tid;
	char name[32];			/* of the file, within the process's directory */
	struct hyb_identity identity;	/* of the file: it is opened again by its name */
	bool profiles;			/* its chunks are added up; see profile.h */
	bool profile_only;		/* and not kept */
	struct {
		struct hyb_profile tree;
		struct hyb_profile_header *header; /* mapped with `size` bytes, NULL while there is none */
		uint64_t size;
		struct hyb_identity identity;
	} profile;
	/* What stands above is cleared where another thread gets the struct. */
	uint64_t lost;
	uint32_t writer;		/* tid of the thread whose it is, 0: it has none; for other threads, relaxed */
	struct hyb_sites *sites;	/* of a thread's */
	struct hyb_stream *next;	/* all streams of the process */
	struct hyb_stream *next_ended;
};

/*
 * Makes the file of s (kind and number set, the rest zero) and its first chunk. t is the writer it serves.
 * 0 or -errno; on failure nothing is left behind.
 */
int hyb_stream_create(struct hyb_stream *s, struct hyb_thread *t, uint64_t now);
/*
 * There is no space, and it is not yet time to look for some: true, with one more record counted as lost. To be asked
 * before what hyb_stream_extend takes (a stack of ours, signals blocked): a program calls on while it is not recorded.
 */
bool hyb_stream_drops(struct hyb_stream *s, uint64_t now);
/*
 * Room behind t->pos for one more group (see record.h): puts the full chunk away and begins the
 * next. 0, or -errno with the stream dropping and the record counted as lost.
 */
int hyb_stream_extend(struct hyb_stream *s, struct hyb_thread *t, uint64_t now);
/* Whether all its slots have their space. */
bool hyb_stream_has_all(const struct hyb_stream *s);
/* Marks it closed, gives back what a short one did not use, and unmaps it. Nothing may be written after that. */
void hyb_stream_close(struct hyb_stream *s, struct hyb_thread *t);
/* Where calls came from is told anew, of each region. */
void hyb_sites_clear(struct hyb_sites *sites);

#endif
