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
#ifndef HYB_RECORD_TURNS_H
#define HYB_RECORD_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "format/order.h"

struct hyb_order;

/* MPI's calls take turns; set once, before a second thread calls MPI. */
extern HYB_EXPORT bool hyb_turns_on;
/* There are turns, and OpenMP's constructs take theirs; set once, when MPI has started. */
extern HYB_EXPORT bool hyb_turns_openmp;

/* What is asked of a replay from outside of MPI's functions; with a name of the function that the program called. */
struct hyb_turns_followed {
	void (*join)(void); /* the calling thread is found in the recording */
	bool (*is_no)(const char *function); /* the test that is made now was false */
	bool (*is_yes)(const char *function); /* it was true; otherwise nothing is known of it */
};

/* Set before hyb_turns_start, in a replay only. */
extern HYB_EXPORT struct hyb_turns_followed hyb_turns_followed;

/*
 * From here on there are turns. In a replay: the process's turns as they were recorded, and how many there were in
 * all, after which threads run freely; otherwise NULL. mpi: MPI's calls take turns, too.
 */
HYB_EXPORT void hyb_turns_start(const struct hyb_replay_turn *turns, uint64_t count, uint64_t all, bool mpi);

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
/* How many were taken. */
uint64_t hyb_turns_taken(void);

#endif
