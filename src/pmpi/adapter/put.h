/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the words of MPI's records are put together: each function takes the place they go to and returns the place after
 * them. They know nothing of handles. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_PUT_H
#define HYB_PMPI_ADAPTER_PUT_H

#include "pmpi/adapter/request-number.h"
#include "core/record/record.h"

/*
 * p, with room for so many words after it. Where the group is full it is published and a new one begun; NULL
 * where there is no space for that: all that was written so far is published.
 */
static inline uint64_t *hyb_put_room(uint64_t *p, uint32_t region, unsigned int words)
{
	if (p + words <= hyb_self.pos + HYB_GROUP_MAX)
		return p;
	hyb_publish(p);
	return hyb_more(region);
}

/*
 * The same with what belongs to a Leave, and with room for an ERROR after it. *ok is false where there is no space for
 * more than the Leave itself.
 */
static inline uint64_t *hyb_put_leave_room(uint64_t *p, uint32_t region, unsigned int words, bool *ok)
{
	if (hyb_likely(p + words < hyb_self.pos + HYB_GROUP_MAX))
		return p;
	return hyb_leave_more(region, p, ok);
}

/* A record of one word: its type, and a number that it is about. */
static inline uint64_t *hyb_put_word(uint64_t *p, enum hyb_record_type type, uint64_t number)
{
	*p = (uint64_t)type << HYB_TYPE_SHIFT | number;
	return p + 1;
}

/* So many bytes as a SEND_SHORT has them, in HYB_TIME_BITS or less, or UINT64_MAX where it cannot. */
static inline uint64_t hyb_put_short_bytes(uint64_t bytes)
{
	if (hyb_likely(bytes < HYB_SHORT_BYTES))
		return bytes;
	for (unsigned int scale = 1; scale < 4; scale++) {
		uint64_t n = bytes >> 3 * scale;

		if (n < HYB_SHORT_BYTES && n << 3 * scale == bytes)
			return (uint64_t)scale << HYB_SHORT_SCALE_SHIFT | n;
	}
	return UINT64_MAX;
}

/*
 * A SEND_SHORT or RECV_SHORT, of a request at that distance or HYB_NEAR_NONE. False where the message does not fit in
 * one.
 */
static inline bool hyb_put_short(uint64_t *p, enum hyb_record_type type, uint64_t near, uint32_t comm, int peer,
				 int tag, uint64_t bytes)
{
	uint64_t size = hyb_put_short_bytes(bytes);

	if (hyb_unlikely(comm / HYB_SHORT_COMMS | (uint32_t)peer / HYB_SHORT_PEERS | (uint32_t)tag / HYB_SHORT_TAGS |
			 size >> HYB_SHORT_TAG_SHIFT))
		return false;
	*p = (uint64_t)type << HYB_TYPE_SHIFT | near << HYB_NEAR_SHIFT | (uint64_t)comm << HYB_SHORT_COMM_SHIFT |
	     (uint64_t)peer << HYB_SHORT_PEER_SHIFT | (uint64_t)tag << HYB_SHORT_TAG_SHIFT | size;
	return true;
}

/* A message with or without a request: HYB_SEND or HYB_RECV. If it is short it tells of a request that is near. */
static inline uint64_t *hyb_put_message_of(uint64_t *p, enum hyb_record_type type, uint64_t near, uint32_t comm,
					   int peer, int tag, uint64_t bytes)
{
	const bool send = type == HYB_SEND;
	const enum hyb_record_type wide = send ? HYB_SEND_WIDE : HYB_RECV_WIDE;

	if (hyb_likely(hyb_put_short(p, send ? HYB_SEND_SHORT : HYB_RECV_SHORT, near, comm, peer, tag, bytes)))
		return p + 1;
	if (hyb_likely(!(comm >> 24) && !(bytes >> 32))) {
		p[0] = (uint64_t)type << HYB_TYPE_SHIFT | (uint64_t)comm << 32 | (uint32_t)peer;
		p[1] = (uint64_t)(uint32_t)tag << 32 | bytes;
		return p + 2;
	}
	p[0] = (uint64_t)wide << HYB_TYPE_SHIFT | (uint32_t)peer;
	p[1] = (uint64_t)comm << 32 | (uint32_t)tag;
	p[2] = bytes;
	return p + 3;
}

static inline uint64_t *hyb_put_message(uint64_t *p, enum hyb_record_type type, uint32_t comm, int peer, int tag,
					uint64_t bytes)
{
	return hyb_put_message_of(p, type, HYB_NEAR_NONE, comm, peer, tag, bytes);
}

/* The message of a request, with its number. */
static inline uint64_t *hyb_put_requested(uint64_t *p, enum hyb_record_type type, uint32_t comm, int peer, int tag,
					  uint64_t bytes, uint64_t id)
{
	uint64_t near = hyb_request_near(id);
	uint64_t *end = hyb_put_message_of(p, type, near, comm, peer, tag, bytes);

	if (hyb_likely(end == p + 1 && near != HYB_NEAR_NONE))
		return end;
	return hyb_put_word(end, HYB_REQUEST, id);
}

/* What is done with a file: the first two of so many words. */
static inline uint64_t *hyb_put_io(uint64_t *p, enum hyb_io_what what, uint32_t flags, uint32_t file, uint64_t words)
{
	p[0] = (uint64_t)HYB_IO << HYB_TYPE_SHIFT | words << HYB_ID_SHIFT | (uint64_t)what << 32 | flags;
	p[1] = file;
	return p + 2;
}

/* A READ or WRITE that was begun is complete: the file's id, the operation's number, the bytes of its status. */
static inline uint64_t *hyb_put_io_done(uint64_t *p, enum hyb_io_what what, uint32_t file, uint64_t id, uint64_t bytes)
{
	p = hyb_put_io(p, HYB_IO_DONE, what, file, 4);
	p[0] = id;
	p[1] = bytes;
	return p + 2;
}

/* It ended with an error. */
#define HYB_PUT_IO_FAILED_WORDS 3
static inline uint64_t *hyb_put_io_failed(uint64_t *p, uint32_t file, uint64_t id)
{
	p = hyb_put_io(p, HYB_IO_FAILED, 0, file, HYB_PUT_IO_FAILED_WORDS);
	*p = id;
	return p + 1;
}

/* One-sided communication: the first two of so many words. target: a rank, or this. */
#define HYB_PUT_RMA_ALL (-1)
static inline uint64_t *hyb_put_rma(uint64_t *p, enum hyb_rma_what what, unsigned int words, int target, uint32_t flags,
				    uint32_t win)
{
	p[0] = (uint64_t)HYB_RMA << HYB_TYPE_SHIFT | (uint64_t)words << HYB_ID_SHIFT | (uint64_t)what << 32 |
	       (uint32_t)target;
	p[1] = (uint64_t)flags << 32 | win;
	return p + 2;
}

/* The request of an operation is complete: the window's id, the operation's number. */
static inline uint64_t *hyb_put_rma_done(uint64_t *p, uint32_t win, uint64_t id)
{
	p = hyb_put_rma(p, HYB_RMA_DONE, 3, HYB_PUT_RMA_ALL, 0, win);
	*p = id;
	return p + 1;
}

#endif
