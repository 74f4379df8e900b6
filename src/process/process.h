/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process as a whole: where its streams lie, its manifest, its beginning and its end. Everything here
 * is a slow path, keeps errno and may be called from any thread.
 */
#ifndef HYB_PROCESS_PROCESS_H
#define HYB_PROCESS_PROCESS_H

#include <limits.h>

#include "base/owned.h"
#include "record/record.h"

enum hyb_process_state {
	HYB_PROCESS_IDLE,	/* nothing recorded yet: a process without MPI and OpenMP stays so */
	HYB_PROCESS_RECORDING,
	HYB_PROCESS_OFF,	/* not to be recorded, or it cannot be: said once */
	HYB_PROCESS_ENDED,
};

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
/* The path of a file in the process's directory as it is now; false if it does not fit. */
bool hyb_process_path(char *buf, size_t size, const char *name);
/* The file itself, made with O_CREAT, or what was made, and its removal; see process/place.h. */
long hyb_process_open(const char *name, int flags, struct hyb_identity *identity);
void hyb_process_unlink(const char *name);

/* World rank, -1 before it is known; before MPI_Init what the launcher says. */
int hyb_process_rank(void);
/* What concerns a whole job is said by its first rank; by processes without one the first of a run. */
bool hyb_process_speaks(void);
/* The calling thread's number in its process; 0 before its first event. */
unsigned int hyb_thread_number(void);

/* MPI has started: rank and size in MPI_COMM_WORLD, thread level provided, texts for the manifest. */
HYB_EXPORT void hyb_process_ranked(int rank, int size, const char *thread_level, int version,
				   int subversion, const char *library);
/* An OpenMP runtime has started and is recorded; its version and what it does not tell of, for the manifest. */
void hyb_process_openmp(const char *runtime, const char *missing);
/*
 * The process used OpenMP with a runtime that tells nothing, and was loaded late or from the start; called at its end.
 */
void hyb_process_unseen(const char *runtime, bool late);
/* MPI_Finalize came back, or that of the last session. */
HYB_EXPORT void hyb_process_finalized(void);
/* MPI has begun, perhaps once more. */
HYB_EXPORT void hyb_process_resumed(void);
/* MPI_Abort was called. */
HYB_EXPORT void hyb_process_aborting(int errorcode);
/* MPI_Pcontrol or omp_control_tool was called to switch recording; done if the user lets it. */
HYB_EXPORT void hyb_process_pcontrol(bool on);
/* The adapter in use, for the manifest. */
void hyb_process_adapter(const char *abi);
/* The last thing the process does: exit status, or that it is not known, which leaves it to the parent. Idempotent. */
#define HYB_STATUS_UNKNOWN INT_MIN
void hyb_process_end(int status);
/* A child made by fork: nothing of it is recorded, and nothing of the parent's is touched. */
void hyb_process_forked(void);

#endif
