/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order in which the threads of a process come to what they compete for: to MPI, where several may at once
 * (MPI_THREAD_MULTIPLE), since which of two receives of one channel was posted first decides what each of them gets; and
 * to OpenMP's locks and what it gives out, chunks of loops and the like. Each message that is sent or asked for, each
 * lock that is had and each chunk takes a turn, one after the other. Written down is where the turns of a thread begin
 * after those of another one (HYB_ORDER_TURN); in a replay each thread waits until its turn has come.
 *
 * A turn is held while MPI posts what it is for, and never while a thread waits in MPI. So blocking calls are made of
 * those that do not block.
 */
#ifndef HYB_CORE_OUTCOMES_TURNS_H
#define HYB_CORE_OUTCOMES_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sys/compiler.h"
#include "format/order.h"

struct hyb_order;

/* MPI's calls take turns; set once, before a second thread calls MPI. */
extern HYB_EXPORT bool hyb_turns_on;
/* OpenMP's constructs take turns: from when MPI has started until the process ends. Acquire: what is below holds then. */
extern bool hyb_turns_openmp;

/* What a process's turns are. */
struct hyb_turns {
	bool mpi;	/* MPI's calls take some */
	bool openmp;	/* and OpenMP's constructs */
	const struct hyb_replay_turn *recorded; /* in a replay: as they were recorded */
	uint64_t count;
	uint64_t all;	/* in a replay: how many there were; after them threads run freely */
	void (*join)(void); /* in a replay: finds the calling thread in the recording */
};

/* From here on there are turns. */
HYB_EXPORT void hyb_turns_start(const struct hyb_turns *turns);
/* In a replay, before the calling thread's first turn: it is found in the recording. */
void hyb_turns_join(void);
/* From here on OpenMP's constructs take none. How many were taken. */
uint64_t hyb_turns_end(void);

/* The calling thread's turn begins: nobody else has one until it ends. */
HYB_EXPORT void hyb_turn_begin(struct hyb_order *order);
/* It ends. taken: it was one, since what it was for has happened. */
HYB_EXPORT void hyb_turn_end(struct hyb_order *order, bool taken);
/*
 * The same of a turn that is for what may wait for another thread: in a replay, waits until it has come, so that only
 * this thread can take the next one; and takes it, when what it is for has happened.
 */
void hyb_turn_await(struct hyb_order *order);
void hyb_turn_take(struct hyb_order *order);

/* What the thread's next test of a lock says in a replay. */
enum hyb_turn_tried {
	HYB_TURN_TRIED_FREELY, /* nothing is known of it */
	HYB_TURN_TRIED_NO,
	HYB_TURN_TRIED_YES,
};

enum hyb_turn_tried hyb_turn_tried(struct hyb_order *order);
/* What it said, to be recorded. */
void hyb_turn_try(struct hyb_order *order, bool yes);

#endif
