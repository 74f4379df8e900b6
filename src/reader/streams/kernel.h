/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel did, as a collector wrote it down: the records of CPU and TASK streams decoded, and those of several
 * streams as one row in the order of time. Constant memory, whatever the streams hold.
 */
#ifndef HYB_READER_STREAMS_KERNEL_H
#define HYB_READER_STREAMS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "reader/streams/diag.h"
#include "reader/streams/experiment.h"
#include "reader/streams/file.h"

/* Values of hyb_kernel_event.what that are no record's. */
#define HYB_KERNEL_GAP_BEGIN 0x100 /* from here on events of the stream are missing */
#define HYB_KERNEL_GAP_END 0x101

#define HYB_KERNEL_WORDS 6

struct hyb_kernel_event {
	uint32_t what;	 /* enum hyb_kernel_what but LOST, or one of those above */
	uint32_t source; /* which of the streams, as they were given */
	uint32_t detail; /* 24 bits; of a gap: enum hyb_lost_why, 0: the stream was damaged or overwritten */
	uint32_t task;	 /* that was current */
	uint64_t time;	 /* ns of CLOCK_MONOTONIC_RAW, never less than of the event before */
	/* of the record, from word 2 on; 0 where it has none. GAP_BEGIN: when it ends, when it began */
	uint64_t word[HYB_KERNEL_WORDS];
	uint64_t stack;	  /* id of a HYB_DEF_STACK, 0: none */
	/* a STACK_COPY, valid until the event after the next one of the same stream; NULL: none */
	const uint64_t *copy;
	uint32_t copy_words;
	uint64_t lost;	  /* of a gap: events missing as far as they were counted */
	uint64_t chunks;  /* of a gap: chunks missing or damaged, with an unknown number of events */
};

struct hyb_kernel_stats {
	uint64_t events;
	uint64_t lost;		  /* events missing, as far as they were counted */
	uint64_t gaps;
	uint64_t lost_chunks;	  /* overwritten, damaged or missing */
	uint64_t corrupt_chunks;  /* the damaged ones of them */
	uint64_t corrupt_records; /* too short for what they say they are: left out */
	uint64_t unknown_records; /* of kinds that this version does not know */
	uint64_t unreadable;	  /* streams */
	uint64_t words;		  /* read so far */
};

struct hyb_kernel_reader;

/*
 * Opens so many streams together. One that cannot be read is said, counted and left out. 0 or -ENOMEM.
 */
int hyb_kernel_open(const char *const *paths, size_t count, uid_t owner, const struct hyb_diag *diag,
		    struct hyb_kernel_reader **reader);
/* NULL is fine. */
void hyb_kernel_close(struct hyb_kernel_reader *reader);
/* 1 and the next event; 0: there is nothing more; -errno: a file cannot be read (reported). */
int hyb_kernel_next(struct hyb_kernel_reader *reader, struct hyb_kernel_event *event);
/* As far as it was read. */
void hyb_kernel_stats(const struct hyb_kernel_reader *reader, struct hyb_kernel_stats *stats);
/* When a stream was ended in good order, ns; 0: it was not, or cannot be read. */
uint64_t hyb_kernel_ended(const struct hyb_kernel_reader *reader, size_t source);
/* Of a TASK stream, whose: the thread's number. */
uint64_t hyb_kernel_tid(const struct hyb_kernel_reader *reader, size_t source);

/* True for the directory of a collector: what is in it is of a node, not of a process of the program. */
bool hyb_kernel_is_node(const struct hyb_process *process);

#endif
