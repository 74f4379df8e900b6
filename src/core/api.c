/* SPDX-License-Identifier: BSD-3-Clause */
/* The public interface of include/hybmon.h. */
#include "hybmon.h"

#include "core/init.h"
#include "core/process.h"
#include "core/record.h"
#include "core/sys.h"

/* Marks the place in the calling thread's stream, so that what is missing is seen to be wanted. */
static void mark(enum hyb_mark which)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t now = hyb_counter();

	if (t->pos >= t->end || now >> HYB_TIME_BITS != t->epoch) {
		if (!hyb_stream_make_room(t, now))
			return;
	}
	*t->pos = hyb_head(HYB_MARK, which, now);
	hyb_publish(t->pos + 1);
}

static void switch_recording(int on)
{
	if (!hyb_process_start() || __atomic_exchange_n(&hyb_recording, on, __ATOMIC_RELAXED) == on)
		return;
	__atomic_add_fetch(&hyb_recording_turns, (uint64_t)on, __ATOMIC_RELAXED);
	mark(on ? HYB_MARK_ON : HYB_MARK_OFF);
}

HYB_EXPORT void hybmon_pause(void)
{
	switch_recording(0);
}

HYB_EXPORT void hybmon_resume(void)
{
	switch_recording(1);
}

HYB_EXPORT int hybmon_is_recording(void)
{
	return hyb_process_state() == HYB_PROCESS_RECORDING &&
	       __atomic_load_n(&hyb_recording, __ATOMIC_RELAXED);
}

HYB_EXPORT const char *hybmon_version(void)
{
	return hyb_version;
}
