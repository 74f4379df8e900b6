/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hot path of libgomp's wrappers. A wrapper tells the OMPT tool (ompt/callbacks.h) what a runtime that has OMPT
 * would tell it, and calls on. No lock, no allocation, no system call but for what is marked cold.
 */
#ifndef HYB_OMPT_GOMP_CALL_H
#define HYB_OMPT_GOMP_CALL_H

#include "ompt/gomp/runtime.h"

/* What a worker is at, for who ends the process while it waits for work in libgomp; see thread.c. */
enum hyb_gomp_rest {
	HYB_GOMP_WORKS,
	HYB_GOMP_RESTS,		/* its part of a region is done, and all is published */
	HYB_GOMP_RESTS_UNSEEN,	/* the same, and it has no stream: nobody may end anything for it */
	HYB_GOMP_CLOSING,	/* another thread ends what it has open */
	HYB_GOMP_CLOSED,	/* and did: it records nothing more */
};

struct hyb_gomp_started;

/* Of each thread that calls or is called by libgomp; goes to another one when this one ends. */
struct hyb_gomp_seat {
	int rest;		/* enum hyb_gomp_rest; written by the thread, and from RESTS on by who ends the process */
	int taken;
	struct hyb_thread *thread;
	struct hyb_omp_thread *openmp;
	struct hyb_gomp_seat *next;		/* of all that there are */
	struct hyb_gomp_started *started;	/* regions between GOMP_parallel_start and _end */
	struct hyb_gomp_started *spare;
};

/* A target construct whose code this thread executes, since no device does. */
struct hyb_gomp_target {
	bool inside;
	bool told;		/* that its teams have begun */
	unsigned int leagues;	/* within each other, as where a task in a team is one */
	ompt_data_t league;	/* the outermost */
};

struct hyb_gomp_thread {
	struct hyb_gomp_seat *seat;
	const void *region;	/* the one that it is in: the same address for all of its team */
	struct hyb_gomp_target target;
	uint64_t data_devices;	/* of target data that are open, a byte each: the innermost is the lowest, 255: the host */
	unsigned int across;	/* of the loop that it is in: by so many counters its iterations wait for each other */
	bool off;		/* nothing of this thread is recorded any more */
};

extern __thread struct hyb_gomp_thread hyb_gomp_self __attribute__((tls_model("initial-exec")));

/* thread.c: this thread's first call; false without memory. */
bool hyb_gomp_sit(void) HYB_COLD;
/* thread.c: somebody ends the process, and this thread's part of it. */
void hyb_gomp_stop(struct hyb_gomp_seat *seat) HYB_COLD;

static HYB_HOT bool hyb_gomp_wants(enum hyb_omp_group group)
{
	return hyb_gomp_groups >> group & 1;
}

/* Whether this thread's calls are told; otherwise they go on as they are. */
static HYB_HOT bool hyb_gomp_is_on(void)
{
	if (hyb_unlikely(!hyb_gomp_self.seat))
		return !hyb_gomp_self.off && hyb_gomp_sit();
	return hyb_likely(!hyb_gomp_self.off);
}

/* Whether this thread was at rest; it no longer is. */
static HYB_HOT bool hyb_gomp_wake(struct hyb_gomp_seat *seat)
{
	int rests = __atomic_load_n(&seat->rest, __ATOMIC_RELAXED);

	/* only this thread goes to rest */
	if (rests == HYB_GOMP_WORKS)
		return false;
	if (rests != HYB_GOMP_RESTS_UNSEEN)
		rests = HYB_GOMP_RESTS;
	if (hyb_likely(__atomic_compare_exchange_n(&seat->rest, &rests, HYB_GOMP_WORKS, false, __ATOMIC_RELAXED,
						   __ATOMIC_RELAXED)))
		return true;
	hyb_gomp_stop(seat);
	return false;
}

/*
 * Nothing more is recorded by this thread until it wakes. Nobody tells when one without a stream ends, so its memory is
 * not to be looked at then. Release pairs with the acquire in close_seat.
 */
static HYB_HOT void hyb_gomp_rest(struct hyb_gomp_seat *seat)
{
	__atomic_store_n(&seat->rest, hyb_likely(hyb_self.stream) ? HYB_GOMP_RESTS : HYB_GOMP_RESTS_UNSEEN,
			 __ATOMIC_RELEASE);
}

/* teams.c: a target construct ends, with its teams. */
void hyb_gomp_end_leagues(const void *code);
/* task.c: what a directive depends on, as GCC hands it over. */
void hyb_gomp_tell_dependences(ompt_data_t *task, void **depend) HYB_COLD;

/* The function of libgomp, or its turn: the entry that led to its wrapper was stored after it. */
#define HYB_GOMP_NEXT(id, type) ((type)__atomic_load_n(&hyb_gomp_next[HYB_GOMP_F_##id], __ATOMIC_RELAXED))

/* Where the program called: the place of a construct. */
#define HYB_GOMP_SITE __builtin_return_address(0)

/* A wait that the call shows: a barrier, the end of a taskgroup. */
static HYB_HOT void hyb_gomp_wait(int kind, int endpoint, const void *code)
{
	if (hyb_gomp_wants(HYB_OMP_GROUP_WAIT))
		hyb_omp_sync_wait(kind, endpoint, NULL, NULL, code);
}

static HYB_HOT void hyb_gomp_sync(int kind, int endpoint, const void *code)
{
	if (!hyb_gomp_wants(HYB_OMP_GROUP_SYNC))
		return;
	if (hyb_gomp_wants(HYB_OMP_GROUP_WAIT))
		hyb_omp_sync_waited(kind, endpoint, NULL, NULL, code);
	else
		hyb_omp_sync(kind, endpoint, NULL, NULL, code);
}

static HYB_HOT void hyb_gomp_begin_wait(int kind, const void *code)
{
	hyb_gomp_sync(kind, ompt_scope_begin, code);
	hyb_gomp_wait(kind, ompt_scope_begin, code);
}

static HYB_HOT void hyb_gomp_end_wait(int kind, const void *code)
{
	hyb_gomp_wait(kind, ompt_scope_end, code);
	hyb_gomp_sync(kind, ompt_scope_end, code);
}

/* A worker's last barrier is over, and with that its part of the region. */
static HYB_HOT void hyb_gomp_end_part(void)
{
	hyb_gomp_end_wait(ompt_sync_region_barrier_implicit, NULL);
	if (hyb_gomp_wants(HYB_OMP_GROUP_PARALLEL))
		hyb_omp_implicit_task(ompt_scope_end, NULL, NULL, 0, 0, ompt_task_implicit);
}

#endif
