/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of libgomp. A worker that has done its part of a region waits in libgomp until there is work again, or until
 * the process ends, and nothing tells it of that. So its last barrier is open then, and who ends the process ends that
 * for it: it does nothing else. Should it get work at that very moment, that is not recorded any more.
 */
#include "ompt/gomp/call.h"

#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "core/record/thread.h"

__thread struct hyb_gomp_thread hyb_gomp_self;

static long process;	/* 0: no thread has come yet */
static struct hyb_gomp_seat *seats;	/* all there ever were; only added to */

static struct hyb_gomp_seat *take_seat(void)
{
	struct hyb_gomp_seat *seat;

	/* acquire pairs with the release below, and with that of who leaves a seat */
	for (seat = __atomic_load_n(&seats, __ATOMIC_ACQUIRE); seat; seat = seat->next) {
		if (!__atomic_load_n(&seat->taken, __ATOMIC_RELAXED) &&
		    !__atomic_exchange_n(&seat->taken, 1, __ATOMIC_ACQUIRE))
			return seat;
	}
	seat = hyb_alloc_apart(sizeof(*seat));
	if (!seat)
		return NULL;
	seat->taken = 1;
	seat->next = __atomic_load_n(&seats, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&seats, &seat->next, seat, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return seat;
}

/* This thread ends. */
static void leave_seat(void)
{
	struct hyb_gomp_seat *seat = hyb_gomp_self.seat;

	if (!seat)
		return;
	if (hyb_gomp_wake(seat))
		hyb_gomp_end_part();
	if (hyb_gomp_self.off)
		return;
	hyb_omp_thread_end(NULL);
	hyb_gomp_self.seat = NULL;
	__atomic_store_n(&seat->taken, 0, __ATOMIC_RELEASE);
}

/* Several threads may come here first. */
static void start(void)
{
	hyb_thread_before_end(leave_seat);
	__atomic_store_n(&process, HYB_SYS(getpid, 0, 0, 0, 0, 0, 0), __ATOMIC_RELAXED);
}

bool hyb_gomp_sit(void)
{
	struct hyb_gomp_seat *seat;

	if (!hyb_process_is_recording())
		return false;
	if (!__atomic_load_n(&process, __ATOMIC_RELAXED))
		start();
	seat = take_seat();
	if (!seat)
		return false;
	seat->thread = &hyb_self;
	seat->openmp = &hyb_omp_self;
	seat->started = NULL;
	hyb_omp_thread_begin(0, NULL);
	hyb_gomp_self.seat = seat;
	return true;
}

void hyb_gomp_stop(struct hyb_gomp_seat *seat)
{
	hyb_gomp_self.off = true;
	/* acquire pairs with the release in close_seat: its last use of what is this thread's */
	while (__atomic_load_n(&seat->rest, __ATOMIC_ACQUIRE) == HYB_GOMP_CLOSING)
		HYB_SYS(sched_yield, 0, 0, 0, 0, 0, 0);
}

/* Ends what a thread has open that waits in libgomp, with what is its own in the place of ours. */
static void close_seat(struct hyb_gomp_seat *seat)
{
	struct hyb_thread own = hyb_self;
	struct hyb_omp_thread own_openmp = hyb_omp_self;
	int rests = HYB_GOMP_RESTS;

	/* acquire pairs with the release of who rests: what it has recorded */
	if (!__atomic_compare_exchange_n(&seat->rest, &rests, HYB_GOMP_CLOSING, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	hyb_self = *seat->thread;
	hyb_omp_self = *seat->openmp;
	/* Counters would be read of the thread that does this. */
	hyb_self.counted = 0;
	if (hyb_self.pos && hyb_self.pos < hyb_self.end)
		hyb_omp_end_all();
	*seat->thread = hyb_self;
	*seat->openmp = hyb_omp_self;
	hyb_self = own;
	hyb_omp_self = own_openmp;
	__atomic_store_n(&seat->rest, HYB_GOMP_CLOSED, __ATOMIC_RELEASE);
}

void hyb_gomp_threads_end(void)
{
	struct hyb_gomp_seat *own = hyb_gomp_self.seat;
	uint64_t signals;

	/* A child made by fork has copies of others' threads, one made by vfork even their memory. */
	if (__atomic_load_n(&process, __ATOMIC_RELAXED) != HYB_SYS(getpid, 0, 0, 0, 0, 0, 0))
		return;
	hyb_sys_block_signals(&signals);
	for (struct hyb_gomp_seat *seat = __atomic_load_n(&seats, __ATOMIC_ACQUIRE); seat; seat = seat->next) {
		if (seat != own && __atomic_load_n(&seat->taken, __ATOMIC_ACQUIRE))
			close_seat(seat);
	}
	hyb_sys_restore_signals(&signals);
}
