/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which messages and collective operations have all their halves in the streams. A reader that
 * replays a trace hangs on a half without its other half, so the merge counts first and writes only
 * what is whole.
 *
 * Messages are counted per (communicator, source, destination), with a sum over the hashes of their
 * tags. Where sends and receives agree in both, all of them match, whatever their tags. Only pairs
 * that do not agree are counted again per tag, so memory goes with the pairs and not with the
 * messages.
 *
 * Where a stream has gaps, what comes before the first one is counted from the beginning, what
 * comes after the last one is counted from the end, if both sides came to their ends in good order,
 * and the rest is left out: nobody knows what belongs to what there. Where recording was paused, a
 * program has most often done so in all members at the same place, and nothing is missing. So pauses
 * count as gaps only where numbers differ, those of pauses as well as those of messages or operations.
 */
#ifndef HYB_MERGE_MPI_MATCH_H
#define HYB_MERGE_MPI_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/containers/table.h"
#include "merge/mpi/unreported.h"

enum hyb_half { HYB_HALF_SEND = 0, HYB_HALF_RECV = 1 };

/* Set in the communicator of partitioned messages: MPI never matches them with others. */
#define HYB_MATCH_PARTITIONED (UINT32_C(1) << 31)

struct hyb_message { /* members as in comm.h; comm is an index of struct hyb_comms */
	uint32_t comm;
	uint32_t source;
	uint32_t destination;
	uint32_t tag;
};

/* How often a member's streams were interrupted before a record. */
struct hyb_cuts {
	uint32_t gaps;
	uint32_t pauses; /* recording was switched off */
};

struct hyb_match_span {
	uint64_t early; /* before the first interruption */
	uint64_t late;	/* after interruption number `cut` */
	uint32_t cut;
};

struct hyb_tally { /* of one half, or of one member's operations */
	uint64_t count;
	struct hyb_match_span gaps;
	struct hyb_match_span cuts; /* by gaps and pauses */
	uint64_t seen; /* while writing */
};

struct hyb_pair { /* of one tag, or of all tags with tag 0 */
	struct hyb_message key;
	struct hyb_tally half[2]; /* by enum hyb_half */
	uint64_t tags[2];	  /* sums of hashes */
	uint64_t first;		  /* so many are whole from the beginning on */
	uint64_t last;		  /* and so many at the end */
	bool uneven;
	bool unreported; /* of some receives MPI did not tell the bytes: see unreported.h */
};

struct hyb_part { /* collective operations of one member */
	uint32_t comm;
	uint32_t member;
	struct hyb_tally calls;
	uint64_t first;
	uint64_t last;
};

struct hyb_match {
	struct hyb_table pairs; /* struct hyb_pair, all tags together */
	struct hyb_table tags;	/* struct hyb_pair, those of uneven pairs */
	struct hyb_table parts; /* struct hyb_part */
	bool uneven;		/* some message or operation is not whole */
	struct hyb_unreported unreported;
};

/* What deciding takes from outside, all by arg. */
struct hyb_match_facts {
	uint32_t (*gaps)(const void *arg, uint32_t member); /* how many its streams have */
	bool (*ended)(const void *arg, uint32_t member);    /* in good order */
	uint64_t (*size)(const void *arg, uint32_t comm);   /* members */
	uint32_t (*pauses)(const void *arg, uint32_t member);
	const void *arg;
};

void hyb_match_init(struct hyb_match *m);
/* All but `unreported`. */
void hyb_match_free(struct hyb_match *m);

/* First reading; `cuts` came before in the member's streams. 0 or -ENOMEM. */
int hyb_match_message(struct hyb_match *m, enum hyb_half half, const struct hyb_message *key,
		      struct hyb_cuts cuts);
/* A message counted before was none. 0 or -ENOMEM. */
int hyb_match_take_back(struct hyb_match *m, enum hyb_half half, const struct hyb_message *key);
int hyb_match_collective(struct hyb_match *m, uint32_t comm, uint32_t member, struct hyb_cuts cuts);
/*
 * First reading: a receive of which MPI told nothing; one that named its source and tag is counted as a message, too,
 * of another the key has HYB_UNREPORTED_ANY as its source. 0 or -ENOMEM.
 */
int hyb_match_unreported(struct hyb_match *m, const struct hyb_message *key);
/* Whether a message is of a pair that has such receives, or may be one. */
bool hyb_match_is_unreported(const struct hyb_match *m, const struct hyb_message *key);
/* Another message was received, as a reader found out after the second reading. 0 or -ENOMEM. */
int hyb_match_place(struct hyb_match *m, const struct hyb_message *key, uint64_t count);
/* Which of a tag's messages are written: so many from the first on, and so many at the end. */
void hyb_match_written(const struct hyb_match *m, const struct hyb_message *key, uint64_t *first, uint64_t *last);
/* Adds the counts of another table to m. 0 or -ENOMEM. */
int hyb_match_merge(struct hyb_match *m, const struct hyb_match *other);
/*
 * Marks the uneven pairs, those of members with gaps too, or all pairs where `all`; true if a second
 * reading has something to find out.
 */
bool hyb_match_judge(struct hyb_match *m, const struct hyb_match_facts *facts, bool all);

/* Second reading, if there are uneven or unreported pairs; `pairs` is the judged table. 0 or -ENOMEM. */
int hyb_match_tag(struct hyb_match *m, const struct hyb_match *pairs, enum hyb_half half,
		  const struct hyb_message *key, struct hyb_cuts cuts);
int hyb_match_merge_tags(struct hyb_match *m, const struct hyb_match *other);

/* Decides what is written. 0 or -ENOMEM. */
int hyb_match_settle(struct hyb_match *m, const struct hyb_match_facts *facts);

/*
 * While writing: true if this half is one of the whole ones. Threads may call these at the same
 * time as long as each member's halves are asked for by one thread.
 */
bool hyb_match_keep_message(const struct hyb_match *m, enum hyb_half half,
			    const struct hyb_message *key);
bool hyb_match_keep_collective(const struct hyb_match *m, uint32_t comm, uint32_t member);

/* What was asked for so far is asked for once more. */
void hyb_match_rewind(struct hyb_match *m);

struct hyb_match_sums {
	uint64_t sends;
	uint64_t receives;
	uint64_t matched;     /* messages of which both halves are there */
	uint64_t collectives; /* calls */
	uint64_t whole;	      /* calls that all members have */
};

void hyb_match_sum(const struct hyb_match *m, struct hyb_match_sums *sums);

#endif
