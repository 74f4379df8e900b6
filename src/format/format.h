/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The raw trace format: what producers write and every tool reads. Layout only; no functions with state.
 *
 * A stream is one file: a page with struct hyb_file_header, then chunks of header.chunk_size bytes, each
 * with a struct hyb_chunk_header and 64-bit words. Everything is in the byte order of the writer. Nothing
 * here assumes that a stream is complete, that its writer has ended, or that there is one reader.
 * doc/trace-format.md is the same in prose.
 */
#ifndef HYB_FORMAT_FORMAT_H
#define HYB_FORMAT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/kernel.h"
#include "format/mpi.h"
#include "format/place.h"

#define HYB_FILE_MAGIC		"hybmon\r\n"	/* 8 bytes, no terminator; the \r\n shows a text-mode copy */
#define HYB_BYTE_ORDER		0x01020304u
#define HYB_FORMAT_MAJOR	1	/* changes when old readers cannot read new streams */
/* 1: threads say where they stand, older streams have anything there. 2: counters, call sites, parameters, kernel sums */
#define HYB_FORMAT_MINOR	2
#define HYB_FILE_HEADER_SIZE	4096
#define HYB_CHUNK_MAGIC		0x68796263u	/* "hybc" */
#define HYB_CHUNK_MIN		(16u << 10)
#define HYB_CHUNK_MAX		(16u << 20)

enum hyb_stream_kind {
	HYB_STREAM_DEFS = 1,	/* definitions of one process; never a ring */
	HYB_STREAM_THREAD = 2,	/* events of one thread */
	HYB_STREAM_CPU = 3,	/* kernel events of one CPU */
	HYB_STREAM_TASK = 4,	/* kernel events of threads, as far as they may see them themselves */
	HYB_STREAM_SAMPLE = 5,	/* samples of threads, taken on one CPU; tasks' numbers as in the streams beside it */
	HYB_STREAM_ORDER = 6,	/* what one thread could not know by itself: bytes, no records; see format/order.h */
};

enum hyb_stream_state {
	HYB_STREAM_OPEN = 1,	/* being written, or its writer died */
	HYB_STREAM_CLOSED = 2,	/* its writer ended it in good order */
};

enum hyb_counter_kind {		/* which counter the time stamps are */
	HYB_COUNTER_TSC = 1,		/* x86 rdtsc */
	HYB_COUNTER_CNTVCT = 2,		/* aarch64 cntvct_el0 */
	HYB_COUNTER_MONOTONIC_RAW = 3,	/* clock_gettime, nanoseconds */
};

/*
 * The first page of a stream. The members from `state` on change while the stream lives, each by one
 * atomic store of the writer; readers load them with acquire.
 */
struct hyb_file_header {
	char magic[8];
	uint32_t byte_order;
	uint16_t format_major;
	uint16_t format_minor;
	uint32_t header_size;		/* offset of the first chunk */
	uint32_t chunk_size;		/* bytes, its header included */
	uint32_t kind;			/* enum hyb_stream_kind */
	uint32_t counter;		/* enum hyb_counter_kind */
	uint32_t stream;		/* number within the process: DEFS 0; THREAD 0 the main thread; the CPU's */
	uint32_t ring;			/* 1: the slots are all there is; 0: the stream grows behind them */
	uint64_t pid;			/* of the writer; TASK: of the thread that the events are of, 0: of several */
	uint64_t tid;
	uint64_t start_time;		/* raw counter */
	uint64_t slots;			/* how many chunks at the start of the file are written in turn */
	uint64_t reserved[6];
	uint64_t state;			/* enum hyb_stream_state */
	uint64_t newest_seq;		/* sequence number of the newest chunk, 0: none yet */
	uint64_t lost;			/* records not written for want of space; an Enter stands for its call */
	uint64_t lost_first;		/* raw counter of the first and the latest of them */
	uint64_t lost_last;
	uint64_t lost_errno;		/* why: the errno of the reservation that failed last */
	uint64_t end_time;		/* raw counter, once CLOSED */
	uint64_t wrap;			/* places behind the slots that are used in turn, 0: no limit */
	char name[64];			/* of the thread or CPU, UTF-8, may be empty */
};

/*
 * Sequence numbers start at 1 and rise by one for each chunk that is begun. Chunk seq is written in slot
 * (seq - 1) % slots, which the writer has mapped. In a ring that
 * is all there is. In a stream that grows, a full chunk is copied behind the slots, to place slots + seq - 1
 * (slots + (seq - 1) % wrap once wrap is set), before its slot is taken again: so a reader that finds
 * another seq in the slot finds the chunk there. Of two copies the slot's is the whole one; the other may
 * have been cut short by the writer's death.
 *
 * The file may end within its slots: a stream has their space once it needs it, and a short one never does.
 *
 * A reader loads seq before and after it copies a chunk; if they differ or are 0, the writer took the
 * chunk meanwhile. `used` counts the 64-bit words behind the
 * header that are published, and is stored with release after the words themselves.
 */
struct hyb_chunk_header {
	uint32_t magic;
	uint32_t stream;
	uint64_t seq;
	uint64_t used;
	uint64_t first_time;		/* full raw counter: gives the high bits of the first time stamp */
	uint64_t lost;			/* header.lost when the chunk was begun: a difference is a gap before it */
	/* `used` of the chunk before it in the end, plus 1; 0: there is none, or not known */
	uint64_t before;
	/* the last request number given out by the thread before it; see HYB_NEAR_BEFORE */
	uint64_t requests;
	uint64_t reserved;
};

/*
 * Records are runs of words. Bits 63-56 of the first word are the type, and the type alone says how long
 * the record is and whether it carries a time, so that a reader steps over types it does not know:
 *
 *	bit 7	  0: timed, bits 55-40 are an id, bits 39-0 the low bits of the raw counter
 *		  1: attached to the timed record before it, published together with it; or, in a DEFS
 *		     stream, a definition. No time; bits 55-0 are payload
 *	bits 6-5  0, 1, 2: one, two, three words; 3: as many words as bits 55-40 say, the first included
 *	bits 4-0  which one
 *
 * A timed record of variable length has its id in its second word.
 */
#define HYB_TYPE_SHIFT		56
#define HYB_ID_SHIFT		40
#define HYB_TIME_BITS		40
#define HYB_TIME_MASK		((UINT64_C(1) << HYB_TIME_BITS) - 1)
#define HYB_ID_MASK		0xffffu
#define HYB_REQUEST_MASK	((UINT64_C(1) << HYB_TYPE_SHIFT) - 1)
#define HYB_REQUEST_THREAD_SHIFT 36	/* of a request's number: above, the thread's stream; below, a count */
#define HYB_CALL_ID_SHIFT	44	/* of a CALL */
#define HYB_CALL_ID_MASK	0xfffu
#define HYB_CALL_SPAN_SHIFT	32
#define HYB_CALL_SPAN_MASK	0xfffu
#define HYB_CALL_NEAR	(UINT64_C(1) << 31)	/* it begins less than this after a time that readers know before it */
#define HYB_COLL_ROOT_SHIFT	8	/* of a REQUEST_COLL */
#define HYB_COLL_ROOT_MASK	0xffffffu
#define HYB_COLL_ROOT_BIAS	4
#define HYB_COLL_MASK		0xffu
#define HYB_COPY_REGISTERS_SHIFT 32	/* of a STACK_COPY */
#define HYB_COPY_REGISTERS_MASK	0xffu
#define HYB_COPY_GOES_ON	(UINT64_C(1) << 16)
#define HYB_COPY_MACHINE_MASK	0xffffu
#define HYB_COPY_MAX		65528u	/* bytes of stack: the most that the kernel copies */
/* words a timed record and its attached ones take at most; a CALL's twice that */
#define HYB_GROUP_MAX		16
/* An Enter group begins where so much is left: room for it, for a MORE and its Leave group, each behind an EPOCH. */
#define HYB_CHUNK_SLACK		(3 * (HYB_GROUP_MAX + 1))

/*
 * A request near the chunk's first ones is told by its distance d from them: its number is header.requests + d -
 * HYB_NEAR_BEFORE. Such distances are below HYB_NEAR_NONE, which stands for no request.
 */
#define HYB_NEAR_BEFORE		8192
#define HYB_NEAR_NONE		0x7fffu
#define HYB_NEAR_SHIFT		41	/* in SEND_SHORT and RECV_SHORT */
#define HYB_SHORT_COMM_SHIFT	37	/* where the fields below begin, and how many values they have */
#define HYB_SHORT_COMMS		16
#define HYB_SHORT_PEER_SHIFT	25
#define HYB_SHORT_PEERS		4096
#define HYB_SHORT_TAG_SHIFT	16
#define HYB_SHORT_TAGS		512
#define HYB_SHORT_SCALE_SHIFT	14	/* of the bytes, bits 15-0: here s, below n, which is n * 8^s bytes */
#define HYB_SHORT_BYTES		16384
#define HYB_SHORT_SENT_SHIFT	16	/* between the requests of a SENT_SHORT */
#define HYB_SHORT_SENTS		3
#define HYB_SUMS_BEGIN_SHIFT	63	/* of a KERNEL_SUMS */
#define HYB_SUMS_OWN_SHIFT	62
#define HYB_SUMS_CROWDED_MASK	((UINT64_C(1) << 62) - 1)
#define HYB_SUMS_DEPTH_SHIFT	56
#define HYB_SUMS_WORDS		3	/* of each kind of event */
#define HYB_SUMS_EVENT(kind, number) ((uint32_t)(kind) << 24 | (number))	/* kind: enum hyb_profile_kind */
#define HYB_SHORT_TEAM_SHIFT	40	/* in TEAM_BEGIN_SHORT, and how many values its fields have */
#define HYB_SHORT_TEAMS		65536
#define HYB_SHORT_MEMBER_SHIFT	32
#define HYB_SHORT_MEMBERS	256

#define HYB_TIMED(size, n)	((size) << 5 | (n))
#define HYB_ATTACHED(size, n)	(0x80 | (size) << 5 | (n))
#define HYB_SIZE_VAR		3

enum hyb_record_type {
	/* 0 is never a valid record: a hole reads as zeroes */
	HYB_ENTER	= HYB_TIMED(0, 1),	/* id: region */
	HYB_LEAVE	= HYB_TIMED(0, 2),	/* id: region */
	HYB_EPOCH	= HYB_TIMED(0, 3),	/* bits 39-0: bits 63-40 of the counter from here on */
	HYB_MARK	= HYB_TIMED(0, 4),	/* id: enum hyb_mark */
	HYB_ENTER_WIDE	= HYB_TIMED(1, 1),	/* word 1: region, where it does not fit 16 bits */
	HYB_LEAVE_WIDE	= HYB_TIMED(1, 2),
	/* id: region. Carries more of what its next Leave does, where that is too much for one group */
	HYB_MORE	= HYB_TIMED(0, 5),
	/* calls that found nothing or had no effect, one after the other from one place: struct hyb_poll */
	HYB_POLL	= HYB_TIMED(HYB_SIZE_VAR, 1),
	/* id: region, 0: none. Something happened that has no duration: what is attached says what */
	HYB_POINT	= HYB_TIMED(0, 6),
	/*
	 * In CPU and TASK streams: what the kernel did; word 1: bits 63-56 enum hyb_kernel_what, 55-32 its
	 * detail, 31-0 the task that was current. More words as the enum says; those behind them are of a
	 * newer format.
	 */
	HYB_KERNEL	= HYB_TIMED(HYB_SIZE_VAR, 2),
	/*
	 * Enter and Leave of a short call, or of a short barrier of OpenMP. Bits 55-44: region; 43-32: how long it
	 * took; 31-0: the lower half of the time when it began, of which it is the one next to the time of the record
	 * before it in the stream, or to the chunk's first_time where that is later. The writer sees to it that this is
	 * so. Attached are first what belongs to its Enter, which are sends, then what belongs to its Leave.
	 *
	 * It may have been published as an ENTER, with its sends: then it becomes a CALL in place when it has come
	 * back, after what belongs to its Leave is published and before anything else is.
	 */
	HYB_CALL	= HYB_TIMED(0, 7),
	/*
	 * Counters that were read together. word 1: bits 31-0 the DEF_METRIC_SET, 62-32 how many values there are, which is
	 * the set's count, bit 63 HYB_METRIC_ALONE. The words after hold a value for each of the set's metrics in turn, as
	 * its difference (modulo 2^64) from that in the set's METRIC before in this chunk, or from 0: zigzag, then LEB128,
	 * the low byte of a word first; the last word is filled with zeroes. It belongs to the thread's next timed record
	 * that is no METRIC and no MORE, and has that one's time.
	 */
	HYB_METRIC	= HYB_TIMED(HYB_SIZE_VAR, 3),
	/*
	 * What the kernel did to the thread since the SUMS before, in the region that is innermost where the record is.
	 * word 1: bit 63: of what came before nothing is told; bit 62: only what the thread itself may know is told; bits
	 * 61-0 how many events were not told apart from what they were in. Then three words for each kind of event: bits 63-56 how deep it lies in those told before
	 * it, the last of which that is one less deep it is in, 0: in none; 31-0 HYB_SUMS_EVENT; how many there were, may
	 * be 0; nanoseconds of CLOCK_MONOTONIC that they took, with what is in them
	 */
	HYB_KERNEL_SUMS	= HYB_TIMED(HYB_SIZE_VAR, 4),

	/* word 0: bits 55-32 comm, 31-0 peer; word 1: bits 63-32 tag, 31-0 bytes */
	HYB_SEND	= HYB_ATTACHED(1, 1),	/* with Enter; with Leave where that was too early */
	HYB_RECV	= HYB_ATTACHED(1, 2),	/* with Leave */
	/*
	 * word 0: bits 55-32 comm, 31-0 root (-1 none; in intercommunicators -2 this process, -3 another of
	 * its group); word 1: bits 63-32 bytes sent, 31-0 received
	 */
	HYB_COLL	= HYB_ATTACHED(1, 3),	/* with Leave; the operation is the region's */
	/* the same where a number does not fit. word 0: bits 31-0 peer; word 1: comm, tag; word 2: bytes */
	HYB_SEND_WIDE	= HYB_ATTACHED(2, 1),
	/* of a receive that MPI tells nothing of: HYB_BYTES_UNKNOWN, and where they were not named HYB_ANY, HYB_ANY */
	HYB_RECV_WIDE	= HYB_ATTACHED(2, 2),
	/* word 0: bits 55-32 comm, 31-0 root; word 1: bytes sent; word 2: bytes received */
	HYB_COLL_WIDE	= HYB_ATTACHED(2, 3),
	/*
	 * the same in one word, where all is small: bits 55-41 the request by its distance (HYB_NEAR_NONE: none, or it
	 * is in a REQUEST behind), 40-37 comm, 36-25 peer, 24-16 tag, 15-0 bytes
	 */
	HYB_SEND_SHORT	= HYB_ATTACHED(0, 10),
	HYB_RECV_SHORT	= HYB_ATTACHED(0, 11),
	/* word 0: bits 31-0 error code the call returned; with Leave, absent where the call succeeded */
	HYB_ERROR	= HYB_ATTACHED(0, 1),
	/* with Leave: the call never came back (longjmp, exception); the time is when that was noticed */
	HYB_ABANDONED	= HYB_ATTACHED(0, 2),

	/*
	 * Requests. bits 55-0: the request's number, which is the process's own and never used again; it
	 * begins with 1 and is the same in all records of one operation, whichever thread they come from.
	 */
	/* right behind a SEND: that is a non-blocking one; behind a RECV: that is what the request got */
	HYB_REQUEST	= HYB_ATTACHED(0, 3),
	HYB_REQUEST_RECV = HYB_ATTACHED(0, 4),	/* a non-blocking receive began; with Leave */
	HYB_REQUEST_SENT = HYB_ATTACHED(0, 6),	/* a non-blocking send is complete */
	/* up to three are; bits 47-32, 31-16, 15-0: the requests' distances plus 1, 0: no more */
	HYB_SENT_SHORT	= HYB_ATTACHED(0, 12),
	HYB_REQUEST_TESTED = HYB_ATTACHED(0, 7), /* a test of it found nothing; not where those are in a POLL */
	HYB_REQUEST_CANCELLED = HYB_ATTACHED(0, 8), /* a receive that ended by being cancelled */
	/* right behind a SEND or RECV and its REQUEST: it is partitioned, and matches none that is not */
	HYB_PARTITIONED	= HYB_ATTACHED(0, 9),
	/*
	 * with an Enter that is no CALL: the counter was not read when the call began. It began then, or up to so many
	 * ticks (bits 55-0) later. Not where its begin is known to some microseconds
	 */
	HYB_BEGAN	= HYB_ATTACHED(0, 13),
	/*
	 * a non-blocking collective operation began; with Leave. word 0: bits 55-32 comm, 31-8 the root as in COLL plus
	 * HYB_COLL_ROOT_BIAS, 0 where it does not fit, 7-0 enum hyb_coll; word 1: the request
	 */
	HYB_REQUEST_COLL = HYB_ATTACHED(1, 5),
	/* a send was cancelled: its SEND never was one. word 0: bits 31-0 peer; word 1: comm, tag; word 2: request */
	HYB_SEND_CANCELLED = HYB_ATTACHED(2, 4),
	/*
	 * right behind a COLL: what the request did, or, with an ERROR of the call, was to do. word 0: bits 31-0 enum
	 * hyb_coll; word 1: the request
	 */
	HYB_REQUEST_DONE = HYB_ATTACHED(1, 4),

	/*
	 * One-sided communication, with Leave (DONE, and DESTROY of a window freed inside of the call: MORE).
	 * bits 55-40: words; bits 39-32 enum hyb_rma_what; 31-0 target, a rank of the window's communicator, or
	 * -1: all. word 1: bits 63-32 enum hyb_rma_flag, 31-0 window.
	 * Operations: words 2, 3 bytes sent and received, word 4 the operation's number, given out like a
	 * request's. DONE: word 2 that number. POST, START, COMPLETE, WAIT: word 2 the group. The reader is
	 * reader/streams/rma.h.
	 */
	HYB_RMA		= HYB_ATTACHED(HYB_SIZE_VAR, 16),
	/* MPI-IO; with Leave. bits 55-40: words; bits 39-32 enum hyb_io_what; bits 31-0 its flags */
	HYB_IO		= HYB_ATTACHED(HYB_SIZE_VAR, 17),
	/* never published: what the call waits for that a thread stands in; see format/standing.h */
	HYB_STANDING	= HYB_ATTACHED(0, 26),

	/*
	 * Threads (OpenMP). A task's number: bits 47-32 the stream of the thread that created it, 31-0 a count from
	 * 1 that skips 0 when it wraps; 0: the implicit task. Streams from 65535 on are written as 65535.
	 */
	HYB_FORK	= HYB_ATTACHED(0, 16),	/* with Enter. bits 31-0: threads asked for, 0: as many as there are */
	/* with Leave: what that region's FORK began is over. bit 0, HYB_JOIN_TEAM: before it a TEAM_END */
	HYB_JOIN	= HYB_ATTACHED(0, 17),
	/*
	 * the thread becomes a member: with a worker's Enter, with a POINT of the one that forked. word 0: bits
	 * 55-32 the team, 31-0 its number in it; word 1: which use of the team this is, see hyb_def_team
	 */
	HYB_TEAM_BEGIN	= HYB_ATTACHED(1, 16),
	/*
	 * the same in one word, where all is small: bits 55-40 the team, 39-32 the thread's number in it, 31-0 the use
	 */
	HYB_TEAM_BEGIN_SHORT = HYB_ATTACHED(0, 25),
	/* of the innermost team: with a worker's Leave, with that of the region that forked it, or with POINT */
	HYB_TEAM_END	= HYB_ATTACHED(0, 18),
	/* with a POINT of the task's region. word 0: bits 31-0 enum hyb_task_flag; word 1: the task */
	HYB_TASK_CREATE	= HYB_ATTACHED(1, 17),
	HYB_TASK_SWITCH	= HYB_ATTACHED(0, 19),	/* bits 47-0: the task that the thread goes on with */
	/* bits 47-0: the task; bits 49-48 enum hyb_task_end. Of the ends of one task one counts, see there */
	HYB_TASK_COMPLETE = HYB_ATTACHED(0, 20),
	/*
	 * with POINT. bits 47-0: the task whose event the thread fulfilled; HYB_TASK_EARLY: before the task had come to
	 * its end, which then completes it; else this completes it
	 */
	HYB_TASK_FULFIL	= HYB_ATTACHED(0, 29),
	HYB_TASK_DEPEND	= HYB_ATTACHED(2, 16),	/* word 1: a task, word 2: the one that has to wait for it */
	/* bits 31-0: the lock, the process's own number; word 1: how often it was had before, plus 1 */
	HYB_LOCK_ACQUIRED = HYB_ATTACHED(1, 18),
	HYB_LOCK_RELEASED = HYB_ATTACHED(1, 19),
	HYB_COUNT	= HYB_ATTACHED(0, 21),	/* with Enter. bits 55-0: iterations, sections or tasks */
	/* with POINT. word 0: bits 31-0 enum hyb_chunk_kind; word 1: first iteration, word 2: how many */
	HYB_CHUNK	= HYB_ATTACHED(2, 17),
	HYB_CANCEL	= HYB_ATTACHED(0, 22),	/* with POINT. bits 31-0 enum hyb_cancel_flag */
	/*
	 * with LEAVE: the end was noticed late. It was behind the record before this one, and its time is when it was
	 * noticed
	 */
	HYB_LATE	= HYB_ATTACHED(0, 23),
	/* with Enter of what is done for a device. bits 31-0: its number, -1: the host; bit 32: nobody waits for it */
	HYB_DEVICE	= HYB_ATTACHED(0, 28),
	/* with Enter. word 0: bits 31-0 enum hyb_data_op; word 1: device of the source, of the target; word 2: bytes */
	HYB_DATA_OP	= HYB_ATTACHED(2, 18),
	/* with POINT. word 0: bits 31-0 enum hyb_depend_kind; word 1: the task; word 2: address of what it is about */
	HYB_DEPENDENCE	= HYB_ATTACHED(2, 19),
	/*
	 * with POINT. bits 55-40: words; bits 39-32 enum hyb_message_kind; bits 31-0: bytes of UTF-8 in the words
	 * behind
	 */
	HYB_MESSAGE	= HYB_ATTACHED(HYB_SIZE_VAR, 18),

	/*
	 * bits 55-0: with a KERNEL record a HYB_DEF_STACK: how the kernel and the program came to where that is. With an
	 * Enter, CALL or POLL, right behind its SITE if there is one, a HYB_DEF_FRAME: how the program came to it; 0: not
	 * known. One without it has that of the thread's last one of the same region in this chunk, if the region is below
	 * 65536; where there is none, it is not known
	 */
	HYB_STACK	= HYB_ATTACHED(0, 24),
	/*
	 * with the KERNEL record of a sample, after its STACK, whose addresses of the program it stands for: what the thread
	 * was doing, to be unwound. bits 55-40: words; bits 39-32: how many registers; bit 16: the stack goes on where the
	 * copy ends; bits 15-0: the machine as ELF has it. Words 1 and on: the registers by DWARF's numbers, then, where
	 * DWARF has none for it, the program counter; after them the stack from its pointer on
	 */
	HYB_STACK_COPY	= HYB_ATTACHED(HYB_SIZE_VAR, 27),

	/*
	 * with the Enter of a region below HYB_STANDING_REGIONS and with POLL, before all else. bits 47-0: the address
	 * that the call returns to. An ENTER, CALL or POLL without it has that of the thread's last one of the same
	 * region in this chunk; if there is none, it is not known
	 */
	HYB_SITE	= HYB_ATTACHED(0, 27),
	/*
	 * with a POINT of the thread's innermost region of the program's own (0 where it does not fit 16 bits): something
	 * that the program says about it. bits 39-32 enum hyb_metric_type or
	 * HYB_PARAMETER_TEXT, 31-0 its name, a DEF_TEXT; word 1: the value, of a text the DEF_TEXT
	 */
	HYB_PARAMETER	= HYB_ATTACHED(1, 20),

	/* definitions, in the DEFS stream. bits 55-40: words; bits 39-0: the id they define */
	HYB_DEF_CLOCK	= HYB_ATTACHED(HYB_SIZE_VAR, 1),	/* struct hyb_def_clock */
	HYB_DEF_REGION	= HYB_ATTACHED(HYB_SIZE_VAR, 2),	/* struct hyb_def_region, name */
	HYB_DEF_COMM	= HYB_ATTACHED(HYB_SIZE_VAR, 3),	/* struct hyb_def_comm */
	HYB_DEF_MEMBERS	= HYB_ATTACHED(HYB_SIZE_VAR, 4),	/* struct hyb_def_members, uint32_t[count] */
	HYB_DEF_COMM_NAME = HYB_ATTACHED(HYB_SIZE_VAR, 5),	/* uint64_t length, name; the last one holds */
	HYB_DEF_WIN	= HYB_ATTACHED(HYB_SIZE_VAR, 6),	/* struct hyb_def_win */
	HYB_DEF_WIN_NAME = HYB_ATTACHED(HYB_SIZE_VAR, 7),	/* as COMM_NAME, of a window */
	HYB_DEF_GROUP	= HYB_ATTACHED(HYB_SIZE_VAR, 8),	/* as MEMBERS, of a group of processes */
	HYB_DEF_FILE	= HYB_ATTACHED(HYB_SIZE_VAR, 9),	/* struct hyb_def_file, name */
	HYB_DEF_MPI	= HYB_ATTACHED(HYB_SIZE_VAR, 10),	/* struct hyb_def_mpi */
	HYB_DEF_MEETING	= HYB_ATTACHED(HYB_SIZE_VAR, 12),	/* struct hyb_def_meeting, of a communicator */
	HYB_DEF_TOPOLOGY = HYB_ATTACHED(HYB_SIZE_VAR, 13),	/* struct hyb_def_topology, uint32_t[count] */
	HYB_DEF_TEXT	= HYB_ATTACHED(HYB_SIZE_VAR, 14),	/* uint64_t length, UTF-8 */
	HYB_DEF_SOURCE	= HYB_ATTACHED(HYB_SIZE_VAR, 15),	/* struct hyb_def_source, file; of a region */
	HYB_DEF_PLACE	= HYB_ATTACHED(HYB_SIZE_VAR, 16),	/* struct hyb_def_place, of a region */
	HYB_DEF_OBJECT	= HYB_ATTACHED(HYB_SIZE_VAR, 17),	/* struct hyb_def_object, path, build id, hyb_def_extent */
	HYB_DEF_TEAM	= HYB_ATTACHED(HYB_SIZE_VAR, 18),	/* struct hyb_def_team */
	HYB_DEF_MARK	= HYB_ATTACHED(HYB_SIZE_VAR, 19),	/* struct hyb_def_mark, of a thread */
	HYB_DEF_TASK	= HYB_ATTACHED(HYB_SIZE_VAR, 20),	/* struct hyb_def_task; id: in KERNEL records */
	/* id: bits 39-32 enum hyb_kernel_names, 31-0 the number; uint64_t length, name */
	HYB_DEF_KERNEL_NAME = HYB_ATTACHED(HYB_SIZE_VAR, 21),
	HYB_DEF_STACK	= HYB_ATTACHED(HYB_SIZE_VAR, 22),	/* struct hyb_def_stack, addresses */
	HYB_DEF_SYMBOL	= HYB_ATTACHED(HYB_SIZE_VAR, 23),	/* struct hyb_def_symbol, name */
	HYB_DEF_MAPPING	= HYB_ATTACHED(HYB_SIZE_VAR, 24),	/* struct hyb_def_mapping, path; id: its task group */
	HYB_DEF_METRIC	= HYB_ATTACHED(HYB_SIZE_VAR, 25),	/* struct hyb_def_metric, name, unit, description */
	HYB_DEF_METRIC_SET = HYB_ATTACHED(HYB_SIZE_VAR, 26),	/* struct hyb_def_metric_set, uint32_t[count]: metrics */
	HYB_DEF_FRAME	= HYB_ATTACHED(HYB_SIZE_VAR, 28),	/* struct hyb_def_frame */
	HYB_DEF_SYNC	= HYB_ATTACHED(HYB_SIZE_VAR, 29),	/* struct hyb_def_sync */
	HYB_DEF_USAGE	= HYB_ATTACHED(HYB_SIZE_VAR, 30),	/* struct hyb_def_usage, of a thread */
};

/*
 * HYB_POLL, from its second word on. Written at the first failing call of a row and brought up to date in place
 * while the row goes on and nothing else is recorded; the time of the record is that of the first call. Rows side
 * by side may overlap: the program asked for each in turn.
 */
struct hyb_poll {
	uint64_t region;
	uint64_t count;		/* calls */
	/* counter ticks spent in those up to `last`; of a long row estimated from some of them */
	uint64_t inside;
	/*
	 * raw counter: what is known of when the last one came back; some microseconds before that where calls are
	 * quick
	 */
	uint64_t last;
	/* one more word where it is not HYB_POLL_VAIN: enum hyb_poll_kind */
};

#define HYB_POLL_WORDS (1 + sizeof(struct hyb_poll) / sizeof(uint64_t))	/* without that word */

/* What the calls of a row found. */
enum hyb_poll_kind {
	HYB_POLL_VAIN = 0,	/* what they asked for had not happened: the next one may find it */
	/*
	 * all there is had happened, or there was nothing to ask for (null or inactive requests): the answer could be
	 * no other
	 */
	HYB_POLL_SETTLED = 1,
	/* nothing to be done: a flush or its like with no operation of the process to complete */
	HYB_POLL_IDLE = 2,
};

enum hyb_mark {
	HYB_MARK_OFF = 1,	/* recording was switched off here */
	HYB_MARK_ON = 2,	/* and on again: what lies between was not recorded by request */
};

/* The structs below follow the first word of their definition. */

/* A mark that has no place of its own in the thread's stream: it stands between the events there by its time. */
struct hyb_def_mark {
	uint64_t counter;	/* raw */
	uint32_t stream;	/* of the thread */
	uint32_t which;		/* enum hyb_mark */
};

/* When a thread's use of the machine was read. */
enum hyb_usage_when {
	HYB_USAGE_BEGIN = 1,	/* before its first record */
	HYB_USAGE_INIT,		/* MPI_Init is over */
	HYB_USAGE_FINALIZE,	/* MPI_Finalize is about to begin */
	HYB_USAGE_END,		/* of the thread, or of the process */
};

#define HYB_USAGE_UNKNOWN UINT64_MAX	/* of any of the following: it could not be read */

/* What a thread has had of the machine since it began, as the kernel counts it for everybody. */
struct hyb_def_usage {
	uint64_t counter;	/* raw: when it was read */
	uint32_t stream;	/* of the thread */
	uint32_t when;		/* enum hyb_usage_when */
	uint64_t cpu;		/* ns on a CPU, */
	uint64_t delayed;	/* and able to run, but without a CPU */
	uint64_t voluntary;	/* times that it gave its CPU up */
	uint64_t involuntary;	/* times that this was taken from it */
	uint64_t minor;		/* page faults, */
	uint64_t major;		/* and those that took a disk */
};

struct hyb_def_clock {
	uint64_t counter;	/* raw */
	uint64_t monotonic_raw;	/* the three clocks, nanoseconds, read within `width` counter ticks */
	uint64_t monotonic;
	uint64_t realtime;
	uint64_t width;
};

enum hyb_role {
	HYB_ROLE_FUNCTION = 0, HYB_ROLE_P2P, HYB_ROLE_BARRIER, HYB_ROLE_ONE2ALL, HYB_ROLE_ALL2ONE,
	HYB_ROLE_ALL2ALL, HYB_ROLE_COLL_OTHER, HYB_ROLE_RMA, HYB_ROLE_FILE_IO, HYB_ROLE_FILE_META,
	HYB_ROLE_PARALLEL, HYB_ROLE_LOOP, HYB_ROLE_SECTIONS, HYB_ROLE_SINGLE, HYB_ROLE_WORKSHARE,
	HYB_ROLE_MASTER, HYB_ROLE_CRITICAL, HYB_ROLE_ATOMIC, HYB_ROLE_ORDERED, HYB_ROLE_IMPLICIT_BARRIER,
	HYB_ROLE_TASK, HYB_ROLE_TASK_WAIT, HYB_ROLE_LOCK, HYB_ROLE_WRAPPER, HYB_ROLE_SECTION,
	HYB_ROLE_FLUSH, HYB_ROLE_TRANSFER, HYB_ROLE_ALLOCATE, HYB_ROLE_FREE, HYB_ROLE_PHASE, HYB_ROLE_ITERATION,
};

enum hyb_paradigm {
	HYB_PARADIGM_USER = 0, HYB_PARADIGM_MPI, HYB_PARADIGM_OPENMP, HYB_PARADIGM_KERNEL,
	HYB_PARADIGM_MEASUREMENT,
};

enum hyb_coll {			/* which collective operation a region is */
	HYB_COLL_NONE = 0, HYB_COLL_BARRIER, HYB_COLL_BCAST, HYB_COLL_GATHER, HYB_COLL_GATHERV,
	HYB_COLL_SCATTER, HYB_COLL_SCATTERV, HYB_COLL_ALLGATHER, HYB_COLL_ALLGATHERV,
	HYB_COLL_ALLTOALL, HYB_COLL_ALLTOALLV, HYB_COLL_ALLTOALLW, HYB_COLL_ALLREDUCE,
	HYB_COLL_REDUCE, HYB_COLL_REDUCE_SCATTER, HYB_COLL_REDUCE_SCATTER_BLOCK, HYB_COLL_SCAN,
	HYB_COLL_EXSCAN, HYB_COLL_NEIGHBOR_ALLGATHER, HYB_COLL_NEIGHBOR_ALLGATHERV,
	HYB_COLL_NEIGHBOR_ALLTOALL, HYB_COLL_NEIGHBOR_ALLTOALLV, HYB_COLL_NEIGHBOR_ALLTOALLW,
	/* All members make this call, but move no data; it depends on the MPI whether they wait for each other. */
	HYB_COLL_CREATE_HANDLE,	/* of a communicator, a window or a file */
	HYB_COLL_DESTROY_HANDLE,
	HYB_COLL_FINALIZE,
};

/* Whether it moves data, so that nobody is back before those have come whose data it takes. */
static inline bool hyb_coll_has_data(unsigned int op)
{
	return op > HYB_COLL_NONE && op < HYB_COLL_CREATE_HANDLE;
}

struct hyb_def_region {
	uint8_t role;		/* enum hyb_role */
	uint8_t paradigm;	/* enum hyb_paradigm */
	uint8_t coll;		/* enum hyb_coll */
	uint8_t reserved;
	uint32_t name_length;	/* bytes of UTF-8 behind the struct, padded to words with zeroes */
};

#define HYB_METRIC_COUNT_SHIFT	32	/* of a METRIC's word 1 */
#define HYB_METRIC_COUNT_MASK	0x7fffffffu
#define HYB_PARAMETER_TYPE_SHIFT 32
#define HYB_PARAMETER_TYPE_MASK 0xffu
#define HYB_METRIC_ALONE (UINT64_C(1) << 63)	/* belongs to no other record, and has its own time */

enum hyb_metric_type {		/* how the 64 bits of a value are to be read */
	HYB_METRIC_UINT64 = 0, HYB_METRIC_INT64, HYB_METRIC_DOUBLE,
	HYB_PARAMETER_TEXT = 15,
};

enum hyb_metric_mode {		/* as OTF2's metric modes */
	HYB_METRIC_ACCUMULATED = 0,	/* since the thread began */
	HYB_METRIC_ABSOLUTE = 1,	/* as it is at this moment, and until the next value */
	HYB_METRIC_POINT = 2,		/* as it is at this moment only */
};

enum hyb_metric_flag {
	HYB_METRIC_SCALED = 1,		/* multiplexed: extrapolated from the time in which it was counted */
	HYB_METRIC_PROCESS = 2,		/* of the process, not of the thread */
	HYB_METRIC_NODE = 4,		/* of the whole node, such as energy */
};

struct hyb_def_metric {
	uint8_t type;		/* enum hyb_metric_type */
	uint8_t mode;		/* enum hyb_metric_mode */
	uint8_t base;		/* 2 or 10: a value stands for value * base^exponent units */
	int8_t exponent;
	uint32_t flags;		/* enum hyb_metric_flag */
	/* bytes of UTF-8 behind the struct, each padded to words with zeroes; units have no prefix */
	uint32_t name_length;
	uint32_t unit_length;
	uint32_t description_length;
	uint32_t reserved;
};

struct hyb_def_metric_set {
	uint32_t count;
	uint32_t reserved;
};

/*
 * From use `use` of the team on, member `index` is the thread of stream `stream`. A team is used again and again,
 * with growing numbers; one whose size changes is another team.
 */
struct hyb_def_team {
	uint64_t use;
	uint32_t size;
	uint32_t index;
	uint32_t stream;
	uint32_t reserved;
};

enum hyb_task_flag {
	HYB_TASK_TARGET = 1,
	HYB_TASK_UNDEFERRED = 2,
	HYB_TASK_UNTIED = 4,
	HYB_TASK_FINAL = 8,
	HYB_TASK_MERGEABLE = 16,
	HYB_TASK_HAS_DEPENDENCES = 32,
};

/*
 * How a task got to its end. A task of several parts that is cancelled may have several ends, one for each part of it
 * that was executed or left out since, and no thread knows of the others': the last end of an executed part counts,
 * and that of a part that was left out where there is no other.
 */
enum hyb_task_end {
	HYB_TASK_ENDED = 0,
	HYB_TASK_CANCELLED = 1,	/* this part was executed */
	HYB_TASK_DISCARDED = 2,	/* this part, or all of the task, was not */
};

#define HYB_TASK_EARLY (UINT64_C(1) << 48)	/* of TASK_FULFIL */
#define HYB_JOIN_TEAM 1u

enum hyb_chunk_kind {
	HYB_CHUNK_ITERATION = 1, HYB_CHUNK_SECTION, HYB_CHUNK_LOOP, HYB_CHUNK_TASKLOOP, HYB_CHUNK_DISTRIBUTE,
};

enum hyb_cancel_flag {
	HYB_CANCEL_PARALLEL = 1, HYB_CANCEL_SECTIONS = 2, HYB_CANCEL_LOOP = 4, HYB_CANCEL_TASKGROUP = 8,
	HYB_CANCEL_ACTIVATED = 16, HYB_CANCEL_DETECTED = 32, HYB_CANCEL_DISCARDED_TASK = 64,
};

enum hyb_data_op {		/* on memory of a device */
	HYB_DATA_ALLOC = 1, HYB_DATA_TO_DEVICE, HYB_DATA_FROM_DEVICE, HYB_DATA_DELETE, HYB_DATA_ASSOCIATE,
	HYB_DATA_DISASSOCIATE, HYB_DATA_TRANSFER, HYB_DATA_MEMSET,
	HYB_DATA_ASYNC = 16,	/* a bit: only begun */
};

enum hyb_depend_kind {
	HYB_DEPEND_IN = 1, HYB_DEPEND_OUT, HYB_DEPEND_INOUT, HYB_DEPEND_MUTEXINOUTSET, HYB_DEPEND_SOURCE,
	HYB_DEPEND_SINK, HYB_DEPEND_INOUTSET, HYB_DEPEND_OUT_ALL, HYB_DEPEND_INOUT_ALL,
	HYB_DEPEND_KINDS,
};

enum hyb_message_kind {
	HYB_MESSAGE_WARNING = 1, HYB_MESSAGE_FATAL,
};

#endif
