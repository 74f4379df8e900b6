/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the readings of one process's streams share: convert.c goes through the events and keeps the stack of
 * regions, the files named below write what is attached to them. Inside of the merge only; one thread each.
 */
#ifndef HYB_MERGE_CONVERT_H
#define HYB_MERGE_CONVERT_H

#include "reader/containers/keymap.h"
#include "merge/sink/outlet.h"
#include "merge/model/ids.h"
#include "merge/merge.h"
#include "merge/mpi/rma.h"
#include "merge/sites.h"
#include "merge/stacks.h"
#include "reader/streams/rma.h"

/* A region that was entered and not yet left. */
struct hyb_open_region {
	struct hyb_gregion *region;
	int64_t time;
	bool forked; /* a team that was not joined */
};

/* Something that is said of an open region after its Enter. */
struct hyb_said {
	size_t depth; /* the region's place on the stack */
	enum hyb_attribute_id id;
	uint64_t value;
};

/* A team that a thread is in. */
struct hyb_open_team {
	const struct hyb_team *team; /* NULL: its members are not known */
	size_t depth;		     /* how many regions were open when it began */
	bool entered;		     /* before a region, so that it ends after it */
};

struct hyb_open_teams {
	struct hyb_open_team *open;
	size_t depth;
	size_t room;
};

/* A half whose request was begun elsewhere. */
struct hyb_late_half {
	enum hyb_pair_kind kind;
	uint64_t request;
	struct hyb_pair_half half;
};

/* pairing.c */
struct hyb_pairing {
	uint64_t index; /* of the next event that may be paired, in its track */
	struct hyb_pair_reader reader; /* in the last reading */
	/* In the one before: */
	struct hyb_pair_half *batch[HYB_PAIR_KINDS]; /* to be added */
	size_t count[HYB_PAIR_KINDS];
	struct hyb_key_map begun; /* requests that are under way: when they were begun */
	struct hyb_late_half *late;
	size_t late_count;
	size_t late_room;
};

struct hyb_convert {
	struct hyb_merge *m;
	struct hyb_model_process *p;
	struct hyb_merge_process *s; /* what is known of it */
	struct hyb_model_thread *t;
	struct hyb_merge_thread *ts; /* and of the thread */
	struct hyb_merge_counts counts; /* the thread's; in here since each event touches them */
	struct hyb_match *match;
	struct hyb_ids ids;
	const struct hyb_clock *clock;
	struct hyb_final final; /* its times, once those of several nodes are known */
	enum hyb_pass pass;
	struct hyb_outlet *out; /* NULL: counting */
	int err;		/* the first error, -errno */
	struct hyb_open_region *stack;
	size_t depth;
	size_t room;
	int64_t now;   /* of the event written last, ns */
	int64_t left;  /* when the last region was left */
	uint64_t told; /* bytes of progress */
	struct hyb_rma_queue rma;
	bool rma_used; /* the thread has some */
	bool has_marks; /* the process has some that the streams do not */
	size_t marks;	/* of the thread's those told */
	struct hyb_open_teams teams;
	struct hyb_said *said; /* parameters that wait for the ends of their regions, the outermost first */
	size_t said_count;
	size_t said_room;
	bool waits; /* the innermost region is the program's own, and is to be entered with what is said of it */
	bool forks; /* the innermost region has forked and is to be entered in its team */
	struct hyb_nest nest;
	bool pairs; /* some sink wants to know of them */
	struct hyb_pairing pairing;
	struct hyb_metric_queue metrics;
	struct hyb_convert_sites sites;
	struct hyb_convert_stacks stacks;
	struct hyb_reader *reader; /* of the thread's stream; NULL: it cannot be read */
	struct hyb_tail_place place; /* tail.h */
	uint32_t before; /* events that are yet to be read, and were told by a reading before */
	bool gap_before; /* and so was what is missing after them */
	bool held;	 /* the next reading goes on before the last event */
};

/* The time of a counter's value, as far as it is known in this reading. */
static inline int64_t hyb_convert_ns(struct hyb_convert *c, uint64_t raw)
{
	return hyb_final_time(&c->final, hyb_clock_ns(c->clock, raw));
}

/* The same for the next event: times do not go back. */
static inline int64_t hyb_convert_time(struct hyb_convert *c, uint64_t raw)
{
	int64_t ns = hyb_convert_ns(c, raw);

	return ns < c->now ? c->now : ns;
}

/*
 * An end of a request's operation is there. Counting: noted; otherwise false where the other end is missing, for
 * then this one stands alone. Asked only for ends that have a place in the model.
 */
bool hyb_convert_paired(struct hyb_convert *c, uint64_t request);

/* How often the process's streams were interrupted up to here. */
static inline struct hyb_cuts hyb_convert_cuts(const struct hyb_convert *c)
{
	return (struct hyb_cuts){ .gaps = c->s->gaps, .pauses = c->s->pauses };
}

/* Readers want messages and operations inside of MPI's regions only. */
static inline bool hyb_convert_in_mpi(const struct hyb_convert *c)
{
	return c->depth && c->stack[c->depth - 1].region->paradigm == HYB_PARADIGM_MPI;
}

/* An event of some kind at the present time. The rest is the caller's: setting all to zero first would cost as much. */
static inline void hyb_convert_now(const struct hyb_convert *c, struct hyb_merge_event *e, enum hyb_kind kind)
{
	e->kind = kind;
	e->attribute_count = 0;
	e->attributes = NULL;
	e->time = c->now;
}

/* Tells it, if this is the reading that tells. */
static inline void hyb_convert_tell(struct hyb_convert *c, const struct hyb_merge_event *e)
{
	if (c->out)
		hyb_outlet_tell(c->out, e);
}

/* For the next event that takes attributes. */
static inline void hyb_convert_attribute(struct hyb_convert *c, enum hyb_attribute_id id, uint64_t value)
{
	if (c->out)
		hyb_outlet_attribute(c->out, id, value);
}

/* An Enter or a Leave, with the attributes gathered for it, which are then gone. */
static inline void hyb_convert_region(struct hyb_convert *c, enum hyb_kind kind, struct hyb_gregion *region)
{
	struct hyb_merge_event e;

	hyb_convert_now(c, &e, kind);
	if (region->hidden) {
		c->out->attribute_count = 0;
		return;
	}
	hyb_regions_id(&c->m->model.regions, region);
	e.region = region;
	hyb_outlet_tell_with(c->out, &e);
}

static inline void hyb_convert_enter(struct hyb_convert *c, struct hyb_gregion *region)
{
	if (c->out)
		hyb_convert_region(c, HYB_KIND_ENTER, region);
	else if (!__atomic_load_n(&region->used, __ATOMIC_RELAXED))
		__atomic_store_n(&region->used, true, __ATOMIC_RELAXED);
}

static inline void hyb_convert_leave(struct hyb_convert *c, struct hyb_gregion *region)
{
	if (c->out)
		hyb_convert_region(c, HYB_KIND_LEAVE, region);
}

/* A region without duration, at the present time, with the attributes gathered for it. */
static inline void hyb_convert_instant(struct hyb_convert *c, struct hyb_gregion *region)
{
	hyb_convert_enter(c, region);
	hyb_convert_leave(c, region);
}

/* Whether it says how the program came to it. */
static inline bool hyb_convert_has_stack(const struct hyb_event *event)
{
	uint64_t id;

	return event->count > event->head && hyb_callers_told(event, &id);
}

/* Where the call came from that the event begins, as an attribute of its Enter. */
static inline void hyb_convert_site(struct hyb_convert *c, const struct hyb_event *event)
{
	const bool told = event->count > event->head && event->words[event->head] >> HYB_TYPE_SHIFT == HYB_SITE;

	if (c->sites.tells && event->seq != c->sites.seq)
		hyb_convert_forget_sites(c, event->seq);
	if (__builtin_expect(told && (c->sites.tells || c->sites.gathers), 0))
		hyb_convert_new_site(c, event);
	if (c->sites.tells && event->id < HYB_STANDING_REGIONS && c->sites.last[event->id])
		hyb_convert_attribute(c, HYB_ATTRIBUTE_SITE, c->sites.last[event->id] - 1);
	if (__builtin_expect(c->stacks.last || hyb_convert_has_stack(event), 0) && (c->sites.tells || c->sites.gathers))
		hyb_convert_stack(c, event);
}

/*
 * pairing.c: in the reading for pairs adds a half or a call that is about to be told, in the last one says what was
 * found. request: that of a receive or call that was begun before, otherwise 0. over: the call's end is its own.
 */
void hyb_convert_pair_message(struct hyb_convert *c, enum hyb_half half, const struct hyb_message *key, uint64_t request,
			      struct hyb_merge_event *e);
void hyb_convert_pair_call(struct hyb_convert *c, const struct hyb_ids_comm *comm, uint64_t request, bool over,
			   struct hyb_merge_event *e);
/* A request is begun by the present call; or was cancelled. */
void hyb_convert_begun(struct hyb_convert *c, uint64_t request);
void hyb_convert_not_begun(struct hyb_convert *c, uint64_t request);
/* A process begins: 0 or -ENOMEM; after either, hyb_convert_free_halves. */
int hyb_convert_new_halves(struct hyb_convert *c);
/* A thread begins. */
void hyb_convert_begin_halves(struct hyb_convert *c);
/* All threads of the process were read. 0 or -errno. */
int hyb_convert_end_halves(struct hyb_convert *c);
void hyb_convert_free_halves(struct hyb_convert *c);

/* message.c: SEND, RECV and the records of requests, at the present time. */
void hyb_convert_message(struct hyb_convert *c, const struct hyb_attached *a);
/* collective.c: COLL that was blocking, of the region `open` that ends at `end`. */
void hyb_convert_collective(struct hyb_convert *c, const struct hyb_open_region *open, int64_t end,
			    const struct hyb_attached *a);
/* collective.c: REQUEST_COLL, and COLL that completes a request, at the present time. */
void hyb_convert_icollective(struct hyb_convert *c, const struct hyb_attached *a);

/*
 * rma.c: HYB_RMA, with the Leave: what belongs to the call's begin, at the time before it, and then what belongs
 * to its end, at the present time.
 */
void hyb_convert_rma_begin(struct hyb_convert *c, const struct hyb_attached *a);
void hyb_convert_rma(struct hyb_convert *c, const struct hyb_attached *a);
/* rma.c: the window of a record, if it has a place in the model, else NULL. */
const struct hyb_ids_win *hyb_rma_place(struct hyb_convert *c, const struct hyb_attached *a, struct hyb_rma *r);
/* rma.c: whether it completes operations: to which target, UINT32_MAX: to all, and whether there too. */
bool hyb_rma_completes(const struct hyb_rma *r, uint32_t *target, bool *remote);
/* rma.c: whether an operation is complete at its target later than for its origin. */
bool hyb_rma_changes_target(const struct hyb_rma *r);
/* rma-threads.c: once a process's threads are counted, what they complete of each other's. 0 or -errno. */
int hyb_convert_shared_rma(struct hyb_convert *c);
/* rma-threads.c: the first of a thread in handed_list. */
size_t hyb_rma_first_handed(const struct hyb_merge_process *s, uint32_t thread);
/* io.c: the begin of what IO says of the region `open`, which is about to be left. */
void hyb_convert_io_begin(struct hyb_convert *c, const struct hyb_open_region *open,
			  const struct hyb_attached *a);
/* io.c: everything else of IO, at the present time. */
void hyb_convert_io(struct hyb_convert *c, const struct hyb_attached *a);

/*
 * thread.c, at the present time: what belongs before an Enter, inside of its region, and behind a
 * Leave; a team, task or lock at a point of that region, or of none. True: the point is not shown.
 */
void hyb_convert_thread_before(struct hyb_convert *c, const struct hyb_event *event);
void hyb_convert_thread_inside(struct hyb_convert *c, const struct hyb_attached *a);
void hyb_convert_thread_after(struct hyb_convert *c, const struct hyb_event *event);
bool hyb_convert_thread_point(struct hyb_convert *c, const struct hyb_event *event, struct hyb_gregion *region,
			      const struct hyb_attached *a);
/* thread.c: whether that is all that an event says, and then, for the innermost region, which has forked. */
bool hyb_convert_begins_team(const struct hyb_event *event);
void hyb_convert_forked_team(struct hyb_convert *c, const struct hyb_event *event);
/* thread.c: the end of the team around the region that was left last, and of the fork if it has forked. */
void hyb_convert_join(struct hyb_convert *c, bool forked);
/* target.c: what is attached to an Enter, or to a point, of what is done for devices. */
void hyb_convert_target(struct hyb_convert *c, const struct hyb_attached *a);
/* target.c: DEPENDENCE, TASK_DEPEND and TASK_FULFIL, each as a region without duration, at the present time. */
void hyb_convert_depend(struct hyb_convert *c, const struct hyb_attached *a);
/* target.c: the region, with MESSAGE in its name if that is not empty; NULL without memory. */
struct hyb_gregion *hyb_convert_message_region(struct hyb_convert *c, struct hyb_gregion *region,
					       const struct hyb_attached *a);
/*
 * parameter.c: whether all that an event says is said of a region of the program's; takes that in as attributes of the
 * Enter that waits, or of the region's Leave; those that wait for the Leave of the region at that place of the stack,
 * which is told next.
 */
bool hyb_convert_says(const struct hyb_event *event);
void hyb_convert_say_now(struct hyb_convert *c, const struct hyb_event *event);
void hyb_convert_say_late(struct hyb_convert *c, const struct hyb_attached *a);
void hyb_convert_said(struct hyb_convert *c, size_t depth);
/*
 * What ends without its own record: before the innermost region is closed, the teams that began in it; when none is
 * left, all teams.
 */
void hyb_convert_close_teams(struct hyb_convert *c);

/*
 * metric.c: HYB_METRIC. What has no time of its own waits for the event that it belongs to, and is told by
 * hyb_convert_metrics at the present time, or dropped.
 */
void hyb_convert_metric(struct hyb_convert *c, const struct hyb_event *event);
void hyb_convert_tell_waiting(struct hyb_convert *c);
/* A thread begins; all is over. */
void hyb_convert_begin_metrics(struct hyb_convert *c);
void hyb_convert_free_metrics(struct hyb_convert *c);

static inline void hyb_convert_metrics(struct hyb_convert *c)
{
	if (__builtin_expect(c->metrics.count, 0))
		hyb_convert_tell_waiting(c);
}

static inline void hyb_convert_drop_metrics(struct hyb_convert *c)
{
	c->metrics.count = 0;
	c->metrics.value_count = 0;
}

/* convert.c, for reading.c: the next event of the thread, in the order of time. */
void hyb_convert_event(struct hyb_convert *c, const struct hyb_event *event);
/* One that the thread's stream could not take. */
void hyb_convert_mark(struct hyb_convert *c, const struct hyb_event *event);
/* Here the next reading of a job that runs goes on, if there is to be one; at the end, or before the last event. */
void hyb_convert_hold(struct hyb_convert *c, bool end);
/* After the last: where the thread stood; closes what is open, at the last time known. */
void hyb_convert_finish(struct hyb_convert *c);
/* program.c: the process's begin and end, if this is its first location. */
void hyb_convert_program_begin(struct hyb_convert *c);
void hyb_convert_program_end(struct hyb_convert *c);

#endif
