/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a thread stands: what the MPI call waits for that its stream ends in, and where in the program it was called.
 * The usual way, once hyb_reader_next has returned 0:
 *
 *	if (hyb_standing_read(reader, &standing) > 0)
 *		hyb_standing_translate(defs, &standing);
 *	...
 *	hyb_standing_free(&standing);
 *
 * Of a program that runs this is a moment's view, as everything else is.
 */
#ifndef HYB_READER_STREAMS_STANDING_H
#define HYB_READER_STREAMS_STANDING_H

#include <stdbool.h>
#include <stdint.h>

#include "format/standing.h"
#include "reader/streams/attached.h"
#include "reader/streams/defs.h"
#include "reader/streams/rma.h"
#include "reader/streams/stream.h"

enum hyb_waits {
	HYB_WAITS_UNTOLD = 0,	/* only where it was called, if that; MPI_Init and many more have nothing else to say */
	HYB_WAITS_SEND,
	HYB_WAITS_RECV,		/* also for a message that a call only looks for */
	HYB_WAITS_COLL,		/* all members of a communicator; which operation is the region's */
	HYB_WAITS_WIN,
	HYB_WAITS_FILE,		/* all that opened a file, if io_flags has HYB_IO_COLLECTIVE; otherwise nobody */
	HYB_WAITS_REQUESTS,
};

/* A request that a call waits for, which may be complete meanwhile. */
struct hyb_awaited {
	enum hyb_request_kind kind;
	uint64_t request; /* its number, or the operation's: HYB_REQUEST_COLL, SEND and others that began it have it */
	uint32_t comm;	  /* id; of one-sided communication the window's, of files the file's */
	int32_t peer;	  /* SEND, RECV: as below */
	int32_t tag;
};

struct hyb_standing {
	enum hyb_waits waits;
	uint64_t region;
	uint64_t time;	   /* raw counter: since when; of polls when the first one of the row began */
	bool polls;	   /* it is in no call: the last ones asked, and found nothing. This is one of the last of them */
	uint64_t site;	   /* the address that the call returns to; 0: not told */
	/* SEND, RECV; and of a call that does both what it sends */
	uint32_t comm;	   /* id, HYB_NO_COMM: not known. Also of COLL */
	int32_t peer;	   /* rank, or HYB_ANY or HYB_NO_PEER. COLL: the root, as in struct hyb_attached */
	int32_t tag;	   /* or HYB_ANY */
	bool sends;	   /* `send` is set: a SEND as it is attached to the Enter */
	struct hyb_attached send;
	/* COLL */
	uint64_t sent;	   /* bytes, HYB_BYTES_UNKNOWN: not known */
	uint64_t received;
	/* WIN; target HYB_NO_PEER: MPI_PROC_NULL. There is no group where the call names one itself: then it is -1 */
	struct hyb_rma rma;
	/* FILE */
	uint64_t file;	   /* id, UINT32_MAX: not known */
	uint32_t io_what;  /* enum hyb_io_what */
	uint32_t io_flags;
	/* REQUESTS */
	uint32_t request_count; /* so many the call names, null requests too */
	uint32_t listed;	/* of these are known, and here */
	struct hyb_awaited *awaited;

	uint64_t handle;   /* the library's: of a communicator yet to be translated */
};

/*
 * 1 and *standing set, to be freed; 0: the thread is in no call that tells it, or more was published meanwhile; or
 * -errno. The reader goes on where it was.
 */
int hyb_standing_read(struct hyb_reader *reader, struct hyb_standing *standing);
void hyb_standing_free(struct hyb_standing *standing);
/* Sources, tags and handles in the words of the trace. */
void hyb_standing_translate(const struct hyb_defs *defs, struct hyb_standing *standing);

#endif
