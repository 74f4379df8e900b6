/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of MPI-IO, decoded. */
#ifndef HYB_READER_STREAMS_IO_H
#define HYB_READER_STREAMS_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/streams/attached.h"

struct hyb_io {
	uint32_t what;	    /* enum hyb_io_what */
	uint32_t flags;	    /* what they are depends on that */
	uint64_t file;	    /* id */
	uint64_t id;	    /* of the operation: READ, WRITE, FLUSH, DONE, FAILED */
	uint64_t requested; /* bytes; of SIZE the size, of VIEW the displacement */
	uint64_t done;	    /* bytes; of VIEW those of an elementary type */
	uint64_t offset;    /* bytes in the view, HYB_IO_NO_OFFSET: not known */
	uint64_t reached;   /* of SEEK: where it led */
};

/* False where it is too short or of a kind that this version does not know. */
static inline bool hyb_io_decode(const struct hyb_attached *a, struct hyb_io *io)
{
	static const uint8_t words[] = {
		[HYB_IO_OPEN] = 2, [HYB_IO_CLOSE] = 2, [HYB_IO_DELETE] = 2, [HYB_IO_SEEK] = 4,
		[HYB_IO_VIEW] = 4, [HYB_IO_SIZE] = 3,  [HYB_IO_READ] = 6,   [HYB_IO_WRITE] = 6,
		[HYB_IO_FLUSH] = 6, [HYB_IO_DONE] = 4, [HYB_IO_FAILED] = 3,
	};
	const uint64_t *w = a->words;
	uint32_t what = w[0] >> 32 & 0xff;

	if (!what || what >= sizeof(words) || a->count < words[what])
		return false;
	*io = (struct hyb_io){
		.what = what,
		.flags = (uint32_t)w[0],
		.file = w[1],
		.offset = HYB_IO_NO_OFFSET,
	};
	switch (what) {
	case HYB_IO_SEEK:
		io->offset = w[2];
		io->reached = w[3];
		break;
	case HYB_IO_VIEW:
		io->requested = w[2];
		io->done = w[3];
		break;
	case HYB_IO_SIZE:
		io->requested = w[2];
		break;
	case HYB_IO_READ:
	case HYB_IO_WRITE:
	case HYB_IO_FLUSH:
		io->id = w[2];
		io->requested = w[3];
		io->done = w[4];
		io->offset = w[5];
		break;
	case HYB_IO_DONE:
		io->id = w[2];
		io->done = w[3];
		break;
	case HYB_IO_FAILED:
		io->id = w[2];
		break;
	}
	return true;
}

/* True where the record only begins an operation, which a DONE or FAILED ends. */
static inline bool hyb_io_begun(const struct hyb_io *io)
{
	return io->flags & (HYB_IO_NONBLOCKING | HYB_IO_SPLIT);
}

#endif
