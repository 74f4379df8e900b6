/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the order streams of a run (format/order.h) to the file that its processes follow when it is replayed: what each
 * receive got, by when it was posted, and what calls told, one after the other. Whether a recording can be replayed at
 * all is decided here.
 */
#ifndef HYB_ANALYSIS_REPLAY_REPLAY_H
#define HYB_ANALYSIS_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "format/order.h"
#include "reader/streams/reader.h"

struct hyb_replay_summary {
	uint64_t ranks;
	uint64_t crowded;	/* ranks of which several threads have an order, and that among them is not known */
	uint64_t turns;		/* of threads, where several called MPI at once */
	uint64_t receives;	/* that got a message of those that name any source or tag */
	uint64_t open;		/* and none, when the recording ended */
	uint64_t outcomes;	/* of tests, probes, waits for one of several */
	uint64_t bytes;		/* of the order streams' entries */
};

/* A receive of a rank's main thread that is to get another message. Of others only what came before it is followed. */
struct hyb_replay_flip {
	uint64_t rank;
	uint64_t number;
	struct hyb_replay_match match;
	uint64_t *keep;	/* by rank: how many of its receives from anyone had got a message before */
	size_t ranks;
};

/*
 * Writes `file`, which must not be there, of an experiment. 0; -EINVAL: it cannot be replayed; other -errno. Each is
 * reported in one line, and no file is left. flip: NULL, the run is to be the same.
 */
int hyb_replay_prepare(const struct hyb_experiment *experiment, const char *file, const struct hyb_replay_flip *flip,
		       const struct hyb_diag *diag, struct hyb_replay_summary *summary);

/* One thread's order, as it is read entry by entry. Zeroed at first. */
struct hyb_replay_order {
	struct hyb_replay_match *matches;	/* by number of the receive */
	size_t match_count;
	size_t match_room;
	uint64_t settled;	/* receives that are not open any more */
	unsigned char *outcomes;
	size_t outcome_bytes;
	size_t outcome_room;
	uint64_t outcome_count;
	uint64_t nos;		/* tests that found nothing */
	unsigned char *calls;
	size_t call_bytes;
	size_t call_room;
	unsigned char *tries;	/* tests of OpenMP's locks */
	size_t try_bytes;
	size_t try_room;
	uint64_t identity;	/* of a thread but the main one; 0: not known */
	uint64_t *turns;	/* at which turns of the process its own begin */
	size_t turn_count;
	size_t turn_room;
	uint64_t turns_all;	/* of the process, + 1, if this thread says it; otherwise 0 */
	uint64_t *open;		/* numbers of receives that were passed over, in order; those from match_count on are, too */
	size_t open_first;	/* where they begin in it */
	size_t open_count;
	size_t open_room;
	int32_t tag;
	/* Where a flip ends it: after so many matches, or the match of the flipped receive. */
	bool cuts;
	bool is_cut;
	uint64_t keep;
	uint64_t matched;
	const struct hyb_replay_flip *flip; /* NULL: it is another thread's */
	/* The entry that is being read. */
	uint64_t numbers[8];
	unsigned int number_count;
	uint64_t left;		/* further numbers of a SOME */
	uint64_t call_left;	/* the same of a CALL */
	size_t begun_at;	/* bytes of outcomes or calls before it */
	uint64_t number;
	unsigned int shift;
	/* Matches of other threads' receives. */
	struct hyb_replay_foreign {
		uint32_t thread;
		uint64_t number;
		struct hyb_replay_match match;
	} *foreign;
	size_t foreign_count;
	size_t foreign_room;
};

/* The turns of all threads of a process. Zeroed at first. */
struct hyb_replay_turns {
	struct hyb_replay_turn *items;
	size_t count;
	size_t room;
	uint64_t all;
	bool openmp; /* OpenMP's constructs took some */
	bool clocks; /* what the main thread read of clocks is among its outcomes */
};

/* Those of one thread. 0 or -ENOMEM. */
int hyb_replay_turns_add(struct hyb_replay_turns *turns, uint32_t thread, const struct hyb_replay_order *order);
/* All are there: in order. 0, or -EINVAL: they are not what one process can have. */
int hyb_replay_turns_settle(struct hyb_replay_turns *turns);

/* Of a process, the order of its main thread. 0, -ENODATA: it has none, or -errno, which is reported. */
int hyb_replay_read_main(const struct hyb_process *process, const struct hyb_diag *diag, struct hyb_replay_order *order);

/* All calls of a thread that communicate, one after the other: those that are written down, and those expected. */
struct hyb_replay_call {
	uint64_t function;
	unsigned int count; /* of its values: as src/pmpi/table/gen-calls.awk has them */
	int64_t values[HYB_ORDER_VALUES];
};

enum hyb_replay_named { HYB_REPLAY_ANY = -1, HYB_REPLAY_NOBODY = -2 }; /* instead of a rank or a tag */

enum hyb_replay_posts {
	HYB_REPLAY_POSTS_NONE,
	HYB_REPLAY_POSTS_NOW,	/* it posts a receive */
	HYB_REPLAY_POSTS_LATER,	/* it makes a persistent one */
};

/* Whether a call posts a receive, what that names, and which function it is. */
enum hyb_replay_posts hyb_replay_call_posts(const struct hyb_replay_call *call, int64_t *source, int64_t *tag,
					    const char **function);

struct hyb_replay_calls;

/* NULL: there is no memory. `order` must outlive it. */
struct hyb_replay_calls *hyb_replay_calls_open(const struct hyb_replay_order *order);
/* 1: the next call; 0: there are no more, or it is not known; -EINVAL: it makes no sense; -ENOMEM. */
int hyb_replay_calls_next(struct hyb_replay_calls *calls, struct hyb_replay_call *call);
void hyb_replay_calls_close(struct hyb_replay_calls *calls);

/* The next byte of an order stream that is not 0. 0, -EINVAL: it makes no sense, or -ENOMEM. */
int hyb_replay_order_byte(struct hyb_replay_order *order, unsigned char byte);
/*
 * After the last byte: one of its receives got a message, if it is open; and an outcome of a call, as format/order.h has it,
 * further numbers as they are. 0, -EINVAL or -ENOMEM.
 */
int hyb_replay_order_matched(struct hyb_replay_order *order, uint64_t number, int32_t source, int32_t tag);
int hyb_replay_order_told(struct hyb_replay_order *order, const uint64_t *numbers, unsigned int count);
/* After the last byte: a part of an entry that may be there does not count, since the thread was killed in it. */
void hyb_replay_order_end(struct hyb_replay_order *order);
/*
 * After that: tests that found nothing since the last entry, and what MPI had put into the stream of a call that did not come
 * back. A stream that has nothing of that, or what makes no sense, has no such call. 0, -ENOMEM or what reading said.
 */
int hyb_replay_order_pending(struct hyb_replay_order *order, const char *path, uid_t owner);
/* A match of one of its receives. 0, -EINVAL or -ENOMEM. */
int hyb_replay_order_match(struct hyb_replay_order *order, uint64_t number, const struct hyb_replay_match *match);
void hyb_replay_order_free(struct hyb_replay_order *order);

#endif
