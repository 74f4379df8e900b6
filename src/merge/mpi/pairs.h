/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which send belongs to which receive, and which calls are one collective operation, with the times of the others. MPI
 * does not overtake: on one communicator, from one rank to another with one tag, the n-th send meets the n-th receive,
 * in the order in which they were begun; the n-th operation of each member is one. For sinks that want to know
 * (HYB_NEED_PAIRS): a reading of its own adds all halves to a file; sorted by what may be paired they are numbered, and
 * sorted by track they are read when the track is told. Memory does not grow with their number.
 */
#ifndef HYB_MERGE_MPI_PAIRS_H
#define HYB_MERGE_MPI_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/containers/sort.h"

enum hyb_pair_kind { HYB_PAIR_SEND, HYB_PAIR_RECEIVE, HYB_PAIR_CALL, HYB_PAIR_KINDS };

/* A send, a receive, or a member's call of a collective operation. */
struct hyb_pair_half {
	uint32_t comm; /* index, with HYB_MATCH_PARTITIONED */
	uint32_t source; /* places in the model; of a collective operation both are the member */
	uint32_t destination;
	uint32_t tag;
	int64_t begin; /* ns: when it was begun */
	int64_t end;   /* and when its event is */
	uint64_t index; /* of its event among those of its track that may be paired */
	uint32_t track;
	uint32_t flow; /* of a call, or-ed: enum hyb_pair_flow */
};

enum hyb_pair_flow {
	HYB_PAIR_GIVES = 1, /* what others need for their ends */
	HYB_PAIR_TAKES = 2, /* it ends when it has what all others give */
	HYB_PAIR_COMES = 4, /* it may wait for all others that have come before it ends, and they for it */
};

/* What is known of one when its track is told. */
struct hyb_pair_found {
	uint64_t number; /* of the whole, from 1 */
	int64_t begin;	 /* ns, of the other half; of a collective operation when the first member came */
	int64_t end;	 /* and when the last one came, */
	int64_t last_end; /* and when it was complete in the last one */
	int64_t given;	 /* when the last of those came whose data this call takes; INT64_MIN: it waits for nobody */
	uint64_t index;
	uint32_t track;
	uint32_t other; /* track of the other half, or of who came at `given`; UINT32_MAX: of nobody */
};

struct hyb_pairs { /* all zero: not wanted */
	struct hyb_sort halves[HYB_PAIR_KINDS];
	struct hyb_sort operations; /* calls, numbered and sorted by operation */
	struct hyb_sort found;
	uint64_t *first; /* by track: the first of its records in the file */
	size_t track_count;
	int fd;
	bool begun;
};

/* `dir` is for files, which have no names. 0 or -errno; after either, hyb_pairs_free. */
int hyb_pairs_begin(struct hyb_pairs *p, const char *dir, size_t track_count);
void hyb_pairs_free(struct hyb_pairs *p);
/* For several threads at once. 0 or -errno. */
int hyb_pairs_add(struct hyb_pairs *p, enum hyb_pair_kind kind, const struct hyb_pair_half *halves, size_t count);
/* When all are added. 0 or -errno. */
int hyb_pairs_sort(struct hyb_pairs *p, const char *dir);

/* What hyb_pairs_each calls; 0 or -errno, which ends it. */
struct hyb_pair_visitor {
	int (*message)(void *arg, const struct hyb_pair_half *send, const struct hyb_pair_half *receive);
	int (*operation)(void *arg, const struct hyb_pair_half *calls, size_t count);
	void *arg;
};

/* Goes through all messages and operations, any number of times. 0 or -errno. */
int hyb_pairs_each(struct hyb_pairs *p, const struct hyb_pair_visitor *v);

struct hyb_pairs_facts {
	/* How many members the communicator with an index has; operations that some of them lack get no number. */
	uint64_t (*size)(const void *arg, uint32_t comm);
	/* Of a track's time, as it was added, the final one. */
	int64_t (*time)(const void *arg, uint32_t track, int64_t time);
	const void *arg;
};

/* Puts down what each track needs to know. 0 or -errno. */
int hyb_pairs_join(struct hyb_pairs *p, const char *dir, const struct hyb_pairs_facts *facts);

/* One track's, in the order of its events; tracks may be read at the same time. */
struct hyb_pair_reader {
	const struct hyb_pairs *pairs;
	uint64_t next; /* record in the file */
	uint64_t end;
	struct hyb_pair_found block[256];
	size_t at;
	size_t count;
};

void hyb_pairs_read(const struct hyb_pairs *p, size_t track, struct hyb_pair_reader *r);
/* What belongs to the event with that index, each larger than the one before; NULL: it has no other half. */
const struct hyb_pair_found *hyb_pairs_next(struct hyb_pair_reader *r, uint64_t index);

#endif
