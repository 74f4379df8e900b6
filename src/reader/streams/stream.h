/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading one stream, event by event, in constant memory, also while it is written and when it is
 * damaged. The reader reads with pread, never maps: a file cut short under it does not raise
 * SIGBUS. A reader is used by one thread at a time; any number of them, in any number of processes,
 * may read the same stream.
 */
#ifndef HYB_READER_STREAMS_STREAM_H
#define HYB_READER_STREAMS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "reader/streams/diag.h"
#include "reader/streams/file.h"

/* Types of events that are no record; above every enum hyb_record_type. */
#define HYB_EVENT_GAP 0x100 /* something is missing between the event before and the next one */
#define HYB_EVENT_BYTES 0x101 /* a word of an ORDER stream */

/* Bits: a gap can have several. */
enum hyb_gap_cause {
	HYB_GAP_OVERWRITTEN = 1, /* a ring's oldest chunks, taken again */
	HYB_GAP_NO_SPACE = 2,	 /* the writer found no space: `records` were not written */
	HYB_GAP_CORRUPT = 4,	 /* chunks damaged, cut off or missing in the file */
	HYB_GAP_SKIPPED = 8,	 /* nothing is lost, but it is not read: hyb_reader_thin */
};

struct hyb_gap {
	uint32_t causes;  /* enum hyb_gap_cause, or-ed */
	uint64_t chunks;  /* lost wholly or in part; what was in them nobody knows */
	uint64_t records; /* lost for want of space: counted by the writer */
	uint64_t from;	  /* raw counter: the last event before the gap (or the stream's start) */
	uint64_t to;	  /* the first time known behind it, >= from; equal to event.time */
};

/*
 * One event: a timed record with the attached records behind it, or a gap, or in a DEFS stream a
 * definition. The pointers are valid until the next call for the same reader. ENTER_WIDE and
 * LEAVE_WIDE are told as ENTER and LEAVE, CALL as one of each with what belongs to it; EPOCH is never
 * seen.
 */
struct hyb_event {
	uint32_t type; /* enum hyb_record_type or HYB_EVENT_GAP */
	uint32_t head; /* words of the timed record itself; the attached ones follow */
	/* region of ENTER and LEAVE; enum hyb_mark; hyb_kernel_what; in a definition what it defines */
	uint64_t id;
	uint64_t time; /* raw counter, all 64 bits, never less than the one before; 0 in DEFS */
	const uint64_t *words;	   /* the record as it stands in the stream, or would, of a CALL; NULL for a gap */
	uint32_t count;		   /* words in all */
	uint32_t word;		   /* where it stands: word behind the chunk's header */
	uint64_t seq;		   /* and which chunk */
	uint64_t requests;	   /* of that chunk's header: what requests near it are told by */
	const struct hyb_gap *gap; /* for HYB_EVENT_GAP, else NULL */
};

struct hyb_reader_stats {
	uint64_t events;	  /* handed out, gaps not counted */
	uint64_t words;		  /* in the chunks that were read */
	uint64_t chunks;	  /* begun to read */
	uint64_t corrupt_chunks;  /* damaged: skipped wholly, or from the damage on */
	uint64_t lost_chunks;	  /* sum of gap.chunks: overwritten, corrupt or missing */
	uint64_t lost_records;	  /* sum of gap.records */
	uint64_t unknown_records; /* of types this reader does not know, stepped over */
	uint64_t clamped;	  /* time stamps below the one before, raised to it */
};

struct hyb_reader;

/*
 * Opens the stream at path, a file of that owner (HYB_OWNER_ANY: of anyone). Errors are reported with path and
 * returned:
 *	-ENODATA	empty, or its header not written yet: its writer died or has just begun;
 *			reported as a warning
 *	-EINVAL		no hybmon stream, or a header that makes no sense
 *	-EPROTONOSUPPORT	a newer major version, or another byte order than this machine's
 *	other		what open, read or malloc said
 * Holds one descriptor and at most 256 KiB (more only where a single record is larger, one chunk at
 * most).
 */
int hyb_reader_open(const char *path, uid_t owner, const struct hyb_diag *diag, struct hyb_reader **reader);
/* The major number of the format of such a stream, from its header alone; -errno: it cannot be told. */
int hyb_stream_major(const char *path, uid_t owner);
/* NULL is fine. */
void hyb_reader_close(struct hyb_reader *reader);

/*
 * From now on only samples are read: of about so many chunks, the newest among them, the first words, about so many.
 * What lies between them comes as a HYB_EVENT_GAP. To be called before hyb_reader_next.
 */
void hyb_reader_thin(struct hyb_reader *reader, uint32_t samples, uint32_t words);

/*
 * The stream is read from that chunk on, of whose events the reader of before had the first ones; so many records that
 * the writer lost were told. To be called before hyb_reader_next.
 */
void hyb_reader_from(struct hyb_reader *reader, uint64_t seq, uint64_t lost);

/*
 * The next event: 1 and *event set, 0 at the end of what is published by now, or -errno when the
 * file cannot be read (reported; further calls return the same). After 0 it may be called again at
 * any time and goes on where it was, with whatever was published meanwhile: nothing is handed out
 * twice. A stream whose header says CLOSED at a 0 has nothing more to come.
 *
 * Damage is no error: what is damaged is skipped up to the next chunk and comes as a HYB_EVENT_GAP;
 * the first damage of a stream is reported as a warning, all of it is counted in the statistics.
 */
int hyb_reader_next(struct hyb_reader *reader, struct hyb_event *event);

/* Whether nothing was published after the event that was handed out last, as far as the reader knows. */
bool hyb_reader_is_last(const struct hyb_reader *reader);
/*
 * The file's header as it was when last read: at opening, and whenever hyb_reader_next came to an
 * end.
 */
const struct hyb_file_header *hyb_reader_header(const struct hyb_reader *reader);
const struct hyb_reader_stats *hyb_reader_stats(const struct hyb_reader *reader);

/* True if the header, as last read, says that nothing more will be written. */
static inline bool hyb_reader_closed(const struct hyb_reader *reader)
{
	return hyb_reader_header(reader)->state == HYB_STREAM_CLOSED;
}

/* What the calls of a HYB_POLL found: enum hyb_poll_kind, or of a newer format. */
static inline uint64_t hyb_event_poll_kind(const struct hyb_event *e)
{
	return e->head > HYB_POLL_WORDS ? e->words[HYB_POLL_WORDS] : HYB_POLL_VAIN;
}

/* Words of the record that begins with `word`; 0 for a variable record that says 0. */
static inline uint32_t hyb_record_words(uint64_t word)
{
	uint32_t size = (word >> (HYB_TYPE_SHIFT + 5)) & 3;

	return size == HYB_SIZE_VAR ? (word >> HYB_ID_SHIFT) & HYB_ID_MASK : size + 1;
}

#endif
