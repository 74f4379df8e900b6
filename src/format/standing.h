/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a thread stands: what the MPI call waits for that a thread is in, and where in the program it was called. This
 * lies beyond the last published word of the chunk, is written before the call's Enter is published, and is never
 * published itself: what is recorded next goes over it. So it takes no space, and is there if the call does not come
 * back.
 *
 * It belongs to the last published timed record if that is an ENTER of a region below HYB_STANDING_REGIONS, and begins
 * right after what is published; or if that is a POLL, and begins two words later. The first of the two is the next
 * Enter's, which is written before it is known whether it is to be published. In the second is the region, since a call
 * that joins another row than the last one says so in no record of its own. Whoever publishes such a record sees to it
 * that there is either this word or another one:
 *
 *	bits 63-56	HYB_STANDING
 *	bits 55-48	enum hyb_standing_form: what follows
 *	bits 47-0	the address that the call returns to
 *
 * What follows has sources, tags and handles of communicators as the MPI has them: HYB_DEF_MPI and the handles in
 * HYB_DEF_COMM say what they mean. To translate them takes a reader's time instead of the program's.
 */
#ifndef HYB_FORMAT_STANDING_H
#define HYB_FORMAT_STANDING_H

#include "format/format.h"

#define HYB_STANDING_REGIONS	1024
#define HYB_STANDING_FORM_SHIFT	48
#define HYB_STANDING_SITE_MASK	((UINT64_C(1) << HYB_STANDING_FORM_SHIFT) - 1)
#define HYB_STANDING_AFTER_POLL	2	/* so many words later */
/* At most, the first one included; of requests those that they all have room for. */
#define HYB_STANDING_WORDS	5
#define HYB_STANDING_REQUEST_WORDS 3

enum hyb_standing_form {
	HYB_STAND_CALL = 0,	/* nothing */
	HYB_STAND_SEND,		/* handle of the communicator; bits 63-32 tag, 31-0 destination: its Enter has no SEND */
	HYB_STAND_RECV,		/* the same with the source */
	/* a record as it would be attached to the Leave: COLL or COLL_WIDE; RMA; IO with no more than its file */
	HYB_STAND_RECORD,
	/*
	 * bits 63-32 how many requests the call names, 31-0 how many are listed: those that are known, as far as the
	 * chunk has room. Of each its number; bits 63-32 communicator, window or file (id), 7-0 enum
	 * hyb_request_kind; of messages bits 63-32 tag, 31-0 peer
	 */
	HYB_STAND_REQUESTS,
};

enum hyb_request_kind {
	HYB_REQUEST_NONE = 0,
	HYB_REQUEST_OF_SEND,
	HYB_REQUEST_OF_RECV,
	HYB_REQUEST_OF_SENDRECV,	/* is listed as two, a send and a receive */
	HYB_REQUEST_OF_COLL,
	HYB_REQUEST_OF_RMA,
	HYB_REQUEST_OF_IO,
};

/* There is room for it wherever an Enter's group ends. */
_Static_assert(1 + HYB_STANDING_WORDS <= HYB_CHUNK_SLACK - HYB_GROUP_MAX - 1, "room after an Enter");

#endif
