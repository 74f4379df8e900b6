/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an experiment shows of its job, after its end or while it hangs: whether the recording is sound, where each
 * thread stands and what it waits for, who of them can never go on, and in what members of a communicator differ. The
 * streams are read once (read.c); what they say is judged (waits.c, find.c, differ.c), and told (say.c, print.c).
 */
#ifndef HYB_ANALYSIS_CHECK_CHECK_H
#define HYB_ANALYSIS_CHECK_CHECK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/check/graph.h"
#include "analysis/check/tally.h"
#include "merge/model/model.h"

struct hyb_check_options {
	const char *const *dirs; /* the experiments */
	size_t dir_count;
	uint64_t buffered; /* standard sends of so many bytes may come back without their receiver */
	bool all;	   /* long lists are printed whole */
	const struct hyb_diag *diag;
	const volatile sig_atomic_t *stop; /* gives up when it is not 0 */
};

#define HYB_CHECK_ANY UINT32_MAX /* place: of anybody */

enum hyb_need_kind {
	HYB_NEED_UNKNOWN,  /* nobody can say of what */
	HYB_NEED_SEND,	   /* that a message is received: `peer` its destination */
	HYB_NEED_RECV,	   /* a message: `peer` its source */
	HYB_NEED_COLL,	   /* the other members in a collective operation */
	HYB_NEED_CREATE,   /* the same of one that leaves no record of its own, of all in comm */
	HYB_NEED_FINALIZE, /* all ranks in MPI_Finalize */
	HYB_NEED_FENCE,	   /* all of the window in a fence, or in its end */
	HYB_NEED_LOCK,	   /* that others give up the window of `peer` */
	HYB_NEED_POST,	   /* posts from the group */
	HYB_NEED_COMPLETE, /* MPI_Win_complete from the group */
};

/* One thing that a thread waits for. */
struct hyb_need {
	enum hyb_need_kind kind;
	uint32_t comm;	/* index; of one-sided communication the window's; HYB_COMM_NONE: not known */
	uint32_t peer;	/* place, or HYB_CHECK_ANY */
	int32_t tag;	/* or HYB_ANY */
	uint64_t nth;	/* SEND: on its channel; COLL: of this member; 0: not known */
	uint64_t ahead; /* RECV: so many receives that were begun before get theirs first */
	uint64_t bytes; /* SEND; HYB_BYTES_UNKNOWN: not known */
	uint64_t sent;	/* COLL */
	uint64_t received;
	uint32_t op; /* COLL: enum hyb_coll */
	int32_t root;
	uint32_t group;	  /* POST, COMPLETE: in the model's groups; HYB_COMM_NONE: not known */
	bool synchronous; /* SEND: never buffered */
	bool buffered;	  /* SEND: always */
	bool begun;	  /* COLL: a request of it is what is waited for */
	bool shared;	  /* LOCK */
	const struct hyb_gregion *region; /* CREATE */
	uint32_t set; /* of the graph: who has to go on for that; HYB_GRAPH_NONE: nobody, or not known */
	bool one; /* one of these is enough */
};

struct hyb_check_thread {
	uint32_t process;
	uint32_t number;
	bool read;   /* its stream has events */
	bool worker; /* of OpenMP, and not the main thread */
	bool told;   /* what it waits for is */
	bool polls;  /* in no call: the last one asked for that and found nothing */
	bool any;    /* one of its needs is enough */
	bool forks;  /* it is in a parallel region of OpenMP */
	bool held;   /* it can do nothing before another thread of its process does */
	const struct hyb_gregion *in;	/* region, NULL: in none */
	bool mpi;			/* that is an MPI call */
	const struct hyb_gregion *left; /* the last MPI call that it left, NULL: none */
	int64_t since;			/* ns: in that region, or in none */
	char *where;			/* source line of the call, NULL: not known */
	char *path;			/* how it came there, as hyb_stack_text; NULL: not known */
	struct hyb_need *needs;
	size_t need_count, need_room;
	uint32_t node; /* in the graph */
};

/* Groups of MPI functions (HYBMON_MPI) of which it matters whether a process records them. */
enum hyb_check_group {
	HYB_GROUP_ENV = 1,
	HYB_GROUP_P2P = 2,
	HYB_GROUP_PART = 4,
	HYB_GROUP_COLL = 8,
	HYB_GROUP_COMM = 16,
	HYB_GROUP_TOPO = 32,
	HYB_GROUP_RMA = 64,
	HYB_GROUP_IO = 128,
	HYB_GROUP_OTHERS = 256,
	HYB_GROUP_ALL = 511,
};

struct hyb_check_process {
	size_t first, count; /* threads */
	uint32_t groups;     /* enum hyb_check_group: what it records */
	uint64_t gaps;
	uint64_t strays;	 /* regions that end without having begun */
	uint64_t errors;	 /* calls that failed: what they received nobody knows */
	uint64_t begun_receives; /* that are under way, and nobody knows for what */
	bool timed;		 /* `begun` is set */
	int64_t begun;		 /* ns: its first stream */
	bool paused;
	bool finalized; /* it has come back from MPI_Finalize */
	bool unknown;	/* it has requests that are not recorded */
	bool several;	/* its threads may call MPI at the same time */
};

struct hyb_check_sums {
	uint64_t records, lost_records, lost_chunks, corrupt_chunks, unknown_records, clamped,
		strays, unplaced, unreported, bad_metrics;
	uint64_t unreadable, streamless;
};

/* A lock that is held. */
struct hyb_check_lock {
	uint32_t win;
	uint32_t target; /* HYB_CHECK_ANY: all */
	uint32_t holder;
	bool shared;
};

/* A receive that is begun: of whoever waits for it. */
struct hyb_check_receive {
	uint32_t process; /* place */
	uint32_t comm;
	uint32_t source;
	int32_t tag;
};

enum hyb_finding_kind {
	HYB_FINDING_PROBLEM, /* of the program */
	HYB_FINDING_RECORDING,
	HYB_FINDING_UNJUDGED,
};

/* The kinds of findings. src/export/documents/check.c gives each its name in JSON. */
enum hyb_found {
	HYB_FOUND_DEADLOCK, /* threads: the cycle, each waits for the next one, the last one for the first */
	HYB_FOUND_DEADLOCKS, /* so many more */
	HYB_FOUND_OVER,	     /* rank: it is over; threads: they wait for it */
	HYB_FOUND_DIED,	     /* rank */
	HYB_FOUND_MISMATCH,  /* rank: of whom the message is; thread: it waits for another one */
	HYB_FOUND_UNRECEIVED,
	HYB_FOUND_OPERATIONS, /* of a communicator's members differ, */
	HYB_FOUND_SIZES,      /* or their sizes, */
	HYB_FOUND_COUNTS,     /* or how many they are */
	HYB_FOUND_UNSENT,     /* of the recording, from here on */
	HYB_FOUND_LOSS,
	HYB_FOUND_UNJUDGED, /* ranks */
	HYB_FOUNDS,
};

struct hyb_finding {
	enum hyb_found what;
	char *text;	 /* lines; those that begin with a blank belong to the one before */
	uint32_t *ranks; /* places that it is about */
	size_t rank_count, rank_room;
	uint32_t *threads; /* indices of threads */
	size_t thread_count, thread_room;
};

static inline enum hyb_finding_kind hyb_finding_kind(const struct hyb_finding *f)
{
	return f->what < HYB_FOUND_UNSENT     ? HYB_FINDING_PROBLEM
	       : f->what < HYB_FOUND_UNJUDGED ? HYB_FINDING_RECORDING
					      : HYB_FINDING_UNJUDGED;
}

/* Where the collective operations of a communicator differ. */
struct hyb_probe {
	uint32_t comm;
	const struct hyb_sequence *const *sequences; /* of its members */
	size_t sequence_count;
	uint32_t first; /* a member, and one that differs from it */
	uint32_t member;
	uint64_t from; /* the first so many are alike */
	uint64_t to;   /* of these not all are */
	uint64_t stride;
	struct hyb_tally marks; /* sequences of that comm from `from` on, every stride-th */
	struct hyb_operation *operations; /* number `to` of each */
	size_t operation_count, operation_room;
};

struct hyb_check {
	struct hyb_check_options options;
	struct hyb_model model;
	struct hyb_check_process *processes; /* as the model has them */
	struct hyb_check_thread *threads;    /* of all, process by process */
	size_t thread_count;
	struct hyb_tally tally;
	struct hyb_check_lock *locks;
	size_t lock_count, lock_room;
	struct hyb_check_receive *receives; /* by process */
	size_t receive_count, receive_room;
	const struct hyb_channel **pending; /* that have messages nobody has received, by destination */
	size_t pending_count;
	struct hyb_check_sums sums;
	struct hyb_graph graph;
	struct hyb_finding *findings;
	size_t finding_count, finding_room;
	int64_t first; /* ns: when the job began */
};

/* Reads and judges all. 0 or -errno, with everything said; after either, hyb_check_free. */
int hyb_check_run(struct hyb_check *c, const struct hyb_check_options *options);
void hyb_check_free(struct hyb_check *c);
/* Says what was found. */
void hyb_check_print(const struct hyb_check *c, FILE *to);
/* Something is not as it should be, or not all ended normally. */
bool hyb_check_found(const struct hyb_check *c);

/* The parts of it. */

/* read.c: reads the streams of a process; of a probe only what that asks for. 0 or -errno. */
int hyb_check_read(struct hyb_check *c, size_t process, struct hyb_probe *probe);
/* waits.c: who can go on. 0 or -ENOMEM. */
int hyb_check_wait(struct hyb_check *c);
/* differ.c: what members of communicators did differently. 0 or -errno. */
int hyb_check_differ(struct hyb_check *c);
/* Sets what members have alike: root and bytes. False: they are not known. */
bool hyb_operation_settle(const struct hyb_comms *comms, uint32_t comm, struct hyb_operation *o);
uint64_t hyb_operation_hash(const struct hyb_operation *o);
/* One more operation of a member. 0 or -ENOMEM. */
int hyb_probe_add(struct hyb_probe *p, struct hyb_sequence *s, const struct hyb_operation *o);
/* find.c: what of the waits is worth telling. 0 or -ENOMEM. */
int hyb_check_find(struct hyb_check *c);
/* facts.c: of that what of the kernel was asked for and is missing. */
int hyb_check_find_kernel(struct hyb_check *c);

/* say.c: words for people. */
/* Ranks of these places: "rank 3", "ranks 0-61,63"; of many the first ones, unless all are asked for. */
void hyb_say_ranks(const struct hyb_check *c, FILE *to, const uint32_t *places, size_t count);
/* What a thread is in, and where: "MPI_Recv on MPI_COMM_WORLD at solve.c:120". */
void hyb_say_call(const struct hyb_check *c, FILE *to, const struct hyb_check_thread *t);
/* And for what: ", waiting for a message from rank 1, tag 5". */
void hyb_say_needs(const struct hyb_check *c, FILE *to, const struct hyb_check_thread *t);
const char *hyb_say_operation(uint32_t op);
const char *hyb_say_comm(const struct hyb_check *c, uint32_t comm, char *buf, size_t size);

/* check.c: what the process of a place cannot be judged by: records of it are missing; or there is none. */
bool hyb_check_is_blurred(const struct hyb_check *c, uint32_t place);
/* Or it does not record these groups, so that nobody knows what it did of them. */
bool hyb_check_is_blurred_in(const struct hyb_check *c, uint32_t place, uint32_t groups);
/* groups.c: of a manifest's line, which may be NULL. */
uint32_t hyb_check_groups(const char *text);
/* Groups that some ranks record and others do not. */
uint32_t hyb_check_differing_groups(const struct hyb_check *c);
/* The words for groups that a process does not record, in `text`. */
const char *hyb_check_missing_groups(const struct hyb_check_process *p, char *text, size_t size);
/* The process of a place, NULL: there is no trace of it. */
const struct hyb_model_process *hyb_check_process_of(const struct hyb_check *c, uint32_t place);
/* It does nothing any more, and was not killed: why, or NULL. */
const char *hyb_check_is_over(const struct hyb_check *c, const struct hyb_model_process *p);
/* check.c: adds a finding; takes the text. 0 or -ENOMEM, here and below. */
int hyb_check_add(struct hyb_check *c, enum hyb_found what, char *text);
/* Whom the last finding is about. */
int hyb_check_name_rank(struct hyb_check *c, uint32_t place);
int hyb_check_name_thread(struct hyb_check *c, const struct hyb_check_thread *t);

#endif
