/* SPDX-License-Identifier: BSD-3-Clause */
/* The records attached to an event, decoded one by one. */
#ifndef HYB_READER_STREAMS_ATTACHED_H
#define HYB_READER_STREAMS_ATTACHED_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "reader/streams/stream.h"

/*
 * One record. The short and wide forms come as the plain ones, and what only says which request a
 * record belongs to (HYB_REQUEST, HYB_REQUEST_DONE) comes with that record. What is complete by one
 * SENT_SHORT comes one by one, and a JOIN that is the end of a team as well as a TEAM_END and a JOIN.
 */
struct hyb_attached {
	uint32_t type;	   /* enum hyb_record_type */
	uint32_t comm;	   /* the process's own id; TEAM_BEGIN: of the team */
	int32_t peer;	   /* rank in comm; for COLL and REQUEST_COLL the root, -1: none; TEAM_BEGIN: its number */
	int32_t tag;
	int32_t error;	   /* for HYB_ERROR */
	uint32_t coll;	   /* for REQUEST_COLL, and COLL that completes a request: enum hyb_coll */
	uint64_t bytes;	   /* sent or received; for COLL sent */
	uint64_t use;	   /* TEAM_BEGIN: which use of the team */
	uint64_t received; /* for COLL */
	uint64_t request;  /* 0: none */
	bool partitioned;  /* SEND, RECV */
	bool unreported;	   /* RECV: MPI did not say what came; bytes are 0, peer and tag may be HYB_ANY */
	const uint64_t *words; /* the record itself */
	uint32_t count;	       /* of words */
};

/* Takes into `a`, a message or operation, the request that the record behind it names. */
static inline uint32_t hyb_attached_request(const struct hyb_event *event, uint32_t at,
					    struct hyb_attached *a)
{
	const uint64_t *w = event->words + at;

	if (at >= event->count)
		return at;
	if (w[0] >> HYB_TYPE_SHIFT == HYB_REQUEST && a->type != HYB_COLL && !a->request) {
		a->request = w[0] & HYB_REQUEST_MASK;
		at++;
		w++;
	}
	if (a->request && a->type != HYB_COLL) {
		a->partitioned = at < event->count && w[0] >> HYB_TYPE_SHIFT == HYB_PARTITIONED;
		return at + a->partitioned;
	}
	if (w[0] >> HYB_TYPE_SHIFT == HYB_REQUEST_DONE && a->type == HYB_COLL) {
		a->coll = (uint32_t)w[0];
		a->request = w[1];
		return at + 2;
	}
	return at;
}

/* Whether its words say all there is: see format.h; rma.h and io.h decode theirs. */
static inline bool hyb_attached_says_all(uint32_t type)
{
	switch (type) {
	case HYB_FORK:
	case HYB_JOIN:
	case HYB_TEAM_END:
	case HYB_TASK_CREATE:
	case HYB_TASK_SWITCH:
	case HYB_TASK_COMPLETE:
	case HYB_TASK_FULFIL:
	case HYB_TASK_DEPEND:
	case HYB_LOCK_ACQUIRED:
	case HYB_LOCK_RELEASED:
	case HYB_COUNT:
	case HYB_CHUNK:
	case HYB_CANCEL:
	case HYB_LATE:
	case HYB_DEVICE:
	case HYB_DATA_OP:
	case HYB_DEPENDENCE:
	case HYB_MESSAGE:
	case HYB_RMA:
	case HYB_IO:
	case HYB_ABANDONED:
	case HYB_STACK:
	case HYB_STACK_COPY:
	case HYB_BEGAN:
	case HYB_SITE:
	case HYB_PARAMETER:
		return true;
	}
	return false;
}

/* The request at that distance from the first ones of the event's chunk. */
static inline uint64_t hyb_attached_near(const struct hyb_event *event, uint64_t distance)
{
	return (event->requests + distance - HYB_NEAR_BEFORE) & HYB_REQUEST_MASK;
}

/* A message in one word; see format.h. */
static inline void hyb_attached_short(const struct hyb_event *event, struct hyb_attached *a)
{
	const uint64_t w = a->words[0];
	uint64_t near = w >> HYB_NEAR_SHIFT & HYB_NEAR_NONE;

	a->type = a->type == HYB_SEND_SHORT ? HYB_SEND : HYB_RECV;
	a->comm = w >> HYB_SHORT_COMM_SHIFT & (HYB_SHORT_COMMS - 1);
	a->peer = w >> HYB_SHORT_PEER_SHIFT & (HYB_SHORT_PEERS - 1);
	a->tag = w >> HYB_SHORT_TAG_SHIFT & (HYB_SHORT_TAGS - 1);
	a->bytes = (w & (HYB_SHORT_BYTES - 1)) << 3 * (w >> HYB_SHORT_SCALE_SHIFT & 3);
	a->request = near == HYB_NEAR_NONE ? 0 : hyb_attached_near(event, near);
}

/*
 * *pos is where a record ends, and above this bit which one of those that it stands for comes next, 0: the next record.
 */
#define HYB_ATTACHED_NTH_SHIFT 30

/* One of a SENT_SHORT; where there is another one, its number goes into *pos. False if there is none. */

static inline bool hyb_attached_sent(const struct hyb_event *event, uint32_t *pos, struct hyb_attached *a)
{
	uint32_t nth = *pos >> HYB_ATTACHED_NTH_SHIFT;
	uint64_t left = (a->words[0] & (((uint64_t)1 << HYB_SHORT_SENTS * HYB_SHORT_SENT_SHIFT) - 1)) >>
			nth * HYB_SHORT_SENT_SHIFT;

	a->type = HYB_REQUEST_SENT;
	*pos &= ((uint32_t)1 << HYB_ATTACHED_NTH_SHIFT) - 1;
	if (left >> HYB_SHORT_SENT_SHIFT)
		*pos |= (nth + 1) << HYB_ATTACHED_NTH_SHIFT;
	left &= ((uint64_t)1 << HYB_SHORT_SENT_SHIFT) - 1;
	a->request = left ? hyb_attached_near(event, left - 1) : 0;
	return left != 0;
}

/* Decodes what a->words hold. False where the type is not known. */
static inline bool hyb_attached_decode(struct hyb_attached *a)
{
	const uint64_t *w = a->words;

	switch (a->type) {
	case HYB_SEND:
	case HYB_RECV:
		a->tag = (int32_t)(w[1] >> 32);
		a->bytes = (uint32_t)w[1];
		return true;
	case HYB_COLL:
		a->bytes = w[1] >> 32;
		a->received = (uint32_t)w[1];
		return true;
	case HYB_SEND_WIDE:
	case HYB_RECV_WIDE:
		a->type = a->type == HYB_SEND_WIDE ? HYB_SEND : HYB_RECV;
		a->comm = (uint32_t)(w[1] >> 32);
		a->tag = (int32_t)w[1];
		a->unreported = a->type == HYB_RECV && w[2] == HYB_BYTES_UNKNOWN;
		a->bytes = a->unreported ? 0 : w[2];
		return true;
	case HYB_COLL_WIDE:
		a->type = HYB_COLL;
		a->bytes = w[1];
		a->received = w[2];
		return true;
	case HYB_REQUEST_COLL:
		a->coll = (uint32_t)w[0] & HYB_COLL_MASK;
		a->peer = (int32_t)((uint32_t)w[0] >> HYB_COLL_ROOT_SHIFT) - HYB_COLL_ROOT_BIAS;
		a->request = w[1];
		return true;
	case HYB_SEND_CANCELLED:
		a->comm = (uint32_t)(w[1] >> 32);
		a->tag = (int32_t)w[1];
		a->request = w[2];
		return true;
	case HYB_REQUEST_RECV:
	case HYB_REQUEST_SENT:
	case HYB_REQUEST_TESTED:
	case HYB_REQUEST_CANCELLED:
		a->request = w[0] & HYB_REQUEST_MASK;
		return true;
	case HYB_ERROR:
		a->error = (int32_t)w[0];
		return true;
	case HYB_TEAM_BEGIN:
		a->use = w[1];
		return true;
	case HYB_TEAM_BEGIN_SHORT:
		a->type = HYB_TEAM_BEGIN;
		a->comm = w[0] >> HYB_SHORT_TEAM_SHIFT & (HYB_SHORT_TEAMS - 1);
		a->peer = w[0] >> HYB_SHORT_MEMBER_SHIFT & (HYB_SHORT_MEMBERS - 1);
		a->use = (uint32_t)w[0];
		return true;
	}
	return hyb_attached_says_all(a->type);
}

/*
 * Steps through the attached records of an event: *pos is 0 at first, and then only this function
 * knows what it means. False at the end. Types it does not know are stepped over. For example:
 *
 *	for (uint32_t pos = 0; hyb_attached_next(&event, &pos, &a);)
 *		if (a.type == HYB_SEND)
 *			...
 */
static inline bool hyb_attached_next(const struct hyb_event *event, uint32_t *pos,
				     struct hyb_attached *a)
{
	uint32_t at = *pos ? *pos : event->head;

	if (__builtin_expect(at >> HYB_ATTACHED_NTH_SHIFT, 0)) {
		at &= ((uint32_t)1 << HYB_ATTACHED_NTH_SHIFT) - 1;
		*a = (struct hyb_attached){ .words = event->words + at - 1, .count = 1 };
		if (a->words[0] >> HYB_TYPE_SHIFT == HYB_JOIN) {
			a->type = HYB_JOIN;
			*pos = at;
			return true;
		}
		if (hyb_attached_sent(event, pos, a))
			return true;
		at = *pos & (((uint32_t)1 << HYB_ATTACHED_NTH_SHIFT) - 1);
	}
	while (at < event->count) {
		const uint64_t *w = event->words + at;
		uint32_t words = hyb_record_words(w[0]);

		at += words;
		*pos = at;
		*a = (struct hyb_attached){
			.type = (uint32_t)(w[0] >> HYB_TYPE_SHIFT),
			.comm = (w[0] >> 32) & 0xffffff,
			.peer = (int32_t)w[0],
			.words = w,
			.count = words,
		};
		if (a->type == HYB_SENT_SHORT) {
			if (hyb_attached_sent(event, pos, a))
				return true;
			continue;
		}
		if (a->type == HYB_JOIN && w[0] & HYB_JOIN_TEAM) {
			a->type = HYB_TEAM_END;
			*pos |= (uint32_t)1 << HYB_ATTACHED_NTH_SHIFT;
			return true;
		}
		if (a->type == HYB_SEND_SHORT || a->type == HYB_RECV_SHORT)
			hyb_attached_short(event, a);
		else if (!hyb_attached_decode(a))
			continue;
		if (a->type == HYB_SEND || a->type == HYB_RECV || a->type == HYB_COLL)
			*pos = hyb_attached_request(event, at, a);
		return true;
	}
	return false;
}

#endif
