/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process as a whole: where its streams lie, its manifest, its beginning and its end. Everything here
 * is a slow path, keeps errno and may be called from any thread.
 */
#ifndef HYB_CORE_PROCESS_PROCESS_H
#define HYB_CORE_PROCESS_PROCESS_H

#include "core/record/record.h"

enum hyb_process_state {
	HYB_PROCESS_IDLE,	/* nothing recorded yet: a process without MPI and OpenMP stays so */
	HYB_PROCESS_RECORDING,
	HYB_PROCESS_OFF,	/* not to be recorded, or it cannot be: said once */
	HYB_PROCESS_ENDED,
};

/*
 * When the library is loaded, or before anything else here: an MPI call in another library's constructor comes before
 * ours. Any number of times.
 */
void hyb_process_load(void);
/*
 * Makes the experiment and the process's place in it, the first time it is called. True if this process
 * is recorded. Called before the first event.
 */
HYB_EXPORT bool hyb_process_start(void);
/*
 * The same without waiting for another thread that is at it: 1 recorded, 0 not, -EAGAIN, or -EDEADLK where this thread
 * itself is. hyb_process_wait waits until it may be tried again; not to be called with signals blocked.
 */
int hyb_process_try(void);
void hyb_process_wait(void);
/*
 * The program asks for recording on or off. Where nothing is recorded yet that holds from the start on. Returns the
 * state. For signal handlers, too.
 */
enum hyb_process_state hyb_process_wish(bool on);
enum hyb_process_state hyb_process_state(void);
/* Whether it is a child made by fork of a process that recorded, or had tried to. Such are not recorded. */
bool hyb_process_is_copy(void);
bool hyb_process_is_recording(void);
/* World rank, -1 before it is known; before MPI_Init what the launcher says. */
int hyb_process_rank(void);
/* What concerns a whole job is said by its first rank; by processes without one the first of a run. */
bool hyb_process_speaks(void);

/* MPI has said what the rank in MPI_COMM_WORLD is. On a process that is recorded. */
void hyb_process_set_rank(int rank);
/* Adds a line `key: value` to the manifest of a process that is recorded. */
void hyb_process_note(const char *key, const char *value, size_t length);
/* A function was called that ends the process, such as MPI_Abort: `ended` in the manifest, unless that is known. */
void hyb_process_note_end(const char *function, int value);

/* When it is said on stderr where this process was recorded into. */
enum hyb_process_telling {
	HYB_TELL_NEVER,
	HYB_TELL_AT_END,
	HYB_TELL_ON_CALL,	/* by hyb_process_tell: MPI ends in good order */
};
/* The later ones in the list hold against those before them. */
void hyb_process_tell_later(enum hyb_process_telling when);
/* Says it, if this is the process that does so for its job or its node's part of it; once. */
void hyb_process_tell(void);

/* What hyb_recording is while recording is on. */
uint32_t hyb_process_groups(void);
/* Recording goes on or off, at once or, before the start, from then on. For signal handlers, too. */
void hyb_process_switch(bool on);
/* The same for MPI_Pcontrol and omp_control_tool: if the user lets them. */
HYB_EXPORT void hyb_process_control(bool on);
/* A child made by fork: nothing of it is recorded, and nothing of the parent's is touched. */
void hyb_process_forked(void);

#endif
