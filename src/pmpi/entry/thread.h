/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread keeps for MPI beside its stream (core/record/record.h). Only the thread itself touches it. */
#ifndef HYB_PMPI_ENTRY_THREAD_H
#define HYB_PMPI_ENTRY_THREAD_H

#include "core/record/record.h"

/* So many polls that a program makes in turn are folded; of more each is a row of its own. */
#define HYB_POLL_ROWS 8

/* A row's region and what its calls found, enum hyb_poll_kind. */
#define HYB_POLL_WHAT(region, kind) ((uint32_t)(kind) << 24 | (region))

/* What is known of a row of folded polls but not recorded; see poll-rows.c. */
struct hyb_poll_row {
	const void *site;		/* where its calls come from */
	struct hyb_poll *record;
	uint32_t what;			/* HYB_POLL_WHAT */
	struct hyb_poll_row *next;	/* the one that was joined after it, the last time */
	uint64_t until;			/* raw counter: when the last call that was measured came back */
	uint64_t seen;			/* how many calls there were then */
};

/* The rows of failing polls that were recorded last; they go on while hyb_self.tail is right after hyb_self.pos. */
struct hyb_poll_rows {
	uint64_t turn;			/* hyb_folding_turns when they began */
	uint32_t left;			/* calls until the counter is read, that one included */
	uint32_t count;
	struct hyb_poll_row **link;	/* from the row joined last to the one likely to be next */
	struct hyb_poll_row rows[HYB_POLL_ROWS];
	/* When the counter is read, of all rows */
	uint64_t last;			/* the last reading */
	uint64_t read;			/* the last one when a call began */
	uint64_t ticks;			/* from the one before to that */
	uint32_t calls;			/* so many calls */
	uint32_t due;			/* from that to the next one that is to be read */
	uint32_t every;			/* as many, or one more */
	uint32_t calm;			/* how often that was right, one after the other */
	uint32_t mix;
	uint64_t *settled;		/* hyb_self.pos after a call without effect that is in no row */
};

/* An MPI has so many handles for all operations that are complete when they begin, or fewer. */
#define HYB_PRECOMPLETED_HANDLES 2

/*
 * What the adapter keeps is in here, too: other libraries may have taken all room for variables of threads that is left
 * once the program runs, and an adapter that has some could not be loaded then.
 */
struct hyb_mpi_thread {
	/*
	 * The function whose actions (what is known of handles) this thread did last. A Fortran wrapper
	 * clears it before the call, and so sees whether C's wrapper was called inside.
	 */
	uint32_t tracked;
	struct hyb_poll_rows polls;
	/* What the call that this thread is in starts, in the order of its requests. */
	struct hyb_request *starting;
	struct hyb_request **starting_end;
	/* Its entries for the precompleted handles, NULL until it needs one. */
	struct hyb_request *precompleted[HYB_PRECOMPLETED_HANDLES];
};

extern HYB_EXPORT __thread struct hyb_mpi_thread hyb_mpi_self __attribute__((tls_model("initial-exec")));

/*
 * Writes the Enter of a call that has HYB_UNTIMED, not published, and what is known of its time; where it goes on.
 * begins: the call is only about to be made; otherwise its begin is estimated.
 */
HYB_EXPORT uint64_t *hyb_poll_date(struct hyb_thread *t, bool begins) HYB_COLD;
/*
 * A call that has HYB_UNPUBLISHED had no effect: it joins a row or begins one, and is over but for its frame; false: it
 * is a call like others. site: where the program called from.
 */
HYB_EXPORT bool hyb_poll_fold(uint32_t region, const void *site, enum hyb_poll_kind kind);
/* When the library is loaded. */
void hyb_poll_start(void);

#endif
