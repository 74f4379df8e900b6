/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads as recorders; the calls of record.h are implemented beside these. */
#ifndef HYB_RECORD_THREAD_H
#define HYB_RECORD_THREAD_H

#include <stdint.h>

/* Once, when the process begins to record: so that ending threads close their streams. */
void hyb_thread_start(void);
/* The calling thread's number in its process; 0 before its first event. */
unsigned int hyb_thread_number(void);
/* Streams of threads made so far. */
unsigned int hyb_thread_streams(void);
/* Records lost by all streams so far, definitions included. */
uint64_t hyb_thread_lost(void);
/*
 * In a child made by fork: what is mapped for the calling thread becomes its own. It may be in a call, as where MPI
 * calls a function that forks, and writes a Leave when that comes back.
 */
void hyb_threads_forked(void);
/* The process ends: closes the calling thread's stream. */
void hyb_threads_end(void);

#endif
