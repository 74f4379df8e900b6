/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a recording says that a thread of this process comes to next: the file that hybmon replay made of its order
 * (format/order.h), mapped. Where the program asks for something else than what comes next, that is said, and the run
 * is ended by MPI_Abort: it is not the same run any more.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_REPLAY_H
#define HYB_PMPI_ADAPTER_ORDER_REPLAY_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/outcomes/order.h"

struct hyb_replay;

/* MPI has started: in a replay, ends the run if it has another number of ranks than the recording. */
void hyb_replay_start(void);
/* The same, and threads take their turns in the order of the recording (core/outcomes/turns.h); at MPI only if `mpi`. */
void hyb_replay_start_turns(bool mpi);
/* Whether what the main thread read of clocks was recorded, too. */
bool hyb_replay_has_clocks(void);
/* The calling thread's; NULL: it runs freely, since nothing more is known of it. */
struct hyb_replay *hyb_replay_mine(void);
/* What the thread's receive of that number got; NULL: the recording ends before that. */
const struct hyb_replay_match *hyb_replay_match(const struct hyb_replay *replay, uint64_t number);
/* Whether it says what a later one of the thread's got. */
bool hyb_replay_matches_after(const struct hyb_replay *replay, uint64_t number);
/* What the next one of the thread's receives from that number on got that got something from that source; NULL: none did. */
const struct hyb_replay_match *hyb_replay_match_from(const struct hyb_replay *replay, uint64_t number, int32_t source);
/* Whether the recording has more outcomes of the thread's calls. */
bool hyb_replay_has_more(const struct hyb_replay *replay);
/* It ends: that is said, and what HYBMON_REPLAY_AT_END says is done. */
void hyb_replay_ends(struct hyb_replay *replay, const char *function);
/* Where the recording says so, the test that is made now finds nothing. function: MPI's name of it. */
bool hyb_replay_is_no(struct hyb_replay *replay, const char *function);
/*
 * The next outcome is of that kind, and has that detail; false: the call is made as it is, since it failed, or the
 * thread runs freely from here on.
 */
bool hyb_replay_take(struct hyb_replay *replay, const char *function, enum hyb_order_kind kind, uint64_t *detail);
bool hyb_replay_take_other(struct hyb_replay *replay, const char *function, enum hyb_order_other which);
/* A further number of the outcome taken last; 0: there is none. */
uint64_t hyb_replay_number(struct hyb_replay *replay);
/* The program has come to something that is not what was recorded. Does not come back. */
void hyb_replay_diverged(const char *function, const char *recorded, const char *format, uint64_t number)
	__attribute__((noreturn, cold));
/* The same of a call, which is the thread's so many-th, and was another one. */
void hyb_replay_differs(uint64_t number, const char *call, const char *recorded) __attribute__((noreturn, cold));
/* What the recording has of the calling thread's calls; false: nothing. */
bool hyb_replay_calls(const unsigned char **begin, const unsigned char **end);
/* The thread has come to where the recording of its outcomes ends. */
bool hyb_replay_is_over(const struct hyb_order *order);
/* A communicator on which nobody ever sends. */
MPI_Comm hyb_replay_nowhere(void);

#endif
