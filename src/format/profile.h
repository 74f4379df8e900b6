/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread's profile on disk: the call tree that its records were added up to. Layout only.
 *
 * A profile lies beside the thread's stream, thread-N.prof beside thread-N.hyb. Chunk by chunk, when one is full, the
 * thread adds its records to the tree, which is a shared mapping of the file. What the chunk has that the thread is
 * writing is not in the tree yet: a reader adds that to a copy of its own, by the same code (src/core/calltree).
 *
 * The file is a page with struct hyb_profile_header, then cells of 64 bytes, which are given out from the front and
 * never given back. Numbers of cells count from 0, and cell 0 is never given out, so 0 stands for none. What refers to
 * something of its own kind refers to what was made before it, so a reader can tell damage; a frame alone refers also to
 * the one that was made after it. Everything is in the byte order of the writer.
 */
#ifndef HYB_FORMAT_PROFILE_H
#define HYB_FORMAT_PROFILE_H

#include "format/format.h"

#define HYB_PROFILE_MAGIC	"hybprof\n"	/* 8 bytes, no terminator */
#define HYB_PROFILE_MAJOR	1
#define HYB_PROFILE_HEADER_SIZE 4096
#define HYB_PROFILE_CELL	64
#define HYB_PROFILE_BINS	47	/* bin i: calls that took 2^i ticks or more, but not 2^(i+1); 0: also none */
#define HYB_PROFILE_SITES	1024	/* regions below this have a site */
/* The parts of a site. */
#define HYB_PROFILE_OBJECT_SHIFT 48
#define HYB_PROFILE_ADDRESS	((UINT64_C(1) << HYB_PROFILE_OBJECT_SHIFT) - 1)

/* What is no region of the program's, as regions. */
#define HYB_PROFILE_ROOT	UINT64_MAX		/* the thread, from its first record to its last */
#define HYB_PROFILE_PAUSED	(UINT64_MAX - 1)	/* recording was switched off */
/*
 * What the kernel did: with HYB_SUMS_EVENT in its lower half. Times of such a node are nanoseconds; they are in none of
 * its region's. Of calls that were told together each has the mean time.
 */
#define HYB_PROFILE_KERNEL	(UINT64_C(0xffffffe0) << 32)

/* A table of lists: entry i is the first of those whose hash is i modulo the size. */
struct hyb_profile_table {
	uint32_t cell;		/* where uint32_t[size] begins */
	uint32_t size;		/* a power of two */
	uint32_t count;		/* of what is in it */
	uint32_t last;		/* the one that was made last: its `before` leads to all others */
};

struct hyb_profile_state {
	/* Odd while the thread is changing what follows and the cells. Readers take a copy and look again. */
	uint64_t turn;
	uint64_t seq;		/* the newest chunk of which something is in the tree, 0: none */
	uint64_t done;		/* words of that chunk that are */
	uint64_t room;		/* cells that the file has space for */
	uint64_t cells;		/* of those given out, cell 0 included */
	uint64_t epoch;		/* as a reader of the stream keeps them */
	uint64_t first_time;
	uint64_t last;
	uint64_t records;	/* timed records so far */
	uint64_t stray;		/* Leaves without an Enter */
	uint64_t lost;		/* as the chunk's header says */
	uint64_t gaps;		/* places where chunks were missing: only where a reader adds up a stream */
	struct hyb_profile_table nodes;
	struct hyb_profile_table partners;
	uint32_t root;		/* a node */
	uint32_t frame;		/* the innermost one that is open */
	uint32_t sites;		/* uint64_t[HYB_PROFILE_SITES]: where each region was last called from, in this chunk */
	uint32_t sets;		/* the struct hyb_profile_set that was made last */
	uint32_t metrics;	/* of all sets */
	uint32_t pending;	/* words of METRICs and KERNEL_SUMS that belong to the record after them */
	uint64_t kernel;	/* since when it is known what the kernel did; 0: it is not */
	uint64_t kernel_own;	/* 1: as far as the thread itself may know it */
	uint64_t crowded;	/* of that, events that are not told apart from what they were in */
};

struct hyb_profile_header {
	char magic[8];
	uint32_t byte_order;
	uint16_t format_major;
	uint16_t format_minor;
	uint32_t header_size;
	uint32_t cell_size;
	uint32_t stream;	/* these as in the stream's header */
	uint32_t counter;
	uint64_t pid;
	uint64_t tid;
	uint64_t start_time;	/* raw counter: of the first record */
	struct hyb_profile_state state;
};

/* A call path: a region, from where it was called, in what. Times are ticks of the counter. */
struct hyb_profile_node {
	uint32_t parent;
	uint32_t next;		/* in its list of the table */
	uint32_t before;	/* the one that was made before it */
	uint32_t child;		/* the one of its children that was called last: a hint */
	uint64_t region;	/* of the process, or HYB_PROFILE_ROOT and so on */
	/*
	 * The address that its calls return to; 0: not known. Above it, where more than one library lay there in turn, the
	 * number of its OBJECT, the first if it has several; 0: the first library that lay there.
	 */
	uint64_t site;
	uint64_t visits;	/* calls that have come back; of rows of polls all */
	uint64_t inclusive;
	uint64_t children;	/* of that, what its children took, those included that it has called since */
	uint32_t metrics;	/* uint64_t[]: by how much each metric grew in its calls; 0: none yet */
	uint32_t metric_count;

	uint64_t min;		/* of one call */
	uint64_t max;
	uint64_t sends;		/* messages, and their bytes */
	uint64_t sent;
	uint64_t receives;
	uint64_t received;
	uint64_t collectives;	/* operations; their bytes are in sent and received, too */
	uint32_t partner;	/* the one that was used last: a hint */
	uint32_t errors;	/* calls that returned one; not beyond 2^32 - 1 */

	uint64_t bins[HYB_PROFILE_BINS];
	uint64_t words;		/* of its records in the stream; the root has what belongs to no region */
};

enum hyb_profile_way {
	HYB_PROFILE_TO = 1,	/* sent to the peer */
	HYB_PROFILE_FROM,	/* received from it */
	HYB_PROFILE_WITH,	/* collective operations; the peer is the root */
};

/* With whom a call path communicated. */
struct hyb_profile_partner {
	uint32_t node;
	uint32_t next;
	uint32_t before;
	uint32_t way;		/* enum hyb_profile_way */
	uint32_t comm;		/* the process's own id */
	int32_t peer;		/* rank in it; WITH: as in HYB_COLL */
	uint64_t count;
	uint64_t sent;		/* bytes */
	uint64_t received;
	uint64_t reserved[2];
};

/* A region that is open. */
struct hyb_profile_frame {
	uint32_t node;
	uint32_t outer;		/* 0: it is the root's */
	uint32_t inner;		/* the frame to be used inside of this one; 0: none was needed yet */
	uint32_t metrics;	/* uint64_t[]: their values at the Enter */
	uint32_t metric_count;	/* how many it has */
	uint32_t metric_room;
	uint64_t enter;
	uint64_t reserved[4];
};

static inline int hyb_profile_is_kernel(uint64_t region)
{
	return region >> 32 == HYB_PROFILE_KERNEL >> 32;
}

/* Metrics that are read together. */
struct hyb_profile_set {
	uint32_t id;		/* of the HYB_DEF_METRIC_SET */
	uint32_t before;
	uint32_t count;
	uint32_t first;		/* the place of its first metric among all */
	uint32_t values;	/* uint64_t[count]: as they were read last */
	uint32_t previous;	/* uint64_t[count]: the same in this chunk, 0 where it has none */
	uint32_t known;		/* 1: they were read */
	uint32_t reserved[9];
};

_Static_assert(sizeof(struct hyb_profile_header) <= HYB_PROFILE_HEADER_SIZE, "the header's page");
_Static_assert(sizeof(struct hyb_profile_node) == 8 * HYB_PROFILE_CELL, "whole cells");
_Static_assert(sizeof(struct hyb_profile_partner) == HYB_PROFILE_CELL, "a cell");
_Static_assert(sizeof(struct hyb_profile_frame) == HYB_PROFILE_CELL, "a cell");
_Static_assert(sizeof(struct hyb_profile_set) == HYB_PROFILE_CELL, "a cell");

#endif
