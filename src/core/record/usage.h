/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What threads have of the machine, as far as any user may know it of his own: time on a CPU, time without one although
 * they could run, switches and page faults. Read where a thread begins and ends and where MPI does, and written as
 * definitions: so rings and profiles have it, too, and no call takes longer.
 */
#ifndef HYB_CORE_RECORD_USAGE_H
#define HYB_CORE_RECORD_USAGE_H

#include "core/record/stream.h"

/* Of the calling thread, whose stream that is; some microseconds. Signals are blocked. */
void hyb_usage_note(const struct hyb_stream *stream, enum hyb_usage_when when);
/* Of another thread of the process, as far as that is known of one; nothing if it has ended. */
void hyb_usage_note_other(const struct hyb_stream *stream, enum hyb_usage_when when);
/* Of the calling thread, if it has a stream. Keeps errno. */
HYB_EXPORT void hyb_usage_here(enum hyb_usage_when when);

#endif
