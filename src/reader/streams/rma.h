/* SPDX-License-Identifier: BSD-3-Clause */
/* HYB_RMA records, decoded. */
#ifndef HYB_READER_STREAMS_RMA_H
#define HYB_READER_STREAMS_RMA_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/streams/attached.h"

struct hyb_rma {
	uint32_t what;	   /* enum hyb_rma_what */
	uint32_t win;	   /* the process's own id; HYB_NO_WIN: not known */
	int32_t target;	   /* rank in the window's communicator, -1: all */
	uint32_t flags;	   /* enum hyb_rma_flag */
	uint64_t sent;	   /* bytes, of operations */
	uint64_t received;
	uint64_t id;	   /* of operations and DONE */
	uint64_t group;	   /* of POST, START, COMPLETE, WAIT: the process's own id */
};

static inline bool hyb_rma_is_op(uint32_t what)
{
	return what >= HYB_RMA_PUT && what <= HYB_RMA_COMPARE_AND_SWAP;
}

static inline bool hyb_rma_has_group(uint32_t what)
{
	return what >= HYB_RMA_POST && what <= HYB_RMA_WAIT;
}

/* False for a record of a kind that this version does not know, or that is too short. */
static inline bool hyb_rma_decode(const struct hyb_attached *a, struct hyb_rma *r)
{
	uint32_t what = (a->words[0] >> 32) & 0xff;
	uint32_t need = hyb_rma_is_op(what)				       ? 5
			: hyb_rma_has_group(what) || what == HYB_RMA_DONE ? 3
									  : 2;

	if (what < HYB_RMA_CREATE || what > HYB_RMA_SYNC || a->count < need)
		return false;
	*r = (struct hyb_rma){
		.what = what,
		.target = (int32_t)a->words[0],
		.win = (uint32_t)a->words[1],
		.flags = (uint32_t)(a->words[1] >> 32),
	};
	if (hyb_rma_is_op(what)) {
		r->sent = a->words[2];
		r->received = a->words[3];
		r->id = a->words[4];
	} else if (what == HYB_RMA_DONE) {
		r->id = a->words[2];
	} else if (hyb_rma_has_group(what)) {
		r->group = a->words[2];
	}
	return true;
}

/*
 * The same of one that says what a call waits for: of a group it may say nothing, then that is -1. What has targets has
 * them as the MPI has them.
 */
static inline bool hyb_rma_decode_standing(const struct hyb_attached *a, struct hyb_rma *r)
{
	uint32_t what = (a->words[0] >> 32) & 0xff;

	if (a->count < 2 || what < HYB_RMA_CREATE || what > HYB_RMA_SYNC || hyb_rma_is_op(what))
		return false;
	if (!hyb_rma_has_group(what) || a->count >= 3)
		return hyb_rma_decode(a, r);
	*r = (struct hyb_rma){
		.what = what,
		.target = -1,
		.win = (uint32_t)a->words[1],
		.group = UINT64_MAX,
	};
	return true;
}

#endif
