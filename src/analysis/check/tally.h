/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is counted of a job: messages for each (communicator, source, destination, tag), collective operations of each
 * member of a communicator, what is done with windows. Memory is for distinct keys, not for events. Members are places,
 * as merge/model/comm.h has them; communicators and windows are indexes into the model's tables.
 */
#ifndef HYB_ANALYSIS_CHECK_TALLY_H
#define HYB_ANALYSIS_CHECK_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/containers/table.h"

/* What several threads do is in an order that nobody knows: `shared` is set then. */
struct hyb_channel {
	uint32_t comm;
	uint32_t source;
	uint32_t destination;
	int32_t tag;
	uint64_t sends;	   /* begun */
	uint64_t receives; /* completed */
	uint32_t sender;   /* thread, plus 1 */
	bool shared;	   /* several threads send, or a send was cancelled */
};

#define HYB_SEQUENCE_MARKS 16u

/* The collective operations of one member: so many, and hashes of the first n of them, for some n. */
struct hyb_sequence {
	uint32_t comm;
	uint32_t member;
	uint32_t thread; /* plus 1 */
	bool shared;
	bool stands;	      /* it is in the next one */
	const void *creating; /* in this one, which leaves no record of its own; NULL: in none */
	struct hyb_operation { /* as far as it must be alike in all: the last one, or that which it stands in */
		uint32_t member;
		uint32_t op;	/* enum hyb_coll */
		int32_t root;	/* -1: none, or of an intercommunicator */
		uint64_t bytes; /* of a broadcast, with its blocking forms */
		uint64_t sent;	/* what is told of it, HYB_BYTES_UNKNOWN: nothing */
		uint64_t received;
		bool nonblocking;
	} last_operation;
	uint64_t count;
	uint64_t hash;			    /* of all */
	uint64_t stride;		    /* marks are so far apart */
	uint64_t marks[HYB_SEQUENCE_MARKS]; /* of the first stride, 2 * stride, ... */
	uint64_t last
		[HYB_SEQUENCE_MARKS]; /* of the first n, for the last n, at n % HYB_SEQUENCE_MARKS */
};

/* Fences of one member of a window, and its end. */
struct hyb_fences {
	uint32_t win;
	uint32_t member;
	bool stands; /* it is in the next one */
	uint64_t count;
};

/* Access of one process to the window of another by post, start, complete, wait. */
struct hyb_access {
	uint32_t win;
	uint32_t origin;
	uint32_t target;
	uint64_t posts;
	uint64_t completes;
	uint64_t waits;
};

/* When a process last came back from a function. */
struct hyb_last_call {
	const void *region;
	uint32_t process;
	int64_t time;
};

struct hyb_tally {
	struct hyb_table channels;
	struct hyb_table sequences;
	struct hyb_table fences;
	struct hyb_table accesses;
	struct hyb_table calls;
};

void hyb_tally_init(struct hyb_tally *t);
void hyb_tally_free(struct hyb_tally *t);
/* The entry with the key that is set in `key`, of zeroes otherwise if it is new; NULL without memory. */
struct hyb_channel *hyb_tally_channel(struct hyb_tally *t, const struct hyb_channel *key);
struct hyb_sequence *hyb_tally_sequence(struct hyb_tally *t, uint32_t comm, uint32_t member);
struct hyb_fences *hyb_tally_fences(struct hyb_tally *t, uint32_t win, uint32_t member);
struct hyb_access *hyb_tally_access(struct hyb_tally *t, uint32_t win, uint32_t origin,
				    uint32_t target);
struct hyb_last_call *hyb_tally_call(struct hyb_tally *t, uint32_t process, const void *region);
/* The same, or NULL if there is none. */
const struct hyb_channel *hyb_tally_find_channel(const struct hyb_tally *t,
						 const struct hyb_channel *key);
const struct hyb_sequence *hyb_tally_find_sequence(const struct hyb_tally *t, uint32_t comm,
						   uint32_t member);
const struct hyb_fences *hyb_tally_find_fences(const struct hyb_tally *t, uint32_t win,
					       uint32_t member);
const struct hyb_access *hyb_tally_find_access(const struct hyb_tally *t, uint32_t win,
					       uint32_t origin, uint32_t target);
const struct hyb_last_call *hyb_tally_find_call(const struct hyb_tally *t, uint32_t process,
						const void *region);

/* One more operation, of which `what` is a hash. */
void hyb_sequence_add(struct hyb_sequence *s, uint64_t what);
/*
 * Compares what both have: false if that is alike. Otherwise the first *same are alike, and of the first *other not all
 * are.
 */
bool hyb_sequence_differs(const struct hyb_sequence *a, const struct hyb_sequence *b,
			  uint64_t *same, uint64_t *other);

#endif
