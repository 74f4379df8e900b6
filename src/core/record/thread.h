/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads as recorders; the calls of record.h are implemented beside these. */
#ifndef HYB_CORE_RECORD_THREAD_H
#define HYB_CORE_RECORD_THREAD_H

#include <stdint.h>

/* Once, when the process begins to record: so that ending threads close their streams. */
void hyb_thread_start(void);
/*
 * What else is to be done when a thread ends that has recorded something, in that thread, after its stream was closed.
 * Set once, before the first such thread.
 */
void hyb_thread_at_end(void (*end)(void));
/* The same before its stream is closed, so that what is open may be ended. */
void hyb_thread_before_end(void (*end)(void));
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
/* Threads tell anew where their calls come from (hyb_site_new, record.h): what they know of it no longer holds. */
void hyb_threads_forget_sites(void);
/* The process ends: closes the calling thread's stream. */
void hyb_threads_end(void);
/* Before that: what all threads have had of the machine. */
void hyb_threads_note_usage(void);

#endif
