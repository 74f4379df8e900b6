/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile of a stream (HYBMON_MODE): what its full chunks are added up to, in a file beside it. Each function is
 * called by the stream's thread, on the slow path.
 */
#ifndef HYB_CORE_RECORD_PROFILE_H
#define HYB_CORE_RECORD_PROFILE_H

#include "core/record/stream.h"

/* The file's name in the process's directory, of the thread with that number. */
#define HYB_RECORD_PROFILE_NAME "thread-%u.prof"

/*
 * Adds the chunk that t writes, up to t->pos, to the profile, whose file is made by the first one. 0 or -errno; what
 * was added by then is in, and it is no mistake to ask again.
 */
int hyb_record_profile(struct hyb_stream *s, const struct hyb_thread *t);
/* Gives back the space that is not needed, and unmaps it; the stream ends. */
void hyb_record_profile_close(struct hyb_stream *s);

#endif
