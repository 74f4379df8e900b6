/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order in which the threads of a process come to MPI, where several may at once (MPI_THREAD_MULTIPLE): which of two
 * receives of one channel was posted first decides what each of them gets. Each message that is sent or asked for takes
 * a turn, one after the other. Written down is where the turns of a thread begin after those of another one
 * (HYB_ORDER_TURN); in a replay each thread waits until its turn has come.
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

/* Set once, before a second thread calls MPI. */
extern HYB_EXPORT bool hyb_turns_on;

/*
 * From here on there are turns. In a replay: the process's turns as they were recorded, and how many there were in
 * all, after which threads run freely; otherwise NULL.
 */
HYB_EXPORT void hyb_turns_start(const struct hyb_replay_turn *turns, uint64_t count, uint64_t all);

/* The calling thread's turn begins: nobody else has one until it ends. */
HYB_EXPORT void hyb_turn_begin(struct hyb_order *order);
/* It ends. taken: it was one, since what it was for has happened. */
HYB_EXPORT void hyb_turn_end(struct hyb_order *order, bool taken);
/* How many were taken. */
uint64_t hyb_turns_taken(void);

#endif
