/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Races of messages: which other message could a receive have got that names any source? One is counted if the receive's
 * end does not come before its send, what the receive's process received before it stays as it was, and messages do not
 * overtake each other. What comes before what is known by vector clocks, of messages and collective operations.
 *
 * A recording has that with its order (HYBMON_ORDER=yes), since only that says what a receive named.
 */
#ifndef HYB_ANALYSIS_RACES_RACES_H
#define HYB_ANALYSIS_RACES_RACES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reader/containers/table.h"
#include "format/order.h"
#include "merge/merge.h"

#define HYB_RACES_UNKNOWN UINT64_MAX

enum hyb_race_what {
	HYB_RACE_SEND,
	HYB_RACE_RECEIVE,    /* it is complete */
	HYB_RACE_JOIN_BEGIN, /* of a collective operation */
	HYB_RACE_JOIN_END,
};

/* What a thread did that others take part in. */
struct hyb_race_item {
	uint8_t what;	 /* enum hyb_race_what */
	bool gives;	 /* JOIN_BEGIN: others wait for it */
	bool takes;	 /* JOIN_END: it waited for those */
	bool any_source; /* RECEIVE: it names none */
	bool any_tag;
	uint32_t comm;	 /* id */
	uint32_t peer;	 /* rank in it */
	uint32_t tag;
	uint32_t other;	 /* SEND, RECEIVE: the other half's track */
	uint32_t region; /* index into the sites: which call, and where; of a receive where it was posted */
	int64_t time;	 /* ns, of the merge */
	uint64_t number; /* of the message or operation; 0: not known */
	uint64_t posted; /* RECEIVE: how many receives its thread had posted before */
	uint64_t open;	 /* its number among those that name any source or tag, as in format/order.h, or HYB_RACES_UNKNOWN */
	uint64_t knows;	 /* SEND: how many items of `other` come before it */
	/*
	 * RECEIVE: before that item of its thread it had its message. It may be another one's end: a receive that was posted
	 * later and got a message that this one could have got shows that this one had its own.
	 */
	uint64_t matched;
};

struct hyb_race_track {
	size_t process;
	struct hyb_race_item *items;
	size_t count;
	size_t room;
};

/* A function of MPI and where it is called. */
struct hyb_race_site {
	const char *function;
	uint32_t text; /* number of a text of the model, UINT32_MAX: not known */
	uint64_t receives; /* that name any source */
	uint64_t raced;	   /* of these: could have got another message */
	uint64_t others;   /* how many, all together */
	uint64_t compared; /* receives that name any source or tag, and got something in another recording, too */
	uint64_t changed;  /* of these: got another message there */
};

/* Messages from one place that receives of another could have got, and did not. */
struct hyb_race_pair {
	uint32_t receive; /* indexes of sites */
	uint32_t send;
	uint64_t count;
};

/* One receive and a message it could have got. */
struct hyb_race {
	size_t track;
	size_t receive; /* index into the track's items */
	size_t sender;	/* the same of the other message */
	size_t send;
	uint32_t source; /* its rank in the communicator */
};

/* A receive that names any source or tag, and got another message in another recording. */
struct hyb_race_change {
	uint32_t rank;
	size_t track;	 /* SIZE_MAX: it has no events */
	size_t item;	 /* index into the track's items; SIZE_MAX: it is not known which call it was */
	uint64_t number; /* as struct hyb_race_item's open */
	struct hyb_replay_match got; /* tag: -1, it is not known */
	struct hyb_replay_match there;
	bool first;	 /* of its rank */
	bool before_all; /* and no change of another rank comes before it */
};

/* Another recording of the same program: receives are the same by rank and number. */
struct hyb_race_other {
	const char *path; /* NULL: there is none */
	struct hyb_race_change *changes; /* by rank and number */
	size_t count;
	size_t room;
	uint64_t absent;   /* ranks that one of both has no process of */
	uint64_t compared; /* receives that got something in both */
	uint64_t alone;	   /* got a message in one of them only, since the other ended before, or made fewer receives */
	uint64_t parted;   /* ranks that post other receives after some, so that those are not compared */
	uint64_t unknown;  /* changes of which it is not known which call it was */
};

struct hyb_races {
	struct hyb_merge merge;
	struct hyb_race_track *tracks;
	size_t track_count;
	struct hyb_table sites; /* struct hyb_race_site */
	struct hyb_table pairs; /* struct hyb_race_pair */
	struct hyb_race *list;
	size_t count;
	size_t room;
	uint64_t receives; /* that name any source */
	uint64_t raced;
	size_t paused;	/* threads in which recording was paused */
	size_t unknown; /* processes of which it is not known what receives named */
	struct hyb_race_other other;
};

static inline const struct hyb_model_process *hyb_races_process(const struct hyb_races *r, size_t track)
{
	return &r->merge.model.processes[r->tracks[track].process];
}

/* Its rank, of a job with ranks. */
static inline uint32_t hyb_races_rank(const struct hyb_races *r, size_t track)
{
	return hyb_races_process(r, track)->group;
}

struct hyb_races_options {
	const char *dir; /* the experiment */
	const char *place; /* a directory for what waits on disk */
	const struct hyb_diag *diag;
	const volatile sig_atomic_t *stop;
};

/* 0 or -errno, which is reported but for -ENOMEM. After either, hyb_races_free. */
int hyb_races_find(struct hyb_races *r, const struct hyb_races_options *options);
void hyb_races_free(struct hyb_races *r);
/*
 * Compares what is found with another recording, of which the order is enough; `dir` is kept in r->other.path, and must
 * outlive it. 0; -EINVAL: it has another number of ranks, or no order; other -errno. Reported but for -ENOMEM.
 */
int hyb_races_compare(struct hyb_races *r, const char *dir, const struct hyb_diag *diag);
/* Whether the order is the same in the other recording: each receive of each rank is in both, and got the same. */
static inline bool hyb_races_same_order(const struct hyb_races *r)
{
	return !r->other.count && !r->other.alone && !r->other.parted && !r->other.absent;
}
/* all: each receive, too. 0 or -errno. */
int hyb_races_print(const struct hyb_races *r, bool all, FILE *to);

/*
 * For hybmon replay --flip=RANK.NUMBER=SOURCE: "flip RANK NUMBER SOURCE TAG", the source as a rank in the communicator,
 * then for each rank "keep RANK COUNT", how many of its receives that name any source or tag had got a message before.
 * source: as a rank in MPI_COMM_WORLD. 0; -ENOENT: it could not have got that, which is said on stderr; other -errno.
 */
int hyb_races_flip(struct hyb_races *r, uint64_t rank, uint64_t number, uint64_t source, FILE *to);

/*
 * What came before the end of one receive: *items of each track's items (of r->track_count). 0 or -ENOMEM.
 * clocks.c; with `receive` SIZE_MAX it fills in `knows` of all sends instead.
 */
int hyb_races_clocks(struct hyb_races *r, size_t track, size_t receive, uint32_t *items);

/*
 * clocks.c: of each track one item, or SIZE_MAX. first[track]: none of the others' comes before it. 0 or -ENOMEM.
 */
int hyb_races_first(struct hyb_races *r, const size_t *items, bool *first);

/* text-other.c: how it compares; each receive that changed. Nothing without another recording. 0 or -errno. */
int hyb_races_print_other(const struct hyb_races *r, bool all, FILE *to);
void hyb_races_print_changes(const struct hyb_races *r, FILE *to);
/* text.c: what to call a site's place. */
const char *hyb_races_place(const struct hyb_races *r, const struct hyb_race_site *site);

/* collect.c: reads all of it into r->tracks. 0 or -errno. */
int hyb_races_collect(struct hyb_races *r, const struct hyb_races_options *options);

#endif
