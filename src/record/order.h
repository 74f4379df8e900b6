/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of a run as each thread writes it: format/order.h. A thread has a stream for it from its first entry on,
 * which is never a ring. What is lost makes it useless for a replay: from there on nothing is written, and the header
 * says so.
 */
#ifndef HYB_RECORD_ORDER_H
#define HYB_RECORD_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "format/order.h"
#include "record/stream.h"

/* Of one thread, which alone changes it. */
struct hyb_order {
	struct hyb_thread writer;
	struct hyb_stream stream;
	unsigned int number;	/* 0: the main thread, otherwise as they came to the first call that matters here */
	unsigned int filled;	/* bytes of the word before writer.pos that are entries */
	bool lost;
	uint64_t nos;		/* tests that found nothing since the last entry, which are one */
	int64_t tag;		/* of the last HYB_ORDER_TAGGED, or -1 */
	uint64_t time;		/* of the last HYB_ORDER_TIME, as bits */
	uint64_t posts;		/* receives that were open once */
	bool inside;		/* in a function of Fortran's that may call C's */
	struct {
		uint64_t *numbers;	/* in order, from `first` on */
		uint64_t first;
		uint64_t end;
		uint64_t room;
	} open;
	void *replay;		/* what the thread has come to in a replay; others' */
};

/* The calling thread's, made at its first call; NULL where there is no memory. */
HYB_EXPORT struct hyb_order *hyb_order_mine(void);

/* A receive that names any source or any tag is posted: its number. */
HYB_EXPORT uint64_t hyb_order_post(struct hyb_order *order);
/* It got a message. any_tag: it named none. */
HYB_EXPORT void hyb_order_matched(struct hyb_order *order, uint64_t post, int source, int tag, bool any_tag);
/* It will get none: HYB_ORDER_CANCELLED or HYB_ORDER_GIVEN_UP. */
HYB_EXPORT void hyb_order_ended(struct hyb_order *order, uint64_t post, enum hyb_order_other how);
/* One of the thread `owner` got a message. */
HYB_EXPORT void hyb_order_foreign(struct hyb_order *order, unsigned int owner, uint64_t post, int source, int tag);
/* A test or probe found nothing. */
HYB_EXPORT void hyb_order_no(struct hyb_order *order);
/* Any other outcome of a call: an entry's first number, and further ones, which are above 0. */
HYB_EXPORT void hyb_order_outcome(struct hyb_order *order, enum hyb_order_kind kind, uint64_t detail);
HYB_EXPORT void hyb_order_number(struct hyb_order *order, uint64_t number);

/* The process ends: the calling thread's stream is complete. */
void hyb_orders_end(void);

#endif
