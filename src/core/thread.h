/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads as recorders; the calls of record.h are implemented beside these. */
#ifndef HYB_CORE_THREAD_H
#define HYB_CORE_THREAD_H

/* Once, when the process begins to record: so that ending threads close their streams. */
void hyb_thread_start(void);
/* Streams of threads made so far. */
unsigned int hyb_thread_streams(void);
/* The process ends: closes the calling thread's stream. */
void hyb_threads_end(void);

#endif
